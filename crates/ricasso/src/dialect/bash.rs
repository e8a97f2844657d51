//! `Bash`: one tool, five modes that its parameters choose.

mod settings;
mod task;

use super::clerk::{Ran, Wish};
use super::open::{Contract, Turn};
use super::shape::{self, added};
use super::tool::{Called, Tool};
use crate::arguments::{Arguments, Fault, fault};
use crate::layer::{quoted, quoted_list, readable};
use ricasso_engine::capture::{Ends, Lines};
use ricasso_engine::engine::Visit;
use ricasso_engine::reply::Reply;
use ricasso_engine::request::Step;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;

pub(super) use settings::Bash;
pub(super) use task::apart;

const TOOL: &str = "Bash";
const PARAMETERS: [&str; 11] = [
    "command",
    "description",
    "run_in_background",
    "task_id",
    "kill",
    "stdin_text",
    "wait",
    "stream",
    "stream_pattern",
    "timeout",
    "cwd",
];
/// The contract's range of `timeout`, in seconds.
const SHORTEST: f64 = 1.0;
const LONGEST: f64 = 1800.0;
/// The exit code of a call that made no sense or failed before anything ran.
const NOT_CARRIED_OUT: i32 = 125;
/// What a result holds of each stream; the rest is reachable by the id.
const MOST_BYTES: u64 = 1 << 20;

/// What a call asks for.
struct Asked {
    command: Option<String>,
    description: Option<String>,
    background: bool,
    task: Option<String>,
    kill: bool,
    stdin: Option<String>,
    wait: bool,
    stream: bool,
    pattern: Option<String>,
    timeout: Option<Duration>,
    cwd: Option<PathBuf>,
}

impl Asked {
    fn read(mut arguments: Arguments) -> Result<Asked, Fault> {
        let timeout = arguments.number("timeout")?;
        if timeout.is_some_and(|seconds| !(SHORTEST..=LONGEST).contains(&seconds)) {
            return Err(fault("timeout must lie between 1 and 1800 seconds"));
        }
        let asked = Asked {
            command: arguments.text("command")?.filter(|text| !text.is_empty()),
            description: arguments.text("description")?.filter(|label| !label.is_empty()),
            background: arguments.flag("run_in_background")?.unwrap_or(false),
            task: arguments.text("task_id")?,
            kill: arguments.flag("kill")?.unwrap_or(false),
            stdin: arguments.text("stdin_text")?,
            wait: arguments.flag("wait")?.unwrap_or(false),
            stream: arguments.flag("stream")?.unwrap_or(false),
            pattern: arguments.text("stream_pattern")?,
            timeout: timeout.map(Duration::from_secs_f64),
            cwd: arguments.text("cwd")?.map(PathBuf::from),
        };
        arguments.finish(&PARAMETERS)?;
        asked.fits()?;
        Ok(asked)
    }

    /// What a call about a task asks for, in a word.
    fn kind(&self) -> &'static str {
        match self {
            Asked { kill: true, .. } => "kill",
            Asked { stream: true, .. } => "stream",
            Asked { wait: true, .. } => "wait",
            Asked { stdin: Some(_), .. } => "stdin",
            _ => "status",
        }
    }

    fn fits(&self) -> Result<(), Fault> {
        let needs_task =
            [(self.kill, "kill"), (self.wait, "wait"), (self.stdin.is_some(), "stdin_text")];
        if let (None, Some((_, name))) = (&self.task, needs_task.iter().find(|(asked, _)| *asked)) {
            return Err(fault(format!("{name} requires task_id")));
        }
        if let Some(Err(error)) = self.pattern.as_deref().map(Lines::check) {
            return Err(fault(format!("stream_pattern is no regex that can be used: {error}")));
        }
        match (&self.command, &self.task) {
            (None, None) => Err(fault(
                "Must provide either command (sync/async) or task_id (status/kill/stdin)",
            )),
            (Some(_), Some(_)) => {
                Err(fault("give command or task_id, not both: a task keeps its own command"))
            }
            (Some(_), None) | (None, Some(_)) => Ok(()),
        }
    }
}

