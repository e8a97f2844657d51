//! `exec`: one command, the guards of its contract, one text of at most 10,000 characters.

use super::clerk::{Ran, Wish};
use super::open::{Contract, Turn};
use super::shape::{self, added};
use super::tool::{Called, Tool};
use crate::arguments::{Arguments, Fault, fault};
use crate::duration::{go_duration, go_time};
use crate::keys::Regex;
use crate::layer::{quoted_list, readable};
use ricasso_engine::capture::{Most, Stream, Taken};
use ricasso_engine::reply::{Reason, Reply};
use ricasso_engine::request::Step;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

const TOOL: &str = "exec";
const PARAMETERS: [&str; 2] = ["command", "working_dir"];
/// Why a text with `../` is refused.
const TRAVERSAL: &str = "path traversal";
/// The contract's bound.
const MOST_CHARACTERS: u64 = 10_000;

/// The contract's keys and defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(super) struct Exec {
    restrict_to_workspace: bool,
    allow_patterns: Vec<Regex>,
    #[serde(deserialize_with = "timeout")]
    timeout: Option<Duration>,
    working_dir: Option<PathBuf>,
}

impl Default for Exec {
    fn default() -> Self {
        Exec {
            restrict_to_workspace: false,
            allow_patterns: Vec::new(),
            timeout: Some(Duration::from_secs(60)),
            working_dir: None,
        }
    }
}

/// `"120s"` or `"1m30s"`, and 0 for none.
fn timeout<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let time = match Value::deserialize(from)? {
        Value::Null => return Ok(Exec::default().timeout),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(Duration::ZERO),
        Value::String(text) => go_time(&text),
        _ => None,
    };
    let told = "write a text with a unit, such as \"120s\", or 0 for none";
    let time = time.ok_or_else(|| D::Error::custom(told))?;
    Ok((!time.is_zero()).then_some(time))
}

impl Contract for Exec {
    fn layer(&self) -> String {
        let limit = match self.timeout {
            Some(time) => format!("\"{}ms\"", time.as_millis()),
            None => "\"off\"".to_string(),
        };
        let mut text = String::new();
        if self.restrict_to_workspace {
            text += "mode = \"workspace\"\n";
        }
        text += &format!("[limits]\ntimeout = {limit}\nmax_timeout = {limit}\n");
        if self.restrict_to_workspace {
            let read = quoted_list(&readable(&["."]));
            text += &format!("[files]\nwrite = [\".\"]\nread = {read}\nwords = \"all\"\n");
            text += &format!("[[patterns]]\nregex = '\\.\\./'\nwhy = \"{TRAVERSAL}\"\n");
        }
        if !self.allow_patterns.is_empty() {
            text += &format!("[commands]\nonly = {}\n", quoted_list(&self.allow_patterns));
        }
        text
    }

    fn root(&self) -> Option<PathBuf> {
        self.working_dir.clone()
    }

    fn tools(&self) -> Vec<Tool> {
        let text = "Execute a shell command and return its output. Use with caution.";
        let properties = json!({
            "command": { "type": "string", "description": "The shell command to execute" },
            "working_dir": { "type": "string",
                             "description": "Optional working directory for the command" },
        });
        vec![Tool::new(TOOL, text, properties, &["command"])]
    }

    fn call(&self, turn: &Turn<'_>, mut arguments: Arguments) -> Result<Called, Fault> {
        let Some(command) = arguments.text("command")?.filter(|text| !text.is_empty()) else {
            return Err(fault("command is required"));
        };
        let cwd = arguments.text("working_dir")?.map(PathBuf::from);
        arguments.finish(&PARAMETERS)?;
        let wish = Wish { cwd, timeout: self.timeout, ..Wish::default() };
        let step = Step::Shell(command.as_str().into());
        let ran = turn.run(step, wish)?;
        self.shaped(&ran)
    }
}

impl Exec {
    fn shaped(&self, ran: &Ran) -> Result<Called, Fault> {
        let reply = &ran.reply;
        let fields = added(reply);
        if shape::is_refused(reply) {
            return Ok(Called::of(refusal(reply), fields, true));
        }
        let stdout = ran.take(Stream::Stdout, Most::Characters(MOST_CHARACTERS))?;
        let mut stderr = ran.take(Stream::Stderr, Most::Characters(MOST_CHARACTERS))?;
        if stdout.characters + stderr.characters > MOST_CHARACTERS {
            // The last error lines say why it failed.
            stderr.text = ran.last(Stream::Stderr, MOST_CHARACTERS)?;
        }
        let output = joined(&stdout, &stderr);
        if shape::kind(reply) == "timed_out" {
            let time = self.timeout.unwrap_or(reply.duration_ms);
            let text = format!("Command timed out after {}", go_duration(time));
            return Ok(Called { more: vec![output], ..Called::of(text, fields, true) });
        }
        let failed = reply.exit_code != Some(0);
        let text = match (failed, output.is_empty()) {
            (false, true) => "(no output)".to_string(),
            (false, false) => output,
            (true, true) => format!("Exit code: {}", go_error(reply)),
            (true, false) => format!("{output}\nExit code: {}", go_error(reply)),
        };
        Ok(Called::of(text, fields, failed))
    }
}

