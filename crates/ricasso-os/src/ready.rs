//! Waiting on descriptors, for code that must not hold `unsafe` or know about poll(2).

use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;
use std::time::Duration;

/// Waits until one of the descriptors is readable, closed, or the patience is over. Tells for each
/// descriptor whether there is something to do; none at all when the time is up.
pub fn ready<const N: usize>(
    fds: [Option<BorrowedFd<'_>>; N],
    patience: Option<Duration>,
) -> Result<[bool; N]> {
    let mut polled: Vec<PollFd<'_>> =
        fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match poll(&mut polled, patience.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(errno) => return Err(Error::call("wait for a job")(errno)),
    }
    let mut answers = polled.iter().map(|fd| !fd.revents().is_empty());
    Ok(fds.map(|fd| fd.is_some() && answers.next().unwrap_or(false)))
}

/// Waits until `fd` takes bytes or has nobody behind it any more, until `also` is readable, or
/// until the patience is over. Tells for both whether there is something to do.
pub fn writable(
    fd: BorrowedFd<'_>,
    also: Option<BorrowedFd<'_>>,
    patience: Option<Duration>,
) -> Result<[bool; 2]> {
    let mut polled = vec![PollFd::from_borrowed_fd(fd, PollFlags::OUT)];
    polled.extend(also.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    match poll(&mut polled, patience.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(errno) => return Err(Error::call("wait for a reader")(errno)),
    }
    let mut answers = polled.iter().map(|fd| !fd.revents().is_empty());
    Ok([answers.next().unwrap_or(false), answers.next().unwrap_or(false)])
}
