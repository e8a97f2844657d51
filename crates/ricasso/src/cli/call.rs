//! `ricasso call`: one tool call of a dialect, its result as JSON on one line.

use super::args::{AccessWord, Call, DialectArgs};
use super::print;
use crate::config::Places;
use crate::dialect::{
    self, Apart, Called, Dialect, End, Life, ModeWord, Note, Opened, Opening, Tell,
};
use crate::exit;
use ricasso_engine::request::Caller;
use ricasso_os::{Cancel, Keeper};
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Carries out one call and returns the exit code.
pub(super) fn call(args: &Call) -> u8 {
    match try_call(args) {
        Ok(code) => code,
        Err(error) => {
            print::error(error.as_ref());
            exit::OURS
        }
    }
}

fn try_call(args: &Call) -> Result<u8, Box<dyn std::error::Error>> {
    let arguments: Value = serde_json::from_str(&args.arguments)
        .map_err(|error| format!("the arguments are no JSON ({error}); give an object"))?;
    if args.owns {
        ricasso_os::leave_session()?;
    } else if let Some(apart) = named(&args.dialect)?.apart(&arguments) {
        return with_an_owner(args, &apart);
    }
    // A list of commands is more than one job, and a task has a desk: there will be threads.
    let keeper = Keeper::of_our_own()?;
    let cancel = Cancel::on_signals()?;
    let opened = open(&args.dialect, "dialect", super::run::SESSION, keeper, Life::Short)?;
    for warning in &opened.warnings {
        print::say(warning);
    }
    let tools = opened.tools();
    let name = match &args.tool {
        Some(name) if tools.iter().any(|tool| tool.name == name) => name.clone(),
        Some(name) => return Err(format!("this dialect has no tool {name:?}").into()),
        None => tools.first().map_or_else(String::new, |tool| tool.name.to_string()),
    };
    let called = opened.call(&name, arguments, &cancel, &Notes);
    if !print::put(format!("{}\n", called.result()).as_bytes()) {
        return Ok(exit::OURS);
    }
    if args.owns {
        // From now on nobody waits for our streams; a failure to let go only keeps a pipe open.
        let _ = ricasso_os::let_go_of_streams();
        opened.wait_for_tasks();
    }
    Ok(code(&called))
}

/// The task gets a process of its own, which stays; what it answers is our answer, or leads to the
/// call that follows the task from here.
fn with_an_owner(args: &Call, apart: &Apart) -> Result<u8, Box<dyn std::error::Error>> {
    let mut command = Command::new("/proc/self/exe");
    command.arg0("ricasso").arg("call").args(args.dialect.words()).arg("--owns");
    command.args(args.tool.iter().flat_map(|tool| ["--tool", tool]));
    command.arg("--").arg(apart.start.to_string());
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut said = Vec::new();
    child.stdout.take().ok_or("the owner has no output")?.read_to_end(&mut said)?;
    let Ok(result) = serde_json::from_slice::<Value>(&said) else {
        // It has told its sentence on our standard error.
        let ended = child.wait()?.code();
        return Ok(ended.map_or(exit::OURS, exit::of));
    };
    let fields = &result["structuredContent"];
    if let (Some(follow), Some(task)) = (&apart.follow, fields["task_id"].as_str()) {
        let mut arguments = follow.clone();
        arguments["task_id"] = task.into();
        return try_call(&Call { arguments: arguments.to_string(), ..args.clone() });
    }
    print::put(&said);
    let refused = fields["ending"]["kind"] == "refused";
    Ok(match (refused, result["isError"].as_bool().unwrap_or(true)) {
        (true, _) => exit::REFUSED,
        (false, true) => 1,
        (false, false) => 0,
    })
}

/// The dialect that the flags name.
fn named(args: &DialectArgs) -> Result<Dialect, String> {
    Dialect::named(&args.dialect).ok_or_else(|| {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        format!("there is no dialect {:?}; there are: {}", args.dialect, names.join(", "))
    })
}

/// A dialect from its flags.
pub(super) fn open(
    args: &DialectArgs,
    door: &str,
    session: &str,
    keeper: Keeper,
    life: Life,
) -> Result<Opened, Box<dyn std::error::Error>> {
    let dialect = named(args)?;
    let caller = Caller { door: door.into(), session: session.into(), client: None };
    let opening = Opening {
        dialect,
        config: args.dialect_config.clone(),
        mode: match args.mode {
            Some(AccessWord::Write) => ModeWord::Write,
            Some(AccessWord::Read) | None => ModeWord::Read,
        },
        root: args.root.clone(),
        caller,
        life,
    };
    Ok(dialect::open(opening, keeper, &Places::of_this_process()?)?)
}

fn code(called: &Called) -> u8 {
    match called.end {
        End::Refused => exit::REFUSED,
        End::Failed => exit::OURS,
        End::Done if called.is_error => 1,
        End::Done => 0,
    }
}

/// Each notification is one line of JSON on standard error.
struct Notes;

impl Tell for Notes {
    fn tell(&self, note: Note) {
        let line = Value::Object(note.fields).to_string();
        // Nobody reads: the result is what counts.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}
