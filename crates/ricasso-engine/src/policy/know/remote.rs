//! Words by which things in other places are destroyed.

use super::{Act, Does, Harm, place};
use crate::policy::word::Word;

/// `DELETE` of a whole index, table or repository; one item by its number is daily business.
pub(super) fn method(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    if word.known() != Some(b"DELETE") {
        return;
    }
    let all = |word: &Word| {
        let shown = word.shown();
        let path = shown.trim_end_matches('/');
        path.ends_with("/_all") || path.ends_with("/*") || path.contains("/repos/")
    };
    let here = |word: &Word| {
        let host = place::host(word);
        matches!(host.known(), Some(b"localhost" | b"127.0.0.1" | b"::1" | b"0.0.0.0"))
    };
    let harm = if words.iter().any(all) {
        Does::Catastrophe(Harm::Store)
    } else if words.iter().any(here) {
        return;
    } else {
        Does::HardToTakeBack(Harm::Remote)
    };
    acts.push(Act::with(harm, word, at));
}

/// Words that start a name of what destroys.
const DESTROYS: &[&[u8]] = &[b"delete", b"destroy", b"terminate", b"purge", b"remove", b"nuke"];

/// Options by which no question is asked, and nothing is kept.
const UNASKED: &[&[u8]] = &[
    b"-y",
    b"--yes",
    b"-f",
    b"--force",
    b"-q",
    b"--quiet",
    b"--confirm",
    b"--skip-final-snapshot",
    b"--assume-yes",
    b"--non-interactive",
    b"--force-delete-without-recovery",
];

/// A word that destroys: with a question it can be taken back once, without one it cannot.
pub(super) fn cloud_verb(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let Some(name) = word.known() else { return };
    let verb = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let destroys = DESTROYS.iter().any(|start| {
        verb.strip_prefix(*start).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
    });
    if !destroys && !matches!(verb, b"rm" | b"rb" | b"del" | b"unset") {
        return;
    }
    let unasked = words.iter().any(|word| UNASKED.iter().any(|one| word.known() == Some(one)));
    let harm = if unasked { Does::Catastrophe } else { Does::HardToTakeBack };
    acts.push(Act::with(harm(Harm::Remote), word, at));
}

/// Kinds that take everything in them along, unless only listed.
pub(super) fn kubernetes_kind(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let first = words.iter().position(|word| word.known() == Some(b"delete"));
    let kind = word.known().unwrap_or_default();
    let kind = kind.split(|byte| *byte == b'/').next().unwrap_or_default();
    let whole = matches!(
        kind,
        b"namespace"
            | b"namespaces"
            | b"ns"
            | b"crd"
            | b"crds"
            | b"customresourcedefinition"
            | b"node"
            | b"nodes"
            | b"pv"
            | b"persistentvolume"
            | b"project"
    );
    if whole && first.is_some() {
        acts.push(Act::with(Does::Catastrophe(Harm::Remote), word, at));
    }
}

/// `DELETE` of a repository or an organisation, or of something in it.
pub(super) fn forge_method(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    if !word.known().is_some_and(|method| method.eq_ignore_ascii_case(b"DELETE")) {
        return;
    }
    let whole = words.iter().any(|word| {
        let shown = word.shown();
        let path = shown.trim_start_matches('/');
        path.starts_with("repos/") && path.matches('/').count() == 2
            || path.starts_with("orgs/") && path.matches('/').count() == 1
    });
    let harm = if whole { Does::Catastrophe } else { Does::HardToTakeBack };
    acts.push(Act::with(harm(Harm::Remote), word, at));
}
