//! Filters of jq: they read and print; the environment and other files are all that matters.

use crate::policy::know::{Act, Does};
use crate::policy::word::Word;

/// The acts of a filter, or `None` where it is not followed.
pub(super) fn acts(text: &[u8], at: usize) -> Option<Vec<Act>> {
    let mut acts = Vec::new();
    let mut position = 0;
    // Brackets of interpolations that are open within strings.
    let mut strings: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    while let Some(byte) = text.get(position).copied() {
        match byte {
            b'"' => position = string(text, position + 1, depth, &mut strings)?,
            b'#' => {
                while text.get(position).is_some_and(|byte| *byte != b'\n') {
                    position += 1;
                }
            }
            b'(' => {
                depth += 1;
                position += 1;
            }
            b')' if strings.last() == Some(&depth) => {
                strings.pop();
                depth = depth.checked_sub(1)?;
                position = string(text, position + 1, depth, &mut strings)?;
            }
            b')' => {
                depth = depth.checked_sub(1)?;
                position += 1;
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let from = position;
                while text.get(position).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    position += 1;
                }
                let before = from.checked_sub(1).map(|at| text[at]);
                match (&text[from..position], before) {
                    (b"import" | b"include", None | Some(b' ' | b';' | b'\n')) => return None,
                    (b"env", before)
                        if !matches!(before, Some(b'.' | b'$')) && !key(text, position) =>
                    {
                        show(text, position, at, &mut acts);
                    }
                    (b"ENV", Some(b'$')) => show(text, position, at, &mut acts),
                    // yq reads files by these.
                    (name, before) if name.starts_with(b"load") && before != Some(b'.') => {
                        loads(text, position, at, &mut acts);
                    }
                    _ => {}
                }
            }
            _ => position += 1,
        }
    }
    Some(acts)
}

/// Whether a `:` follows, so that the name is the key of an object.
fn key(text: &[u8], position: usize) -> bool {
    text[position..].iter().find(|byte| **byte != b' ') == Some(&b':')
}

/// One variable by its name is no dump.
fn show(text: &[u8], position: usize, at: usize, acts: &mut Vec<Act>) {
    // `env(NAME)` is what yq calls it.
    let named = text.get(position) == Some(&b'(')
        || text.get(position) == Some(&b'.')
            && text.get(position + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    if !named {
        acts.push(Act { at, ..Act::of(Does::ShowEnvironment) });
    }
}

/// Over a string, or up to the code within it.
fn string(text: &[u8], mut at: usize, depth: usize, strings: &mut Vec<usize>) -> Option<usize> {
    loop {
        match *text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' if text.get(at + 1) == Some(&b'(') => {
                strings.push(depth + 1);
                // The bracket itself is counted by the caller.
                return Some(at + 1);
            }
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// `load("FILE")`; a file that is not plain to see is any.
fn loads(text: &[u8], position: usize, at: usize, acts: &mut Vec<Act>) {
    let rest = text[position..].trim_ascii_start();
    let Some(rest) = rest.strip_prefix(b"(") else { return };
    let literal = rest.trim_ascii_start().strip_prefix(b"\"");
    let end = literal.and_then(|text| Some((text, text.iter().position(|byte| *byte == b'"')?)));
    let word = match end {
        Some((text, end)) => Word::of(&text[..end]),
        None => Word::unknown(),
    };
    acts.push(Act::with(Does::Read, &word, at));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dump_of_the_environment_matters() {
        let count = |text: &str| acts(text.as_bytes(), 0).map(|acts| acts.len());
        for text in [
            ".a",
            "{env: .x}",
            ".env",
            "\"env\"",
            "env.HOME",
            "$ENV.HOME",
            "[inputs]",
            ".scripts | to_entries[] | \"\\(.key): \\(.value)\"",
            ". # env",
            ".[$env]",
            ".environment",
        ] {
            assert_eq!(count(text), Some(0), "{text}");
        }
        for text in ["env", "$ENV", "\"\\(env)\"", "[env|keys[]]", "{a: env}"] {
            assert_eq!(count(text), Some(1), "{text}");
        }
        assert_eq!(count("import \"a\" as a; ."), None);
    }
}
