//! Is the ledger as it was written? Every line, the order of lines, the head, and what somebody
//! kept from a reply.
//!
//! It changes nothing and holds the lock only to see where the ledger ends. An unkeyed chain
//! cannot show a rewrite of everything by the same user, unless somebody kept an anchor.

use super::chain::{self, ORIGIN};
use super::error::Error;
use super::files::{Files, HeadFile};
use super::head::Head;
use super::read::{Piece, Reader};
use serde::Serialize;
use std::fs::File;
use std::path::Path;

/// More damage than this is not listed; the ledger is broken all the same.
const MAX_DAMAGE: usize = 100;

/// A number and a hash that somebody kept from a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The entry's number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Lines that are as they were written.
    pub entries: u64,
    /// The number of the last line.
    pub last_seq: u64,
    /// The hash of the last line.
    pub last_hash: String,
    /// What is wrong, in order.
    pub damage: Vec<Damage>,
    /// What is not wrong and worth telling.
    pub told: Vec<Told>,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Damage {
    /// A line was changed, or is none of ours.
    Changed {
        /// The file's number.
        file: u32,
        /// The line in it, from 1.
        line: u64,
    },
    /// A line does not follow the one before: some were removed or moved.
    Broken {
        /// The file's number.
        file: u32,
        /// The line in it, from 1.
        line: u64,
        /// The number that was to follow.
        expected: u64,
        /// The number that stands there.
        found: u64,
    },
    /// A file between others is missing.
    FileMissing {
        /// Its number.
        file: u32,
    },
    /// Lines at the end are missing: the head knows more.
    Cut {
        /// The last number that the head knows.
        head_seq: u64,
        /// The last number that stands there.
        last_seq: u64,
    },
    /// There is no head, so a cut cannot be excluded.
    HeadMissing,
    /// The head is not what we write.
    HeadUnreadable,
    /// The head names another hash or place for its line.
    HeadDiffers {
        /// The line that the head names.
        seq: u64,
    },
    /// A head was missing once and made anew, so a cut before this line cannot be excluded.
    HeadWasMissing {
        /// The line that tells it.
        seq: u64,
    },
    /// The line that somebody kept has another hash.
    AnchorDiffers {
        /// Its number.
        seq: u64,
    },
    /// The line that somebody kept is not there.
    AnchorMissing {
        /// Its number.
        seq: u64,
    },
}

/// Something worth telling that is not damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Told {
    /// A torn last line, which the next append cuts off.
    TornLine {
        /// The file's number.
        file: u32,
        /// How many bytes.
        bytes: usize,
    },
    /// Complete lines behind the head, which the next append adopts.
    BehindHead {
        /// How many.
        lines: u64,
    },
    /// The ledger mended itself.
    Repaired {
        /// The line that tells it.
        seq: u64,
        /// What it says.
        what: String,
    },
}

impl Verified {
    /// Whether nothing was changed, removed, moved or cut.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty()
    }

    fn wrong(&mut self, damage: Damage) {
        if self.damage.len() < MAX_DAMAGE {
            self.damage.push(damage);
        }
    }
}

/// Checks the ledger in this directory, and the anchor if there is one.
pub fn verify(directory: &Path, anchor: Option<&Anchor>) -> Result<Verified, Error> {
    let files = Files::new(directory);
    let seen = Seen::take(&files)?;
    let last_file = seen.numbers.last().copied();
    let mut walk = Walk {
        found: Verified { last_hash: ORIGIN.to_string(), ..Verified::default() },
        anchor,
        met: Met::NotYet,
        head: seen.head,
        last_file: last_file.unwrap_or(1),
        at_head: None,
        length: 0,
    };
    let mut expected = 1;
    for number in seen.numbers {
        for file in expected..number {
            walk.found.wrong(Damage::FileMissing { file });
        }
        expected = number + 1;
        let bound = if Some(number) == last_file { seen.length } else { u64::MAX };
        walk.file(number, Reader::open(files.lines(number), bound)?)?;
    }
    walk.compare_head(last_file);
    if let (Some(anchor), Met::NotYet) = (anchor, walk.met) {
        walk.found.wrong(Damage::AnchorMissing { seq: anchor.seq });
    }
    Ok(walk.found)
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
        let path = files.directory().to_path_buf();
        let locked = File::open(&path).and_then(|file| file.lock_shared().map(|()| file));
        let _locked = locked.map_err(|source| Error::OpenDirectory { path, source })?;
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    NotYet,
    Yes,
}

struct Walk<'a> {
    found: Verified,
    anchor: Option<&'a Anchor>,
    met: Met,
    head: HeadFile,
    /// The file that is appended to.
    last_file: u32,
    /// Hash, file and end of the line that the head names.
    at_head: Option<(String, u32, u64)>,
    /// Bytes of the last file's complete lines.
    length: u64,
}

impl Walk<'_> {
    fn file(&mut self, number: u32, mut reader: Reader) -> Result<(), Error> {
        self.length = 0;
        let mut line = 0;
        loop {
            line += 1;
            match reader.next_piece()? {
                Piece::End => return Ok(()),
                Piece::Torn(bytes) if number == self.last_file => {
                    self.found.told.push(Told::TornLine { file: number, bytes });
                    return Ok(());
                }
                Piece::Torn(_) => {
                    self.found.wrong(Damage::Changed { file: number, line });
                    return Ok(());
                }
                Piece::Line(text) => {
                    self.length += text.len() as u64 + 1;
                    self.line(number, line, &text);
                }
            }
        }
    }

    fn line(&mut self, file: u32, line: u64, text: &[u8]) {
        let Some(link) = chain::check(text) else {
            self.found.wrong(Damage::Changed { file, line });
            return;
        };
        let expected = self.found.last_seq + 1;
        if link.seq != expected || link.prev != self.found.last_hash {
            self.found.wrong(Damage::Broken { file, line, expected, found: link.seq });
        }
        match self.anchor {
            Some(anchor) if anchor.seq == link.seq => {
                self.met = Met::Yes;
                if anchor.hash != link.hash {
                    self.found.wrong(Damage::AnchorDiffers { seq: link.seq });
                }
            }
            Some(_) | None => {}
        }
        if matches!(&self.head, HeadFile::Good(head) if head.seq == link.seq) {
            self.at_head = Some((link.hash.clone(), file, self.length));
        }
        self.repairs(link.seq, text);
        self.found.entries += 1;
        self.found.last_seq = link.seq;
        self.found.last_hash = link.hash;
    }

    fn repairs(&mut self, seq: u64, text: &[u8]) {
        const PHASE: &[u8] = b"\"phase\":\"repair\"";
        if memchr::memmem::find(text, PHASE).is_none() {
            return;
        }
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(text) else {
            return;
        };
        if value["phase"] != "repair" {
            return;
        }
        let what = value["repair"]["kind"].as_str().unwrap_or_default().to_string();
        if what.starts_with("head_") {
            self.found.wrong(Damage::HeadWasMissing { seq });
        }
        self.found.told.push(Told::Repaired { seq, what });
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
            self.found.told.push(Told::BehindHead { lines: last_seq - head.seq });
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
