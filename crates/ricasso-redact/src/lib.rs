//! Finds secrets in text and replaces them. It reads bytes and returns bytes, and never opens, runs
//! or sends anything.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assignment;
mod check;
mod dump;
mod edge;
pub mod escape;
mod expression;
mod find;
mod kinds;
mod likeness;
mod pattern;
mod placeholder;
mod plain;
mod redactor;
mod search;
mod spellings;
mod stream;
#[cfg(test)]
mod tests;
mod values;
mod window;
mod words;

use std::fmt;

#[doc(hidden)]
pub use kinds::{RowExamples, row_examples};
pub use pattern::End;
pub use redactor::{KIND_CHARS, Kind, Label, PatternError, Redactor, Span};
pub use search::{Findings, Window};
pub use stream::{Decided, RedactedStream, StreamSearch};
pub use values::{KnownValues, MIN_VALUE_BYTES};
pub use window::{REACH_BYTES, WindowRange, context_start, window_around};

/// The secrets that are known beyond the table of kinds.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Exact values, each with the name for its placeholder: a kind or a variable's name.
    pub values: Vec<(String, Vec<u8>)>,
    /// The user's regular expressions; each match is a secret.
    pub patterns: Vec<String>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} values, {} patterns)", self.values.len(), self.patterns.len())
    }
}
