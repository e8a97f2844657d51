//! What the two entries of a job add to it: `sh -c true` through the engine, and, right after each
//! run, two entries of the same size built, redacted, sealed and appended to the same ledger.
//!
//! There is no engine without a record to compare with, and there shall be none. So what the
//! entries cost is measured by itself, in the same rounds and with files and caches as a run
//! leaves them, and set against the rest of the run.

use crate::run::{engine, median, once, request, rest};
use ricasso_engine::capture::{Redactor, Secrets};
use ricasso_engine::engine::{Engine, Spares};
use ricasso_engine::policy::Durability;
use ricasso_engine::record::{Entry, Ledger, Phase, rfc3339};
use ricasso_os::{Cancel, Keeper};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

const ROUNDS: usize = 400;
/// The bar: what both entries may add to the median of a run.
const MOST: f64 = 0.10;

/// Measures and prints; returns whether the bar holds.
pub(crate) fn run(keeper: Keeper) -> bool {
    let place = std::env::temp_dir().join(format!("ricasso-bench-ledger-{}", std::process::id()));
    let engine = engine(keeper, &place, Spares::Kept);
    let directory = place.join("ledger");
    println!("sh -c true with a spare warden, {ROUNDS} interleaved rounds; two entries beside it");
    let flush = measure(&engine, &directory, Durability::Flush, Reopened::No);
    let fresh = measure(&engine, &directory, Durability::Flush, Reopened::Yes);
    let sync = measure(&engine, &directory, Durability::Sync, Reopened::No);
    // Every run wrote two entries of its own, by the default.
    let own = [median_of(&flush, entries), least_of(&flush, entries)];
    let held = report("flush, the default", &flush, own, Some(MOST));
    report("flush, by a program that just started", &fresh, own, None);
    report("sync, for each line", &sync, own, None);
    drop(engine);
    // The place is ours alone; what cannot be removed is in the temporary directory.
    let _ = std::fs::remove_dir_all(place);
    held
}

/// Whether the ledger is opened anew for each round, as `ricasso run` does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reopened {
    Yes,
    No,
}

/// A whole run, and two entries.
type Round = (Duration, Duration);

fn measure(
    engine: &Engine,
    directory: &Path,
    durability: Durability,
    reopened: Reopened,
) -> Vec<Round> {
    let request = request();
    let cancel = Cancel::new().expect("an event descriptor can be made");
    let redactor = Redactor::new(&Secrets::default()).expect("no pattern is wrong");
    let open = || Ledger::open(directory, durability).expect("the ledger opens");
    let mut ledger = open();
    let round = |_| {
        rest();
        let whole = once(engine, &request, &cancel);
        let began = Instant::now();
        if reopened == Reopened::Yes {
            ledger = open();
        }
        two_entries(&ledger, &redactor);
        (whole, began.elapsed())
    };
    (0..ROUNDS).map(round).collect()
}

fn two_entries(ledger: &Ledger, redactor: &Redactor) {
    for phase in [Phase::Open, Phase::Close] {
        let mut entry = Entry::new(phase, "4rfs56gm1s0yz9v0mcte7ke020", rfc3339(SystemTime::now()));
        entry.session = Some(redactor.text(b"bench"));
        entry.command = Some(redactor.text(b"/bin/sh -c true"));
        entry.verdict = "allow".into();
        entry.request_digest = "0".repeat(64);
        entry.scene_digest = "0".repeat(64);
        // Up to the length of the lines that a run writes, in as many keys.
        for key in 0..20 {
            entry.extra.insert(format!("filler{key}"), "x".repeat(30).into());
        }
        ledger.append(&entry).expect("the ledger takes an entry");
    }
}

fn whole(round: &Round) -> f64 {
    round.0.as_secs_f64() * 1e6
}

fn entries(round: &Round) -> f64 {
    round.1.as_secs_f64() * 1e6
}

fn median_of(rounds: &[Round], of: fn(&Round) -> f64) -> f64 {
    median(rounds.iter().map(of).collect())
}

fn least_of(rounds: &[Round], of: fn(&Round) -> f64) -> f64 {
    rounds.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// Prints a row; whether its bar holds, by the medians and by the minima: on a busy machine the
/// run grows more than the entries do, and its median flatters them.
fn report(name: &str, rounds: &[Round], own: [f64; 2], most: Option<f64>) -> bool {
    let both = [median_of, least_of].map(|of| (of(rounds, entries), of(rounds, whole)));
    let shares = [0, 1].map(|at| both[at].0 / (both[at].1 - own[at]));
    let good = most.is_none_or(|most| shares.iter().all(|share| *share <= most));
    let held = match (most, good) {
        (Some(_), true) => " (at most 10 %: held)",
        (Some(_), false) => " (at most 10 %: MISSED)",
        (None, _) => "",
    };
    let [(entries, run), (least, least_run)] = both;
    println!(
        "  {name:38} {:5.1} %{held}; two entries {entries:.0} µs, the run {run:.0} µs; \
         minimum {least:.0} of {least_run:.0} µs, {:.1} %",
        shares[0] * 100.0,
        shares[1] * 100.0
    );
    good
}
