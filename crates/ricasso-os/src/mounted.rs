//! Whether something was mounted or unmounted since the last look.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;

/// The kernel's list of what is mounted, which tells when it changes.
#[derive(Debug)]
pub(crate) struct Mounts(File);

impl Mounts {
    /// Watches from now on; `None` where there is no such list.
    pub(crate) fn watch() -> Option<Mounts> {
        File::open("/proc/self/mountinfo").ok().map(Mounts)
    }

    /// What becomes ready, as out of the ordinary, when there is a change.
    pub(crate) fn as_fd(&self) -> rustix::fd::BorrowedFd<'_> {
        rustix::fd::AsFd::as_fd(&self.0)
    }

    /// Whether there was a change since the last look. What cannot be told counts as one.
    pub(crate) fn changed(&mut self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::PRI)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut fds, Some(&at_once)) {
            // Reading is always possible and means nothing here (proc_pid_mounts(5)).
            Ok(_) => fds[0].revents().intersects(PollFlags::PRI | PollFlags::ERR),
            Err(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changes_by_looking() {
        let mut mounts = Mounts::watch().unwrap();
        let first = mounts.changed();
        // Somebody else on this machine may mount just now, but not at every single look.
        let again = (0..50).all(|_| mounts.changed());
        assert!(!first || !again);
    }
}
