//! How long a file, a function and a line may be. Tests are not counted.

use super::{Finding, tree::Tree};

/// Beyond this many lines a file is named, so that someone thinks of cutting it.
const FILE_NOTED: usize = 400;
/// Beyond this many it is refused.
const FILE_REFUSED: usize = 600;
/// Lines of one function, its signature and braces included.
const FUNCTION: usize = 70;
/// Columns, as rustfmt is told; it leaves long strings and comments alone, this does not.
const COLUMNS: usize = 100;

/// Long files: a note, then a breach.
pub(super) fn files(tree: &Tree) -> Vec<Finding> {
    let long = |path: &str, lines: usize| match lines {
        0..=FILE_NOTED => None,
        401..=FILE_REFUSED => {
            Some(Finding::note(path, 1, format!("{lines} lines; aim at {FILE_NOTED}")))
        }
        _ => Some(Finding::breach(
            path,
            1,
            format!("{lines} lines; at most {FILE_REFUSED}, aim at {FILE_NOTED}: cut it in two"),
        )),
    };
    let sources = tree.sources.iter();
    sources.filter_map(|source| long(&source.path, source.lines_without_tests())).collect()
}

/// Long functions.
pub(super) fn functions(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &tree.sources {
        for function in source.functions() {
            let first = source.line(function.span.start);
            let lines = source.line(function.span.end - 1) - first + 1;
            if lines > FUNCTION && !source.in_tests(function.span.start) {
                let name = function.name;
                let message = format!("fn {name} has {lines} lines; at most {FUNCTION}");
                findings.push(Finding::breach(&source.path, first, message));
            }
        }
    }
    findings
}

/// Long lines of Rust and of shell scripts.
pub(super) fn lines(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut judge = |path: &str, text: &str, counts: &dyn Fn(usize) -> bool| {
        let mut at = 0;
        for (index, line) in text.split('\n').enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS && counts(at) {
                let message = format!("{columns} columns; at most {COLUMNS}");
                findings.push(Finding::breach(path, index + 1, message));
            }
            at += line.len() + 1;
        }
    };
    for source in &tree.sources {
        judge(&source.path, &source.text, &|at| !source.in_tests(at));
    }
    for (path, text) in tree.ending_in(".sh").chain(tree.ending_in(".ci/run")) {
        judge(path, text, &|_| true);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::{Weight, found};
    use super::*;

    #[test]
    fn file_over_400_lines_is_noted_and_over_600_refused() {
        let of = |lines: usize| {
            let tree = Tree::new([("a.rs".into(), "//! a\n".repeat(lines))].into_iter());
            files(&tree).first().map(|finding| finding.weight)
        };
        assert_eq!(of(400), None);
        assert_eq!(of(401), Some(Weight::Note));
        assert_eq!(of(600), Some(Weight::Note));
        assert_eq!(of(601), Some(Weight::Breach));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// a\n".repeat(900));
        assert!(found(files, &[("a.rs", &tests)]).is_empty());
    }

    #[test]
    fn function_over_70_lines_is_refused_whatever_its_strings_hold() {
        let of = |lines: usize| format!("\nfn a() {{\n{}}}\n", "\"}\"; // }\n".repeat(lines - 2));
        assert!(found(functions, &[("a.rs", &of(70))]).is_empty());
        assert_eq!(found(functions, &[("a.rs", &of(71))]), ["a.rs:2"]);
        assert!(found(functions, &[("tests/a.rs", &of(71))]).is_empty());
    }

    #[test]
    fn line_over_100_columns_is_refused() {
        let good = "é".repeat(100);
        let bad = format!("//! a\n// {good}\n");
        assert!(found(lines, &[("a.rs", &good), ("b.md", &bad)]).is_empty());
        assert_eq!(found(lines, &[("a.rs", &bad), ("b.sh", &bad)]), ["a.rs:2", "b.sh:2"]);
    }
}
