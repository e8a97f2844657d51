//! `cargo xtask corpus` and `cargo xtask vectors` end here.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who started it"
)]

use ricasso_measure::{Policies, corpus, vectors};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask corpus DIR [--list] | vectors [FILE] [--list]";
/// Bad usage, as in every program of this project.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (flags, words): (Vec<&str>, Vec<&str>) =
        words.iter().map(String::as_str).partition(|word| word.starts_with("--"));
    match (words.as_slice(), flags.as_slice()) {
        (["corpus", directory], []) => measure(directory, corpus::Wrong::Counted),
        (["corpus", directory], ["--list"]) => measure(directory, corpus::Wrong::Listed),
        (["vectors"], flags @ ([] | ["--list"])) => answers(&ours(), flags),
        (["vectors", file], flags @ ([] | ["--list"])) => answers(Path::new(file), flags),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(BAD_USAGE)
        }
    }
}

fn measure(directory: &str, wrong: corpus::Wrong) -> ExitCode {
    let policies = Policies::at(&root().join("cases/policies"));
    let report = match corpus::measure(Path::new(directory), &policies) {
        Ok(report) => report,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(BAD_USAGE);
        }
    };
    for problem in report.problems() {
        eprintln!("{problem}");
    }
    print!("{}", report.text(wrong));
    if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where the vectors lie when nobody names a file.
fn ours() -> PathBuf {
    let shared = std::env::var_os("RICASSO_SHARED").map(PathBuf::from);
    shared.unwrap_or_else(|| root().join("../shared")).join("spec/vectors.jsonl")
}

fn answers(file: &Path, flags: &[&str]) -> ExitCode {
    let policies = Policies::at(&root().join("cases/policies"));
    let answers = match vectors::measure(file, &policies) {
        Ok(answers) => answers,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(BAD_USAGE);
        }
    };
    if flags.contains(&"--list") {
        answers.wrong.iter().for_each(|line| println!("{line}"));
    }
    println!("{} of {} vectors are not as expected", answers.wrong.len(), answers.vectors);
    if answers.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The root of the repository: the directory above this package.
fn root() -> PathBuf {
    let now = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = now.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package.parent().unwrap_or(&package).to_path_buf()
}
