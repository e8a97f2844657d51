//! `$'…'`: from escapes to bytes, with the place each byte came from.
//!
//! The result is exactly what the shell puts into the word; a NUL ends it there as here.

use super::Reader;

impl Reader<'_> {
    /// The bytes that the text between two offsets stands for, and where each came from.
    pub(super) fn decoded(&self, start: usize, end: usize) -> (Vec<u8>, Vec<u32>) {
        let text = self.cursor.source.text.get(start..end).unwrap_or_default();
        let (bytes, mut table) = decode(text, start);
        for at in &mut table {
            *at = self.cursor.source.origin(*at as usize) as u32;
        }
        (bytes, table)
    }
}

/// The bytes that an escaped text stands for, and the offset of each when the text starts at
/// `start`.
pub(crate) fn decode(text: &[u8], start: usize) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut table = Vec::with_capacity(text.len() + 1);
    let mut pos = 0;
    while pos < text.len() {
        let (length, decoded) = one(&text[pos..]);
        if decoded.first() == Some(&0) {
            break;
        }
        table.extend(std::iter::repeat_n((start + pos) as u32, decoded.len()));
        bytes.extend_from_slice(&decoded);
        pos += length;
    }
    table.push((start + text.len()) as u32);
    (bytes, table)
}

/// Whether `text`, which starts inside `$'…'`, has the closing quote.
pub(super) fn closes(text: &[u8]) -> bool {
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\'' => return true,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    false
}

/// One character or escape at the start of `text`: how long it is, and what it stands for.
fn one(text: &[u8]) -> (usize, Vec<u8>) {
    if text[0] != b'\\' || text.len() == 1 {
        return (1, vec![text[0]]);
    }
    let simple = |byte| (2, vec![byte]);
    match text[1] {
        b'a' => simple(7),
        b'b' => simple(8),
        b'e' | b'E' => simple(27),
        b'f' => simple(12),
        b'n' => simple(b'\n'),
        b'r' => simple(b'\r'),
        b't' => simple(b'\t'),
        b'v' => simple(11),
        byte @ (b'\\' | b'\'' | b'"' | b'?') => simple(byte),
        b'0'..=b'7' => {
            let (length, value) = digits(&text[1..], 8, 3);
            (1 + length, vec![(value & 0xff) as u8])
        }
        b'x' if text.get(2) == Some(&b'{') => {
            let (length, value) = digits(&text[3..], 16, usize::MAX);
            let closed = usize::from(text.get(3 + length) == Some(&b'}'));
            (3 + length + closed, vec![(value & 0xff) as u8])
        }
        b'x' => match digits(&text[2..], 16, 2) {
            (0, _) => (2, b"\\x".to_vec()),
            (length, value) => (2 + length, vec![(value & 0xff) as u8]),
        },
        letter @ (b'u' | b'U') => {
            let most = if letter == b'u' { 4 } else { 8 };
            match digits(&text[2..], 16, most) {
                (0, _) => (2, vec![b'\\', letter]),
                (length, value) => (2 + length, character(value)),
            }
        }
        b'c' => match text.get(2..) {
            Some([b'\\', b'\\', ..]) => (4, vec![b'\\' & 0x1f]),
            Some([byte, ..]) => (3, vec![byte.to_ascii_uppercase() & 0x1f]),
            _ => (2, b"\\c".to_vec()),
        },
        byte => (2, vec![b'\\', byte]),
    }
}

/// How many digits of the base stand at the start of `text`, at most `most`, and their value.
fn digits(text: &[u8], base: u32, most: usize) -> (usize, u32) {
    let mut value = 0u32;
    let mut length = 0;
    for byte in text.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(base) else { break };
        value = value.wrapping_mul(base).wrapping_add(digit);
        length += 1;
    }
    (length, value)
}

/// The bytes of a character; the shell writes surrogates and the like in the same scheme.
fn character(value: u32) -> Vec<u8> {
    match char::from_u32(value) {
        Some(character) => character.to_string().into_bytes(),
        None if value < 0x1_0000 => {
            vec![0xe0 | (value >> 12) as u8, tail(value >> 6), tail(value)]
        }
        None => vec![b'?'],
    }
}

fn tail(value: u32) -> u8 {
    0x80 | (value & 0x3f) as u8
}
