//! Jobs of a library's own engine: handles, sessions, yield, watches, and many at once.

use crate::library::{engine, request};
use crate::place::{Place, eventually, mark, marked, rounds};
use ricasso_engine::capture::{Beyond, Takes};
use ricasso_engine::engine::{Engine, Feed, Job, Password, Scope, Then, Until, Yielded, Yields};
use ricasso_engine::request::{Stdin, Tenure};
use ricasso_os::Cancel;
use std::time::Duration;

pub(crate) fn background(engine: &Engine, place: &Place, session: &str, text: &str) -> Job {
    let mut asked = request(place, text);
    asked.manner.tenure = Tenure::Background;
    asked.stdin = Stdin::Fed;
    asked.caller.session = session.into();
    engine.start(&asked, Cancel::new().unwrap()).unwrap()
}

pub(crate) fn text(bytes: &str, then: Then) -> Feed {
    Feed { bytes: bytes.into(), then, password: Password::Refused }
}

#[test]
fn sessions_do_not_see_each_other_and_a_person_sees_all() {
    let place = Place::new();
    let engine = engine(&place);
    let mine = background(&engine, &place, "mine", "read -r x");
    let other = background(&engine, &place, "other", "read -r x");
    let scope = Scope::Session("mine".into());
    assert_eq!(engine.jobs(&scope).len(), 1);
    assert_eq!(engine.jobs(&Scope::Person).len(), 2);
    assert!(engine.job(&scope, mine.id().as_str()).is_ok());
    let hidden = engine.job(&scope, other.id().as_str()).unwrap_err().to_string();
    let unknown = engine.job(&scope, "00000000000000000000000000").unwrap_err().to_string();
    assert_eq!(
        hidden.replace(other.id().as_str(), "ID"),
        unknown.replace("00000000000000000000000000", "ID")
    );
    assert!(engine.job(&Scope::Person, other.id().as_str()).is_ok());
}

#[test]
fn the_end_of_a_session_gives_one_notice_for_each_of_its_jobs() {
    let place = Place::new();
    let engine = engine(&place);
    let mark = mark();
    let sleep = format!("sleep {mark}");
    let stubborn = format!("trap '' TERM; while :; do sleep {mark}; done");
    let jobs: Vec<Job> =
        [&sleep, &sleep, &stubborn].map(|text| background(&engine, &place, "mine", text)).into();
    let other = background(&engine, &place, "other", "read -r x");
    eventually("all run", || marked(&mark).len() >= 4);
    let mut told = Vec::new();
    engine
        .end_session("mine", &mut |notice| {
            assert_eq!(notice.session, "mine");
            assert_eq!(notice.reply.unwrap().ending.unwrap().kind(), "cancelled");
            told.push(notice.id);
        })
        .unwrap();
    let mut ids: Vec<_> = jobs.iter().map(|job| job.id().clone()).collect();
    ids.sort();
    told.sort();
    assert_eq!(told, ids);
    assert_eq!(marked(&mark), Vec::<i32>::new());
    assert!(!other.is_over());
    engine.end_session("mine", &mut |notice| panic!("{notice:?} is over already")).unwrap();
}

#[test]
fn a_handle_asks_and_letting_it_go_changes_nothing() {
    let place = Place::new();
    let engine = engine(&place);
    let job = background(&engine, &place, "s", "while read -r x; do echo got $x; done; exit 6");
    let handle = engine.job(&Scope::Person, job.id().as_str()).unwrap();
    assert!(handle.look().unwrap().running);
    let fed = handle.feed(&text("one\n", Then::Open)).unwrap();
    assert_eq!((fed.bytes, fed.left_bytes), (4, 0));
    let reply = handle.wait(&Until::Match("got one".into()), None).unwrap();
    assert_eq!(reply.stdout.as_str(), "got one\n");
    drop(handle.clone());
    assert!(!handle.is_over());
    handle.feed(&text("", Then::End)).unwrap();
    let reply = handle.wait(&Until::Exit, None).unwrap();
    assert_eq!(reply.exit_code, Some(6));
    assert!(handle.feed(&text("late", Then::Open)).unwrap_err().to_string().contains("is over"));
    assert_eq!(job.wait().unwrap().exit_code, Some(6));
}

#[test]
fn bytes_that_nobody_reads_are_counted_and_not_waited_for() {
    let place = Place::new();
    let engine = engine(&place);
    let mark = mark();
    let job = background(&engine, &place, "s", &format!("sleep {mark}"));
    let big = "x".repeat(300_000);
    let fed = job.handle().unwrap().feed(&text(&big, Then::Open)).unwrap();
    assert_eq!(fed.bytes + fed.left_bytes, big.len());
    assert!(fed.left_bytes > 0);
    let closed = engine.start(&request(&place, "sleep 50"), Cancel::new().unwrap()).unwrap();
    let error = closed.handle().unwrap().feed(&text("x", Then::Open)).unwrap_err().to_string();
    assert!(error.contains("not ours to feed"), "{error}");
}

