//! Retention and quota of the spool. Runs beside jobs, never in the way of one.

use super::Hall;
use crate::error::Error;
use crate::policy::{Limit, Size};
use crate::run::{JobId, Orphan};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// How often somebody looks: often enough for a quota in gigabytes, seldom enough to cost nothing.
const EVERY: Duration = Duration::from_secs(600);

struct Kept {
    path: PathBuf,
    age: Duration,
    bytes: u64,
}

impl Hall {
    /// Removes the spools that are too old, and then the oldest until all fit the quota. Jobs that
    /// are still open are left alone.
    pub(super) fn tidy_up(&self) -> Result<(), Error> {
        if !self.is_time() {
            return Ok(());
        }
        let mut jobs = self.closed_jobs();
        jobs.sort_by_key(|job| job.age);
        let most = match self.policy.jobs().quota {
            Limit::At(Size(bytes)) => bytes,
            Limit::Off => u64::MAX,
        };
        let oldest = match *self.policy.jobs().retain {
            Limit::At(age) => age,
            Limit::Off => Duration::MAX,
        };
        let mut total = 0u64;
        for job in jobs {
            total = total.saturating_add(job.bytes);
            if job.age > oldest || total > most {
                // Somebody else may be tidying up too; what is gone is gone.
                let _ = fs::remove_dir_all(&job.path);
            }
        }
        Ok(())
    }

    /// The modification time of the state directory tells when somebody looked last: nothing is
    /// made in the directory itself after its first use, and so no file is needed for it.
    fn is_time(&self) -> bool {
        let Ok(root) = fs::File::open(self.yard.state.root()) else { return false };
        let looked = root.metadata().and_then(|found| found.modified());
        let fresh = looked.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < EVERY));
        !fresh && root.set_modified(SystemTime::now()).is_ok()
    }

    /// A job is closed when its reply is written; one that is open belongs to a living owner or
    /// will be closed as lost by the next start.
    fn closed_jobs(&self) -> Vec<Kept> {
        let Ok(entries) = fs::read_dir(self.yard.state.jobs()) else { return Vec::new() };
        let kept = |entry: fs::DirEntry| {
            JobId::parse(entry.file_name().to_str()?)?;
            let path = entry.path();
            let ended = fs::metadata(path.join("reply")).ok()?.modified().ok()?;
            let age = SystemTime::now().duration_since(ended).unwrap_or_default();
            let bytes = crate::capture::spooled_bytes(&path);
            Some(Kept { path, age, bytes })
        };
        entries.flatten().filter_map(kept).collect()
    }

    /// Jobs of owners that died are closed in the ledger as lost, and their scripts removed.
    pub(super) fn close_what_was_lost(&self) -> Result<(), Error> {
        for orphan in Orphan::find(&self.yard.state).map_err(Error::Run)? {
            let jobs: BTreeSet<JobId> = orphan.jobs().cloned().collect();
            self.close_as_lost(&jobs)?;
            jobs.iter().for_each(|job| self.yard.state.sweep_scripts(job));
            orphan.bury().map_err(Error::Run)?;
        }
        Ok(())
    }
}
