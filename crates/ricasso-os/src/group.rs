//! A control group of one job: the kernel bounds the memory and the tasks of a whole tree, and
//! counts its time.
//!
//! To move a process into a group makes the kernel wait for all of its processors, which takes
//! milliseconds. So the warden makes a group only for a command that lived for a moment, and moves
//! the whole tree then; until then it looks by itself. The group goes with the job, and one whose
//! warden was killed is swept by the next start.

use crate::tree;
use crate::wire::{Ceilings, Limit};
use rustix::fs::{Access, CWD};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How this machine groups processes, as far as we may use it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Not at all.
    #[default]
    None,
    /// One hierarchy for each resource (cgroup v1).
    Separate,
    /// One hierarchy for all of them (cgroup v2).
    Unified,
}

/// Our groups are called so, and then by the warden's number and the time of its start.
const PREFIX: &str = "ricasso-";
/// A tree that forks while it is moved is looked at again, so often at most. What still slips is
/// in nobody's group but in the warden's own count.
const MOST_PASSES: usize = 16;
/// After its last process a group stays busy for a moment.
const REMOVALS: u32 = 200;
const REMOVAL_PAUSE: Duration = Duration::from_millis(1);
/// Left-overs that one start sweeps.
const MOST_SWEPT: usize = 256;

/// The directories below which groups are made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Places {
    grouping: Grouping,
    memory: PathBuf,
    tasks: PathBuf,
    time: Option<PathBuf>,
}

/// The group of one job.
#[derive(Debug)]
pub(crate) struct Group {
    at: Places,
    /// The memory that the tree had when it was taken in.
    earlier: u64,
}

impl Grouping {
    /// Looks what there is, and sweeps what killed wardens left.
    pub(crate) fn probe() -> Grouping {
        let Some(places) = places() else { return Grouping::None };
        places.all().for_each(sweep);
        places.grouping
    }

    /// The word for it in a report.
    pub fn name(self) -> &'static str {
        match self {
            Grouping::None => "none",
            Grouping::Separate => "v1",
            Grouping::Unified => "v2",
        }
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            Grouping::None => 0,
            Grouping::Separate => 1,
            Grouping::Unified => 2,
        }
    }

    pub(crate) fn from_number(number: u64) -> Option<Grouping> {
        match number {
            0 => Some(Grouping::None),
            1 => Some(Grouping::Separate),
            2 => Some(Grouping::Unified),
            _ => None,
        }
    }
}

/// The kernel counts threads too, and refuses where the warden ends: so its bound lies above the
/// one for processes, and only catches what is faster than a look.
pub(crate) fn most_tasks(processes: u64) -> u64 {
    processes.saturating_mul(2).saturating_add(16)
}

impl Group {
    /// Makes the group of this warden's tree and moves the tree there. Nothing where the machine
    /// refuses: then the warden's own looks are what there is.
    pub(crate) fn of_tree(ceilings: &Ceilings) -> Option<Group> {
        let wanted = match ceilings.grouping {
            Grouping::None => return None,
            other => other,
        };
        crate::cage::with_reserve(|| Group::made(wanted, ceilings))
    }

    fn made(wanted: Grouping, ceilings: &Ceilings) -> Option<Group> {
        let places = places().filter(|places| places.grouping == wanted)?;
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let name = format!("{PREFIX}{own}-{}", tree::started(own)?);
        let mut group = Group { at: places.each(|place| place.join(&name)), earlier: 0 };
        group.make(ceilings).ok()?;
        group.take_in();
        group.earlier = tree::usage().memory_bytes;
        Some(group)
    }

