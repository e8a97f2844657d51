//! Words and sets of words, all in lower case.

use std::sync::OnceLock;

/// The longest word that a set holds.
pub(crate) const WORD_BYTES: usize = 16;

/// A short text in lower case. A longer one is no word, and in no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Word {
    bytes: [u8; WORD_BYTES],
    length: usize,
}

impl Word {
    /// The text in lower case.
    pub(crate) fn lower(text: &[u8]) -> Word {
        let mut word = Word { bytes: [0; WORD_BYTES], length: text.len() };
        if let Some(bytes) = word.bytes.get_mut(..text.len()) {
            bytes.copy_from_slice(text);
            bytes.make_ascii_lowercase();
        }
        word
    }

    /// Whether it has no letter at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Its bytes; nothing where it is too long for a word.
    pub(crate) fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// A set of words.
pub(crate) struct Words {
    list: &'static str,
    sorted: OnceLock<Vec<&'static [u8]>>,
}

impl Words {
    /// The words of a list, which are parted by blanks.
    pub(crate) const fn new(list: &'static str) -> Words {
        Words { list, sorted: OnceLock::new() }
    }

    /// Whether the word is in the set.
    pub(crate) fn has(&self, word: &Word) -> bool {
        let sorted = self.sorted.get_or_init(|| {
            let mut words: Vec<_> = self.list.split_ascii_whitespace().map(str::as_bytes).collect();
            words.sort_unstable();
            words
        });
        sorted.binary_search(&word.text()).is_ok()
    }
}

/// The words of a name: parted by joints, humps and digits. A name that starts with
/// a joint has its first word behind it.
pub(crate) struct NameParts<'a> {
    rest: &'a [u8],
}

/// The words of `name`.
pub(crate) fn name_parts(name: &[u8]) -> NameParts<'_> {
    NameParts { rest: name }
}

impl<'a> Iterator for NameParts<'a> {
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
pub(crate) fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_words_and_no_others() {
        static SET: Words = Words::new("next page continuation a client_request");
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
            let found: Vec<String> = name_parts(name.as_bytes())
                .map(|part| String::from_utf8_lossy(Word::lower(part).text()).into_owned())
                .collect();
            assert_eq!(found.join(" "), expected, "{name}");
        }
    }
}
