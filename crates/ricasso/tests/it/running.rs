//! What runs, where, with what: words, shell text, scripts, directories, variables, input.

use crate::place::Place;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn words_reach_the_program_without_a_shell() {
    let place = Place::new();
    let reply = place.json(&["--", "printf", "%s|", "a b", "$HOME", "*", "'q'", ""]);
    assert_eq!(reply["stdout"], "a b|$HOME|*|'q'||");
    assert_eq!(reply["exit_code"], 0);
}

#[test]
fn shell_text_is_read_by_bash_and_never_quoted_again() {
    let place = Place::new();
    let reply =
        place.shell(r#"x='a  b'; echo "$x" | tr a-z A-Z; [[ -n $BASH_VERSION ]] && echo bash"#);
    assert_eq!(reply["stdout"], "A  B\nbash\n");
}

#[test]
fn a_script_of_many_lines_runs_from_a_private_file_that_is_gone_afterwards() {
    run_script_of_many_lines(&["bash", "sh"]);
}

mod installed {
    #[test]
    fn a_script_of_many_lines_runs_in_zsh_too() {
        match std::process::Command::new("zsh").args(["-c", ":"]).status() {
            Ok(_) => super::run_script_of_many_lines(&["zsh"]),
            Err(_) => {
                crate::place::skip("a_script_of_many_lines_runs_in_zsh_too", "there is no zsh")
            }
        }
    }
}

fn run_script_of_many_lines(shells: &[&str]) {
    let place = Place::new();
    let script = "echo \"$0\"\nstat -c %a \"$0\"\ncat <<'E'\nit's \"here\"\nE\nexit 3\n";
    let file = place.write("in.sh", script);
    for shell in shells {
        let reply = place.json(&["--script", file.to_str().unwrap(), "--shell", shell]);
        let stdout = reply["stdout"].as_str().unwrap();
        let mut lines = stdout.lines();
        let own = lines.next().unwrap().to_string();
        assert_eq!(lines.next(), Some("700"), "{shell}");
        assert_eq!(lines.next(), Some("it's \"here\""), "{shell}");
        assert_eq!(reply["exit_code"], 3, "{shell}: {reply}");
        assert!(own.starts_with(place.state().to_str().unwrap()), "{own}");
        assert!(!fs::exists(&own).unwrap(), "{shell}: {own} is still there");
    }
}

#[test]
fn a_script_is_gone_after_a_deadline_too() {
    let place = Place::new();
    let file = place.write("in.sh", "echo \"$0\"\nsleep 50\n");
    let reply = place.json(&["--timeout", "300ms", "--script", file.to_str().unwrap()]);
    assert_eq!(reply["ending"]["kind"], "timed_out");
    let own = reply["stdout"].as_str().unwrap().trim().to_string();
    assert!(own.contains("script-") && !fs::exists(&own).unwrap(), "{own}");
}

#[test]
fn the_working_directory_is_the_one_asked_for() {
    let place = Place::new();
    fs::create_dir(place.work().join("a b")).unwrap();
    let reply = place.json(&["--cwd", "a b", "-c", "pwd; echo \"$PWD\""]);
    let expected = place.work().join("a b");
    let expected = expected.to_str().unwrap();
    assert_eq!(reply["stdout"], format!("{expected}\n{expected}\n"));
    assert_eq!(reply["cwd"], expected);
}

#[test]
fn standard_input_is_at_its_end_unless_something_is_given() {
    let place = Place::new();
    assert_eq!(place.shell("cat; echo done")["stdout"], "done\n");
    let file = place.write("in.txt", "from a file\n");
    let reply = place.json(&["--stdin", file.to_str().unwrap(), "-c", "cat"]);
    assert_eq!(reply["stdout"], "from a file\n");
    let args = ["run", "--mode", "open", "--stdin", "-", "-c", "wc -c"];
    let answer = place.call_with_input(&args, &[b'x'; 300_000]);
    assert_eq!(answer.text().trim(), "300000");
}

#[test]
fn the_environment_is_a_list_and_the_caller_may_add_to_it() {
    let place = Place::new();
    let mut command = place.command(&["run", "--mode", "open", "--env", "MINE=1 2", "-c", "env"]);
    command.env("AWS_SECRET_ACCESS_KEY", "hush").env("RANDOM_NAME", "x").env("CARGO_HOME", "/c");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let has = |line: &str| text.lines().any(|found| found == line);
    assert!(has("MINE=1 2") && has("CARGO_HOME=/c"), "{text}");
    assert!(has("NO_COLOR=1") && has("PAGER=cat") && has("GIT_TERMINAL_PROMPT=0"), "{text}");
    assert!(!text.contains("hush") && !text.contains("RANDOM_NAME"), "{text}");
}

#[test]
fn only_the_three_standard_descriptors_reach_the_command() {
    let place = Place::new();
    let sh = format!(
        "exec 9</dev/null 251</dev/null; {:?} run --mode open -- ls /proc/self/fd",
        crate::place::program()
    );
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &sh]).current_dir(place.work());
    command.env("XDG_STATE_HOME", place.root.join("state"));
    let output = command.output().unwrap();
    let fds = String::from_utf8_lossy(&output.stdout);
    // The fourth is the directory that ls itself is reading.
    assert_eq!(fds, "0\n1\n2\n3\n", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_command_has_no_terminal_and_no_ignored_signals() {
    let place = Place::new();
    let reply = place.shell(
        "(exec </dev/tty) 2>/dev/null && echo tty || echo none; \
         grep -E '^Sig(Ign|Blk)' /proc/self/status",
    );
    let stdout = reply["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("none\n"), "{stdout}");
    assert!(stdout.contains("SigBlk:\t0000000000000000"), "{stdout}");
    assert!(stdout.contains("SigIgn:\t0000000000000000"), "{stdout}");
    let reply = place.shell("set -o pipefail; yes | head -n 1; echo \"${PIPESTATUS[0]}\"");
    assert_eq!(reply["stdout"], "y\n141\n");
}

#[test]
fn steps_run_in_sequence_and_stop_at_the_first_failure() {
    let place = Place::new();
    let reply = place.json(&["-c", "echo 1", "-c", "echo 2; exit 7", "-c", "echo 3"]);
    assert_eq!(reply["stdout"], "1\n2\n");
    assert_eq!(reply["exit_code"], 7);
    let steps = reply["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[0]["ending"]["code"], 0);
    assert_eq!(steps[1]["ending"]["code"], 7);
    assert_eq!(steps[1]["stdout_bytes"], serde_json::json!([2, 4]));
    assert!(steps[2]["ending"].is_null(), "{}", steps[2]);
}

#[test]
fn keep_going_runs_them_all_and_still_tells_the_failure() {
    let place = Place::new();
    let reply = place.json(&["--keep-going", "-c", "exit 7", "-c", "echo 2", "-c", "exit 9"]);
    assert_eq!(reply["stdout"], "2\n");
    assert_eq!(reply["exit_code"], 7);
    assert_eq!(reply["steps"][2]["exit_code"], 9);
}

#[test]
fn without_json_the_streams_are_the_childs_own_and_so_is_the_code() {
    let place = Place::new();
    let answer = place.call(&["run", "--mode", "open", "-c", "echo out; echo err >&2; exit 5"]);
    assert_eq!((answer.code, answer.text().as_str()), (5, "out\n"));
    assert_eq!(answer.stderr, "err\n");
}

#[test]
fn files_that_the_command_makes_have_the_callers_umask() {
    let place = Place::new();
    place.shell("umask 027; touch made");
    let mode = fs::metadata(place.work().join("made")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn nothing_is_left_in_the_workspace() {
    let place = Place::new();
    place.shell("echo a; false");
    place.json(&["--", "true"]);
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 0);
}

#[test]
fn a_script_is_gone_after_a_cancel_too() {
    let place = Place::new();
    let mark = crate::place::mark();
    let file = place.write("in.sh", &format!("echo \"$0\"\nsleep {mark}\n"));
    let child = place.start(&["--json", "--script", file.to_str().unwrap()]);
    crate::place::eventually("the sleep runs", || !crate::place::marked(&mark).is_empty());
    crate::place::signal("-15", child.id());
    let output = child.wait_with_output().unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["ending"]["kind"], "cancelled");
    let own = reply["stdout"].as_str().unwrap().trim().to_string();
    assert!(own.contains("script-") && !fs::exists(&own).unwrap(), "{own}");
}

#[test]
fn all_steps_share_one_standard_input_and_one_job() {
    let place = Place::new();
    let file = place.write("in.txt", "one\ntwo\n");
    let read = "read -r line; echo \"got $line\"";
    let reply = place.json(&["--stdin", file.to_str().unwrap(), "-c", read, "-c", read]);
    assert_eq!(reply["stdout"], "got one\ngot two\n");
    assert_eq!(crate::deaths::ledger_lines(&place).len(), 2, "one opening and one closing entry");
    let slow = place.json(&["--timeout", "600ms", "-c", "sleep 0.4", "-c", "sleep 0.4; echo late"]);
    assert_eq!(slow["ending"]["kind"], "timed_out", "the deadline is that of the whole");
    assert_eq!(slow["stdout"], "");
}
