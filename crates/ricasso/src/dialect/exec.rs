//! `exec`: one command, the guards of its contract, one text of at most 10,000 characters.

use super::arguments::{Arguments, Fault, fault};
use super::clerk::{Ran, Wish};
use super::open::{Contract, Turn, quoted_list, readable};
use super::shape::{self, added, go_duration};
use super::tool::{Called, End, Tool};
use ricasso_engine::capture::{Most, Stream, Taken};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::Step;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map, json};
use std::path::PathBuf;
use std::time::Duration;

const TOOL: &str = "exec";
const PARAMETERS: [&str; 2] = ["command", "working_dir"];
/// The contract's bound.
const MOST_CHARACTERS: u64 = 10_000;

/// The contract's keys and defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(super) struct Exec {
    restrict_to_workspace: bool,
    allow_patterns: Vec<String>,
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

/// `"120s"`, or 0 for none.
fn timeout<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Text(String),
    }
    match Written::deserialize(from)? {
        Written::Number(0) => Ok(None),
        Written::Number(_) => {
            Err(D::Error::custom("timeout is a text with a unit, such as \"120s\""))
        }
        Written::Text(text) if ["0", "0s", "0ms", "0m"].contains(&text.as_str()) => Ok(None),
        Written::Text(text) => crate::duration::time(&text)
            .map(Some)
            .ok_or_else(|| D::Error::custom("timeout is a text with a unit, such as \"120s\"")),
    }
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
            text += "[[patterns]]\nregex = '\\.\\./'\nwhy = \"path traversal\"\n";
        }
        if !self.allow_patterns.is_empty() {
            text += &format!("[commands]\nonly = {}\n", quoted_list(&self.allow_patterns));
        }
        text
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: TOOL,
            description: "Execute a shell command and return its output. Use with caution.".into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "The shell command to execute" },
                    "working_dir": { "type": "string",
                                     "description": "Optional working directory for the command" },
                },
                "required": ["command"],
                "additionalProperties": false,
            }),
            read_only: false,
            about: Map::new(),
        }]
    }

    fn call(&self, turn: &Turn<'_>, mut arguments: Arguments) -> Result<Called, Fault> {
        let Some(command) = arguments.text("command")? else {
            return Err(fault("command is required"));
        };
        let own = || self.working_dir.clone();
        let cwd = arguments.text("working_dir")?.map(PathBuf::from).or_else(own);
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
        let done = |text: String, is_error: bool, more: Vec<String>| Called {
            text,
            more,
            fields,
            is_error,
            end: End::Done,
        };
        if shape::is_refused(reply) {
            let called = done(refusal(reply).to_string(), true, Vec::new());
            return Ok(Called { end: End::Refused, ..called });
        }
        let stdout = ran.take(Stream::Stdout, Most::Characters(MOST_CHARACTERS))?;
        let stderr = ran.take(Stream::Stderr, Most::Characters(MOST_CHARACTERS))?;
        let output = joined(&stdout, &stderr);
        if shape::kind(reply) == "timed_out" {
            let time = self.timeout.unwrap_or(reply.duration_ms);
            let text = format!("Command timed out after {}", go_duration(time));
            return Ok(done(text, true, vec![output]));
        }
        let failed = reply.exit_code != Some(0);
        let text = match (failed, output.is_empty()) {
            (false, true) => "(no output)".to_string(),
            (false, false) => output,
            (true, true) => format!("Exit code: {}", go_error(reply)),
            (true, false) => format!("{output}\nExit code: {}", go_error(reply)),
        };
        Ok(done(text, failed, Vec::new()))
    }
}

/// `{stdout}`, then `STDERR:` and `{stderr}`, cut at the contract's bound.
fn joined(stdout: &Taken, stderr: &Taken) -> String {
    const HEAD: &str = "\nSTDERR:\n";
    let mut text = stdout.text.clone();
    let mut whole = stdout.characters;
    if stderr.characters > 0 {
        text += HEAD;
        text += &stderr.text;
        whole += HEAD.len() as u64 + stderr.characters;
    }
    if whole <= MOST_CHARACTERS {
        return text;
    }
    let kept: String = text.chars().take(MOST_CHARACTERS as usize).collect();
    format!("{kept}\n... (truncated, {} more chars)", whole - MOST_CHARACTERS)
}

/// The error text of the contract's own language.
fn go_error(reply: &Reply) -> String {
    match (shape::signal(reply), reply.exit_code) {
        (Some(number), _) => match shape::signal_names(number) {
            Some((_, text)) => format!("signal: {text}"),
            None => format!("signal: signal {number}"),
        },
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => shape::kind(reply).to_string(),
    }
}

/// The contract's four texts.
fn refusal(reply: &Reply) -> &'static str {
    let reason = shape::first_reason(reply);
    match reason.map(|reason| (reason.layer, reason.rule.as_str(), reason.message.as_ref())) {
        Some((_, "commands.only", _)) => "Command blocked by safety guard (not in allowlist)",
        Some(("pattern", _, message)) if message.contains("path traversal") => {
            "Command blocked by safety guard (path traversal detected)"
        }
        Some(("paths", _, _)) => "Command blocked by safety guard (path outside working dir)",
        Some(_) | None => "Command blocked by safety guard (dangerous pattern detected)",
    }
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
}
