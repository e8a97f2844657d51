//! Which entries are wanted: by time, session, program, verdict and path.
//!
//! A call has two entries, and its opening one says more than its closing one; so a closing entry
//! is wanted where its opening one was.

use super::super::unit;
use clap::{Args as Group, ValueEnum};
use ricasso_engine::record::{Entry, Line, Phase, moment, rfc3339};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// So many calls are remembered between their two entries; beyond that a closing entry is taken
/// by what it says itself.
const MOST_OPEN: usize = 100_000;

#[derive(Debug, Group)]
pub(super) struct Filter {
    /// From this moment on: 2026-11-15, 2026-11-15T10:30Z, or how long ago, as 90m, 7d
    #[arg(long, value_name = "TIME", value_parser = when)]
    since: Option<SystemTime>,
    /// Up to this moment
    #[arg(long, value_name = "TIME", value_parser = when)]
    until: Option<SystemTime>,
    /// Of this session
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// In which this program was to run, wherever in the text
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// With this verdict
    #[arg(long, value_enum)]
    verdict: Option<VerdictWord>,
    /// That ran in this directory or below it, or name a path there
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum VerdictWord {
    Allow,
    Ask,
    Deny,
}

/// A filter at work.
pub(super) struct Sieve<'a> {
    filter: &'a Filter,
    since: Option<String>,
    until: Option<String>,
    path: Option<PathBuf>,
    /// Whether the opening entries of calls that are still open were wanted.
    open: HashMap<String, bool>,
}

impl Filter {
    /// A sieve for entries in their order. Paths count from here.
    pub(super) fn sieve(&self) -> Sieve<'_> {
        let here = std::env::current_dir().unwrap_or_default();
        Sieve {
            filter: self,
            since: self.since.map(rfc3339),
            until: self.until.map(rfc3339),
            path: self.path.as_ref().map(|path| lexical(&here.join(path))),
            open: HashMap::new(),
        }
    }

    fn is_about_calls(&self) -> bool {
        self.session.is_some()
            || self.program.is_some()
            || self.verdict.is_some()
            || self.path.is_some()
    }
}

impl Sieve<'_> {
    /// Whether this entry is wanted. Every entry has to pass here, in order.
    pub(super) fn wants(&mut self, line: &Line) -> bool {
        let entry = &line.entry;
        let wanted = match entry.phase {
            Phase::Open => {
                let wanted = self.meets(entry);
                if self.open.len() < MOST_OPEN {
                    self.open.insert(entry.id.clone(), wanted);
                }
                wanted
            }
            Phase::Close => self.open.remove(&entry.id).unwrap_or_else(|| self.meets(entry)),
            _ => !self.filter.is_about_calls(),
        };
        wanted && self.in_time(&entry.at)
    }

    /// Texts of one width and zone are ordered as moments are.
    fn in_time(&self, at: &str) -> bool {
        self.since.as_deref().is_none_or(|since| at >= since)
            && self.until.as_deref().is_none_or(|until| at <= until)
    }

    fn meets(&self, entry: &Entry<Value>) -> bool {
        let filter = self.filter;
        let is =
            |value: Option<&Value>, wanted: &str| value.and_then(Value::as_str) == Some(wanted);
        filter.session.as_deref().is_none_or(|wanted| is(entry.session.as_ref(), wanted))
            && filter.program.as_deref().is_none_or(|wanted| names_program(entry, wanted))
            && filter.verdict.is_none_or(|wanted| entry.verdict == wanted.name())
            && self.path.as_deref().is_none_or(|wanted| names_path(entry, wanted))
    }
}

impl VerdictWord {
    fn name(self) -> &'static str {
        match self {
            VerdictWord::Allow => "allow",
            VerdictWord::Ask => "ask",
            VerdictWord::Deny => "deny",
        }
    }
}

/// The judge's list where the entry has it, else the words of the command.
fn names_program(entry: &Entry<Value>, wanted: &str) -> bool {
    let base = |word: &str| word.rsplit('/').next() == Some(wanted);
    match entry.extra.get("programs").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).any(base),
        None => words(entry).any(base),
    }
}

/// Where it ran, what it names, and what it was denied.
fn names_path(entry: &Entry<Value>, wanted: &Path) -> bool {
    let below = |path: &Path| lexical(path).starts_with(wanted);
    let cwd = entry.extra.get("cwd").and_then(Value::as_str).unwrap_or("/");
    let denials = entry.extra.get("denials").and_then(Value::as_array).into_iter().flatten();
    let mut targets = denials.filter_map(|denial| denial["target"].as_str());
    below(Path::new(cwd))
        || words(entry).any(|word| below(&Path::new(cwd).join(word)))
        || targets.any(|target| below(Path::new(target)))
}

/// The words of a command, cut wherever a path may begin or end. A search, not a judgement: more
/// words than the shell sees do no harm.
fn words(entry: &Entry<Value>) -> impl Iterator<Item = &str> {
    let text = entry.command.as_ref().and_then(Value::as_str).unwrap_or_default();
    let border = |c: char| c.is_whitespace() || "'\"`;|&<>()=,:".contains(c);
    text.split(border).filter(|word| !word.is_empty() && !word.starts_with('-'))
}

/// The path without `.` and `..`, as far as its text tells.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

fn when(text: &str) -> Result<SystemTime, String> {
    let ago = || SystemTime::now().checked_sub(unit::age(text).ok()?);
    moment(text).or_else(ago).ok_or_else(|| {
        "a time is 2026-11-15, 2026-11-15T10:30Z, or how long ago, as 90m, 12h, 7d".to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_as_they_read() {
        let mut entry: Entry<Value> = Entry::new(Phase::Open, "x", "");
        entry.command = Some("cat ../b/c.txt >out/log; ls --file='/etc/hosts'".into());
        entry.extra.insert("cwd".into(), "/a/w".into());
        for wanted in ["/a", "/a/w", "/a/b", "/a/b/c.txt", "/a/w/out", "/etc/hosts"] {
            assert!(names_path(&entry, Path::new(wanted)), "{wanted}");
        }
        for wanted in ["/a/b/c", "/etc/host", "/x", "/a/w/o"] {
            assert!(!names_path(&entry, Path::new(wanted)), "{wanted}");
        }
    }

    #[test]
    fn times_are_moments_or_ages() {
        assert_eq!(when("1970-01-02").unwrap(), moment("1970-01-02").unwrap());
        assert!(when("1h").unwrap() < SystemTime::now());
        assert!(when("yesterday").is_err());
    }
}
