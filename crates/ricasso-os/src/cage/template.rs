//! A view of the files that was built ahead: commands of the same cage take copies of it.
//!
//! It holds what they may share: the seal, the roots, the masks, what is protected. Memory,
//! terminals and /proc are each command's own, and are laid over its copy. The keeper makes one
//! copy ahead, with all but /proc, while nobody waits. A copy is used once, and only where the
//! owner, just before, found everything unchanged that the view was built from.
//!
//! A keeper that needs a user namespace for it has its own ([`super::realm`]), and builds, copies
//! and enters views as root does.

use super::confine::Standing;
use super::fence::Fence;
use super::realm::{Realm, source};
use super::{Cage, Namespaces, Survey, Wanted, aside, init, mounts, raw, trial};
use crate::after_fork::leave;
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::wire::{Reader, Writer};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Signal, set_parent_process_death_signal};
use std::rc::Rc;
use std::sync::Arc;

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
    cage: Arc<Cage>,
    /// As orders say it.
    said: Vec<u8>,
    survey: Rc<Survey>,
    standing: Standing,
    built: Place,
    /// For the next command: a copy with memory and terminals of its own.
    copy: Option<Place>,
    /// Where the kernel tells a process of its namespaces.
    proc: OwnedFd,
    /// Where a process goes back to whose order is another one; nobody comes back from a realm to
    /// the machine's mounts.
    home: Option<Place>,
}

/// One that is being built.
#[derive(Debug)]
pub(crate) struct Builder {
    number: u64,
    cage: Arc<Cage>,
    survey: Survey,
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
pub(crate) fn wish(wanted: &Wanted) -> Vec<u8> {
    let mut out = Writer::default();
    out.number(wanted.number);
    wanted.cage.encode(&mut out);
    wanted.survey.encode(&mut out);
    out.0
}

/// What it says.
pub(crate) fn read_wish(wish: &[u8], mut rules: Vec<OwnedFd>) -> Result<Wanted> {
    let mut from = Reader(wish);
    let number = from.number().ok_or(Error::Garbled { what: "number of a view" })?;
    let cage = Cage::decode(&mut from).ok_or(Error::Garbled { what: "cage of a view" })?;
    let survey = Survey::decode(&mut from).ok_or(Error::Garbled { what: "names of a view" })?;
    Ok(Wanted { number, cage: Arc::new(cage), survey, rules: rules.pop() })
}

impl Builder {
    /// Begins to build a view in a child, whose number is returned too. The caller has one thread.
    pub(crate) fn begin(wanted: Wanted, realm: Option<&Realm>) -> Result<(i32, Builder)> {
        let Wanted { number, cage, survey, rules: _ } = wanted;
        let (answer, theirs) = Channel::pair()?;
        match crate::keeper::fork()? {
            Some(pid) => Ok((pid, Builder { number, cage, survey, answer })),
            None => {
                // A dead file server can hold this process up for ever: it must go with the keeper,
                // and hold nothing by which others would think that the keeper lives.
                let _ = set_parent_process_death_signal(Some(Signal::KILL));
                let alone = crate::keeper::close_others(&[theirs.as_fd()]);
                if alone.is_ok()
                    && let Ok((real, built)) = build(&cage, realm)
                {
                    let mut bytes = Writer::default();
                    real.encode(&mut bytes);
                    let fds: Vec<_> = built.fds().collect();
                    // A keeper that is gone needs no view.
                    let _ = theirs.send(&bytes.0, &fds);
                }
                leave()
            }
        }
    }

    /// Whether it is done. Never waits. Those who will use it stand behind this fence.
    pub(crate) fn progress(self, fence: Fence) -> Progress {
        match self.answer.receive(Wait::Never) {
            Ok(Arrival::Message(bytes, fds)) => match self.adopt(&bytes, fds, fence) {
                Some(template) => Progress::Built(Box::new(template)),
                None => Progress::Failed,
            },
            Ok(Arrival::Nothing) => Progress::Building(Box::new(self)),
            Ok(Arrival::Closed) | Err(_) => Progress::Failed,
        }
    }

    fn adopt(self, bytes: &[u8], fds: Vec<OwnedFd>, fence: Fence) -> Option<Template> {
        let Builder { number, cage, survey, answer: _ } = self;
        let real = Cage::decode(&mut Reader(bytes))?;
        let built = Place::of(fds)?;
        let home = match real.walls.namespaces {
            Namespaces::Root => Some(Place::here().ok()?),
            Namespaces::User | Namespaces::None => None,
        };
        let standing = Standing::of_real_names(real, fence);
        let proc = rustix::fs::open(c"/proc", HOLD, Mode::empty()).ok()?;
        let (survey, copy) = (Rc::new(survey), None);
        let mut said = Writer::default();
        cage.encode(&mut said);
        let said = said.0;
        Some(Template { number, cage, said, survey, standing, built, copy, proc, home })
    }
}

/// Builds what commands may share, in a mount namespace of this process alone.
fn build(cage: &Cage, realm: Option<&Realm>) -> std::result::Result<(Cage, Place), Errno> {
    let real = super::confine::by_real_names(cage);
    let kind = real.walls.namespaces;
    if !mounts::is_shareable(&real) || source(kind, realm) != Namespaces::Root {
        return Err(Errno::INVAL);
    }
    // Before /proc is covered.
    let home = Place::here()?;
    raw::unshare(libc::CLONE_NEWNS)?;
    let built = Place::here()?;
    mounts::build_shared(&real)?;
    // Where something round us refuses the way there or back, or what a command has for its own,
    // there is no view: whoever went there would be lost.
    match kind {
        Namespaces::Root => home.enter()?,
        Namespaces::User | Namespaces::None => {}
    }
    built.enter()?;
    raw::unshare(init::SPACES)?;
    mounts::build_memory(&real)?;
    mounts::terminals()?;
    match trial::can_mount_processes(mounts::processes(&real)) {
        true => Ok((real, built)),
        false => Err(Errno::PERM),
    }
}

impl Template {
    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether it was built for this cage.
    pub(crate) fn is_for(&self, cage: &Arc<Cage>) -> bool {
        Arc::ptr_eq(&self.cage, cage) || self.cage == *cage
    }

