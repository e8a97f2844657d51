//! Reads a text in the form of a spelling: without the line breaks inside it, and for digits and
//! cells without the addresses, signs and columns of a dump. Pure. What it reads from a place on
//! must depend on nothing that stands before.

use crate::pattern::End;
use crate::spellings::{Form, is_base64};

/// A line of a dump is not longer.
pub(crate) const LINE_BYTES: usize = 256;

/// Blanks that may stand behind a line break.
const INDENT_BYTES: usize = 16;

/// Signs that may stand between two pairs of digits, in front of an `0x` or `x`.
const SIGNS: &[u8] = b" :,%\\\r";
const SIGN_BYTES: usize = 3;

/// Digits of an address.
const ADDRESS_DIGITS: std::ops::RangeInclusive<usize> = 6..=16;

/// Characters of base64 behind a spelling that can still carry bits of the value, with padding.
const BASE64_REST: usize = 3;

/// Gaps that may stand in front of a byte: a sign, a column, a line break.
const GAPS: usize = 3;

/// Reads the bytes of a spelling; ends where more bytes decide.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) end: End,
    pub(crate) form: Form,
    /// Where the next byte stands, or what is in front of it.
    pub(crate) at: usize,
    /// Whether a line break was passed.
    is_broken: bool,
    /// Whether the text is a dump.
    pub(crate) is_dump: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a [u8], end: End, form: Form, at: usize) -> Reader<'a> {
        Reader { text, end, form, at, is_broken: false, is_dump: false }
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Where what else carries bits of the value ends behind its spelling: characters of base64,
    /// the line of a dump. None where more bytes decide.
    pub(crate) fn rest_end(&self) -> Option<usize> {
        let (most, goes_on): (usize, fn(&u8) -> bool) = match self.form {
            Form::Base64 if self.is_broken => {
                (2 * BASE64_REST, |&byte| is_base64(byte) || byte == b'\n')
            }
            Form::Base64 => (BASE64_REST, |&byte| is_base64(byte)),
            Form::Hex | Form::Words | Form::Cells if self.is_dump => {
                (LINE_BYTES, |&byte| byte != b'\n')
            }
            _ => return Some(self.at),
        };
        let rest = &self.rest()[..self.rest().len().min(most)];
        match rest.iter().position(|byte| !goes_on(byte)) {
            Some(length) => Some(self.at + length),
            None if rest.len() < most => self.cut().map(|_| self.text.len()),
            None => Some(self.at + most),
        }
    }

    /// The next byte. Blanks behind a line break are an indent, unless such a byte is `wanted` and
    /// that behind them is not.
    pub(crate) fn next(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        for _ in 0..GAPS {
            match self.gap(&wanted)? {
                0 => break,
                length => self.at += length,
            }
        }
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The length of what may stand in front of the next byte; none where more bytes decide.
    fn gap(&mut self, wanted: &impl Fn(u8) -> bool) -> Option<usize> {
        let rest = self.rest();
        match (self.form, rest) {
            (Form::Hex | Form::Words, _) => self.digit_gap(rest),
            (Form::Cells, [b'\n', ..]) => self.line_start(rest, 1),
            (Form::Text | Form::Base64, [b'\\', ..]) if wanted(b'\\') => Some(0),
            (Form::Text | Form::Base64, [b'\r' | b'\\']) => self.cut(),
            (Form::Text | Form::Base64, [b'\n', ..] | [b'\r' | b'\\', b'\n', ..]) => {
                self.is_broken = true;
                let line = if rest[0] == b'\n' { 1 } else { 2 };
                let blanks = count_blanks(&rest[line..]);
                let is_indent = rest.get(line + blanks).is_none_or(|&next| wanted(next));
                let blanks = if is_indent || !wanted(rest[line]) { blanks } else { 0 };
                Some(line + blanks)
            }
            _ => Some(0),
        }
    }

    fn digit_gap(&mut self, rest: &[u8]) -> Option<usize> {
        if rest.first().is_some_and(u8::is_ascii_hexdigit) {
            return Some(0);
        }
        if let [b' ', b' ', behind @ ..] = rest {
            // The middle of a line, as `hexdump -C` writes it, or its column of characters.
            let digits = count_digits(&behind[..behind.len().min(2)]);
            return match behind.get(digits) {
                None => self.cut(),
                Some(b' ') if digits == 2 => Some(2),
                Some(_) => self.column(rest),
            };
        }
        let mut gap = rest.iter().take(SIGN_BYTES).take_while(|byte| SIGNS.contains(byte)).count();
        if rest.get(gap) == Some(&b'\n') {
            gap = self.line_start(rest, gap + 1)?;
            gap += count_blanks(&rest[gap..]);
        }
        match &rest[gap..] {
            [] | [b'0'] if gap > 0 => self.cut(),
            [b'0', b'x' | b'X', ..] if gap > 0 => Some(gap + 2),
            [b'x', ..] if gap > 0 => Some(gap + 1),
            _ => Some(gap),
        }
    }

    /// A column of characters, where a line with an address follows.
    fn column(&mut self, rest: &[u8]) -> Option<usize> {
        let line = &rest[..rest.len().min(LINE_BYTES)];
        match memchr::memchr(b'\n', line).map(|newline| newline + 1) {
            Some(next) => {
                self.line_start(rest, next).map(|start| if start > next { start } else { 0 })
            }
            None if line.len() < LINE_BYTES => self.cut(),
            None => Some(0),
        }
    }

    /// The place behind the address with which a line starts.
    fn line_start(&mut self, rest: &[u8], line: usize) -> Option<usize> {
        let digits = count_digits(&rest[line..]);
        if line + digits == rest.len() && digits <= *ADDRESS_DIGITS.end() {
            return self.cut().map(|_| line);
        }
        let address = address_bytes(&rest[line..]);
        self.is_dump |= address.is_some();
        Some(line + address.unwrap_or(0))
    }

    /// What it means that the text ends inside a gap.
    fn cut(&self) -> Option<usize> {
        if self.end == End::Open { None } else { Some(0) }
    }
}

