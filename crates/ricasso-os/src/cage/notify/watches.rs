//! Watching files (inotify(7)), where Landlock alone holds reading: it knows nothing of watches,
//! and they tell the names in a directory, and when a file is used.
//!
//! The watch is set by us, on the object that we hold, with the asker's own descriptor. So names
//! that change meanwhile change nothing.

use super::memory::{Named, name_of};
use super::{Gatekeeper, Question, Said, Told};
use crate::cage::Cage;
use crate::cage::rules;
use crate::cage::wire::{paths, put_paths};
use crate::wire::{Reader, Writer};
use rustix::fd::{AsFd, AsRawFd};
use rustix::fs::inotify;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::path::{Path, PathBuf};

const WATCH: &str = "watch";

/// Where something can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Readable {
    roots: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
    shown: Vec<PathBuf>,
}

impl Readable {
    pub(super) fn of(cage: &Cage, places: &[PathBuf]) -> Readable {
        let (roots, hidden) = (rules::reading_places(cage), rules::unread(cage));
        Readable { roots, hidden, shown: [rules::shown(cage), places.to_vec()].concat() }
    }

    pub(super) fn encode(&self, out: &mut Writer) {
        [&self.roots, &self.hidden, &self.shown].into_iter().for_each(|all| put_paths(out, all));
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Option<Readable> {
        Some(Readable { roots: paths(from)?, hidden: paths(from)?, shown: paths(from)? })
    }

    /// Whether a directory of this name cannot be listed, since it is hidden or holds one that is.
    pub(super) fn is_unlisted(&self, name: &Path) -> bool {
        let holds = |hidden: &PathBuf| hidden != name && hidden.starts_with(name);
        let mut held = self.hidden.iter().filter(|hidden| holds(hidden));
        self.is_in_reach(name) && (self.is_hidden(name) || held.any(|hidden| hidden.is_dir()))
    }

    /// Whether an object of this name can be read, and nothing below it is hidden.
    fn covers(&self, name: &Path) -> bool {
        let holds = |hidden: &PathBuf| hidden != name && hidden.starts_with(name);
        self.is_in_reach(name) && !self.is_hidden(name) && !self.hidden.iter().any(holds)
    }

    fn is_in_reach(&self, name: &Path) -> bool {
        nearest(&self.roots, name).is_some() || nearest(&self.shown, name).is_some()
    }

    /// Whether something hidden lies nearer above it than something shown.
    fn is_hidden(&self, name: &Path) -> bool {
        nearest(&self.hidden, name) > nearest(&self.shown, name)
    }
}

/// The length of the longest of these paths that is this name or lies above it.
fn nearest(paths: &[PathBuf], name: &Path) -> Option<usize> {
    let above = paths.iter().filter(|path| name.starts_with(path));
    above.map(|path| path.as_os_str().len()).max()
}

impl Gatekeeper {
    /// A new watch, if what is to be watched may be read.
    pub(super) fn decide_watch(&mut self, question: &Question) -> Said {
        match self.watch(question) {
            Ok(watch) => Said::Value(watch.into()),
            Err(errno) => Said::Refused(errno),
        }
    }

    fn watch(&mut self, question: &Question) -> Result<i32, Errno> {
        let [fd, path, mask, ..] = question.arguments;
        let mask = inotify::WatchFlags::from_bits_retain(mask as u32);
        let asker = self.asker(question);
        let link = mask.contains(inotify::WatchFlags::DONT_FOLLOW);
        let named = Named { at: libc::AT_FDCWD, path: Some(path), link, empty: false };
        let object = asker.hold(&named)?;
        let ear = Pid::from_raw(asker.leader()?).ok_or(Errno::SRCH)?;
        let ear = pidfd_open(ear, PidfdFlags::empty())?;
        let ear = pidfd_getfd(&ear, fd as i32, PidfdGetfdFlags::empty());
        if !self.still_asks(question.id) {
            return Err(Errno::INTR);
        }
        let name = name_of(object.as_fd())?;
        if !self.survey.readable.covers(&name) {
            self.note_as(question, WATCH, &name, Told::WhereFailed);
            return Err(Errno::ACCESS);
        }
        // Containers refuse it to whoever may not trace (seccomp profiles of Docker and Podman).
        if let Err(Errno::PERM | Errno::NOSYS) = ear {
            self.note_as(question, WATCH, &name, Told::WhereFailed);
        }
        let ear = ear?;
        let held = format!("/proc/self/fd/{}", object.as_raw_fd());
        inotify::add_watch(&ear, held, mask - inotify::WatchFlags::DONT_FOLLOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_holds_something_hidden_is_not_watched() {
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect();
        let readable = Readable {
            roots: paths(&["/"]),
            hidden: paths(&["/home/me/.ssh", "/tmp"]),
            shown: paths(&["/home/me/.ssh/known_hosts", "/tmp/mine"]),
        };
        let covers = |name: &str| readable.covers(Path::new(name));
        assert!(covers("/usr/lib") && covers("/home/me/.ssh/known_hosts") && covers("/tmp/mine/x"));
        assert!(!covers("/home/me/.ssh") && !covers("/home/me/.ssh/id") && !covers("/home/me"));
        assert!(!covers("/tmp/other") && !covers("/"));
        let home = Readable { shown: paths(&["/home/me"]), ..readable };
        assert!(home.covers(Path::new("/home/me/x")) && !home.covers(Path::new("/home/me")));
        assert!(!home.covers(Path::new("/home/me/.ssh/id")));
    }
}
