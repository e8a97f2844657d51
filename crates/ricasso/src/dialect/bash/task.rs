//! The modes of a task: background, status, kill, stdin, wait, stream.
//!
//! A task is a job of the session. It is asked at its owner's desk, so that it does not matter
//! which process started it.

use super::{Asked, Bash, MOST_BYTES, contract_text, said};
use crate::arguments::{Fault, fault};
use crate::dialect::clerk::{Clerk, failed};
use crate::dialect::open::Turn;
use crate::dialect::shape;
use crate::dialect::tool::{Apart, Called, Note};
use ricasso_engine::Error;
use ricasso_engine::engine::{Feed, Jobs, Leave, Password, Scope, Shown, Then, Typed, Until};
use ricasso_engine::request::{Request, Stdin, Tenure};
use ricasso_os::Cancel;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// How often somebody who waits looks whether the caller still wants it.
const SLICE: Duration = Duration::from_millis(100);

/// The call that starts the task alone, and the one that follows it, where these arguments start
/// a task that goes on when their call is over.
pub(in crate::dialect) fn apart(arguments: &Value) -> Option<Apart> {
    let is = |name: &str| arguments[name].as_bool().unwrap_or(false);
    if !arguments["command"].is_string() || !is("run_in_background") {
        return None;
    }
    let mut start = arguments.as_object()?.clone();
    start.remove("stream");
    let pattern = arguments["stream_pattern"].clone();
    let follow = is("stream").then(|| json!({ "stream": true, "stream_pattern": pattern }));
    Some(Apart { start: start.into(), follow })
}

/// A new task; with `stream`, its lines until its end.
pub(super) fn start(
    bash: &Bash,
    turn: &Turn<'_>,
    mut request: Request,
    asked: &Asked,
) -> Result<Called, Fault> {
    let clerk = turn.clerk;
    request.manner.tenure = Tenure::Background;
    request.stdin = Stdin::Fed;
    // Somebody waits for a stream, as for any call; a task in the background has time.
    if asked.background {
        request.timeout = asked.timeout;
    }
    let bell = Cancel::new().map_err(|error| failed(&error))?;
    let job = clerk.engine.start_findable(&request, bell).map_err(|error| failed(&error))?;
    let reply = job.look().map_err(|error| failed(&error))?;
    if shape::is_refused(&reply) || shape::unstarted(&reply).is_some() {
        return bash.shaped(&clerk.ran(reply)?);
    }
    let id = job.id().as_str().to_string();
    clerk.hold(job);
    if asked.stream {
        let own = if asked.background { Own::No } else { Own::Yes };
        return stream(bash, turn, &id, asked, own);
    }
    let told = jobs(clerk).look(&id).map_err(|error| lost(&id, &error))?;
    let mut fields = fields(bash, clerk, &told)?;
    fields.insert("task_id".into(), id.into());
    for name in ["pid", "started_at"] {
        fields.insert(name.into(), told.get(name).cloned().unwrap_or_default());
    }
    Ok(done(fields, ["task_id", "pid", "started_at"].as_slice()))
}

/// A call about a task.
pub(super) fn call(
    bash: &Bash,
    turn: &Turn<'_>,
    task: &str,
    asked: &Asked,
) -> Result<Called, Fault> {
    let clerk = turn.clerk;
    let jobs = jobs(clerk);
    if asked.kill {
        let told = jobs.stop(task).map_err(|error| lost(task, &error))?;
        return status(bash, clerk, task, &told);
    }
    if let Some(text) = &asked.stdin {
        let mut bytes = text.clone().into_bytes();
        bytes.push(b'\n');
        let feed = Feed { bytes, then: Then::Open, password: Password::Allowed };
        jobs.feed(task, &Typed { feed, key: None }).map_err(|error| lost(task, &error))?;
    }
    if asked.stream {
        return stream(bash, turn, task, asked, Own::No);
    }
    if asked.wait {
        return wait(bash, turn, task, asked);
    }
    let told = jobs.look(task).map_err(|error| lost(task, &error))?;
    status(bash, clerk, task, &told)
}

/// Blocks until the task is over, the caller's patience is, or nobody waits any more.
fn wait(bash: &Bash, turn: &Turn<'_>, task: &str, asked: &Asked) -> Result<Called, Fault> {
    let Turn { clerk, cancel, .. } = turn;
    let jobs = jobs(clerk);
    let patience = asked.timeout.unwrap_or(Duration::from_secs_f64(bash.config.timeout_default));
    let until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let told = jobs
            .wait(task, &Until::Exit, Some(left.min(SLICE)))
            .map_err(|error| lost(task, &error))?;
        let runs = told["running"].as_bool().unwrap_or(false);
        if runs && left.is_zero() {
            let mut called = status(bash, clerk, task, &told)?;
            let seconds = patience.as_secs_f64();
            let text = format!("timed out after {seconds} s; the task goes on");
            called.fields.insert("error".into(), text.into());
            called.is_error = true;
            return Ok(called);
        }
        if !runs {
            return result(bash, clerk, task, &told);
        }
        if cancel.rung().is_some() {
            return status(bash, clerk, task, &told);
        }
    }
}

