//! The rule `own-controls`: what the judge guards must not loosen the judge.

use super::loader;
use super::pattern::Command;
use super::text::Glob;
use super::words::{self, Meets};

/// Sub-commands of ricasso that are for people at a terminal or for ricasso itself.
const FOR_PEOPLE: [&str; 9] = [
    "allow-once",
    "keeper",
    "keep",
    "shell-prefix",
    "hook",
    "forget",
    "policy init",
    "policy import",
    "mcp install",
];

/// Options that loosen what a run is held to.
const LOOSENING: [&str; 6] =
    ["--policy", "--yes", "--mode=open", "--dialect-config", "--ticket", "--net=open"];

/// Programs whose words set variables.
const SETTERS: [&[u8]; 6] = [b"export", b"declare", b"typeset", b"readonly", b"local", b"env"];

/// The word or variable by which a command reaches for our own controls.
pub(super) fn reached(command: Command<'_>, assigned: &[Vec<u8>]) -> Option<String> {
    if let Some(name) = assigned.iter().find(|name| loader::is_ours(name)) {
        return Some(String::from_utf8_lossy(name).into_owned());
    }
    if SETTERS.iter().any(|setter| command.names.iter().any(|name| name == setter)) {
        let ours = |word: &&Vec<u8>| loader::is_ours(word);
        let word = command.words.iter().skip(1).flatten().find(ours)?;
        let name = word.split(|byte| *byte == b'=').next().unwrap_or(word);
        return Some(String::from_utf8_lossy(name).into_owned());
    }
    if !command.names.iter().any(|name| name == b"ricasso") {
        return None;
    }
    let glob = |text: &str| Glob::new(text).expect("the tables of this file hold good globs");
    let items = command.items();
    let subcommand = |text: &&&str| {
        let wanted: Vec<Glob> = text.split(' ').map(glob).collect();
        words::begins(&items, &wanted) != Meets::No
    };
    let option = |text: &&&str| words::has_option(command.words, &glob(text)) != Meets::No;
    let found = FOR_PEOPLE.iter().find(subcommand).or_else(|| LOOSENING.iter().find(option));
    found.map(|text| format!("ricasso {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(text: &str) -> Option<String> {
        let words: Vec<_> =
            text.split(' ').map(|word| (word != "?").then(|| word.as_bytes().to_vec())).collect();
        let names = vec![words[0].clone().unwrap()];
        reached(Command { words: &words, names: &names }, &[])
    }

    #[test]
    fn loosening_is_seen_and_using_is_not() {
        assert_eq!(reaches("ricasso run --mode open -c x").unwrap(), "ricasso --mode=open");
        assert_eq!(reaches("ricasso allow-once 123").unwrap(), "ricasso allow-once");
        assert_eq!(reaches("ricasso run --policy=x -c y").unwrap(), "ricasso --policy");
        assert_eq!(reaches("export RICASSO_POLICY=x").unwrap(), "RICASSO_POLICY");
        assert!(reaches("ricasso run ?").is_some());
        assert_eq!(reaches("ricasso jobs"), None);
        assert_eq!(reaches("ricasso output 12 --lines 1-5"), None);
        assert_eq!(reaches("echo ricasso --yes"), None);
    }
}
