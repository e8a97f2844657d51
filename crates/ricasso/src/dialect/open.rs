//! Opening a dialect: the contract's keys become a layer of the policy, and an engine holds it.

use super::analysis::Analysis;
use super::bash::Bash;
use super::clerk::{Clerk, Ran, Wish};
use super::exec::Exec;
use super::execute_command::ExecuteCommand;
use super::flowforge::Flowforge;
use super::name::Dialect;
use super::tool::{Called, Note, Tell, Tool};
use crate::arguments::{Arguments, Fault};
use crate::config::{self, Choice, Places};
use crate::keys::{self, Source};
use crate::place::clean;
use ricasso_engine::capture::Label;
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::Overrides;
use ricasso_engine::request::{Caller, Step};
use ricasso_os::{Cancel, Keeper};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// How long those who were asking when the last task ended get to take their answers.
const LAST_ANSWERS: Duration = Duration::from_secs(60);

/// One contract: its keys as a policy, its tools, its calls.
pub(super) trait Contract: fmt::Debug + Send + Sync {
    /// What its keys demand, as the text of a policy file without its head.
    fn layer(&self) -> String;

    /// The workspace that its keys name, where calls then start.
    fn root(&self) -> Option<PathBuf> {
        None
    }

    /// Another preset than that of its name, where its keys set that one aside.
    fn preset(&self) -> Option<&'static str> {
        None
    }

    /// What a person should know before anything runs.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Its tools.
    fn tools(&self) -> Vec<Tool>;

    /// Carries out one call.
    fn call(&self, turn: &Turn<'_>, arguments: Arguments) -> Result<Called, Fault>;
}

/// What one call is carried out with.
pub(super) struct Turn<'a> {
    pub(super) clerk: &'a Clerk,
    /// The tool, one of those that the contract lists.
    pub(super) tool: &'a str,
    /// Rung when nobody wants the result any more.
    pub(super) cancel: &'a Cancel,
    /// Takes what is told on the way.
    pub(super) tell: &'a dyn Tell,
}

impl Turn<'_> {
    /// Runs one step to its end.
    pub(super) fn run(&self, step: Step, wish: Wish) -> Result<Ran, Fault> {
        self.clerk.run(&self.clerk.request(step, wish), self.cancel)
    }
}

/// The mode of `execute-command`, which the model cannot choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ModeWord {
    /// In the cage; nothing is changed.
    #[default]
    Read,
    /// Without one.
    Write,
}

/// What is opened, for whom.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The contract.
    pub dialect: Dialect,
    /// Its configuration; without one `[dialect.NAME]` of the user's file counts.
    pub config: Option<PathBuf>,
    /// For `execute-command`.
    pub mode: ModeWord,
    /// The workspace.
    pub root: Option<PathBuf>,
    /// Who asks.
    pub caller: Caller,
    /// For one call or for many.
    pub life: Life,
}

/// How long a dialect stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// For one call.
    Short,
    /// For many, so that it pays to get ready for the next one.
    Long,
}

/// A contract that is ready for calls.
#[derive(Debug)]
pub struct Opened {
    contract: Box<dyn Contract>,
    clerk: Clerk,
    /// What a person should know before anything runs.
    pub warnings: Vec<String>,
}

/// Why a dialect cannot be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Its configuration.
    Settings(keys::Error),
    /// The files round it.
    Config(config::Error),
    /// The engine.
    Engine(ricasso_engine::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Settings(error) => error.fmt(f),
            Error::Config(error) => error.fmt(f),
            Error::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Settings(error) => error.source(),
            Error::Config(error) => error.source(),
            Error::Engine(error) => error.source(),
        }
    }
}

