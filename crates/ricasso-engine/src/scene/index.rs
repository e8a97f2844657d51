//! Which files git could bring back: its index is read as git reads it, within bounds.
//!
//! git itself is never started: its settings may name programs. What cannot be read is unknown.

use super::git::Found;
use super::look::{Answer, Kept};
use ricasso_os::read_plain;
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An index has some hundred bytes for each file; a larger one is not read for a message.
const MAX_BYTES: u64 = 32 << 20;

/// Bytes of all names: the last version says only how each differs from the one before, so that a
/// short index may have names without end.
const MAX_NAME_BYTES: usize = 64 << 20;

/// Files that are compared, as many as are counted.
const MAX_ENTRIES: u64 = 20_000;

/// Bytes of an entry before the name of its object.
const FIXED: usize = 40;

/// What git holds of the files below a path.
pub(super) fn kept(path: &Path) -> Answer {
    let place = match super::git::place_of(path) {
        Found::Here(place) => place,
        Found::Nowhere => return Answer::Kept(Kept { repository: false, ..Kept::default() }),
        Found::Unclear => return Answer::Unknown,
    };
    if place.root.starts_with(path) || path.starts_with(&place.directory) {
        return Answer::Kept(Kept { repository: true, itself: true, ..Kept::default() });
    }
    let Ok(below) = path.strip_prefix(&place.root) else { return Answer::Unknown };
    let index = place.own.join("index");
    let known = place.hash().and_then(|hash| read(&index, hash, below));
    let Some(known) = known else { return Answer::Unknown };
    Answer::Kept(compare(path, &place.root, &known))
}

/// Size and time of a file when git last saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    seconds: u32,
    nanos: u32,
    size: u32,
}

fn read(index: &Path, hash: usize, below: &Path) -> Option<HashMap<Vec<u8>, Seen>> {
    let bytes = match read_plain(index, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(HashMap::new()),
        Err(_) => return None,
    };
    entries(&bytes, hash, below.as_os_str().as_encoded_bytes())
}

/// The entries below a directory of the work tree; `None` where the index is not understood.
fn entries(bytes: &[u8], hash: usize, below: &[u8]) -> Option<HashMap<Vec<u8>, Seen>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let (version, count) = (number(4)?, number(8)?);
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut all = HashMap::new();
    let mut name: Vec<u8> = Vec::new();
    let mut names = 0;
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        let seen = Seen {
            seconds: number(start + 8)?,
            nanos: number(start + 12)?,
            size: number(start + 36)?,
        };
        let flags = bytes.get(start + FIXED + hash)?;
        at = start + FIXED + hash + 2 + if flags & 0x40 != 0 && version > 2 { 2 } else { 0 };
        if version == 4 {
            let (cut, next) = shorter(bytes, at)?;
            name.truncate(name.len().checked_sub(cut)?);
            at = next;
        } else {
            name.clear();
        }
        let end = at + bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&bytes[at..end]);
        // Names of the older versions are filled up to eight bytes.
        at = if version == 4 { end + 1 } else { start + (end - start) / 8 * 8 + 8 };
        let inside = below.is_empty()
            || name.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
        if inside {
            names += name.len();
            if names > MAX_NAME_BYTES {
                return None;
            }
            all.insert(name.clone(), seen);
        }
    }
    // A part of the entries lies in another file.
    if bytes.get(at..)?.starts_with(b"link") {
        return None;
    }
    Some(all)
}

/// How many bytes of the name before are dropped, in git's own number with seven bits a byte.
fn shorter(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    at += 1;
    while byte & 0x80 != 0 {
        byte = *bytes.get(at)?;
        at += 1;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some((value, at))
}

fn compare(path: &Path, root: &Path, known: &HashMap<Vec<u8>, Seen>) -> Kept {
    let mut kept = Kept { repository: true, ..Kept::default() };
    let mut open: Vec<PathBuf> = vec![path.to_path_buf()];
    let mut entries = 0;
    while let Some(path) = open.pop() {
        entries += 1;
        if entries > MAX_ENTRIES {
            kept.more = true;
            break;
        }
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            let list = fs::read_dir(&path).into_iter().flatten().flatten();
            open.extend(list.take(MAX_ENTRIES as usize).map(|entry| entry.path()));
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).as_os_str().as_encoded_bytes();
        match known.get(name) {
            Some(seen) if same(seen, &meta) => kept.same += 1,
            Some(_) => kept.changed += 1,
            None => kept.untracked += 1,
        }
    }
    kept
}

#[cfg(unix)]
fn same(seen: &Seen, meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let low = |number: i64| u32::try_from(number & 0xffff_ffff).unwrap_or_default();
    let size = u32::try_from(meta.len() & 0xffff_ffff).unwrap_or_default();
    seen.size == size
        && seen.seconds == low(meta.mtime())
        && (seen.nanos == 0 || seen.nanos == low(meta.mtime_nsec()))
}

#[cfg(not(unix))]
fn same(_seen: &Seen, _meta: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(version: u32, name: &[u8], before: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; FIXED + 20 + 2];
        bytes[8..12].copy_from_slice(&7_u32.to_be_bytes());
        bytes[36..40].copy_from_slice(&3_u32.to_be_bytes());
        if version == 4 {
            let same = name.iter().zip(before).take_while(|(one, two)| one == two).count();
            bytes.push(u8::try_from(before.len() - same).unwrap());
            bytes.extend_from_slice(&name[same..]);
            bytes.push(0);
        } else {
            bytes.extend_from_slice(name);
            let filled = bytes.len() / 8 * 8 + 8;
            bytes.resize(filled, 0);
        }
        bytes
    }

    fn index(version: u32, names: &[&[u8]]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
        let mut before: &[u8] = b"";
        for name in names {
            bytes.extend(entry(version, name, before));
            before = name;
        }
        bytes
    }

    #[test]
    fn every_version_of_the_index_is_read() {
        for version in [2, 3, 4] {
            let bytes = index(version, &[b"a", b"src/a.rs", b"src/b.rs", b"srcs"]);
            let found = entries(&bytes, 20, b"src").unwrap();
            assert_eq!(found.len(), 2, "version {version}");
            let seen = Seen { seconds: 7, nanos: 0, size: 3 };
            assert_eq!(found.get(b"src/b.rs".as_slice()), Some(&seen));
            assert_eq!(entries(&bytes, 20, b"").unwrap().len(), 4);
        }
    }

    #[test]
    fn what_is_cut_or_odd_is_not_understood() {
        let bytes = index(4, &[b"a", b"src/a.rs"]);
        for end in 0..bytes.len() {
            assert_eq!(entries(&bytes[..end], 20, b""), None, "{end} bytes");
        }
        assert_eq!(entries(b"DIRC\0\0\0\x09\0\0\0\0", 20, b""), None);
        let mut long = index(4, &[&[b'x'; 1 << 20]]);
        long[8..12].copy_from_slice(&100_u32.to_be_bytes());
        for _ in 1..100 {
            long.extend(entry(4, b"", b""));
        }
        assert_eq!(entries(&long, 20, b""), None);
        let mut split = index(2, &[b"a"]);
        split.extend(b"link\0\0\0\0");
        assert_eq!(entries(&split, 20, b""), None);
    }
}
