//! `ricasso redact`: standard input without its secrets, as it comes.

use super::output::is_broken_pipe;
use super::print;
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::engine::redact_stream;
use std::io::{self, Read, Write};

/// Reads take this much: the size of a pipe.
const READ_BYTES: usize = 64 * 1024;

/// The flags.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads standard input and writes it without secrets: each becomes [REDACTED:kind]. It finds tokens
of known forms, values that are assigned to names such as password, what the policy's patterns
match, and the values of variables of the environment whose names the policy calls secret.
What cannot be part of a
secret any more is written at once. Exit code: 0, or 125 where input or output failed.")]
pub(super) struct Redact {}

/// Copies and returns the exit code.
pub(super) fn redact(_: &Redact) -> u8 {
    match try_redact() {
        Ok(()) => 0,
        Err(error) if is_broken_pipe(error.as_ref()) => print::BROKEN_PIPE,
        Err(error) => {
            print::error(error.as_ref());
            exit::OURS
        }
    }
}

fn try_redact() -> Result<(), Box<dyn std::error::Error>> {
    let places = Places::of_this_process()?;
    let held = config::hold(&places, &Choice::default())?;
    let mut stream = redact_stream(&held.policy)?;
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let shown = if count == 0 { stream.finish() } else { stream.push(&buffer[..count]) };
        out.write_all(shown.get())?;
        out.flush()?;
        if count == 0 {
            return Ok(());
        }
    }
}
