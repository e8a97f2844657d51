//! What the adapters share in shaping a reply: what ricasso adds, and why a call was refused.

use ricasso_engine::reply::{Reason, Reply};
use serde_json::{Map, Value};

/// Fields of the reply that stand beside the contract's own under the same name in each dialect.
const ADDED: [&str; 13] = [
    "id",
    "verdict",
    "reasons",
    "ending",
    "deadline",
    "output",
    "enforced",
    "denials",
    "survivors",
    "later",
    "hints",
    "usage",
    "record",
];

/// What ricasso adds to a contract's result.
pub(super) fn added(reply: &Reply) -> Map<String, Value> {
    added_of(serde_json::to_value(reply).unwrap_or_default())
}

/// The same from a reply as JSON.
pub(super) fn added_of(mut reply: Value) -> Map<String, Value> {
    let mut fields = Map::new();
    let kind = reply.pointer("/ending/kind").and_then(Value::as_str).unwrap_or("running");
    fields.insert("termination".into(), termination(kind).into());
    let applied = reply.pointer("/deadline/applied_ms").cloned().unwrap_or_default();
    fields.insert("timeout_applied_ms".into(), applied);
    for name in ADDED {
        if let Some(value) = reply.get_mut(name).map(Value::take) {
            fields.insert(name.to_string(), value);
        }
    }
    fields
}

/// How the job ended, in one word that callers of every dialect can compare.
fn termination(kind: &str) -> &str {
    match kind {
        "signalled" => "signaled",
        "not_started" => "spawn_failed",
        kind => kind,
    }
}

/// The kind of its ending; `running` while there is none.
pub(super) fn kind(reply: &Reply) -> &'static str {
    reply.ending.as_ref().map_or("running", |ending| ending.kind())
}

/// The signal that ended it.
pub(super) fn signal(reply: &Reply) -> Option<i32> {
    reply.exit_code.filter(|_| kind(reply) == "signalled").map(|code| code - 128)
}

/// Whether nothing ran because the policy said no, or would have to ask.
pub(super) fn is_refused(reply: &Reply) -> bool {
    kind(reply) == "refused"
}

/// The reason that decided.
pub(super) fn first_reason(reply: &Reply) -> Option<&Reason> {
    reply.reasons.first()
}

/// The words that a reason met, where it says, without secrets.
pub(super) fn met<'c>(command: &'c str, reason: &'c Reason) -> &'c str {
    let marked = reason.marked.as_ref();
    let met = marked.and_then(|marked| marked.text.as_ref().get(marked.span[0]..marked.span[1]));
    met.unwrap_or(command)
}

/// The base name of the program that a reason is about: the judge quotes it first.
pub(super) fn program<'c>(command: &'c str, reason: &'c Reason) -> &'c str {
    let quoted = reason.message.as_ref().split('"').nth(1);
    let word = quoted.unwrap_or_else(|| met(command, reason)).split_whitespace().next();
    word.and_then(|word| word.rsplit('/').next()).unwrap_or_default()
}

/// Why nothing was started, where that is how it ended.
pub(super) fn unstarted(reply: &Reply) -> Option<String> {
    let hints = || reply.hints.iter().map(|hint| hint.as_str()).collect::<Vec<_>>().join("\n");
    (kind(reply) == "not_started").then(hints).filter(|why| !why.is_empty())
}
