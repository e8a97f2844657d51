//! `ricasso stop`: ends a job with its whole tree, or all jobs of a session.

use super::look::{self, answer, jobs};
use super::print;
use serde_json::json;
use std::io::{self, IsTerminal};

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Stop {
    /// The job, as its reply names it
    #[arg(required_unless_present = "session")]
    id: Option<String>,
    /// End this session: stop all its jobs
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    session: Option<String>,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// Stops and returns the exit code.
pub(super) fn stop(args: &Stop) -> u8 {
    answer(|| {
        let jobs = jobs(None)?;
        if let Some(session) = &args.session {
            jobs.end_session(session, &mut |id| {
                if args.json {
                    let notice = json!({ "notice": "cancelled", "session": session, "id": id });
                    look::put(&notice);
                } else {
                    print::say(&format!("ricasso: cancelled {id}: its session {session} ended"));
                }
            })?;
            return Ok(0);
        }
        let id = args.id.as_deref().unwrap_or_default();
        let before = jobs.look(id)?;
        if !args.json && look::runs(&before) && io::stderr().is_terminal() {
            print::say(&format!("ricasso: asking {id} to end (SIGTERM, its whole tree)"));
        }
        let reply = jobs.stop(id)?;
        if args.json {
            look::put(&reply);
        } else {
            let was = if look::runs(&before) { "" } else { " already" };
            print::say(&format!("ricasso: {id} is{was} over: {}", look::state(&reply)));
            look::after(&reply);
        }
        Ok(0)
    })
}
