//! What a warden listens to, all at once.

use super::serve::Post;
use crate::error::{Error, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// What woke the warden.
#[derive(Default)]
pub(super) struct Woken {
    pub(super) deserted: bool,
    pub(super) child: bool,
    pub(super) word: bool,
    pub(super) note: bool,
    pub(super) status: bool,
    pub(super) question: bool,
    /// Nobody is left who could ask.
    pub(super) silent: bool,
}

/// What else the warden listens to, beside owner, keeper and children.
#[derive(Default, Clone, Copy)]
pub(super) struct Ears<'a> {
    pub(super) note: Option<BorrowedFd<'a>>,
    /// Only the end of a note: nobody needs to be woken for what it says before.
    pub(super) end: Option<BorrowedFd<'a>>,
    pub(super) status: Option<&'a OwnedFd>,
    /// Where questions arrive.
    pub(super) gate: Option<BorrowedFd<'a>>,
}

impl Post {
    /// Waits for one of them, or no longer than this.
    pub(super) fn wait(
        &self,
        ears: Ears<'_>,
        job: PollFlags,
        patience: Option<Duration>,
    ) -> Result<Woken> {
        let mut fds = vec![PollFd::new(&self.job, job), PollFd::new(&self.children, PollFlags::IN)];
        let lifeline = also(&mut fds, self.lifeline.as_ref().map(AsFd::as_fd));
        let note = also(&mut fds, ears.note);
        let end = ears.end.map(|end| {
            fds.push(PollFd::from_borrowed_fd(end, PollFlags::empty()));
            fds.len() - 1
        });
        let status = also(&mut fds, ears.status.map(AsFd::as_fd));
        let question = also(&mut fds, ears.gate);
        let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
        match poll(&mut fds, patience.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(Error::call("wait for the job")(errno)),
        }
        let fired = |at: Option<usize>| at.is_some_and(|at| !fds[at].revents().is_empty());
        let asked = question.is_some_and(|at| fds[at].revents().contains(PollFlags::IN));
        let unasked = !asked && fired(question);
        let hung_up = fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR);
        Ok(Woken {
            deserted: hung_up || fired(lifeline),
            child: !fds[1].revents().is_empty(),
            word: fds[0].revents().contains(PollFlags::IN),
            note: fired(note) || fired(end),
            status: fired(status),
            question: asked,
            silent: unasked,
        })
    }
}

/// One more descriptor to wait for, and its place in the list.
fn also<'a>(fds: &mut Vec<PollFd<'a>>, fd: Option<BorrowedFd<'a>>) -> Option<usize> {
    fds.push(PollFd::from_borrowed_fd(fd?, PollFlags::IN));
    Some(fds.len() - 1)
}
