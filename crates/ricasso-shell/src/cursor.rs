//! The byte source: a position in a text, with line continuations already gone.
//!
//! A backslash before a newline vanishes before the shell makes tokens, so it vanishes here and
//! nowhere else; offsets stay those of the text. Texts that were unescaped first (backticks,
//! here-documents with stripped tabs) carry a table back to the original bytes.

use std::rc::Rc;

use crate::span::Span;

/// A text and, where it is a rewritten one, the way back to the original.
#[derive(Clone, Debug)]
pub(crate) struct Source<'s> {
    /// What is read.
    pub(crate) text: &'s [u8],
    /// For each byte of the text its offset in the original, and one entry for the end.
    pub(crate) table: Option<Rc<[u32]>>,
}

impl Source<'_> {
    /// The original offset of the byte at `pos`.
    pub(crate) fn origin(&self, pos: usize) -> usize {
        match &self.table {
            None => pos,
            Some(table) => table.get(pos).or(table.last()).map_or(pos, |&at| at as usize),
        }
    }

    /// The original span of the bytes from `start` to `end`.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        match &self.table {
            None => Span::new(start, end),
            Some(_) if end <= start => Span::new(self.origin(start), self.origin(start)),
            Some(_) => Span::new(self.origin(start), self.origin(end - 1) + 1),
        }
    }
}

/// A position in a source.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) source: Source<'s>,
    pub(crate) pos: usize,
    pub(crate) end: usize,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(source: Source<'s>) -> Self {
        let end = source.text.len();
        Self { source, pos: 0, end }
    }

    /// The byte at the position as it stands in the text.
    pub(crate) fn peek_raw(&self) -> Option<u8> {
        if self.pos < self.end { self.source.text.get(self.pos).copied() } else { None }
    }

    /// Drops continuations, then shows the next byte.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek_raw()?;
            if byte != b'\\' || self.byte_at(self.pos + 1) != Some(b'\n') {
                return Some(byte);
            }
            self.pos += 2;
        }
    }

    /// Takes the next byte, continuations dropped.
    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.pos += 1;
        Some(byte)
    }

    /// Takes the next byte as it stands in the text.
    pub(crate) fn next_raw(&mut self) -> Option<u8> {
        let byte = self.peek_raw()?;
        self.pos += 1;
        Some(byte)
    }

    /// The byte at an offset of the source, within the end.
    pub(crate) fn byte_at(&self, pos: usize) -> Option<u8> {
        if pos < self.end { self.source.text.get(pos).copied() } else { None }
    }

    /// The byte behind the next one, continuations dropped, position unchanged.
    pub(crate) fn peek_second(&mut self) -> Option<u8> {
        self.peek()?;
        let at = self.pos;
        self.pos += 1;
        let second = self.peek();
        self.pos = at;
        second
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Source};

    #[test]
    fn continuations_vanish_and_offsets_stay() {
        let mut cursor = Cursor::new(Source { text: b"a\\\n\\\nb\\", table: None });
        assert_eq!(cursor.next(), Some(b'a'));
        assert_eq!(cursor.peek_second(), Some(b'\\'));
        assert_eq!(cursor.next(), Some(b'b'));
        assert_eq!(cursor.pos, 6);
        assert_eq!(cursor.next(), Some(b'\\'));
        assert_eq!(cursor.next(), None);
    }
}
