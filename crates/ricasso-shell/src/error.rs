//! Why and where a text cannot be read.
//!
//! An error never hides what was readable before it: the tree keeps that.

use std::fmt;

use crate::limit::Limit;

/// The place from which on a text is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The byte at which reading failed.
    pub at: usize,
    /// The first byte of the command that the failure spoils. The shell runs everything before
    /// this byte and nothing of the text from here on; what the tree holds of it is a guess.
    pub from: usize,
    /// What was met or missed.
    pub why: Why,
}

/// What was met or missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// A quote, bracket or brace that was opened here never closes; the byte is the closer.
    Unclosed(u8),
    /// The text ends inside a compound command.
    Ends,
    /// A word or operator stands where the grammar has no place for it.
    Unexpected,
    /// `[[ … ]]` holds something that is no condition.
    Condition,
    /// A NUL byte: shells drop it or stop at it, so nobody knows what would run.
    Nul,
    /// A construct that this shell does not have.
    NotInSh,
    /// A named limit was reached.
    Limit(Limit),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.why {
            Why::Unclosed(close) => {
                write!(f, "what opens at byte {at} is never closed by `{}`", close.escape_ascii())
            }
            Why::Ends => write!(f, "the text ends at byte {at} inside a command"),
            Why::Unexpected => write!(f, "unexpected word or operator at byte {at}"),
            Why::Condition => write!(f, "no valid condition at byte {at}"),
            Why::Nul => write!(f, "a NUL byte stands at byte {at}"),
            Why::NotInSh => write!(f, "byte {at} starts a construct that sh does not have"),
            Why::Limit(limit) => write!(f, "{limit}, reached at byte {at}"),
        }
    }
}

impl std::error::Error for Unreadable {}
