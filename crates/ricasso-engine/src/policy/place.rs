//! Where a request wants to start: `files.cwd`.
//!
//! Directories are compared as paths, never as texts, and behind their links where somebody can say
//! where those lead.

use super::judge::{Bench, Findings, Weight, reason};
use super::text::PathText;
use super::verdict::{Reason, ReasonLayer};
use super::walk::Seen;
use std::path::{Component, Path, PathBuf};

/// Refuses a working directory that no entry of `files.cwd` holds.
pub(super) fn judge(bench: &Bench<'_>, findings: &mut Findings) {
    let Some(list) = bench.policy.files().cwd.list() else {
        return;
    };
    if holds(list, bench.places.cwd, bench) {
        return;
    }
    let cwd = bench.look.real_path(bench.places.cwd).unwrap_or_else(|| tidy(bench.places.cwd));
    let names: Vec<&str> = list.iter().map(PathText::as_str).collect();
    let message = format!("commands may not be started in {}", cwd.display());
    let remedy = format!("start it below one of these: {}", names.join(", "));
    findings.add(Weight::Deny, reason("files.cwd", ReasonLayer::Paths, None, message, remedy));
}

/// Refuses a command of a text that works where none may be started.
pub(super) fn judge_work(seen: &Seen, bench: &Bench<'_>) -> Option<Reason> {
    let list = bench.policy.files().cwd.list()?;
    let outside = |directory: &PathBuf| !holds(list, directory, bench);
    let first = seen.works_in.first()?;
    if !seen.works_in.iter().all(outside) {
        return None;
    }
    let message = format!("commands may not be started in {}", first.display());
    let names: Vec<&str> = list.iter().map(PathText::as_str).collect();
    let remedy = format!("work below one of these: {}", names.join(", "));
    Some(reason("files.cwd", ReasonLayer::Paths, Some(seen.span), message, remedy))
}

/// Whether a directory is one of the list or lies below one.
fn holds(list: &[PathText], directory: &Path, bench: &Bench<'_>) -> bool {
    let real = bench.look.real_path(directory).unwrap_or_else(|| tidy(directory));
    let root = |path: &PathText| {
        let path = absolute(path.as_str(), bench)?;
        Some(bench.look.real_path(&path).unwrap_or(path))
    };
    list.iter().filter_map(root).any(|root| real.starts_with(root))
}

/// A path of the policy as an absolute one; `None` where the place that it counts from is unknown.
pub(super) fn absolute(text: &str, bench: &Bench<'_>) -> Option<PathBuf> {
    let path = match text {
        "~" => bench.places.home?.to_path_buf(),
        _ => match text.strip_prefix("~/") {
            Some(below) => bench.places.home?.join(below),
            None if text.starts_with('/') => PathBuf::from(text),
            None => bench.places.workspace?.join(text),
        },
    };
    Some(tidy(&path))
}

/// The path without `.`, `..` and doubled slashes, by its letters alone.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => tidy.push(part),
        }
    }
    tidy
}
