//! Jobs in the background, from one process to another.

use crate::place::{Place, eventually, mark, marked};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

/// A background job that is stopped with the test.
pub(crate) struct Started<'a> {
    place: &'a Place,
    pub(crate) id: String,
}

impl Started<'_> {
    pub(crate) fn verb(&self, verb: &str, more: &[&str]) -> crate::place::Answer {
        let mut args = vec![verb, self.id.as_str()];
        args.extend(more);
        self.place.call(&args)
    }

    /// The reply of a verb.
    pub(crate) fn json(&self, verb: &str, more: &[&str]) -> Value {
        let mut args = vec!["--json"];
        args.extend(more);
        let answer = self.verb(verb, &args);
        serde_json::from_slice(&answer.stdout)
            .unwrap_or_else(|error| panic!("{verb}: {error}: {} {}", answer.text(), answer.stderr))
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.verb("stop", &[]);
    }
}

/// Nothing of the job runs any more; its owner, which carries the mark too, may take a moment.
fn gone(mark: &str) {
    let owner = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.starts_with(b"ricasso\0keep\0") || line.is_empty()
    };
    let left: Vec<i32> = marked(mark).into_iter().filter(|pid| !owner(pid)).collect();
    assert_eq!(left, Vec::<i32>::new());
    eventually("the owner is gone", || marked(mark).is_empty());
}

impl Place {
    pub(crate) fn background<'a>(&'a self, args: &[&str]) -> Started<'a> {
        let mut all = vec!["run", "--mode", "open", "--background"];
        all.extend(args);
        let answer = self.call(&all);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        Started { place: self, id: answer.text().trim().to_string() }
    }
}

