//! `ricasso check`: the verdict and its reasons; nothing runs.

use super::args::Check;
use super::{explain, jsonl, print, read, run};
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::engine::{Checked, Dropped, check_alone, dropped};
use ricasso_engine::policy::Policy;
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::Keeper;
use serde::Serialize;
use std::cell::OnceCell;
use std::path::PathBuf;

/// An exit code, or what went wrong on the way to it.
pub(super) type Answer = Result<u8, Box<dyn std::error::Error>>;

/// Judges and returns the exit code.
pub(super) fn check(args: &Check) -> u8 {
    match try_check(args) {
        Ok(code) => code,
        Err(error) => {
            print::error(error.as_ref());
            exit::CHECK_USAGE
        }
    }
}

fn try_check(args: &Check) -> Answer {
    let places = Places::of_this_process()?;
    let choice = Choice {
        policy: args.rights.policy.clone(),
        overrides: args.rights.overrides(),
        root: args.rights.root.clone(),
        dialect: None,
    };
    if args.tree {
        return read::tree(&run::steps(&args.what, &places, &[])?);
    }
    if args.commands {
        return read::commands();
    }
    if args.jsonl {
        return jsonl::judge_lines(&places, &choice, args.cwd.as_deref());
    }
    let held = config::hold(&places, &choice)?;
    let request = request(
        run::steps(&args.what, &places, &run::roots(&held))?,
        cwd(args, &places),
        held.workspace,
    );
    let keeper = OnceCell::new();
    let checked = check_alone(&request, &held.policy, || keeper.get_or_init(try_keeper).as_ref())?;
    answer(args, &checked, &held.policy)
}

/// Whoever finds out what sandboxes can be built from here, where this process may.
pub(super) fn try_keeper() -> Option<Keeper> {
    Keeper::in_this_process().ok()
}

/// The answer in JSON: the verdict, and which variables a command would not get.
#[derive(Serialize)]
struct Said<'a> {
    #[serde(flatten)]
    checked: &'a Checked,
    env_dropped: Vec<Dropped>,
}

fn cwd(args: &Check, places: &Places) -> PathBuf {
    args.cwd.as_ref().map_or(places.cwd.clone(), |cwd| places.cwd.join(cwd))
}

/// A request that is only judged.
pub(super) fn request(steps: Vec<Step>, cwd: PathBuf, workspace: Option<PathBuf>) -> Request {
    Request {
        steps,
        on_failure: OnFailure::Stop,
        cwd,
        workspace,
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "cli".into(), session: run::SESSION.into(), client: None },
        manner: Manner::default(),
    }
}

fn answer(args: &Check, checked: &Checked, policy: &Policy) -> Answer {
    if args.json {
        let own: Vec<_> =
            std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
        let said = Said { checked, env_dropped: dropped(policy, &own) };
        let mut line = serde_json::to_vec(&said)?;
        line.push(b'\n');
        print::put(&line);
    } else {
        print::put(format!("{}\n", checked.verdict).as_bytes());
        explain::reasons(checked.verdict, &checked.reasons);
    }
    Ok(match checked.verdict {
        "allow" => exit::CHECK_ALLOW,
        "ask" => exit::CHECK_ASK,
        _ => exit::CHECK_DENY,
    })
}
