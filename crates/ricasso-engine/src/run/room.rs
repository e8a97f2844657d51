//! How much a job may put into its session's `/tmp`, and into files without a name: looked at from
//! outside while it runs, and only when the machine has become fuller.

use super::ending::LimitName;
use ricasso_os::{free_bytes, held_by, shared_memory_bytes};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Between two looks at what is free.
const LOOK: Duration = Duration::from_millis(200);
/// The machine must have become fuller by this before anything is counted; for small bounds by a
/// quarter of them.
const FULLER_BYTES: u64 = 64 * 1024 * 1024;
/// However little fuller it has become: others may free what a job fills.
const COUNT_ANYWAY: Duration = Duration::from_secs(10);
/// To count may take this part of the time.
const SHARE: u32 = 10;
/// Entries that are counted; so many are too much whatever they hold.
const MOST_ENTRIES: u64 = 1_000_000;
/// Those of earlier jobs that are counted when a job begins.
const FEW_ENTRIES: u64 = 256;
/// What a name takes at the least, so that empty files count too.
const ENTRY_BYTES: u64 = 256;
/// The unit of `st_blocks` (stat(2)).
const BLOCK: u64 = 512;

/// A directory, and how much may be in it.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// The session's own temporary directory.
    pub place: &'a Path,
    /// Bytes of all that is in it.
    pub most: u64,
}

/// What is known of the room of one job.
#[derive(Debug)]
pub(super) struct Watch<'a> {
    room: Option<Room<'a>>,
    memory: Option<u64>,
    next: Instant,
    disk: Fuller,
    shared: Fuller,
    /// The last count, and when the next one may be.
    counted: Option<u64>,
    count_after: Instant,
    count_before: Instant,
    /// When what the job holds is looked at, however little fuller the machine's memory is.
    hold_before: Instant,
}

/// How full something of the machine was when it was counted last.
#[derive(Debug, Clone, Copy, Default)]
struct Fuller {
    was: Option<u64>,
}

impl Fuller {
    /// Whether it is fuller by so much than it was; then it was counted now.
    fn by(&mut self, used: Option<u64>, step: u64) -> bool {
        let (Some(used), Some(was)) = (used, self.was) else {
            self.was = used;
            return false;
        };
        // What became less is the new measure.
        self.was = Some(was.min(used));
        let fuller = used.saturating_sub(was) >= step;
        if fuller {
            self.was = Some(used);
        }
        fuller
    }
}

