//! Words: where one ends, and whether it is a word, a number, an assignment or reserved.
//!
//! This is the shell's first step. It decides nothing about what a word expands to.

use crate::error::Why;
use crate::tree::Operator;

use super::Reader;
use super::known::Found;
use super::pair::Pair;
use super::token::{Lex, Res, Tok};

/// What was noted while the end of a word was sought; offsets into the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notes {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Some quote or backslash.
    pub(super) quoted: bool,
    /// Some `$`.
    pub(super) dollar: bool,
    /// Something that has to be looked at when the word is taken apart.
    pub(super) special: bool,
    /// The inside of `name[…]`, or of `[…]` in an array.
    pub(super) subscript: Option<(usize, usize)>,
    /// Where `=` makes this an assignment.
    pub(super) equals: Option<usize>,
    /// A bracket or equals sign has come; from then on no other can make this an assignment.
    pub(super) settled: bool,
}

/// Builtins whose arguments may be arrays.
const DECLARES: [&[u8]; 8] =
    [b"declare", b"typeset", b"export", b"local", b"readonly", b"alias", b"eval", b"let"];

impl<'s> Reader<'s> {
    /// Reads the word that starts here.
    pub(super) fn word(&mut self) -> Tok {
        let mut notes = self.word_extent();
        self.lex.end = notes.end;
        let mut tok = self.classify(&notes);
        if tok == Tok::Word && self.lex.assigns_only && self.assigns_late(&mut notes) {
            tok = Tok::LateAssignment;
        }
        if matches!(tok, Tok::Word | Tok::FdName) {
            self.lex.word = self.word_tree(&notes);
        }
        if matches!(tok, Tok::Assignment | Tok::LateAssignment) {
            self.lex.assignment = self.assignment_tree(&notes);
        }
        tok
    }

    fn word_extent(&mut self) -> Notes {
        let start = self.pos();
        let mut notes = Notes { start, end: start, ..Notes::default() };
        while let Some(byte) = self.peek() {
            if !self.word_step(byte, &mut notes) {
                break;
            }
            notes.end = self.pos();
        }
        if self.error.is_some() {
            notes.end = notes.end.max(self.pos()).min(self.cursor.end);
        }
        notes
    }

    /// Takes one piece of a word; `false` where the word ends.
    fn word_step(&mut self, byte: u8, notes: &mut Notes) -> bool {
        let at = self.pos();
        match byte {
            b' ' | b'\t' | b'\n' | b')' | b';' | b'&' => return false,
            b'|' | b'(' if !self.lex.regex => return false,
            b'|' => {
                self.next();
            }
            b'(' => {
                self.next();
                notes.special = true;
                self.pair(Pair::group(at));
            }
            b'\\' => {
                self.next_raw();
                self.next_raw();
                (notes.quoted, notes.special) = (true, true);
            }
            b'\'' | b'"' | b'`' => {
                self.next();
                self.pair(Pair::quote(at, byte));
                notes.quoted |= byte != b'`';
                notes.special = true;
            }
            b'$' => self.word_dollar(at, notes),
            b'<' | b'>' => {
                if !self.bash() || self.cursor.peek_second() != Some(b'(') {
                    return false;
                }
                self.next();
                self.next();
                notes.special = true;
                self.substitution_extent(at);
            }
            b'?' | b'*' | b'+' | b'@' | b'!' => self.word_pattern(at, byte, notes),
            b'[' => self.word_bracket(at, notes),
            b'=' => self.word_equals(at, notes),
            b'{' | b'~' => {
                self.next();
                notes.special = true;
            }
            _ => self.word_plain(),
        }
        true
    }

    /// Takes bytes that mean nothing but themselves.
    fn word_plain(&mut self) {
        let text = self.cursor.source.text;
        let mut pos = self.pos();
        while pos < self.cursor.end && PLAIN[usize::from(text[pos])] {
            pos += 1;
        }
        self.cursor.pos = pos.max(self.pos() + 1);
    }

