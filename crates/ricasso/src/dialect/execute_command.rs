//! `execute_command`: read mode in the cage, write mode without; nothing is cut.

use super::clerk::{Clerk, Ran, Wish, failed};
use super::open::{Contract, ModeWord, Turn};
use super::scratchpad;
use super::shape::{self, added};
use super::tool::{Called, Tool};
use crate::arguments::{Arguments, Fault, fault};
use ricasso_engine::capture::{Most, Stream};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::Step;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

const TOOL: &str = "execute_command";
const READ_TOOL: &str = "scratchpad_read";
const PARAMETERS: [&str; 3] = ["command", "timeout_ms", "scratchpad"];
/// The contract's default.
const TIMEOUT: Duration = Duration::from_secs(30);
/// A text above this goes to the scratchpad, since no client takes it in one message.
const LARGEST_TEXT: u64 = 8 << 20;
/// The beginning of a saved output, so that a model sees what it is.
const FIRST_BYTES: u64 = 2_000;
/// One read of the scratchpad without a limit.
const READ_BYTES: u64 = 1 << 20;

/// The contract's keys and defaults, and the mode that the person who starts us chose.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExecuteCommand {
    shell: ShellTable,
    #[serde(skip)]
    pub(super) mode: ModeWord,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ShellTable {
    sandbox: bool,
}

impl Default for ShellTable {
    fn default() -> Self {
        ShellTable { sandbox: true }
    }
}

impl Contract for ExecuteCommand {
    fn layer(&self) -> String {
        let mode = match self.mode {
            ModeWord::Read => "mode = \"read\"",
            ModeWord::Write => "mode = \"open\"\nopaque = \"allow\"\nunknown = \"allow\"",
        };
        // The contract has no upper bound of its own.
        format!("{mode}\n[limits]\ntimeout = \"30s\"\n")
    }

    fn tools(&self) -> Vec<Tool> {
        let run = Tool::new(TOOL, DESCRIPTION, properties(), &["command"]);
        let told = "Read an output that execute_command saved to the scratchpad.";
        let read = json!({
            "name": { "type": "string", "description": "The name it was saved under" },
            "offset": { "type": "integer", "minimum": 0, "description": "First byte" },
            "limit": { "type": "integer", "minimum": 1, "description": "Bytes at most" },
        });
        let read = Tool { read_only: true, ..Tool::new(READ_TOOL, told, read, &["name"]) };
        vec![Tool { read_only: self.mode == ModeWord::Read, ..run }, read]
    }

    fn call(&self, turn: &Turn<'_>, mut arguments: Arguments) -> Result<Called, Fault> {
        if turn.tool == READ_TOOL {
            return read_back(turn.clerk, arguments);
        }
        let Some(command) = arguments.text("command")? else {
            return Err(fault("command is required"));
        };
        let timeout = arguments.count("timeout_ms")?.map_or(TIMEOUT, Duration::from_millis);
        let scratchpad = arguments.text("scratchpad")?;
        arguments.finish(&PARAMETERS)?;
        if let Some(name) = &scratchpad {
            scratchpad::check(name)?;
        }
        if self.mode == ModeWord::Read && !self.shell.sandbox {
            let told = "Shell commands are not available in read mode, since `sandbox = false` \
                        stands under [shell] in the configuration; switch to write mode.";
            return Err(Box::new(Called::refused(told)));
        }
        let wish = Wish { timeout: Some(timeout), ..Wish::default() };
        let step = Step::Shell(command.as_str().into());
        let ran = turn.run(step, wish)?;
        let mut called = shaped(turn.clerk, &ran, scratchpad.as_deref())?;
        if is_nested(&command)
            && let Some(hints) = called.fields.get_mut("hints").and_then(Value::as_array_mut)
        {
            hints.push(NESTED.into());
        }
        Ok(called)
    }
}

fn shaped(clerk: &Clerk, ran: &Ran, scratchpad: Option<&str>) -> Result<Called, Fault> {
    let reply = &ran.reply;
    let mut fields = added(reply);
    fields.insert("exit_code".into(), json!(reply.exit_code));
    fields.insert("signal".into(), json!(signal(reply)));
    if shape::is_refused(reply) {
        return Ok(Called::of(refusal(reply), fields, true));
    }
    let is_error = reply.exit_code != Some(0);
    let size = reply.output.stdout_bytes + reply.output.stderr_bytes;
    let own = format!("output-{}", reply.id);
    let name = scratchpad.or((size > LARGEST_TEXT).then_some(own.as_str())).filter(|_| size > 0);
    let mut text = match name {
        None => whole(ran, Most::Bytes(u64::MAX))?,
        Some(name) => {
            scratchpad::save(clerk, name, reply.id.as_str())?;
            format!(
                "Output saved to scratchpad \"{name}\" ({size} bytes). \
                 Use scratchpad_read to access it."
            )
        }
    };
    if name.is_some() && scratchpad.is_none() {
        text += &format!(" It begins:\n{}", whole(ran, Most::Bytes(FIRST_BYTES))?);
    } else if let Some(code) = reply.exit_code.filter(|code| name.is_some() && *code != 0) {
        text += &format!("\nExit code: {code}");
    }
    let mut more = Vec::new();
    if shape::kind(reply) == "timed_out" {
        more.push(text);
        text = format!("Command timed out after {}ms", reply.deadline.applied_ms.unwrap_or(0));
    }
    Ok(Called { more, ..Called::of(text, fields, is_error) })
}

