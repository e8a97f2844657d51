//! The lock on the ledger's directory: held for moments, waited for with a bound.

use super::error::Error;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// An append holds the lock for some ten microseconds, so the first pause is about that long.
const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);
/// About ten seconds of waiting: longer than any disk takes for a line, and short enough that a
/// stopped process cannot hang every agent for ever.
const MAX_TRIES: u32 = 10_000;

/// The lock, let go in every case.
pub(super) struct Locked<'a>(&'a File);

impl<'a> Locked<'a> {
    /// For whoever writes.
    pub(super) fn alone(directory: &'a File, path: &Path) -> Result<Self, Error> {
        Self::patiently(directory, path, File::try_lock)
    }

    /// For whoever only looks where the ledger ends.
    pub(super) fn shared(directory: &'a File, path: &Path) -> Result<Self, Error> {
        Self::patiently(directory, path, File::try_lock_shared)
    }

    fn patiently(
        directory: &'a File,
        path: &Path,
        take: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, Error> {
        let mut pause = FIRST_PAUSE;
        for _ in 0..MAX_TRIES {
            match take(directory) {
                Ok(()) => return Ok(Self(directory)),
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(TryLockError::Error(source)) => {
                    return Err(Error::Lock { path: path.to_path_buf(), source });
                }
            }
        }
        let source = io::Error::from(io::ErrorKind::TimedOut);
        Err(Error::Lock { path: path.to_path_buf(), source })
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Closing the directory lets go too, so an error here delays others and nothing more.
        let _ = self.0.unlock();
    }
}
