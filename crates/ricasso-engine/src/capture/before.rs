//! What stands before a place: the last few bytes of text, enough to tell whether a word starts
//! here and which word of a name came before. It must never grow with the stream.

/// As many bytes as a long option before its telling word (`--personal-access-token`), with room.
pub(super) const BEFORE_BYTES: usize = 32;

/// The last bytes of text before a place, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Before {
    bytes: [u8; BEFORE_BYTES],
    count: usize,
}

impl Before {
    /// What stands before the place `at` of `bytes`, which follow `earlier`.
    pub(super) fn at(earlier: Before, bytes: &[u8], at: usize) -> Before {
        if let Some(own) = bytes[..at].last_chunk::<BEFORE_BYTES>() {
            return Before { bytes: *own, count: BEFORE_BYTES };
        }
        let own = &bytes[..at];
        let kept = earlier.count.min(BEFORE_BYTES - own.len());
        let mut before = Before { bytes: [0; BEFORE_BYTES], count: kept + own.len() };
        before.bytes[..kept].copy_from_slice(&earlier.text()[earlier.count - kept..]);
        before.bytes[kept..kept + own.len()].copy_from_slice(own);
        before
    }

    /// The bytes, the oldest first.
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    /// The byte right before the place; none at the start of the stream.
    pub(super) fn last(&self) -> Option<u8> {
        self.text().last().copied()
    }

    /// Whether a word can start here: after what is no word, and after a letter that belongs to an
    /// escape (`\n`, `%3D`, `\u0026`, the `m` of a colour that was itself escaped).
    pub(super) fn is_edge(&self) -> bool {
        self.last().is_none_or(|last| !is_word(last)) || ends_escape(self.text())
    }
}

/// A letter, a digit or an underscore.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
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
            assert!(Before::at(Before::default(), text.as_bytes(), text.len()).is_edge(), "{text}");
        }
        for text in ["a", "ta", "an", "%zz", "x_", "from"] {
            assert!(
                !Before::at(Before::default(), text.as_bytes(), text.len()).is_edge(),
                "{text}"
            );
        }
    }

    #[test]
    fn every_split_remembers_the_same() {
        let text = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
        let whole = Before::at(Before::default(), text, 40);
        for cut in 0..=40 {
            let first = Before::at(Before::default(), &text[..cut], cut);
            assert_eq!(Before::at(first, &text[cut..], 40 - cut), whole, "{cut}");
        }
        assert_eq!(whole.text(), b"89abcdefghijklmnopqrstuvwxyzABCD");
    }
}
