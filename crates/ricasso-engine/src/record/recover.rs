//! Where to append: as the head says, or, when a crash or a hand came between, as the lines say.
//!
//! Complete lines that continue the chain are adopted. A torn last line is cut off. Everything
//! else stays where it is, so that `verify` can show it, and is told in the ledger itself.

use super::chain;
use super::error::Error;
use super::files::{Files, HeadFile};
use super::head::Head;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The end of the chain, ready to be appended to.
#[derive(Debug)]
pub(super) struct End {
    /// The file of lines.
    pub(super) file: File,
    /// Its path.
    pub(super) path: PathBuf,
    /// The chain's last place; `length` is the file's.
    pub(super) head: Head,
    /// What was mended, for the ledger.
    pub(super) repairs: Vec<Value>,
}

/// Finds the end. The caller holds the lock.
pub(super) fn find_end(files: &Files) -> Result<End, Error> {
    match files.read_head()? {
        HeadFile::Good(head) => from_head(files, head),
        // The head comes first, so that a crash in the very first append is no missing head.
        HeadFile::Missing if files.numbers()?.is_empty() => {
            files.write_head(&Head::origin())?;
            from_head(files, Head::origin())
        }
        HeadFile::Missing => from_lines(files, "head_missing"),
        HeadFile::Broken => from_lines(files, "head_unreadable"),
    }
}

fn from_head(files: &Files, head: Head) -> Result<End, Error> {
    let (file, path) = files.open_lines(head.file)?;
    let length = length_of(&file, &path)?;
    match length.cmp(&head.length) {
        Ordering::Equal => Ok(End { file, path, head, repairs: Vec::new() }),
        Ordering::Greater => adopt(file, path, head, Vec::new()),
        Ordering::Less => after_cut(file, path, head, length),
    }
}

/// Lines that the head knows are gone. The chain goes on from the head, so that `verify` shows the
/// gap for ever; what is left of a torn line goes, so that the next one starts on its own.
fn after_cut(mut file: File, path: PathBuf, mut head: Head, length: u64) -> Result<End, Error> {
    let missing = head.length - length;
    let repair = json!({"kind": "cut", "file": head.file, "at": length, "bytes": missing});
    head.length = length - scan(&mut file, &path, 0, Expect::Anything)?.torn;
    if let Err(source) = file.set_len(head.length) {
        return Err(Error::Cut { path, source });
    }
    Ok(End { file, path, head, repairs: vec![repair] })
}

/// Without a head: the last line of the last file that has one is the end.
fn from_lines(files: &Files, kind: &str) -> Result<End, Error> {
    let numbers = files.numbers()?;
    let mut head = Head::origin();
    let mut last = numbers.last().copied().unwrap_or(1);
    for number in numbers.iter().rev() {
        let (mut file, path) = files.open_lines(*number)?;
        let scan = scan(&mut file, &path, 0, Expect::Anything)?;
        if let Some((seq, hash)) = scan.last {
            (head.seq, head.hash) = (seq, hash);
            last = last.max(*number);
            break;
        }
    }
    head.file = last;
    files.remove_head()?;
    let repair = json!({"kind": kind, "file": last, "seq": head.seq});
    let (mut file, path) = files.open_lines(last)?;
    let whole = scan(&mut file, &path, 0, Expect::Anything)?;
    head.length = whole.good;
    adopt(file, path, head, vec![repair])
}

/// Takes over what stands behind the head's place, as far as it continues the chain.
fn adopt(
    mut file: File,
    path: PathBuf,
    mut head: Head,
    mut repairs: Vec<Value>,
) -> Result<End, Error> {
    let follows = Expect::After(head.seq, head.hash.clone());
    let scan = scan(&mut file, &path, head.length, follows)?;
    if let Some((seq, hash)) = scan.last {
        (head.seq, head.hash) = (seq, hash);
    }
    head.length = scan.good;
    if scan.foreign > 0 {
        let (at, bytes) = (scan.good, scan.foreign);
        repairs.push(json!({"kind": "foreign", "file": head.file, "at": at, "bytes": bytes}));
        head.length += scan.foreign;
    }
    if scan.torn > 0 {
        let (at, bytes) = (head.length, scan.torn);
        repairs.push(json!({"kind": "torn_line", "file": head.file, "at": at, "bytes": bytes}));
        if let Err(source) = file.set_len(head.length) {
            return Err(Error::Cut { path, source });
        }
    }
    Ok(End { file, path, head, repairs })
}

/// What the first scanned line must follow.
enum Expect {
    /// Whatever it says.
    Anything,
    /// This number and hash.
    After(u64, String),
}

/// What a stretch of a file holds.
struct Scan {
    /// The last line of the unbroken chain.
    last: Option<(u64, String)>,
    /// The file's length up to there.
    good: u64,
    /// Complete lines behind it that do not continue the chain, in bytes.
    foreign: u64,
    /// The rest without a newline, in bytes.
    torn: u64,
}

fn scan(file: &mut File, path: &Path, from: u64, expect: Expect) -> Result<Scan, Error> {
    // What is no plain file has no length, and is not read at all.
    let length = length_of(file, path)?.saturating_sub(from);
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(from))
        .and_then(|_| (&mut *file).take(length).read_to_end(&mut bytes));
    read.map_err(|source| Error::ReadFile { path: path.to_path_buf(), source })?;
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut last = match expect {
        Expect::Anything => None,
        Expect::After(seq, hash) => Some((seq, hash)),
    };
    let mut good = 0;
    for line in bytes[..complete].split_inclusive(|byte| *byte == b'\n') {
        let Some(link) = chain::check(&line[..line.len() - 1]) else {
            break;
        };
        let follows =
            last.as_ref().is_none_or(|(seq, hash)| link.seq == seq + 1 && link.prev == *hash);
        if !follows {
            break;
        }
        last = Some((link.seq, link.hash));
        good += line.len();
    }
    let count = |bytes: usize| bytes as u64;
    Ok(Scan {
        last,
        good: from + count(good),
        foreign: count(complete - good),
        torn: count(bytes.len() - complete),
    })
}

fn length_of(file: &File, path: &Path) -> Result<u64, Error> {
    let meta = file.metadata();
    meta.map(|meta| meta.len())
        .map_err(|source| Error::ReadFile { path: path.to_path_buf(), source })
}
