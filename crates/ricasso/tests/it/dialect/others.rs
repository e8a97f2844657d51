//! Contracts 2, 3 and 5, what a table cannot say.

use super::session::{Era, Session};
use crate::place::{Place, eventually, is_ignored, program, signal};
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper, Namespaces, Powers};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;

fn call(place: &Place, dialect: &[&str], arguments: &Value) -> Value {
    let mut words = vec!["call", "--dialect"];
    words.extend(dialect);
    let text = arguments.to_string();
    words.push(&text);
    let answer = place.call(&words);
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.stderr))
}

#[test]
fn s3_12_the_text_has_every_byte_that_was_said() {
    let place = Place::new();
    for bytes in [50_000, 5 << 20] {
        let command = format!("head -c {bytes} /dev/zero | tr '\\0' x; echo; echo last");
        let result = call(&place, &["execute-command"], &json!({ "command": command }));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text == format!("{}\nlast\n", "x".repeat(bytes)), "{} of {bytes}", text.len());
    }
}

fn verdict(place: &Place, command: &str) -> i32 {
    place.call(&["check", "--policy", "analysis", "-c", command]).code
}

#[test]
fn s2_10_s2_11_s2_13_s2_14_s2_15_every_listed_program_is_accepted() {
    let place = Place::new();
    let listed = "ls find stat file du wc head tail cat less sort uniq diff comm tr cut paste column \
                  grep egrep rg ag awk sed xargs jq yq git python python3 node npx uv cargo go java \
                  javac npm pip pip3 make base64 xxd hexdump echo printf date env printenv which type \
                  uname id whoami pwd realpath dirname basename ast-grep repomix tree tokei cloc scc";
    for name in listed.split_whitespace() {
        assert_eq!(verdict(&place, &format!("{name} --version")), 0, "{name}");
    }
    assert_eq!(verdict(&place, "tac a.txt"), 1);
}

#[test]
fn s2_16_s2_18_git_reads_and_does_not_write() {
    let place = Place::new();
    let reads = [
        "log --oneline",
        "diff",
        "show HEAD",
        "blame a.txt",
        "status",
        "branch -a",
        "tag -l",
        "remote -v",
        "rev-parse HEAD",
        "rev-list HEAD",
        "shortlog HEAD",
        "describe --tags",
        "ls-files",
        "ls-tree HEAD",
        "cat-file -p HEAD",
        "name-rev HEAD",
        "reflog show",
        "stash list",
        "config --get user.name",
    ];
    for form in reads {
        assert_eq!(verdict(&place, &format!("git {form}")), 0, "{form}");
    }
    for form in
        ["push", "commit", "reset", "checkout", "merge", "rebase", "pull", "clean", "rm", "add"]
    {
        assert_eq!(verdict(&place, &format!("git {form} x")), 1, "{form}");
    }
}

#[test]
fn s3_05_s3_11_a_great_output_is_saved_whole_and_read_back() {
    let place = Place::new();
    let command = "seq 1500000";
    let result = call(&place, &["execute-command"], &json!({ "command": command }));
    let text = result["content"][0]["text"].as_str().unwrap();
    let name = text.split('"').nth(1).unwrap_or_else(|| panic!("{text}")).to_string();
    let mut whole = String::new();
    loop {
        let arguments = json!({ "name": name, "offset": whole.len(), "limit": 4 << 20 });
        let words = ["execute-command", "--tool", "scratchpad_read"];
        let part = call(&place, &words, &arguments);
        let part = part["content"][0]["text"].as_str().unwrap().to_string();
        if part.is_empty() {
            break;
        }
        whole += &part;
    }
    let wanted: String = (1..=1_500_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(whole.len(), wanted.len());
    assert!(whole == wanted, "what is read back differs");
}

#[test]
fn s3_15_what_left_the_group_ends_with_the_timeout_too() {
    let place = Place::new();
    let marker = place.work().join("marker");
    let command = format!("setsid sh -c 'sleep 20; : > {}' & sleep 30", marker.display());
    let arguments = json!({ "command": command, "timeout_ms": 300 });
    let result = call(&place, &["execute-command", "--mode", "write"], &arguments);
    assert_eq!(result["structuredContent"]["termination"], "timed_out", "{result}");
    eventually("nobody is left", || !place.is_worked_in());
    assert!(!marker.exists());
}

#[test]
fn s3_16_cancelling_ends_the_tree() {
    let place = Place::new();
    let text = json!({ "command": "sleep 60 & sleep 60", "timeout_ms": 60000 }).to_string();
    let words = ["call", "--dialect", "execute-command", "--mode", "write", &text];
    let mut child =
        place.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("it runs", || sleeps(&place));
    // What our caller ignores is ignored by the program too, so it would wait for the deadline.
    let interrupt = if is_ignored(2) { "-TERM" } else { "-INT" };
    assert!(signal(interrupt, child.id()));
    child.wait().unwrap();
    eventually("nobody is left", || !place.is_worked_in());
    // Over MCP it is a notification.
    let mut session =
        Session::start(&place, &["--dialect", "execute-command", "--mode", "write"], Era::Legacy);
    let arguments = json!({ "command": "sleep 60", "timeout_ms": 60000 });
    let id =
        session.post("tools/call", json!({ "name": "execute_command", "arguments": arguments }));
    eventually("it runs", || sleeps(&place));
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    eventually("it is gone", || !sleeps(&place));
}

/// Whether a sleep runs in the workspace.
fn sleeps(place: &Place) -> bool {
    let work = place.work();
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let is = |name: &str, wanted: &std::path::Path| {
            std::fs::read_link(entry.path().join(name)).is_ok_and(|path| path == wanted)
        };
        let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        is("cwd", &work) && name == "sleep\n"
    })
}

