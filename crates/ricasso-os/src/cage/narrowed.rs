//! Writable roots that hold something hidden, on machines where nothing can be mounted over it.
//!
//! No Landlock rule denies inside of what another one grants. So the entries of such a root that
//! hold nothing hidden are granted one by one, and in the root itself no entry is made, renamed or
//! removed. `rules.rs` enforces that; this file reports it to the engine.

use super::mounts::real;
use super::reading::Hidden;
use super::{Cage, Denied, Tmp, rules, settle};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most entries of one root that are granted one by one.
const MOST_ENTRIES: usize = 1000;
const TMP: &str = "/tmp";

/// A writable root of which less is granted than the policy allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NarrowedRoot {
    /// The root, as the cage names it.
    pub path: PathBuf,
    /// Its directories, or itself, in which no entry is made, renamed or removed: each of them
    /// holds something hidden. By their real names.
    pub holders: Vec<PathBuf>,
    /// Whether it has too many entries to grant them one by one, so that nothing in it is written.
    pub read_only: bool,
}

impl Cage {
    /// Finds the roots that hold something hidden, and makes those with too many entries read-only.
    /// Finds none where there are mount namespaces.
    pub fn narrow_roots(&mut self) -> Vec<NarrowedRoot> {
        if self.has_namespaces() || !self.walls.files {
            return Vec::new();
        }
        let hidden = Hidden::new(settle::all_hidden_names(self));
        let roots: BTreeSet<PathBuf> = self.write.iter().cloned().chain(host_tmp(self)).collect();
        let narrowed: Vec<NarrowedRoot> =
            roots.into_iter().filter_map(|root| NarrowedRoot::of(root, &hidden)).collect();
        for root in narrowed.iter().filter(|root| root.read_only) {
            self.write.retain(|path| *path != root.path);
            if host_tmp(self).as_ref() == Some(&root.path) {
                self.tmp = Tmp::Private;
            }
            self.show.push(root.path.clone());
        }
        narrowed
    }

    /// What is hidden inside the writable roots where no mount lies over it, by its real names. The
    /// cage has its real names.
    pub(super) fn hidden_in_roots(&self) -> Hidden {
        if self.has_namespaces() {
            return Hidden::default();
        }
        let roots = rules::kept_places(self);
        let inside = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
        Hidden::new(super::reading::placed(&self.hide).into_iter().filter(inside))
    }
}

impl NarrowedRoot {
    /// Whether this is why something was denied: it would have been made, renamed or removed beside
    /// something hidden, or written in a root that is read-only.
    pub fn refuses(&self, denied: &Denied) -> bool {
        let target = denied.target.as_path();
        let is_beside = matches!(denied.operation.as_str(), "create" | "remove")
            || target.symlink_metadata().is_err();
        is_beside && is_entry_of(&self.holders, target)
            || self.read_only && target.starts_with(real(&self.path))
    }

    fn of(path: PathBuf, hidden: &Hidden) -> Option<NarrowedRoot> {
        let holders = hidden.below(&real(&path)).holders_at(&real(&path));
        let read_only = has_many_entries(&holders);
        (!holders.is_empty()).then_some(NarrowedRoot { path, holders, read_only })
    }
}

/// The machine's temporary directory, where it is a writable root.
fn host_tmp(cage: &Cage) -> Option<PathBuf> {
    (cage.tmp == Tmp::Host).then(|| PathBuf::from(TMP))
}

fn has_many_entries(directories: &[PathBuf]) -> bool {
    let entries = |path: &PathBuf| std::fs::read_dir(path).into_iter().flatten();
    directories.iter().flat_map(entries).nth(MOST_ENTRIES).is_some()
}

/// Whether a path is an entry of one of these directories.
pub(super) fn is_entry_of(holders: &[PathBuf], path: &Path) -> bool {
    path.parent().is_some_and(|parent| holders.iter().any(|holder| holder == parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn place(name: &str) -> PathBuf {
        let place = format!("ricasso-narrowed-{name}-{}", std::process::id());
        let place = std::env::temp_dir().join(place);
        fs::create_dir_all(place.join("home/.config")).unwrap();
        place.canonicalize().unwrap()
    }

    fn cage(place: &Path) -> Cage {
        let mut cage = Cage { write: vec![place.join("home")], ..Cage::default() };
        cage.hide = ["home/.ssh", "home/.config/gh", "other"].map(|it| place.join(it)).into();
        cage.walls.files = true;
        cage
    }

    #[test]
    fn directories_that_hold_something_hidden_are_told_also_where_it_is_not_there() {
        let place = place("holders");
        let mut cage = cage(&place);
        let narrowed = cage.narrow_roots();
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(narrowed.len(), 1);
        assert_eq!(narrowed[0].holders, ["home", "home/.config"].map(|it| place.join(it)));
        assert!(!narrowed[0].read_only && cage.write == [place.join("home")]);
    }

    #[test]
    fn a_root_with_more_than_a_thousand_entries_is_read_only() {
        let place = place("many");
        let mut cages = Vec::new();
        // With `.config` a thousand, and then one more.
        for count in [MOST_ENTRIES - 1, MOST_ENTRIES] {
            (0..count).for_each(|it| fs::write(place.join(format!("home/{it}")), "").unwrap());
            let mut cage = cage(&place);
            let narrowed = cage.narrow_roots();
            cages.push((narrowed[0].read_only, cage));
        }
        fs::remove_dir_all(&place).unwrap();
        let (few, many) = (&cages[0], &cages[1]);
        assert!(!few.0 && !few.1.write.is_empty());
        assert!(many.0 && many.1.write.is_empty() && many.1.show == [place.join("home")]);
    }

    #[test]
    fn nothing_is_narrowed_where_mounts_hold_it_or_nothing_is_hidden_inside() {
        let place = place("none");
        let mut outside = cage(&place);
        outside.hide = vec![place.join("other")];
        let mut mounted = cage(&place);
        mounted.walls.namespaces = super::super::Namespaces::User;
        let found = [outside.narrow_roots(), mounted.narrow_roots()];
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, [Vec::new(), Vec::new()]);
    }
}
