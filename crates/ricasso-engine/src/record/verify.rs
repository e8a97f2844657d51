//! Is the ledger as it was written? Every line, the order of lines, the head, the files that are
//! gone, and what somebody kept from a reply.
//!
//! It changes nothing and holds the lock only to see where the ledger ends. An unkeyed chain
//! cannot show a rewrite of everything by the same user, unless somebody kept an anchor.

use super::chain::{self, ORIGIN};
use super::error::Error;
use super::files::{Files, HeadFile};
use super::found::{Damage, Told, Verified};
use super::head::Head;
use super::lock::Locked;
use super::read::{Piece, Reader};
use super::retire::{FileEnd, Retired};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Retention may remove a file while we read; then we look again, this often.
const MAX_LOOKS: usize = 5;

/// A number and a hash that somebody kept from a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The entry's number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// Everything that the ledger is compared with, beside itself.
#[derive(Debug, Clone, Default)]
pub struct Anchors {
    /// What a person gave: each has to be there.
    pub given: Vec<Anchor>,
    /// What lies in kept replies: each has to be there, unless retention removed it.
    pub kept: Vec<Anchor>,
}

/// Checks the ledger in this directory, and the anchors.
pub fn verify(directory: &Path, anchors: &Anchors) -> Result<Verified, Error> {
    examine(&Files::new(directory), anchors).map(|examined| examined.found)
}

/// A check with what else it learned.
pub(super) struct Examined {
    pub(super) found: Verified,
    /// The last line of each file.
    pub(super) ends: Vec<FileEnd>,
}

