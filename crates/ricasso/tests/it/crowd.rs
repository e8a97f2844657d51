//! Eight processes at once ask two hundred jobs at random: every byte is accounted for, no verb
//! waits for another job's, and no owner grows.

use crate::place::{Place, mark, marked, rounds};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const JOBS: usize = 200;
const VISITORS: usize = 8;
/// Verbs of one visitor in each of two waves.
const VERBS: usize = 2000;
/// What an owner may hold more after the second wave than before it: each thread that answers has an
/// arena of the allocator, and how many were in use at once is chance. In the long form this is a
/// quarter of a kilobyte for each verb.
const MOST_GROWTH_KIB: i64 = 4096;
/// Looks at the owners until the last visitors are gone, 50 ms apart.
const LOOKS: usize = 200;

struct Visitor {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Visitor {
    fn comes(place: &Place, numbers: [u64; 3], ids: &[String]) -> Visitor {
        let example = crate::place::program().with_file_name("examples").join("visitor");
        assert!(example.exists(), "{} is built with the tests", example.display());
        let mut command = std::process::Command::new(example);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        piped.args(numbers.map(|number| number.to_string()));
        piped.env("XDG_STATE_HOME", place.root.join("state")).env_remove("XDG_RUNTIME_DIR");
        let mut child = piped.spawn().unwrap();
        child.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()).unwrap();
        let says = BufReader::new(child.stdout.take().unwrap());
        Visitor { child, says }
    }

    fn tells(&mut self, seed: u64) -> Value {
        let mut line = String::new();
        self.says.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("seed {seed}: {error}: {line}"))
    }
}

/// Descriptors, threads and resident KiB of each process of the owners.
fn footprints(mark: &str) -> HashMap<i32, [i64; 3]> {
    let owner = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.starts_with(b"ricasso\0keep\0")
    };
    let one = |pid: i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let field = |name: &str| -> Option<i64> {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let fds = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count();
        Some((pid, [i64::try_from(fds).ok()?, field("Threads:")?, field("VmRSS:")?]))
    };
    marked(mark).into_iter().filter(owner).filter_map(one).collect()
}

