//! Watching files (inotify(7)), where Landlock alone holds reading: it knows nothing of watches,
//! and they tell the names in a directory, and when a file is used.
//!
//! The watch is set by us, on the object that we hold, with the asker's own descriptor. So names
//! that change meanwhile change nothing.

use super::memory::{Named, name_of};
use super::{Gatekeeper, Question, Said};
use crate::cage::Cage;
use crate::cage::rules;
use crate::cage::wire::{paths, put_paths};
use crate::wire::{Reader, Writer};
use rustix::fd::{AsFd, AsRawFd};
use rustix::fs::inotify;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::path::{Path, PathBuf};

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

    /// Whether an object of this name can be read, and nothing below it is hidden.
    fn covers(&self, name: &Path) -> bool {
        let nearest = |all: &[PathBuf]| {
            let above = all.iter().filter(|one| name.starts_with(one));
            above.map(|one| one.as_os_str().len()).max()
        };
        let (hidden, shown) = (nearest(&self.hidden), nearest(&self.shown));
        let holds = self.hidden.iter().any(|it| it != name && it.starts_with(name));
        !holds && (shown.is_some() || nearest(&self.roots).is_some()) && hidden <= shown
    }
}

impl Gatekeeper {
    /// A new watch, if what is to be watched may be read.
    pub(super) fn decide_watch(&mut self, question: &Question) -> Said {
        match self.watch(question) {
            Ok(watch) => Said::Value(watch.into()),
            Err(errno) => Said::Refused(errno),
        }
    }

    fn watch(&self, question: &Question) -> Result<i32, Errno> {
        let [fd, path, mask, ..] = question.arguments;
        let mask = inotify::WatchFlags::from_bits_retain(mask as u32);
        let asker = self.asker(question);
        let link = mask.contains(inotify::WatchFlags::DONT_FOLLOW);
        let named = Named { at: libc::AT_FDCWD, path: Some(path), link, empty: false };
        let object = asker.hold(&named)?;
        let ear = Pid::from_raw(asker.leader()?).ok_or(Errno::SRCH)?;
        let ear = pidfd_open(ear, PidfdFlags::empty())?;
        let ear = pidfd_getfd(&ear, fd as i32, PidfdGetfdFlags::empty())?;
        if !self.still_asks(question.id) {
            return Err(Errno::INTR);
        }
        if !self.survey.readable.covers(&name_of(object.as_fd())?) {
            return Err(Errno::ACCESS);
        }
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
