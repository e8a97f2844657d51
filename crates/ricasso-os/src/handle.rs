//! A hold on a process of ours that somebody may have stopped.
//!
//! A stopped keeper or warden can neither report nor end its tree, and a command of the same user
//! may stop it (`kill -STOP $PPID`). So whoever waits for one continues it every now and then; to
//! a process that runs, that signal means nothing.

use crate::error::{Error, Result};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::sync::Arc;
use std::time::Duration;

/// How long a stopped process of ours may delay a job. One signal a second costs nothing.
pub(crate) const ROUSE: Duration = Duration::from_secs(1);

/// What failed where there are no such holds; every kernel that we run on has them.
const HOLD: &str = "hold a process (pidfd_open)";

/// Names the process itself and not its number, which may be used again. Clones are one hold.
#[derive(Debug, Clone)]
pub(crate) struct Handle(Arc<OwnedFd>);

impl Handle {
    /// A child of this process that was not reaped yet.
    pub(crate) fn of(pid: i32) -> Result<Handle> {
        let number = Pid::from_raw(pid).ok_or(Error::Garbled { what: "process number" })?;
        let fd = pidfd_open(number, PidfdFlags::empty()).map_err(Error::call(HOLD))?;
        Ok(Handle(Arc::new(fd)))
    }

    /// Continues it, if somebody stopped it, and whoever it stands still for, who is of its group.
    pub(crate) fn rouse(&self) {
        const TO_THE_GROUP: libc::c_uint = 1 << 2;
        let (fd, signal) = (self.0.as_raw_fd(), libc::SIGCONT);
        let nothing = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: the descriptor is borrowed, so it stays open during the call; a null siginfo is
        // allowed and means "as if by kill(2)" (pidfd_send_signal(2)).
        let sent = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, fd, signal, nothing, TO_THE_GROUP)
        };
        if sent != 0 {
            // Before Linux 6.9. One that is gone shows it by its socket.
            let _ = pidfd_send_signal(&self.0, Signal::CONT);
        }
    }
}

/// Readable once the process has ended.
impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
