//! The command's process in namespaces, born before there is an order.
//!
//! The first process is busy with mounts until the order comes, and then with the order; this one
//! takes on its filter meanwhile, and then the rules that came with the order, on another core. It
//! shares memory and descriptors with the first process, which goes on beside it: so it allocates
//! nothing and writes nothing but what is its own here, until it is told to go on. Then the first
//! process stands still, and this one obeys the order where it lies.

use super::capability::Bounds;
use super::confine::refuse_privileges;
use super::realm::Users;
use super::session::Loopback;
use super::template::{Copy, Template};
use super::{Net, aside, capability, raw};
use crate::after_fork::{self, Cores, leave};
use crate::channel::Channel;
use crate::in_place::{self, Wanted};
use crate::note::{self, Tidings};
use crate::stack::Stack;
use crate::warden::serve::Ground;
use crate::wire::Stage;
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::futex;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What the process is told.
const WAIT: u32 = 0;
const TAKE_RULES: u32 = 1;
const GO_ON: u32 = 2;
const LEAVE: u32 = 3;

/// How far it came: not even behind its filter, or on its way to the command.
const NOWHERE: u32 = 0;
const ON_ITS_WAY: u32 = 1;

/// How long it looks for the word by itself, before it lets itself be woken.
const PATIENCE: Duration = Duration::from_micros(100);

/// No listener, and no rules.
const NONE: i32 = -1;

/// A process that waits to become the command. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Early {
    pid: i32,
    shared: Box<Shared>,
    _stack: Stack,
}

/// What both processes know.
#[derive(Debug)]
struct Shared {
    told: AtomicU32,
    came: AtomicU32,
    listener: AtomicI32,
    /// The kernel sets it to nought when the process executes or ends.
    lives: AtomicU32,
    /// Rules that the owner made, complete, for this process to take on.
    rules: AtomicI32,
    template: AtomicPtr<Template>,
    /// Whether it goes into the copy of the view by itself: the first process is not there yet.
    enters: bool,
    loopback: AtomicPtr<Loopback>,
    /// The namespace that its tasks are counted in, where there is one.
    users: AtomicPtr<Users>,
    rest: AtomicPtr<Rest<'static>>,
}

/// What the rest of the way needs.
pub(crate) struct Rest<'a> {
    pub(crate) wanted: Wanted<'a>,
    pub(crate) streams: [&'a OwnedFd; 3],
    pub(crate) state: Option<&'a OwnedFd>,
    /// Where the warden is told how it goes.
    pub(crate) note: &'a Channel,
}

impl Early {
    /// Bears the process in the namespaces of this one. It goes into the copy that was made ahead
    /// by itself, or this one stands in a copy already. `None` where it must be born later: what
    /// it needs is not there yet, or the kernel refuses.
    pub(super) fn bear(template: &Template, copy: Copy, ground: Ground<'_>) -> Option<Early> {
        let Ground { loopback, bounds, users, .. } = ground;
        let cage = &template.standing().cage;
        let joins = match cage.net {
            Net::Loopback | Net::None => cage.walls.netns,
            Net::Open => false,
        };
        // A network of its own is made with an order; and what fails on the way leaves its number
        // where the first process looks for that of its own calls.
        let missing = joins && loopback.is_none() || cage.counts_tasks() && users.is_none();
        if !cage.walls.calls || missing || bounds != Bounds::Empty {
            return None;
        }
        let loopback = loopback.filter(|_| joins).map_or(ptr::null(), ptr::from_ref);
        let users = users.filter(|_| cage.counts_tasks()).map_or(ptr::null(), ptr::from_ref);
        let shared = Box::new(Shared {
            told: AtomicU32::new(WAIT),
            came: AtomicU32::new(NOWHERE),
            listener: AtomicI32::new(NONE),
            lives: AtomicU32::new(1),
            rules: AtomicI32::new(NONE),
            template: AtomicPtr::new(ptr::from_ref(template).cast_mut()),
            enters: template.has_copy(copy),
            loopback: AtomicPtr::new(loopback.cast_mut()),
            users: AtomicPtr::new(users.cast_mut()),
            rest: AtomicPtr::new(ptr::null_mut()),
        });
        let stack = aside::stack().ok()?;
        let own = libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
        let flags = own | libc::CLONE_CHILD_CLEARTID;
        let given = ptr::from_ref(&*shared).cast_mut().cast();
        let (none, lives) = (ptr::null_mut::<libc::c_void>(), shared.lives.as_ptr());
        // SAFETY: `enter` never returns and ends in exec or exit. Its stack is aligned and its own;
        // that, and what it is given, live until the kernel has cleared `lives`, which dropping
        // waits for. Until it is told to go on it allocates nothing and writes only to `shared`.
        let pid = unsafe { libc::clone(enter, stack.top(), flags, given, none, none, lives) };
        (pid > 0).then_some(Early { pid, shared, _stack: stack })
    }

    /// Gives it the rules that came with the order, once they are complete: it is still busy with
    /// its filter. They stay open until it has executed or ended. What fails here, it finds out.
    pub(super) fn give(&self, rules: BorrowedFd<'_>) {
        if matches!(template(&self.shared).standing().complete_rules(rules), Ok(true)) {
            self.shared.rules.store(rules.as_raw_fd(), Ordering::Relaxed);
            self.tell(TAKE_RULES);
        }
    }

