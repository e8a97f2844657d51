//! Which rooms and crates of the house a Rust file names, by any path that leaves its own room.

use super::mask::{code_only, in_name};
use std::ops::Range;

/// The crates of the house that another one may name.
const CRATES: &[&str] = &["ricasso_engine", "ricasso_os", "ricasso_shell"];

/// One path in the code: `["policy", "Grant"]` in this crate, `["ricasso_os", "Host"]` elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// The line, counted from one.
    pub(crate) line: usize,
    /// From the root of the crate, or from the name of another one.
    pub(crate) path: Vec<String>,
}

/// The module that a file is, from its path under `src`: `policy/walk.rs` is `["policy", "walk"]`.
pub(crate) fn module(file: &str) -> Vec<String> {
    let parts = file.trim_end_matches(".rs").split('/');
    parts.filter(|part| !matches!(*part, "mod" | "lib" | "main")).map(str::to_owned).collect()
}

/// Every path of a file that begins at the root, above its module, or in another crate.
pub(crate) fn names(file: &str, text: &str) -> Vec<Named> {
    let code = code_only(text);
    let inline = inline_modules(&code);
    let mut found = Vec::new();
    for start in starts(&code) {
        let word = word_at(&code, start);
        let mut at = start + word.len();
        let mut base = match word {
            "crate" => Vec::new(),
            "super" => {
                let depth = inline.iter().filter(|span| span.contains(&start)).count();
                let mut base = module(file);
                base.extend(vec![String::from("inline"); depth]);
                base
            }
            other => vec![other.to_owned()],
        };
        if word == "super" {
            base.pop();
            while let Some(next) =
                after_colons(&code, at).filter(|at| word_at(&code, *at) == "super")
            {
                base.pop();
                at = next + "super".len();
            }
        }
        let line = code.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let mut paths = Vec::new();
        match after_colons(&code, at) {
            Some(next) => drop(expand(&code, next, base, &mut paths)),
            None if CRATES.contains(&word) => paths.push(base),
            None => {}
        }
        found.extend(paths.into_iter().map(|path| Named { line, path }));
    }
    found
}

/// Where a path begins that leaves the module. A second `super` belongs to the first.
fn starts(code: &str) -> Vec<usize> {
    let bytes = code.as_bytes();
    let begins = |at: &usize| {
        let named = at.checked_sub(1).is_some_and(|before| in_name(bytes[before]));
        let word = word_at(code, *at);
        let leaves = word == "crate" || word == "super" || CRATES.contains(&word);
        leaves && !named && !(word == "super" && code[..*at].trim_end().ends_with("super::"))
    };
    (0..bytes.len()).filter(|at| bytes[*at].is_ascii_lowercase()).filter(begins).collect()
}

/// Writes out one tree of names, `a::{b, c::d}`, and returns where it ends.
fn expand(code: &str, at: usize, mut base: Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = skip_space(code, at);
    match code.as_bytes().get(at) {
        Some(b'{') => loop {
            at = expand(code, at + 1, base.clone(), paths);
            at += code[at..].find([',', '}']).unwrap_or(code.len() - at);
            if !code[at..].starts_with(',') {
                return (at + 1).min(code.len());
            }
        },
        Some(b'*') => {
            base.push(String::from("*"));
            paths.push(base);
            at + 1
        }
        Some(byte) if in_name(*byte) => {
            let word = word_at(code, at);
            base.push(word.to_owned());
            at += word.len();
            match after_colons(code, at) {
                Some(next) => expand(code, next, base, paths),
                None => {
                    paths.push(base);
                    at
                }
            }
        }
        // A comma or brace after the last name of a list, or the `<` of type arguments.
        _ => {
            if !code[at..].starts_with('}') {
                paths.push(base);
            }
            at
        }
    }
}

/// The spans of `mod name { … }`.
fn inline_modules(code: &str) -> Vec<Range<usize>> {
    let opens = code.match_indices("mod ").filter(|(at, _)| {
        !at.checked_sub(1).is_some_and(|before| in_name(code.as_bytes()[before]))
    });
    let spans = opens.filter_map(|(at, word)| {
        let name = skip_space(code, at + word.len());
        let open = skip_space(code, name + word_at(code, name).len());
        code[open..].starts_with('{').then(|| at..closing(code, open))
    });
    spans.collect()
}

fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

fn after_colons(code: &str, at: usize) -> Option<usize> {
    let at = skip_space(code, at);
    code[at..].starts_with("::").then(|| skip_space(code, at + 2))
}

fn skip_space(code: &str, at: usize) -> usize {
    at + code[at..].len() - code[at..].trim_start().len()
}

/// The name that begins at an offset; empty where none does.
fn word_at(code: &str, at: usize) -> &str {
    let rest = &code[at..];
    &rest[..rest.bytes().position(|byte| !in_name(byte)).unwrap_or(rest.len())]
}
