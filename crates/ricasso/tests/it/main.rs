//! Everything that starts processes: the program as a user meets it, and the library round it.
//!
//! Each test has a home, a state directory and a workspace of its own. Tests below a module named
//! `installed` need programs besides a Debian base, bash, git, python3 and cc, or a network, or more
//! time than the others; where a program is missing they say so and count as skipped.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and speaks"
)]

mod adopt;
mod asked;
mod bad_input;
mod cage;
mod containers;
mod crowd;
mod deaths;
mod dialect;
mod doctor;
mod doors;
mod endings;
mod escape;
mod excerpts;
mod explain;
mod filters;
mod handed;
mod handles;
mod hostile;
mod jobs;
mod ledger;
mod ledger_doors;
mod library;
mod limits;
mod litter;
mod narrow;
mod narrowed;
#[cfg(feature = "otlp")]
mod otlp;
mod place;
mod planted;
mod policy;
mod prompts;
mod readme;
mod redaction;
mod refused;
mod running;
mod starts;
mod states;
mod stress;
mod surroundings;
mod terminal;
mod unmounted;
mod views;
mod work;
