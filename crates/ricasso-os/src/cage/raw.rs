//! System calls that neither rustix nor libc wrap: mounts, namespaces, prctl. No decisions.

use rustix::io::Errno;
use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// No change to the files below.
pub(super) const READ_ONLY: u64 = 1;
/// No program below gains rights by its mode.
pub(super) const NO_SUID: u64 = 2;
/// No device below can be opened.
pub(super) const NO_DEVICES: u64 = 4;
/// No program below can be started or mapped.
pub(super) const NO_EXEC: u64 = 8;

const AT_EMPTY_PATH: libc::c_uint = 0x1000;
const AT_RECURSIVE: libc::c_uint = 0x8000;
const OPEN_TREE_CLONE: libc::c_uint = 1;
const OPEN_TREE_CLOEXEC: libc::c_uint = 0o2_000_000;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
/// A link at the end of the target is followed.
const MOVE_MOUNT_T_SYMLINKS: libc::c_uint = 0x10;
const MOVE_MOUNT_T_EMPTY_PATH: libc::c_uint = 0x40;

/// The kernel's `struct mount_attr` (mount_setattr(2)).
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns: u64,
}

/// What a call on a tree reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// This mount alone.
    One,
    /// The mounts below it too.
    All,
}

impl Depth {
    fn flag(self) -> libc::c_uint {
        match self {
            Depth::One => 0,
            Depth::All => AT_RECURSIVE,
        }
    }
}

/// A path as the kernel takes it.
pub(super) fn c_path(path: &Path) -> Result<CString, Errno> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)
}

/// The answer of a system call made through libc.
pub(super) fn answer(value: libc::c_long) -> Result<libc::c_long, Errno> {
    if value >= 0 {
        return Ok(value);
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL))
}

/// A copy of the mount that a path leads to, not yet seen by anybody.
pub(super) fn clone_tree(path: &CStr, depth: Depth) -> Result<OwnedFd, Errno> {
    copy(path, depth.flag())
}

/// The same of a link itself.
pub(super) fn clone_link(path: &CStr) -> Result<OwnedFd, Errno> {
    copy(path, libc::AT_SYMLINK_NOFOLLOW as libc::c_uint)
}

fn copy(path: &CStr, more: libc::c_uint) -> Result<OwnedFd, Errno> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | more;
    // SAFETY: `path` is NUL-terminated and outlives the call; the flags ask for a new descriptor.
    let fd = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) };
    let fd = answer(fd)?;
    // SAFETY: open_tree returned this descriptor just now, so nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Puts a copied tree over what a path leads to.
pub(super) fn attach(tree: &OwnedFd, place: &CStr) -> Result<(), Errno> {
    move_to(tree, place, MOVE_MOUNT_T_SYMLINKS)
}

/// Puts a copied tree over what is held.
pub(super) fn attach_at(tree: &OwnedFd, held: &OwnedFd) -> Result<(), Errno> {
    let flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    let (from, to) = (tree.as_raw_fd(), held.as_raw_fd());
    // SAFETY: both descriptors are borrowed, and the empty paths are NUL-terminated and static.
    let done =
        unsafe { libc::syscall(libc::SYS_move_mount, from, c"".as_ptr(), to, c"".as_ptr(), flags) };
    answer(done).map(drop)
}

/// Puts a copied link over a link, which cannot be removed or renamed then.
pub(super) fn attach_to_link(link: &OwnedFd, place: &CStr) -> Result<(), Errno> {
    move_to(link, place, 0)
}

fn move_to(tree: &OwnedFd, place: &CStr, more: libc::c_uint) -> Result<(), Errno> {
    let flags = MOVE_MOUNT_F_EMPTY_PATH | more;
    // SAFETY: the descriptor is borrowed, and both paths are NUL-terminated and outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            place.as_ptr(),
            flags,
        )
    };
    answer(done).map(drop)
}

/// Sets flags of the mount at a path and makes it private to this namespace.
pub(super) fn seal(path: &CStr, depth: Depth, set: u64) -> Result<(), Errno> {
    set_attributes((libc::AT_FDCWD, path), depth.flag(), (set, 0), libc::MS_PRIVATE)
}

