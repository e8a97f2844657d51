//! Answers questions of a caged command: changes of mode, owner, times and attributes where no
//! mount holds them, names that are protected, files mapped as code, and what reaches out.
//!
//! A change is ours: the object is taken hold of first, then looked at, and then acted on by that
//! hold, and whatever the command does to names in between changes nothing. What cannot be
//! understood is refused.

mod act;
mod births;
mod calls;
mod code;
mod listing;
mod made;
mod memory;
mod reach;
mod shut;
mod survey;
mod talkers;
mod upkeep;
mod walk;
mod watches;

use super::Cage;
use super::capability::{Bounds, Reserve, drop_all_but};
use super::filter::{FCHMODAT2, METADATA};
use super::mounts::existing;
use super::programs::Listed;
use super::raw;
use super::rules::kept_places;
use crate::error::{Error, Result};
use crate::note::{About, Asks};
pub(crate) use code::loads;
use made::Made;
use memory::Asker;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;
pub(crate) use survey::Survey;

/// `struct seccomp_notif`: 80 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Question {
    id: u64,
    pid: u32,
    flags: u32,
    call: i32,
    arch: u32,
    at: u64,
    arguments: [u64; 6],
}

/// `struct seccomp_notif_resp`: 24 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const IS_VALID: libc::c_ulong = 0x4008_2102;
const SET_FLAGS: libc::c_ulong = 0x4008_2104;
/// Asker and warden take turns on one core, and none of them waits for another one to wake up (from
/// Linux 6.6 on).
const TAKE_TURNS: libc::c_ulong = 1;
/// The call goes on as if there were no filter, with whatever its names mean by then.
const GO_ON: u32 = 1;

/// Denials that are told; an agent learns from the first ones.
const MOST_DENIED: usize = 32;

/// Answers the questions of one command and all below it.
#[derive(Debug)]
pub(crate) struct Gatekeeper {
    listener: OwnedFd,
    survey: Rc<Survey>,
    listed: Option<Listed>,
    /// Variables of the plan itself by which a loader takes in libraries.
    loading: Vec<Vec<u8>>,
    /// By the clock that file systems use.
    began: SystemTime,
    /// Repositories at the roots that were there before the command.
    old: Vec<PathBuf>,
    denied: Vec<Denied>,
    /// Whether some process of the command could be looked into.
    sees: bool,
    /// Protected files at the roots that have other names, by device and number: found out when
    /// some file with several names is written, which is rare.
    twins: OnceCell<BTreeSet<(u64, u64)>>,
    /// Directories that the command made, for file systems that do not tell.
    made: Made,
}

/// Something that the cage denied, as far as it can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// What was tried.
    pub operation: String,
    /// On what.
    pub target: PathBuf,
    /// What the process that tried it is called; empty where that could not be seen.
    pub program: Vec<u8>,
    /// Whether it is worth a word.
    pub told: Told,
}

/// When a denial is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// Where the command failed, or may have: else the program lived without it.
    WhereFailed,
    /// In every case.
    Always,
}

/// What is said to a question.
enum Said {
    Done,
    Value(i64),
    Refused(Errno),
    GoOn,
}

