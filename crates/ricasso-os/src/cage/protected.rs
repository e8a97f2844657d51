//! What is never written below the roots, by the names that it really has.
//!
//! A protected name may be a link, or lie behind one, and a repository may lie beside its work
//! tree. What is obeyed is what they lead to, so that is shut too, where it lies below a root; and
//! the links themselves stay as they are.

use super::Cage;
use super::mounts::real;
use super::reading::placed;
use rustix::fs::{FileType, Mode, OFlags};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The name of a repository in its work tree.
const GIT: &str = ".git";
/// What leads from a repository to the one that shares its settings.
const COMMON: &str = "commondir";
/// A file that leads to a repository has one line.
const MOST_POINTER_BYTES: u64 = 4096;

/// What is there of all that is protected.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shut {
    /// Files and directories, shorter names first.
    pub(super) places: Vec<PathBuf>,
    /// Links on the way to them.
    pub(super) links: Vec<PathBuf>,
}

impl Shut {
    /// Looks for everything that this cage protects. It has its real names.
    pub(super) fn of(cage: &Cage) -> Shut {
        let mut shut = Shut::default();
        let beside: Vec<(PathBuf, Vec<PathBuf>)> =
            cage.write.iter().filter_map(|root| Some((root.join(GIT), led_by(root)?))).collect();
        for (pointer, _) in &beside {
            shut.add(cage, pointer);
        }
        for entry in &cage.protect {
            if entry.is_absolute() {
                shut.add(cage, entry);
                continue;
            }
            cage.write.iter().for_each(|root| shut.add(cage, &root.join(entry)));
            let Ok(part) = entry.strip_prefix(GIT) else { continue };
            let elsewhere = beside.iter().flat_map(|(_, repositories)| repositories);
            elsewhere.for_each(|repository| shut.add(cage, &repository.join(part)));
        }
        for list in [&mut shut.places, &mut shut.links] {
            list.sort();
            list.dedup();
        }
        shut
    }

    fn add(&mut self, cage: &Cage, path: &Path) {
        // Most of them are not there, and to ask for that is cheaper than to follow a path.
        if path.symlink_metadata().is_err() {
            return;
        }
        let leads_to = path.canonicalize().ok();
        if leads_to.as_deref() != Some(path) {
            self.links.extend(links_below(cage, path));
        }
        self.places.extend(leads_to.filter(|path| is_below_a_root(cage, path)));
    }
}

fn is_below_a_root(cage: &Cage, path: &Path) -> bool {
    cage.write.iter().any(|root| path.starts_with(root))
}

/// The links below the roots by which a path leads on.
pub(super) fn links_below(cage: &Cage, path: &Path) -> Vec<PathBuf> {
    if !is_below_a_root(cage, path) || path.symlink_metadata().is_err() {
        return Vec::new();
    }
    links_on(path).into_iter().filter(|link| is_below_a_root(cage, link)).collect()
}

/// The same list with absolute names as the objects have them; and where no mount holds what is
/// there already, all of that by its own name.
pub(super) fn by_real_names(cage: &Cage, alone: bool) -> Vec<PathBuf> {
    let (absolute, mut all): (Vec<PathBuf>, Vec<PathBuf>) =
        cage.protect.iter().cloned().partition(|entry| entry.is_absolute());
    all.extend(placed(&absolute));
    all.extend(placed(&Beside::of(cage).names));
    if alone {
        let Shut { places, links } = Shut::of(cage);
        all.extend(places.into_iter().chain(links));
    }
    all
}

/// What tells, beside the names of a cage, that something else is protected now: files whose text
/// says where a repository lies, and what of it is protected if it is there.
#[derive(Debug, Default)]
pub(super) struct Beside {
    pub(super) pointers: Vec<PathBuf>,
    pub(super) names: Vec<PathBuf>,
}

impl Beside {
    pub(super) fn of(cage: &Cage) -> Beside {
        let mut beside = Beside::default();
        let parts: Vec<&Path> =
            cage.protect.iter().filter_map(|entry| entry.strip_prefix(GIT).ok()).collect();
        for root in &cage.write {
            let Some(repositories) = led_by(root) else { continue };
            beside.pointers.push(root.join(GIT));
            for repository in repositories {
                beside.pointers.push(repository.join(COMMON));
                beside.names.extend(parts.iter().map(|part| repository.join(part)));
            }
        }
        beside
    }
}

/// The links among the names of a path, each in the real directory above it.
fn links_on(path: &Path) -> Vec<PathBuf> {
    let mut names: Vec<&Path> = path.ancestors().collect();
    names.reverse();
    let links = names
        .into_iter()
        .filter(|name| name.symlink_metadata().is_ok_and(|about| about.is_symlink()));
    let placed = |link: &Path| Some(real(link.parent()?).join(link.file_name()?));
    links.filter_map(placed).collect()
}

/// The repository that a file called `.git` leads to, and the one that shares its settings.
fn led_by(root: &Path) -> Option<Vec<PathBuf>> {
    let pointer = root.join(GIT);
    if !pointer.symlink_metadata().is_ok_and(|about| about.is_file()) {
        return None;
    }
    let text = line(&pointer)?;
    let own = root.join(OsStr::from_bytes(text.strip_prefix(b"gitdir:")?.trim_ascii()));
    let common = line(&own.join(COMMON));
    let common = common.map(|text| own.join(OsStr::from_bytes(text.trim_ascii())));
    Some([Some(own), common].into_iter().flatten().collect())
}

/// A small file that a command may have made: waits for no pipe in its place, and opens no device
/// behind a link. The usual reader goes through /proc, which is covered while a view is built.
fn line(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file).ok()?.st_mode);
    if kind != FileType::RegularFile {
        return None;
    }
    let mut text = Vec::new();
    std::fs::File::from(file).take(MOST_POINTER_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_links_and_pointers_lead_to_is_shut_and_so_are_they() {
        let place = std::env::temp_dir().join(format!("ricasso-protected-{}", std::process::id()));
        for name in ["w/repo/hooks", "w/shared", "w/h", "out"] {
            fs::create_dir_all(place.join(name)).unwrap();
        }
        let place = place.canonicalize().unwrap();
        fs::write(place.join("w/.git"), "gitdir: repo\n").unwrap();
        fs::write(place.join("w/repo/config"), "").unwrap();
        symlink("shared", place.join("w/conf")).unwrap();
        symlink("../out", place.join("w/away")).unwrap();
        symlink("nowhere", place.join("w/dangling")).unwrap();
        symlink("w", place.join("alias")).unwrap();
        let protect = [".git/hooks", ".git/config", "conf", "away", "dangling", "none"];
        let mut protect: Vec<PathBuf> = protect.iter().map(PathBuf::from).collect();
        protect.push(place.join("alias/h"));
        let cage = Cage { write: vec![place.join("w")], protect, ..Cage::default() };
        let shut = Shut::of(&cage);
        let at = |names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| place.join(name)).collect()
        };
        let real = by_real_names(&cage, false);
        let beside = Beside::of(&cage);
        fs::remove_dir_all(&place).unwrap();
        let places = ["w/.git", "w/h", "w/repo/config", "w/repo/hooks", "w/shared"];
        assert_eq!(shut.places, at(&places));
        assert_eq!(shut.links, at(&["w/away", "w/conf", "w/dangling"]));
        assert_eq!(beside.pointers, at(&["w/.git", "w/repo/commondir"]));
        assert!(beside.names.contains(&place.join("w/repo/hooks")));
        assert!(real.contains(&place.join("w/h")) && real.contains(&"conf".into()));
    }
}
