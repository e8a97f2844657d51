//! Removing a directory that commands made: as deep as it may be, whatever modes its parts have,
//! and without following a link, even while somebody still works in it.
//!
//! What lies deep is moved up first, so that neither paths nor descriptors nor the stack grow with
//! the depth. Everything is done from open directories by single names.

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::path::Path;

/// Names of a directory that are held at a time.
const BATCH: usize = 1024;
/// Entries of one tree. Whoever makes them faster than they go does not hold us up.
const MOST_ENTRIES: u64 = 20_000_000;
/// The owner may do everything.
const OPEN: Mode = Mode::RWXU;

/// Removes a file, a link, or a directory with all that is in it. Where something stays, the rest
/// is gone all the same, and the error is that of the first that stays.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    match rustix::fs::unlinkat(CWD, path, AtFlags::empty()) {
        Err(Errno::ISDIR) => {}
        other => return Ok(other?),
    }
    let top = open_directory(CWD, path)?;
    let mut removal = Removal { top: top.as_fd(), moved: 0, left: MOST_ENTRIES };
    removal.empty(top.as_fd(), Below::Emptied)?;
    Ok(rustix::fs::unlinkat(CWD, path, AtFlags::REMOVEDIR)?)
}

struct Removal<'a> {
    top: BorrowedFd<'a>,
    /// Directories that were moved up so far.
    moved: u64,
    /// Entries that may still be looked at.
    left: u64,
}

/// What becomes of a directory that is met in another one.
#[derive(Clone, Copy)]
enum Below {
    /// It lies right below the top: it is emptied where it is.
    Emptied,
    /// It is moved there.
    MovedUp,
}

impl Removal<'_> {
    /// Takes everything out of a directory.
    fn empty(&mut self, directory: BorrowedFd<'_>, below: Below) -> Result<(), Errno> {
        loop {
            let names = names(directory)?;
            let (mut first, mut gone) = (None, names.is_empty());
            for name in &names {
                self.left = self.left.checked_sub(1).ok_or(Errno::TOOBIG)?;
                match self.remove(directory, name, below) {
                    Ok(()) | Err(Errno::NOENT) => gone = true,
                    Err(errno) => first = first.or(Some(errno)),
                }
            }
            match first {
                // Nothing went: the next look would find the same.
                Some(errno) if !gone => return Err(errno),
                _ if names.is_empty() => return Ok(()),
                _ => {}
            }
        }
    }

    fn remove(
        &mut self,
        directory: BorrowedFd<'_>,
        name: &CString,
        below: Below,
    ) -> Result<(), Errno> {
        match rustix::fs::unlinkat(directory, name, AtFlags::empty()) {
            Err(Errno::ISDIR) => {}
            other => return other,
        }
        if rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR).is_ok() {
            return Ok(());
        }
        let inner = open_directory(directory, name.as_c_str())?;
        match below {
            Below::Emptied => {
                self.empty(inner.as_fd(), Below::MovedUp)?;
                rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)
            }
            Below::MovedUp => self.move_up(directory, name),
        }
    }

    fn move_up(&mut self, directory: BorrowedFd<'_>, name: &CString) -> Result<(), Errno> {
        loop {
            self.moved += 1;
            self.left = self.left.checked_sub(1).ok_or(Errno::TOOBIG)?;
            let up = format!("ricasso-removed-{}", self.moved);
            match rustix::fs::renameat(directory, name, self.top, up) {
                // A command has taken the name.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                other => return other,
            }
        }
    }
}

/// Opens a directory, no link, and makes it one in which its owner may do everything.
fn open_directory<P: rustix::path::Arg>(at: impl AsFd, name: P) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = rustix::fs::openat(at, name, flags, Mode::empty())?;
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&held)?.st_mode);
    if !mode.contains(OPEN) {
        // By the descriptor: by its name it could be another one by now.
        rustix::fs::chmod(format!("/proc/self/fd/{}", held.as_raw_fd()), OPEN)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::openat(&held, c".", flags, Mode::empty())
}

/// The first names of a directory.
fn names(directory: BorrowedFd<'_>) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            names.push(name.to_owned());
        }
        if names.len() >= BATCH {
            break;
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ricasso-{name}-{}", std::process::id()));
        let _ = remove_tree(&path);
        fs::create_dir(&path).unwrap();
        path
    }

    #[test]
    fn a_directory_goes_however_deep_it_is() {
        const DEPTH: usize = 3_000;
        let place = place("deep");
        let (deep, more) = (place.join("deep"), place.join("more"));
        fs::create_dir(&deep).unwrap();
        fs::write(deep.join("file"), "x").unwrap();
        for _ in 0..DEPTH {
            fs::create_dir(&more).unwrap();
            fs::rename(&deep, more.join("d")).unwrap();
            fs::rename(&more, &deep).unwrap();
        }
        // What stands in the way of those that are moved.
        fs::write(place.join("ricasso-removed-1"), "x").unwrap();
        fs::create_dir_all(place.join("ricasso-removed-2/x/y")).unwrap();
        // As little as a thread of ours has.
        let small = std::thread::Builder::new().stack_size(128 * 1024);
        let removed = place.clone();
        small.spawn(move || remove_tree(&removed).unwrap()).unwrap().join().unwrap();
        assert!(!place.exists());
    }

    #[test]
    fn no_link_is_followed_and_no_mode_holds_it_up() {
        let place = place("shut");
        let (inside, outside) = (place.join("inside"), place.join("outside"));
        fs::create_dir_all(inside.join("a/b/c/d")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "x").unwrap();
        symlink(&outside, inside.join("a/link")).unwrap();
        symlink(&outside, inside.join("a/b/c/link")).unwrap();
        for shut in ["a/b/c/d", "a/b/c", "a/b", "a", ""] {
            fs::set_permissions(inside.join(shut), fs::Permissions::from_mode(0o000)).unwrap();
        }
        let many = place.join("many");
        fs::create_dir(&many).unwrap();
        (0..3 * BATCH).for_each(|it| fs::create_dir_all(many.join(format!("{it}/x/y"))).unwrap());
        for path in [&inside, &many] {
            remove_tree(path).unwrap();
            assert!(path.symlink_metadata().is_err());
        }
        symlink(&outside, &inside).unwrap();
        remove_tree(&inside).unwrap();
        assert!(inside.symlink_metadata().is_err());
        assert_eq!(fs::read(outside.join("kept")).unwrap(), b"x");
        let mode = fs::metadata(&outside).unwrap().permissions().mode();
        assert_ne!(mode & 0o077, 0, "the mode of what lies outside was changed");
        assert_eq!(remove_tree(&inside).unwrap_err().kind(), io::ErrorKind::NotFound);
        remove_tree(&place).unwrap();
    }
}