#[test]
fn a_call_that_yields_loses_nothing_and_starts_nothing_twice() {
    let place = Place::new();
    let engine = engine(&place);
    let asked = request(&place, "echo one; echo x >> starts; read -r go < fifo; echo two; exit 2");
    std::process::Command::new("mkfifo").arg(place.work().join("fifo")).status().unwrap();
    let cancel = Cancel::new().unwrap();
    let yielded =
        engine.run_or_yield(&asked, &cancel, Yields::After(Duration::from_millis(200))).unwrap();
    let Yielded::Running(job, reply) = yielded else { panic!("it was not over") };
    assert!(reply.running && reply.ending.is_none());
    assert!(reply.hints.iter().any(|hint| hint.as_str().contains("in the background")));
    std::fs::write(place.work().join("fifo"), "go\n").unwrap();
    let reply = job.wait().unwrap();
    assert_eq!(reply.stdout.as_str(), "one\ntwo\n");
    assert_eq!(reply.exit_code, Some(2));
    assert_eq!(std::fs::read_to_string(place.work().join("starts")).unwrap(), "x\n");
    let long = Yields::After(Duration::from_secs(60));
    let quick = engine.run_or_yield(&request(&place, "exit 3"), &cancel, long);
    let Yielded::Over(reply) = quick.unwrap() else { panic!("it was over") };
    assert_eq!(reply.exit_code, Some(3));
}

#[test]
fn a_job_whose_lease_nobody_renews_ends() {
    let place = Place::new();
    let engine = engine(&place);
    let mark = mark();
    let job = background(&engine, &place, "s", &format!("sleep {mark}"));
    job.handle().unwrap().lease(Duration::from_millis(300));
    eventually("the job is over", || job.is_over());
    assert_eq!(job.wait().unwrap().ending.unwrap().kind(), "cancelled");
    assert_eq!(marked(&mark), Vec::<i32>::new());
}

#[test]
fn every_match_is_delivered_or_counted_and_the_job_does_not_wait() {
    let place = Place::new();
    let engine = engine(&place);
    let lines = rounds(1_000_000) as u64;
    for beyond in [Beyond::Wait, Beyond::Count] {
        let job = background(&engine, &place, "s", &format!("seq 1 {lines}; seq 1 {lines} >&2"));
        let handle = job.handle().unwrap().clone();
        let mut watch = handle.watch(Some("0$"), Takes { lines: 100, beyond }).unwrap();
        let first = watch.next(Duration::from_secs(60)).unwrap().unwrap();
        // Nobody reads on, and the job ends all the same.
        let reply = job.wait().unwrap();
        assert_eq!(reply.exit_code, Some(0));
        let (mut delivered, mut left_out) = (first.lines.len() as u64, first.left_out);
        while let Some(batch) = watch.next(Duration::from_secs(60)).unwrap() {
            assert!(batch.lines.len() <= 100);
            delivered += batch.lines.len() as u64;
            left_out += batch.left_out;
        }
        assert_eq!(delivered + left_out, lines / 10 * 2, "{beyond:?}");
        assert_eq!(left_out > 0, beyond == Beyond::Count);
    }
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// A small generator of its own for each thread: the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

#[test]
fn many_jobs_with_random_verbs_lose_no_byte() {
    let place = Place::new();
    let engine = engine(&place);
    let count = rounds(200);
    let before = open_descriptors();
    {
        let jobs: Vec<Job> = (0..count)
            .map(|_| background(&engine, &place, "s", "while read -r x; do echo \"$x\"; done"))
            .collect();
        let fed: Vec<Vec<(usize, String)>> = std::thread::scope(|scope| {
            let jobs = &jobs;
            let busy = |worker: usize| {
                let mut dice = Dice(0x9e37_79b9 + worker as u64);
                let mut fed = Vec::new();
                for round in 0..60 {
                    let at = dice.below(jobs.len());
                    let handle = jobs[at].handle().unwrap();
                    match dice.below(5) {
                        0 | 1 => {
                            let line = format!("w{worker}r{round}");
                            let taken = handle.feed(&text(&format!("{line}\n"), Then::Open));
                            assert_eq!(taken.unwrap().left_bytes, 0);
                            fed.push((at, line));
                        }
                        2 => assert!(handle.look().unwrap().running),
                        3 => {
                            let wait = Some(Duration::from_millis(5));
                            assert!(handle.wait(&Until::Exit, wait).unwrap().running);
                        }
                        _ => {
                            let takes = Takes { lines: 3, beyond: Beyond::Wait };
                            let mut watch = handle.watch(Some("w"), takes).unwrap();
                            assert!(watch.next(Duration::from_millis(5)).unwrap().is_some());
                        }
                    }
                }
                fed
            };
            let workers: Vec<_> = (0..8).map(|worker| scope.spawn(move || busy(worker))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let mut expected: Vec<Vec<String>> = vec![Vec::new(); count];
        fed.into_iter().flatten().for_each(|(at, line)| expected[at].push(line));
        for (job, mut lines) in jobs.into_iter().zip(expected) {
            job.handle().unwrap().feed(&text("", Then::End)).unwrap();
            let reply = job.wait().unwrap();
            let mut said: Vec<String> = reply.stdout.as_str().lines().map(String::from).collect();
            said.sort();
            lines.sort();
            assert_eq!(said, lines);
        }
    }
    // What is kept of finished jobs is bounded; their descriptors are not among it.
    let slack = 64 * 2 + 16;
    assert!(open_descriptors() <= before + slack, "{} after {before}", open_descriptors());
}
