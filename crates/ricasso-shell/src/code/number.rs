//! Variables that a script itself shows to hold numbers, so that evaluating them runs nothing.
//!
//! A name counts only where the text sets it before, sets it to nothing but numbers, and leaves no
//! other way to set it: no builtin that is given the name, no text that becomes code.

use std::collections::HashMap;

use crate::script::Script;
use crate::tree::{Action, Kind, Piece, Word};
use crate::walk::{Event, walk};

/// What is known about names.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Where a name is first set to a number; absent once it is set to anything else.
    set: HashMap<Vec<u8>, Option<usize>>,
    /// Something runs that may set any name.
    open: bool,
}

/// Commands that run a text which may set any name.
const RUN_TEXT: [&[u8]; 7] = [b"eval", b".", b"source", b"trap", b"alias", b"builtin", b"command"];

impl Numbers {
    /// Looks through a script.
    pub(super) fn of(script: &Script) -> Self {
        let mut numbers = Self::default();
        walk(script, &mut |event, _| match event {
            Event::Assignment(assignment) => {
                let number = assignment.subscript.is_none() && is_number(&assignment.value);
                numbers.note(&assignment.name, assignment.span.start, number);
            }
            Event::Command(command) => match &command.kind {
                Kind::For(command) => {
                    let words = command.words.as_deref();
                    let number = words.is_some_and(|words| words.iter().all(is_number));
                    if let Some(name) = command.name.value() {
                        numbers.note(&name, command.name.span.start, number);
                    }
                }
                // Whatever is given to a command by name may be set by it.
                Kind::Simple(simple) => {
                    let name = simple.words.first().map(Word::value);
                    numbers.open |= match name {
                        Some(Some(name)) => RUN_TEXT.contains(&&*name),
                        Some(None) => true,
                        None => false,
                    };
                    for word in simple.words.iter().skip(1) {
                        let text = word.pattern().unwrap_or_default();
                        let text = text.strip_prefix(b"-v").unwrap_or(&text);
                        let name = text.split(|&byte| byte == b'=').next().unwrap_or_default();
                        numbers.note(name, word.span.start, false);
                    }
                }
                _ => {}
            },
            Event::Arith(arith) => {
                let at = arith.span.start.saturating_sub(1);
                for part in &arith.parts {
                    if let Piece::Literal(text) = &part.kind {
                        assigned(text).for_each(|name| numbers.note(name, at, true));
                    }
                }
            }
            Event::Part(part) => {
                if let Piece::Parameter(parameter) = &part.kind
                    && parameter.action == Action::Assign
                {
                    numbers.note(&parameter.name, part.span.start, false);
                }
            }
            _ => {}
        });
        numbers
    }

    /// Whether a name holds a number at a place of the text.
    pub(super) fn holds(&self, name: &[u8], at: usize) -> bool {
        !self.open && matches!(self.set.get(name), Some(Some(since)) if *since < at)
    }

    fn note(&mut self, name: &[u8], at: usize, number: bool) {
        let place = self.set.entry(name.to_vec()).or_insert(number.then_some(at));
        if !number {
            *place = None;
        } else if let Some(since) = place {
            *since = (*since).min(at);
        }
    }
}

/// The names that an expression assigns with a plain equals sign.
fn assigned(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let equals = text.windows(2).enumerate().filter(|(_, pair)| pair[0] == b'=' && pair[1] != b'=');
    equals.filter_map(|(at, _)| {
        let left = text[..at].trim_ascii_end();
        let name =
            left.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = &left[left.len() - name..];
        name.first().is_some_and(|byte| !byte.is_ascii_digit()).then_some(name)
    })
}

/// Whether a word is nothing but digits, expressions and lengths.
fn is_number(word: &Word) -> bool {
    word.parts.iter().all(|part| match &part.kind {
        Piece::Brace(_) => true,
        Piece::Literal(text) => text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-'),
        kind => super::expression::is_number(kind),
    })
}
