//! Which names stand in a call, and what happens to each of them.

use super::act::{EMPTY_PATH, named};
use super::memory::{Asker, Named, name_of};
use super::walk::{Follow, Walk};
use super::{METADATA, Question};
use crate::cage::filter::{UNNAMED, WRITING};
use rustix::fd::AsFd;
use rustix::io::Errno;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// AT_SYMLINK_FOLLOW (linkat(2)).
const FOLLOW: u64 = 0x400;
/// RENAME_EXCHANGE (rename(2)): both go away, and both are made.
const EXCHANGE: u64 = 2;
/// Flags of open with which a link is not followed but in the way; each alone does not do that.
const ANEW: u64 = (libc::O_CREAT | libc::O_EXCL) as u64;
/// The longest address of a unix socket (unix(7)): its family, and a path.
const MOST_ADDRESS_BYTES: u64 = 110;
const FAMILY_BYTES: u64 = 2;

/// One name in a call.
pub(super) struct Name {
    at: i32,
    text: Text,
    /// Whether a link at the end leads on.
    follow: bool,
    /// Whether an empty path means the descriptor.
    empty: bool,
    pub(super) role: Role,
    /// Whether its content can be read by it.
    pub(super) reads: bool,
}

/// Where the text of a name stands.
#[derive(Clone, Copy)]
enum Text {
    /// Up to a NUL.
    At(u64),
    /// In so many bytes, and up to a NUL if there is one.
    Within(u64, usize),
    /// Nowhere: a descriptor is meant.
    Nowhere,
}

/// What happens to the name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is opened for reading alone.
    Read,
    /// It is opened for writing, or made.
    Write,
    /// What it names gets another mode, owner, time or attribute.
    Change,
    /// It is made.
    Make,
    /// It goes away, to another place.
    Leave,
    /// It goes away for good.
    Remove,
    /// Another name is made for the same object.
    Share,
}

impl Role {
    /// As replies say it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Role::Read => "open-read",
            Role::Write => "open-write",
            Role::Change => "metadata",
            Role::Make => "create",
            Role::Leave | Role::Remove => "remove",
            Role::Share => "link",
        }
    }
}

impl Name {
    /// Whether it is said from a directory that is held, as whoever removes whole trees says it.
    pub(super) fn is_beneath(&self) -> bool {
        self.at != libc::AT_FDCWD
    }

    /// Its text, as it stands in the asker's memory.
    pub(super) fn text(&self, asker: &Asker) -> Result<Vec<u8>, Errno> {
        match self.text {
            Text::At(address) => asker.path_text(address),
            Text::Within(address, length) => {
                let mut text = asker.bytes(address, length)?;
                text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(length));
                Ok(text)
            }
            Text::Nowhere => Ok(Vec::new()),
        }
    }

    /// Where it really leads; nothing where it names no entry of a directory.
    pub(super) fn place(&self, asker: &Asker, text: Vec<u8>) -> Result<Option<PathBuf>, Errno> {
        if text.is_empty() && self.empty {
            let named = Named { at: self.at, path: None, link: false, empty: true };
            return name_of(asker.hold(&named)?.as_fd()).map(Some);
        }
        let text = PathBuf::from(OsString::from_vec(text));
        let mut walk = Walk::new(asker, self.at);
        if !self.follow {
            return walk.place(&text, Follow::No);
        }
        match walk.hold(&text, Follow::Yes) {
            Ok(object) => name_of(object.as_fd()).map(Some),
            Err(Errno::NOENT) => Walk::new(asker, self.at).place(&text, Follow::Yes),
            Err(errno) => Err(errno),
        }
    }
}

