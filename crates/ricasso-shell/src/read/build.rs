//! Makes words and assignments of what the lexer noted about their extents.
//!
//! The lexer has decided what they are; here they are only taken apart.

use crate::tree::{Arith, Assignment, Element, Word};

use super::Reader;
use super::lex::{Notes, without_continuations};
use super::part::Mode;

impl Reader<'_> {
    pub(super) fn word_tree(&mut self, notes: &Notes) -> Word {
        let Notes { start, end, .. } = *notes;
        if self.lex.array
            && let (Some((inside, close)), Some(equals)) = (notes.subscript, notes.equals)
        {
            let subscript = Some(self.subscript_text(inside, close));
            let value = self.word_in(equals + 1, end, Mode::Value);
            self.lex.element = Element { subscript, value };
            return Word::default();
        }
        let word = if notes.special {
            let mode = if self.lex.test || self.lex.patterns { Mode::Pattern } else { Mode::Word };
            self.word_in(start, end, mode)
        } else {
            self.plain_word(start, end)
        };
        if self.lex.array {
            self.lex.element = Element { subscript: None, value: word };
            return Word::default();
        }
        word
    }

    pub(super) fn assignment_tree(&mut self, notes: &Notes) -> Assignment {
        let Notes { start, end, .. } = *notes;
        let equals = notes.equals.unwrap_or(end);
        let append = self.raw(start, equals).ends_with(b"+");
        let name_end = match notes.subscript {
            Some((inside, _)) => inside.saturating_sub(1),
            None if append => equals - 1,
            None => equals,
        };
        let name = without_continuations(self.raw(start, name_end)).into_owned().into_boxed_slice();
        let subscript: Option<Arith> =
            notes.subscript.map(|(inside, close)| self.subscript_text(inside, close));
        let value = self.word_in((equals + 1).min(end), end, Mode::Value);
        Assignment { span: self.span(start, end), name, subscript, append, value }
    }
}
