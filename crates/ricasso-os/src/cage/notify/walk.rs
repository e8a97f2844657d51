//! Where a path leads for somebody else: from its directory, in its root, and with what it calls
//! itself in /proc meaning it and not us.
//!
//! The kernel would follow links with our root, our /proc and our number in it. So it goes as far
//! as there are no links, and where there are some we go name by name.

use super::memory::{Asker, Which};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, FsWord, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Links that the kernel follows in one path (path_resolution(7)).
const MOST_LINKS: usize = 40;
/// PROC_SUPER_MAGIC, and the number of its root.
const PROC: FsWord = 0x9fa0;
const PROC_ROOT: u64 = 1;

/// Whether a link at the end leads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    Yes,
    No,
}

/// One walk of an asker.
pub(super) struct Walk<'a> {
    asker: &'a Asker,
    at: i32,
    links: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(asker: &'a Asker, at: i32) -> Walk<'a> {
        Walk { asker, at, links: 0 }
    }

    /// Takes hold of what a path leads to.
    pub(super) fn hold(&mut self, path: &Path, follow: Follow) -> Result<OwnedFd, Errno> {
        let start = self.start(path)?;
        self.go(start, path, follow)
    }

    /// The name that a path means, in the real directory above it, whether it is there or not; and
    /// where links lead on, the name at their end. Nothing for a path that ends in no name.
    pub(super) fn place(&mut self, path: &Path, follow: Follow) -> Result<Option<PathBuf>, Errno> {
        let mut path = path.to_path_buf();
        let mut start = self.start(&path)?;
        loop {
            let Some(last) = path.file_name().map(OsStr::to_os_string) else { return Ok(None) };
            let above = path.parent().unwrap_or(Path::new(""));
            let directory = self.go(start, above, Follow::Yes)?;
            let whole = super::memory::name_of(directory.as_fd())?.join(&last);
            if follow == Follow::No {
                return Ok(Some(whole));
            }
            let Ok(target) = rustix::fs::readlinkat(&directory, &last, Vec::new()) else {
                return Ok(Some(whole));
            };
            self.count()?;
            path = PathBuf::from(OsStr::from_bytes(target.to_bytes()));
            start = if path.is_absolute() { self.top()? } else { directory };
        }
    }

    fn start(&self, path: &Path) -> Result<OwnedFd, Errno> {
        if path.is_absolute() { self.top() } else { self.own(&self.asker.base(self.at)) }
    }

    /// Where absolute paths begin.
    fn top(&self) -> Result<OwnedFd, Errno> {
        self.own(&self.asker.inside(Path::new("/")))
    }

    /// What one of the asker's own names leads to.
    fn own(&self, path: &Path) -> Result<OwnedFd, Errno> {
        follow(path).map_err(|errno| self.asker.hidden_or(errno))
    }

    fn go(&mut self, start: OwnedFd, path: &Path, last: Follow) -> Result<OwnedFd, Errno> {
        let names = names_of(path);
        if names.is_empty() {
            return Ok(start);
        }
        match without_links(start.as_fd(), path, last) {
            Err(Errno::LOOP | Errno::NOSYS | Errno::PERM) => self.by_names(start, names, last),
            other => other,
        }
    }

    fn by_names(
        &mut self,
        start: OwnedFd,
        mut names: Vec<OsString>,
        last: Follow,
    ) -> Result<OwnedFd, Errno> {
        let mut here = start;
        while let Some(name) = names.pop() {
            let entry = open_at(here.as_fd(), &name, OFlags::NOFOLLOW)?;
            let is_link = FileType::from_raw_mode(rustix::fs::fstat(&entry)?.st_mode).is_symlink();
            if !is_link || names.is_empty() && last == Follow::No {
                here = entry;
                continue;
            }
            self.count()?;
            match kind(here.as_fd(), &name)? {
                // By the number that it has where this /proc was mounted.
                Kind::Itself(which) => names.extend(names_of(&self.asker.own_number(which)?)),
                // It leads to an object and not to a name.
                Kind::Jump if self.asker.owns(&super::memory::name_of(here.as_fd())?)? => {
                    here = open_at(here.as_fd(), &name, OFlags::empty())?;
                }
                Kind::Jump => return Err(Errno::ACCESS),
                Kind::Text => {
                    let target = rustix::fs::readlinkat(&entry, "", Vec::new())?;
                    let target = Path::new(OsStr::from_bytes(target.to_bytes()));
                    if target.is_absolute() {
                        here = self.top()?;
                    }
                    names.extend(names_of(target));
                }
            }
        }
        Ok(here)
    }

    fn count(&mut self) -> Result<(), Errno> {
        self.links += 1;
        if self.links > MOST_LINKS { Err(Errno::LOOP) } else { Ok(()) }
    }
}

