//! `tools/shell`: one command with its arguments, or a script in a file of its own.

use super::clerk::{Ran, Wish};
use super::open::{Contract, Turn};
use super::shape::{self, added};
use super::tool::{Called, Tool};
use crate::arguments::{Arguments, Fault, fault};
use crate::keys::{Regex, list_or_keys};
use crate::layer::{quoted, quoted_list};
use ricasso_engine::capture::{Most, Stream};
use ricasso_engine::reply::{Reason, Reply};
use ricasso_engine::request::{Bytes, ScriptShell, Stdin, Step};
use serde::Deserialize;
use serde_json::{Value, json};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

/// The contract's name of the tool.
const VERSION: &str = "0.1.0";
const TAGS: [&str; 6] = ["shell", "bash", "terminal", "command", "tools", "agentic"];
const TOOL: &str = "tools/shell";
const PARAMETERS: [&str; 9] =
    ["action", "command", "args", "script", "shell", "cwd", "env", "timeout", "stdin"];
/// The contract's suffix; the marker starts a line of its own.
const TRUNCATED: &str = "\n... [output truncated]";

/// The contract's keys and defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub(super) struct Flowforge {
    allowed_commands: Option<Vec<String>>,
    #[serde(deserialize_with = "list_or_keys")]
    blocked_patterns: Blocked,
    max_timeout: NonZeroU64,
    allowed_cwd: Option<Vec<PathBuf>>,
    max_output_size: u64,
}

/// `blockedPatterns`: a list that stands in place of the contract's own, more of them, or both.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Blocked {
    replace: Option<Vec<Regex>>,
    extend: Vec<Regex>,
}

impl From<Vec<Regex>> for Blocked {
    fn from(list: Vec<Regex>) -> Blocked {
        Blocked { replace: Some(list), extend: Vec::new() }
    }
}

impl Default for Flowforge {
    fn default() -> Self {
        Flowforge {
            allowed_commands: None,
            blocked_patterns: Blocked::default(),
            max_timeout: NonZeroU64::new(30_000).unwrap_or(NonZeroU64::MIN),
            allowed_cwd: None,
            max_output_size: 1_000_000,
        }
    }
}

impl Contract for Flowforge {
    fn layer(&self) -> String {
        let limit = format!("\"{}ms\"", self.max_timeout);
        let mut text = format!("[limits]\ntimeout = {limit}\nmax_timeout = {limit}\n");
        // An empty list restricts nothing, as in the contract's own program.
        let some = |list: &&Vec<_>| !list.is_empty();
        if let Some(names) = self.allowed_commands.as_ref().filter(some) {
            let names: Vec<String> = names.iter().map(|name| literal(name)).collect();
            text += &format!("[programs]\nknown_by = \"name\"\nallow = {}\n", quoted_list(&names));
        }
        if let Some(places) = self.allowed_cwd.as_ref().filter(|places| !places.is_empty()) {
            let places: Vec<String> = places.iter().map(|at| at.display().to_string()).collect();
            text += &format!("[files]\ncwd = {}\n", quoted_list(&places));
        }
        let Blocked { replace, extend } = &self.blocked_patterns;
        if replace.is_some() {
            text += "[guards]\ndestructive = \"off\"\n";
        }
        for pattern in replace.iter().flatten().chain(extend) {
            let pattern = quoted(pattern.as_ref());
            text += &format!("[[patterns]]\nregex = {pattern}\nwhy = \"blockedPatterns\"\n");
        }
        text
    }

    fn preset(&self) -> Option<&'static str> {
        // Another list sets the contract's own aside, and the built-in rules behind it.
        self.blocked_patterns.replace.as_ref().map(|_| "open")
    }

    fn warnings(&self) -> Vec<String> {
        let unset = self.allowed_commands.as_ref().is_none_or(Vec::is_empty);
        let warning = "allowedCommands is not set, so any command is allowed that no pattern \
                       blocks; set it in production";
        if unset { vec![warning.to_string()] } else { Vec::new() }
    }

    fn tools(&self) -> Vec<Tool> {
        let text = |what: &str| json!({ "type": "string", "description": what });
        let what = "Runs one command with its arguments (action execute), or a multi-line script \
                    in a temporary file (action script).";
        let properties = json!({
            "action": { "type": "string", "enum": ["execute", "script"], "default": "execute" },
            "command": text("The command to execute"),
            "args": { "type": "array", "items": { "type": "string" },
                      "description": "Arguments to pass to the command" },
            "script": text("Multi-line script content"),
            "shell": { "type": "string", "enum": ["bash", "sh", "zsh"], "default": "bash" },
            "cwd": text("Working directory"),
            "env": { "type": "object", "additionalProperties": { "type": "string" },
                     "description": "Additional environment variables" },
            "timeout": { "type": "integer", "minimum": 1,
                         "description": "Timeout in milliseconds (capped by maxTimeout)" },
            "stdin": text("Data to pipe to stdin"),
        });
        let about = [("version", json!(VERSION)), ("tags", json!(TAGS))];
        let about = about.map(|(name, value)| (name.to_string(), value)).into_iter().collect();
        vec![Tool { about, ..Tool::new(TOOL, what, properties, &[]) }]
    }

    fn call(&self, turn: &Turn<'_>, mut arguments: Arguments) -> Result<Called, Fault> {
        let (step, failure) = match arguments.text("action")?.as_deref() {
            None | Some("execute") => (execute(&mut arguments)?, "Shell"),
            Some("script") => (script(&mut arguments)?, "Script"),
            Some(other) => return Err(fault(format!("Unknown action: {other}"))),
        };
        let wish = wish(&mut arguments)?;
        arguments.finish(&PARAMETERS)?;
        let ran = turn.run(step, wish)?;
        self.shaped(&ran, failure)
    }
}

