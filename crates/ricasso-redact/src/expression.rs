//! Tells expressions of programming languages, versions and digests from secrets. Pure.

use crate::likeness::is_wordy;
use crate::placeholder::contains;

/// Whether the text is an expression of a programming language.
pub(crate) fn is_code(text: &[u8]) -> bool {
    let signed = || SIGNS.iter().any(|sign| contains(text, sign)) && is_wordy(text);
    is_call(text) || is_path_of_names(text) || is_type(text) || signed()
}

/// What expressions are made of.
const SIGNS: [&[u8]; 11] = [
    b"(",
    b"::",
    b"->",
    b"=>",
    b"[",
    b"&&",
    b"||",
    b"process.env",
    b"os.environ",
    b"self.",
    b"this.",
];

/// `*mut`, `core::PWSTR`, `4096i32`: a pointer, a path of types, a number with its type.
fn is_type(text: &[u8]) -> bool {
    let name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    match text {
        [b'*', rest @ ..] => !rest.is_empty() && rest.iter().all(u8::is_ascii_lowercase),
        [b'0', b'x', digits @ ..] => digits.len() <= 8 && digits.iter().all(u8::is_ascii_hexdigit),
        [b'_', b'_', b'u' | b's', b'0'..=b'9', ..] => text.len() <= 5,
        [rest @ .., b'_', b't'] => rest.iter().all(|b| b.is_ascii_lowercase() || *b == b'_'),
        [b'0'..=b'9', .., b'i' | b'u' | b'f', b'3' | b'6', b'2' | b'4'] => {
            text[..text.len() - 3].iter().all(|byte| byte.is_ascii_digit() || *byte == b'_')
        }
        _ => {
            let mut joints = memchr::memmem::find_iter(text, b"::").peekable();
            joints.peek().is_some()
                && text.split(|byte| *byte == b':').all(|part| part.is_empty() || name(part))
        }
    }
}

/// `f(`, `t.n(`, `getToken(`, `args[`: a name and an opening bracket.
fn is_call(text: &[u8]) -> bool {
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || b".:_$!?".contains(byte);
    let length = text.iter().take_while(name).count();
    let opens = matches!(text.get(length), Some(b'(' | b'['));
    let digits = || text[..length].iter().any(u8::is_ascii_digit);
    let member = text.starts_with(b"self.") || text.starts_with(b"this.");
    opens && (length <= 2 || member || !digits() || is_wordy(&text[..length]))
}

/// `user.password`, `e.token`, `config.db.pass`: names joined by dots, without a digit.
fn is_path_of_names(text: &[u8]) -> bool {
    let name = |part: &[u8]| {
        let letters = part.iter().all(|b| b.is_ascii_alphabetic() || b"_$?!".contains(b));
        !part.is_empty() && letters && (part.len() <= 4 || is_wordy(part))
    };
    text.contains(&b'.') && text.split(|&byte| byte == b'.').all(name)
}

/// `^1.2.3`, `v0.12.3-beta.20240101`, `package@2.0`: at least two numbers, and what may follow.
pub(crate) fn is_version(text: &[u8]) -> bool {
    let text = text.rsplit(|byte| *byte == b'@').next().unwrap_or(text);
    let start = text.iter().position(|byte| !b"^~<>=v ".contains(byte)).unwrap_or(text.len());
    let mut parts = text[start..].splitn(3, |byte| *byte == b'.');
    let number = |part: &[u8]| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    let major = parts.next().is_some_and(number);
    let minor = parts.next().is_some_and(|part| {
        number(part.split(|byte| matches!(byte, b'-' | b'+')).next().unwrap_or_default())
    });
    major && minor
}

/// Whether the text is as long as a digest is, in hexadecimal.
pub(crate) fn is_digest(text: &[u8]) -> bool {
    matches!(text.len(), 40 | 64 | 96 | 128) && text.iter().all(u8::is_ascii_hexdigit)
}
