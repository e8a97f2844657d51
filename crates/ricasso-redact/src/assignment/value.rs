//! Reads a value: the sign that opens it, and where it ends.

use super::cursor::{Cursor, LABEL_BYTES};
use super::{NEXT_BYTES, Quote, Sure, VALUE_BYTES, WRAPPERS};
use crate::words::{Word, is_joint};

impl Cursor<'_> {
    /// Reads the sign that opens the value, if there is one.
    pub(super) fn open_value(&mut self, sure: &mut Sure) -> Option<Quote> {
        let from = self.at;
        // Letters that make other strings of it: b"…", r"…", f"…", @"…".
        if self.peek().is_some_and(|byte| b"bBrRuUfFLN@".contains(&byte))
            && self.ahead(1).is_some_and(|byte| b"\"'".contains(&byte))
        {
            self.at += 1;
        }
        let slashes = self.skip(3, |byte| byte == b'\\');
        match self.peek() {
            Some(sign @ (b'"' | b'\'' | b'`')) => {
                self.at += 1;
                if self.peek() == Some(sign) && self.ahead(1) == Some(sign) {
                    self.at += 2;
                }
                Some(Quote::Sign(sign, slashes > 0))
            }
            Some(_) => {
                self.at = from;
                let quote = self.open_wrapper();
                if quote != Quote::None {
                    *sure = Sure::Called;
                }
                Some(quote)
            }
            None => None,
        }
    }

    /// A text inside of what only wraps it: `Some("…")`, `SecretStr('…')`, `String::from("…")`.
    fn open_wrapper(&mut self) -> Quote {
        let from = self.at;
        let named = self.skip(LABEL_BYTES, |byte| byte.is_ascii_alphabetic() || byte == b':');
        let mut name = self.bytes[from..from + named].split(|byte| *byte == b':');
        let wraps =
            named == 0 || name.next_back().is_some_and(|word| WRAPPERS.has(&Word::lower(word)));
        if wraps
            && self.takes_text(b"(")
            && let Some(sign @ (b'"' | b'\'')) = self.peek()
        {
            self.at += 1;
            return Quote::Sign(sign, false);
        }
        self.at = from;
        Quote::None
    }

    /// Where the value ends, and whether it is longer than it may be.
    pub(super) fn read_value(&mut self, quote: Quote) -> Option<(usize, bool)> {
        let limit = self.at + VALUE_BYTES;
        loop {
            if self.at >= limit {
                return Some((self.at, true));
            }
            let Some(byte) = self.peek() else {
                return if quote == Quote::Tag { None } else { Some((self.at, false)) };
            };
            let done = match quote {
                Quote::Sign(sign, escaped) => self.ends_quoted(byte, sign, escaped),
                // `<password>` alone is a placeholder; an element has an end.
                Quote::Tag if matches!(byte, b'\r' | b'\n') => return None,
                Quote::Tag => byte == b'<' && self.ahead(1) == Some(b'/'),
                // `glpat-<token>`
                Quote::None if byte == b'<' && self.opens_placeholder() => return None,
                Quote::None => self.ends_bare(byte),
                Quote::Encoded => self.ends_encoded(byte),
            };
            if done {
                return Some((self.at, false));
            }
            self.at += 1;
        }
    }

    fn ends_quoted(&mut self, byte: u8, sign: u8, escaped: bool) -> bool {
        if matches!(byte, b'\r' | b'\n') {
            return true;
        }
        if byte != b'\\' {
            return byte == sign;
        }
        let next = self.ahead(1);
        if escaped && next.is_none_or(|next| next == sign || next == b'\\') {
            return true;
        }
        self.at += usize::from(next.is_some() && !matches!(next, Some(b'\r' | b'\n')));
        false
    }

    /// Whether what is in brackets here goes on with the word before.
    fn opens_placeholder(&self) -> bool {
        let joined = self.bytes[..self.at].last().is_some_and(|byte| is_joint(*byte));
        joined && self.ahead(1).is_some_and(|byte| byte.is_ascii_alphabetic())
    }

    fn ends_bare(&self, byte: u8) -> bool {
        match byte {
            0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | 0x7f => true,
            b'\\' => matches!(self.ahead(1), Some(b'n' | b'r' | b't' | b'"' | b'\'') | None),
            b',' | b';' | b'&' => self.starts_another(),
            b')' | b']' | b'}' => {
                self.ahead(1).is_none_or(|next| next <= b' ' || b",;)]}\"'.:`=<".contains(&next))
            }
            _ => false,
        }
    }

    /// A sign that a query has to encode ends it: `"`, `&`, `}`.
    fn ends_encoded(&self, byte: u8) -> bool {
        if byte != b'%' {
            return byte <= b' ' || b"\"'`<>&\\".contains(&byte);
        }
        let pair = [self.ahead(1), self.ahead(2)];
        matches!(pair, [Some(b'2'), Some(b'2' | b'6')] | [Some(b'7'), Some(b'D' | b'd')])
    }

    /// Whether behind this mark the line ends or another name starts.
    fn starts_another(&self) -> bool {
        for more in 1..NEXT_BYTES {
            match self.ahead(more) {
                None => return true,
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' | b'}' | b']') if more == 1 => {
                    return true;
                }
                Some(b'=' | b':') => return more > 1,
                Some(b' ') if more > 1 => {}
                Some(byte) if byte.is_ascii_alphanumeric() || b"_.-%$".contains(&byte) => {}
                Some(_) => return false,
            }
        }
        false
    }
}
