//! Where known values stand in a stream. They are looked for while output is stored, since a later
//! reader does not know them. Where no value is known, nothing is looked for and no file is made.
//!
//! `STREAM.values` has a line `START END KIND` for each value, in order, and `STREAM.searched` the
//! offset up to which they are known, eight bytes for each time that it grew. The offset is written
//! after the lines before it. Neither file ever holds a value.

use super::error::Error;
use super::store::{self, Log};
use super::{BLOCK_BYTES, Stream};
use ricasso_redact::{End, Kind, KnownValues, Span, StreamSearch, Window, context_start};
use std::fmt::Write;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of one offset in the file of offsets.
const OFFSET_BYTES: u64 = 8;

/// A line is not longer: two numbers of twenty digits and the name of a kind.
const LINE_BYTES: u64 = 128;

/// A value that was being stored when the owner died starts this far before the last offset at
/// most; the longest spelling of a value is shorter.
const OPEN_BYTES: u64 = 64 * 1024;

/// Looks for known values in a stream while it is stored.
#[derive(Debug)]
pub(super) struct ValueLog {
    known: Arc<KnownValues>,
    search: StreamSearch,
    lines: Log,
    offsets: Log,
}

/// The recorded values of a stream.
#[derive(Debug)]
pub(super) struct RecordedValues {
    lines: Option<(File, u64)>,
    path: PathBuf,
    /// The values before this offset are recorded.
    pub(super) searched: u64,
}

impl ValueLog {
    /// The search of a stream of which nothing is stored yet.
    pub(super) fn new(dir: &Path, stream: Stream, known: &Arc<KnownValues>) -> ValueLog {
        let [lines, offsets] = paths(dir, stream).map(Log::new);
        ValueLog { known: Arc::clone(known), search: StreamSearch::default(), lines, offsets }
    }

    /// Says that values are looked for, before anything is stored: a reader shows nothing then
    /// that was not searched.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        if self.offsets.bytes() == 0 { self.offsets.append(&0u64.to_le_bytes()) } else { Ok(()) }
    }

    /// Searches the next stored bytes, the last ones where `end` is closed.
    pub(super) fn search(&mut self, bytes: &[u8], end: End) -> Result<(), Error> {
        let before = self.search.decided();
        let found = self.search.push(bytes, end, |window| self.known.search(window));
        let mut text = String::new();
        for span in found.spans.iter().filter(|span| span.end > before) {
            writeln!(text, "{} {} {}", span.start, span.end, span.kind)
                .expect("writing to a string cannot fail");
        }
        if !text.is_empty() {
            self.lines.append(text.as_bytes())?;
        }
        let searched = self.search.decided();
        if searched > before { self.offsets.append(&searched.to_le_bytes()) } else { Ok(()) }
    }
}

impl RecordedValues {
    /// What is recorded of a stream; `None` where no value was known.
    pub(super) fn open(dir: &Path, stream: Stream) -> Result<Option<RecordedValues>, Error> {
        let [path, offsets] = paths(dir, stream);
        let Some(file) = store::open(&offsets)? else { return Ok(None) };
        // The end of the offsets first: their lines are written before them.
        let length = store::length(&file, &offsets)? / OFFSET_BYTES * OFFSET_BYTES;
        let last = store::read_range(&file, &offsets, length.saturating_sub(OFFSET_BYTES)..length)?;
        let searched = last.try_into().map_or(0, u64::from_le_bytes);
        let lines = match store::open(&path)? {
            Some(file) => Some((store::length(&file, &path)?, file)),
            None => None,
        };
        let lines = lines.map(|(length, file)| (file, length));
        Ok(Some(RecordedValues { lines, path, searched }))
    }

    /// The values that hide a byte of the range, in order.
    pub(super) fn spans_in(&self, range: &Range<u64>) -> Result<Vec<Span>, Error> {
        let mut spans = Vec::new();
        let Some((file, length)) = &self.lines else { return Ok(spans) };
        let mut at = self.first_line_behind(file, *length, range.start)?;
        while at < *length {
            let block =
                store::read_range(file, &self.path, at..(at + BLOCK_BYTES as u64).min(*length))?;
            let Some(whole) = memchr::memrchr(b'\n', &block) else { break };
            for line in block[..whole].split(|&byte| byte == b'\n') {
                let span = read_line(line).ok_or_else(|| self.damaged(at))?;
                if span.start >= range.end {
                    return Ok(spans);
                }
                spans.extend(Some(span).filter(|span| span.end > range.start));
            }
            at += whole as u64 + 1;
        }
        Ok(spans)
    }

    /// Where the first line begins whose value ends behind this offset: the lines are sorted.
    fn first_line_behind(&self, file: &File, length: u64, offset: u64) -> Result<u64, Error> {
        let (mut low, mut high) = (0, length);
        while high - low > LINE_BYTES {
            let middle = low + (high - low) / 2;
            let block =
                store::read_range(file, &self.path, middle..(middle + 2 * LINE_BYTES).min(length))?;
            let mut newlines = memchr::memchr_iter(b'\n', &block);
            let (Some(first), Some(second)) = (newlines.next(), newlines.next()) else {
                high = middle;
                continue;
            };
            let span = read_line(&block[first + 1..second]).ok_or_else(|| self.damaged(middle))?;
            match span.end <= offset {
                true => low = middle + first as u64 + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    fn damaged(&self, at: u64) -> Error {
        Error::DamagedSpool { path: self.path.clone(), at }
    }
}

/// The values in what an owner stored and could not search any more, in a window that ends where
/// the stream does.
pub(super) fn search_rest(known: &KnownValues, bytes: &[u8], offset: u64) -> Vec<Span> {
    known.search(&Window { bytes, offset, from: offset, end: End::Closed }).spans
}

/// Where that window starts.
pub(super) fn rest_start(searched: u64) -> u64 {
    context_start(searched.saturating_sub(OPEN_BYTES))
}

/// The files of a stream's values, by their names.
pub(super) fn paths(dir: &Path, stream: Stream) -> [PathBuf; 2] {
    ["values", "searched"].map(|kind| dir.join(format!("{}.{kind}", stream.name())))
}

fn read_line(line: &[u8]) -> Option<Span> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let (start, end) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let kind = Kind::new(words.next()?);
    (start < end).then_some(Span { start, end, kind })
}