    fn word_dollar(&mut self, at: usize, notes: &mut Notes) {
        (notes.dollar, notes.special) = (true, true);
        self.next();
        let opened = self.peek();
        match opened {
            Some(b'(') => {
                self.next();
                self.substitution_extent(at);
            }
            Some(b'{') => {
                self.next();
                self.pair(Pair::parameter(at));
            }
            Some(b'[') if self.bash() => {
                self.next();
                self.pair(Pair::old_arith(at));
            }
            Some(b'\'') if self.bash() => {
                self.next();
                notes.quoted = true;
                self.pair(Pair::ansi(at));
            }
            Some(b'"') if self.bash() => {
                self.next();
                notes.quoted = true;
                self.pair(Pair::quote(at, b'"'));
            }
            Some(b'$') => {
                self.next();
            }
            _ => {}
        }
    }

    fn word_pattern(&mut self, at: usize, byte: u8, notes: &mut Notes) {
        notes.special |= matches!(byte, b'?' | b'*');
        self.next();
        let on = self.lex.pattern || self.house.extglob;
        if on && self.bash() && self.peek() == Some(b'(') {
            self.next();
            notes.special = true;
            self.pair(Pair::group(at));
        }
    }

    fn word_bracket(&mut self, at: usize, notes: &mut Notes) {
        let indexes = if at == notes.start {
            self.lex.array
        } else {
            !notes.settled && self.assignment_may_come() && is_name(self.raw(notes.start, at))
        };
        notes.settled = true;
        self.next();
        notes.special = true;
        if indexes && self.bash() {
            let inside = self.pos();
            self.pair(Pair::subscript(at));
            notes.subscript = Some((inside, self.pos().saturating_sub(1).max(inside)));
        }
    }

    fn word_equals(&mut self, at: usize, notes: &mut Notes) {
        self.next();
        let allowed = self.assignment_may_come() || self.lex.declares || self.lex.array;
        let late = notes.equals.is_some() || (notes.settled && notes.subscript.is_none());
        let names = allowed && !late && self.names_target(notes, at);
        notes.settled = true;
        if !names {
            return;
        }
        notes.equals = Some(at);
        notes.special = true;
        if !self.bash() || self.lex.array || self.peek() != Some(b'(') {
            return;
        }
        self.next();
        self.array(at);
    }

    /// Whether the bytes before `=` at `at` are a name, with or without a subscript.
    fn names_target(&self, notes: &Notes, at: usize) -> bool {
        let plus = self.raw(notes.start, at).ends_with(b"+");
        let end = if plus && self.bash() { at - 1 } else { at };
        match notes.subscript {
            None => !self.lex.array && is_name(self.raw(notes.start, end)),
            Some((inside, close)) => {
                let name = self.raw(notes.start, inside.saturating_sub(1));
                close + 1 == end && (self.lex.array || is_name(name))
            }
        }
    }

    /// Reads the elements of `name=( … )`, whose parenthesis has been taken.
    fn array(&mut self, at: usize) {
        let start = self.pos();
        if !self.enter() {
            return;
        }
        let pending = std::mem::take(&mut self.lex.pending);
        let declares = self.lex.declares;
        let fresh = Lex { array: true, last: Tok::Word, pending, declares, ..Lex::default() };
        let mut outer = std::mem::replace(&mut self.lex, fresh);
        let mut elements = Vec::new();
        loop {
            match self.token() {
                Tok::Newline => {}
                Tok::Word => elements.push(std::mem::take(&mut self.lex.element)),
                Tok::Close => break,
                Tok::End => {
                    self.fail(at, Why::Unclosed(b')'));
                    break;
                }
                _ => {
                    self.fail(self.lex.start, Why::Unexpected);
                    break;
                }
            }
        }
        outer.pending = std::mem::take(&mut self.lex.pending);
        self.lex = outer;
        self.leave();
        if self.error.is_some() {
            self.lex.end_now();
        }
        self.known.keep(start, self.pos(), Found::Array(elements));
    }

