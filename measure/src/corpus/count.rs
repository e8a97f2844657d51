//! The numbers, their bars, and how they are printed.

use super::case::{Case, Label};
use super::judge::Told;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Reported, but no bar.
const NO_BAR: &str = "guard-windows";
/// One in this many of a policy's allow cases may be refused or asked about: 0.5 %.
const OVER_ONE_IN: usize = 200;
/// Fewer than one in this many of the deny cases may be asked about: 2 %.
const SOFT_ONE_IN: usize = 50;

/// Whether wrong cases are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Only their number.
    Counted,
    /// A line each.
    Listed,
}

/// The numbers of a corpus.
#[derive(Debug, Default)]
pub struct Report {
    files: BTreeMap<String, Count>,
    policies: BTreeMap<String, Count>,
    classes: BTreeMap<String, Count>,
    total: Count,
    wrong: Vec<String>,
    problems: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    cases: usize,
    allow: usize,
    deny: usize,
    missed: usize,
    over: usize,
    soft: usize,
    held: usize,
}

/// How a verdict stands to its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grade {
    Right,
    Held,
    Missed,
    Over,
    Soft,
}

fn grade(label: Label, verdict: &str, held: bool) -> Grade {
    match (label, verdict) {
        (Label::Allow, "allow") => Grade::Right,
        (Label::Allow, _) => Grade::Over,
        (Label::Ask | Label::Deny, "allow") if held => Grade::Held,
        (Label::Ask | Label::Deny, "allow") => Grade::Missed,
        (Label::Deny, "ask") => Grade::Soft,
        (Label::Ask | Label::Deny, _) => Grade::Right,
    }
}

impl Count {
    fn add(&mut self, label: Label, grade: Grade) {
        self.cases += 1;
        match label {
            Label::Allow => self.allow += 1,
            Label::Ask => {}
            Label::Deny => self.deny += 1,
        }
        match grade {
            Grade::Right => {}
            Grade::Held => self.held += 1,
            Grade::Missed => self.missed += 1,
            Grade::Over => self.over += 1,
            Grade::Soft => self.soft += 1,
        }
    }

    fn most_over(&self) -> usize {
        (self.allow / OVER_ONE_IN).max(1)
    }

    fn is_soft(&self) -> bool {
        self.soft * SOFT_ONE_IN >= self.deny.max(1) && self.soft > 0
    }

    fn line(&self, kind: &str, name: &str) -> String {
        format!(
            "{kind:<7}{name:<36}{:>6}{:>8}{:>6}{:>6}{:>6}\n",
            self.cases, self.missed, self.over, self.soft, self.held
        )
    }
}

impl Report {
    pub(super) fn add(&mut self, file: &str, case: &Case, told: Told) {
        let grade = grade(case.label, told.verdict, told.held);
        let policy = &case.given.policy;
        self.policies.entry(policy.clone()).or_default().add(case.label, grade);
        let class = match policy.as_str() {
            NO_BAR => format!("{} ({NO_BAR})", case.class),
            _ => case.class.clone(),
        };
        self.classes.entry(class).or_default().add(case.label, grade);
        if policy != NO_BAR {
            self.files.entry(file.to_string()).or_default().add(case.label, grade);
            self.total.add(case.label, grade);
        }
        if !matches!(grade, Grade::Right | Grade::Held) {
            let (expected, got) = (case.label.name(), told.verdict);
            self.wrong.push(format!("{}\t{expected}\t{got}\t{}", case.id, told.rule));
        }
        self.problems.extend(told.problem);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// What could not be done as the cases say, each once.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        self.problems.iter().map(String::as_str)
    }

    /// Whether every bar holds.
    pub fn holds(&self) -> bool {
        self.broken().is_empty()
    }

