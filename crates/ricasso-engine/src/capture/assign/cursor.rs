//! Reads a name, what assigns a value to it, and the value. It must never decide before every
//! continuation of the text gives the same answer.

use super::super::bare::{needs, stem_bytes};
use super::super::before::Before;
use super::super::dfa::End;
use super::super::kinds::Stem;
use super::super::words::{Word, is_joint, parts};
use super::{
    GAP_BYTES, Joint, NEXT_BYTES, Quote, SUFFIX_BYTES, SUFFIXES, Stop, Sure, VALUE_BYTES, is_blank,
    is_element, is_flag, is_whole_pass, starts_word,
};

/// Longest attributes of an element between its name and its value.
const ATTRIBUTES_BYTES: usize = 160;

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
    fn peek(&self) -> Result<Option<u8>, Stop> {
        self.ahead(0)
    }

    fn ahead(&self, more: usize) -> Result<Option<u8>, Stop> {
        match (self.bytes.get(self.at + more), self.end) {
            (Some(&byte), _) => Ok(Some(byte)),
            (None, End::Closed) => Ok(None),
            (None, End::Open) => Err(Stop::Wait(self.bytes.len())),
        }
    }

    fn takes_text(&mut self, text: &[u8]) -> Result<bool, Stop> {
        for (index, &byte) in text.iter().enumerate() {
            if self.ahead(index)? != Some(byte) {
                return Ok(false);
            }
        }
        self.at += text.len();
        Ok(true)
    }

    fn skip(&mut self, most: usize, test: fn(u8) -> bool) -> Result<usize, Stop> {
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
                if !matches!(first.text(), b"word" | b"wd" | b"phrase" | b"code") {
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
        let blanks = self.skip(GAP_BYTES, is_blank)?;
        let mut sure = Sure::Assigned;
        let tag = Joint { quote: Quote::Tag, sure };
        match self.peek()? {
            Some(sign @ (b'=' | b':')) => self.sign(sign)?,
            Some(b'>') if !closed => {
                self.at += 1;
                return Ok(tag);
            }
            Some(b'<') if !closed => return self.property().map(|()| tag),
            Some(b',') if closed => sure = self.listed()?,
            Some(b'v' | b'V' | b'"') if closed && blanks > 0 => self.named_value()?,
            Some(b'\r' | b'\n') => self.named_value()?,
            Some(b'\'') if blanks > 0 && self.bytes[0].is_ascii_uppercase() => {}
            Some(b'(') if !closed && blanks == 0 && self.bytes.starts_with(b"PASSWORD") => {
                self.at += 1;
                if !matches!(self.peek()?, Some(b'\'' | b'"')) {
                    return Err(Stop::Nothing);
                }
            }
            Some(_) if blanks > 0 && is_flag(before) => {}
            Some(_) if blanks > 0 && !closed && is_element(before) => {
                self.skip(ATTRIBUTES_BYTES, |byte| !b"<>\r\n".contains(&byte))?;
                let ends = self.takes_text(b">")?;
                return if ends { Ok(tag) } else { Err(Stop::Nothing) };
            }
            Some(_) if blanks > 0 && stem == Stem::Pass && is_whole_pass(self.bytes) => {
                sure = Sure::Beside;
            }
            Some(_) | None => return Err(Stop::Nothing),
        }
        self.skip(GAP_BYTES, is_blank)?;
        // From here on what waits may be the secret itself.
        let start = self.at;
        let opened = self.skip_type().and_then(|()| self.open_value());
        opened.map(|quote| Joint { quote, sure }).map_err(|stop| stop.not_behind(start))
    }

    /// `=`, `:`, `:=`, `=>`, and what PHP prints behind that.
    fn sign(&mut self, sign: u8) -> Result<(), Stop> {
        self.at += 1;
        match (sign, self.peek()?) {
            (b'=', Some(b'=' | b'~')) | (b':', Some(b':' | b'?')) => return Err(Stop::Nothing),
            (b':', Some(b'=')) => self.at += 1,
            (b'=', Some(b'>')) => {
                self.at += 1;
                let from = self.at;
                let breaks = self.skip(2 * GAP_BYTES, is_space)?;
                if breaks == 0 || !self.takes_text(b"string(")? {
                    self.at = from;
                    return Ok(());
                }
                self.skip(8, |byte| byte.is_ascii_digit() || byte == b')')?;
            }
            (_, _) => {}
        }
        Ok(())
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
        if matches!(self.peek()?, Some(b'"' | b'\'')) {
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
        if !(self.takes_text(b"value")? || self.takes_text(b"Value")?) {
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

    /// The type in `token: &str = "…"`.
    fn skip_type(&mut self) -> Result<(), Stop> {
        let from = self.at;
        let named = self.skip(24, |b| b.is_ascii_alphabetic() || b"&<>[]|'".contains(&b))?;
        let blanks = self.skip(GAP_BYTES, is_blank)?;
        if named > 0 && blanks > 0 && self.peek()? == Some(b'=') && self.ahead(1)? == Some(b' ') {
            self.at += 2;
            return Ok(());
        }
        self.at = from;
        Ok(())
    }

    fn open_value(&mut self) -> Result<Quote, Stop> {
        let from = self.at;
        // Letters that make other strings of it: b"…", r"…", f"…", @"…".
        if self.peek()?.is_some_and(|byte| b"bBrRuUfFL@".contains(&byte))
            && self.ahead(1)?.is_some_and(|byte| b"\"'".contains(&byte))
        {
            self.at += 1;
        }
        let slashes = self.skip(3, |byte| byte == b'\\')?;
        match self.peek()? {
            Some(sign @ (b'"' | b'\'' | b'`')) => {
                self.at += 1;
                Ok(Quote::Sign(sign, slashes > 0))
            }
            Some(_) => {
                self.at = from;
                Ok(Quote::None)
            }
            None => Err(Stop::Nothing),
        }
    }

    /// Where the value ends, and whether it is longer than it may be.
    pub(super) fn value(&mut self, quote: Quote) -> Result<(usize, bool), Stop> {
        let limit = self.at + VALUE_BYTES;
        loop {
            if quote == Quote::None {
                // Values are long, and most of their bytes end none.
                let rest = &self.bytes[self.at.min(self.bytes.len())..self.bytes.len().min(limit)];
                self.at += rest.iter().take_while(|byte| !MAY_END[usize::from(**byte)]).count();
            }
            if self.at >= limit {
                return Ok((self.at, true));
            }
            let Some(byte) = self.peek()? else {
                return if quote == Quote::Tag { Err(Stop::Nothing) } else { Ok((self.at, false)) };
            };
            let done = match quote {
                Quote::Sign(sign, escaped) => self.ends_quoted(byte, sign, escaped)?,
                // `<password>` alone is a placeholder; an element has an end.
                Quote::Tag if matches!(byte, b'\r' | b'\n') => return Err(Stop::Nothing),
                Quote::Tag => byte == b'<' && self.ahead(1)? == Some(b'/'),
                Quote::None => self.ends_bare(byte)?,
            };
            if done {
                return Ok((self.at, false));
            }
            self.at += 1;
        }
    }

    fn ends_quoted(&mut self, byte: u8, sign: u8, escaped: bool) -> Result<bool, Stop> {
        if matches!(byte, b'\r' | b'\n') {
            return Ok(true);
        }
        if byte != b'\\' {
            return Ok(byte == sign);
        }
        let next = self.ahead(1)?;
        if escaped && next.is_none_or(|next| next == sign || next == b'\\') {
            return Ok(true);
        }
        self.at += usize::from(next.is_some() && !matches!(next, Some(b'\r' | b'\n')));
        Ok(false)
    }

    fn ends_bare(&self, byte: u8) -> Result<bool, Stop> {
        Ok(match byte {
            0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | 0x7f => true,
            b'\\' => matches!(self.ahead(1)?, Some(b'n' | b'r' | b't' | b'"' | b'\'') | None),
            b',' | b';' | b'&' => self.starts_another()?,
            b')' | b']' | b'}' => {
                self.ahead(1)?.is_none_or(|next| next <= b' ' || b",;)]}\"'.:`".contains(&next))
            }
            _ => false,
        })
    }

    /// Whether behind this mark the line ends or another name starts.
    fn starts_another(&self) -> Result<bool, Stop> {
        for more in 1..NEXT_BYTES {
            match self.ahead(more)? {
                None => return Ok(true),
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'}' | b']') if more == 1 => {
                    return Ok(true);
                }
                Some(b'=' | b':') => return Ok(more > 1),
                Some(b' ') if more > 1 => {}
                Some(byte) if byte.is_ascii_alphanumeric() || b"_.-%$".contains(&byte) => {}
                Some(_) => return Ok(false),
            }
        }
        Ok(false)
    }
}

/// The bytes that may end a value without quotes; see [`Cursor::ends_bare`].
static MAY_END: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(
            byte as u8,
            0..=b' '
                | b'"'
                | b'\''
                | b'`'
                | b'<'
                | b'>'
                | 0x7f
                | b'\\'
                | b','
                | b';'
                | b'&'
                | b')'
                | b']'
                | b'}'
        );
        byte += 1;
    }
    table
};

fn is_space(byte: u8) -> bool {
    is_blank(byte) || byte == b'\r' || byte == b'\n'
}
