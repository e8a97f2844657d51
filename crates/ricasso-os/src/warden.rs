//! One warden for each job: the owner's handle on it. The warden's own side is in `serve`.

mod birth;
mod cradle;
mod ears;
mod report;
pub(crate) mod serve;
mod start;

use crate::cage::{Ahead, Ready};
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::wire::{Enclosed, Order, Word};
use rustix::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

pub use report::{Ended, Report, Status, Usage};

/// For a keeper: makes what all its wardens will have from it.
pub(crate) fn make_ahead() {
    cradle::nothing();
}

/// The owner's end of a warden. Dropping it ends the job's whole tree.
#[derive(Debug)]
pub struct Warden {
    job: Channel,
    /// The warden itself, or the keeper, which sees to its wardens.
    handle: Handle,
    ahead: Arc<Ahead>,
}

impl Warden {
    /// How often [`Warden::rouse`] is due.
    pub const ROUSE: Duration = crate::handle::ROUSE;

    pub(crate) fn new(job: Channel, handle: Handle, ahead: Arc<Ahead>) -> Warden {
        Warden { job, handle, ahead }
    }

    /// Continues a warden that somebody stopped. Means nothing to one that runs.
    pub fn rouse(&self) {
        self.handle.rouse();
    }

    /// Hands over one order with the child's ends of its three streams, and where it keeps its
    /// state the descriptor for it.
    pub fn start(
        &self,
        order: &Order,
        streams: [BorrowedFd<'_>; 3],
        state: Option<BorrowedFd<'_>>,
    ) -> Result<()> {
        let cage = order.cage.as_ref().map(|cage| self.ahead.settler.settle(cage)).transpose();
        let cage = cage.map_err(Error::call("follow the granted paths of the policy"))?;
        let ready = cage.as_ref().map(|cage| self.ahead.take(cage));
        let Ready { rules, view } = ready.unwrap_or_default();
        let fds = streams.into_iter().chain(state).chain(rules.as_ref().map(AsFd::as_fd));
        let fds: Vec<BorrowedFd<'_>> = fds.collect();
        let with =
            Enclosed { cage: cage.is_some(), state: state.is_some(), rules: rules.is_some(), view };
        self.job.send(&with.seal(order, cage.as_deref()), &fds).map_err(who_is_gone)
    }

    /// Asks the whole tree to end (SIGTERM).
    pub fn terminate(&self) -> Result<()> {
        self.job.send(&Word::Terminate.encode(), &[]).map_err(who_is_gone)
    }

    /// Ends the whole tree (SIGKILL).
    pub fn kill(&self) -> Result<()> {
        self.job.send(&Word::Kill.encode(), &[]).map_err(who_is_gone)
    }

    /// The next report, if there is one. Never waits; a warden that is gone is [`Report::Lost`].
    pub fn report(&self) -> Result<Option<Report>> {
        match self.job.receive(Wait::Never)? {
            Arrival::Message(bytes, _) => Report::decode(&bytes).map(Some),
            Arrival::Nothing => Ok(None),
            Arrival::Closed => Ok(Some(Report::Lost)),
        }
    }
}

impl AsFd for Warden {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.job.as_fd()
    }
}

fn who_is_gone(error: Error) -> Error {
    match error {
        Error::Gone { .. } => Error::Gone { who: "warden" },
        other => other,
    }
}