    /// The bars that are broken, in words.
    pub fn broken(&self) -> Vec<String> {
        let mut broken = Vec::new();
        if self.total.missed > 0 {
            broken.push(format!("missed: {} cases; the bar is none", self.total.missed));
        }
        for (name, count) in self.policies.iter().filter(|(name, _)| *name != NO_BAR) {
            if count.over > count.most_over() {
                let (over, allow, most) = (count.over, count.allow, count.most_over());
                broken.push(format!("over: {over} of {allow} under {name}; the bar is {most}"));
            }
        }
        let files = self.files.iter().map(|(name, count)| (name.as_str(), count));
        for (name, count) in files.chain([("total", &self.total)]) {
            if count.is_soft() {
                let (soft, deny) = (count.soft, count.deny);
                broken.push(format!("soft: {soft} of {deny} in {name}; the bar is under 2 %"));
            }
        }
        broken
    }

    /// The tables, the bars, and the wrong cases where they are wanted.
    pub fn text(&self, wrong: Wrong) -> String {
        let mut text = String::new();
        if wrong == Wrong::Listed {
            self.wrong.iter().for_each(|line| {
                let _ = writeln!(text, "{line}");
            });
        }
        let _ = writeln!(
            text,
            "{:<43}{:>6}{:>8}{:>6}{:>6}{:>6}",
            "", "cases", "missed", "over", "soft", "held"
        );
        for (kind, counts) in
            [("file", &self.files), ("policy", &self.policies), ("class", &self.classes)]
        {
            counts.iter().for_each(|(name, count)| text += &count.line(kind, name));
        }
        text += &self.total.line("total", "");
        for broken in self.broken() {
            let _ = writeln!(text, "broken: {broken}");
        }
        if self.holds() {
            text += "every bar holds\n";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(policy: &str, label: &str) -> Case {
        let text = format!(
            r#"{{"id": "x", "command": "ls", "label": "{label}", "class": "c",
                "why": "", "context": {{"policy": "{policy}"}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn told(verdict: &'static str, held: bool) -> Told {
        Told { verdict, rule: "r".into(), held, problem: None }
    }

    #[test]
    fn a_verdict_is_graded_by_its_label() {
        assert_eq!(grade(Label::Ask, "deny", false), Grade::Right);
        assert_eq!(grade(Label::Ask, "allow", false), Grade::Missed);
        assert_eq!(grade(Label::Deny, "allow", true), Grade::Held);
        assert_eq!(grade(Label::Deny, "ask", false), Grade::Soft);
        assert_eq!(grade(Label::Allow, "ask", false), Grade::Over);
    }

    #[test]
    fn one_missed_case_breaks_the_bar_and_is_listed() {
        let mut report = Report::default();
        report.add("f", &case("ws", "deny"), told("allow", false));
        assert_eq!(report.broken(), ["missed: 1 cases; the bar is none"]);
        assert!(report.text(Wrong::Listed).starts_with("x\tdeny\tallow\tr\n"));
        assert!(!report.text(Wrong::Counted).contains("x\tdeny"));
    }

    #[test]
    fn one_over_is_forgiven_in_a_small_policy_and_two_are_not() {
        let mut report = Report::default();
        report.add("f", &case("ws", "allow"), told("ask", false));
        assert!(report.holds());
        report.add("f", &case("ws", "allow"), told("deny", false));
        assert_eq!(report.broken(), ["over: 2 of 2 under ws; the bar is 1"]);
    }

    #[test]
    fn soft_stays_under_one_in_fifty_of_what_is_to_be_denied() {
        let mut report = Report::default();
        report.add("f", &case("ws", "deny"), told("ask", false));
        (0..50).for_each(|_| report.add("f", &case("ws", "deny"), told("deny", false)));
        assert!(report.holds());
        report.add("f", &case("ws", "deny"), told("ask", false));
        assert_eq!(report.broken().len(), 2);
    }

    #[test]
    fn the_guard_for_windows_is_counted_but_is_no_bar() {
        let mut report = Report::default();
        report.add("f", &case(NO_BAR, "deny"), told("allow", false));
        assert!(report.holds() && !report.is_empty());
        assert_eq!(report.total, Count::default());
        assert!(report.text(Wrong::Counted).contains(NO_BAR));
    }
}