fn lines_of(place: &Place, id: &str) -> Vec<String> {
    let output = place.call(&["output", id, "--stream", "stdout"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.text().lines().map(String::from).collect()
}

#[test]
fn eight_processes_ask_many_jobs_at_random_and_every_byte_is_accounted_for() {
    let place = Place::new();
    let named = std::env::var("RICASSO_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = named.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos().into()
    });
    eprintln!("RICASSO_SEED={seed}");
    let mark = mark();
    let echo = format!(": {mark}; while IFS= read -r x; do echo \"$x\"; done; exit 9");
    let jobs: Vec<_> = (0..rounds(JOBS)).map(|_| place.background(&["-c", &echo])).collect();
    let ids: Vec<String> = jobs.iter().map(|job| job.id.clone()).collect();
    // Two verbs that cannot end before we say so: a wait, and a watch whose reader has stopped.
    let stuck = place.background(&["-c", "seq 1 500000; read -r x"]);
    let mut outstanding = [["wait", &stuck.id], ["watch", &stuck.id]].map(|args| {
        let mut command = place.command(&args);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    });
    // Two waves: the first one fills caches that the second uses again, and stays to watch.
    let wave = |first: u64| -> (Vec<Visitor>, Vec<Value>) {
        let numbers = |worker| [seed, worker, rounds(VERBS) as u64];
        let workers = first..first + VISITORS as u64;
        let mut visitors: Vec<Visitor> =
            workers.map(|worker| Visitor::comes(&place, numbers(worker), &ids)).collect();
        let told = visitors.iter_mut().map(|visitor| visitor.tells(seed)).collect();
        (visitors, told)
    };
    let (mut visitors, mut told) = wave(0);
    let before = footprints(&mark);
    let (more, tell_more) = wave(VISITORS as u64);
    visitors.extend(more);
    told.extend(tell_more);
    // All their verbs are done, and these two are not: nothing waited for them.
    for child in &mut outstanding {
        assert!(child.try_wait().unwrap().is_none(), "seed {seed}: it was to be outstanding");
    }
    assert_eq!(stuck.json("stop", &[])["ending"]["kind"], "cancelled");
    // The watch still has the rest to show; nobody wants it.
    outstanding[1].kill().unwrap();
    for child in &mut outstanding {
        child.wait().unwrap();
    }
    are_flat(&before, &mark, seed);
    let mut fed: Vec<Vec<String>> = vec![Vec::new(); ids.len()];
    for (at, line) in told.iter().flat_map(|told| told["fed"].as_array().unwrap()).map(pair) {
        fed[at].push(line);
    }
    fed.iter_mut().for_each(|lines| lines.sort());
    for (at, job) in jobs.iter().enumerate() {
        let running = job.json("look", &[])["running"] == true;
        if running {
            assert_eq!(job.verb("feed", &["--eof"]).code, 0, "seed {seed}");
            assert_eq!(job.verb("wait", &[]).code, 9, "seed {seed}");
        }
        let mut said = lines_of(&place, &job.id);
        said.sort();
        if running {
            assert_eq!(said, fed[at], "seed {seed}: what was fed comes back, job {at}");
        } else {
            // It was stopped over its work: each line that came back was fed, and came once.
            let known = |line: &String| fed[at].binary_search(line).is_ok();
            assert!(said.iter().all(known), "seed {seed}: job {at}");
            let whole = said.len();
            said.dedup();
            assert_eq!(said.len(), whole, "seed {seed}: job {at} said a line twice");
        }
    }
    for (visitor, told) in visitors.iter_mut().zip(&told) {
        let own = usize::try_from(told["own"].as_u64().unwrap()).unwrap();
        let mut seen: Vec<String> =
            serde_json::from_value(visitor.tells(seed)["watched"].take()).unwrap();
        seen.sort();
        assert_eq!(seen, fed[own], "seed {seed}: a watch shows every line once, job {own}");
        assert!(visitor.child.wait().unwrap().success());
    }
}

fn pair(fed: &Value) -> (usize, String) {
    serde_json::from_value(fed.clone()).unwrap()
}

/// What the owners that live hold, once the last visitors are gone: their own watches stay.
fn are_flat(before: &HashMap<i32, [i64; 3]>, mark: &str, seed: u64) {
    let mut grown = Vec::new();
    let growth = || -> Vec<(i32, [i64; 3])> {
        let after = footprints(mark);
        let both = after.iter().filter_map(|(pid, now)| Some((*pid, *before.get(pid)?, *now)));
        both.map(|(pid, then, now)| (pid, [0, 1, 2].map(|at| now[at] - then[at]))).collect()
    };
    // A watch of a visitor may be on any owner: its thread and its descriptors, and the files it
    // reads from.
    let is_flat = |[fds, threads, kib]: &[i64; 3]| {
        *fds <= 4 * VISITORS as i64 && *threads <= VISITORS as i64 && *kib <= MOST_GROWTH_KIB
    };
    let is_settled = |grown: &[(i32, [i64; 3])]| {
        let held: i64 = grown.iter().map(|(_, grown)| grown[1]).sum();
        held <= VISITORS as i64 && grown.iter().all(|(_, grown)| is_flat(grown))
    };
    for _ in 0..LOOKS {
        grown = growth();
        if is_settled(&grown) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(is_settled(&grown), "seed {seed}: the owners hold more than they held: {grown:?}");
    let most = |at: usize| grown.iter().map(|(_, grown)| grown[at]).max().unwrap_or(0);
    eprintln!(
        "{} processes of owners: descriptors +{}, threads +{}, KiB +{} at most",
        grown.len(),
        most(0),
        most(1),
        most(2)
    );
}
