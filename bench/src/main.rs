//! Side-by-side measurements, as ratios within one interleaved run. README.md beside this folder
//! tells how to start them and how to read them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench speaks to its reader")]

mod cage;
mod capture;
mod flood;
mod jobs;
mod judge;
mod ledger;
mod reader;
mod redact;
mod run;
mod stops;

use ricasso_os::Keeper;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all, so that the keepers are small and the copies of this program end here.
    let keepers = Keeper::at_start_of_main().and_then(|one| Ok((one, Keeper::at_start_of_main()?)));
    let (cold, warm) = match keepers {
        Ok(keepers) => keepers,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let held = match std::env::args().nth(1).as_deref() {
        Some("ledger") => ledger::run(warm),
        Some("run") => run::run(cold, warm),
        Some("cage") => told(cage::run(cold, warm, cage::Machine::Plain)),
        // Started by `cage` under a filter.
        Some("nobody") => told(cage::run(cold, warm, cage::Machine::ForNobody)),
        Some("walls") => told(cage::run(cold, warm, cage::Machine::WithoutNamespaces)),
        Some("flood") => told(flood::run(cold)),
        Some("jobs") => told(jobs::run(cold, warm)),
        Some("reader") => {
            reader::run();
            true
        }
        Some("judge") => judge::run(),
        Some("capture") => capture::run().map_err(|error| eprintln!("{error}")).is_ok(),
        Some("redact") => redact::run().unwrap_or_else(|error| {
            eprintln!("{error}");
            false
        }),
        _ => {
            let verbs = "run|cage|ledger|jobs|flood|capture|redact|reader|judge";
            eprintln!("usage: cargo run --profile dist -p ricasso-bench -- {verbs}");
            return ExitCode::from(2);
        }
    };
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the bars were held; an error is told, and holds none.
fn told(held: Result<bool, Box<dyn std::error::Error>>) -> bool {
    held.unwrap_or_else(|error| {
        eprintln!("{error}");
        false
    })
}
