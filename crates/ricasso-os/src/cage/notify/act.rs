//! The changes themselves, done on an object that is held.

use super::memory::{Asker, Named};
use super::{FCHMODAT2, raw};
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;
use std::ffi::CString;

/// The kernel takes no longer name or value of an attribute (xattr(7)).
const MOST_NAME_BYTES: usize = 256;
const MOST_VALUE_BYTES: u64 = 64 * 1024;
pub(super) const NO_FOLLOW: u64 = 0x100;
pub(super) const EMPTY_PATH: u64 = 0x1000;

/// Which object a call names.
pub(super) fn named(call: libc::c_long, arguments: &[u64; 6]) -> Named {
    let [first, second, _, fourth, fifth, _] = *arguments;
    let by_path = |link| Named { at: libc::AT_FDCWD, path: Some(first), link, empty: false };
    let beneath = |flags: u64| Named {
        at: first as i32,
        path: (second != 0).then_some(second),
        link: flags & NO_FOLLOW != 0,
        empty: flags & EMPTY_PATH != 0,
    };
    match call {
        libc::SYS_fchmod | libc::SYS_fchown | libc::SYS_fsetxattr | libc::SYS_fremovexattr => {
            Named { at: first as i32, path: None, link: false, empty: false }
        }
        libc::SYS_fchmodat => beneath(0),
        FCHMODAT2 | libc::SYS_utimensat => beneath(fourth),
        libc::SYS_fchownat => beneath(fifth),
        libc::SYS_lsetxattr | libc::SYS_lremovexattr => by_path(true),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_lchown => by_path(true),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_futimesat => beneath(0),
        _ => by_path(false),
    }
}

/// Does it.
pub(super) fn change(
    asker: &Asker,
    call: libc::c_long,
    arguments: &[u64; 6],
    object: BorrowedFd<'_>,
) -> Result<(), Errno> {
    let [_, second, third, fourth, fifth, _] = *arguments;
    match call {
        libc::SYS_fchmodat | FCHMODAT2 => mode(object, third as u32),
        libc::SYS_fchmod => mode(object, second as u32),
        libc::SYS_fchown => owner(object, second as u32, third as u32),
        libc::SYS_fchownat => owner(object, third as u32, fourth as u32),
        libc::SYS_utimensat => times(object, third, &|at| times_of(asker, at, 1)),
        libc::SYS_setxattr | libc::SYS_lsetxattr | libc::SYS_fsetxattr => {
            let name = attribute(asker, second)?;
            if fourth > MOST_VALUE_BYTES {
                return Err(Errno::TOOBIG);
            }
            let value = asker.bytes(third, fourth as usize)?;
            set_attribute(object, &name, &value, fifth as i32)
        }
        libc::SYS_removexattr | libc::SYS_lremovexattr | libc::SYS_fremovexattr => {
            remove_attribute(object, &attribute(asker, second)?)
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chmod => mode(object, second as u32),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chown | libc::SYS_lchown => owner(object, second as u32, third as u32),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utimes => times(object, second, &|at| times_of(asker, at, 1000)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_futimesat => times(object, third, &|at| times_of(asker, at, 1000)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utime => times(object, second, &|at| whole_seconds(asker, at)),
        _ => Err(Errno::NOSYS),
    }
}

fn mode(object: BorrowedFd<'_>, mode: u32) -> Result<(), Errno> {
    let (fd, path) = (object.as_raw_fd(), c"");
    // SAFETY: the descriptor is borrowed and the path is a constant (fchmodat2(2)).
    let done = unsafe { libc::syscall(FCHMODAT2, fd, path.as_ptr(), mode, EMPTY_PATH) };
    match raw::answer(done) {
        // A container that does not know the call refuses it.
        Err(Errno::NOSYS | Errno::PERM) => {}
        other => return other.map(drop),
    }
    let path = by_descriptor(object)?;
    // SAFETY: the path is NUL-terminated and outlives the call; it leads to the held object.
    raw::answer(unsafe { libc::chmod(path.as_ptr(), mode) }.into()).map(drop)
}

fn owner(object: BorrowedFd<'_>, user: u32, group: u32) -> Result<(), Errno> {
    let flags = EMPTY_PATH as i32;
    // SAFETY: the descriptor is borrowed and the path is a constant (fchownat(2)).
    let done = unsafe { libc::fchownat(object.as_raw_fd(), c"".as_ptr(), user, group, flags) };
    raw::answer(done.into()).map(drop)
}

type Times = [libc::timespec; 2];

/// Sets both times; a null address means now.
fn times(
    object: BorrowedFd<'_>,
    address: u64,
    read: &dyn Fn(u64) -> Result<Times, Errno>,
) -> Result<(), Errno> {
    let times = if address == 0 { None } else { Some(read(address)?) };
    let pointer = times.as_ref().map_or(std::ptr::null(), |times| times.as_ptr());
    // SAFETY: the descriptor is borrowed, the path is a constant, and the pointer is null or
    // leads to two times that outlive the call (utimensat(2)).
    let done = unsafe {
        libc::syscall(libc::SYS_utimensat, object.as_raw_fd(), c"".as_ptr(), pointer, EMPTY_PATH)
    };
    raw::answer(done).map(drop)
}

/// Two pairs of seconds and a part of a second, which counts so many nanoseconds.
fn times_of(asker: &Asker, address: u64, unit: i64) -> Result<Times, Errno> {
    let bytes = asker.bytes(address, 32)?;
    let number = |at: usize| -> i64 {
        let mut whole = [0u8; 8];
        whole.copy_from_slice(&bytes[at..at + 8]);
        i64::from_ne_bytes(whole)
    };
    let time =
        |at| libc::timespec { tv_sec: number(at), tv_nsec: number(at + 8).saturating_mul(unit) };
    Ok([time(0), time(16)])
}

#[cfg(target_arch = "x86_64")]
fn whole_seconds(asker: &Asker, address: u64) -> Result<Times, Errno> {
    let bytes = asker.bytes(address, 16)?;
    let time = |at: usize| {
        let mut whole = [0u8; 8];
        whole.copy_from_slice(&bytes[at..at + 8]);
        libc::timespec { tv_sec: i64::from_ne_bytes(whole), tv_nsec: 0 }
    };
    Ok([time(0), time(8)])
}

fn attribute(asker: &Asker, address: u64) -> Result<CString, Errno> {
    CString::new(asker.text(address, MOST_NAME_BYTES)?).map_err(|_| Errno::INVAL)
}

fn set_attribute(
    object: BorrowedFd<'_>,
    name: &CString,
    value: &[u8],
    flags: i32,
) -> Result<(), Errno> {
    let path = by_descriptor(object)?;
    // SAFETY: both texts are NUL-terminated, the value is as long as is said, and all outlive the
    // call (setxattr(2)).
    let done = unsafe {
        libc::setxattr(path.as_ptr(), name.as_ptr(), value.as_ptr().cast(), value.len(), flags)
    };
    raw::answer(done.into()).map(drop)
}

fn remove_attribute(object: BorrowedFd<'_>, name: &CString) -> Result<(), Errno> {
    let path = by_descriptor(object)?;
    // SAFETY: both texts are NUL-terminated and outlive the call (removexattr(2)).
    raw::answer(unsafe { libc::removexattr(path.as_ptr(), name.as_ptr()) }.into()).map(drop)
}

/// A path that leads to the held object and nowhere else.
fn by_descriptor(object: BorrowedFd<'_>) -> Result<CString, Errno> {
    CString::new(format!("/proc/self/fd/{}", object.as_raw_fd())).map_err(|_| Errno::INVAL)
}
