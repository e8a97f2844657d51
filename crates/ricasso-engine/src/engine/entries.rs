//! What the two entries of a call say. Everything that came from outside is redacted here.
//!
//! The closing entry has the command again, cut to a bound, so that one line tells a call: what,
//! where, when, how it ended and why.

use super::Visit;
use super::answer;
use super::close::{Opening, Said};
use crate::capture::{DIGEST_BYTES, Redacted, Redactor, Totals};
use crate::error::Error;
use crate::plan::Plan;
use crate::record::{self, Entry, Phase};
use crate::reply::Reply;
use crate::request::{Caller, Request, Stdin, Step, to_hex};
use crate::run::{Ending, JobId};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

/// A closing line has this much of the command; the opening one has all of it.
const CLOSING_COMMAND_BYTES: usize = 4096;
/// More names than this (programs, variables, denials) are counted and not listed.
const MOST_NAMES: usize = 64;

/// An entry of this house: its texts are redacted.
pub(super) type Line = Entry<Redacted<String>>;

/// The line before anything of the command exists.
pub(super) fn opening(opening: &Opening<'_>, said: &Said, plan: Option<&Plan>) -> Line {
    let Opening { id, request, redactor, began } = opening;
    let mut entry = Entry::new(Phase::Open, id.as_str(), record::rfc3339(*began));
    caller(&mut entry, request, redactor);
    entry.command = Some(answer::command(request, redactor));
    entry.request_digest.clone_from(&said.request_digest);
    entry.scene_digest.clone_from(&said.scene_digest);
    entry.verdict = said.verdict.to_string();
    entry.rules.clone_from(&said.rules);
    let mut more = Map::new();
    more.insert("cwd".into(), text(answer::cwd(request, redactor)));
    more.insert("request".into(), circumstances(request, redactor));
    more.insert("programs".into(), names(said.programs.iter().map(Vec::as_slice), redactor));
    if !said.grant.is_null() {
        more.insert("grant".into(), json!({ "by": said.grant }));
    }
    if let Some(plan) = plan {
        more.insert("plan".into(), planned(plan));
        entry.enforced = serde_json::to_value(plan.fit().enforced()).unwrap_or_default();
    }
    entry.extra = more;
    entry
}

/// The opening line of a request that was never judged: it has no good shape, or what it names
/// is not there.
pub(super) fn unjudged(opening: &Opening<'_>) -> Line {
    let Opening { id, request, redactor, began } = opening;
    let mut entry = Entry::new(Phase::Open, id.as_str(), record::rfc3339(*began));
    caller(&mut entry, request, redactor);
    entry.command = Some(cut(answer::command(request, redactor), redactor));
    entry.extra.insert("cwd".into(), text(answer::cwd(request, redactor)));
    entry
}

/// The closing line as far as it does not depend on the ending.
pub(super) fn begun(reply: &Reply, request: &Request, redactor: &Redactor) -> Line {
    let mut entry = Entry::new(Phase::Close, reply.id.as_str(), String::new());
    caller(&mut entry, request, redactor);
    entry.command = Some(cut(reply.command.clone(), redactor));
    entry.verdict = reply.verdict.to_string();
    entry.rules = reply.reasons.iter().map(|reason| reason.rule.clone()).collect();
    entry.enforced = serde_json::to_value(&reply.enforced).unwrap_or_default();
    entry.extra.insert("cwd".into(), text(reply.cwd.clone()));
    entry
}

/// The line of a call that is over. `why` tells why nothing or not all of it ran.
pub(super) fn closing(
    begun: Line,
    reply: &Reply,
    totals: Totals,
    why: Option<&Redacted<String>>,
) -> Result<Line, Error> {
    let mut entry = begun;
    entry.at = record::rfc3339(SystemTime::now());
    entry.ending = json_of("ending", &reply.ending)?;
    entry.usage = json_of("usage", &reply.usage)?;
    entry.redactions = Some(reply.output.redactions);
    let digest = |bytes: Option<[u8; 32]>| bytes.map(|bytes| to_hex(&bytes));
    entry.totals = json!({
        "stdout_bytes": reply.output.stdout_bytes,
        "stderr_bytes": reply.output.stderr_bytes,
        "stdout_digest": digest(totals.stdout_digest),
        "stderr_digest": digest(totals.stderr_digest),
    });
    if totals.stdout_bytes.max(totals.stderr_bytes) > DIGEST_BYTES {
        entry.totals["digest_bytes"] = DIGEST_BYTES.into();
    }
    let denials: Vec<_> = reply.denials.iter().take(MOST_NAMES).collect();
    let millis = reply.duration_ms.as_micros() as f64 / 1000.0;
    let more = [
        ("exit_code", reply.exit_code.into()),
        ("error", why.cloned().map_or(Value::Null, text)),
        ("duration_ms", millis.into()),
        ("survivors", reply.survivors.len().into()),
        ("denials", json_of("denials", &denials)?),
        ("denial_count", reply.denials.len().into()),
    ];
    entry.extra.extend(more.map(|(key, value)| (key.to_string(), value)));
    let adopted: BTreeSet<&str> =
        reply.survivors.iter().filter_map(|left| left.job.as_ref()).map(JobId::as_str).collect();
    if !adopted.is_empty() {
        entry.extra.insert("adopted".into(), json_of("jobs", &adopted)?);
    }
    Ok(entry)
}