impl Contract for Bash {
    fn layer(&self) -> String {
        let timeout = self.config.timeout_default;
        let mut text = String::new();
        if self.constraints.readonly {
            // Read mode keeps a scratch directory of its own in the place of /tmp.
            text += "mode = \"read\"\ntmp = \"session\"\n";
        } else if self.constraints.unrestricted {
            text += "mode = \"open\"\n";
        }
        if let Some(shell) = &self.config.shell {
            text += &format!("shell = {}\n", quoted(shell));
        }
        text += &format!("[limits]\ntimeout = \"{timeout}s\"\nmax_timeout = \"{LONGEST}s\"\n");
        text += "grace = \"2s\"\n";
        if self.constraints.unrestricted {
            let write = if self.constraints.readonly { "" } else { "\"/\"" };
            text += &format!("[files]\nwrite = [{write}]\n");
            text += "read = [\"/\"]\nshow = [\"/\"]\nwords = \"meant\"\n";
        } else {
            let roots = self.roots();
            let write = if self.constraints.readonly { &[][..] } else { &roots };
            let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];
            let mut read = readable(&system);
            read.extend(roots.iter().cloned());
            let (write, read) = (quoted_list(write), quoted_list(&read));
            text += &format!("[files]\nwrite = {write}\nread = {read}\n");
        }
        if let Some(names) = &self.constraints.allowed_commands {
            text += &format!("[programs]\nallow = {}\n", quoted_list(names));
        }
        let (names, patterns) = self.blocked();
        let head = if self.constraints.allowed_commands.is_some() { "" } else { "[programs]\n" };
        text += &format!("{head}deny = {}\n", quoted_list(&names));
        text += &format!("[commands]\ndeny = {}\n", quoted_list(&patterns));
        if !self.config.extra_sensitive_patterns.is_empty() {
            let patterns = quoted_list(&self.config.extra_sensitive_patterns);
            text += &format!("[redact]\npatterns = {patterns}\n");
        }
        text
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool {
            name: TOOL,
            description: "Runs a shell command. Use && to chain, ; for independent commands. \
                          run_in_background returns at once with a task_id, which later calls \
                          take to poll, wait, kill or stream."
                .into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "description": "Shell command. Use && to chain, ; for independent. Omit \
                                        when polling via task_id.",
                    },
                    "description": {
                        "type": "string", "default": "",
                        "description": "Short label shown in UI (e.g. \"Running tests\").",
                    },
                    "run_in_background": {
                        "type": "boolean", "default": false,
                        "description": "Return immediately with task_id instead of waiting.",
                    },
                },
            }),
            read_only: self.constraints.readonly,
            about: Map::from_iter([
                ("module".to_string(), "shell".into()),
                ("version".to_string(), "1.0.0".into()),
            ]),
        }]
    }

    fn call(&self, turn: &Turn<'_>, arguments: Arguments) -> Result<Called, Fault> {
        let asked = match Asked::read(arguments) {
            Ok(asked) => asked,
            Err(fault) => return Ok(audited(turn, "faulty", "", whole(turn, *fault))),
        };
        match (&asked.command, &asked.task) {
            (Some(command), None) => self.run(turn, command, &asked),
            (_, task) => {
                let id = task.as_deref().unwrap_or_default();
                let called = task::call(self, turn, id, &asked);
                let called = called.unwrap_or_else(|fault| whole(turn, *fault));
                Ok(audited(turn, asked.kind(), id, called))
            }
        }
    }
}

impl Bash {
    /// A command: to its end, or as a task.
    fn run(&self, turn: &Turn<'_>, command: &str, asked: &Asked) -> Result<Called, Fault> {
        let step = Step::Shell(command.into());
        let timeout = asked.timeout.or(Some(Duration::from_secs_f64(self.config.timeout_default)));
        let wish = Wish { cwd: asked.cwd.clone(), timeout, ..Wish::default() };
        let mut request = turn.clerk.request(step, wish);
        request.manner.label = asked.description.clone();
        if asked.background || asked.stream {
            return task::start(self, turn, request, asked);
        }
        let ran = turn.clerk.run(&request, turn.cancel)?;
        self.shaped(&ran)
    }
}

/// Every call returns the same six fields, also one that could not be carried out.
fn whole(turn: &Turn<'_>, mut called: Called) -> Called {
    let cwd = turn.clerk.cwd.display().to_string();
    let plain = json!({
        "stdout": "", "stderr": "", "exit_code": NOT_CARRIED_OUT, "duration": 0.0, "cwd": cwd,
        "command": "", "error": called.text,
    });
    if let Value::Object(plain) = plain {
        called.fields.extend(plain);
    }
    called
}

