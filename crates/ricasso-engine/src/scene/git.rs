//! What the configuration of a repository says, read as git reads it, within bounds.
//!
//! Only the repository's own file is read: it is the one that a stranger may have written. Where it
//! includes other files nobody can say.

use super::look::Answer;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A configuration is a few kilobytes; a larger one is not read.
const MAX_BYTES: u64 = 1 << 20;

/// The answer for a key. A key with `*` as its middle part is answered with the full keys that are
/// set, one a line.
pub(super) fn setting(cwd: &Path, key: &str) -> Answer {
    let Some(file) = config_of(cwd) else {
        return Answer::Absent;
    };
    let Ok(opened) = fs::File::open(&file) else {
        return Answer::Unknown;
    };
    let mut text = String::new();
    match opened.take(MAX_BYTES + 1).read_to_string(&mut text) {
        Ok(read) if read as u64 <= MAX_BYTES => {}
        Ok(_) | Err(_) => return Answer::Unknown,
    }
    answer(&keys(&text), key)
}

/// Answers a question from keys and values.
pub(super) fn answer(keys: &[(String, String)], wanted: &str) -> Answer {
    if keys.iter().any(|(key, _)| key.starts_with("include")) {
        return Answer::Unknown;
    }
    if let Some((head, tail)) = wanted.split_once(".*.") {
        let fits = |key: &&String| {
            key.strip_prefix(head).is_some_and(|rest| rest.starts_with('.'))
                && key.strip_suffix(tail).is_some_and(|rest| rest.ends_with('.'))
        };
        let found: Vec<&str> =
            keys.iter().map(|(key, _)| key).filter(fits).map(String::as_str).collect();
        return match found.as_slice() {
            [] => Answer::Absent,
            found => Answer::Text(found.join("\n").as_str().into()),
        };
    }
    let value = keys.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
    value.map_or(Answer::Absent, |value| Answer::Text(value.into()))
}

/// Where the repository of a path lies.
pub(super) struct Place {
    /// The top of the work tree.
    pub(super) root: PathBuf,
    /// `.git` as it stands there: a directory, or a file that leads to one.
    pub(super) directory: PathBuf,
    /// What belongs to this work tree alone: its index.
    pub(super) own: PathBuf,
    /// What all work trees share: the configuration.
    common: PathBuf,
}

impl Place {
    /// The files that hold its settings.
    pub(super) fn configurations(&self) -> Vec<PathBuf> {
        vec![self.common.join("config"), self.own.join("config.worktree")]
    }

    /// Bytes of the name of an object.
    pub(super) fn hash(&self) -> usize {
        let text = fs::read_to_string(self.common.join("config")).unwrap_or_default();
        let long = keys(&text).iter().any(|(key, value)| {
            key == "extensions.objectformat" && value.eq_ignore_ascii_case("sha256")
        });
        if long { 32 } else { 20 }
    }
}

/// The repository that a path lies in, found as git finds it.
pub(super) fn place_of(path: &Path) -> Option<Place> {
    for root in path.ancestors() {
        let directory = root.join(".git");
        let (own, common) = if directory.is_dir() {
            (directory.clone(), directory.clone())
        } else if let Ok(text) = fs::read_to_string(&directory) {
            let own = root.join(text.strip_prefix("gitdir:")?.trim());
            let common = fs::read_to_string(own.join("commondir")).unwrap_or_default();
            (own.clone(), own.join(common.trim()))
        } else {
            continue;
        };
        return Some(Place { root: root.to_path_buf(), directory, own, common });
    }
    None
}

/// The configuration that git obeys here: that of the repository around, or of the directory
/// itself where it is a repository without a work tree.
fn config_of(cwd: &Path) -> Option<PathBuf> {
    let place = place_of(cwd);
    let within = cwd.ancestors().take_while(|it| place.as_ref().is_none_or(|at| at.root != **it));
    let bare = |directory: &&Path| {
        directory.join("HEAD").exists()
            && directory.join("objects").is_dir()
            && directory.join("refs").is_dir()
    };
    let found = within.into_iter().find(bare).map(|directory| directory.join("config"));
    found.or_else(|| place.map(|place| place.common.join("config")))
}

/// Every key with its value: section and name in lower case, the middle part as written.
pub(super) fn keys(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut all = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        if line.starts_with(['#', ';']) || line.is_empty() {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[')
            && let Some((head, after)) = rest.split_once(']')
        {
            section = match head.split_once('"') {
                Some((name, middle)) => {
                    let middle = middle.trim_end_matches('"').replace("\\\"", "\"");
                    format!("{}.{middle}", name.trim().to_lowercase())
                }
                None => head.trim().to_lowercase(),
            };
            line = after.trim();
            if line.is_empty() {
                continue;
            }
        }
        let (name, value) = line.split_once('=').unwrap_or((line, "true"));
        let name = name.trim().to_lowercase();
        let value = value.trim().trim_matches('"').to_string();
        all.push((format!("{section}.{name}"), value));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_without_a_work_tree_is_obeyed_before_the_one_around_it() {
        let root = std::env::temp_dir().join(format!("ricasso-bare-{}", std::process::id()));
        let inner = root.join("inner");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "[core]\neditor = outer\n").unwrap();
        fs::create_dir_all(inner.join("objects")).unwrap();
        fs::create_dir_all(inner.join("refs")).unwrap();
        fs::write(inner.join("config"), "[core]\neditor = inner\n").unwrap();
        let before = setting(&inner, "core.editor");
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let after = setting(&inner.join("refs"), "core.editor");
        let outside = setting(&root, "core.editor");
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(before, Answer::Text("outer".into()));
        assert_eq!(after, Answer::Text("inner".into()));
        assert_eq!(outside, Answer::Text("outer".into()));
    }

    #[test]
    fn keys_are_found_by_name_and_by_family() {
        let text = "[core]\n\tfsMonitor = \"x\"\n[diff \"evil\"]\n textconv = y\n# z\n";
        let keys = keys(text);
        assert_eq!(answer(&keys, "core.fsmonitor"), Answer::Text("x".into()));
        assert_eq!(answer(&keys, "diff.*.textconv"), Answer::Text("diff.evil.textconv".into()));
        assert_eq!(answer(&keys, "filter.*.clean"), Answer::Absent);
        let more = super::keys("[include]\npath = x\n");
        assert_eq!(answer(&more, "core.fsmonitor"), Answer::Unknown);
    }
}