/// `{stdout}`, then `STDERR:` and `{stderr}`, cut at the contract's bound: stdout at its end,
/// stderr at its beginning, and not to less than half of what there is room for.
fn joined(stdout: &Taken, stderr: &Taken) -> String {
    const HEAD: &str = "\nSTDERR:\n";
    let (head, room) = match stderr.characters {
        0 => ("", MOST_CHARACTERS),
        _ => (HEAD, MOST_CHARACTERS - HEAD.len() as u64),
    };
    let whole = stdout.characters + stderr.characters;
    if whole <= room {
        return format!("{}{head}{}", stdout.text, stderr.text);
    }
    let errors = stderr.characters.min(room - stdout.characters.min(room / 2));
    let shown: String = stdout.text.chars().take((room - errors) as usize).collect();
    let skip = stderr.text.chars().count().saturating_sub(errors as usize);
    let last: String = stderr.text.chars().skip(skip).collect();
    let cut = format!("... (truncated, {} more chars)", whole - room);
    match stdout.characters + errors > room {
        true => format!("{shown}\n{cut}{head}{last}"),
        false => format!("{shown}{head}{cut}\n{last}"),
    }
}

/// The error text of the contract's own language.
fn go_error(reply: &Reply) -> String {
    match (shape::signal(reply), reply.exit_code) {
        (Some(number), _) => format!("signal: {}", crate::signal::words(number)),
        (None, Some(code)) => shape::unstarted(reply).unwrap_or(format!("exit status {code}")),
        (None, None) => shape::kind(reply).to_string(),
    }
}

/// The contract's four texts, in its order, whichever rule met first. It has none for a text that
/// its shell cannot read: that is a command that fails.
fn refusal(reply: &Reply) -> String {
    let unreadable = |reason: &&Reason| reason.rule == "unreadable";
    if let Some(reason) = reply.reasons.iter().find(unreadable) {
        let why = reason.message.as_ref();
        return format!("\nSTDERR:\nsh: syntax error: {why}\n\nExit code: exit status 2");
    }
    let each = reply.reasons.iter().map(|reason| match (reason.layer, reason.rule.as_str()) {
        (_, "commands.only") => (1, "not in allowlist"),
        ("pattern", _) if reason.message.as_ref().contains(TRAVERSAL) => {
            (2, "path traversal detected")
        }
        ("paths", _) => (3, "path outside working dir"),
        _ => (0, "dangerous pattern detected"),
    });
    let (_, what) = each.min().unwrap_or((0, "dangerous pattern detected"));
    format!("Command blocked by safety guard ({what})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Taken {
        let characters = text.chars().count() as u64;
        let kept: String = text.chars().take(MOST_CHARACTERS as usize).collect();
        Taken { text: kept, bytes: text.len() as u64, characters }
    }

    #[test]
    fn the_golden_texts_of_the_contract() {
        assert_eq!(joined(&taken("a\n"), &taken("b\n")), "a\n\nSTDERR:\nb\n");
        assert_eq!(joined(&taken("a"), &taken("")), "a");
        let long = "é".repeat(20_000);
        let cut = joined(&taken(&long), &taken(""));
        assert!(cut.ends_with("\n... (truncated, 10000 more chars)"), "{}", &cut[cut.len() - 60..]);
        assert_eq!(cut.chars().filter(|c| *c == 'é').count(), 10_000);
    }

    #[test]
    fn the_last_error_lines_are_never_cut_away() {
        let last = |text: &str| Taken { text: text.into(), ..taken(text) };
        let long = "o".repeat(20_000);
        let cut = joined(&taken(&long), &last("why\n"));
        assert!(cut.ends_with("\n... (truncated, 10013 more chars)\nSTDERR:\nwhy\n"), "{cut}");
        let errors = format!("{}END", "e".repeat(20_000));
        let cut = joined(&taken("out\n"), &last(&errors));
        assert!(cut.starts_with("out\n\nSTDERR:\n... (truncated, 10016 more chars)\ne"), "{cut}");
        assert!(cut.ends_with("eEND"), "{cut}");
        let both = joined(&taken(&long), &last(&errors));
        assert!(both.starts_with("ooo") && both.ends_with("eEND"), "{both}");
        let shown = both.replace("\n... (truncated, 30012 more chars)", "");
        assert_eq!(shown.chars().count(), 10_000);
    }
}
