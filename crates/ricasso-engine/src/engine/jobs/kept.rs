//! Where a job is, and what lies on the disk of those that are over.

use super::talk::{PATIENCE, Talk};
use super::{AGAIN, Jobs, Listed, no_job};
use crate::capture::{Beyond, Budget, Lean, Lines, Stream, Takes, Watermark};
use crate::engine::answer::{self, Parts};
use crate::error::Error;
use crate::plan::{Deadline, Enforced};
use crate::request::{Request, Tenure};
use crate::run::{Ending, JobId, Orphan};
use serde_json::{Value, json};
use std::time::{Instant, SystemTime};

/// Jobs of the disk that a list looks at, newest first.
const MOST_LISTED: usize = 500;

/// Where a job is.
pub(super) enum Whereabouts {
    /// It is over, and this is its reply.
    Over(Value),
    /// Its owner answers here.
    With(Talk),
}

impl Jobs {
    /// Finds a job that the scope sees.
    pub(super) fn find(&self, id: &str) -> Result<Whereabouts, Error> {
        let job = JobId::parse(id).ok_or_else(|| no_job(id))?;
        let began = Instant::now();
        let dir = self.state().job(&job);
        // The shortest way first: most who ask about a job find its owner at its desk.
        if let Some(desk) = self.owner_of(&job)?.and_then(|owner| self.talk(&owner)) {
            return Ok(Whereabouts::With(desk));
        }
        loop {
            if !dir.path().is_dir() {
                return Err(no_job(id));
            }
            if dir.path().join("reply").exists() && self.kept_reply(&job)?.is_some() {
                return self.over(id).map(Whereabouts::Over);
            }
            let owner = self.owner_of(&job)?;
            let lives = match &owner {
                Some(owner) => !Orphan::is_dead(self.state(), owner),
                None => Orphan::is_open_with_a_living_owner(self.state(), &job),
            };
            if !lives {
                // It may have ended well since we looked for its reply.
                if !dir.path().join("reply").exists() {
                    self.close_lost()?;
                    self.mark_as_lost(&job)?;
                }
                continue;
            }
            if let Some(desk) = owner.and_then(|owner| self.talk(&owner)) {
                return Ok(Whereabouts::With(desk));
            }
            if began.elapsed() > PATIENCE {
                return Err(Error::Unanswered { id: job });
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// The reply of a job that its owner has let go of.
    pub(super) fn over(&self, id: &str) -> Result<Value, Error> {
        let job = JobId::parse(id).ok_or_else(|| no_job(id))?;
        let reply = self.kept_reply(&job)?.ok_or_else(|| no_job(id))?;
        let session = reply.get("session").and_then(Value::as_str).unwrap_or_default();
        if self.scope.sees(session) { Ok(reply) } else { Err(no_job(id)) }
    }

    fn talk(&self, owner: &JobId) -> Option<Talk> {
        Talk::with(self.state(), owner)
    }

    /// The first line of a job that is over in which the regex matches; null where none does.
    pub(super) fn kept_match(&self, id: &str, regex: &str) -> Result<Value, Error> {
        let reading = self.shelf.job(id)?;
        let mut lines = Lines::new(Some(regex)).map_err(Error::Capture)?;
        let takes = Takes { lines: 1, beyond: Beyond::Wait };
        loop {
            let mut batch = lines.next(&reading, takes).map_err(Error::Capture)?;
            match batch.lines.pop() {
                Some(line) => return Ok(json!(line.text)),
                None if batch.more => {}
                None => return Ok(Value::Null),
            }
        }
    }

    fn owner_of(&self, job: &JobId) -> Result<Option<JobId>, Error> {
        let owner = self.state().job(job).read("owner").map_err(Error::Run)?;
        Ok(owner.and_then(|name| JobId::parse(std::str::from_utf8(&name).ok()?)))
    }

    /// The reply of a job that is over. That of a lost one is made from what lies there.
    fn kept_reply(&self, job: &JobId) -> Result<Option<Value>, Error> {
        let Some(bytes) = self.state().job(job).read("reply").map_err(Error::Run)? else {
            return Ok(None);
        };
        // A reply that breaks off is just being written, or its owner was killed over it.
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(reply) if reply.get("id").is_some() => Ok(Some(reply)),
            Ok(_) => self.lost_reply(job).map(Some),
            Err(_) if self.shelf.is_alone(job)? => self.lost_reply(job).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// A job whose owner's file is gone, too: somebody removed it by hand.
    fn mark_as_lost(&self, job: &JobId) -> Result<(), Error> {
        let dir = self.state().job(job);
        if !dir.path().join("reply").exists() && dir.path().is_dir() {
            dir.write("reply", br#"{"ending":{"kind":"lost"}}"#).map_err(Error::Run)?;
        }
        Ok(())
    }

    fn lost_reply(&self, job: &JobId) -> Result<Value, Error> {
        let dir = self.state().job(job);
        let request = dir.read("request").map_err(Error::Run)?;
        let request = request.and_then(|bytes| serde_json::from_slice::<Request>(&bytes).ok());
        let began = std::fs::metadata(dir.path().join("request"))
            .and_then(|found| found.modified())
            .unwrap_or_else(|_| SystemTime::now());
        let Some(request) = request else {
            return Ok(json!({
                "id": job, "session": "", "command": "", "running": false,
                "ending": Ending::Lost, "exit_code": Ending::Lost.exit_code(),
            }));
        };
        let redactor = self.shelf.redactor(job)?;
        let parts = Parts {
            id: job.clone(),
            verdict: "allow",
            reasons: Vec::new(),
            ending: Ending::Lost,
            enforced: Enforced::nothing(self.shelf.policy().mode()),
            deadline: Deadline { asked: request.timeout, applied: None },
            began,
        };
        let mut reply = answer::bare_reply(parts, &request, &redactor);
        let reading = self.shelf.job(job.as_str())?;
        let excerpt = reading
            .excerpt(job.as_str(), Budget::default(), Lean::Failure)
            .map_err(Error::Capture)?;
        let water = Watermark { bytes: reading.stored_bytes(), ..Watermark::default() };
        answer::fill_running(&mut reply, &water, excerpt);
        serde_json::to_value(reply).map_err(|source| Error::Json { what: "reply", source })
    }

    /// Rows of jobs that are over, and of those whose owner is asleep.
    pub(super) fn kept_rows(
        &self,
        which: Listed,
        known: &[String],
        asleep: &[JobId],
    ) -> Vec<Value> {
        let Ok(entries) = std::fs::read_dir(self.state().jobs()) else { return Vec::new() };
        let mut jobs: Vec<(SystemTime, JobId)> = entries
            .flatten()
            .filter_map(|entry| {
                let id = JobId::parse(entry.file_name().to_str()?)?;
                Some((entry.metadata().ok()?.modified().ok()?, id))
            })
            .filter(|(_, id)| !known.iter().any(|known| known == id.as_str()))
            .collect();
        jobs.sort_by(|one, other| other.cmp(one));
        let rows = jobs.into_iter().take(MOST_LISTED).filter_map(|(_, id)| {
            let sleeps = || self.owner_of(&id).ok()?.filter(|owner| asleep.contains(owner));
            self.row(which, &id).or_else(|| sleeps().and_then(|_| self.unanswered_row(&id)))
        });
        rows.collect()
    }

    /// A job that its owner, which lives, says nothing about: all that is known lies on the disk.
    fn unanswered_row(&self, job: &JobId) -> Option<Value> {
        let mut reply = self.lost_reply(job).ok()?;
        reply["ending"] = Value::Null;
        reply["exit_code"] = Value::Null;
        reply["running"] = json!(true);
        reply["answers"] = json!(false);
        self.as_row(job, reply)
    }

    /// What cannot be read is no row; `look` says why.
    fn row(&self, which: Listed, job: &JobId) -> Option<Value> {
        if which == Listed::Usual {
            let request = self.state().job(job).read("request").ok()??;
            let request: Request = serde_json::from_slice(&request).ok()?;
            if request.manner.tenure == Tenure::Call {
                return None;
            }
        }
        let reply = self.kept_reply(job).ok()??;
        self.as_row(job, reply)
    }

    /// A reply without its texts, and the last line; nothing where the scope does not see it.
    fn as_row(&self, job: &JobId, mut reply: Value) -> Option<Value> {
        let session = reply.get("session").and_then(Value::as_str).unwrap_or_default();
        if !self.scope.sees(session) {
            return None;
        }
        let last = self.shelf.job(job.as_str()).ok().and_then(|reading| {
            let spoke = [Stream::Stderr, Stream::Stdout]
                .into_iter()
                .map(|stream| reading.last_line(stream).unwrap_or_default());
            spoke.into_iter().rfind(|line| !line.as_str().is_empty())
        });
        reply["last_line"] = json!(last.unwrap_or_default());
        reply["stdout"] = json!("");
        reply["stderr"] = json!("");
        Some(reply)
    }
}
