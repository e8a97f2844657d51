//! How much of a stream a search needs to find the secrets of a range, wherever the range lies.
//!
//! Three bounds make this exact. A secret has at most [`MARGIN_BYTES`] of text from the place that
//! announces it to the end of its pattern. What is longer goes on only over bytes of the alphabet
//! of tokens, so the way back leads over such bytes first. And no secret reaches further than
//! [`REACH_BYTES`], colours included, which bounds both.

use crate::escape::CONTROL_BYTES;
use crate::kinds::{LEAD_BYTES, PEM};
use crate::pattern::End;
use crate::plain::PlainText;
use crate::search::is_token_byte;
use std::ops::Range;

/// A secret hides at most so many bytes of the stream, counted from the place that announces it.
pub const REACH_BYTES: usize = 1 << 20;

/// What stands before a place is looked for in so many bytes of the stream.
pub(crate) const CONTEXT_BYTES: usize = 4 * 1024;

/// The longest lead and the longest secret of the table; names and their values are shorter.
const MARGIN_BYTES: usize = LEAD_BYTES + PEM + 2 * 1024;

/// How far back is looked at once for the start of a run of token bytes.
const STEP_BYTES: u64 = 4 * 1024;

/// What a search has to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowRange {
    /// The bytes of the window.
    pub bytes: Range<u64>,
    /// Where to look for secrets from.
    pub from: u64,
}

/// The window of a stream in which a search finds every secret that hides a byte of `range`.
/// `length` is what is stored of the stream, and `read` gives bytes of it.
pub fn window_around<E>(
    range: Range<u64>,
    length: u64,
    read: impl FnMut(Range<u64>) -> Result<Vec<u8>, E>,
) -> Result<WindowRange, E> {
    let mut stream = StoredStream { length, read };
    let floor = range.start.saturating_sub(REACH_BYTES as u64);
    let run = stream.run_start(range.start, floor)?;
    let from = stream.step_back(run, floor)?;
    let end = stream.step_on(range.end.min(length))?;
    Ok(WindowRange { bytes: context_start(from)..end, from })
}

/// Where the context of a place starts, so far back that no escape sequence is cut in it.
pub fn context_start(place: u64) -> u64 {
    place.saturating_sub((CONTEXT_BYTES + CONTROL_BYTES) as u64)
}

struct StoredStream<R> {
    length: u64,
    read: R,
}

impl<E, R: FnMut(Range<u64>) -> Result<Vec<u8>, E>> StoredStream<R> {
    /// The text of a range without its escape sequences.
    fn text_in(&mut self, range: &Range<u64>) -> Result<Vec<u8>, E> {
        // Sequences that begin before the range or end behind it must be read whole.
        let start = range.start.saturating_sub(CONTROL_BYTES as u64);
        let bytes = (self.read)(start..(range.end + CONTROL_BYTES as u64).min(self.length))?;
        let plain = PlainText::strip_escapes(&bytes, End::Closed);
        let place = |offset: u64| plain.text_place((offset - start) as usize);
        Ok(plain.text[place(range.start)..place(range.end)].to_vec())
    }

    /// Where the run of token bytes that ends at `at` starts, or a place before that.
    fn run_start(&mut self, at: u64, floor: u64) -> Result<u64, E> {
        let mut start = at;
        while start > floor {
            let before = start.saturating_sub(STEP_BYTES).max(floor)..start;
            let text = self.text_in(&before)?;
            let run = text.iter().rev().take_while(|&&byte| is_token_byte(byte)).count();
            if run < text.len() {
                return Ok(if run == 0 { start } else { before.start });
            }
            start = before.start;
        }
        Ok(start)
    }

    /// An offset before which nothing reaches `at` by its pattern.
    fn step_back(&mut self, at: u64, floor: u64) -> Result<u64, E> {
        let mut step = MARGIN_BYTES as u64;
        loop {
            let start = at.saturating_sub(step).max(floor);
            if start == floor || self.text_in(&(start..at))?.len() >= MARGIN_BYTES {
                return Ok(start);
            }
            step *= 2;
        }
    }

    /// An offset behind which nothing decides about what is announced before `at`.
    fn step_on(&mut self, at: u64) -> Result<u64, E> {
        let ceiling = self.length.min(at + REACH_BYTES as u64);
        let mut step = MARGIN_BYTES as u64;
        loop {
            let end = (at + step).min(ceiling);
            if end == ceiling || self.text_in(&(at..end))?.len() >= MARGIN_BYTES {
                return Ok(end);
            }
            step *= 2;
        }
    }
}
