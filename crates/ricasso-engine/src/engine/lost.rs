//! Jobs whose owner died: closed in the ledger as lost, their output kept.

use super::entries;
use crate::error::Error;
use crate::record::{self, Entry, Ledger, Phase};
use crate::run::{Ending, JobId, Orphan, StateDir};
use std::collections::BTreeSet;
use std::time::SystemTime;

/// Closes what dead owners left open, and removes their scripts. `by` is who does it.
pub(super) fn close_lost(state: &StateDir, ledger: &Ledger, by: &str) -> Result<(), Error> {
    for orphan in Orphan::find(state).map_err(Error::Run)? {
        let jobs: BTreeSet<JobId> = orphan.jobs().cloned().collect();
        close_jobs(state, ledger, &jobs, by)?;
        jobs.iter().for_each(|job| state.sweep_scripts(job));
        orphan.owner().into_iter().for_each(|owner| state.sweep_desk(owner));
        orphan.bury().map_err(Error::Run)?;
    }
    Ok(())
}

fn close_jobs(
    state: &StateDir,
    ledger: &Ledger,
    jobs: &BTreeSet<JobId>,
    by: &str,
) -> Result<(), Error> {
    let names = jobs.iter().map(ToString::to_string).collect();
    let open = record::unclosed(&state.ledger(), &names).map_err(Error::Record)?;
    for job in jobs {
        if open.iter().any(|opened| opened.id == job.as_str()) {
            let now = record::rfc3339(SystemTime::now());
            let mut entry = Entry::new(Phase::Close, job.as_str(), now);
            entry.ending = entries::json_of("ending", &Ending::Lost)?;
            entry.extra.insert("error".into(), "a process of ricasso was killed".into());
            entry.extra.insert("closed_by".into(), by.into());
            ledger.append(&entry).map_err(Error::Record)?;
        }
        let dir = state.job(job);
        // An empty place was only prepared; nothing of the job ever lay in it.
        if std::fs::remove_dir(dir.path()).is_err() && dir.path().is_dir() {
            // Marks the job as over, so that retention may take it and readers scan the rest.
            let _ = dir.write("reply", br#"{"ending":{"kind":"lost"}}"#);
        }
    }
    Ok(())
}