    /// Its cage, if an order says that one.
    pub(crate) fn said(&self, said: &[u8]) -> Option<Arc<Cage>> {
        (self.said == said).then(|| self.cage.clone())
    }

    /// What was found out about its names.
    pub(crate) fn survey(&self) -> &Rc<Survey> {
        &self.survey
    }

    pub(super) fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Its descriptors, which a warden keeps.
    pub(crate) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        std::iter::once(&self.built).chain(&self.home).flat_map(Place::fds)
    }

    /// Those of the copy that was made ahead, which are for the warden's first command only.
    pub(crate) fn fds_of_copy(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.copy.iter().flat_map(Place::fds)
    }

    /// Makes a copy for the next command, unless there is one. This process has one thread.
    pub(crate) fn copy_ahead(&mut self) {
        if self.copy.is_some() {
            return;
        }
        let made = aside::done(0, || {
            self.built.copy()?;
            mounts::build_memory(&self.standing.cage)?;
            mounts::terminals()?;
            let mounts = rustix::fs::openat(&self.proc, c"self/ns/mnt", LOOK, Mode::empty())?;
            let root = rustix::fs::open(c"/", HOLD, Mode::empty())?;
            Ok(Place { mounts, root })
        });
        // Without it each command makes its own.
        self.copy = made.ok();
    }

    /// The copy belongs to a command now.
    pub(crate) fn give_copy(&mut self) {
        self.copy = None;
    }

    /// Takes this process, the first one of its pid namespace, into a copy of the view in which
    /// all but /proc is its own.
    pub(super) fn enter(&self, copy: Copy) -> std::result::Result<(), Errno> {
        match (copy, &self.copy) {
            (Copy::Ahead, Some(place)) => place.enter(),
            (Copy::Ahead | Copy::New, _) => self.built.copy(),
        }
    }

    /// Whether there is such a copy already.
    pub(super) fn has_copy(&self, copy: Copy) -> bool {
        match copy {
            Copy::Ahead => self.copy.is_some(),
            Copy::New => false,
        }
    }

    /// What is a command's own and not in its copy yet, but for /proc.
    pub(super) fn complete(&self, copy: Copy) -> std::result::Result<(), Errno> {
        match (copy, &self.copy) {
            (Copy::Ahead, Some(_)) => Ok(()),
            (Copy::Ahead | Copy::New, _) => {
                mounts::build_memory(&self.standing.cage)?;
                mounts::terminals()
            }
        }
    }

    /// Whether a process can go back from it to where it came from.
    pub(super) fn has_way_back(&self) -> bool {
        self.home.is_some()
    }

    /// Takes it back there, with a mount namespace of its own.
    pub(super) fn leave(&self) -> std::result::Result<(), Errno> {
        self.home.as_ref().ok_or(Errno::PERM)?.copy()
    }
}

/// Which copy of a view a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copy {
    /// The one that was made ahead, if there is one.
    Ahead,
    /// One that it makes itself.
    New,
}

/// To read it, and to hold it only.
const LOOK: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);
const HOLD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

impl Place {
    fn here() -> std::result::Result<Place, Errno> {
        let mounts = rustix::fs::open(c"/proc/self/ns/mnt", LOOK, Mode::empty())?;
        Ok(Place { mounts, root: rustix::fs::open(c"/", HOLD, Mode::empty())? })
    }

    fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [&self.mounts, &self.root].into_iter().map(AsFd::as_fd)
    }

    /// One whose descriptors came in this order.
    fn of(fds: Vec<OwnedFd>) -> Option<Place> {
        let mut fds = fds.into_iter();
        Some(Place { mounts: fds.next()?, root: fds.next()? })
    }

    /// This process stands there, perhaps with others.
    fn enter(&self) -> std::result::Result<(), Errno> {
        raw::enter(&self.mounts, libc::CLONE_NEWNS)?;
        // To enter leads to the root of all mounts, which need not be the keeper's.
        rustix::process::fchdir(&self.root)?;
        rustix::process::chroot(c".")
    }

    /// A copy of it becomes this process's own.
    fn copy(&self) -> std::result::Result<(), Errno> {
        self.enter()?;
        raw::unshare(libc::CLONE_NEWNS)
    }
}
