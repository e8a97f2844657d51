//! Deadlines, cancels, signals, survivors: how things end, and that the whole tree ends with them.

use crate::place::{Place, eventually, mark, marked};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn kind(reply: &Value) -> &str {
    reply["ending"]["kind"].as_str().unwrap()
}

#[test]
fn codes_and_signals_are_told_apart() {
    let place = Place::new();
    let exited = place.shell("exit 139");
    assert_eq!(exited["ending"], json!({"kind":"exited","code":139,"signal":null,"limit":null}));
    let killed = place.shell("kill -SEGV $$");
    assert_eq!(killed["ending"], json!({"kind":"signalled","code":null,"signal":11,"limit":null}));
    assert_eq!(killed["exit_code"], 139);
}

#[test]
fn our_deadline_is_not_the_childs_124() {
    let place = Place::new();
    let own = place.shell("exit 124");
    assert_eq!(kind(&own), "exited");
    let ours = place.json(&["--timeout", "0.2s", "-c", "sleep 30"]);
    assert_eq!(kind(&ours), "timed_out");
    assert_eq!(ours["exit_code"], 124);
    assert_eq!(ours["deadline"], json!({"asked_ms":200,"applied_ms":200}));
}

#[test]
fn a_deadline_beyond_the_maximum_is_clamped_and_told() {
    let place = Place::new();
    let reply = place.json(&["--timeout", "99h", "-c", "true"]);
    assert_eq!(reply["deadline"]["asked_ms"], 99 * 3_600_000);
    assert_eq!(reply["deadline"]["applied_ms"], 3_600_000);
    let hints = reply["hints"].to_string();
    assert!(hints.contains("deadline"), "{hints}");
}

#[test]
fn a_deadline_asks_first_and_what_was_said_until_then_is_kept() {
    let place = Place::new();
    let text = "trap 'echo asked; exit 0' TERM; echo before; while :; do sleep 0.02; done";
    let reply = place.json(&["--timeout", "300ms", "-c", text]);
    assert_eq!(reply["stdout"], "before\nasked\n");
    assert_eq!(kind(&reply), "timed_out");
}

#[test]
fn a_tree_that_ignores_the_asking_is_killed_after_the_grace() {
    let place = Place::new();
    let mark = mark();
    let text = format!("trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep {mark}' & sleep {mark}");
    let began = Instant::now();
    let reply = place.json(&["--timeout", "100ms", "-c", &text]);
    assert_eq!(kind(&reply), "timed_out");
    assert!(began.elapsed() >= Duration::from_secs(2), "the grace was not given");
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hold_the_reply() {
    let place = Place::new();
    let mark = mark();
    // The order of events is the assertion: the sleep would last for months.
    let reply = place.shell(&format!("echo now; sleep {mark} &"));
    assert_eq!(reply["stdout"], "now\n");
    assert_eq!(kind(&reply), "exited");
    assert_eq!(marked(&mark), Vec::<i32>::new());
    let survivors = reply["survivors"].as_array().unwrap();
    assert_eq!(survivors.len(), 1);
    assert_eq!(survivors[0]["command"], format!("sleep {mark}"));
}

#[test]
fn daemons_that_leave_by_setsid_and_double_fork_end_with_their_job() {
    let place = Place::new();
    let mark = mark();
    let text = format!(
        "(setsid sh -c '(setsid sleep {mark} </dev/null >/dev/null 2>&1 &) &' &); \
         nohup sleep {mark} >/dev/null 2>&1 & disown; sleep 0.2; echo over"
    );
    let reply = place.shell(&text);
    assert_eq!(reply["stdout"], "over\n");
    assert_eq!(reply["survivors"].as_array().unwrap().len(), 2, "{}", reply["survivors"]);
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn what_a_process_substitution_writes_at_the_end_is_not_lost() {
    let place = Place::new();
    for _ in 0..10 {
        let reply = place.shell("exec > >(cat); echo through a substitution");
        assert_eq!(reply["stdout"], "through a substitution\n");
        assert_eq!(reply["survivors"], json!([]));
    }
}

#[test]
fn an_interrupt_cancels_the_whole_tree() {
    for (signal, code) in [(2, 130), (15, 143)] {
        if crate::place::is_ignored(signal) {
            // A shell without job control ignores it for what it runs in the background, and we
            // leave ignored what we find ignored.
            let name = "endings::an_interrupt_cancels_the_whole_tree";
            crate::place::skip_part(name, "SIGINT", "the caller of the tests ignores it");
            continue;
        }
        let place = Place::new();
        let mark = mark();
        let text = format!("setsid sleep {mark} & sleep {mark}");
        let child = place.start(&["--json", "-c", &text]);
        eventually("both sleeps run", || marked(&mark).len() >= 4);
        crate::place::signal(&format!("-{signal}"), child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(kind(&reply), "cancelled");
        assert_eq!(reply["ending"]["signal"], signal);
        assert_eq!(marked(&mark), Vec::<i32>::new());
    }
}

#[test]
fn silence_ends_a_job_only_where_the_policy_says_so() {
    let place = Place::new();
    let policy =
        place.write("p.toml", "version = 1\nextends = \"open\"\n[limits]\nidle = \"300ms\"\n");
    let policy = policy.to_str().unwrap();
    let busy = place.call(&[
        "run",
        "--json",
        "--policy",
        policy,
        "-c",
        "for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done",
    ]);
    assert_eq!(busy.code, 0, "{}", busy.stderr);
    let silent = place.call(&["run", "--json", "--policy", policy, "-c", "echo 1; sleep 30"]);
    let reply: Value = serde_json::from_slice(&silent.stdout).unwrap();
    assert_eq!(reply["ending"]["limit"], "idle");
    assert_eq!(reply["stdout"], "1\n");
}

#[test]
fn limits_end_a_job_and_are_named() {
    let place = Place::new();
    let policy = place.write(
        "p.toml",
        "version = 1\nextends = \"open\"\n[limits]\nprocesses = 20\nmemory = \"64MiB\"\n\
         file_size = \"1MiB\"\ncpu = \"1s\"\noutput = \"1MiB\"\n",
    );
    let policy = policy.to_str().unwrap();
    let cases = [
        ("for i in $(seq 40); do sleep 30 & done; wait", "processes"),
        ("x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 30", "memory"),
        ("exec head -c 3000000 /dev/zero > big", "file_size"),
        ("while :; do :; done", "cpu"),
        ("yes", "output"),
    ];
    for (text, limit) in cases {
        let answer = place.call(&["run", "--json", "--policy", policy, "-c", text]);
        let reply: Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert_eq!(kind(&reply), "limit", "{text}: {reply}");
        assert_eq!(reply["ending"]["limit"], limit, "{text}");
    }
}

#[test]
fn hints_tell_what_a_text_hides() {
    let place = Place::new();
    let hints = place.shell("sleep 0 &")["hints"].to_string();
    assert!(hints.contains("&"), "{hints}");
    let hints = place.shell("false | tail -n 3")["hints"].to_string();
    assert!(hints.contains("pipefail"), "{hints}");
    assert_eq!(place.shell("echo plain")["hints"], json!([]));
    assert_eq!(place.shell("set -o pipefail; true | tail -n 3")["hints"], json!([]));
}

#[test]
fn usage_counts_the_whole_tree() {
    let place = Place::new();
    let reply = place.shell("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'");
    assert!(reply["usage"]["user_ms"].as_f64().unwrap() > 10.0, "{}", reply["usage"]);
    assert!(reply["usage"]["max_rss_bytes"].as_u64().unwrap() > 500_000, "{}", reply["usage"]);
}
