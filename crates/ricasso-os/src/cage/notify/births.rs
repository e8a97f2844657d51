//! Names that are made, moved or written: refused where they are protected, noted where the walls
//! will refuse them anyway.
//!
//! Here the command's own call goes on, so this is no wall: a command that swaps names while it is
//! answered may slip through. Outside the writable roots the walls stand; inside, what slipped is
//! named in the reply.

use super::act::{EMPTY_PATH, NO_FOLLOW};
use super::memory::{Asker, Named, name_of};
use super::walk::{Follow, Root, Walk};
use super::{Gatekeeper, Question, Said};
use crate::cage::filter::{OPENAT2, SET_USER, UNNAMED, WRITING};
use crate::cage::mounts::DEVICES;
use rustix::fd::AsFd;
use rustix::fs::{Access, AtFlags, CWD, StatxFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a command may write without a place on disk.
const FREE: [&str; 3] = ["/dev/pts", "/dev/ptmx", "/dev/shm"];

/// RESOLVE_BENEATH and RESOLVE_IN_ROOT (openat2(2)): paths begin at the directory of the call.
const ROOTED: u64 = 0x18;

/// RENAME_EXCHANGE (rename(2)): both go away, and both are made.
const EXCHANGE: u64 = 2;

/// One name in a call.
struct Name {
    at: i32,
    address: u64,
    /// Whether a link at the end leads on.
    follow: bool,
    /// Whether an empty path means the descriptor.
    empty: bool,
    root: Root,
    role: Role,
}

/// What happens to the name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is opened for writing, or made.
    Write,
    /// It is made.
    Make,
    /// It goes away.
    Leave,
    /// Another name is made for the same object.
    Share,
}

impl Gatekeeper {
    /// Whether a call that makes, moves or writes names may go on.
    pub(super) fn decide_names(&mut self, question: &Question) -> Said {
        let asker = Asker { pid: question.pid as i32 };
        if lends_rights(&asker, question) {
            return Said::Refused(Errno::PERM);
        }
        let mut moved = None;
        for name in names(&asker, question) {
            let text = match asker.path_text(name.address) {
                Ok(text) => text,
                // A machine that lets nobody look into others: mounts hold what is at the roots.
                Err(Errno::PERM | Errno::ACCESS) if !self.sees && !self.survey.alone => continue,
                // The kernel reads what we cannot: memory that is kept from others, or a process
                // that nobody may look into. Then nothing is known, and nothing is allowed.
                Err(_) => return Said::Refused(Errno::ACCESS),
            };
            self.sees = true;
            let path = match seen(&asker, &name, text) {
                Ok(Some(path)) => path,
                // Nobody lets us see its memory or its descriptors: then nothing is known, and
                // where no mount holds what is protected, nothing is allowed.
                Err(Errno::PERM | Errno::ACCESS) if self.survey.alone => {
                    return Said::Refused(Errno::ACCESS);
                }
                // What cannot be found is the kernel's to refuse: it looks for itself.
                Ok(None) | Err(_) => continue,
            };
            let brings = match name.role {
                Role::Make => moved.take().or_else(|| linked(&asker, question, &path)),
                Role::Write | Role::Leave | Role::Share => None,
            };
            if self.is_shut(&asker, &path, name.role, brings.as_deref()) {
                self.note(name.role.word(), &path);
                return Said::Refused(Errno::ACCESS);
            }
            if name.role != Role::Share && self.will_be_refused(&path) {
                self.note(name.role.word(), &path);
            }
            if name.role == Role::Leave {
                moved = Some(path);
            }
        }
        Said::GoOn
    }

    /// Whether what has this name is not to be changed.
    pub(super) fn is_shut_to_writers(&self, asker: &Asker, path: &Path) -> bool {
        self.is_shut(asker, path, Role::Write, None)
    }

    /// Whether a name is not to be touched. What is made may bring a whole directory with it.
    fn is_shut(&self, asker: &Asker, path: &Path, role: Role, brings: Option<&Path>) -> bool {
        let Some(root) = self.survey.places.iter().find(|place| path.starts_with(place)) else {
            return false;
        };
        let Ok(inside) = path.strip_prefix(root) else { return false };
        self.survey.protect.iter().any(|entry| {
            if entry.is_absolute() {
                // A directory that holds something protected does not go away with it.
                return path.starts_with(entry)
                    || role == Role::Leave && entry.starts_with(path) && asker.there(entry)
                    || entry.strip_prefix(path).is_ok_and(|rest| asker.brings(brings, rest));
            }
            let shut = |depth: usize| {
                let above: PathBuf = root.join(inside.iter().take(depth).collect::<PathBuf>());
                !self.is_newborn(asker, &above.join(entry), entry)
            };
            if let Some(depth) = meets(inside, entry) {
                return shut(depth);
            }
            holds(inside, entry).is_some_and(|depth| {
                let above: PathBuf = inside.iter().take(depth).collect();
                let rest: PathBuf = entry.iter().skip(inside.iter().count() - depth).collect();
                let goes = role == Role::Leave && asker.there(&root.join(above).join(entry));
                // A repository that is older than the job is not born by getting its name.
                let brought = asker.brings(brings, &rest);
                let is_old =
                    brings.is_some_and(|it| asker.born(it).is_ok_and(|born| born < self.began));
                brought && is_old || (goes || brought) && shut(depth)
            })
        })
    }

