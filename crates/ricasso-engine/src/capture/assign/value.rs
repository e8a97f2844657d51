//! Reads a value: the sign that opens it, and where it ends. It must never decide before every
//! continuation of the text gives the same answer.

use super::super::words::Word;
use super::cursor::{Cursor, LABEL_BYTES};
use super::{NEXT_BYTES, Quote, Stop, Sure, VALUE_BYTES, WRAPPERS};

impl Cursor<'_> {
    /// Reads the sign that opens the value, if there is one.
    pub(super) fn open_value(&mut self, sure: &mut Sure) -> Result<Quote, Stop> {
        let from = self.at;
        // Letters that make other strings of it: b"…", r"…", f"…", @"…".
        if self.peek()?.is_some_and(|byte| b"bBrRuUfFLN@".contains(&byte))
            && self.ahead(1)?.is_some_and(|byte| b"\"'".contains(&byte))
        {
            self.at += 1;
        }
        let slashes = self.skip(3, |byte| byte == b'\\')?;
        match self.peek()? {
            Some(sign @ (b'"' | b'\'' | b'`')) => {
                self.at += 1;
                if self.peek()? == Some(sign) && self.ahead(1)? == Some(sign) {
                    self.at += 2;
                }
                Ok(Quote::Sign(sign, slashes > 0))
            }
            Some(_) => {
                self.at = from;
                let quote = self.wrapped()?;
                if quote != Quote::None {
                    *sure = Sure::Called;
                }
                Ok(quote)
            }
            None => Err(Stop::Nothing),
        }
    }

    /// A text inside of what only wraps it: `Some("…")`, `SecretStr('…')`.
    fn wrapped(&mut self) -> Result<Quote, Stop> {
        let from = self.at;
        let named = self.skip(LABEL_BYTES, |byte| byte.is_ascii_alphabetic())?;
        let wraps = WRAPPERS.has(&Word::lower(&self.bytes[from..from + named]));
        if wraps
            && self.takes_text(b"(")?
            && let Some(sign @ (b'"' | b'\'')) = self.peek()?
        {
            self.at += 1;
            return Ok(Quote::Sign(sign, false));
        }
        self.at = from;
        Ok(Quote::None)
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
                Quote::Encoded => self.ends_encoded(byte)?,
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
                self.ahead(1)?.is_none_or(|next| next <= b' ' || b",;)]}\"'.:`=<".contains(&next))
            }
            _ => false,
        })
    }

    /// A sign that a query has to encode ends it: `"`, `&`, `}`.
    fn ends_encoded(&self, byte: u8) -> Result<bool, Stop> {
        if byte != b'%' {
            return Ok(byte <= b' ' || b"\"'`<>&\\".contains(&byte));
        }
        let pair = [self.ahead(1)?, self.ahead(2)?];
        Ok(matches!(pair, [Some(b'2'), Some(b'2' | b'6')] | [Some(b'7'), Some(b'D' | b'd')]))
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
