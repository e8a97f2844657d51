//! Reads a spool back, while its job runs and afterwards: by bytes, by lines, by a pattern.
//!
//! It serves what is decided and nothing beyond, with placeholders for secrets. Ranges are raw
//! offsets. It must never hold more than a few blocks, whatever the length of a line.

mod grep;

use super::error::Error;
use super::excerpt::{Budget, Excerpt, Lean, Sample, excerpt_of};
use super::order::Runs;
use super::redact::Redactor;
use super::store;
use super::stored::{HiddenBlock, SEARCHED_BYTES, StoredStream};
use super::watch::printable;
use super::{BLOCK_BYTES, Redacted, Stream, Watermark};
use ricasso_redact::{End, Label, Span};
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

/// The last line is looked for in so many bytes, and a longer one is shown by its end.
const LAST_LINE_BYTES: u64 = 1024;

/// The secrets of an output of this length are all counted, also those that an excerpt leaves out;
/// of a longer one those that it shows.
const COUNTED_BYTES: u64 = 256 * 1024;

/// What is read of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// One stream; offsets and lines count in it.
    One(Stream),
    /// Both as observed; offsets and lines count in their common sequence.
    Both,
}

/// Whether someone still writes the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The owner lives: what may still grow into a secret is not served.
    Alive,
    /// The owner is gone: the spool has ended where it ends.
    Gone,
}

/// A spool, as far as it is stored now.
#[derive(Debug)]
pub struct Reading {
    dir: PathBuf,
    streams: [StoredStream; 2],
    /// The newlines of each stream, where they were counted while it was stored.
    newlines: Option<[u64; 2]>,
}

/// A run of bytes of one stream: the piece of the sequence that a caller asked for.
#[derive(Debug, Clone, Copy)]
struct Piece {
    stream: Stream,
    /// Where it starts in the stream.
    offset: u64,
    bytes: u64,
}

/// The block of each stream that was searched last: pieces of both streams take turns.
#[derive(Default)]
struct Searched {
    blocks: [HiddenBlock; 2],
}

impl Reading {
    /// Opens the spool in `dir`. A job without output has no files and reads as empty.
    pub fn open(dir: &Path, redactor: &Redactor, owner: Owner) -> Result<Reading, Error> {
        let end = match owner {
            Owner::Alive => End::Open,
            Owner::Gone => End::Closed,
        };
        let mut reading = Reading::with_end(dir, redactor, end)?;
        if owner == Owner::Gone {
            reading.streams.iter_mut().try_for_each(|stream| stream.search_rest(redactor))?;
        }
        Ok(reading)
    }

    /// The spool in `dir` up to a watermark that its living owner told; the end of it, where
    /// nothing follows.
    pub fn at(
        dir: &Path,
        redactor: &Redactor,
        water: &Watermark,
        end: End,
    ) -> Result<Reading, Error> {
        let mut reading = Reading::with_end(dir, redactor, end)?;
        for (stream, bytes) in reading.streams.iter_mut().zip(water.bytes) {
            stream.length = stream.length.min(bytes);
        }
        reading.newlines = Some(water.newlines);
        Ok(reading)
    }

    fn with_end(dir: &Path, redactor: &Redactor, end: End) -> Result<Reading, Error> {
        let older = dir.join(store::OLDER_SPANS);
        if older.exists() {
            return Err(Error::OlderSpool { path: older });
        }
        let open = |stream| StoredStream::open(dir, stream, redactor, end);
        let streams = [open(Stream::Stdout)?, open(Stream::Stderr)?];
        Ok(Reading { dir: dir.to_owned(), streams, newlines: None })
    }

    /// The last line of a stream that is not empty, as people read it.
    pub fn last_line(&self, stream: Stream) -> Result<Redacted<String>, Error> {
        let end = self.decided(stream)?;
        let from = end.saturating_sub(LAST_LINE_BYTES);
        let mut bytes = Vec::new();
        self.bytes(Which::One(stream), from..end, &mut bytes)?;
        let text = bytes.trim_ascii_end();
        let cut = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let start = text.iter().rposition(cut).map_or(0, |at| at + 1);
        // Blanks behind a prompt are part of it.
        let line = &bytes[start..];
        let stop = line.iter().position(cut).unwrap_or(line.len());
        Ok(Redacted::new(printable(&line[..stop])))
    }

    /// How much is stored.
    pub fn stored_bytes(&self) -> [u64; 2] {
        self.streams.each_ref().map(|stream| stream.length)
    }

    /// Whether nothing follows.
    pub(super) fn is_ended(&self) -> bool {
        self.streams.iter().all(|stream| stream.end == End::Closed)
    }

    /// How much of a stream can be read.
    pub(super) fn decided(&self, stream: Stream) -> Result<u64, Error> {
        self.streams[stream.index()].decided()
    }

