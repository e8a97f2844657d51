//! The same attempts in a copy of a view that was built ahead: an owner that has run something in
//! the same cage before, which a single `ricasso run` never has.

use super::stage::Stage;
use super::table::Attempt;
use crate::cage::with;
use crate::place::{PATIENCE, program};
use crate::views::{MOUNTS, is_copied};
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::request::{Bytes, Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Whether an attempt can be made so: nothing stands round ricasso, and its control is with it.
pub(super) fn is_for(attempt: &Attempt) -> bool {
    let plain = attempt.wrap.is_none()
        && attempt.input.is_none()
        && !attempt.bare
        && attempt.during.is_none();
    // Commands with a list of programs have no views ahead, and those that are refused none at all.
    plain && attempt.policy.is_none() && attempt.refusal.is_none()
}

/// Runs the act in a copied view; the reply. Nothing where no command ever gets a copy.
pub(super) fn run(stage: &Stage, attempt: &Attempt, act: &Path) -> Option<Value> {
    let engine = engine(stage, attempt);
    let began = Instant::now();
    let mut request = request(stage, vec!["/bin/sh".into(), "-c".into(), MOUNTS.into()]);
    while !is_copied(engine.run(&request, &Cancel::new().unwrap()).unwrap().stdout.as_str()) {
        if began.elapsed() > PATIENCE {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let act = Bytes::from(act.as_os_str().to_os_string());
    request.steps = vec![Step::Argv(vec!["/bin/sh".into(), act])];
    Some(json!(engine.run(&request, &Cancel::new().unwrap()).unwrap()))
}

fn engine(stage: &Stage, attempt: &Attempt) -> Engine {
    let mode = attempt.modes.last().map_or("workspace", String::as_str);
    let net =
        attempt.nets.last().map_or(String::new(), |net| format!("[net]\nallow = \"{net}\"\n"));
    let policy = with(&format!("extends = \"{mode}\"\n{net}[limits]\ntimeout = \"20s\"\n"));
    let keeper = Keeper::program(program()).unwrap();
    let state = StateDir::at(Path::new(&stage.fill("{state}/ricasso"))).unwrap();
    let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let home = stage.fill("{home}");
    let environment = vec![("PATH".into(), path.into()), ("HOME".into(), home.as_str().into())];
    let (spares, chores, told, powers) = (Spares::None, Chores::Beside, Vec::new(), None);
    let stays = Stays::WithItsJobs;
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .unwrap()
}

fn request(stage: &Stage, words: Vec<Bytes>) -> Request {
    let work = std::path::PathBuf::from(stage.fill("{work}"));
    Request {
        steps: vec![Step::Argv(words)],
        on_failure: OnFailure::Stop,
        cwd: work.clone(),
        workspace: Some(work),
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "tests".into(), client: None },
        manner: Manner::default(),
    }
}
