//! `ricasso ledger` and `ricasso forget`: looking at the record, checking it, judging again.

use crate::deaths::ledger_lines;
use crate::library::{engine_with, request};
use crate::place::{Answer, Place, eventually, mark};
use ricasso_engine::engine::{Feed, Spares, Then};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

fn id(reply: &Value) -> &str {
    reply["id"].as_str().unwrap()
}

fn job(place: &Place, reply: &Value) -> PathBuf {
    place.state().join("jobs").join(id(reply))
}

fn shown(place: &Place, args: &[&str]) -> Vec<Value> {
    let mut all = vec!["ledger", "show", "--json"];
    all.extend(args);
    let answer = place.call(&all);
    assert_eq!(answer.code, 0, "{args:?}: {}", answer.stderr);
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn age(path: &PathBuf, days: u64) {
    let file = fs::File::open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
}

fn verify(place: &Place, args: &[&str]) -> Answer {
    let mut all = vec!["ledger", "verify"];
    all.extend(args);
    place.call(&all)
}

#[test]
fn the_table_fits_a_terminal_and_has_a_row_for_each_call() {
    let place = Place::new();
    assert_eq!(place.call(&["ledger", "show"]).text().lines().count(), 1, "the heading alone");
    place.shell("echo \t\nls 日本語日本語日本語日本語日本語日本語 | cat; exit 3");
    place.call(&["run", "--mode", "open", "-c", "rm -rf \u{1b}[1m /"]);
    let mark = mark();
    let mut running = place.start(&["-c", &format!("sleep {mark}")]);
    eventually("it is recorded", || ledger_lines(&place).len() == 5);
    let table = place.call(&["ledger", "show"]);
    let text = table.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((table.code, lines.len()), (0, 4), "{text}");
    for line in &lines {
        let wide = line.chars().filter(|c| *c > '\u{2e80}').count();
        assert!(line.chars().count() + wide <= 80, "{line}");
        assert!(!line.contains('\u{1b}'), "{line:?}");
    }
    assert!(lines[1].contains("exit 3") && lines[2].contains("denied"), "{text}");
    assert!(lines[3].contains("running") && lines[3].contains(&mark), "{text}");
    let one = place.call(&["ledger", "show", "--last", "1"]).text();
    assert_eq!(one.lines().count(), 2, "{one}");
    running.kill().unwrap();
    running.wait().unwrap();
    // The next start closes it as lost, and the row still says what it was.
    place.shell("true");
    let lost = place.call(&["ledger", "show"]).text();
    assert!(lost.lines().any(|line| line.contains("lost") && line.contains(&mark)), "{lost}");
}

#[test]
fn entries_are_found_by_time_session_program_verdict_and_path() {
    let place = Place::new();
    fs::create_dir(place.work().join("sub")).unwrap();
    place.shell("env true | sort");
    place.json(&["--cwd", "sub", "-c", "echo x > ../other/../kept"]);
    place.call(&["run", "--mode", "open", "-c", "rm -rf /"]);
    let all = shown(&place, &[]);
    assert_eq!(all, ledger_lines(&place));
    assert_eq!(all.len(), 6);
    let count = |args: &[&str]| shown(&place, args).len();
    assert_eq!((count(&["--verdict", "deny"]), count(&["--verdict", "allow"])), (2, 4));
    assert_eq!((count(&["--program", "sort"]), count(&["--program", "sor"])), (2, 0));
    assert_eq!((count(&["--session", "cli"]), count(&["--session", "other"])), (6, 0));
    assert_eq!((count(&["--path", "sub"]), count(&["--path", "kept"])), (2, 2));
    assert_eq!((count(&["--path", "."]), count(&["--path", "/usr/lib"])), (6, 0));
    assert_eq!((count(&["--since", "1h"]), count(&["--until", "1h"])), (6, 0));
    assert_eq!(count(&["--since", "2020-01-01", "--until", "2020-01-02T10:00Z"]), 0);
    let from = all[2]["at"].as_str().unwrap();
    assert!(count(&["--since", from]) >= 4);
    assert_eq!(count(&["--program", "sort", "--verdict", "deny"]), 0);
    for wrong in [["--since", "tomorrow"], ["--verdict", "maybe"]] {
        assert_eq!(place.call(&["ledger", "show", wrong[0], wrong[1]]).code, 2, "{wrong:?}");
    }
}

#[test]
fn verify_says_intact_or_where_it_is_not() {
    let place = Place::new();
    let empty = verify(&place, &[]);
    assert_eq!((empty.code, empty.text().as_str()), (0, "intact: no entry yet\n"));
    let reply = place.shell("echo one");
    place.shell("echo two");
    let anchor = |reply: &Value| {
        format!("{}:{}", reply["record"]["seq"], reply["record"]["hash"].as_str().unwrap())
    };
    let kept = anchor(&reply);
    let good = verify(&place, &["--anchor", &kept]);
    assert_eq!(good.code, 0, "{}", good.text());
    assert!(good.text().starts_with("intact: 4 entries, 1 to 4\nlast 4:"), "{}", good.text());
    for bad in ["x", "1:", "1:abc", ":", "-1:00"] {
        assert_eq!(verify(&place, &["--anchor", bad]).code, 2, "{bad}");
    }
    let other = format!("1:{}", reply["record"]["hash"].as_str().unwrap());
    let wrong = verify(&place, &["--anchor", &kept, "--anchor", &other]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.text().contains("entry 1 has another hash"), "{}", wrong.text());
    let file = place.state().join("ledger/000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("echo two", "echo too", 1)).unwrap();
    let changed = verify(&place, &["--json"]);
    assert_eq!(changed.code, 1);
    let found: Value = serde_json::from_slice(&changed.stdout).unwrap();
    assert_eq!(found["intact"], false);
    assert_eq!(found["damage"][0], json!({"kind": "changed", "file": 1, "line": 3}));
    assert!(verify(&place, &[]).text().contains("line 3 of 000001.jsonl was changed"));
    fs::write(&file, &text).unwrap();
    fs::remove_file(place.state().join("ledger/head")).unwrap();
    let headless = verify(&place, &[]);
    assert_eq!(headless.code, 1);
    assert!(headless.text().contains("the head is missing"), "{}", headless.text());
}

/// The chain has no key, so a ledger that was written anew fits itself. What lies in the kept
/// replies does not fit it.
#[test]
fn kept_replies_show_a_ledger_that_was_replaced_or_emptied() {
    let place = Place::new();
    place.shell("echo true story");
    let ledger = place.state().join("ledger");
    fs::rename(&ledger, place.root.join("aside")).unwrap();
    let emptied = verify(&place, &[]);
    assert_eq!(emptied.code, 1, "{}", emptied.text());
    assert!(emptied.text().contains("entry 2, whose hash was kept, is not there"));
    // Another chain of the same length, with a head that fits.
    let other = Place::new();
    other.shell("echo another one");
    fs::remove_dir_all(&ledger).unwrap();
    fs::rename(other.state().join("ledger"), &ledger).unwrap();
    let replaced = verify(&place, &[]);
    assert_eq!(replaced.code, 1);
    assert!(replaced.text().contains("entry 2 has another hash"), "{}", replaced.text());
}

#[test]
fn a_torn_last_line_is_told_and_mended_and_the_ledger_intact() {
    let place = Place::new();
    place.shell("true");
    let file = place.state().join("ledger/000001.jsonl");
    let mut text = fs::read(&file).unwrap();
    text.extend_from_slice(b"{\"v\":1,\"seq\":3,\"pre");
    fs::write(&file, text).unwrap();
    let torn = verify(&place, &[]);
    assert_eq!(torn.code, 0, "{}", torn.text());
    assert!(torn.text().contains("19 bytes of a torn line"), "{}", torn.text());
    place.shell("true");
    let mended = verify(&place, &[]);
    assert_eq!(mended.code, 0, "{}", mended.text());
    assert!(mended.text().contains("mended: torn_line"), "{}", mended.text());
}

#[test]
fn a_judgement_is_replayed_whatever_became_of_the_world_and_the_policy() {
    let place = Place::new();
    place.write("tool", "#!/bin/sh\ntrue\n");
    let policy = place.write(
        "p.toml",
        "version = 1\nextends = \"open\"\n[commands]\ndeny = [\"sort *\"]\nask = [\"head *\"]\n",
    );
    let policy = policy.to_str().unwrap();
    let run = |text: &str| -> Value {
        let answer = place.call(&["run", "--json", "--policy", policy, "-c", text]);
        serde_json::from_slice(&answer.stdout).unwrap()
    };
    let replies =
        [run("./tool; echo x | cat"), run("sort x"), run("head -c 1 tool"), run("echo 'a")];
    let verdicts: Vec<&str> = replies.iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["allow", "deny", "ask", "deny"]);
    fs::remove_file(place.work().join("tool")).unwrap();
    fs::remove_file(policy).unwrap();
    for (reply, verdict) in replies.iter().zip(verdicts) {
        let answer = place.call(&["ledger", "replay", id(reply)]);
        assert_eq!(answer.code, 0, "{verdict}: {} {}", answer.text(), answer.stderr);
        assert!(answer.text().starts_with(&format!("same: {verdict}")), "{}", answer.text());
        let json = place.call(&["ledger", "replay", "--json", id(reply)]);
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!((&json["same"], &json["now"]), (&json!(true), &json["then"]));
    }
    assert_eq!(place.call(&["ledger", "replay", "00000000000000000000000000"]).code, 2);
    assert_eq!(place.call(&["ledger", "replay", "../../etc"]).code, 2);
}

#[test]
fn a_replay_of_changed_papers_differs_and_of_forgotten_ones_says_so() {
    let place = Place::new();
    let reply = place.shell("echo one");
    let request = job(&place, &reply).join("request");
    let text = fs::read_to_string(&request).unwrap();
    assert!(text.contains("echo one"), "{text}");
    fs::write(&request, text.replace("echo one", "rm -rf /")).unwrap();
    let differs = place.call(&["ledger", "replay", id(&reply)]);
    assert_eq!(differs.code, 1, "{}", differs.text());
    assert!(differs.text().contains("the verdict was allow, now it is deny"), "{}", differs.text());
    assert!(differs.text().contains("the kept request is not the one"), "{}", differs.text());
    assert_eq!(place.call(&["forget", id(&reply)]).code, 0);
    let forgotten = place.call(&["ledger", "replay", "--json", id(&reply)]);
    assert_eq!(forgotten.code, 3);
    let forgotten: Value = serde_json::from_slice(&forgotten.stdout).unwrap();
    assert_eq!(
        (&forgotten["same"], &forgotten["then"]["verdict"]),
        (&Value::Null, &json!("allow"))
    );
}

#[test]
fn forgetting_removes_all_beside_a_job_and_the_chain_says_so() {
    let place = Place::new();
    let (one, two) = (place.shell("echo secret one"), place.shell("echo secret two"));
    let refused = place.json(&["-c", "rm -rf /"]);
    let done = place.call(&["forget", id(&one)]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.text().starts_with("forgot 1 job, "), "{}", done.text());
    assert!(!job(&place, &one).exists() && job(&place, &two).exists());
    let last = ledger_lines(&place).pop().unwrap();
    assert_eq!((&last["phase"], &last["id"]), (&json!("note"), &one["id"]));
    assert_eq!(last["note"]["kind"], "forgotten");
    assert_eq!(last["note"]["because"], "asked");
    assert_eq!(last["note"]["jobs"], json!([one["id"]]));
    for gone in [id(&one), "nonsense", "../ledger"] {
        let answer = place.call(&["forget", gone]);
        assert_eq!(answer.code, 125, "{gone}");
        assert!(answer.stderr.contains("there is no job"), "{}", answer.stderr);
    }
    age(&job(&place, &two).join("reply"), 8);
    assert!(place.call(&["forget", "--older-than", "7d"]).text().starts_with("forgot 1 job"));
    assert!(!job(&place, &two).exists() && job(&place, &refused).exists());
    assert!(place.call(&["forget", "--older-than", "0s"]).text().starts_with("forgot 1 job"));
    assert!(place.call(&["forget", "--older-than", "0s"]).text().starts_with("forgot 0 jobs"));
    assert_eq!(verify(&place, &[]).code, 0, "{}", verify(&place, &[]).text());
    assert_eq!(place.call(&["forget"]).code, 125);
    assert_eq!(place.call(&["forget", "--older-than", "7"]).code, 125);
}

#[test]
fn a_job_that_runs_is_not_forgotten() {
    let place = Place::new();
    let mark = mark();
    let mut running = place.start(&["-c", &format!("sleep {mark}")]);
    let file = place.state().join("ledger/000001.jsonl");
    let is_recorded = || fs::read(&file).is_ok_and(|text| text.ends_with(b"\n"));
    eventually("it is recorded", is_recorded);
    let id = ledger_lines(&place)[0]["id"].as_str().unwrap().to_string();
    let answer = place.call(&["forget", &id]);
    assert_eq!(answer.code, 125);
    assert!(answer.stderr.contains("is not over"), "{}", answer.stderr);
    assert!(place.call(&["forget", "--older-than", "0s"]).text().starts_with("forgot 0 jobs"));
    assert!(place.state().join("jobs").join(&id).exists());
    running.kill().unwrap();
    running.wait().unwrap();
}

#[test]
fn retention_of_jobs_and_ledger_is_told_and_the_ledger_stays_intact() {
    let place = Place::new();
    let old = place.shell("echo old");
    age(&job(&place, &old).join("reply"), 8);
    age(&place.state(), 1);
    place.shell("true");
    assert!(!job(&place, &old).exists());
    let note = ledger_lines(&place).pop().unwrap()["note"].clone();
    assert_eq!((&note["kind"], &note["because"]), (&json!("forgotten"), &json!("retention")));
    assert_eq!(note["jobs"], json!([old["id"]]));
    // A ledger that spans more than its retention goes on in a new file, and the old one goes.
    let policy = "version = 1\nextends = \"open\"\n[record]\nretain = \"40ms\"\n";
    let policy = place.write("p.toml", policy);
    for _ in 0..3 {
        age(&place.state(), 1);
        place.call(&["run", "--policy", policy.to_str().unwrap(), "-c", "true"]);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!place.state().join("ledger/000001.jsonl").exists());
    let found = verify(&place, &[]);
    assert_eq!(found.code, 0, "{}", found.text());
    assert!(found.text().contains("retention removed files up to 0000"), "{}", found.text());
    // What retention did not remove is missed.
    let files: Vec<String> =
        place.state_files().into_iter().filter(|name| name.ends_with(".jsonl")).collect();
    let first = place.state().join(&files[0]);
    let (aside, bytes) = (fs::read(&first).unwrap(), fs::metadata(&first).unwrap().len());
    assert!(bytes > 0 && files.len() > 1, "{files:?}");
    fs::remove_file(&first).unwrap();
    assert_eq!(verify(&place, &[]).code, 1);
    fs::write(&first, aside).unwrap();
    assert_eq!(verify(&place, &[]).code, 0);
}

#[test]
fn an_engine_that_lives_on_tidies_up_beside_its_jobs() {
    let place = Place::new();
    let old = place.shell("echo old");
    age(&job(&place, &old).join("reply"), 8);
    age(&place.state(), 1);
    let engine = engine_with(&place, Spares::Kept);
    let cancel = ricasso_os::Cancel::new().unwrap();
    let reply = engine.run(&request(&place, "echo young"), &cancel).unwrap();
    eventually("the old one is gone", || !job(&place, &old).exists());
    drop(engine);
    assert!(place.state().join("jobs").join(reply.id.as_str()).join("reply").exists());
    assert_eq!(verify(&place, &[]).code, 0);
}

#[test]
fn what_is_fed_to_a_job_is_recorded_without_its_text() {
    let place = Place::new();
    let engine = engine_with(&place, Spares::None);
    let mut asked = request(&place, "read -r x; echo got");
    asked.stdin = ricasso_engine::request::Stdin::Fed;
    asked.manner.tenure = ricasso_engine::request::Tenure::Background;
    let job = engine.start(&asked, ricasso_os::Cancel::new().unwrap()).unwrap();
    let password = ricasso_engine::engine::Password::Refused;
    let feed = Feed { bytes: b"swordfish\n".to_vec(), then: Then::End, password };
    job.handle().unwrap().feed(&feed).unwrap();
    assert_eq!(job.wait().unwrap().stdout.as_str(), "got\n");
    let lines = ledger_lines(&place);
    let phases: Vec<&str> = lines.iter().map(|line| line["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["open", "note", "close"]);
    assert_eq!(lines[1]["note"], json!({"kind": "fed", "bytes": 10, "end": true}));
    assert_eq!(lines[1]["id"], lines[0]["id"]);
    assert!(!format!("{lines:?}").contains("swordfish"));
}

#[test]
fn a_broken_policy_file_keeps_nobody_from_looking() {
    let place = Place::new();
    place.shell("true");
    let config = place.root.join("home/.config/ricasso");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "nonsense = true\n").unwrap();
    assert_eq!(place.call(&["run", "-c", "true"]).code, 125);
    assert_eq!(verify(&place, &[]).code, 0);
    assert_eq!(shown(&place, &[]).len(), 2);
}
