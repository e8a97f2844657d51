//! A place in which the commands run: how one is entered, as whom, and with what environment.

use super::debian::{Workshop, copy};
use super::docker::Docker;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A Debian root, entered by chroot with the /proc, /sys and /dev of the machine.
    Chroot,
    /// A container with Docker's default profile.
    Container,
    /// A Debian root that is the root of its processes, as on a machine of its own.
    Machine,
    /// A root whose /proc has masks, so that a user namespace can be made but mounts no new /proc.
    Podman,
}

/// Who runs the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Actor {
    /// uid 0.
    Root,
    /// uid 1000, without a way to become root.
    User,
}

impl Actor {
    fn name(self) -> &'static str {
        match self {
            Actor::Root => "root",
            Actor::User => "dev",
        }
    }

    fn clone_of_repository(self) -> &'static str {
        match self {
            Actor::Root => "/srv/ricasso",
            Actor::User => "/home/dev/ricasso",
        }
    }

    fn home(self) -> &'static str {
        match self {
            Actor::Root => "/root",
            Actor::User => "/home/dev",
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Actor::Root { "as root" } else { "as a user" })
    }
}

/// What a command did.
pub(super) struct Ran {
    pub(super) success: bool,
    /// Its standard output; the standard error is in the log alone.
    pub(super) output: String,
}

/// One place that is ready.
pub(super) struct Place<'a> {
    shape: Shape,
    root: PathBuf,
    docker: Option<Docker<'a>>,
    logs: PathBuf,
}

/// The variables by which programs find a proxy and the certificates that they trust.
const PASSED_ON: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CARGO_HTTP_CAINFO",
    "GIT_SSL_CAINFO",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
];

const ENTER_CHROOT: &str = r#"root=$1 user=$2; shift 2
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --init-groups "$@""#;

/// The new root takes the place of the machine's, so that users may make user namespaces, which a
/// chroot forbids. With `podman-shape` it is what container engines leave that have no seccomp
/// rule against namespaces: no CAP_SYS_ADMIN, and masks over parts of /proc, which forbid a new
/// /proc in a user namespace.
const ENTER_NEW_ROOT: &str = r#"shape=$1 root=$2 user=$3; shift 3
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
if [ "$shape" = machine ]; then mount --rbind /sys sys; else mount -t sysfs -o ro sysfs sys; fi
mount --rbind /dev dev
mkdir -p .old
pivot_root . .old
umount -l /.old
as_user="setpriv --reuid $user --regid $user --init-groups"
if [ "$shape" = machine ]; then exec $as_user "$@"; fi
for name in acpi kcore keys latency_stats timer_list sched_debug scsi; do
    [ ! -d "/proc/$name" ] || mount -t tmpfs -o ro tmpfs "/proc/$name"
    [ ! -f "/proc/$name" ] || mount --bind /dev/null "/proc/$name"
done
for name in asound bus fs irq sys sysrq-trigger; do
    [ ! -e "/proc/$name" ] || { mount --bind "/proc/$name" "/proc/$name" &&
        mount -o remount,bind,ro "/proc/$name"; }
done
keep=+chown,+dac_override,+fowner,+fsetid,+kill,+net_bind_service,+setfcap,+setgid,+setpcap
keep=-all,$keep,+setuid,+sys_chroot
exec setpriv --bounding-set $keep --inh-caps=-all $as_user "$@""#;

impl<'a> Place<'a> {
    /// Makes a place from the Debian root `base`, which stays as it is.
    pub(super) fn open(shape: Shape, workshop: &'a Workshop, base: &Path) -> io::Result<Place<'a>> {
        let logs = workshop.logs();
        fs::create_dir_all(&logs)?;
        let root = workshop.path(name_of(shape));
        let docker = match shape {
            Shape::Container => Some(Docker::start(workshop, base)?),
            Shape::Chroot | Shape::Machine | Shape::Podman => copy(base, &root).map(|()| None)?,
        };
        Ok(Place { shape, root, docker, logs })
    }

    pub(super) fn name(&self) -> &'static str {
        name_of(self.shape)
    }

    pub(super) fn logs(&self) -> &Path {
        &self.logs
    }

    /// Runs shell text in the clone of the repository; what it says goes to a log.
    pub(super) fn run(&self, actor: Actor, text: &str, what: &str) -> io::Result<Ran> {
        let log = self.logs.join(format!("{}-{}-{what}.log", self.name(), actor.name()));
        println!("        {}, {actor}: {text}", self.name());
        let file = File::create(&log)?;
        let mut command = self.enter(actor);
        command.args(["sh", "-c", "cd \"$1\" && exec sh -c \"$2\"", "sh"]);
        command.arg(actor.clone_of_repository()).arg(text).stdin(Stdio::null());
        let output = command.stdout(Stdio::piped()).stderr(file.try_clone()?).output()?;
        io::Write::write_all(&mut &file, &output.stdout)?;
        let success = output.status.success();
        Ok(Ran { success, output: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    /// What apt was asked for in this place.
    pub(super) fn apt_history(&self) -> io::Result<String> {
        let text = "cat /var/log/apt/history.log 2>/dev/null || true";
        let output = self.enter(Actor::Root).args(["sh", "-c", text]).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The words before a command that is to run in here.
    fn enter(&self, actor: Actor) -> Command {
        let variables = environment(actor);
        if let Some(docker) = &self.docker {
            let mut options = vec!["--user".to_owned(), actor.name().to_owned()];
            options.extend(variables.into_iter().flat_map(|pair| ["--env".to_owned(), pair]));
            return piped(docker.exec(&options));
        }
        let mut command = Command::new("unshare");
        command.args(["-m", "--propagation", "private"]);
        if self.shape == Shape::Chroot {
            command.args(["sh", "-ec", ENTER_CHROOT, "sh"]);
        } else {
            command.args(["-p", "-f", "--kill-child", "sh", "-ec", ENTER_NEW_ROOT, "sh"]);
            command.arg(self.name());
        }
        command.arg(&self.root).arg(actor.name());
        command.args(["env", "-i"]).args(variables);
        piped(command)
    }
}

fn piped(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn name_of(shape: Shape) -> &'static str {
    match shape {
        Shape::Chroot => "chroot",
        Shape::Container => "container",
        Shape::Machine => "machine",
        Shape::Podman => "podman-shape",
    }
}

/// The environment of a login, the toolchain, and what the network of this machine needs.
fn environment(actor: Actor) -> Vec<String> {
    let path = "PATH=/usr/local/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:\
                /sbin:/bin";
    let mut pairs = vec![path.to_owned(), format!("HOME={}", actor.home())];
    pairs.push("CARGO_HOME=/usr/local/cargo".into());
    pairs.push(format!("USER={}", actor.name()));
    let passed = PASSED_ON.iter().filter_map(|name| Some((name, std::env::var(name).ok()?)));
    pairs.extend(passed.map(|(name, value)| format!("{name}={value}")));
    pairs
}
