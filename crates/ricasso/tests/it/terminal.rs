//! The program at a real terminal: Ctrl+C, and what a person sees meanwhile.

use crate::place::{Place, eventually, mark, marked, program, skip};
use ricasso_os::{Feeder, Keeper, Order, Output, Report, Status, Terminal, Warden};
use std::os::fd::AsFd;
use std::time::Duration;

/// `ricasso` in front of a person.
struct Person {
    warden: Warden,
    output: Output,
    feeder: Feeder,
    shown: String,
    /// Ends everything when the test does.
    _keeper: Keeper,
}

impl Person {
    fn runs(place: &Place, args: &[&str]) -> Person {
        let keeper = Keeper::program(program()).unwrap();
        let warden = keeper.warden().unwrap();
        let Terminal { input, mut output, feeder } = ricasso_os::terminal(80, 24).unwrap();
        let mut argv = vec![program().into_os_string().into_encoded_bytes()];
        argv.extend(args.iter().map(|word| word.as_bytes().to_vec()));
        let variable = |name: &str, value: &std::path::Path| {
            format!("{name}={}", value.display()).into_bytes()
        };
        let env = vec![
            b"PATH=/usr/local/bin:/usr/bin:/bin".to_vec(),
            variable("HOME", &place.root.join("home")),
            variable("XDG_STATE_HOME", &place.root.join("state")),
        ];
        let order = Order { argv, env, cwd: place.work(), terminal: true, ..Order::default() };
        let writer = output.writer().unwrap();
        warden.start(&order, [input.as_fd(), writer, writer], None).unwrap();
        output.close_writer();
        Person { warden, output, feeder, shown: String::new(), _keeper: keeper }
    }

    fn look(&mut self) {
        let mut buffer = [0u8; 4096];
        while let Ok(length @ 1..) = self.output.read(&mut buffer) {
            self.shown.push_str(&String::from_utf8_lossy(&buffer[..length]));
        }
    }

    fn sees(&mut self, text: &str) {
        eventually(&format!("a person sees {text:?}"), || {
            self.look();
            self.shown.contains(text)
        });
    }

    fn types(&self, bytes: &[u8]) {
        assert_eq!(self.feeder.feed(bytes, None, Duration::from_secs(5)).unwrap(), bytes.len());
    }

    /// The exit code of the program.
    fn ends_with(&mut self) -> i32 {
        let mut code = None;
        eventually("the program ends", || {
            self.look();
            if let Ok(Some(Report::Ended(ended))) = self.warden.report() {
                code = Some(match ended.status {
                    Status::Exited(code) => code,
                    other => panic!("{other:?}"),
                });
            }
            code.is_some()
        });
        self.look();
        code.unwrap()
    }
}

#[test]
fn ctrl_c_at_a_terminal_cancels_the_job_and_its_tree() {
    let place = Place::new();
    let mark = mark();
    let text = format!("setsid sleep {mark} & echo up; sleep {mark}");
    let mut person = Person::runs(&place, &["run", "--mode", "open", "-c", &text]);
    person.sees("up\r\n");
    person.types(&[3]);
    assert_eq!(person.ends_with(), 130);
    assert!(person.shown.contains("cancelled"), "{}", person.shown);
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_the_grace() {
    let place = Place::new();
    place.write("slow.toml", "version = 1\nextends = \"open\"\n[limits]\ngrace = \"10m\"\n");
    let mark = mark();
    let text = format!("trap 'echo no' TERM; echo up; while :; do sleep {mark}; done");
    let mut person = Person::runs(&place, &["run", "--policy", "slow.toml", "-c", &text]);
    person.sees("up\r\n");
    person.types(&[3]);
    person.sees("no\r\n");
    person.types(&[3]);
    assert_eq!(person.ends_with(), 130);
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn a_person_sees_for_how_long_a_silent_command_runs_and_the_line_goes() {
    let place = Place::new();
    let text = "read -r x < fifo; echo done";
    std::process::Command::new("mkfifo").arg(place.work().join("fifo")).status().unwrap();
    let mut person = Person::runs(&place, &["run", "--mode", "open", "-c", text]);
    person.sees("[running for 5 s]");
    person.sees("[running for 6 s]");
    std::fs::write(place.work().join("fifo"), "go\n").unwrap();
    assert_eq!(person.ends_with(), 0);
    assert!(person.shown.ends_with("s]\r\u{1b}[Kdone\r\n"), "{:?}", person.shown);
}

#[test]
fn ctrl_c_while_a_call_may_yield_cancels_it() {
    let place = Place::new();
    let mark = mark();
    let text = format!("echo up; sleep {mark}");
    let args = ["run", "--mode", "open", "--yield", "10m", "-c", &text];
    let mut person = Person::runs(&place, &args);
    person.sees("up\r\n");
    person.types(&[3]);
    assert_eq!(person.ends_with(), 130);
    eventually("the owner and its tree are gone", || marked(&mark).is_empty());
}

#[test]
fn a_terminal_keeps_its_mode_and_times_on_the_machine() {
    let place = Place::new();
    let text = "chmod 642 /proc/self/fd/0; touch -d @1 /proc/self/fd/0\n\
                stat -L -c %a/%Y/ - < /proc/self/fd/0";
    place.write("act.sh", text);
    let told = |mode: &str| {
        place.call(&["run", "--mode", mode, "--pty", "--", "/bin/sh", "act.sh"]).text()
    };
    if !told("open").contains("642/1/") {
        let name = "terminal::a_terminal_keeps_its_mode_and_times_on_the_machine";
        return skip(name, "terminals of this machine have no modes");
    }
    for mode in ["read", "workspace"] {
        let told = told(mode);
        assert!(!told.contains("642/") && !told.contains("/1/") && told.contains('/'), "{told}");
    }
}
