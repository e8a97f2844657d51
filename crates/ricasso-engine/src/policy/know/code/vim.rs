//! Commands of vim: `-c`, `+`.

use crate::policy::know::place;
use crate::policy::know::{Act, Does, Language};
use crate::policy::word::Word;

/// The acts of commands, one a line, and `Code` where a line is not followed.
pub(super) fn acts(word: &Word, text: &[u8], at: usize) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut followed = true;
    for line in String::from_utf8_lossy(text).lines() {
        followed &= one(line, at, &mut acts).is_some();
    }
    if !followed {
        acts.push(Act::with(Does::Code(Language::Vim), word, at));
    }
    acts
}

/// Names under which nothing leaves the editor.
const QUIET: &[&str] = &[
    "q", "q!", "qa", "qa!", "qall", "qall!", "quit", "quit!", "cq", "syntax", "syn", "noh", "echo",
    "d", "$", "1", "undo", "redo", "only", "number", "retab", "sort", "bn", "bp", "",
];

fn one(text: &str, at: usize, acts: &mut Vec<Act>) -> Option<()> {
    let text = text.trim_start_matches([':', ' ', '\t']);
    let range = text.trim_start_matches(|letter: char| {
        letter.is_ascii_digit() || matches!(letter, '%' | '.' | '$' | ',')
    });
    if let Some(command) = range.strip_prefix('!') {
        acts.push(Act::with(Does::RunText, &Word::of(command), at));
        return Some(());
    }
    let quiet = ["silent!", "silent", "sil!", "sil", "exec", "execute"];
    if let Some(inner) = quiet.iter().find_map(|it| range.strip_prefix(&format!("{it} "))) {
        let inner = inner.trim().trim_matches(['"', '\'']);
        return one(inner, at, acts);
    }
    let (name, rest) = match range.find(|letter: char| !letter.is_ascii_alphabetic()) {
        Some(end) => range.split_at(end),
        None => (range, ""),
    };
    let target = rest.trim_start_matches('!').trim_start();
    let word = |text: &str| Word::of(text.trim());
    match name {
        "w" | "write" | "sav" | "saveas" | "wq" | "x" | "up" | "update" | "wa" | "wqa" | "xa" => {
            if let Some(command) = target.strip_prefix('!') {
                acts.push(Act::with(Does::RunText, &word(command), at));
            } else if target.is_empty() || target.starts_with('|') {
                acts.push(Act { at, ..Act::of(Does::Edit) });
            } else {
                acts.push(Act::with(Does::Overwrite, &word(target.trim_start_matches('>')), at));
            }
        }
        "r" | "read" => match target.strip_prefix('!') {
            Some(command) => acts.push(Act::with(Does::RunText, &word(command), at)),
            None => acts.push(Act::with(Does::Read, &word(target), at)),
        },
        "e" | "edit" | "view" | "sp" | "split" | "vs" | "vsplit" | "tabe" | "tabedit" => {
            if target.contains("://") {
                place::url(&word(target), at, acts);
            } else if !target.is_empty() {
                acts.push(Act::with(Does::Read, &word(target), at));
            }
        }
        "so" | "source" | "ru" | "runtime" => {
            acts.push(Act::with(Does::CodeFile, &word(target), at))
        }
        "redir" => {
            let file = target.trim_start_matches(['!', ' ']);
            let file = file.strip_prefix('>')?.trim_start_matches('>');
            let file = file.split('|').next().unwrap_or_default();
            acts.push(Act::with(Does::Overwrite, &word(file), at));
        }
        "call" | "let" | "echo" if rest.contains("system") => {
            let from = rest.find("system").unwrap_or_default();
            let mut quoted = rest[from..].split(['"', '\'']);
            quoted.next();
            acts.push(Act::with(Does::RunText, &word(quoted.next()?), at));
            return None;
        }
        "s" | "substitute" if !rest.contains("\\=") => {}
        "set" | "se" | "setlocal" if !rest.contains("shell") && !rest.contains("prg") => {}
        _ if rest.trim_start_matches('!').is_empty() && QUIET.contains(&name) => {}
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_runs_and_fetches_are_found() {
        let told = |text: &str| {
            let acts = acts(&Word::of(text), text.as_bytes(), 0);
            acts.iter().map(|act| act.does).collect::<Vec<_>>()
        };
        assert_eq!(told("w! /tmp/x"), vec![Does::Overwrite]);
        assert_eq!(told(":!sh"), vec![Does::RunText]);
        assert_eq!(told("%!sort"), vec![Does::RunText]);
        assert_eq!(told("e http://h/x"), vec![Does::Connect]);
        assert_eq!(told("qa!"), vec![]);
        assert_eq!(told("%s/a/b/g"), vec![]);
        let code = Does::Code(Language::Vim);
        assert_eq!(told("call system('x')"), vec![Does::RunText, code]);
        assert_eq!(told("silent !x"), vec![Does::RunText]);
        assert_eq!(told("py x"), vec![Does::Code(Language::Vim)]);
    }
}
