//! How much one text may ask of us. Beyond a limit a text is unreadable, never half understood.
//!
//! No limit may degrade into a guess: whoever meets one gets `Why::Limit` with its name.

use std::fmt;

/// Bytes of one text. Offsets then fit 32 bits, and no program takes more on its command line.
pub const TEXT_BYTES: usize = 16 << 20;

/// Constructs open inside one another: substitutions, quotes in expansions, compound commands.
/// Sized so that reading and dropping the tree fit a thread of 2 MiB even without optimisation.
pub const DEPTH: u32 = 150;

/// Words, parts and commands of one text together. A text of a mebibyte in which every second
/// byte is a word has half a million.
pub const NODES: u32 = 8_000_000;

/// Words that one word with braces may stand for before its values count as unknown.
pub const BRACE_WORDS: usize = 1_000;

/// The limits by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// More than [`TEXT_BYTES`].
    TextBytes,
    /// More than [`DEPTH`].
    Depth,
    /// More than [`NODES`].
    Nodes,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::TextBytes => write!(f, "the text is longer than {TEXT_BYTES} bytes"),
            Limit::Depth => write!(f, "more than {DEPTH} constructs are open inside one another"),
            Limit::Nodes => write!(f, "the text has more than {NODES} words and parts"),
        }
    }
}
