//! Rules made ahead, by the owner: beside the warden's birth, and after a job for the next one. And
//! views of the files that its keeper builds ahead.
//!
//! Each command gets a set of rules of its own, unless none of them adds to it. One that lay
//! waiting is used only for the very same cage, and only while every directory that was searched
//! for it, and every name that it was made from, is what it was; else a new one is made. Rules
//! restrict nobody until a process takes them on. A view is used as long as the same is true of it.

use super::confine::by_real_names;
use super::hedge::is_shared;
use super::mounts::DEVICES;
use super::protected::Beside;
use super::settle::Settler;
use super::{Cage, Survey, Tmp, rules};
use crate::mounted::Mounts;
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FsWord, StatxFlags, statx};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

/// What an owner keeps for its next job.
#[derive(Debug)]
pub(crate) struct Ahead {
    home: Option<Home>,
    kept: Mutex<Kept>,
    /// What the names of a cage mean on this machine.
    pub(crate) settler: Settler,
}

/// Cages for which something is kept: an engine alternates between a few of them at most.
const MOST_WAITING: usize = 4;

#[derive(Debug, Default)]
struct Kept {
    /// The cage of the last job: the next one is likely to be the same.
    last: Option<Arc<Cage>>,
    /// The one that was used last comes last.
    waiting: Vec<Waiting>,
    /// How many views were asked for so far.
    views: u64,
}

/// What is kept for one cage.
#[derive(Debug)]
struct Waiting {
    cage: Arc<Cage>,
    witness: Witness,
    rules: Option<OwnedFd>,
    survey: Survey,
    /// The number of the view that the keeper was asked for since.
    view: Option<u64>,
}

/// What the keeper is to make ready, under a number: a view of the files for a cage, or walls of
/// these rules where all its commands share them.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) number: u64,
    pub(crate) cage: Arc<Cage>,
    pub(crate) survey: Survey,
    pub(crate) rules: Option<OwnedFd>,
}

/// What a command gets with its order.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    /// Rules of its own; `None` where only the command itself can make them.
    pub(crate) rules: Option<OwnedFd>,
    /// The number of a view of which all is still true.
    pub(crate) view: Option<u64>,
}

/// The files as this process sees them: its root and its mount namespace. The keeper sees the
/// same, as long as this stays what it was when the keeper was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home {
    root: Identity,
    mounts: Identity,
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

/// What a set of rules was made from, so that it can be asked whether all is still the same.
#[derive(Debug)]
struct Witness {
    names: Vec<(PathBuf, Option<Identity>)>,
    searched: Vec<(PathBuf, Identity, Times)>,
    mounts: Mounts,
}

impl Ahead {
    /// For a keeper that is started now.
    pub(crate) fn new() -> Ahead {
        Ahead { home: Home::now(), kept: Mutex::default(), settler: Settler::default() }
    }

    /// What there is for a command in this cage. What failed, the command will find out and tell.
    pub(crate) fn take(&self, cage: &Arc<Cage>) -> Ready {
        if !self.can_make(cage) {
            return Ready::default();
        }
        let waiting = self.take_waiting(cage);
        self.kept().last = Some(cage.clone());
        let mut ready = Ready::default();
        if let Some(mut waiting) = waiting
            && waiting.witness.holds()
        {
            ready = Ready { rules: waiting.give(), view: waiting.view };
            self.keep(waiting);
        }
        ready.rules = ready.rules.or_else(|| draw(cage).map(|drawn| drawn.rules.into_fd()));
        ready
    }

    /// Makes ready for another command in the cage of the last one. The keeper is to be asked for
    /// what is returned.
    pub(crate) fn refill(&self) -> Option<Wanted> {
        let cage = self.kept().last.clone()?;
        let good = self.take_waiting(&cage).and_then(Waiting::refilled);
        let mut next = good.or_else(|| Waiting::make(&cage))?;
        let mut wanted = None;
        if next.view.is_none() {
            let mut kept = self.kept();
            kept.views += 1;
            next.view = Some(kept.views);
            let rules = is_shared(&cage).then(|| next.give()).flatten();
            let survey = next.survey.clone();
            wanted = Some(Wanted { number: kept.views, cage, survey, rules });
        }
        self.keep(next);
        wanted
    }