/// What a link is.
enum Kind {
    /// A text, which is a path.
    Text,
    /// Whoever looks.
    Itself(Which),
    /// An object of a process.
    Jump,
}

fn kind(directory: BorrowedFd<'_>, name: &OsStr) -> Result<Kind, Errno> {
    if rustix::fs::fstatfs(directory)?.f_type != PROC {
        return Ok(Kind::Text);
    }
    let is_root = rustix::fs::fstat(directory)?.st_ino == PROC_ROOT;
    Ok(match (is_root, name.as_bytes()) {
        (true, b"self") => Kind::Itself(Which::Process),
        (true, b"thread-self") => Kind::Itself(Which::Thread),
        (true, _) => Kind::Text,
        (false, _) => Kind::Jump,
    })
}

/// The names of a path, the first one last.
fn names_of(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_os_string()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    names.collect()
}

fn without_links(start: BorrowedFd<'_>, path: &Path, last: Follow) -> Result<OwnedFd, Errno> {
    let path = path.strip_prefix("/").unwrap_or(path);
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let flags = if last == Follow::No { flags | OFlags::NOFOLLOW } else { flags };
    rustix::fs::openat2(start, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
}

fn open_at(start: BorrowedFd<'_>, name: &OsStr, more: OFlags) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(start, name, OFlags::PATH | OFlags::CLOEXEC | more, Mode::empty())
}

fn follow(path: &Path) -> Result<OwnedFd, Errno> {
    open_at(CWD, path.as_os_str(), OFlags::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// This process asks itself.
    fn found(at: &Path, path: &str) -> Result<Option<PathBuf>, Errno> {
        let held = follow(at).unwrap();
        let asker = Asker { pid: std::process::id() as i32, among_others: true };
        let at = std::os::fd::AsRawFd::as_raw_fd(&held);
        Walk::new(&asker, at).place(Path::new(path), Follow::Yes)
    }

    #[test]
    fn links_lead_to_the_name_at_their_end_and_to_the_asker_itself() {
        let place = std::env::temp_dir().join(format!("ricasso-walk-{}", std::process::id()));
        std::fs::create_dir_all(place.join("real/below")).unwrap();
        let place = place.canonicalize().unwrap();
        symlink("real", place.join("a")).unwrap();
        symlink("a/below", place.join("b")).unwrap();
        symlink("b/new", place.join("c")).unwrap();
        symlink("/proc/self/cwd", place.join("d")).unwrap();
        symlink("e", place.join("e")).unwrap();
        let cwd = std::env::current_dir().unwrap();
        let below = place.join("real/below/new");
        assert_eq!(found(&place, "c"), Ok(Some(below.clone())));
        assert_eq!(found(&place, "b/../below/new"), Ok(Some(below.clone())));
        assert_eq!(found(&place, place.join("c").to_str().unwrap()), Ok(Some(below)));
        assert_eq!(found(&place, "d/new"), Ok(Some(cwd.join("new"))));
        assert_eq!(found(&place, "e"), Err(Errno::LOOP));
        assert_eq!(found(&place, "none/new"), Err(Errno::NOENT));
        assert_eq!(found(&place, ".."), Ok(None));
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn what_other_processes_hold_is_not_the_askers() {
        let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let path = format!("/proc/{}/cwd/new", other.id());
        let found = |among_others| {
            let asker = Asker { pid: std::process::id() as i32, among_others };
            Walk::new(&asker, libc::AT_FDCWD).place(Path::new(&path), Follow::Yes)
        };
        let (refused, followed) = (found(true), found(false));
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(refused, Err(Errno::ACCESS));
        // Where all processes that it sees are the job's own.
        assert_eq!(followed, Ok(Some(std::env::current_dir().unwrap().join("new"))));
    }
}
