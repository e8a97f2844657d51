//! Our own standard streams: every byte goes out, whatever the reader does, and a reader that
//! does nothing holds up neither the deadline nor a person's Ctrl+C.
//!
//! A stream may be shared and not block (other programs set that), so its mode is never changed
//! and a refused write is tried again.

use ricasso_engine::capture::Stream;
use ricasso_os::{Cancel, writable};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::Duration;

/// A pipe that says it is writable takes this much without waiting (POSIX's PIPE_BUF on Linux).
const PIECE_BYTES: usize = 4096;

/// Enough for a reader that reads, and too short to make a person press Ctrl+C again.
const MOMENT: Duration = Duration::from_millis(200);

/// What became of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// All are out.
    All,
    /// The reader is busy; these many are out.
    Part(usize),
    /// Nobody reads any more.
    Closed,
    /// This signal came while the reader was busy.
    Signal(i32),
}

/// How long a busy reader is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Patience<'a> {
    /// Not at all: a job is running.
    None,
    /// A moment for each piece: somebody wants us to end.
    Brief,
    /// Until it reads on.
    Endless,
    /// Until it reads on, or a signal comes.
    UntilSignal(&'a Cancel),
}

/// Writes to one of our streams.
pub(super) fn write(stream: Stream, bytes: &[u8], patience: Patience<'_>) -> Written {
    let file = match stream {
        Stream::Stdout => io::stdout().as_fd().try_clone_to_owned(),
        Stream::Stderr => io::stderr().as_fd().try_clone_to_owned(),
    };
    // Without a free descriptor a slow reader is waited for, which is better than no output.
    let Ok(file) = file.map(File::from) else { return plainly(stream, bytes) };
    let mut out = 0;
    while out < bytes.len() {
        if let Some(stop) = wait(&file, out, patience) {
            return stop;
        }
        let end = bytes.len().min(out + PIECE_BYTES);
        match (&file).write(&bytes[out..end]) {
            Ok(0) => return Written::Closed,
            Ok(count) => out += count,
            Err(error) if is_passing(&error) => {}
            Err(_) => return Written::Closed,
        }
    }
    Written::All
}

fn plainly(stream: Stream, bytes: &[u8]) -> Written {
    let written = match stream {
        Stream::Stdout => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
        Stream::Stderr => io::stderr().write_all(bytes),
    };
    written.map_or(Written::Closed, |()| Written::All)
}

/// Waits until the reader takes bytes; why it does not, where it is not waited for any longer.
fn wait(file: &File, out: usize, patience: Patience<'_>) -> Option<Written> {
    let (also, time) = match patience {
        Patience::None => (None, Some(Duration::ZERO)),
        Patience::Brief => (None, Some(MOMENT)),
        Patience::Endless => (None, None),
        Patience::UntilSignal(cancel) => (cancel.signal_fd(), None),
    };
    loop {
        let [ready, _] = writable(file.as_fd(), also, time).unwrap_or([true, false]);
        if ready {
            return None;
        }
        match patience {
            Patience::None | Patience::Brief => return Some(Written::Part(out)),
            Patience::Endless => {}
            Patience::UntilSignal(cancel) => {
                if let Some(signal) = cancel.take_signal() {
                    return Some(Written::Signal(signal));
                }
            }
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
