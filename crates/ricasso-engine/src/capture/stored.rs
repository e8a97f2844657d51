//! A stored stream, and the only way to its bytes for a reader: with the spans that hide secrets.
//!
//! Secrets by form, by name and by the user's patterns are looked for here, each time, in the bytes
//! that are asked for and a margin round them; known values were found while the stream was stored.
//! It must never hand out a byte that the whole stream would hide.

use super::error::Error;
use super::redact::Redactor;
use super::store;
use super::values::{self, RecordedValues};
use super::{BLOCK_BYTES, Stream};
use ricasso_redact::{End, Label, Span, Window, window_around};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// So much is searched at once, with a margin of some 20 KiB on both sides.
pub(super) const SEARCHED_BYTES: u64 = 4 * BLOCK_BYTES as u64;

/// A stream of a spool, as much of it as was stored when somebody looked.
#[derive(Debug)]
pub(super) struct StoredStream {
    file: Option<(File, PathBuf)>,
    /// So many bytes are read of it.
    pub(super) length: u64,
    /// Whether more may follow them.
    pub(super) end: End,
    patterns: ricasso_redact::Redactor,
    recorded: Option<RecordedValues>,
    /// Known values behind the recorded ones.
    rest: Vec<Span>,
}

/// A piece of a stream with its secrets. The bytes never leave the module `capture`.
#[derive(Debug, Default)]
pub(super) struct HiddenBlock {
    start: u64,
    raw: Vec<u8>,
    /// The secrets that reach into it.
    pub(super) spans: Vec<Span>,
}

impl StoredStream {
    /// Opens a stream of the spool in `dir`. A stream without output has no file.
    pub(super) fn open(
        dir: &Path,
        stream: Stream,
        redactor: &Redactor,
        end: End,
    ) -> Result<StoredStream, Error> {
        let path = dir.join(stream.name());
        // The length first: of what is stored later, values may not be recorded yet.
        let file = store::open(&path)?;
        let length = file.as_ref().map_or(Ok(0), |file| store::length(file, &path))?;
        Ok(StoredStream {
            file: file.map(|file| (file, path)),
            length,
            end,
            patterns: redactor.by_pattern(),
            recorded: RecordedValues::open(dir, stream)?,
            rest: Vec::new(),
        })
    }

    /// Looks for known values in what the owner did not search any more before it died.
    pub(super) fn search_rest(&mut self, redactor: &Redactor) -> Result<(), Error> {
        if let (Some(recorded), Some(known)) = (&self.recorded, redactor.values())
            && recorded.searched < self.length
        {
            let start = values::rest_start(recorded.searched);
            self.rest = values::search_rest(known, &self.raw(start..self.length)?, start);
        }
        Ok(())
    }

    /// The bytes of a range and the secrets in it, up to the first byte that more of the stream
    /// decides.
    pub(super) fn hidden(&self, range: Range<u64>) -> Result<HiddenBlock, Error> {
        let range = range.start..range.end.min(self.length);
        if range.is_empty() {
            return Ok(HiddenBlock { start: range.start, ..HiddenBlock::default() });
        }
        let around = window_around(range.clone(), self.length, |part| self.raw(part))?;
        let mut raw = self.raw(around.bytes.clone())?;
        let offset = around.bytes.start;
        let end = if around.bytes.end < self.length { End::Closed } else { self.end };
        let mut known = match &self.recorded {
            Some(recorded) => recorded.spans_in(&range)?,
            None => Vec::new(),
        };
        known.extend(self.rest.iter().cloned());
        let window = Window { bytes: &raw, offset, from: around.from, end };
        let found = self.patterns.search_beside(&window, &known);
        let decided = range.end.min(found.decided).min(self.searched()).max(range.start);
        raw.truncate((decided - offset) as usize);
        raw.drain(..(range.start - offset) as usize);
        let mut spans = found.spans;
        spans.retain(|span| span.end > range.start && span.start < decided);
        Ok(HiddenBlock { start: range.start, raw, spans })
    }

    /// How many bytes are decided: no secret can begin before them any more.
    pub(super) fn decided(&self) -> Result<u64, Error> {
        if self.end == End::Closed || self.length == 0 {
            return Ok(self.length);
        }
        let length = self.length;
        let around = window_around(length..length, length, |part| self.raw(part))?;
        let raw = self.raw(around.bytes.clone())?;
        let offset = around.bytes.start;
        let window = Window { bytes: &raw, offset, from: around.from, end: self.end };
        Ok(self.patterns.search(&window).decided.min(self.searched()))
    }

    /// Raw bytes, for those who look for a border; they never leave the module `capture`.
    pub(super) fn raw(&self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let Some((file, path)) = &self.file else { return Ok(Vec::new()) };
        store::read_range(file, path, range)
    }

    /// The label of the placeholders.
    pub(super) fn label(&self) -> Label {
        self.patterns.label()
    }

    /// How far known values are found. At the end of a stream nothing is left to find.
    fn searched(&self) -> u64 {
        match (&self.recorded, self.end) {
            (Some(recorded), End::Open) => recorded.searched,
            (Some(_) | None, _) => u64::MAX,
        }
    }
}

impl HiddenBlock {
    /// The offset behind its last byte.
    pub(super) fn end(&self) -> u64 {
        self.start + self.raw.len() as u64
    }

    /// Whether the byte at this offset is one of it.
    pub(super) fn holds(&self, offset: u64) -> bool {
        (self.start..self.end()).contains(&offset)
    }

    /// The raw bytes of a range in this block.
    pub(super) fn raw(&self, range: Range<u64>) -> &[u8] {
        &self.raw[(range.start - self.start) as usize..(range.end - self.start) as usize]
    }

    /// Adds a range of it with placeholders for secrets.
    pub(super) fn write_redacted(&self, range: Range<u64>, label: Label, out: &mut Vec<u8>) {
        label.replace(&self.spans, self.raw(range.clone()), range.start, out);
    }
}