    /// Whether a protected part of a repository belongs to one that was born in this job: git must
    /// be able to make it.
    fn is_newborn(&self, asker: &Asker, path: &Path, entry: &Path) -> bool {
        let mut parts = entry.iter();
        let is_git = parts.next().is_some_and(|first| first.eq_ignore_ascii_case(".git"));
        if !is_git || parts.next().is_none() {
            return false;
        }
        let depth = entry.iter().count() - 1;
        let Some(repository) = path.ancestors().nth(depth) else { return false };
        if self.old.iter().any(|old| old == repository) {
            return false;
        }
        match asker.born(repository) {
            // One that was born in the same step of the clock as the job counts as younger.
            Ok(born) => born >= self.began,
            // It is not there yet, so it is born now.
            Err(Errno::NOENT) => true,
            Err(_) => false,
        }
    }

    /// Whether the walls refuse this, and nothing else does.
    fn will_be_refused(&self, path: &Path) -> bool {
        if !path.is_absolute()
            || self.survey.places.iter().any(|place| path.starts_with(place))
            || FREE.iter().any(|place| path.starts_with(place))
            || DEVICES.iter().any(|device| path == Path::new(device))
            || path.starts_with("/proc")
        {
            return false;
        }
        let may = |path: &Path| {
            rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::empty()).is_ok()
        };
        if path.symlink_metadata().is_ok() {
            return may(path);
        }
        path.parent().is_some_and(may)
    }
}

/// The time by the clock that file systems use, which counts in steps of a few milliseconds.
pub(super) fn now() -> SystemTime {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    UNIX_EPOCH + Duration::new(seconds.unwrap_or_default(), nanoseconds.unwrap_or_default())
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Write => "open-write",
            Role::Make => "create",
            Role::Leave => "remove",
            Role::Share => "link",
        }
    }
}

impl Asker {
    /// Whether what a call puts somewhere has this in it.
    fn brings(&self, what: Option<&Path>, rest: &Path) -> bool {
        what.is_some_and(|what| self.there(&what.join(rest)))
    }

    fn there(&self, path: &Path) -> bool {
        self.inside(path).symlink_metadata().is_ok()
    }

    fn born(&self, path: &Path) -> Result<SystemTime, Errno> {
        let path = self.inside(path);
        let found = rustix::fs::statx(CWD, &path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME)?;
        if found.stx_mask & StatxFlags::BTIME.bits() == 0 {
            return Err(Errno::NOTSUP);
        }
        let seconds = u64::try_from(found.stx_btime.tv_sec).unwrap_or_default();
        Ok(UNIX_EPOCH + Duration::new(seconds, found.stx_btime.tv_nsec))
    }
}

/// Flags of open with which it takes a mode.
const MAKING: u64 = libc::O_CREAT as u64 | UNNAMED as u64;

/// Whether a file is made that would lend its owner's rights to whoever starts it. Changes of a
/// mode are refused by the filter itself.
fn lends_rights(asker: &Asker, question: &Question) -> bool {
    let [_, second, third, fourth, _, _] = question.arguments;
    let mode = match libc::c_long::from(question.call) {
        libc::SYS_openat if third & MAKING != 0 => fourth,
        // The mode is the second number of the structure (openat2(2)).
        OPENAT2 => {
            let how = asker.bytes(third, 16).ok();
            let mode = how.and_then(|how| how[8..].try_into().ok()).map(u64::from_ne_bytes);
            mode.unwrap_or(u64::from(SET_USER))
        }
        libc::SYS_mknodat => third,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open if second & MAKING != 0 => third,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat | libc::SYS_mknod => second,
        _ => 0,
    };
    mode & u64::from(SET_USER) != 0
}

/// Where a new link leads, for a name in a real directory.
fn linked(asker: &Asker, question: &Question, path: &Path) -> Option<PathBuf> {
    match libc::c_long::from(question.call) {
        libc::SYS_symlinkat => {}
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => {}
        _ => return None,
    }
    let text = asker.path_text(question.arguments[0]).ok()?;
    Some(path.parent()?.join(std::ffi::OsString::from_vec(text)))
}

