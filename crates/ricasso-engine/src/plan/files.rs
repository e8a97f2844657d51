//! Paths of the policy as paths of this run.

use crate::policy::PathText;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Directories of the home that the environment may have elsewhere (XDG Base Directory).
const MOVED: [(&str, &str); 4] = [
    ("~/.config/", "XDG_CONFIG_HOME"),
    ("~/.local/share/", "XDG_DATA_HOME"),
    ("~/.local/state/", "XDG_STATE_HOME"),
    ("~/.cache/", "XDG_CACHE_HOME"),
];

/// What the words of a path stand for.
pub(super) struct Places<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    pub(super) workspace: Option<&'a Path>,
}

impl Places<'_> {
    /// Absolute paths; a relative one lies in the workspace. What stands for nothing here, since
    /// there is no home or no workspace or no such variable, is left out.
    pub(super) fn all(&self, texts: &[PathText]) -> Vec<PathBuf> {
        // Most of them lie below it.
        let home = self.named("HOME");
        texts.iter().filter_map(|text| self.absolute(text.as_str(), home.as_deref())).collect()
    }

    /// The same for what is hidden: a place below the home lies below each of them, and where the
    /// environment has moved a part of it; and a variable may hold several paths, or one with words
    /// before it.
    pub(super) fn all_hidden(&self, texts: &[PathText], home: Option<&Path>) -> Vec<PathBuf> {
        let home = home.filter(|home| self.named("HOME").is_none_or(|named| named != *home));
        let mut all = self.all(texts);
        if let Some(home) = home {
            let below = |text: &PathText| Some(home.join(text.as_str().strip_prefix("~/")?));
            all.extend(texts.iter().filter_map(below).map(tidy));
        }
        for (usual, name) in MOVED {
            let Some(base) = self.named(name) else { continue };
            let below = |text: &PathText| Some(base.join(text.as_str().strip_prefix(usual)?));
            all.extend(texts.iter().filter_map(below).map(tidy));
        }
        for name in texts.iter().filter_map(|text| text.as_str().strip_prefix('$')) {
            let value = (self.variable)(name.split('/').next().unwrap_or(name)).unwrap_or_default();
            if !value.contains(&b':') {
                continue;
            }
            let rest = name.split_once('/').map(|(_, rest)| rest);
            let parts = value.split(|byte| *byte == b':').filter(|part| part.starts_with(b"/"));
            let parts = parts.map(|part| Path::new(OsStr::from_bytes(part)));
            all.extend(parts.map(|part| tidy(rest.map_or(part.into(), |rest| part.join(rest)))));
        }
        all
    }

    /// The same, but relative paths stay as they are: they are meant in every directory.
    pub(super) fn anywhere(&self, texts: &[PathText]) -> Vec<PathBuf> {
        let one = |text: &PathText| {
            let text = text.as_str();
            if text.starts_with(['/', '~', '$']) {
                return self.absolute(text, self.named("HOME").as_deref());
            }
            let path: PathBuf = Path::new(text).components().collect();
            (!path.as_os_str().is_empty() && path != Path::new(".")).then_some(path)
        };
        texts.iter().filter_map(one).collect()
    }

    fn absolute(&self, text: &str, home: Option<&Path>) -> Option<PathBuf> {
        let path = if let Some(rest) = text.strip_prefix('~') {
            home?.join(rest.trim_start_matches('/'))
        } else if let Some(rest) = text.strip_prefix('$') {
            let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
            let base = self.named(name)?;
            if rest.is_empty() { base } else { base.join(rest) }
        } else if text.starts_with('/') {
            PathBuf::from(text)
        } else {
            self.workspace?.join(text)
        };
        Some(tidy(path))
    }

    fn named(&self, name: &str) -> Option<PathBuf> {
        let value = PathBuf::from(std::ffi::OsString::from_vec((self.variable)(name)?));
        value.is_absolute().then_some(value)
    }
}