impl<'a> Watch<'a> {
    pub(super) fn new(room: Option<Room<'a>>, memory: Option<u64>, now: Instant) -> Watch<'a> {
        let (disk, shared) = (Fuller::default(), Fuller::default());
        let count_before = now + COUNT_ANYWAY;
        let (next, count_after, hold_before) = (now + LOOK, now, now + COUNT_ANYWAY);
        let counted = None;
        Watch { room, memory, next, disk, shared, counted, count_after, count_before, hold_before }
    }

    /// What is there before the command begins, once it lives: two questions, and a look at the few
    /// files of earlier jobs.
    pub(super) fn begin(&mut self) {
        let left = self.room.map(|room| size_of(room.place, FEW_ENTRIES));
        self.counted = left.filter(|bytes| *bytes < u64::MAX);
        let _ = self.disk.by(self.filled(), u64::MAX);
        let _ = self.shared.by(shared_memory_bytes(), u64::MAX);
    }

    /// When it wants to look again; never where nothing is bounded.
    pub(super) fn next(&self) -> Option<Instant> {
        (self.room.is_some() || self.memory.is_some()).then_some(self.next)
    }

    /// Looks, if it is time. The limit that the job of this command has broken.
    pub(super) fn look(&mut self, now: Instant, command: Option<i32>) -> Option<LimitName> {
        if now < self.next()? {
            return None;
        }
        self.next = now + LOOK;
        let command = command?;
        let over = self.memory(now, command).or_else(|| self.disk(now, command));
        self.next = self.next.max(Instant::now() + LOOK / 4);
        over
    }

    fn memory(&mut self, now: Instant, command: i32) -> Option<LimitName> {
        let most = self.memory?;
        if !self.shared.by(shared_memory_bytes(), step(most)) && now < self.hold_before {
            return None;
        }
        self.hold_before = now + COUNT_ANYWAY;
        let held = held_by(command);
        // What is mapped of a file in memory is counted with that file.
        let bytes = held.memory_bytes.saturating_add(held.anonymous_bytes);
        (held.memory_bytes > 0 && bytes > most).then_some(LimitName::Memory)
    }

    fn disk(&mut self, now: Instant, command: i32) -> Option<LimitName> {
        let Room { place, most } = self.room?;
        if now < self.count_after {
            return None;
        }
        let fuller = self.disk.by(self.filled(), step(most));
        if !fuller && now < self.count_before {
            return None;
        }
        let began = Instant::now();
        let count = size_of(place, MOST_ENTRIES).saturating_add(held_by(command).disk_bytes);
        self.count_after = Instant::now() + began.elapsed() * SHARE;
        self.count_before = self.count_after + COUNT_ANYWAY;
        // What an earlier job left is no fault of one that only takes away.
        let grown = self.counted.map_or(fuller, |counted| count > counted);
        self.counted = Some(count);
        (grown && count > most).then_some(LimitName::Tmp)
    }

    /// How full the disk is, counted from nowhere in particular: only differences mean something.
    fn filled(&self) -> Option<u64> {
        let free = free_bytes(self.room?.place)?;
        Some(u64::MAX - free)
    }
}

fn step(most: u64) -> u64 {
    FULLER_BYTES.min(most / 4).max(1)
}

/// Bytes of everything below a directory. What is too much to count, or lies deeper than names
/// reach, is more than any bound.
fn size_of(place: &Path, most_entries: u64) -> u64 {
    let mut bytes = 0u64;
    let mut entries = 0;
    let mut places: Vec<PathBuf> = vec![place.to_path_buf()];
    while let Some(place) = places.pop() {
        let found = match fs::read_dir(&place) {
            Ok(found) => found,
            Err(error) if is_beyond_reach(&error) => return u64::MAX,
            Err(_) => continue,
        };
        for entry in found.flatten() {
            entries += 1;
            if entries > most_entries {
                return u64::MAX;
            }
            // A link is not followed.
            let about = match entry.metadata() {
                Ok(about) => about,
                Err(error) if is_beyond_reach(&error) => return u64::MAX,
                Err(_) => continue,
            };
            bytes = bytes.saturating_add((about.blocks() * BLOCK).max(ENTRY_BYTES));
            if about.is_dir() {
                places.push(entry.path());
            }
        }
    }
    bytes
}

fn is_beyond_reach(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidFilename
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_became_fuller_by_a_step_is_counted() {
        let mut disk = Fuller::default();
        assert!(!disk.by(Some(100), 10));
        assert!(!disk.by(Some(109), 10));
        assert!(disk.by(Some(110), 10));
        assert!(!disk.by(Some(50), 10));
        assert!(disk.by(Some(60), 10));
        assert!(!disk.by(None, 10));
    }

    #[test]
    fn what_was_there_before_is_no_fault_of_a_job_that_adds_nothing() {
        let place = std::env::temp_dir().join(format!("ricasso-left-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("left"), vec![1; 200_000]).unwrap();
        let now = Instant::now();
        let mut watch = Watch::new(Some(Room { place: &place, most: 100_000 }), None, now);
        watch.begin();
        let own = std::process::id() as i32;
        let mut looked = |more: u64| {
            // Somebody fills the disk.
            watch.disk.was = Some(0);
            watch.disk(now + Duration::from_secs(more), own)
        };
        assert_eq!(looked(1), None);
        fs::write(place.join("more"), vec![1; 50_000]).unwrap();
        let found = looked(30);
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, Some(LimitName::Tmp));
    }

    #[test]
    fn everything_below_counts_and_what_lies_too_deep_is_too_much() {
        let place = std::env::temp_dir().join(format!("ricasso-room-{}", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(place.join("a/b")).unwrap();
        fs::write(place.join("a/b/c"), vec![1; 100_000]).unwrap();
        let size = size_of(&place, MOST_ENTRIES);
        assert!((100_000..200_000).contains(&size), "{size}");
        // Names of names, until no path reaches the last.
        let mut deep = place.join("d");
        fs::create_dir(&deep).unwrap();
        let name = "n".repeat(200);
        let below = place.join("other");
        for _ in 0..25 {
            fs::create_dir(&below).unwrap();
            fs::rename(&deep, below.join(&name)).unwrap();
            fs::rename(&below, place.join("d")).unwrap();
            deep = place.join("d");
        }
        assert_eq!(size_of(&place, MOST_ENTRIES), u64::MAX);
        fs::remove_dir_all(&place).unwrap();
    }
}
