//! From the order to the command, where its process shares its warden's memory until it executes.

use crate::library::{engine_with, request};
use crate::place::{PATIENCE, Place, eventually, program, rounds};
use ricasso_engine::engine::{Engine, Spares};
use ricasso_engine::request::{OnFailure, Request, Step};
use ricasso_engine::run::Ending;
use ricasso_os::{Cage, Cancel, Keeper, Network, Order, Report, Status};
use std::collections::BTreeSet;
use std::fs;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

fn argv(words: &[&str]) -> Step {
    Step::Argv(words.iter().map(|word| (*word).into()).collect())
}

fn counting(place: &Place, lengths: &[usize]) -> Request {
    let step = |length: &usize| {
        let word = "x".repeat(*length);
        argv(&["sh", "-c", "printf %s \"$1\" | wc -c", "sh", &word])
    };
    Request { steps: lengths.iter().map(step).collect(), ..request(place, "") }
}

#[test]
fn orders_of_every_length_reach_a_command_with_and_without_a_spare() {
    let place = Place::new();
    let cancel = Cancel::new().unwrap();
    // Beyond 64 KiB an order travels in a file; words have 128 KiB at most.
    let lengths = [0, 1, 4_000, 100_000, 7, 65_000, 65_536, 3, 120_000, 2];
    let told = lengths.map(|length| format!("{length}\n")).concat();
    for spares in [Spares::None, Spares::Kept] {
        let engine = engine_with(&place, spares);
        for _ in 0..2 {
            let reply = engine.run(&counting(&place, &lengths), &cancel).unwrap();
            assert_eq!(reply.stdout.as_str(), told);
        }
        for length in lengths {
            let reply = engine.run(&counting(&place, &[length]), &cancel).unwrap();
            assert_eq!(reply.stdout.as_str(), format!("{length}\n"));
        }
    }
}

#[test]
fn what_cannot_start_is_told_and_the_next_step_starts_all_the_same() {
    let place = Place::new();
    let cancel = Cancel::new().unwrap();
    let good = argv(&["sh", "-c", "exit 3"]);
    let long = "x".repeat(5_000);
    let bad = ["no-such-program", "/no/such/program", "/etc/passwd", "/", "./", &long];
    let steps = bad.iter().flat_map(|name| [argv(&[name]), good.clone()]).collect();
    let asked = Request { steps, on_failure: OnFailure::KeepGoing, ..request(&place, "") };
    for spares in [Spares::None, Spares::Kept] {
        let reply = engine_with(&place, spares).run(&asked, &cancel).unwrap();
        for (at, pair) in reply.steps.chunks(2).enumerate() {
            let failed = matches!(pair[0].ending, Some(Ending::NotStarted(_)));
            assert!(failed, "{}: {:?}", bad[at], pair[0].ending);
            assert_eq!(pair[1].ending, Some(Ending::Exited(3)), "after {}", bad[at]);
        }
    }
}

