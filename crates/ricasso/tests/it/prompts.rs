//! Who waits for input, as the kernel tells it; and terminals.

use crate::escape::stage::Machine;
use crate::place::Place;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The wait that the job is in; fails where none comes.
fn waiting(job: &crate::jobs::Started<'_>) -> Value {
    let reply = job.json("wait", &["--until", "input", "--timeout", "60s"]);
    assert_eq!(reply["waited"]["by"], "input", "{reply}");
    reply["waiting_for_input"].clone()
}

#[test]
fn a_job_that_reads_its_input_is_told_whatever_its_prompt_says() {
    let place = Place::new();
    let mut readers = vec![
        ("bash", "printf 'no prompt word here'; read -r x; echo got $x"),
        ("bash", "echo 'a line'; head -n 1; :"),
        ("bash", "read -t 500 -p q x; echo got $x"),
        ("bash", "setsid -w bash -c 'read -r x; echo got $x'"),
    ];
    let python = [
        "import sys; print('py', flush=True); print('got', sys.stdin.readline())",
        "import select, sys; select.select([sys.stdin], [], []); print('got', sys.stdin.readline())",
        "import select, sys; p = select.poll(); p.register(0, 1); p.poll(); print(input())",
        "import select, sys; p = select.epoll(); p.register(0, 1); p.poll(); print(input())",
        "import os; r, w = os.pipe(); n = os.splice(0, w, 99); print(os.read(r, n))",
        "import os, select, signal, time\nif (child := os.fork()) == 0:\n \
         time.sleep(.3); os.kill(os.getppid(), 19); time.sleep(.1); os.kill(os.getppid(), 18)\n \
         os._exit(0)\nos.waitpid(child, 0); p = select.poll(); p.register(0, 1)\n\
         print('up', flush=True); p.poll(500000); print(input())",
    ];
    readers.extend(python.iter().map(|text| ("python3", *text)));
    for (program, text) in readers {
        let args: Vec<&str> = vec!["--", program, "-c", text];
        let job = place.background(&args);
        let found = waiting(&job);
        assert_eq!(found["on"], "stdin", "{text}: {found}");
        assert_eq!(found["descriptor"], 0, "{text}: {found}");
        assert!(found["pid"].as_i64().is_some_and(|pid| pid > 0));
        assert_eq!(job.verb("feed", &["answer"]).code, 0, "{text}");
        let reply = job.json("wait", &[]);
        let said = reply["stdout"].as_str().unwrap().to_string();
        assert!(said.contains("answer"), "{text}: {said}");
        assert_eq!(reply["waiting_for_input"], Value::Null);
    }
}

#[test]
fn a_job_that_works_or_sleeps_does_not_wait_for_input() {
    let place = Place::new();
    let mut texts = vec![
        ("bash", "printf 'Password: '; sleep 100"),
        ("bash", "printf 'Continue? [y/N] '; while :; do :; done"),
        ("bash", "mkfifo f; printf 'name: '; read -r x < f"),
    ];
    // A server that also takes keys waits for its clients.
    let server = "import select, socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n\
                  p = select.epoll(); p.register(0, 1); p.register(s.fileno(), 1)\n\
                  print('Password:', end='', flush=True); p.poll()";
    texts.push(("python3", server));
    let jobs: Vec<_> = texts
        .iter()
        .map(|(program, text)| place.background(&["--", program, "-c", text]))
        .collect();
    for (job, (_, text)) in jobs.iter().zip(&texts) {
        let said = job.json("wait", &["--until", "match=[a-zA-Z]", "--timeout", "60s"]);
        assert_eq!(said["waited"]["by"], "match", "an open line counts: {text}: {said}");
        // Five times as long as a wait takes to be told.
        let reply = job.json("wait", &["--until", "input", "--timeout", "1s"]);
        assert_eq!(reply["waited"]["by"], "time", "{text}: {reply}");
        assert_eq!(reply["waiting_for_input"], Value::Null, "{text}");
    }
}

#[test]
fn a_wait_is_told_soon_after_it_begins() {
    let place = Place::new();
    let job =
        place.background(&["-c", "for n in 1 2 3 4 5; do read -r x; date +%s%N; done; read -r x"]);
    let mut late = Vec::new();
    for _ in 0..5 {
        waiting(&job);
        let began = Instant::now();
        assert_eq!(job.verb("feed", &["x"]).code, 0);
        waiting(&job);
        late.push(began.elapsed());
    }
    late.sort();
    // Two calls of the program and one wait of at most 150 ms; a busy machine may be slower, but
    // not by an order.
    assert!(late[2] < Duration::from_secs(2), "{late:?}");
}

#[test]
fn a_password_prompt_is_named_and_not_answered_unasked() {
    let place = Place::new();
    let job = place.background(&["-c", "printf 'Password: '; read -r x; echo got ${#x}"]);
    let found = waiting(&job);
    assert_eq!(found["kind"], "password");
    assert_eq!(found["line"], "Password: ");
    let refused = job.verb("feed", &["hunter2"]);
    assert_eq!(refused.code, 125);
    assert!(refused.stderr.contains("--password"), "{}", refused.stderr);
    assert_eq!(job.json("look", &[])["running"], true);
    assert_eq!(job.verb("feed", &["--password", "hunter2"]).code, 0);
    assert_eq!(job.json("wait", &[])["stdout"], "Password: got 7\n");
    let asks = place.background(&["-c", "printf 'Overwrite? [y/N] '; read -r x"]);
    assert_eq!(waiting(&asks)["kind"], "confirm");
}

