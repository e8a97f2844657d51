//! The files of the repository as one value, so that the checks need no disk.

use super::source::Source;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Built or kept by tools, not written by us.
const NOT_OURS: &[&str] = &[".git", "target"];

/// All files by their path from the root.
pub(crate) struct Tree {
    /// Every file, the Rust ones included; what is not UTF-8 is read lossily.
    pub(crate) files: BTreeMap<String, String>,
    /// The Rust files.
    pub(crate) sources: Vec<Source>,
}

/// A file or directory that could not be read.
pub(crate) struct Unreadable {
    /// Which one.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) source: io::Error,
}

impl Tree {
    /// Makes a tree of files that are at hand.
    pub(crate) fn new(files: impl Iterator<Item = (String, String)>) -> Tree {
        let files: BTreeMap<String, String> = files.collect();
        let rust = files.iter().filter(|(path, _)| path.ends_with(".rs"));
        let sources = rust.map(|(path, text)| Source::new(path, text)).collect();
        Tree { files, sources }
    }

    /// Reads everything under `root` but what tools build.
    pub(crate) fn read(root: &Path) -> Result<Tree, Unreadable> {
        let mut files = Vec::new();
        let mut directories = vec![root.to_path_buf()];
        while let Some(directory) = directories.pop() {
            let unreadable = |source| Unreadable { path: directory.clone(), source };
            for entry in fs::read_dir(&directory).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let kind = entry.file_type().map_err(unreadable)?;
                if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
                    continue;
                }
                if kind.is_dir() {
                    directories.push(entry.path());
                } else if kind.is_file() {
                    files.push(read_file(root, &entry.path())?);
                }
            }
        }
        Ok(Tree::new(files.into_iter()))
    }

    /// The files whose path has this ending.
    pub(crate) fn ending_in(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        files.filter(move |(path, _)| path.ends_with(ending))
    }

    /// Whether there is such a file or directory.
    pub(crate) fn has(&self, path: &str) -> bool {
        let inside = format!("{path}/");
        path.is_empty()
            || self.files.contains_key(path)
            || self.files.keys().any(|file| file.starts_with(&inside))
    }
}

fn read_file(root: &Path, path: &Path) -> Result<(String, String), Unreadable> {
    let bytes = fs::read(path).map_err(|source| Unreadable { path: path.to_path_buf(), source })?;
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}
