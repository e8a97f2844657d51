//! The record: opened before the child exists, closed after it, for every call.

use crate::deaths::ledger_lines;
use crate::place::{Place, eventually, program, skip};
use serde_json::{Value, json};
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
    assert_eq!(place.call(&["run", "-c", "shutdown now"]).code, 126);
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

#[test]
fn both_entries_say_who_asked_what_was_judged_planned_and_came_of_it() {
    let place = Place::new();
    let key = format!("ghp_{}", "a1B2c3D4".repeat(5).chars().take(36).collect::<String>());
    let text = format!("cat; echo {key}; echo two >&2; exit 3");
    let mut args = vec!["run", "--mode", "open", "--json", "--timeout", "30s", "--stdin", "-"];
    args.extend(["--env", "COLOUR=blue", "-c", &text]);
    let reply: Value =
        serde_json::from_slice(&place.call_with_input(&args, b"in\n").stdout).unwrap();
    let lines = ledger_lines(&place);
    let (open, close) = (&lines[0], &lines[1]);
    for line in [open, close] {
        assert_eq!((&line["event"], &line["v"]), (&json!("shell_audit"), &json!(1)), "{line}");
        assert_eq!((&line["door"], &line["session"]), (&json!("cli"), &json!("cli")), "{line}");
        assert_eq!(line["verdict"], "allow");
        assert_eq!(line["cwd"], place.work().to_str().unwrap());
        let command = line["command"].as_str().unwrap();
        assert!(command.starts_with("cat; echo [REDACTED"), "{command}");
        assert!(!line.to_string().contains(&key), "{line}");
    }
    assert_eq!(open["grant"], json!({"by": "policy"}));
    assert_eq!(open["request"]["env"], json!(["COLOUR"]));
    assert_eq!(open["request"]["steps"], json!(["shell"]));
    assert_eq!(open["request"]["timeout_ms"], 30_000);
    assert_eq!(open["request"]["workspace"], place.work().to_str().unwrap());
    assert_eq!(open["plan"]["deadline_ms"], 30_000);
    assert!(open["programs"].as_array().unwrap().contains(&json!("cat")), "{open}");
    for digest in ["request_digest", "scene_digest", "policy_digest"] {
        assert_eq!(open[digest].as_str().unwrap().len(), 64, "{digest}");
    }
    for line in [open, close] {
        assert_eq!(line["enforced"]["mode"], "open");
    }
    assert_eq!((&close["exit_code"], &close["error"]), (&json!(3), &Value::Null));
    assert_eq!((&close["redactions"], &close["denials"]), (&json!(1), &json!([])));
    assert!(close["usage"]["max_rss_bytes"].as_u64().unwrap() > 0);
    // The digest is that of the raw bytes in the spool.
    let spool = place.state().join("jobs").join(reply["id"].as_str().unwrap()).join("stdout");
    let summed = std::process::Command::new("sha256sum").arg(spool).output().unwrap();
    let summed = String::from_utf8(summed.stdout).unwrap();
    assert_eq!(close["totals"]["stdout_digest"].as_str(), summed.split(' ').next());
    assert_eq!(close["totals"]["stderr_bytes"], 4);
}

#[test]
fn a_call_that_cannot_even_be_judged_is_recorded_too() {
    let place = Place::new();
    assert_eq!(place.call(&["run", "--mode", "open", "-c", ""]).code, 125);
    let gone = ["run", "--mode", "open", "--stdin", "nowhere", "-c", "cat"];
    assert_eq!(place.call(&gone).code, 125);
    let lines = ledger_lines(&place);
    let phases: Vec<&str> = lines.iter().map(|line| line["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["open", "close", "open", "close"]);
    assert_eq!((&lines[3]["command"], &lines[3]["verdict"]), (&json!("cat"), &json!("deny")));
    assert!(lines[3]["error"].as_str().unwrap().contains("nowhere"), "{}", lines[3]);
    assert_eq!(lines[3]["ending"]["kind"], "not_started");
}

#[test]
fn refusals_and_failures_say_why_in_one_line() {
    let place = Place::new();
    place.call(&["run", "--mode", "open", "-c", "rm -rf /"]);
    place.call(&["run", "--mode", "open", "--", "no-such-program"]);
    place.call(&["run", "--mode", "open", "--timeout", "0.1s", "-c", "sleep 30"]);
    let lines = ledger_lines(&place);
    let errors: Vec<&str> = lines.iter().filter_map(|line| line["error"].as_str()).collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[1].contains("no-such-program"), "{errors:?}");
    assert_eq!(errors[2], "the deadline was over");
    assert_eq!(lines[1]["verdict"], "deny");
    assert!(!lines[1]["rules"].as_array().unwrap().is_empty());
}

#[test]
fn a_closing_entry_that_cannot_be_written_is_told_in_the_reply() {
    let place = Place::new();
    let ledger = place.state().join("ledger");
    let reply =
        place.shell(&format!("mv {0} {0}-aside && touch {0} && echo done", ledger.display()));
    assert_eq!(reply["stdout"], "done\n");
    assert_eq!(reply["exit_code"], 0);
    let hints = reply["hints"].to_string();
    assert!(hints.contains("the closing entry could not be written"), "{hints}");
    assert!(hints.contains("ledger"), "{hints}");
    // The opening one stands in the reply: it was there when the command began.
    assert_eq!(reply["record"]["seq"], 1);
}

#[test]
fn an_entry_never_goes_into_a_file_that_the_ledger_does_not_name() {
    let place = Place::new();
    let ledger = place.state().join("ledger");
    let reply = place.shell(&format!("mv {0}/000001.jsonl {0}/aside", ledger.display()));
    // The opening entry went with the file; the closing one stands where the ledger is read.
    let lines = ledger_lines(&place);
    assert_eq!(lines.last().unwrap()["hash"], reply["record"]["hash"], "{lines:?}");
    assert_eq!(fs::read_to_string(ledger.join("aside")).unwrap().lines().count(), 1);
}

#[test]
fn the_closing_entry_does_not_wait_for_a_reader_of_our_output() {
    let place = Place::new();
    // More than a pipe takes, so that ricasso waits for us, who do not read.
    let mut child = place.start(&["-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 7"]);
    eventually("the entry is closed", || {
        place.state().join("ledger").exists() && ledger_lines(&place).len() == 2
    });
    assert_eq!(ledger_lines(&place)[1]["exit_code"], 7);
    assert!(child.try_wait().unwrap().is_none(), "it still has output for us");
    assert_eq!(child.wait_with_output().unwrap().stdout.len(), 3_000_000);
}

#[test]
fn output_of_exactly_the_limit_is_no_limit() {
    let place = Place::new();
    let policy =
        place.write("p.toml", "version = 1\nextends = \"open\"\n[limits]\noutput = \"10KiB\"\n");
    let run = |bytes: &str| {
        let text = format!("head -c {bytes} /dev/zero");
        let args = ["run", "--json", "--policy", policy.to_str().unwrap(), "-c", &text];
        serde_json::from_slice::<Value>(&place.call(&args).stdout).unwrap()
    };
    assert_eq!(run("10240")["ending"]["kind"], "exited");
    assert_eq!(run("10241")["ending"]["limit"], "output");
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
