//! What a session's shell leaves for its next run.

use crate::place::Place;
use serde_json::Value;

/// One text in the session, with its state.
fn kept(place: &Place, text: &str) -> Value {
    place.json(&["--session", "s", "--keep-state", "-c", text])
}

#[test]
fn directory_variables_and_functions_are_there_in_the_next_run() {
    let place = Place::new();
    std::fs::create_dir(place.work().join("sub dir")).unwrap();
    let first = kept(
        &place,
        "cd 'sub dir'; export ANSWER=\"it's 42\" EMPTY= LINES2=$'a\\nb'; local_only=1\n\
         greet() { echo \"hello $1\"; case $1 in a) :;; esac; }; PATH=/opt/x:$PATH; exit 3",
    );
    assert_eq!(first["exit_code"], 3, "{first}");
    assert_eq!(first["stdout"], "", "nothing of the capture is in the output");
    assert_eq!(first["stderr"], "");
    assert_eq!(first["hints"], Value::Array(Vec::new()));
    let next = "pwd; echo \"<$ANSWER|$EMPTY|$LINES2|$local_only>\"; greet you; echo $PATH; echo $#";
    let second = kept(&place, next);
    let expected =
        format!("{}/sub dir\n<it's 42||a\nb|>\nhello you\n/opt/x:", place.work().display());
    let said = second["stdout"].as_str().unwrap();
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.ends_with("\n0\n"), "{said}");
    assert_eq!(second["command"], next, "the command is shown as it was sent");
    let plain = place.shell("echo \"<$ANSWER>\"; pwd");
    assert!(plain["stdout"].as_str().unwrap().starts_with("<>\n"), "{plain}");
    let other = place.json(&["--session", "t", "--keep-state", "-c", "echo \"<$ANSWER>\""]);
    assert_eq!(other["stdout"], "<>\n");
    let gone = kept(&place, "unset ANSWER; unset -f greet; cd ..; rmdir 'sub dir'");
    assert_eq!(gone["exit_code"], 0, "{gone}");
    let last = kept(&place, "echo \"<$ANSWER>\"; type greet");
    assert_eq!(last["stdout"], "<>\n");
    assert_eq!(last["exit_code"], 1);
}

#[test]
fn kept_functions_are_judged_as_text_in_front_of_the_command() {
    let place = Place::new();
    place.write("p.toml", "version = 1\nextends = \"open\"\n[commands]\ndeny = [\"curl *\"]\n");
    let free = kept(&place, "fetch() { curl \"$1\"; }; ls() { curl x; }");
    assert_eq!(free["exit_code"], 0, "{free}");
    let args = ["run", "--mode", "open", "--json", "--policy", "p.toml", "--session", "s"];
    let mut refused = args.to_vec();
    refused.extend(["--keep-state", "-c", "echo  fine"]);
    let answer = place.call(&refused);
    let reply: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(answer.code, 126, "{reply}");
    assert_eq!(reply["verdict"], "deny");
    assert_eq!(reply["reasons"][0]["span"], Value::Null, "it is not in the text that was sent");
    // A span of what was sent counts from its own beginning.
    let clean = place.json(&["--session", "u", "--keep-state", "-c", "one() { :; }"]);
    assert_eq!(clean["exit_code"], 0);
    let mut spans = args.to_vec();
    spans[7] = "u";
    spans.extend(["--keep-state", "-c", "one; curl x"]);
    let reply: Value = serde_json::from_slice(&place.call(&spans).stdout).unwrap();
    assert_eq!(reply["reasons"][0]["span"][0], 5, "{reply}");
}

#[test]
fn loader_variables_are_not_kept_and_that_is_said() {
    let place = Place::new();
    // A file that the text does not show sets them; the judge could not see it.
    place.write("vars.sh", "export BASH_ENV=/nonexistent PERL5OPT= PLAIN=1 EDITOR=vi\n");
    let reply = kept(&place, ". ./vars.sh");
    assert_eq!(reply["exit_code"], 0, "{reply}");
    let hints = reply["hints"].to_string();
    assert!(hints.contains("BASH_ENV is not kept") && hints.contains("PERL5OPT is not"), "{hints}");
    let state = std::fs::read_to_string(place.state().join("sessions/s/state-open")).unwrap();
    assert!(!state.contains("BASH_ENV") && !state.contains("PERL5OPT"), "{state}");
    let next = kept(&place, "echo \"<$BASH_ENV|$PLAIN|$EDITOR>\"");
    assert_eq!(next["stdout"], "<|1|vi>\n", "{next}");
}

