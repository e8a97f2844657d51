//! Pages that must be there, and links that must lead somewhere.

use super::{Finding, tree::Tree};

/// Licence files, and a phrase without which they are not that licence.
const LICENCES: &[(&str, &str)] = &[
    ("LICENSE-MIT", "Permission is hereby granted, free of charge"),
    ("LICENSE-APACHE", "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"),
];
const MAP: &str = "ARCHITECTURE.md";

/// Licences that are missing or are something else.
pub(super) fn licences(tree: &Tree) -> Vec<Finding> {
    let lacks =
        |path: &str, phrase: &str| !tree.files.get(path).is_some_and(|t| t.contains(phrase));
    let missing = LICENCES.iter().filter(|(path, phrase)| lacks(path, phrase));
    let message = "the licence is missing or cut";
    let mut findings: Vec<Finding> =
        missing.map(|(path, _)| Finding::breach(path, 1, message)).collect();
    if lacks("Cargo.toml", "license = \"MIT OR Apache-2.0\"") {
        findings.push(Finding::breach("Cargo.toml", 1, "say: license = \"MIT OR Apache-2.0\""));
    }
    findings
}

/// Pages of docs/design that the map does not lead to.
pub(super) fn design_pages_are_linked(tree: &Tree) -> Vec<Finding> {
    let map = tree.files.get(MAP).map_or("", String::as_str);
    let linked: Vec<String> = links(map).map(|(_, link)| bare(link).to_owned()).collect();
    let pages = tree.ending_in(".md").filter(|(path, _)| path.starts_with("docs/design/"));
    let lost = pages.filter(|(path, _)| !linked.iter().any(|link| link == path));
    lost.map(|(path, _)| Finding::breach(path, 1, format!("{MAP} does not link this page")))
        .collect()
}

/// Relative links to files that are not there.
pub(super) fn links_resolve(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.ending_in(".md") {
        for (line, link) in links(text) {
            let outside = link.contains("://") || link.starts_with("mailto:");
            let target = resolve(path, bare(link));
            if !outside && !target.is_some_and(|target| tree.has(&target)) {
                findings.push(Finding::breach(path, line, format!("`{link}` leads nowhere")));
            }
        }
    }
    findings
}

/// Links `[text](target)` outside code, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    let prose = text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    prose.flat_map(|(index, line)| {
        // Every second part stands between backticks: code, not a link.
        let plain = line.split('`').step_by(2);
        let targets = plain.flat_map(|part| part.split("](").skip(1));
        targets.filter_map(move |rest| Some((index + 1, rest.split_once(')')?.0)))
    })
}

/// A link without its place on the page.
fn bare(link: &str) -> &str {
    link.split('#').next().unwrap_or(link)
}

/// The path from the root that a link on a page means; `None` if it leaves the tree.
fn resolve(page: &str, link: &str) -> Option<String> {
    if link.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn missing_licence_is_refused() {
        let files = [("LICENSE-MIT", "Permission is hereby granted, free of charge, …")];
        assert_eq!(found(licences, &files), ["LICENSE-APACHE:1", "Cargo.toml:1"]);
    }

    #[test]
    fn design_page_off_the_map_is_refused() {
        let map = "See [a](docs/design/a.md#top).\n```\n[b](docs/design/b.md)\n```\n";
        let files = [(MAP, map), ("docs/design/a.md", ""), ("docs/design/b.md", "")];
        assert_eq!(found(design_pages_are_linked, &files), ["docs/design/b.md:1"]);
    }

    #[test]
    fn link_that_leads_nowhere_is_refused() {
        let page = "[up](../README.md) [here](#a) [out](https://example.com)\n\
                    [gone](b.md)\n`[code](c.md)` [`named`](d.md)\n[far](../../x.md)\n[dir](../docs/)\n";
        let files = [("docs/a.md", page), ("README.md", "")];
        assert_eq!(found(links_resolve, &files), ["docs/a.md:2", "docs/a.md:3", "docs/a.md:4"]);
    }
}
