//! `jobs.survivors = "adopt"`: what a command leaves running goes on as a job of its own.

use crate::cage;
use crate::deaths::ledger_lines;
use crate::library::{engine_under, owner_under, request};
use crate::place::{Answer, Place, eventually, mark, marked};
use ricasso_engine::engine::{Scope, Stays, Until};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::Step;
use ricasso_os::Cancel;
use serde_json::{Value, json};
use std::time::Duration;

const ADOPT: &str = "[jobs]\nsurvivors = \"adopt\"\n";
const PATIENCE: Option<Duration> = Some(Duration::from_secs(60));

/// A file that says so, over the preset `open`.
fn policy(place: &Place, more: &str) -> String {
    let text = format!("version = 1\nextends = \"open\"\n{ADOPT}{more}");
    let path = place.root.join("adopt.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

fn run(place: &Place, more: &str, args: &[&str]) -> Answer {
    let policy = policy(place, more);
    let mut all = vec!["run", "--policy", &policy];
    all.extend(args);
    place.call(&all)
}

/// `run --json`, and the names of the jobs that it was outlived by.
fn outlived(place: &Place, more: &str, args: &[&str]) -> (Value, Vec<String>) {
    let mut all = vec!["--json"];
    all.extend(args);
    let answer = run(place, more, &all);
    let reply: Value = serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", answer.text(), answer.stderr));
    let survivors = reply["survivors"].as_array().unwrap();
    let jobs = survivors.iter().filter_map(|left| left["job"].as_str().map(str::to_string));
    let mut jobs: Vec<String> = jobs.collect();
    jobs.dedup();
    (reply, jobs)
}

fn look(place: &Place, id: &str) -> Value {
    serde_json::from_slice(&place.call(&["look", "--json", id]).stdout).unwrap()
}

fn wait(place: &Place, id: &str) -> Value {
    place.call(&["wait", "--timeout", "60s", id]);
    look(place, id)
}

/// The process that owns the job with this mark.
fn owner_of(mark: &str) -> i32 {
    let is_owner = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.starts_with(b"ricasso\0keep\0")
    };
    marked(mark).into_iter().find(is_owner).unwrap()
}

#[test]
fn what_a_command_leaves_running_goes_on_as_a_job_with_output_and_ending_of_its_own() {
    let place = Place::new();
    let mark = mark();
    let text = format!(
        "echo mine; (while [ ! -e go ]; do sleep 0.01; done; echo theirs; exit 7) & \
         : {mark}; exit 3"
    );
    let (reply, jobs) = outlived(&place, "", &["-c", &text]);
    assert_eq!((&reply["exit_code"], &reply["stdout"]), (&json!(3), &json!("mine\n")));
    let [job] = jobs.as_slice() else { panic!("{}", reply["survivors"]) };
    assert_ne!(reply["id"], json!(job));
    assert!(reply["hints"].to_string().contains(job), "{}", reply["hints"]);
    let running = look(&place, job);
    assert_eq!((&running["running"], &running["stdout"]), (&json!(true), &json!("")));
    let label = running["label"].as_str().unwrap();
    assert!(label.contains(reply["id"].as_str().unwrap()), "{label}");
    assert!(place.call(&["jobs"]).text().contains(job), "it is in the list");
    place.write("go", "");
    let over = wait(&place, job);
    // How the last of them ended is known from the kernel, as of any command.
    assert_eq!((&over["exit_code"], &over["stdout"]), (&json!(7), &json!("theirs\n")));
    assert_eq!(over["ending"]["kind"], "exited");
    eventually("its owner is gone too", || marked(&mark).is_empty());
    let lines = ledger_lines(&place);
    let phases = |id: &str| lines.iter().filter(|line| line["id"] == id).count();
    assert_eq!((phases(job), phases(reply["id"].as_str().unwrap())), (2, 2));
    let told = |line: &Value| line["adopted"] == json!([job]);
    assert!(lines.iter().any(told), "the closing entry names it: {lines:?}");
    assert_eq!(place.call(&["ledger", "verify"]).code, 0);
    assert_eq!(place.call(&["ledger", "replay", job]).code, 0);
}

#[test]
fn an_adopted_job_is_stopped_with_its_whole_tree_and_by_its_owners_death() {
    let place = Place::new();
    let mark = mark();
    let text = format!("setsid sh -c 'trap \"\" TERM; sleep {mark} & wait' & sleep 0.1");
    let (_, jobs) = outlived(&place, "[limits]\ngrace = \"1s\"\n", &["-c", &text]);
    assert!(!marked(&mark).is_empty());
    assert_eq!(place.call(&["stop", &jobs[0]]).code, 0);
    assert_eq!(look(&place, &jobs[0])["ending"]["kind"], "cancelled");
    eventually("all is gone", || marked(&mark).is_empty());

    let (_, jobs) = outlived(&place, "", &["-c", &text]);
    let owner = owner_of(&mark);
    assert!(crate::place::signal("-9", owner));
    eventually("nothing outlives the owner", || marked(&mark).is_empty());
    place.shell("true");
    assert_eq!(look(&place, &jobs[0])["ending"]["kind"], "lost");
}

#[test]
fn a_signal_to_the_owner_of_adopted_jobs_stops_them() {
    let place = Place::new();
    let mark = mark();
    let (_, jobs) = outlived(&place, "", &["-c", &format!("sleep {mark} &")]);
    let owner = owner_of(&mark);
    assert!(crate::place::signal("-TERM", owner));
    eventually("all is gone", || marked(&mark).is_empty());
    assert_eq!(look(&place, &jobs[0])["ending"]["kind"], "cancelled");
}

#[test]
fn each_step_is_outlived_by_a_job_of_its_own() {
    let place = Place::new();
    let mark = mark();
    let first = format!("echo one; sleep {mark} &");
    // The first one's is still there when the second step runs.
    let alone = format!("[{}]{}", &mark[..1], &mark[1..]);
    let second = format!("grep -lzx '{alone}' /proc/[0-9]*/cmdline 2>&- | wc -l; sleep {mark} &");
    let (reply, jobs) = outlived(&place, "", &["-c", &first, "-c", &second]);
    assert_eq!(reply["stdout"], "one\n1\n", "{reply}");
    assert_eq!(jobs.len(), 2, "{reply}");
    assert_ne!(jobs[0], jobs[1]);
    for job in &jobs {
        assert_eq!(look(&place, job)["running"], true);
        assert_eq!(place.call(&["stop", job]).code, 0);
    }
    eventually("all is gone", || marked(&mark).is_empty());
}

#[test]
fn nothing_is_adopted_of_a_command_that_was_stopped() {
    let place = Place::new();
    let mark = mark();
    let text = format!("sleep {mark} & wait");
    let (reply, jobs) = outlived(&place, "", &["--timeout", "300ms", "-c", &text]);
    assert_eq!(reply["ending"]["kind"], "timed_out", "{reply}");
    assert_eq!(jobs, Vec::<String>::new());
    eventually("all is gone", || marked(&mark).is_empty());
}

#[test]
fn an_adopted_job_has_the_time_of_a_background_job_and_a_lease() {
    let place = Place::new();
    let mark = mark();
    let text = format!("sleep {mark} &");
    let limited = "[limits]\nmax_background = \"1s\"\n";
    let (_, jobs) = outlived(&place, limited, &["-c", &text]);
    assert_eq!(wait(&place, &jobs[0])["ending"]["kind"], "timed_out");
    let (_, jobs) = outlived(&place, "lease = \"1s\"\n", &["-c", &text]);
    eventually("nobody asks, so it ends", || marked(&mark).is_empty());
    let reply = look(&place, &jobs[0]);
    assert!(reply["hints"].to_string().contains("its lease"), "{reply}");
}

/// The job that a reply's survivors became.
fn job_of(reply: &Reply) -> String {
    let survivor = reply.survivors.first().and_then(|survivor| survivor.job.as_ref());
    survivor.unwrap_or_else(|| panic!("{reply:?}")).to_string()
}

#[test]
fn in_every_cage_the_adopted_stay_behind_their_walls() {
    for (name, powers) in cage::hosts() {
        let place = Place::new();
        let policy = cage::with(&format!("extends = \"workspace\"\nopaque = \"allow\"\n{ADOPT}"));
        let engine = cage::engine(&place, policy, powers);
        let text = "(while [ ! -e go ]; do sleep 0.01; done; \
                    echo x > ../outside; echo in > inside; exit 5) & exit 0";
        let reply = cage::run(&engine, &place, text);
        assert_eq!(reply.exit_code, Some(0), "{name}: {reply:?}");
        let job = engine.job(&Scope::Person, &job_of(&reply)).unwrap();
        let running = job.look().unwrap();
        assert!(running.running, "{name}: {running:?}");
        assert_eq!(running.enforced, reply.enforced, "{name}");
        place.write("go", "");
        let over = job.wait(&Until::Exit, PATIENCE).unwrap();
        assert_eq!(over.exit_code, Some(5), "{name}: {over:?}");
        assert!(place.work().join("inside").exists(), "{name}");
        assert!(!place.root.join("outside").exists(), "{name}");
    }
}

#[test]
fn the_end_of_a_session_stops_what_was_adopted_in_it() {
    let place = Place::new();
    let engine = engine_under(&place, ADOPT);
    let mark = mark();
    let asked = request(&place, &format!("sleep {mark} &"));
    let reply = engine.run(&asked, &Cancel::new().unwrap()).unwrap();
    let id = job_of(&reply);
    let mut told = Vec::new();
    engine.end_session("tests", &mut |notice| told.push(notice.id.to_string())).unwrap();
    assert_eq!(told, [id]);
    eventually("it is gone", || marked(&mark).is_empty());
}

#[test]
fn a_flood_of_the_adopted_is_kept_from_the_first_byte_on() {
    let place = Place::new();
    let engine = engine_under(&place, ADOPT);
    let mut asked = request(&place, "");
    // The numbers begin while the shell is still there, and no byte falls between the two jobs.
    asked.steps = vec![Step::Shell("seq 300000 & sleep 0.02".into())];
    let reply = engine.run(&asked, &Cancel::new().unwrap()).unwrap();
    let mut said = whole(&engine, reply.id.as_str());
    if !reply.survivors.is_empty() {
        let id = job_of(&reply);
        let job = engine.job(&Scope::Person, &id).unwrap();
        assert!(!job.wait(&Until::Exit, PATIENCE).unwrap().running);
        said.extend(whole(&engine, &id));
    }
    let all: Vec<u8> = (1..=300_000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    assert!(said == all, "{} of {} bytes", said.len(), all.len());
}

fn whole(engine: &ricasso_engine::engine::Engine, id: &str) -> Vec<u8> {
    let dir = engine.state().job(&ricasso_engine::run::JobId::parse(id).unwrap());
    std::fs::read(dir.path().join("stdout")).unwrap_or_default()
}

#[test]
fn an_owner_that_does_not_stay_adopts_nothing_and_says_so() {
    let place = Place::new();
    let engine = owner_under(&place, ADOPT, Stays::ForOneCall);
    let mark = mark();
    let asked = request(&place, &format!("sleep {mark} & true"));
    let reply = engine.run(&asked, &Cancel::new().unwrap()).unwrap();
    assert!(reply.survivors.iter().all(|survivor| survivor.job.is_none()), "{reply:?}");
    assert!(format!("{:?}", reply.hints).contains("no owner that stays"), "{reply:?}");
    assert!(marked(&mark).is_empty());
}

#[test]
fn the_hint_about_a_text_that_ends_in_an_ampersand_says_what_happens() {
    let place = Place::new();
    let said = |policy: &str| {
        let engine = engine_under(&place, policy);
        let reply = engine.run(&request(&place, "sleep 1 &"), &Cancel::new().unwrap()).unwrap();
        format!("{:?}", reply.hints)
    };
    assert!(said("").contains("is stopped when the shell ends"));
    assert!(!said(ADOPT).contains("is stopped"));
}
