//! docs/design/dependencies.md: every dependency has a row, and every row a dependency.

use super::manifest::dependencies;
use super::{Finding, tree::Tree};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = "docs/design/dependencies.md";
/// The heading of the table of those in use; what was refused stands elsewhere on the page.
const IN_USE: &str = "## In use";

/// Dependencies that nobody gave a reason for, each named once.
pub(super) fn have_a_row(tree: &Tree) -> Vec<Finding> {
    let rows = rows(tree);
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for (path, text) in tree.ending_in("Cargo.toml") {
        let theirs = dependencies(text).into_iter().filter(|dependency| !dependency.own);
        for dependency in theirs.filter(|theirs| !rows.contains_key(theirs.name.as_str())) {
            if !named.insert(dependency.name.clone()) {
                continue;
            }
            let message = format!("`{}` has no row in {PAGE}", dependency.name);
            findings.push(Finding::breach(path, dependency.line, message));
        }
    }
    findings
}

/// Rows that outlived their dependency.
pub(super) fn rows_have_a_dependency(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.ending_in("Cargo.toml");
    let used: Vec<String> =
        manifests.flat_map(|(_, text)| dependencies(text)).map(|found| found.name).collect();
    let rows = rows(tree).into_iter();
    let stale = rows.filter(|(name, _)| !used.iter().any(|used| used == name));
    stale.map(|(name, line)| Finding::breach(PAGE, line, format!("`{name}` is not used"))).collect()
}

/// The names in the first column of the table, with their lines.
fn rows(tree: &Tree) -> BTreeMap<&str, usize> {
    let page = tree.files.get(PAGE).map_or("", String::as_str);
    let lines = page.lines().enumerate().skip_while(|(_, line)| line.trim() != IN_USE).skip(1);
    let section = lines.take_while(|(_, line)| !line.starts_with("## "));
    let cells = section.filter_map(|(index, line)| {
        let cell = line.strip_prefix('|')?.split('|').next()?.trim();
        Some((cell.strip_prefix('`')?.strip_suffix('`')?, index + 1))
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const MANIFEST: (&str, &str) = (
        "Cargo.toml",
        "[workspace.dependencies]\nricasso-os = { path = \"a\" }\nserde = \"1\"\n# a = b\n\
         [target.'cfg(windows)'.dependencies]\nwindows-sys.workspace = true\n\
         [dev-dependencies.proptest]\nversion = \"1\"\n[features]\ncli = []\n",
    );

    #[test]
    fn dependency_without_a_row_is_refused() {
        let page =
            "## In use\n| crate | for |\n|---|---|\n| `serde` | a |\n## Refused\n| `proptest` |\n";
        let files = [MANIFEST, (PAGE, page)];
        assert_eq!(found(have_a_row, &files), ["Cargo.toml:6", "Cargo.toml:7"]);
    }

    #[test]
    fn row_without_a_dependency_is_refused() {
        let page = "## In use\n| `serde` | a |\n| `regex` | b |\n";
        let files = [MANIFEST, (PAGE, page)];
        assert_eq!(found(rows_have_a_dependency, &files), ["docs/design/dependencies.md:3"]);
    }
}