#[test]
fn a_terminal_has_a_size_a_screen_and_keys() {
    let place = Place::new();
    let text = "stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all; tty > /dev/null && \
                printf 'x\\033[2J\\033[Hmenu\\r\\n> ' ; read -r line < /dev/tty; echo \"<$line>\"";
    let job = place.background(&["--pty", "--size", "100x30", "-c", text]);
    let found = waiting(&job);
    assert_eq!(found["on"], "terminal", "{found}");
    let reply = job.json("look", &[]);
    let said = reply["stdout"].as_str().unwrap();
    assert!(said.contains("30 100") && said.contains("all"), "{said}");
    assert_eq!(reply["screen"]["text"], "menu\n>");
    assert_eq!(reply["screen"]["cursor"], serde_json::json!([1, 2]));
    assert_eq!(reply["screen"]["columns"], 100);
    assert_eq!(job.verb("feed", &["--raw", "abc", "--key", "backspace", "--key", "enter"]).code, 0);
    let reply = job.json("wait", &[]);
    assert!(reply["stdout"].as_str().unwrap().contains("<ab>"), "{reply}");
    assert!(reply["screen"]["text"].as_str().unwrap().contains("<ab>"), "{reply}");
    let wrong = job.verb("feed", &["--key", "hyper"]);
    assert_eq!(wrong.code, 125);
}

#[test]
fn programs_are_told_what_the_terminal_understands() {
    let place = Place::new();
    let kind = |args: &[&str]| {
        let mut all = vec!["run", "--mode", "open"];
        all.extend(args);
        all.extend(["-c", "echo kind=$TERM"]);
        place.call(&all).text().trim().to_string()
    };
    assert_eq!(kind(&[]), "kind=dumb");
    assert_eq!(kind(&["--pty"]), "kind=xterm-256color");
    assert_eq!(kind(&["--pty", "--env", "TERM=vt220"]), "kind=vt220");
    let policy = "version = 1\nextends = \"open\"\n[env]\nset = { TERM = \"vt100\" }\n";
    place.write("p.toml", policy);
    assert_eq!(kind(&["--pty", "--policy", "p.toml"]), "kind=vt100");
}

#[test]
fn a_terminal_in_a_cage_has_its_name_and_no_other_is_there() {
    let place = Place::new();
    let text = "name=$(tty) && echo \"<$name>\"; stty -F \"$name\" size; echo out > \"$name\"; \
                ls /dev/pts; [ \"$name\" -ef /proc/self/fd/0 ] && echo same; \
                python3 -c 'import pty; pty.spawn([\"tty\"])' || script -qc tty /dev/null";
    let answer =
        place.call(&["run", "--mode", "workspace", "--pty", "--size", "70x20", "-c", text]);
    let said = answer.text();
    let name = said.split(['<', '>']).nth(1).unwrap_or_else(|| panic!("{said} {}", answer.stderr));
    let number = name.strip_prefix("/dev/pts/").unwrap_or_else(|| panic!("{said}"));
    let has_namespaces = Machine::Plain.has_namespaces();
    let listed = match has_namespaces {
        true => format!("{number}  ptmx"),
        false => "ls: cannot open directory '/dev/pts': Permission denied".into(),
    };
    let shown = format!("<{name}>\r\n20 70\r\nout\r\n{listed}\r\nsame\r\n");
    assert!(said.starts_with(&shown), "{said:?} for {shown:?}");
    // One that the command makes for itself has a name too, where it can make one.
    assert_eq!(said[shown.len()..].contains("/dev/pts/"), has_namespaces, "{said:?}");
    let open = place.call(&["run", "--mode", "open", "--pty", "-c", "tty"]);
    assert!(open.text().starts_with("/dev/pts/"), "{}", open.text());
}

#[test]
fn keys_of_a_terminal_interrupt_and_end() {
    let place = Place::new();
    let text = "trap 'echo caught' INT; cat; echo after; cat";
    let job = place.background(&["--pty", "-c", text]);
    waiting(&job);
    assert_eq!(job.verb("feed", &["--key", "ctrl-c"]).code, 0);
    job.json("wait", &["--until", "match=after", "--timeout", "60s"]);
    waiting(&job);
    assert_eq!(job.verb("feed", &["--eof"]).code, 0);
    let reply = job.json("wait", &[]);
    assert!(reply["stdout"].as_str().unwrap().contains("caught"), "{reply}");
    assert_eq!(reply["ending"]["kind"], "exited", "{reply}");
}

#[test]
fn a_silent_terminal_asks_for_a_password() {
    let place = Place::new();
    let job = place.background(&["--pty", "-c", "read -rs -p 'code for the gate? ' x; echo ${#x}"]);
    let found = waiting(&job);
    assert_eq!(found["kind"], "password", "{found}");
    assert_eq!(job.verb("feed", &["x"]).code, 125);
    assert_eq!(job.verb("feed", &["--password", "four"]).code, 0);
    assert!(job.json("wait", &[])["stdout"].as_str().unwrap().contains('4'));
}

#[test]
fn without_a_terminal_there_is_none() {
    let place = Place::new();
    let reply = place.shell("tty; test -t 1; echo $?; cat < /dev/tty");
    assert!(reply["stdout"].as_str().unwrap().contains("not a tty\n1\n"), "{reply}");
    assert_eq!(reply["screen"], Value::Null);
    let live = place.call(&["run", "--mode", "open", "--pty", "-c", "tty >/dev/null && echo yes"]);
    assert_eq!(live.text(), "yes\r\n");
}
