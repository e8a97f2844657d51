//! Signals as descriptors, and a clean slate for children.

use crate::error::{Error, Result};
use rustix::fd::OwnedFd;
use std::os::fd::FromRawFd;

/// The kernel's signals are numbered from 1 to this.
const LAST_SIGNAL: libc::c_int = 64;
/// The size of the kernel's own signal set, one bit for each.
const MASK_BYTES: usize = 8;

/// The kernel's form of an action: handler, flags, restorer, mask. All architectures that we run
/// on have it within these words, and zeroes mean the default in every order.
type KernelAction = [usize; 8];

static DEFAULT: KernelAction = [0; 8];

/// Blocks these signals in this thread and returns a descriptor that they can be read from.
pub(crate) fn block_and_listen(signals: &[i32]) -> Result<OwnedFd> {
    let set = set_of(signals);
    // SAFETY: `set` is an initialised signal set that outlives the call; a null old set is allowed
    // and means that the previous mask is not wanted (sigprocmask(2)).
    let errno = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
    if errno != 0 {
        let source = std::io::Error::from_raw_os_error(errno);
        return Err(Error::Call { what: "block signals", source });
    }
    // SAFETY: -1 asks for a new descriptor, and `set` is an initialised set (signalfd(2)).
    let fd = unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
    if fd < 0 {
        return Err(Error::last("make a signal descriptor"));
    }
    // SAFETY: signalfd returned this descriptor just now, so nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A file that may not grow any more is an error for this process from now on, and not its end: who
/// started it may have set a limit that its own files have reached. Commands do not inherit this.
pub fn survive_full_files() {
    // SAFETY: ignoring a signal installs no handler (signal(2)).
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Whether this process was started with the signal ignored, as `nohup` does it.
pub(crate) fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a null new action changes nothing, and the old one is written to a whole sigaction
    // that outlives the call (sigaction(2)).
    let answer = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: zeroes are a valid sigaction, and the call can only have filled it.
    let action = unsafe { action.assume_init() };
    answer == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// Takes one signal off the descriptor; `None` where there is none.
pub(crate) fn take(fd: &OwnedFd) -> Option<i32> {
    let mut record = [0u8; size_of::<libc::signalfd_siginfo>()];
    let got = rustix::io::read(fd, &mut record).ok()?;
    if got != record.len() {
        return None;
    }
    // The first field of the record is the signal's number (signalfd(2), ssi_signo).
    let number = record.first_chunk::<4>().map(|bytes| u32::from_ne_bytes(*bytes))?;
    i32::try_from(number).ok()
}

/// Every signal back to its default and none blocked: what is ignored or blocked would survive
/// the exec, and a command that inherits an ignored SIGPIPE never ends behind `| head`.
pub(crate) fn reset_all() {
    for signal in 1..=LAST_SIGNAL {
        // SAFETY: an action of zeroes is SIG_DFL without flags and with an empty mask, so no
        // handler of ours can run; the kernel takes its mask as eight bytes and answers with an
        // error for the two signals that cannot be changed. The library's own call would refuse
        // 32 and 33, which it keeps for itself and which a parent may have left ignored.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                &raw const DEFAULT,
                std::ptr::null_mut::<KernelAction>(),
                MASK_BYTES,
            )
        };
    }
    unblock_all();
}

/// No signal blocked.
pub(crate) fn unblock_all() {
    let none = set_of(&[]);
    // SAFETY: `none` is an initialised set that outlives the call; the old set is not wanted.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut()) };
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset initialises the whole set that the pointer leads to.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: sigemptyset above initialised it.
    let mut set = unsafe { set.assume_init() };
    for signal in signals {
        // SAFETY: `set` is initialised, and a number out of range is answered with an error.
        unsafe { libc::sigaddset(&mut set, *signal) };
    }
    set
}
