//! Words and sets of words. Sets are made when the program is built, and a look into one is a
//! handful of instructions: names in output are judged by the million. Nothing here allocates.

/// The longest word that a set holds.
pub(super) const WORD_BYTES: usize = 16;

/// A short text in lower case. A longer one is no word, and in no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Word {
    bytes: [u8; WORD_BYTES],
    length: usize,
}

impl Word {
    /// The text in lower case.
    pub(super) fn lower(text: &[u8]) -> Word {
        let mut word = Word { bytes: [0; WORD_BYTES], length: text.len() };
        if text.len() <= WORD_BYTES {
            word.bytes = gathered(text);
            word.bytes.make_ascii_lowercase();
        }
        word
    }

    /// Whether it has no letter at all.
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Its bytes; nothing where it is too long for a word.
    pub(super) fn text(&self) -> &[u8] {
        if self.length <= WORD_BYTES { &self.bytes[..self.length] } else { &[] }
    }

    fn code(&self) -> u128 {
        if self.length <= WORD_BYTES { u128::from_le_bytes(self.bytes) } else { 0 }
    }
}

/// The bytes with zeros behind them: two overlapping loads in place of a loop.
fn gathered(text: &[u8]) -> [u8; WORD_BYTES] {
    let mut bytes = [0; WORD_BYTES];
    if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        bytes[..8].copy_from_slice(first);
        let last = u128::from(u64::from_le_bytes(*last)) << (8 * (text.len() - 8));
        return (u128::from_le_bytes(bytes) | last).to_le_bytes();
    }
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        bytes[..4].copy_from_slice(first);
        let last = u128::from(u32::from_le_bytes(*last)) << (8 * (text.len() - 4));
        return (u128::from_le_bytes(bytes) | last).to_le_bytes();
    }
    for (place, &byte) in bytes.iter_mut().zip(text) {
        *place = byte;
    }
    bytes
}

/// A set of words with this many slots: a power of two, and twice as many as words at least.
pub(super) struct Words<const SLOTS: usize> {
    slots: [u128; SLOTS],
}

impl<const SLOTS: usize> Words<SLOTS> {
    /// The words of a list, which are parted by blanks.
    pub(super) const fn of(list: &str) -> Words<SLOTS> {
        let list = list.as_bytes();
        let mut slots = [0; SLOTS];
        let (mut at, mut count) = (0, 0);
        while at < list.len() {
            let (mut code, mut length) = (0u128, 0);
            while at < list.len() && list[at] != b' ' {
                assert!(length < WORD_BYTES, "a word is too long for a set");
                code |= (list[at] as u128) << (8 * length);
                length += 1;
                at += 1;
            }
            at += 1;
            if length > 0 {
                count += 1;
                let mut slot = first_slot(code, SLOTS);
                while slots[slot] != 0 && slots[slot] != code {
                    slot = (slot + 1) % SLOTS;
                }
                slots[slot] = code;
            }
        }
        assert!(SLOTS.is_power_of_two() && count * 2 <= SLOTS, "a set has too few slots");
        Words { slots }
    }

    /// Whether the word is in the set.
    pub(super) fn has(&self, word: &Word) -> bool {
        let code = word.code();
        let mut slot = first_slot(code, SLOTS);
        while self.slots[slot] != 0 {
            if self.slots[slot] == code {
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        false
    }
}

const fn first_slot(code: u128, slots: usize) -> usize {
    let folded = (code as u64) ^ ((code >> 64) as u64).rotate_left(29);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % slots
}

/// The words of a name: parted by joints, humps and digits. A name that starts with
/// a joint has its first word behind it.
pub(super) struct Parts<'a> {
    rest: &'a [u8],
}

/// The words of `name`.
pub(super) fn parts(name: &[u8]) -> Parts<'_> {
    Parts { rest: name }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|&byte| !is_joint(byte))?;
        let text = &self.rest[start..];
        let parted = |pair: &[u8]| {
            let hump = pair[1].is_ascii_uppercase() && pair[0].is_ascii_lowercase();
            let number = pair[1].is_ascii_digit() != pair[0].is_ascii_digit();
            is_joint(pair[1]) || hump || (number && !matches!(pair[0], b'v' | b'b'))
        };
        let length = text.windows(2).position(parted).map_or(text.len(), |last| last + 1);
        let (part, rest) = text.split_at(length);
        self.rest = rest;
        Some(part)
    }
}

/// What joins the words of a name.
pub(super) fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_words_and_no_others() {
        static SET: Words<16> = Words::of("next page continuation a client_request");
        for word in ["next", "PAGE", "continuation", "a", "Client_Request"] {
            assert!(SET.has(&Word::lower(word.as_bytes())), "{word}");
        }
        for word in ["", "nex", "nexts", "b", "continuation_of_the_page"] {
            assert!(!SET.has(&Word::lower(word.as_bytes())), "{word}");
        }
    }

    #[test]
    fn names_are_parted_at_joints_humps_and_digits() {
        for (name, expected) in [
            ("", ""),
            ("_key", "key"),
            ("TokenValue2", "token value 2"),
            ("_base64", "base 64"),
            ("-v2.prod", "v2 prod"),
            ("__x", "x"),
            ("HTTPKey", "httpkey"),
        ] {
            let found: Vec<String> = parts(name.as_bytes())
                .map(|part| String::from_utf8_lossy(Word::lower(part).text()).into_owned())
                .collect();
            assert_eq!(found.join(" "), expected, "{name}");
        }
    }
}