    /// The newlines of a whole stream.
    pub(super) fn all_newlines(&self, stream: Stream) -> Result<u64, Error> {
        match self.newlines {
            Some(counted) => Ok(counted[stream.index()]),
            None => self.newlines(stream, 0..u64::MAX),
        }
    }

    /// A block of a stream with its secrets, for somebody who goes through it once.
    pub(super) fn hidden(&self, stream: Stream, range: Range<u64>) -> Result<HiddenBlock, Error> {
        self.streams[stream.index()].hidden(range)
    }

    pub(super) fn label(&self) -> Label {
        self.streams[0].label()
    }

    /// Writes a range of raw offsets, redacted. A secret shows its placeholder if it starts in
    /// the range, and nothing otherwise. What is not there, or not decided, is left out.
    pub fn bytes(&self, which: Which, range: Range<u64>, out: &mut dyn Write) -> Result<(), Error> {
        let label = self.label();
        let mut text = Vec::new();
        self.each_hidden(which, range, &mut |block, part| {
            block.write_redacted(part, label, &mut text);
            out.write_all(&text).map_err(|source| Error::HandOut { source })?;
            text.clear();
            Ok(())
        })
    }

    /// Writes lines, counted from 1, both ends included, redacted.
    pub fn lines(
        &self,
        which: Which,
        lines: RangeInclusive<u64>,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let range = self.find_lines(which, lines)?;
        self.bytes(which, range, out)
    }

    /// Writes each line whose redacted text matches, as `NUMBER:line`; returns how many did. In a
    /// line beyond 256 KiB a match longer than 4 KiB can be missed.
    pub fn grep(&self, which: Which, regex: &str, out: &mut dyn Write) -> Result<u64, Error> {
        grep::grep(self, which, regex, out)
    }

    /// The part of the output that goes into a reply.
    pub fn excerpt(&self, id: &str, budget: Budget, lean: Lean) -> Result<Excerpt, Error> {
        let stdout = self.sample(Stream::Stdout, budget)?;
        let stderr = self.sample(Stream::Stderr, budget)?;
        let mut excerpt = excerpt_of(&stdout, &stderr, id, budget, lean);
        if self.stored_bytes().iter().sum::<u64>() <= COUNTED_BYTES {
            excerpt.redactions = self.count_secrets(&stdout)? + self.count_secrets(&stderr)?;
        }
        Ok(excerpt)
    }

    fn sample(&self, stream: Stream, budget: Budget) -> Result<Sample, Error> {
        let bytes = self.decided(stream)?;
        let newlines = self.all_newlines(stream)?;
        let mut sample =
            Sample { stream, bytes, newlines, label: self.label(), ..Sample::default() };
        let [head, tail] = Sample::windows(bytes, budget);
        for (window, kept) in [(head, &mut sample.head_bytes), (tail, &mut sample.tail_bytes)] {
            let block = self.hidden(stream, window.clone())?;
            *kept = block.raw(window.start..block.end()).to_vec();
            let known = sample.spans.last().map_or(0, |span: &Span| span.end);
            sample.spans.extend(block.spans.into_iter().filter(|span| span.end > known));
        }
        Ok(sample)
    }

    /// All secrets of a stream of which a sample was taken.
    fn count_secrets(&self, sample: &Sample) -> Result<u64, Error> {
        if sample.tail_bytes.is_empty() {
            return Ok(sample.spans.len() as u64);
        }
        Ok(self.hidden(sample.stream, 0..sample.bytes)?.spans.len() as u64)
    }

    /// Walks the sequence and shows each part of the range with the block that it lies in.
    fn each_hidden(
        &self,
        which: Which,
        range: Range<u64>,
        see: &mut SeeHidden<'_>,
    ) -> Result<(), Error> {
        let mut searched = Searched::default();
        let most = (range.end - range.start.min(range.end)).min(SEARCHED_BYTES);
        self.each_part(which, range, &mut |piece| {
            let (mut offset, end) = (piece.offset, piece.offset + piece.bytes);
            while offset < end {
                let block = searched.block(self, piece.stream, offset, most)?;
                let stop = end.min(block.end());
                if stop <= offset {
                    return Ok(More::No);
                }
                see(block, offset..stop)?;
                offset = stop;
            }
            Ok(More::Yes)
        })
    }

    /// Walks the sequence and shows each raw block of the range to `see`, with its place.
    fn each_raw_block(
        &self,
        which: Which,
        range: Range<u64>,
        see: &mut SeeBlock<'_>,
    ) -> Result<(), Error> {
        self.each_part(which, range, &mut |piece| {
            let (mut offset, end) = (piece.offset, piece.offset + piece.bytes);
            while offset < end {
                let stop = end.min(offset + BLOCK_BYTES as u64);
                let block = self.raw(piece.stream, offset..stop)?;
                if see(&block)? == More::No {
                    return Ok(More::No);
                }
                offset = stop;
            }
            Ok(More::Yes)
        })
    }