/// The names in a call, in the order in which they stand there.
fn names(asker: &Asker, question: &Question) -> Vec<Name> {
    let [first, second, third, fourth, fifth, _] = question.arguments;
    let (empty, root) = (false, Root::Own);
    let name = |at: u64, address, follow, role| {
        let at = at as i32;
        Name { at, address, follow, empty, root, role }
    };
    let here = libc::AT_FDCWD as u64;
    let open = |at, address, flags: u64| {
        let follow = flags & (libc::O_NOFOLLOW | libc::O_EXCL) as u64 == 0;
        name(at, address, follow, Role::Write)
    };
    match libc::c_long::from(question.call) {
        libc::SYS_openat => vec![open(first, second, third)],
        OPENAT2 => match how(asker, third) {
            Some((flags, _)) if flags & u64::from(WRITING | UNNAMED) == 0 => Vec::new(),
            Some((flags, resolve)) if resolve & ROOTED != 0 => {
                vec![Name { root: Root::Named, ..open(first, second, flags) }]
            }
            Some((flags, _)) => vec![open(first, second, flags)],
            None => Vec::new(),
        },
        libc::SYS_renameat2 if fifth & EXCHANGE != 0 => vec![
            name(third, fourth, false, Role::Leave),
            name(first, second, false, Role::Make),
            name(first, second, false, Role::Leave),
            name(third, fourth, false, Role::Make),
        ],
        libc::SYS_renameat2 | libc::SYS_renameat => {
            vec![name(first, second, false, Role::Leave), name(third, fourth, false, Role::Make)]
        }
        libc::SYS_linkat => {
            let follow = fifth & !NO_FOLLOW & !EMPTY_PATH != 0;
            let empty = fifth & EMPTY_PATH != 0;
            let share = Name { empty, ..name(first, second, follow, Role::Share) };
            vec![share, name(third, fourth, false, Role::Make)]
        }
        libc::SYS_symlinkat => vec![name(second, third, false, Role::Make)],
        libc::SYS_mkdirat | libc::SYS_mknodat => vec![name(first, second, false, Role::Make)],
        libc::SYS_unlinkat => vec![name(first, second, false, Role::Leave)],
        libc::SYS_truncate => vec![name(here, first, true, Role::Write)],
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => vec![open(here, first, second)],
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => vec![name(here, first, true, Role::Write)],
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename => {
            vec![name(here, first, false, Role::Leave), name(here, second, false, Role::Make)]
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_link => {
            vec![name(here, first, false, Role::Share), name(here, second, false, Role::Make)]
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => vec![name(here, second, false, Role::Make)],
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir | libc::SYS_mknod => vec![name(here, first, false, Role::Make)],
        #[cfg(target_arch = "x86_64")]
        libc::SYS_unlink | libc::SYS_rmdir => vec![name(here, first, false, Role::Leave)],
        _ => Vec::new(),
    }
}

/// Flags and restrictions of openat2(2), which stand in memory.
fn how(asker: &Asker, address: u64) -> Option<(u64, u64)> {
    let bytes = asker.bytes(address, 24).ok()?;
    let number = |at: usize| bytes[at..at + 8].try_into().ok().map(u64::from_ne_bytes);
    Some((number(0)?, number(16)?))
}

/// Where a name really leads; nothing where it names no entry of a directory.
fn seen(asker: &Asker, name: &Name, text: Vec<u8>) -> Result<Option<PathBuf>, Errno> {
    if text.is_empty() && name.empty {
        let named = Named { at: name.at, path: None, link: false, empty: true };
        return name_of(asker.hold(&named)?.as_fd()).map(Some);
    }
    let text = PathBuf::from(std::ffi::OsString::from_vec(text));
    let mut walk = Walk::new(asker, name.at, name.root);
    if name.follow {
        match walk.hold(&text, Follow::Yes) {
            Ok(object) => return name_of(object.as_fd()).map(Some),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(errno),
        }
        return Walk::new(asker, name.at, name.root).place(&text, Follow::Yes);
    }
    walk.place(&text, Follow::No)
}

/// How deep below the root the protected entry begins that this path is, or lies below.
fn meets(inside: &Path, entry: &Path) -> Option<usize> {
    let names: Vec<&OsStr> = inside.iter().collect();
    let wanted: Vec<&OsStr> = entry.iter().collect();
    let same = |part: &[&OsStr]| {
        part.iter().zip(&wanted).all(|(one, other)| one.eq_ignore_ascii_case(other))
    };
    if wanted.is_empty() {
        return None;
    }
    names.windows(wanted.len()).position(same)
}

/// How deep below the root the protected entry begins of which this path is a directory.
fn holds(inside: &Path, entry: &Path) -> Option<usize> {
    let names: Vec<&OsStr> = inside.iter().collect();
    let wanted: Vec<&OsStr> = entry.iter().collect();
    (1..wanted.len()).find_map(|length| {
        let from = names.len().checked_sub(length)?;
        let same = names[from..].iter().zip(&wanted);
        let mut same = same.map(|(one, other)| one.eq_ignore_ascii_case(other));
        same.all(|same| same).then_some(from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_entries_are_met_at_their_depth_and_their_directories_hold_them() {
        let entry = Path::new(".git/hooks");
        assert_eq!(meets(Path::new(".git/hooks/x"), entry), Some(0));
        assert_eq!(meets(Path::new("a/.GIT/Hooks"), entry), Some(1));
        assert_eq!(meets(Path::new("a/.git"), entry), None);
        assert_eq!(meets(Path::new("b/.ENVRC"), Path::new(".envrc")), Some(1));
        assert_eq!(meets(Path::new("a.envrc"), Path::new(".envrc")), None);
        assert_eq!(holds(Path::new("a/.git"), entry), Some(1));
        assert_eq!(holds(Path::new("a"), entry), None);
        assert_eq!(holds(Path::new(".envrc"), Path::new(".envrc")), None);
    }
}