#[test]
fn s3_26_an_old_landlock_without_namespaces_is_refused_and_names_truncate() {
    for landlock in [1, 2] {
        let place = Place::new();
        let whole =
            Keeper::program(program()).unwrap().powers(ricasso_os::Probe::Everything).unwrap();
        let powers = Some(Powers { landlock, namespaces: Namespaces::None, ..whole });
        let setup = Setup {
            keeper: Keeper::program(program()).unwrap(),
            policy: Policy::preset(Preset::Read),
            state: StateDir::at(&place.state()).unwrap(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            spares: Spares::None,
            chores: Chores::Inline,
            told: Vec::new(),
            powers,
            stays: Stays::WithItsJobs,
        };
        let engine = Engine::open(setup).unwrap();
        let request = crate::library::request(&place, "true");
        let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
        let told = format!("{:?}", reply.reasons);
        assert!(told.contains("truncate(2)"), "{told}");
    }
}

#[test]
fn s3_33_s3_34_what_windows_leaves_open_is_written_down() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/guide/dialects/execute-command.md");
    let page = std::fs::read_to_string(page).unwrap();
    let told = ["low integrity", "out of scope", "partial"];
    let places = ricasso_os::windows::OPEN.iter().chain(&ricasso_os::windows::SHUT);
    for part in told.iter().chain(places) {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn s5_04_the_program_needs_nothing_but_the_c_library() {
    let output = std::process::Command::new("ldd").arg(program()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in said.lines() {
        let own =
            ["linux-vdso", "libc.so", "libgcc_s", "libm.so", "ld-linux", "libpthread", "libdl"];
        assert!(own.iter().any(|name| line.contains(name)), "{line}");
    }
}

#[test]
fn s5_43_the_end_of_a_session_tells_of_each_task() {
    let place = Place::new();
    let log = place.root.join("log");
    let mut command = place.command(&["mcp", "--dialect", "bash"]);
    command.stderr(std::fs::File::create(&log).unwrap());
    let mut session = Session::told(command, Era::Legacy);
    for _ in 0..2 {
        let label = "Serving pages";
        let arguments =
            json!({ "command": "sleep 60", "run_in_background": true, "description": label });
        assert_eq!(session.tool("Bash", &arguments)["isError"], false);
    }
    session.end();
    let said = std::fs::read_to_string(log).unwrap();
    let notes: Vec<Value> =
        said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let cancelled: Vec<&Value> = notes.iter().filter(|note| note["cancelled"] == true).collect();
    assert_eq!(cancelled.len(), 2, "{said}");
    assert!(cancelled.iter().all(|note| note["description"] == "Serving pages"), "{said}");
    assert!(!sleeps(&place));
}

#[test]
fn s5_48_without_any_program_right_nothing_is_executed() {
    let place = Place::new();
    let policy = place.root.join("none.toml");
    std::fs::write(&policy, "version = 1\n[programs]\nallow = []\n").unwrap();
    let policy = policy.to_str().unwrap();
    let answer = place.call(&["run", "--json", "--policy", policy, "--", "/bin/true"]);
    let reply: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_ne!(reply["exit_code"], 0, "{reply}");
    // What the text does not show is stopped by the kernel: the shell runs, its exec does not.
    let policy = place.root.join("shell.toml");
    std::fs::write(&policy, "version = 1\n[programs]\nallow = [\"python3*\"]\n").unwrap();
    let policy = policy.to_str().unwrap();
    let code = "import os; os.execv(chr(47).join(['', 'bin', 'true']), ['true'])";
    let words = ["run", "--json", "--policy", policy, "--", "python3", "-c", code];
    let reply: Value = serde_json::from_slice(&place.call(&words).stdout).unwrap();
    assert_eq!(reply["ending"]["kind"], "exited", "{reply}");
    assert!(reply["stderr"].as_str().unwrap().contains("Permission denied"), "{reply}");
}

#[test]
fn s3_05_pages_of_a_saved_output_are_the_whole_and_split_no_character() {
    let place = Place::new();
    let command = "python3 -c 'print(\"a\" + \"\\u2713\" * 70000, end=\"\")'";
    let arguments = json!({ "command": command, "scratchpad": "checks" });
    let result = call(&place, &["execute-command"], &arguments);
    assert_eq!(result["isError"], false, "{result}");
    let (mut whole, mut offset, mut asked) = (String::new(), 0, 0);
    // One reader counts by what it asked for, another by what it is told.
    for told in [false, true] {
        whole.clear();
        offset = 0;
        while offset < 210_001 {
            let arguments = json!({ "name": "checks", "offset": offset, "limit": 10_000 });
            let part = call(&place, &["execute-command", "--tool", "scratchpad_read"], &arguments);
            whole += part["content"][0]["text"].as_str().unwrap();
            let next = part["structuredContent"]["next_offset"].as_u64();
            offset = if told { next.unwrap_or(u64::MAX) } else { offset + 10_000 };
            asked += 1;
        }
        assert!(whole == format!("a{}", "\u{2713}".repeat(70_000)), "the pages differ: {told}");
    }
    assert!(asked > 40 && offset > 0);
    let arguments = json!({ "name": "checks", "limit": 0 });
    let none = call(&place, &["execute-command", "--tool", "scratchpad_read"], &arguments);
    assert_eq!(none["isError"], true, "{none}");
}

#[test]
fn s3_11_s3_14_a_great_output_before_a_deadline_is_saved_whole() {
    let place = Place::new();
    let command = "head -c 9000000 /dev/zero | tr '\\0' x; echo oops >&2; : > done; sleep 60";
    let arguments = json!({ "command": command, "timeout_ms": 6000 });
    let result = call(&place, &["execute-command", "--mode", "write"], &arguments);
    let texts = result["content"].as_array().unwrap();
    assert_eq!(texts[0]["text"], "Command timed out after 6000ms");
    let saved = texts[1]["text"].as_str().unwrap();
    assert!(saved.contains("(9000005 bytes)"), "{}", &saved[..200]);
    assert!(saved.contains("--- stderr ---\noops"), "the beginning of both streams is shown");
}

#[test]
fn s2_33_the_commands_of_a_list_do_not_overlap() {
    let place = Place::new();
    let one =
        "python3 -c 'import time; a = time.time_ns(); time.sleep(0.1); print(a, time.time_ns())'";
    let result = call(&place, &["analysis"], &json!({ "command": [one, one, one] }));
    let mut last = 0;
    for text in result["content"].as_array().unwrap().iter().skip(1) {
        let text = text["text"].as_str().unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("Output: ")).unwrap();
        let times: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        assert!(times[0] >= last && times[1] > times[0], "{result}");
        last = times[1];
    }
    assert!(last > 0);
}

#[test]
fn s2_17_only_the_reading_forms_of_git_config_pass() {
    let place = Place::new();
    for form in [
        "--get user.name",
        "--get-all user.name",
        "--get-regexp user",
        "--list",
        "-l",
        "--show-origin --list",
        "--show-scope --list",
        "user.name",
    ] {
        assert_eq!(verdict(&place, &format!("git config {form}")), 0, "{form}");
    }
    for form in [
        "user.name x",
        "--add user.name x",
        "--unset user.name",
        "--unset-all user.name",
        "--replace-all user.name x",
        "--rename-section user u",
        "--remove-section user",
        "--edit",
        "-e",
        "--show-origin core.pager x",
    ] {
        assert_eq!(verdict(&place, &format!("git config {form}")), 1, "{form}");
    }
}
