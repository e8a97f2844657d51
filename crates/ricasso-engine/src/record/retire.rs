//! Retention: old files of lines go, and the chain says so.
//!
//! The line that tells it is written before the first file goes, with the last place of each, so
//! that `verify` can tell what retention removed from what somebody else did. Files that are not
//! intact go too, and what was wrong with them stays on record: nothing is hidden by being old.

use super::clock::rfc3339;
use super::entry::{Entry, Phase};
use super::error::Error;
use super::found::Damage;
use super::ledger::Ledger;
use super::read::Reader;
use super::verify::{self, Anchors};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, SystemTime};

/// A file goes as a whole, so a file whose lines span more than this part of the retention is
/// followed by the next one even where it is short: no line stays much longer than it should.
const PARTS: u32 = 4;

/// What `note.kind` says.
const KIND: &str = "retired";

/// The last place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileEnd {
    /// The file's number.
    pub(super) file: u32,
    /// Its last entry.
    pub(super) seq: u64,
    /// The hash of that.
    pub(super) hash: String,
}

/// What a line says that tells of removed files.
pub(super) struct Retired {
    pub(super) files: Vec<FileEnd>,
    /// How much was wrong with them.
    pub(super) damage: u64,
}

impl Retired {
    /// Reads the line's object; `None` where it tells of something else.
    pub(super) fn read(line: &Value) -> Option<Retired> {
        let note = &line["note"];
        if note["kind"] != KIND {
            return None;
        }
        let files = Vec::<FileEnd>::deserialize(&note["files"]).unwrap_or_default();
        Some(Retired { files, damage: note["damage"].as_u64().unwrap_or(1) })
    }
}

impl Ledger {
    /// Removes the files whose last line is older than `age`; returns how many. The last file
    /// always stays. Nothing is written where nothing is old enough.
    pub fn retire(&self, age: Duration, now: SystemTime) -> Result<usize, Error> {
        let before = |age: Duration| now.checked_sub(age);
        let (Some(oldest), Some(part)) = (before(age), before(age / PARTS)) else {
            return Ok(0);
        };
        let numbers = self.files().numbers()?;
        let Some((last, rotated)) = numbers.split_last() else { return Ok(0) };
        if self.begins_before(*last, &rfc3339(part))? {
            self.begin_next_file(&rfc3339(now))?;
        }
        let old = rotated.iter().take_while(|number| self.written_before(**number, oldest));
        let Some(through) = old.last().copied() else { return Ok(0) };
        let examined = verify::examine(self.files(), &Anchors::default())?;
        let gone: Vec<FileEnd> =
            examined.ends.into_iter().filter(|end| end.file <= through).collect();
        // Somebody else may have been faster.
        let Some(last_seq) = gone.last().map(|end| end.seq) else { return Ok(0) };
        let wrong = examined.found.damage.iter().filter(|one| is_within(one, through, last_seq));
        let mut entry: Entry<()> = Entry::new(Phase::Note, "", rfc3339(now));
        let note = json!({"kind": KIND, "files": gone, "damage": wrong.count()});
        entry.extra.insert("note".into(), note);
        self.append_any(&entry)?;
        for end in &gone {
            self.files().remove_lines(end.file)?;
        }
        Ok(gone.len())
    }

    fn begins_before(&self, number: u32, moment: &str) -> Result<bool, Error> {
        #[derive(Deserialize)]
        struct At {
            at: String,
        }
        let mut reader = Reader::open(self.files().lines(number), u64::MAX)?;
        let first = reader.next_line()?.and_then(|line| serde_json::from_slice::<At>(&line).ok());
        // The same width and zone for all, so that texts are ordered as moments are.
        Ok(first.is_some_and(|first| first.at.as_str() < moment))
    }

    /// A file that cannot be looked at stays.
    fn written_before(&self, number: u32, moment: SystemTime) -> bool {
        let modified = fs::metadata(self.files().lines(number)).and_then(|meta| meta.modified());
        modified.is_ok_and(|at| at < moment)
    }
}

/// Whether this damage would no longer be seen without the files up to here.
fn is_within(damage: &Damage, through: u32, last_seq: u64) -> bool {
    match damage {
        Damage::Changed { file, .. } | Damage::FileMissing { file } => *file <= through,
        // The first line that is left stands behind whatever the removed files ended with.
        Damage::Broken { file, .. } => *file <= through + 1,
        Damage::HeadWasMissing { seq } | Damage::RetiredDamaged { seq, .. } => *seq <= last_seq,
        Damage::Cut { .. }
        | Damage::HeadMissing
        | Damage::HeadUnreadable
        | Damage::HeadDiffers { .. }
        | Damage::AnchorDiffers { .. }
        | Damage::AnchorMissing { .. } => false,
    }
}