fn execute(arguments: &mut Arguments) -> Result<Step, Fault> {
    let Some(command) = arguments.text("command")?.filter(|text| !text.trim().is_empty()) else {
        return Err(fault("command is required for action \"execute\""));
    };
    arguments.leave(&["script", "shell"]);
    let mut words = vec![Bytes::from(command.as_str())];
    let more = arguments.texts("args")?.unwrap_or_default();
    words.extend(more.iter().map(|word| Bytes::from(word.as_str())));
    Ok(Step::Argv(words))
}

fn script(arguments: &mut Arguments) -> Result<Step, Fault> {
    let Some(text) = arguments.text("script")?.filter(|text| !text.trim().is_empty()) else {
        return Err(fault("script is required for action \"script\""));
    };
    arguments.leave(&["command", "args"]);
    let shell = match arguments.text("shell")?.as_deref() {
        None | Some("bash") => ScriptShell::Bash,
        Some("sh") => ScriptShell::Sh,
        Some("zsh") => ScriptShell::Zsh,
        Some(other) => {
            let told = format!("Shell \"{other}\" is not in the allowed list: [bash, sh, zsh]");
            return Err(Box::new(Called::refused(told)));
        }
    };
    Ok(Step::Script { text: text.as_str().into(), shell })
}

fn wish(arguments: &mut Arguments) -> Result<Wish, Fault> {
    let timeout = arguments.count("timeout")?;
    if timeout == Some(0) {
        return Err(fault("timeout must be a positive number of milliseconds"));
    }
    let stdin = arguments.text("stdin")?.map(|text| Stdin::Text(text.as_str().into()));
    Ok(Wish {
        cwd: arguments.text("cwd")?.map(PathBuf::from),
        env: arguments.pairs("env")?,
        stdin: stdin.unwrap_or(Stdin::Closed),
        timeout: timeout.map(Duration::from_millis),
    })
}

impl Flowforge {
    fn shaped(&self, ran: &Ran, failure: &str) -> Result<Called, Fault> {
        let reply = &ran.reply;
        let mut fields = added(reply);
        let whole = |stream| -> Result<String, Fault> {
            let taken = ran.take(stream, Most::Bytes(self.max_output_size))?;
            let suffix = if taken.is_cut() { TRUNCATED } else { "" };
            Ok(taken.text + suffix)
        };
        let (stdout, mut stderr) = (whole(Stream::Stdout)?, whole(Stream::Stderr)?);
        // What could not be started has said nothing itself.
        let unstarted =
            shape::unstarted(reply).map(|why| format!("{failure} execution failed: {why}"));
        stderr += unstarted.as_deref().unwrap_or_default();
        let success = reply.exit_code == Some(0);
        fields.insert("exitCode".into(), json!(reply.exit_code));
        fields.insert("duration".into(), json!(reply.duration_ms.as_secs_f64() * 1000.0));
        fields.insert("success".into(), Value::Bool(success));
        let refused = shape::is_refused(reply);
        let text = if refused { self.refusal(reply) } else { both(&stdout, &stderr) };
        fields.insert("stdout".into(), stdout.into());
        fields.insert("stderr".into(), stderr.into());
        Ok(Called::of(text, fields, unstarted.is_some()))
    }

    /// The contract's words for a refusal.
    fn refusal(&self, reply: &Reply) -> String {
        let Some(reason) = shape::first_reason(reply) else { return "Blocked".into() };
        let command = reply.command.as_ref();
        match (reason.layer, reason.rule.as_str()) {
            ("programs", _) => {
                let base = shape::program(command, reason);
                let list = self.allowed_commands.clone().unwrap_or_default().join(", ");
                format!("Command \"{base}\" is not in the allowed list: [{list}]")
            }
            (_, "files.cwd") => {
                let places = self.allowed_cwd.iter().flatten();
                let list: Vec<String> = places.map(|at| at.display().to_string()).collect();
                let cwd = reply.cwd.as_ref();
                let list = list.join(", ");
                format!("Working directory \"{cwd}\" is not in allowed directories [{list}]")
            }
            _ => blocked(reason),
        }
    }
}

/// The contract's patterns by the built-in rules behind them.
const BEHIND: [(&str, &str); 6] = [
    ("delete-everything", r"rm\s+-rf\s+/"),
    ("make-filesystem", "mkfs"),
    ("fork-bomb", r":\s*\(\s*\)\s*\{"),
    ("overwrite-disk", "> /dev/sd"),
    ("open-to-all", r"chmod\s+777"),
    ("network-code", r"curl.*\|.*sh"),
];

fn blocked(reason: &Reason) -> String {
    let message = reason.message.as_ref();
    let behind = BEHIND.iter().find(|(rule, _)| *rule == reason.rule).map(|(_, pattern)| *pattern);
    // The judge writes the regex between these words.
    let met = message.strip_prefix("the regex \"").and_then(|rest| rest.rsplit_once("\" matches"));
    match behind.or(met.map(|(pattern, _)| pattern)) {
        Some(pattern) => format!("Blocked: command matches dangerous pattern \"{pattern}\""),
        None => format!("Blocked: {message}"),
    }
}

/// A name that a glob of the policy matches and nothing else.
fn literal(name: &str) -> String {
    let part = |letter| match letter {
        '*' | '?' | '[' => format!("[{letter}]"),
        other => other.to_string(),
    };
    name.chars().map(part).collect()
}

fn both(stdout: &str, stderr: &str) -> String {
    match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => stdout.to_string(),
        (true, false) => stderr.to_string(),
        (false, false) if stdout.ends_with('\n') => format!("{stdout}{stderr}"),
        (false, false) => format!("{stdout}\n{stderr}"),
    }
}
