//! The report for people: one sentence, a table, and what to do.

use super::attempts::{ATTEMPTS, Attempt, Outcome, Promise};
use super::{Report, Tried};
use ricasso_engine::policy::Mode;
use serde_json::Value;

const COLUMNS: [Mode; 3] = [Mode::Read, Mode::Workspace, Mode::Open];

/// The whole page.
pub(super) fn of(report: &Report) -> String {
    let mut page = format!("{}\n\n{}", report.host.line(), verdict(report));
    if report.runs(Mode::Workspace) {
        page.push_str(&table(report));
    }
    page.push_str(&mechanisms(report));
    if report.is_good() && !report.advice.is_empty() {
        page.push_str("\nIt holds without namespaces, in a narrower way. To get them:\n");
        page.push_str(&list("", &report.advice));
    }
    page
}

/// The answer: whether it holds, and where it does not, why and what to do.
fn verdict(report: &Report) -> String {
    let escaped = report.attempts.iter().filter(|tried| tried.result == Outcome::Escaped).count();
    match (escaped, report.modes.get(Mode::Workspace.name())) {
        (0, _) if report.is_good() => {
            "Good: mode workspace, the default, holds on this machine.\n".into()
        }
        (0, Some(mode)) => {
            let mut lines = String::from("Bad: mode workspace, the default, does not work here.\n");
            lines.push_str(&list("why: ", &mode.why));
            // Where nothing is missing the machine is not to blame, and the reason says it all.
            if !mode.missing.is_empty() {
                lines.push_str(&list("to do: ", &report.advice));
            }
            lines.push_str(&list("or: ", &mode.instead));
            lines
        }
        (count, _) => format!("Bad: {count} attempts ESCAPED. Please report this (SECURITY.md).\n"),
    }
}

fn list(head: &str, all: &[String]) -> String {
    all.iter().map(|one| format!("  {head}{one}\n")).collect()
}

/// What did not end as it should, in words. Of a mode that runs nothing the reason says it all.
fn unheld(report: &Report) -> String {
    let runs = |tried: &Tried| report.modes.get(tried.mode).is_some_and(|mode| mode.runs);
    let told = |tried: &&Tried| tried.result != Outcome::Held && runs(tried);
    let line = |tried: &Tried| format!("{}, {}: {}\n", tried.mode, tried.name, tried.detail);
    report.attempts.iter().filter(told).map(line).collect()
}

fn table(report: &Report) -> String {
    let mut page = format!("\n{}", row("what was tried, by mode", COLUMNS.map(Mode::name)));
    for attempt in ATTEMPTS {
        page.push_str(&row(attempt.what, COLUMNS.map(|mode| cell(report, attempt, mode))));
    }
    page.push_str("-: mode open does not confine this\n");
    page.push_str(&unheld(report));
    page
}

fn row(what: &str, cells: [&str; 3]) -> String {
    let [read, workspace, open] = cells;
    format!("{what:<47} {read:<10} {workspace:<10} {open}\n")
}

/// What the mode did, in a word.
fn cell(report: &Report, attempt: &Attempt, mode: Mode) -> &'static str {
    if !report.runs(mode) && attempt.promise(mode) != Promise::Free {
        return "not run";
    }
    let is_it = |tried: &&Tried| tried.name == attempt.name && tried.mode == mode.name();
    match (report.attempts.iter().find(is_it).map(|tried| tried.result), attempt.promise(mode)) {
        (_, Promise::Free) => "-",
        (None, _) => "not tried",
        (Some(Outcome::Held), Promise::Stopped) => "stopped",
        (Some(Outcome::Held), Promise::Works) => "works",
        (Some(Outcome::Escaped), _) => "ESCAPED",
        (Some(Outcome::Unavailable), Promise::Works) => "FAILS",
        (Some(Outcome::Unavailable), Promise::Stopped) => "not shown",
    }
}

/// What holds each mode, what is missing, and where it is narrower than asked for.
fn mechanisms(report: &Report) -> String {
    let mut page = String::from("\n");
    for mode in COLUMNS {
        let Some(found) = report.modes.get(mode.name()) else { continue };
        let parts = ["files", "net", "kill", "limits"].map(|part| {
            let by = found.enforced.get(part).and_then(Value::as_str).unwrap_or("none");
            format!("{part} {by}")
        });
        page.push_str(&format!("mode {}, held by: {}\n", mode.name(), parts.join(", ")));
        page.push_str(&list("missing: ", &found.missing));
        page.push_str(&list("narrower: ", &found.stricter));
    }
    page
}
