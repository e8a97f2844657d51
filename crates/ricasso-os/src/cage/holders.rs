//! Places in the session's /tmp that something is mounted on.
//!
//! Commands before this one could write there, and others do so now: what is in the way is taken
//! away, no link is followed, and the directories above stay where they are.

use super::mounts::{TMP, lay_over_itself};
use super::raw;
use super::shared_tmp::HOLDER;
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, mkdir, open, openat2};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Whether a path lies in a /tmp that one of the layers before it is, and in no other of them.
pub(super) fn is_in_tmp(path: &Path, before: &[PathBuf]) -> bool {
    let tmp = Path::new(TMP);
    let above = |layer: &&PathBuf| path.starts_with(layer) && layer.starts_with(tmp);
    path != tmp
        && path.starts_with(tmp)
        && before.iter().any(|layer| layer == tmp)
        && before.iter().filter(above).all(|layer| layer == tmp)
}

/// Lays a tree over such a place.
pub(super) fn place(path: &Path, tree: &OwnedFd) -> Result<(), Errno> {
    let rest = path.strip_prefix(TMP).map_err(|_| Errno::INVAL)?;
    let is_directory =
        FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode) == FileType::Directory;
    let mut at = PathBuf::from(TMP);
    let mut parts = rest.components().peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        if parts.peek().is_some() {
            hold_directory(&at)?;
            lay_over_itself(&at, 0)?;
        } else if is_directory {
            hold_directory(&at)?;
        } else {
            hold_file(&at)?;
        }
    }
    let tmp = open(TMP, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let (flags, how) = (OFlags::PATH | OFlags::CLOEXEC, ResolveFlags::BENEATH);
    let held = openat2(&tmp, rest, flags, Mode::empty(), how | ResolveFlags::NO_SYMLINKS)?;
    raw::attach_at(tree, &held)
}

fn hold_directory(path: &Path) -> Result<(), Errno> {
    if kind_of(path).is_some_and(|kind| kind != FileType::Directory) {
        rustix::fs::unlink(path)?;
    }
    match mkdir(path, Mode::from_raw_mode(HOLDER)) {
        Ok(()) => Ok(()),
        // A command before may have changed its mode, and nobody would find the way through it.
        Err(Errno::EXIST) => open_up(path),
        Err(errno) => Err(errno),
    }
}

/// Gives a directory that is ours the mode of a holder again, if it lacks some of it. Whoever
/// builds a view may open it whatever its mode is.
fn open_up(path: &Path) -> Result<(), Errno> {
    let found = rustix::fs::lstat(path)?;
    if found.st_mode & HOLDER == HOLDER || found.st_uid != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    // The hold is on the directory itself, so that no link is followed.
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = open(path, flags, Mode::empty())?;
    rustix::fs::fchmod(&held, Mode::from_raw_mode(found.st_mode & 0o7777 | HOLDER))
}

fn hold_file(path: &Path) -> Result<(), Errno> {
    match kind_of(path) {
        Some(FileType::RegularFile) => return Ok(()),
        Some(FileType::Directory) => rustix::fs::rmdir(path)?,
        Some(_) => rustix::fs::unlink(path)?,
        None => {}
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    open(path, flags, Mode::empty()).map(drop)
}

/// What is there, itself and not what it leads to.
fn kind_of(path: &Path) -> Option<FileType> {
    rustix::fs::lstat(path).ok().map(|found| FileType::from_raw_mode(found.st_mode))
}
