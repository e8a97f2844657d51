//! Code of other languages: only lines that evidently hand a text to a shell are told.

use crate::policy::know::{Act, Does, Language};
use crate::policy::word::Word;

/// What stands before a command in debuggers, editors, calculators and Tcl.
const STARTS: &[&str] = &["!", "exec ", "shell ", "system ", "spawn ", "\\!"];

/// The texts that are handed to a shell, and `Code` for the rest.
pub(super) fn acts(language: Language, word: &Word, text: &[u8], at: usize) -> Vec<Act> {
    let mut acts = Vec::new();
    for line in String::from_utf8_lossy(text).lines() {
        let command = if language == Language::Make {
            line.strip_prefix('\t').map(|line| line.trim_start_matches(['@', '-', '+']))
        } else {
            let line = line.trim_start();
            STARTS.iter().find_map(|start| line.strip_prefix(start))
        };
        let command = command.map(str::trim).unwrap_or_default();
        if !command.is_empty() {
            acts.push(Act::with(Does::RunText, &Word::of(command), at));
        }
    }
    acts.push(Act::with(Does::Code(language), word, at));
    acts
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
    }
}
