//! Where a protected name begins in a path below a root. Compares names, without regard to case.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name of a repository in its work tree.
const GIT: &str = ".git";
/// Where it keeps the repositories of its submodules and of its other work trees.
const INNER: [&str; 2] = ["modules", "worktrees"];
/// Where it keeps names that people choose.
const CHOSEN: [&str; 4] = ["refs", "logs", "objects", "lfs"];

/// Whether the entry, or a beginning of it, can stand anywhere in this path.
pub(super) fn may_meet(inside: &Path, entry: &Path) -> bool {
    let first = entry.iter().next();
    first.is_some_and(|first| inside.iter().any(|name| same(name, first)))
}

/// The parts of this path that are the protected entry, or that of a repository inside another
/// one's. A submodule may be called like a part of a repository, and is one itself.
pub(super) fn meets(
    inside: &Path,
    entry: &Path,
    is_repository: impl Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let names: Vec<&OsStr> = inside.iter().collect();
    let wanted: Vec<&OsStr> = entry.iter().collect();
    let part = |end: usize| names[..end].iter().collect::<PathBuf>();
    if wanted.is_empty() {
        return Vec::new();
    }
    let whole = names.windows(wanted.len()).enumerate().filter(|(_, it)| all_same(it, &wanted));
    let mut found: Vec<PathBuf> = whole.map(|(at, _)| part(at + wanted.len())).collect();
    for rest in inner(&names, &wanted, &is_repository) {
        let last = (rest.ends + 1).saturating_sub(rest.wanted.len());
        let fits = |at: &usize| all_same(&names[*at..at + rest.wanted.len()], rest.wanted);
        let parts = (rest.begins..last).filter(fits).map(|at| part(at + rest.wanted.len()));
        found.extend(parts.filter(|part| !is_repository(part)));
    }
    found
}

/// Whether a path is where a repository keeps others, or one of them.
pub(super) fn is_inner(inside: &Path, is_repository: impl Fn(&Path) -> bool) -> bool {
    let names: Vec<&OsStr> = inside.iter().collect();
    let keeps = |pair: &[&OsStr]| same(pair[0], GIT) && INNER.iter().any(|it| same(pair[1], it));
    let keeper = names.windows(2).position(keeps);
    keeper.is_some_and(|at| names.len() == at + 2 || is_repository(inside))
}

/// The protected entry of which this path is a directory, as a path, and what of it is missing.
pub(super) fn holds(
    inside: &Path,
    entry: &Path,
    is_repository: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, PathBuf)> {
    let names: Vec<&OsStr> = inside.iter().collect();
    let wanted: Vec<&OsStr> = entry.iter().collect();
    let ends_so = |wanted: &[&OsStr], begins: usize| {
        let length = (1..wanted.len()).find(|length| {
            let from = names.len().checked_sub(*length).filter(|from| *from >= begins);
            from.is_some_and(|from| all_same(&names[from..], &wanted[..*length]))
        })?;
        let rest: PathBuf = wanted[length..].iter().collect();
        Some((inside.join(&rest), rest))
    };
    ends_so(&wanted, 0).or_else(|| {
        let mut rests = inner(&names, &wanted, &is_repository).into_iter();
        rests.find_map(|rest| {
            (rest.ends == names.len()).then(|| ends_so(rest.wanted, rest.begins)).flatten()
        })
    })
}

/// What is protected of repositories inside a repository, and between which names it may stand.
struct Inner<'a> {
    wanted: &'a [&'a OsStr],
    begins: usize,
    ends: usize,
}

fn inner<'a>(
    names: &[&OsStr],
    wanted: &'a [&'a OsStr],
    is_repository: &impl Fn(&Path) -> bool,
) -> Vec<Inner<'a>> {
    let Some((first, wanted)) = wanted.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return Vec::new();
    };
    let keeps = |outer: &usize| {
        let next = names.get(outer + 1);
        let keeps_others = next.is_some_and(|next| INNER.iter().any(|inner| same(next, inner)));
        same(first, GIT) && same(names[*outer], GIT) && keeps_others
    };
    let one = |outer: usize| {
        let begins = outer + 3;
        // Of a submodule that is called so itself, the part before it is no repository.
        let chosen = |at: &usize| {
            CHOSEN.iter().any(|chosen| same(names[*at], chosen))
                && is_repository(&names[..*at].iter().collect::<PathBuf>())
        };
        let ends = (begins..names.len()).find(chosen).unwrap_or(names.len());
        Inner { wanted, begins, ends }
    };
    (0..names.len()).filter(keeps).map(one).collect()
}

