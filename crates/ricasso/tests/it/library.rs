//! The library, with a keeper in a process of its own.

use crate::place::{Place, eventually, mark, marked, program};
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::{Layer, Origin, Overrides, Policy, Preset};
use ricasso_engine::request::{Bytes, Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::run::StateDir;
use ricasso_os::{Cancel, Keeper};
use std::time::Duration;

pub(crate) fn engine(place: &Place) -> Engine {
    engine_with(place, Spares::None)
}

pub(crate) fn engine_with(place: &Place, spares: Spares) -> Engine {
    opened(place, spares, Policy::preset(Preset::Open), Stays::WithItsJobs)
}

/// An engine under a policy of its own, over the preset `open`.
pub(crate) fn engine_under(place: &Place, text: &str) -> Engine {
    owner_under(place, text, Stays::WithItsJobs)
}

/// The same, whose owner stays for so long.
pub(crate) fn owner_under(place: &Place, text: &str, stays: Stays) -> Engine {
    let text = format!("version = 1\nextends = \"open\"\n{text}");
    let layer = Layer { origin: Origin::User, name: "test".into(), text };
    let policy = Policy::from_layers(&[layer], &Overrides::default()).unwrap();
    opened(place, Spares::None, policy, stays)
}

fn opened(place: &Place, spares: Spares, policy: Policy, stays: Stays) -> Engine {
    let keeper = Keeper::program(program()).unwrap();
    let state = StateDir::at(&place.state()).unwrap();
    let path: Bytes = "/usr/local/bin:/usr/bin:/bin".into();
    let environment = vec![("PATH".into(), path), ("LANG".into(), "C.UTF-8".into())];
    let chores = match spares {
        Spares::Kept => Chores::Beside,
        Spares::None => Chores::Inline,
    };
    let (told, powers) = (Vec::new(), None);
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .unwrap()
}

pub(crate) fn request(place: &Place, text: &str) -> Request {
    Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: place.work(),
        workspace: Some(place.work()),
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "tests".into(), client: None },
        manner: Manner::default(),
    }
}

#[test]
fn a_threaded_program_runs_commands_through_its_keeper() {
    let place = Place::new();
    let cancel = Cancel::new().unwrap();
    let mut asked = request(&place, "cat; echo \"$((6*7))\"");
    asked.stdin = Stdin::Text("in\n".into());
    for spares in [Spares::None, Spares::Kept] {
        let engine = engine_with(&place, spares);
        for _ in 0..5 {
            let reply = engine.run(&asked, &cancel).unwrap();
            assert_eq!(reply.stdout.as_str(), "in\n42\n");
            assert_eq!(reply.exit_code, Some(0));
        }
    }
}

#[test]
fn a_long_text_for_standard_input_arrives_whole() {
    let place = Place::new();
    let engine = engine(&place);
    let mut asked = request(&place, "wc -c; wc -c < /dev/null");
    asked.stdin = Stdin::Text(Bytes::from(vec![b'x'; 5_000_000]));
    let reply = engine.run(&asked, &Cancel::new().unwrap()).unwrap();
    assert_eq!(reply.stdout.as_str(), "5000000\n0\n");
}

