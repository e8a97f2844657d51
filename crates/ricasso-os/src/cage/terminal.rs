//! The name of the command's own terminal. The cage has a list of terminals of its own, in which
//! those of the machine have no names, and one without a name makes `tty`, `ssh` and `gpg` say
//! that there is none.

use super::raw::{self, Depth, NO_EXEC, NO_SUID, READ_ONLY};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::CString;
use std::path::PathBuf;

/// Places of the list that are taken, for a moment, to get at the right one. A machine with more
/// terminals leaves this one without a name.
const MOST_NUMBER: u32 = 1024;
/// The kernel's numbers for pseudo terminals: 256 of each.
const MAJORS: std::ops::RangeInclusive<u32> = 136..=143;

/// A terminal of the machine, held before the list of the cage covers its name.
pub(super) struct Terminal {
    tree: OwnedFd,
    number: u32,
}

/// Holds the command's end of a terminal; nothing where it is none, or has no name here.
pub(super) fn hold(end: &OwnedFd) -> Option<Terminal> {
    let number = number_of(end)?;
    let path = name(number)?;
    let tree = (number <= MOST_NUMBER).then(|| raw::clone_tree(&path, Depth::One))?.ok()?;
    raw::seal_tree(&tree, Depth::One, READ_ONLY | NO_SUID | NO_EXEC).ok()?;
    // In a view that was made before, devices of the machine are shut.
    let _ = raw::allow_device(&tree);
    Some(Terminal { tree, number })
}

/// The path of the terminal that is this process's standard input; nothing where it is none.
pub(super) fn path_of_stdin() -> Option<PathBuf> {
    Some(format!("/dev/pts/{}", number_of(rustix::stdio::stdin())?).into())
}

/// The number under which the machine lists a terminal; nothing where another one has its name.
fn number_of(end: impl AsFd) -> Option<u32> {
    let device = rustix::fs::fstat(end).ok()?.st_rdev;
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let number = MAJORS.contains(&major).then(|| (major - MAJORS.start()) * 256 + minor)?;
    let same = rustix::fs::stat(name(number)?).is_ok_and(|found| found.st_rdev == device);
    same.then_some(number)
}

impl Terminal {
    /// Shows it under its number in the list of the cage, and opens it there anew for the streams:
    /// as they came, mode, owner and times of the machine's own entry could be changed by them.
    /// What is returned keeps that place taken: the name is there for as long as it is held.
    pub(super) fn show(self, streams: &[OwnedFd; 3]) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        // The kernel gives out the lowest number that is free; the lower ones go again here.
        let mut lower = Vec::new();
        let taken = loop {
            let taken = rustix::fs::open(c"/dev/pts/ptmx", flags, Mode::empty())?;
            if lower.len() as u32 == self.number {
                break taken;
            }
            lower.push(taken);
        };
        let path = name(self.number).ok_or(Errno::NOENT)?;
        raw::attach(&self.tree, &path)?;
        let sealed = rustix::fs::open(&path, flags, Mode::empty())?;
        streams.iter().try_for_each(|stream| replace(stream, &sealed))?;
        Ok(taken)
    }
}

/// Puts another opening of the same terminal in the place of one; what is none stays.
fn replace(stream: &OwnedFd, sealed: &OwnedFd) -> Result<(), Errno> {
    if rustix::fs::fstat(stream)?.st_rdev != rustix::fs::fstat(sealed)?.st_rdev {
        return Ok(());
    }
    let (from, to) = (sealed.as_raw_fd(), stream.as_raw_fd());
    // SAFETY: both descriptors are borrowed, so they are open; the second keeps its number and its
    // owner, and only what it leads to is another opening of the same device (dup(2)).
    raw::answer(unsafe { libc::dup3(from, to, libc::O_CLOEXEC) }.into()).map(drop)
}

fn name(number: u32) -> Option<CString> {
    CString::new(format!("/dev/pts/{number}")).ok()
}