/// Tells each matching line until the task is over, the caller's patience is, or nobody wants
/// them any more. A task that this very call has started ends with the wish for its lines.
fn stream(
    bash: &Bash,
    turn: &Turn<'_>,
    task: &str,
    asked: &Asked,
    own: Own,
) -> Result<Called, Fault> {
    let Turn { clerk, cancel, tell, .. } = turn;
    let jobs = jobs(clerk);
    let begun = jobs.look(task).map_err(|error| lost(task, &error))?;
    let mut last = Value::Null;
    let mut told_lines = 0u64;
    let mut see = |shown: Shown| match shown {
        Shown::Batch(batch) => {
            for line in batch["lines"].as_array().into_iter().flatten() {
                told_lines += 1;
                tell.tell(line_note(task, begun.get("label"), &line["text"]));
            }
            cancel.rung().is_none()
        }
        Shown::Over(reply) => {
            last = reply;
            false
        }
    };
    // The deadline of a task of our own is its own.
    let after = asked.timeout.filter(|_| own == Own::No).map(|time| Instant::now() + time);
    let leave = Leave { bell: Some(cancel), after };
    jobs.watch_while(task, asked.pattern.as_deref(), &leave, &mut see)
        .map_err(|error| lost(task, &error))?;
    if last.is_null() {
        last = match own {
            Own::Yes => jobs.stop(task),
            Own::No => jobs.look(task),
        }
        .map_err(|error| lost(task, &error))?;
    }
    let mut called = result(bash, clerk, task, &last)?;
    called.fields.insert("lines_streamed".into(), told_lines.into());
    Ok(called)
}

/// Whether a task was started by the call that follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    Yes,
    No,
}

fn line_note(task: &str, label: Option<&Value>, line: &Value) -> Note {
    let mut fields = Map::new();
    fields.insert("task_id".into(), task.into());
    fields.insert("line".into(), line.clone());
    fields.extend(label.map(|label| ("description".to_string(), label.clone())));
    Note { fields }
}

/// The fields of mode 3, beside those of every call.
fn status(bash: &Bash, clerk: &Clerk, task: &str, told: &Value) -> Result<Called, Fault> {
    let mut fields = fields(bash, clerk, told)?;
    let runs = told["running"].as_bool().unwrap_or(false);
    fields.insert("task_id".into(), task.into());
    fields.insert("is_running".into(), runs.into());
    fields.insert("uptime_seconds".into(), seconds(told));
    Ok(done(fields, ["uptime_seconds", "is_running"].as_slice()))
}

/// The result of a task that somebody waited for is judged as that of any call.
fn result(bash: &Bash, clerk: &Clerk, task: &str, told: &Value) -> Result<Called, Fault> {
    let mut called = status(bash, clerk, task, told)?;
    called.is_error = told["running"] != true && told["exit_code"] != 0;
    Ok(called)
}

fn done(fields: Map<String, Value>, more: &[&str]) -> Called {
    let text = contract_text(&fields, more);
    Called::of(text, fields, false)
}

/// The six fields of every call, from a reply as JSON.
fn fields(bash: &Bash, clerk: &Clerk, told: &Value) -> Result<Map<String, Value>, Fault> {
    let id = told["id"].as_str().unwrap_or_default();
    let mut fields = shape::added_of(told.clone());
    let reading = clerk.engine.output(id).map_err(|error| failed(&error))?;
    let ends = reading.ends(id, MOST_BYTES, bash.config.max_output_lines);
    said(ends.map_err(|error| failed(&error))?, &mut fields);
    fields.insert("exit_code".into(), told["exit_code"].clone());
    fields.insert("duration".into(), seconds(told));
    fields.insert("cwd".into(), told["cwd"].clone());
    fields.insert("command".into(), told["command"].clone());
    fields.extend(told.get("label").map(|label| ("description".to_string(), label.clone())));
    Ok(fields)
}

fn seconds(told: &Value) -> Value {
    // Microseconds are exact; a quotient has digits that nobody measured.
    json!((told["duration_ms"].as_f64().unwrap_or(0.0) * 1000.0).round() / 1e6)
}

/// The tasks that this session may see.
fn jobs(clerk: &Clerk) -> Jobs {
    clerk.engine.all_jobs(Scope::Session(clerk.caller.session.clone()))
}

/// A task that is not there is not worth a second look, and the text says so.
fn lost(task: &str, error: &Error) -> Fault {
    match error {
        Error::NoJob { .. } => fault(format!(
            "Background task '{task}' is no longer tracked. Do not retry this lookup: start the \
             command again if its result is needed."
        )),
        Error::Over { .. } => fault(format!("Background task '{task}' is not running any more.")),
        other => failed(other),
    }
}
