//! What people see: output as it comes, and a sentence where there is something to say.

use ricasso_engine::capture::{Redacted, Stream};
use ricasso_engine::engine::Watcher;
use ricasso_engine::reply::{Reason, Reply};
use ricasso_os::Cancel;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// What a shell returns when the reader of its output went away: 128 and SIGPIPE.
pub(super) const BROKEN_PIPE: u8 = 141;
/// A silence this long makes a person wonder.
const WONDER: Duration = Duration::from_secs(5);
/// How often the elapsed time is drawn.
const TICK: Duration = Duration::from_secs(1);

/// One sentence for an error, with its causes.
pub(super) fn error(error: &dyn Error) {
    let mut line = format!("ricasso: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        line.push_str(&format!(": {source}"));
        cause = source.source();
    }
    say(&line);
}

/// One line on standard error. A closed stream leaves nobody to tell.
pub(super) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Bytes on standard output; `false` when nobody reads them any more.
pub(super) fn put(bytes: &[u8]) -> bool {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).is_ok()
}

/// The reply as one line of JSON.
pub(super) fn json(reply: &Reply) {
    match serde_json::to_vec(reply) {
        Ok(mut line) => {
            line.push(b'\n');
            put(&line);
        }
        Err(broken) => error(&broken),
    }
}

/// What is worth saying after the command's own output.
pub(super) fn after(reply: &Reply, hints: &[String]) {
    reply.reasons.iter().for_each(reason);
    if let Some(line) = ending(reply) {
        say(&format!("ricasso: {line}"));
    }
    if !reply.survivors.is_empty() {
        let names: Vec<String> = reply
            .survivors
            .iter()
            .map(|survivor| format!("{} (pid {})", survivor.command, survivor.pid))
            .collect();
        say(&format!("ricasso: stopped what the command left running: {}", names.join(", ")));
    }
    reply.hints.iter().for_each(|hint| say(&format!("ricasso: {hint}")));
    hints.iter().for_each(|hint| say(&format!("ricasso: {hint}")));
}

/// One reason of a verdict, with what would be allowed.
pub(super) fn reason(reason: &Reason) {
    say(&format!("ricasso: refused by {}: {}", reason.rule, reason.message));
    if !reason.remedy.as_str().is_empty() {
        say(&format!("ricasso: allowed instead: {}", reason.remedy));
    }
}

fn ending(reply: &Reply) -> Option<String> {
    let ending = reply.ending.as_ref()?;
    let kept = format!("what it said is kept: ricasso output {}", reply.id);
    match (ending.kind(), ending.limit()) {
        ("timed_out", _) => {
            let after = reply.deadline.applied_ms.unwrap_or_default();
            Some(format!("the deadline of {after} ms is over; {kept}"))
        }
        ("cancelled", _) => Some(format!("cancelled; {kept}")),
        ("limit", Some(limit)) => Some(format!("ended at the limit {limit}; {kept}")),
        ("lost", _) => Some(format!("a process of ricasso was killed, the job is lost; {kept}")),
        _ => None,
    }
}

/// Shows the output of a run while it comes.
pub(super) struct Live<'a> {
    cancel: &'a Cancel,
    terminal: bool,
    spoke: Duration,
    running: Duration,
    drawn: bool,
    closed: bool,
}

impl<'a> Live<'a> {
    pub(super) fn new(cancel: &'a Cancel) -> Live<'a> {
        Live {
            cancel,
            terminal: io::stderr().is_terminal(),
            spoke: Duration::ZERO,
            running: Duration::ZERO,
            drawn: false,
            closed: false,
        }
    }

    /// Takes the status line away; tells whether the reader of our output went away.
    pub(super) fn finish(mut self) -> bool {
        self.wipe();
        self.closed
    }

    fn wipe(&mut self) {
        if self.drawn {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
            self.drawn = false;
        }
    }
}

impl Watcher for Live<'_> {
    fn output(&mut self, stream: Stream, bytes: Redacted<Vec<u8>>) {
        self.wipe();
        self.spoke = self.running;
        let bytes = bytes.into_inner();
        let written = match stream {
            Stream::Stdout => put(&bytes),
            Stream::Stderr => io::stderr().lock().write_all(&bytes).is_ok(),
        };
        if !written && !self.closed {
            // As with SIGPIPE: nobody reads, so nothing needs to be written.
            self.closed = true;
            self.cancel.ring();
        }
    }

    fn wants_output(&self) -> bool {
        true
    }

    fn pause(&mut self, running_for: Duration) {
        self.running = running_for;
        if self.terminal && running_for.saturating_sub(self.spoke) >= WONDER {
            let seconds = running_for.as_secs();
            let _ = write!(io::stderr().lock(), "\r\x1b[K[running for {seconds} s]");
            self.drawn = true;
        }
    }

    fn tick(&self) -> Option<Duration> {
        self.terminal.then_some(TICK)
    }
}
