//! The file of spans: what the scan found and how far it is, one line a record, added at the end.
//!
//! ```text
//! s o 120 160 github-token     bytes 120 to 160 of stdout are a secret
//! w e 4096 17                  stderr is decided up to byte 4096; 17 newlines lie before it
//! w e 4096 17 4080             the same; a scan taken up again must start at byte 4080
//! z o 8000 230                 the same, and the stream has ended
//! ```
//!
//! A watermark is written after the spans before it, so a reader that trusts the last one it sees
//! knows every span that matters. A line without its newline was being written and counts nothing.
//! The file must never hold a secret: it names kinds and places alone.

use super::error::Error;
use super::redact::{Label, placeholder};
use super::scan::{Kind, Mark, Span};
use super::store;
use super::{BLOCK_BYTES, Stream};
use std::collections::VecDeque;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Record {
    /// A secret.
    Span(Stream, Span),
    /// How far the stream is decided.
    Mark(Stream, Mark),
    /// The stream has ended here.
    End(Stream, Mark),
}

impl Record {
    /// Adds the record's line.
    pub(super) fn write(&self, text: &mut String) {
        let done = match self {
            Record::Span(stream, span) => {
                writeln!(text, "s {} {} {} {}", tag(*stream), span.start, span.end, span.kind)
            }
            Record::Mark(stream, mark) => write_mark(text, 'w', *stream, *mark),
            Record::End(stream, mark) => write_mark(text, 'z', *stream, *mark),
        };
        done.expect("writing to a string cannot fail");
    }

    fn read(line: &[u8]) -> Option<Record> {
        let mut words = std::str::from_utf8(line).ok()?.split(' ');
        let sort = words.next()?;
        let stream = match words.next()? {
            "o" => Stream::Stdout,
            "e" => Stream::Stderr,
            _ => return None,
        };
        let first: u64 = words.next()?.parse().ok()?;
        let second: u64 = words.next()?.parse().ok()?;
        if sort == "s" {
            let kind = Kind::new(words.next()?);
            let span = Span { start: first, end: second, kind };
            return Some(Record::Span(stream, span)).filter(|_| first < second);
        }
        let again = words.next().map_or(Some(first), |word| word.parse().ok())?;
        let mark = Mark { bytes: first, newlines: second, again };
        match sort {
            "w" if again <= first => Some(Record::Mark(stream, mark)),
            "z" if again <= first => Some(Record::End(stream, mark)),
            _ => None,
        }
    }
}

/// Reads records one after the other; at the end of the file it can be asked again later.
#[derive(Debug)]
pub(super) struct Records {
    file: File,
    path: PathBuf,
    offset: u64,
    buffer: Vec<u8>,
    next: usize,
}

impl Records {
    /// The records from the first on; `None` where there is no file.
    pub(super) fn open(path: &Path) -> Result<Option<Records>, Error> {
        let file = store::open(path)?;
        let path = path.to_owned();
        Ok(file.map(|file| Records { file, path, offset: 0, buffer: Vec::new(), next: 0 }))
    }

    /// The next whole record.
    pub(super) fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let rest = &self.buffer[self.next..];
            if let Some(length) = memchr::memchr(b'\n', rest) {
                let record = Record::read(&rest[..length]);
                self.next += length + 1;
                return record.map(Some).ok_or_else(|| self.damaged());
            }
            if rest.len() >= BLOCK_BYTES {
                return Err(self.damaged());
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self) -> Result<usize, Error> {
        self.buffer.drain(..self.next);
        self.next = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + BLOCK_BYTES, 0);
        let count = store::read_at(&self.file, &self.path, self.offset, &mut self.buffer[kept..]);
        self.buffer.truncate(kept + *count.as_ref().unwrap_or(&0));
        self.offset += *count.as_ref().unwrap_or(&0) as u64;
        count
    }

    fn damaged(&self) -> Error {
        let at = self.offset - (self.buffer.len() - self.next) as u64;
        Error::DamagedSpool { path: self.path.clone(), at }
    }
}

/// The spans of one stream, in order, applied to its bytes as they pass.
#[derive(Debug)]
pub(super) struct Veil {
    stream: Stream,
    records: Option<Records>,
    /// Spans behind the recorded ones, found by the reader itself.
    more: VecDeque<Span>,
    next: Option<Span>,
    previous: Option<Span>,
    label: Label,
}

impl Veil {
    /// The recorded spans of `stream`, and `more` behind them.
    pub(super) fn open(path: &Path, stream: Stream, more: &[Span]) -> Result<Veil, Error> {
        let records = Records::open(path)?;
        let more = more.iter().cloned().collect();
        let label = Label::default();
        Ok(Veil { stream, records, more, next: None, previous: None, label })
    }

    /// The same with these placeholders.
    pub(super) fn labelled(self, label: Label) -> Veil {
        Veil { label, ..self }
    }

    /// For a stream without secrets.
    pub(super) fn nothing(stream: Stream) -> Veil {
        let (more, label) = (VecDeque::new(), Label::default());
        Veil { stream, records: None, more, next: None, previous: None, label }
    }

    /// Hands on the bytes at `offset` with placeholders for secrets. Calls must move forwards. A
    /// secret shows its placeholder where it starts and nothing anywhere else.
    pub(super) fn pass(
        &mut self,
        offset: u64,
        bytes: &[u8],
        out: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let end = offset + bytes.len() as u64;
        let mut at = offset;
        while at < end {
            let Some(span) = self.span_after(at)?.filter(|span| span.start < end) else {
                return out(&bytes[(at - offset) as usize..]);
            };
            if span.start > at {
                out(&bytes[(at - offset) as usize..(span.start - offset) as usize])?;
            }
            let continues = self.previous.as_ref().is_some_and(|last| last.continues_with(&span));
            if span.start >= at && !continues {
                out(placeholder(&span.kind, self.label).as_bytes())?;
            }
            at = span.end.min(end);
        }
        Ok(())
    }

    /// The first span that ends behind `at`; it stays the next one.
    pub(super) fn span_after(&mut self, at: u64) -> Result<Option<Span>, Error> {
        loop {
            if self.next.is_none() {
                self.next = self.advance()?;
            }
            match &self.next {
                Some(span) if span.end <= at => self.previous = self.next.take(),
                Some(_) | None => return Ok(self.next.clone()),
            }
        }
    }

    fn advance(&mut self) -> Result<Option<Span>, Error> {
        if let Some(records) = &mut self.records {
            while let Some(record) = records.next()? {
                match record {
                    Record::Span(stream, span) if stream == self.stream => return Ok(Some(span)),
                    Record::Span(..) | Record::Mark(..) | Record::End(..) => {}
                }
            }
        }
        Ok(self.more.pop_front())
    }
}

fn write_mark(text: &mut String, sort: char, stream: Stream, mark: Mark) -> std::fmt::Result {
    write!(text, "{sort} {} {} {}", tag(stream), mark.bytes, mark.newlines)?;
    if mark.again < mark.bytes {
        write!(text, " {}", mark.again)?;
    }
    writeln!(text)
}

fn tag(stream: Stream) -> char {
    match stream {
        Stream::Stdout => 'o',
        Stream::Stderr => 'e',
    }
}
