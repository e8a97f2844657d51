//! The two ends of a stream as text, for those who show more than an excerpt and less than all.
//!
//! What is left out is told exactly. It must never cut a character, and never hold more than it
//! was asked for.

use super::error::Error;
use super::excerpt::{Omitted, Why, marker};
use super::read::{Reading, Which};
use super::{Redacted, Stream};
use std::ops::Range;

/// A character takes at most so many bytes.
const CHARACTER_BYTES: u64 = 4;

/// The ends of both streams, and what is left out of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ends {
    /// Standard output and standard error, with a marker where something is left out between.
    pub texts: [Redacted<String>; 2],
    /// What is left out, in order.
    pub omitted: Vec<Omitted>,
    /// Lines that fell out at the beginning, of both streams.
    pub lines: u64,
}

impl Reading {
    /// Of both streams together the last so many lines, and of each stream at most so many bytes:
    /// its beginning and its end.
    pub fn ends(&self, id: &str, bytes: u64, lines: u64) -> Result<Ends, Error> {
        let mut ends = Ends::default();
        let newlines = [self.all_newlines(Stream::Stdout)?, self.all_newlines(Stream::Stderr)?];
        let all = newlines.iter().sum::<u64>();
        ends.lines = all.saturating_sub(lines);
        let starts = match ends.lines {
            0 => [0, 0],
            fallen => self.starts_of_line(fallen + 1)?,
        };
        for stream in Stream::BOTH {
            let start = starts[stream.index()];
            let end = self.decided(stream)?;
            let fallen = 0..start;
            let mut gaps = Vec::from([fallen]);
            let mut text = String::new();
            if end - start > bytes {
                let gap = self.gap(stream, start..end, bytes)?;
                text = self.text(stream, start..gap.start)?;
                let omitted = self.omitted(stream, &gap)?;
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text += &marker(&gap, omitted.lines, Why::Budget, stream, id);
                text.push('\n');
                gaps.push(gap);
            }
            text += &self.text(stream, gaps[gaps.len() - 1].end..end)?;
            ends.texts[stream.index()] = Redacted::new(text);
            for gap in gaps.iter().filter(|gap| !gap.is_empty()) {
                ends.omitted.push(self.omitted(stream, gap)?);
            }
        }
        Ok(ends)
    }

    /// The last so many characters of a stream.
    pub fn last(&self, stream: Stream, characters: u64) -> Result<String, Error> {
        let end = self.decided(stream)?;
        let start = end.saturating_sub(characters.saturating_mul(CHARACTER_BYTES));
        let start = self.forward(stream, start, end)?;
        let text = self.text(stream, start..end)?;
        let skip = text.chars().count().saturating_sub(characters as usize);
        Ok(text.chars().skip(skip).collect())
    }

    fn text(&self, stream: Stream, range: Range<u64>) -> Result<String, Error> {
        let mut bytes = Vec::new();
        self.bytes(Which::One(stream), range, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What to leave out so that at most so many bytes are left, at the borders of lines where
    /// they are near, else of characters.
    fn gap(&self, stream: Stream, range: Range<u64>, bytes: u64) -> Result<Range<u64>, Error> {
        let half = bytes / 2;
        let head = self.raw(stream, range.start..range.start + half)?;
        let border = memchr::memrchr(b'\n', &head).map(|at| at + 1);
        let near = border.filter(|at| *at * 2 > head.len());
        let kept = near.unwrap_or_else(|| {
            let open = head.iter().rev().take(4).take_while(|byte| **byte & 0xc0 == 0x80).count();
            let lead = head.len().saturating_sub(open + 1);
            match head.get(lead) {
                Some(byte) if *byte >= 0xc0 => lead,
                Some(_) | None => head.len(),
            }
        });
        let tail = self.raw(stream, range.end - half..range.end)?;
        let border = memchr::memchr(b'\n', &tail).map(|at| at as u64 + 1);
        let back = match border.filter(|at| *at * 2 < half) {
            Some(at) => range.end - half + at,
            None => self.forward(stream, range.end - half, range.end)?,
        };
        Ok(range.start + kept as u64..back)
    }

    /// The first place from here on where a character starts.
    fn forward(&self, stream: Stream, at: u64, end: u64) -> Result<u64, Error> {
        let head = self.raw(stream, at..end.min(at + CHARACTER_BYTES))?;
        let inside = head.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
        Ok(at + if at == 0 { 0 } else { inside as u64 })
    }

    fn omitted(&self, stream: Stream, gap: &Range<u64>) -> Result<Omitted, Error> {
        let before = self.newlines(stream, 0..gap.start)?;
        let inside = self.newlines(stream, gap.start..gap.end.saturating_sub(1))?;
        let lines = [before + 1, before + inside + 1];
        Ok(Omitted { stream, bytes: [gap.start, gap.end], lines })
    }
}

#[cfg(test)]
mod tests;
