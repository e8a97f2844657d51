//! The project's own tasks. `cargo xtask check` is what every commit passes; `cargo xtask
//! tidy` its cheapest part.
//!
//! Standard library only: what checks the house must build before the house does.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who started it"
)]

mod check;
mod counts;
mod criteria;
mod fresh;
mod host;
mod long;
mod skips;
mod tidy;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask VERB

  check          format, clippy, tidy, tests, docs; the last line counts the tests
  check --work   only the tests that need installed programs, and clippy with fewer features
  check --full   both with RICASSO_LONG=1, the long forms and `fresh`
  fresh [chroot] [container] [machine] [podman-shape] [--root|--user] [--only-first] [--base DIR]
                 the README's commands in fresh Debian roots and in a default container
  criteria       the acceptance criteria of the five contracts, each with its tests and result
  tidy           only what STYLE.md says that a machine can check
  corpus DIR [--list]       how well the judge judges the labelled commands below DIR
  vectors [FILE] [--list]   whether it judges the contracts' vectors as expected
";

/// Bad usage, as in every program of this project.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let good = match words.as_slice() {
        ["check"] => check::run(&root(), check::Tier::Base),
        ["check", "--work"] => check::run(&root(), check::Tier::Work),
        ["check", "--full"] => check::run(&root(), check::Tier::Full),
        ["fresh", words @ ..] => match fresh::Wanted::read(words) {
            Some(wanted) => fresh::run(&root(), &wanted),
            None => return bad_usage(),
        },
        ["tidy"] => tidy::run(&root()),
        ["criteria"] => criteria::run(&root()),
        ["corpus" | "vectors", ..] => return measure(&words),
        _ => return bad_usage(),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn bad_usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(BAD_USAGE)
}

/// Hands the words over to the package that knows the judge, so that this one stays free of it.
fn measure(words: &[&str]) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "ricasso-measure", "--"]).args(words);
    match command.status() {
        Ok(status) => match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(code) => ExitCode::from(code),
            None => ExitCode::FAILURE,
        },
        Err(error) => {
            eprintln!("cannot run cargo: {error}; is the toolchain installed?");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository: the directory above this package. Cargo says where that is now; a
/// program that was built before the tree was moved would remember the old place.
fn root() -> PathBuf {
    let now = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = now.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package.parent().unwrap_or(&package).to_path_buf()
}
