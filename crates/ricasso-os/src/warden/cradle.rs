//! The command's process before it is one, in the warden's own memory.
//!
//! A fork copies the page tables of its parent, and exec takes the copy down again: together a
//! fifth of a bare spawn. A process that shares its warden's memory costs neither. It must never
//! allocate, lock or panic, and writes to nothing but its cradle and its own stack, so that the
//! warden may go on beside it; it ends in exec or in exit.

use crate::after_fork::{self, Cores, leave};
use crate::cage::{Bounds, Hedge};
use crate::channel::{Channel, INLINE_BYTES};
use crate::error::{Error, Result};
use crate::in_place::{Wanted, execute, read};
use crate::wire::{Enclosed, Order, Stage};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::cell::UnsafeCell;
use std::ffi::{c_char, c_int, c_void};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// More than ten times what the way to exec needs, a lookup in a long PATH included.
const STACK_BYTES: usize = 128 * 1024;
/// What runs over the stack's end meets a page that cannot be touched. Pages are 64 KiB at most.
const GUARD_BYTES: usize = 64 * 1024;
/// A word takes nine bytes at least, and both lists end in a null pointer.
const MOST_WORDS: usize = INLINE_BYTES / 9 + 2;
/// Descriptors that come with an order: three streams, one for the state and one with rules.
const MOST_FDS: usize = 5;

/// Where a command's process waits for its order. It stays as long as its warden does: whoever
/// was put to sleep here may still be on its way out.
pub(super) struct Cradle {
    slate: &'static Slate,
}

/// What the two share.
struct Slate {
    job: c_int,
    /// The newborn's end of its note.
    note: AtomicI32,
    /// The walls that it lays round itself; null for none.
    hedge: AtomicPtr<Hedge>,
    /// Whether nothing can be had by executing anyway.
    bounded: AtomicBool,
    warden: AtomicU64,
    /// The length of what is rehearsed with, which lies where the order will.
    rehearsed: AtomicUsize,
    /// The order's length, once it is there; then its bytes change no more.
    length: AtomicUsize,
    /// What came of it: see [`Came`].
    came: AtomicU64,
    bytes: UnsafeCell<[u8; INLINE_BYTES]>,
    words: UnsafeCell<[*const c_char; MOST_WORDS]>,
}

