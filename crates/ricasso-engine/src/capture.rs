//! Where output goes: every byte into the spool, spans of what is secret beside it, and a bounded
//! excerpt into the reply.
//!
//! This room stores raw bytes and hands out redacted ones. It must never hand out a byte that the
//! scan has not decided on, never block the pipe on the scan, and never hold more than a few
//! blocks of output in memory. Only this room can make a [`Redacted`]. It names no other room,
//! and of the boiler room only the vectors.

mod assign;
mod bare;
mod before;
mod check;
mod dfa;
mod ends;
mod error;
mod escape;
pub mod excerpt;
mod forms;
mod fronts;
mod kinds;
mod likeness;
mod literals;
mod marked;
mod order;
mod page;
mod places;
mod read;
mod redact;
mod redacted;
pub mod scan;
mod scanner;
mod screen;
mod sieve;
mod spans;
mod spool;
mod store;
mod taken;
mod watch;
mod words;

use serde::{Deserialize, Serialize};

pub use ends::Ends;
pub use error::Error;
pub use excerpt::{Budget, Excerpt, Lean, Omitted};
pub use kinds::patterns;
pub use marked::Marked;
pub use page::Page;
pub use read::{Owner, Reading, Which};
pub use redact::{Label, MIN_VALUE_BYTES, Redactor, Secrets};
pub use redacted::Redacted;
pub use scan::{BEHIND_BYTES, Behind, Kind, Mark, Scan, Span};
pub use scanner::DIGEST_BYTES;
pub use screen::{Canvas, Picture};
pub use spool::{Appended, Bounds, INLINE_BYTES, Spool, Totals};
pub use store::spooled_bytes;
pub use taken::{Most, Taken};
pub use watch::{Batch, Beyond, Line, Lines, Takes};

/// Reads, scans and copies go in blocks of this many bytes: the size of a pipe. Larger blocks
/// leave the second-level cache and were slower in every measurement.
pub const BLOCK_BYTES: usize = 64 * 1024;

/// How far a spool is, as its owner tells others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watermark {
    /// How far each stream is decided.
    pub marks: [Mark; 2],
    /// Stored bytes of each stream.
    pub bytes: [u64; 2],
    /// Secrets found so far.
    pub redactions: u64,
}

/// A sentence of a door about itself, before there is an engine that knows more: what the caller
/// wrote may stand in it.
pub fn sentence(text: &str, label: Label) -> Redacted<String> {
    let by_form = Redactor::new(&Secrets::default());
    let redactor = by_form.expect("without patterns there is none that could be wrong");
    redactor.labelled(label).text(text.as_bytes())
}

/// One of the two output streams of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
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
