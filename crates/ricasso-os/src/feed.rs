//! The owner's end of a job's standard input, where it is fed while the job runs.

use crate::error::{Error, Result};
use crate::ready::writable;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::termios::{LocalModes, tcgetattr};
use std::time::{Duration, Instant};

/// A pipe takes this much without waiting when it says that it is writable.
const PIECE_BYTES: usize = 4096;

/// Writes into a job's pipe or terminal. Dropping the only one of a pipe is its end-of-file.
#[derive(Debug)]
pub struct Feeder(OwnedFd);

impl Feeder {
    /// A descriptor that does not block.
    pub(crate) fn new(fd: OwnedFd) -> Feeder {
        Feeder(fd)
    }

    /// Writes as much as is taken within the patience, or until `stop` becomes readable. Tells how
    /// many bytes that were; a job that reads no more is told by [`Error::Gone`].
    pub fn feed(
        &self,
        bytes: &[u8],
        stop: Option<BorrowedFd<'_>>,
        patience: Duration,
    ) -> Result<usize> {
        let until = Instant::now() + patience;
        let mut fed = 0;
        while fed < bytes.len() {
            let end = bytes.len().min(fed + PIECE_BYTES);
            match rustix::io::write(&self.0, &bytes[fed..end]) {
                Ok(count) => fed += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let left = until.saturating_duration_since(Instant::now());
                    let [_, stopped] = writable(self.0.as_fd(), stop, Some(left))?;
                    if left.is_zero() || stopped {
                        break;
                    }
                }
                Err(Errno::PIPE | Errno::IO) if fed > 0 => break,
                Err(Errno::PIPE | Errno::IO) => {
                    return Err(Error::Gone { who: "reader of the job's input" });
                }
                Err(errno) => return Err(Error::call("feed the job")(errno)),
            }
        }
        Ok(fed)
    }

    /// Whether somebody who types would see it; nothing for a pipe. A terminal that reads single
    /// keys shows what it likes, and counts as one that echoes.
    pub fn echoes(&self) -> Option<bool> {
        let modes = tcgetattr(&self.0).ok()?.local_modes;
        Some(modes.contains(LocalModes::ECHO) || !modes.contains(LocalModes::ICANON))
    }

    /// Bytes that a pipe holds and nobody has read yet.
    pub fn unread_bytes(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.0).unwrap_or(0)
    }
}