#[test]
fn a_background_job_is_found_from_other_processes() {
    let place = Place::new();
    let job = place.background(&["-c", "echo first; read -r line; echo got $line; exit 7"]);
    let waiting = job.json("wait", &["--until", "match=first", "--timeout", "60s"]);
    assert_eq!(waiting["running"], true);
    assert_eq!(waiting["ending"], Value::Null);
    assert_eq!(waiting["exit_code"], Value::Null);
    assert_eq!(waiting["stdout"], "first\n");
    assert_eq!(waiting["waited"]["by"], "match");
    assert_eq!(waiting["waited"]["line"], "first");
    assert!(waiting["pid"].as_i64().is_some());
    assert!(waiting["record"]["seq"].as_u64().is_some());
    assert_eq!(job.verb("feed", &["yes"]).code, 0);
    let answer = job.verb("wait", &[]);
    assert_eq!(answer.code, 7, "{}", answer.stderr);
    let over = job.json("look", &[]);
    assert_eq!(over["running"], false);
    assert_eq!(over["ending"]["kind"], "exited");
    assert_eq!(over["exit_code"], 7);
    assert_eq!(over["stdout"], "first\ngot yes\n");
    let ledger = place.call(&["ledger", "show", "--json"]).text();
    assert!(ledger.contains(r#""kind":"fed""#), "{ledger}");
    assert!(!ledger.contains("yes\\n"), "what was fed is not in the ledger: {ledger}");
    let list = place.call(&["jobs", "--json"]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    assert_eq!(list[0]["id"], job.id.as_str());
    assert_eq!(list[0]["last_line"], "got yes");
    let table = place.call(&["jobs"]).text();
    assert!(table.contains(&job.id) && table.contains("exited 7"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn starting_in_the_background_does_not_wait_and_says_the_same_as_a_run() {
    let place = Place::new();
    let mark = mark();
    let answer = place.call(&[
        "run",
        "--mode",
        "open",
        "--background",
        "--json",
        "-c",
        &format!("sleep {mark}"),
    ]);
    let reply: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer.code, 0);
    assert_eq!(reply["running"], true);
    assert_eq!(reply["ending"], Value::Null);
    assert_eq!(reply["deadline"]["applied_ms"], 86_400_000);
    let id = reply["id"].as_str().unwrap().to_string();
    let job = Started { place: &place, id };
    eventually("the sleep runs", || !marked(&mark).is_empty());
    drop(job);
    gone(&mark);
    let refused = place.call(&["run", "--mode", "open", "--background", "-c", "rm -rf /"]);
    assert_eq!(refused.code, 126, "{}", refused.stderr);
    assert!(refused.stdout.is_empty());
    assert!(!refused.stderr.is_empty());
    let nothing = place.call(&["run", "--mode", "open", "--background"]);
    assert_eq!(nothing.code, 125);
    assert!(nothing.stderr.contains("nothing to run"), "{}", nothing.stderr);
}

#[test]
fn an_unknown_job_is_named_and_never_becomes_a_path() {
    let place = Place::new();
    for id in ["nope", "../../etc/passwd", "00000000000000000000000000"] {
        for verb in ["look", "wait", "stop", "watch", "feed"] {
            let mut args = vec![verb, id];
            if verb == "feed" {
                args.push("x");
            }
            let answer = place.call(&args);
            assert_eq!(answer.code, 125, "{verb} {id}");
            assert!(answer.stderr.contains(id), "{verb}: {}", answer.stderr);
        }
    }
}

#[test]
fn the_desk_is_private_and_goes_with_its_owner() {
    let place = Place::new();
    let job = place.background(&["-c", "read -r x"]);
    let owners = place.state().join("owners");
    let sockets = || {
        let entries = std::fs::read_dir(&owners).unwrap().flatten();
        let names = entries.map(|entry| entry.path());
        names.filter(|path| path.extension().is_some_and(|end| end == "sock")).collect::<Vec<_>>()
    };
    let found = sockets();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(job.verb("feed", &["--eof"]).code, 0);
    assert_eq!(job.verb("wait", &[]).code, 1);
    eventually("the socket is gone", || sockets().is_empty());
    eventually("the owner is gone", || std::fs::read_dir(&owners).unwrap().count() == 0);
    let late = job.verb("feed", &["x"]);
    assert_eq!(late.code, 125);
    assert!(late.stderr.contains("is over"), "{}", late.stderr);
}

#[test]
fn stop_does_not_wait_for_a_grace_that_nobody_needs_and_kills_what_ignores_it() {
    let place = Place::new();
    place.write("long.toml", "version = 1\nextends = \"open\"\n[limits]\ngrace = \"30s\"\n");
    let mark = mark();
    let text = format!("setsid sleep {mark} & echo up; sleep {mark}");
    let began = Instant::now();
    let job = place.background(&["--policy", "long.toml", "-c", &text]);
    job.json("wait", &["--until", "match=up"]);
    let reply = job.json("stop", &[]);
    assert!(began.elapsed().as_secs() < 30, "it waited for the grace");
    assert_eq!(reply["ending"]["kind"], "cancelled");
    gone(&mark);
    place.write("short.toml", "version = 1\nextends = \"open\"\n[limits]\ngrace = \"100ms\"\n");
    let text =
        format!("trap '' TERM; (trap '' TERM; while :; do sleep {mark}; done) & echo up; wait");
    let job = place.background(&["--policy", "short.toml", "-c", &text]);
    job.json("wait", &["--until", "match=up"]);
    let reply = job.json("stop", &[]);
    assert_eq!(reply["ending"]["kind"], "cancelled");
    let hints = reply["hints"].to_string();
    assert!(hints.contains("was killed with its whole tree"), "{hints}");
    gone(&mark);
    assert_eq!(job.verb("stop", &[]).code, 0);
}

#[test]
fn an_owner_killed_by_force_ends_its_job_which_is_lost_and_readable() {
    let place = Place::new();
    let mark = mark();
    let text = format!("seq 1 1000; setsid sleep {mark} & sleep {mark}");
    let job = place.background(&["--session", "s", "-c", &text]);
    job.json("wait", &["--until", "match=^1000$"]);
    let owner = marked("keep").into_iter().find(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&mark) && line.starts_with(b"ricasso\0keep\0")
    });
    let owner = owner.expect("the owner of the job runs");
    crate::place::signal("-9", owner);
    let reply = job.json("look", &[]);
    assert_eq!(reply["ending"]["kind"], "lost");
    assert_eq!(reply["running"], false);
    assert_eq!(reply["session"], "s");
    assert!(reply["stdout"].as_str().unwrap().contains("1000\n"));
    assert_eq!(reply["output"]["stdout_bytes"], 3893);
    eventually("the tree is gone", || marked(&mark).is_empty());
    assert_eq!(job.verb("output", &["--lines", "999-1000"]).text(), "999\n1000\n");
    assert_eq!(job.verb("wait", &[]).code, 125);
    let watched = job.verb("watch", &["--match", "^99[89]$"]);
    assert_eq!(watched.text(), "998\n999\n");
    let list: Value = serde_json::from_slice(&place.call(&["jobs", "--json"]).stdout).unwrap();
    assert_eq!(list[0]["ending"]["kind"], "lost");
    let ledger = place.call(&["ledger", "verify"]);
    assert_eq!(ledger.code, 0, "{}", ledger.stderr);
    let left = std::fs::read_dir(place.state().join("owners")).unwrap().count();
    assert_eq!(left, 0, "the dead owner's files are swept");
}

#[test]
fn waits_end_by_silence_line_input_or_time() {
    let place = Place::new();
    let job = place.background(&["-c", "echo a; echo b >&2; cat; sleep 100"]);
    assert_eq!(job.json("wait", &["--until", "idle=100ms"])["waited"]["by"], "idle");
    assert_eq!(job.json("wait", &["--until", "match=b"])["waited"]["by"], "match");
    assert_eq!(job.json("wait", &["--until", "input"])["waited"]["by"], "input");
    assert_eq!(job.verb("wait", &["--timeout", "50ms"]).code, 124);
    assert_eq!(job.verb("wait", &["--until", "match=never", "--timeout", "50ms"]).code, 124);
    let wrong = job.verb("wait", &["--until", "match=("]);
    assert_eq!(wrong.code, 125);
    assert!(wrong.stderr.contains("regular expression"), "{}", wrong.stderr);
    assert_eq!(job.json("look", &[])["running"], true);
    job.verb("stop", &[]);
    assert_eq!(job.verb("wait", &["--until", "match=never"]).code, 130);
}

#[test]
fn watch_shows_matching_lines_of_both_streams_until_the_end() {
    let place = Place::new();
    let job = place.background(&[
        "-c",
        "read -r go; for n in $(seq 1 50); do echo out $n; echo err $n >&2; done; printf last",
    ]);
    let mut watch = place.command(&["watch", &job.id, "--match", "(t|r) 1|last"]);
    let watch = watch
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(job.verb("feed", &["go"]).code, 0);
    let seen = watch.wait_with_output().unwrap();
    let out = String::from_utf8(seen.stdout).unwrap();
    let err = String::from_utf8(seen.stderr).unwrap();
    assert_eq!(out.lines().count(), 12, "{out}");
    assert_eq!(out.lines().last(), Some("last"));
    assert_eq!(err.lines().filter(|line| line.starts_with("err 1")).count(), 11, "{err}");
    let wrong = job.verb("watch", &["--match", "("]);
    assert!(wrong.stderr.contains("regular expression"), "{}", wrong.stderr);
}

#[test]
fn ending_a_session_stops_its_jobs_and_tells_of_each() {
    let place = Place::new();
    let marks = [mark(), mark(), mark()];
    let sleep = |at: usize| format!("sleep {}", marks[at]);
    let one = place.background(&["--session", "mine", "-c", &sleep(0)]);
    let two = place.background(&["--session", "mine", "-c", &sleep(1)]);
    let other = place.background(&["--session", "other", "-c", &sleep(2)]);
    eventually("all run", || marks.iter().all(|mark| !marked(mark).is_empty()));
    let list = |session: &str| -> Value {
        let answer = place.call(&["jobs", "--json", "--session", session]);
        serde_json::from_slice(&answer.stdout).unwrap()
    };
    assert_eq!(list("mine").as_array().unwrap().len(), 2);
    assert_eq!(list("other")[0]["id"], other.id.as_str());
    let ended = place.call(&["stop", "--session", "mine", "--json"]).text();
    let mut told: Vec<String> = ended
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().into())
        .collect();
    told.sort();
    let mut expected = vec![one.id.clone(), two.id.clone()];
    expected.sort();
    assert_eq!(told, expected);
    for job in [&one, &two] {
        assert_eq!(job.json("look", &[])["ending"]["kind"], "cancelled");
    }
    assert_eq!(other.json("look", &[])["running"], true);
    gone(&marks[0]);
    gone(&marks[1]);
    assert!(!marked(&marks[2]).is_empty());
}

#[test]
fn a_call_that_outlasts_its_yield_time_goes_on_as_a_job() {
    let place = Place::new();
    let text = "echo one; read -r go < fifo; echo two; exit 3";
    std::process::Command::new("mkfifo").arg(place.work().join("fifo")).status().unwrap();
    let yielded = place.json(&["--yield", "300ms", "-c", text]);
    assert_eq!(yielded["running"], true);
    assert_eq!(yielded["stdout"], "one\n");
    let job = Started { place: &place, id: yielded["id"].as_str().unwrap().to_string() };
    assert_eq!(yielded["deadline"]["applied_ms"], 600_000, "it keeps its call's deadline");
    std::fs::write(place.work().join("fifo"), "go\n").unwrap();
    assert_eq!(job.verb("wait", &[]).code, 3);
    assert_eq!(job.json("look", &[])["stdout"], "one\ntwo\n");
    let quick = place.json(&["--yield", "60s", "-c", "echo done; exit 4"]);
    assert_eq!(quick["running"], false);
    assert_eq!(quick["exit_code"], 4);
    let live = place.call(&[
        "run",
        "--mode",
        "open",
        "--yield",
        "60s",
        "-c",
        "echo out; echo err >&2; exit 5",
    ]);
    assert_eq!(live.code, 5);
    assert_eq!(live.text(), "out\n");
    assert!(live.stderr.contains("err\n"), "{}", live.stderr);
}
