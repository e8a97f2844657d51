//! Redacts a stream as it comes: what cannot be part of a secret any more is handed out at once,
//! the rest when it is decided. It must never hand out a byte that the whole text would hide.

use crate::pattern::End;
use crate::redactor::{Redactor, Span};
use crate::search::{Findings, Window};
use crate::window::context_start;

/// Searches a stream in pieces of any size. It keeps what is undecided and its context, no more.
#[derive(Debug, Default)]
pub struct StreamSearch {
    bytes: Vec<u8>,
    /// Where `bytes` starts in the stream.
    offset: u64,
    decided: u64,
    resume: u64,
}

/// Bytes of a stream that are now decided, with the secrets in them.
#[derive(Debug)]
pub struct Decided<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where they start in the stream.
    pub offset: u64,
    /// The secrets that reach into them, or lie in what is still kept.
    pub spans: Vec<Span>,
}

/// A stream on its way to a reader.
#[derive(Debug)]
pub struct RedactedStream {
    redactor: Redactor,
    search: StreamSearch,
    redactions: u64,
}

impl StreamSearch {
    /// Takes in the next bytes, the last ones where `end` is closed, and searches what is there.
    pub fn push(
        &mut self,
        bytes: &[u8],
        end: End,
        search: impl FnOnce(&Window<'_>) -> Findings,
    ) -> Decided<'_> {
        let kept = context_start(self.resume.min(self.decided)).max(self.offset);
        self.bytes.drain(..(kept - self.offset) as usize);
        self.offset = kept;
        self.bytes.extend_from_slice(bytes);
        let window = Window { bytes: &self.bytes, offset: self.offset, from: self.resume, end };
        let found = search(&window);
        let from = self.decided;
        self.decided = found.decided.max(from);
        self.resume = found.resume.min(self.decided);
        let range = (from - self.offset) as usize..(self.decided - self.offset) as usize;
        Decided { bytes: &self.bytes[range], offset: from, spans: found.spans }
    }

    /// Every byte before this offset is decided.
    pub fn decided(&self) -> u64 {
        self.decided
    }

    /// How many bytes are kept for what comes next.
    pub fn kept_bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl RedactedStream {
    /// A stream from which nothing came yet.
    pub fn new(redactor: Redactor) -> RedactedStream {
        RedactedStream { redactor, search: StreamSearch::default(), redactions: 0 }
    }

    /// Takes in bytes; returns what is now decided, redacted.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.pass(bytes, End::Open)
    }

    /// The rest, redacted. Nothing may follow.
    pub fn finish(&mut self) -> Vec<u8> {
        self.pass(&[], End::Closed)
    }

    /// How many secrets were replaced so far.
    pub fn redactions(&self) -> u64 {
        self.redactions
    }

    fn pass(&mut self, bytes: &[u8], end: End) -> Vec<u8> {
        let redactor = &self.redactor;
        let decided = self.search.push(bytes, end, |window| redactor.search(window));
        let mut shown = Vec::with_capacity(decided.bytes.len());
        let (label, Decided { bytes, offset, spans }) = (redactor.label(), decided);
        self.redactions += label.replace(&spans, bytes, offset, &mut shown);
        shown
    }
}
