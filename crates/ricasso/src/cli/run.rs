//! `ricasso run`: one request from the flags, its streams live or its reply as JSON.

use super::args::{Run, What};
use super::print::{self, Live};
use crate::config::{self, Choice, Held, Places};
use crate::exit;
use ricasso_engine::engine::{self, Directory, Engine, Setup};
use ricasso_engine::policy::{Mode, Survivors};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::{
    Bytes, Caller, MAX_TEXT_BYTES, Manner, OnFailure, Request, ScriptShell, Stdin, Step, Tenure,
    WindowSize,
};
use ricasso_os::{Cancel, Keeper, leads_out};
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The session of everybody who types at a terminal: one for each user.
pub(super) const SESSION: &str = "cli";

/// Why `run` could not do its own work.
#[derive(Debug)]
pub(super) enum Failure {
    Config(config::Error),
    Engine(ricasso_engine::Error),
    Os(ricasso_os::Error),
    Script { path: PathBuf, source: io::Error },
    Keep { source: io::Error },
    NoCommand,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Config(error) => error.fmt(f),
            Failure::Engine(error) => error.fmt(f),
            Failure::Os(error) => error.fmt(f),
            Failure::Script { path, .. } => {
                write!(f, "cannot read the script {}; check its name", path.display())
            }
            Failure::Keep { .. } => {
                write!(f, "cannot start an owner for the job; check the limit on processes")
            }
            Failure::NoCommand => {
                write!(f, "nothing to run; give -c TEXT, --script FILE or -- PROGRAM ARGS")
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Config(error) => error.source(),
            Failure::Engine(error) => error.source(),
            Failure::Os(error) => error.source(),
            Failure::Script { source, .. } | Failure::Keep { source } => Some(source),
            Failure::NoCommand => None,
        }
    }
}

/// Runs and returns the exit code.
pub(super) fn run(args: &Run) -> u8 {
    match try_run(args) {
        Ok(code) => code,
        Err(error) => {
            print::error(&error);
            exit::OURS
        }
    }
}

fn try_run(args: &Run) -> Result<u8, Failure> {
    if args.background || args.yields.is_some() {
        return super::keep::start(args);
    }
    let (places, held) = hold(args)?;
    if adopts(&held) {
        return super::keep::start(args);
    }
    let Ready { engine, request, cancel } = ready(args, &places, held)?;
    let code = if args.json {
        let reply = engine.run(&request, &cancel).map_err(Failure::Engine)?;
        if print::json(&reply, &cancel) { code_of(&reply) } else { exit::OURS }
    } else {
        let mut live = Live::new(&cancel);
        let reply = engine.run_watched(&request, &cancel, &mut live).map_err(Failure::Engine)?;
        let closed = live.finish();
        print::after(&reply);
        closed.unwrap_or_else(|| code_of(&reply))
    };
    // The answer is out; what is left to do is housekeeping, and its failure changes nothing.
    let _ = engine.tidy_up();
    Ok(code)
}

/// Everything that a run needs.
pub(super) struct Ready {
    pub(super) engine: Engine,
    pub(super) request: Request,
    pub(super) cancel: Cancel,
}

/// From the flags to an engine that is open and a request for it.
pub(super) fn ready(args: &Run, places: &Places, held: Held) -> Result<Ready, Failure> {
    let keeper = match adopts(&held) {
        // Each step has a warden of its own, and there are threads by then.
        true => Keeper::of_our_own(),
        // This program is small and has no second thread yet, so it may be its own keeper.
        false => Keeper::in_this_process(),
    };
    let keeper = keeper.map_err(Failure::Os)?;
    let request = request(args, places, &held)?;
    let mut setup = Setup::of_this_process(keeper, held.policy).map_err(Failure::Engine)?;
    setup.told = held.hints;
    // Up to here nothing is open, and a signal may end us as it ends any program.
    let cancel = Cancel::on_signals().map_err(Failure::Os)?;
    let engine = Engine::open(setup).map_err(Failure::Engine)?;
    let request = if args.keep_state {
        let directory = if args.cwd.is_some() { Directory::Asked } else { Directory::Kept };
        engine.resume(request, directory).map_err(Failure::Engine)?
    } else {
        request
    };
    Ok(Ready { engine, request, cancel })
}

