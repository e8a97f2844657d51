//! What stands before a place: whether a word starts there, and whether a number ends there. Pure.

/// So many bytes of text before a place decide what starts there: as many as a long option has
/// before its telling word (`--personal-access-token`), with room.
pub(crate) const BEFORE_BYTES: usize = 32;

/// Bots have numbers of eight digits and more.
const BOT_DIGITS: usize = 6;

/// A letter, a digit or an underscore.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word can start behind this text: after what is no word, and after a letter that
/// belongs to an escape (`\n`, `%3D`, `\u0026`, the `m` of a colour that was itself escaped).
pub(crate) fn ends_word(before: &[u8]) -> bool {
    before.last().is_none_or(|&last| !is_word(last)) || ends_escape(before)
}

/// Whether the text ends in the number of a bot and a colon.
pub(crate) fn ends_number(before: &[u8]) -> bool {
    let Some((b':', number)) = before.split_last() else { return false };
    number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count() >= BOT_DIGITS
}

fn ends_escape(text: &[u8]) -> bool {
    let hex = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match text {
        [.., b'\\', b'n' | b't' | b'r' | b'f' | b'b'] => true,
        [.., b'%', high, low] | [.., b'\\', b'x', high, low] if hex(&[*high, *low]) => true,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => true,
        [front @ .., b'm'] => {
            let codes = front.iter().rev().take_while(|&&b| b.is_ascii_digit() || b == b';');
            let count = codes.count();
            front.len() > count && front[front.len() - count - 1] == b'['
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_no_part_of_the_word_behind_it() {
        for text in ["", " ", "a=", r"a\n", "token%3D", r"x\u003d", r"\u001b[31m", "^[[0;1m"] {
            assert!(ends_word(text.as_bytes()), "{text}");
        }
        for text in ["a", "ta", "an", "%zz", "x_", "from"] {
            assert!(!ends_word(text.as_bytes()), "{text}");
        }
    }
}
