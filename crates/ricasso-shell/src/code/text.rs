//! Static text with the way back: which byte of the original each of its bytes came from.
//!
//! Where a byte's origin is blurred by an earlier rewriting, it is given the start of its part.

use std::sync::Arc;

use crate::Span;
use crate::tree::{Part, Piece, Word};

/// A text and, for each of its bytes and its end, an offset in the original.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) table: Arc<[u32]>,
}

/// The text of static words, joined by one space as `eval` joins them.
pub(super) fn joined(words: &[Word], original: &[u8]) -> Option<Text> {
    let mut build = Build { original, bytes: Vec::new(), table: Vec::new() };
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            build.push(b' ', word.span.start.saturating_sub(1));
        }
        build.parts(&word.parts)?;
    }
    Some(build.finish(words.last().map_or(0, |word| word.span.end)))
}

/// The text of static parts.
pub(super) fn of_parts(parts: &[Part], original: &[u8], end: usize) -> Option<Text> {
    let mut build = Build { original, bytes: Vec::new(), table: Vec::new() };
    build.parts(parts)?;
    Some(build.finish(end))
}

/// From the first word to the last.
pub(super) fn span_of(words: &[Word]) -> Option<Span> {
    Some(Span::new(words.first()?.span.start, words.last()?.span.end))
}

struct Build<'t> {
    original: &'t [u8],
    bytes: Vec<u8>,
    table: Vec<u32>,
}

impl Build<'_> {
    fn push(&mut self, byte: u8, origin: usize) {
        self.bytes.push(byte);
        self.table.push(origin as u32);
    }

    fn finish(mut self, end: usize) -> Text {
        self.table.push(end as u32);
        Text { bytes: self.bytes, table: self.table.into() }
    }

    fn parts(&mut self, parts: &[Part]) -> Option<()> {
        parts.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, part: &Part) -> Option<()> {
        let span = part.span;
        match &part.kind {
            Piece::Literal(text) => self.run(text, span.start, span.len() == text.len()),
            Piece::Escaped(byte) => self.push(*byte, span.end.saturating_sub(1)),
            Piece::Single(text) => self.run(text, span.start + 1, span.len() == text.len() + 2),
            Piece::Ansi(text) => self.ansi(text, span),
            Piece::Double(parts) | Piece::Locale(parts) => self.parts(parts)?,
            _ => return None,
        }
        Some(())
    }

    /// Bytes that stand one behind the other in the original too, if `exact`; else the origin of
    /// each is found by looking for it, line continuations skipped.
    fn run(&mut self, text: &[u8], start: usize, exact: bool) {
        let mut at = start;
        for &byte in text {
            if !exact {
                while self.original.get(at) == Some(&b'\\')
                    && self.original.get(at + 1) == Some(&b'\n')
                {
                    at += 2;
                }
            }
            self.push(byte, at);
            at += 1;
        }
    }

    fn ansi(&mut self, text: &[u8], span: Span) {
        let inside = Span::new(span.start + 2, span.end.saturating_sub(1));
        let decoded = crate::read::decode(inside.of(self.original), inside.start);
        if decoded.0 == text {
            self.bytes.extend_from_slice(text);
            self.table.extend_from_slice(&decoded.1[..text.len()]);
        } else {
            text.iter().for_each(|&byte| self.push(byte, span.start));
        }
    }
}
