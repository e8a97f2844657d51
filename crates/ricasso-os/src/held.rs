//! What the processes of a job hold that no directory shows: files without a name, on a disk or in
//! memory. And how much room there is.

use crate::tree;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Descriptors that one look goes through; a job with more is not looked at further.
const MOST_DESCRIPTORS: usize = 100_000;
/// Threads of one process whose tables one look goes through: all that ordinary programs have.
const MOST_TABLES: usize = 256;
/// The unit of `st_blocks` (stat(2)).
const BLOCK: u64 = 512;

/// Bytes of files that have no name any more, or never had one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// In memory (memfd_create(2)), and all in the file systems in memory that are the job's own.
    pub memory_bytes: u64,
    /// Anywhere else.
    pub disk_bytes: u64,
    /// In memory that no file stands behind.
    pub anonymous_bytes: u64,
}

/// Looks at the descriptors of the job that a command belongs to.
pub fn held_by(command: i32) -> Held {
    let members = tree::job_of(command);
    let anonymous_bytes = tree::anonymous_bytes(&members);
    let memory_bytes = own_memory(&members);
    let mut held = Held { memory_bytes, anonymous_bytes, disk_bytes: 0 };
    let mut seen = BTreeSet::new();
    // A thread may have a table of its own, and a first one that has ended shows nobody's.
    let files = members
        .into_iter()
        .flat_map(|pid| tree::tasks(pid).take(MOST_TABLES))
        .filter_map(|task| fs::read_dir(task.join("fd")).ok())
        .flat_map(|files| files.flatten());
    for file in files.take(MOST_DESCRIPTORS) {
        let Ok(name) = fs::read_link(file.path()) else { continue };
        let name = name.as_os_str().as_encoded_bytes();
        if !name.ends_with(b" (deleted)") {
            continue;
        }
        let Ok(about) = fs::metadata(file.path()) else { continue };
        if !about.is_file() || !seen.insert((about.dev(), about.ino())) {
            continue;
        }
        let bytes = about.blocks() * BLOCK;
        if name.starts_with(b"/memfd:") {
            held.memory_bytes += bytes;
        } else {
            held.disk_bytes += bytes;
        }
    }
    held
}

/// Where a job may have a file system in memory of its own.
const IN_MEMORY: [&str; 2] = ["/dev/shm", "/tmp"];
/// TMPFS_MAGIC (statfs(2)).
const MEMORY: i64 = 0x0102_1994;

/// Bytes in the file systems in memory that these processes have and we have not. All of them have
/// the same, so the first one that can be looked into tells.
fn own_memory(members: &[i32]) -> u64 {
    let roots = members.iter().map(|pid| PathBuf::from(format!("/proc/{pid}/root")));
    let Some(root) = roots.into_iter().find(|root| root.metadata().is_ok()) else { return 0 };
    let places = IN_MEMORY.iter().map(|place| (Path::new(place), root.join(&place[1..])));
    places.filter_map(|(ours, theirs)| used_apart(ours, &theirs)).sum()
}

/// Bytes that are used in a file system in memory, if it is not ours too.
fn used_apart(ours: &Path, theirs: &Path) -> Option<u64> {
    let found = rustix::fs::statfs(theirs).ok()?;
    let device = theirs.metadata().ok()?.dev();
    let shared = ours.metadata().is_ok_and(|ours| ours.dev() == device);
    let used = found.f_blocks.saturating_sub(found.f_bfree);
    let size = u64::try_from(found.f_bsize).ok()?;
    (!shared && found.f_type == MEMORY).then(|| used.saturating_mul(size))
}

/// Bytes that are free where a path lies; nothing where that cannot be told.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bfree.checked_mul(found.f_frsize)
}

/// Bytes of files in memory on the whole machine.
pub fn shared_memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Shmem:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_what_is_free_and_what_is_shared() {
        assert!(free_bytes(Path::new("/")).is_some());
        assert!(shared_memory_bytes().is_some());
        assert!(free_bytes(Path::new("/no such place")).is_none());
    }
}