    fn make(&self, ceilings: &Ceilings) -> std::io::Result<()> {
        for place in self.at.all() {
            match fs::create_dir(place) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    self.remove_all();
                    return Err(error);
                }
                Ok(()) | Err(_) => {}
            }
        }
        if let Some(bytes) = ceilings.memory_bytes {
            let bytes = bytes.to_string();
            match self.at.grouping {
                Grouping::Unified => {
                    fs::write(self.at.memory.join("memory.max"), &bytes)?;
                    // Neither swap nor a process more or less is a way round it; both files are
                    // missing on some kernels.
                    let _ = fs::write(self.at.memory.join("memory.swap.max"), "0");
                    let _ = fs::write(self.at.memory.join("memory.oom.group"), "1");
                }
                Grouping::Separate | Grouping::None => {
                    fs::write(self.at.memory.join("memory.limit_in_bytes"), &bytes)?;
                    let _ = fs::write(self.at.memory.join("memory.memsw.limit_in_bytes"), &bytes);
                }
            }
        }
        if let Some(processes) = ceilings.processes {
            fs::write(self.at.tasks.join("pids.max"), most_tasks(processes).to_string())?;
        }
        Ok(())
    }

    /// Moves every process of the tree. Children are born where their parents are.
    fn take_in(&self) {
        let mut inside = BTreeSet::new();
        for _ in 0..MOST_PASSES {
            let members = tree::members(&BTreeSet::new());
            let outside: Vec<i32> = members.into_iter().filter(|pid| inside.insert(*pid)).collect();
            if outside.is_empty() {
                return;
            }
            for (pid, place) in
                outside.iter().flat_map(|pid| self.at.all().map(move |at| (pid, at)))
            {
                // One that is gone needs no group.
                let _ = fs::write(place.join("cgroup.procs"), pid.to_string());
            }
        }
    }

    /// The limit that the kernel held, if it held one.
    pub(crate) fn exceeded(&self) -> Option<Limit> {
        let killed = match self.at.grouping {
            Grouping::Unified => self.at.memory.join("memory.events"),
            Grouping::Separate | Grouping::None => self.at.memory.join("memory.oom_control"),
        };
        if value(&killed, "oom_kill") > 0 {
            return Some(Limit::Memory);
        }
        (value(&self.at.tasks.join("pids.events"), "max") > 0).then_some(Limit::Processes)
    }

    /// Whether the tree has more than this, where the kernel cannot hold it: what the tree had
    /// before it was taken in is charged to another group. `resident` is what it has now, shared
    /// pages counted more than once.
    pub(crate) fn has_more_than(&self, most: u64, resident: u64) -> bool {
        let own = match self.at.grouping {
            Grouping::Unified => "anon",
            Grouping::Separate | Grouping::None => "rss",
        };
        let charged = || value(&self.at.memory.join("memory.stat"), own);
        resident > most && charged() + self.earlier.min(resident) > most
    }

    /// The time that the whole tree used since it was taken in; also that of processes which
    /// nobody waited for.
    pub(crate) fn time(&self) -> Option<Duration> {
        let place = self.at.time.as_ref()?;
        match self.at.grouping {
            Grouping::Unified => {
                Some(Duration::from_micros(value(&place.join("cpu.stat"), "usage_usec")))
            }
            Grouping::Separate | Grouping::None => {
                let text = fs::read_to_string(place.join("cpuacct.usage")).ok()?;
                text.trim().parse().ok().map(Duration::from_nanos)
            }
        }
    }

    /// Takes it away; its tree is gone.
    pub(crate) fn remove(&self) {
        crate::cage::with_reserve(|| self.remove_all());
    }

    fn remove_all(&self) {
        for place in self.at.all() {
            for _ in 0..REMOVALS {
                match fs::remove_dir(place) {
                    Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                        std::thread::sleep(REMOVAL_PAUSE);
                    }
                    Ok(()) | Err(_) => break,
                }
            }
        }
    }
}

impl Places {
    /// Each directory once.
    fn all(&self) -> impl Iterator<Item = &Path> {
        let mut all: Vec<&Path> = vec![&self.memory, &self.tasks];
        all.extend(self.time.as_deref());
        all.dedup();
        all.into_iter()
    }

    fn each(&self, change: impl Fn(&Path) -> PathBuf) -> Places {
        Places {
            grouping: self.grouping,
            memory: change(&self.memory),
            tasks: change(&self.tasks),
            time: self.time.as_deref().map(change),
        }
    }
}

/// A number of a file with lines of a word and a number.
fn value(path: &Path, word: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let found = text.lines().filter_map(|line| line.split_once(' '));
    let found = found.filter(|(name, _)| *name == word);
    found.filter_map(|(_, number)| number.trim().parse().ok()).next().unwrap_or(0)
}

/// Where groups can be made; nothing where we may not.
fn places() -> Option<Places> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    separate(&own, &mounts).or_else(|| unified(&own, &mounts))
}

/// In separate hierarchies a group is made below our own.
fn separate(own: &str, mounts: &str) -> Option<Places> {
    let place = |resource: &str| {
        let line = own.lines().map(|line| line.splitn(3, ':').collect::<Vec<_>>());
        let mut line = line.filter(|parts| parts.len() == 3);
        let path = line.find(|parts| parts[1].split(',').any(|name| name == resource))?;
        let kind = |kind: &str, options: &str| {
            kind == "cgroup" && options.split(',').any(|name| name == resource)
        };
        mounted(mounts, kind, Path::new(path[2])).filter(|place| may_group(place))
    };
    let (memory, tasks) = (place("memory")?, place("pids")?);
    Some(Places { grouping: Grouping::Separate, memory, tasks, time: place("cpuacct") })
}

/// In the one hierarchy a group with processes has no groups with limits below it. So ours is
/// made beside, below the nearest one above us that hands its resources down, unless that would
/// take the command out of a bound that we live in.
fn unified(own: &str, mounts: &str) -> Option<Places> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let kind = |kind: &str, _: &str| kind == "cgroup2";
    let here = mounted(mounts, kind, Path::new(path))?;
    for above in here.ancestors().take_while(|above| above.join("cgroup.procs").exists()) {
        let passed = fs::read_to_string(above.join("cgroup.subtree_control")).unwrap_or_default();
        let passes = |name: &str| passed.split_whitespace().any(|passed| passed == name);
        if passes("memory") && passes("pids") {
            let (memory, tasks) = (above.to_path_buf(), above.to_path_buf());
            let time = Some(above.to_path_buf());
            return may_group(above).then_some(Places {
                grouping: Grouping::Unified,
                memory,
                tasks,
                time,
            });
        }
        if ["memory.max", "pids.max", "cpu.max"].iter().any(|name| bounds(&above.join(name))) {
            return None;
        }
    }
    None
}