/// A path without `.` and double slashes, so that it can be compared.
pub(super) fn tidy(path: PathBuf) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    // Most are tidy, and part by part two hundred of them would cost a plan as much as a fork.
    let odd = |at: usize| {
        matches!(bytes[at..], [b'/'] | [b'/', b'/', ..] | [b'/', b'.'] | [b'/', b'.', b'/', ..])
    };
    if bytes.len() > 1 && bytes.starts_with(b"/") && !(0..bytes.len()).any(odd) {
        return path;
    }
    path.components().collect()
}

/// Whether a path is this one or lies below it, both of them tidy. Part by part, as the library
/// compares, a hundred hidden paths would cost a plan a tenth of a bare spawn.
pub(super) fn holds(root: &Path, path: &Path) -> bool {
    let (root, path) = (root.as_os_str().as_bytes(), path.as_os_str().as_bytes());
    let below = |rest: &[u8]| rest.is_empty() || rest.starts_with(b"/") || root == b"/";
    path.strip_prefix(root).is_some_and(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_compare_tidy_paths_as_their_parts_do() {
        let texts = ["/", "/a", "/a/b", "/ab", "/a/b/c", "/b", "//a/./b/", "/a//"];
        let paths = texts.map(|text| tidy(PathBuf::from(text)));
        for (root, path) in paths.iter().flat_map(|root| paths.iter().map(move |it| (root, it))) {
            assert_eq!(holds(root, path), path.starts_with(root), "{root:?} {path:?}");
        }
    }

    #[test]
    fn words_of_paths_stand_for_places_of_this_run() {
        let variable = |name: &str| match name {
            "HOME" => Some(b"/home/me".to_vec()),
            "SOCKET" => Some(b"/run/x.sock".to_vec()),
            _ => None,
        };
        let places = Places { variable: &variable, workspace: Some(Path::new("/w")) };
        let texts = |all: &[&str]| -> Vec<PathText> {
            all.iter().map(|text| PathText::try_from(text.to_string()).unwrap()).collect()
        };
        let all = places.all(&texts(&[".", "~", "~/.ssh", "/etc//x/", "sub/.", "$SOCKET", "$NO"]));
        let expected = ["/w", "/home/me", "/home/me/.ssh", "/etc/x", "/w/sub", "/run/x.sock"];
        assert_eq!(all, expected.map(PathBuf::from));
        let all = places.anywhere(&texts(&[".git/hooks", "~/.profile", "."]));
        assert_eq!(all, [".git/hooks", "/home/me/.profile"].map(PathBuf::from));
    }

    #[test]
    fn what_is_hidden_lies_below_every_home_and_at_every_path_of_a_variable() {
        let texts: Vec<PathText> = ["~/.ssh", "$KEYS", "$CONFIG/gh", "/etc/shadow", "~/.config/op"]
            .iter()
            .map(|text| PathText::try_from((*text).to_string()).unwrap())
            .collect();
        let set = |home: Option<&'static str>| {
            move |name: &str| match name {
                "HOME" => home.map(|home| home.as_bytes().to_vec()),
                "KEYS" => Some(b"FILE:/k:/l".to_vec()),
                "CONFIG" => Some(b"/c".to_vec()),
                "XDG_CONFIG_HOME" => Some(b"/x".to_vec()),
                _ => None,
            }
        };
        for (home, expected) in [
            (Some("/h"), vec!["/h/.ssh", "/c/gh", "/etc/shadow", "/h/.config/op"]),
            (Some("/root"), vec!["/root/.ssh", "/c/gh", "/etc/shadow", "/root/.config/op"]),
            (None, vec!["/c/gh", "/etc/shadow"]),
        ] {
            let places = Places { variable: &set(home), workspace: None };
            let found = places.all_hidden(&texts, Some(Path::new("/root")));
            let of_root = ["/root/.ssh", "/root/.config/op"].into_iter();
            let of_root = of_root.filter(|_| home != Some("/root"));
            let expected = expected.into_iter().chain(of_root).chain(["/x/op", "/k", "/l"]);
            assert_eq!(found, expected.map(PathBuf::from).collect::<Vec<_>>());
        }
    }
}