/// Where the data of a line start, if the line is one of a dump: behind an address or blanks, a
/// group of digits or cells.
pub(crate) fn data_start(line: &[u8]) -> Option<usize> {
    match *line.first_chunk()? {
        [b' ', b' ', _, one, b' ', b' ', _, two] => (one != b' ' && two != b' ').then_some(0),
        [b' ', b' ', _, _, b' ', one, two, three] => {
            [one, two, three].iter().all(u8::is_ascii_digit).then_some(0)
        }
        [b' ', digit, ..] if digit.is_ascii_hexdigit() => is_group(&line[1..]).then_some(0),
        [one, _, _, _, _, six, ..] if one.is_ascii_hexdigit() && six.is_ascii_hexdigit() => {
            let start = address_bytes(line)?;
            let blanks = count_blanks(&line[start..]);
            (blanks > 1 || is_group(&line[start + blanks..])).then_some(start)
        }
        _ => None,
    }
}

/// Whether digits of one, two or four bytes stand here, or three octal ones, and more behind them.
fn is_group(data: &[u8]) -> bool {
    let digits = count_digits(data);
    let goes_on = match data[digits..] {
        [b' ', next, ..] => next.is_ascii_hexdigit() || b" >\\".contains(&next),
        [next, ..] => b" \r\n".contains(&next),
        [] => true,
    };
    matches!(digits, 2..=4 | 8) && goes_on
}

/// How many bytes the address of a line takes, with its colon.
fn address_bytes(line: &[u8]) -> Option<usize> {
    let digits = count_digits(line);
    let colon = match line.get(digits)? {
        b':' => 1,
        b' ' => 0,
        _ => return None,
    };
    ADDRESS_DIGITS.contains(&digits).then_some(digits + colon)
}

fn count_digits(bytes: &[u8]) -> usize {
    let most = ADDRESS_DIGITS.end() + 1;
    bytes.iter().take(most).take_while(|byte| byte.is_ascii_hexdigit()).count()
}

pub(crate) fn count_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take(INDENT_BYTES).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_dumps_are_told_from_others() {
        for (line, start) in [
            ("00000000: 6875 6e74  hunt", Some(9)),
            ("00000000  68 75 6e 74 65 72 32 21  78", Some(8)),
            ("0000000   h   u   n", Some(7)),
            ("0000000       u   n", Some(7)),
            (" 68 75 6e", Some(0)),
            ("   h   u   n", Some(0)),
            ("deadbee mend the parser", None),
            ("20261118 12:00:00 started", None),
            ("   |     let x = 1;", None),
            ("    indented words", None),
            ("total 48", None),
        ] {
            assert_eq!(data_start(line.as_bytes()), start, "{line}");
        }
    }
}