/// The line of bytes that are fed to a running job: how many, and whether they are the last.
pub(super) fn fed(reply: &Reply, bytes: usize, is_end: bool) -> Line {
    let now = record::rfc3339(SystemTime::now());
    let mut entry = Entry::new(Phase::Note, reply.id.as_str(), now);
    let note = json!({ "kind": "fed", "bytes": bytes, "end": is_end });
    entry.extra.insert("note".into(), note);
    entry
}

/// The line of a call that starts nothing: a question about a job, or one that made no sense.
pub(super) fn visit(caller: &Caller, visit: &Visit<'_>, redactor: &Redactor) -> Line {
    let now = record::rfc3339(SystemTime::now());
    let plain = |text: &str| redactor.text(text.as_bytes());
    // The caller may have written anything where an id belongs.
    let mut entry = Entry::new(Phase::Note, plain(visit.id).as_str(), now);
    entry.door.clone_from(&caller.door);
    entry.session = Some(plain(&caller.session));
    entry.client = caller.client.as_deref().map(plain);
    entry.command = visit.command.map(|command| cut(plain(command), redactor));
    let more = [
        ("note", json!({ "kind": visit.kind })),
        ("cwd", visit.cwd.map_or(Value::Null, |cwd| text(plain(cwd)))),
        ("exit_code", visit.exit_code.into()),
        ("error", visit.error.map_or(Value::Null, |error| text(plain(error)))),
    ];
    entry.extra = more.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    entry
}

/// Why a call did not run to its own end, in a sentence or a word; nothing where it did.
pub(super) fn why(reply: &Reply, failure: Option<Redacted<String>>) -> Option<Redacted<String>> {
    match reply.ending.as_ref()? {
        Ending::Exited(_) => None,
        Ending::Refused(_) | Ending::NotStarted(_) => {
            failure.or_else(|| reply.reasons.first().map(|reason| reason.message.clone()))
        }
        Ending::Signalled(_) => Some(Redacted::constant("ended by a signal")),
        Ending::TimedOut => Some(Redacted::constant("the deadline was over")),
        Ending::Idle => Some(Redacted::constant("it was silent for too long")),
        Ending::Cancelled(_) => Some(Redacted::constant("cancelled")),
        Ending::Limit(_) => Some(Redacted::constant("a limit was reached")),
        Ending::Lost => Some(Redacted::constant("a process of ricasso was killed")),
    }
}

fn caller(entry: &mut Line, request: &Request, redactor: &Redactor) {
    let caller = &request.caller;
    entry.door.clone_from(&caller.door);
    entry.session = Some(redactor.text(caller.session.as_bytes()));
    entry.client = caller.client.as_ref().map(|name| redactor.text(name.as_bytes()));
}

/// What the request says besides its command. Values of variables and texts for standard input
/// are in the kept request alone.
fn circumstances(request: &Request, redactor: &Redactor) -> Value {
    let form = |step: &Step| match step {
        Step::Argv(_) => "argv",
        Step::Shell(_) => "shell",
        Step::Script { .. } => "script",
    };
    let path = |path: &std::path::Path| text(redactor.text(path.as_os_str().as_encoded_bytes()));
    let stdin = match &request.stdin {
        Stdin::Closed => json!("closed"),
        Stdin::Text(text) => json!({ "text_bytes": text.as_slice().len() }),
        Stdin::File(file) => json!({ "file": path(file) }),
        Stdin::Fed => json!("fed"),
    };
    json!({
        "steps": request.steps.iter().map(form).collect::<Vec<_>>(),
        "on_failure": request.on_failure,
        "workspace": request.workspace.as_deref().map(path),
        "env": names(request.env.iter().map(|(name, _)| name.as_slice()), redactor),
        "stdin": stdin,
        "timeout_ms": request.timeout.map(millis),
        "manner": request.manner,
    })
}

/// What was planned: the walls by their digest (`enforced` names them), time and resources.
fn planned(plan: &Plan) -> Value {
    let allowance = plan.allowance();
    let ceilings = &allowance.ceilings;
    json!({
        "cage_digest": plan.cage_digest(),
        "deadline_ms": allowance.deadline.applied.map(millis),
        "idle_ms": allowance.idle.map(millis),
        "output_bytes": allowance.output_bytes,
        "memory_bytes": ceilings.memory_bytes,
        "processes": ceilings.processes,
        "cpu_seconds": ceilings.cpu_seconds,
        "file_bytes": ceilings.file_bytes,
        "open_files": ceilings.open_files,
        "tmp_bytes": allowance.tmp_bytes,
    })
}

fn names<'a>(names: impl Iterator<Item = &'a [u8]>, redactor: &Redactor) -> Value {
    names.take(MOST_NAMES).map(|name| text(redactor.text(name))).collect()
}

/// The beginning of a text. It is redacted already, so no cut can open a secret.
fn cut(command: Redacted<String>, redactor: &Redactor) -> Redacted<String> {
    let whole = command.as_str();
    if whole.len() <= CLOSING_COMMAND_BYTES {
        return command;
    }
    let end = whole.floor_char_boundary(CLOSING_COMMAND_BYTES);
    let mut begin = redactor.text(&whole.as_bytes()[..end]);
    begin.push(&Redacted::constant(" […]"));
    begin
}

fn text(text: Redacted<String>) -> Value {
    text.into_inner().into()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn json_of(what: &'static str, value: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|source| Error::Json { what, source })
}
