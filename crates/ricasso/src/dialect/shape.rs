//! What the adapters share in shaping a reply: what ricasso adds, and why a call was refused.

use ricasso_engine::reply::{Reason, Reply};
use serde_json::{Map, Value};
use std::time::Duration;

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

/// A signal's short name, and the words that the C library and Go have for it.
pub(super) fn signal_names(number: i32) -> Option<(&'static str, &'static str)> {
    let names = match number {
        1 => ("HUP", "hangup"),
        2 => ("INT", "interrupt"),
        3 => ("QUIT", "quit"),
        4 => ("ILL", "illegal instruction"),
        5 => ("TRAP", "trace/breakpoint trap"),
        6 => ("ABRT", "aborted"),
        7 => ("BUS", "bus error"),
        8 => ("FPE", "floating point exception"),
        9 => ("KILL", "killed"),
        10 => ("USR1", "user defined signal 1"),
        11 => ("SEGV", "segmentation fault"),
        12 => ("USR2", "user defined signal 2"),
        13 => ("PIPE", "broken pipe"),
        14 => ("ALRM", "alarm clock"),
        15 => ("TERM", "terminated"),
        _ => return None,
    };
    Some(names)
}

/// Whether nothing ran because the policy said no, or would have to ask.
pub(super) fn is_refused(reply: &Reply) -> bool {
    kind(reply) == "refused"
}

/// The reason that decided.
pub(super) fn first_reason(reply: &Reply) -> Option<&Reason> {
    reply.reasons.first()
}

/// The words that a reason met, where it says.
pub(super) fn met<'c>(command: &'c str, reason: &Reason) -> &'c str {
    let span = reason.span.and_then(|[from, to]| command.get(from..to));
    span.unwrap_or(command)
}

/// A duration as Go writes it: `1m0s`, `500ms`.
pub(super) fn go_duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    if nanoseconds == 0 {
        return "0s".into();
    }
    if nanoseconds < 1_000_000_000 {
        let (unit, size) = match nanoseconds {
            1..1_000 => ("ns", 1),
            1_000..1_000_000 => ("µs", 1_000),
            _ => ("ms", 1_000_000),
        };
        return format!("{}{unit}", decimal(nanoseconds, size));
    }
    let seconds = time.as_secs();
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let rest = decimal(
        u128::from(seconds % 60) * 1_000_000_000 + nanoseconds % 1_000_000_000,
        1_000_000_000,
    );
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, minutes) => format!("{minutes}m{rest}s"),
        (hours, minutes) => format!("{hours}h{minutes}m{rest}s"),
    }
}

fn decimal(value: u128, unit: u128) -> String {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    format!("{whole}.{}", format!("{rest:0width$}").trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_go_does() {
        let cases = [
            (60_000, "1m0s"),
            (120_000, "2m0s"),
            (500, "500ms"),
            (1_500, "1.5s"),
            (3_661_250, "1h1m1.25s"),
            (0, "0s"),
        ];
        for (milliseconds, wanted) in cases {
            assert_eq!(go_duration(Duration::from_millis(milliseconds)), wanted);
        }
    }
}
