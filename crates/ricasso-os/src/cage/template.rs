//! A view of the files that was built ahead: commands of the same cage take copies of it.
//!
//! It holds what they may share: the seal, the roots, the masks, what is protected. Memory,
//! terminals and /proc are each command's own, and are laid over its copy. A copy is used only
//! where the owner, just before, found everything unchanged that the view was built from.

use super::confine::Standing;
use super::raw;
use super::{Cage, Namespaces, mounts};
use crate::after_fork::leave;
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::wire::{Reader, Writer};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// A mount namespace, and which directory in it is the root.
#[derive(Debug)]
struct Place {
    mounts: OwnedFd,
    root: OwnedFd,
}

/// A view that waits to be copied.
#[derive(Debug)]
pub(crate) struct Template {
    number: u64,
    /// As orders name it.
    cage: Cage,
    standing: Standing,
    built: Place,
    /// Where a process goes back to whose order is another one.
    home: Place,
}

/// One that is being built.
#[derive(Debug)]
pub(crate) struct Builder {
    number: u64,
    cage: Cage,
    answer: Channel,
}

/// How far a builder is.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It is done.
    Built(Box<Template>),
    /// It works still.
    Building(Box<Builder>),
    /// It could not.
    Failed,
}

/// What the owner asks for: a view for this cage, under this number.
pub(crate) fn wish(number: u64, cage: &Cage) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(number);
    cage.encode(&mut out);
    out.0
}

/// What it says.
pub(crate) fn read_wish(wish: &[u8]) -> Result<(u64, Cage)> {
    let mut from = Reader(wish);
    let number = from.number().ok_or(Error::Garbled { what: "number of a view" })?;
    let cage = Cage::decode(&mut from).ok_or(Error::Garbled { what: "cage of a view" })?;
    Ok((number, cage))
}

impl Builder {
    /// Begins to build a view in a child, whose number is returned too. The caller has one thread.
    pub(crate) fn begin(number: u64, cage: Cage) -> Result<(i32, Builder)> {
        let (answer, theirs) = Channel::pair()?;
        match crate::keeper::fork()? {
            Some(pid) => Ok((pid, Builder { number, cage, answer })),
            None => {
                // A dead file server can hold this process up for ever: it must go with the keeper,
                // and hold nothing by which others would think that the keeper lives.
                let signal = Some(rustix::process::Signal::KILL);
                let _ = rustix::process::set_parent_process_death_signal(signal);
                let alone = crate::keeper::close_others(&[theirs.as_fd()]);
                if alone.is_ok()
                    && let Ok((real, built)) = build(&cage)
                {
                    let mut bytes = Writer::default();
                    real.encode(&mut bytes);
                    // A keeper that is gone needs no view.
                    let _ = theirs.send(&bytes.0, &[built.mounts.as_fd(), built.root.as_fd()]);
                }
                leave()
            }
        }
    }

    /// Whether it is done. Never waits.
    pub(crate) fn progress(self) -> Progress {
        match self.answer.receive(Wait::Never) {
            Ok(Arrival::Message(bytes, fds)) => match self.adopt(&bytes, fds) {
                Some(template) => Progress::Built(Box::new(template)),
                None => Progress::Failed,
            },
            Ok(Arrival::Nothing) => Progress::Building(Box::new(self)),
            Ok(Arrival::Closed) | Err(_) => Progress::Failed,
        }
    }

    fn adopt(self, bytes: &[u8], fds: Vec<OwnedFd>) -> Option<Template> {
        let Builder { number, cage, answer: _ } = self;
        let real = Cage::decode(&mut Reader(bytes))?;
        let [mounts, root] = <[OwnedFd; 2]>::try_from(fds).ok()?;
        let home = Place::here().ok()?;
        let standing = Standing::of_real_names(real);
        Some(Template { number, cage, standing, built: Place { mounts, root }, home })
    }
}

/// Builds what commands may share, in a mount namespace of this process alone.
fn build(cage: &Cage) -> std::result::Result<(Cage, Place), Errno> {
    let real = super::confine::by_real_names(cage);
    match real.walls.namespaces {
        Namespaces::Root if mounts::is_shareable(&real) => {}
        Namespaces::Root | Namespaces::User | Namespaces::None => return Err(Errno::INVAL),
    }
    raw::unshare(libc::CLONE_NEWNS)?;
    // Before /proc is covered.
    let built = Place::here()?;
    mounts::build_shared(&real)?;
    Ok((real, built))
}

impl Template {
    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether it was built for this cage.
    pub(super) fn is_for(&self, cage: &Cage) -> bool {
        self.cage == *cage
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Its descriptors, which a warden keeps.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let places = [&self.built, &self.home];
        places.into_iter().flat_map(|place| [place.mounts.as_fd(), place.root.as_fd()])
    }

    /// Takes this process, the first one of its pid namespace, into a copy of the view.
    pub(super) fn enter(&self) -> std::result::Result<(), Errno> {
        self.built.enter()
    }

    /// Takes it back to where it came from, with a mount namespace of its own.
    pub(super) fn leave(&self) -> std::result::Result<(), Errno> {
        self.home.enter()
    }
}

impl Place {
    fn here() -> std::result::Result<Place, Errno> {
        let (look, hold) = (OFlags::RDONLY | OFlags::CLOEXEC, OFlags::PATH | OFlags::CLOEXEC);
        let mounts = rustix::fs::open(c"/proc/self/ns/mnt", look, Mode::empty())?;
        Ok(Place { mounts, root: rustix::fs::open(c"/", hold, Mode::empty())? })
    }

    /// A copy of it becomes this process's own.
    fn enter(&self) -> std::result::Result<(), Errno> {
        raw::enter(&self.mounts, libc::CLONE_NEWNS)?;
        // To enter leads to the root of all mounts, which need not be the keeper's.
        rustix::process::fchdir(&self.root)?;
        rustix::process::chroot(c".")?;
        raw::unshare(libc::CLONE_NEWNS)
    }
}
