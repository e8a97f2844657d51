//! The record: opened before the child exists, closed after it, for every call.

use crate::deaths::ledger_lines;
use crate::place::{Place, program, skip};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_opening_entry_is_on_disk_before_the_child_exists() {
    let place = Place::new();
    let ledger = place.state().join("ledger");
    let reply = place.shell(&format!("cat {}/*.jsonl", ledger.display()));
    let seen = reply["stdout"].as_str().unwrap();
    let line: Value = serde_json::from_str(seen.lines().last().unwrap()).unwrap();
    assert_eq!(line["phase"], "open");
    assert_eq!(line["id"], reply["id"]);
    assert_eq!(line["event"], "shell_audit");
    let lines = ledger_lines(&place);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["phase"], "close");
    assert_eq!(lines[1]["seq"], reply["record"]["seq"]);
    assert_eq!(lines[1]["hash"], reply["record"]["hash"]);
    assert_eq!(lines[1]["ending"]["kind"], "exited");
}

#[test]
fn refused_calls_are_recorded_too() {
    let place = Place::new();
    assert_eq!(place.call(&["run", "-c", "true"]).code, 125);
    assert_eq!(place.call(&["run", "--mode", "open", "-c", "echo 'open"]).code, 126);
    let kinds: Vec<Value> =
        ledger_lines(&place).iter().map(|l| l["ending"]["kind"].clone()).collect();
    assert_eq!(kinds, [Value::Null, "refused".into(), Value::Null, "refused".into()]);
}

#[test]
fn without_a_record_nothing_runs() {
    let place = Place::new();
    place.shell("true");
    let ledger = place.state().join("ledger");
    fs::remove_dir_all(&ledger).unwrap();
    fs::write(&ledger, b"in the way").unwrap();
    let answer = place.call(&["run", "--mode", "open", "-c", "touch ran"]);
    assert_eq!(answer.code, 125, "{}", answer.stderr);
    assert!(answer.stderr.contains("ledger"), "{}", answer.stderr);
    assert!(!place.work().join("ran").exists());
}

#[test]
fn many_processes_write_one_chain() {
    let place = Place::new();
    let children: Vec<_> = (0..8).map(|_| place.start(&["-c", "echo x"])).collect();
    for child in children {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    let lines = ledger_lines(&place);
    assert_eq!(lines.len(), 16);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["seq"], index as u64 + 1);
        if index > 0 {
            assert_eq!(line["prev"], lines[index - 1]["hash"]);
        }
    }
}

#[test]
fn everything_we_keep_is_for_its_user_alone() {
    let place = Place::new();
    place.shell("echo a; echo b >&2");
    for file in place.state_files() {
        let mode = fs::metadata(place.state().join(&file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    for directory in ["", "jobs", "ledger", "owners", "sessions"] {
        let mode = fs::metadata(place.state().join(directory)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{directory}");
    }
}

/// Runs a text of the machine's shell with a state directory on a file system of this size.
fn on_a_small_disk(place: &Place, name: &str, size: &str, text: &str) -> Option<String> {
    let state = place.root.join("state");
    let script = format!(
        "mount -t tmpfs -o size={size} none {state} && cd {work} && {text}",
        state = state.display(),
        work = place.work().display()
    );
    let output = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .env("XDG_STATE_HOME", &state)
        .env("RICASSO", program())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if stderr.contains("unshare:") || stderr.contains("mount:") {
        skip(&format!("ledger::{name}"), "this machine lets nobody mount in a user namespace");
        return None;
    }
    Some(format!("{text}{stderr}"))
}

#[test]
fn a_disk_that_fills_up_ends_the_job_and_is_named() {
    let place = Place::new();
    let text =
        "$RICASSO run --mode open --json -c 'yes | head -c 30000000; echo end'; echo \"code $?\"";
    let name = "a_disk_that_fills_up_ends_the_job_and_is_named";
    let Some(said) = on_a_small_disk(&place, name, "2m", text) else { return };
    let reply: Value =
        serde_json::from_str(said.lines().next().unwrap()).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!(reply["ending"]["limit"], "disk", "{reply}");
    let hints = reply["hints"].to_string();
    assert!(hints.contains("No space left") && hints.contains("stdout"), "{hints}");
    let kept = reply["output"]["stdout_bytes"].as_u64().unwrap();
    assert!(kept > 500_000, "what fitted is kept: {kept}");
}

#[test]
fn a_disk_that_is_full_runs_nothing() {
    let place = Place::new();
    let text = "mkdir -p $XDG_STATE_HOME/ricasso && chmod 700 $XDG_STATE_HOME/ricasso; \
                head -c 2000000 /dev/zero > $XDG_STATE_HOME/ballast 2>/dev/null; \
                $RICASSO run --mode open -c 'touch ran'; echo \"code $?\"";
    let name = "a_disk_that_is_full_runs_nothing";
    let Some(said) = on_a_small_disk(&place, name, "1m", text) else { return };
    assert!(said.contains("code 125"), "{said}");
    assert!(said.contains("No space left"), "{said}");
    assert!(!place.work().join("ran").exists(), "{said}");
}
