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
    pub(crate) is_broken: bool,
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

    /// Where what carries bits of a value ends behind its spelling; none where more bytes decide.
    pub(crate) fn rest_end(&mut self) -> Option<usize> {
        match self.form {
            Form::Base64 => self.base64_end(),
            Form::Hex | Form::Words | Form::Cells if self.is_dump => {
                let line = &self.rest()[..self.rest().len().min(LINE_BYTES)];
                let is_cut = self.end == End::Open && line.len() < LINE_BYTES;
                let newline = memchr::memchr(b'\n', line);
                let length = newline.or((!is_cut).then_some(line.len()))?;
                Some(self.at + length)
            }
            _ => Some(self.at),
        }
    }

    /// Only a value that is broken into lines goes on in the next line.
    fn base64_end(&mut self) -> Option<usize> {
        let mut end = self.at;
        for _ in 0..BASE64_REST {
            let next =
                if self.is_broken { self.next(|_| false) } else { self.rest().first().copied() };
            match next {
                Some(byte) if is_base64(byte) => {
                    self.at += usize::from(!self.is_broken);
                    end = self.at;
                }
                None if self.end == End::Open => return None,
                _ => break,
            }
        }
        Some(end)
    }

    /// The next byte. Blanks behind a line break are no part of the value unless one is `wanted`.
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
                let blanks = match rest.get(line) {
                    Some(&blank) if wanted(blank) => 0,
                    _ => count_blanks(&rest[line..]),
                };
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
        match memchr::memchr(b'\n', line) {
            Some(newline) => {
                let start = self.line_start(rest, newline + 1)?;
                Some(if start > newline + 1 { start } else { 0 })
            }
            None if line.len() < LINE_BYTES => self.cut(),
            None => Some(0),
        }
    }

    /// The place behind the address with which a line starts.
    fn line_start(&mut self, rest: &[u8], line: usize) -> Option<usize> {
        self.is_broken = true;
        let rest = &rest[line..];
        if count_digits(rest) == rest.len() && rest.len() <= *ADDRESS_DIGITS.end() {
            return self.cut().map(|_| line);
        }
        let address = address_bytes(rest);
        self.is_dump |= address.is_some();
        Some(line + address.unwrap_or(0))
    }

    /// What it means that the text ends inside a gap.
    fn cut(&self) -> Option<usize> {
        if self.end == End::Open { None } else { Some(0) }
    }
}

/// A quick look at the first bytes of a line that says no for most that are none of a dump.
pub(crate) fn may_be_dumped(line: &[u8; 8]) -> bool {
    let [one, two, _, four, _, six, _, eight] = *line;
    let is_addressed = is_digit(one) & is_digit(six);
    let is_bare = (one == b' ') & is_digit(two);
    is_addressed | is_bare | has_cells(line) & (four != b' ') & (eight != b' ')
}

/// Where the data of a line start, if the line is one of a dump: behind an address or blanks, a
/// group of digits or cells.
pub(crate) fn data_start(line: &[u8]) -> Option<usize> {
    let start = line.first_chunk().filter(|start| may_be_dumped(start))?;
    if !is_digit(line[0]) {
        return (has_cells(start) || is_group(&line[1..])).then_some(0);
    }
    let start = address_bytes(line)?;
    let data = line[start..].trim_ascii_start();
    let blanks = line.len() - start - data.len();
    (blanks > 1 || is_group(data)).then_some(start)
}

/// Whether two cells of `od -c` may stand here.
fn has_cells(line: &[u8; 8]) -> bool {
    let octal = is_digit(line[5]) & is_digit(line[6]) & is_digit(line[7]);
    line.starts_with(b"  ") & (line[4] == b' ') & (line[5] == b' ' || octal)
}

/// Whether digits of one, two or four bytes stand here, or three octal ones, and more behind them.
fn is_group(data: &[u8]) -> bool {
    let digits = count_digits(data);
    let behind = &data[digits..];
    let goes_on = match behind {
        [b' ', next, ..] => is_digit(*next) || matches!(next, b' ' | b'>' | b'\\'),
        [next, ..] => matches!(next, b'\n' | b'\r' | b' '),
        [] => true,
    };
    matches!(digits, 2..=4 | 8) && goes_on
}

fn is_digit(byte: u8) -> bool {
    DIGITS[usize::from(byte)]
}

static DIGITS: [bool; 256] = {
    let (mut table, mut byte) = ([false; 256], 0);
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_hexdigit();
        byte += 1;
    }
    table
};

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

fn count_blanks(bytes: &[u8]) -> usize {
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
