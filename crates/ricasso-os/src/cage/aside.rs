//! Children that borrow the memory of their parent, which stands still meanwhile: nothing is
//! copied for them.

use super::raw;
use crate::after_fork::leave;
use crate::stack::Stack;
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, Ordering};

/// The stack of a process that shares its parent's memory; what it does there, before it executes
/// or ends, needs a tenth of it.
const STACK_BYTES: usize = 256 * 1024;

/// A stack for such a process.
pub(super) fn stack() -> Result<Stack, Errno> {
    Stack::of(STACK_BYTES).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::NOMEM))
}

/// Bears a child that does `act` and ends, if it has not executed before; its number is returned
/// when it has done either. The flags name the signal of its end too. The caller has one thread.
pub(super) fn bear(flags: libc::c_int, act: &mut dyn FnMut()) -> Result<i32, Errno> {
    extern "C" fn enter(with: *mut libc::c_void) -> libc::c_int {
        // SAFETY: `with` leads to the reference below, which outlives this process's use of it: its
        // parent stands still until it executes or ends.
        let act = unsafe { &mut *with.cast::<&mut dyn FnMut()>() };
        act();
        leave()
    }
    let stack = stack()?;
    let mut with = act;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | flags;
    // SAFETY: `enter` never returns and ends in exec or exit; its stack is aligned, its own, and
    // lives until this call returns, as does what it is given. With CLONE_VFORK this process,
    // which has one thread, runs none of its code before then, so nothing is used by both at once.
    let pid = unsafe { libc::clone(enter, stack.top(), flags, (&raw mut with).cast()) };
    drop(stack);
    raw::answer(pid.into()).map(|pid| pid as i32)
}

/// What `act` comes to in a child in these new namespaces, which is gone then. It goes into other
/// namespaces and directories for itself alone, and opens files for both. If somebody kills it,
/// this process ends too: nobody knows what of its memory was half written.
pub(super) fn done<T>(
    spaces: libc::c_int,
    act: impl FnOnce() -> Result<T, Errno>,
) -> Result<T, Errno> {
    let (mut act, mut came) = (Some(act), None);
    let whole = AtomicBool::new(false);
    let pid = bear(libc::CLONE_FILES | spaces, &mut || {
        came = act.take().map(|act| act());
        whole.store(true, Ordering::Release);
    })?;
    // It has no signal of its end, which would wake whoever waits for children.
    // SAFETY: nothing is written where the pointer is null (waitpid(2)).
    while unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) } < 0
        && crate::after_fork::last_errno() == Errno::INTR
    {}
    if !whole.load(Ordering::Acquire) {
        leave();
    }
    came.unwrap_or(Err(Errno::INTR))
}

#[cfg(test)]
mod tests {
    use super::super::trial::try_in_a_child;
    use super::*;
    use rustix::fs::{Mode, OFlags};

    #[test]
    fn a_child_aside_opens_files_for_both_and_goes_elsewhere_alone() {
        // Among other threads of this program, so in a copy of it that has one.
        let alike = try_in_a_child(|| {
            let before = std::env::current_dir().ok();
            let opened = done(0, || {
                rustix::process::chdir(c"/")?;
                rustix::fs::open(c".", OFlags::PATH, Mode::empty())
            });
            let stays = std::env::current_dir().ok() == before && before.is_some();
            let lives = opened.is_ok_and(|fd| rustix::fs::fstat(&fd).is_ok());
            (stays && lives).then_some(()).ok_or(Errno::IO)
        });
        assert_eq!(alike, Ok(()));
    }

    #[test]
    fn what_fails_in_a_child_aside_is_told() {
        let told = try_in_a_child(|| done(0, || Err(Errno::NOSPC)));
        assert_eq!(told, Err(Errno::NOSPC));
    }
}
