//! Code of other languages: lines that evidently hand a text to a shell, and texts that evidently
//! are commands, directories to delete or addresses.

use super::started::{is_address, is_command};
use crate::policy::know::{Act, Does, Language, place};
use crate::policy::word::Word;

/// What stands before a command in debuggers, editors, calculators and Tcl.
const STARTS: &[&str] =
    &["!", "exec ", "shell ", "system ", "spawn ", "\\!", "platform shell ", "syscmd "];

/// Parts of names that start programs.
const STARTERS: &[&str] =
    &["system", "shell", "exec", "run", "cmd", "spawn", "process", "popen", "command", "sh"];

/// Names that delete everything below the directory behind them.
const DELETERS: &[&str] =
    &["delete-directory", "rm_rf", "rmtree", "remove_dir", "delete-tree", "rimraf", "rm_r"];

/// The texts that are handed to a shell, and `Code` for the rest.
pub(super) fn acts(language: Language, word: &Word, text: &[u8], at: usize) -> Vec<Act> {
    let mut acts = Vec::new();
    let text = String::from_utf8_lossy(text);
    for line in text.lines() {
        let command = match language {
            Language::Make => {
                for text in shell_functions(line) {
                    acts.push(Act::with(Does::RunText, &Word::of(text), at));
                }
                line.strip_prefix('\t').map(|line| line.trim_start_matches(['@', '-', '+']))
            }
            Language::Cron => timed(line),
            _ => {
                let line = line.trim_start();
                STARTS.iter().find_map(|start| line.strip_prefix(start))
            }
        };
        let command = command.map(str::trim).unwrap_or_default();
        if !command.is_empty() {
            acts.push(Act::with(Does::RunText, &Word::of(command), at));
        }
    }
    if !matches!(language, Language::Make | Language::Cron) {
        texts(&text, at, &mut acts);
    }
    acts.push(Act::with(Does::Code(language), word, at));
    acts
}

/// What `$(shell TEXT)` of a makefile hands over.
fn shell_functions(line: &str) -> Vec<&str> {
    let starts = line.match_indices("(shell ").map(|(at, start)| &line[at + start.len()..]);
    starts.map(|text| text.rfind(')').map_or(text, |end| &text[..end])).collect()
}

/// What a line of a timetable starts: behind five fields, or behind `@daily` and its kin.
fn timed(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with('#') {
        return None;
    }
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..fields {
        let (_, behind) = rest.split_once(char::is_whitespace)?;
        rest = behind.trim_start();
    }
    Some(rest)
}

/// What the quoted texts of the code are evidently for.
fn texts(code: &str, at: usize, acts: &mut Vec<Act>) {
    let mut all: Vec<(&str, &str)> = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let mark = &rest[start..=start];
        let name = rest[..start].trim_end_matches(['(', '[', ' ', '{']);
        let from = name.rfind(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
        let name = from.map_or(name, |from| name.get(from + 1..).unwrap_or_default());
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(mark) else { break };
        all.push((name, &inner[..end]));
        rest = &inner[end + 1..];
    }
    let starts = STARTERS.iter().any(|part| code.to_ascii_lowercase().contains(part));
    for (number, (name, text)) in all.iter().enumerate() {
        if DELETERS.contains(name) {
            acts.push(Act::with(Does::DeleteTree, &Word::of(*text), at));
        } else if is_address(text.as_bytes()) {
            place::url(&Word::of(*text), at, acts);
        } else if starts && is_command(text.as_bytes()) {
            if text.contains(' ') {
                acts.push(Act::with(Does::RunText, &Word::of(*text), at));
            } else {
                let words = all[number..].iter().map(|(_, word)| Word::of(*word));
                acts.push(Act { rest: words.collect(), at, ..Act::of(Does::RunRest) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_a_shell_are_found() {
        let count =
            |language, text: &str| acts(language, &Word::of(text), text.as_bytes(), 0).len();
        assert_eq!(count(Language::Other, "!touch x"), 2);
        assert_eq!(count(Language::Other, "exec touch x"), 2);
        assert_eq!(count(Language::Other, "print(1)"), 1);
        assert_eq!(count(Language::Make, "x:\n\t@touch x"), 2);
        assert_eq!(count(Language::Make, "x := $(shell touch x)"), 2);
        assert_eq!(count(Language::Cron, "# a\n0 * * * * touch x\n@daily touch y"), 3);
    }

    #[test]
    fn texts_are_taken_for_what_they_evidently_are() {
        let told = |text: &str| -> Vec<Does> {
            let acts = acts(Language::Other, &Word::of(text), text.as_bytes(), 0);
            acts.iter().map(|act| act.does).collect()
        };
        let code = Does::Code(Language::Other);
        assert_eq!(told("(shell-command \"rm -rf /x\")"), [Does::RunText, code]);
        assert_eq!(told("(call-process \"rm\" nil nil nil \"x\")"), [Does::RunRest, code]);
        assert_eq!(told("(delete-directory \"/x\" t)"), [Does::DeleteTree, code]);
        assert_eq!(told("os:cmd(\"rm x\"), halt()."), [Does::RunText, code]);
        assert_eq!(told("(url-retrieve \"http://h/x\")"), [Does::Connect, code]);
        assert_eq!(told("(message \"rm x\")"), [code]);
    }
}
