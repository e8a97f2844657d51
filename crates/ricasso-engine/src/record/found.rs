//! What a check of the ledger found, as values and as sentences.

use serde::Serialize;
use std::fmt;

/// More damage than this is not listed; the ledger is broken all the same.
const MAX_DAMAGE: usize = 100;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Lines that are as they were written.
    pub entries: u64,
    /// The number of the first line that is still there.
    pub first_seq: u64,
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
    /// A file is missing that retention did not remove.
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
    /// Files that retention removed were not as they had been written.
    RetiredDamaged {
        /// The line that tells it.
        seq: u64,
        /// How much of it there was.
        count: u64,
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
    /// Retention removed the beginning, and the ledger itself says so.
    Retired {
        /// The last file that is gone.
        file: u32,
        /// The last line that is gone.
        through_seq: u64,
        /// The line that tells it.
        seq: u64,
    },
}

impl Verified {
    /// Whether nothing was changed, removed, moved or cut.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty()
    }

    pub(super) fn wrong(&mut self, damage: Damage) {
        if self.damage.len() < MAX_DAMAGE {
            self.damage.push(damage);
        }
    }

    pub(super) fn tell(&mut self, told: Told) {
        if self.told.len() < MAX_DAMAGE {
            self.told.push(told);
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Changed { file, line } => {
                write!(f, "line {line} of {file:06}.jsonl was changed, or is none of ours")
            }
            Damage::Broken { file, line, expected, found } => write!(
                f,
                "line {line} of {file:06}.jsonl is entry {found}, but entry {expected} was to \
                 follow: entries were removed, moved or replaced before it"
            ),
            Damage::FileMissing { file } => {
                write!(f, "{file:06}.jsonl is missing, and retention did not remove it")
            }
            Damage::Cut { head_seq, last_seq } => write!(
                f,
                "the end is cut off: the head knows entry {head_seq}, the last one is {last_seq}"
            ),
            Damage::HeadMissing => {
                write!(f, "the head is missing, so a cut at the end cannot be excluded")
            }
            Damage::HeadUnreadable => {
                write!(f, "the head is not what ricasso writes, so a cut cannot be excluded")
            }
            Damage::HeadDiffers { seq } => {
                write!(f, "the head names another hash or place for entry {seq}")
            }
            Damage::HeadWasMissing { seq } => write!(
                f,
                "the head was missing before entry {seq}, so a cut before it cannot be excluded"
            ),
            Damage::RetiredDamaged { seq, count } => write!(
                f,
                "entry {seq} tells that old files were removed by retention which were not \
                 intact ({count} found)"
            ),
            Damage::AnchorDiffers { seq } => {
                write!(f, "entry {seq} has another hash than the one that was kept")
            }
            Damage::AnchorMissing { seq } => {
                write!(f, "entry {seq}, whose hash was kept, is not there to be compared")
            }
        }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::TornLine { file, bytes } => write!(
                f,
                "{file:06}.jsonl ends in {bytes} bytes of a torn line; the next entry cuts them off"
            ),
            Told::BehindHead { lines } => {
                write!(f, "{lines} complete entries behind the head; the next entry adopts them")
            }
            Told::Repaired { seq, what } => {
                write!(f, "entry {seq} tells that the ledger was mended: {what}")
            }
            Told::Retired { file, through_seq, seq } => write!(
                f,
                "entry {seq} tells that retention removed files up to {file:06}.jsonl, \
                 entries up to {through_seq}"
            ),
        }
    }
}
