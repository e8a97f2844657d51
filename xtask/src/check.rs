//! All of CI: the stages one after the other, a line for each, and the counts last.
//!
//! A stage that fails does not hide the next ones; the whole fails when one did or no test ran.

use crate::counts::Counts;
use crate::host::Host;
use crate::long::LONG_FORMS;
use crate::{fresh, skips, tidy};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Which tier of the check is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// What every commit passes, with the programs of a Debian base, bash, git and python3.
    Base,
    /// Only what needs installed programs, and the builds with fewer features.
    Work,
    /// Both, with the long forms.
    Full,
}

/// Where a test writes that it, or a part of it, cannot run on this host.
const SKIP_LOG: &str = "RICASSO_SKIP_LOG";
/// Set for the long forms: tests lengthen their loops.
const LONG: &str = "RICASSO_LONG";
/// How many tests of one program run at once; read by the harness.
const THREADS: &str = "RUST_TEST_THREADS";
/// Most tests wait for processes, so more of them run at once than there are cores.
const TESTS_PER_CORE: usize = 2;

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] =
    &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
/// The library alone.
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
const TESTS: &[&str] = &["test", "--workspace", "--no-fail-fast", "--", "--skip", "installed::"];
/// The tests that need more programs than the base tier allows lie in modules of this name.
const INSTALLED: &[&str] =
    &["test", "--workspace", "--no-fail-fast", "--tests", "--", "installed::"];
const ALL_TESTS: &[&str] = &["test", "--workspace", "--no-fail-fast"];
/// With the features of clippy, so that what it checked serves here too.
const DOCS: &[&str] = &["doc", "--no-deps", "--workspace", "--all-features"];

/// Runs every stage and prints the counts as the last line. True when all is well.
pub(crate) fn run(root: &Path, tier: Tier) -> bool {
    let mut check = match Check::begin(root, tier) {
        Ok(check) => check,
        Err(error) => {
            eprintln!("cannot begin the check: {error}; see that the target directory is ours");
            return false;
        }
    };
    if tier != Tier::Work {
        check.stage("format", |check| check.cargo(FORMAT));
        check.stage("clippy", |check| check.cargo(CLIPPY));
        check.stage("tidy", |check| tidy::run(&check.root));
    }
    if tier != Tier::Base {
        check.stage("clippy without features", |check| check.cargo(CLIPPY_BARE));
        check.stage("clippy, program alone", |check| check.cargo(CLIPPY_SMALL));
    }
    check.stage("tests", Check::tests);
    if tier != Tier::Work {
        check.stage("docs", |check| check.cargo(DOCS));
    }
    if tier == Tier::Full {
        for form in LONG_FORMS {
            println!("{}: {}", form.name, form.why);
            check.stage(form.name, |check| check.counted(form.cargo));
        }
        check.stage("fresh", |check| fresh::stage(&check.root, &check.skip_log));
    }
    check.end()
}

/// One check under way.
struct Check {
    root: PathBuf,
    tier: Tier,
    skip_log: PathBuf,
    counts: Counts,
    failed_stages: Vec<&'static str>,
}

impl Check {
    /// Makes the empty skip log.
    fn begin(root: &Path, tier: Tier) -> io::Result<Check> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let place = root.join(target.unwrap_or_else(|| PathBuf::from("target"))).join("xtask");
        fs::create_dir_all(&place)?;
        let skip_log = place.join(format!("skips-{}.log", std::process::id()));
        fs::write(&skip_log, "")?;
        let (counts, failed_stages) = (Counts::default(), Vec::new());
        Ok(Check { root: root.to_path_buf(), tier, skip_log, counts, failed_stages })
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
        if self.tier == Tier::Full {
            command.env(LONG, "1");
        }
        if words.first() == Some(&"test") && std::env::var_os(THREADS).is_none() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            command.env(THREADS, (cores * TESTS_PER_CORE).to_string());
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
        let good = self.counted(match self.tier {
            Tier::Base => TESTS,
            Tier::Work => INSTALLED,
            Tier::Full => ALL_TESTS,
        });
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
        self.count_skips();
        if !self.counts.any_ran() {
            println!("no test ran");
        }
        if !self.failed_stages.is_empty() {
            println!("failed: {}", self.failed_stages.join(", "));
        }
        println!("{}", self.counts);
        self.failed_stages.is_empty() && self.counts.failed == 0 && self.counts.any_ran()
    }

    /// Compares the skip log with the list of what may be skipped on this host.
    fn count_skips(&mut self) {
        let log = fs::read_to_string(&self.skip_log).unwrap_or_default();
        let _ = fs::remove_file(&self.skip_log);
        let skipped = skips::read_log(&log);
        let list = fs::read_to_string(self.root.join(skips::LIST)).unwrap_or_default();
        let rows = skips::read_list(&list).unwrap_or_else(|wrong| {
            println!("{} cannot be used: {wrong:?}", skips::LIST);
            Vec::new()
        });
        let unlisted = skips::unlisted(&skipped, &rows, &mut Host::new(&self.root));
        skips::told(&skipped).iter().for_each(|line| println!("skipped: {line}"));
        let not_allowed: Vec<skips::Skip> = unlisted.iter().map(|skip| (*skip).clone()).collect();
        for line in skips::told(&not_allowed) {
            println!("must not be skipped on this host: {line}");
        }
        if !unlisted.is_empty() {
            println!("make them run here, or say in {} where they may be skipped", skips::LIST);
            self.failed_stages.push("skips");
        }
        self.counts.take_off(&skipped, &unlisted);
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
        Check { root, tier: Tier::Base, skip_log, counts, failed_stages }
    }

    #[test]
    fn output_passes_through_unchanged_while_it_is_counted() {
        let output = b"\xff\nshouted test result: ok. 2 passed; 1 failed; 0 ignored\nno line end";
        let (mut check, mut screen) = (check(), Vec::new());
        check.pass_on(output.as_slice(), &mut screen);
        assert_eq!(screen, output);
        assert_eq!(check.counts.to_string(), "2 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn check_fails_when_no_test_ran_or_a_stage_failed() {
        assert!(!check().end());
        let counts = |passed, failed| {
            let mut counts = Counts::default();
            (counts.passed, counts.failed) = (passed, failed);
            counts
        };
        assert!(Check { counts: counts(1, 0), ..check() }.end());
        assert!(!Check { counts: counts(1, 0), failed_stages: vec!["docs"], ..check() }.end());
        assert!(!Check { counts: counts(1, 1), ..check() }.end());
    }

    #[test]
    fn check_fails_when_a_skip_is_not_listed() {
        let root = std::env::temp_dir().join(format!("ricasso-check-{}", std::process::id()));
        fs::create_dir_all(root.join("cases")).unwrap();
        let ends_well = |list: &str| {
            let skip_log = root.join("skips.log");
            fs::write(&skip_log, "test\tcage::a\tno landlock\n").unwrap();
            fs::write(root.join(skips::LIST), list).unwrap();
            let mut check = Check { root: root.clone(), skip_log, ..check() };
            check.counts.passed = 2;
            check.end()
        };
        assert!(ends_well("cage::a | any | why\n"));
        assert!(!ends_well("cage::a | without:sh | why\n"));
        assert!(!ends_well("cage::b | any | why\n"));
        assert!(!ends_well("cage::a any why\n"));
        fs::remove_dir_all(root).unwrap();
    }
}
