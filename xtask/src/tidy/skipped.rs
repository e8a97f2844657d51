//! The list of tests that may be skipped: every row has its form and names what exists.

use super::{Finding, promises, tree::Tree};
use crate::skips::{LIST, read_list};

/// Rows of another form, and rows whose test is gone. A stage of the check, which is a file of
/// xtask, may be skipped as a test may.
pub(super) fn rows_name_tests(tree: &Tree) -> Vec<Finding> {
    let Some(list) = tree.files.get(LIST) else { return Vec::new() };
    let rows = match read_list(list) {
        Ok(rows) => rows,
        Err(wrong) => {
            let breach = |(line, message)| Finding::breach(LIST, line, message);
            return wrong.into_iter().map(breach).collect();
        }
    };
    let stage = |name: &str| tree.has(&format!("xtask/src/{name}.rs"));
    let gone = rows.iter().filter(|row| !promises::exists(tree, &row.test) && !stage(&row.test));
    let message = |test| format!("`{test}` is no test and no stage of the check");
    gone.map(|row| Finding::breach(LIST, row.line, message(&row.test))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn row_of_a_test_that_is_gone_is_refused() {
        let list = "a::it_holds | any | why\nit_held/* | any | why\nfresh/* | not-root | why\n";
        let files = [
            (LIST, list),
            ("crates/a/tests/it/a.rs", "#[test]\nfn it_holds() {}\n"),
            ("xtask/src/fresh.rs", ""),
        ];
        assert_eq!(found(rows_name_tests, &files), ["cases/skips.txt:2"]);
    }

    #[test]
    fn row_of_another_form_is_refused() {
        assert_eq!(found(rows_name_tests, &[(LIST, "\nit_holds\n")]), ["cases/skips.txt:2"]);
    }
}
