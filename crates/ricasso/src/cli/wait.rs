//! `ricasso wait`: until the end of a job, a silence, a line, a wait for input, or its own time.

use super::look::{self, answer, jobs};
use super::{print, unit};
use ricasso_engine::engine::Until;
use std::time::Duration;

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Wait {
    /// The job, as its reply names it
    id: String,
    /// Until exit, a silence (idle=5s), a line (match=REGEX), or a wait for input
    #[arg(long, value_name = "exit|idle=TIME|match=REGEX|input", value_parser = unit::until)]
    #[arg(default_value = "exit")]
    until: Until,
    /// Wait no longer than this; the job goes on
    #[arg(long, value_name = "TIME", value_parser = unit::duration)]
    timeout: Option<Duration>,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// What `run` exits with when time is over.
const TIME_OVER: u8 = 124;

/// Waits and returns the exit code: the job's own where it is over, 0 where the wait was met, 124
/// where its time was over first.
pub(super) fn wait(args: &Wait) -> u8 {
    answer(|| {
        let reply = jobs(None)?.wait(&args.id, &args.until, args.timeout)?;
        let by = look::text(&reply, "/waited/by").to_string();
        if args.json {
            look::put(&reply);
        } else {
            match by.as_str() {
                "match" => print::say(&format!("ricasso: {}", look::text(&reply, "/waited/line"))),
                _ => print::say(&format!("ricasso: {}", look::state(&reply))),
            }
            look::after(&reply);
        }
        Ok(match (look::runs(&reply), by.as_str()) {
            (false, "exit" | "time") => look::code(&reply),
            (true, "time") => TIME_OVER,
            _ => 0,
        })
    })
}
