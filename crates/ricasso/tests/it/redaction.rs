//! Secrets: hidden wherever output leaves, kept from the child, and from the disk where asked.

use crate::place::Place;
use serde_json::json;

/// Never issued: letters and digits in order.
const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

#[test]
fn secrets_are_hidden_in_reply_live_view_and_every_range() {
    let place = Place::new();
    let reply = place.shell(&format!("printf 'a %s b\\nPassword: hunter2x9\\n' {TOKEN}"));
    let shown = "a [REDACTED:github-token] b\nPassword: [REDACTED:password]\n";
    assert_eq!(reply["stdout"], shown);
    assert_eq!(reply["output"]["redactions"], 2);
    assert!(!reply["command"].as_str().unwrap().contains(&TOKEN[4..]));
    let id = reply["id"].as_str().unwrap();
    for start in 0..60 {
        let range = format!("{start}-{}", start + 12);
        let answer = place.call(&["output", id, "--stream", "stdout", "--bytes", &range]);
        let text = String::from_utf8(answer.stdout).unwrap();
        let leaked = (0..TOKEN.len() - 4).any(|at| text.contains(&TOKEN[at..at + 4]));
        assert!(!leaked && !text.contains("nter"), "{range}: {text}");
    }
    let live = place.call(&["run", "-c", &format!("echo {TOKEN}; echo {TOKEN} >&2")]);
    assert_eq!(live.stdout, b"[REDACTED:github-token]\n");
    assert!(!live.stderr.contains(&TOKEN[4..]), "{}", live.stderr);
}

#[test]
fn redact_on_write_keeps_secrets_from_the_disk() {
    let place = Place::new();
    place.write("w.toml", "[redact]\non_write = true\n");
    let file = place.work().join("w.toml");
    let policy = ["--policy", file.to_str().unwrap()];
    let text = "printf 'a ghp_abcdefghijklmnopqrstuvwxyz'; printf '0123456789 b\\n'";
    let reply = place.json(&[&policy[..], &["-c", text]].concat());
    assert_eq!(reply["stdout"], "a [REDACTED:github-token] b\n", "{reply}");
    assert_eq!(reply["output"]["redactions"], 1);
    let spool = place.state().join("jobs").join(reply["id"].as_str().unwrap()).join("stdout");
    let stored = std::fs::read_to_string(&spool).unwrap();
    assert_eq!(stored, "a [REDACTED:github-token] b\n");
}

#[test]
fn every_dropped_variable_has_its_reason() {
    let place = Place::new();
    let mut command = place.command(&["check", "--json", "-c", "echo $SOME_TOKEN"]);
    command.env("SOME_TOKEN", "abcdef123456").env("PLAIN_NAME", "x");
    let answer: serde_json::Value =
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let dropped = answer["env_dropped"].as_array().unwrap();
    let why = |name: &str| {
        let found =
            dropped.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}"));
        found["why"].as_str().unwrap().to_owned()
    };
    assert_eq!(why("SOME_TOKEN"), "redact.env calls it a secret, and env.pass does not name it");
    assert_eq!(why("PLAIN_NAME"), "env.pass does not name it");
    assert!(!dropped.iter().any(|one| one["name"] == "PATH"));
    assert!(!answer.to_string().contains("abcdef123456"));
    let mut command = place.command(&["run", "--json", "-c", "echo =${SOME_TOKEN}="]);
    command.env("SOME_TOKEN", "abcdef123456");
    let reply: serde_json::Value =
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(reply["stdout"], "==\n", "{reply}");
    let hints = reply["hints"].to_string();
    assert!(hints.contains("not given SOME_TOKEN") && hints.contains("env.pass"), "{hints}");
}

