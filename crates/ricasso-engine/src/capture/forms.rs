//! The spellings in which a known value turns up in output: as it is, in base64 at each of the
//! three alignments, in hexadecimal, URL-encoded and inside a JSON string. Pure.

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX_LOWER: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// What URL encoders leave as it is beside letters, digits and `-._~`: most nothing, some the
/// slash, browsers a few signs.
const KEPT: [&[u8]; 3] = [b"", b"/", b"!'()*"];

/// One spelling and whether the characters after it may still carry bits of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// These bytes and no more.
    Whole(Vec<u8>),
    /// These bytes, and up to [`BASE64_REST`] more characters of the alphabet.
    Base64(Vec<u8>),
}

/// The characters after the stable part that can still carry bits of the value, padding included.
pub(super) const BASE64_REST: usize = 3;

/// All spellings of `value`, without doubles.
pub(super) fn spellings(value: &[u8]) -> Vec<Form> {
    let mut forms = vec![Form::Whole(value.to_vec())];
    let mut add = |form: Form| {
        if !forms.contains(&form) {
            forms.push(form);
        }
    };
    for alignment in 0..3 {
        let text = base64(value, alignment);
        let web = text.iter().map(|&c| web_alphabet(c)).collect();
        add(Form::Base64(text));
        add(Form::Base64(web));
    }
    for digits in [HEX_LOWER, HEX_UPPER] {
        add(Form::Whole(hex(value, digits)));
        for kept in KEPT {
            add(Form::Whole(percent(value, digits, b"%20", kept)));
        }
        add(Form::Whole(percent(value, digits, b"+", b"")));
    }
    add(Form::Whole(json(value)));
    forms
}

/// The bytes that a base64 text stands for, in either alphabet; none if it is no such text.
pub(super) fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let text = &text[..text.iter().rposition(|&byte| byte != b'=').map_or(0, |last| last + 1)];
    if text.len() % 4 == 1 {
        return None;
    }
    let mut plain = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0);
    for &character in text {
        let standard = match character {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
        let value = STANDARD.iter().position(|&known| known == standard)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            plain.push((bits >> held) as u8);
        }
    }
    Some(plain)
}

/// Whether `byte` belongs to one of the two base64 alphabets or their padding.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
}

/// The characters that depend on nothing but `value` when it follows `alignment` other bytes.
fn base64(value: &[u8], alignment: usize) -> Vec<u8> {
    let bits = value.len() * 8;
    let first = (alignment * 8).div_ceil(6);
    let last = (alignment * 8 + bits) / 6;
    (first..last)
        .map(|index| {
            let bit = index * 6 - alignment * 8;
            let high = u16::from(value[bit / 8]) << 8;
            let low = value.get(bit / 8 + 1).copied().map_or(0, u16::from);
            STANDARD[usize::from(((high | low) >> (10 - bit % 8)) & 63)]
        })
        .collect()
}

fn web_alphabet(character: u8) -> u8 {
    match character {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    }
}

fn hex(value: &[u8], digits: &[u8; 16]) -> Vec<u8> {
    value.iter().flat_map(|&byte| pair(byte, digits)).collect()
}

fn pair(byte: u8, digits: &[u8; 16]) -> [u8; 2] {
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]
}

fn percent(value: &[u8], digits: &[u8; 16], space: &[u8], kept: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => text.push(byte),
            b' ' => text.extend_from_slice(space),
            other if kept.contains(&other) => text.push(other),
            other => {
                text.push(b'%');
                text.extend(pair(other, digits));
            }
        }
    }
    text
}

fn json(value: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len());
    for &byte in value {
        match byte {
            b'"' => text.extend(b"\\\""),
            b'\\' => text.extend(b"\\\\"),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\t' => text.extend(b"\\t"),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_keeps_what_does_not_depend_on_the_neighbours() {
        assert_eq!(base64(b"hunter2", 0), b"aHVudGVyM");
        // "x:hunter2" is eDpodW50ZXIy, "x" in front gives eGh1bnRlcjI.
        assert_eq!(base64(b"hunter2", 2), b"odW50ZXIy");
        assert_eq!(base64(b"hunter2", 1), b"h1bnRlcj");
    }

    #[test]
    fn base64_is_read_back() {
        assert_eq!(decode_base64(b"Ym9iOmh1bnRlcjI=").unwrap(), b"bob:hunter2");
        assert_eq!(decode_base64(b"Pz8_"), decode_base64(b"Pz8/"));
        assert_eq!(decode_base64(b"a!b"), None);
    }

    #[test]
    fn every_spelling_is_there_once() {
        let forms = spellings(b"a b/c\"d");
        let whole: Vec<_> = forms
            .iter()
            .filter_map(|form| match form {
                Form::Whole(text) => Some(String::from_utf8_lossy(text).into_owned()),
                Form::Base64(_) => None,
            })
            .collect();
        assert_eq!(
            whole,
            [
                "a b/c\"d",
                "6120622f632264",
                "a%20b%2fc%22d",
                "a%20b/c%22d",
                "a+b%2fc%22d",
                "6120622F632264",
                "a%20b%2Fc%22d",
                "a+b%2Fc%22d",
                "a b/c\\\"d"
            ]
        );
    }
}
