//! Names that are made, moved, written or changed: refused where they are protected, noted where
//! the walls will refuse them anyway.
//!
//! Here the command's own call goes on, so this is no wall: a command that swaps names while it is
//! answered may slip through. Outside the writable roots the walls stand; inside, what slipped is
//! named in the reply.

use super::calls::{Name, Role, is_exchanging, is_linking, linked, names};
use super::memory::Asker;
use super::shut::{holds, is_inner, may_meet, meets};
use super::{FCHMODAT2, Gatekeeper, Question, Said, upkeep};
use crate::cage::fence::SET_GROUP;
use crate::cage::filter::UNNAMED;
use crate::cage::mounts::DEVICES;
use crate::cage::narrowed::is_entry_of;
use rustix::fs::{Access, AtFlags, CWD, StatxFlags};
use rustix::io::Errno;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a command may write without a place on disk, if there are mounts.
const FREE: [&str; 3] = [NEW_TERMINALS, CONTAINERS_NEW_TERMINALS, SHM];
const SHM: &str = "/dev/shm";
const NEW_TERMINALS: &str = "/dev/ptmx";
/// Where that is a link to in containers.
const CONTAINERS_NEW_TERMINALS: &str = "/dev/pts/ptmx";
/// Terminals: the command's own may be opened, and of others nobody needs to know.
const TERMINALS: &str = "/dev/pts";
/// Without it the next run in its directory has more rights.
const OURS: &str = ".ricasso.toml";
/// OVERLAYFS_SUPER_MAGIC (statfs(2)).
const LAYERS: rustix::fs::FsWord = 0x794c_7630;
/// Files of a protected directory that are compared with one that has several names.
const MOST_HOOKS: usize = 10_000;

/// What a call does to one name, as far as it matters whether that is protected.
struct Deed {
    role: Role,
    /// What comes to the name: a directory may bring others with it.
    brings: Option<PathBuf>,
    /// Whether a symbolic link gets the name, behind which anything can appear later.
    is_link: bool,
    /// Whether the object has, or gets, a second name by which it can be written later.
    is_shared: bool,
    /// Whether the name is said from a directory that is held.
    is_beneath: bool,
}

impl Deed {
    fn alone(role: Role, is_beneath: bool) -> Deed {
        Deed { role, brings: None, is_link: false, is_shared: role == Role::Share, is_beneath }
    }

    /// What a name gets that is made, and that may come from another one.
    fn make(asker: &Asker, question: &Question, path: &Path, from: Option<Came>) -> Deed {
        let about = from.as_ref().and_then(|from| asker.about(&from.path));
        let is_link = is_linking(question) || about.as_ref().is_some_and(Metadata::is_symlink);
        let has_others = about.is_some_and(|about| about.is_file() && about.nlink() > 1);
        let is_shared = has_others || from.as_ref().is_some_and(|from| from.role == Role::Share);
        let moved = from.filter(|from| from.role == Role::Leave).map(|from| from.path);
        let brings = moved.or_else(|| linked(asker, question, path));
        Deed { role: Role::Make, brings, is_link, is_shared, is_beneath: false }
    }
}

/// The name from which something comes to another one.
struct Came {
    path: PathBuf,
    role: Role,
}

impl Gatekeeper {
    /// Whether a call that makes, moves, writes or changes names may go on.
    pub(super) fn decide_names(&mut self, question: &Question) -> Said {
        let asker = self.asker(question);
        let mut came: Option<Came> = None;
        for name in names(&asker, question) {
            let path = match self.find(&asker, &name) {
                Ok(Some(path)) => path,
                Ok(None) => continue,
                Err(errno) => return Said::Refused(errno),
            };
            if lends_its_group(question) && !asker.is_directory(&path) {
                return Said::Refused(Errno::PERM);
            }
            if self.is_hidden(&asker, &path, &name) {
                return Said::Refused(Errno::ACCESS);
            }
            let from = came.take();
            let deed = match name.role {
                Role::Read => continue,
                Role::Make => Deed::make(&asker, question, &path, from),
                role => Deed::alone(role, name.is_beneath()),
            };
            if self.is_shut(&asker, &path, &deed) || self.is_twin(&asker, &path, name.role) {
                let from = deed.brings.filter(|_| is_plain_move(question));
                if self.still_asks(question.id) && upkeep::done(&asker, from.as_deref(), &path) {
                    return Said::Done;
                }
                self.note(question, name.role.word(), &path);
                return Said::Refused(Errno::ACCESS);
            }
            let told = name.role != Role::Share && !fails_anyway(question, &path);
            if told && self.will_be_refused(&path, name.role) {
                self.note(question, name.role.word(), known_as(&path));
            }
            self.keep_up_with_directories(&asker, question, &path, &deed);
            if matches!(name.role, Role::Leave | Role::Share) {
                came = Some(Came { path, role: name.role });
            }
        }
        Said::GoOn
    }