fn all_same(names: &[&OsStr], wanted: &[&OsStr]) -> bool {
    names.iter().zip(wanted).all(|(one, other)| same(one, other))
}

fn same(one: &OsStr, other: impl AsRef<OsStr>) -> bool {
    one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_entries_are_met_at_their_depth_and_their_directories_hold_them() {
        let met = |text: &str, entry: &str| {
            let parts = meets(Path::new(text), Path::new(entry), |_| false);
            parts.first().map(|part| part.to_string_lossy().into_owned())
        };
        assert_eq!(met(".git/hooks/x", ".git/hooks").as_deref(), Some(".git/hooks"));
        assert_eq!(met("a/.GIT/Hooks", ".git/hooks").as_deref(), Some("a/.GIT/Hooks"));
        assert_eq!(met("a/.git", ".git/hooks"), None);
        assert_eq!(met("b/.ENVRC", ".envrc").as_deref(), Some("b/.ENVRC"));
        assert_eq!(met("a.envrc", ".envrc"), None);
        let held = holds(Path::new("a/.git"), Path::new(".git/hooks"), |_| false);
        assert_eq!(held, Some(("a/.git/hooks".into(), "hooks".into())));
        assert_eq!(holds(Path::new("a"), Path::new(".git/hooks"), |_| false), None);
        assert_eq!(holds(Path::new(".envrc"), Path::new(".envrc"), |_| false), None);
    }

    #[test]
    fn repositories_inside_a_repository_have_the_same_parts() {
        let met = |text: &str, entry: &str, repository: &str| {
            let is_repository = |part: &Path| part == Path::new(repository);
            let parts = meets(Path::new(text), Path::new(entry), is_repository);
            parts.first().map(|part| part.to_string_lossy().into_owned())
        };
        let whole = ".git/modules/lib/hooks";
        assert_eq!(met(".git/modules/lib/hooks/x", ".git/hooks", "").as_deref(), Some(whole));
        assert_eq!(met(".git/modules/lib/info/attributes", ".git/hooks", ""), None);
        assert!(met("a/.git/modules/b/c/config", ".git/config", "").is_some());
        assert!(met("a/.git/modules/b/info/attributes", ".git/info/attributes", "").is_some());
        assert!(met(".git/worktrees/w/config.worktree", ".git/config.worktree", "").is_some());
        // A submodule of that name, a branch of that name, and what lies beside the submodules.
        let config = ".git/modules/lib/config";
        assert_eq!(met(".git/modules/lib/config/HEAD", ".git/config", config), None);
        assert!(met(".git/modules/lib/config/config", ".git/config", config).is_some());
        let lib = ".git/modules/lib";
        assert_eq!(met(".git/modules/lib/refs/heads/hooks/x", ".git/hooks", lib), None);
        assert!(met(".git/modules/src/objects/hooks/x", ".git/hooks", "").is_some());
        assert!(met("a/.git/x/.git/modules/m/config", ".git/config", "").is_some());
        let two =
            meets(Path::new("a/.git/hooks/b/.git/hooks/x"), Path::new(".git/hooks"), |_| false);
        assert_eq!(two.len(), 2);
        assert!(is_inner(Path::new("a/.git/modules"), |_| false));
        assert!(is_inner(Path::new(lib), |part| part == Path::new(lib)));
        assert!(!is_inner(Path::new(".git/modules/lib/refs"), |part| part == Path::new(lib)));
        assert_eq!(met(".git/modules/hooks", ".git/hooks", ""), None);
        assert_eq!(met(".git/modules", ".git/hooks", ""), None);
        assert_eq!(met("modules/lib/hooks", ".git/hooks", ""), None);
        let attributes = Path::new(".git/info/attributes");
        let held = holds(Path::new(".git/modules/lib/info"), attributes, |_| false);
        assert_eq!(held, Some((".git/modules/lib/info/attributes".into(), "attributes".into())));
        let lib = |part: &Path| part == Path::new(".git/modules/lib");
        assert_eq!(holds(Path::new(".git/modules/lib/refs/info"), attributes, lib), None);
    }
}
