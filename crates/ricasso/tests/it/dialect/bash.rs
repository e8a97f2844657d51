//! Contract 5, what a table cannot say: tasks, sessions, the sample configuration, the record.

use super::session::{Era, Session};
use crate::place::{Place, eventually};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn call(place: &Place, arguments: &Value) -> Value {
    let answer = place.call(&["call", "--dialect", "bash", &arguments.to_string()]);
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

fn fields(result: &Value) -> &Value {
    &result["structuredContent"]
}

/// Starts a task and gives its id.
fn background(place: &Place, command: &str) -> String {
    let result = call(place, &json!({ "command": command, "run_in_background": true }));
    let id = fields(&result)["task_id"].as_str().unwrap_or_else(|| panic!("{result}"));
    id.to_string()
}

fn is_alive(pid: i64) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn s5_01_s5_02_s5_09_one_tool_three_visible_parameters() {
    let place = Place::new();
    let mut session = Session::start(&place, &["--dialect", "bash"], Era::Modern);
    let tools = session.tools();
    assert_eq!(tools.len(), 1);
    let names: Vec<&String> =
        tools[0]["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["command", "description", "run_in_background"]);
    let hidden = session.tool("Bash", &json!({ "command": "pwd", "timeout": 5, "cwd": "." }));
    assert_eq!(hidden["isError"], false, "{hidden}");
}

#[test]
fn s5_08_s5_19_a_task_answers_at_once_with_its_id() {
    let place = Place::new();
    let result = call(&place, &json!({ "command": "sleep 30", "run_in_background": true }));
    let told = fields(&result);
    assert_eq!(told["exit_code"], Value::Null, "{result}");
    assert!(told["started_at"].as_str().unwrap().contains('T'), "{result}");
    let pid = told["pid"].as_i64().unwrap();
    assert!(is_alive(pid));
    let id = told["task_id"].as_str().unwrap();
    call(&place, &json!({ "task_id": id, "kill": true }));
    assert!(!is_alive(pid));
}

#[test]
fn s5_20_s5_21_s5_13_s5_24_a_task_is_polled_and_waited_for() {
    let place = Place::new();
    let id = background(&place, "echo one; read x; echo two; exit 7");
    let running = call(&place, &json!({ "task_id": id }));
    let told = fields(&running);
    assert_eq!(
        (&told["is_running"], &told["exit_code"]),
        (&json!(true), &Value::Null),
        "{running}"
    );
    assert!(told["uptime_seconds"].as_f64().is_some());
    call(&place, &json!({ "task_id": id, "stdin_text": "go" }));
    let over = call(&place, &json!({ "task_id": id, "wait": true }));
    let told = fields(&over);
    assert_eq!((&told["is_running"], &told["exit_code"]), (&json!(false), &json!(7)), "{over}");
    assert_eq!(told["stdout"], "one\ntwo\n");
}

#[test]
fn s5_12_s5_23_text_reaches_the_task_with_one_newline() {
    let place = Place::new();
    let id = background(&place, "read x; echo got $x; read y; echo then $y");
    call(&place, &json!({ "task_id": id, "stdin_text": "yes" }));
    call(&place, &json!({ "task_id": id, "stdin_text": "no" }));
    let over = call(&place, &json!({ "task_id": id, "wait": true }));
    assert_eq!(fields(&over)["stdout"], "got yes\nthen no\n");
}

#[test]
fn s5_11_s5_22_a_task_that_ignores_sigterm_is_killed_with_its_tree() {
    let place = Place::new();
    let id = background(&place, "trap '' TERM; (trap '' TERM; echo on; sleep 60) & sleep 60");
    eventually("it runs", || fields(&call(&place, &json!({ "task_id": id })))["stdout"] == "on\n");
    assert!(place.is_worked_in(), "the task works in the workspace");
    let began = Instant::now();
    let told = call(&place, &json!({ "task_id": id, "kill": true }));
    assert!(began.elapsed() >= Duration::from_secs(2), "the grace of the contract is two seconds");
    assert_eq!(fields(&told)["is_running"], false, "{told}");
    eventually("neither the task nor its owner is left", || !place.is_worked_in());
}

#[test]
fn s5_14_s5_25_matching_lines_are_told_one_by_one() {
    let place = Place::new();
    let id = background(&place, "read x; echo ERROR a; echo fine; echo WARN b; echo end");
    call(&place, &json!({ "task_id": id, "stdin_text": "go" }));
    let text = json!({ "task_id": id, "stream": true, "stream_pattern": "ERROR|WARN" });
    let answer = place.call(&["call", "--dialect", "bash", &text.to_string()]);
    let notes: Vec<Value> =
        answer.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let lines: Vec<&Value> = notes.iter().map(|note| &note["line"]).collect();
    assert_eq!(lines, ["ERROR a", "WARN b"], "{}", answer.stderr);
    assert!(notes.iter().all(|note| note["task_id"] == id.as_str()));
}

#[test]
fn s5_07_the_label_stands_in_lists_status_and_events() {
    let place = Place::new();
    let start = json!({
        "command": "read x; echo said",
        "run_in_background": true,
        "description": "Waiting, token ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    });
    let label = "Waiting, token [REDACTED]";
    let told = call(&place, &start);
    assert_eq!(fields(&told)["description"], label, "{told}");
    let id = fields(&told)["task_id"].as_str().unwrap().to_string();
    let status = call(&place, &json!({ "task_id": id }));
    assert_eq!(fields(&status)["description"], label, "{status}");
    let list: Value = serde_json::from_slice(&place.call(&["jobs", "--json"]).stdout).unwrap();
    assert!(list.to_string().contains("Waiting, token [REDACTED"), "{list}");
    call(&place, &json!({ "task_id": id, "stdin_text": "go" }));
    let text = json!({ "task_id": id, "stream": true }).to_string();
    let answer = place.call(&["call", "--dialect", "bash", &text]);
    assert!(answer.stderr.contains(&format!("\"description\":\"{label}\"")), "{}", answer.stderr);
}

#[test]
fn s5_11_s5_15_what_makes_no_sense_runs_nothing() {
    let place = Place::new();
    let cases = [
        (json!({ "command": "touch ran", "kill": true }), "kill requires task_id"),
        (json!({ "command": "touch ran", "wait": true }), "wait requires task_id"),
        (json!({ "command": "touch ran", "stdin_text": "x" }), "stdin_text requires task_id"),
        (json!({ "command": "touch ran", "stream": true, "stream_pattern": "(" }), "regex"),
        (json!({ "command": "touch ran", "stream_pattern": "(" }), "regex"),
        (
            json!({ "command": "touch ran", "run_in_background": true, "stream": true,
                    "stream_pattern": "(" }),
            "regex",
        ),
    ];
    for (arguments, told) in cases {
        let text = arguments.to_string();
        let answer = place.call(&["call", "--dialect", "bash", &text]);
        let result: Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert_eq!(answer.code, 1, "{text}: {result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(told), "{text}: {result}");
        assert!(!place.work().join("ran").exists(), "{text}");
    }
}

#[test]
fn s5_26_s5_47_every_call_has_the_six_fields_and_a_line_in_the_ledger() {
    let place = Place::new();
    let id = background(&place, "read x; echo got $x; exit 3");
    let calls = [
        ("status", json!({ "task_id": id })),
        ("stdin", json!({ "task_id": id, "stdin_text": "yes" })),
        ("wait", json!({ "task_id": id, "wait": true })),
        ("stream", json!({ "task_id": id, "stream": true })),
        ("kill", json!({ "task_id": id, "kill": true })),
        ("status", json!({ "task_id": "nosuchtask" })),
        ("faulty", json!({ "command": "true", "timeout": 0.5 })),
    ];
    let notes = |place: &Place| {
        let lines = place.call(&["ledger", "show", "--json"]).text();
        let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["event"] == "shell_audit").collect::<Vec<Value>>()
    };
    for (kind, arguments) in calls {
        let result = call(&place, &arguments);
        for name in ["stdout", "stderr", "exit_code", "duration", "cwd", "command"] {
            assert!(fields(&result).get(name).is_some(), "{name} of {arguments}: {result}");
        }
        let all = notes(&place);
        let own = all.iter().filter(|line| line["note"]["kind"] == kind);
        let line = own.max_by_key(|line| line["seq"].as_u64()).unwrap_or_else(|| panic!("{kind}"));
        assert_eq!(line["cwd"], fields(&result)["cwd"], "{line}");
        assert_eq!(line["exit_code"], fields(&result)["exit_code"], "{line}");
        assert_eq!(line["error"].is_null(), fields(&result)["error"].is_null(), "{line}");
        assert!(line["at"].as_str().unwrap().contains('T'), "{line}");
    }
}

#[test]
fn s5_27_s5_28_lines_of_a_stream_are_redacted_like_everything_else() {
    let place = Place::new();
    let config =
        place.write("c.json", r#"{"config":{"extra_sensitive_patterns":["ACME-[0-9]+"]}}"#);
    let command = "echo ghp_0123456789abcdefghijklmnopqrstuvwxyz ACME-77";
    for background in [false, true] {
        let arguments =
            json!({ "command": command, "stream": true, "run_in_background": background });
        let words = ["call", "--dialect", "bash", "--dialect-config", config.to_str().unwrap()];
        let answer = place.call(&[&words[..], &[&arguments.to_string()]].concat());
        let note: Value =
            answer.stderr.lines().find_map(|it| serde_json::from_str(it).ok()).unwrap();
        assert_eq!(note["line"], "[REDACTED] [REDACTED]", "{note}");
    }
}

#[test]
fn s5_16_s5_25_following_a_task_ends_with_the_patience_and_a_signal_ends_a_stream() {
    let place = Place::new();
    let id = background(&place, "sleep 606");
    let followed = call(&place, &json!({ "task_id": id, "stream": true, "timeout": 1 }));
    assert_eq!(fields(&followed)["is_running"], true, "{followed}");
    call(&place, &json!({ "task_id": id, "kill": true }));
    let arguments = json!({ "command": "echo on > on; sleep 607", "stream": true }).to_string();
    let mut command = place.command(&["call", "--dialect", "bash", &arguments]);
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    eventually("it runs", || place.work().join("on").exists());
    assert!(crate::place::signal("-TERM", child.id()));
    child.wait().unwrap();
    assert!(!place.is_worked_in(), "nobody is left");
}

#[test]
fn s5_34_a_stream_has_the_time_of_a_call_and_a_task_has_more() {
    let place = Place::new();
    let streamed = call(&place, &json!({ "command": "true", "stream": true }));
    assert_eq!(fields(&streamed)["timeout_applied_ms"], 300_000, "{streamed}");
    let task = call(&place, &json!({ "command": "true", "run_in_background": true }));
    assert!(fields(&task)["timeout_applied_ms"].as_u64() > Some(300_000), "{task}");
}

#[test]
fn s5_14_a_stream_over_mcp_is_progress_or_a_message() {
    let place = Place::new();
    let mut session = Session::start(&place, &["--dialect", "bash"], Era::Legacy);
    let arguments = json!({ "command": "echo ERROR a; echo b; echo ERROR c", "stream": true, "stream_pattern": "ERROR" });
    let id = session.post(
        "tools/call",
        json!({ "name": "Bash", "arguments": arguments, "_meta": { "progressToken": "t" } }),
    );
    let answer = session.answer(id);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let told: Vec<String> = session
        .notes
        .iter()
        .filter(|note| note["method"] == "notifications/progress")
        .map(|note| note["params"]["message"].to_string())
        .filter(|message| message.contains("ERROR"))
        .collect();
    assert_eq!(told.len(), 2, "{:?}", session.notes);
}

#[test]
fn s5_03_s5_41_s5_42_s5_44_the_end_of_a_session_ends_its_tasks_and_no_others() {
    let place = Place::new();
    let mut one = Session::start(&place, &["--dialect", "bash"], Era::Legacy);
    let mut two = Session::start(&place, &["--dialect", "bash"], Era::Legacy);
    let start = json!({ "command": "trap '' TERM; sleep 60", "run_in_background": true });
    let first = one.tool("Bash", &start);
    let second = two.tool("Bash", &start);
    let id = |result: &Value| fields(result)["task_id"].as_str().unwrap().to_string();
    let pid = |result: &Value| fields(result)["pid"].as_i64().unwrap();
    let foreign = two.tool("Bash", &json!({ "task_id": id(&first) }));
    assert_eq!(foreign["isError"], true, "one session sees the other's task: {foreign}");
    one.end();
    assert!(!is_alive(pid(&first)), "the task outlived its session");
    assert!(is_alive(pid(&second)), "another session's task was ended");
    let own = two.tool("Bash", &json!({ "task_id": id(&second) }));
    assert_eq!(fields(&own)["is_running"], true, "{own}");
}

#[test]
fn s5_35_old_lines_are_counted_and_kept_on_disk() {
    let place = Place::new();
    let id = background(&place, "seq 10001");
    let over = call(&place, &json!({ "task_id": id, "wait": true }));
    let told = fields(&over);
    let text = told["stdout"].as_str().unwrap();
    assert_eq!((text.lines().count(), text.lines().next()), (10_000, Some("2")));
    assert_eq!(told["lines_left_out"], 1);
    let whole = place.call(&["output", &id, "--lines", "1-1"]);
    assert_eq!(whole.text(), "1\n");
}

#[test]
fn s5_47_every_call_is_in_the_record() {
    let place = Place::new();
    call(&place, &json!({ "command": "echo plain" }));
    call(&place, &json!({ "command": "shutdown --help" }));
    let id = background(&place, "echo task");
    call(&place, &json!({ "task_id": id, "wait": true }));
    let lines = place.call(&["ledger", "show", "--json"]).text();
    for command in ["echo plain", "shutdown --help", "echo task"] {
        let found =
            lines.lines().any(|line| line.contains("shell_audit") && line.contains(command));
        assert!(found, "{command} is missing in {lines}");
    }
    assert!(lines.contains("\"refused\""), "{lines}");
}

#[test]
fn s5_50_s5_36_the_sample_configuration_is_taken_as_it_is() {
    let place = Place::new();
    let sample = "tools:\n  modules:\n    shell:\n      config:\n        shell: null\n        timeout_default: 300\n        \
                  max_output_lines: 10000\n        extra_sensitive_patterns: []\n        allowed_roots:\n          \
                  - \"{{workdir}}\"\n          - \"/tmp\"\n        blocked_commands:\n          - \"shutdown\"\n          \
                  - \"reboot\"\n      constraints:\n        readonly: false\n";
    let path = place.root.join("app.yaml");
    std::fs::write(&path, sample).unwrap();
    let words = ["call", "--dialect", "bash", "--dialect-config", path.to_str().unwrap()];
    let mut all = words.to_vec();
    all.push(r#"{"command":"echo fine"}"#);
    let answer = place.call(&all);
    assert_eq!(answer.code, 0, "{} {}", answer.text(), answer.stderr);
}

#[test]
fn s5_28_a_bad_pattern_is_refused_at_load() {
    let place = Place::new();
    let path = place.root.join("c.json");
    std::fs::write(&path, r#"{"config":{"extra_sensitive_patterns":["("]}}"#).unwrap();
    let path = path.to_str().unwrap();
    let answer = place.call(&[
        "call",
        "--dialect",
        "bash",
        "--dialect-config",
        path,
        r#"{"command":"true"}"#,
    ]);
    assert_eq!(answer.code, 125, "{}", answer.text());
    assert!(answer.stderr.contains("patterns"), "{}", answer.stderr);
}
