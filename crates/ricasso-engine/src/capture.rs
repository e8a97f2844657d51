//! Where output goes: every byte into the spool, and a bounded excerpt into the reply.
//!
//! This module stores raw bytes and hands out redacted ones: secrets are looked for when bytes are
//! read. It must never hand out a byte that is not decided, never block the pipe on a search by
//! patterns, and never hold more than a few blocks of output in memory. Only this module can make a
//! [`Redacted`], and only its file `stored.rs` gives a reader the bytes of a spool. It names no
//! other module.

mod ends;
mod error;
pub mod excerpt;
mod marked;
mod order;
mod page;
mod read;
mod redact;
mod redacted;
mod screen;
mod spool;
mod store;
mod stored;
mod taken;
mod values;
mod watch;

use serde::{Deserialize, Serialize};

pub use ends::Ends;
pub use error::Error;
pub use excerpt::{Budget, Excerpt, Lean, Omitted};
pub use marked::Marked;
pub use page::Page;
pub use read::{Owner, Reading, Which};
pub use redact::{Redactor, TextStream};
pub use redacted::Redacted;
pub use ricasso_redact::{End, Label, MIN_VALUE_BYTES, Secrets};
pub use screen::{Canvas, Picture};
pub use spool::{Appended, Bounds, DIGEST_BYTES, Spool, Totals};
pub use store::spooled_bytes;
pub use taken::{Most, Taken};
pub use watch::{Batch, Beyond, Line, Lines, Takes};

/// Reads and copies go in blocks of this many bytes: the size of a pipe. Larger blocks leave the
/// second-level cache and were slower in every measurement.
pub const BLOCK_BYTES: usize = 64 * 1024;

/// How far a spool is, as its owner tells others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watermark {
    /// Stored bytes of each stream.
    pub bytes: [u64; 2],
    /// The newlines in them.
    pub newlines: [u64; 2],
    /// Secrets that were taken out before they were stored.
    pub removed: u64,
}

/// A sentence of a door about itself, before there is an engine that knows more: what the caller
/// wrote may stand in it.
pub fn sentence(text: &str, label: Label) -> Redacted<String> {
    Redactor::default().labelled(label).text(text.as_bytes())
}

/// One of the two output streams of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    #[default]
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Both, in the order in which they are stored and listed.
    pub const BOTH: [Stream; 2] = [Stream::Stdout, Stream::Stderr];

    /// The name in replies, options and file names.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }

    fn index(self) -> usize {
        match self {
            Stream::Stdout => 0,
            Stream::Stderr => 1,
        }
    }
}
