//! What the keys of contracts 4 and 5 do, where a table cannot say it.

use super::session::{Era, Session};
use crate::place::Place;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A call under these keys, started in a directory of its own.
fn call_in(
    place: &Place,
    from: &Path,
    dialect: &str,
    keys: &str,
    flags: &[&str],
    call: &Value,
) -> Value {
    let name = if keys.starts_with('{') || keys.starts_with('[') { "k.json" } else { "k.yaml" };
    let path = place.root.join(name);
    std::fs::write(&path, keys).unwrap();
    let text = call.to_string();
    let mut words = vec!["call", "--dialect", dialect, "--dialect-config", path.to_str().unwrap()];
    words.extend(flags);
    words.push(&text);
    let mut command: Command = place.command(&words);
    let output = command.current_dir(from).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        json!({ "failed": format!("{error}: {}", String::from_utf8_lossy(&output.stderr)) })
    })
}

fn call(place: &Place, dialect: &str, keys: &str, command: &str) -> Value {
    call_in(place, &place.work(), dialect, keys, &[], &json!({ "command": command }))
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn s4_03_s4_30_s4_32_the_configured_directory_is_the_workspace() {
    let place = Place::new();
    let here = place.root.join("project");
    std::fs::create_dir_all(here.join("sub")).unwrap();
    std::fs::write(here.join("config.json"), "{}\n").unwrap();
    std::fs::write(place.root.join("work/secret"), "top secret\n").unwrap();
    let keys = json!({ "restrictToWorkspace": true, "workingDir": here }).to_string();
    let run = |call: Value| call_in(&place, Path::new("/"), "exec", &keys, &[], &call);
    let inside = run(json!({ "command": "cat ./config.json; pwd; echo x > made" }));
    assert_eq!(text(&inside), format!("{{}}\n{}\n", here.display()));
    assert!(here.join("made").exists());
    let below = run(json!({ "command": "pwd", "working_dir": "sub" }));
    assert_eq!(text(&below), format!("{}\n", here.join("sub").display()));
    let secret = place.root.join("work/secret").display().to_string();
    let outside = run(json!({ "command": format!("cat {secret}") }));
    let blocked = "Command blocked by safety guard (path outside working dir)";
    assert_eq!(text(&outside), blocked);
    // A call's own directory does not move the boundary.
    let moved = run(json!({ "command": "cat secret", "working_dir": place.work() }));
    assert!(!moved.to_string().contains("top secret"), "{moved}");
}

#[test]
fn s4_03_s5_17_calls_start_in_the_workspace_wherever_ricasso_was_started() {
    let place = Place::new();
    std::fs::write(place.work().join("f"), "in\n").unwrap();
    let root = place.work().display().to_string();
    let command = json!({ "command": "cat ./f && pwd" });
    let flags = ["--root", &root];
    let keys = r#"{"restrictToWorkspace":true}"#;
    let exec = call_in(&place, Path::new("/"), "exec", keys, &flags, &command);
    assert_eq!(text(&exec), format!("in\n{root}\n"));
    let bash = call_in(&place, Path::new("/"), "bash", "{}", &flags, &command);
    assert_eq!(bash["structuredContent"]["stdout"], format!("in\n{root}\n"), "{bash}");
}

#[test]
fn s4_14_a_list_is_no_configuration() {
    let place = Place::new();
    let failed = call(&place, "exec", "[]", "true");
    assert!(failed["failed"].as_str().unwrap().contains("not keys"), "{failed}");
}

#[test]
fn s5_03_the_module_tells_its_id_and_version() {
    let place = Place::new();
    let mut session = Session::start(&place, &["--dialect", "bash"], Era::Modern);
    let meta = json!({ "module": "shell", "version": "1.0.0" });
    assert_eq!(session.tools()[0]["_meta"], meta);
}

const SAMPLE: &str = r#"
app:
  name: somebody's
tools:
  modules:
    filesystem:
      config: { root: "/srv" }
    shell:
      config:
        shell: null
        timeout_default: 20
        max_output_lines: 3
        extra_sensitive_patterns: ["corp-[0-9]+"]
        allowed_roots:
          - "{{workdir}}"
          - "/var/lib/dpkg"
        blocked_commands:
          - "uname"
"#;

#[test]
fn s5_50_s5_36_every_key_of_an_application_takes_effect() {
    let place = Place::new();
    let told = |command: &str| call(&place, "bash", SAMPLE, command)["structuredContent"].clone();
    let plain = told("echo corp-1; head -c 8 /var/lib/dpkg/status; echo $BASH_VERSION | head -c 1");
    assert_eq!(plain["stdout"], "[REDACTED]\nPackage:5", "{plain}");
    assert_eq!(plain["timeout_applied_ms"], 20_000);
    assert!(told("uname")["error"].as_str().unwrap().contains("'uname' is blocked"));
    assert!(told("shutdown --help")["error"].as_str().unwrap().contains("is blocked"));
    let start = json!({ "command": "seq 5", "run_in_background": true });
    let task = call_in(&place, &place.work(), "bash", SAMPLE, &[], &start);
    let id = &task["structuredContent"]["task_id"];
    let wait = json!({ "task_id": id, "wait": true });
    let over = call_in(&place, &place.work(), "bash", SAMPLE, &[], &wait);
    assert_eq!(over["structuredContent"]["stdout"], "3\n4\n5\n", "{over}");
}

#[test]
fn s5_50_constraints_stand_beside_or_below_config() {
    let place = Place::new();
    let shell = "tools:\n  modules:\n    shell:\n      config:\n        timeout_default: 20\n";
    for constraints in [
        "      constraints:\n        readonly: true\n",
        "        constraints:\n          readonly: true\n",
    ] {
        let keys = format!("{shell}{constraints}");
        let refused = call(&place, "bash", &keys, "mkdir made");
        assert!(text(&refused).contains("constraints.readonly"), "{refused}");
        assert!(!place.work().join("made").exists());
    }
    for unknown in ["      flavour: 1\n", "        flavour: 1\n"] {
        let failed = call(&place, "bash", &format!("{shell}{unknown}"), "true");
        assert!(failed["failed"].as_str().unwrap().contains("flavour"), "{failed}");
    }
    let failed = call(&place, "bash", "confg: {}\n", "true");
    assert!(failed["failed"].as_str().unwrap().contains("confg"), "{failed}");
}

#[test]
fn s5_35_the_lines_of_a_task_are_counted_over_both_streams() {
    let place = Place::new();
    let keys = r#"{"config":{"max_output_lines":4}}"#;
    let run = |call: Value| call_in(&place, &place.work(), "bash", keys, &[], &call);
    // Each line waits for the one before it, so that their order is the same for everybody.
    let command = "for i in 1 2 3; do echo o$i; sleep 0.1; echo e$i >&2; sleep 0.1; done";
    let task = run(json!({ "command": command, "run_in_background": true }));
    let id = &task["structuredContent"]["task_id"];
    let over = run(json!({ "task_id": id, "wait": true }));
    let told = &over["structuredContent"];
    assert_eq!((&told["stdout"], &told["stderr"]), (&json!("o2\no3\n"), &json!("e2\ne3\n")));
    assert_eq!(told["lines_left_out"], 2, "{over}");
}

#[test]
fn s5_21_s5_35_one_endless_line_does_not_fill_a_status() {
    let place = Place::new();
    let run = |call: Value| call_in(&place, &place.work(), "bash", "{}", &[], &call);
    let command = "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo END";
    let task = run(json!({ "command": command, "run_in_background": true }));
    let id = &task["structuredContent"]["task_id"];
    let over = run(json!({ "task_id": id, "wait": true }));
    let stdout = over["structuredContent"]["stdout"].as_str().unwrap();
    assert!(stdout.len() < 1_200_000, "{}", stdout.len());
    assert!(stdout.ends_with("x\nEND\n") && stdout.contains("left out; ricasso output"));
    let gap = &over["structuredContent"]["output"]["omitted"][0];
    let bytes = |at: usize| gap["bytes"][at].as_u64().unwrap();
    assert!(bytes(1) - bytes(0) > 3_500_000, "{gap}");
}

#[test]
fn s5_36_the_temporary_directory_is_the_machines() {
    let place = Place::new();
    let outside = std::env::temp_dir().join(format!("ricasso-shown-{}", std::process::id()));
    std::fs::write(&outside, "real\n").unwrap();
    let told = call(&place, "bash", "{}", &format!("cat {}", outside.display()));
    std::fs::remove_file(&outside).unwrap();
    assert_eq!(told["structuredContent"]["stdout"], "real\n", "{told}");
}
