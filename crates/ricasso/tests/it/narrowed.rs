//! A writable root that holds hidden places, on a machine without mount namespaces: what is there
//! can be written, no entry beside a hidden place is made, and the reply says so.

use crate::escape::stage::{Hall, Machine, Stage};
use serde_json::Value;
use std::fs;

const FLAGS: [&str; 4] = ["--mode", "workspace", "--write", "{home}"];

fn in_each_stage(test: impl Fn(&Stage)) {
    let hall = Hall::new();
    hall.actors().into_iter().for_each(|actor| test(&Stage::new(&hall, actor)));
}

fn work(stage: &Stage, text: &str) -> Value {
    stage.work(text, &FLAGS, Machine::WithoutNamespaces)
}

fn stricter(reply: &Value) -> String {
    reply["enforced"]["stricter"].to_string()
}

#[test]
fn entries_of_a_home_are_written_and_none_is_made_beside_hidden_places() {
    in_each_stage(|stage| {
        let made = stage.outside("mkdir -p {home}/dir {home}/.config/tool; echo old > {home}/note");
        assert!(made.status.success());
        let reply = work(
            stage,
            "echo new > {home}/note && mkdir {home}/dir/sub && echo x > {home}/.config/tool/x
             cat {home}/note; mkdir {home}/fresh; touch {home}/.config/gh; mv {home}/note {work}/n
             cat {home}/.ssh/id_key; exit 3",
        );
        assert_eq!((&reply["exit_code"], &reply["stdout"]), (&3.into(), &"new\n".into()));
        for path in ["fresh", ".config/gh", "note"] {
            let target = format!("STAGE/home/{path}");
            let denials = reply["denials"].as_array().unwrap();
            let denial = denials.iter().find(|denial| denial["target"] == target.as_str());
            let remedy = denial.unwrap_or_else(|| panic!("{target}: {reply:#}"))["remedy"].as_str();
            let hidden = path == ".config/gh";
            let words =
                if hidden { "hidden by files.hide" } else { "use a directory below it that is" };
            assert!(remedy.unwrap().contains(words), "{target}: {reply:#}");
        }
        assert!(stricter(&reply).contains("only what is there in STAGE/home"), "{reply}");
        assert_eq!(reply["enforced"]["missing"], Value::Array(Vec::new()));
    });
}

#[test]
fn what_is_narrower_is_hinted_once_a_session_and_always_enforced() {
    in_each_stage(|stage| {
        let hint = |reply: &Value| reply["hints"].to_string().contains("less than the policy");
        let (first, second) = (work(stage, "true"), work(stage, "true"));
        assert!(hint(&first) && !hint(&second), "{first} {second}");
        assert_eq!(stricter(&first), stricter(&second));
        for part in ["net: none", "tmp: $TMPDIR", "files: "] {
            assert!(stricter(&second).contains(part), "{second}");
        }
        let flags = [&FLAGS[..], &["--session", "other"]].concat();
        let other = stage.work("true", &flags, Machine::WithoutNamespaces);
        assert!(hint(&other), "{other}");
    });
}

#[test]
fn a_root_with_too_many_entries_is_read_only_and_a_directory_of_it_can_be_granted() {
    in_each_stage(|stage| {
        let home = std::path::PathBuf::from(stage.fill("{home}"));
        (0..1000).for_each(|number| fs::write(home.join(format!("f{number}")), "").unwrap());
        let made = stage.outside("mkdir {home}/dir; echo seen > {home}/dir/old");
        assert!(made.status.success());
        let text = "cat {home}/dir/old; echo x > {home}/dir/new";
        let reply = work(stage, text);
        assert_eq!((&reply["exit_code"], &reply["stdout"]), (&2.into(), &"seen\n".into()));
        assert_eq!(reply["enforced"]["missing"], serde_json::json!(["files.write"]), "{reply}");
        let remedy = reply["denials"][0]["remedy"].as_str().unwrap_or_default();
        assert!(remedy.ends_with("--write DIR"), "{reply:#}");
        let flags = ["--mode", "workspace", "--write", "{home}/dir"];
        let granted = stage.work(text, &flags, Machine::WithoutNamespaces);
        assert_eq!(granted["exit_code"], 0, "{granted:#}");
    });
}

#[test]
fn the_dialect_bash_runs_without_mount_namespaces() {
    in_each_stage(|stage| {
        let answer = stage.outside(
            "mkdir {home}/p; cd {home}/p
             {probe} without-namespaces {bin}/ricasso call --dialect bash \
             '{\"command\":\"echo hi > f && cat f && cat ~/p/f && ! cat ~/.bashrc >> ~/new\"}'",
        );
        let reply: Value = serde_json::from_slice(&answer.stdout).unwrap();
        assert_eq!(reply["structuredContent"]["stdout"], "hi\nhi\n", "{reply:#}");
        assert_eq!(reply["isError"], false, "{reply:#}");
    });
}
