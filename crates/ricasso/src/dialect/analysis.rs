//! `shell`: read-only inspection, one command or a list of them in sequence.

use super::clerk::{Ran, Wish};
use super::open::{Contract, Turn};
use super::shape::{self, added};
use super::tool::{Called, End, Tool};
use crate::arguments::{Arguments, Fault, TextOrTexts, fault};
use ricasso_engine::capture::{Most, Stream};
use ricasso_engine::reply::{Reason, Reply};
use ricasso_engine::request::Step;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

const TOOL: &str = "shell";
const PARAMETERS: [&str; 4] = ["command", "work_dir", "timeout", "ignore_errors"];
/// The contract's default, in seconds.
const TIMEOUT_SECONDS: u64 = 900;
/// Characters of each stream that a text holds.
const MOST_CHARACTERS: u64 = 100_000;
/// More commands than this are a script.
const MOST_COMMANDS: usize = 1_000;

/// The directories that the contract closes.
const CLOSED: [&str; 6] = ["/etc", "/root", "/proc", "/sys", "/boot", "/usr/sbin"];

/// The contract has no keys.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Analysis {}

impl Contract for Analysis {
    fn layer(&self) -> String {
        format!("[limits]\ntimeout = \"{TIMEOUT_SECONDS}s\"\n")
    }

    fn tools(&self) -> Vec<Tool> {
        let text = "Runs read-only inspection commands: a fixed list of programs, no shell \
                    operators, git read-only. A list of commands runs in sequence.";
        let properties = json!({
            "command": {
                "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" } },
                ],
                "description": "Command string or list of commands to execute sequentially",
            },
            "work_dir": { "type": "string", "description": "Working directory for execution" },
            "timeout": { "type": "integer", "default": TIMEOUT_SECONDS,
                         "description": "Timeout in seconds" },
            "ignore_errors": {
                "type": "boolean", "default": false,
                "description": "Continue on errors when running multiple commands",
            },
        });
        vec![Tool { read_only: true, ..Tool::new(TOOL, text, properties, &["command"]) }]
    }

    fn call(&self, turn: &Turn<'_>, mut arguments: Arguments) -> Result<Called, Fault> {
        let commands = match arguments.text_or_texts("command")? {
            None => return Err(fault("command is required")),
            Some(TextOrTexts::One(command)) => vec![command],
            Some(TextOrTexts::Many(commands)) => commands,
        };
        let cwd = arguments.text("work_dir")?.map(PathBuf::from);
        // The contract's own program takes 0 for "the default".
        let timeout = arguments.count("timeout")?.filter(|seconds| *seconds > 0);
        let timeout = Some(Duration::from_secs(timeout.unwrap_or(TIMEOUT_SECONDS)));
        let ignore_errors = arguments.flag("ignore_errors")?.unwrap_or(false);
        arguments.finish(&PARAMETERS)?;
        if commands.is_empty() {
            return Err(fault("Empty command"));
        }
        if commands.len() > MOST_COMMANDS {
            return Err(fault(format!("command holds more than {MOST_COMMANDS} commands")));
        }
        let wish = Wish { cwd, timeout, ..Wish::default() };
        let mut tried = Vec::new();
        for command in &commands {
            let one = attempt(turn, command, &wish)?;
            let goes_on = one.good || ignore_errors;
            tried.push(one);
            if !goes_on || turn.cancel.rung().is_some() {
                break;
            }
        }
        Ok(shaped(tried, ignore_errors))
    }
}

/// One command of the list.
struct Tried {
    text: String,
    good: bool,
    refused: bool,
    fields: Map<String, Value>,
}

fn attempt(turn: &Turn<'_>, command: &str, wish: &Wish) -> Result<Tried, Fault> {
    if command.trim().is_empty() {
        let text = told(command, "error", &json!(126), "", "Empty command");
        let fields = Called::refused("").fields;
        return Ok(Tried { text, good: false, refused: true, fields });
    }
    let step = Step::Shell(command.into());
    let ran = turn.run(step, wish.clone())?;
    let reply = &ran.reply;
    let refused = shape::is_refused(reply);
    let good = reply.exit_code == Some(0);
    let (output, mut error) = (part(&ran, Stream::Stdout)?, part(&ran, Stream::Stderr)?);
    if refused {
        error = refusal(reply.command.as_str(), reply);
    } else if shape::kind(reply) == "timed_out" {
        let seconds = reply.deadline.applied_ms.unwrap_or(0) / 1000;
        error = format!("Command timed out after {seconds} seconds\n{error}");
    }
    error += shape::unstarted(reply).as_deref().unwrap_or_default();
    let status = if good { "success" } else { "error" };
    let mut fields = added(reply);
    fields.insert("exit_code".into(), json!(reply.exit_code));
    fields.insert("command".into(), reply.command.as_ref().as_str().into());
    let text = told(reply.command.as_ref(), status, &json!(reply.exit_code), &output, &error);
    Ok(Tried { text, good, refused, fields })
}