/// A call that starts nothing leaves its line in the ledger like all others; where it cannot, the
/// call has failed.
fn audited(turn: &Turn<'_>, kind: &'static str, id: &str, called: Called) -> Called {
    let field = |name: &str| called.fields.get(name).and_then(Value::as_str);
    let visit = Visit {
        kind,
        id,
        command: field("command"),
        cwd: field("cwd"),
        exit_code: called.fields.get("exit_code").and_then(Value::as_i64),
        error: field("error"),
    };
    match turn.clerk.engine.record_visit(&turn.clerk.caller, &visit) {
        Ok(()) => called,
        Err(error) => Called::failed(&error),
    }
}

/// The six fields of every call, and what ricasso adds.
fn fields(ran: &Ran) -> Result<Map<String, Value>, Fault> {
    let reply = &ran.reply;
    let mut fields = added(reply);
    said(ran.ends(MOST_BYTES)?, &mut fields);
    if let Some(why) = shape::unstarted(reply) {
        fields.insert("stderr".into(), why.into());
    }
    fields.insert("exit_code".into(), json!(reply.exit_code));
    fields.insert("duration".into(), json!(reply.duration_ms.as_secs_f64()));
    fields.insert("cwd".into(), reply.cwd.as_ref().as_str().into());
    fields.insert("command".into(), reply.command.as_ref().as_str().into());
    if let Some(label) = &reply.label {
        fields.insert("description".into(), label.as_ref().as_str().into());
    }
    Ok(fields)
}

/// What a task or command said, and what of it is left out here.
fn said(ends: Ends, fields: &mut Map<String, Value>) {
    let [stdout, stderr] = ends.texts;
    fields.insert("stdout".into(), stdout.into_inner().into());
    fields.insert("stderr".into(), stderr.into_inner().into());
    if ends.lines > 0 {
        fields.insert("lines_left_out".into(), ends.lines.into());
    }
    if let Some(omitted) = fields.get_mut("output").and_then(|output| output.get_mut("omitted")) {
        *omitted = json!(ends.omitted);
    }
}

impl Bash {
    fn shaped(&self, ran: &Ran) -> Result<Called, Fault> {
        let reply = &ran.reply;
        let mut fields = fields(ran)?;
        let refused = shape::is_refused(reply);
        let text = match refused {
            true => {
                let told = self.refusal(reply);
                fields.insert("error".into(), told.clone().into());
                told
            }
            false => contract_text(&fields, &[]),
        };
        Ok(Called::of(text, fields, reply.exit_code != Some(0)))
    }

    /// The words of the contract's own program, with the constraint that would allow it.
    fn refusal(&self, reply: &Reply) -> String {
        // What is never run is not asked for by another path.
        let grave = reply.reasons.iter().find(|reason| reason.layer != "paths");
        let Some(reason) = grave.or(shape::first_reason(reply)) else {
            return "Command rejected.".into();
        };
        let met = match reason.span {
            None if reason.layer == "paths" => reply.cwd.as_ref(),
            _ => shape::met(reply.command.as_ref(), reason),
        };
        let name = shape::program(reply.command.as_ref(), reason);
        match (reason.layer, reason.rule.as_str()) {
            ("programs", "programs.allow") => {
                let list = self.constraints.allowed_commands.as_deref().unwrap_or_default();
                format!("Command '{name}' not in allowed_commands: [{}]", list.join(", "))
            }
            ("programs", _) => format!("Command '{name}' is blocked."),
            (_, "commands.deny") => format!("Command '{met}' is blocked."),
            (_, "files.write") if self.constraints.readonly => {
                format!("'{met}' would change something, and constraints.readonly is true.")
            }
            ("paths", "files.read" | "files.write" | "files.words") => format!(
                "Path '{met}' is outside the workspace. Use a relative path or add it to \
                 constraints.allowed_paths."
            ),
            ("paths", "files.hide") => format!(
                "Path '{met}' is hidden, as keys and credentials are, and allowed_paths does not \
                 show it. Leave it out; only constraints.unrestricted would show it."
            ),
            (_, rule) => format!("Command rejected: {} ({rule}).", reason.message.as_ref()),
        }
    }
}

/// The contract's result is an object; its text is that object.
fn contract_text(fields: &Map<String, Value>, more: &[&str]) -> String {
    const OWN: [&str; 6] = ["stdout", "stderr", "exit_code", "duration", "cwd", "command"];
    let own: Map<String, Value> = OWN
        .iter()
        .chain(more)
        .filter_map(|name| Some(((*name).to_string(), fields.get(*name)?.clone())))
        .collect();
    Value::Object(own).to_string()
}