impl Gatekeeper {
    /// From now on this process, which is the command's warden, answers. It gives up every
    /// capability first: what it does for the command must need none.
    pub(crate) fn new(
        listener: OwnedFd,
        asks: Asks,
        (reserve, bounds): (Reserve, Bounds),
    ) -> Result<Gatekeeper> {
        drop_all_but(reserve, bounds).map_err(Error::call("give up capabilities"))?;
        let Asks { about, path, loading } = asks;
        let (survey, listed) = match about {
            About::Known(survey) => (survey, None),
            About::Cage(cage) => {
                let listed = cage.programs.as_ref().map(|list| {
                    let cage = Cage { write: existing(&cage.write), ..(*cage).clone() };
                    Listed::find(list, &path, &kept_places(&cage))
                        .map_err(Error::call("find the listed programs"))
                });
                (Rc::new(Survey::of(&cage)), listed.transpose()?)
            }
        };
        // SAFETY: the request takes a number and no memory. An older kernel does not know it, and
        // is slower.
        let _ = unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS as _, TAKE_TURNS) };
        let repositories = survey.places.iter().map(|place| place.join(".git"));
        let old = repositories.filter(|path| path.symlink_metadata().is_ok()).collect();
        let (began, denied) = (births::now(), Vec::new());
        let (sees, twins, made) = (false, OnceCell::new(), Made::default());
        Ok(Gatekeeper { listener, survey, listed, loading, began, old, denied, sees, twins, made })
    }

    /// Answers one question, if there is one.
    pub(crate) fn answer(&mut self) -> Result<()> {
        let mut question = Question::default();
        let listener = self.listener.as_raw_fd();
        let ask = |request, with: *mut libc::c_void| {
            // SAFETY: each request is made with a whole value of its own kind that outlives the
            // call (seccomp_unotify(2)).
            raw::answer(unsafe { libc::ioctl(listener, request as _, with) }.into())
        };
        match ask(RECEIVE, (&raw mut question).cast()) {
            Ok(_) => {}
            // The asker was killed while it asked.
            Err(Errno::NOENT | Errno::INTR | Errno::AGAIN) => return Ok(()),
            Err(errno) => return Err(Error::call("hear a question of the command")(errno)),
        }
        let mut answer = Answer { id: question.id, ..Answer::default() };
        match self.decide(&question) {
            Said::Done => {}
            Said::Value(value) => answer.value = value,
            Said::Refused(errno) => answer.error = -errno.raw_os_error(),
            Said::GoOn => answer.flags = GO_ON,
        }
        // An asker that is gone needs no answer.
        let _ = ask(SEND, (&raw mut answer).cast());
        Ok(())
    }

    /// What the cage denied so far.
    pub(crate) fn take_denied(&mut self) -> Vec<Denied> {
        std::mem::take(&mut self.denied)
    }

    fn note(&mut self, question: &Question, operation: &str, target: &Path) {
        self.note_as(question, operation, target, Told::Always);
    }

    fn note_as(&mut self, question: &Question, operation: &str, target: &Path, told: Told) {
        let is_same = |it: &Denied| it.operation == operation && it.target == target;
        // What reaches out has a bound of its own, and takes nobody's place.
        let noted = self.denied.len() - self.reached();
        if noted >= MOST_DENIED || self.denied.iter().any(is_same) {
            return;
        }
        let program = self.asker(question).program();
        let (operation, target) = (operation.into(), target.to_path_buf());
        self.denied.push(Denied { operation, target, program, told });
    }

    fn decide(&mut self, question: &Question) -> Said {
        let call = libc::c_long::from(question.call);
        match call {
            libc::SYS_mmap => return self.decide_code(question),
            libc::SYS_set_tid_address => return self.decide_start(question),
            libc::SYS_inotify_add_watch => return self.decide_watch(question),
            libc::SYS_socket => return self.decide_socket(question),
            libc::SYS_connect => return self.decide_connect(question),
            libc::SYS_ptrace => return self.decide_trace(question),
            libc::SYS_openat => return self.decide_opening(question),
            _ => {}
        }
        // Where there are mounts, they hold whatever lies outside.
        if !METADATA.contains(&call) || !self.survey.alone {
            return self.decide_names(question);
        }
        match self.change(question) {
            Ok(()) => Said::Done,
            Err(errno) => Said::Refused(errno),
        }
    }

    fn asker(&self, question: &Question) -> Asker {
        Asker { pid: question.pid as i32, among_others: self.survey.alone }
    }

    fn change(&mut self, question: &Question) -> std::result::Result<(), Errno> {
        let asker = self.asker(question);
        let named = act::named(question.call.into(), &question.arguments);
        let object = asker.hold(&named)?;
        if !self.still_asks(question.id) {
            return Err(Errno::INTR);
        }
        if !self.may_change(&asker, object.as_fd())? {
            if let Ok(name) = memory::name_of(object.as_fd())
                && !births::is_in_memory(&name)
            {
                self.note(question, "metadata", &name);
            }
            return Err(Errno::ROFS);
        }
        if births::lends_its_group(question) && !is_directory(object.as_fd())? {
            return Err(Errno::PERM);
        }
        act::change(&asker, question.call.into(), &question.arguments, object.as_fd())
    }

    /// The asker's number cannot have been given to somebody else while its question stands.
    fn still_asks(&self, id: u64) -> bool {
        let mut id = id;
        // SAFETY: the request takes the number of a question, which outlives the call.
        let done = unsafe { libc::ioctl(self.listener.as_raw_fd(), IS_VALID as _, &raw mut id) };
        done == 0
    }

    /// Whether the object itself, whatever it was called, lies where the command may write.
    fn may_change(
        &self,
        asker: &Asker,
        object: BorrowedFd<'_>,
    ) -> std::result::Result<bool, Errno> {
        let name = memory::name_of(object)?;
        // Pipes and sockets have no place, and nothing of the machine is changed by them.
        if !name.is_absolute() {
            return Ok(true);
        }
        let is_inside = self.survey.places.iter().any(|place| name.starts_with(place));
        Ok(is_inside && !self.is_unmasked(&name) && !self.is_shut_to_writers(asker, &name))
    }
}

impl Gatekeeper {
    /// Whether it is hidden inside a root, where no mount lies over it.
    fn is_unmasked(&self, path: &Path) -> bool {
        let below = |all: &[PathBuf]| all.iter().any(|one| path.starts_with(one));
        below(&self.survey.unmasked) && !below(&self.survey.shown)
    }
}

fn is_directory(object: BorrowedFd<'_>) -> std::result::Result<bool, Errno> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(object)?.st_mode).is_dir())
}

impl AsFd for Gatekeeper {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_and_we_agree_on_sizes() {
        assert_eq!(size_of::<Question>(), 80);
        assert_eq!(size_of::<Answer>(), 24);
        assert_eq!(FCHMODAT2, 452);
    }
}
