//! What a text hides from whoever reads its ending: told beside the reply, never a verdict.

use super::Policy;
use super::value::Survivors;
use super::walk::Reads;
use crate::request::{Request, Step};
use ricasso_shell::tree::{Joint, Kind, List, Pipeline, Word};
use ricasso_shell::{Script, Shell};

/// Programs that people put at the end of a pipe to shorten it; they succeed whatever came before.
const SHORTENERS: [&[u8]; 8] =
    [b"tail", b"head", b"cat", b"tee", b"less", b"more", b"sort", b"uniq"];

/// One sentence for each thing that a reader of the ending should know.
pub fn hints(request: &Request, policy: &Policy) -> Vec<&'static str> {
    let mut hints = Vec::new();
    for step in &request.steps {
        let (text, reads) = match step {
            Step::Argv(_) => continue,
            Step::Shell(text) => (text, Reads::of(policy.shell())),
            Step::Script { text, shell } => (text, Reads::of_script(*shell)),
        };
        let shell = match reads {
            Reads::Bash | Reads::Zsh => Shell::Bash,
            Reads::Sh => Shell::Sh,
        };
        let script = ricasso_shell::read(text.as_slice(), shell);
        hints.extend(of_script(&script, policy.jobs().survivors));
    }
    hints.dedup();
    hints
}

fn of_script(script: &Script, survivors: Survivors) -> Vec<&'static str> {
    let mut hints = Vec::new();
    let list = &script.body;
    if list.items.last().is_some_and(|item| item.joint == Joint::Background) {
        hints.push(match survivors {
            Survivors::Stop => {
                "the text ends in &, so the exit code is not that of the command in the \
                 background; what it leaves running is stopped when the shell ends"
            }
            Survivors::Adopt => {
                "the text ends in &, so the exit code is not that of the command in the background"
            }
        });
    }
    if !sets_pipefail(list) && list.items.iter().any(|item| is_shortened(&item.pipeline)) {
        hints.push(
            "the exit code is that of the last command of the pipe, a failure before it is \
             hidden; the whole output is kept anyway, so leave the last command away or put \
             set -o pipefail in front",
        );
    }
    hints
}

fn is_shortened(pipeline: &Pipeline) -> bool {
    let piped = pipeline.stages.len() > 1;
    let last = pipeline.stages.last().map(|stage| &stage.command.kind);
    let name = match last {
        Some(Kind::Simple(simple)) => simple.words.first().and_then(|word| word.value()),
        Some(_) | None => None,
    };
    piped && name.is_some_and(|name| SHORTENERS.contains(&name.as_ref()))
}

fn sets_pipefail(list: &List) -> bool {
    let words = list.items.iter().flat_map(|item| &item.pipeline.stages).filter_map(|stage| {
        match &stage.command.kind {
            Kind::Simple(simple) => Some(&simple.words),
            _ => None,
        }
    });
    let is = |word: Option<&Word>, text: &[u8]| {
        word.and_then(|word| word.value()).is_some_and(|value| value.as_ref() == text)
    };
    words.into_iter().any(|words| {
        is(words.first(), b"set") && words.iter().any(|word| is(Some(word), b"pipefail"))
    })
}
