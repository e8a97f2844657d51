//! What rules and views made ahead were made from, so that it can be asked just before an order
//! whether all of it is still the same: a name leads to the same object or to none, and nothing was
//! born, removed or replaced in a directory that was searched.

use super::mounts::DEVICES;
use super::protected::Beside;
use super::{Cage, Tmp, rules};
use crate::mounted::Mounts;
use rustix::fs::{AtFlags, CWD, FsWord, Statx, StatxFlags, statx};
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

/// Which object it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: (u32, u32),
    number: u64,
}

/// When its entries changed last: as its writers say, and as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times([(i64, u32); 2]);

/// All names that rules and views begin with, looked up before these are made.
#[derive(Debug)]
pub(super) struct Names {
    mounts: Mounts,
    all: Vec<(PathBuf, Option<Identity>)>,
}

/// The answer to whether all is still the same.
#[derive(Debug)]
pub(super) struct Witness {
    mounts: Mounts,
    searched: Vec<(PathBuf, Identity, Times)>,
    families: Vec<Family>,
    /// Directories, and links: what these lead to is told by no directory.
    alone: Vec<(PathBuf, Option<Identity>)>,
}

/// Names in one directory.
#[derive(Debug)]
struct Family {
    place: PathBuf,
    number: Identity,
    faithful: bool,
    /// While the directory has these, its names are what they were.
    times: Option<Times>,
    names: Vec<(PathBuf, Option<Identity>)>,
}

impl Home {
    pub(super) fn now() -> Option<Home> {
        let root = ask(Path::new("/"), StatxFlags::INO | StatxFlags::MNT_ID)?;
        let told = root.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        let mount = if told { root.stx_mnt_id } else { mount_namespace()? };
        Some(Home { root: Identity::of(&root), mount })
    }
}

fn mount_namespace() -> Option<u64> {
    Some(identity(Path::new("/proc/thread-self/ns/mnt"))?.number)
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
        let mut all = Vec::new();
        for path in &names {
            // Of names below one that is not there, that one counts.
            let mut name = path.as_path();
            while let Some(above) = name.parent().filter(|above| identity(above).is_none()) {
                name = above;
            }
            if known.insert(name.to_path_buf()) {
                all.push((name.to_path_buf(), identity(name)));
            }
        }
        Some(Names { mounts, all })
    }

    /// What tells later whether all is the same, where these directories were searched since;
    /// `None` where nothing would.
    pub(super) fn witness(self, cage: &Cage, searched: &[PathBuf]) -> Option<Witness> {
        let Names { mounts, all } = self;
        let mut witness =
            Witness { mounts, searched: Vec::new(), families: Vec::new(), alone: Vec::new() };
        for path in searched {
            match kind_of(path)? {
                // Only the kernel makes names there, and none of them takes the place of another:
                // what is new has no rule, and that is all.
                SYSFS => continue,
                kind if FAITHFUL.contains(&kind) => witness.searched.push(seen(path)?),
                _ => return None,
            }
        }
        // Whose text says where something lies.
        witness.searched.extend(Beside::of(cage).pointers.iter().filter_map(|path| seen(path)));
        let is_searched = |path: &Path| searched.iter().any(|known| known == path);
        let mut families: BTreeMap<PathBuf, Vec<(PathBuf, Option<Identity>)>> = BTreeMap::new();
        for (path, number) in all {
            let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
            if is_link {
                witness.alone.push((path.clone(), number));
            }
            match path.parent() {
                Some(above) if is_searched(above) || is_searched(&path) => {}
                Some(above) => families.entry(above.into()).or_default().push((path, number)),
                None if is_searched(&path) => {}
                None => witness.alone.push((path, number)),
            }
        }
        for (place, names) in families {
            match names.as_slice() {
                [(path, Some(_))] if path.is_dir() => witness.alone.extend(names),
                _ => witness.families.push(Family::new(place, names)?),
            }
        }
        let is_place = |path: &Path| witness.families.iter().any(|family| family.place == path);
        witness.alone.retain(|(path, _)| !is_place(path));
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
            && self.alone.iter().all(is_same)
            && self.searched.iter().all(still)
            && self.families.iter_mut().all(Family::holds)
    }
}

impl Family {
    fn new(place: PathBuf, names: Vec<(PathBuf, Option<Identity>)>) -> Option<Family> {
        let number = identity(&place)?;
        let faithful = kind_of(&place).is_some_and(|kind| FAITHFUL.contains(&kind));
        Some(Family { place, number, faithful, times: None, names })
    }

    fn holds(&mut self) -> bool {
        let before = before_now();
        let Some((number, times)) = look(&self.place) else { return false };
        if number != self.number {
            return false;
        }
        if self.times == Some(times) {
            return true;
        }
        let same = self.names.iter().all(is_same);
        self.times = (same && self.faithful && times.are_before(before)).then_some(times);
        same
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
        let device = (found.stx_dev_major, found.stx_dev_minor);
        Identity { device, number: found.stx_ino }
    }
}

/// What has not changed since then is settled.
fn before_now() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(SETTLED)
}

fn is_same((path, was): &(PathBuf, Option<Identity>)) -> bool {
    identity(path) == *was
}

fn seen(path: &Path) -> Option<(PathBuf, Identity, Times)> {
    let (number, times) = look(path)?;
    Some((path.to_path_buf(), number, times))
}

/// The kind of file system that a path is on.
fn kind_of(path: &Path) -> Option<u64> {
    let word: FsWord = rustix::fs::statfs(path).ok()?.f_type;
    // The numbers have 32 bits, and some of them the highest one.
    Some(u64::from(word as u32))
}

fn identity(path: &Path) -> Option<Identity> {
    ask(path, StatxFlags::INO).map(|found| Identity::of(&found))
}

fn look(path: &Path) -> Option<(Identity, Times)> {
    let found = ask(path, StatxFlags::INO | StatxFlags::MTIME | StatxFlags::CTIME)?;
    let at = |time: rustix::fs::StatxTimestamp| (time.tv_sec, time.tv_nsec);
    Some((Identity::of(&found), Times([at(found.stx_mtime), at(found.stx_ctime)])))
}

fn ask(path: &Path, wanted: StatxFlags) -> Option<Statx> {
    statx(CWD, path, AtFlags::empty(), wanted).ok()
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
        assert_eq!(after(|| unshare(libc::CLONE_FS).is_ok()), Some(home));
        // Whoever may not do this has the home that it had.
        let mounts = after(|| unshare(libc::CLONE_NEWNS).is_ok());
        assert!(mounts.is_none_or(|seen| seen.is_some() && seen != home), "{mounts:?}");
        let root =
            after(|| unshare(libc::CLONE_FS).is_ok() && rustix::process::chroot("/usr").is_ok());
        assert!(root.is_none_or(|seen| seen.is_some() && seen != home), "{root:?}");
    }
}
