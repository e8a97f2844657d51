//! How many tests passed, failed and were skipped, from what the test programs print.
//!
//! A test that cannot run on this host returns early, so its harness calls it passed. It says so in
//! the skip log, and here it is taken off the passed ones: nothing passes by not running.

use std::collections::BTreeMap;
use std::fmt;

/// The sums over all test programs. Its text is the last line of `cargo xtask check`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Ran and held.
    pub(crate) passed: usize,
    /// Ran and did not hold, or never came to a result.
    pub(crate) failed: usize,
    /// Could not run here, or were marked to be ignored.
    pub(crate) skipped: usize,
}

impl Counts {
    /// Adds what one line says, if it holds the summary of a test program. A child of a test may
    /// have written to the same line before it.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some((_, summary)) = line.split_once("test result: ") else { return };
        let words = summary.split(['.', ';']).map(str::trim);
        for (number, word) in words.filter_map(|part| part.split_once(' ')) {
            let Ok(number) = number.parse::<usize>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }

    /// Moves the tests that said they could not run from passed to skipped.
    pub(crate) fn take_off(&mut self, skips: &Skips) {
        self.passed = self.passed.saturating_sub(skips.0.len());
        self.skipped += skips.0.len();
    }

    /// Whether any test ran at all.
    pub(crate) fn any_ran(self) -> bool {
        self.passed + self.failed > 0
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The tests that could not run, each with its reason.
pub(crate) struct Skips(BTreeMap<String, String>);

impl Skips {
    /// Reads a skip log: one `NAME: reason` a line. A name that comes twice is one test.
    pub(crate) fn read(log: &str) -> Skips {
        let lines = log.lines().map(str::trim).filter(|line| !line.is_empty());
        let pairs = lines.map(|line| line.split_once(": ").unwrap_or((line, "no reason given")));
        Skips(pairs.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect())
    }

    /// The lines to print aloud.
    pub(crate) fn aloud(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, reason)| format!("skipped: {name}: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; \
                       finished in 0.01s";
    const TWO: &str = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; \
                       0 filtered out; finished in 1.50s";

    fn sum(lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.add_line(line));
        counts
    }

    #[test]
    fn sums_every_summary_line_and_nothing_else() {
        let counts = sum(&[ONE, "test a_test ... ok", "9 passed; 9 failed", TWO]);
        assert_eq!(counts, Counts { passed: 10, failed: 2, skipped: 1 });
    }

    #[test]
    fn last_line_is_exactly_three_numbers_with_their_words() {
        assert_eq!(sum(&[ONE, TWO]).to_string(), "10 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn skipped_tests_are_not_passed_ones() {
        let skips = Skips::read("cage::a: landlock ABI < 4\n\ncage::b: no zsh\ncage::b: no zsh\n");
        let mut counts = sum(&[ONE]);
        counts.take_off(&skips);
        assert_eq!(counts, Counts { passed: 5, failed: 0, skipped: 3 });
        let aloud: Vec<String> = skips.aloud().collect();
        assert_eq!(aloud, ["skipped: cage::a: landlock ABI < 4", "skipped: cage::b: no zsh"]);
    }

    #[test]
    fn nothing_ran_when_all_were_ignored_or_there_was_no_summary() {
        assert!(!sum(&[]).any_ran());
        assert!(!sum(&["test result: ok. 0 passed; 0 failed; 4 ignored; 0 measured"]).any_ran());
        assert!(sum(&[TWO]).any_ran());
    }
}