/// Whether what the command leaves running is adopted, and needs an owner that stays.
fn adopts(held: &Held) -> bool {
    held.policy.jobs().survivors == Survivors::Adopt
}

/// What holds for these flags, here.
pub(super) fn hold(args: &Run) -> Result<(Places, Held), Failure> {
    let places = Places::of_this_process().map_err(Failure::Config)?;
    let choice = Choice {
        policy: args.rights.policy.clone(),
        overrides: args.rights.overrides(),
        root: args.rights.root.clone(),
        dialect: None,
    };
    let held = config::hold(&places, &choice).map_err(Failure::Config)?;
    Ok((places, held))
}

pub(super) fn code_of(reply: &Reply) -> u8 {
    reply.exit_code.map_or(exit::OURS, exit::of)
}

fn request(args: &Run, places: &Places, held: &Held) -> Result<Request, Failure> {
    let stdin = match &args.stdin {
        None if args.background => Stdin::Fed,
        None => Stdin::Closed,
        Some(path) if path == Path::new("-") => Stdin::File("/dev/stdin".into()),
        Some(path) => Stdin::File(places.cwd.join(path)),
    };
    let env = args.env.iter().cloned().map(|(name, value)| (name.into(), value.into()));
    Ok(Request {
        steps: steps(&args.what, places, &roots(held))?,
        on_failure: if args.keep_going { OnFailure::KeepGoing } else { OnFailure::Stop },
        cwd: args.cwd.as_ref().map_or(places.cwd.clone(), |cwd| places.cwd.join(cwd)),
        workspace: held.workspace.clone(),
        env: env.collect(),
        stdin,
        timeout: args.timeout,
        caller: Caller {
            door: "cli".into(),
            session: args.session.clone().unwrap_or_else(|| SESSION.into()),
            client: None,
        },
        manner: Manner {
            tenure: if args.background { Tenure::Background } else { Tenure::Call },
            terminal: args.pty.then(|| args.size.unwrap_or(WindowSize::USUAL)),
            state: None,
            label: None,
        },
    })
}

/// Where commands write, so that a link there may lead anywhere. Without a cage that is everywhere.
pub(super) fn roots(held: &Held) -> Vec<PathBuf> {
    if held.policy.mode() == Mode::Open {
        return Vec::new();
    }
    engine::roots(&held.policy, held.workspace.as_deref(), &config::variable)
}

/// What is to run, as the engine takes it. A script in one of the roots must lie in one.
pub(super) fn steps(what: &What, places: &Places, roots: &[PathBuf]) -> Result<Vec<Step>, Failure> {
    if what.is_empty() {
        return Err(Failure::NoCommand);
    }
    if let Some(path) = &what.script {
        let path = places.cwd.join(path);
        let text = read_script(&path, roots)
            .map_err(|source| Failure::Script { path: path.clone(), source })?;
        let shell = what.shell.map_or(ScriptShell::Bash, super::args::ShellWord::shell);
        return Ok(vec![Step::Script { text: Bytes::from(text), shell }]);
    }
    if !what.words.is_empty() {
        return Ok(vec![Step::Argv(what.words.iter().cloned().map(Bytes::from).collect())]);
    }
    Ok(what.texts.iter().cloned().map(|text| Step::Shell(text.into())).collect())
}

/// One byte more than is taken, so that a longer one is refused; a device has no end.
fn read_script(path: &Path, roots: &[PathBuf]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let most = MAX_TEXT_BYTES as u64 + 1;
    let file = std::fs::File::open(path)?;
    if leads_out(&file, path, roots)? {
        return Err(io::Error::other(
            "it is a link out of the workspace, which any command can turn; name the file itself",
        ));
    }
    file.take(most).read_to_end(&mut text)?;
    Ok(text)
}
