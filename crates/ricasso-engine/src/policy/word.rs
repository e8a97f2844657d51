//! One word of a command, as far as it is known before it runs.
//!
//! A word is pieces: bytes that are known, globs that the file system decides, and holes that
//! nobody knows. It must never guess: what it says is certain, what it "could be" is a superset.

use super::words::Meets;
use std::borrow::Cow;
use std::path::PathBuf;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Piece {
    /// These bytes.
    Known(Vec<u8>),
    /// A pattern of the shell that stands for what it finds, or for itself where it finds nothing.
    Glob(Vec<u8>),
    /// Any bytes, none included.
    Unknown,
}

/// How many words of the command this one becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Becomes {
    /// Exactly one.
    One,
    /// Any number, none included: an unquoted expansion or a glob.
    Any,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pieces: Vec<Piece>,
    becomes: Becomes,
}

impl Word {
    /// A word whose every byte is known.
    pub(super) fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![Piece::Known(bytes.into())], becomes: Becomes::One }
    }

    /// A word of which nothing is known, not even how many words it becomes.
    pub(super) fn unknown() -> Self {
        Self { pieces: vec![Piece::Unknown], becomes: Becomes::Any }
    }

    /// A word of pieces; neighbours of the same kind are joined.
    pub(super) fn new(pieces: impl IntoIterator<Item = Piece>, becomes: Becomes) -> Self {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (Some(Piece::Known(before)), Piece::Known(bytes))
                | (Some(Piece::Glob(before)), Piece::Glob(bytes)) => before.extend(bytes),
                (Some(Piece::Unknown), Piece::Unknown) => {}
                (_, piece) => joined.push(piece),
            }
        }
        Self { pieces: joined, becomes }
    }

    /// The pieces in their order.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many words it becomes.
    pub(super) fn becomes(&self) -> Becomes {
        self.becomes
    }

    /// The bytes, where all of them are known and it is exactly one word.
    pub(super) fn known(&self) -> Option<&[u8]> {
        match (self.pieces.as_slice(), self.becomes) {
            ([], Becomes::One) => Some(b""),
            ([Piece::Known(bytes)], Becomes::One) => Some(bytes),
            _ => None,
        }
    }

    /// The bytes as written, where nothing in it is unknown: a glob stands for itself here.
    pub(super) fn written(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Known(known) | Piece::Glob(known) => bytes.extend_from_slice(known),
                Piece::Unknown => return None,
            }
        }
        Some(bytes)
    }

    /// The known bytes that it starts with; all of it where it is known.
    pub(super) fn head(&self) -> &[u8] {
        match self.pieces.first() {
            Some(Piece::Known(bytes)) => bytes,
            Some(Piece::Glob(_) | Piece::Unknown) | None => b"",
        }
    }

    #[allow(dead_code, reason = "patterns are matched with it next")]
    /// Whether it could become exactly these bytes. A glob is taken for anything here.
    pub(super) fn could_be(&self, bytes: &[u8]) -> Meets {
        match self.known() {
            Some(known) if known == bytes => Meets::Yes,
            Some(_) => Meets::No,
            None if fits(&self.pieces, bytes) => Meets::Perhaps,
            None => Meets::No,
        }
    }

    /// The word without its first `count` bytes, which must be known: the value of a glued option.
    pub(super) fn without(&self, count: usize) -> Self {
        let mut pieces = self.pieces.clone();
        if let Some(Piece::Known(bytes)) = pieces.first_mut() {
            bytes.drain(..count.min(bytes.len()));
            if bytes.is_empty() && pieces.len() > 1 {
                pieces.remove(0);
            }
        }
        Self { pieces, becomes: self.becomes }
    }

    /// The path that is left where everything unknown is empty, without a glob behind it; `None`
    /// where it begins with what is known, or is no path from the root then.
    pub(super) fn without_holes(&self) -> Option<PathBuf> {
        let [Piece::Unknown, rest @ ..] = self.pieces.as_slice() else { return None };
        let mut bytes = Vec::new();
        for (number, piece) in rest.iter().enumerate() {
            match piece {
                Piece::Known(known) => bytes.extend_from_slice(known),
                Piece::Glob(_) if number + 1 == rest.len() => {}
                Piece::Glob(_) => return None,
                Piece::Unknown => {}
            }
        }
        bytes.starts_with(b"/").then(|| super::paths::tidy(&super::paths::to_path(&bytes)))
    }

    /// As people read it, with `…` for what is unknown.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Known(bytes) | Piece::Glob(bytes) => {
                    text.push_str(&String::from_utf8_lossy(bytes));
                }
                Piece::Unknown => text.push('…'),
            }
        }
        Cow::Owned(text)
    }
}

#[allow(dead_code, reason = "patterns are matched with it next")]
/// Whether the pieces can become these bytes, holes and globs taken for anything.
fn fits(pieces: &[Piece], bytes: &[u8]) -> bool {
    match pieces.split_first() {
        None => bytes.is_empty(),
        Some((Piece::Known(known), rest)) => {
            bytes.strip_prefix(known.as_slice()).is_some_and(|bytes| fits(rest, bytes))
        }
        Some((Piece::Glob(_) | Piece::Unknown, rest)) => {
            (0..=bytes.len()).any(|at| fits(rest, &bytes[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_word_without_its_holes_is_a_path_from_the_root() {
        let (hole, all) = (Piece::Unknown, Piece::Glob(b"*".to_vec()));
        let known = |text: &str| Piece::Known(text.into());
        let left = |pieces: &[Piece]| Word::new(pieces.to_vec(), Becomes::One).without_holes();
        assert_eq!(left(&[hole.clone(), known("/"), all.clone()]), Some("/".into()));
        assert_eq!(left(&[hole.clone(), known("/./etc/"), hole.clone()]), Some("/etc".into()));
        assert_eq!(left(&[hole.clone(), all.clone()]), None);
        assert_eq!(left(&[hole.clone(), known("x/")]), None);
        assert_eq!(left(&[known("/"), hole]), None);
    }

    #[test]
    fn what_is_known_is_certain_and_the_rest_could_be() {
        let word = Word::new([Piece::Known(b"/tmp/".to_vec()), Piece::Unknown], Becomes::One);
        assert_eq!(word.known(), None);
        assert_eq!(word.head(), b"/tmp/");
        assert_eq!(word.could_be(b"/tmp/x"), Meets::Perhaps);
        assert_eq!(word.could_be(b"/etc"), Meets::No);
        assert_eq!(word.without(5).could_be(b"/etc"), Meets::Perhaps);
        assert_eq!(word.shown(), "/tmp/…");
        assert_eq!(Word::of("a").could_be(b"a"), Meets::Yes);
        assert_eq!(Word::of("-ofile").without(2).known(), Some(&b"file"[..]));
    }
}
