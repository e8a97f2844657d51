//! `check --jsonl`: one request a line in, one verdict a line out, in the same order.

use super::check::{Answer, request, try_keeper};
use super::print;
use crate::config::{self, Choice, Held, Places};
use crate::exit;
use ricasso_engine::engine::{Checked, check_alone};
use ricasso_engine::request::{Bytes, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

/// A line holds one command; a longer one is a mistake, and is not read into memory.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// Why a line was not judged.
#[derive(Debug)]
pub(super) struct Malformed(String);

impl Malformed {
    pub(super) fn json(error: serde_json::Error) -> Malformed {
        Malformed(error.to_string())
    }

    fn other(error: &dyn std::error::Error) -> Malformed {
        Malformed(error.to_string())
    }
}

/// Answers every line of standard input. A line that cannot be answered is told, and the rest go
/// on; then the exit code says that not all were.
pub(super) fn each_line(answer: &mut dyn FnMut(&[u8]) -> Result<Value, Malformed>) -> Answer {
    let mut input = io::stdin().lock();
    let mut code = exit::CHECK_ALLOW;
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut input, MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(code);
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let said = answer(&line).unwrap_or_else(|Malformed(why)| {
            code = exit::CHECK_USAGE;
            json!({ "id": null, "error": why })
        });
        let mut text = serde_json::to_vec(&said)?;
        text.push(b'\n');
        if !print::put(&text) {
            return Ok(exit::CHECK_USAGE);
        }
    }
}

/// Judges every line. Each policy is loaded once, however many lines name it.
pub(super) fn judge_lines(places: &Places, choice: &Choice, cwd: Option<&Path>) -> Answer {
    let mut held: HashMap<Option<String>, Held> = HashMap::new();
    let keeper = OnceCell::new();
    let base = cwd.map_or(places.cwd.clone(), |cwd| places.cwd.join(cwd));
    each_line(&mut |line| {
        let asked: Asked = serde_json::from_slice(line).map_err(Malformed::json)?;
        if !held.contains_key(&asked.policy) {
            let named = asked.policy.clone().or_else(|| choice.policy.clone());
            let choice = Choice { policy: named, ..choice.clone() };
            let loaded = config::hold(places, &choice).map_err(|error| Malformed::other(&error))?;
            held.insert(asked.policy.clone(), loaded);
        }
        let held = &held[&asked.policy];
        let cwd = asked.cwd.as_ref().map_or(base.clone(), |cwd| base.join(cwd));
        let request = request(vec![asked.step()?], cwd, held.workspace.clone());
        let keeper = || keeper.get_or_init(try_keeper).as_ref();
        let checked = check_alone(&request, &held.policy, keeper)
            .map_err(|error| Malformed::other(&error))?;
        serde_json::to_value(Judged { id: asked.id, checked }).map_err(Malformed::json)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: Value,
    command: Option<Bytes>,
    argv: Option<Vec<Bytes>>,
    policy: Option<String>,
    cwd: Option<PathBuf>,
}

impl Asked {
    fn step(&self) -> Result<Step, Malformed> {
        match (&self.command, &self.argv) {
            (Some(text), None) => Ok(Step::Shell(text.clone())),
            (None, Some(words)) => Ok(Step::Argv(words.clone())),
            (Some(_), Some(_)) | (None, None) => {
                Err(Malformed("a line has either a command or an argv".into()))
            }
        }
    }
}

#[derive(Serialize)]
struct Judged {
    id: Value,
    #[serde(flatten)]
    checked: Checked,
}