#[test]
fn no_way_out_shows_a_secret() {
    let place = Place::new();
    let mut said = Vec::new();
    let mut ask = |args: &[&str]| {
        let answer = place.call(args);
        said.push((args.join(" "), answer.text() + &answer.stderr));
    };
    let texts = [
        format!("echo {TOKEN}; echo {TOKEN} >&2; exit 3"),
        format!("cat /nonexistent/{TOKEN}"),
        format!("/usr/bin/{TOKEN}"),
        format!("rm -rf /etc/{TOKEN}"),
        format!("sh -c 'sleep 300; : {TOKEN}' &"),
        format!("if {TOKEN}"),
    ];
    for text in &texts {
        for verb in ["run", "check"] {
            ask(&[verb, "-c", text]);
            ask(&[verb, "--json", "-c", text]);
        }
        for (dialect, arguments) in [
            ("bash", json!({ "command": text })),
            ("exec", json!({ "command": text })),
            ("analysis", json!({ "command": text })),
            ("execute-command", json!({ "command": text })),
            ("flowforge", json!({ "action": "script", "script": text })),
            ("bash", json!({ "command": text, "stream": true })),
            ("bash", json!({ "command": "true", TOKEN: 1 })),
            ("bash", json!({ "task_id": TOKEN })),
        ] {
            ask(&["call", "--dialect", dialect, &arguments.to_string()]);
        }
    }
    let path = format!("/nonexistent/{TOKEN}");
    ask(&["run", "--cwd", &path, "-c", "true"]);
    ask(&["run", "--json", "--cwd", &path, "-c", "true"]);
    ask(&["run", "--stdin", &path, "-c", "cat"]);
    ask(&["run", "--script", &path]);
    ask(&["run", "--policy", &path, "-c", "true"]);
    ask(&["run", "--", &path]);
    ask(&["run", "--env", &format!("A={TOKEN}"), "--json", "-c", "env"]);
    ask(&["call", "--dialect", "bash", "--dialect-config", &path, "{}"]);
    ask(&["call", "--dialect", TOKEN, "{}"]);
    ask(&[TOKEN]);
    ask(&["run", &texts[0]]);
    ask(&["check", &texts[0]]);
    ask(&["run", "--mode", TOKEN, "-c", "true"]);
    ask(&["run", "--timeout", TOKEN, "-c", "true"]);
    ask(&["run", &format!("--{TOKEN}")]);
    for verb in ["output", "look", "wait", "stop", "watch", "forget"] {
        ask(&[verb, TOKEN]);
    }
    // A job that is looked at in every way, and at a terminal.
    for kind in [&["--background"][..], &["--background", "--pty"]] {
        let text = format!("echo {TOKEN}; printf 'Token {TOKEN}? '; read -r line");
        let mut args = vec!["run", "--mode", "open"];
        args.extend(kind);
        args.extend(["-c", &text]);
        let id = place.call(&args).text().trim().to_string();
        for args in [
            &["wait", "--json", "--until", "input", "--timeout", "60s", &id][..],
            &["wait", "--json", "--until", "match=REDACTED", "--timeout", "60s", &id],
            &["look", &id],
            &["look", "--json", &id],
            &["jobs"],
            &["jobs", "--json"],
            &["feed", &id, TOKEN],
            &["stop", "--json", &id],
            &["watch", &id],
            &["watch", "--json", &id],
            &["output", &id],
        ] {
            ask(args);
        }
    }
    ask(&["ledger", "show"]);
    ask(&["ledger", "show", "--json"]);
    assert!(said.iter().filter(|(_, text)| text.contains("REDACTED")).count() > 60);
    for (asked, text) in &said {
        let leaked = (4..TOKEN.len() - 8).find(|at| text.contains(&TOKEN[*at..at + 8]));
        assert_eq!(leaked, None, "{asked} says {text}");
    }
    let ledger = std::fs::read_to_string(place.state().join("ledger/000001.jsonl")).unwrap();
    assert!(!ledger.contains(&TOKEN[4..]));
}

#[test]
fn a_stream_is_redacted_on_its_way_through() {
    let place = Place::new();
    let mut input = format!("a {TOKEN} b\nsaid correct-horse to \u{1b}[1mme\u{1b}[0m\n");
    input += &format!("{}\nlast line", "x".repeat(300_000));
    let file = std::fs::File::open(place.write("input", &input)).unwrap();
    let mut command = place.command(&["redact"]);
    command.env("APP_PASSWORD", "correct-horse").stdin(file);
    let answer = crate::place::answer(command.output().unwrap());
    let shown = input.replace(TOKEN, "[REDACTED:github-token]");
    let shown = shown.replace("correct-horse", "[REDACTED:APP_PASSWORD]");
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout == shown.as_bytes(), "{}", answer.text());
    assert!(place.state_files().is_empty(), "it leaves nothing: {:?}", place.state_files());
}
