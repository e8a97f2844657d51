//! `ricasso output`: what a reply left out, redacted, by stream, bytes, lines or regex.

use super::args::{Output, StreamWord};
use super::print;
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::capture::{Stream, Which};
use ricasso_engine::engine::Shelf;
use std::io;

/// Prints and returns the exit code.
pub(super) fn output(args: &Output) -> u8 {
    match try_output(args) {
        Ok(()) => 0,
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
    Ok(())
}
