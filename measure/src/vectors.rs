//! The vectors of the contracts that are about verdicts: guard, confine, env-set.
//!
//! A dialect is its preset with the contract's own keys laid over it; `native` is a policy of the
//! cases. Messages and results of a dialect are tested at its door, not here.

mod dialect;
mod expect;

use crate::Policies;
use crate::world;
use expect::Expect;
use ricasso_engine::policy;
use ricasso_engine::request::{Bytes, Step};
use ricasso_engine::scene::Described;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The kinds of vectors that a judge can answer.
const KINDS: [&str; 3] = ["guard", "confine", "env-set"];

#[derive(Debug, Deserialize)]
struct Vector {
    id: String,
    dialect: String,
    input: Input,
    expect: Value,
}

#[derive(Debug, Deserialize)]
struct Input {
    kind: String,
    #[serde(default)]
    call: Call,
    #[serde(default)]
    config: Value,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Call {
    #[serde(default)]
    command: String,
    args: Option<Vec<String>>,
    script: Option<String>,
    cwd: Option<String>,
}

/// What the judge said about the vectors of a file.
#[derive(Debug, Default)]
pub struct Answers {
    /// How many there are.
    pub vectors: usize,
    /// One line for each that is not as expected: id, expected, got, rule.
    pub wrong: Vec<String>,
}

/// Judges every vector of the file that is about a verdict.
pub fn measure(file: &Path, policies: &Policies) -> Result<Answers, String> {
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let mut answers = Answers::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let problem = |error: &dyn std::fmt::Display| {
            format!("{}:{}: this is no vector: {error}", file.display(), number + 1)
        };
        let kind = serde_json::from_str::<Value>(line).map_err(|error| problem(&error))?;
        let kind = kind["input"]["kind"].as_str().unwrap_or_default().to_string();
        if !KINDS.contains(&kind.as_str()) {
            continue;
        }
        let vector: Vector = serde_json::from_str(line).map_err(|error| problem(&error))?;
        let expect: Expect =
            serde_json::from_value(vector.expect.clone()).map_err(|error| problem(&error))?;
        answers.vectors += 1;
        if let Some(got) = judge(&vector, &expect, policies) {
            answers.wrong.push(format!("{}\t{}\t{got}", vector.id, expect.shown()));
        }
    }
    Ok(answers)
}

/// What is wrong about the judge's answer, if anything.
fn judge(vector: &Vector, expect: &Expect, policies: &Policies) -> Option<String> {
    let (name, over) = match dialect::policy(&vector.dialect, &vector.input.config) {
        Ok(policy) => policy,
        Err(problem) => return Some(format!("load\t{problem}")),
    };
    let policy = policies.load(name, &over);
    let policy = match policy.as_ref() {
        Ok(policy) => policy,
        Err(problem) => return Some(format!("load\t{problem}")),
    };
    let mut env: Vec<(Bytes, Bytes)> = Vec::new();
    if let Some(name) = &vector.input.name {
        env.push((name.as_str().into(), "/tmp/evil".into()));
    }
    let call = &vector.input.call;
    let request = world::request(step(vector, call), world::cwd(call.cwd.as_deref()), env);
    if request.check().is_err() {
        return expect.wrong_for_empty();
    }
    let judgement = policy::judge(&request, policy, &scene());
    expect.wrong(&vector.dialect, policy, &judgement)
}

fn step(vector: &Vector, call: &Call) -> Step {
    let text = call.command.replace("WORKSPACE", world::WORKSPACE);
    match (&call.script, vector.dialect.as_str()) {
        (Some(script), _) => Step::Shell(script.as_str().into()),
        (None, "flowforge") => {
            let arguments = call.args.iter().flatten().map(|word| word.as_str().into());
            Step::Argv(std::iter::once(Bytes::from(text)).chain(arguments).collect())
        }
        (None, _) if vector.input.kind == "env-set" => Step::Shell("true".into()),
        (None, _) => Step::Shell(text.into()),
    }
}

/// The world of the cases, with the link that some vectors name.
fn scene() -> Described {
    let leak = Path::new(world::WORKSPACE).join("leak");
    world::common().link(leak, "/home/user/out")
}
