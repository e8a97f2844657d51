//! Names that say nothing, and files that do not say what they are for.

use super::source::Source;
use super::{Finding, tree::Tree};

/// A file is named for the one thing in it; these are names of drawers.
const DRAWERS: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "misc", "manager", "handler2"];
/// Parts of type names that are no words of the house (ARCHITECTURE.md has those that are).
const HOLLOW: &[&str] =
    &["Context", "Manager", "Handler", "Processor", "Data", "Info", "Util", "Utils", "Helper"];

/// Every Rust file opens with what it is for.
pub(super) fn opening_docs(tree: &Tree) -> Vec<Finding> {
    let silent = tree.sources.iter().filter(|source| !source.text.starts_with("//! "));
    let message = "open the file with `//!`: what it is for, and what it must never do";
    silent.map(|source| Finding::breach(&source.path, 1, message)).collect()
}

/// Files and directories named for nothing.
pub(super) fn file_names(tree: &Tree) -> Vec<Finding> {
    let ours = tree.files.keys().filter(|path| !path.starts_with("cases/"));
    let drawer = |path: &String| {
        let mut parts = path.split(['/', '.', '_', '-']);
        let name = parts.find(|part| DRAWERS.contains(part))?;
        Some(Finding::breach(path, 1, format!("`{name}` names no thing; say what is in the file")))
    };
    ours.filter_map(drawer).collect()
}

/// The door that implements a trait of somebody else's.
const MCP: &str = "crates/ricasso/src/mcp/";

/// Types with hollow names, and functions that begin with `get_` or `test_`.
pub(super) fn declared_names(tree: &Tree) -> Vec<Finding> {
    let ours = tree.sources.iter().filter(|source| source.path.starts_with("crates/"));
    ours.flat_map(|source| {
        let mut findings = types(source);
        findings.extend(functions(source));
        findings
    })
    .collect()
}

fn types(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for keyword in ["struct", "enum", "trait"] {
        for at in source.words(keyword) {
            let rest = source.code[at + keyword.len()..].trim_start();
            let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            if let Some(part) = camel_parts(name).find(|part| HOLLOW.contains(part)) {
                let message = format!("`{name}`: `{part}` is not a word of this house");
                findings.push(Finding::breach(&source.path, source.line(at), message));
            }
        }
    }
    findings
}

fn functions(source: &Source) -> Vec<Finding> {
    let named = source.functions().into_iter().filter_map(|function| {
        let advice = match function.name.split_once('_')?.0 {
            // The SDK's trait names this one.
            "get" if function.name == "get_info" && source.path.starts_with(MCP) => return None,
            "get" => "leave out `get_`",
            // Elsewhere `test` may be a verb: `[` is the shell's own.
            "test" if source.in_tests(function.span.start) => "name the behaviour, not the test",
            _ => return None,
        };
        let line = source.line(function.span.start);
        Some(Finding::breach(&source.path, line, format!("fn {}: {advice}", function.name)))
    });
    named.collect()
}

/// `JobManager` is `Job` and `Manager`.
fn camel_parts(name: &str) -> impl Iterator<Item = &str> {
    let capital = |at: &usize| name.as_bytes()[*at].is_ascii_uppercase();
    let starts: Vec<usize> = (0..name.len()).filter(capital).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([name.len()]).collect();
    starts.into_iter().zip(ends).filter_map(|(start, end)| name.get(start..end))
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn file_without_an_opening_doc_is_refused() {
        let files = [("a.rs", "//! A thing.\n"), ("b.rs", "use std::fs;\n"), ("c.rs", "// c\n")];
        assert_eq!(found(opening_docs, &files), ["b.rs:1", "c.rs:1"]);
    }

    #[test]
    fn file_named_for_nothing_is_refused() {
        let files = [
            ("src/utils.rs", ""),
            ("src/job_manager.rs", ""),
            ("tests/common/mod.rs", ""),
            ("src/commonly.rs", ""),
            ("cases/parse/misc.toml", ""),
        ];
        let expected = ["src/job_manager.rs:1", "src/utils.rs:1", "tests/common/mod.rs:1"];
        assert_eq!(found(file_names, &files), expected);
    }

    #[test]
    fn hollow_type_and_function_names_are_refused() {
        let text = "struct JobManager;\nenum Database {}\nfn get_pid() {}\nfn getter() {}\n\
                    fn test_one() {}\ntrait Handler {}\n";
        let expected = ["crates/a.rs:1", "crates/a.rs:6", "crates/a.rs:3"];
        assert_eq!(found(declared_names, &[("crates/a.rs", text)]), expected);
        let tests = [("crates/a/tests/b.rs", "fn test_one() {}\n")];
        assert_eq!(found(declared_names, &tests), ["crates/a/tests/b.rs:1"]);
    }
}
