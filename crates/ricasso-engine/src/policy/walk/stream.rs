//! What flows from one command to the next: text, a file's content, paths that were found.

use super::super::word::{Piece, Word};
use super::state::{From, Text};

/// What a command prints, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Stream {
    /// Nothing.
    #[default]
    Nothing,
    /// This text.
    Text(Text),
    /// The content of a local file.
    File(Word),
    /// Anything, without end.
    Endless,
    /// One path after another, each of them below one of these.
    Paths(Vec<Word>),
}

impl Stream {
    /// A text that is known.
    pub(super) fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Stream::Text(Text::of(bytes))
    }

    /// Anything.
    pub(super) fn unknown(from: From) -> Self {
        Stream::Text(Text::unknown(from))
    }

    /// Where it comes from.
    pub(super) fn from(&self) -> From {
        match self {
            Stream::Text(text) => text.from,
            Stream::Nothing | Stream::File(_) | Stream::Endless | Stream::Paths(_) => From::Here,
        }
    }

    /// The bytes, where all are known.
    pub(super) fn known(&self) -> Option<Vec<u8>> {
        match self {
            Stream::Nothing => Some(Vec::new()),
            Stream::Text(text) => text.known(),
            Stream::File(_) | Stream::Endless | Stream::Paths(_) => None,
        }
    }

    /// Both, one behind the other.
    pub(super) fn then(&mut self, other: Stream) {
        *self = match (std::mem::take(self), other) {
            (Stream::Nothing, other) => other,
            (own, Stream::Nothing) => own,
            (Stream::Text(mut own), Stream::Text(other)) => {
                own.then(&other);
                Stream::Text(own)
            }
            (own, other) => Stream::unknown(own.from().max(other.from())),
        };
    }

    /// As the value of a substitution.
    pub(super) fn into_text(self) -> Text {
        match self {
            Stream::Nothing => Text::default(),
            Stream::Text(text) => text,
            Stream::File(_) | Stream::Endless => Text::unknown(From::Here),
            Stream::Paths(words) => match words.as_slice() {
                [word] => Text { pieces: word.pieces().to_vec(), from: From::Here },
                _ => Text { pieces: vec![Piece::Unknown], from: From::Here },
            },
        }
    }
}
