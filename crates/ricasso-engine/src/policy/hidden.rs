//! Which places a policy hides, as letters: each effect is compared with two hundred of them.

use super::text::PathText;
use std::path::{Component, Path, PathBuf};

/// The places of `files.hide`, by where they begin, without `.` and doubled slashes.
#[derive(Debug, Clone, Default)]
pub(super) struct Hidden {
    home: Vec<String>,
    workspace: Vec<String>,
    root: Vec<String>,
}

impl Hidden {
    /// Those that begin with a variable are left to the cage, which knows what it holds.
    pub(super) fn of(texts: &[PathText]) -> Hidden {
        let mut hidden = Hidden::default();
        for text in texts.iter().map(PathText::as_str).filter(|text| !text.starts_with('$')) {
            if let Some(rest) = text.strip_prefix('~') {
                hidden.home.push(tidy(rest));
            } else if text.starts_with('/') {
                hidden.root.push(tidy(text));
            } else {
                hidden.workspace.push(tidy(text));
            }
        }
        hidden
    }

    /// The place that hides a path.
    pub(super) fn over(
        &self,
        path: &Path,
        workspace: Option<&Path>,
        home: Option<&Path>,
    ) -> Option<PathBuf> {
        let bases =
            [(&self.home, home), (&self.workspace, workspace), (&self.root, Some(Path::new("/")))];
        bases.into_iter().find_map(|(places, base)| {
            let below = letters(path.strip_prefix(base?).ok()?);
            let place = places.iter().find(|place| holds(place, &below))?;
            Some(if place.is_empty() { base?.to_path_buf() } else { base?.join(place) })
        })
    }
}

fn tidy(text: &str) -> String {
    let parts = text.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.collect::<Vec<_>>().join("/")
}

fn letters(path: &Path) -> Vec<u8> {
    let mut letters = Vec::with_capacity(path.as_os_str().len());
    for part in path.components().filter(|part| *part != Component::CurDir) {
        if !letters.is_empty() {
            letters.push(b'/');
        }
        letters.extend_from_slice(part.as_os_str().as_encoded_bytes());
    }
    letters
}

fn holds(place: &str, path: &[u8]) -> bool {
    let below = |rest: &[u8]| rest.is_empty() || rest.starts_with(b"/") || place.is_empty();
    path.strip_prefix(place.as_bytes()).is_some_and(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_what_parts_tell() {
        let texts = ["~/.ssh", "~//a/./b/", "sub/.", "/etc//shadow", "$KEYS", "/h/me/x"];
        let texts = texts.map(|text| PathText::try_from(text.to_string()).unwrap());
        let hidden = Hidden::of(&texts);
        let places = [
            ("/h/me", ".ssh"),
            ("/h/me", "a/b"),
            ("/w", "sub"),
            ("/etc", "shadow"),
            ("/h/me", "x"),
        ]
        .map(|(base, rest)| Path::new(base).join(rest));
        for path in [
            "/",
            "/h",
            "/h/me",
            "/h/me/.ssh",
            "/h//me/./.ssh/id",
            "/h/me/.sshd",
            "/h/me/a",
            "/h/me/a/b/c",
            "/h/me/a/bc",
            "/w",
            "/w/sub",
            "/w/subs",
            "/w/sub/../x",
            "/etc/shadow/",
            "/etc/shadow-",
            "/h/me/x/y",
            "etc/shadow",
            "",
        ] {
            let path = Path::new(path);
            let found = hidden.over(path, Some(Path::new("/w")), Some(Path::new("/h/me/")));
            let expected = places.iter().find(|place| path.starts_with(place));
            assert_eq!(found.as_ref(), expected, "{path:?}");
        }
        assert_eq!(hidden.over(Path::new("/h/me/.ssh"), None, None), None);
    }

    #[test]
    fn a_whole_home_workspace_or_machine_can_be_hidden() {
        for (text, path, hides) in [
            ("~", "/h", true),
            ("~/", "/h/x", true),
            ("~", "/w", false),
            (".", "/w/x", true),
            ("/", "/w", true),
            ("/", "/", true),
        ] {
            let texts = [PathText::try_from(text.to_string()).unwrap()];
            let (workspace, home) = (Some(Path::new("/w")), Some(Path::new("/h")));
            let found = Hidden::of(&texts).over(Path::new(path), workspace, home);
            assert_eq!(found.is_some(), hides, "{text} {path}");
        }
    }
}