#[test]
fn a_capture_that_did_not_happen_is_said_and_the_state_before_stays() {
    let place = Place::new();
    assert_eq!(kept(&place, "export KEPT=1")["exit_code"], 0);
    for text in [
        "export KEPT=2; exec true",
        "export KEPT=2; trap : EXIT; exit 0",
        "export KEPT=2; kill -9 $$",
    ] {
        let reply = kept(&place, text);
        let hints = reply["hints"].to_string();
        assert!(hints.contains("was not captured"), "{text}: {reply}");
        assert_eq!(kept(&place, "echo $KEPT")["stdout"], "1\n", "{text}");
    }
    let several = place.call(&[
        "run",
        "--mode",
        "open",
        "--session",
        "s",
        "--keep-state",
        "-c",
        "true",
        "-c",
        "true",
    ]);
    assert_eq!(several.code, 125);
    assert!(several.stderr.contains("one -c TEXT"), "{}", several.stderr);
    let alone = place.call(&["run", "--mode", "open", "--keep-state", "-c", "true"]);
    assert_eq!(alone.code, 125, "state belongs to a session that is named");
}

#[test]
fn a_shell_that_traces_or_fails_early_is_captured_without_a_trace_of_us() {
    let place = Place::new();
    let traced = kept(&place, "set -x; export A=1");
    assert!(!traced["stderr"].as_str().unwrap().contains("ricasso"), "{traced}");
    let strict = kept(&place, "set -euo pipefail; export B=2; false; export B=3");
    assert_eq!(strict["exit_code"], 1);
    assert_eq!(kept(&place, "echo $A$B; IFS=xyz; export C=4")["stdout"], "12\n");
    assert_eq!(kept(&place, "echo $C; nonexistent-program")["stdout"], "4\n");
    let error = kept(&place, "nonexistent-program");
    let said = error["stderr"].as_str().unwrap();
    assert!(said.starts_with("bash: line 1: nonexistent-program"), "{said}");
}

#[test]
fn functions_named_like_builtins_do_not_spoil_the_capture() {
    let place = Place::new();
    let shadows = "declare() { echo fake; }; printf() { echo fake; }; compgen() { echo fake; }\n\
                   exit() { echo fake; }; local() { :; }; set() { :; }; export KEPT=1";
    let first = kept(&place, shadows);
    assert_eq!(first["stdout"], "", "{first}");
    assert_eq!(first["hints"], Value::Array(Vec::new()));
    let second = kept(&place, "echo \"<$KEPT>\"; declare; compgen");
    assert_eq!(second["stdout"], "<1>\nfake\nfake\n", "{second}");
    let whole = kept(&place, "builtin() { :; }; export KEPT=2");
    assert!(whole["hints"].to_string().contains("was not captured"), "{whole}");
    assert_eq!(kept(&place, "echo $KEPT")["stdout"], "1\n");
}

#[test]
fn an_array_is_not_kept_as_if_it_were_its_first_word() {
    let place = Place::new();
    let first = kept(&place, "declare -ax LIST=(1 2 3); declare -Ax MAP=([a]=1); export PLAIN=1");
    let hints = first["hints"].to_string();
    assert!(hints.contains("LIST is not kept") && hints.contains("MAP is not kept"), "{first}");
    assert_eq!(kept(&place, "echo \"<$LIST$MAP$PLAIN>\"")["stdout"], "<1>\n");
}

#[test]
fn the_state_of_a_session_goes_with_it() {
    let place = Place::new();
    kept(&place, "export KEPT=1; f() { :; }");
    assert_eq!(kept(&place, "echo $KEPT")["stdout"], "1\n");
    assert_eq!(place.call(&["stop", "--session", "s"]).code, 0);
    assert!(!place.state().join("sessions/s").exists());
    assert_eq!(kept(&place, "echo \"<$KEPT>\"")["stdout"], "<>\n");
}

#[test]
fn what_a_caged_shell_left_does_not_act_outside_its_cage() {
    let place = Place::new();
    let run = |mode: &str, text: &str| {
        let words = ["run", "--mode", mode, "--json", "--session", "s", "--keep-state"];
        let answer = place.call(&[&words[..], &["-c", text]].concat());
        serde_json::from_slice::<Value>(&answer.stdout).unwrap()
    };
    let left = run("workspace", "ls() { echo mine; }; export LEFT=1; true");
    assert_eq!(left["exit_code"], 0, "{left}");
    let inside = run("workspace", "ls; echo \"<$LEFT>\"");
    assert_eq!(inside["stdout"], "mine\n<1>\n", "{inside}");
    for mode in ["open", "read"] {
        let outside = run(mode, "ls; echo \"<$LEFT>\"");
        assert!(outside["stdout"].as_str().unwrap().ends_with("<>\n"), "{mode}: {outside}");
        assert!(!outside["stdout"].as_str().unwrap().contains("mine"), "{mode}: {outside}");
    }
}