    /// Walks the runs of the sequence, cut to the range.
    fn each_part(
        &self,
        which: Which,
        range: Range<u64>,
        see: &mut dyn FnMut(Piece) -> Result<More, Error>,
    ) -> Result<(), Error> {
        let mut at = 0;
        self.each_piece(which, &mut |piece| {
            let skip = range.start.saturating_sub(at).min(piece.bytes);
            let stop = range.end.saturating_sub(at).min(piece.bytes);
            at += piece.bytes;
            let (offset, bytes) = (piece.offset + skip, stop.saturating_sub(skip));
            if bytes > 0 && see(Piece { offset, bytes, ..piece })? == More::No {
                return Ok(More::No);
            }
            Ok(if at >= range.end { More::No } else { More::Yes })
        })
    }

    /// Walks the runs of the sequence, up to the first byte that is not decided.
    fn each_piece(
        &self,
        which: Which,
        see: &mut dyn FnMut(Piece) -> Result<More, Error>,
    ) -> Result<(), Error> {
        if let Which::One(stream) = which {
            let bytes = self.decided(stream)?;
            return see(Piece { stream, offset: 0, bytes }).map(|_| ());
        }
        let decided = [self.decided(Stream::Stdout)?, self.decided(Stream::Stderr)?];
        let mut seen = [0u64; 2];
        let mut runs = Runs::open(&self.dir.join(store::ORDER))?;
        while let Some((stream, length)) = runs.next()? {
            let offset = seen[stream.index()];
            let bytes = length.min(decided[stream.index()].saturating_sub(offset));
            if see(Piece { stream, offset, bytes })? == More::No || bytes < length {
                return Ok(());
            }
            seen[stream.index()] += length;
        }
        for stream in Stream::BOTH {
            let offset = seen[stream.index()];
            let bytes = decided[stream.index()].saturating_sub(offset);
            if see(Piece { stream, offset, bytes })? == More::No {
                break;
            }
        }
        Ok(())
    }

    /// The raw range of the lines, in the sequence.
    fn find_lines(&self, which: Which, lines: RangeInclusive<u64>) -> Result<Range<u64>, Error> {
        let (first, last) = (*lines.start().max(&1), *lines.end());
        if last < first {
            return Ok(0..0);
        }
        let mut start = if first == 1 { Some(0) } else { None };
        let (mut end, mut at, mut newlines) = (None, 0, 0);
        self.each_raw_block(which, 0..u64::MAX, &mut |block| {
            for place in memchr::memchr_iter(b'\n', block) {
                newlines += 1;
                let next = at + place as u64 + 1;
                if newlines + 1 == first {
                    start = Some(next);
                }
                if newlines == last {
                    end = Some(next);
                    return Ok(More::No);
                }
            }
            at += block.len() as u64;
            Ok(More::Yes)
        })?;
        let start = start.unwrap_or(at);
        Ok(start..end.unwrap_or(at))
    }

    /// Where each stream stands when this line of their common sequence begins.
    pub(super) fn starts_of_line(&self, line: u64) -> Result<[u64; 2], Error> {
        let start = self.find_lines(Which::Both, line..=u64::MAX)?.start;
        let mut starts = [0, 0];
        let mut at = 0;
        self.each_piece(Which::Both, &mut |piece| {
            let before = start.saturating_sub(at).min(piece.bytes);
            starts[piece.stream.index()] = piece.offset + before;
            at += piece.bytes;
            Ok(if at >= start { More::No } else { More::Yes })
        })?;
        Ok(starts)
    }

    /// The newlines in a range of raw offsets.
    pub(super) fn newlines(&self, stream: Stream, range: Range<u64>) -> Result<u64, Error> {
        let mut count = 0;
        self.each_raw_block(Which::One(stream), range, &mut |block| {
            count += memchr::memchr_iter(b'\n', block).count() as u64;
            Ok(More::Yes)
        })?;
        Ok(count)
    }

    /// Raw bytes, for those who look for a border; they never leave the module `capture`.
    pub(super) fn raw(&self, stream: Stream, range: Range<u64>) -> Result<Vec<u8>, Error> {
        self.streams[stream.index()].raw(range)
    }
}

impl Searched {
    /// The block of a stream that an offset lies in; at most so many bytes are searched for it.
    fn block(
        &mut self,
        reading: &Reading,
        stream: Stream,
        offset: u64,
        most: u64,
    ) -> Result<&HiddenBlock, Error> {
        let kept = &mut self.blocks[stream.index()];
        if !kept.holds(offset) {
            *kept = reading.hidden(stream, offset..offset + most)?;
        }
        Ok(kept)
    }
}

/// Is shown each part of a block in which the secrets are known.
type SeeHidden<'a> = dyn FnMut(&HiddenBlock, Range<u64>) -> Result<(), Error> + 'a;

/// Is shown each raw block; it never leaves this module.
type SeeBlock<'a> = dyn FnMut(&[u8]) -> Result<More, Error> + 'a;

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    Yes,
    No,
}

#[cfg(test)]
mod tests;
