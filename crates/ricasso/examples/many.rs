//! Runs many short jobs in one process and prints by how much descriptors, threads and resident
//! KiB grew: `cargo run --example many -- 5000`. All three stay flat.

use ricasso_engine::engine::{Engine, Scope};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::{Cancel, Keeper};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keeper = Keeper::at_start_of_main()?;
    let count: usize = std::env::args().nth(1).unwrap_or_else(|| "5000".into()).parse()?;
    let engine = Engine::new(keeper, Policy::preset(Preset::Open))?;
    let cancel = Cancel::new()?;
    let request = Request {
        steps: vec![Step::Shell("echo short".into())],
        on_failure: OnFailure::Stop,
        cwd: "/".into(),
        workspace: None,
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "example".into(), client: None },
        manner: Manner::default(),
    };
    // A job that lives for a while opens the desk, whose thread then stays.
    let long = Request { steps: vec![Step::Shell("sleep 0.1".into())], ..request.clone() };
    let _ = engine.run(&long, &cancel)?;
    // The first jobs fill caches and pools that later ones use again.
    for _ in 0..count.div_ceil(10) {
        let _ = engine.run(&request, &cancel)?;
    }
    let before = settled(&engine)?;
    for _ in 0..count {
        let reply = engine.run(&request, &cancel)?;
        assert_eq!(reply.stdout.as_str(), "short\n");
        assert!(reply.hints.is_empty(), "{:?}", reply.hints);
    }
    let after = settled(&engine)?;
    let grown: Vec<String> =
        before.iter().zip(after).map(|(before, after)| (after - before).to_string()).collect();
    writeln!(std::io::stdout(), "{}", grown.join(" "))?;
    Ok(())
}

/// What is held at rest. Chores, spare wardens and desks of the last jobs come and go for a moment,
/// so descriptors and threads are looked at until they have stayed the same for a while.
fn settled(engine: &Engine) -> std::io::Result<[i64; 3]> {
    const LOOKS: usize = 1200;
    const ALIKE: usize = 40;
    let mut last = footprint(engine)?;
    let mut alike = 0;
    for _ in 0..LOOKS {
        if alike == ALIKE {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
        let now = footprint(engine)?;
        alike = if now[..2] == last[..2] { alike + 1 } else { 0 };
        last = now;
    }
    Ok(last)
}

/// Descriptors without the one of each job that the engine keeps for those who look for it.
fn footprint(engine: &Engine) -> std::io::Result<[i64; 3]> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let field = |name: &str| -> i64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    let fds = std::fs::read_dir("/proc/self/fd")?.count() as i64;
    let kept = engine.jobs(&Scope::Person).len() as i64;
    Ok([fds - kept, field("Threads:"), field("VmRSS:")])
}
