//! The whole output of a job, on disk, as it arrives: two streams, their order, and where known
//! values are in them.
//!
//! Every byte is stored before anything else is done with it. The spool must never let the pipe
//! wait for a search by patterns, never keep output in memory, and never lose a stored byte, also
//! when it is dropped or its process is killed.

use super::error::Error;
use super::excerpt::{Budget, Excerpt, Lean};
use super::order::Order;
use super::read::Reading;
use super::redact::Redactor;
use super::redacted::Redacted;
use super::store::{self, Log};
use super::values::ValueLog;
use super::watch::Cursor;
use super::{Stream, Watermark};
use ricasso_redact::{End, RedactedStream};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The order of two streams that take turns with every byte is longer than they are. Up to this
/// much, or as much as the output itself, it is no reason to end a job.
const MAX_ORDER_BYTES: u64 = 1 << 20;

/// A digest covers this much of a stream. All of it would cost a flood as much as storing it does;
/// an output that a person or an agent reads is far shorter.
pub const DIGEST_BYTES: u64 = 64 << 20;

/// The bounds of one job's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How long both streams may be together.
    pub output_bytes: u64,
}

/// What became of appended bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Appended {
    /// They are stored.
    Stored,
    /// The bound is crossed. The bytes that crossed it are stored; later ones are only counted.
    Full,
}

/// The counts of a job's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Stored bytes of standard output.
    pub stdout_bytes: u64,
    /// Stored bytes of standard error.
    pub stderr_bytes: u64,
    /// Lines of standard output, an unfinished last one included.
    pub stdout_lines: u64,
    /// Lines of standard error, likewise.
    pub stderr_lines: u64,
    /// Secrets that were taken out before they were stored.
    pub removed: u64,
    /// Bytes that came after the bound was reached and were not stored.
    pub unstored_bytes: u64,
    /// SHA-256 of what came out of standard output, of its first [`DIGEST_BYTES`] where it is
    /// longer; after the end and where anything came.
    ///
    /// [`DIGEST_BYTES`]: super::DIGEST_BYTES
    pub stdout_digest: Option<[u8; 32]>,
    /// Likewise of standard error.
    pub stderr_digest: Option<[u8; 32]>,
}

/// Takes in the output of one job.
pub struct Spool {
    dir: PathBuf,
    redactor: Redactor,
    bounds: Bounds,
    streams: [StreamWriter; 2],
    order: Order,
    end: End,
    unstored_bytes: u64,
    /// Take secrets out before they are stored, where the policy says so.
    sieves: Option<Box<[RedactedStream; 2]>>,
    /// How far each stream has been handed out by [`Spool::fresh`].
    live: [Cursor; 2],
}

/// One stream on its way to the disk.
struct StreamWriter {
    log: Log,
    values: Option<Box<ValueLog>>,
    newlines: u64,
    last: u8,
    digest: Sha256,
}

impl Spool {
    /// A spool in `dir`, which exists and is the job's own. No file is made before it is needed.
    pub fn create(dir: &Path, redactor: Redactor, bounds: Bounds) -> Result<Spool, Error> {
        if !dir.is_dir() {
            let source = std::io::ErrorKind::NotADirectory.into();
            return Err(Error::CreateSpool { path: dir.to_owned(), source });
        }
        Ok(Spool {
            dir: dir.to_owned(),
            bounds,
            streams: Stream::BOTH.map(|stream| StreamWriter::new(dir, stream, &redactor)),
            order: Order::new(dir.join(store::ORDER)),
            end: End::Open,
            unstored_bytes: 0,
            sieves: None,
            live: Default::default(),
            redactor,
        })
    }

    /// The same, but nothing secret is ever stored: counts, ranges and digests are then those of
    /// the redacted text, and what may still grow into a secret is stored when it is decided.
    pub fn redacted_on_write(mut self) -> Spool {
        let sieve = |_| RedactedStream::new(self.redactor.search().clone());
        self.sieves = Some(Box::new(Stream::BOTH.map(sieve)));
        self.streams.iter_mut().for_each(|stream| stream.values = None);
        self
    }

    /// Stores bytes as they came out of the pipe.
    pub fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<Appended, Error> {
        match &mut self.sieves {
            Some(sieves) => {
                let passed = sieves[stream.index()].push(bytes);
                self.store(stream, &passed)
            }
            None => self.store(stream, bytes),
        }
    }

    fn store(&mut self, stream: Stream, bytes: &[u8]) -> Result<Appended, Error> {
        if bytes.is_empty() {
            return Ok(self.fullness());
        }
        if self.fullness() == Appended::Full {
            self.unstored_bytes += bytes.len() as u64;
            return Ok(Appended::Full);
        }
        self.order.before(stream)?;
        let (count, stored) = self.streams[stream.index()].append(bytes);
        self.order.after(count);
        stored.map(|()| self.fullness())
    }

