//! All of CI: the stages one after the other, a line for each, and the counts last.
//!
//! A stage that fails does not hide the next ones; the whole fails when one did or no test ran.

use crate::counts::{Counts, Skips};
use crate::long::LONG_FORMS;
use crate::tidy;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Which form of the check is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What every commit passes.
    Short,
    /// With the long forms.
    Full,
}

/// Where a test writes `NAME: reason` when it cannot run on this host.
const SKIP_LOG: &str = "RICASSO_SKIP_LOG";
/// Set for the long forms: tests lengthen their loops.
const LONG: &str = "RICASSO_LONG";

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] =
    &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
const CLIPPY_BARE: &[&str] =
    &["clippy", "--package", "ricasso", "--no-default-features", "--", "-D", "warnings"];
/// The program without what can be left out of it.
const CLIPPY_SMALL: &[&str] = &[
    "clippy",
    "--package",
    "ricasso",
    "--no-default-features",
    "--features",
    "cli",
    "--",
    "-D",
    "warnings",
];
/// Without `--all-targets`, which would leave out the examples in the docs.
const TESTS: &[&str] = &["test", "--workspace", "--no-fail-fast"];
const DOCS: &[&str] = &["doc", "--no-deps", "--workspace"];

/// Runs every stage and prints the counts as the last line. True when all is well.
pub(crate) fn run(root: &Path, extent: Extent) -> bool {
    let mut check = match Check::begin(root, extent) {
        Ok(check) => check,
        Err(error) => {
            eprintln!("cannot begin the check: {error}; see that the target directory is ours");
            return false;
        }
    };
    check.stage("format", |check| check.cargo(FORMAT));
    check.stage("clippy", |check| check.cargo(CLIPPY));
    check.stage("clippy without features", |check| check.cargo(CLIPPY_BARE));
    check.stage("clippy, program alone", |check| check.cargo(CLIPPY_SMALL));
    check.stage("tidy", |check| tidy::run(&check.root));
    check.stage("tests", Check::tests);
    check.stage("docs", |check| check.cargo(DOCS));
    if extent == Extent::Full {
        for form in LONG_FORMS {
            println!("{}: {}", form.name, form.why);
            check.stage(form.name, |check| check.counted(form.cargo));
        }
    }
    check.end()
}

/// One check under way.
struct Check {
    root: PathBuf,
    extent: Extent,
    skip_log: PathBuf,
    counts: Counts,
    failed_stages: Vec<&'static str>,
}

impl Check {
    /// Makes the empty skip log.
    fn begin(root: &Path, extent: Extent) -> io::Result<Check> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let place = root.join(target.unwrap_or_else(|| PathBuf::from("target"))).join("xtask");
        fs::create_dir_all(&place)?;
        let skip_log = place.join(format!("skips-{}.log", std::process::id()));
        fs::write(&skip_log, "")?;
        let (counts, failed_stages) = (Counts::default(), Vec::new());
        Ok(Check { root: root.to_path_buf(), extent, skip_log, counts, failed_stages })
    }

    /// Runs one stage and prints its line.
    fn stage(&mut self, name: &'static str, work: impl FnOnce(&mut Check) -> bool) {
        let begun = Instant::now();
        let good = work(self);
        let word = if good { "ok" } else { "FAILED" };
        println!("{word:<7} {name:<24} {:>7.1} s", begun.elapsed().as_secs_f64());
        if !good {
            self.failed_stages.push(name);
        }
    }

    /// A cargo of the same toolchain, at the root, with the environment of this check.
    fn command(&self, words: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut command = Command::new(cargo);
        command.args(words).current_dir(&self.root).stdin(Stdio::null());
        command.env(SKIP_LOG, &self.skip_log);
        if words.first() == Some(&"doc") {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        if self.extent == Extent::Full {
            command.env(LONG, "1");
        }
        command
    }

    /// A stage that is one cargo command; what it prints goes straight through.
    fn cargo(&mut self, words: &[&str]) -> bool {
        match self.command(words).status() {
            Ok(status) => status.success(),
            Err(error) => cannot_start(words, &error),
        }
    }

    /// The tests. One that died without a summary is one failed test, not none.
    fn tests(&mut self) -> bool {
        let good = self.counted(TESTS);
        if !good && self.counts.failed == 0 {
            println!("a test program did not build, or ended without a summary: counted as failed");
            self.counts.failed = 1;
        }
        good
    }

    /// A stage whose output is passed on line by line while the summaries are added up.
    fn counted(&mut self, words: &[&str]) -> bool {
        let mut child = match self.command(words).stdout(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => return cannot_start(words, &error),
        };
        if let Some(output) = child.stdout.take() {
            self.pass_on(BufReader::new(output), io::stdout().lock());
        }
        match child.wait() {
            Ok(status) => status.success(),
            Err(error) => cannot_start(words, &error),
        }
    }

    /// Bytes, not text: a test may print anything.
    fn pass_on(&mut self, mut output: impl BufRead, mut screen: impl Write) {
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            self.counts.add_line(&String::from_utf8_lossy(&line));
            // A reader of ours that went away must not stop the tests; the exit code still tells.
            let _ = screen.write_all(&line);
            line.clear();
        }
        let _ = screen.flush();
    }

    /// Prints the skipped tests, the failed stages and, last, the counts.
    fn end(mut self) -> bool {
        let skips = Skips::read(&fs::read_to_string(&self.skip_log).unwrap_or_default());
        let _ = fs::remove_file(&self.skip_log);
        self.counts.take_off(&skips);
        skips.aloud().for_each(|line| println!("{line}"));
        if !self.counts.any_ran() {
            println!("no test ran");
        }
        if !self.failed_stages.is_empty() {
            println!("failed: {}", self.failed_stages.join(", "));
        }
        println!("{}", self.counts);
        self.failed_stages.is_empty() && self.counts.failed == 0 && self.counts.any_ran()
    }
}

fn cannot_start(words: &[&str], error: &io::Error) -> bool {
    println!("cannot run cargo {}: {error}; is the toolchain installed?", words.join(" "));
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check() -> Check {
        let (root, skip_log) = (PathBuf::from("/"), PathBuf::from("/nowhere/skips.log"));
        let (counts, failed_stages) = (Counts::default(), Vec::new());
        Check { root, extent: Extent::Short, skip_log, counts, failed_stages }
    }

    #[test]
    fn output_passes_through_unchanged_while_it_is_counted() {
        let output = b"\xff\nshouted test result: ok. 2 passed; 1 failed; 0 ignored\nno line end";
        let (mut check, mut screen) = (check(), Vec::new());
        check.pass_on(output.as_slice(), &mut screen);
        assert_eq!(screen, output);
        assert_eq!(check.counts, Counts { passed: 2, failed: 1, skipped: 0 });
    }

    #[test]
    fn check_fails_when_no_test_ran_or_a_stage_failed() {
        assert!(!check().end());
        let one = Counts { passed: 1, failed: 0, skipped: 0 };
        assert!(Check { counts: one, ..check() }.end());
        assert!(!Check { counts: one, failed_stages: vec!["docs"], ..check() }.end());
        assert!(!Check { counts: Counts { failed: 1, ..one }, ..check() }.end());
    }
}