    /// The number of the view that the next command is likely to want; 0 for none.
    pub(crate) fn likely_view(&self) -> u64 {
        self.kept().waiting.last().and_then(|waiting| waiting.view).unwrap_or_default()
    }

    /// The keeper that had them is gone.
    pub(crate) fn forget_views(&self) {
        self.kept().waiting.iter_mut().for_each(|waiting| waiting.view = None);
    }

    /// Taken out while it is looked at: to look may take long, and others need not wait for it.
    fn take_waiting(&self, cage: &Arc<Cage>) -> Option<Waiting> {
        let mut kept = self.kept();
        let at = kept.waiting.iter().position(|waiting| waiting.cage == *cage)?;
        Some(kept.waiting.remove(at))
    }

    fn keep(&self, waiting: Waiting) {
        let mut kept = self.kept();
        kept.waiting.retain(|other| other.cage != waiting.cage);
        kept.waiting.push(waiting);
        if kept.waiting.len() > MOST_WAITING {
            kept.waiting.remove(0);
        }
    }

    fn can_make(&self, cage: &Cage) -> bool {
        cage.walls.landlock > 0
            && cage.walls.files
            && cage.programs.is_none()
            && self.home.is_some()
            && self.home == Home::now()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // It is whole between any two statements, so a panic elsewhere spoils nothing.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(cage: &Cage) -> Option<rules::Drawn> {
    let drawn = rules::outside(&by_real_names(cage), None).ok()?;
    (!drawn.is_led_to_proc(cage)).then_some(drawn)
}

impl Waiting {
    /// `None` where it could not be told later whether they still hold.
    fn make(cage: &Arc<Cage>) -> Option<Waiting> {
        let mounts = Mounts::watch()?;
        let mut names = names(cage);
        let drawn = draw(cage)?;
        let mut searched = searched(&drawn.searched)?;
        for pointer in Beside::of(cage).pointers {
            let seen = look(&pointer).map(|(number, times)| (pointer, number, times));
            searched.extend(seen);
        }
        let survey = Survey::of(cage);
        names.retain(|(path, _)| !is_told_by(&drawn.searched, path));
        let mut witness = Witness { names, searched, mounts };
        let settled = witness.is_settled() && witness.holds();
        let rules = Some(drawn.rules.into_fd());
        settled.then(|| Waiting { cage: cage.clone(), witness, rules, survey, view: None })
    }

    /// The rules for one command.
    fn give(&mut self) -> Option<OwnedFd> {
        if is_shared(&self.cage) {
            return self.rules.as_ref().and_then(|rules| rules.try_clone().ok());
        }
        self.rules.take()
    }

    /// The same with rules, if nothing has changed meanwhile.
    fn refilled(mut self) -> Option<Waiting> {
        if self.rules.is_none() {
            self.rules = Some(draw(&self.cage)?.rules.into_fd());
        }
        self.witness.holds().then_some(self)
    }
}

impl Home {
    fn now() -> Option<Home> {
        let mounts = identity(Path::new("/proc/thread-self/ns/mnt"))?;
        Some(Home { root: identity(Path::new("/"))?, mounts })
    }
}

impl Witness {
    /// Whether nothing that counts has changed.
    fn holds(&mut self) -> bool {
        let same = |(path, was): &(PathBuf, Option<Identity>)| identity(path) == *was;
        let still = |(path, number, times): &(PathBuf, Identity, Times)| {
            look(path) == Some((*number, *times))
        };
        !self.mounts.changed() && self.names.iter().all(same) && self.searched.iter().all(still)
    }

    /// Whether a change from now on would show in the times.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let before = now.saturating_sub(SETTLED).as_secs_f64();
        let times = self.searched.iter().flat_map(|(_, _, Times(times))| times);
        times.into_iter().all(|(seconds, nanoseconds)| {
            let at = *seconds as f64 + f64::from(*nanoseconds) / 1e9;
            at < before
        })
    }
}

