//! What a warden tells its owner.

use crate::cage::{Denied, Told};
use crate::error::{Error, Result};
use crate::tree::Member;
use crate::wire::{Limit, Reader, Stage, Writer};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::Duration;

/// One message of the warden.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// The command runs, under this number. Not told of one that is over at once.
    Started {
        /// The host's number of the command.
        pid: i32,
    },
    /// The command could not be started; nothing of it ran.
    NotStarted {
        /// Where it failed.
        stage: Stage,
        /// The kernel's answer.
        errno: i32,
    },
    /// The command itself ended.
    Ended(Ended),
    /// After a stop: the last process of the tree is gone, but for these.
    Gone {
        /// What the kernel would not let go.
        left: Vec<Member>,
        /// What the whole job used.
        usage: Usage,
    },
    /// The warden itself is gone without a word: it was killed.
    Lost,
}

/// The ending of a command as the kernel told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The host's number of the command.
    pub pid: i32,
    /// The exit code or the signal.
    pub status: Status,
    /// What the whole job used so far.
    pub usage: Usage,
    /// What it had left running.
    pub survivors: Vec<Member>,
    /// Which ceiling made the warden end it.
    pub limit: Option<Limit>,
    /// What the cage denied, as far as it can tell.
    pub denied: Vec<Denied>,
    /// Whether the whole tree is gone. If not, a [`Report::Gone`] follows.
    pub tree_gone: bool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It returned this code.
    Exited(i32),
    /// This signal ended it.
    Signalled {
        /// The signal's number.
        signal: i32,
        /// Whether a core was dumped.
        core: bool,
    },
}

/// Resources of a whole tree, daemons included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time in user mode.
    pub user: Duration,
    /// Time in the kernel.
    pub system: Duration,
    /// The largest resident size of any one process.
    pub max_rss_bytes: u64,
}

impl Report {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Report::Started { pid } => {
                out.number(0);
                out.number(*pid as u64);
            }
            Report::NotStarted { stage, errno } => {
                out.number(1);
                out.number(stage.number());
                out.number(*errno as u64);
            }
            Report::Ended(ended) => {
                out.number(2);
                write_ended(&mut out, ended);
            }
            Report::Gone { left, usage } => {
                out.number(3);
                write_members(&mut out, left);
                write_usage(&mut out, usage);
            }
            Report::Lost => out.number(4),
        }
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Report> {
        read_report(&mut Reader(bytes)).ok_or(Error::Garbled { what: "report" })
    }
}

fn write_ended(out: &mut Writer, ended: &Ended) {
    let (kind, number, core) = match ended.status {
        Status::Exited(code) => (0, code, false),
        Status::Signalled { signal, core } => (1, signal, core),
    };
    out.number(ended.pid as u64);
    out.number(kind);
    out.number(number as u64);
    out.number(u64::from(core));
    write_usage(out, &ended.usage);
    write_members(out, &ended.survivors);
    out.number(ended.limit.map_or(0, |limit| limit.number() + 1));
    out.number(ended.denied.len() as u64);
    for denied in &ended.denied {
        out.bytes(denied.operation.as_bytes());
        out.bytes(denied.target.as_os_str().as_bytes());
        out.bytes(&denied.program);
        out.number(u64::from(denied.told == Told::Always));
    }
    out.number(u64::from(ended.tree_gone));
}

fn write_usage(out: &mut Writer, usage: &Usage) {
    out.number(usage.user.as_micros() as u64);
    out.number(usage.system.as_micros() as u64);
    out.number(usage.max_rss_bytes);
}

fn write_members(out: &mut Writer, members: &[Member]) {
    out.number(members.len() as u64);
    for member in members {
        out.number(member.pid as u64);
        out.bytes(&member.command);
    }
}

fn read_report(from: &mut Reader<'_>) -> Option<Report> {
    match from.number()? {
        0 => Some(Report::Started { pid: from.number()? as i32 }),
        1 => Some(Report::NotStarted {
            stage: Stage::from_number(from.number()?)?,
            errno: from.number()? as i32,
        }),
        2 => read_ended(from).map(Report::Ended),
        3 => Some(Report::Gone { left: read_members(from)?, usage: read_usage(from)? }),
        4 => Some(Report::Lost),
        _ => None,
    }
}

fn read_ended(from: &mut Reader<'_>) -> Option<Ended> {
    let pid = from.number()? as i32;
    let kind = from.number()?;
    let number = from.number()? as i32;
    let core = from.number()? == 1;
    let status = match kind {
        0 => Status::Exited(number),
        1 => Status::Signalled { signal: number, core },
        _ => return None,
    };
    let usage = read_usage(from)?;
    let survivors = read_members(from)?;
    let limit = match from.number()? {
        0 => None,
        number => Some(Limit::from_number(number - 1)?),
    };
    let denied = read_denied(from)?;
    Some(Ended { pid, status, usage, survivors, limit, denied, tree_gone: from.number()? == 1 })
}

fn read_denied(from: &mut Reader<'_>) -> Option<Vec<Denied>> {
    let count = from.number()?;
    if count > from.0.len() as u64 {
        return None;
    }
    let one = |_| {
        let operation = String::from_utf8(from.bytes()?.to_vec()).ok()?;
        let target = std::ffi::OsString::from_vec(from.bytes()?.to_vec());
        let program = from.bytes()?.to_vec();
        let told = if from.number()? == 1 { Told::Always } else { Told::WhereFailed };
        Some(Denied { operation, target: target.into(), program, told })
    };
    (0..count).map(one).collect()
}

fn read_usage(from: &mut Reader<'_>) -> Option<Usage> {
    Some(Usage {
        user: Duration::from_micros(from.number()?),
        system: Duration::from_micros(from.number()?),
        max_rss_bytes: from.number()?,
    })
}

fn read_members(from: &mut Reader<'_>) -> Option<Vec<Member>> {
    let count = from.number()?;
    if count > from.0.len() as u64 {
        return None;
    }
    let one = |_| Some(Member { pid: from.number()? as i32, command: from.bytes()?.to_vec() });
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_comes_back_as_it_was() {
        let member = Member { pid: 7, command: b"sleep 9".to_vec() };
        let usage = Usage {
            user: Duration::from_micros(3),
            system: Duration::from_micros(4),
            max_rss_bytes: 5,
        };
        let denied = |told| Denied {
            operation: "create".into(),
            target: "/x".into(),
            program: b"touch\xff".to_vec(),
            told,
        };
        let ended = |status, limit| {
            Report::Ended(Ended {
                pid: 4711,
                status,
                usage,
                survivors: vec![member.clone()],
                limit,
                denied: [Told::Always, Told::WhereFailed].map(denied).to_vec(),
                tree_gone: false,
            })
        };
        let all = [
            Report::Started { pid: 4711 },
            Report::NotStarted { stage: Stage::Directory, errno: 2 },
            ended(Status::Exited(255), None),
            ended(Status::Signalled { signal: 11, core: true }, Some(Limit::Processes)),
            Report::Gone { left: vec![member.clone()], usage },
            Report::Lost,
        ];
        for report in all {
            let bytes = report.encode();
            assert_eq!(Report::decode(&bytes).unwrap(), report);
            for length in 0..bytes.len() {
                assert!(Report::decode(&bytes[..length]).is_err(), "{report:?} cut at {length}");
            }
        }
    }
}
