//! The birth of the process that waits for an order, and becomes the command or makes room for it.

use super::serve::Ground;
use crate::after_fork;
use crate::cage::{self, Birth, Copy, Namespaces, Queues};
use crate::channel::Channel;
use crate::error::Result;
use rustix::fd::AsFd;

/// What a process that waits for an order has inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherited {
    /// What its warden kept.
    FromTheWarden,
    /// What the keeper has: descriptors by which others know that it lives, which must be closed,
    /// and queues and a copy of a view that it renews for each warden.
    FromTheKeeper,
}

/// A process that waits for an order, and our end of what it tells us.
pub(super) type Forked = ((i32, Birth), Channel);

/// The command's process waits for the order itself: one hop less, and in a spare warden it is
/// already there.
pub(super) fn fork_command(
    job: &Channel,
    ground: Ground<'_>,
    inherited: Inherited,
) -> Result<Forked> {
    let (ours, theirs) = Channel::pair()?;
    let (queues, copy) = match inherited {
        Inherited::FromTheWarden => (Queues::Shared, Copy::New),
        Inherited::FromTheKeeper => (ground.queues, Copy::Ahead),
    };
    let (forked, birth) = match ground.spaces {
        // Where it fails, the order finds a process that tries again and can tell why.
        Namespaces::Root => match cage::bear(ground.template, queues) {
            Ok(born) => (born, Birth::First),
            Err(_) => (crate::keeper::fork()?, Birth::Plain),
        },
        Namespaces::None | Namespaces::User => (crate::keeper::fork()?, Birth::Plain),
    };
    let Some(pid) = forked else {
        drop(ours);
        match inherited {
            Inherited::FromTheWarden => {}
            Inherited::FromTheKeeper => {
                let mut keep = vec![job.as_fd(), theirs.as_fd()];
                keep.extend(ground.fds());
                keep.extend(ground.template.iter().flat_map(|view| view.fds_of_copy()));
                if crate::keeper::close_others(&keep).is_err() {
                    after_fork::leave();
                }
            }
        }
        after_fork::command(job, &theirs, ground, (birth, copy))
    };
    // It has more to do than we have.
    rustix::thread::sched_yield();
    Ok(((pid, birth), ours))
}
