//! What this machine can build cages from, found out by trying.

use super::{confine, landlock, raw, trial};
use crate::error::{Error, Result};
use crate::group::Grouping;
use crate::wire::{Reader, Writer};
use rustix::io::Errno;

/// Where the namespaces of a cage come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Namespaces {
    /// There are none.
    #[default]
    None,
    /// A user namespace owns them.
    User,
    /// We are root and need no user namespace.
    Root,
}

impl Namespaces {
    /// The word for it in a report.
    pub fn name(self) -> &'static str {
        match self {
            Namespaces::None => "none",
            Namespaces::User => "user",
            Namespaces::Root => "root",
        }
    }
}

/// The mechanisms of this machine. A weaker value makes weaker cages, or refusals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Powers {
    /// The version of Landlock; 0 for none.
    pub landlock: u32,
    /// Mount, pid and IPC namespaces, with a /proc of their own.
    pub namespaces: Namespaces,
    /// Network namespaces.
    pub netns: bool,
    /// Filters of system calls.
    pub seccomp: bool,
    /// Filters whose questions another process answers.
    pub notify: bool,
    /// Memory that was written never becomes code, where that is wanted.
    pub made_code: bool,
    /// Groups of processes with limits.
    pub groups: Grouping,
}

impl Powers {
    /// Tries everything but the network. The caller has one thread.
    pub(crate) fn probe() -> Result<Powers> {
        Ok(Powers {
            landlock: landlock::version(),
            namespaces: best_namespaces()?,
            netns: false,
            seccomp: has_action(ALLOW),
            notify: has_action(ASK),
            made_code: confine::can_refuse_made_code(),
            groups: Grouping::probe(),
        })
    }

    /// Whether Landlock alone, without mounts, holds writing and truncating, and keeps signals
    /// inside.
    pub fn holds_files_alone(&self) -> bool {
        self.seccomp
            && self.notify
            && self.landlock >= landlock::TRUNCATE_HELD
            && self.landlock >= landlock::SIGNALS_HELD
    }

    /// Whether a command gets mount, pid and IPC namespaces of its own.
    pub fn has_namespaces(&self) -> bool {
        match self.namespaces {
            Namespaces::None => false,
            Namespaces::User | Namespaces::Root => true,
        }
    }

    /// Whether unix sockets can be told apart by their path.
    pub fn tells_sockets_apart(&self) -> bool {
        self.landlock >= landlock::UNIX_BY_PATH
    }

    /// What a keeper says where it was asked.
    pub(crate) fn answer(powers: &Result<Powers>) -> Vec<u8> {
        match powers {
            Ok(powers) => powers.encode(),
            Err(error) => error.errno().to_le_bytes().to_vec(),
        }
    }

    /// What it said.
    pub(crate) fn heard(answer: &[u8]) -> Result<Powers> {
        match <[u8; 4]>::try_from(answer) {
            Ok(errno) => Err(untried(std::io::Error::from_raw_os_error(i32::from_le_bytes(errno)))),
            Err(_) => Powers::decode(answer).ok_or(Error::Garbled { what: "powers" }),
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.number(u64::from(self.landlock));
        out.number(self.namespaces.number());
        out.number(u64::from(self.netns));
        out.number(u64::from(self.seccomp));
        out.number(u64::from(self.notify));
        out.number(u64::from(self.made_code));
        out.number(self.groups.number());
        out.0
    }

    fn decode(bytes: &[u8]) -> Option<Powers> {
        let mut from = Reader(bytes);
        Some(Powers {
            landlock: u32::try_from(from.number()?).ok()?,
            namespaces: Namespaces::from_number(from.number()?)?,
            netns: from.number()? == 1,
            seccomp: from.number()? == 1,
            notify: from.number()? == 1,
            made_code: from.number()? == 1,
            groups: Grouping::from_number(from.number()?)?,
        })
    }
}

/// The best kind that works here.
fn best_namespaces() -> Result<Namespaces> {
    let root = rustix::process::geteuid().is_root();
    let candidates: &[Namespaces] =
        if root { &[Namespaces::Root, Namespaces::User] } else { &[Namespaces::User] };
    for kind in candidates {
        match trial::rehearse(*kind) {
            Ok(()) => return Ok(*kind),
            // Too little is left to try it, which says nothing of the machine: whoever took that
            // for a no would build a weaker cage than could be had.
            Err(errno @ (Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE)) => {
                return Err(untried(errno.into()));
            }
            Err(_) => {}
        }
    }
    Ok(Namespaces::None)
}

fn untried(source: std::io::Error) -> Error {
    Error::Call { what: "find out what a cage can be built from", source }
}

const ALLOW: u32 = 0x7fff_0000;
const ASK: u32 = 0x7fc0_0000;

fn has_action(action: u32) -> bool {
    const GET_ACTION_AVAILABLE: libc::c_uint = 2;
    // SAFETY: the call reads one number, which outlives it (seccomp(2)).
    let answer =
        unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAILABLE, 0, &raw const action) };
    raw::answer(answer).is_ok()
}
