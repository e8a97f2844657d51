//! Where output goes: every byte into the spool, spans of what is secret beside it, and a bounded
//! excerpt into the reply.
//!
//! This room stores raw bytes and hands out redacted ones. It must never hand out a byte that the
//! scan has not decided on, never block the pipe on the scan, and never hold more than a few
//! blocks of output in memory. Only this room can make a [`Redacted`]. It names no other room.

mod dfa;
mod error;
mod escape;
pub mod excerpt;
mod forms;
mod kinds;
mod literals;
mod marked;
mod order;
mod read;
mod redact;
mod redacted;
pub mod scan;
mod scanner;
mod spans;
mod spool;
mod store;

use serde::{Deserialize, Serialize};

pub use error::Error;
pub use excerpt::{Budget, Excerpt, Lean, Omitted};
pub use marked::Marked;
pub use read::{Owner, Reading, Which};
pub use redact::{MIN_VALUE_BYTES, Redactor, Secrets};
pub use redacted::Redacted;
pub use scan::{Behind, Kind, Mark, Scan, Span};
pub use spool::{Appended, Bounds, INLINE_BYTES, Spool, Totals};
pub use store::spooled_bytes;

/// Reads, scans and copies go in blocks of this many bytes: the size of a pipe. Larger blocks
/// leave the second-level cache and were slower in every measurement.
pub const BLOCK_BYTES: usize = 64 * 1024;

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
