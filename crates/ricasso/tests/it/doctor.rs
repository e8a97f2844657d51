//! `ricasso doctor`: what it finds on this machine, on poorer ones, and what it leaves behind.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Stage};
use crate::place::{Answer, Place};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const ALL: [&str; 12] = [
    "write-inside",
    "temporary-file",
    "write-outside",
    "delete-outside",
    "read-secret",
    "read-other-process",
    "end-other-process",
    "connect-port",
    "connect-socket",
    "leave-running",
    "exceed-processes",
    "exceed-deadline",
];
/// What mode open promises too.
const IN_OPEN: [&str; 5] =
    ["write-inside", "temporary-file", "leave-running", "exceed-processes", "exceed-deadline"];

/// Calls that make namespaces and mounts, and those of Landlock, as in `filters.rs`.
#[cfg(target_arch = "x86_64")]
const NO_SANDBOX: &str = "165,166,272,308,155,428,429,430,431,432,433,442,444,445,446";
#[cfg(target_arch = "aarch64")]
const NO_SANDBOX: &str = "40,39,97,268,41,428,429,430,431,432,433,442,444,445,446";

fn report(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {:?} {}", answer.text(), answer.stderr))
}

/// The results of a mode in the order of the table.
fn results<'a>(report: &'a Value, mode: &str) -> Vec<(&'a str, &'a str)> {
    let all = report["attempts"].as_array().unwrap().iter();
    let of_mode = all.filter(|tried| tried["mode"] == mode);
    of_mode
        .map(|tried| (tried["name"].as_str().unwrap(), tried["result"].as_str().unwrap()))
        .collect()
}

fn assert_all_held(report: &Value) {
    for (mode, names) in [("read", &ALL[..]), ("workspace", &ALL), ("open", &IN_OPEN)] {
        let held: Vec<_> = names.iter().map(|name| (*name, "held")).collect();
        assert_eq!(results(report, mode), held, "{mode}: {report:#}");
        assert_eq!(report["modes"][mode]["fit"], "full", "{report:#}");
        assert_eq!(report["modes"][mode]["missing"], Value::Array(Vec::new()), "{report:#}");
    }
}

/// Directories that a doctor of this process's children makes, and processes that it starts.
fn left_over() -> Vec<String> {
    let mut left = Vec::new();
    for base in ["/var/tmp".into(), std::env::temp_dir()] {
        let names = fs::read_dir(base).unwrap().flatten();
        left.extend(names.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    }
    left.retain(|name| name.starts_with("ricasso-doctor-"));
    left
}

#[test]
fn doctor_makes_its_attempts_in_every_mode_and_leaves_nothing() {
    let place = Place::new();
    let answer = place.call(&["doctor", "--json"]);
    let report = report(&answer);
    assert_eq!(answer.code, 0, "{report:#}");
    assert_all_held(&report);
    assert!(report["host"]["kernel"].as_str().is_some_and(|kernel| !kernel.is_empty()));
    assert_eq!(report["host"]["powers"]["landlock"], powers().landlock, "{report:#}");
    assert_eq!(report["modes"]["workspace"]["enforced"]["mode"], "workspace", "{report:#}");
    // What mode open shows is what makes the others mean something.
    let outside = report["attempts"].as_array().unwrap().iter();
    let outside = outside.filter(|tried| tried["name"] == "write-outside");
    for tried in outside {
        assert!(tried["detail"].as_str().unwrap().contains("in mode open"), "{tried}");
    }
    assert_eq!(place.state_files(), Vec::<String>::new());
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(place.root.join("home")).unwrap().count(), 0);
}

