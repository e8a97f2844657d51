//! What goes back: the one shape that every door hands out. Text in it is redacted or our own.
//!
//! Fields are added, never renamed or used for something else.

use crate::capture::{Marked, Omitted, Redacted};
use crate::plan::Enforced;
use crate::record::Receipt;
use crate::run::{Ending, JobId};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// The answer to one request.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct Reply {
    /// The job.
    pub id: JobId,
    /// The session that asked.
    pub session: String,
    /// What was asked for.
    pub command: Redacted<String>,
    /// What the caller calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Redacted<String>>,
    /// Where.
    pub cwd: Redacted<String>,
    /// `allow`, `ask` or `deny`.
    pub verdict: &'static str,
    /// Why, where there is something to say.
    pub reasons: Vec<Reason>,
    /// How it ended; nothing while it runs.
    pub ending: Option<Ending>,
    /// The number that `ricasso run` exits with.
    pub exit_code: Option<i32>,
    /// From the order to the end of the tree.
    #[serde(serialize_with = "milliseconds")]
    pub duration_ms: Duration,
    /// What was asked for and what applied.
    pub deadline: Deadline,
    /// Whether it still runs.
    pub running: bool,
    /// What it waits for, where it waits for input.
    pub waiting_for_input: Option<Waiting>,
    /// The host's number of the command.
    pub pid: Option<i32>,
    /// RFC 3339.
    pub started_at: String,
    /// An excerpt of standard output.
    pub stdout: Redacted<String>,
    /// An excerpt of standard error.
    pub stderr: Redacted<String>,
    /// The whole of it: sizes, and what the excerpts leave out.
    pub output: Whole,
    /// What was really enforced.
    pub enforced: Enforced,
    /// What the cage denied.
    pub denials: Vec<Denial>,
    /// What the whole job used.
    pub usage: Used,
    /// What the command left running when it ended.
    pub survivors: Vec<Survivor>,
    /// Files born during the run that other programs will run or obey later.
    pub later: Vec<Later>,
    /// What a reader may want to know.
    pub hints: Vec<Redacted<String>>,
    /// The steps, where there were several.
    pub steps: Vec<StepReply>,
    /// The closing entry of the ledger, or the opening one while it runs.
    pub record: Option<Receipt>,
    /// What its terminal shows, where it has one.
    pub screen: Option<Screen>,
    /// What `wait` met, where it was asked to wait.
    pub waited: Option<Waited>,
}

/// A process of the job sleeps on the job's input. The kernel says so; the kind is judged from the
/// last line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The host's number of the process.
    pub pid: i32,
    /// Its descriptor; nothing where it runs as somebody else and hides it.
    pub descriptor: Option<i32>,
    /// `stdin` or `terminal`.
    pub on: &'static str,
    /// `password`, `confirm` or `other`.
    pub kind: &'static str,
    /// The last line that the job wrote.
    pub line: Redacted<String>,
}

/// What a terminal shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Screen {
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
    /// The lines, without blanks at their ends and without empty ones below the last.
    pub text: Redacted<String>,
    /// Where the cursor is: line and column, from 0.
    pub cursor: [u16; 2],
}

/// Why a wait is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waited {
    /// `exit`, `idle`, `match`, `input`, or `time` where its own time was over first.
    pub by: &'static str,
    /// The line that matched.
    pub line: Option<Redacted<String>>,
}

/// One reason of a verdict.
#[derive(Debug, Clone, Serialize)]
pub struct Reason {
    /// The rule's id.
    pub rule: String,
    /// Which layer said it.
    pub layer: &'static str,
    /// Bytes of the command as sent.
    pub span: Option<[usize; 2]>,
    /// What is wrong.
    pub message: Redacted<String>,
    /// What would be allowed.
    pub remedy: Redacted<String>,
    /// The step that the span counts in, from 0.
    pub step: usize,
    /// The lines that the span lies in, for people; in JSON the span says it.
    #[serde(skip)]
    pub marked: Option<Marked>,
}

/// The deadline of a job.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Deadline {
    /// As asked for.
    pub asked_ms: Option<u64>,
    /// As applied, after the policy's default and maximum; nothing where it has neither.
    pub applied_ms: Option<u64>,
}

/// The whole output, which the excerpts are taken from.
#[derive(Debug, Clone, Serialize)]
pub struct Whole {
    /// Equal to the job's id: `ricasso output ID`.
    pub id: JobId,
    /// Bytes of standard output.
    pub stdout_bytes: u64,
    /// Bytes of standard error.
    pub stderr_bytes: u64,
    /// What the excerpts leave out, exactly.
    pub omitted: Vec<Omitted>,
    /// How many secrets were taken out.
    pub redactions: u64,
}

/// An act that the cage denied.
#[derive(Debug, Clone, Serialize)]
pub struct Denial {
    /// What was tried.
    pub operation: String,
    /// On what.
    pub target: Redacted<String>,
    /// By which part of the cage.
    pub by: &'static str,
    /// What the process that tried it is called; nothing where that could not be seen.
    pub program: Option<Redacted<String>>,
    /// The smallest grant.
    pub remedy: Redacted<String>,
}

/// Resources of the whole tree.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Used {
    /// Time in user mode.
    #[serde(serialize_with = "milliseconds")]
    pub user_ms: Duration,
    /// Time in the kernel.
    #[serde(serialize_with = "milliseconds")]
    pub system_ms: Duration,
    /// The largest resident size of any one process.
    pub max_rss_bytes: u64,
}

/// A process that the command left running.
#[derive(Debug, Clone, Serialize)]
pub struct Survivor {
    /// The host's number.
    pub pid: i32,
    /// Its command line.
    pub command: Redacted<String>,
    /// The job that adopted it; nothing where it was stopped.
    pub job: Option<JobId>,
}

/// A file that something will run or obey later.
#[derive(Debug, Clone, Serialize)]
pub struct Later {
    /// Relative to the workspace.
    pub path: Redacted<String>,
    /// What will happen.
    pub why: String,
}

/// One step of several.
#[derive(Debug, Clone, Serialize)]
pub struct StepReply {
    /// Its text.
    pub command: Redacted<String>,
    /// How it ended; nothing where it was not run.
    pub ending: Option<Ending>,
    /// As for the whole.
    pub exit_code: Option<i32>,
    /// How long it ran.
    #[serde(serialize_with = "milliseconds")]
    pub duration_ms: Duration,
    /// Its part of standard output, as raw offsets.
    pub stdout_bytes: [u64; 2],
    /// Its part of standard error, as raw offsets.
    pub stderr_bytes: [u64; 2],
}

/// Milliseconds with three decimals: enough to tell fast from faster, short enough to read.
fn milliseconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_micros() as f64 / 1000.0)
}
