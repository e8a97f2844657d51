//! `ricasso output`: what a reply left out, redacted, by stream, bytes, lines or regex.

use super::args::{Output, StreamWord};
use super::print;
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::capture::{Stream, Which};
use ricasso_engine::engine::Shelf;
use std::io::{self, Write};

/// Prints and returns the exit code.
pub(super) fn output(args: &Output) -> u8 {
    match try_output(args) {
        Ok(()) => 0,
        // A reader that has seen enough is no mistake, and no sentence is needed for it.
        Err(error) if is_broken_pipe(error.as_ref()) => print::BROKEN_PIPE,
        Err(error) => {
            print::error(error.as_ref());
            exit::OURS
        }
    }
}

fn try_output(args: &Output) -> Result<(), Box<dyn std::error::Error>> {
    let places = Places::of_this_process()?;
    let held = config::hold(&places, &Choice::default())?;
    let shelf = Shelf::of_this_process(held.policy)?;
    let reading = shelf.job(&args.id)?;
    let which = match args.stream {
        StreamWord::Stdout => Which::One(Stream::Stdout),
        StreamWord::Stderr => Which::One(Stream::Stderr),
        StreamWord::Both => Which::Both,
    };
    let mut out = io::stdout().lock();
    if let Some(regex) = &args.grep {
        reading.grep(which, regex, &mut out)?;
    } else if let Some((first, last)) = args.lines {
        reading.lines(which, first..=last, &mut out)?;
    } else {
        let (from, to) = args.bytes.unwrap_or((0, u64::MAX));
        reading.bytes(which, from..to, &mut out)?;
    }
    Ok(out.flush()?)
}

/// Whether nothing reads what was written.
pub(super) fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