#[test]
fn doctor_tells_people_in_one_sentence_and_a_table() {
    let place = Place::new();
    let answer = place.call(&["doctor"]);
    let text = answer.text();
    assert_eq!(answer.code, 0, "{text}");
    assert!(text.starts_with("Linux "), "{text}");
    assert!(
        text.contains("\n\nGood: mode workspace, the default, holds on this machine.\n\n"),
        "{text}"
    );
    let row = |what: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(what));
        let line = line.unwrap_or_else(|| panic!("{what}: {text}"));
        line.split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(row("write a file in the workspace "), ["stopped", "works", "works"]);
    assert_eq!(row("read a key in ~/.ssh "), ["stopped", "stopped", "-"]);
    assert_eq!(row("run longer than the deadline "), ["stopped", "stopped", "stopped"]);
    assert!(text.lines().all(|line| !line.contains("ESCAPED")), "{text}");
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/doctor.md");
    let guide = fs::read_to_string(guide).unwrap();
    let shown = guide.split("what was tried").nth(1).unwrap().split("\n-:").next().unwrap();
    assert!(text.contains(shown), "{shown}\n{text}");
}

#[test]
fn doctor_says_what_is_missing_and_what_to_do() {
    let hall = Hall::new();
    for actor in hall.actors() {
        let spaceless = doctor(&hall, actor, "without-namespaces", &["--json"]);
        let found = report(&spaceless);
        assert_eq!(spaceless.code, 0, "{actor:?}: {found:#}");
        assert_all_held(&found);
        assert_eq!(found["host"]["powers"]["namespaces"], "none", "{found:#}");
        assert_eq!(found["host"]["filtered"], true, "{found:#}");
        assert!(found["advice"].to_string().contains("for user namespaces: "), "{found:#}");
    }
    let (actor, none) = (hall.actors()[0], format!("without 1 {NO_SANDBOX}"));
    let answer = doctor(&hall, actor, &none, &["--json"]);
    let found = report(&answer);
    assert_eq!(answer.code, 1, "{found:#}");
    for mode in ["read", "workspace"] {
        assert_eq!(found["modes"][mode]["fit"], "partial", "{found:#}");
        assert_eq!(found["modes"][mode]["missing"], serde_json::json!(["files"]), "{found:#}");
        let all: Vec<_> = ALL.iter().map(|name| (*name, "unavailable")).collect();
        assert_eq!(results(&found, mode), all, "{found:#}");
    }
    assert_eq!(found["modes"]["open"]["fit"], "full", "{found:#}");
    let text = doctor(&hall, actor, &none, &[]).text();
    let told =
        ["Bad: mode workspace", "why: ", "to do: use Linux 6.12", "--security-opt", "or: run with"];
    for words in told {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn doctor_is_ended_by_a_signal_and_takes_its_directory_along() {
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let mut command = place.command(&["doctor"]);
    let child = command.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
    let mine = format!("ricasso-doctor-{}-", child.id());
    let is_there = || left_over().iter().any(|name| name.starts_with(&mine));
    crate::place::eventually("the directory is there", is_there);
    // The shell's own kill: a small machine has no program of that name.
    let kill = format!("kill -TERM {}", child.id());
    assert!(Command::new("/bin/sh").args(["-c", &kill]).status().unwrap().success());
    let answer = crate::place::answer(child.wait_with_output().unwrap());
    assert_eq!(answer.code, 143);
    assert!(!is_there());
}

#[test]
fn doctor_has_a_code_for_bad_usage() {
    let place = Place::new();
    let answer = place.call(&["doctor", "--nonsense"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    let help = place.call(&["doctor", "--help"]);
    assert_eq!(help.code, 0);
    assert!(help.text().contains("0 the default mode holds"), "{}", help.text());
    assert!(!help.text().contains("--connect"), "{}", help.text());
}

fn doctor(hall: &Hall, actor: Actor, wrap: &str, flags: &[&str]) -> Answer {
    let stage = Stage::new(hall, actor);
    let answer = stage.under(wrap, &[&["doctor"], flags].concat());
    let mine = |name: &String| name.starts_with(&format!("ricasso-doctor-{}-", answer.1));
    assert!(!left_over().iter().any(mine), "{:?}", left_over());
    answer.0
}
