//! What a word stands for, where that is known before anything runs.
//!
//! Never guesses: a word with anything in it that the shell has yet to expand has no value.

use std::borrow::Cow;

use crate::limit::BRACE_WORDS;
use crate::tree::{Brace, Part, Piece, Word};

impl Word {
    /// The bytes of a static word: quotes gone, escapes decoded. Nothing for a word that is known
    /// only when it runs.
    #[must_use]
    pub fn value(&self) -> Option<Cow<'_, [u8]>> {
        if let [Part { kind: Piece::Literal(text), .. }] = self.parts.as_slice() {
            return Some(Cow::Borrowed(text));
        }
        let mut bytes = Vec::new();
        text(&self.parts, Unknown::Refuse, &mut bytes).then_some(Cow::Owned(bytes))
    }

    /// Like `value`, with globs, tildes and braces left as they are written.
    #[must_use]
    pub fn pattern(&self) -> Option<Cow<'_, [u8]>> {
        if let [Part { kind: Piece::Literal(text), .. }] = self.parts.as_slice() {
            return Some(Cow::Borrowed(text));
        }
        let mut bytes = Vec::new();
        text(&self.parts, Unknown::AsWritten, &mut bytes).then_some(Cow::Owned(bytes))
    }

    /// The words that brace expansion makes of this one, in order; one for a word without braces.
    /// Nothing when a part is unknown, a sequence is met, or there would be too many.
    #[must_use]
    pub fn values(&self) -> Option<Vec<Vec<u8>>> {
        if !self.parts.iter().any(|part| matches!(part.kind, Piece::Brace(_))) {
            return self.value().map(|value| vec![value.into_owned()]);
        }
        alternatives(&self.parts)
    }

    /// Whether nothing in it is quoted or expands: only such words can be reserved or an alias.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part.kind, Piece::Literal(_)))
    }
}

/// What to do with a piece that the file system or a user name decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Refuse,
    AsWritten,
}

/// Appends what the parts stand for; `false` if one is unknown.
fn text(parts: &[Part], unknown: Unknown, bytes: &mut Vec<u8>) -> bool {
    parts.iter().all(|part| piece(&part.kind, unknown, bytes))
}

fn piece(piece: &Piece, unknown: Unknown, bytes: &mut Vec<u8>) -> bool {
    match piece {
        Piece::Literal(text) | Piece::Single(text) | Piece::Ansi(text) => {
            bytes.extend_from_slice(text);
            true
        }
        Piece::Escaped(byte) => {
            bytes.push(*byte);
            true
        }
        Piece::Double(parts) | Piece::Locale(parts) => text(parts, unknown, bytes),
        _ if unknown == Unknown::Refuse => false,
        Piece::Glob(byte) => {
            bytes.push(*byte);
            true
        }
        Piece::Tilde(name) => {
            bytes.push(b'~');
            bytes.extend_from_slice(name);
            true
        }
        Piece::Brace(mark) => {
            bytes.extend_from_slice(written(*mark));
            true
        }
        Piece::ExtGlob(letter, parts) => {
            bytes.extend([*letter, b'(']);
            let known = text(parts, unknown, bytes);
            bytes.push(b')');
            known
        }
        Piece::Parameter(_)
        | Piece::Substitution(_)
        | Piece::Arith(_)
        | Piece::Process(_)
        | Piece::Array(_)
        | Piece::Broken(_) => false,
    }
}

fn written(mark: Brace) -> &'static [u8] {
    match mark {
        Brace::Open => b"{",
        Brace::Comma => b",",
        Brace::Range => b"..",
        Brace::Close => b"}",
    }
}

/// Words under construction.
type Words = Vec<Vec<u8>>;

/// The words of the braces in `parts`. Works outwards on a stack, so that depth costs no recursion.
fn alternatives(parts: &[Part]) -> Option<Vec<Vec<u8>>> {
    // Each frame: the words finished by commas, and those under construction.
    let mut frames: Vec<(Words, Words)> = vec![(Vec::new(), vec![Vec::new()])];
    for part in parts {
        match &part.kind {
            Piece::Brace(Brace::Open) => frames.push((Vec::new(), vec![Vec::new()])),
            Piece::Brace(Brace::Comma) => {
                let (done, open) = frames.last_mut()?;
                done.append(open);
                open.push(Vec::new());
            }
            Piece::Brace(Brace::Close) => {
                let (mut done, mut open) = frames.pop()?;
                done.append(&mut open);
                let (_, outer) = frames.last_mut()?;
                if outer.len().checked_mul(done.len())? > BRACE_WORDS {
                    return None;
                }
                let joined = outer.iter().flat_map(|head| {
                    done.iter().map(move |tail| [head.as_slice(), tail.as_slice()].concat())
                });
                *outer = joined.collect();
            }
            Piece::Brace(Brace::Range) => return None,
            kind => {
                let mut bytes = Vec::new();
                if !piece(kind, Unknown::Refuse, &mut bytes) {
                    return None;
                }
                let (_, open) = frames.last_mut()?;
                open.iter_mut().for_each(|word| word.extend_from_slice(&bytes));
            }
        }
    }
    let (_, words) = frames.pop()?;
    Some(words.into_iter().filter(|word| !word.is_empty()).collect())
}