    /// Whether a word has the form of an assignment though none may come; notes where.
    fn assigns_late(&self, notes: &mut Notes) -> bool {
        if matches!(self.lex.last, Tok::Redirect(..)) {
            return false;
        }
        let text = self.raw(notes.start, notes.end);
        let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let name = name.count();
        if !is_name(&text[..name]) {
            return false;
        }
        let mut at = name;
        if text.get(at) == Some(&b'[') {
            let closes = |pair: &[u8]| pair[0] == b']' && matches!(pair[1], b'=' | b'+');
            let Some(close) = text[at..].windows(2).position(closes) else { return false };
            notes.subscript = Some((notes.start + at + 1, notes.start + at + close));
            at += close + 1;
        }
        at += usize::from(text.get(at) == Some(&b'+'));
        notes.equals = Some(notes.start + at);
        text.get(at) == Some(&b'=')
    }

    pub(super) fn raw(&self, start: usize, end: usize) -> &'s [u8] {
        self.cursor.source.text.get(start..end).unwrap_or_default()
    }

    /// Decides what kind of token a word is.
    fn classify(&mut self, notes: &Notes) -> Tok {
        let text = without_continuations(self.raw(notes.start, notes.end));
        let follower = self.peek();
        let angle = matches!(follower, Some(b'<' | b'>'));
        let duplicates = matches!(
            self.lex.last,
            Tok::Redirect(Operator::DuplicateIn | Operator::DuplicateOut, _)
        );
        if (angle || duplicates)
            && text.iter().all(u8::is_ascii_digit)
            && (self.bash() || text.len() == 1 || duplicates)
            && let Some(number) = number(&text)
        {
            return Tok::Number(number);
        }
        if !notes.quoted
            && !notes.dollar
            && let Some(tok) = self.reserved(&text)
        {
            return tok;
        }
        if self.command_may_come() && !self.lex.test && !self.lex.array && self.bash() {
            self.lex.declares |= DECLARES.contains(&&*text);
        }
        if angle && self.bash() && text.len() > 2 && text.starts_with(b"{") && text.ends_with(b"}")
        {
            let name = &text[1..text.len() - 1];
            if is_name(name) || is_indexed_name(name) {
                return Tok::FdName;
            }
        }
        if matches!(self.lex.last, Tok::Reserved(Res::Case | Res::For | Res::Select)) {
            self.lex.awaits_in += 1;
        }
        let assigns = notes.equals.is_some() && self.assignment_may_come();
        if assigns { Tok::Assignment } else { Tok::Word }
    }
}

/// Bytes that mean nothing but themselves wherever a word is sought.
static PLAIN: [bool; 256] = plain_bytes();

const fn plain_bytes() -> [bool; 256] {
    let mut plain = [true; 256];
    let special = b" \t\n();&|\\'\"`$<>?*+@![={~\0";
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    plain
}

/// The text without its line continuations.
pub(super) fn without_continuations(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if !text.windows(2).any(|pair| pair == b"\\\n") {
        return text.into();
    }
    let mut clean = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'\\' && tail.first() == Some(&b'\n') {
            rest = &tail[1..];
            continue;
        }
        clean.push(byte);
        rest = tail;
    }
    clean.into()
}

/// Whether the text, its continuations gone, is a variable's name.
pub(super) fn is_name(text: &[u8]) -> bool {
    let text = without_continuations(text);
    text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn is_indexed_name(text: &[u8]) -> bool {
    text.ends_with(b"]")
        && text.iter().position(|&byte| byte == b'[').is_some_and(|at| is_name(&text[..at]))
}

fn number(text: &[u8]) -> Option<u32> {
    let value: u32 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (value <= i32::MAX as u32).then_some(value)
}