/// All names that rules and views begin with, each with those above it: whatever a link on the way
/// is changed to, one of them leads elsewhere then. Names below one that is not there do not count;
/// that one does.
fn names(cage: &Cage) -> Vec<(PathBuf, Option<Identity>)> {
    let mut all = rules::reading_roots(cage);
    all.extend(DEVICES.iter().map(PathBuf::from));
    for paths in [&cage.write, &cage.hide, &cage.show, &cage.seen, &cage.sockets] {
        all.extend(paths.iter().cloned());
    }
    match &cage.tmp {
        Tmp::Session(path) | Tmp::Layered(path) => all.push(path.clone()),
        Tmp::Private | Tmp::Host => {}
    }
    // An absolute one stays what it is.
    let roots = || cage.write.iter();
    all.extend(cage.protect.iter().flat_map(|path| roots().map(move |root| root.join(path))));
    let Beside { pointers, names } = Beside::of(cage);
    all.extend(pointers.into_iter().chain(names));
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for path in &all {
        let mut above: Vec<&Path> = path.ancestors().collect();
        above.reverse();
        for name in above {
            if !known.insert(name.to_path_buf()) {
                continue;
            }
            found.push((name.to_path_buf(), identity(name)));
        }
    }
    let absent: BTreeSet<PathBuf> =
        found.iter().filter(|(_, seen)| seen.is_none()).map(|(path, _)| path.clone()).collect();
    found.retain(|(path, _)| !path.parent().is_some_and(|above| absent.contains(above)));
    found
}

/// Whether a change of what a name leads to shows in the times of a directory that is watched.
fn is_told_by(searched: &[PathBuf], path: &Path) -> bool {
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    !is_link && path.parent().is_some_and(|above| searched.iter().any(|known| known == above))
}

fn searched(paths: &[PathBuf]) -> Option<Vec<(PathBuf, Identity, Times)>> {
    let mut all = Vec::new();
    for path in paths {
        let system = rustix::fs::statfs(path).ok()?;
        if kind_of(system.f_type) == SYSFS {
            // Only the kernel makes names there, and none of them takes the place of another: what
            // is new has no rule, and that is all.
            continue;
        }
        if !FAITHFUL.contains(&kind_of(system.f_type)) {
            return None;
        }
        let (number, times) = look(path)?;
        all.push((path.clone(), number, times));
    }
    Some(all)
}

fn kind_of(word: FsWord) -> u64 {
    // The numbers have 32 bits, and some of them the highest one.
    u64::from(word as u32)
}

fn identity(path: &Path) -> Option<Identity> {
    look(path).map(|(number, _)| number)
}

