//! Commands, callers and readers that do what nobody should: stop us, starve us, hold us up.

use crate::library::{engine, request};
use crate::place::{Place, eventually, mark, marked, program, signal};
use ricasso_os::Cancel;
use serde_json::Value;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Runs a bash text in the place, with `$R` as `ricasso run --mode open`.
fn bash(place: &Place, text: &str) -> Output {
    let run = format!("{} run --mode open", program().display());
    let mut shell = Command::new("bash");
    shell.args(["-c", text]).env("R", run).env("XDG_STATE_HOME", place.root.join("state"));
    shell.env("HOME", place.root.join("home")).current_dir(place.work()).output().unwrap()
}

/// The processes that are `sleep MARK` and nothing else.
fn sleeping(mark: &str) -> Vec<i32> {
    let line = format!("sleep\0{mark}\0");
    let of = |pid: &i32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    marked(mark).into_iter().filter(|pid| of(pid) == line.as_bytes()).collect()
}

#[test]
fn what_came_along_through_exec_is_not_waited_for() {
    let place = Place::new();
    // `cat` ends when our output does: waiting for it would never end.
    let output = bash(&place, "exec > >(cat); exec $R -c 'echo through'");
    assert_eq!(output.status.code(), Some(0));
    let mark = mark();
    let text = format!("sleep {mark} >/dev/null 2>&1 & exec $R -c 'echo over'");
    assert_eq!(bash(&place, &text).stdout, b"over\n");
    let left = marked(&mark);
    assert_eq!(left.len(), 1, "the caller's own process was ended");
    signal("-9", left[0]);
}

#[test]
fn what_came_along_through_exec_survives_a_lost_job() {
    let place = Place::new();
    let (ours, theirs) = (mark(), mark());
    let text = format!(
        "sleep {theirs} >/dev/null 2>&1 & \
         exec $R --json -c 'setsid sleep {ours} & kill -9 $PPID; sleep {ours}'"
    );
    let output = bash(&place, &text);
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["ending"]["kind"], "lost");
    eventually("the job's tree is gone", || sleeping(&ours).is_empty());
    let left = sleeping(&theirs);
    assert_eq!(left.len(), 1, "the caller's own process was ended");
    signal("-9", left[0]);
}

#[test]
fn a_command_that_stops_its_warden_delays_its_reply_and_no_more() {
    let place = Place::new();
    let reply = place.shell("kill -STOP $PPID; exit 3");
    assert_eq!(reply["ending"]["code"], 3);
    let text = "trap '' TERM; while :; do kill -STOP $PPID; done";
    let reply = place.json(&["--timeout", "200ms", "-c", text]);
    assert_eq!(reply["ending"]["kind"], "timed_out");
}

