//! SPECIFICATION.md: every numbered promise names a test that exists.
//!
//! A promise is a paragraph or a list item that holds `**P7**`; it ends at the next promise, at a
//! heading or at an empty line, and somewhere says `*(test: name)*` or `*(tests: name, name)*`. A
//! name is that of a test function (with or without its path) or, with a `/`, of a file in cases/.

use super::{Finding, tree::Tree};

const PAGE: &str = "SPECIFICATION.md";

struct Promise<'a> {
    number: usize,
    line: usize,
    text: Vec<&'a str>,
}

/// Promises without a test, with one that is not there, or out of order.
pub(super) fn name_their_tests(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.files.get(PAGE) else {
        return vec![Finding::breach(PAGE, 1, "there is no specification")];
    };
    let mut findings = Vec::new();
    let mut last = 0;
    for promise in promises(page) {
        let mut breach = |message| findings.push(Finding::breach(PAGE, promise.line, message));
        if promise.number <= last {
            breach(format!("P{} comes after P{last}: a number is given once", promise.number));
        }
        last = promise.number;
        let names = tests_named(&promise.text.join(" "));
        if names.is_empty() {
            breach(format!("P{last} names no test; write *(test: name)*"));
        }
        for name in names.iter().filter(|name| !exists(tree, name)) {
            breach(format!("P{last} names `{name}`, which is no test and no case file"));
        }
    }
    findings
}

fn promises(page: &str) -> Vec<Promise<'_>> {
    let mut found: Vec<Promise<'_>> = Vec::new();
    let mut open = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(number) = number(line) {
            found.push(Promise { number, line: index + 1, text: vec![line] });
            open = true;
        } else if line.trim().is_empty() || line.starts_with('#') {
            open = false;
        } else if let Some(promise) = found.last_mut().filter(|_| open) {
            promise.text.push(line);
        }
    }
    found
}

/// The number of the promise that a line begins.
fn number(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once("**P")?;
    rest.split_once("**")?.0.parse().ok()
}

fn tests_named(text: &str) -> Vec<String> {
    let marks = text.split("*(test").skip(1).filter_map(|rest| rest.split_once(")*"));
    let lists = marks.filter_map(|(list, _)| list.trim_start_matches('s').strip_prefix(':'));
    let names = lists.flat_map(|list| list.split(','));
    names.map(|name| name.trim().trim_matches('`').to_owned()).collect()
}

/// A test is a function in test code, or a file among the cases.
pub(super) fn exists(tree: &Tree, name: &str) -> bool {
    if name.contains('/') {
        return name.starts_with("cases/") && tree.has(name);
    }
    let function = name.rsplit("::").next().unwrap_or(name);
    tree.sources.iter().any(|source| {
        let functions = source.functions().into_iter();
        let tests = functions.filter(|found| source.in_tests(found.span.start));
        tests.map(|found| found.name).any(|found| found == function)
    })
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const TESTS: (&str, &str) = ("crates/a/tests/it/a.rs", "#[test]\nfn it_holds() {}\n");
    const CASES: (&str, &str) = ("cases/verdict/git.toml", "");

    fn found_in(page: &str) -> Vec<String> {
        found(name_their_tests, &[(PAGE, page), TESTS, CASES])
    }

    #[test]
    fn promise_with_its_test_or_case_file_is_good() {
        let page = "# A\n- **P1** It holds\n  always. *(test: `it::a::it_holds`)*\n\n\
                    **P3** Git. *(tests: it_holds, cases/verdict/git.toml)*\n";
        assert!(found_in(page).is_empty());
    }

    #[test]
    fn promise_without_a_test_is_refused() {
        let page = "- **P1** It holds.\n- **P2** So does this. *(test: it_holds)*\n";
        assert_eq!(found_in(page), ["SPECIFICATION.md:1"]);
    }

    #[test]
    fn promise_that_names_no_test_of_ours_is_refused() {
        let page = "**P1** A. *(tests: it_holds, it_held)*\n**P2** B. *(test: cases/verdict/no)*\n";
        assert_eq!(found_in(page), ["SPECIFICATION.md:1", "SPECIFICATION.md:2"]);
    }

    #[test]
    fn number_given_twice_and_missing_page_are_refused() {
        let page = "**P2** A. *(test: it_holds)*\n**P2** B. *(test: it_holds)*\n";
        assert_eq!(found_in(page), ["SPECIFICATION.md:2"]);
        assert_eq!(found(name_their_tests, &[TESTS]), ["SPECIFICATION.md:1"]);
    }
}
