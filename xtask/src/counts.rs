//! How many tests passed, failed and were skipped, from what the test programs print.

use crate::skips::{Skip, is_same_test};
use std::fmt;

/// The sums over all test programs. Its text is the last line of `cargo xtask check`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Ran and held.
    pub(crate) passed: usize,
    /// Ran and did not hold, never came to a result, or skipped what the list does not allow.
    pub(crate) failed: usize,
    /// Could not run here: whole tests, and parts of tests that ran otherwise.
    pub(crate) skipped: usize,
    /// The paths of the tests that did not hold.
    failed_tests: Vec<String>,
}

impl Counts {
    /// Adds what one line says, if it holds the result of a test that failed or the summary of a
    /// test program. A child of a test may have written to the same line before it.
    pub(crate) fn add_line(&mut self, line: &str) {
        if let Some((before, _)) = line.split_once(" ... FAILED") {
            let name = before.rsplit_once("test ").map_or(before, |(_, name)| name);
            self.failed_tests.extend(name.split_whitespace().next().map(str::to_owned));
        }
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

    /// Counts what the skip log says: nothing passes by not running. A whole test moves from
    /// passed to skipped, unless it is among the failed ones; a part is counted besides its test.
    /// What the list does not allow counts as failed instead.
    pub(crate) fn take_off(&mut self, skips: &[Skip], unlisted: &[&Skip]) {
        for skip in skips {
            let failed = |name: &String| is_same_test(name, &skip.test);
            if skip.part.is_none() {
                if self.failed_tests.iter().any(failed) {
                    continue;
                }
                self.passed = self.passed.saturating_sub(1);
            }
            if unlisted.contains(&skip) {
                self.failed += 1;
            } else {
                self.skipped += 1;
            }
        }
    }

    /// Whether any test ran at all.
    pub(crate) fn any_ran(&self) -> bool {
        self.passed + self.failed > 0
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skips::read_log;

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
        assert_eq!(counts, Counts { passed: 10, failed: 2, skipped: 1, ..Counts::default() });
    }

    #[test]
    fn last_line_is_exactly_three_numbers_with_their_words() {
        assert_eq!(sum(&[ONE, TWO]).to_string(), "10 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn whole_tests_move_from_passed_to_skipped_and_parts_are_counted_besides() {
        let skips = read_log("test\ta\tno\ntest\tb\tno\ntest\tb\tno\npart\tc\tx\tno\n");
        let mut counts = sum(&[ONE]);
        counts.take_off(&skips, &[]);
        assert_eq!(counts.to_string(), "5 passed, 0 failed, 4 skipped");
    }

    #[test]
    fn test_that_says_it_is_skipped_and_fails_is_a_failed_one() {
        let skips = read_log("test\tb\tno\npart\ta::c\tx\tno\n");
        let mut counts = sum(&["noise test a::b ... FAILED", "test a::c ... FAILED", TWO]);
        counts.take_off(&skips, &[]);
        assert_eq!(counts.to_string(), "3 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn skip_that_is_not_listed_counts_as_failed() {
        let skips = read_log("test\ta\tno\npart\tb\tx\tno\ntest\tc\tno\n");
        let mut counts = sum(&[ONE]);
        counts.take_off(&skips, &[&skips[0], &skips[1]]);
        assert_eq!(counts.to_string(), "5 passed, 2 failed, 2 skipped");
    }

    #[test]
    fn nothing_ran_when_all_were_ignored_or_there_was_no_summary() {
        assert!(!sum(&[]).any_ran());
        assert!(!sum(&["test result: ok. 0 passed; 0 failed; 4 ignored; 0 measured"]).any_ran());
        assert!(sum(&[TWO]).any_ran());
    }
}
