//! Reads what assigns a value to a name, up to the value: signs, quotes, calls, elements, blanks.

use super::cursor::{Cursor, LABEL_BYTES, is_space};
use super::name::{is_cell, is_element, is_flag, is_npm, is_pass, is_shouted};
use super::{GAP_BYTES, Joint, Quote, Sure, is_blank};
use crate::edge::ends_word;
use crate::kinds::Stem;
use crate::words::is_joint;

/// Longest attributes of an element between its name and its value.
const ATTRIBUTES_BYTES: usize = 160;

/// Most words of a type between a name and its value.
const TYPE_WORDS: usize = 3;

/// Longest list of other parts before the value of a name that is an object.
const PARTS_BYTES: usize = 160;

/// The type that Go writes behind a name.
const TYPED: &[u8] = b"string =";

impl Cursor<'_> {
    /// Reads what stands between name and value, up to the value's first byte.
    pub(super) fn read_joint(&mut self, stem: Stem, before: &[u8]) -> Option<Joint> {
        let closed = self.close_name();
        if !closed {
            // The name of an array.
            self.takes_text(b"[]");
        }
        let blanks = self.skip(GAP_BYTES, is_blank);
        let mut sure = Sure::Assigned;
        match self.peek() {
            Some(sign @ (b'=' | b':')) => {
                let status = self.bytes.starts_with(b"PASS:") && ends_word(before);
                sure = self.read_sign(sign, stem, status)?;
            }
            Some(b'?') if self.takes_text(b"?=") => {}
            Some(b'?' | b'|') if self.takes_text(b"??") || self.takes_text(b"||") => {
                sure = Sure::Called;
            }
            Some(b'{') if closed && blanks > 0 => self.find_value_part()?,
            Some(b'!') if self.takes_text(b"!=") => sure = self.read_comparison(stem)?,
            Some(b'%') => return self.read_encoded_sign(),
            Some(b'{') if self.takes_text(b"{ get; set; } =") => {}
            Some(b'>') => {
                self.at += 1;
                let sure = if closed { Sure::Called } else { sure };
                return self.read_element(sure);
            }
            Some(b'<') if self.takes_text(b"<-") => {}
            Some(b's') if blanks > 0 && self.takes_text(TYPED) => {}
            Some(b'<') if !closed => {
                self.read_property()?;
                return Some(Joint { quote: Quote::Tag, sure });
            }
            Some(b',') if closed => {
                // In lists of names other names follow.
                let listed = is_shouted(before, self.bytes);
                sure = self.read_list(if listed { Sure::Listed } else { Sure::Called })?;
            }
            Some(b',') => {
                self.at += 1;
                self.read_named_value()?;
            }
            Some(b'v' | b'V' | b'c' | b'"') if closed && blanks > 0 => self.read_named_value()?,
            Some(b'\r' | b'\n') => sure = self.read_next_line(closed)?,
            Some(b'\'') if blanks > 0 && self.bytes[0].is_ascii_uppercase() => {}
            Some(b'(') if !closed && blanks == 0 => sure = self.read_call(stem)?,
            Some(b'|' | 0xe2) if blanks > 0 && is_cell(before) => {
                let side = self.takes_text(b"|") || self.takes_text("\u{2502}".as_bytes());
                sure = if side { Sure::Cell } else { return None };
            }
            Some(_) if blanks > 0 && !closed && is_element(before) && !is_flag(before) => {
                return self.read_attributes();
            }
            Some(_) if blanks > 0 => sure = self.judge_blanks(stem, before, blanks)?,
            Some(_) | None => return None,
        }
        self.skip(GAP_BYTES, is_blank);
        let assigned = sure == Sure::Assigned;
        if assigned {
            self.skip_lead_in(&mut sure)?;
        }
        // From here on what waits may be the secret itself.
        let quote = self.guarded(self.at, |cursor| {
            if assigned {
                cursor.skip_type();
            }
            cursor.open_value(&mut sure)
        });
        quote.map(|quote| Joint { quote, sure })
    }

    /// Only blanks stand between: behind an option, a variable's name, in a column.
    fn judge_blanks(&self, stem: Stem, before: &[u8], blanks: usize) -> Option<Sure> {
        let shouted = is_shouted(before, self.bytes);
        let pass = stem == Stem::Pass && is_pass(before, self.bytes);
        match before.last() {
            _ if is_flag(before) => Some(Sure::Assigned),
            Some(b'-') if pass => Some(Sure::Column),
            Some(_) | None if pass && (shouted || blanks > 1) => Some(Sure::Cell),
            Some(_) | None if pass => Some(Sure::Beside),
            Some(_) | None if shouted => Some(Sure::Cell),
            Some(_) | None if blanks > 1 || is_npm(before) => Some(Sure::Column),
            Some(_) | None => None,
        }
    }

    /// `=`, `:`, `:=`, `=>`, what PHP prints behind that, and `==` behind a password.
    fn read_sign(&mut self, sign: u8, stem: Stem, status: bool) -> Option<Sure> {
        self.at += 1;
        match (sign, self.peek()) {
            (b'=', Some(b'=')) => return self.read_comparison(stem),
            (b'=', Some(b'~')) | (b':', Some(b':' | b'?')) => return None,
            // What a test's report says of it.
            (b':', Some(b' ')) if status => return None,
            (b':', Some(b'=')) => self.at += 1,
            (b'=', Some(b'>')) => {
                self.at += 1;
                let from = self.at;
                let breaks = self.skip(2 * GAP_BYTES, is_space);
                if breaks == 0 || !self.takes_text(b"string(") {
                    self.at = from;
                    return Some(Sure::Assigned);
                }
                self.skip(8, |byte| byte.is_ascii_digit() || byte == b')');
            }
            (_, _) => {}
        }
        Some(Sure::Assigned)
    }

    /// The rest of a comparison, up to a text in quotes.
    fn read_comparison(&mut self, stem: Stem) -> Option<Sure> {
        self.skip(2, |byte| byte == b'=');
        self.skip(GAP_BYTES, is_blank);
        match self.peek() {
            // Parsers compare tokens and keys with words.
            Some(b'"' | b'\'') if stem == Stem::Pass => Some(Sure::Called),
            Some(b'"' | b'\'') => Some(Sure::Column),
            Some(_) | None => None,
        }
    }

    /// What may stand behind a sign before the value: a line break, the marks of YAML, the bracket
    /// of a list, the other parts of an object.
    fn skip_lead_in(&mut self, sure: &mut Sure) -> Option<()> {
        match self.peek() {
            Some(b'|' | b'>') => self.guarded(self.at, Cursor::skip_block),
            Some(b'&') => self.guarded(self.at, Cursor::skip_anchor),
            Some(b'!') => self.guarded(self.at, |cursor| {
                let _ = cursor.takes_text(b"!!str ");
            }),
            Some(b'[') => self.guarded(self.at, Cursor::skip_bracket),
            Some(b'{') => {
                let opens = self.guarded(self.at, |cursor| cursor.ahead(1));
                if opens.is_some_and(|byte| is_space(byte) || byte == b'"') {
                    return self.find_value_part();
                }
            }
            Some(b'\r' | b'\n') => {
                // Blanks and breaks are no part of a secret.
                *sure = Sure::Column;
                self.skip(2 * GAP_BYTES, is_space);
            }
            Some(_) | None => {}
        }
        Some(())
    }

    /// `|`, `>-` and their kin, at the end of a line.
    fn skip_block(&mut self) {
        let from = self.at;
        self.at += 1;
        self.skip(2, |byte| b"+-0123456789".contains(&byte));
        if self.skip(2, |byte| matches!(byte, b'\r' | b'\n')) == 0 {
            self.at = from;
            return;
        }
        self.skip(2 * GAP_BYTES, is_blank);
    }

    /// `&name` before a value of YAML.
    fn skip_anchor(&mut self) {
        let from = self.at;
        self.at += 1;
        self.skip(LABEL_BYTES, |byte| byte.is_ascii_alphanumeric() || is_joint(byte));
        // `&str = "…"` is a type.
        if self.skip(GAP_BYTES, is_blank) == 0 || self.peek() == Some(b'=') {
            self.at = from;
        }
    }

    /// The bracket of a list, whose first value is the secret.
    fn skip_bracket(&mut self) {
        let opens = self.ahead(1);
        let first = |byte: u8| byte.is_ascii_alphanumeric() || b"\"'\\-_+/".contains(&byte);
        self.at += usize::from(opens.is_some_and(first));
    }

    /// An object with a value among its parts: `{"sensitive": true, "value": "…"}`, and the block
    /// of a variable with its default.
    fn find_value_part(&mut self) -> Option<()> {
        let from = self.at;
        while self.at - from < PARTS_BYTES && self.peek().is_some_and(|byte| byte != b'}') {
            if self.takes_text(b"\"value\"") || self.takes_text(b"default ") {
                self.skip(GAP_BYTES, |byte| is_blank(byte) || byte == b':' || byte == b'=');
                return Some(());
            }
            self.at += 1;
        }
        None
    }

    /// The attributes of an element, of which one may be its value.
    fn read_attributes(&mut self) -> Option<Joint> {
        let mut sure = Sure::Assigned;
        if self.read_named_value().is_some() {
            let quote = self.guarded(self.at, |cursor| cursor.open_value(&mut sure))?;
            return Some(Joint { quote, sure });
        }
        self.skip(ATTRIBUTES_BYTES, |byte| !b"<>\r\n".contains(&byte));
        if self.takes_text(b">") { self.read_element(sure) } else { None }
    }

    /// The value of an element, which may be marked as plain text.
    fn read_element(&mut self, sure: Sure) -> Option<Joint> {
        self.guarded(self.at, |cursor| cursor.takes_text(b"<![CDATA["));
        Some(Joint { quote: Quote::Tag, sure })
    }

    /// The sign of a query inside another one: `%3D`, or `%22%3A%22` in an object.
    fn read_encoded_sign(&mut self) -> Option<Joint> {
        self.takes_text(b"%22");
        let mut signs = [&b"%3D"[..], b"%3d", b"%3A", b"%3a"].into_iter();
        let mut found = false;
        while let (false, Some(sign)) = (found, signs.next()) {
            found = self.takes_text(sign);
        }
        if !found {
            return None;
        }
        self.guarded(self.at, |cursor| cursor.takes_text(b"%22"));
        Some(Joint { quote: Quote::Encoded, sure: Sure::Assigned })
    }

    /// A text as the argument of what has the name: `PASSWORD('…')`, `.password("…")`.
    fn read_call(&mut self, stem: Stem) -> Option<Sure> {
        self.at += 1;
        match self.peek() {
            Some(b'\'' | b'"') if self.bytes.starts_with(b"PASSWORD") => Some(Sure::Assigned),
            Some(b'\'' | b'"') if stem == Stem::Pass => Some(Sure::Called),
            // What takes a name and finds the secret has such names too.
            Some(b'\'' | b'"') => Some(Sure::Column),
            Some(_) | None => None,
        }
    }

    /// The next line: a part of a form, or a pair that names its parts.
    fn read_next_line(&mut self, closed: bool) -> Option<Sure> {
        if closed && (self.takes_text(b"\r\n\r\n") || self.takes_text(b"\n\n")) {
            return Some(Sure::Called);
        }
        self.read_named_value().map(|()| Sure::Assigned)
    }

    /// `<key>Password</key><string>…`: a list of properties.
    fn read_property(&mut self) -> Option<()> {
        if !self.takes_text(b"</key>") {
            return None;
        }
        self.skip(2 * GAP_BYTES, is_space);
        if self.takes_text(b"<string>") { Some(()) } else { None }
    }

    /// A comma behind a quoted name: the next argument, or a pair that names its parts.
    fn read_list(&mut self, listed: Sure) -> Option<Sure> {
        self.at += 1;
        let from = self.at;
        self.skip(GAP_BYTES, is_blank);
        let letter = self.peek() == Some(b'b') && matches!(self.ahead(1), Some(b'"' | b'\''));
        if letter || matches!(self.peek(), Some(b'"' | b'\'')) {
            let quoted = self.at;
            self.at = from;
            // `"name": "PASSWORD", "value": "…"` first; an argument otherwise.
            if self.guarded(quoted, Cursor::read_named_value).is_some() {
                return Some(Sure::Assigned);
            }
            self.at = quoted;
            return Some(listed);
        }
        self.at = from;
        self.read_named_value().map(|()| Sure::Assigned)
    }

    /// The sign that closes a quoted name: `"`, `'`, `]`, with a backslash in nested texts.
    fn close_name(&mut self) -> bool {
        let from = self.at;
        self.skip(3, |byte| byte == b'\\');
        let closed = self.skip(2, |byte| b"\"'`])".contains(&byte)) > 0;
        if !closed {
            self.at = from;
        }
        closed
    }

    /// `"value": ` of a pair that names its parts: `{"name": "DB_PASSWORD", "value": "…"}`, and the
    /// same over two lines or as attributes.
    fn read_named_value(&mut self) -> Option<()> {
        self.skip(2 * GAP_BYTES, is_space);
        self.close_name();
        let words = [&b"value"[..], b"Value", b"content"];
        let mut named = false;
        for word in words {
            named = named || self.takes_text(word);
        }
        if !named {
            return None;
        }
        self.close_name();
        self.skip(GAP_BYTES, is_blank);
        match self.peek() {
            Some(b':' | b'=') => self.at += 1,
            Some(_) | None => return None,
        }
        Some(())
    }

    /// The type in `token: &'static str = "…"`.
    fn skip_type(&mut self) {
        let from = self.at;
        for _ in 0..TYPE_WORDS {
            let named = self.skip(24, |b| b.is_ascii_alphabetic() || b"&<>[]|'".contains(&b));
            if named == 0 || self.skip(GAP_BYTES, is_blank) == 0 {
                break;
            }
            if self.peek() == Some(b'=') && self.ahead(1) == Some(b' ') {
                self.at += 2;
                return;
            }
        }
        self.at = from;
    }
}
