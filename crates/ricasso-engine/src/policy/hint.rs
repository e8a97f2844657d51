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

/// Commands of the shell's own that people put before others or behind them.
const HARMLESS: [&[u8]; 9] =
    [b"cd", b"export", b"set", b"unset", b"echo", b"printf", b":", b"true", b"umask"];

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

/// Whether something of a step may fail and the step succeed all the same, as far as its text
/// tells. What reaches nowhere, as `cd` and `echo`, does not count.
pub fn may_hide_failure(request: &Request, step: &Step) -> bool {
    match step {
        Step::Argv(_) => false,
        Step::Shell(_) | Step::Script { .. } => text_may_hide_failure(&request.sent(step)),
    }
}

fn text_may_hide_failure(text: &[u8]) -> bool {
    let list = &ricasso_shell::read(text, Shell::Bash).body;
    let piped = !sets_pipefail(list);
    let Some((last, before)) = list.items.split_last() else { return false };
    // Behind the last of these the first failure is that of the whole.
    let chain = before.iter().rposition(|item| item.joint != Joint::And).map_or(0, |at| at + 1);
    let (hidden, shown) = before.split_at(chain);
    let simple = |pipeline: &Pipeline| match pipeline.stages.as_slice() {
        [] => true,
        [only] => matches!(only.command.kind, Kind::Simple(_)),
        [..] => !piped,
    };
    let shows = |pipeline: &Pipeline| simple(pipeline) && !pipeline.negated;
    let last_shows = last.joint != Joint::Background && shows(&last.pipeline);
    !last_shows
        || !shown.iter().all(|item| shows(&item.pipeline))
        || !hidden.iter().all(|item| is_harmless(&item.pipeline))
}

/// Whether a pipeline is one command of the shell's own that reaches nowhere.
fn is_harmless(pipeline: &Pipeline) -> bool {
    let [only] = pipeline.stages.as_slice() else { return pipeline.stages.is_empty() };
    let Kind::Simple(simple) = &only.command.kind else { return false };
    let name = simple.words.first().map(|word| word.value());
    name.is_none_or(|name| name.is_some_and(|name| HARMLESS.contains(&name.as_ref())))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_ends_with_its_first_failure_hides_none() {
        for text in [
            "",
            "pip install x",
            "cd a && npm ci && npm test",
            "cd a; export B=c; pip install x",
            "A=b\npip install x",
            "set -o pipefail; pip install x | tail -3",
        ] {
            assert!(!text_may_hide_failure(text.as_bytes()), "{text}");
        }
        for text in [
            "pip install x | tail -3",
            "pip install x; echo done",
            "pip install x\nls",
            "pip install x || true",
            "! pip install x",
            "pip install x &",
            "(pip install x; true)",
            "for i in a b; do pip install $i; done",
            "$A x; ls",
            "cd a && pip install x; ls",
        ] {
            assert!(text_may_hide_failure(text.as_bytes()), "{text}");
        }
    }
}
