//! What is odd about a text: bytes that people cannot see or shells treat unlike each other, and
//! words that change what names mean.
//!
//! Each oddity is told once, at its first place. Nothing is repaired.

use std::fmt;

use crate::script::Script;
use crate::tree::Word;

/// Something odd, with the byte where it is met first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// The byte.
    pub at: usize,
    /// What it is.
    pub what: Odd,
}

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Odd {
    /// A NUL byte: the text is unreadable from there on.
    Nul,
    /// Bytes that are not UTF-8; they are kept as they are.
    NotUtf8,
    /// A carriage return: part of a word, not a blank.
    CarriageReturn,
    /// A byte order mark: part of the first word.
    ByteOrderMark,
    /// Another control character.
    Control,
    /// A character that is invisible or changes the direction of the text.
    Invisible,
    /// A blank that shells do not take for one, such as a no-break space.
    FalseBlank,
    /// Aliases may change what names mean from the next line on.
    NamesMayChange,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        let what = match self.what {
            Odd::Nul => "a NUL byte",
            Odd::NotUtf8 => "bytes that are not UTF-8",
            Odd::CarriageReturn => "a carriage return, which is part of a word",
            Odd::ByteOrderMark => "a byte order mark, which is part of a word",
            Odd::Control => "a control character",
            Odd::Invisible => "an invisible character",
            Odd::FalseBlank => "a blank that shells take for part of a word",
            Odd::NamesMayChange => "an alias, so that names may change",
        };
        write!(f, "{what} stands at byte {at}")
    }
}

impl Script {
    /// What is odd about the text, each kind once, in the order of the text.
    #[must_use]
    pub fn oddities(&self) -> Vec<Oddity> {
        let mut odd = Vec::new();
        let text = self.text();
        if !text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
            let mut at = 0;
            for chunk in text.utf8_chunks() {
                for character in chunk.valid().chars() {
                    if let Some(what) = what(character, at) {
                        note(&mut odd, at, what);
                    }
                    at += character.len_utf8();
                }
                if !chunk.invalid().is_empty() {
                    note(&mut odd, at, Odd::NotUtf8);
                    at += chunk.invalid().len();
                }
            }
        }
        if let Some(at) = self.names_may_change() {
            note(&mut odd, at, Odd::NamesMayChange);
        }
        odd.sort_by_key(|oddity| oddity.at);
        odd
    }

    /// The first byte of the first command that defines aliases or switches them on.
    #[must_use]
    pub fn names_may_change(&self) -> Option<usize> {
        let changes = |words: &[Word]| {
            let values = words.iter().filter_map(Word::value);
            values.clone().next().is_some_and(|name| matches!(&*name, b"alias" | b"unalias"))
                || values.clone().any(|word| &*word == b"expand_aliases")
        };
        self.commands().find(|found| changes(found.words)).map(|found| found.span.start)
    }
}

fn note(odd: &mut Vec<Oddity>, at: usize, what: Odd) {
    if !odd.iter().any(|oddity| oddity.what == what) {
        odd.push(Oddity { at, what });
    }
}

fn what(character: char, at: usize) -> Option<Odd> {
    Some(match character {
        ' '..='~' | '\n' | '\t' => return None,
        '\0' => Odd::Nul,
        '\r' => Odd::CarriageReturn,
        '\u{feff}' if at == 0 => Odd::ByteOrderMark,
        invisible if is_invisible(invisible) => Odd::Invisible,
        blank if blank.is_whitespace() && !blank.is_ascii_control() => Odd::FalseBlank,
        control if control.is_control() => Odd::Control,
        _ => return None,
    })
}

/// Whether a character shows nothing, or changes how others are shown.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
