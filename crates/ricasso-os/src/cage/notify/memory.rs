//! Reading an asker's memory, and taking hold of what it names.

use super::raw;
use super::walk::{Follow, Walk};
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
    /// Whether it sees the machine's processes: others' descriptors and roots are not its own.
    pub(super) among_others: bool,
}

/// As what somebody looks at itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    Process,
    Thread,
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
        match raw::answer(read as libc::c_long) {
            Ok(read) if read as usize == length => Ok(bytes),
            Ok(_) => Err(Errno::FAULT),
            // Some containers know no such call; the kernel asks the same of who reads the file.
            Err(Errno::NOSYS | Errno::PERM) => self.bytes_by_file(address, bytes),
            Err(errno) => Err(errno),
        }
    }

    fn bytes_by_file(&self, address: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, Errno> {
        use std::os::unix::fs::FileExt;
        // A /proc that hides processes says that there is none; but it asks, and so it is there.
        let file = std::fs::File::open(self.own().join("mem")).map_err(|_| Errno::ACCESS)?;
        file.read_exact_at(&mut bytes, address).map_err(|_| Errno::FAULT)?;
        Ok(bytes)
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
            None => return open(&self.base(named.at)).map_err(|it| self.hidden_or(it)),
            Some(address) => self.text(address, MOST_PATH_BYTES)?,
        };
        if path.is_empty() {
            return match named.empty {
                true => open(&self.base(named.at)).map_err(|it| self.hidden_or(it)),
                false => Err(Errno::NOENT),
            };
        }
        let follow = if named.link { Follow::No } else { Follow::Yes };
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        Walk::new(self, named.at).hold(&path, follow)
    }

    /// The text of a path.
    pub(super) fn path_text(&self, address: u64) -> Result<Vec<u8>, Errno> {
        self.text(address, MOST_PATH_BYTES)
    }

    /// A path as the asker sees it, as a path of ours, as far as it has no links.
    pub(super) fn inside(&self, path: &Path) -> PathBuf {
        self.own().join("root").join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Where our /proc tells of the asker.
    pub(super) fn own(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}", self.pid))
    }

    /// An error in following one of its own names, as what it is: where /proc hides the asker, none
    /// of them is there.
    pub(super) fn hidden_or(&self, errno: Errno) -> Errno {
        let is_hidden = errno == Errno::NOENT && self.own().symlink_metadata().is_err();
        if is_hidden { Errno::ACCESS } else { errno }
    }

    /// The first thread of its process.
    pub(super) fn leader(&self) -> Result<i32, Errno> {
        let status = std::fs::read_to_string(self.own().join("status")).map_err(|_| Errno::SRCH)?;
        let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
        line.and_then(|number| number.trim().parse().ok()).ok_or(Errno::SRCH)
    }

    /// Whether what /proc shows in this directory is its own.
    pub(super) fn owns(&self, directory: &Path) -> Result<bool, Errno> {
        if !self.among_others {
            return Ok(true);
        }
        let mut names = directory.iter().skip_while(|name| *name != "proc").skip(1);
        let number = names.next().and_then(|name| name.to_str()?.parse().ok());
        let Some(pid) = number else { return Ok(false) };
        Ok(Asker { pid, ..*self }.leader()? == self.leader()?)
    }

    /// Where a /proc of its own namespace tells of it.
    pub(super) fn own_number(&self, which: Which) -> Result<PathBuf, Errno> {
        let status =
            std::fs::read_to_string(self.own().join("status")).map_err(|_| Errno::ACCESS)?;
        let innermost = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field))?;
            line.split_ascii_whitespace().last().map(str::to_owned)
        };
        let process = innermost("NStgid:").or_else(|| innermost("Tgid:")).ok_or(Errno::ACCESS)?;
        let thread = innermost("NSpid:").or_else(|| innermost("Pid:")).ok_or(Errno::ACCESS)?;
        Ok(match which {
            Which::Process => PathBuf::from(process),
            Which::Thread => Path::new(&process).join("task").join(thread),
        })
    }

    /// What a relative path begins at.
    pub(super) fn base(&self, at: i32) -> PathBuf {
        if at == libc::AT_FDCWD {
            return self.own().join("cwd");
        }
        self.own().join(format!("fd/{at}"))
    }
}

fn open(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// The name that an object has now.
pub(super) fn name_of(object: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let link = format!("/proc/self/fd/{}", object.as_raw_fd());
    let name = rustix::fs::readlink(link, Vec::new())?;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
}
