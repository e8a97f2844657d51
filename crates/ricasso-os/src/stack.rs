//! A stack of our own size, where the caller's limit (`ulimit -s`) leaves the main thread less.
//!
//! A second thread would have one too, but a program that is its own keeper forks, and may have no
//! second thread. Nor is the limit itself raised: commands inherit it as the caller set it.

use crate::error::{Error, Result};
use crate::limits;
use rustix::process::Resource;
use std::ffi::c_void;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

/// What Linux gives by default, and what the bounds on nested texts were tried with.
const ROOM_BYTES: usize = 8 * 1024 * 1024;
/// Below the stack, so that one who needs more ends and writes over nothing; as large as the
/// largest pages that Linux has.
const GUARD_BYTES: usize = 64 * 1024;
/// Above the first frame, which the compiler knows nothing of: who walks the stack for a message
/// finds zeroes there, and stops.
const HEAD_BYTES: usize = 4096;

/// A thread of ours and the buffers of a job; with less an allocation may fail on the way, which
/// ends a program without a word that helps.
const LEAST_BYTES: usize = 4 * 1024 * 1024;

/// Runs this with as much stack as Linux gives by default, whatever the caller's limit is, and with
/// some memory to begin with.
pub fn with_room<T>(act: impl FnOnce() -> T) -> Result<T> {
    if limits::bounds_memory() {
        drop(Memory::of(LEAST_BYTES).map_err(failed("take 4 MiB of memory"))?);
    }
    let is_roomy = limits::of(Resource::Stack).is_ok_and(|limit| limit.soft >= ROOM_BYTES as u64);
    if is_roomy || !CAN_MOVE {
        return Ok(act());
    }
    let call = Call { act: Some(act), done: None };
    let what = "make a stack of 8 MiB, where the caller's limit leaves less (ulimit -s)";
    let stack = Stack::of(ROOM_BYTES).map_err(failed(what))?;
    call.on(&stack).or_else(|panic| resume_unwind(panic))
}

struct Call<T, F> {
    act: Option<F>,
    done: Option<std::thread::Result<T>>,
}

impl<T, F: FnOnce() -> T> Call<T, F> {
    fn on(mut self, stack: &Stack) -> std::thread::Result<T> {
        let with = (&raw mut self).cast::<c_void>();
        // SAFETY: nobody else uses the stack, which is borrowed until the call returned; sixteen
        // divides its top; and `enter` of this very type takes the pointer for what it is.
        unsafe { call_on(stack.top(), Self::enter, with) };
        self.done.expect("enter leaves an answer, whatever becomes of the act")
    }

    /// The first frame. No panic goes beyond it: nobody could unwind across two stacks.
    extern "C" fn enter(with: *mut c_void) {
        // SAFETY: `on` passes its own value of this type, and does not touch it until this
        // returned.
        let call = unsafe { &mut *with.cast::<Self>() };
        call.done = call.act.take().map(|act| catch_unwind(AssertUnwindSafe(act)));
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Call { what, source }
}

/// Memory that is this value's own.
#[derive(Debug)]
struct Memory {
    base: *mut c_void,
    bytes: usize,
}

impl Memory {
    fn of(bytes: usize) -> io::Result<Memory> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a null address lets the kernel choose one, so no other mapping is touched
        // (mmap(2)).
        let base = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Memory { base, bytes })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and whoever used it has returned. A failure
        // leaves it where it is (munmap(2)).
        unsafe { libc::munmap(self.base, self.bytes) };
    }
}

/// Mapped, and not taken from the heap: that may hand out memory that was used before and must be
/// cleared, which touches every page.
#[derive(Debug)]
pub(crate) struct Stack(Memory);

impl Stack {
    /// One with room for so many bytes.
    pub(crate) fn of(bytes: usize) -> io::Result<Stack> {
        let memory = Memory::of(GUARD_BYTES + bytes + HEAD_BYTES)?;
        // SAFETY: these are the lowest bytes of the mapping above, which nothing points into yet
        // (mprotect(2)).
        match unsafe { libc::mprotect(memory.base, GUARD_BYTES, libc::PROT_NONE) } {
            0 => Ok(Stack(memory)),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Where it begins: stacks grow downwards.
    pub(crate) fn top(&self) -> *mut c_void {
        self.0.base.wrapping_byte_add(self.0.bytes - HEAD_BYTES)
    }
}

/// Whether we know how to change stacks here.
const CAN_MOVE: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Calls on another stack, and comes back.
///
/// # Safety
///
/// Below `top`, which sixteen divides, lies a stack that nobody else uses, and `act` takes `with`.
#[cfg(target_arch = "x86_64")]
unsafe fn call_on(top: *mut c_void, act: extern "C" fn(*mut c_void), with: *mut c_void) {
    // SAFETY: the callee keeps r12, which the C convention demands of it, so the old stack is back
    // when the block ends; all else that it may change is named.
    unsafe {
        std::arch::asm!(
            "mov r12, rsp",
            "mov rsp, {top}",
            "call {act}",
            "mov rsp, r12",
            top = in(reg) top,
            act = in(reg) act,
            in("rdi") with,
            out("r12") _,
            clobber_abi("C"),
        );
    }
}

/// The same.
///
/// # Safety
///
/// As above.
#[cfg(target_arch = "aarch64")]
unsafe fn call_on(top: *mut c_void, act: extern "C" fn(*mut c_void), with: *mut c_void) {
    // SAFETY: the callee keeps x20, which the C convention demands of it, so the old stack is back
    // when the block ends; all else that it may change is named.
    unsafe {
        std::arch::asm!(
            "mov x20, sp",
            "mov sp, {top}",
            "blr {act}",
            "mov sp, x20",
            top = in(reg) top,
            act = in(reg) act,
            in("x0") with,
            out("x20") _,
            clobber_abi("C"),
        );
    }
}

/// Never called: see `CAN_MOVE`.
///
/// # Safety
///
/// None is needed.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn call_on(_: *mut c_void, act: extern "C" fn(*mut c_void), with: *mut c_void) {
    act(with);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on a new stack whatever the limit is.
    fn moved<T>(act: impl FnOnce() -> T) -> std::thread::Result<T> {
        Call { act: Some(act), done: None }.on(&Stack::of(ROOM_BYTES).unwrap())
    }

    /// Goes down until the stack has grown by so many bytes.
    fn deep(from: usize, bytes: usize) -> usize {
        let frame = std::hint::black_box([0u8; 1024]);
        let here = (&raw const frame).addr();
        if from - here >= bytes { from - here } else { deep(from, bytes).max(frame.len()) }
    }

    fn deep_by(bytes: usize) -> usize {
        let frame = std::hint::black_box(0u8);
        deep((&raw const frame).addr(), bytes)
    }

    #[test]
    fn what_runs_on_a_stack_of_our_own_returns_and_may_go_deep() {
        let here = 7;
        assert_eq!(moved(|| here + 1).unwrap(), 8);
        // The thread of this test has two megabytes.
        assert!(moved(|| deep_by(7 << 20)).unwrap() >= 7 << 20);
        assert_eq!(moved(|| moved(|| String::from("inner")).unwrap()).unwrap(), "inner");
    }

    #[test]
    fn a_panic_on_a_stack_of_our_own_is_one_of_the_caller() {
        let panic = moved(|| panic!("as usual")).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"as usual"));
    }

    #[test]
    fn with_room_gives_what_was_returned() {
        assert_eq!(with_room(|| 3).unwrap(), 3);
    }
}