#[test]
fn a_cancel_that_comes_before_the_start_is_not_lost() {
    let place = Place::new();
    let engine = engine(&place);
    let cancel = Cancel::new().unwrap();
    cancel.ring();
    let mark = mark();
    let reply = engine.run(&request(&place, &format!("sleep {mark}")), &cancel).unwrap();
    assert_eq!(reply.ending.unwrap().kind(), "cancelled");
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn dropping_a_job_stops_it_and_waiting_gives_its_reply() {
    let place = Place::new();
    let engine = engine(&place);
    let mark = mark();
    let text = format!("sleep {mark}");
    let job = engine.start(&request(&place, &text), Cancel::new().unwrap()).unwrap();
    eventually("the sleep runs", || !marked(&mark).is_empty());
    assert!(!job.is_over());
    drop(job);
    assert_eq!(marked(&mark), Vec::<i32>::new());
    let job = engine.start(&request(&place, "exit 4"), Cancel::new().unwrap()).unwrap();
    let ready =
        ricasso_os::ready([Some(std::os::fd::AsFd::as_fd(&job))], Some(Duration::from_secs(60)));
    assert_eq!(ready.unwrap(), [true]);
    assert_eq!(job.wait().unwrap().exit_code, Some(4));
}

#[test]
fn a_job_that_was_let_go_still_hears_its_bell() {
    let place = Place::new();
    let mark = mark();
    let engine = engine(&place);
    let cancel = Cancel::new().unwrap();
    let job = engine.start(&request(&place, &format!("sleep {mark}")), cancel.clone()).unwrap();
    job.detach();
    eventually("the sleep runs", || !marked(&mark).is_empty());
    cancel.ring();
    eventually("the sleep is gone", || marked(&mark).is_empty());
}

#[test]
fn a_keeper_that_was_killed_is_replaced_and_its_job_is_lost() {
    let place = Place::new();
    let engine = engine(&place);
    let mark = mark();
    let text = format!("echo kept; setsid sleep {mark} & sleep {mark}");
    let job = engine.start(&request(&place, &text), Cancel::new().unwrap()).unwrap();
    eventually("both sleeps run", || marked(&mark).len() >= 3);
    let keeper = engine.keeper_pid().unwrap();
    crate::place::signal("-9", keeper);
    let reply = job.wait().unwrap();
    assert_eq!(reply.ending.unwrap().kind(), "lost");
    assert_eq!(reply.stdout.as_str(), "kept\n");
    eventually("the tree is gone", || marked(&mark).is_empty());
    let reply = engine.run(&request(&place, "echo again"), &Cancel::new().unwrap()).unwrap();
    assert_eq!(reply.stdout.as_str(), "again\n");
    assert!(reply.hints.iter().any(|hint| hint.as_str().contains("keeper")), "{:?}", reply.hints);
}

#[test]
fn a_keeper_that_is_none_is_refused_by_name() {
    let error = Keeper::program("/nonexistent/ricasso").unwrap_err().to_string();
    assert!(error.contains("/nonexistent/ricasso"), "{error}");
    let keeper = Keeper::program("/bin/true").unwrap();
    let error = keeper.warden().unwrap_err().to_string();
    assert!(error.contains("/bin/true"), "{error}");
}

#[test]
fn the_host_process_gets_no_subreaper_and_no_children_to_reap() {
    let place = Place::new();
    let engine = engine(&place);
    let reply =
        engine.run(&request(&place, "(setsid sleep 0.3 &) ; true"), &Cancel::new().unwrap());
    assert_eq!(reply.unwrap().exit_code, Some(0));
    let own = std::process::id();
    // It lives on when its parent is gone, so that there is a parent to look at.
    let text = "sleep 30 >/dev/null 2>&1 & echo $!";
    let stranger = std::process::Command::new("sh").args(["-c", text]).output().unwrap();
    let pid: i32 = String::from_utf8(stranger.stdout).unwrap().trim().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    crate::place::signal("-TERM", pid);
    let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)).unwrap();
    // An orphan of another child must not become ours.
    assert_ne!(parent, own.to_string());
}

#[test]
fn the_reply_comes_when_the_shell_ends_also_in_a_big_owner() {
    let place = Place::new();
    let engine = engine(&place);
    let ballast = vec![1u8; 200 << 20];
    let cancel = Cancel::new().unwrap();
    let quick = engine.run(&request(&place, "true"), &cancel).unwrap();
    let slow = engine.run(&request(&place, "sleep 0.4"), &cancel).unwrap();
    assert!(quick.duration_ms < slow.duration_ms);
    assert!(slow.duration_ms >= Duration::from_millis(400));
    // Kept until here, so that both runs had a big owner.
    drop(ballast);
}
