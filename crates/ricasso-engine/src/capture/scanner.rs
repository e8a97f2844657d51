//! Scans both streams of a job and writes down what it finds: inline while the output is small,
//! in a thread of its own that reads the spool when it is not, so that the pipe never waits.
//!
//! A mark must never be published before its spans are in the file.

use super::Stream;
use super::error::Error;
use super::redact::Redactor;
use super::scan::{Mark, Scan, Span};
use super::spans::Record;
use super::store::{self, Log};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// In a flood of output the thread looks for work this often, in place of being woken for each
/// block: a wake costs the pipe some ten microseconds on a machine with few processors. It is
/// also what the live view can lag behind, far below what a person sees.
const NAP: Duration = Duration::from_millis(1);

/// Nearly always a few bytes are held: the end of a block may be the start of a literal. Up to this
/// many are read again with the next block.
const HELD_BYTES: usize = 4096;

/// A digest covers this much of a stream. All of it would cost a flood as much as the whole scan
/// does; an output that a person or an agent reads is far shorter.
pub const DIGEST_BYTES: u64 = 64 << 20;

/// How far the scan is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    pub(super) marks: [Mark; 2],
    pub(super) redactions: u64,
    /// SHA-256 of the beginning of each stream, once both have ended.
    pub(super) digests: Option<[[u8; 32]; 2]>,
}

/// The scan of both streams and its file.
pub(super) struct Scanner {
    scans: [Scan; 2],
    digests: [Sha256; 2],
    log: Log,
    progress: Progress,
    last: [Option<Span>; 2],
    spans: Vec<Span>,
    lines: String,
}

impl Scanner {
    /// A scan that has seen nothing.
    pub(super) fn new(redactor: &Redactor, log: Log) -> Scanner {
        Scanner {
            scans: [Scan::new(redactor), Scan::new(redactor)],
            digests: [Sha256::new(), Sha256::new()],
            log,
            progress: Progress::default(),
            last: [None, None],
            spans: Vec::new(),
            lines: String::new(),
        }
    }

    /// How far the scan is; everything it counts is written down.
    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    /// Scans the next bytes of a stream.
    pub(super) fn push(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Error> {
        self.push_again(stream, bytes, 0)
    }

    /// The same, where the first bytes are those that the scan holds.
    fn push_again(&mut self, stream: Stream, both: &[u8], held: usize) -> Result<(), Error> {
        let bytes = &both[held..];
        let room = DIGEST_BYTES.saturating_sub(self.scans[stream.index()].taken());
        let covered = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        self.digests[stream.index()].update(&bytes[..covered]);
        let before = self.progress.marks[stream.index()];
        let mark = self.scans[stream.index()].push_again(both, held, &mut self.spans);
        let redactions = self.list_spans(stream);
        if mark != before || redactions > 0 {
            Record::Mark(stream, mark).write(&mut self.lines);
        }
        self.write_lines()?;
        self.progress.marks[stream.index()] = mark;
        self.progress.redactions += redactions;
        Ok(())
    }

    /// Takes both streams as ended.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let mut after = self.progress;
        for stream in Stream::BOTH {
            let mark = self.scans[stream.index()].finish(&mut self.spans);
            after.redactions += self.list_spans(stream);
            Record::End(stream, mark).write(&mut self.lines);
            after.marks[stream.index()] = mark;
        }
        after.digests = Some(self.digests.each_ref().map(|one| one.clone().finalize().into()));
        self.write_lines()?;
        self.progress = after;
        Ok(())
    }

    /// Moves the new spans into the lines to be written; returns how many secrets start there.
    fn list_spans(&mut self, stream: Stream) -> u64 {
        let mut count = 0;
        for span in self.spans.drain(..) {
            let last = &mut self.last[stream.index()];
            count += u64::from(!last.as_ref().is_some_and(|last| last.continues_with(&span)));
            *last = Some(span.clone());
            Record::Span(stream, span).write(&mut self.lines);
        }
        count
    }

    fn write_lines(&mut self) -> Result<(), Error> {
        let done = self.log.append(self.lines.as_bytes());
        self.lines.clear();
        done
    }
}

/// What the owner of a spool and its scan thread tell each other.
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    files: [Option<Arc<File>>; 2],
    stored: [u64; 2],
    progress: Progress,
    phase: Phase,
    /// The thread sleeps; whoever gives it work must wake it.
    asleep: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Finishing,
    Abandoned,
}