    /// Whether it was given rules. One that was not cannot go on.
    pub(super) fn has_rules(&self) -> bool {
        self.shared.rules.load(Ordering::Relaxed) != NONE
    }

    /// Lets it become the command, and waits until it has executed or ended: its number, and where
    /// its questions arrive. `None` where it did not even begin, since it failed or somebody ended
    /// it, and nothing was told.
    pub(super) fn go(&self, rest: &Rest<'_>) -> Option<(i32, Option<OwnedFd>)> {
        let shared = &self.shared;
        shared.rest.store(ptr::from_ref(rest).cast_mut().cast(), Ordering::Release);
        self.tell(GO_ON);
        self.await_end();
        if shared.came.load(Ordering::Acquire) != ON_ITS_WAY {
            return None;
        }
        let listener = shared.listener.swap(NONE, Ordering::AcqRel);
        // SAFETY: that process put it into the table that it shared with this one, and has a table
        // of its own now; nobody else here knows of it, and nobody gets it twice.
        let listener = (listener != NONE).then(|| unsafe { OwnedFd::from_raw_fd(listener) });
        Some((self.pid, listener))
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
        // Only then it shares nothing with us any more.
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
    let mut ruled = false;
    let mut since = Instant::now();
    loop {
        match shared.told.load(Ordering::Acquire) {
            GO_ON if ruled => break,
            LEAVE => leave(),
            TAKE_RULES | GO_ON if !ruled => {
                // Where it fails, the first process finds out why.
                if take_rules(shared).is_err() {
                    leave();
                }
                ruled = true;
                since = Instant::now();
            }
            // To be woken takes longer than it mostly lasts.
            _ if since.elapsed() < PATIENCE => rustix::thread::sched_yield(),
            word => await_other_than(shared, word),
        }
    }
    // From now on the descriptors are its own, as the first process left them.
    if raw::unshare(libc::CLONE_FILES).is_err() {
        leave();
    }
    shared.came.store(ON_ITS_WAY, Ordering::Release);
    // SAFETY: `go` put it there before it told us, and waits for us to execute or end.
    let rest = unsafe { &*shared.rest.load(Ordering::Acquire) };
    let (stage, errno) = become_command(rest, users(shared));
    note::tell(rest.note, &Tidings::Failed(stage, errno), &[]);
    leave()
}

/// From here on nobody else uses this memory. Returns only on failure. It tells nobody that it
/// begins: whoever is woken on this core before the exec moves the command to another one, which
/// takes as long as the exec itself.
fn become_command(rest: &Rest<'_>, users: Option<&Users>) -> (Stage, Errno) {
    match take_place(rest, users) {
        Ok(()) => (Stage::Execute, in_place::execute(&rest.wanted)),
        Err(failure) => failure,
    }
}

/// Nothing here may be a question to the warden, who hears of it only when the exec is done.
fn take_place(rest: &Rest<'_>, users: Option<&Users>) -> Result<(), (Stage, Errno)> {
    let at = |stage| move |errno| (stage, errno);
    rustix::process::chdir(rest.wanted.cwd).map_err(at(Stage::Directory))?;
    capability::drop_all(Bounds::Empty).map_err(at(Stage::Privileges))?;
    after_fork::take_streams(rest.streams, rest.state)
        .and_then(|()| after_fork::hold(&rest.wanted.ceilings))
        .and_then(|()| users.map_or(Ok(()), |_| after_fork::hold_tasks(&rest.wanted.ceilings)))
        .map_err(at(Stage::Prepare))
}

fn await_other_than(shared: &Shared, word: u32) {
    let _ = futex::wait(&shared.told, futex::Flags::empty(), word, None);
}

fn template(shared: &Shared) -> &Template {
    // SAFETY: what the first process stands on, which lives as long as that, and is never null.
    unsafe { &*shared.template.load(Ordering::Relaxed) }
}

fn users(shared: &Shared) -> Option<&Users> {
    // SAFETY: null, or a part of what the first process stands on, which lives as long as that.
    unsafe { shared.users.load(Ordering::Relaxed).as_ref() }
}

/// Takes on the rules. Allocates nothing.
fn take_rules(shared: &Shared) -> Result<(), Errno> {
    let rules = shared.rules.load(Ordering::Relaxed);
    // SAFETY: whoever gave it keeps it open until this process has executed or ended.
    let rules = unsafe { BorrowedFd::borrow_raw(rules) };
    template(shared).standing().lay_rules(rules)
}

/// All that a filter must not come before, and then the filter. Allocates nothing.
fn stand_behind_filter(shared: &Shared) -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    after_fork::settle(Cores::Never)?;
    // SAFETY: null, or a part of what the first process stands on, which lives as long as that.
    if let Some(loopback) = unsafe { shared.loopback.load(Ordering::Relaxed).as_ref() } {
        loopback.enter()?;
    }
    let template = template(shared);
    if shared.enters {
        template.enter(Copy::Ahead)?;
    }
    if let Some(users) = users(shared) {
        // What it has there it gives up when it is where the order says.
        users.enter()?;
    }
    refuse_privileges()?;
    let listener = template.standing().lay_filter()?;
    let listener = listener.map_or(NONE, IntoRawFd::into_raw_fd);
    shared.listener.store(listener, Ordering::Relaxed);
    Ok(())
}
