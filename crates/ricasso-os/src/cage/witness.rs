//! What rules and views made ahead were made from, so that it can be asked just before an order
//! whether all of it is still the same: a name leads to the same object or to none, and nothing was
//! born, removed or replaced in a directory that was searched.

use super::mounts::DEVICES;
use super::protected::Beside;
use super::{Cage, Tmp, rules};
use crate::mounted::Mounts;
use rustix::fs::{AtFlags, CWD, FileType, FsWord, Statx, StatxFlags, StatxTimestamp, statx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The kernel's clock for files moves in steps of up to ten milliseconds. A directory that was
/// changed so shortly before it was searched may be changed again without a trace.
const SETTLED: Duration = Duration::from_millis(100);
/// File systems that keep the times of their directories themselves (statfs(2)): ext, XFS, Btrfs,
/// memory, overlays, F2FS, ZFS, bcachefs.
const FAITHFUL: [u64; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x794c_7630,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0xca45_1a4e,
];

/// The kernel's own list of what it has (statfs(2)).
const SYSFS: u64 = 0x6265_6572;

/// The files as this thread sees them: its root, and the mount that this is. The keeper sees the
/// same, as long as this stays what it was when the keeper was started: it holds that mount, whose
/// number no other has meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Home {
    root: Identity,
    mount: u64,
}

/// Which object it is. Numbers are given out again, and then its birth tells; and a file that lost
/// its name and got it back has lost what was laid over it, which its change tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: (u32, u32),
    number: u64,
    born: Option<(i64, u32)>,
    changed: Option<(i64, u32)>,
}

/// What a name is, and what it leads to where it is a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    itself: Option<Identity>,
    leads_to: Option<Identity>,
}

/// When its entries changed last: as its writers say, and as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times([(i64, u32); 2]);

/// All names that rules and views begin with, and those above them, looked up before either is
/// made.
#[derive(Debug)]
pub(super) struct Names {
    mounts: Mounts,
    all: Vec<(PathBuf, Seen)>,
}

/// The answer to whether all is still the same.
#[derive(Debug)]
pub(super) struct Witness {
    mounts: Mounts,
    searched: Vec<(PathBuf, Identity, Times)>,
    /// Names that are asked for one by one: links, and where a directory has only a few.
    names: Vec<(PathBuf, Seen)>,
    families: Vec<Family>,
}

/// Fewer names in a directory are asked for themselves.
const FAMILY: usize = 3;

/// Names in one directory, none of them a link. The directory is among the names itself.
#[derive(Debug)]
struct Family {
    place: PathBuf,
    /// While the directory has these, its names are what they were.
    times: Option<Times>,
    names: Vec<(PathBuf, Seen)>,
}

impl Home {
    pub(super) fn now() -> Option<Home> {
        let root = ask(Path::new("/"), AtFlags::empty(), StatxFlags::MNT_ID)?;
        let told = root.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        let mount = if told { root.stx_mnt_id } else { mount_namespace()? };
        Some(Home { root: Identity::of(&root), mount })
    }
}

fn mount_namespace() -> Option<u64> {
    Some(leads_to(Path::new("/proc/thread-self/ns/mnt"))?.number)
}

impl Names {
    /// `None` where nobody tells what is mounted.
    pub(super) fn of(cage: &Cage) -> Option<Names> {
        let mounts = Mounts::watch()?;
        let mut names = rules::reading_roots(cage);
        names.extend(DEVICES.iter().map(PathBuf::from));
        for paths in [&cage.write, &cage.hide, &cage.show, &cage.seen, &cage.sockets] {
            names.extend(paths.iter().cloned());
        }
        match &cage.tmp {
            Tmp::Session(path) | Tmp::Layered(path) => names.push(path.clone()),
            Tmp::Private | Tmp::Host => {}
        }
        // An absolute one stays what it is.
        let roots = || cage.write.iter();
        names.extend(cage.protect.iter().flat_map(|path| roots().map(move |root| root.join(path))));
        let Beside { pointers, names: beside } = Beside::of(cage);
        names.extend(pointers.into_iter().chain(beside));
        let mut known = BTreeSet::new();
        let mut all: Vec<(PathBuf, Seen)> = Vec::new();
        for path in &names {
            let mut above: Vec<&Path> = path.ancestors().collect();
            above.reverse();
            for name in above {
                if !known.insert(name.to_path_buf()) {
                    continue;
                }
                all.push((name.to_path_buf(), Seen::at(name)));
            }
        }
        // Names below one that is not there do not count; that one does.
        let absent: BTreeSet<PathBuf> = all
            .iter()
            .filter(|(_, seen)| seen.is_nothing())
            .map(|(path, _)| path.clone())
            .collect();
        all.retain(|(path, _)| !path.parent().is_some_and(|above| absent.contains(above)));
        Some(Names { mounts, all })
    }

