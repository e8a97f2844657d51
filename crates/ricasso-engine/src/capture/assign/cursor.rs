//! Reads a name and what assigns a value to it, up to the value. It must never decide before every
//! continuation of the text gives the same answer.

use super::super::bare::{TYPED, needs, stem_bytes};
use super::super::before::Before;
use super::super::dfa::End;
use super::super::kinds::Stem;
use super::super::words::{Word, is_joint, parts};
use super::{
    GAP_BYTES, Joint, Quote, SUFFIX_BYTES, SUFFIXES, Stop, Sure, is_blank, is_cell, is_element,
    is_flag, is_npm, is_pass, is_shouted, starts_word,
};

/// Longest attributes of an element between its name and its value.
const ATTRIBUTES_BYTES: usize = 160;

/// Most words of a type between a name and its value.
const TYPE_WORDS: usize = 3;

/// Longest list of other parts before the value of a name that is an object.
const PARTS_BYTES: usize = 160;

/// Longest name of an anchor before a value, or of what wraps it.
pub(super) const LABEL_BYTES: usize = 24;

pub(super) struct Cursor<'a> {
    /// The text from the telling part on.
    pub(super) bytes: &'a [u8],
    /// How far it was read.
    pub(super) at: usize,
    /// Whether more follows.
    pub(super) end: End,
}

