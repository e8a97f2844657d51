//! Words that may not be in the tree: unfinished work, escapes from errors, and what belongs to a
//! developer's machine and not to the project.
//!
//! This file holds the tables, so it alone is not searched for them.

use super::source::whole_words;
use super::{Finding, tree::Tree};

const THIS_FILE: &str = "xtask/src/tidy/words.rs";
/// Marks of unfinished work, anywhere in a text.
const MARKS: &[&str] = &["FIXME", "TODO", "XXX"];
/// Macros of unfinished work, in code.
const MACROS: &[&str] = &["dbg!", "todo!", "unimplemented!"];
/// Paths of a machine, and words about how a text came to be. The project speaks of itself alone.
const FOREIGN: &[&str] = &[
    "/work/",
    A_HOME,
    "subagent",
    "sub-agent",
    "as an AI language model",
    "as an AI assistant",
    "As an AI",
    "Co-Authored-By",
    "Generated with",
    "artifactory",
];
/// A home that rules, scenes and their tests rightly name: searched for outside crates/ only.
const A_HOME: &str = "/root/";
/// The one registry that a lock file may name.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Unfinished work. In Markdown, `code` may name a mark in order to forbid it.
pub(super) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in ours(tree) {
        for (index, line) in text.lines().enumerate() {
            let line = if path.ends_with(".md") { without_code(line) } else { line.to_owned() };
            let mark = MARKS.iter().find(|mark| whole_words(&line, mark).next().is_some());
            findings.extend(mark.map(|mark| {
                Finding::breach(path, index + 1, format!("{mark}: finish it, or leave it out"))
            }));
        }
    }
    for source in &tree.sources {
        for word in MACROS {
            findings.extend(source.words(word).map(|at| {
                Finding::breach(&source.path, source.line(at), format!("{word} cannot be merged"))
            }));
        }
    }
    findings
}

/// `.unwrap()` in product code.
pub(super) fn unwraps(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.sources.iter().filter(|source| source.path.starts_with("crates/")) {
        let places = source.code.match_indices(".unwrap()").map(|(at, _)| at);
        findings.extend(places.filter(|at| !source.in_tests(*at)).map(|at| {
            let message = "no unwrap: return an error, or `expect` with the reason it cannot fail";
            Finding::breach(&source.path, source.line(at), message)
        }));
    }
    findings
}

/// Tests, examples in docs included, that are there and never run.
pub(super) fn ignored_tests(tree: &Tree) -> Vec<Finding> {
    let message = "a test that cannot run says so when it runs; see CONTRIBUTING.md";
    let mut findings = Vec::new();
    for source in &tree.sources {
        let marks = source.code.match_indices("#[ignore").map(|(at, _)| source.line(at));
        let docs = source.text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim_start();
            let doc = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            doc.is_some_and(|doc| doc.trim_start().starts_with("```ignore"))
        });
        let lines = marks.chain(docs.map(|(index, _)| index + 1));
        findings.extend(lines.map(|line| Finding::breach(&source.path, line, message)));
    }
    findings
}

/// What belongs to a machine or to the making, not to the project.
pub(super) fn foreign(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in ours(tree) {
        for (index, line) in text.lines().enumerate() {
            let rightly = |word: &str| word == A_HOME && path.starts_with("crates/");
            let word = FOREIGN.iter().find(|word| holds(line, word) && !rightly(word));
            findings.extend(word.map(|word| {
                let message = format!("`{word}` does not belong in the project");
                Finding::breach(path, index + 1, message)
            }));
        }
    }
    findings
}

/// Packages from anywhere but the public registry.
pub(super) fn registries(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending_in(".lock").chain(tree.ending_in(".toml")) {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            let locked = line.starts_with("source = ") && !line.contains(REGISTRY);
            let replaced = line.starts_with("[source.")
                || line.starts_with("[registries.")
                || line.starts_with("replace-with");
            if (path.ends_with(".lock") && locked) || (!path.starts_with("cases/") && replaced) {
                let message = "packages come from the public registry alone";
                findings.push(Finding::breach(path, index + 1, message));
            }
        }
    }
    findings
}

/// Everything but the tables above and the cases, which are what others type.
fn ours(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let files = tree.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    files.filter(|(path, _)| *path != THIS_FILE && !path.starts_with("cases/"))
}

/// A path counts where it begins: `/usr/work/` is another place.
fn holds(line: &str, word: &str) -> bool {
    let begins = |at: usize| {
        let before = line[..at].chars().next_back();
        !word.starts_with('/')
            || !before.is_some_and(|c| c.is_alphanumeric() || "._-~}*".contains(c))
    };
    line.match_indices(word).any(|(at, _)| begins(at))
}

/// A line of Markdown without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn unfinished_work_is_refused_but_may_be_named_in_a_rule() {
        let files = [
            ("a.rs", "// TODO: later\nfn a() { todo!() }\nlet b = \"dbg!\";\n"),
            ("b.md", "`FIXME` cannot be merged.\nFIXME\n"),
            ("c.toml", "mktemp = \"XXXXXX\"\n"),
        ];
        assert_eq!(found(unfinished, &files), ["a.rs:1", "b.md:2", "a.rs:2"]);
    }

    #[test]
    fn unwrap_is_refused_outside_tests() {
        let text = "fn a() { b.unwrap() }\n// .unwrap()\n#[cfg(test)]\nmod tests { c.unwrap() }\n";
        let files = [("crates/a/src/lib.rs", text), ("crates/a/tests/b.rs", text)];
        assert_eq!(found(unwraps, &files), ["crates/a/src/lib.rs:1"]);
    }

    #[test]
    fn ignored_test_is_refused() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n/// ```ignore\nfn b() {}\n";
        assert_eq!(found(ignored_tests, &[("a.rs", text)]), ["a.rs:2", "a.rs:4"]);
    }

    #[test]
    fn words_from_outside_the_project_are_refused() {
        let files = [
            ("a.md", "see /work/notes.md\n/usr/work/ is fine\n"),
            ("b.sh", "cd '/root/x'\n"),
            ("c.rs", "// the subagent said\n"),
            ("cases/verdict/a.toml", "command = \"rm -rf /root/\"\n"),
            ("crates/a/src/homes.rs", "const A: &str = \"/root/\";\n"),
        ];
        assert_eq!(found(foreign, &files), ["a.md:1", "b.sh:1", "c.rs:1"]);
    }

    #[test]
    fn other_registries_are_refused() {
        let lock = format!("source = \"{REGISTRY}\"\nsource = \"registry+https://mirror/index\"\n");
        let files = [("Cargo.lock", lock.as_str()), (".cargo/config.toml", "[source.crates-io]\n")];
        assert_eq!(found(registries, &files), ["Cargo.lock:2", ".cargo/config.toml:1"]);
    }
}
