//! What the processes of a job hold that no directory shows: files without a name, on a disk or in
//! memory. And how much room there is.

use crate::tree;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Descriptors that one look goes through; a job with more is not looked at further.
const MOST_DESCRIPTORS: usize = 100_000;
/// The unit of `st_blocks` (stat(2)).
const BLOCK: u64 = 512;

/// Bytes of files that have no name any more, or never had one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// In memory (memfd_create(2)).
    pub memory_bytes: u64,
    /// Anywhere else.
    pub disk_bytes: u64,
}

/// Looks at the descriptors of the job that a command belongs to.
pub fn held_by(command: i32) -> Held {
    let mut held = Held::default();
    let mut seen = BTreeSet::new();
    let files = tree::job_of(command)
        .into_iter()
        .filter_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).ok())
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