#[test]
fn a_stopped_warden_still_ends_with_its_owner() {
    let place = Place::new();
    let mark = mark();
    let mut child = place.start(&["-c", &format!("kill -STOP $PPID; exec sleep {mark}")]);
    eventually("the sleep runs", || !sleeping(&mark).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("nothing is left", || marked(&mark).is_empty());
}

#[test]
fn a_stopped_keeper_and_warden_are_continued() {
    let place = Place::new();
    let engine = engine(&place);
    let cancel = Cancel::new().unwrap();
    let reply = engine.run(&request(&place, "kill -STOP $PPID; exit 4"), &cancel).unwrap();
    assert_eq!(reply.exit_code, Some(4));
    let keeper = engine.keeper_pid().unwrap();
    signal("-STOP", keeper);
    let reply = engine.run(&request(&place, "exit 5"), &cancel).unwrap();
    assert_eq!(reply.exit_code, Some(5));
    signal("-STOP", keeper);
    let began = Instant::now();
    drop(engine);
    assert!(began.elapsed() < Duration::from_secs(30));
    let left = std::path::PathBuf::from(format!("/proc/{keeper}"));
    assert!(!left.exists(), "the keeper outlived its engine");
}

/// Starts a run whose standard output is a socket that nobody reads yet.
fn unread(place: &Place, args: &[&str]) -> (std::process::Child, UnixStream) {
    let (reader, writer) = UnixStream::pair().unwrap();
    // As some callers hand it over: a write that does not fit is refused instead of waiting.
    writer.set_nonblocking(true).unwrap();
    let mut all = vec!["run", "--mode", "open"];
    all.extend(args);
    let mut command = place.command(&all);
    command.stdout(std::os::fd::OwnedFd::from(writer)).stderr(Stdio::piped());
    (command.spawn().unwrap(), reader)
}

#[test]
fn a_reader_that_does_not_read_holds_up_neither_deadline_nor_cancel() {
    let place = Place::new();
    let mark = mark();
    let text = format!("yes | head -c 1000000; sleep {mark}");
    let (mut child, mut reader) = unread(&place, &["--timeout", "500ms", "-c", &text]);
    eventually("the sleep runs", || !sleeping(&mark).is_empty());
    eventually("the deadline ends the job", || sleeping(&mark).is_empty());
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert_eq!(read.len(), 1_000_000);
    assert_eq!(child.wait().unwrap().code(), Some(124));
    let (mut child, reader) = unread(&place, &["-c", &text]);
    eventually("the sleep runs", || !sleeping(&mark).is_empty());
    signal("-TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    drop(reader);
}

#[test]
fn a_stream_that_does_not_block_loses_nothing() {
    let place = Place::new();
    let long = format!(": {}", "x".repeat(120_000));
    for args in [&["-c", "seq 1 200000"][..], &["--json", "-c", &long, "-c", &long]] {
        let (mut child, mut reader) = unread(&place, args);
        // The reader looks away for a while; what it then finds must be whole.
        std::thread::sleep(Duration::from_millis(300));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(read.ends_with(b"200000\n") || read.ends_with(b"}\n"), "{}", read.len());
        assert!(read.len() > 400_000, "{}", read.len());
    }
}

#[test]
fn a_reply_that_cannot_be_written_is_told() {
    let place = Place::new();
    let output = bash(&place, "$R --json -c true > /dev/full");
    assert_eq!(output.status.code(), Some(125));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("could not be written"), "{told}");
}

#[test]
fn what_our_caller_ignores_does_not_cancel() {
    let place = Place::new();
    let text = "trap '' HUP; $R -c 'echo up; read -r _ < go; echo survived' > out & \
                while ! test -s out; do sleep 0.01; done; kill -HUP $!; echo > go; wait $!";
    assert!(Command::new("mkfifo").arg(place.work().join("go")).status().unwrap().success());
    assert_eq!(bash(&place, text).status.code(), Some(0));
    assert_eq!(std::fs::read(place.work().join("out")).unwrap(), b"up\nsurvived\n");
}

#[test]
fn our_own_standard_input_is_handed_on_as_it_is() {
    let place = Place::new();
    place.write("lines", "one\ntwo\n");
    let output = bash(&place, "(read -r _; $R --stdin - -c cat) < lines");
    assert_eq!(output.stdout, b"two\n");
    let (mut writer, reader) = UnixStream::pair().unwrap();
    let mut command = place.command(&["run", "--mode", "open", "--stdin", "-", "-c", "cat"]);
    command.stdin(std::os::fd::OwnedFd::from(reader)).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    std::io::Write::write_all(&mut writer, b"by socket\n").unwrap();
    drop(writer);
    assert_eq!(child.wait_with_output().unwrap().stdout, b"by socket\n");
}

#[test]
fn a_command_that_gets_no_process_is_not_started_and_not_lost() {
    let place = Place::new();
    if !nobody_may(&place) {
        return crate::place::skip("a_command_that_gets_no_process", "needs root to become nobody");
    }
    // One process for ricasso, one for its warden, none for the command.
    let text = "exec setpriv --reuid=65533 --regid=65533 --clear-groups \
                bash -c 'ulimit -u 2; exec ./ricasso run --mode open --json -c true'";
    let output = bash(&place, text);
    let reply: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(reply["ending"]["kind"], "not_started", "{reply}");
    assert!(reply["hints"].to_string().contains("temporarily unavailable"), "{reply}");
}

/// Makes the place usable for a user without processes of its own.
fn nobody_may(place: &Place) -> bool {
    let text = "set -e; cp \"${R%% *}\" ricasso; chmod 755 .. . ricasso; \
                chown -R 65533:65533 ../state; \
                setpriv --reuid=65533 --regid=65533 --clear-groups ./ricasso --version";
    bash(place, text).status.success()
}

#[test]
fn a_pipe_or_a_device_in_a_files_place_is_refused() {
    let place = Place::new();
    let project = place.work().join(".ricasso.toml");
    assert!(Command::new("mkfifo").arg(&project).status().unwrap().success());
    let answer = place.call(&["run", "--mode", "open", "-c", "true"]);
    assert_eq!(answer.code, 125);
    assert!(answer.stderr.contains(".ricasso.toml is no plain file"), "{}", answer.stderr);
    std::fs::remove_file(&project).unwrap();
    let answer = place.call(&["run", "--policy", "/dev/zero", "-c", "true"]);
    assert_eq!(answer.code, 125);
    let answer = place.call(&["run", "--mode", "open", "--script", "/dev/zero"]);
    assert_eq!(answer.code, 125, "{}", answer.stderr);
}

#[test]
fn a_reader_of_kept_output_that_has_seen_enough_is_no_mistake() {
    let place = Place::new();
    let reply = place.shell("seq 1 100000");
    let id = reply["id"].as_str().unwrap();
    let text = format!("${{R%% *}} output {id} | head -n 1; echo ${{PIPESTATUS[0]}}");
    let output = bash(&place, &text);
    assert_eq!(output.stdout, b"1\n141\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let output = bash(&place, &format!("${{R%% *}} output {id} --lines 1-1 > /dev/full"));
    assert_eq!(output.status.code(), Some(125));
}

#[test]
fn a_lock_that_somebody_holds_hangs_nobody_for_ever() {
    let place = Place::new();
    let _ = place.shell("true");
    let owners = std::fs::File::open(place.state().join("owners")).unwrap();
    owners.lock().unwrap();
    let ledger = std::fs::File::open(place.state().join("ledger")).unwrap();
    ledger.lock().unwrap();
    // Both wait as long as the program has patience.
    let (run, verify) = std::thread::scope(|scope| {
        let run = scope.spawn(|| place.call(&["run", "--mode", "open", "-c", "true"]));
        let verify = place.call(&["ledger", "verify"]);
        (run.join().unwrap(), verify)
    });
    assert_eq!(run.code, 125);
    assert!(run.stderr.contains("cannot lock"), "{}", run.stderr);
    assert_eq!(verify.code, 125);
    assert!(verify.stderr.contains("cannot lock the ledger"), "{}", verify.stderr);
}

#[test]
fn our_own_failure_closes_the_entry_too() {
    let place = Place::new();
    let place_of_scripts = place.state().join("sessions/cli");
    std::fs::create_dir_all(&place_of_scripts).unwrap();
    // A file where the directory of scripts must be.
    std::fs::write(place_of_scripts.join("scripts"), b"").unwrap();
    let script = place.write("s.sh", "true");
    let answer = place.call(&["run", "--mode", "open", "--script", script.to_str().unwrap()]);
    assert_eq!(answer.code, 125, "{}", answer.stderr);
    let ledger = std::fs::read_to_string(place.state().join("ledger/000001.jsonl")).unwrap();
    let last: Value = serde_json::from_str(ledger.lines().last().unwrap()).unwrap();
    assert_eq!((&last["phase"], &last["ending"]["kind"]), (&"close".into(), &"not_started".into()));
    assert!(place.state_files().iter().all(|name| !name.starts_with("owners/")));
}

#[test]
fn a_command_that_kills_its_warden_goes_with_it() {
    let place = Place::new();
    let mark = mark();
    // The owner is stopped, so that nobody but the kernel can end the command.
    let text = format!(
        "owner=$(cut -d' ' -f4 /proc/$PPID/stat); kill -STOP $owner; kill -9 $PPID; \
         sleep 0.{mark}; kill -9 $owner; touch went-on"
    );
    let child = place.start(&["--json", "-c", &text]);
    let state = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().and_then(|rest| rest.chars().next())
    };
    eventually("the owner is stopped", || state(child.id()) == Some('T'));
    // Stopped, it cannot reap: its own process and the zombie of the warden are left.
    eventually("the command is gone", || marked(&mark).len() == 1);
    signal("-CONT", child.id());
    let reply: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(reply["ending"]["kind"], "lost");
    assert!(!place.work().join("went-on").exists());
}
