//! Passes over names that nothing is assigned to, which is most names in most texts, with a few
//! nanoseconds each. It must never pass over a name that [`assigned`] would find a secret behind.
//!
//! [`assigned`]: super::assign::assigned

use super::assign::{
    GAP_BYTES, SUFFIX_BYTES, is_blank, is_element, is_flag, is_npm, is_pass, is_shouted,
};
use super::before::Before;
use super::kinds::Stem;

/// Whether nothing is assigned to the name whose telling part is at `at`, whatever follows. So it
/// is with most names in most texts, and this look takes a few nanoseconds; where it is not sure,
/// the cursor decides. The place has as many bytes before it as [`Before`] keeps.
pub(super) fn is_bare(stem: Stem, bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    if needs(stem, rest).is_some_and(|letter| bytes[at - 1].to_ascii_lowercase() != letter) {
        return true;
    }
    let stem_bytes = stem_bytes(stem, rest);
    let Some(behind) = rest.get(stem_bytes..) else { return false };
    let suffix = &behind[..behind.len().min(SUFFIX_BYTES)];
    let length = suffix.iter().take_while(|&&byte| BEHIND[usize::from(byte)] & NAME != 0).count();
    let before = || Before::at(Before::default(), bytes, at);
    let mut behind = &behind[length..];
    if behind.starts_with(b"[]") {
        behind = &behind[2..];
    }
    let slashes = leading(behind, 3, |byte| byte == b'\\');
    let signs = leading(&behind[slashes..], 2, |byte| BEHIND[usize::from(byte)] & CLOSES != 0);
    if signs > 0 {
        behind = &behind[slashes + signs..];
    }
    let blanks = leading(behind, GAP_BYTES, is_blank);
    let Some(&next) = behind.get(blanks) else { return false };
    if BEHIND[usize::from(next)] & JOINS != 0 {
        // Most of those that may join do so only in one place, and comparisons are no joints.
        return match (next, behind.get(blanks + 1)) {
            (b'=', Some(b'=')) => stem != Stem::Pass || is_no_text(&behind[blanks..]),
            (b'=', Some(b'~')) => true,
            (b',', _) => signs == 0 && !names_value(&behind[blanks + 1..]),
            (b'(', Some(next)) => signs > 0 || !matches!(next, b'"' | b'\''),
            (b'?', Some(next)) => *next != b'=',
            (b'!', next) => stem != Stem::Pass || next.is_some_and(|next| *next != b'='),
            (b'%', Some(next)) => !matches!(next, b'3' | b'2'),
            (b'{', Some(next)) => *next != b' ',
            (_, _) => false,
        };
    }
    if blanks == 0 {
        return true;
    }
    let typed = &behind[blanks..];
    if TYPED.starts_with(&typed[..typed.len().min(TYPED.len())]) {
        return false;
    }
    let before = before();
    let beside = || {
        let whole = (stem == Stem::Pass && is_pass(&before, rest)) || is_npm(&before);
        (whole || blanks > 1 || is_shouted(&before, rest)) && may_be_noise(&behind[blanks..])
    };
    !is_flag(&before) && !is_element(&before) && !beside()
}

/// Whether behind the comma of a pair its value may be named.
fn names_value(rest: &[u8]) -> bool {
    let next = rest.get(leading(rest, GAP_BYTES, is_blank));
    next.is_none_or(|byte| b"vVc\"'`\\])\r\n".contains(byte))
}

/// The type that Go writes behind a name.
pub(super) const TYPED: &[u8] = b"string =";

/// Whether what is compared, behind signs and blanks, is no text in quotes.
fn is_no_text(behind: &[u8]) -> bool {
    let signs = leading(behind, 3, |byte| byte == b'=');
    let blanks = leading(&behind[signs..], GAP_BYTES, is_blank);
    behind.get(signs + blanks).is_some_and(|byte| !matches!(byte, b'"' | b'\''))
}

/// What the bytes behind the telling part of a name may be.
static BEHIND: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let it = byte as u8;
        table[byte] = match it {
            b'_' | b'-' | b'.' | b'0'..=b'9' => NAME,
            b'v' | b'V' | b'c' => NAME | JOINS,
            b'a'..=b'z' | b'A'..=b'Z' => NAME,
            b'"' | b'\'' => CLOSES | JOINS,
            b'`' | b']' | b')' => CLOSES,
            b'=' | b':' | b'>' | b'<' | b',' | b'(' | b'\r' | b'\n' => JOINS,
            b'?' | b'!' | b'%' | b'{' | b'|' | 0xe2 => JOINS,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// A letter of the name.
const NAME: u8 = 1;
/// It may close a quoted name.
const CLOSES: u8 = 2;
/// It may stand between name and value.
const JOINS: u8 = 4;

/// Whether the next word may be noise: one without a digit and in one case is not, however it goes
/// on.
fn may_be_noise(rest: &[u8]) -> bool {
    let word = rest.iter().take(NOISE_BYTES).take_while(|&&byte| byte > b' ');
    let (mut length, mut digit, mut upper, mut lower) = (0, false, false, false);
    for byte in word {
        length += 1;
        digit |= byte.is_ascii_digit();
        upper |= byte.is_ascii_uppercase();
        lower |= byte.is_ascii_lowercase();
    }
    digit || (upper && lower) || length == NOISE_BYTES || length == rest.len()
}

/// Noise has a digit, or letters of both cases, in so many bytes.
const NOISE_BYTES: usize = 12;

/// How many bytes at the start, `most` at most, pass the test.
#[inline]
fn leading(bytes: &[u8], most: usize, test: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(most).take_while(|&&byte| test(byte)).count()
}

/// How long the telling part is.
pub(super) fn stem_bytes(stem: Stem, rest: &[u8]) -> usize {
    match stem {
        Stem::Pass | Stem::Key | Stem::Token => 4,
        Stem::Pwd => 3,
        Stem::Secret => 5,
        Stem::Auth if needs(stem, rest).is_some() => 9,
        Stem::Auth => 5,
    }
}

/// The letter that must stand before the telling part, in lower case.
pub(super) fn needs(stem: Stem, rest: &[u8]) -> Option<u8> {
    match stem {
        Stem::Token => Some(b't'),
        Stem::Secret => Some(b's'),
        Stem::Auth if rest[0].eq_ignore_ascii_case(&b'r') => Some(b'c'),
        Stem::Auth | Stem::Pass | Stem::Pwd | Stem::Key => None,
    }
}
