//! The command line itself: help, exit codes, closed pipes, and what a person reads.

use crate::place::{Place, eventually, mark, marked};
use std::io::Read;
use std::process::Stdio;

#[test]
fn help_and_version_are_answers_and_mistakes_are_125() {
    let place = Place::new();
    let help = place.call(&["--help"]);
    assert_eq!(help.code, 0);
    for verb in ["run", "check", "output"] {
        assert!(help.text().contains(verb), "{}", help.text());
    }
    assert_eq!(place.call(&["--version"]).code, 0);
    assert_eq!(place.call(&["fly"]).code, 125);
    assert_eq!(place.call(&["run", "--mode", "flying", "-c", "true"]).code, 125);
    let both = place.call(&["run", "--mode", "open", "-c", "true", "--", "true"]);
    assert_eq!(both.code, 125, "{}", both.stderr);
}

#[test]
fn check_judges_and_runs_nothing() {
    let place = Place::new();
    let allow = place.call(&["check", "--mode", "open", "-c", "touch ran"]);
    assert_eq!((allow.code, allow.text().as_str()), (0, "allow\n"), "{}", allow.stderr);
    let deny = place.call(&["check", "--mode", "open", "-c", "touch 'ran"]);
    assert_eq!(deny.code, 1, "{}", deny.stderr);
    let ask = place.call(&["check", "--mode", "open", "-c", "$CMD ran"]);
    assert_eq!(ask.code, 3, "{}", ask.stderr);
    assert_eq!(place.call(&["check"]).code, 2);
    assert!(!place.work().join("ran").exists());
    let json = place.call(&["check", "--json", "--mode", "open", "-c", "touch 'ran"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["verdict"], "deny");
    assert_eq!(value["reasons"][0]["layer"], "policy");
    assert!(!place.state().exists(), "check leaves no trace");
}

#[test]
fn the_reader_shows_what_it_found() {
    let place = Place::new();
    let tree = place.call(&["check", "--tree", "-c", "echo $(ls | wc)"]);
    assert_eq!(tree.code, 0);
    assert!(tree.text().contains("command [7..9] ls"), "{}", tree.text());
    let lines = concat!(
        r#"{"id":1,"command":"git $x; sh -c \"ls\""}"#,
        "\n",
        r#"{"id":2,"command":"ls\n)"}"#,
        "\n",
        "broken\n"
    );
    let answer = place.call_with_input(&["check", "--commands", "--jsonl"], lines.as_bytes());
    assert_eq!(answer.code, 2, "one line was not JSON");
    let said: Vec<serde_json::Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = serde_json::json!({
        "id": 1,
        "unreadable_from": null,
        "commands": [
            {"words": ["git", null], "span": [0, 6]},
            {"words": ["sh", "-c", "ls"], "span": [8, 18]},
        ],
        "code": [{"span": [14, 18]}],
    });
    assert_eq!(said[0], first);
    assert_eq!(said[1]["unreadable_from"], 3);
    assert_eq!(said[1]["commands"][0]["words"], serde_json::json!(["ls"]));
    assert!(said[2]["id"].is_null() && said[2]["error"].is_string());
}

#[test]
fn lines_are_judged_in_their_order_each_by_its_policy() {
    let place = Place::new();
    let lines = concat!(
        r#"{"id":"a","command":"git status"}"#,
        "\n",
        r#"{"id":"b","argv":["rm","-rf","/"]}"#,
        "\n",
        r#"{"id":"c","command":"$X y","policy":"workspace"}"#,
        "\n",
        r#"{"id":"d","command":"$X y"}"#,
        "\n",
    );
    let args = ["check", "--jsonl", "--policy", "open"];
    let answer = place.call_with_input(&args, lines.as_bytes());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said: Vec<serde_json::Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = said.iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(verdicts, ["allow", "deny", "allow", "ask"]);
    assert_eq!(said[1]["id"], "b");
    assert_eq!(said[1]["rule"], "delete-everything");
}

#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let place = Place::new();
    let mark = mark();
    let mut child = place.start(&["-c", &format!("echo first; sleep 0.3; yes {mark}")]);
    let mut out = child.stdout.take().unwrap();
    let mut first = [0u8; 6];
    out.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"first\n");
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(141));
    eventually("nothing is left", || marked(&mark).is_empty());
}

#[test]
fn output_appears_while_the_command_runs() {
    let place = Place::new();
    let mark = mark();
    let mut child = place.start(&["-c", &format!("printf 'Password: '; sleep {mark}")]);
    let mut prompt = [0u8; 10];
    // The order is the assertion: the sleep lasts for months.
    child.stdout.as_mut().unwrap().read_exact(&mut prompt).unwrap();
    assert_eq!(&prompt, b"Password: ");
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("nothing is left", || marked(&mark).is_empty());
}

#[test]
fn the_end_of_the_output_is_shown_though_it_could_have_grown_into_a_secret() {
    let place = Place::new();
    let answer = place.call(&["run", "--mode", "open", "-c", "printf 'ghp_abc'"]);
    assert_eq!(answer.text(), "ghp_abc");
    let large = place.call(&["run", "--mode", "open", "-c", "yes 0123456789 | head -c 5000000"]);
    assert_eq!(large.stdout.len(), 5_000_000);
}

#[test]
fn refusals_say_the_rule_and_what_would_be_allowed() {
    let place = Place::new();
    let answer = place.call(&["run", "-c", "shutdown -h now"]);
    assert!(answer.stderr.contains("refused by power"), "{}", answer.stderr);
    assert!(answer.stderr.contains("allowed instead: "), "{}", answer.stderr);
}

