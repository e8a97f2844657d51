//! `unsafe` lives in one crate; every other one forbids it.

use super::{Finding, tree::Tree};

/// The one crate that may.
const OS: &str = "crates/ricasso-os/";
const LOCK: &str = "#![forbid(unsafe_code)]";

/// The keyword outside the os crate.
pub(super) fn only_in_the_os_crate(tree: &Tree) -> Vec<Finding> {
    let others = tree.sources.iter().filter(|source| !source.path.starts_with(OS));
    let message = "`unsafe` is for crates/ricasso-os alone";
    let places = others.flat_map(|source| {
        let lines = source.words("unsafe").map(|at| source.line(at));
        lines.map(|line| Finding::breach(&source.path, line, message)).collect::<Vec<_>>()
    });
    places.collect()
}

/// Roots of the other crates that do not forbid it.
pub(super) fn forbidden_elsewhere(tree: &Tree) -> Vec<Finding> {
    let is_root = |path: &str| {
        let inside = path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
        path == "xtask/src/main.rs"
            || inside.is_some_and(|(_, file)| matches!(file, "src/lib.rs" | "src/main.rs"))
    };
    let roots = tree.sources.iter().filter(|source| is_root(&source.path));
    let others = roots.filter(|source| !source.path.starts_with(OS));
    let open = others.filter(|source| !source.code.contains(LOCK));
    open.map(|source| Finding::breach(&source.path, 1, format!("`{LOCK}` is missing"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn unsafe_outside_the_os_crate_is_refused() {
        let text = "// unsafe\nfn a() {\n    unsafe { b() }\n}\n";
        let files = [("crates/ricasso-os/src/a.rs", text), ("bench/src/a.rs", text)];
        assert_eq!(found(only_in_the_os_crate, &files), ["bench/src/a.rs:3"]);
    }

    #[test]
    fn crate_that_does_not_forbid_unsafe_is_refused() {
        let files = [
            ("crates/ricasso-os/src/lib.rs", ""),
            ("crates/ricasso/src/lib.rs", "//! A.\n#![forbid(unsafe_code)]\n"),
            ("crates/ricasso/src/main.rs", "// #![forbid(unsafe_code)]\n"),
            ("crates/ricasso/src/cli/main.rs", ""),
        ];
        assert_eq!(found(forbidden_elsewhere, &files), ["crates/ricasso/src/main.rs:1"]);
    }
}
