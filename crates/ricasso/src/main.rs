//! The program. The keeper's verb comes first: a keeper is small, and reads no arguments.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "keeper") {
        ricasso_os::Keeper::serve_standard_input();
    }
    match ricasso_os::with_room(ricasso::cli::main) {
        Ok(code) => code,
        Err(error) => ricasso::cli::cannot_begin(&error),
    }
}
