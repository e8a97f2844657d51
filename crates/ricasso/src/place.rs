//! A path as callers write it, made plain.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`; a link before `..` is followed, as the kernel would.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean = clean.canonicalize().unwrap_or(clean);
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_before_two_dots_is_followed_as_the_kernel_does() {
        let root = std::env::temp_dir().join(format!("ricasso-place-{}", std::process::id()));
        std::fs::create_dir_all(root.join("far/away")).unwrap();
        std::fs::create_dir_all(root.join("near")).unwrap();
        let root = root.canonicalize().unwrap();
        std::os::unix::fs::symlink(root.join("far/away"), root.join("near/link")).unwrap();
        assert_eq!(clean(&root.join("near/./x/../y/")), root.join("near/y"));
        assert_eq!(clean(&root.join("near/link/../b")), root.join("far/b"));
        assert_eq!(clean(&root.join("near/link")), root.join("near/link"));
        assert_eq!(clean(Path::new("/../..")), Path::new("/"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
