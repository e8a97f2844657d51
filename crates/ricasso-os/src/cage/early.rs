//! The command's process in namespaces, born before there is an order.
//!
//! The first process is busy with mounts until the order comes, and then with the order; this one
//! takes on its filter meanwhile, on another core. It shares memory, descriptors and directories
//! with the first process, which goes on beside it: so it allocates nothing and writes nothing but
//! what is its own here, until it is told to go on. Then the first process stands still, and this
//! one goes the rest of the way in its place.

use super::capability::{self, Bounds};
use super::confine::{Confined, Standing, refuse_privileges};
use super::init::{self, Parts};
use super::session::Loopback;
use super::template::Template;
use super::{Net, raw};
use crate::after_fork::{self, Cores, Tidings, leave};
use rustix::fd::{FromRawFd, IntoRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::futex;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering};

/// The stack of the command's process until it executes; what it does there needs a tenth of it.
const STACK_BYTES: usize = 256 * 1024;

/// What the process is told.
const WAIT: u32 = 0;
const GO_ON: u32 = 1;
const LEAVE: u32 = 2;

/// How far it came: not even behind its filter, or on its way to the command.
const NOWHERE: u32 = 0;
const ON_ITS_WAY: u32 = 1;

/// No listener.
const NONE: i32 = -1;

/// A process that waits to become the command. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Early {
    pid: i32,
    shared: Box<Shared>,
    _stack: Vec<u128>,
}

/// What both processes know.
#[derive(Debug)]
struct Shared {
    told: AtomicU32,
    came: AtomicU32,
    listener: AtomicI32,
    /// The kernel sets it to nought when the process executes or ends.
    lives: AtomicU32,
    standing: AtomicPtr<Standing>,
    loopback: AtomicPtr<Loopback>,
    rest: AtomicPtr<Rest<'static>>,
}

/// What the rest of the way needs.
type Rest<'a> = (&'a Parts<'a>, &'a Standing, &'a OwnedFd);

impl Early {
    /// Bears the process in the namespaces of this one. `None` where it must be born later: what it
    /// needs is not there yet, or the kernel refuses.
    pub(super) fn bear(
        template: &Template,
        loopback: Option<&Loopback>,
        bounds: Bounds,
    ) -> Option<Early> {
        let standing = template.standing();
        let cage = &standing.cage;
        let joins = match cage.net {
            Net::Loopback | Net::None => cage.walls.netns,
            Net::Open => false,
        };
        // A network of its own is made with an order; and what fails on the way leaves its number
        // where the first process looks for that of its own calls.
        if !cage.walls.calls || joins && loopback.is_none() || bounds != Bounds::Empty {
            return None;
        }
        let loopback = loopback.filter(|_| joins).map_or(ptr::null(), ptr::from_ref);
        let shared = Box::new(Shared {
            told: AtomicU32::new(WAIT),
            came: AtomicU32::new(NOWHERE),
            listener: AtomicI32::new(NONE),
            lives: AtomicU32::new(1),
            standing: AtomicPtr::new(ptr::from_ref(standing).cast_mut()),
            loopback: AtomicPtr::new(loopback.cast_mut()),
            rest: AtomicPtr::new(ptr::null_mut()),
        });
        let mut stack = vec![0u128; STACK_BYTES / size_of::<u128>()];
        let top = stack.as_mut_ptr_range().end.cast();
        let own = libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_FILES | libc::SIGCHLD;
        let flags = own | libc::CLONE_CHILD_CLEARTID;
        let given = ptr::from_ref(&*shared).cast_mut().cast();
        let (none, lives) = (ptr::null_mut::<libc::c_void>(), shared.lives.as_ptr());
        // SAFETY: `enter` never returns and ends in exec or exit. Its stack is aligned and its own;
        // that, and what it is given, live until the kernel has cleared `lives`, which dropping
        // waits for. Until it is told to go on it allocates nothing and writes only to `shared`.
        let pid = unsafe { libc::clone(enter, top, flags, given, none, none, lives) };
        (pid > 0).then_some(Early { pid, shared, _stack: stack })
    }

    /// Lets it become the command, and waits until it has executed or ended. `None` where it did
    /// not even begin, since it failed or somebody ended it, and nothing was told.
    pub(super) fn go(&self, rest: &Rest<'_>) -> Option<i32> {
        let shared = &self.shared;
        shared.rest.store(ptr::from_ref(rest).cast_mut().cast(), Ordering::Release);
        self.tell(GO_ON);
        self.await_end();
        (shared.came.load(Ordering::Acquire) == ON_ITS_WAY).then_some(self.pid)
    }

    fn tell(&self, word: u32) {
        self.shared.told.store(word, Ordering::Release);
        let _ = futex::wake(&self.shared.told, futex::Flags::empty(), 1);
    }

    fn await_end(&self) {
        let lives = &self.shared.lives;
        loop {
            match lives.load(Ordering::Acquire) {
                0 => return,
                // Woken by the kernel, by a signal, or not at all where it has just ended.
                number => drop(futex::wait(lives, futex::Flags::empty(), number, None)),
            }
        }
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        self.tell(LEAVE);
        // Only then it shares nothing with us any more, the directory neither.
        crate::tree::wait_for(self.pid);
    }
}

/// The life of the process.
extern "C" fn enter(given: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `bear` passes what lives until this process has executed or ended.
    let shared = unsafe { &*given.cast::<Shared>() };
    if stand_behind_filter(shared).is_err() {
        leave();
    }
    loop {
        match shared.told.load(Ordering::Acquire) {
            WAIT => drop(futex::wait(&shared.told, futex::Flags::empty(), WAIT, None)),
            GO_ON => break,
            _ => leave(),
        }
    }
    // From now on descriptors and directory are its own, as the first process left them.
    if raw::unshare(libc::CLONE_FILES | libc::CLONE_FS).is_err() {
        leave();
    }
    shared.came.store(ON_ITS_WAY, Ordering::Release);
    // SAFETY: `go` put it there before it told us, and waits for us to execute or end.
    let (parts, standing, warden) = unsafe { *shared.rest.load(Ordering::Acquire) };
    let listener = shared.listener.load(Ordering::Relaxed);
    // SAFETY: it was made by this process, and nobody else in its own table owns it.
    let own = |fd| unsafe { OwnedFd::from_raw_fd(fd) };
    let confined = Confined { listener: Some(listener).filter(|fd| *fd != NONE).map(own) };
    let (stage, errno) = init::become_command(parts, standing, warden, Some(confined));
    after_fork::tell(parts.note, &Tidings::Failed(stage, errno), &[]);
    leave()
}

/// All that a filter must not come before, and then the filter. Allocates nothing.
fn stand_behind_filter(shared: &Shared) -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    after_fork::settle(Cores::Never)?;
    // SAFETY: null, or a part of what the first process stands on, which lives as long as that.
    if let Some(loopback) = unsafe { shared.loopback.load(Ordering::Relaxed).as_ref() } {
        loopback.enter()?;
    }
    // SAFETY: as above, and never null.
    let standing = unsafe { &*shared.standing.load(Ordering::Relaxed) };
    capability::drop_all(Bounds::Empty)?;
    refuse_privileges()?;
    let listener = standing.lay_filter()?;
    let listener = listener.map_or(NONE, IntoRawFd::into_raw_fd);
    shared.listener.store(listener, Ordering::Relaxed);
    Ok(())
}
