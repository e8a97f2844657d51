//! `ricasso check`: the verdict and its reasons; nothing runs.

use super::args::Check;
use super::{print, run};
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::engine::{Checked, check_alone};
use ricasso_engine::request::{Caller, OnFailure, Request, Stdin};

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

fn try_check(args: &Check) -> Result<u8, Box<dyn std::error::Error>> {
    let places = Places::of_this_process()?;
    let choice = Choice {
        policy: args.rights.policy.clone(),
        overrides: args.rights.overrides(),
        root: args.rights.root.clone(),
    };
    let held = config::hold(&places, &choice)?;
    let request = Request {
        steps: run::steps(&args.what, &places)?,
        on_failure: OnFailure::Stop,
        cwd: args.cwd.as_ref().map_or(places.cwd.clone(), |cwd| places.cwd.join(cwd)),
        workspace: held.workspace.clone(),
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "cli".into(), session: run::SESSION.into(), client: None },
    };
    let checked = check_alone(&request, &held.policy)?;
    answer(args, &checked)
}

fn answer(args: &Check, checked: &Checked) -> Result<u8, Box<dyn std::error::Error>> {
    if args.json {
        let mut line = serde_json::to_vec(checked)?;
        line.push(b'\n');
        print::put(&line);
    } else {
        print::put(format!("{}\n", checked.verdict).as_bytes());
        checked.reasons.iter().for_each(print::reason);
    }
    Ok(match checked.verdict {
        "allow" => exit::CHECK_ALLOW,
        "ask" => exit::CHECK_ASK,
        _ => exit::CHECK_DENY,
    })
}
