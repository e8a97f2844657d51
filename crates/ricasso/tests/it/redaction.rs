//! Secrets: hidden wherever output leaves, kept from the child, and from the disk where asked.

use crate::place::Place;

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