pub(crate) fn children(pid: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// The processes that wait for an order in the engine's spare wardens.
fn waiting(engine: &Engine) -> Vec<u32> {
    children(engine.keeper_pid().unwrap()).into_iter().flat_map(children).collect()
}

#[test]
fn a_process_that_is_killed_while_it_waits_costs_its_spare_warden_and_no_job() {
    let place = Place::new();
    let engine = engine_with(&place, Spares::Kept);
    let cancel = Cancel::new().unwrap();
    for _ in 0..5 {
        eventually("two processes wait", || waiting(&engine).len() == 2);
        let wardens = children(engine.keeper_pid().unwrap());
        for pid in waiting(&engine) {
            assert!(crate::place::signal("-9", pid));
        }
        eventually("their wardens are gone", || {
            let left = children(engine.keeper_pid().unwrap());
            wardens.iter().all(|warden| !left.contains(warden))
        });
        let reply = engine.run(&request(&place, "echo here"), &cancel).unwrap();
        assert_eq!(reply.stdout.as_str(), "here\n");
    }
}

#[test]
fn a_warden_for_free_commands_starts_one_with_a_cage_too() {
    let keeper = Keeper::program(program()).unwrap();
    let plain = Order {
        argv: vec![b"sh".to_vec(), b"-c".to_vec(), b"exit 4".to_vec()],
        cwd: "/".into(),
        more: true,
        ..Order::default()
    };
    let caged = Order { cage: Some(std::sync::Arc::new(Cage::default())), ..plain.clone() };
    let last = Order { more: false, ..plain.clone() };
    let warden = keeper.warden_for(&Network::Free).unwrap();
    for order in [&plain, &caged, &plain, &caged, &last] {
        let input = ricasso_os::closed_input().unwrap();
        let (out, err) = (ricasso_os::output().unwrap(), ricasso_os::output().unwrap());
        let streams = [input.as_fd(), out.writer().unwrap(), err.writer().unwrap()];
        warden.start(order, streams, None).unwrap();
        let ended = loop {
            assert!(ricasso_os::ready([Some(warden.as_fd())], Some(PATIENCE)).unwrap()[0]);
            match warden.report().unwrap() {
                Some(Report::Ended(ended)) => break ended,
                Some(Report::Started { .. }) | None => {}
                other => panic!("{other:?} with a cage: {}", order.cage.is_some()),
            }
        };
        assert_eq!(ended.status, Status::Exited(4));
    }
}

#[test]
fn a_kill_on_the_way_to_the_command_is_told_and_nothing_hangs() {
    let place = Place::new();
    let engine = engine_with(&place, Spares::Kept);
    let cancel = Cancel::new().unwrap();
    let over = AtomicBool::new(false);
    let asked = request(&place, "true");
    let kinds: BTreeSet<&'static str> = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for pid in waiting(&engine) {
                    // It may have ended in between.
                    let _ = crate::place::signal("-9", pid);
                }
            }
        });
        let run = |_| engine.run(&asked, &cancel).unwrap().ending.unwrap().kind();
        let kinds = (0..rounds(1_000)).map(run).collect();
        over.store(true, Ordering::Relaxed);
        kinds
    });
    let told = BTreeSet::from(["exited", "signalled", "lost"]);
    assert!(kinds.is_subset(&told), "{kinds:?}");
    // A spare that was hit last may not be gone yet.
    eventually("a command runs again", || {
        engine.run(&asked, &cancel).unwrap().exit_code == Some(0)
    });
}

#[test]
fn constants_of_a_keeper_are_not_copied_for_its_wardens() {
    let place = Place::new();
    let cancel = Cancel::new().unwrap();
    let engine = engine_with(&place, Spares::None);
    // The parent is the warden, and its parent the keeper; a mapping's own memory stands below it.
    let own = "awk '/memfd:constants/ { at = 1 } at && /^Anonymous/ { print $2; exit }'";
    let text = format!(
        "keeper=$(cut -d' ' -f4 /proc/$PPID/stat); \
         {own} /proc/$keeper/smaps; {own} /proc/$PPID/smaps"
    );
    let asked = request(&place, &text);
    eventually("the keeper has mapped them anew", || {
        let reply = engine.run(&asked, &cancel).unwrap();
        let said = reply.stdout.as_str();
        assert!(said.is_empty() || said == "0\n" || said == "0\n0\n", "{said}");
        said == "0\n0\n"
    });
}

#[test]
fn a_limit_of_files_does_not_end_a_keeper() {
    let place = Place::new();
    let example = program().with_file_name("examples").join("many");
    assert!(example.exists(), "{} is built with the tests", example.display());
    let mut command = std::process::Command::new("/bin/sh");
    // Half-kilobytes: more than its jobs write, and less than its constants have.
    command.args(["-c", "ulimit -f 400; exec \"$0\" 20"]).arg(example);
    command.env("XDG_STATE_HOME", place.state()).env_remove("XDG_RUNTIME_DIR");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} {told}", output.status);
}