impl Cursor<'_> {
    /// The next byte; none at the end of the stream.
    pub(super) fn peek(&self) -> Result<Option<u8>, Stop> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, more: usize) -> Result<Option<u8>, Stop> {
        match (self.bytes.get(self.at + more), self.end) {
            (Some(&byte), _) => Ok(Some(byte)),
            (None, End::Closed) => Ok(None),
            (None, End::Open) => Err(Stop::Wait(self.bytes.len())),
        }
    }

    pub(super) fn takes_text(&mut self, text: &[u8]) -> Result<bool, Stop> {
        for (index, &byte) in text.iter().enumerate() {
            if self.ahead(index)? != Some(byte) {
                return Ok(false);
            }
        }
        self.at += text.len();
        Ok(true)
    }

    pub(super) fn skip(&mut self, most: usize, test: fn(u8) -> bool) -> Result<usize, Stop> {
        let from = self.at;
        while self.at - from < most && self.peek()?.is_some_and(test) {
            self.at += 1;
        }
        Ok(self.at - from)
    }

    /// Reads the rest of the name.
    pub(super) fn name(&mut self, stem: Stem, before: &Before) -> Result<(), Stop> {
        let text = before.text();
        let needs = needs(stem, self.bytes);
        if needs.is_some() && text.last().map(u8::to_ascii_lowercase) != needs {
            return Err(Stop::Nothing);
        }
        self.at = stem_bytes(stem, self.bytes);
        if stem == Stem::Auth {
            self.skip(1, |byte| byte == b's' || byte == b'S')?;
        }
        self.suffix(stem, text)
    }

    /// The words behind the telling part.
    fn suffix(&mut self, stem: Stem, before: &[u8]) -> Result<(), Stop> {
        let from = self.at;
        self.skip(SUFFIX_BYTES, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))?;
        let suffix = &self.bytes[from..self.at];
        let whole = suffix.first().is_none_or(|&byte| is_joint(byte));
        let mut words = parts(suffix).map(Word::lower);
        match stem {
            Stem::Pass if !whole => {
                // `passed`, `Passive`, `passport`: only these make a longer word of it.
                let first = words.next().unwrap_or_default();
                if !matches!(first.text(), b"word" | b"wd" | b"phrase" | b"code" | b"wort") {
                    return Err(Stop::Nothing);
                }
            }
            Stem::Pass | Stem::Pwd if !starts_word(before, self.bytes[0]) => {
                return Err(Stop::Nothing);
            }
            Stem::Pass | Stem::Pwd | Stem::Token | Stem::Secret | Stem::Key | Stem::Auth => {}
        }
        let known = |word: Word| {
            SUFFIXES.has(&word)
                || matches!(word.text(), [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9'])
                || matches!(word.text(), [b'v', b'0'..=b'9'])
                || (stem == Stem::Secret && word.text() == b"id")
        };
        if words.all(known) { Ok(()) } else { Err(Stop::Nothing) }
    }

    /// Reads what stands between name and value, up to the value's first byte.
    pub(super) fn joint(&mut self, stem: Stem, before: &Before) -> Result<Joint, Stop> {
        let closed = self.close_name()?;
        if !closed {
            // The name of an array.
            self.takes_text(b"[]")?;
        }
        let blanks = self.skip(GAP_BYTES, is_blank)?;
        let mut sure = Sure::Assigned;
        match self.peek()? {
            Some(sign @ (b'=' | b':')) => {
                let status = self.bytes.starts_with(b"PASS:") && before.is_edge();
                sure = self.sign(sign, stem, status)?;
            }
            Some(b'?') if self.takes_text(b"?=")? => {}
            Some(b'!') if stem == Stem::Pass && self.takes_text(b"!=")? => {
                self.at -= 1;
                sure = self.compared()?;
            }
            Some(b'%') => return self.encoded(),
            Some(b'{') if self.takes_text(b"{ get; set; } =")? => {}
            Some(b'>') => {
                self.at += 1;
                let sure = if closed { Sure::Called } else { sure };
                return self.element(sure);
            }
            Some(b'<') if self.takes_text(b"<-")? => {}
            Some(b's') if blanks > 0 && self.takes_text(TYPED)? => {}
            Some(b'<') if !closed => {
                self.property()?;
                return Ok(Joint { quote: Quote::Tag, sure });
            }
            Some(b',') if closed => {
                sure = self.listed()?;
                // In lists of names other names follow.
                if sure == Sure::Listed && !is_shouted(before, self.bytes) {
                    sure = Sure::Called;
                }
            }
            Some(b',') => {
                self.at += 1;
                self.named_value()?;
            }
            Some(b'v' | b'V' | b'c' | b'"') if closed && blanks > 0 => self.named_value()?,
            Some(b'\r' | b'\n') => sure = self.below(closed)?,
            Some(b'\'') if blanks > 0 && self.bytes[0].is_ascii_uppercase() => {}
            Some(b'(') if !closed && blanks == 0 => sure = self.called(stem)?,
            Some(b'|' | 0xe2) if blanks > 0 && is_cell(before) => {
                let side = self.takes_text(b"|")? || self.takes_text("\u{2502}".as_bytes())?;
                sure = if side { Sure::Cell } else { return Err(Stop::Nothing) };
            }
            Some(_) if blanks > 0 && !closed && is_element(before) && !is_flag(before) => {
                self.skip(ATTRIBUTES_BYTES, |byte| !b"<>\r\n".contains(&byte))?;
                let ends = self.takes_text(b">")?;
                return if ends { self.element(sure) } else { Err(Stop::Nothing) };
            }
            Some(_) if blanks > 0 => sure = self.apart(stem, before, blanks)?,
            Some(_) | None => return Err(Stop::Nothing),
        }
        self.skip(GAP_BYTES, is_blank)?;
        let assigned = sure == Sure::Assigned;
        if assigned {
            self.lead_in(&mut sure)?;
        }
        // From here on what waits may be the secret itself.
        let start = self.at;
        let typed = if assigned { self.skip_type() } else { Ok(()) };
        let opened = typed.and_then(|()| self.open_value(&mut sure));
        opened.map(|quote| Joint { quote, sure }).map_err(|stop| stop.not_behind(start))
    }

    /// Only blanks stand between: behind an option, a variable's name, in a column.
    fn apart(&self, stem: Stem, before: &Before, blanks: usize) -> Result<Sure, Stop> {
        let shouted = is_shouted(before, self.bytes);
        let pass = stem == Stem::Pass && is_pass(before, self.bytes);
        match before.last() {
            _ if is_flag(before) => Ok(Sure::Assigned),
            Some(b'-') if pass => Ok(Sure::Column),
            Some(_) | None if pass && (shouted || blanks > 1) => Ok(Sure::Cell),
            Some(_) | None if pass => Ok(Sure::Beside),
            Some(_) | None if shouted => Ok(Sure::Cell),
            Some(_) | None if blanks > 1 || is_npm(before) => Ok(Sure::Column),
            Some(_) | None => Err(Stop::Nothing),
        }
    }

    /// `=`, `:`, `:=`, `=>`, what PHP prints behind that, and `==` behind a password.
    fn sign(&mut self, sign: u8, stem: Stem, status: bool) -> Result<Sure, Stop> {
        self.at += 1;
        match (sign, self.peek()?) {
            (b'=', Some(b'=')) if stem == Stem::Pass => return self.compared(),
            (b'=', Some(b'=' | b'~')) | (b':', Some(b':' | b'?')) => return Err(Stop::Nothing),
            // What a test's report says of it.
            (b':', Some(b' ')) if status => return Err(Stop::Nothing),
            (b':', Some(b'=')) => self.at += 1,
            (b'=', Some(b'>')) => {
                self.at += 1;
                let from = self.at;
                let breaks = self.skip(2 * GAP_BYTES, is_space)?;
                if breaks == 0 || !self.takes_text(b"string(")? {
                    self.at = from;
                    return Ok(Sure::Assigned);
                }
                self.skip(8, |byte| byte.is_ascii_digit() || byte == b')')?;
            }
            (_, _) => {}
        }
        Ok(Sure::Assigned)
    }

    /// The rest of a comparison, up to a text in quotes.
    fn compared(&mut self) -> Result<Sure, Stop> {
        self.skip(2, |byte| byte == b'=')?;
        self.skip(GAP_BYTES, is_blank)?;
        match self.peek()? {
            Some(b'"' | b'\'') => Ok(Sure::Called),
            Some(_) | None => Err(Stop::Nothing),
        }
    }

    /// What may stand behind a sign before the value: a line break, the marks of YAML, the bracket
    /// of a list, the other parts of an object.
    fn lead_in(&mut self, sure: &mut Sure) -> Result<(), Stop> {
        let start = self.at;
        let led = match self.peek()? {
            Some(b'|' | b'>') => self.block(),
            Some(b'&') => self.anchor(),
            Some(b'!') => self.takes_text(b"!!str ").map(|_| ()),
            Some(b'[') => self.bracket(),
            Some(b'{') => {
                let opens = self.ahead(1).map_err(|stop| stop.not_behind(start))?;
                let parted = opens.is_some_and(|byte| is_space(byte) || byte == b'"');
                return if parted { self.parts() } else { Ok(()) };
            }
            Some(b'\r' | b'\n') => {
                // Blanks and breaks are no part of a secret.
                *sure = Sure::Column;
                return self.skip(2 * GAP_BYTES, is_space).map(|_| ());
            }
            Some(_) | None => Ok(()),
        };
        led.map_err(|stop| stop.not_behind(start))
    }

    /// `|`, `>-` and their kin, at the end of a line.
    fn block(&mut self) -> Result<(), Stop> {
        let from = self.at;
        self.at += 1;
        self.skip(2, |byte| b"+-0123456789".contains(&byte))?;
        if self.skip(2, |byte| matches!(byte, b'\r' | b'\n'))? == 0 {
            self.at = from;
            return Ok(());
        }
        self.skip(2 * GAP_BYTES, is_blank).map(|_| ())
    }

    /// `&name` before a value of YAML.
    fn anchor(&mut self) -> Result<(), Stop> {
        let from = self.at;
        self.at += 1;
        self.skip(LABEL_BYTES, |byte| byte.is_ascii_alphanumeric() || is_joint(byte))?;
        // `&str = "…"` is a type.
        if self.skip(GAP_BYTES, is_blank)? == 0 || self.peek()? == Some(b'=') {
            self.at = from;
        }
        Ok(())
    }

    /// The bracket of a list, whose first value is the secret.
    fn bracket(&mut self) -> Result<(), Stop> {
        let opens = self.ahead(1)?;
        let first = |byte: u8| byte.is_ascii_alphanumeric() || b"\"'\\-_+/".contains(&byte);
        self.at += usize::from(opens.is_some_and(first));
        Ok(())
    }

    /// An object with a value among its parts: `{"sensitive": true, "value": "…"}`.
    fn parts(&mut self) -> Result<(), Stop> {
        let from = self.at;
        while self.at - from < PARTS_BYTES && self.peek()?.is_some_and(|byte| byte != b'}') {
            if self.takes_text(b"\"value\"")? {
                self.skip(GAP_BYTES, |byte| is_blank(byte) || byte == b':')?;
                return Ok(());
            }
            self.at += 1;
        }
        Err(Stop::Nothing)
    }

    /// The value of an element, which may be marked as plain text.
    fn element(&mut self, sure: Sure) -> Result<Joint, Stop> {
        let start = self.at;
        self.takes_text(b"<![CDATA[").map_err(|stop| stop.not_behind(start))?;
        Ok(Joint { quote: Quote::Tag, sure })
    }

    /// The sign of a query inside another one: `%3D`, or `%22%3A%22` in an object.
    fn encoded(&mut self) -> Result<Joint, Stop> {
        self.takes_text(b"%22")?;
        let mut signs = [&b"%3D"[..], b"%3d", b"%3A", b"%3a"].into_iter();
        let mut found = false;
        while let (false, Some(sign)) = (found, signs.next()) {
            found = self.takes_text(sign)?;
        }
        if !found {
            return Err(Stop::Nothing);
        }
        let start = self.at;
        self.takes_text(b"%22").map_err(|stop| stop.not_behind(start))?;
        Ok(Joint { quote: Quote::Encoded, sure: Sure::Assigned })
    }

    /// A text as the argument of what has the name: `PASSWORD('…')`, `.password("…")`.
    fn called(&mut self, stem: Stem) -> Result<Sure, Stop> {
        self.at += 1;
        match self.peek()? {
            Some(b'\'' | b'"') if self.bytes.starts_with(b"PASSWORD") => Ok(Sure::Assigned),
            Some(b'\'' | b'"') if stem == Stem::Pass => Ok(Sure::Called),
            // What takes a name and finds the secret has such names too.
            Some(b'\'' | b'"') => Ok(Sure::Column),
            Some(_) | None => Err(Stop::Nothing),
        }
    }

    /// The next line: a part of a form, or a pair that names its parts.
    fn below(&mut self, closed: bool) -> Result<Sure, Stop> {
        if closed && (self.takes_text(b"\r\n\r\n")? || self.takes_text(b"\n\n")?) {
            return Ok(Sure::Called);
        }
        self.named_value().map(|()| Sure::Assigned)
    }

    /// `<key>Password</key><string>…`: a list of properties.
    fn property(&mut self) -> Result<(), Stop> {
        if !self.takes_text(b"</key>")? {
            return Err(Stop::Nothing);
        }
        self.skip(2 * GAP_BYTES, is_space)?;
        if self.takes_text(b"<string>")? { Ok(()) } else { Err(Stop::Nothing) }
    }

    /// A comma behind a quoted name: the next argument, or a pair that names its parts.
    fn listed(&mut self) -> Result<Sure, Stop> {
        self.at += 1;
        let from = self.at;
        self.skip(GAP_BYTES, is_blank)?;
        let letter = self.peek()? == Some(b'b') && matches!(self.ahead(1)?, Some(b'"' | b'\''));
        if letter || matches!(self.peek()?, Some(b'"' | b'\'')) {
            let quoted = self.at;
            self.at = from;
            // `"name": "PASSWORD", "value": "…"` first; an argument otherwise.
            return match self.named_value() {
                Ok(()) => Ok(Sure::Assigned),
                Err(Stop::Nothing) => {
                    self.at = quoted;
                    Ok(Sure::Listed)
                }
                Err(wait @ Stop::Wait(_)) => Err(wait.not_behind(quoted)),
            };
        }
        self.at = from;
        self.named_value().map(|()| Sure::Assigned)
    }

    /// The sign that closes a quoted name: `"`, `'`, `]`, with a backslash in nested texts.
    fn close_name(&mut self) -> Result<bool, Stop> {
        let from = self.at;
        self.skip(3, |byte| byte == b'\\')?;
        let closed = self.skip(2, |byte| b"\"'`])".contains(&byte))? > 0;
        if !closed {
            self.at = from;
        }
        Ok(closed)
    }

    /// `"value": ` of a pair that names its parts: `{"name": "DB_PASSWORD", "value": "…"}`, and the
    /// same over two lines or as attributes.
    fn named_value(&mut self) -> Result<(), Stop> {
        self.skip(2 * GAP_BYTES, is_space)?;
        self.close_name()?;
        let words = [&b"value"[..], b"Value", b"content"];
        let mut named = false;
        for word in words {
            named = named || self.takes_text(word)?;
        }
        if !named {
            return Err(Stop::Nothing);
        }
        self.close_name()?;
        self.skip(GAP_BYTES, is_blank)?;
        match self.peek()? {
            Some(b':' | b'=') => self.at += 1,
            Some(_) | None => return Err(Stop::Nothing),
        }
        Ok(())
    }

    /// The type in `token: &'static str = "…"`.
    fn skip_type(&mut self) -> Result<(), Stop> {
        let from = self.at;
        for _ in 0..TYPE_WORDS {
            let named = self.skip(24, |b| b.is_ascii_alphabetic() || b"&<>[]|'".contains(&b))?;
            if named == 0 || self.skip(GAP_BYTES, is_blank)? == 0 {
                break;
            }
            if self.peek()? == Some(b'=') && self.ahead(1)? == Some(b' ') {
                self.at += 2;
                return Ok(());
            }
        }
        self.at = from;
        Ok(())
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    is_blank(byte) || byte == b'\r' || byte == b'\n'
}
