//! `files.words = "all"`: words that look like absolute paths are held to the readable roots.
//!
//! Two contracts refuse by the letter of the text. Here that letter is read after quoting, and a
//! word counts only where its first directory exists, so that a route such as /api/v1 is no path.
//! What a program really opens is held elsewhere.

use super::judge::{Bench, Findings, Weight, reason};
use super::place;
use super::text::PathText;
use super::value::Words;
use super::verdict::ReasonLayer;
use super::walk::Reads;
use crate::request::{Bytes, Step};
use crate::scene::{Answer, Query};
use std::path::{Path, PathBuf};

/// Refuses paths outside the readable roots, wherever a word mentions them.
pub(super) fn judge(step: &Step, reads: Reads, bench: &Bench<'_>, findings: &mut Findings) {
    match bench.policy.files().words {
        Words::Meant => return,
        Words::All => {}
    }
    let text = step.text();
    let mentioned: Vec<([usize; 2], Vec<u8>)> = match step {
        Step::Argv(words) => argv(words),
        Step::Shell(_) | Step::Script { .. } => shell(&text, reads),
    };
    for (span, word) in mentioned {
        let Some(path) = path_in(&word) else {
            continue;
        };
        // One slash is a delimiter or an operator as often as a place; what a program does with it
        // is judged where the program is known, and held by the kernel.
        let slash = path.parent().is_none();
        if slash || !exists(&path, bench) || readable(&path, bench) {
            continue;
        }
        let shown = path.display();
        let message = format!("the path {shown} is outside the roots that may be read");
        let remedy =
            format!("use a path inside the workspace, or let a person add {shown} to files.read");
        findings.add(
            Weight::Deny,
            reason("files.words", ReasonLayer::Paths, Some(span), message, remedy),
        );
    }
}

/// All words but the program's, with their spans in the words joined by one space.
fn argv(words: &[Bytes]) -> Vec<([usize; 2], Vec<u8>)> {
    let mut at = 0;
    let mut spans = Vec::new();
    for word in words {
        let end = at + word.as_slice().len();
        spans.push(([at, end], word.as_slice().to_vec()));
        at = end + 1;
    }
    spans.into_iter().skip(1).collect()
}

/// The words of every command but its name, what is assigned, and what is redirected.
fn shell(text: &[u8], reads: Reads) -> Vec<([usize; 2], Vec<u8>)> {
    let script = ricasso_shell::read(text, reads.shell());
    let mut mentioned = Vec::new();
    for found in script.commands() {
        let redirects = found.redirects.iter().map(|redirect| &redirect.target);
        let values = found.assignments.iter().map(|assignment| &assignment.value);
        for word in found.words.iter().skip(1).chain(values).chain(redirects) {
            let span = [word.span.start, word.span.end];
            let values = word.values().unwrap_or_default();
            mentioned.extend(values.into_iter().map(|value| (span, value)));
        }
    }
    mentioned
}

/// The absolute path that a word is, or ends with: `/x`, `--file=/x`, `-I/x`, `file:///x`.
fn path_in(word: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(word).ok()?;
    let path = if text.starts_with('/') {
        text
    } else if let Some(path) = text.strip_prefix("file://") {
        path
    } else if let Some((_, path)) = text.split_once('=').filter(|(_, path)| path.starts_with('/')) {
        path
    } else if text.starts_with('-') {
        &text[text.find('/')?..]
    } else {
        return None;
    };
    Some(place::tidy(Path::new(path)))
}

/// Whether the first directory of the path is there, as far as somebody can say.
fn exists(path: &Path, bench: &Bench<'_>) -> bool {
    let first: PathBuf = path.components().take(2).collect();
    match bench.look.look(&Query::Kind(first)) {
        Answer::Absent => false,
        Answer::Unknown
        | Answer::Kind(_)
        | Answer::Path(_)
        | Answer::Program(_)
        | Answer::Text(_)
        | Answer::Paths(_)
        | Answer::Tree(_)
        | Answer::Kept(_) => true,
    }
}

fn readable(path: &Path, bench: &Bench<'_>) -> bool {
    let files = bench.policy.files();
    let holds = |root: &PathText| {
        place::absolute(root.as_str(), bench).is_some_and(|root| path.starts_with(root))
    };
    files.read.iter().any(holds) && (!files.hide.iter().any(holds) || files.show.iter().any(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_every_spelling_that_the_contracts_name() {
        let path = |word: &str| path_in(word.as_bytes()).map(|path| path.display().to_string());
        for word in [
            "/etc/passwd",
            "--file=/etc/passwd",
            "-I/etc/passwd",
            "file:///etc/passwd",
            "//etc/passwd",
        ] {
            assert_eq!(path(word).as_deref(), Some("/etc/passwd"), "{word}");
        }
        for word in ["a/b", "https://etc/passwd", "s/a/b/", "-x", "./x", "wttr.in/Beijing?T"] {
            assert_eq!(path(word), None, "{word}");
        }
    }
}
