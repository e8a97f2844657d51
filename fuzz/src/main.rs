//! Drives the fuzz targets on stable: plain functions over bytes.
//!
//! `ricasso-fuzz TARGET [--inputs N] [--seed S]`, with the target reader, judge, excerpt, redact,
//! spool or state; exits with 1 and shows the input when a promise is broken. An abort shows in the
//! exit status; the seed repeats it.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;
use std::time::Instant;

use ricasso_fuzz::engine::{self, Target};
use ricasso_fuzz::judge;
use ricasso_fuzz::reader;

/// Inputs between two lines of progress.
const ROUND: u64 = 500_000;

/// Resident memory may grow by this much after the first round; more is a leak.
const GROWTH_KIB: u64 = 64 * 1024;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((target, seeds)) = arguments.first().and_then(|name| target(name)) else {
        println!(
            "usage: ricasso-fuzz reader|judge|excerpt|redact|spool|state [--inputs N] [--seed S]"
        );
        return ExitCode::from(2);
    };
    let inputs = number(&arguments, "--inputs").unwrap_or(50_000);
    let seed = number(&arguments, "--seed").unwrap_or(1);
    let start = Instant::now();
    let mut done = 0;
    let mut first = 0;
    while done < inputs {
        let round = ROUND.min(inputs - done);
        let report = reader::run_target(target, &seeds, round, seed.wrapping_add(done));
        done += report.inputs;
        if let Some((text, promise)) = report.broken {
            println!("broken after {done} inputs: {promise}\n{}", text.escape_ascii());
            return ExitCode::from(1);
        }
        let resident = resident_kib();
        if first == 0 {
            first = resident;
        }
        println!("{done} inputs, {:.0?}, {resident} KiB resident", start.elapsed());
        if resident > first + GROWTH_KIB {
            println!("memory grows: {first} KiB at first, now {resident} KiB");
            return ExitCode::from(1);
        }
    }
    ExitCode::SUCCESS
}

fn target(name: &str) -> Option<(Target, Vec<Vec<u8>>)> {
    if name == "reader" {
        return Some((reader::check, reader::seeds()));
    }
    if name == "judge" {
        return Some((judge::check, reader::seeds()));
    }
    let (_, target) = engine::TARGETS.iter().find(|(known, _)| *known == name)?;
    Some((*target, engine::seeds()))
}

fn number(arguments: &[String], name: &str) -> Option<u64> {
    let at = arguments.iter().position(|argument| argument == name)?;
    arguments.get(at + 1)?.parse().ok()
}

/// Resident memory; zero where the system does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