#[test]
fn closed_standard_streams_do_no_harm() {
    let place = Place::new();
    let mut command =
        place.command(&["run", "--mode", "open", "-c", "echo a; echo b >&2; touch ran"]);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    let script = format!(
        "{} run --mode open -c 'touch closed' <&- >&- 2>&-",
        crate::place::program().display()
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.work());
    shell.env("XDG_STATE_HOME", place.root.join("state"));
    assert!(shell.status().unwrap().success());
    assert!(place.work().join("ran").exists() && place.work().join("closed").exists());
}

#[test]
fn a_question_that_nobody_answers_is_a_refusal() {
    let place = Place::new();
    let answer = place.call(&["run", "--json", "--mode", "open", "-c", "$CMD; touch ran"]);
    assert_eq!(answer.code, 126, "{}", answer.stderr);
    let reply: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(reply["verdict"], "ask");
    assert_eq!(reply["ending"]["kind"], "refused");
    assert_eq!(reply["reasons"][0]["rule"], "unknown");
    assert_eq!(reply["reasons"][0]["span"], serde_json::json!([0, 4]));
    assert!(!place.work().join("ran").exists());
}

#[test]
fn what_is_enforced_and_what_is_missing_stands_in_the_reply() {
    let place = Place::new();
    let open = place.shell("true")["enforced"].clone();
    assert_eq!([&open["mode"], &open["files"], &open["net"]], ["open", "none", "none"]);
    assert_eq!(open["kill"], "subreaper");
    assert_eq!(open["missing"], serde_json::json!([]));
    let caged = place.call(&["run", "--json", "-c", "echo ran"]);
    let reply: serde_json::Value = serde_json::from_slice(&caged.stdout).unwrap();
    assert_eq!(reply["stdout"], "ran\n");
    assert_eq!(reply["enforced"]["mode"], "workspace");
    assert_ne!(reply["enforced"]["files"], "none");
    assert_eq!(reply["enforced"]["missing"], serde_json::json!([]));
}

#[test]
fn the_files_of_user_and_project_hold_and_the_project_only_tightens() {
    let place = Place::new();
    let config = place.root.join("home/.config/ricasso");
    std::fs::create_dir_all(&config).unwrap();
    let user = "extends = \"open\"\n[commands]\ndeny = [\"touch *\"]\n";
    std::fs::write(config.join("config.toml"), user).unwrap();
    assert_eq!(place.call(&["run", "-c", "true"]).code, 0);
    let denied = place.call(&["run", "-c", "env touch ran"]);
    assert_eq!(denied.code, 126, "{}", denied.stderr);
    assert!(denied.stderr.contains("commands.deny"), "{}", denied.stderr);
    place.write(".ricasso.toml", "[programs]\ndeny = [\"ls\"]\n");
    assert_eq!(place.call(&["run", "-c", "ls"]).code, 126);
    place.write(".ricasso.toml", "[limits]\nmax_timeout = \"2h\"\n");
    let wider = place.call(&["run", "-c", "true"]);
    assert_eq!(wider.code, 125, "{}", wider.stderr);
    assert!(wider.stderr.contains("limits.max_timeout"), "{}", wider.stderr);
    assert!(!place.work().join("ran").exists());
}

#[test]
fn quoting_hides_no_name_and_odd_bytes_are_told() {
    let place = Place::new();
    let texts = [r"r''m x", r#""rm" x"#, r"$'\x72m' x", "r\\\nm x", r"\rm x"];
    let mut lines: Vec<String> = texts
        .iter()
        .map(|text| serde_json::json!({"id": 0, "command": text}).to_string())
        .collect();
    lines.push(serde_json::json!({"id": 0, "command": "ls; a\u{0}b"}).to_string());
    let input = lines.join("\n");
    let answer = place.call_with_input(&["check", "--commands", "--jsonl"], input.as_bytes());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let said: Vec<serde_json::Value> =
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (text, line) in texts.iter().zip(&said) {
        let expected = serde_json::json!([{"words": ["rm", "x"], "span": [0, text.len()]}]);
        assert_eq!(line["commands"], expected, "{text}");
    }
    assert!(said[texts.len()]["unreadable_from"].is_number(), "{}", said[texts.len()]);
}

#[test]
fn a_cage_that_may_be_missing_is_none_that_the_judge_relies_on() {
    let place = Place::new();
    place.write("held.toml", "version = 1\nextends = \"workspace\"\n");
    place.write(
        "loose.toml",
        "version = 1\nextends = \"workspace\"\npartial = [\"files\", \"net\"]\n",
    );
    let held = place.call(&["check", "--policy", "held.toml", "-c", "$X y"]);
    assert_eq!((held.code, held.text().as_str()), (0, "allow\n"), "{}", held.stderr);
    let loose = place.call(&["check", "--policy", "loose.toml", "-c", "$X y"]);
    assert_eq!((loose.code, loose.text().as_str()), (3, "ask\n"), "{}", loose.stderr);
    assert!(loose.stderr.contains("a person is asked by unknown"), "{}", loose.stderr);
}

#[test]
fn what_the_door_decided_stands_in_the_json_reply_too() {
    let place = Place::new();
    let mut command = place.command(&["run", "--json", "-c", "touch ran"]);
    let output = command.current_dir(place.root.join("home")).output().unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["enforced"]["mode"], "read");
    assert!(!place.root.join("home/ran").exists());
    let hints = reply["hints"].to_string();
    assert!(hints.contains("mode read") && hints.contains("home directory"), "{hints}");
}