/// What came of a process that waited, once it has executed or ended.
pub(super) enum Came<'a> {
    /// No order came any more.
    Nothing,
    /// The order is for a process of another kind, and still waits for it.
    Back,
    /// It was executed, or ended on the way; the order is this.
    Executed(&'a [u8]),
    /// It failed, and the order is this.
    Failed(&'a [u8], Stage, i32),
}

/// Flags of [`Slate::came`]; a failure has its stage and the kernel's answer in the upper bits.
const BACK: u64 = 1;
const FAILED: u64 = 2;

impl Cradle {
    /// Makes room for one process at a time, which listens to this socket.
    pub(super) fn new(job: &Channel) -> Result<Cradle> {
        let length = GUARD_BYTES + STACK_BYTES + size_of::<Slate>();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping anywhere, of memory that nobody else knows (mmap(2)).
        let base = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(Error::last("make room for the command's process"));
        }
        // SAFETY: the mapping just made begins with these bytes, which nobody uses.
        if unsafe { libc::mprotect(base, GUARD_BYTES, libc::PROT_NONE) } != 0 {
            return Err(Error::last("guard the stack of the command's process"));
        }
        // SAFETY: the mapping is longer than this by a slate.
        let at = unsafe { base.byte_add(GUARD_BYTES + STACK_BYTES) }.cast::<Slate>();
        // SAFETY: `at` is the beginning of a page with room for a slate behind it, and one of
        // zeroes is a whole one: numbers, bytes and null pointers.
        let slate = unsafe { &mut *at };
        slate.job = job.as_fd().as_raw_fd();
        Ok(Cradle { slate })
    }

    /// Starts a process that waits here for its order, behind these walls if there are some. Its
    /// end of the note, which nobody else holds then, closes when it executes or ends; before, it
    /// brings the descriptor on which the walls' questions arrive.
    pub(super) fn bear(&mut self, note: OwnedFd, walls: Option<(&Hedge, Bounds)>) -> Result<i32> {
        let slate = self.slate;
        let hedge = walls.map_or(ptr::null(), |(hedge, _)| ptr::from_ref(hedge)).cast_mut();
        slate.hedge.store(hedge, Ordering::Relaxed);
        let bounded = walls.is_some_and(|(_, bounds)| bounds == Bounds::Empty);
        slate.bounded.store(bounded, Ordering::Relaxed);
        slate.note.store(note.as_raw_fd(), Ordering::Relaxed);
        slate.warden.store(number(getpid()), Ordering::Relaxed);
        let nothing = nothing();
        // SAFETY: nobody sleeps here now, so nobody else reads or writes them.
        let bytes = unsafe { &mut *slate.bytes.get() };
        bytes.iter_mut().zip(nothing).for_each(|(place, byte)| *place = *byte);
        slate.rehearsed.store(nothing.len(), Ordering::Relaxed);
        slate.length.store(0, Ordering::Relaxed);
        slate.came.store(0, Ordering::Release);
        let given = ptr::from_ref(slate).cast_mut().cast::<c_void>();
        // SAFETY: the child runs `wait` on a stack of its own, right below the slate, with a guard
        // page at its end. It shares our memory, but touches only the slate and that stack,
        // allocates nothing and ends without returning to any caller of ours. Whoever slept here
        // before is gone: we are called when its note was closed. Walls are a part of what the
        // warden stands on, and go only with it.
        let pid = unsafe { libc::clone(wait, given, libc::CLONE_VM | libc::SIGCHLD, given) };
        let born = if pid < 0 { Err(Error::last("start the command's process")) } else { Ok(pid) };
        drop(note);
        born
    }

    /// What came of it. Only to be asked when its note is closed.
    pub(super) fn came(&self) -> Came<'_> {
        let came = self.slate.came.load(Ordering::Acquire);
        let length = self.slate.length.load(Ordering::Acquire);
        if came & BACK != 0 {
            return Came::Back;
        }
        // SAFETY: the process that wrote here has executed or ended, so nobody writes any more.
        let bytes = unsafe { &*self.slate.bytes.get() };
        let Some(order) = bytes.get(..length).filter(|order| !order.is_empty()) else {
            return Came::Nothing;
        };
        match Stage::from_number(came >> 40).filter(|_| came & FAILED != 0) {
            Some(stage) => Came::Failed(order, stage, (came >> 8) as u32 as i32),
            None => Came::Executed(order),
        }
    }
}

fn number(pid: Pid) -> u64 {
    u64::from(pid.as_raw_nonzero().get().unsigned_abs())
}

/// The life of the process in the cradle.
extern "C" fn wait(given: *mut c_void) -> c_int {
    // SAFETY: `bear` passes its slate, which is never unmapped.
    let slate = unsafe { &*given.cast::<Slate>() };
    let came = match become_command(slate) {
        Ended::Unneeded => 0,
        Ended::Back => BACK,
        Ended::Failed(stage, errno) => {
            let errno = u64::from(errno.raw_os_error().unsigned_abs());
            stage.number() << 40 | errno << 8 | FAILED
        }
    };
    slate.came.store(came, Ordering::Release);
    leave()
}

/// How it ends where it does not become a command.
enum Ended {
    /// Nobody needs it any more.
    Unneeded,
    /// The order is not for it.
    Back,
    /// It tried.
    Failed(Stage, Errno),
}

