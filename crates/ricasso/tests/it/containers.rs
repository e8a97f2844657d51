//! Without mount namespaces, as in a default container: what still works, and what is denied with a
//! reason and something to do.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::filters::numbers::{MOUNTS, NEW_MOUNTS, Number, PIDFD_GETFD, SECCOMP};
use crate::place::{Answer, Place, answer, program, skip};
use ricasso_os::Namespaces;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A place whose commands are started under a filter.
struct Filtered {
    /// A place that is not below /tmp.
    stage: Stage,
    _hall: Hall,
    place: Place,
    refused: Vec<Number>,
}

impl Filtered {
    /// Under a filter that refuses these calls, and those that mount; nothing where the machine
    /// cannot hold files by Landlock alone.
    fn without_mounts(name: &str, more: &[Number]) -> Option<Filtered> {
        let refused = [MOUNTS, NEW_MOUNTS, more].concat();
        if !powers().holds_files_alone() {
            skip(name, "Landlock is too old to hold files alone");
            return None;
        }
        Some(Filtered::new(refused))
    }

    fn new(refused: Vec<Number>) -> Filtered {
        let hall = Hall::new();
        let stage = Stage::new(&hall, hall.actors()[0]);
        Filtered { stage, _hall: hall, place: Place::new(), refused }
    }

    fn call(&self, variables: &[(&str, &str)], args: &[&str]) -> Answer {
        let plain = self.place.command(&[]);
        let refused: Vec<String> = self.refused.iter().map(ToString::to_string).collect();
        let mut command = Command::new(self.stage.fill("{probe}"));
        command.args(["without", "1", &refused.join(",")]).arg(program()).args(args).env_clear();
        let known = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.envs(known).envs(variables.iter().copied());
        answer(command.current_dir(self.place.work()).stdin(Stdio::null()).output().unwrap())
    }

    fn json(&self, variables: &[(&str, &str)], args: &[&str]) -> Value {
        let told = self.call(variables, args);
        let read = serde_json::from_slice(&told.stdout);
        read.unwrap_or_else(|_| panic!("{args:?}: {} {}", told.text(), told.stderr))
    }

    fn shell(&self, text: &str) -> Value {
        self.json(&[], &["run", "--json", "-c", text])
    }
}

/// The remedy of the one denial of this operation on this target.
fn remedy(reply: &Value, operation: &str, target: &str) -> String {
    let denials = reply["denials"].as_array().unwrap();
    let is_it = |it: &&Value| it["operation"] == operation && it["target"] == target;
    let found: Vec<&Value> = denials.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{operation} {target}: {reply}");
    found[0]["remedy"].as_str().unwrap().to_string()
}

#[test]
fn the_judge_names_as_writable_what_is_writable_here() {
    let name = "the_judge_names_as_writable_what_is_writable_here";
    let Some(filtered) = Filtered::without_mounts(name, &[]) else { return };
    let work = filtered.place.work().display().to_string();
    for text in ["touch /tmp/ricasso-new", "touch /dev/shm/ricasso-new", "touch /etc/new"] {
        let reply = filtered.shell(text);
        let reason = &reply["reasons"][0];
        assert_eq!((&reply["verdict"], &reason["rule"]), (&"deny".into(), &"files.write".into()));
        let expected = format!("write inside {work}, $TMPDIR; a person may add it to files.write");
        assert_eq!(reason["remedy"], expected, "{text}");
        let checked = filtered.json(&[], &["check", "--json", "-c", text]);
        assert_eq!(checked["reasons"][0]["remedy"], expected, "{text}");
        let id = reply["id"].as_str().unwrap();
        let again = filtered.call(&[], &["ledger", "replay", id]);
        assert_eq!(again.code, 0, "{text}: {}", again.text());
    }
    let own =
        "echo one > $TMPDIR/one; f=$(mktemp); echo two > $f; cat $TMPDIR/one $f; echo $TMPDIR";
    let reply = filtered.shell(own);
    let said = reply["stdout"].as_str().unwrap();
    let tmp = said.strip_prefix("one\ntwo\n").unwrap_or_else(|| panic!("{reply}")).trim_end();
    let reply = filtered.shell(&format!("echo three > {tmp}/three; cat {tmp}/three"));
    assert_eq!(reply["stdout"], "three\n", "{reply}");
    if powers().namespaces != Namespaces::None {
        let plain = filtered.place.call(&["check", "-c", "touch /tmp/ricasso-new"]);
        assert_eq!(plain.text(), "allow\n");
    }
}

