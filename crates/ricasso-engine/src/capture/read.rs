//! Reads a spool back, while its job runs and afterwards: by bytes, by lines, by a pattern.
//!
//! It serves what the scan has decided and nothing beyond, with placeholders for secrets. Ranges
//! are raw offsets. It must never hold more than a few blocks, whatever the length of a line.

mod grep;

use super::error::Error;
use super::excerpt::{Budget, Excerpt, Lean, Sample, excerpt_of};
use super::order::Runs;
use super::redact::{Label, Redactor};
use super::scan::{BEHIND_BYTES, Behind, Mark, Scan, Span};
use super::spans::{Record, Records, Veil};
use super::store;
use super::watch::printable;
use super::{BLOCK_BYTES, Redacted, Stream, Watermark};
use std::fs::File;
use std::io::Write;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

/// When the owner died before its scan was through, a reader keeps the spans of the rest in
/// memory. What lies behind the last of so many (about 40 MiB) is not served.
const OWN_SPANS: usize = 1 << 20;

/// The last line is looked for in so many bytes, and a longer one is shown by its end.
const LAST_LINE_BYTES: u64 = 1024;

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
    /// The owner lives: nothing behind its watermark is served.
    Alive,
    /// The owner is gone: what it had not scanned is scanned here.
    Gone,
}

/// A spool, as far as it is decided now.
#[derive(Debug)]
pub struct Reading {
    dir: PathBuf,
    files: [Option<File>; 2],
    marks: [Mark; 2],
    redactions: u64,
    /// Spans behind the recorded ones.
    more: [Vec<Span>; 2],
    spans: Spans,
    label: Label,
}

/// A spool taken apart: its directory, and each stream with its veil.
pub(super) type Parts = (PathBuf, [Option<(File, Veil)>; 2]);

/// Whether there are spans to look for: their file holds every mark too, and grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spans {
    Recorded,
    None,
}

/// A run of bytes of one stream: the piece of the sequence that a caller asked for.
#[derive(Debug, Clone, Copy)]
struct Piece {
    stream: Stream,
    /// Where it starts in the stream.
    offset: u64,
    bytes: u64,
}

impl Reading {
    /// Opens the spool in `dir`. A job without output has no files and reads as empty.
    pub fn open(dir: &Path, redactor: &Redactor, owner: Owner) -> Result<Reading, Error> {
        let mut state = Recorded::default();
        if let Some(mut records) = Records::open(&dir.join(store::SPANS))? {
            while let Some(record) = records.next()? {
                state.take(record);
            }
        }
        let mut reading = Reading::of_marks(dir, state.marks)?.labelled(redactor.label());
        reading.redactions = state.redactions;
        for stream in Stream::BOTH {
            if owner == Owner::Gone && !state.ended[stream.index()] {
                reading.scan_rest(stream, redactor, state.last[stream.index()].take())?;
            }
        }
        Ok(reading)
    }

    /// A view up to these marks, whose spans are all recorded.
    pub(super) fn of_marks(dir: &Path, marks: [Mark; 2]) -> Result<Reading, Error> {
        let mut files = [None, None];
        for stream in Stream::BOTH {
            files[stream.index()] = store::open(&dir.join(stream.name()))?;
        }
        let more = [Vec::new(), Vec::new()];
        let spans = Spans::Recorded;
        Ok(Reading {
            dir: dir.to_owned(),
            files,
            marks,
            redactions: 0,
            more,
            spans,
            label: Label::default(),
        })
    }

    /// The same with these placeholders.
    pub fn labelled(self, label: Label) -> Reading {
        Reading { label, ..self }
    }

    /// The spool in `dir` up to a watermark that its living owner told.
    pub fn at(dir: &Path, water: &Watermark) -> Result<Reading, Error> {
        let mut reading = Reading::of_marks(dir, water.marks)?;
        reading.redactions = water.redactions;
        reading.spans = if water.redactions == 0 { Spans::None } else { Spans::Recorded };
        Ok(reading)
    }

    /// Reads on behind the watermark, as if the stream ended there. For the line that somebody
    /// waits on: nothing follows it until it is answered.
    pub fn with_rest(mut self, redactor: &Redactor) -> Result<Reading, Error> {
        for stream in Stream::BOTH {
            self.scan_rest(stream, redactor, None)?;
        }
        self.spans = Spans::Recorded;
        Ok(self)
    }

