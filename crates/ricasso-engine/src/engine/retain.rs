//! Retention and quota: spools, requests, scenes and old files of the ledger. Runs beside jobs or
//! after the answer is out, never in the way of a run; what goes is told in the ledger first.

use super::paper;
use crate::error::Error;
use crate::policy::{Limit, Policy, Size};
use crate::record::{self, Entry, Ledger, Phase};
use crate::run::{JobId, StateDir};
use serde::Serialize;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How often somebody looks: often enough for a quota in gigabytes, seldom enough to cost nothing.
const EVERY: Duration = Duration::from_secs(600);

/// One line of the ledger names this many forgotten jobs; more need another line.
const JOBS_IN_A_LINE: usize = 256;

/// Files of a job that count besides its spool.
const PAPERS: [&str; 3] = ["request", "scene", "reply"];

/// What is kept for how long, and where.
#[derive(Debug)]
pub(super) struct Retention {
    state: StateDir,
    ledger: Arc<Ledger>,
    oldest: Duration,
    most_bytes: u64,
    record: Limit<Duration>,
}

/// A job that is over and still lies there.
pub(super) struct Kept {
    pub(super) id: JobId,
    pub(super) age: Duration,
    bytes: u64,
}

/// Why jobs are forgotten.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Because {
    /// A person asked for it.
    Asked,
    /// They are too old, or too large together.
    Retention,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// How many jobs.
    pub jobs: usize,
    /// What they took up.
    pub bytes: u64,
}

impl Retention {
    pub(super) fn of(policy: &Policy, state: &StateDir, ledger: &Arc<Ledger>) -> Retention {
        let oldest = match *policy.jobs().retain {
            Limit::At(age) => age,
            Limit::Off => Duration::MAX,
        };
        let most_bytes = match policy.jobs().quota {
            Limit::At(Size(bytes)) => bytes,
            Limit::Off => u64::MAX,
        };
        let record = *policy.record().retain;
        Retention { state: state.clone(), ledger: Arc::clone(ledger), oldest, most_bytes, record }
    }

    /// Looks, where nobody did for a while.
    pub(super) fn tidy_up(&self) -> Result<(), Error> {
        if !self.is_time() {
            return Ok(());
        }
        let mut jobs = closed_jobs(&self.state);
        jobs.sort_by_key(|job| job.age);
        let mut total = 0u64;
        jobs.retain(|job| {
            total = total.saturating_add(job.bytes);
            job.age > self.oldest || total > self.most_bytes
        });
        forget(&self.state, &self.ledger, &jobs, Because::Retention)?;
        self.state.sweep_sessions(self.oldest, open_since(&self.state));
        paper::sweep_policies(&self.state, self.oldest.saturating_add(EVERY));
        match self.record {
            Limit::At(age) => {
                self.ledger.retire(age, SystemTime::now()).map(drop).map_err(Error::Record)
            }
            Limit::Off => Ok(()),
        }
    }

    /// The modification time of the state directory tells when somebody looked last: nothing is
    /// made in the directory itself after its first use, and so no file is needed for it.
    fn is_time(&self) -> bool {
        let Ok(root) = fs::File::open(self.state.root()) else { return false };
        let looked = root.metadata().and_then(|found| found.modified());
        let fresh = looked.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < EVERY));
        !fresh && root.set_modified(SystemTime::now()).is_ok()
    }
}

/// Removes everything that lies beside these jobs. The ledger is told first: a crash in between
/// leaves a job that is forgotten once more, never one that is gone without a word.
pub(super) fn forget(
    state: &StateDir,
    ledger: &Ledger,
    jobs: &[Kept],
    because: Because,
) -> Result<Forgotten, Error> {
    let mut forgotten = Forgotten::default();
    for some in jobs.chunks(JOBS_IN_A_LINE) {
        let bytes = some.iter().map(|job| job.bytes).sum::<u64>();
        let ids: Vec<&str> = some.iter().map(|job| job.id.as_str()).collect();
        let one = if let [id] = ids[..] { id } else { "" };
        let mut entry = Entry::new(Phase::Note, one, record::rfc3339(SystemTime::now()));
        let note = json!({"kind": "forgotten", "because": because, "bytes": bytes, "jobs": ids});
        entry.extra.insert("note".into(), note);
        ledger.append(&entry).map_err(Error::Record)?;
        for job in some {
            match state.job(&job.id).remove() {
                Ok(()) => {
                    forgotten.jobs += 1;
                    forgotten.bytes += job.bytes;
                }
                // Somebody else may be tidying up too; what is gone is gone.
                Err(_) if !state.job(&job.id).path().exists() => {}
                Err(error) => return Err(Error::Run(error)),
            }
        }
    }
    Ok(forgotten)
}

/// When the first of the jobs began that are not closed.
fn open_since(state: &StateDir) -> Option<SystemTime> {
    let entries = fs::read_dir(state.jobs()).ok()?;
    let open = entries.flatten().map(|entry| entry.path());
    let open = open.filter(|path| !path.join("reply").exists());
    // Its request is written once; the directory changes as long as it lives.
    let began = |path: std::path::PathBuf| {
        let request = fs::metadata(path.join("request")).or_else(|_| fs::metadata(&path));
        request.and_then(|found| found.modified()).ok()
    };
    open.filter_map(began).min()
}

/// A job is closed when its reply is written; one that is open belongs to a living owner or
/// will be closed as lost by the next start.
pub(super) fn closed_jobs(state: &StateDir) -> Vec<Kept> {
    let Ok(entries) = fs::read_dir(state.jobs()) else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| JobId::parse(entry.file_name().to_str()?));
    ids.filter_map(|id| closed_job(state, id)).collect()
}

/// The job, if it is closed.
pub(super) fn closed_job(state: &StateDir, id: JobId) -> Option<Kept> {
    let path = state.job(&id).path().to_path_buf();
    let ended = fs::metadata(path.join("reply")).ok()?.modified().ok()?;
    let age = SystemTime::now().duration_since(ended).unwrap_or_default();
    let papers = PAPERS.iter().filter_map(|name| fs::symlink_metadata(path.join(name)).ok());
    let bytes = crate::capture::spooled_bytes(&path) + papers.map(|found| found.len()).sum::<u64>();
    Some(Kept { id, age, bytes })
}