fn look(path: &Path) -> Option<(Identity, Times)> {
    let wanted = StatxFlags::INO | StatxFlags::MTIME | StatxFlags::CTIME;
    let found = statx(CWD, path, rustix::fs::AtFlags::empty(), wanted).ok()?;
    let device = (found.stx_dev_major, found.stx_dev_minor);
    let at = |time: rustix::fs::StatxTimestamp| (time.tv_sec, time.tv_nsec);
    let times = Times([at(found.stx_mtime), at(found.stx_ctime)]);
    Some((Identity { device, number: found.stx_ino }, times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::Instant;

    /// A directory of its own with neighbours, something hidden, and a link on the way to it.
    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Ground {
            let place = format!("ricasso-ahead-{name}-{}", std::process::id());
            let place = std::env::temp_dir().join(place);
            fs::create_dir_all(place.join("real/granted")).unwrap();
            fs::create_dir_all(place.join("other")).unwrap();
            let place = place.canonicalize().unwrap();
            fs::write(place.join("real/neighbour"), "old").unwrap();
            fs::create_dir_all(place.join("work")).unwrap();
            fs::create_dir_all(place.join("repository")).unwrap();
            fs::write(place.join("work/.git"), "gitdir: ../repository\n").unwrap();
            symlink("real", place.join("link")).unwrap();
            Ground(place)
        }

        fn cage(&self) -> Cage {
            let version = super::super::landlock::version();
            Cage {
                walls: super::super::Walls {
                    landlock: version,
                    files: true,
                    // Without them the machine's /tmp, where we are, is shut.
                    namespaces: super::super::Namespaces::Root,
                    ..super::super::Walls::default()
                },
                tmp: Tmp::Host,
                read: vec![self.0.join("real")],
                hide: vec![self.0.join("link/hidden")],
                write: vec![self.0.join("work")],
                protect: vec![".git/hooks".into()],
                ..Cage::default()
            }
        }

        /// Directories settle with time, and only then rules can wait.
        fn waiting(&self) -> Option<Waiting> {
            let until = Instant::now() + Duration::from_secs(20);
            while Instant::now() < until {
                if let Some(waiting) = Waiting::make(&self.cage().into()) {
                    return Some(waiting);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            None
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn skipped(why: &str) {
        use std::io::Write;
        let Some(path) = std::env::var_os("RICASSO_SKIP_LOG") else { return };
        let opened = fs::OpenOptions::new().append(true).create(true).open(path);
        let line = format!("rules_wait_only_while_nothing_that_counts_has_changed: {why}\n");
        opened.and_then(|mut log| log.write_all(line.as_bytes())).unwrap();
    }

    #[test]
    fn rules_wait_only_while_nothing_that_counts_has_changed() {
        if super::super::landlock::version() == 0 {
            return skipped("no landlock");
        }
        type Act = fn(&Path);
        let acts: [(&str, bool, Act); 9] = [
            ("a file was written", true, |at| fs::write(at.join("real/neighbour"), "new").unwrap()),
            ("a granted directory grew", true, |at| {
                fs::write(at.join("real/granted/new"), "").unwrap();
            }),
            ("the hidden name was born", false, |at| {
                fs::write(at.join("real/hidden"), "").unwrap();
            }),
            ("a neighbour was born", false, |at| fs::create_dir(at.join("real/new")).unwrap()),
            ("a neighbour was replaced", false, |at| {
                fs::write(at.join("other/file"), "").unwrap();
                fs::rename(at.join("other/file"), at.join("real/neighbour")).unwrap();
            }),
            ("a file of the work tree was born", true, |at| {
                fs::write(at.join("work/file"), "").unwrap();
            }),
            ("another repository was named", false, |at| {
                fs::write(at.join("work/.git"), "gitdir: ../another\n").unwrap();
            }),
            ("something protected was born beside the work tree", false, |at| {
                fs::create_dir(at.join("repository/hooks")).unwrap();
            }),
            ("a link on the way was turned", false, |at| {
                symlink("other", at.join("turned")).unwrap();
                fs::rename(at.join("turned"), at.join("link")).unwrap();
            }),
        ];
        for (at, (what, expected, act)) in acts.into_iter().enumerate() {
            let ground = Ground::new(&at.to_string());
            let Some(mut waiting) = ground.waiting() else {
                return skipped("the temporary directory never settles");
            };
            act(&ground.0);
            assert_eq!(waiting.witness.holds(), expected, "{what}");
        }
    }

    #[test]
    fn rules_wait_where_parts_of_sys_are_shut() {
        let ground = Ground::new("sys");
        let mut cage = ground.cage();
        if cage.walls.landlock == 0 {
            return skipped("no landlock");
        }
        cage.walls.namespaces = super::super::Namespaces::None;
        (cage.read, cage.hide) = (vec!["/sys".into()], Vec::new());
        cage.write.clear();
        assert!(Waiting::make(&cage.into()).is_some());
    }

    #[test]
    fn another_cage_gets_rules_of_its_own() {
        let ground = Ground::new("cages");
        let ahead = Ahead::new();
        if ground.cage().walls.landlock == 0 {
            return skipped("no landlock");
        }
        assert!(ahead.take(&ground.cage().into()).rules.is_some());
        let until = Instant::now() + Duration::from_secs(20);
        let asked = loop {
            match ahead.refill() {
                Some(wanted) => break wanted.number,
                None if Instant::now() > until => return skipped("the directory never settles"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        assert_eq!(ahead.likely_view(), asked);
        let listed = Cage { programs: Some(Vec::new()), ..ground.cage() };
        assert!(
            ahead.take(&listed.into()).rules.is_none(),
            "programs are looked up by the command"
        );
        let other = Arc::new(Cage { hide: Vec::new(), ..ground.cage() });
        let ready = ahead.take(&other);
        assert!(ready.rules.is_some());
        assert_eq!(ready.view, None, "the view was for the other cage");
        assert_eq!(ahead.kept().last, Some(other));
        assert_eq!(ahead.take(&ground.cage().into()).view, Some(asked));
        assert!(ahead.refill().is_none(), "nothing has changed, and the view is the same");
        fs::write(ground.0.join("real/born"), "").unwrap();
        assert_eq!(ahead.take(&ground.cage().into()).view, None, "something has changed");
    }
}
