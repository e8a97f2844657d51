//! Limits that this process was started with, and what of them we change for ourselves.

use crate::error::{Error, Result};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, setrlimit};

/// With so many descriptors every kind of job starts in a cage; with eight less the view of one
/// with a script or a terminal is not built, with twelve less none.
const LEAST_FILES: u64 = 32;
/// What Linux gives by default; an owner of many jobs needs some for each.
const USUAL_FILES: u64 = 1024;

/// A limit of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}

/// Asked for by hand: the library cannot imagine that a filter round us refuses even that.
pub(crate) fn of(resource: Resource) -> std::result::Result<Limit, Errno> {
    let mut of = std::mem::MaybeUninit::<libc::rlimit64>::zeroed();
    let none = std::ptr::null::<libc::rlimit64>();
    // SAFETY: the last pointer leads to a whole rlimit64, which the call fills; nothing is set
    // (prlimit(2)).
    let answer = unsafe {
        libc::syscall(libc::SYS_prlimit64, 0, resource as libc::c_uint, none, of.as_mut_ptr())
    };
    if answer < 0 {
        return Err(crate::after_fork::last_errno());
    }
    // SAFETY: it was zeroed, which is a valid rlimit64, and the call above filled it.
    let of = unsafe { of.assume_init() };
    Ok(Limit { soft: of.rlim_cur, hard: of.rlim_max })
}

/// Whether somebody bounded the memory of this process.
pub(crate) fn bounds_memory() -> bool {
    let bounded = |resource| of(resource).is_ok_and(|limit| limit.soft != libc::RLIM64_INFINITY);
    bounded(Resource::As) || bounded(Resource::Data)
}

/// Whether this process may open as many files as a job needs.
pub(crate) fn enough_files() -> Result<()> {
    match of(Resource::Nofile) {
        Ok(limit) if limit.soft < LEAST_FILES => {
            Err(Error::FewFiles { limit: limit.soft, least: LEAST_FILES })
        }
        // Who may not ask finds out.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Lets this process open as many files as is usual, where its caller set a lower limit that may
/// be raised. Tells what it was, for commands; nothing where nothing was changed.
pub(crate) fn more_files() -> Option<u64> {
    let limit = of(Resource::Nofile).ok()?;
    let soft = USUAL_FILES.min(limit.hard);
    if limit.soft >= soft {
        return None;
    }
    let wanted = Rlimit { current: Some(soft), maximum: Some(limit.hard) };
    setrlimit(Resource::Nofile, wanted).ok().map(|()| limit.soft)
}