/// The name of the signal that ended it; a command that outlasted its time was killed.
fn signal(reply: &Reply) -> Option<String> {
    let number = match shape::kind(reply) {
        "timed_out" => Some(9),
        _ => shape::signal(reply),
    };
    number.map(crate::signal::name)
}

/// stdout, a head and stderr, and the exit code where it is not 0.
fn whole(ran: &Ran, most: Most) -> Result<String, Fault> {
    let mut text = ran.take(Stream::Stdout, most)?.text;
    let stderr = ran.take(Stream::Stderr, most)?.text;
    if !stderr.is_empty() {
        if !text.is_empty() {
            text += "\n--- stderr ---\n";
        }
        text += &stderr;
    }
    text += shape::unstarted(&ran.reply).as_deref().unwrap_or_default();
    if let Some(code) = ran.reply.exit_code.filter(|code| *code != 0) {
        if !text.is_empty() {
            text += "\n";
        }
        text += &format!("Exit code: {code}");
    }
    Ok(if text.is_empty() { "(no output)".into() } else { text })
}

fn refusal(reply: &Reply) -> String {
    let Some(reason) = shape::first_reason(reply) else { return "Command refused".into() };
    if reason.layer == "plan" {
        return unavailable(reason.message.as_ref());
    }
    format!(
        "Command refused by {}: {}; {}",
        reason.rule,
        reason.message.as_ref(),
        reason.remedy.as_ref()
    )
}

/// A machine that cannot hold the sandbox has no read mode, and the text says what is left.
fn unavailable(why: &str) -> String {
    format!(
        "Shell commands are not available in read mode on this machine: {why}. Switch to write \
         mode to execute commands without a sandbox."
    )
}

fn read_back(clerk: &Clerk, mut arguments: Arguments) -> Result<Called, Fault> {
    let Some(name) = arguments.text("name")? else { return Err(fault("name is required")) };
    let offset = arguments.count("offset")?.unwrap_or(0);
    let limit = arguments.count("limit")?.unwrap_or(READ_BYTES);
    arguments.finish(&["name", "offset", "limit"])?;
    if limit == 0 {
        return Err(fault("limit must be at least 1"));
    }
    let Some(saved) = scratchpad::find(clerk, &name)? else {
        return Err(fault(format!(
            "there is no scratchpad {name:?}; save one with execute_command"
        )));
    };
    let part = saved.page(offset, limit).map_err(|error| failed(&error))?;
    let length = part.length;
    if offset > length {
        let told = format!("offset {offset} lies behind the end; {name:?} has {length} bytes");
        return Err(fault(told));
    }
    let next = (part.end < length).then_some(part.end);
    let told = next.map(|next| format!("{length} bytes in all; go on with offset {next}"));
    let fields = json!({ "bytes": length, "next_offset": next });
    let fields = fields.as_object().cloned().unwrap_or_default();
    let more = told.into_iter().collect();
    Ok(Called { more, ..Called::of(part.text, fields, false) })
}

/// Whether the text starts another PowerShell, whose text the outer one would expand first.
fn is_nested(command: &str) -> bool {
    let lower = command.to_lowercase();
    let mut words = lower.split_whitespace().skip_while(|word| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        !matches!(name, "powershell" | "powershell.exe" | "pwsh" | "pwsh.exe")
    });
    words.next().is_some() && words.any(|word| word == "-c" || word.starts_with("-com"))
}

const NESTED: &str = "a powershell inside another one: on Windows the outer one expands $var of \
the inner text before it runs; write a .ps1 file and run it by path, use -EncodedCommand, or \
escape each $ as `$";

fn properties() -> Value {
    json!({
        "command": { "type": "string", "description": "The shell command to execute" },
        "timeout_ms": { "type": "integer", "minimum": 0, "default": 30000,
                        "description": "Timeout in milliseconds (default: 30000)" },
        "scratchpad": { "type": "string",
                        "description": "Save output to the scratchpad under this name" },
    })
}

const DESCRIPTION: &str = "Execute a shell command and return its output. On Unix it runs by \
`sh -c`: $VAR expands, a literal $ needs single quotes ('$foo') or a backslash (\\$foo). On \
Windows it reaches powershell.exe -NoProfile -NonInteractive -Command directly: use PowerShell \
syntax ($var = ..., $env:PATH) and do not wrap it in another powershell -Command \"...\", since \
the outer PowerShell would expand your inner $var to nothing before the inner one runs. For a \
nested script write a .ps1 file and run it by path, use -EncodedCommand <base64>, or escape each \
$ as `$.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_35_without_a_sandbox_read_mode_is_unavailable_and_says_so() {
        let text = unavailable("this kernel has no Landlock");
        assert!(text.contains("not available in read mode"), "{text}");
        assert!(text.contains("this kernel has no Landlock"), "{text}");
        assert!(text.contains("write mode"), "{text}");
    }

    #[test]
    fn s3_21_s3_22_the_description_warns_of_nesting_and_names_the_ways_out() {
        let parts = [
            "do not wrap it in another powershell -Command",
            "expand your inner $var to nothing",
            ".ps1 file",
            "-EncodedCommand <base64>",
            "escape each $ as `$",
        ];
        for part in parts {
            assert!(DESCRIPTION.contains(part), "{part:?} is missing");
        }
        assert!(is_nested("powershell -Command \"$x\""));
        assert!(is_nested("& C:\\Windows\\powershell.exe -NoProfile -c '1'"));
        assert!(!is_nested("powershell -EncodedCommand aGk="));
        assert!(!is_nested("echo powershell"));
    }
}
