//! What the process of a command tells its warden on the way to its exec, and how that is heard.

use crate::after_fork::leave;
use crate::cage::{self, Cage, Survey};
use crate::channel::Channel;
use crate::wire::{Ceilings, Leaves, Order, Reader, Stage, Writer};
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// What the child tells its warden before it executes: the parts of the order that are the
/// warden's business, and then, if it comes to that, where the start failed.
#[derive(Debug, Default)]
pub(crate) struct Note {
    /// Whether it tells of the order. A command that waited for it begins before that is told.
    pub(crate) ordered: bool,
    pub(crate) ceilings: Ceilings,
    pub(crate) litter: Vec<PathBuf>,
    pub(crate) more: bool,
    pub(crate) leaves: Leaves,
    pub(crate) failed: Option<(Stage, i32)>,
    /// Whether the order is left to another process.
    pub(crate) back: bool,
    /// The first process of the command's pid namespace, where there is one.
    pub(crate) first: Option<i32>,
    /// The command, where it is not the warden's own child.
    pub(crate) command: Option<i32>,
    /// Where the first process tells how the command ended.
    pub(crate) status: Option<OwnedFd>,
    /// Where the questions of a caged command arrive, and what answers them.
    pub(crate) listener: Option<OwnedFd>,
    pub(crate) asks: Option<Asks>,
    /// What is known of the view that the command may stand in.
    pub(crate) known: Option<Rc<Survey>>,
}

/// What the answers to a caged command's questions depend on.
#[derive(Debug)]
pub(crate) struct Asks {
    pub(crate) about: About,
    /// The PATH of the command.
    pub(crate) path: Vec<u8>,
    /// Its variables by which a loader takes in libraries.
    pub(crate) loading: Vec<Vec<u8>>,
}

/// The cage that they are about.
#[derive(Debug)]
pub(crate) enum About {
    /// One of which nothing else is known.
    Cage(Arc<Cage>),
    /// One that was looked at ahead.
    Known(Rc<Survey>),
}

impl Asks {
    /// Those of an order, where its command's filter asks, and what is known of its cage.
    pub(crate) fn of(order: &Order, known: Option<&Rc<Survey>>) -> Option<Asks> {
        let cage = order.cage.as_ref().filter(|cage| cage.asks())?;
        let about = match known {
            Some(known) => About::Known(known.clone()),
            None => About::Cage(cage.clone()),
        };
        let loading = order.env.iter().filter(|entry| cage::loads(entry)).cloned().collect();
        Some(Asks { about, path: order.path().unwrap_or_default().to_vec(), loading })
    }
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    /// In the view that its warden knows, or will.
    View,
    /// Somewhere else.
    Elsewhere,
}

/// What an order says of questions.
const NO_QUESTIONS: u64 = 0;
const CAGE_FOLLOWS: u64 = 1;
const CAGE_OF_THE_VIEW: u64 = 2;

/// One message of the child to its warden.
pub(crate) enum Tidings<'a> {
    /// The order has arrived; this is the warden's part of it.
    Order(&'a Order, Seat),
    /// The first process of the namespace has this number.
    First(i32),
    /// The command's process is confined and executes now.
    Ready,
    /// The command was executed, or failed to be; the descriptor of its questions comes along, if
    /// it asks any, and a hold on it, if there can be one.
    Begun {
        /// Whether it asks.
        asks: bool,
    },
    /// It came to nothing.
    Failed(Stage, Errno),
    /// The order is for somebody else, and was not taken.
    Back,
}

