//! Rust source without its comments, strings and characters, so that a search finds code alone.
//!
//! Every offset and every line stays where it was: what is masked becomes spaces. It knows nested
//! comments, escapes, raw strings of any guard, and tells a lifetime from a character.

/// The text with everything that is no code blanked out.
pub(crate) fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        match end_of_masked(bytes, at) {
            Some(end) => {
                let end = end.min(bytes.len());
                code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|b| *b = b' ');
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    // Masked stretches begin and end at ASCII bytes or at the end, so characters stay whole.
    String::from_utf8_lossy(&code).into_owned()
}

/// Whether a byte can be part of a name.
pub(crate) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Where the comment, string or character that begins at `at` ends; `None` if none begins there.
fn end_of_masked(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => Some(at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', ..] => Some(at + block_comment(rest)),
        [b'"', ..] => Some(at + quoted(rest)),
        [b'\'', ..] => character(rest).map(|length| at + length),
        [b'r', ..] if begins_raw(bytes, at) => raw_string(rest).map(|length| at + length),
        _ => None,
    }
}

/// An `r` begins a raw string unless it is the end of a name; `br` and `cr` are prefixes too.
fn begins_raw(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|place| bytes[place]);
    match before(1) {
        Some(b'b' | b'c') => !before(2).is_some_and(in_name),
        Some(byte) => !in_name(byte),
        None => true,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

/// A string or character from its opening quote to past its closing one.
fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == rest[0] => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// A character literal; `None` for a lifetime or a label.
fn character(rest: &[u8]) -> Option<usize> {
    match rest {
        [_, b'\\', ..] => Some(quoted(rest)),
        [_, first, ..] => {
            let width = match first {
                0..=0x7f => 1,
                0x80..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xff => 4,
            };
            (rest.get(1 + width) == Some(&b'\'')).then_some(2 + width)
        }
        _ => None,
    }
}

fn raw_string(rest: &[u8]) -> Option<usize> {
    let guard = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    let body = 2 + guard;
    if rest.get(1 + guard) != Some(&b'"') {
        return None;
    }
    let closes = |at: usize| {
        let after = rest.get(at + 1..at + 1 + guard);
        rest[at] == b'"' && after.is_some_and(|after| after.iter().all(|byte| *byte == b'#'))
    };
    let end = (body..rest.len()).find(|at| closes(*at));
    Some(end.map_or(rest.len(), |at| at + 1 + guard))
}