/// Sets flags of a copied tree.
pub(super) fn seal_tree(tree: &OwnedFd, depth: Depth, set: u64) -> Result<(), Errno> {
    set_attributes((tree.as_raw_fd(), c""), depth.flag() | AT_EMPTY_PATH, (set, 0), 0)
}

/// Lets a device be used that was copied from where none can be. The kernel refuses that where
/// somebody with more rights forbade it.
pub(super) fn allow_device(device: &OwnedFd) -> Result<(), Errno> {
    set_attributes((device.as_raw_fd(), c""), AT_EMPTY_PATH, (0, NO_DEVICES), 0)
}

fn set_attributes(
    (at, path): (i32, &CStr),
    flags: libc::c_uint,
    (set, clear): (u64, u64),
    propagation: u64,
) -> Result<(), Errno> {
    let attributes = MountAttr { set, clear, propagation, userns: 0 };
    // SAFETY: `path` is NUL-terminated, `attributes` is a whole mount_attr of the size that is
    // given, and both outlive the call (mount_setattr(2)).
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttr>(),
        )
    };
    answer(done).map(drop)
}

/// Mounts a new file system.
pub(super) fn mount(
    kind: &CStr,
    place: &CStr,
    flags: libc::c_ulong,
    options: &CStr,
) -> Result<(), Errno> {
    // SAFETY: all three strings are NUL-terminated and outlive the call (mount(2)).
    let done = unsafe {
        libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast())
    };
    answer(done.into()).map(drop)
}

/// Lays what one path leads to over what another one does. One call instead of the three that a
/// copied tree takes.
pub(super) fn bind(from: &CStr, to: &CStr) -> Result<(), Errno> {
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: both paths are NUL-terminated and outlive the call, which takes no kind of file
    // system and no options with this flag (mount(2)).
    let done = unsafe { libc::mount(from.as_ptr(), to.as_ptr(), none, libc::MS_BIND, none.cast()) };
    answer(done.into()).map(drop)
}

/// Leaves the namespaces named by the flags for new ones.
pub(super) fn unshare(flags: libc::c_int) -> Result<(), Errno> {
    // SAFETY: unshare takes no memory of ours; the callers have one thread (unshare(2)).
    answer(unsafe { libc::unshare(flags) }.into()).map(drop)
}

/// Enters the namespace behind a descriptor.
pub(super) fn enter(namespace: &OwnedFd, kind: libc::c_int) -> Result<(), Errno> {
    // SAFETY: the descriptor is borrowed and stays open during the call (setns(2)).
    answer(unsafe { libc::setns(namespace.as_raw_fd(), kind) }.into()).map(drop)
}

/// One of the many settings of this process.
pub(super) fn prctl(option: libc::c_int, value: libc::c_ulong) -> Result<(), Errno> {
    prctl_value(option, value).map(drop)
}

/// The same, with what it answers.
pub(super) fn prctl_value(
    option: libc::c_int,
    value: libc::c_ulong,
) -> Result<libc::c_long, Errno> {
    let none: libc::c_ulong = 0;
    // SAFETY: none of the options that are used here takes a pointer (prctl(2)).
    answer(unsafe { libc::prctl(option, value, none, none, none) }.into())
}

/// Maps this process's own user and group onto themselves in a user namespace made just now.
///
/// It is written through a hold on this process's place in /proc, which in a view is read-only.
pub(super) fn map_self(own: &OwnedFd, uid: u32, gid: u32) -> Result<(), Errno> {
    write_file(own, c"setgroups", b"deny")?;
    write_file(own, c"uid_map", format!("{uid} {uid} 1").as_bytes())?;
    write_file(own, c"gid_map", format!("{gid} {gid} 1").as_bytes())
}

/// This process's place in /proc.
pub(super) fn own_place() -> Result<OwnedFd, Errno> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(c"/proc/self", flags, Mode::empty())
}

fn write_file(at: &OwnedFd, name: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    use rustix::fs::{Mode, OFlags};
    let file = rustix::fs::openat(at, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, bytes).map(drop)
}
