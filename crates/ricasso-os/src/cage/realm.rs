//! A user namespace of the keeper's own, in which it has every power that cages are built with.
//!
//! Whoever is not root needs a user namespace for a cage. A keeper whose commands are all in cages
//! goes into one and stays: from then on it, its wardens and first processes make namespaces as
//! root does, and what root gives up once for all commands they give up once too. A command lives
//! in one more of its own, below it, in which the kernel counts its tasks and no others.

use super::init::SPACES;
use super::mounts::Processes;
use super::{Namespaces, aside, capability, raw, trial};
use crate::after_fork::leave;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// The namespace that this process is in, with all powers there.
#[derive(Debug)]
pub(crate) struct Realm {
    /// The machine's /proc, which a view covers.
    proc: OwnedFd,
    capabilities: libc::c_ulong,
}

/// A user namespace for the commands of one job, with the numbers of its user in it and no others.
#[derive(Debug)]
pub(crate) struct Users {
    fd: OwnedFd,
    /// How many capabilities are taken out of what bounds executing.
    capabilities: libc::c_ulong,
}

impl Realm {
    /// Takes this process, which has one thread, into one, for good. `None` where a cage could not
    /// be built from there: this process stays where it is then.
    pub(crate) fn enter() -> Option<Realm> {
        trial::try_in_a_child(|| {
            let users = Realm::begin()?.users()?;
            raw::unshare(SPACES | libc::CLONE_NEWNET)?;
            if !trial::can_mount_processes(Processes::Shown) {
                return Err(Errno::PERM);
            }
            users.enter()
        })
        .ok()?;
        Realm::begin().ok()
    }

    /// Where it fails this process is where it was; one that went half of the way is nowhere.
    fn begin() -> Result<Realm, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::open(c"/proc", flags, Mode::empty())?;
        let own = raw::own_place()?;
        let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
        raw::unshare(libc::CLONE_NEWUSER)?;
        if raw::map_self(&own, uid.as_raw(), gid.as_raw()).is_err() {
            leave();
        }
        // Anybody but root has the whole set as outside: it bounds what `no_new_privs` refuses
        // already, and to take out each one takes a microsecond.
        let capabilities = if uid.is_root() { capability::count() } else { 0 };
        Ok(Realm { proc, capabilities })
    }

    /// Makes a namespace for the commands of one job. It takes no powers, but a process that may be
    /// looked into: else what is to be written in /proc is root's.
    pub(crate) fn users(&self) -> Result<Users, Errno> {
        let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
        let made = aside::done(libc::CLONE_NEWUSER, || {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let own = rustix::fs::openat(&self.proc, c"self", flags, Mode::empty())?;
            raw::map_self(&own, uid.as_raw(), gid.as_raw())?;
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            rustix::fs::openat(&own, c"ns/user", flags, Mode::empty())
        });
        made.map(|fd| Users { fd, capabilities: self.capabilities })
    }

    /// Its descriptor, which a warden keeps.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.proc.as_fd()
    }
}

impl Users {
    /// Takes this process there, where it has all powers until it gives them up. Allocates nothing.
    pub(super) fn enter(&self) -> Result<(), Errno> {
        raw::enter(&self.fd, libc::CLONE_NEWUSER)?;
        capability::empty_whole_bounds(self.capabilities)
    }

    /// Its descriptor, which a warden keeps.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// How a process makes the namespaces of a cage that asks for this kind.
pub(crate) fn source(kind: Namespaces, realm: Option<&Realm>) -> Namespaces {
    match (kind, realm) {
        (Namespaces::User, Some(_)) => Namespaces::Root,
        (Namespaces::None | Namespaces::User | Namespaces::Root, _) => kind,
    }
}
