//! An owner that runs one program after the other, for tests of what it keeps from one to the next:
//! `owner POLICY STATE WORKSPACE` reads the path of a script from each line of its standard input,
//! runs it with `/bin/sh`, and says its reply as one line of JSON.

use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Layer, Origin, Overrides, Policy};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keeper = Keeper::at_start_of_main()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [policy, state, work] = &words[..] else { return Err("POLICY STATE WORKSPACE".into()) };
    let work = PathBuf::from(work);
    let engine = engine(keeper, policy, Path::new(state))?;
    let cancel = Cancel::new()?;
    for script in std::io::stdin().lock().lines() {
        let request = Request {
            steps: vec![Step::Argv(vec!["/bin/sh".into(), script?.as_str().into()])],
            on_failure: OnFailure::Stop,
            cwd: work.clone(),
            workspace: Some(work.clone()),
            env: Vec::new(),
            stdin: Stdin::Closed,
            timeout: None,
            caller: Caller { door: "library".into(), session: "tests".into(), client: None },
            manner: Manner::default(),
        };
        let reply = engine.run(&request, &cancel)?;
        writeln!(std::io::stdout(), "{}", json!(reply))?;
    }
    Ok(())
}

fn engine(
    keeper: Keeper,
    policy: &str,
    state: &Path,
) -> Result<Engine, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(policy)?;
    let layer = Layer { origin: Origin::User, name: policy.to_string(), text };
    let policy = Policy::from_layers(&[layer], &Overrides::default())?;
    let environment =
        std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect();
    Ok(Engine::open(Setup {
        keeper,
        policy,
        state: StateDir::at(state)?,
        environment,
        spares: Spares::None,
        chores: Chores::Beside,
        told: Vec::new(),
        powers: None,
        stays: Stays::WithItsJobs,
    })?)
}
