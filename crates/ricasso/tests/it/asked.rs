//! Asking under bad conditions: a great feed, an owner that sleeps or was killed, a job that is
//! over or closed its input, a time that never comes.

use crate::handles::{background, text};
use crate::library::{engine, request};
use crate::place::{Place, eventually, mark, marked, signal};
use ricasso_engine::engine::{Then, Until, Yielded, Yields};
use ricasso_os::Cancel;
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// The process that owns the job whose command carries the mark.
fn owner_of(mark: &str) -> i32 {
    let is_owner = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The keeper is a child of it and carries the same words.
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        let parent = std::fs::read(format!("/proc/{}/cmdline", parent.unwrap_or("0")));
        line.starts_with(b"ricasso\0keep\0")
            && !parent.unwrap_or_default().starts_with(b"ricasso\0keep\0")
    };
    marked(mark).into_iter().find(is_owner).expect("the owner of the job runs")
}

#[test]
fn a_great_feed_is_taken_whole_by_a_job_that_answers_it() {
    let place = Place::new();
    let engine = engine(&place);
    let job = background(&engine, &place, "s", "cat");
    let line = format!("{}\n", "x".repeat(79));
    let great = line.repeat(20_000);
    let handle = job.handle().unwrap();
    // Longer than all pipes on the way hold: the job must be read while it is fed. The kernel is
    // asked who waits every 100 ms, so some of these fall into a feed.
    for _ in 0..10 {
        let fed = handle.feed(&text(&great, Then::Open)).unwrap();
        assert_eq!((fed.bytes, fed.left_bytes), (great.len(), 0));
    }
    handle.feed(&text("", Then::End)).unwrap();
    let reply = job.wait().unwrap();
    assert_eq!(reply.output.stdout_bytes, 10 * great.len() as u64);
}

#[test]
fn a_job_that_closed_its_input_is_not_fed() {
    let place = Place::new();
    let mark = mark();
    for mode in ["open", "workspace"] {
        let text = format!("exec 0<&-; echo closed; exec sleep {mark}");
        let answer = place.call(&["run", "--mode", mode, "--background", "-c", &text]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let id = answer.text().trim().to_string();
        place.call(&["wait", &id, "--until", "match=closed"]);
        let fed = place.call(&["feed", &id, "x"]);
        assert_eq!(fed.code, 125, "{mode}");
        assert!(fed.stderr.contains("nobody reads"), "{mode}: {}", fed.stderr);
        assert_eq!(place.call(&["stop", &id]).code, 0);
    }
}

#[test]
fn a_wait_for_a_line_says_the_same_whether_the_job_is_over_or_not() {
    let place = Place::new();
    let job = place.background(&["-c", "echo ready; echo done >&2; exit 3"]);
    assert_eq!(job.verb("wait", &[]).code, 3);
    eventually("the owner is gone", || {
        std::fs::read_dir(place.state().join("owners")).unwrap().count() == 0
    });
    let found = job.json("wait", &["--until", "match=^rea"]);
    assert_eq!(found["waited"]["by"], "match");
    assert_eq!(found["waited"]["line"], "ready");
    assert_eq!(job.verb("wait", &["--until", "match=done"]).code, 0);
    let none = job.verb("wait", &["--until", "match=never"]);
    assert_eq!(none.code, 3, "{}", none.stderr);
    let wrong = job.verb("wait", &["--until", "match=("]);
    assert_eq!(wrong.code, 125);
    assert!(wrong.stderr.contains("regular expression"), "{}", wrong.stderr);
    assert_eq!(job.json("wait", &["--until", "idle=1ms"])["waited"]["by"], "exit");
}

#[test]
fn an_owner_that_sleeps_hides_only_its_own_job() {
    let place = Place::new();
    let (first, second) = (mark(), mark());
    let sleeps = place.background(&["-c", &format!("echo said; sleep {first}")]);
    let other = place.background(&["-c", &format!("sleep {second}")]);
    sleeps.json("wait", &["--until", "match=said"]);
    let owner = owner_of(&first);
    signal("-STOP", owner);
    // Each of these waits for the owner as long as the program has patience.
    let (list, looked, waited) = std::thread::scope(|scope| {
        let list = scope.spawn(|| place.call(&["jobs", "--json"]));
        let looked = scope.spawn(|| sleeps.verb("look", &[]));
        let waited = sleeps.verb("wait", &[]);
        (list.join().unwrap(), looked.join().unwrap(), waited)
    });
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let row = |id: &str| list.as_array().unwrap().iter().find(|row| row["id"] == id).cloned();
    let (asleep, awake) = (row(&sleeps.id).unwrap(), row(&other.id).unwrap());
    assert_eq!((&asleep["answers"], &asleep["running"]), (&Value::from(false), &true.into()));
    assert_eq!(asleep["last_line"], "said");
    assert_eq!((&awake["answers"], &awake["running"]), (&Value::Null, &true.into()));
    assert_eq!(looked.code, 125);
    assert!(looked.stderr.contains("says nothing"), "{}", looked.stderr);
    assert_eq!(waited.code, 125, "{}", waited.stderr);
    assert_eq!(other.json("stop", &[])["ending"]["kind"], "cancelled");
    signal("-CONT", owner);
    assert_eq!(sleeps.json("stop", &[])["ending"]["kind"], "cancelled");
}

#[test]
fn an_owner_that_is_killed_before_it_answers_is_told_of() {
    let place = Place::new();
    // The limit kills the owner as soon as it writes anything.
    let limited = "ulimit -c 0; ulimit -f 0; exec \"$0\" run --mode open --background -c true";
    let mut shell = Command::new("bash");
    let program = crate::place::program();
    shell.args(["-c", limited]).arg(program).current_dir(place.work());
    shell.env("XDG_STATE_HOME", place.root.join("state"));
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(125));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("ricasso: "), "it says why: {told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_call_yields_when_the_policy_says_and_ends_when_its_lease_does() {
    let place = Place::new();
    let policy = "version = 1\nextends = \"open\"\n[limits]\nyield = \"300ms\"\n\
                  [jobs]\nlease = \"1s\"\n";
    place.write("p.toml", policy);
    let mark = mark();
    let text = format!("echo one; sleep {mark}");
    // Longer than the lease, but somebody follows it all the time.
    let own = ["--policy", "p.toml", "--yield", "2500ms", "-c", &text];
    for args in [&["--policy", "p.toml", "--yield", "-c", &text][..], &own] {
        let yielded = place.json(args);
        assert_eq!(yielded["running"], true, "{yielded}");
        assert_eq!(yielded["stdout"], "one\n");
        let id = yielded["id"].as_str().unwrap().to_string();
        eventually("nobody asks, and it ends", || marked(&mark).is_empty());
        let look = place.call(&["look", &id, "--json"]);
        let reply: Value = serde_json::from_slice(&look.stdout).unwrap();
        assert_eq!(reply["ending"]["kind"], "cancelled", "{reply}");
        assert!(reply["hints"].to_string().contains("its lease"), "{reply}");
    }
    place.write("off.toml", "version = 1\nextends = \"open\"\n[limits]\nyield = \"off\"\n");
    let stays = place.json(&["--policy", "off.toml", "--yield", "-c", "sleep 0.5; exit 4"]);
    assert_eq!(stays["exit_code"], 4, "{stays}");
}

