//! The dependencies that a Cargo.toml names: just as much TOML as our own manifests use.

/// One dependency of one manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name of the package.
    pub(crate) name: String,
    /// The table it stands in, without its target: `dependencies`, `dev-dependencies`, ….
    pub(crate) table: String,
    /// The line, counted from one.
    pub(crate) line: usize,
    /// Whether it is a crate of this house.
    pub(crate) own: bool,
}

/// All dependencies, in the order of the text.
pub(crate) fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut table = None;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        let entry = |table: &str, name: &str| Dependency {
            name: name.trim().trim_matches('"').to_owned(),
            table: table.to_owned(),
            line: index + 1,
            own: name.trim().starts_with("ricasso") || line.contains("path ="),
        };
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let (kind, single) = table_kind(header);
            if let (Some(kind), Some(name)) = (kind, single) {
                found.push(entry(kind, name));
            }
            table = kind.filter(|_| single.is_none());
        } else if let Some(table) = table.filter(|_| !line.starts_with('#')) {
            let key = line.split_once('=').map(|(key, _)| key.trim());
            let name = key.map(|key| key.strip_suffix(".workspace").unwrap_or(key));
            found.extend(name.filter(|name| !name.contains(' ')).map(|name| entry(table, name)));
        }
    }
    found
}

/// Which dependency table a header opens, and the one dependency of `[dependencies.name]`.
fn table_kind(header: &str) -> (Option<&'static str>, Option<&str>) {
    // The longer names first: each of them ends in the last one.
    for kind in ["dev-dependencies", "build-dependencies", "workspace.dependencies", "dependencies"]
    {
        let targeted =
            header.starts_with("target.").then(|| header.rsplit_once(&format!(".{kind}")));
        let rest = match targeted {
            Some(split) => split.map(|(_, rest)| rest),
            None => header.strip_prefix(kind),
        };
        match rest {
            Some("") => return (Some(kind), None),
            Some(rest) if rest.starts_with('.') => return (Some(kind), Some(&rest[1..])),
            _ => {}
        }
    }
    (None, None)
}