impl Tidings<'_> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Tidings::Order(order, seat) => {
                out.number(0);
                out.ceilings(&order.ceilings);
                out.number(u64::from(order.more));
                out.number(u64::from(order.leaves == Leaves::Adopted));
                out.number(order.litter.len() as u64);
                order.litter.iter().for_each(|path| out.bytes(path.as_os_str().as_bytes()));
                let asking = order.cage.as_ref().filter(|cage| cage.asks());
                out.number(match (asking, seat) {
                    (None, _) => NO_QUESTIONS,
                    (Some(_), Seat::Elsewhere) => CAGE_FOLLOWS,
                    (Some(_), Seat::View) => CAGE_OF_THE_VIEW,
                });
                if let Some(cage) = asking {
                    match seat {
                        Seat::Elsewhere => cage.encode(&mut out),
                        Seat::View => {}
                    }
                    out.bytes(order.path().unwrap_or_default());
                    let loading = order.env.iter().filter(|entry| cage::loads(entry));
                    let loading: Vec<&[u8]> = loading.map(Vec::as_slice).collect();
                    out.list(loading.into_iter());
                }
            }
            Tidings::First(pid) => {
                out.number(1);
                out.number(*pid as u64);
            }
            Tidings::Ready => out.number(2),
            Tidings::Failed(stage, errno) => {
                out.number(3);
                out.number(stage.number());
                out.number(errno.raw_os_error() as u64);
            }
            Tidings::Begun { asks } => {
                out.number(4);
                out.number(u64::from(*asks));
            }
            Tidings::Back => out.number(5),
        }
        out.0
    }
}

impl Note {
    /// Whether all is told that a command in namespaces is watched by.
    pub(crate) fn says_enough(&self) -> bool {
        let answered = self.asks.is_none() || self.listener.is_some() || self.failed.is_some();
        self.ordered && answered
    }

    /// Takes in one message; `None` where it does not decode.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        mut fds: Vec<OwnedFd>,
        sender: Option<i32>,
    ) -> Option<()> {
        use std::os::unix::ffi::OsStringExt;
        let mut from = Reader(bytes);
        match from.number()? {
            0 => {
                self.ceilings = from.ceilings()?;
                self.more = from.number()? == 1;
                self.leaves = from.leaves()?;
                for _ in 0..from.number()? {
                    let path = std::ffi::OsString::from_vec(from.bytes()?.to_vec());
                    self.litter.push(path.into());
                }
                let about = match from.number()? {
                    NO_QUESTIONS => None,
                    CAGE_FOLLOWS => Some(About::Cage(Arc::new(Cage::decode(&mut from)?))),
                    CAGE_OF_THE_VIEW => Some(About::Known(self.known.clone()?)),
                    _ => return None,
                };
                if let Some(about) = about {
                    let path = from.bytes()?.to_vec();
                    self.asks = Some(Asks { about, path, loading: from.list()? });
                }
                self.status = fds.pop();
                self.ordered = true;
            }
            1 => self.first = Some(i32::try_from(from.number()?).ok()?),
            2 => {
                self.command = sender;
                self.listener = fds.pop();
            }
            3 => {
                let stage = Stage::from_number(from.number()?)?;
                self.failed = Some((stage, i32::try_from(from.number()?).ok()?));
            }
            4 => {
                let mut fds = fds.into_iter();
                self.listener = if from.number()? == 1 { fds.next() } else { None };
                self.command = fds.next().and_then(|hold| number_of(&hold));
            }
            5 => self.back = true,
            _ => return None,
        }
        Some(())
    }
}

/// The number, as this process counts, of the one that is held.
fn number_of(hold: &OwnedFd) -> Option<i32> {
    let about = std::fs::read(format!("/proc/self/fdinfo/{}", hold.as_raw_fd())).ok()?;
    let about = about.split(|byte| *byte == b'\n');
    let number = about.filter_map(|line| line.strip_prefix(b"Pid:")).next()?;
    let number: i32 = std::str::from_utf8(number).ok()?.trim().parse().ok()?;
    // One that is gone has none.
    (number > 0).then_some(number)
}

/// A warden that is gone, and with it everybody who could be told, ends this process too. One that
/// is there is told what went wrong: else the end of this process would pass for the command's.
pub(crate) fn tell(note: &Channel, word: &Tidings<'_>, fds: &[BorrowedFd<'_>]) {
    let sent = match word {
        Tidings::Ready => note.send_signed(&word.encode(), fds),
        Tidings::Order(..)
        | Tidings::First(_)
        | Tidings::Begun { .. }
        | Tidings::Failed(..)
        | Tidings::Back => note.send(&word.encode(), fds),
    };
    if let Err(error) = sent {
        let failed = Tidings::Failed(Stage::Prepare, error.as_errno());
        let _ = note.send(&failed.encode(), &[]);
        leave();
    }
}
