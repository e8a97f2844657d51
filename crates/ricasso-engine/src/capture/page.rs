//! A page of a whole output: the characters that begin in so many bytes from an offset on.
//!
//! Pages side by side are the whole, whoever counts them, and no character is split.

use super::Stream;
use super::error::Error;
use super::read::{Reading, Which};
use std::io::{self, Write};

/// A character has four bytes at most, so that three end one which began before.
const LONGEST_REST: usize = 3;

/// A part of an output, standard output first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its text.
    pub text: String,
    /// Where the next one begins.
    pub end: u64,
    /// Bytes of the whole.
    pub length: u64,
}

impl Reading {
    /// The page from an offset on.
    pub fn page(&self, offset: u64, limit: u64) -> Result<Page, Error> {
        let take = limit.saturating_add(LONGEST_REST as u64);
        let mut window = Window { skip: offset, take, taken: Vec::new(), length: 0 };
        for stream in Stream::BOTH {
            self.bytes(Which::One(stream), 0..u64::MAX, &mut window)?;
        }
        let taken = window.taken;
        let at = usize::try_from(limit).unwrap_or(usize::MAX).min(taken.len());
        let from = if offset == 0 { 0 } else { rest_of_character(&taken) };
        let end = at + rest_of_character(&taken[at..]);
        let text = String::from_utf8_lossy(taken.get(from..end).unwrap_or_default()).into_owned();
        Ok(Page { text, end: offset.saturating_add(end as u64), length: window.length })
    }
}

/// Bytes at the beginning that end a character which began before.
fn rest_of_character(bytes: &[u8]) -> usize {
    bytes.iter().take(LONGEST_REST).take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// Keeps a window of what is written and counts all of it.
struct Window {
    skip: u64,
    take: u64,
    taken: Vec<u8>,
    length: u64,
}

impl Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len() as u64;
        let from = self.skip.saturating_sub(self.length).min(count) as usize;
        let end = self.skip.saturating_add(self.take).saturating_sub(self.length).min(count);
        if let Some(wanted) = bytes.get(from..end as usize) {
            self.taken.extend_from_slice(wanted);
        }
        self.length += count;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
