//! The whole output of a job, on disk, as it arrives: two streams, their order, their spans.
//!
//! Every byte is stored before anything else is done with it. The spool must never let the pipe
//! wait for the scan, never keep output in memory, and never lose a stored byte, also when it is
//! dropped or its process is killed.

use super::error::Error;
use super::excerpt::{Budget, Excerpt, Lean};
use super::order::Order;
use super::read::Reading;
use super::redact::Redactor;
use super::redacted::Redacted;
use super::scanner::{Progress, ScanThread, Scanner};
use super::sieve::Sieve;
use super::spans::Veil;
use super::store::{self, Log};
use super::{BLOCK_BYTES, Stream, Watermark};
use std::path::{Path, PathBuf};

/// Up to this much output is scanned where it is stored; then a thread takes over. Scanning 64
/// KiB takes some 50 microseconds, about what starting a thread costs, so a job of four blocks
/// never pays for one and a long one pays once.
pub const INLINE_BYTES: u64 = 256 * 1024;

/// The order of two streams that take turns with every byte is longer than they are. Up to this
/// much, or as much as the output itself, it is no reason to end a job.
const MAX_ORDER_BYTES: u64 = 1 << 20;

/// What one call of [`Spool::fresh`] reads at most, so that a lagging caller needs no memory.
const FRESH_BLOCKS: usize = 4;

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
    /// Lines of standard output, an unfinished last one included; exact after the end.
    pub stdout_lines: u64,
    /// Lines of standard error, likewise.
    pub stderr_lines: u64,
    /// Secrets found in both.
    pub redactions: u64,
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
    streams: [Log; 2],
    order: Order,
    last_bytes: [u8; 2],
    scanning: Scanning,
    live: [Option<Live>; 2],
    unstored_bytes: u64,
    /// Takes secrets out before they are stored, where the policy says so.
    sieve: Option<Box<Sieve>>,
}

enum Scanning {
    Inline(Box<Scanner>),
    Thread(ScanThread),
    Done(Progress),
}

/// How far a stream has been handed out by [`Spool::fresh`].
struct Live {
    at: u64,
    veil: Veil,
    buffer: Vec<u8>,
}

impl Spool {
    /// A spool in `dir`, which exists and is the job's own. No file is made before it is needed.
    pub fn create(dir: &Path, redactor: Redactor, bounds: Bounds) -> Result<Spool, Error> {
        if !dir.is_dir() {
            let source = std::io::ErrorKind::NotADirectory.into();
            return Err(Error::CreateSpool { path: dir.to_owned(), source });
        }
        let spans = Log::new(dir.join(store::SPANS));
        Ok(Spool {
            dir: dir.to_owned(),
            bounds,
            streams: Stream::BOTH.map(|stream| Log::new(dir.join(stream.name()))),
            order: Order::new(dir.join(store::ORDER)),
            last_bytes: [b'\n'; 2],
            scanning: Scanning::Inline(Box::new(Scanner::new(&redactor, spans))),
            live: [None, None],
            unstored_bytes: 0,
            sieve: None,
            redactor,
        })
    }

    /// The same, but nothing secret is ever stored: counts, ranges and digests are then those of
    /// the redacted text, and what may still grow into a secret is stored when it is decided.
    pub fn redacted_on_write(self) -> Spool {
        let sieve = Some(Box::new(Sieve::new(&self.redactor)));
        Spool { sieve, ..self }
    }

    /// Stores bytes as they came out of the pipe, then has them scanned.
    pub fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<Appended, Error> {
        match &mut self.sieve {
            Some(sieve) => {
                let passed = sieve.pass(stream, bytes);
                self.store(stream, &passed)
            }
            None => self.store(stream, bytes),
        }
    }

    fn store(&mut self, stream: Stream, bytes: &[u8]) -> Result<Appended, Error> {
        let Some(&last) = bytes.last() else { return Ok(self.fullness()) };
        if self.fullness() == Appended::Full {
            self.unstored_bytes += bytes.len() as u64;
            return Ok(Appended::Full);
        }
        let index = stream.index();
        let before = self.streams[index].bytes();
        self.order.before(stream)?;
        let stored = self.streams[index].append(bytes);
        let count = self.streams[index].bytes() - before;
        self.order.after(count);
        self.last_bytes[index] = match stored {
            Ok(()) => last,
            Err(_) => bytes[..count as usize].last().copied().unwrap_or(self.last_bytes[index]),
        };
        let scanned = self.scan(stream, &bytes[..count as usize]);
        stored?;
        scanned?;
        Ok(self.fullness())
    }

    /// Waits for the scan to reach the end and closes the spans. Further calls change nothing.
    pub fn finish(&mut self) -> Result<Totals, Error> {
        for stream in Stream::BOTH {
            let rest = self.sieve.as_mut().map(|sieve| sieve.end(stream)).unwrap_or_default();
            let _fullness = self.store(stream, &rest)?;
        }
        let progress = Progress::default();
        let scanning = std::mem::replace(&mut self.scanning, Scanning::Done(progress));
        let (progress, done) = match scanning {
            Scanning::Inline(_) if self.is_empty() => (progress, Ok(())),
            Scanning::Inline(mut scanner) => {
                let done = scanner.finish();
                (scanner.progress(), done)
            }
            Scanning::Thread(thread) => thread.finish(),
            Scanning::Done(progress) => (progress, Ok(())),
        };
        self.scanning = Scanning::Done(progress);
        done.map(|()| self.totals())
    }