    /// Notes which directories the command makes, and where it moves them.
    fn keep_up_with_directories(
        &mut self,
        asker: &Asker,
        question: &Question,
        path: &Path,
        deed: &Deed,
    ) {
        if deed.role != Role::Make {
            return;
        }
        if is_making_a_directory(question) {
            if !asker.there(path) {
                self.made.insert(path.to_path_buf());
            }
            return;
        }
        // Of two that change places nothing is known.
        let moves = !is_exchanging(question) && !is_linking(question);
        self.made.put(path, deed.brings.as_deref().filter(|_| moves));
    }

    /// Where a name leads; nothing where it is the kernel's to refuse.
    fn find(&mut self, asker: &Asker, name: &Name) -> Result<Option<PathBuf>, Errno> {
        let alone = self.survey.alone;
        let text = match name.text(asker) {
            Ok(text) => text,
            // A machine that lets nobody look into others: mounts hold what is at the roots.
            Err(Errno::PERM | Errno::ACCESS) if !self.sees && !alone && nobody_may_look() => {
                return Ok(None);
            }
            Err(errno @ (Errno::FAULT | Errno::NAMETOOLONG)) => return Err(errno),
            // The kernel reads what we cannot: memory that is kept from others, or a process
            // that nobody may look into. Then nothing is known, and nothing is allowed.
            Err(_) => return Err(Errno::ACCESS),
        };
        self.sees = true;
        match name.place(asker, text) {
            Ok(path) => Ok(path),
            // What is not there is the kernel's to refuse: it looks for itself.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            // Deeper than a path can say; it can be taken away and no more.
            Err(Errno::NAMETOOLONG) if name.role == Role::Remove => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Whether what has this name is not to be changed.
    pub(super) fn is_shut_to_writers(&self, asker: &Asker, path: &Path) -> bool {
        self.is_shut(asker, path, &Deed::alone(Role::Write, false))
            || self.is_twin(asker, path, Role::Write)
    }

    /// Whether something hidden inside a root would be read, or get a name by which it could be.
    fn is_hidden(&self, asker: &Asker, path: &Path, name: &Name) -> bool {
        let moves = matches!(name.role, Role::Leave | Role::Share);
        if !name.reads && !moves || self.survey.shown.iter().any(|shown| path.starts_with(shown)) {
            return false;
        }
        self.survey.hidden.iter().any(|hidden| {
            let is_it = path.starts_with(hidden);
            let holds_it = name.role == Role::Leave && hidden.starts_with(path);
            (is_it || holds_it) && asker.there(if is_it { path } else { hidden })
        })
    }

    /// Whether a name is not to be touched.
    fn is_shut(&self, asker: &Asker, path: &Path, deed: &Deed) -> bool {
        let Some(root) = self.survey.places.iter().find(|place| path.starts_with(place)) else {
            return false;
        };
        let Ok(inside) = path.strip_prefix(root) else { return false };
        let brings = deed.brings.as_deref();
        self.survey.protect.iter().any(|entry| {
            if entry.is_absolute() {
                // A directory that holds something protected does not go away with it.
                let goes = deed.role == Role::Leave && asker.there(entry);
                return path.starts_with(entry)
                    || (goes || deed.is_link) && entry.starts_with(path)
                    || entry.strip_prefix(path).is_ok_and(|rest| asker.brings(brings, rest));
            }
            // Almost no path has one of these names in it.
            if !may_meet(inside, entry) {
                return false;
            }
            let is_shared = deed.is_shared && entry.starts_with(".git");
            let shut = |part: &Path| is_shared || !self.is_newborn(asker, &root.join(part), entry);
            let is_repository = |part: &Path| asker.there(&root.join(part).join("HEAD"));
            let parts = meets(inside, entry, is_repository);
            if parts.iter().any(|part| shut(part)) {
                return deed.role != Role::Remove || self.stays(path, entry, deed.is_beneath);
            }
            // The repository of a submodule does not go away to be changed and to come back.
            if deed.role == Role::Leave && is_inner(inside, is_repository) {
                return asker.born(path).is_ok_and(|born| born < self.began);
            }
            holds(inside, entry, is_repository).is_some_and(|(part, rest)| {
                let goes = deed.role == Role::Leave && asker.there(&root.join(&part));
                // A repository that is older than the job is not born by getting its name.
                let brought = asker.brings(brings, &rest);
                let is_old =
                    brings.is_some_and(|it| asker.born(it).is_ok_and(|born| born < self.began));
                brought && is_old || (goes || brought || deed.is_link) && shut(&part)
            })
        })
    }

    /// Whether a file that is written or changed is one of the protected ones at the roots, by
    /// another name.
    fn is_twin(&self, asker: &Asker, path: &Path, role: Role) -> bool {
        if !matches!(role, Role::Write | Role::Change) {
            return false;
        }
        let with_others = |about: &Metadata| about.is_file() && about.nlink() > 1;
        let Some(about) = asker.about(path).filter(with_others) else { return false };
        let twins = self.twins.get_or_init(|| {
            let files = self.survey.places.iter().flat_map(|place| {
                let paths = self.survey.protect.iter().map(|entry| place.join(entry));
                paths.flat_map(|path| itself_and_below(&asker.inside(&path)))
            });
            files.filter(with_others).map(|about| (about.dev(), about.ino())).collect()
        });
        twins.contains(&(about.dev(), about.ino()))
    }

    /// Whether something protected is not even removed: what lies at a root, and our own. Deeper
    /// down whole repositories go and come, and nothing is obeyed that is gone. Settings beside a
    /// repository go with whole trees alone: git removes them one by one, to write them anew.
    fn stays(&self, path: &Path, entry: &Path, is_beneath: bool) -> bool {
        let is_gits = entry.iter().next().is_some_and(|first| first.eq_ignore_ascii_case(".git"));
        if !is_gits && !is_beneath {
            return true;
        }
        let length = entry.iter().count();
        let at_a_root = |place: &PathBuf| {
            let parts = path.strip_prefix(place).map(|it| meets(it, entry, |_| false));
            parts.unwrap_or_default().iter().any(|part| part.iter().count() == length)
        };
        entry == Path::new(OURS) || self.survey.places.iter().any(at_a_root)
    }

    /// Whether something protected belongs to a repository, or lies in a directory, that was born
    /// in this job: git must be able to make it, and so must whoever unpacks.
    fn is_newborn(&self, asker: &Asker, path: &Path, entry: &Path) -> bool {
        let mut parts = entry.iter();
        let is_git = parts.next().is_some_and(|first| first.eq_ignore_ascii_case(".git"));
        let length = entry.iter().count();
        let depth = if is_git && length > 1 { length - 1 } else { length };
        let Some(home) = path.ancestors().nth(depth) else { return false };
        if self.old.iter().any(|old| old == home) || self.survey.places.iter().any(|it| it == home)
        {
            return false;
        }
        match asker.born(home) {
            // There a directory is born anew when something below it is changed.
            Ok(_) if asker.is_on_layers(home) => self.made.contains(home),
            // One that was born in the same step of the clock as the job counts as younger.
            Ok(born) => born >= self.began,
            // It is not there yet, so it is born now.
            Err(Errno::NOENT) => true,
            Err(_) => false,
        }
    }

    /// Whether the walls refuse this, and nothing else does.
    fn will_be_refused(&self, path: &Path, role: Role) -> bool {
        let is_inside = self.survey.places.iter().any(|place| path.starts_with(place));
        if !path.is_absolute()
            || is_inside && !self.is_narrowed(path, role)
            || !self.survey.alone && FREE.iter().any(|place| path.starts_with(place))
            || path.starts_with(TERMINALS) && path != Path::new(CONTAINERS_NEW_TERMINALS)
            || DEVICES.iter().any(|device| path == Path::new(device))
            || path.starts_with("/proc")
            || is_in_memory(path)
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

impl Gatekeeper {
    /// Whether a name inside a root is not granted with it: it is hidden, or would be made, renamed
    /// or removed beside something hidden.
    fn is_narrowed(&self, path: &Path, role: Role) -> bool {
        let beside = match role {
            Role::Make | Role::Leave | Role::Remove => true,
            Role::Write => path.symlink_metadata().is_err(),
            Role::Read | Role::Change | Role::Share => false,
        };
        beside && is_entry_of(&self.survey.holders, path) || self.is_unmasked(path)
    }
}

/// The time by the clock that file systems use, which counts in steps of a few milliseconds.
pub(super) fn now() -> SystemTime {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let (seconds, nanoseconds) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    UNIX_EPOCH + Duration::new(seconds.unwrap_or_default(), nanoseconds.unwrap_or_default())
}

impl Asker {
    /// Whether what a call puts somewhere has this in it.
    fn brings(&self, what: Option<&Path>, rest: &Path) -> bool {
        what.is_some_and(|what| self.there(&what.join(rest)))
    }

    fn about(&self, path: &Path) -> Option<Metadata> {
        self.inside(path).symlink_metadata().ok()
    }

    fn is_directory(&self, path: &Path) -> bool {
        self.about(path).is_some_and(|about| about.is_dir())
    }

    fn is_on_layers(&self, path: &Path) -> bool {
        rustix::fs::statfs(self.inside(path)).is_ok_and(|about| about.f_type == LAYERS)
    }

    fn there(&self, path: &Path) -> bool {
        self.about(path).is_some()
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

/// Whether a mode is set by which a program would lend the rights of its group. Directories may
/// have it, and what they give on is no more than a group's name.
pub(super) fn lends_its_group(question: &Question) -> bool {
    let [_, second, third, ..] = question.arguments;
    let mode = match libc::c_long::from(question.call) {
        libc::SYS_fchmod => second,
        libc::SYS_fchmodat | FCHMODAT2 => third,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chmod => second,
        _ => 0,
    };
    mode & u64::from(SET_GROUP) != 0
}

/// What a protected path is, and what it holds as a directory.
fn itself_and_below(path: &Path) -> Vec<Metadata> {
    let below = std::fs::read_dir(path).into_iter().flatten().flatten().take(MOST_HOOKS);
    let below = below.filter_map(|entry| entry.metadata().ok());
    path.metadata().into_iter().chain(below).collect()
}

/// Whether this machine lets nobody look into others (the module Yama, ptrace(2)). Asked only when
/// it could not be done: a single program can be kept from others by its mode.
fn nobody_may_look() -> bool {
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    matches!(scope.trim(), "2" | "3")
}

/// Whether this is what a file in memory is called, which lies in no directory (memfd_create(2)):
/// to grant the place that the name seems to have would grant everything.
pub(super) fn is_in_memory(name: &Path) -> bool {
    let name = name.as_os_str().as_encoded_bytes();
    name.starts_with(b"/memfd:") && name.ends_with(b" (deleted)")
}

/// The name that says most: those of semaphores are chosen by no one.
fn known_as(path: &Path) -> &Path {
    if path.starts_with(SHM) {
        Path::new(SHM)
    } else if path == Path::new(CONTAINERS_NEW_TERMINALS) {
        Path::new(NEW_TERMINALS)
    } else {
        path
    }
}

/// Whether a call would make what is there, or open what is not: it fails by that, and no grant
/// would help. Whoever makes a path with all above it asks for each of them.
fn fails_anyway(question: &Question, path: &Path) -> bool {
    let opens = |flags: u64| flags & u64::from(libc::O_CREAT as u32 | UNNAMED) == 0;
    let [_, second, third, ..] = question.arguments;
    let is_there = || path.symlink_metadata().is_ok();
    match libc::c_long::from(question.call) {
        libc::SYS_mkdirat | libc::SYS_mknodat | libc::SYS_symlinkat | libc::SYS_linkat => {
            is_there()
        }
        libc::SYS_openat => opens(third) && !is_there(),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir | libc::SYS_mknod | libc::SYS_symlink | libc::SYS_link => is_there(),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => opens(second) && !is_there(),
        _ => false,
    }
}

fn is_making_a_directory(question: &Question) -> bool {
    match libc::c_long::from(question.call) {
        libc::SYS_mkdirat => true,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir => true,
        _ => false,
    }
}

/// Whether a call gives an object another name, and does nothing else.
fn is_plain_move(question: &Question) -> bool {
    match libc::c_long::from(question.call) {
        libc::SYS_renameat => true,
        libc::SYS_renameat2 => question.arguments[4] == 0,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_known_by_what_the_kernel_calls_them() {
        assert!(is_in_memory(Path::new("/memfd:x (deleted)")));
        assert!(!is_in_memory(Path::new("/memfd:x")) && !is_in_memory(Path::new("/a (deleted)")));
    }
}
