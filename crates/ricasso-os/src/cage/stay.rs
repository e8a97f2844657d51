//! Where a process begins that is forked.

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The core that this process is on, and those that it may be on. Who is forked meanwhile begins
/// there: the kernel would rather put it on the core of the owner, which seems to have less to do,
/// and it would wait until that sleeps.
pub(super) struct Core(Option<CpuSet>);

impl Core {
    /// Binds this process to it. Where that fails nothing changes.
    pub(super) fn stay() -> Core {
        let Ok(before) = sched_getaffinity(None) else { return Core(None) };
        let mut here = CpuSet::new();
        here.set(sched_getcpu());
        let bound = before.count() > 1 && sched_setaffinity(None, &here).is_ok();
        Core(bound.then_some(before))
    }

    /// This process may be on all of them again.
    pub(super) fn leave(&self) -> Result<(), Errno> {
        self.0.as_ref().map_or(Ok(()), |before| sched_setaffinity(None, before))
    }
}