    /// The counts so far; lines and redactions up to where the scan is.
    pub fn totals(&self) -> Totals {
        let progress = self.progress();
        let [stdout_bytes, stderr_bytes] = self.streams.each_ref().map(Log::bytes);
        let lines = |stream: Stream, bytes: u64| {
            let unfinished = bytes > 0 && self.last_bytes[stream.index()] != b'\n';
            progress.marks[stream.index()].newlines + u64::from(unfinished)
        };
        let digest = |stream: Stream, bytes: u64| {
            progress.digests.filter(|_| bytes > 0).map(|both| both[stream.index()])
        };
        Totals {
            stdout_digest: digest(Stream::Stdout, stdout_bytes),
            stderr_digest: digest(Stream::Stderr, stderr_bytes),
            stdout_bytes,
            stderr_bytes,
            stdout_lines: lines(Stream::Stdout, stdout_bytes),
            stderr_lines: lines(Stream::Stderr, stderr_bytes),
            redactions: progress.redactions + self.sieved(),
            unstored_bytes: self.unstored_bytes,
        }
    }

    /// Whether a thread of its own scans it, which goes on while nothing is stored.
    pub fn is_scanned_beside(&self) -> bool {
        matches!(self.scanning, Scanning::Thread(_))
    }

    /// How far it is, for those who read beside it.
    pub fn watermark(&self) -> Watermark {
        let Progress { marks, redactions, .. } = self.progress();
        let redactions = redactions + self.sieved();
        Watermark { marks, bytes: self.streams.each_ref().map(Log::bytes), redactions }
    }

    /// What became decided since the last call, redacted; empty when there is nothing new. At
    /// most a quarter of a megabyte at once: call again until it is empty.
    pub fn fresh(&mut self, stream: Stream) -> Result<Redacted<Vec<u8>>, Error> {
        let index = stream.index();
        let end = self.progress().marks[index].bytes;
        let mut fresh = Vec::new();
        let Some(file) = &self.streams[index].file else { return Ok(Redacted::new(fresh)) };
        let live = match &mut self.live[index] {
            Some(live) if live.at == end => return Ok(Redacted::new(fresh)),
            Some(live) => live,
            empty => {
                let veil = Veil::open(&self.dir.join(store::SPANS), stream, &[])?
                    .labelled(self.redactor.label());
                empty.insert(Live { at: 0, veil, buffer: Vec::with_capacity(BLOCK_BYTES) })
            }
        };
        let path = self.dir.join(stream.name());
        for _ in 0..FRESH_BLOCKS {
            let bytes = store::read_block(file, &path, live.at, end, &mut live.buffer)?;
            if bytes.is_empty() {
                break;
            }
            live.veil.pass(live.at, bytes, &mut |part| {
                fresh.extend_from_slice(part);
                Ok(())
            })?;
            live.at += bytes.len() as u64;
        }
        Ok(Redacted::new(fresh))
    }

    /// A view of what is decided so far.
    pub fn reading(&self) -> Result<Reading, Error> {
        let reading = Reading::of_marks(&self.dir, self.progress().marks)?;
        Ok(reading.labelled(self.redactor.label()))
    }

    /// The part of the output that goes into a reply, of what is decided so far. `id` is the
    /// job's, for the commands that the markers name.
    pub fn excerpt(&self, id: &str, budget: Budget, lean: Lean) -> Result<Excerpt, Error> {
        if self.is_empty() {
            return Ok(Excerpt::default());
        }
        self.reading()?.excerpt(id, budget, lean)
    }

    /// The secrets that were taken out before they were stored.
    fn sieved(&self) -> u64 {
        self.sieve.as_ref().map_or(0, |sieve| sieve.redactions())
    }

    fn is_empty(&self) -> bool {
        self.streams.iter().all(|stream| stream.bytes() == 0)
    }

    fn progress(&self) -> Progress {
        match &self.scanning {
            Scanning::Inline(scanner) => scanner.progress(),
            Scanning::Thread(thread) => thread.progress(),
            Scanning::Done(progress) => *progress,
        }
    }

    fn fullness(&self) -> Appended {
        let stored = self.streams.iter().map(Log::bytes).sum::<u64>();
        let bound = self.bounds.output_bytes;
        let crossed = stored > bound || self.order.bytes() > bound.max(MAX_ORDER_BYTES);
        if crossed { Appended::Full } else { Appended::Stored }
    }

    fn scan(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Error> {
        if let Scanning::Inline(scanner) = &mut self.scanning {
            scanner.push(stream, bytes)?;
            let stored: u64 = self.streams.iter().map(Log::bytes).sum();
            if stored >= INLINE_BYTES {
                self.start_thread()?;
            }
            return Ok(());
        }
        if let Scanning::Thread(thread) = &self.scanning {
            let log = &self.streams[stream.index()];
            thread.stored(stream, log.bytes(), log.file.as_ref());
        }
        Ok(())
    }

    fn start_thread(&mut self) -> Result<(), Error> {
        let now = Scanning::Done(self.progress());
        if let Scanning::Inline(scanner) = std::mem::replace(&mut self.scanning, now) {
            let paths = Stream::BOTH.map(|stream| self.dir.join(stream.name()));
            self.scanning = Scanning::Thread(ScanThread::start(*scanner, paths)?);
        }
        Ok(())
    }

    /// The redactor of this job, for its other texts.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}

#[cfg(test)]
mod tests;