/// The scan in its own thread.
pub(super) struct ScanThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Result<(), Error>>>,
}

impl ScanThread {
    /// Takes over a scan that has seen everything stored so far.
    pub(super) fn start(scanner: Scanner, paths: [PathBuf; 2]) -> Result<ScanThread, Error> {
        let progress = scanner.progress();
        let state = State {
            files: [None, None],
            stored: [0; 2],
            progress,
            phase: Phase::Running,
            asleep: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("ricasso-scan".to_owned())
            .spawn(move || scan_stored(&theirs, scanner, &paths))
            .map_err(|source| Error::StartScan { source })?;
        Ok(ScanThread { shared, thread: Some(thread) })
    }

    /// The stream is stored up to here.
    pub(super) fn stored(&self, stream: Stream, bytes: u64, file: Option<&Arc<File>>) {
        let mut state = self.shared.lock();
        let own = &mut state.files[stream.index()];
        if own.is_none() {
            *own = file.map(Arc::clone);
        }
        state.stored[stream.index()] = bytes;
        if std::mem::take(&mut state.asleep) {
            self.shared.wake.notify_one();
        }
    }

    /// How far the scan is.
    pub(super) fn progress(&self) -> Progress {
        self.shared.lock().progress
    }

    /// Waits until everything stored is scanned.
    pub(super) fn finish(mut self) -> (Progress, Result<(), Error>) {
        let done = self.end(Phase::Finishing);
        (self.progress(), done)
    }

    fn end(&mut self, phase: Phase) -> Result<(), Error> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        self.shared.lock().phase = phase;
        self.shared.wake.notify_one();
        thread.join().unwrap_or(Err(Error::LostScan))
    }
}

impl Drop for ScanThread {
    fn drop(&mut self) {
        // What is not scanned yet stays stored; a reader that finds the owner gone scans it.
        let _abandoned = self.end(Phase::Abandoned);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change is one assignment; a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Task {
    Scan(Stream, Arc<File>, u64),
    Finish,
    Stop,
}

/// How the thread waits for work.
enum Rest {
    /// It looks again soon, by itself.
    Nap,
    /// It has to be woken.
    Sleep,
}

fn scan_stored(shared: &Shared, mut scanner: Scanner, paths: &[PathBuf; 2]) -> Result<(), Error> {
    // The scanner has seen exactly what was stored when the thread was started.
    let mut seen = scanner.scans.each_ref().map(Scan::taken);
    let mut buffer = Vec::new();
    loop {
        match next_task(shared, &seen) {
            Task::Scan(stream, file, end) => {
                let index = stream.index();
                let path = &paths[index];
                // Read again, a whole block need not be copied to stand behind them.
                let held = Some(scanner.scans[index].holds()).filter(|held| *held <= HELD_BYTES);
                let held = held.unwrap_or(0);
                let from = seen[index] - held as u64;
                let both = store::read_block(&file, path, from, end, &mut buffer)?;
                scanner.push_again(stream, both, held.min(both.len()))?;
                seen[index] = from + both.len() as u64;
            }
            Task::Finish => {
                let done = scanner.finish();
                shared.lock().progress = scanner.progress();
                return done;
            }
            Task::Stop => return Ok(()),
        }
        shared.lock().progress = scanner.progress();
    }
}

fn next_task(shared: &Shared, seen: &[u64; 2]) -> Task {
    let mut state = shared.lock();
    let mut rest = Rest::Nap;
    loop {
        if state.phase == Phase::Abandoned {
            return Task::Stop;
        }
        for stream in Stream::BOTH {
            let end = state.stored[stream.index()];
            if let Some(file) = &state.files[stream.index()]
                && end > seen[stream.index()]
            {
                return Task::Scan(stream, Arc::clone(file), end);
            }
        }
        if state.phase == Phase::Finishing {
            return Task::Finish;
        }
        state = match rest {
            Rest::Nap => {
                let woken = shared.wake.wait_timeout(state, NAP);
                woken.unwrap_or_else(PoisonError::into_inner).0
            }
            Rest::Sleep => {
                state.asleep = true;
                shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner)
            }
        };
        state.asleep = false;
        rest = Rest::Sleep;
    }
}
