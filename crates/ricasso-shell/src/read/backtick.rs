//! Backticks: the text between them is unescaped first and read then.
//!
//! The shell reads it only when it runs it, so an error inside spoils nothing outside.

use crate::cursor::Source;
use crate::tree::{Form, Piece};

use super::Reader;
use super::expand::substitution;
use super::pair::Pair;
use super::part::Mode;

impl Reader<'_> {
    /// The substitution whose first backtick stands here.
    pub(super) fn backticks(&mut self, at: usize, mode: Mode) -> Piece {
        self.next();
        let start = self.pos();
        let end = self.inner_end(Pair::quote(at, b'`'));
        let text = self.cursor.source.text.get(start..end).unwrap_or_default();
        if !text.contains(&b'\\') {
            let (body, unreadable) = self.late_list(start, end);
            return substitution(Form::Backtick, body, unreadable);
        }
        let (text, table) = self.unescaped(start, end, mode == Mode::Double);
        let source = Source { text: &text, table: Some(table.into()) };
        let ((body, unreadable), _) = self.on(source, |reader| reader.late_list(0, text.len()));
        substitution(Form::Backtick, body, unreadable)
    }

    /// Drops the backslashes that only protect the text from the outer reading.
    fn unescaped(&self, start: usize, end: usize, quoted: bool) -> (Vec<u8>, Vec<u32>) {
        let source = &self.cursor.source;
        let text = source.text.get(start..end).unwrap_or_default();
        let mut bytes = Vec::with_capacity(text.len());
        let mut table = Vec::with_capacity(text.len() + 1);
        let mut pos = 0;
        while pos < text.len() {
            if text[pos] == b'\\' {
                match text.get(pos + 1) {
                    Some(b'\n') => {
                        pos += 2;
                        continue;
                    }
                    Some(b'$' | b'`' | b'\\') => pos += 1,
                    Some(b'"') if quoted => pos += 1,
                    Some(_) | None => {}
                }
            }
            bytes.push(text[pos]);
            table.push(source.origin(start + pos) as u32);
            pos += 1;
        }
        table.push(source.origin(end) as u32);
        (bytes, table)
    }
}
