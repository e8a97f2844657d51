//! What a name is: a flag, a variable, an element, a password's, judged by the text round its
//! telling part. Pure.

use super::is_blank;
use crate::edge::is_word;
use crate::kinds::Stem;
use crate::words::{Word, is_joint, name_parts};

/// Whether the name is an option, whose value may follow after a blank.
pub(super) fn is_flag(before: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || is_joint(*byte);
    let start = before.iter().rposition(|byte| !word(byte)).map_or(0, |last| last + 1);
    before[start..].starts_with(b"-")
}

/// Whether the name is that of a variable of the environment: in capitals, in parts.
pub(super) fn is_shouted(before: &[u8], rest: &[u8]) -> bool {
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let capital = |byte: &u8| !byte.is_ascii_lowercase();
    let parted = rest[0] == b'_' || before.contains(&b'_');
    parted && rest[..3].iter().all(capital) && before.iter().rev().take_while(name).all(capital)
}

/// Whether the name is in the first column of a table: a line starts before it, or a cell.
pub(super) fn is_cell(before: &[u8]) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. `\"'*".contains(byte);
    before.iter().rev().find(|byte| !name(byte)).is_none_or(|byte| b"\n|\x82".contains(byte))
}

/// Whether the name is that of an element, whose attributes may follow: `<wsse:Password Type="…">`.
pub(super) fn is_element(before: &[u8]) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    before.iter().rev().find(|byte| !name(byte)) == Some(&b'<')
}

/// Whether the name is the user of a URL.
pub(super) fn starts_address(before: &[u8]) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || is_joint(*byte);
    let front = before.iter().rposition(|byte| !name(byte)).map_or(0, |last| last + 1);
    before[..front].ends_with(b"://")
}

/// Whether the name is the whole word `password`, `passwd` or `passphrase`, up to its end.
pub(super) fn is_whole_pass(rest: &[u8]) -> bool {
    let longer = [&b"word"[..], b"wd", b"phrase"];
    longer.iter().any(|word| {
        let end = 4 + word.len();
        rest.len() > end && rest[4..end].eq_ignore_ascii_case(word) && !is_word(rest[end])
    })
}

/// Whether the name is a password's: such a word, or `pass` as the last part of a name.
pub(super) fn is_pass(before: &[u8], rest: &[u8]) -> bool {
    let ends = rest.get(4).is_some_and(|byte| is_blank(*byte));
    is_whole_pass(rest) || (ends && before.last() == Some(&b'_'))
}

/// Whether the name is the key of a registry's token, whose value `npm config set` takes next.
pub(super) fn is_npm(before: &[u8]) -> bool {
    ends_in(before, b":_autht") || ends_in(before, b" _autht")
}

/// Whether a name part starts here: after no letter, in a hump of its own, or after a short form
/// that is written without a joint.
pub(super) fn starts_word(before: &[u8], first: u8) -> bool {
    const SHORT: [&[u8]; 5] = [b"db", b"pg", b"my", b"user", b"ssh"];
    let Some(last) = before.last().filter(|last| last.is_ascii_alphabetic()) else { return true };
    let hump = first.is_ascii_uppercase() && last.is_ascii_lowercase();
    let escape = matches!(before, [.., b'\\', b'n' | b't' | b'r']);
    hump || escape || SHORT.iter().any(|short| ends_in(before, short))
}

/// Whether the text ends in this word, in any case.
pub(super) fn ends_in(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[text.len() - word.len()..].eq_ignore_ascii_case(word)
}

/// The last word of a name that goes on behind `text`, in lower case.
pub(super) fn word_before(text: &[u8]) -> Word {
    let joint = text.last().is_some_and(|&byte| is_joint(byte));
    let text = &text[..text.len() - usize::from(joint)];
    let start = text.iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(0, |last| last + 1);
    name_parts(&text[start..]).last().map(Word::lower).unwrap_or_default()
}

/// How long the telling part is.
pub(super) fn stem_length(stem: Stem, rest: &[u8]) -> usize {
    match stem {
        Stem::Pass | Stem::Key | Stem::Token => 4,
        Stem::Pwd => 3,
        Stem::Secret => 5,
        Stem::Auth if required_letter(stem, rest).is_some() => 9,
        Stem::Auth => 5,
    }
}

/// The letter that must stand before the telling part, in lower case.
pub(super) fn required_letter(stem: Stem, rest: &[u8]) -> Option<u8> {
    match stem {
        Stem::Token => Some(b't'),
        Stem::Secret => Some(b's'),
        Stem::Auth if rest[0].eq_ignore_ascii_case(&b'r') => Some(b'c'),
        Stem::Auth | Stem::Pass | Stem::Pwd | Stem::Key => None,
    }
}