fn become_command(slate: &Slate) -> Ended {
    // It goes with its warden, which may be gone before this was said.
    let bound = set_parent_process_death_signal(Some(Signal::KILL));
    let warden = slate.warden.load(Ordering::Relaxed);
    if bound.is_err() || getppid().map(number) != Some(warden) {
        return Ended::Unneeded;
    }
    // SAFETY: `bear` was given it for us, null or a hedge that lives as long as the warden.
    let hedge = unsafe { slate.hedge.load(Ordering::Relaxed).as_ref() };
    // What does not depend on the order is done before there is one.
    let settled = after_fork::settle(if hedge.is_some() { Cores::Never } else { Cores::NoFiles });
    // SAFETY: the warden made this socket ours to listen to, and keeps it open.
    let job = unsafe { BorrowedFd::borrow_raw(slate.job) };
    // What goes wrong with the walls, a process that is forked finds out again, and can tell.
    if let Some(hedge) = hedge
        && (settled.is_err() || stand_behind(hedge, slate).is_none())
    {
        return Ended::Back;
    }
    // SAFETY: until this process has executed or ended, nobody else reads or writes them.
    let bytes = unsafe { &mut *slate.bytes.get() };
    // SAFETY: as above.
    let words = unsafe { &mut *slate.words.get() };
    rehearse(slate, job, bytes, words);
    match await_order(job, hedge) {
        Next::Ours => {}
        Next::Other => return Ended::Back,
        Next::None => return Ended::Unneeded,
    }
    if let Some(hedge) = hedge {
        return obey_walled(slate, job, hedge, (bytes, words));
    }
    let Some((length, fds)) = take_order(job, bytes, RecvFlags::empty()) else {
        return Ended::Unneeded;
    };
    slate.length.store(length, Ordering::Release);
    let Some(order) = bytes.get(..length) else { return Ended::Unneeded };
    let Some((wanted, enclosed)) = read(order, words) else {
        return Ended::Failed(Stage::Prepare, Errno::INVAL);
    };
    if let Err(errno) = settled.and_then(|()| prepare(&wanted, enclosed, &fds)) {
        return Ended::Failed(Stage::Prepare, errno);
    }
    if let Err(errno) = rustix::process::chdir(wanted.cwd) {
        return Ended::Failed(Stage::Directory, errno);
    }
    Ended::Failed(Stage::Execute, execute(&wanted))
}

/// Lays the walls, and sends the warden the descriptor on which their questions arrive.
fn stand_behind(hedge: &Hedge, slate: &Slate) -> Option<()> {
    let bounded = slate.bounded.load(Ordering::Relaxed);
    let confined = hedge.lay(if bounded { Bounds::Empty } else { Bounds::Unknown }).ok()?;
    let Some(listener) = confined.listener else { return Some(()) };
    // SAFETY: the newborn's table of descriptors is a copy of the warden's from before this one was
    // closed there.
    let note = unsafe { BorrowedFd::borrow_raw(slate.note.load(Ordering::Relaxed)) };
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let listener = [listener.as_fd()];
    let pushed = ancillary.push(SendAncillaryMessage::ScmRights(&listener));
    let flags = SendFlags::NOSIGNAL;
    let sent = || rustix::net::sendmsg(note, &[IoSlice::new(b"q")], &mut ancillary, flags);
    pushed.then(sent)?.ok().map(drop)
}

/// What is left to do of an order behind walls. It is taken off the socket only when nothing but
/// the exec can fail any more: whoever comes without capabilities meets failures of its own (a
/// directory that is shut for it), and then a process that is forked takes it.
fn obey_walled(
    slate: &Slate,
    job: BorrowedFd<'_>,
    hedge: &Hedge,
    (bytes, words): (&mut [u8; INLINE_BYTES], &mut [*const c_char; MOST_WORDS]),
) -> Ended {
    let Some((length, fds)) = take_order(job, bytes, RecvFlags::PEEK) else {
        return Ended::Unneeded;
    };
    let Some(order) = bytes.get(..length) else { return Ended::Back };
    let Some((wanted, enclosed)) = read(order, words) else { return Ended::Back };
    // The name of a terminal needs a rule of its own, which rules that others share do not get.
    let ready = hedge.is_for(wanted.cage)
        && !wanted.terminal
        && prepare(&wanted, enclosed, &fds).is_ok()
        && rustix::process::chdir(wanted.cwd).is_ok();
    if !ready {
        return Ended::Back;
    }
    if rustix::net::recv(job, &mut [0u8; 1], RecvFlags::DONTWAIT).is_err() {
        return Ended::Unneeded;
    }
    slate.length.store(length, Ordering::Release);
    Ended::Failed(Stage::Execute, execute(&wanted))
}

