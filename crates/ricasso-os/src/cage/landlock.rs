//! Landlock: which files a process and all below it may touch, bound to the objects themselves.

use super::raw;
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::FromRawFd;
use std::path::Path;

pub(super) const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
pub(super) const READ_FILE: u64 = 1 << 2;
pub(super) const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;
/// Connecting to a unix socket by its path.
const RESOLVE_UNIX: u64 = 1 << 16;
/// The version from which on unix sockets can be told apart by their path.
pub(super) const UNIX_BY_PATH: u32 = 9;
/// The version from which on truncating is held, without which files are not.
pub(crate) const TRUNCATE_HELD: u32 = 3;
/// The version from which on signals stay inside.
pub(crate) const SIGNALS_HELD: u32 = 6;

/// Reading, listing and starting.
pub(super) const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
/// Everything below a writable root, but for devices: nobody in a cage makes these.
pub(super) const WRITE: u64 = !(MAKE_CHAR | MAKE_BLOCK);
/// Using a device.
pub(super) const DEVICE: u64 = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;
/// Reaching a listener.
pub(super) const SOCKET: u64 = RESOLVE_UNIX;
/// The rights that a file can have; the others are for directories.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV | RESOLVE_UNIX;

/// Binding and connecting TCP.
const TCP: u64 = 3;
/// Abstract unix sockets, and signals, of processes outside.
const SCOPES: u64 = 3;

/// `struct landlock_ruleset_attr`.
#[repr(C)]
struct RulesetAttr {
    files: u64,
    net: u64,
    scopes: u64,
}

/// `struct landlock_path_beneath_attr`, which the kernel has without padding.
#[repr(C, packed)]
struct PathBeneath {
    rights: u64,
    fd: i32,
}

/// Whether TCP is among what the rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// No TCP at all.
    Shut,
    /// Not held by these rules.
    Free,
}

/// Rules that are being collected.
#[derive(Debug)]
pub(super) struct Ruleset {
    fd: OwnedFd,
    handled: u64,
}

/// The newest version that this kernel speaks; 0 where there is no Landlock.
pub(super) fn version() -> u32 {
    const ASK_VERSION: libc::c_uint = 1;
    let none = std::ptr::null::<RulesetAttr>();
    // SAFETY: with this flag the kernel takes no attributes and returns a number.
    let found = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0, ASK_VERSION) };
    u32::try_from(found).unwrap_or(0)
}

impl Ruleset {
    /// An empty set: nothing may be touched.
    pub(super) fn new(version: u32, tcp: Reach) -> Result<Ruleset, Errno> {
        let files = handled(version)?;
        let net = match tcp {
            Reach::Shut if version >= 4 => TCP,
            Reach::Shut | Reach::Free => 0,
        };
        // In an open network abstract sockets are open like those with a path.
        let scopes = match tcp {
            _ if version < SIGNALS_HELD => 0,
            Reach::Shut => SCOPES,
            Reach::Free => SCOPES & !1,
        };
        let attributes = RulesetAttr { files, net, scopes };
        let size = match version {
            0..=3 => 8,
            4 | 5 => 16,
            _ => size_of::<RulesetAttr>(),
        };
        // SAFETY: the attributes are as long as the size says and outlive the call.
        let fd = unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, &raw const attributes, size, 0)
        };
        let fd = raw::answer(fd)?;
        // SAFETY: the kernel returned this descriptor just now, so nobody else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as i32) };
        Ok(Ruleset { fd, handled: files })
    }

    /// Rules that somebody else began, for this version.
    pub(super) fn received(fd: BorrowedFd<'_>, version: u32) -> Result<Ruleset, Errno> {
        Ok(Ruleset { fd: rustix::io::fcntl_dupfd_cloexec(fd, 3)?, handled: handled(version)? })
    }

    /// The descriptor, to be handed to whoever is to be confined by it.
    pub(super) fn into_fd(self) -> OwnedFd {
        self.fd
    }

    /// Grants rights on what lies at a path and below. What is not there needs no rule.
    pub(super) fn grant(&self, path: &Path, rights: u64) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => self.grant_held(rustix::fd::AsFd::as_fd(&fd), rights),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Grants rights on an entry of a directory, of which is known what it is. One that cannot be
    /// taken hold of (a mount whose server is dead) gets no rule, and so no right.
    pub(super) fn grant_entry(
        &self,
        path: &Path,
        rights: u64,
        kind: FileType,
    ) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => match self.add(rustix::fd::AsFd::as_fd(&fd), rights, kind) {
                // Something else took its place in between.
                Err(Errno::INVAL) => self.grant_held(rustix::fd::AsFd::as_fd(&fd), rights),
                other => other,
            },
            Err(errno @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM)) => Err(errno),
            Err(_) => Ok(()),
        }
    }

    /// Grants rights on an object and what lies below it.
    pub(super) fn grant_held(&self, object: BorrowedFd<'_>, rights: u64) -> Result<(), Errno> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(object)?.st_mode);
        self.add(object, rights, kind)
    }

    fn add(&self, object: BorrowedFd<'_>, rights: u64, kind: FileType) -> Result<(), Errno> {
        const PATH_BENEATH: libc::c_uint = 1;
        let mut rights = rights & self.handled;
        if kind != FileType::Directory {
            rights &= OF_FILES;
        }
        if rights == 0 {
            return Ok(());
        }
        let rule = PathBeneath { rights, fd: object.as_raw_fd() };
        // SAFETY: `rule` is a whole attribute of the kind that is named, its descriptor is
        // borrowed, and both outlive the call.
        let done = unsafe {
            libc::syscall(
                libc::SYS_landlock_add_rule,
                self.fd.as_raw_fd(),
                PATH_BENEATH,
                &raw const rule,
                0,
            )
        };
        match raw::answer(done) {
            // Pipes and sockets behind /dev/stdin and its kin have no place among files, and the
            // rules say nothing about them.
            Ok(_) | Err(Errno::BADFD) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// From now on this process and all below it have no more than these rights.
    pub(super) fn restrict_self(&self) -> Result<(), Errno> {
        // SAFETY: the descriptor is borrowed; the call takes no memory of ours.
        let done =
            unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.fd.as_raw_fd(), 0) };
        raw::answer(done).map(drop)
    }
}

/// The rights on files that a version knows.
fn handled(version: u32) -> Result<u64, Errno> {
    Ok(match version {
        0 => return Err(Errno::NOSYS),
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        5..UNIX_BY_PATH => (1 << 16) - 1,
        _ => (1 << 17) - 1,
    })
}

/// Moving between directories is a right of its own from the second version on.
pub(super) const MOVE: u64 = REFER;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_28_reading_grants_three_rights_and_devices_no_more_than_they_need() {
        assert_eq!(READ, EXECUTE | READ_FILE | READ_DIR);
        assert_eq!(READ & WRITE_FILE, 0);
        assert_eq!(DEVICE & (EXECUTE | READ_DIR), 0);
    }
}
