//! A fresh Debian root with the Rust toolchain, the crates and a clone of the repository.

use crate::host::is_installed;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is unpacked where a program of it is not installed. The libraries are those of iptables.
const PACKAGES: &str = "debootstrap docker.io containerd runc tini libsubid4 iptables libip4tc2 \
                        libip6tc2 libxtables12";

const UNPACK: &str = r#"mkdir -p "$1/packages" && cd "$1/packages" && shift
apt-get -qq -o APT::Sandbox::User=root download "$@"
for package in *.deb; do dpkg -x "$package" ..; done"#;

const DEBOOTSTRAP: &str = r#"if [ -d "$2/usr/share/debootstrap" ]; then
    export DEBOOTSTRAP_DIR="$2/usr/share/debootstrap"
fi
debootstrap --variant=minbase --include=ca-certificates,git "$3" "$1" >&2"#;

/// The user has the clone at the same place in a home of its own. The crates are writable for
/// all, as in the images that carry a Rust toolchain.
const FURNISH: &str = r#"root=$1 sysroot=$2 cargo_home=$3 repository=$4
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [ ! -e "$file" ] || cp -L "$file" "$root$file"
done
own=/usr/local/share/ca-certificates
[ ! -d $own ] || { mkdir -p "$root$own" && cp -rL $own/. "$root$own/"; }
mkdir -p "$root/usr/local/rust" "$root/usr/local/cargo"
tar -C "$sysroot" --exclude=./share/doc -c . | tar -C "$root/usr/local/rust" -x
for name in registry config.toml; do
    [ ! -e "$cargo_home/$name" ] || cp -a "$cargo_home/$name" "$root/usr/local/cargo/"
done
chmod -R a+rwX "$root/usr/local/cargo"
chroot "$root" useradd --create-home dev
git clone --quiet --no-hardlinks "$repository" "$root/srv/ricasso"
cp -a "$root/srv/ricasso" "$root/home/dev/ricasso"
chroot "$root" chown -R dev:dev /home/dev/ricasso"#;

/// The directory below which everything is made. It is removed when this value goes.
pub(super) struct Workshop {
    place: PathBuf,
    tools: PathBuf,
}

impl Workshop {
    /// Makes the directory anew, with the programs that are not installed.
    pub(super) fn make(place: &Path) -> io::Result<Workshop> {
        remove(place)?;
        fs::create_dir_all(place)?;
        let place = place.canonicalize()?;
        let workshop = Workshop { tools: place.join("tools"), place };
        if !is_installed("debootstrap") || !is_installed("dockerd") {
            let mut unpack = script(UNPACK);
            unpack.arg(&workshop.tools).args(PACKAGES.split_whitespace());
            succeed(&mut unpack, "apt-get download")?;
        }
        Ok(workshop)
    }

    /// A path below the directory.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// Where output of the commands is kept: it outlives the directory.
    pub(super) fn logs(&self) -> PathBuf {
        self.place.with_file_name("fresh-logs")
    }

    /// A command that finds the unpacked programs and their libraries.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = ["usr/bin", "usr/sbin", "sbin"].map(|name| self.tools.join(name));
        let all = own.into_iter().chain(std::env::split_paths(&path));
        // A colon in a path of ours leaves the path of the machine alone.
        command.env("PATH", std::env::join_paths(all).unwrap_or(path));
        if let Ok(libraries) = fs::read_dir(self.tools.join("usr/lib")) {
            let has = |path: &PathBuf| path.join("libxtables.so.12").exists();
            let found = libraries.flatten().map(|entry| entry.path()).find(has);
            found.map(|path| command.env("LD_LIBRARY_PATH", path));
        }
        command
    }

    /// Makes the Debian root, or copies the one at `made`.
    pub(super) fn debian_root(&self, made: Option<&Path>) -> io::Result<PathBuf> {
        let base = self.path("base");
        if let Some(made) = made {
            copy(made, &base)?;
            return Ok(base);
        }
        // It mounts in the new root, so in a mount namespace that ends with it.
        let mut make = self.command("unshare");
        make.args(["-m", "--propagation", "private", "sh", "-ec", DEBOOTSTRAP, "sh"]);
        make.arg(&base).arg(&self.tools).arg(suite());
        succeed(&mut make, "debootstrap")?;
        Ok(base)
    }

    /// Puts in what is said to be there already: toolchain, crates, clone; and a user. Gives the
    /// clone, which is of the last commit.
    pub(super) fn furnish(&self, base: &Path, repository: &Path) -> io::Result<PathBuf> {
        let output = Command::new("rustc").args(["--print", "sysroot"]).output()?;
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let mut furnish = script(FURNISH);
        furnish.arg(base).arg(sysroot);
        furnish.arg(cargo_home.unwrap_or_else(|| home.join(".cargo"))).arg(repository);
        succeed(&mut furnish, "furnishing the root")?;
        Ok(base.join("srv/ricasso"))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.place) {
            println!("fresh: {error}");
        }
    }
}

/// Copies a whole root.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    succeed(Command::new("cp").args(["-a", "--reflink=auto"]).arg(from).arg(to), "cp")
}

/// Runs a command that must succeed.
pub(super) fn succeed(command: &mut Command, what: &str) -> io::Result<()> {
    let status = command.stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{what}: {status}"))) }
}

fn script(text: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-ec", text, "sh"]);
    command
}

/// Removes the directory, and nothing where something is mounted below it.
fn remove(place: &Path) -> io::Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    if let Some(mount) = mount_below(&mounts, place) {
        let message = format!("{mount} is mounted; unmount it, then remove {}", place.display());
        return Err(io::Error::other(message));
    }
    succeed(Command::new("rm").args(["-rf", "--one-file-system"]).arg(place), "rm")
}

fn mount_below<'a>(mountinfo: &'a str, place: &Path) -> Option<&'a str> {
    let points = mountinfo.lines().filter_map(|line| line.split(' ').nth(4));
    points.into_iter().find(|point| Path::new(point).starts_with(place))
}

/// This machine's release of Debian, where it is one.
fn suite() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name| release.lines().find_map(|line| line.strip_prefix(name));
    let codename = field("VERSION_CODENAME=").filter(|_| field("ID=") == Some("debian"));
    codename.unwrap_or("bookworm").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_removed_where_something_is_mounted() {
        let mounts = "22 1 0:5 / / rw - ext4 a rw\n23 22 0:6 / /a/fresh/proc rw - proc proc rw\n";
        assert_eq!(mount_below(mounts, Path::new("/a/fresh")), Some("/a/fresh/proc"));
        assert_eq!(mount_below(mounts, Path::new("/a/fres")), None);
    }
}