    /// What tells later whether all is the same, where these directories were searched since;
    /// `None` where nothing would.
    pub(super) fn witness(self, cage: &Cage, searched: &[PathBuf]) -> Option<Witness> {
        let Names { mounts, all } = self;
        let mut witness =
            Witness { mounts, searched: Vec::new(), names: Vec::new(), families: Vec::new() };
        for path in searched {
            match kind_of(path)? {
                // Only the kernel makes names there, and none of them takes the place of another:
                // what is new has no rule, and that is all.
                SYSFS => continue,
                kind if FAITHFUL.contains(&kind) => witness.searched.push(searched_now(path)?),
                _ => return None,
            }
        }
        // Whose text says where something lies.
        let pointers = Beside::of(cage).pointers;
        witness.searched.extend(pointers.iter().filter_map(|path| searched_now(path)));
        let is_searched = |path: &Path| searched.iter().any(|known| known == path);
        let mut families: BTreeMap<PathBuf, Vec<(PathBuf, Seen)>> = BTreeMap::new();
        for (path, seen) in all {
            match path.parent() {
                // What it leads to is told by no directory above it.
                _ if seen.is_link() => witness.names.push((path, seen)),
                Some(above) if is_searched(above) => {}
                None if is_searched(&path) => {}
                Some(above) => families.entry(above.into()).or_default().push((path, seen)),
                None => witness.names.push((path, seen)),
            }
        }
        for (place, names) in families {
            let tells = kind_of(&place).is_some_and(|kind| FAITHFUL.contains(&kind));
            if tells && names.len() >= FAMILY {
                witness.families.push(Family { place, times: None, names });
            } else {
                witness.names.extend(names);
            }
        }
        let now = before_now();
        witness.searched.iter().all(|(_, _, times)| times.are_before(now)).then_some(witness)
    }
}

impl Witness {
    /// Whether nothing that counts has changed.
    pub(super) fn holds(&mut self) -> bool {
        let still = |(path, number, times): &(PathBuf, Identity, Times)| {
            look(path) == Some((*number, *times))
        };
        !self.mounts.changed()
            && self.names.iter().all(is_same)
            && self.searched.iter().all(still)
            && self.families.iter_mut().all(Family::holds)
    }
}

impl Family {
    fn holds(&mut self) -> bool {
        let before = before_now();
        let Some((_, times)) = look(&self.place) else { return false };
        if self.times == Some(times) {
            return true;
        }
        let same = self.names.iter().all(is_same);
        self.times = (same && times.are_before(before)).then_some(times);
        same
    }
}

impl Seen {
    fn at(path: &Path) -> Seen {
        let Some(found) = ask(path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty()) else {
            return Seen::default();
        };
        let itself = Some(Identity::of(&found));
        let leads_to = if is_kind(&found, FileType::Symlink) { leads_to(path) } else { itself };
        Seen { itself, leads_to }
    }

    fn is_nothing(&self) -> bool {
        self.itself.is_none()
    }

    fn is_link(&self) -> bool {
        self.itself != self.leads_to
    }
}

impl Times {
    /// Whether a change from then on would show.
    fn are_before(&self, before: Duration) -> bool {
        self.0.iter().all(|(seconds, nanoseconds)| {
            let seconds = u64::try_from(*seconds).unwrap_or_default();
            Duration::new(seconds, *nanoseconds) < before
        })
    }
}

impl Identity {
    fn of(found: &Statx) -> Identity {
        let at = |time: StatxTimestamp| (time.tv_sec, time.tv_nsec);
        let told = |what: StatxFlags| found.stx_mask & what.bits() != 0;
        Identity {
            device: (found.stx_dev_major, found.stx_dev_minor),
            number: found.stx_ino,
            born: told(StatxFlags::BTIME).then(|| at(found.stx_btime)),
            // That of a directory tells of its entries, which count only where it is searched.
            changed: (!is_kind(found, FileType::Directory)).then(|| at(found.stx_ctime)),
        }
    }
}

fn is_kind(found: &Statx, kind: FileType) -> bool {
    FileType::from_raw_mode(found.stx_mode.into()) == kind
}

/// What has not changed since then is settled.
fn before_now() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(SETTLED)
}

fn is_same((path, was): &(PathBuf, Seen)) -> bool {
    Seen::at(path) == *was
}

fn searched_now(path: &Path) -> Option<(PathBuf, Identity, Times)> {
    let (number, times) = look(path)?;
    Some((path.to_path_buf(), number, times))
}

/// The kind of file system that a path is on.
fn kind_of(path: &Path) -> Option<u64> {
    let word: FsWord = rustix::fs::statfs(path).ok()?.f_type;
    // The numbers have 32 bits, and some of them the highest one.
    Some(u64::from(word as u32))
}

fn leads_to(path: &Path) -> Option<Identity> {
    ask(path, AtFlags::empty(), StatxFlags::empty()).map(|found| Identity::of(&found))
}

fn look(path: &Path) -> Option<(Identity, Times)> {
    let found = ask(path, AtFlags::empty(), StatxFlags::MTIME)?;
    let at = |time: StatxTimestamp| (time.tv_sec, time.tv_nsec);
    Some((Identity::of(&found), Times([at(found.stx_mtime), at(found.stx_ctime)])))
}

fn ask(path: &Path, how: AtFlags, also: StatxFlags) -> Option<Statx> {
    let always = StatxFlags::TYPE | StatxFlags::INO | StatxFlags::CTIME | StatxFlags::BTIME;
    statx(CWD, path, how, always | also).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a thread with files of its own sees after this.
    fn after(act: impl FnOnce() -> bool + Send) -> Option<Option<Home>> {
        std::thread::scope(|scope| scope.spawn(|| act().then(Home::now)).join().unwrap())
    }

    #[test]
    fn another_root_or_other_mounts_are_another_home() {
        use crate::cage::raw::unshare;
        let home = Home::now();
        assert!(home.is_some());
        assert_eq!(home, Home::now());
        // Where a container's filter refuses these calls, there is nothing to compare.
        let own = after(|| unshare(libc::CLONE_FS).is_ok());
        assert!(own.is_none_or(|seen| seen == home), "{own:?}");
        let mounts = after(|| unshare(libc::CLONE_NEWNS).is_ok());
        assert!(mounts.is_none_or(|seen| seen.is_some() && seen != home), "{mounts:?}");
        let root =
            after(|| unshare(libc::CLONE_FS).is_ok() && rustix::process::chroot("/usr").is_ok());
        assert!(root.is_none_or(|seen| seen.is_some() && seen != home), "{root:?}");
    }
}