#[test]
fn a_directory_above_hidden_files_is_listed_and_above_a_hidden_directory_it_is_told() {
    let name = "a_directory_above_hidden_files_is_listed";
    let Some(filtered) = Filtered::without_mounts(name, &[]) else { return };
    let (home, tools) = (filtered.stage.fill("{home}"), filtered.stage.fill("{out}/tools"));
    fs::create_dir_all(format!("{tools}/cargo")).unwrap();
    fs::write(format!("{tools}/cargo/credentials.toml"), "hushed").unwrap();
    let run = |cargo: &str, text: &str| {
        filtered.json(&[("HOME", &home), ("CARGO_HOME", cargo)], &["run", "--json", "-c", text])
    };
    let usual = run("/usr/local/cargo", "ls /usr /usr/local > listed");
    assert_eq!(usual["ending"]["code"], 0, "{usual}");
    let text = format!("cd {tools}; ls; ls cargo; cat cargo/cred*; cat {home}/.ssh/id_key");
    // As a script, so that the kernel answers and not the judge.
    filtered.place.write("look.sh", &text);
    let seen = run(&format!("{tools}/cargo"), "sh look.sh");
    assert_eq!(seen["stdout"], "cargo\ncredentials.toml\n", "{seen}");
    let told = run(&tools, "ls / ~; false");
    let above = "without mount namespaces no directory above one can be listed";
    for directory in ["/", &home] {
        let remedy = remedy(&told, "list", directory);
        assert!(remedy.contains(above) && remedy.contains("`ricasso doctor` says how"), "{told}");
    }
}

#[test]
fn what_a_default_container_cannot_give_is_told_with_something_to_do() {
    let name = "what_a_default_container_cannot_give_is_told";
    let Some(filtered) = Filtered::without_mounts(name, &[PIDFD_GETFD]) else { return };
    let doctor = "`ricasso doctor` says how";
    let locks = "python3 -c 'import multiprocessing as m; m.Lock()'; test $? = 0";
    let told = filtered.shell(locks);
    assert!(remedy(&told, "open-write", "/dev/shm").contains(doctor), "{told}");
    let told = filtered.shell("python3 -c 'import os; os.openpty()'");
    assert!(remedy(&told, "open-write", "/dev/ptmx").contains(doctor), "{told}");
    let watch = "import ctypes, os, sys
c = ctypes.CDLL(None)
sys.exit(c.inotify_add_watch(c.inotify_init(), b'.', 2) < 0)";
    filtered.place.write("watch.py", watch);
    let told = filtered.shell("python3 watch.py");
    let work = filtered.place.work().display().to_string();
    assert!(remedy(&told, "watch", &work).contains("--cap-add SYS_PTRACE"), "{told}");
    let with = Filtered { refused: [MOUNTS, NEW_MOUNTS].concat(), ..filtered };
    let works = with.shell("python3 watch.py");
    assert_eq!(works["ending"]["code"], i32::from(!gives_descriptors()), "{works}");
}

/// Whether this machine lets a process take a descriptor of another one (pidfd_getfd(2)).
fn gives_descriptors() -> bool {
    let taken = "import ctypes, os, sys
own = os.pidfd_open(os.getpid())
sys.exit(ctypes.CDLL(None).syscall(438, own, 0, 0) < 0)";
    Command::new("python3").args(["-c", taken]).status().unwrap().success()
}