fn part(ran: &Ran, stream: Stream) -> Result<String, Fault> {
    let taken = ran.take(stream, Most::Characters(MOST_CHARACTERS))?;
    let suffix = format!("\n... (truncated, {} total chars)", taken.characters);
    Ok(if taken.is_cut() { taken.text + &suffix } else { taken.text })
}

fn told(command: &str, status: &str, code: &Value, output: &str, error: &str) -> String {
    let mut text = format!("Command: {command}\nStatus: {status}\nExit Code: {code}\n");
    text += &format!("Output: {output}\n");
    text += &format!("Error: {error}");
    text
}

/// The summary first, then one text for each command that was tried.
fn shaped(tried: Vec<Tried>, ignore_errors: bool) -> Called {
    let good = tried.iter().filter(|one| one.good).count();
    let failed = tried.len() - good;
    let is_error = failed > 0 && !ignore_errors;
    let status = if is_error { "error" } else { "success" };
    let text = format!(
        "Execution Summary:\nTotal commands: {}\nSuccessful: {good}\nFailed: {failed}",
        tried.len()
    );
    let only_refused = !tried.is_empty() && tried.iter().all(|one| one.refused);
    let mut fields = match tried.as_slice() {
        [one] => one.fields.clone(),
        _ => Map::new(),
    };
    let results: Vec<Value> = tried.iter().map(|one| Value::Object(one.fields.clone())).collect();
    fields.insert("status".into(), status.into());
    fields.insert("attempted".into(), tried.len().into());
    fields.insert("results".into(), results.into());
    Called {
        text,
        more: tried.into_iter().map(|one| one.text).collect(),
        fields,
        is_error,
        end: if only_refused { End::Refused } else { End::Done },
    }
}

/// The words of the contract's own program, for the reason that it would meet first.
fn refusal(command: &str, reply: &Reply) -> String {
    let first = |rank: fn(&Reason) -> bool| reply.reasons.iter().find(|reason| rank(reason));
    let reason = first(|it| it.rule == "commands.operators")
        .or_else(|| first(|it| it.rule == "commands.empty"))
        .or_else(|| first(|it| it.layer == "programs"))
        .or_else(|| shape::first_reason(reply));
    let Some(reason) = reason else { return "Blocked".into() };
    let (met, message) = (shape::met(command, reason), reason.message.as_ref().as_str());
    match (reason.layer, reason.rule.as_str()) {
        (_, "commands.operators") => format!("Blocked: shell operator not allowed: '{command}'"),
        (_, "commands.empty") => "Empty command after variable assignments".into(),
        (_, "unreadable") => format!("Blocked: malformed command: '{command}'"),
        ("programs", _) => {
            let base = shape::program(command, reason);
            format!("Blocked: '{base}' is not in the allowed programs list")
        }
        (_, "git-read-only") => match subcommand(command) {
            "config" => {
                "Blocked: git config writes are not allowed (use --get or --list)".to_string()
            }
            sub => format!("Blocked: git '{sub}' is not a read-only operation"),
        },
        (_, "files.hide") => {
            // The judge names the directory before these words.
            let told = |closed: &&&str| {
                let ends = [" cannot be ", ", which is hidden"];
                ends.iter().any(|end| message.contains(&format!(" {closed}{end}")))
            };
            let closed = CLOSED.iter().find(told);
            format!("Blocked: access to {} is not allowed", closed.unwrap_or(&met))
        }
        _ => format!("Blocked: {message}"),
    }
}

/// The word that says what git is to do, for a message alone: the judge has read it properly.
fn subcommand(command: &str) -> &str {
    let mut words = command.split_whitespace();
    let is_git = |word: &str| word.trim_matches(['\'', '"', '\\']).ends_with("git");
    let mut words = words.by_ref().skip_while(|word| !is_git(word)).skip(1);
    while let Some(word) = words.next() {
        match word {
            "-c" | "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" => {
                words.next();
            }
            word if word.starts_with('-') => {}
            word => return word.trim_matches(['\'', '"']),
        }
    }
    ""
}
