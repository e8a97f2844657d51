//! `ricasso forget`: removes what lies beside finished jobs; the ledger tells that it did.

use super::{print, unit};
use crate::config::{self, Choice, Places};
use crate::exit;
use clap::Args as Group;
use ricasso_engine::engine::Shelf;
use std::time::Duration;

#[derive(Debug, Group)]
#[group(required = true, multiple = false)]
pub(super) struct Forget {
    /// The job, as its reply names it
    id: Option<String>,
    /// All jobs that ended this long ago, as 7d, 12h; 0s is all
    #[arg(long, value_name = "AGE", value_parser = unit::age)]
    older_than: Option<Duration>,
}

/// Removes and returns the exit code.
pub(super) fn forget(args: &Forget) -> u8 {
    match try_forget(args) {
        Ok(()) => 0,
        Err(error) => {
            print::error(error.as_ref());
            exit::OURS
        }
    }
}

fn try_forget(args: &Forget) -> Result<(), Box<dyn std::error::Error>> {
    let places = Places::of_this_process()?;
    let held = config::hold(&places, &Choice::default())?;
    let shelf = Shelf::of_this_process(held.policy)?;
    let forgotten = match (&args.id, args.older_than) {
        (Some(id), _) => shelf.forget(id)?,
        (None, Some(age)) => shelf.forget_older_than(age)?,
        (None, None) => return Err("give the ID of a job, or --older-than AGE".into()),
    };
    let jobs = if forgotten.jobs == 1 { "job" } else { "jobs" };
    print::put(format!("forgot {} {jobs}, {} bytes\n", forgotten.jobs, forgotten.bytes).as_bytes());
    Ok(())
}
