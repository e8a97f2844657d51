//! `ricasso look`: a job as it is now. And what the verbs about jobs share.

use super::print;
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::engine::{Jobs, Scope};
use serde_json::Value;
use std::time::Duration;

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Look {
    /// The job, as its reply names it
    id: String,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// Shows and returns the exit code.
pub(super) fn look(args: &Look) -> u8 {
    answer(|| {
        let reply = jobs(None)?.look(&args.id)?;
        if args.json {
            put(&reply);
        } else {
            show(&reply);
        }
        Ok(0)
    })
}

/// Does the work; an error is a sentence and the code of our own failure.
pub(super) fn answer(work: impl FnOnce() -> Result<u8, ricasso_engine::Error>) -> u8 {
    match work() {
        Ok(code) => code,
        Err(error) => {
            print::error(&error);
            exit::OURS
        }
    }
}

/// The jobs of this user; of one session where it is named.
pub(super) fn jobs(session: Option<&str>) -> Result<Jobs, ricasso_engine::Error> {
    let told = |error: config::Error| ricasso_engine::Error::Told { message: error.to_string() };
    let places = Places::of_this_process().map_err(told)?;
    let held = config::hold(&places, &Choice::default()).map_err(told)?;
    let scope = session.map_or(Scope::Person, |name| Scope::Session(name.to_string()));
    Jobs::of_this_process(held.policy, scope)
}

/// One line of JSON.
pub(super) fn put(reply: &Value) {
    print::put(format!("{reply}\n").as_bytes());
}

/// Whether the job runs.
pub(super) fn runs(reply: &Value) -> bool {
    reply.get("running").and_then(Value::as_bool).unwrap_or(false)
}

/// The code that `run` exits with.
pub(super) fn code(reply: &Value) -> u8 {
    let code = reply.get("exit_code").and_then(Value::as_i64);
    code.and_then(|code| i32::try_from(code).ok()).map_or(exit::OURS, exit::of)
}

/// A text of a reply, by its path.
pub(super) fn text<'a>(reply: &'a Value, path: &str) -> &'a str {
    reply.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// A number of a reply, by its path.
pub(super) fn number(reply: &Value, path: &str) -> u64 {
    reply.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

/// How long the job has run, or ran.
pub(super) fn age(reply: &Value) -> Duration {
    let millis = reply.get("duration_ms").and_then(Value::as_f64).unwrap_or_default();
    Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default()
}

/// The state in a few words.
pub(super) fn state(reply: &Value) -> String {
    if reply.get("answers").and_then(Value::as_bool) == Some(false) {
        return "no answer".into();
    }
    if runs(reply) {
        return match text(reply, "/waiting_for_input/kind") {
            "" => "running".into(),
            "password" => "asks password".into(),
            _ => "asks".into(),
        };
    }
    let signal = number(reply, "/ending/signal");
    match text(reply, "/ending/kind") {
        "exited" => format!("exited {}", number(reply, "/ending/code")),
        "signalled" => format!("signal {signal}"),
        "limit" => format!("limit {}", text(reply, "/ending/limit")),
        kind => kind.replace('_', " "),
    }
}

/// What is worth saying behind what a job wrote.
pub(super) fn after(reply: &Value) {
    let denials = reply.get("denials").and_then(Value::as_array);
    let failed = reply.get("exit_code") != Some(&Value::from(0));
    let of = |denial: &Value| print::Refused {
        program: denial.get("program").and_then(Value::as_str).map(str::to_string),
        tried: format!("{} {}", text(denial, "/operation"), text(denial, "/target")),
        remedy: text(denial, "/remedy").to_string(),
    };
    let told = denials.into_iter().flatten();
    let told = told.filter(|denial| print::is_worth_saying(text(denial, "/by"), failed));
    print::refused(text(reply, "/id"), told.map(of).collect());
    let hints = reply.get("hints").and_then(Value::as_array);
    for hint in hints.into_iter().flatten().filter_map(Value::as_str) {
        print::say(&format!("ricasso: {hint}"));
    }
}

fn show(reply: &Value) {
    let mut page = format!(
        "job {}: {}, {}\n{}\n",
        text(reply, "/id"),
        state(reply),
        short(age(reply)),
        text(reply, "/command")
    );
    if let Some(waiting) = reply.get("waiting_for_input").filter(|waiting| waiting.is_object()) {
        page.push_str(&format!(
            "waits for input ({}, {}): {}\n",
            text(waiting, "/kind"),
            text(waiting, "/on"),
            text(waiting, "/line")
        ));
    }
    if let Some(screen) = reply.get("screen").filter(|screen| screen.is_object()) {
        page.push_str(&format!("--- screen\n{}\n", text(screen, "/text").trim_end()));
    } else {
        for stream in ["stdout", "stderr"] {
            let said = text(reply, &format!("/{stream}"));
            if !said.is_empty() {
                page.push_str(&format!("--- {stream}\n{}\n", said.trim_end_matches('\n')));
            }
        }
    }
    print::put(page.as_bytes());
    after(reply);
}

/// A time as people read it: two digits and a unit are enough.
pub(super) fn short(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1}s", time.as_secs_f64()),
        10..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn states_and_times_are_short() {
        assert_eq!(state(&json!({"running": true})), "running");
        let asks = json!({"running": true, "waiting_for_input": {"kind": "password"}});
        assert_eq!(state(&asks), "asks password");
        let exited = json!({"running": false, "ending": {"kind": "exited", "code": 3}});
        assert_eq!(state(&exited), "exited 3");
        assert_eq!(state(&json!({"ending": {"kind": "timed_out"}})), "timed out");
        let times = [(0, "0.0s"), (9, "9.0s"), (119, "119s"), (600, "10m"), (90_000, "25h")];
        for (seconds, shown) in times {
            assert_eq!(short(Duration::from_secs(seconds)), shown);
        }
    }
}
