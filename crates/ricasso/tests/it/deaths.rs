//! SIGKILL of any of our processes at any moment: no process, no temporary file, no lie is left.

use crate::place::{Place, eventually, mark, marked, rounds};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Child;
use std::time::Duration;

/// Which of our processes is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Owner,
    Keeper,
    Warden,
}

/// A small generator, so that a failing run can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = std::env::var("RICASSO_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(now.as_nanos() as u64 | 1);
    eprintln!("RICASSO_SEED={seed}");
    seed
}

fn children(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

fn kill(pid: u32) {
    // The process may have ended in between, which is one of the moments we look for.
    let _ = crate::place::signal("-9", pid);
}

/// Jobs that do everything to stay alive.
fn stubborn(mark: &str) -> String {
    format!(
        "trap '' TERM HUP INT; setsid sleep {mark} & \
         (setsid sh -c 'trap \"\" TERM; sleep {mark} & wait' >/dev/null 2>&1 </dev/null &); \
         echo started; sleep {mark}"
    )
}

fn victim_pid(child: &Child, victim: Victim) -> Option<u32> {
    let owner = child.id();
    match victim {
        Victim::Owner => Some(owner),
        // The one-shot program is its own keeper, so there is no third process.
        Victim::Keeper | Victim::Warden => children(owner).first().copied(),
    }
}

/// Kills the victim at a random moment and sees that nothing with the mark is left.
fn one_round(place: &Place, victim: Victim, dice: &mut Dice) {
    let mark = mark();
    let text = stubborn(&mark);
    let script = place.root.join(format!("script-{mark}"));
    let as_script = dice.roll(2) == 0;
    let mut child = if as_script {
        fs::write(&script, &text).unwrap();
        place.start(&["--json", "--script", script.to_str().unwrap()])
    } else {
        place.start(&["--json", "-c", &text])
    };
    std::thread::sleep(Duration::from_micros(dice.roll(40_000)));
    let before = victim_pid(&child, victim);
    if let Some(pid) = before {
        kill(pid);
    } else {
        kill(child.id());
    }
    if victim == Victim::Warden && before.is_some() {
        let output = child.wait_with_output().unwrap();
        let reply: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("no reply: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(reply["ending"]["kind"], "lost", "{reply}");
    } else {
        child.wait().unwrap();
    }
    eventually(&format!("{victim:?}: everything marked {mark} is gone"), || {
        marked(&mark).is_empty()
    });
}

#[test]
fn killing_the_owner_or_the_warden_leaves_nothing_behind() {
    let place = Place::new();
    let mut dice = Dice(seed());
    for round in 0..rounds(600) {
        let victim = if round % 2 == 0 { Victim::Owner } else { Victim::Warden };
        one_round(&place, victim, &mut dice);
    }
    settle(&place);
}

#[test]
fn killing_owner_keeper_or_warden_of_an_embedding_program_leaves_nothing_behind() {
    let place = Place::new();
    let mut dice = Dice(seed());
    let victims = [Victim::Owner, Victim::Keeper, Victim::Warden];
    for round in 0..rounds(400) {
        embedded_round(&place, victims[round % 3], &mut dice);
    }
    settle(&place);
}

/// The warden whose command carries the mark; the others are spares.
fn warden_of(keeper: u32, mark: &str) -> Option<u32> {
    let marked = marked(mark);
    children(keeper)
        .into_iter()
        .find(|warden| children(*warden).iter().any(|command| marked.contains(&(*command as i32))))
}

/// As above, with an owner that is a threaded program of its own: the example.
fn embedded_round(place: &Place, victim: Victim, dice: &mut Dice) {
    let mark = mark();
    let example = crate::place::program().with_file_name("examples").join("embed");
    assert!(example.exists(), "{} is built with the tests", example.display());
    let mut command = std::process::Command::new(example);
    command
        .arg(stubborn(&mark))
        .current_dir(place.work())
        .env("XDG_STATE_HOME", place.root.join("state"))
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_micros(dice.roll(40_000)));
    let keeper = children(child.id()).first().copied();
    let pid = match victim {
        Victim::Owner => Some(child.id()),
        Victim::Keeper => keeper,
        Victim::Warden => keeper.and_then(|keeper| warden_of(keeper, &mark)),
    };
    kill(pid.unwrap_or(child.id()));
    if victim == Victim::Owner || pid.is_none() {
        child.wait().unwrap();
    } else {
        // The owner lives on. It ends with its job, which is lost; or, where the kill came before
        // the job had begun, with a new keeper the job runs, and then it is the owner's turn.
        let mut ended = false;
        eventually("the owner ends, or its job runs", || {
            ended = child.try_wait().unwrap().is_some();
            ended || marked(&mark).len() > 3
        });
        if !ended {
            kill(child.id());
            child.wait().unwrap();
        }
    }
    eventually(&format!("{victim:?}: everything marked {mark} is gone"), || {
        marked(&mark).is_empty()
    });
}

/// After the next start only spool, ledger and the session's own directory are left, and every
/// entry that was opened is closed.
fn settle(place: &Place) {
    let reply = place.shell("echo settled");
    assert_eq!(reply["stdout"], "settled\n");
    let known: BTreeSet<&str> =
        ["stdout", "stderr", "order", "spans", "request", "scene", "owner", "reply"].into();
    for file in place.state_files() {
        let parts: Vec<&str> = file.split('/').collect();
        let fine = match parts.as_slice() {
            ["ledger", _] => true,
            ["jobs", _, name] => known.contains(name),
            _ => false,
        };
        assert!(fine, "{file} was left behind");
    }
    assert_eq!(fs::read_dir(place.work()).unwrap().count(), 0, "the workspace was touched");
    let unclosed = unclosed_entries(place);
    assert!(unclosed.is_empty(), "never closed: {unclosed:?}");
}

fn unclosed_entries(place: &Place) -> Vec<String> {
    let mut phases: BTreeMap<String, i32> = BTreeMap::new();
    for line in ledger_lines(place) {
        let id = line["id"].as_str().unwrap().to_string();
        match line["phase"].as_str().unwrap() {
            "open" => *phases.entry(id).or_default() += 1,
            "close" => *phases.entry(id).or_default() -= 1,
            _ => {}
        }
    }
    phases.into_iter().filter(|(_, open)| *open != 0).map(|(id, _)| id).collect()
}

pub(crate) fn ledger_lines(place: &Place) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut files: Vec<_> = fs::read_dir(place.state().join("ledger"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        lines.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    lines
}

#[test]
fn the_next_start_closes_what_a_killed_owner_left_open_as_lost() {
    let place = Place::new();
    let mark = mark();
    let mut child = place.start(&["--json", "-c", &format!("echo kept; sleep {mark}")]);
    let mut id = String::new();
    eventually("its output can be read", || {
        let jobs = fs::read_dir(place.state().join("jobs"));
        let Some(job) = jobs.ok().and_then(|mut jobs| jobs.next()) else { return false };
        id = job.unwrap().file_name().into_string().unwrap();
        place.call(&["output", &id]).text() == "kept\n"
    });
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the tree is gone", || marked(&mark).is_empty());
    place.shell("true");
    let lines = ledger_lines(&place);
    let closed = lines.iter().find(|line| line["id"] == id.as_str() && line["phase"] == "close");
    assert_eq!(closed.unwrap()["ending"]["kind"], "lost");
    assert_eq!(place.call(&["output", &id]).text(), "kept\n");
    assert_eq!(fs::read_dir(place.state().join("owners")).unwrap().count(), 0);
}