/// The names in a call, in the order in which they stand there.
pub(super) fn names(asker: &Asker, question: &Question) -> Vec<Name> {
    use Role::{Leave, Make, Read, Remove, Share, Write};
    let [first, second, third, fourth, fifth, _] = question.arguments;
    let here = libc::AT_FDCWD as u64;
    let one = |at: u64, address, follow, role| vec![name(at, address, follow, role)];
    let open = |at, address, flags: u64| {
        let stops = flags & libc::O_NOFOLLOW as u64 != 0 || flags & ANEW == ANEW;
        let writes = flags & u64::from(WRITING | UNNAMED) != 0;
        let reads = flags & libc::O_ACCMODE as u64 != libc::O_WRONLY as u64;
        let role = if writes { Write } else { Read };
        vec![Name { reads, ..name(at, address, !stops, role) }]
    };
    let two = |from: (u64, u64), to: (u64, u64)| {
        vec![name(from.0, from.1, false, Leave), name(to.0, to.1, false, Make)]
    };
    let call = libc::c_long::from(question.call);
    match call {
        libc::SYS_openat => open(first, second, third),
        libc::SYS_renameat2 if is_exchanging(question) => {
            let (one, other) = ((first, second), (third, fourth));
            two(other, one).into_iter().chain(two(one, other)).collect()
        }
        libc::SYS_renameat2 | libc::SYS_renameat => two((first, second), (third, fourth)),
        libc::SYS_linkat => {
            let follow = fifth & FOLLOW != 0;
            let empty = fifth & EMPTY_PATH != 0;
            let share = Name { empty, ..name(first, second, follow, Share) };
            vec![share, name(third, fourth, false, Make)]
        }
        libc::SYS_symlinkat => one(second, third, false, Make),
        libc::SYS_mkdirat | libc::SYS_mknodat => one(first, second, false, Make),
        libc::SYS_unlinkat => one(first, second, false, Remove),
        libc::SYS_truncate => one(here, first, true, Write),
        libc::SYS_bind => bound(asker, second, third).into_iter().collect(),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => open(here, first, second),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => one(here, first, true, Write),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename => two((here, first), (here, second)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_link => {
            vec![name(here, first, false, Share), name(here, second, false, Make)]
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => one(here, second, false, Make),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir | libc::SYS_mknod => one(here, first, false, Make),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_unlink | libc::SYS_rmdir => one(here, first, false, Remove),
        _ if METADATA.contains(&call) => vec![changed(named(call, &question.arguments))],
        _ => Vec::new(),
    }
}

/// Whether two names change places.
pub(super) fn is_exchanging(question: &Question) -> bool {
    libc::c_long::from(question.call) == libc::SYS_renameat2
        && question.arguments[4] & EXCHANGE != 0
}

/// Where a new link leads, for a name in a real directory.
pub(super) fn linked(asker: &Asker, question: &Question, path: &Path) -> Option<PathBuf> {
    if !is_linking(question) {
        return None;
    }
    let text = asker.path_text(question.arguments[0]).ok()?;
    Some(path.parent()?.join(OsString::from_vec(text)))
}

/// Whether a call makes a symbolic link.
pub(super) fn is_linking(question: &Question) -> bool {
    match libc::c_long::from(question.call) {
        libc::SYS_symlinkat => true,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => true,
        _ => false,
    }
}

fn name(at: u64, address: u64, follow: bool, role: Role) -> Name {
    Name { at: at as i32, text: Text::At(address), follow, empty: false, role, reads: false }
}

fn changed(named: Named) -> Name {
    let text = named.path.map_or(Text::Nowhere, Text::At);
    let empty = named.empty || named.path.is_none();
    Name { at: named.at, text, follow: !named.link, empty, role: Role::Change, reads: false }
}

/// A socket that gets a path: one that begins with NUL has no place in any directory.
fn bound(asker: &Asker, address: u64, length: u64) -> Option<Name> {
    // A number of 32 bits, whatever stands above them.
    let length = u64::from(length as u32).min(MOST_ADDRESS_BYTES);
    if length <= FAMILY_BYTES {
        return None;
    }
    let is_path = |begins: Vec<u8>| {
        begins.starts_with(&(libc::AF_UNIX as u16).to_ne_bytes()) && begins.last() != Some(&0)
    };
    // What cannot be read is read again as a name, and refused there.
    let is_path = asker.bytes(address, FAMILY_BYTES as usize + 1).map_or(true, is_path);
    let text = Text::Within(address + FAMILY_BYTES, (length - FAMILY_BYTES) as usize);
    let here = name(libc::AT_FDCWD as u64, address, false, Role::Make);
    is_path.then_some(Name { text, ..here })
}
