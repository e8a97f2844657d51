//! Every capability away, for good.

use super::raw;
use rustix::io::Errno;

/// More than the kernel has; it answers EINVAL beyond its last one.
const MOST_CAPABILITIES: libc::c_ulong = 64;
/// NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock (capabilities(7)).
const SECURE_BITS: libc::c_ulong = 0b1100_1111;
/// `_LINUX_CAPABILITY_VERSION_3`.
const VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

/// Nothing effective, permitted, inheritable, ambient or to be had by executing.
pub(crate) fn drop_all() -> Result<(), Errno> {
    // Both need CAP_SETPCAP; whoever has it not has nothing to lose either.
    let _ = raw::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS);
    for number in 0..MOST_CAPABILITIES {
        // To ask is a tenth of the price of dropping, and mostly somebody above us has dropped it.
        match raw::prctl_value(libc::PR_CAPBSET_READ, number) {
            Ok(0) => {}
            Ok(_) if raw::prctl(libc::PR_CAPBSET_DROP, number).is_ok() => {}
            Ok(_) | Err(_) => break,
        }
    }
    let header = Header { version: VERSION, pid: 0 };
    let none = [[0u32; 3]; 2];
    // SAFETY: version 3 takes a header and two blocks of three words, which outlive the call;
    // pid 0 means this thread (capset(2)).
    let done = unsafe { libc::syscall(libc::SYS_capset, &raw const header, &raw const none) };
    raw::answer(done).map(drop)
}
