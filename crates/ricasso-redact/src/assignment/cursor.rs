//! Reads a name and what assigns a value to it, up to the value. It reads on as if the text ended
//! where it ends, and notes when that end mattered: then only more bytes decide.

use super::name::{required_letter, starts_word, stem_length};
use super::{SUFFIX_BYTES, SUFFIXES, is_blank};
use crate::kinds::Stem;
use crate::words::{Word, is_joint, name_parts};
use std::cell::Cell;

/// Longest name of an anchor before a value, or of what wraps it.
pub(super) const LABEL_BYTES: usize = 24;

pub(super) struct Cursor<'a> {
    /// The text from the telling part on.
    pub(super) bytes: &'a [u8],
    /// How far it was read.
    pub(super) at: usize,
    /// From here on what is read may be the secret itself; the end while the name is read.
    secret_from: usize,
    /// Where the secret may start, when the end of the text was met.
    met_end: Cell<Option<usize>>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0, secret_from: bytes.len(), met_end: Cell::new(None) }
    }

    /// Whether the end of the text was met, and then the first byte that may belong to a secret.
    pub(super) fn met_end(&self) -> Option<usize> {
        self.met_end.get()
    }

    /// Reads something that may be the secret itself, from this place on.
    pub(super) fn guarded<T>(&mut self, from: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.secret_from;
        self.secret_from = outer.min(from);
        let result = read(self);
        self.secret_from = outer;
        result
    }

    /// The next byte; none at the end of the text.
    pub(super) fn peek(&self) -> Option<u8> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, more: usize) -> Option<u8> {
        let byte = self.bytes.get(self.at + more).copied();
        if byte.is_none() {
            let met = self.met_end.get().unwrap_or(self.secret_from);
            self.met_end.set(Some(met.min(self.secret_from)));
        }
        byte
    }

    pub(super) fn takes_text(&mut self, text: &[u8]) -> bool {
        let stands = text.iter().enumerate().all(|(at, &byte)| self.ahead(at) == Some(byte));
        self.at += if stands { text.len() } else { 0 };
        stands
    }

    pub(super) fn skip(&mut self, most: usize, test: fn(u8) -> bool) -> usize {
        let from = self.at;
        while self.at - from < most && self.peek().is_some_and(test) {
            self.at += 1;
        }
        self.at - from
    }

    /// Reads the rest of the name.
    pub(super) fn read_name(&mut self, stem: Stem, before: &[u8]) -> Option<()> {
        let letter = required_letter(stem, self.bytes);
        if letter.is_some() && before.last().map(u8::to_ascii_lowercase) != letter {
            return None;
        }
        self.at = stem_length(stem, self.bytes);
        if stem == Stem::Auth {
            self.skip(1, |byte| byte == b's' || byte == b'S');
        }
        self.read_suffix(stem, before)
    }

    /// The words behind the telling part.
    fn read_suffix(&mut self, stem: Stem, before: &[u8]) -> Option<()> {
        let from = self.at;
        self.skip(SUFFIX_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let suffix = &self.bytes[from..self.at];
        let whole = suffix.first().is_none_or(|&byte| is_joint(byte));
        let mut words = name_parts(suffix).map(Word::lower);
        match stem {
            Stem::Pass if !whole => {
                // `passed`, `Passive`, `passport`: only these make a longer word of it.
                let first = words.next().unwrap_or_default();
                if !matches!(first.text(), b"word" | b"wd" | b"phrase" | b"code" | b"wort") {
                    return None;
                }
            }
            Stem::Pass | Stem::Pwd if !starts_word(before, self.bytes[0]) => {
                return None;
            }
            Stem::Pass | Stem::Pwd | Stem::Token | Stem::Secret | Stem::Key | Stem::Auth => {}
        }
        let known = |word: Word| {
            SUFFIXES.has(&word)
                || matches!(word.text(), [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'])
                || matches!(word.text(), [b'v', b'0'..=b'9'])
                || (stem == Stem::Secret && word.text() == b"id")
        };
        if words.all(known) { Some(()) } else { None }
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    is_blank(byte) || byte == b'\r' || byte == b'\n'
}
