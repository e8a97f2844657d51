//! From the word to stop to the last process gone: trees that ignore SIGTERM, which are killed
//! after the grace, and trees that obey, which nobody waits for.

use crate::jobs::request;
use ricasso_engine::engine::{Engine, Until};
use ricasso_os::Cancel;
use std::time::{Duration, Instant};

/// Stops of each kind.
const STOPS: usize = 200;
/// Beyond the grace, for a tree that ignores SIGTERM.
const MOST_BEYOND: Duration = Duration::from_millis(300);
/// Of a long grace, for a tree that obeys.
const MOST_OF_GRACE: f64 = 0.05;

/// Three processes, one of them in a session of its own, that do not hear SIGTERM.
const IGNORES: &str = "trap '' TERM; setsid sleep 1000 & sleep 1000 & echo up; \
                       while :; do sleep 1000; done";
/// The same, and they do.
const OBEYS: &str = "setsid sleep 1000 & sleep 1000 & echo up; wait; sleep 1000";

/// Measures and prints; returns whether the bar holds. Each engine's policy has the grace.
pub(crate) fn run(
    short: (&Engine, Duration),
    long: (&Engine, Duration),
) -> Result<bool, Box<dyn std::error::Error>> {
    println!("a tree of four processes is stopped, {STOPS} times each");
    let (engine, grace) = short;
    let times = stops(engine, IGNORES)?;
    let [middle, late] = [50, 99].map(|percent| at(&times, percent).saturating_sub(grace));
    let ignores = late <= MOST_BEYOND;
    println!(
        "  ignores SIGTERM      the grace + {middle:.1?} in the median, + {late:.1?} at p99 \
         (at most + {MOST_BEYOND:?}: {})",
        held(ignores)
    );
    let (engine, grace) = long;
    let times = stops(engine, OBEYS)?;
    let [middle, late] = [50, 99].map(|percent| at(&times, percent));
    let share = late.as_secs_f64() / grace.as_secs_f64();
    let obeys = share <= MOST_OF_GRACE;
    println!(
        "  obeys                {middle:.1?} in the median, {late:.1?} at p99: x{share:.4} of \
         a grace of {grace:?} (at most x{MOST_OF_GRACE}: {})",
        held(obeys)
    );
    Ok(ignores && obeys)
}

fn held(holds: bool) -> &'static str {
    if holds { "held" } else { "MISSED" }
}

fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1]
}

/// Times of stops, shortest first.
fn stops(engine: &Engine, text: &str) -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let mut times = Vec::with_capacity(STOPS);
    for _ in 0..STOPS {
        let job = engine.start(&request(text), Cancel::new()?)?;
        let handle = job.handle().ok_or("it was refused")?.clone();
        let up = handle.wait(&Until::Match("up".into()), None)?;
        let pid = up.pid.ok_or("it did not start")?;
        let began = Instant::now();
        let reply = handle.stop()?;
        times.push(began.elapsed());
        // The reply says that the whole tree is gone; the kernel is asked too, about its root.
        let gone = !std::path::Path::new(&format!("/proc/{pid}")).exists();
        if reply.running || !gone {
            return Err("a stop returned before the tree was gone".into());
        }
    }
    times.sort();
    Ok(times)
}
