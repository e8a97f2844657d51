//! The acts of `cases/work` before the judge: what the cage lets work, no judge may refuse.

use crate::policy::{Policy, Preset, Reason, judge};
use crate::request::Step;
use crate::scene::Described;
use serde::Deserialize;

#[derive(Deserialize)]
struct Rows {
    work: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    before: Option<String>,
    #[serde(default)]
    write: Vec<String>,
    mode: Option<String>,
    act: String,
}

/// Rows that are refused on purpose, and why. One that is no longer refused must go from here.
const REFUSED: &[(&str, &str)] = &[
    ("git-upkeep", "git reset --hard is asked about, since it discards work"),
    ("zsh", "a text for zsh is read as bash reads it, and what only zsh understands is not run"),
];

#[test]
fn no_act_of_ordinary_work_is_refused() {
    let text = std::fs::read_to_string(super::cases().join("work/tools.toml")).unwrap();
    let rows: Rows = toml::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    // Directories that a person grants by a flag are no part of a preset.
    for row in rows.work.iter().filter(|row| row.write.is_empty()) {
        let preset = Preset::named(row.mode.as_deref().unwrap_or("workspace")).unwrap();
        let (home, work) = ("/home/user", "/home/user/project");
        let fill = |text: &str| {
            text.replace("{work}", work).replace("{home}", home).replace("{bin}", "/usr/bin")
        };
        // What runs outside before makes the scene; only what is said of the act counts.
        let before = fill(&format!("( {}\n:\n)\n", row.before.as_deref().unwrap_or_default()));
        let text = format!("{before}{}", fill(&row.act));
        let mut request = super::request(&super::read_one());
        request.steps = vec![Step::Shell(text.as_str().into())];
        let world = Described::new().set("HOME", home).directory(work);
        let judgement = judge(&request, &Policy::preset(preset), &world);
        let of_act = |reason: &&Reason| reason.span.is_none_or(|span| span[0] >= before.len());
        let reasons: Vec<&Reason> = judgement.reasons.iter().filter(of_act).collect();
        let refused = !reasons.is_empty();
        let listed = REFUSED.iter().any(|(name, _)| *name == row.name);
        if refused != listed {
            wrong.push(format!("{}: {} {:#?}", row.name, judgement.verdict.name(), reasons));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