pub(super) fn examine(files: &Files, anchors: &Anchors) -> Result<Examined, Error> {
    for _ in 1..MAX_LOOKS {
        match examine_once(files, anchors) {
            Err(Error::OpenFile { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            other => return other,
        }
    }
    examine_once(files, anchors)
}

fn examine_once(files: &Files, anchors: &Anchors) -> Result<Examined, Error> {
    let seen = Seen::take(files)?;
    let last_file = seen.numbers.last().copied();
    let first_file = seen.numbers.first().copied().unwrap_or(1);
    let mut walk = Walk::new(anchors, seen.head, last_file.unwrap_or(1));
    if first_file > 1 {
        walk.start = Start::Unknown;
    }
    let mut expected = first_file;
    for number in seen.numbers {
        for file in expected..number {
            walk.found.wrong(Damage::FileMissing { file });
        }
        expected = number + 1;
        let bound = if Some(number) == last_file { seen.length } else { u64::MAX };
        walk.file(number, Reader::open(files.lines(number), bound)?)?;
    }
    walk.compare_start(first_file);
    walk.compare_head(last_file);
    walk.compare_anchors(anchors);
    Ok(Examined { found: walk.found, ends: walk.ends })
}

/// What the ledger was when we came: files only grow, so no lock is needed after that, and a long
/// check keeps nobody from running.
struct Seen {
    head: HeadFile,
    numbers: Vec<u32>,
    /// The length of the last file.
    length: u64,
}

impl Seen {
    fn take(files: &Files) -> Result<Self, Error> {
        let path = files.directory();
        let unopened = |source| Error::OpenDirectory { path: path.to_path_buf(), source };
        let directory = File::open(path).map_err(unopened)?;
        let _locked = Locked::shared(&directory, path)?;
        let numbers = files.numbers()?;
        let length = match numbers.last().map(|number| files.lines(*number)) {
            None => 0,
            Some(path) => match std::fs::metadata(&path) {
                Ok(meta) => meta.len(),
                Err(source) => return Err(Error::ReadFile { path, source }),
            },
        };
        Ok(Self { head: files.read_head()?, numbers, length })
    }
}

/// Where the chain that is left begins.
enum Start {
    /// At its origin.
    Origin,
    /// Behind files that are gone; no line was seen yet.
    Unknown,
    /// Behind this entry, which is gone.
    Behind { seq: u64, hash: String },
}

struct Walk<'a> {
    found: Verified,
    /// Anchors by number that no line met yet.
    anchors: BTreeMap<u64, Vec<&'a str>>,
    start: Start,
    head: HeadFile,
    /// The file that is appended to.
    last_file: u32,
    /// Hash, file and end of the line that the head names.
    at_head: Option<(String, u32, u64)>,
    /// Bytes of the last file's complete lines.
    length: u64,
    ends: Vec<FileEnd>,
    /// What retention removed, by the lines that tell it.
    retired: Vec<(u64, FileEnd)>,
}

impl<'a> Walk<'a> {
    fn new(anchors: &'a Anchors, head: HeadFile, last_file: u32) -> Walk<'a> {
        let mut by_seq: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for anchor in anchors.given.iter().chain(&anchors.kept) {
            by_seq.entry(anchor.seq).or_default().push(&anchor.hash);
        }
        Walk {
            found: Verified { last_hash: ORIGIN.to_string(), ..Verified::default() },
            anchors: by_seq,
            start: Start::Origin,
            head,
            last_file,
            at_head: None,
            length: 0,
            ends: Vec::new(),
            retired: Vec::new(),
        }
    }

    fn file(&mut self, number: u32, mut reader: Reader) -> Result<(), Error> {
        self.length = 0;
        let mut line = 0;
        loop {
            line += 1;
            match reader.next_piece()? {
                Piece::End => break,
                Piece::Torn(bytes) if number == self.last_file => {
                    self.found.tell(Told::TornLine { file: number, bytes });
                    break;
                }
                Piece::Torn(_) => {
                    self.found.wrong(Damage::Changed { file: number, line });
                    break;
                }
                Piece::Line(text) => {
                    self.length += text.len() as u64 + 1;
                    self.line(number, line, &text);
                }
            }
        }
        let (seq, hash) = (self.found.last_seq, self.found.last_hash.clone());
        self.ends.push(FileEnd { file: number, seq, hash });
        Ok(())
    }

    fn line(&mut self, file: u32, line: u64, text: &[u8]) {
        let Some(link) = chain::check(text) else {
            self.found.wrong(Damage::Changed { file, line });
            return;
        };
        if matches!(self.start, Start::Unknown) {
            let seq = link.seq.saturating_sub(1);
            (self.found.last_seq, self.found.last_hash) = (seq, link.prev.clone());
            self.start = Start::Behind { seq, hash: link.prev.clone() };
        }
        let expected = self.found.last_seq + 1;
        if link.seq != expected || link.prev != self.found.last_hash {
            self.found.wrong(Damage::Broken { file, line, expected, found: link.seq });
        }
        if let Some(kept) = self.anchors.remove(&link.seq)
            && kept.iter().any(|hash| **hash != link.hash)
        {
            self.found.wrong(Damage::AnchorDiffers { seq: link.seq });
        }
        if matches!(&self.head, HeadFile::Good(head) if head.seq == link.seq) {
            self.at_head = Some((link.hash.clone(), file, self.length));
        }
        self.own_words(link.seq, text);
        if self.found.entries == 0 {
            self.found.first_seq = link.seq;
        }
        self.found.entries += 1;
        self.found.last_seq = link.seq;
        self.found.last_hash = link.hash;
    }

    /// What a line tells about the ledger itself. Most lines are about jobs and are not read.
    fn own_words(&mut self, seq: u64, text: &[u8]) {
        let has = |phase: &[u8]| memchr::memmem::find(text, phase).is_some();
        if !has(b"\"phase\":\"repair\"") && !has(b"\"phase\":\"note\"") {
            return;
        }
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(text) else {
            return;
        };
        match value["phase"].as_str() {
            Some("repair") => {
                let what = value["repair"]["kind"].as_str().unwrap_or_default().to_string();
                if what.starts_with("head_") {
                    self.found.wrong(Damage::HeadWasMissing { seq });
                }
                self.found.tell(Told::Repaired { seq, what });
            }
            Some("note") => {
                let Some(Retired { files, damage }) = Retired::read(&value) else { return };
                if damage > 0 {
                    self.found.wrong(Damage::RetiredDamaged { seq, count: damage });
                }
                self.retired.extend(files.into_iter().map(|file| (seq, file)));
            }
            Some(_) | None => {}
        }
    }

    /// Files at the beginning may be gone only where a line that is still there says that
    /// retention removed the last of them, and how it ended.
    fn compare_start(&mut self, first_file: u32) {
        let (seq, hash) = match &self.start {
            Start::Origin => return,
            Start::Unknown => (0, ""),
            Start::Behind { seq, hash } => (*seq, hash.as_str()),
        };
        let gone = first_file - 1;
        let fits = |end: &FileEnd| end.file == gone && end.seq == seq && end.hash == hash;
        match self.retired.iter().rev().find(|(_, end)| fits(end)) {
            Some((told_by, _)) => {
                self.found.tell(Told::Retired { file: gone, through_seq: seq, seq: *told_by });
            }
            None => (1..first_file).for_each(|file| {
                self.found.wrong(Damage::FileMissing { file });
            }),
        }
    }

    /// What is left of the anchors was met by no line. A number that is the end of a file that
    /// retention removed can still be compared.
    fn compare_anchors(&mut self, anchors: &Anchors) {
        let first = self.found.first_seq;
        let by_retention = |told: &Told| matches!(told, Told::Retired { .. });
        let begins_late = self.found.told.iter().any(by_retention);
        for (seq, hashes) in std::mem::take(&mut self.anchors) {
            let end = self.retired.iter().find(|(_, end)| end.seq == seq);
            if begins_late && let Some((_, end)) = end {
                if hashes.iter().any(|hash| *hash != end.hash) {
                    self.found.wrong(Damage::AnchorDiffers { seq });
                }
                continue;
            }
            let given = anchors.given.iter().any(|anchor| anchor.seq == seq);
            if given || !(begins_late && seq < first) {
                self.found.wrong(Damage::AnchorMissing { seq });
            }
        }
    }

    fn compare_head(&mut self, last_file: Option<u32>) {
        let head = match std::mem::replace(&mut self.head, HeadFile::Missing) {
            HeadFile::Good(head) => head,
            HeadFile::Missing if last_file.is_none() => return,
            HeadFile::Missing => return self.found.wrong(Damage::HeadMissing),
            HeadFile::Broken => return self.found.wrong(Damage::HeadUnreadable),
        };
        let last_seq = self.found.last_seq;
        if head.seq > last_seq {
            return self.found.wrong(Damage::Cut { head_seq: head.seq, last_seq });
        }
        if !self.head_fits(&head, last_file) {
            return self.found.wrong(Damage::HeadDiffers { seq: head.seq });
        }
        if last_seq > head.seq {
            self.found.tell(Told::BehindHead { lines: last_seq - head.seq });
        }
    }

    fn head_fits(&self, head: &Head, last_file: Option<u32>) -> bool {
        let fresh = head.length == 0 && last_file.is_none_or(|last| head.file == last);
        match &self.at_head {
            Some((hash, file, end)) if *hash == head.hash => {
                // Right after a rotation the head stands at the start of an empty file.
                (*file == head.file && *end == head.length) || (fresh && head.file == file + 1)
            }
            Some(_) => false,
            None => head.seq == 0 && head.hash == ORIGIN && fresh,
        }
    }
}