    /// Takes the streams as ended. Further calls change nothing.
    pub fn finish(&mut self) -> Result<Totals, Error> {
        if self.end == End::Open {
            for stream in Stream::BOTH {
                let sieve = self.sieves.as_mut().map(|sieves| &mut sieves[stream.index()]);
                let rest = sieve.map(RedactedStream::finish).unwrap_or_default();
                let _fullness = self.store(stream, &rest)?;
                self.streams[stream.index()].end()?;
            }
            self.end = End::Closed;
        }
        Ok(self.totals())
    }

    /// The counts so far; digests after the end.
    pub fn totals(&self) -> Totals {
        let [stdout, stderr] = &self.streams;
        let digest = |stream: &StreamWriter| {
            let ended = self.end == End::Closed && stream.log.bytes() > 0;
            ended.then(|| stream.digest.clone().finalize().into())
        };
        Totals {
            stdout_digest: digest(stdout),
            stderr_digest: digest(stderr),
            stdout_bytes: stdout.log.bytes(),
            stderr_bytes: stderr.log.bytes(),
            stdout_lines: stdout.lines(),
            stderr_lines: stderr.lines(),
            removed: self.removed(),
            unstored_bytes: self.unstored_bytes,
        }
    }

    /// How far it is, for those who read beside it.
    pub fn watermark(&self) -> Watermark {
        Watermark {
            bytes: self.streams.each_ref().map(|stream| stream.log.bytes()),
            newlines: self.streams.each_ref().map(|stream| stream.newlines),
            removed: self.removed(),
        }
    }

    /// What became decided since the last call, redacted; empty when there is nothing new. At
    /// most a quarter of a megabyte at once: call again until it is empty.
    pub fn fresh(&mut self, stream: Stream) -> Result<Redacted<Vec<u8>>, Error> {
        let stored = self.streams[stream.index()].log.bytes();
        if self.live[stream.index()].at >= stored {
            return Ok(Redacted::new(Vec::new()));
        }
        let reading = self.reading()?;
        let live = &mut self.live[stream.index()];
        live.fill(&reading, stream)?;
        Ok(Redacted::new(std::mem::take(&mut live.shown)))
    }

    /// Bytes that are stored and were not handed out by [`Spool::fresh`].
    pub fn unshown_bytes(&self) -> u64 {
        let unshown = |(stream, live): (&StreamWriter, &Cursor)| stream.log.bytes() - live.at;
        self.streams.iter().zip(&self.live).map(unshown).sum()
    }

    /// A view of what is stored so far.
    pub fn reading(&self) -> Result<Reading, Error> {
        Reading::at(&self.dir, &self.redactor, &self.watermark(), self.end)
    }

    /// The part of the output that goes into a reply, of what is decided so far. `id` is the
    /// job's, for the commands that the markers name.
    pub fn excerpt(&self, id: &str, budget: Budget, lean: Lean) -> Result<Excerpt, Error> {
        if self.is_empty() {
            return Ok(Excerpt::default());
        }
        self.reading()?.excerpt(id, budget, lean)
    }

    fn removed(&self) -> u64 {
        self.sieves.as_ref().map_or(0, |sieves| sieves.iter().map(RedactedStream::redactions).sum())
    }

    fn is_empty(&self) -> bool {
        self.streams.iter().all(|stream| stream.log.bytes() == 0)
    }

    fn fullness(&self) -> Appended {
        let stored = self.streams.iter().map(|stream| stream.log.bytes()).sum::<u64>();
        let bound = self.bounds.output_bytes;
        let crossed = stored > bound || self.order.bytes() > bound.max(MAX_ORDER_BYTES);
        if crossed { Appended::Full } else { Appended::Stored }
    }

    /// The redactor of this job, for its other texts.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}

impl StreamWriter {
    fn new(dir: &Path, stream: Stream, redactor: &Redactor) -> StreamWriter {
        let values = redactor.values().map(|known| Box::new(ValueLog::new(dir, stream, known)));
        let log = Log::new(dir.join(stream.name()));
        StreamWriter { log, values, newlines: 0, last: b'\n', digest: Sha256::new() }
    }

    /// Stores bytes and looks for known values in them; how many were stored, and what failed.
    fn append(&mut self, bytes: &[u8]) -> (u64, Result<(), Error>) {
        if let Some(Err(error)) = self.values.as_mut().map(|values| values.begin()) {
            return (0, Err(error));
        }
        let before = self.log.bytes();
        let stored = self.log.append(bytes);
        let count = self.log.bytes() - before;
        let bytes = &bytes[..count as usize];
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.last = bytes.last().copied().unwrap_or(self.last);
        let covered = DIGEST_BYTES.saturating_sub(before).min(count);
        self.digest.update(&bytes[..covered as usize]);
        let searched = self.values.as_mut().map(|values| values.search(bytes, End::Open));
        (count, stored.and(searched.unwrap_or(Ok(()))))
    }

    fn end(&mut self) -> Result<(), Error> {
        match &mut self.values {
            Some(values) if self.log.bytes() > 0 => values.search(&[], End::Closed),
            Some(_) | None => Ok(()),
        }
    }

    fn lines(&self) -> u64 {
        self.newlines + u64::from(self.log.bytes() > 0 && self.last != b'\n')
    }
}

#[cfg(test)]
mod tests;