#[test]
fn the_library_yields_as_the_policy_says_and_waiting_keeps_the_lease() {
    let place = Place::new();
    let policy = "[limits]\nyield = \"200ms\"\n[jobs]\nlease = \"700ms\"\n";
    let engine = crate::library::engine_under(&place, policy);
    let cancel = Cancel::new().unwrap();
    let asked = request(&place, "sleep 2; exit 5");
    let Yielded::Running(job, reply) =
        engine.run_or_yield(&asked, &cancel, Yields::Policy).unwrap()
    else {
        panic!("it was not over")
    };
    assert!(reply.hints.iter().any(|hint| hint.as_str().contains("jobs.lease")), "{reply:?}");
    assert_eq!(job.wait().unwrap().exit_code, Some(5), "whoever waits asks all the time");
    let mark = mark();
    let asked = request(&place, &format!("sleep {mark}"));
    let Yielded::Running(job, _) = engine.run_or_yield(&asked, &cancel, Yields::Policy).unwrap()
    else {
        panic!("it was not over")
    };
    eventually("nobody asks, and it ends", || marked(&mark).is_empty());
    assert_eq!(job.wait().unwrap().ending.unwrap().kind(), "cancelled");
}

#[test]
fn a_time_that_never_comes_is_no_mistake() {
    let place = Place::new();
    let engine = engine(&place);
    let job = background(&engine, &place, "s", "echo a; read -r x");
    let handle = job.handle().unwrap().clone();
    let met = handle.wait(&Until::Match("a".into()), Some(Duration::MAX)).unwrap();
    assert!(met.running);
    let takes =
        ricasso_engine::capture::Takes { lines: 5, beyond: ricasso_engine::capture::Beyond::Wait };
    let mut watch = handle.watch(None, takes).unwrap();
    assert_eq!(watch.next(Duration::MAX).unwrap().unwrap().lines.len(), 1);
    let jobs = ricasso_engine::engine::Jobs::at(
        engine.state().clone(),
        engine.policy().clone(),
        ricasso_engine::engine::Scope::Person,
    );
    let id = job.id().to_string();
    let found = jobs.wait(&id, &Until::Match("a".into()), Some(Duration::MAX)).unwrap();
    assert_eq!(found["waited"]["by"], "match");
}
