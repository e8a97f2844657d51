//! Bad input gets a sentence that names the thing and the remedy; nothing runs, nothing is left.

use crate::cage;
use crate::place::{Place, skip};
use std::fs;
use std::os::unix::ffi::OsStringExt;

/// Runs it and expects this code and all of these words in the message.
fn refused(place: &Place, args: &[&str], code: i32, words: &[&str]) {
    let answer = place.call(args);
    assert_eq!(answer.code, code, "{args:?}: {} {}", answer.text(), answer.stderr);
    for word in words {
        assert!(answer.stderr.contains(word), "{args:?}: no {word:?} in: {}", answer.stderr);
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_its_name() {
    let place = Place::new();
    let plain = place.write("plain.txt", "no program\n");
    let run = ["run", "--mode", "open"];
    let with = |rest: &[&'static str]| [&run[..], rest].concat();
    refused(&place, &with(&["-c", ""]), 125, &["empty"]);
    refused(&place, &with(&["-c", " \n"]), 125, &["empty"]);
    refused(&place, &with(&["--", ""]), 125, &["empty"]);
    refused(&place, &with(&[]), 125, &["-c"]);
    refused(&place, &with(&["echo hello"]), 125, &["echo hello", "behind -c", "behind --"]);
    refused(&place, &with(&["--", "no-such-program-anywhere"]), 127, &["no-such-program-anywhere"]);
    refused(&place, &with(&["--", "./missing"]), 127, &["./missing"]);
    refused(&place, &with(&["--", "./plain.txt"]), 126, &["./plain.txt"]);
    refused(&place, &with(&["--", "/"]), 126, &["/"]);
    assert_eq!(fs::read_to_string(plain).unwrap(), "no program\n");
}

#[test]
fn directories_and_files_that_are_not_there_are_named() {
    let place = Place::new();
    place.write("file", "");
    let run = ["run", "--mode", "open"];
    let with = |rest: &[&'static str]| [&run[..], rest].concat();
    refused(&place, &with(&["--cwd", "nowhere", "-c", "true"]), 125, &["nowhere"]);
    refused(&place, &with(&["--cwd", "file", "-c", "true"]), 125, &["file", "directory"]);
    refused(&place, &with(&["--stdin", "nowhere", "-c", "true"]), 125, &["nowhere"]);
    refused(&place, &with(&["--script", "nowhere.sh"]), 125, &["nowhere.sh"]);
    refused(&place, &with(&["--policy", "nowhere.toml", "-c", "true"]), 125, &["nowhere.toml"]);
}

#[test]
fn deadlines_that_cannot_be_meant_are_refused() {
    let place = Place::new();
    for wrong in ["-1s", "0", "0s", "10", "abc", "9999999999999h", "1e400s"] {
        let timeout = format!("--timeout={wrong}");
        refused(&place, &["run", "--mode", "open", &timeout, "-c", "true"], 125, &["timeout"]);
    }
}

#[test]
fn loader_variables_of_the_caller_are_refused() {
    let place = Place::new();
    for variable in ["LD_PRELOAD=/x.so", "BASH_ENV=/x", "DYLD_INSERT_LIBRARIES=/x"] {
        let name = variable.split('=').next().unwrap();
        let args = ["run", "--mode", "open", "--env", variable, "-c", "true"];
        refused(&place, &args, 126, &[name]);
    }
}

#[test]
fn a_nul_in_a_script_is_refused_and_other_bytes_arrive_exactly() {
    let place = Place::new();
    fs::write(place.work().join("nul.sh"), b"echo a\0b\n").unwrap();
    refused(&place, &["run", "--mode", "open", "--script", "nul.sh"], 125, &["NUL"]);
    let mut command = place.command(&["run", "--mode", "open", "--", "printf", "%s"]);
    command.arg(std::ffi::OsString::from_vec(vec![0xff, b'x', 0xc3]));
    let output = command.output().unwrap();
    assert_eq!(
        output.stdout,
        vec![0xff, b'x', 0xc3],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_cage_that_cannot_be_had_is_refused_and_not_skipped() {
    let place = Place::new();
    // One granted socket needs a version of Landlock that no machine of today has.
    place.write("p.toml", "extends = \"workspace\"\n[net]\nsockets = [\"/run/x.sock\"]\n");
    if cage::powers().tells_sockets_apart() {
        return skip("a_cage_that_cannot_be_had", "this kernel tells unix sockets apart");
    }
    let words = ["run", "--policy", "p.toml", "-c", "touch ran"];
    refused(&place, &words, 125, &["net.sockets", "Landlock", "--mode open"]);
    assert!(!place.work().join("ran").exists());
}

#[test]
fn nobody_is_given_the_kernel_to_write_to() {
    let place = Place::new();
    let words = ["is no place for files", "--mode open"];
    for root in ["/proc", "/proc/self", "/sys", "/dev"] {
        refused(&place, &["run", "--root", root, "-c", "true"], 125, &words);
        refused(&place, &["run", "--write", root, "-c", "true"], 125, &words);
    }
    let link = place.root.join("link");
    std::os::unix::fs::symlink("/sys", &link).unwrap();
    refused(&place, &["run", "--write", link.to_str().unwrap(), "-c", "true"], 125, &words);
    let reply = place.json(&["-c", "echo x > /proc/sys/kernel/hostname; true"]);
    let denials = reply["denials"].to_string();
    assert!(!denials.contains("--write"), "{denials}");
}

#[test]
fn a_state_directory_that_cannot_be_used_is_named() {
    let place = Place::new();
    fs::remove_dir(place.root.join("state")).unwrap();
    fs::write(place.root.join("state"), b"").unwrap();
    let state = place.root.join("state");
    refused(&place, &["run", "--mode", "open", "-c", "touch ran"], 125, &[state.to_str().unwrap()]);
    assert!(!place.work().join("ran").exists());
    fs::remove_file(place.root.join("state")).unwrap();
    fs::create_dir(place.root.join("state")).unwrap();
}

#[test]
fn without_a_home_there_is_still_a_place() {
    let place = Place::new();
    let mut command = place.command(&["run", "--mode", "open", "--json", "-c", "echo ok"]);
    let tmp = place.root.join("tmp");
    fs::create_dir(&tmp).unwrap();
    command.env_remove("HOME").env_remove("XDG_STATE_HOME").env("TMPDIR", &tmp);
    let output = command.output().unwrap();
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["stdout"], "ok\n");
}

#[test]
fn a_broken_policy_file_runs_nothing_and_names_file_line_and_key() {
    let place = Place::new();
    place.write("p.toml", "version = 1\nextends = \"open\"\n[limits]\ntimeot = \"1s\"\n");
    let args = ["run", "--policy", "p.toml", "-c", "touch ran"];
    refused(&place, &args, 125, &["p.toml", "4", "timeot"]);
    // An empty file is the default, never "no limits".
    place.write("p.toml", "");
    assert!(!place.work().join("ran").exists());
    let answer = place.call(&["run", "--json", "--policy", "p.toml", "-c", "touch ../ran"]);
    assert!(answer.text().contains("\"mode\":\"workspace\""), "{}", answer.text());
    assert!(!place.root.join("ran").exists());
}

#[test]
fn unreadable_and_misleading_text_is_refused() {
    let place = Place::new();
    refused(&place, &["run", "--mode", "open", "-c", "echo 'open"], 126, &["unreadable"]);
    refused(&place, &["run", "--mode", "open", "-c", "echo \u{202e}x"], 126, &["202"]);
}
