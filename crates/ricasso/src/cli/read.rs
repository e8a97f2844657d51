//! What the reader alone understands of a text: a tree for people, commands for programs.

use super::check::Answer;
use super::jsonl::{Malformed, each_line};
use super::print;
use crate::exit;
use ricasso_engine::request::{Bytes, Step};
use ricasso_shell::{Script, Shell};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `check --tree`: draws every text.
pub(super) fn tree(steps: &[Step]) -> Answer {
    let mut code = exit::CHECK_ALLOW;
    for step in steps {
        let script = match step {
            Step::Argv(_) => {
                print::say("ricasso: a program with arguments is read by no shell: no tree");
                continue;
            }
            Step::Shell(text) | Step::Script { text, .. } => read(text.as_slice()),
        };
        print::put(ricasso_shell::draw(&script).as_bytes());
        if script.unreadable().is_some() {
            code = exit::CHECK_DENY;
        }
    }
    Ok(code)
}

/// `check --commands --jsonl`: each command wherever it hides, and text that becomes code.
pub(super) fn commands() -> Answer {
    each_line(&mut |line| {
        let asked: Asked = serde_json::from_slice(line).map_err(Malformed::json)?;
        let script = read(asked.command.as_slice());
        let answer = serde_json::to_value(Understood::of(asked.id, &script));
        answer.map_err(Malformed::json)
    })
}

fn read(text: &[u8]) -> Script {
    ricasso_shell::read(text, Shell::Bash)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: Value,
    command: Bytes,
}

#[derive(Serialize)]
struct Understood {
    id: Value,
    unreadable_from: Option<usize>,
    commands: Vec<OneCommand>,
    code: Vec<OneCode>,
}

#[derive(Serialize)]
struct OneCommand {
    words: Vec<Option<Bytes>>,
    span: [usize; 2],
}

#[derive(Serialize)]
struct OneCode {
    span: [usize; 2],
}

impl Understood {
    fn of(id: Value, script: &Script) -> Understood {
        let named = script.commands().filter(|found| !found.words.is_empty());
        let commands = named.map(|found| OneCommand {
            words: found.words.iter().flat_map(words).collect(),
            span: [found.span.start, found.span.end],
        });
        let code = script.code().map(|code| OneCode { span: [code.span.start, code.span.end] });
        Understood {
            id,
            unreadable_from: script.unreadable().map(|unreadable| unreadable.from),
            commands: commands.collect(),
            code: code.collect(),
        }
    }
}

/// A word may be several, since braces are expanded before anything is known; one that is not
/// known before it runs is one `None`.
fn words(word: &ricasso_shell::tree::Word) -> Vec<Option<Bytes>> {
    match word.values() {
        Some(values) => values.into_iter().map(|value| Some(Bytes::from(value))).collect(),
        None => vec![None],
    }
}
