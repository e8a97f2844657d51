//! What a person reads when a command is refused: the place, the rule, what would be allowed.

use crate::place::Place;

#[test]
fn a_refusal_is_drawn_under_the_command() {
    let place = Place::new();
    let text = "echo 漢字 &&\n  sudo reboot";
    for verb in ["check", "run"] {
        let refused = place.call(&[verb, "--mode", "open", "-c", text]);
        let lines: Vec<&str> = refused.stderr.lines().collect();
        let title = lines.iter().position(|line| line.contains("refused by power (policy): "));
        let title = title.unwrap_or_else(|| panic!("{verb}: {}", refused.stderr));
        assert!(lines[title + 2].starts_with("2 |   sudo reboot"), "{}", refused.stderr);
        assert!(lines[title + 3].contains('^'), "{}", refused.stderr);
        assert!(refused.stderr.contains("= allowed instead: "), "{}", refused.stderr);
    }
    assert_eq!(place.call(&["check", "--mode", "open", "-c", text]).code, 1);
    assert_eq!(place.call(&["run", "--mode", "open", "-c", text]).code, 126);
}

#[test]
fn the_mark_stands_under_its_words_after_wide_and_escaped_characters() {
    let place = Place::new();
    let drawn = |text: &str| {
        let refused = place.call(&["check", "--mode", "open", "-c", text]);
        refused.stderr.lines().skip(2).take(2).map(String::from).collect::<Vec<_>>()
    };
    // Each of the two characters is two columns wide.
    assert_eq!(drawn("漢字; reboot"), ["1 | 漢字; reboot", "  |       ^^^^^^"]);
    assert_eq!(drawn("a\u{200b}b"), ["1 | a\\u{200b}b", "  |  ^^^^^^^^"]);
}

#[test]
fn every_reason_has_its_own_lines_and_bytes_that_are_no_text_are_shown() {
    let place = Place::new();
    let two = place.call(&["check", "--mode", "open", "-c", "reboot; halt"]);
    assert_eq!(two.stderr.matches("refused by power").count(), 2, "{}", two.stderr);
    let line = b"{\"id\":1,\"command\":{\"hex\":\"7265626f6f7420fffe\"}}\n";
    let said = place.call_with_input(&["check", "--jsonl", "--policy", "open"], line);
    assert!(said.text().contains("\"rule\":\"power\""), "{}", said.text());
    let script = place.work().join("odd.sh");
    std::fs::write(&script, b"reboot \xff\xfe").unwrap();
    let refused = place.call(&["check", "--mode", "open", "--script", "odd.sh"]);
    assert!(refused.stderr.contains("reboot \\xff\\xfe"), "{}", refused.stderr);
}

#[test]
fn a_secret_in_the_command_is_not_drawn() {
    let place = Place::new();
    let text = "curl -H 'x: ghp_0123456789abcdefghijklmnopqrstuvwxyz' x; reboot";
    let refused = place.call(&["check", "--mode", "open", "-c", text]);
    assert!(refused.stderr.contains("[REDACTED:"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("ghp_0123"), "{}", refused.stderr);
}

#[test]
fn as_json_a_reason_is_data() {
    let place = Place::new();
    let args = ["check", "--json", "--mode", "open", "-c", "ls", "-c", "sudo reboot"];
    let said = place.call(&args);
    let value: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    let reason = &value["reasons"][0];
    assert_eq!((&reason["rule"], &reason["step"]), (&"power".into(), &1.into()), "{value}");
    assert!(reason["marked"].is_null() && reason["span"].is_array(), "{value}");
    assert_eq!(said.stderr, "");
}

#[test]
fn a_question_says_how_much_would_be_gone_and_what_git_could_bring_back() {
    let place = Place::new();
    let root = place.work().join("part");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::write(root.join("a.txt"), "aaaa").unwrap();
    std::fs::write(root.join("sub/b.txt"), "bbbb").unwrap();
    let asked = |text: &str| {
        let root = root.to_str().unwrap();
        let said = place.call(&["check", "--json", "--root", root, "--cwd", root, "-c", text]);
        let value: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        value["reasons"][0]["message"].as_str().unwrap_or_default().to_string()
    };
    let message = asked("rm -rf .");
    assert!(message.ends_with("(2 files, 8 bytes, not in git)"), "{message}");
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        let command = command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
        command.current_dir(place.work()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(command.status().unwrap().success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let message = asked("rm -rf .");
    assert!(message.ends_with("(2 files, 8 bytes, all of them in git)"), "{message}");
    std::fs::write(root.join("a.txt"), "changed").unwrap();
    std::fs::write(root.join("new.txt"), "").unwrap();
    let message = asked("rm -rf \"$PWD\"");
    let expected = "3 files, 11 bytes, 2 of them not in git as they are (1 changed, 1 untracked))";
    assert!(message.ends_with(expected), "{message}");
    let message = asked("git restore sub");
    assert!(message.ends_with("(1 file, 4 bytes, all of them in git)"), "{message}");
    // The question is part of the record: it is answered the same when the world has changed.
    let root = root.to_str().unwrap();
    let reply = place.json(&["--root", root, "--cwd", root, "-c", "rm -rf ."]);
    std::fs::remove_dir_all(place.work().join(".git")).unwrap();
    let again = place.call(&["ledger", "replay", reply["id"].as_str().unwrap()]);
    assert_eq!(again.code, 0, "{}{}", again.text(), again.stderr);
}
