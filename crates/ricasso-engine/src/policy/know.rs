//! What programs do with their words, as data: the catalogue.
//!
//! A program is an entry of a table, with examples that are tests. Everything here is about words;
//! where a path leads and whether it may be touched is decided elsewhere. A program without an
//! entry is not known: nothing may be concluded about its words.

mod act;
mod archives;
mod build;
mod cloud;
mod code;
mod containers;
mod databases;
mod disk;
mod does;
mod editors;
mod fetched;
mod files;
mod find;
mod git;
mod interpreters;
mod machine;
mod net;
mod others;
mod packages;
mod place;
mod read;
mod remote;
mod search;
mod shells;
mod sockets;
mod system;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod uses;
mod wrappers;

pub(super) use does::{Does, Harm, Language, Settings};

use super::word::Word;
use super::words::Meets;
use std::collections::HashMap;
use std::sync::LazyLock;
use table::Program;

/// One act: what is done, and with which word. `None`: by being started at all; an act on a path
/// is then done in the working directory, and a connection goes to a place that the words don't
/// name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Act {
    /// What is done.
    pub(super) does: Does,
    /// With what: the operand, or the value of the option without its name.
    pub(super) with: Option<Word>,
    /// The words of the inner command of `RunRest`, `RunElsewhere`, `RunForInput`; for `RunText`
    /// of a shell's `-c` the words that become `$0`, `$1` and so on; else empty.
    pub(super) rest: Vec<Word>,
    /// The index of the word in the command that it comes from; for `RunRest` the first word of
    /// the inner command.
    pub(super) at: usize,
    /// `Yes`, or `Perhaps` where an unknown word decides whether it is done at all.
    pub(super) sure: Meets,
}

/// What the program `words[0]` (a base name) does, in the order of its words; `None` where the
/// catalogue has no entry for it.
///
/// Inline code that was understood comes as the acts within it, and as nothing where it only
/// computes and prints; `Code` remains where it was not understood or its text is not known.
pub(super) fn acts(words: &[Word]) -> Option<Vec<Act>> {
    let program = find_entry(words.first()?)?;
    Some(act::acts(program, words))
}

/// What code in this language does: for text that comes by standard input or a here-document.
pub(super) fn code(language: Language, text: &Word) -> Vec<Act> {
    code::acts(language, text, 0)
}

/// The language of the files and the input that this program runs.
pub(super) fn language(program: &Word) -> Option<Language> {
    let entry = find_entry(program)?;
    let reads = |does: &Does| match does {
        Does::StdinCode(language) => Some(*language),
        _ => None,
    };
    let shape = entry.shape.alone.iter().chain(entry.shape.always).find_map(reads);
    let named = |names: &str| entry.names.split(' ').any(|name| names == name);
    let by_name = [("sed", Language::Sed), ("awk", Language::Awk), ("make", Language::Make)];
    shape.or_else(|| by_name.iter().find(|(name, _)| named(name)).map(|(_, it)| *it))
}

/// What a word does that is an address, whichever program is given it.
pub(super) fn address(word: &Word) -> Vec<Act> {
    let mut acts = Vec::new();
    let schemes = [&b"http://"[..], b"https://", b"ftp://", b"ssh://", b"ws://", b"wss://"];
    if schemes.iter().any(|scheme| word.head().starts_with(scheme)) {
        place::url(word, 0, &mut acts);
    }
    acts
}

/// Whether a setting of git neither names a program nor a file, whatever its value says.
pub(super) fn is_plain_setting(key: &Word, value: &Word) -> bool {
    let (Some(key), Some(value)) = (key.known(), value.known()) else { return false };
    let mut acts = Vec::new();
    git::setting(&Word::of([key, b"=", value].concat()), 0, &mut acts);
    acts.is_empty()
}

/// The indices of the sub-command's words, global options skipped; `None` where the program is
/// not known or has no sub-commands.
pub(super) fn subcommand(words: &[Word]) -> Option<Vec<usize>> {
    let program = find_entry(words.first()?)?;
    if program.subs.is_empty() {
        return None;
    }
    Some(act::subcommand(program, words))
}

/// Whether a sub-command decides what the program does: one that takes files by itself is a tool
/// whose sub-commands are a second way in.
pub(super) fn needs_subcommand(words: &[Word]) -> bool {
    let program = words.first().and_then(find_entry);
    program.is_some_and(|program| {
        let plain = matches!(program.shape.each, table::Use::Is(Does::Nothing));
        !program.subs.is_empty() && plain
    })
}

/// Every spelling of the option that the catalogue knows, the given one included: `-f` is
/// `--force`. The sub-command is its words joined by one blank, or empty.
pub(super) fn option_spellings<'a>(
    program: &str,
    subcommand: &str,
    option: &'a str,
) -> Vec<&'a str> {
    let mut levels = Vec::new();
    if let Some(program) = find_entry(&Word::of(program)) {
        levels.push(program);
        let mut level = program;
        for name in subcommand.split(' ').filter(|name| !name.is_empty()) {
            let found = level.subs.iter().find(|sub| read::named(sub, name.as_bytes()));
            let Some(found) = found else { break };
            levels.push(found);
            level = found;
        }
    }
    let rows = levels.iter().rev().flat_map(|level| {
        let options = level.options.iter().map(|row| row.names);
        options.chain(level.when.iter().map(|rule| rule.given)).chain([level.dry])
    });
    let mut spellings = vec![option];
    for names in rows {
        if names.split(' ').any(|name| name == option) {
            spellings.extend(names.split(' ').filter(|name| *name != option));
            break;
        }
    }
    spellings
}

/// Every name that the catalogue has an entry for.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).flat_map(|program| program.names.split(' '))
}

/// All tables. A new program is an entry in one of them.
const TABLES: &[&[Program]] = &[
    archives::TABLE,
    build::TABLE,
    cloud::TABLE,
    containers::TABLE,
    databases::TABLE,
    disk::TABLE,
    editors::TABLE,
    files::TABLE,
    git::TABLE,
    interpreters::TABLE,
    net::TABLE,
    others::TABLE,
    packages::TABLE,
    search::TABLE,
    shells::TABLE,
    system::TABLE,
    text::TABLE,
    wrappers::TABLE,
];

/// Entries by name, made once when the first command is judged.
static ENTRIES: LazyLock<HashMap<&'static [u8], &'static Program>> = LazyLock::new(|| {
    let programs = TABLES.iter().flat_map(|table| table.iter());
    let names = programs.flat_map(|program| program.names.split(' ').map(move |n| (n, program)));
    names.map(|(name, program)| (name.as_bytes(), program)).collect()
});

/// The entry of a program: by its name, without a version (`python3.12`), or by the name before
/// the dot (`mkfs.ext4`).
fn find_entry(program: &Word) -> Option<&'static Program> {
    let name = program.known()?;
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name = name.strip_suffix(b".exe").unwrap_or(name);
    if let Some(found) = ENTRIES.get(name) {
        return Some(found);
    }
    let version = |byte: &u8| byte.is_ascii_digit() || *byte == b'.' || *byte == b'-';
    let end = name.iter().rposition(|byte| !version(byte)).map_or(0, |at| at + 1);
    if let Some(found) = ENTRIES.get(&name[..end]) {
        return Some(found);
    }
    let dot = name.iter().position(|byte| *byte == b'.')?;
    let family = [&name[..dot], b".*"].concat();
    ENTRIES.get(family.as_slice()).copied()
}