/// Opens a dialect.
pub fn open(opening: Opening, keeper: Keeper, places: &Places) -> Result<Opened, Error> {
    let source = match &opening.config {
        Some(path) => Source::File(places.cwd.join(path)),
        None => in_the_users_file(opening.dialect, places)?,
    };
    let contract = contract(&opening, &source).map_err(Error::Settings)?;
    let layer = config::DialectLayer {
        name: opening.dialect.name(),
        preset: contract.preset().unwrap_or(opening.dialect.name()),
        text: contract.layer(),
    };
    let root = contract.root().or(opening.root).map(|root| clean(&places.cwd.join(root)));
    // Calls start in the workspace, wherever ricasso was started.
    let inside = root.as_ref().is_none_or(|root| places.cwd.starts_with(root));
    let cwd = match &root {
        Some(root) if !inside || contract.root().is_some() => root.clone(),
        Some(_) | None => places.cwd.clone(),
    };
    let choice =
        Choice { policy: None, overrides: Overrides::default(), root, dialect: Some(layer) };
    let held = config::hold(places, &choice).map_err(Error::Config)?;
    let mut setup = Setup::of_this_process(keeper, held.policy).map_err(Error::Engine)?;
    setup.told = held.hints;
    if opening.life == Life::Long {
        setup.spares = Spares::Kept;
        setup.chores = Chores::Beside;
    } else {
        setup.stays = Stays::ForOneCall;
    }
    let label = match opening.dialect {
        Dialect::Bash => Label::Plain,
        Dialect::Flowforge | Dialect::Analysis | Dialect::ExecuteCommand | Dialect::Exec => {
            Label::Named
        }
    };
    let engine = Engine::open_labelled(setup, label).map_err(Error::Engine)?;
    let clerk = Clerk {
        engine,
        workspace: held.workspace,
        cwd,
        caller: opening.caller,
        tasks: Mutex::default(),
    };
    let warnings = contract.warnings();
    Ok(Opened { contract, clerk, warnings })
}

/// `[dialect.NAME]` of the files that hold here.
fn in_the_users_file(dialect: Dialect, places: &Places) -> Result<Source, Error> {
    let held = config::hold(places, &Choice::default()).map_err(Error::Config)?;
    Ok(match held.policy.dialect(dialect.name()) {
        Some(table) => {
            Source::Table { place: format!("[dialect.{}]", dialect.name()), table: table.clone() }
        }
        None => Source::Defaults,
    })
}

fn contract(opening: &Opening, source: &Source) -> Result<Box<dyn Contract>, keys::Error> {
    Ok(match opening.dialect {
        Dialect::Flowforge => Box::new(source.read::<Flowforge>()?),
        Dialect::Analysis => Box::new(source.read::<Analysis>()?),
        Dialect::ExecuteCommand => {
            let mut keys = source.read::<ExecuteCommand>()?;
            keys.mode = opening.mode;
            Box::new(keys)
        }
        Dialect::Exec => Box::new(source.read::<Exec>()?),
        Dialect::Bash => Box::new(source.read::<Bash>()?),
    })
}

impl Opened {
    /// Its tools.
    pub fn tools(&self) -> Vec<Tool> {
        self.contract.tools()
    }

    /// Waits until no task of this dialect runs any more, and until those who ask about the last
    /// one have their answers.
    pub fn wait_for_tasks(&self) {
        self.clerk.wait_for_tasks();
        self.clerk.engine.close_desk(LAST_ANSWERS);
    }

    /// The session is over: every task of it is stopped, and each is told of.
    pub fn end(&self, tell: &dyn Tell) {
        let session = self.clerk.caller.session.clone();
        let ended = self.clerk.engine.end_session(&session, &mut |notice| {
            let mut fields = serde_json::Map::new();
            fields.insert("task_id".into(), notice.id.as_str().into());
            fields.insert("cancelled".into(), true.into());
            if let Some(label) = notice.reply.as_ref().and_then(|reply| reply.label.as_ref()) {
                fields.insert("description".into(), label.as_ref().as_str().into());
            }
            tell.tell(Note { fields });
        });
        // The jobs are stopped; what of its places could not be taken away is swept later.
        drop(ended);
    }

    /// Carries out one call. A tool that does not exist is the caller's business to see.
    pub fn call(&self, tool: &str, arguments: Value, cancel: &Cancel, tell: &dyn Tell) -> Called {
        let turn = Turn { clerk: &self.clerk, tool, cancel, tell };
        let called =
            Arguments::new(arguments).and_then(|arguments| self.contract.call(&turn, arguments));
        called.unwrap_or_else(|fault| *fault)
    }
}
