//! Which paths a shell glob stands for, in any world that can list a directory.

use std::path::{Component, Path, PathBuf};

/// Paths that one glob may stand for; beyond it nobody can say.
const MAX_PATHS: usize = 512;

/// Entries that are compared for one glob.
const MAX_ENTRIES: usize = 20_000;

/// The paths that match, in order, written as the glob is: relative ones stay relative. `None`
/// where there are too many. `list` gives the names in a directory; it may give up too.
pub(super) fn expand(
    pattern: &[u8],
    cwd: &Path,
    list: &dyn Fn(&Path) -> Option<Vec<Vec<u8>>>,
) -> Option<Vec<PathBuf>> {
    let absolute = pattern.starts_with(b"/");
    let start = if absolute { PathBuf::from("/") } else { PathBuf::new() };
    let mut open = vec![start];
    let mut looked = 0;
    let parts: Vec<&[u8]> = pattern.split(|byte| *byte == b'/').filter(|p| !p.is_empty()).collect();
    for (number, part) in parts.iter().enumerate() {
        let last = number + 1 == parts.len();
        let mut next = Vec::new();
        for path in open {
            if !is_glob(part) {
                next.push(path.join(plain(part)));
                continue;
            }
            let at = if path.as_os_str().is_empty() { cwd.to_path_buf() } else { cwd.join(&path) };
            let names = list(&at)?;
            looked += names.len();
            if looked > MAX_ENTRIES {
                return None;
            }
            let hidden = part.starts_with(b".");
            let wanted =
                |name: &&Vec<u8>| (hidden || !name.starts_with(b".")) && matches(part, name);
            let mut found: Vec<Vec<u8>> = names.iter().filter(wanted).cloned().collect();
            found.sort();
            next.extend(found.iter().map(|name| path.join(super::path::from_bytes(name))));
            if next.len() > MAX_PATHS {
                return None;
            }
        }
        if !last || !is_glob(part) {
            let mut there = Vec::new();
            for path in next {
                if is_glob(part) || exists(&cwd.join(&path), list)? {
                    there.push(path);
                }
            }
            next = there;
        }
        open = next;
    }
    Some(open)
}

fn exists(path: &Path, list: &dyn Fn(&Path) -> Option<Vec<Vec<u8>>>) -> Option<bool> {
    Some(match (path.parent(), path.components().next_back()) {
        (_, Some(Component::ParentDir | Component::CurDir | Component::RootDir)) => true,
        (Some(parent), Some(Component::Normal(name))) => {
            list(parent)?.iter().any(|known| known == name.as_encoded_bytes())
        }
        (_, _) => false,
    })
}

fn is_glob(part: &[u8]) -> bool {
    let mut escaped = false;
    part.iter().any(|byte| {
        let found = !escaped && matches!(byte, b'*' | b'?' | b'[');
        escaped = !escaped && *byte == b'\\';
        found
    })
}

fn plain(part: &[u8]) -> PathBuf {
    let mut bytes = Vec::new();
    let mut escaped = false;
    for byte in part {
        if *byte == b'\\' && !escaped {
            escaped = true;
            continue;
        }
        escaped = false;
        bytes.push(*byte);
    }
    super::path::from_bytes(&bytes)
}

/// Whether a name matches one part of a glob, by stepping back to the last star.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let taken = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&pattern[p..], name[n]),
            Some(b'\\') if pattern.get(p + 1) == Some(&name[n]) => Some(2),
            Some(byte) if *byte == name[n] => Some(1),
            Some(_) | None => None,
        };
        match (taken, star) {
            (Some(length), _) => (p, n) = (p + length, n + 1),
            (None, Some((after, from))) => {
                star = Some((after, from + 1));
                (p, n) = (after, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The length of a bracket that holds the byte.
fn class(pattern: &[u8], byte: u8) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some(b'!' | b'^'));
    let first = 1 + usize::from(negated);
    let end = first + 1 + pattern.iter().skip(first + 1).position(|byte| *byte == b']')?;
    let mut rest = &pattern[first..end];
    let mut found = false;
    while let [low, tail @ ..] = rest {
        match tail {
            [b'-', high, more @ ..] => {
                found |= (*low..=*high).contains(&byte);
                rest = more;
            }
            _ => {
                found |= *low == byte;
                rest = tail;
            }
        }
    }
    (found != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_find_what_the_shell_finds() {
        let list = |path: &Path| -> Option<Vec<Vec<u8>>> {
            let names: &[&str] = match path.to_str().unwrap() {
                "/" => &["etc", "usr", "w"],
                "/etc" => &["passwd", "group"],
                "/w" => &["a.rs", "b.rs", ".c.rs", "d"],
                "/w/d" => &["e.rs"],
                _ => &[],
            };
            Some(names.iter().map(|name| name.as_bytes().to_vec()).collect())
        };
        let found = |pattern: &str| -> Vec<String> {
            let paths = expand(pattern.as_bytes(), Path::new("/w"), &list).unwrap();
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(found("*.rs"), ["a.rs", "b.rs"]);
        assert_eq!(found("/e?c/pass*"), ["/etc/passwd"]);
        assert_eq!(found("*/e.rs"), ["d/e.rs"]);
        assert_eq!(found("[ab].rs"), ["a.rs", "b.rs"]);
        assert_eq!(found("x*"), [""; 0]);
        for pattern in [&b"*"[..], b"d/*/x", b"[w]/e.rs"] {
            assert_eq!(expand(pattern, Path::new("/"), &|_| None), None);
        }
    }
}
