//! The stack of a process that shares its parent's memory.

use rustix::io::Errno;
use std::ptr;

/// What such processes do before they execute or end needs a tenth of it.
const BYTES: usize = 256 * 1024;
/// What runs over its end meets a page that cannot be touched. Pages are 64 KiB at most.
const GUARD_BYTES: usize = 64 * 1024;

/// Mapped, and not taken from the heap: that may hand out memory that was used before and must be
/// cleared, which touches every page.
#[derive(Debug)]
pub(super) struct Stack(*mut libc::c_void);

impl Stack {
    pub(super) fn new() -> Result<Stack, Errno> {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE);
        let flags = flags | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping anywhere, of memory that nobody else knows (mmap(2)).
        let base =
            unsafe { libc::mmap(ptr::null_mut(), GUARD_BYTES + BYTES, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(crate::after_fork::last_errno());
        }
        let stack = Stack(base);
        // SAFETY: the beginning of the mapping above, in which nothing lies yet (mprotect(2)).
        match unsafe { libc::mprotect(base, GUARD_BYTES, libc::PROT_NONE) } {
            0 => Ok(stack),
            _ => Err(crate::after_fork::last_errno()),
        }
    }

    /// Where it begins: stacks grow downwards.
    pub(super) fn top(&self) -> *mut libc::c_void {
        // SAFETY: the end of the mapping, which is one past its last byte.
        unsafe { self.0.byte_add(GUARD_BYTES + BYTES) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, whole; whoever ran on it has executed or ended.
        unsafe { libc::munmap(self.0, GUARD_BYTES + BYTES) };
    }
}
