//! Expressions: `$((…))`, `((…))`, subscripts, slices.
//!
//! Only what expands in an expression matters, so operators are not told apart. Whether `$((`
//! opens an expression at all is decided as the shell decides it.

use crate::tree::{Arith, Part, Piece};

use super::Reader;
use super::part::Mode;

impl Reader<'_> {
    /// The expression between two offsets.
    pub(super) fn arith_text(&mut self, start: usize, end: usize) -> Arith {
        Arith { span: self.span(start, end), parts: self.parts(start, end, Mode::Arith) }
    }

    /// The text between brackets behind an array's name.
    pub(super) fn subscript_text(&mut self, start: usize, end: usize) -> Arith {
        Arith { span: self.span(start, end), parts: self.parts(start, end, Mode::Subscript) }
    }

    /// The expression in `(…)` between `start` and `end`, if the two parentheses belong together.
    pub(super) fn arith_extent(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let text = self.cursor.source.text.get(start..end)?;
        let open = text.iter().position(|&byte| byte == b'(')?;
        let (&last, inner) = text.get(open + 1..)?.split_last()?;
        if last != b')' || !balanced(inner) {
            return None;
        }
        Some((start + open + 1, end - 1))
    }
}

/// Whether every parenthesis outside quotes has its partner.
fn balanced(text: &[u8]) -> bool {
    let mut level = 0i64;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'(' => level += 1,
            b')' => {
                level -= 1;
                if level < 0 {
                    return false;
                }
            }
            b'\\' => {
                bytes.next();
            }
            b'\'' => while bytes.next().is_some_and(|byte| byte != b'\'') {},
            b'"' => loop {
                match bytes.next() {
                    Some(b'\\') => {
                        bytes.next();
                    }
                    None | Some(b'"') => break,
                    Some(_) => {}
                }
            },
            _ => {}
        }
    }
    level == 0
}

/// How many expressions a `for ((…))` has, as the shell splits it: at semicolons outside quotes
/// and expansions.
pub(super) fn clauses(parts: &[Part]) -> usize {
    let mut count = 1;
    let mut quote = None;
    for part in parts {
        let Piece::Literal(text) = &part.kind else { continue };
        for &byte in text.iter() {
            match (byte, quote) {
                (b';', None) => count += 1,
                (b'\'' | b'"', None) => quote = Some(byte),
                (byte, Some(open)) if byte == open => quote = None,
                _ => {}
            }
        }
    }
    count
}