/// The first touch of a page, of code too, costs a fault. While no order is there yet, there is
/// time for them: all that is still to be done is done with an order for nothing.
fn rehearse(
    slate: &Slate,
    job: BorrowedFd<'_>,
    bytes: &mut [u8; INLINE_BYTES],
    words: &mut [*const c_char; MOST_WORDS],
) {
    let length = slate.rehearsed.load(Ordering::Relaxed);
    if matches!(peek(job, RecvFlags::DONTWAIT), Err(Errno::AGAIN))
        && let Some((wanted, _)) = bytes.get(..length).and_then(|order| read(order, words))
    {
        std::hint::black_box(execute(&wanted));
        std::hint::black_box(take_order(job, &mut [], RecvFlags::PEEK));
    }
}

/// What is never executed: nothing lies below a device. A keeper makes it once for all its wardens.
pub(super) fn nothing() -> &'static [u8] {
    static NOTHING: OnceLock<Vec<u8>> = OnceLock::new();
    NOTHING.get_or_init(|| {
        let mut env = vec![b"PATH=/dev/null".to_vec()];
        env.resize(40, vec![b'x'; 60]);
        let order = Order { argv: vec![b"nothing".to_vec()], env, ..Order::default() };
        Enclosed { cage: false, state: false, rules: false, view: None }.seal(&order, None)
    })
}

/// What waits on the socket.
enum Next {
    /// An order for whoever waits here.
    Ours,
    /// One that is for others.
    Other,
    /// No more orders.
    None,
}

/// Waits until there is an order, and leaves it where it is. It is ours where it has no cage, or
/// the one of these walls.
fn await_order(job: BorrowedFd<'_>, hedge: Option<&Hedge>) -> Next {
    let is_ours = |begin| match hedge {
        None => Enclosed::is_plain(begin),
        Some(hedge) => Enclosed::open(&begin)
            .is_some_and(|(_, enclosed)| enclosed.cage && enclosed.view == Some(hedge.number())),
    };
    loop {
        match peek(job, RecvFlags::empty()) {
            Ok((0, _)) => return Next::None,
            // A word for the command before this one: the owner says it again.
            Ok((1, _)) => {
                let _ = rustix::net::recv(job, &mut [0u8; 1], RecvFlags::DONTWAIT);
            }
            Ok((length, begin)) if length <= INLINE_BYTES && is_ours(begin) => return Next::Ours,
            Ok(_) => return Next::Other,
            // A reset is told once, and then come the last messages or the end.
            Err(Errno::INTR | Errno::CONNRESET) => {}
            Err(_) => return Next::None,
        }
    }
}

/// The length of the message that waits, and how it begins.
fn peek(
    job: BorrowedFd<'_>,
    also: RecvFlags,
) -> std::result::Result<(usize, [u8; Enclosed::BYTES]), Errno> {
    let mut begin = [0u8; Enclosed::BYTES];
    let flags = RecvFlags::PEEK | RecvFlags::TRUNC | also;
    rustix::net::recv(job, &mut begin, flags).map(|(_, length)| (length, begin))
}

/// Takes the order that waits: its length and its descriptors.
fn take_order(
    job: BorrowedFd<'_>,
    bytes: &mut [u8],
    also: RecvFlags,
) -> Option<(usize, [Option<OwnedFd>; MOST_FDS])> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT | also;
    let got = loop {
        match rustix::net::recvmsg(job, &mut [IoSliceMut::new(bytes)], &mut ancillary, flags) {
            Ok(got) => break got,
            Err(Errno::INTR | Errno::CONNRESET) => {}
            Err(_) => return None,
        }
    };
    let whole = !got.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC);
    let mut fds = [const { None }; MOST_FDS];
    let received = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(received) => Some(received),
        _ => None,
    });
    received.flatten().zip(&mut fds).for_each(|(fd, place)| *place = Some(fd));
    (whole && got.bytes > 0).then_some((got.bytes, fds))
}

fn prepare(
    wanted: &Wanted<'_>,
    enclosed: Enclosed,
    fds: &[Option<OwnedFd>; MOST_FDS],
) -> std::result::Result<(), Errno> {
    let [Some(input), Some(output), Some(error), state, _rules] = fds else {
        return Err(Errno::BADF);
    };
    let state = state.as_ref().filter(|_| enclosed.state);
    after_fork::take_streams([input, output, error], state)?;
    if wanted.terminal {
        rustix::process::ioctl_tiocsctty(input)?;
    }
    after_fork::hold(&wanted.ceilings)
}

#[cfg(test)]
mod tests;
