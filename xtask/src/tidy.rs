//! What STYLE.md says that a machine can check. Each check is a pure function over the tree of
//! files and brings the test that shows it fail.

mod dependencies;
mod manifest;
mod mask;
mod names;
mod pages;
mod promises;
mod sizes;
mod skipped;
mod source;
mod tree;
mod unsafety;
mod words;

use std::fmt;
use std::path::Path;
use tree::Tree;

/// What a check found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    weight: Weight,
    path: String,
    line: usize,
    message: String,
}

/// Whether a finding fails the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    Breach,
    Note,
}

impl Finding {
    fn breach(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { weight: Weight::Breach, path: path.to_owned(), line, message: message.into() }
    }

    fn note(path: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { weight: Weight::Note, ..Finding::breach(path, line, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.weight {
            Weight::Breach => "tidy",
            Weight::Note => "note",
        };
        write!(f, "{word}: {}:{}: {}", self.path, self.line, self.message)
    }
}

/// Every check. A new one is a function and a line here.
const CHECKS: &[fn(&Tree) -> Vec<Finding>] = &[
    sizes::files,
    sizes::functions,
    sizes::lines,
    names::opening_docs,
    names::file_names,
    names::declared_names,
    words::unfinished,
    words::unwraps,
    words::ignored_tests,
    words::foreign,
    words::registries,
    unsafety::only_in_the_os_crate,
    unsafety::forbidden_elsewhere,
    promises::name_their_tests,
    skipped::rows_name_tests,
    dependencies::have_a_row,
    dependencies::rows_have_a_dependency,
    pages::licences,
    pages::design_pages_are_linked,
    pages::links_resolve,
];

/// Checks the tree at `root` and prints what it finds. True when there is no breach.
pub(crate) fn run(root: &Path) -> bool {
    let tree = match Tree::read(root) {
        Ok(tree) => tree,
        Err(error) => {
            println!("tidy: cannot read {}: {}", error.path.display(), error.source);
            return false;
        }
    };
    let findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    findings.iter().for_each(|finding| println!("{finding}"));
    findings.iter().all(|finding| finding.weight == Weight::Note)
}

/// For the tests of the checks: what one finds in a small tree, as `path:line`.
#[cfg(test)]
fn found(check: fn(&Tree) -> Vec<Finding>, files: &[(&str, &str)]) -> Vec<String> {
    let findings = check(&Tree::new(files.iter().map(|(p, t)| ((*p).into(), (*t).into()))));
    findings.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
}
