//! What people see: output as it comes, and a sentence where there is something to say.

use super::explain;
use super::stream::{self, Patience, Written};
use crate::exit;
use ricasso_engine::capture::{Label, Redacted, Stream, sentence};
use ricasso_engine::engine::Watcher;
use ricasso_engine::reply::{Denial, Reply, Survivor};
use ricasso_os::{Cancel, Cancelled};
use std::error::Error;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// What a shell returns when the reader of its output went away: 128 and SIGPIPE.
pub(super) const BROKEN_PIPE: u8 = 141;
/// A silence this long makes a person wonder.
const WONDER: Duration = Duration::from_secs(5);
/// How often the elapsed time is drawn.
const TICK: Duration = Duration::from_secs(1);
/// How often a busy reader is asked whether it reads on.
const AGAIN: Duration = Duration::from_millis(5);
/// Refusals that are said behind a command's output; a person reads the first ones.
const MOST_REFUSALS: usize = 3;

/// One sentence for an error, with its causes.
pub(super) fn error(error: &dyn Error) {
    let mut line = format!("ricasso: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        line.push_str(&format!(": {source}"));
        cause = source.source();
    }
    say(sentence(&line, Label::Named).as_str());
}

/// One line on standard error. A closed stream leaves nobody to tell.
pub(super) fn say(line: &str) {
    let _ = stream::write(Stream::Stderr, format!("{line}\n").as_bytes(), Patience::Endless);
}

/// Bytes on standard output; `false` when nobody reads them any more.
pub(super) fn put(bytes: &[u8]) -> bool {
    stream::write(Stream::Stdout, bytes, Patience::Endless) == Written::All
}

/// The reply as one line of JSON; `false` when it could not be handed out.
pub(super) fn json(reply: &Reply, cancel: &Cancel) -> bool {
    let mut line = match serde_json::to_vec(reply) {
        Ok(line) => line,
        Err(broken) => {
            error(&broken);
            return false;
        }
    };
    line.push(b'\n');
    let written = stream::write(Stream::Stdout, &line, Patience::UntilSignal(cancel));
    if written != Written::All {
        say(&format!(
            "ricasso: the reply of job {} could not be written to standard output",
            reply.id
        ));
    }
    written == Written::All
}

/// What is worth saying after the command's own output.
pub(super) fn after(reply: &Reply) {
    explain::reasons(reply.verdict, &reply.reasons);
    if let Some(line) = ending(reply) {
        say(&format!("ricasso: {line}"));
    }
    let stopped = reply.survivors.iter().filter(|survivor| survivor.job.is_none());
    let named = |survivor: &Survivor| {
        format!("{} (pid {})", visible(&survivor.command.to_string()), survivor.pid)
    };
    let names: Vec<String> = stopped.map(named).collect();
    if !names.is_empty() {
        say(&format!("ricasso: stopped what the command left running: {}", names.join(", ")));
    }
    let failed = reply.exit_code != Some(0);
    let of = |denial: &Denial| Refused {
        program: denial.program.as_ref().map(ToString::to_string),
        tried: format!("{} {}", denial.operation, denial.target),
        remedy: denial.remedy.to_string(),
    };
    let told = reply.denials.iter().filter(|denial| is_worth_saying(denial.by, failed));
    refused(&reply.id.to_string(), told.map(of).collect());
    reply.hints.iter().for_each(|hint| say(&format!("ricasso: {}", visible(&hint.to_string()))));
}

/// What a cage refused, for people.
pub(super) struct Refused {
    pub(super) program: Option<String>,
    pub(super) tried: String,
    pub(super) remedy: String,
}

/// Whether a person wants to know: programs try to write here and there and live without, while of
/// networks and tracing the reply tells only what a failure may come from.
pub(super) fn is_worth_saying(by: &str, failed: bool) -> bool {
    failed || matches!(by, "net" | "processes")
}

/// Says the first few refusals behind the output of a command: one of them may be why it failed.
pub(super) fn refused(id: &str, all: Vec<Refused>) {
    let more = all.len().saturating_sub(MOST_REFUSALS);
    for Refused { program, tried, remedy } in all.into_iter().take(MOST_REFUSALS) {
        let who = program.map_or(String::new(), |program| format!("{program}, "));
        say(&visible(&format!("ricasso: the cage refused {who}{tried}: {remedy}")));
    }
    if more > 0 {
        say(&format!("ricasso: and {more} more: ricasso look {id} --json"));
    }
}

