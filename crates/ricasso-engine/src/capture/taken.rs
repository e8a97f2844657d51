//! The beginning of a stream as text, for those who show only so much; the rest is counted.

use super::Stream;
use super::error::Error;
use super::read::{Reading, Which};
use std::io::{self, Write};

/// How much of a stream is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// So many bytes, whole characters only.
    Bytes(u64),
    /// So many characters.
    Characters(u64),
}

/// The beginning of a stream as text, and how much there was in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Redacted, and never cut inside a character.
    pub text: String,
    /// Bytes of the whole stream as text.
    pub bytes: u64,
    /// Characters of the whole stream.
    pub characters: u64,
}

impl Reading {
    /// The beginning of a stream, and how much there is in all.
    pub fn take(&self, stream: Stream, most: Most) -> Result<Taken, Error> {
        let mut cup = Cup::new(most);
        self.bytes(Which::One(stream), 0..u64::MAX, &mut cup)?;
        Ok(cup.taken())
    }
}

/// Takes text up to a bound and counts the rest. Bytes that are no UTF-8 become `\u{fffd}`.
struct Cup {
    most: Most,
    text: String,
    rest: Vec<u8>,
    bytes: u64,
    characters: u64,
    full: bool,
}

impl Cup {
    fn new(most: Most) -> Cup {
        Cup { most, text: String::new(), rest: Vec::new(), bytes: 0, characters: 0, full: false }
    }

    fn add(&mut self, text: &str) {
        for character in text.chars() {
            let length = character.len_utf8() as u64;
            let fits = match self.most {
                Most::Bytes(most) => self.bytes + length <= most,
                Most::Characters(most) => self.characters < most,
            };
            self.full |= !fits;
            if !self.full {
                self.text.push(character);
            }
            self.bytes += length;
            self.characters += 1;
        }
    }

    /// Adds what is whole; with `last`, everything.
    fn settle(&mut self, last: bool) {
        let pending = std::mem::take(&mut self.rest);
        let mut left = pending.as_slice();
        while !left.is_empty() {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.add(text);
                    return;
                }
                Err(error) => {
                    let (whole, more) = left.split_at(error.valid_up_to());
                    self.add(std::str::from_utf8(whole).unwrap_or_default());
                    match error.error_len() {
                        Some(length) => {
                            self.add("\u{fffd}");
                            left = &more[length..];
                        }
                        None if last => {
                            self.add("\u{fffd}");
                            return;
                        }
                        None => {
                            self.rest = more.to_vec();
                            return;
                        }
                    }
                }
            }
        }
    }

    fn taken(mut self) -> Taken {
        self.settle(true);
        Taken { text: self.text, bytes: self.bytes, characters: self.characters }
    }
}

impl Write for Cup {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        self.settle(false);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Taken {
    /// Whether something was left out.
    pub fn is_cut(&self) -> bool {
        self.text.len() as u64 != self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(most: Most, chunks: &[&[u8]]) -> Taken {
        let mut cup = Cup::new(most);
        for chunk in chunks {
            cup.write_all(chunk).unwrap();
        }
        cup.taken()
    }

    #[test]
    fn a_character_is_never_cut_and_the_rest_is_counted() {
        let cut = taken(Most::Bytes(3), &["ééé".as_bytes()]);
        assert_eq!(cut, Taken { text: "é".into(), bytes: 6, characters: 3 });
        let split = taken(Most::Bytes(9), &[b"a\xc3", b"\xa9b"]);
        assert_eq!(split, Taken { text: "aéb".into(), bytes: 4, characters: 3 });
        let bad = taken(Most::Characters(2), &[b"\xff", b"ab\xc3"]);
        assert_eq!(bad, Taken { text: "\u{fffd}a".into(), bytes: 8, characters: 4 });
    }
}
