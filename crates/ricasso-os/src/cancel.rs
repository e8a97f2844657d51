//! A bell that ends a run: rung by any thread, or by the signals of a person at a terminal.

use crate::error::{Error, Result};
use crate::ready::ready;
use crate::signals;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Why a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// Somebody called [`Cancel::ring`].
    Asked,
    /// This signal arrived (SIGINT, SIGTERM or SIGHUP).
    Signal(i32),
}

/// Goes in with a request, so that no cancel is lost between judge and start. Clones are one bell.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bell: OwnedFd,
    /// 0: silent; -1: asked; else the signal's number.
    why: AtomicI32,
    signals: Option<OwnedFd>,
}

impl Cancel {
    /// A bell that only [`Cancel::ring`] rings.
    pub fn new() -> Result<Cancel> {
        Cancel::with_signals(None)
    }

    /// A bell that SIGINT, SIGTERM and SIGHUP ring too. For programs of our own: it blocks these
    /// signals in the calling thread, so it belongs at the start of a main without threads. One
    /// that our caller ignores (`nohup`, a background job of a script) stays ignored: a blocked
    /// signal would reach the descriptor all the same.
    pub fn on_signals() -> Result<Cancel> {
        let mut set = vec![libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        set.retain(|signal| !signals::is_ignored(*signal));
        let fd = signals::block_and_listen(&set)?;
        Cancel::with_signals(Some(fd))
    }

    fn with_signals(signals: Option<OwnedFd>) -> Result<Cancel> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(Error::call("make an event descriptor"))?;
        Ok(Cancel(Arc::new(Inner { bell, why: AtomicI32::new(0), signals })))
    }

    /// Rings: the run that holds this bell ends as cancelled. Rings once, stays rung.
    pub fn ring(&self) {
        self.note(-1);
    }

    /// Why it rang, if it did.
    pub fn rung(&self) -> Option<Cancelled> {
        match self.0.why.load(Ordering::Acquire) {
            0 => None,
            -1 => Some(Cancelled::Asked),
            signal => Some(Cancelled::Signal(signal)),
        }
    }

    /// Waits until it is rung, by a caller or by a signal.
    pub fn wait(&self) -> Result<Cancelled> {
        loop {
            if let Some(why) = self.rung() {
                return Ok(why);
            }
            if ready([Some(self.as_fd()), self.signal_fd()], None)?[1] {
                self.take_signal();
            }
        }
    }

    /// Takes a signal that arrived. `Some` for each one, so that a second Ctrl+C can be told.
    pub fn take_signal(&self) -> Option<i32> {
        let signal = signals::take(self.0.signals.as_ref()?)?;
        self.note(signal);
        Some(signal)
    }

    /// The descriptor that becomes readable when a signal arrives, where signals are listened to.
    pub fn signal_fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.signals.as_ref().map(AsFd::as_fd)
    }

    fn note(&self, why: i32) {
        let first = self.0.why.compare_exchange(0, why, Ordering::AcqRel, Ordering::Acquire);
        if first.is_ok() {
            // A counter of 1 cannot overflow, so this write has no way to fail but a closed
            // descriptor, and ours is open as long as the bell lives.
            let _ = rustix::io::write(&self.0.bell, &1u64.to_ne_bytes());
        }
    }
}

impl AsFd for Cancel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.bell.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    #[test]
    fn ringing_is_seen_by_every_clone_and_stays() {
        let bell = Cancel::new().unwrap();
        let other = bell.clone();
        assert_eq!(other.rung(), None);
        bell.ring();
        bell.ring();
        assert_eq!(other.rung(), Some(Cancelled::Asked));
        let mut fds = [PollFd::new(&other, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&Timespec::default())).unwrap(), 1);
    }
}
