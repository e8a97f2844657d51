//! Contract 1, what a table cannot say.

use super::session::{Era, Session};
use crate::place::{Place, eventually};
use serde_json::{Value, json};
use std::process::Stdio;

fn call(place: &Place, arguments: &Value) -> Value {
    let answer = place.call(&["call", "--dialect", "flowforge", &arguments.to_string()]);
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

/// Files of scripts that lie about.
fn scripts(place: &Place) -> Vec<String> {
    place.state_files().into_iter().filter(|name| name.contains("script-")).collect()
}

#[test]
fn s1_03_the_tool_has_its_name_version_and_tags() {
    let place = Place::new();
    let mut session = Session::start(&place, &["--dialect", "flowforge"], Era::Legacy);
    let tools = session.tools();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "tools/shell");
    let tags = ["shell", "bash", "terminal", "command", "tools", "agentic"];
    assert_eq!(tools[0]["_meta"], json!({ "version": "0.1.0", "tags": tags }));
}

#[test]
fn s1_02_each_control_works_alone() {
    let place = Place::new();
    let keys = [
        (json!({ "allowedCommands": ["echo"] }), json!({ "command": "uname" })),
        (json!({ "blockedPatterns": ["una"] }), json!({ "command": "uname" })),
        (json!({ "allowedCwd": ["/usr"] }), json!({ "command": "uname" })),
    ];
    let config = place.root.join("c.json");
    for (key, refused) in &keys {
        std::fs::write(&config, key.to_string()).unwrap();
        let with = |arguments: &Value| {
            let words = ["call", "--dialect", "flowforge", "--dialect-config"];
            let mut all = words.to_vec();
            let (path, text) = (config.to_str().unwrap(), arguments.to_string());
            all.extend([path, text.as_str()]);
            place.call(&all).code
        };
        assert_eq!(with(refused), 126, "{key}");
        // What this key says nothing about is as without it.
        let other = json!({ "command": "echo", "args": ["x"], "cwd": "/usr" });
        assert_eq!(with(&other), 0, "{key}");
    }
    // The other two refuse nothing, and neither touches what the other holds.
    let long = json!({ "command": "seq", "args": ["100000"] });
    for (key, cut, applied) in [
        (json!({ "maxTimeout": 5000 }), false, 5000),
        (json!({ "maxOutputSize": 1000 }), true, 30_000),
    ] {
        std::fs::write(&config, key.to_string()).unwrap();
        let (path, text) = (config.to_str().unwrap(), long.to_string());
        let answer =
            place.call(&["call", "--dialect", "flowforge", "--dialect-config", path, &text]);
        let result: Value = serde_json::from_slice(&answer.stdout).unwrap();
        let fields = &result["structuredContent"];
        assert_eq!(fields["timeout_applied_ms"], applied, "{key}");
        assert_eq!(fields["stdout"].as_str().unwrap().len() < 2000, cut, "{key}");
    }
}

#[test]
fn s1_21_s1_22_the_file_of_a_script_is_gone_in_every_case() {
    let place = Place::new();
    let cases = [
        json!({ "action": "script", "script": "echo ok" }),
        json!({ "action": "script", "script": "exit 3" }),
        json!({ "action": "script", "script": "sleep 30", "timeout": 200 }),
        json!({ "action": "script", "script": "kill -9 $$" }),
        json!({ "action": "script", "script": "echo ok", "cwd": "/no-such-directory-12345" }),
    ];
    for case in &cases {
        call(&place, case);
        assert_eq!(scripts(&place), [""; 0], "{case}");
    }
    // ricasso itself is asked to end.
    let text = json!({ "action": "script", "script": "sleep 60" }).to_string();
    let mut command = place.command(&["call", "--dialect", "flowforge", &text]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the script runs", || !scripts(&place).is_empty());
    assert!(crate::place::signal("-TERM", child.id()));
    child.wait().unwrap();
    eventually("its file is gone", || scripts(&place).is_empty());
}

#[test]
fn s1_26_the_duration_is_in_milliseconds() {
    let place = Place::new();
    let result = call(&place, &json!({ "command": "sleep", "args": ["0.2"] }));
    let duration = result["structuredContent"]["duration"].as_f64().unwrap();
    assert!(duration >= 200.0, "{duration}");
    let reply = result["structuredContent"]["usage"].clone();
    assert!(reply.is_object(), "{result}");
}

#[test]
fn s1_32_both_streams_have_the_bound_of_the_contract() {
    let place = Place::new();
    let script =
        "head -c 1000001 /dev/zero | tr '\\0' x; head -c 1000001 /dev/zero | tr '\\0' y >&2";
    let result = call(&place, &json!({ "action": "script", "script": script }));
    for (stream, letter) in [("stdout", "x"), ("stderr", "y")] {
        let text = result["structuredContent"][stream].as_str().unwrap();
        assert_eq!(text.matches(letter).count(), 1_000_000, "{stream}");
        assert!(text.ends_with("\n... [output truncated]"), "{stream}");
    }
    let id = result["structuredContent"]["output"]["id"].as_str().unwrap();
    let whole = place.call(&["output", id, "--stream", "stdout"]);
    assert_eq!(whole.stdout.len(), 1_000_001, "nothing is lost");
}

#[test]
fn s1_47_a_link_out_of_an_allowed_directory_is_seen_through() {
    let place = Place::new();
    std::fs::create_dir(place.work().join("in")).unwrap();
    std::os::unix::fs::symlink("/usr", place.work().join("in/out")).unwrap();
    let config = place.root.join("c.json");
    std::fs::write(&config, json!({ "allowedCwd": [place.work().join("in")] }).to_string())
        .unwrap();
    let arguments = json!({ "command": "pwd", "cwd": place.work().join("in/out") }).to_string();
    let path = config.to_str().unwrap();
    let answer =
        place.call(&["call", "--dialect", "flowforge", "--dialect-config", path, &arguments]);
    assert_eq!(answer.code, 126, "{}", answer.text());
}

#[test]
fn s1_50_the_grandchildren_end_with_the_timeout() {
    let place = Place::new();
    let marker = place.work().join("marker");
    let script = format!("(trap '' TERM; sleep 20; : > {}) & sleep 30", marker.display());
    let result = call(&place, &json!({ "action": "script", "script": script, "timeout": 200 }));
    assert_eq!(result["structuredContent"]["exitCode"], 124);
    // Nothing of it is left that could still write; our own keeper goes a moment later.
    eventually("nobody works there any more", || !place.is_worked_in());
    assert!(!marker.exists());
}

#[test]
fn s1_54_a_missing_list_of_commands_is_warned_of() {
    let place = Place::new();
    let answer = place.call(&["call", "--dialect", "flowforge", r#"{"command":"true"}"#]);
    assert!(answer.stderr.contains("allowedCommands is not set"), "{}", answer.stderr);
}

#[test]
fn s1_40_the_seven_patterns_are_the_default() {
    let place = Place::new();
    let shown = place.call(&["policy", "show", "--dialect", "flowforge"]).text();
    for pattern in [
        "rm\\s+-rf\\s+/",
        "mkfs",
        r":\s*\(\s*\)\s*\{",
        "dd\\s+if=",
        "> /dev/sd",
        "chmod\\s+777",
        "curl.*\\|.*sh",
    ] {
        let plain = shown.contains(pattern);
        let escaped = shown.contains(&pattern.replace('\\', "\\\\"));
        assert!(plain || escaped, "{pattern} is missing in {shown}");
    }
    assert_eq!(shown.matches("regex = ").count(), 7, "{shown}");
}