/// Whether a file of a group sets a bound; the word for none is `max`.
fn bounds(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| !text.trim_start().starts_with("max"))
}

fn may_group(place: &Path) -> bool {
    let may = |path: &Path| {
        rustix::fs::accessat(CWD, path, Access::WRITE_OK, rustix::fs::AtFlags::EACCESS).is_ok()
    };
    may(place) && may(&place.join("cgroup.procs"))
}

/// Where a group of this path lies in the file system, by a table of mounts.
fn mounted(mounts: &str, is: impl Fn(&str, &str) -> bool, path: &Path) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let mount: Vec<&str> = mount.split(' ').collect();
        let system: Vec<&str> = system.split(' ').collect();
        let (root, point) = (mount.get(3)?, mount.get(4)?);
        if !is(system.first()?, system.get(2)?) {
            return None;
        }
        Some(Path::new(point).join(path.strip_prefix(root).ok()?))
    })
}

/// Takes away groups whose wardens are gone. One with processes in it cannot be taken away.
fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let mut started: BTreeMap<i32, Option<u64>> = BTreeMap::new();
    for entry in entries.flatten().take(MOST_SWEPT) {
        let name = entry.file_name();
        let Some(warden) = name.to_str().and_then(warden_of) else { continue };
        let since = *started.entry(warden.0).or_insert_with(|| tree::started(warden.0));
        if since != Some(warden.1) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The number of a warden and its start, as the name of a group tells them.
fn warden_of(name: &str) -> Option<(i32, u64)> {
    let (pid, since) = name.strip_prefix(PREFIX)?.split_once('-')?;
    Some((pid.parse().ok()?, since.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "4:memory:/a/b\n3:cpu,cpuacct:/\n2:pids:/\n0::/u/me.scope\n";

    fn directory(name: &str) -> PathBuf {
        let name = format!("ricasso-group-{name}-{}", std::process::id());
        let place = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        place
    }

    fn group(at: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(at).unwrap();
        fs::write(at.join("cgroup.procs"), "").unwrap();
        files.iter().for_each(|(name, text)| fs::write(at.join(name), text).unwrap());
    }

    #[test]
    fn separate_hierarchies_are_found_by_their_mounts() {
        let place = directory("separate");
        for at in ["m/b", "p", "c"] {
            group(&place.join(at), &[]);
        }
        let p = place.display();
        let mounts = format!(
            "1 0 0:1 /a {p}/m rw - cgroup cgroup rw,memory\n2 0 0:2 / {p}/p rw - cgroup x rw,pids\n\
             3 0 0:3 / {p}/c rw - cgroup x rw,cpu,cpuacct\n"
        );
        let found = separate(OWN, &mounts).unwrap();
        assert_eq!((found.memory, found.tasks), (place.join("m/b"), place.join("p/")));
        assert_eq!(found.time, Some(place.join("c/")));
        assert_eq!(separate("0::/x\n", &mounts), None);
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn the_unified_hierarchy_is_used_beside_us_and_never_to_leave_a_bound() {
        let place = directory("unified");
        let mounts = format!("1 0 0:1 / {} rw - cgroup2 cgroup2 rw\n", place.display());
        group(&place, &[]);
        group(&place.join("u"), &[("cgroup.subtree_control", "memory pids\n")]);
        group(&place.join("u/me.scope"), &[("memory.max", "max\n"), ("cpu.max", "max 100000\n")]);
        let found = unified(OWN, &mounts).unwrap();
        assert_eq!(found.all().collect::<Vec<_>>(), [place.join("u")]);
        fs::write(place.join("u/me.scope/memory.max"), "1000000\n").unwrap();
        assert_eq!(unified(OWN, &mounts), None);
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn groups_of_wardens_that_are_gone_are_swept_and_others_stay() {
        let place = directory("sweep");
        let own = std::process::id() as i32;
        let mine = format!("{PREFIX}{own}-{}", tree::started(own).unwrap());
        let stale = format!("{PREFIX}{own}-1");
        for name in [mine.as_str(), stale.as_str(), "ricasso-x", "others-1-1"] {
            fs::create_dir(place.join(name)).unwrap();
        }
        sweep(&place);
        assert!(place.join(&mine).exists() && place.join("others-1-1").exists());
        assert!(place.join("ricasso-x").exists() && !place.join(&stale).exists());
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn events_are_read_by_their_word() {
        let place = directory("events");
        let path = place.join("memory.events");
        fs::write(&path, "low 0\noom 3\noom_kill 2\n").unwrap();
        assert_eq!((value(&path, "oom_kill"), value(&path, "max")), (2, 0));
        fs::remove_dir_all(&place).unwrap();
    }
}