    /// The last line of a stream that is not empty, as people read it.
    pub fn last_line(&self, stream: Stream) -> Result<Redacted<String>, Error> {
        let end = self.marks[stream.index()].bytes;
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

    /// How far all of it can be read.
    pub fn watermark(&self) -> Watermark {
        let bytes = self.marks.each_ref().map(|mark| mark.bytes);
        Watermark { marks: self.marks, bytes, redactions: self.redactions }
    }

    /// The file of a stream and the veil over it, for somebody who goes through it once.
    pub(super) fn into_parts(self) -> Result<Parts, Error> {
        let veils = self.veils()?;
        let mut parts = self.files.into_iter().zip(veils);
        let mut next = || parts.next().and_then(|(file, veil)| Some((file?, veil)));
        let parts = [next(), next()];
        Ok((self.dir, parts))
    }

    /// How far a stream can be read.
    pub fn mark(&self, stream: Stream) -> Mark {
        self.marks[stream.index()]
    }

    /// The secrets found so far.
    pub fn redactions(&self) -> u64 {
        self.redactions
    }

    /// Writes a range of raw offsets, redacted. A secret shows its placeholder if it starts in
    /// the range, and nothing otherwise. What is not there, or not decided, is left out.
    pub fn bytes(&self, which: Which, range: Range<u64>, out: &mut dyn Write) -> Result<(), Error> {
        let mut veils = self.veils()?;
        self.each_block(which, range, &mut |piece, block| {
            veils[piece.stream.index()].pass(piece.offset, block, &mut |part| {
                out.write_all(part).map_err(|source| Error::HandOut { source })
            })?;
            Ok(More::Yes)
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
        Ok(excerpt_of(&stdout, &stderr, id, budget, lean))
    }

    fn sample(&self, stream: Stream, budget: Budget) -> Result<Sample, Error> {
        let mark = self.marks[stream.index()];
        let Some(file) = &self.files[stream.index()] else { return Ok(Sample::default()) };
        let path = self.dir.join(stream.name());
        let [head, tail] = Sample::windows(mark.bytes, budget);
        let head_bytes = store::read_range(file, &path, head.clone())?;
        let tail_bytes = store::read_range(file, &path, tail.clone())?;
        let mut veil = self.veil(stream)?;
        let mut spans = Vec::new();
        let mut at = 0;
        while let Some(span) = veil.span_after(at)? {
            if span.start >= mark.bytes {
                break;
            }
            at = span.end;
            if span.start < head.end || span.end > tail.start {
                spans.push(span);
            }
        }
        let (bytes, newlines, label) = (mark.bytes, mark.newlines, self.label);
        Ok(Sample { bytes, newlines, head_bytes, tail_bytes, spans, label })
    }

    fn veil(&self, stream: Stream) -> Result<Veil, Error> {
        match self.spans {
            Spans::None => Ok(Veil::nothing(stream)),
            Spans::Recorded => {
                Ok(Veil::open(&self.dir.join(store::SPANS), stream, &self.more[stream.index()])?
                    .labelled(self.label))
            }
        }
    }

    fn veils(&self) -> Result<[Veil; 2], Error> {
        Ok([self.veil(Stream::Stdout)?, self.veil(Stream::Stderr)?])
    }

    /// Walks the sequence and shows each raw block of the range to `see`, with its place.
    fn each_block(
        &self,
        which: Which,
        range: Range<u64>,
        see: &mut SeeBlock<'_>,
    ) -> Result<(), Error> {
        let mut buffer = Vec::with_capacity(BLOCK_BYTES);
        let mut at = 0;
        self.each_piece(which, &mut |piece| {
            let skip = range.start.saturating_sub(at).min(piece.bytes);
            let stop = range.end.saturating_sub(at).min(piece.bytes);
            at += piece.bytes;
            let end = piece.offset + stop;
            let mut offset = piece.offset + skip;
            let path = self.dir.join(piece.stream.name());
            let Some(file) = &self.files[piece.stream.index()] else { return Ok(More::Yes) };
            while offset < end {
                let block = store::read_block(file, &path, offset, end, &mut buffer)?;
                if block.is_empty() {
                    return Ok(More::No);
                }
                let bytes = block.len() as u64;
                if see(Piece { stream: piece.stream, offset, bytes }, block)? == More::No {
                    return Ok(More::No);
                }
                offset += bytes;
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
            let bytes = self.marks[stream.index()].bytes;
            return see(Piece { stream, offset: 0, bytes }).map(|_| ());
        }
        let mut seen = [0u64; 2];
        let mut runs = Runs::open(&self.dir.join(store::ORDER))?;
        while let Some((stream, length)) = runs.next()? {
            let offset = seen[stream.index()];
            let decided = self.marks[stream.index()].bytes.saturating_sub(offset);
            let bytes = length.min(decided);
            if see(Piece { stream, offset, bytes })? == More::No || bytes < length {
                return Ok(());
            }
            seen[stream.index()] += length;
        }
        for stream in Stream::BOTH {
            let offset = seen[stream.index()];
            let bytes = self.marks[stream.index()].bytes.saturating_sub(offset);
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
        self.each_block(which, 0..u64::MAX, &mut |piece, block| {
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
            at += piece.bytes;
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
        self.each_block(Which::One(stream), range, &mut |_, block| {
            count += memchr::memchr_iter(b'\n', block).count() as u64;
            Ok(More::Yes)
        })?;
        Ok(count)
    }

    /// Raw bytes, for those who look for a border; they never leave this room.
    pub(super) fn raw(&self, stream: Stream, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let Some(file) = &self.files[stream.index()] else { return Ok(Vec::new()) };
        store::read_range(file, &self.dir.join(stream.name()), range)
    }

    /// Scans what the owner left, in memory.
    fn scan_rest(
        &mut self,
        stream: Stream,
        redactor: &Redactor,
        last: Option<Span>,
    ) -> Result<(), Error> {
        let index = stream.index();
        let Some(file) = &self.files[index] else { return Ok(()) };
        let path = self.dir.join(stream.name());
        let size = file
            .metadata()
            .map_err(|source| Error::ReadSpool { path: path.clone(), source })?
            .len();
        let mark = self.marks[index];
        let mut scan = Scan::resume(redactor, mark, behind(file, &path, mark, last)?);
        let (mut offset, mut buffer) = (mark.bytes, Vec::new());
        while offset < size && self.more[index].len() < OWN_SPANS {
            let block = store::read_block(file, &path, offset, size, &mut buffer)?;
            if block.is_empty() {
                break;
            }
            scan.push(block, &mut self.more[index]);
            offset += block.len() as u64;
        }
        if offset >= size {
            scan.finish(&mut self.more[index]);
        }
        self.marks[index] = scan.mark();
        self.redactions += self.more[index].len() as u64;
        Ok(())
    }
}

/// Is shown each raw block with its place; it never leaves this room.
type SeeBlock<'a> = dyn FnMut(Piece, &[u8]) -> Result<More, Error> + 'a;

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    Yes,
    No,
}

/// What the records say in all.
#[derive(Default)]
struct Recorded {
    marks: [Mark; 2],
    ended: [bool; 2],
    last: [Option<Span>; 2],
    redactions: u64,
}

impl Recorded {
    fn take(&mut self, record: Record) {
        match record {
            Record::Span(stream, span) => {
                let last = &mut self.last[stream.index()];
                let continues = last.as_ref().is_some_and(|last| last.continues_with(&span));
                self.redactions += u64::from(!continues);
                *last = Some(span);
            }
            Record::Mark(stream, mark) => self.marks[stream.index()] = mark,
            Record::End(stream, mark) => {
                self.marks[stream.index()] = mark;
                self.ended[stream.index()] = true;
            }
        }
    }
}

fn behind(file: &File, path: &Path, mark: Mark, last: Option<Span>) -> Result<Behind, Error> {
    let earlier = mark.again.saturating_sub(BEHIND_BYTES)..mark.again;
    Ok(Behind {
        earlier: store::read_range(file, path, earlier)?,
        again: store::read_range(file, path, mark.again..mark.bytes)?,
        secret: last.filter(|span| span.end == mark.bytes).map(|span| span.kind),
    })
}

#[cfg(test)]
mod tests;