#[test]
fn a_command_opens_its_own_terminal_by_name_and_no_other() {
    let name = "a_command_opens_its_own_terminal_by_name_and_no_other";
    let Some(filtered) = Filtered::without_mounts(name, &[]) else { return };
    let hold = "import os, sys; print(os.ttyname(os.openpty()[1]), flush=True); sys.stdin.read()";
    let mut python = Command::new("python3");
    python.args(["-c", hold]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut holder) = python.spawn() else {
        return skip(name, "there is no python3 to hold another terminal");
    };
    let mut other = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut other).unwrap();
    let text = "t=$(tty) && echo written > $t; chmod 666 $t || echo kept\n";
    let text = format!("{text}(echo x > {}) || echo shut\n", other.trim());
    filtered.place.write("act.sh", &text);
    let reply = filtered.json(&[], &["run", "--json", "--pty", "--", "sh", "act.sh"]);
    let plain = filtered.shell("sh act.sh");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    let said = reply["stdout"].as_str().unwrap();
    let found = ["written", "kept", "shut"].map(|word| said.contains(word));
    assert_eq!(found, [true; 3], "{reply}");
    assert_eq!(plain["stdout"], "kept\nshut\n", "{plain}");
}

#[test]
fn a_refusal_says_each_reason_once_and_names_only_what_the_front_end_has() {
    let filtered = Filtered::new(vec![SECCOMP]);
    let reply = filtered.shell("true");
    let reason = &reply["reasons"][0];
    let message = reason["message"].as_str().unwrap();
    assert_eq!(message.matches("there are no seccomp filters here").count(), 1, "{message}");
    assert!(reason["remedy"].as_str().unwrap().contains("ricasso doctor"), "{reason}");
    let call = ["call", "--dialect", "analysis", r#"{"command":"ls"}"#];
    let reply = filtered.json(&[], &call);
    let reasons = reply["structuredContent"]["reasons"].to_string();
    assert!(reasons.contains("ricasso doctor") && !reasons.contains("--mode"), "{reply}");
    let file = filtered.place.root.join("home/.config/ricasso/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // What the remedy of a plain run names works.
    fs::write(&file, "version = 1\npartial = [\"files\", \"net\"]\n").unwrap();
    assert_eq!(filtered.shell("echo ran")["stdout"], "ran\n");
    fs::remove_file(&file).unwrap();
    let open = filtered.json(&[], &["run", "--json", "--mode", "open", "-c", "echo ran"]);
    assert_eq!(open["stdout"], "ran\n");
}

#[test]
fn the_settings_of_openssl_can_be_read_where_the_rest_of_etc_is_hidden() {
    let name = "the_settings_of_openssl_can_be_read";
    let settings = Path::new("/etc/ssl/openssl.cnf");
    if !settings.is_file() {
        return skip(name, "there is no /etc/ssl/openssl.cnf");
    }
    let place = Place::new();
    let read = r#"BEGIN { while ((getline line < "/etc/ssl/openssl.cnf") > 0) n++; print n }"#;
    place.write("count.awk", read);
    place.write("list.awk", r#"BEGIN { while (("ls /etc/ssl" | getline line) > 0) print line }"#);
    let call = |text: &str| {
        let request = serde_json::json!({ "command": text }).to_string();
        let told = place.call(&["call", "--dialect", "analysis", &request]);
        let reply: Value = serde_json::from_slice(&told.stdout).unwrap();
        reply["content"][1]["text"].as_str().unwrap().to_string()
    };
    let lines = fs::read_to_string(settings).unwrap().lines().count();
    let counted = call("awk -f count.awk");
    assert!(counted.contains(&format!("Output: {lines}\n")), "{counted}");
    let listed = call("awk -f list.awk");
    assert!(!listed.contains("private"), "{listed}");
}

#[test]
fn a_directory_in_which_no_command_can_make_a_file_gives_no_hint() {
    let name = "a_directory_in_which_no_command_can_make_a_file_gives_no_hint";
    let hall = Hall::new();
    if !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "only root can be another user");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    for (name, mode) in [("closed", 0o700), ("entered", 0o711)] {
        let path = stage.fill(&format!("{{out}}/{name}"));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let flags = ["--mode", "workspace", "--write", "{out}"];
    let hints = |text: &str| stage.work(text, &flags, Machine::Plain)["hints"].to_string();
    let unlisted = "a directory cannot be listed";
    let plain = hints("true");
    assert!(!plain.contains(unlisted), "{plain}");
    let planted = hints("mkdir {out}/own; echo x > {out}/own/.envrc; chmod 300 {out}/own");
    assert!(planted.contains(unlisted), "{planted}");
}
