//! Reading an asker's memory, and taking hold of what it names.

use super::raw;
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The kernel takes no longer path (PATH_MAX).
const MOST_PATH_BYTES: usize = 4096;
/// Memory is read in pieces that stay within one page.
const PAGE: u64 = 4096;

/// The thread that asks.
pub(super) struct Asker {
    pub(super) pid: i32,
}

/// What a call names, as it stands in its arguments.
pub(super) struct Named {
    /// A descriptor, or the working directory.
    pub(super) at: i32,
    /// The address of a path; none where the descriptor itself is meant.
    pub(super) path: Option<u64>,
    /// Whether a link at the end is meant itself.
    pub(super) link: bool,
    /// Whether an empty path means the descriptor.
    pub(super) empty: bool,
}

impl Asker {
    /// Bytes at an address; all or an error.
    pub(super) fn bytes(&self, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0u8; length];
        let ours = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: length };
        let theirs = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: length };
        // SAFETY: our vector leads to as many bytes as it says; theirs is only looked at by the
        // kernel, which answers EFAULT for what is not there (process_vm_readv(2)).
        let read = unsafe {
            libc::process_vm_readv(self.pid, &raw const ours, 1, &raw const theirs, 1, 0)
        };
        if raw::answer(read as libc::c_long)? as usize == length {
            Ok(bytes)
        } else {
            Err(Errno::FAULT)
        }
    }

    /// A text that ends in NUL, of at most so many bytes.
    pub(super) fn text(&self, address: u64, most: usize) -> Result<Vec<u8>, Errno> {
        let mut text = Vec::new();
        let mut at = address;
        while text.len() < most {
            let piece = (PAGE - at % PAGE).min((most - text.len()) as u64);
            let bytes = self.bytes(at, piece as usize)?;
            if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
                text.extend_from_slice(&bytes[..end]);
                return Ok(text);
            }
            text.extend(bytes);
            at += piece;
        }
        Err(Errno::NAMETOOLONG)
    }

    /// Takes hold of the object that a call names, as the asker sees it.
    pub(super) fn hold(&self, named: &Named) -> Result<OwnedFd, Errno> {
        let path = match named.path {
            None => return open(&self.base(named.at), Follow::Yes),
            Some(address) => self.text(address, MOST_PATH_BYTES)?,
        };
        if path.is_empty() {
            return match named.empty {
                true => open(&self.base(named.at), Follow::Yes),
                false => Err(Errno::NOENT),
            };
        }
        let follow = if named.link { Follow::No } else { Follow::Yes };
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        open(&self.seen_from_here(&path, named.at), follow)
    }

    /// The text of a path.
    pub(super) fn path_text(&self, address: u64) -> Result<Vec<u8>, Errno> {
        self.text(address, MOST_PATH_BYTES)
    }

    /// Takes hold of the directory or file that a path of the asker leads to.
    pub(super) fn hold_path(&self, path: &Path, at: i32) -> Result<OwnedFd, Errno> {
        open(&self.seen_from_here(path, at), Follow::Yes)
    }

    /// A path as the asker sees it, as a path of ours.
    pub(super) fn inside(&self, path: &Path) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.pid));
        root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A path of the asker as a path of ours. What the asker calls itself is it and not us.
    fn seen_from_here(&self, path: &Path, at: i32) -> PathBuf {
        if !path.is_absolute() {
            return self.base(at).join(path);
        }
        let own = PathBuf::from(format!("/proc/{}", self.pid));
        for (name, means) in [
            ("/proc/self", own.clone()),
            ("/proc/thread-self", own.clone()),
            ("/dev/fd", own.join("fd")),
            ("/dev/stdin", own.join("fd/0")),
            ("/dev/stdout", own.join("fd/1")),
            ("/dev/stderr", own.join("fd/2")),
        ] {
            if let Ok(rest) = path.strip_prefix(name) {
                return means.join(rest);
            }
        }
        own.join("root").join(path.strip_prefix("/").unwrap_or(path))
    }

    fn base(&self, at: i32) -> PathBuf {
        if at == libc::AT_FDCWD {
            return PathBuf::from(format!("/proc/{}/cwd", self.pid));
        }
        PathBuf::from(format!("/proc/{}/fd/{at}", self.pid))
    }
}

enum Follow {
    Yes,
    No,
}

fn open(path: &Path, follow: Follow) -> Result<OwnedFd, Errno> {
    let flags = match follow {
        Follow::Yes => OFlags::PATH | OFlags::CLOEXEC,
        Follow::No => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
    };
    rustix::fs::open(path, flags, Mode::empty())
}

/// The name that an object has now.
pub(super) fn name_of(object: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let link = format!("/proc/self/fd/{}", object.as_raw_fd());
    let name = rustix::fs::readlink(link, Vec::new())?;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
}