/// A text in which nothing acts on a terminal or begins a line that looks like ours.
fn visible(text: &str) -> String {
    let shown = |sign: char| match sign.is_control() {
        true => sign.escape_default().to_string(),
        false => sign.to_string(),
    };
    text.chars().map(shown).collect()
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
    /// The last line that was shown is not finished; drawing over it would take it away.
    in_line: bool,
    /// What a busy reader did not take yet. Until it does, the rest stays in the spool.
    waiting: Option<(Stream, Vec<u8>)>,
    over: bool,
    /// Nobody reads any more: the code to exit with.
    closed: Option<u8>,
}

impl<'a> Live<'a> {
    pub(super) fn new(cancel: &'a Cancel) -> Live<'a> {
        Live {
            cancel,
            terminal: io::stderr().is_terminal(),
            spoke: Duration::ZERO,
            running: Duration::ZERO,
            drawn: false,
            in_line: false,
            waiting: None,
            over: false,
            closed: None,
        }
    }

    /// Takes the status line away; the code to exit with where the reader of our output went away.
    pub(super) fn finish(mut self) -> Option<u8> {
        self.wipe();
        self.closed
    }

    fn wipe(&mut self) {
        if self.drawn {
            draw("\r\x1b[K");
            self.drawn = false;
        }
    }

    fn push(&mut self) {
        let Some((to, mut bytes)) = self.waiting.take() else { return };
        match stream::write(to, &bytes, self.patience()) {
            Written::All => {}
            // The rest of a cancelled job is in its spool.
            Written::Part(_) if self.over => self.closed = self.closed.or(self.signalled()),
            Written::Part(out) => {
                bytes.drain(..out);
                self.waiting = Some((to, bytes));
            }
            // As with SIGPIPE: nobody reads, so nothing needs to be written.
            Written::Closed => self.close(BROKEN_PIPE),
            Written::Signal(signal) => self.close(exit::of(128 + signal)),
        }
    }

    /// The code of the signal that ended the job, where one did.
    fn signalled(&self) -> Option<u8> {
        match self.cancel.rung() {
            Some(Cancelled::Signal(signal)) => Some(exit::of(128 + signal)),
            Some(Cancelled::Asked) | None => Some(BROKEN_PIPE),
        }
    }

    fn patience(&self) -> Patience<'a> {
        match (self.over, self.cancel.rung()) {
            (false, _) => Patience::None,
            (true, Some(_)) => Patience::Brief,
            (true, None) => Patience::UntilSignal(self.cancel),
        }
    }

    fn close(&mut self, code: u8) {
        if self.closed.is_none() {
            self.closed = Some(code);
            self.cancel.ring();
        }
    }
}

/// The status line is for people; one that does not fit now is drawn a second later.
fn draw(text: &str) {
    let _ = stream::write(Stream::Stderr, text.as_bytes(), Patience::None);
}

impl Watcher for Live<'_> {
    fn output(&mut self, stream: Stream, bytes: Redacted<Vec<u8>>) {
        self.wipe();
        self.spoke = self.running;
        if self.closed.is_none() {
            let bytes = bytes.into_inner();
            self.in_line = bytes.last().is_some_and(|last| *last != b'\n');
            self.waiting = Some((stream, bytes));
            self.push();
        }
    }

    fn wants_output(&self) -> bool {
        self.waiting.is_none() && self.closed.is_none()
    }

    fn pause(&mut self, running_for: Duration) {
        self.running = running_for;
        self.push();
        let silent_for = running_for.saturating_sub(self.spoke);
        if self.terminal && !self.in_line && silent_for >= WONDER {
            draw(&format!("\r\x1b[K[running for {} s]", running_for.as_secs()));
            self.drawn = true;
        }
    }

    fn over(&mut self) {
        self.over = true;
        self.push();
    }

    fn tick(&self) -> Option<Duration> {
        if self.waiting.is_some() {
            return Some(AGAIN);
        }
        self.terminal.then_some(TICK)
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn nothing_in_a_name_acts_on_a_terminal() {
        assert_eq!(visible("a\nricasso: b\u{1b}]52;c\u{7}ü"), "a\\nricasso: b\\u{1b}]52;c\\u{7}ü");
    }
}
