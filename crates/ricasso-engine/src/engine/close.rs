//! The two entries of a job and the reply between them.

use super::Hall;
use super::admit::{Admission, Admitted};
use super::answer::{self, Parts, reasons};
use super::chores::Chore;
use crate::capture::{Redacted, Redactor, Spool, Totals};
use crate::error::Error;
use crate::plan::Enforced;
use crate::policy::{self, Judgement};
use crate::record::{self, Entry, Phase, Receipt};
use crate::reply::Reply;
use crate::request::{Request, Tenure};
use crate::run::{Ending, Failure, JobId, Outcome};
use crate::scene::Scene;
use std::time::SystemTime;

/// A request at the moment when its entry is opened.
pub(super) struct Opening<'a> {
    pub(super) id: &'a JobId,
    pub(super) request: &'a Request,
    pub(super) redactor: &'a Redactor,
    pub(super) began: SystemTime,
}

/// What the judge said, as the ledger keeps it.
pub(super) struct Said {
    verdict: &'static str,
    rules: Vec<String>,
    request_digest: String,
    scene_digest: String,
}

impl Said {
    pub(super) fn of(judgement: &Judgement, scene: &Scene) -> Said {
        Said {
            verdict: judgement.verdict.name(),
            rules: judgement.reasons.iter().map(|reason| reason.rule.clone()).collect(),
            request_digest: judgement.verdict.request_digest().to_string(),
            scene_digest: scene.digest(),
        }
    }
}

/// A request that did not get through the gate.
pub(super) struct Refused {
    pub(super) verdict: &'static str,
    pub(super) reasons: Vec<policy::Reason>,
    pub(super) failure: Failure,
    pub(super) enforced: Enforced,
}

/// One step that was run, with the totals of the spool round it.
pub(super) struct StepDone {
    pub(super) outcome: Outcome,
    pub(super) before: Totals,
    pub(super) after: Totals,
}

/// A job that is over but not yet closed.
pub(super) struct Closing {
    pub(super) admitted: Admitted,
    pub(super) spool: Spool,
    pub(super) failed: Option<Error>,
    pub(super) papers: Papers,
}

/// Whether request and scene lie beside the spool already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Papers {
    Kept,
    Missing,
}

impl Hall {
    /// The opening entry: on disk before anything of the command exists.
    pub(super) fn record_opening(
        &self,
        opening: &Opening<'_>,
        said: &Said,
    ) -> Result<Receipt, Error> {
        let caller = &opening.request.caller;
        let redactor = opening.redactor;
        let mut entry =
            Entry::new(Phase::Open, opening.id.as_str(), record::rfc3339(opening.began));
        entry.door.clone_from(&caller.door);
        entry.session = Some(redactor.text(caller.session.as_bytes()));
        entry.client = caller.client.as_ref().map(|name| redactor.text(name.as_bytes()));
        entry.owner = Some(self.yard.owner.id().to_string());
        entry.command = Some(answer::command(opening.request, redactor));
        entry.request_digest.clone_from(&said.request_digest);
        entry.scene_digest.clone_from(&said.scene_digest);
        entry.verdict = said.verdict.to_string();
        entry.rules.clone_from(&said.rules);
        entry
            .extra
            .insert("cwd".into(), answer::cwd(opening.request, redactor).into_inner().into());
        entry.extra.insert("policy_digest".into(), self.policy.digest().into());
        self.ledger.append(&entry).map_err(Error::Record)
    }

    /// A request that the gate refused: nothing ran, and that is recorded too.
    pub(super) fn refuse(
        &self,
        refused: Refused,
        opening: &Opening<'_>,
    ) -> Result<Admission, Error> {
        let mut reply =
            answer::unstarted(opening, Ending::Refused(refused.failure), refused.enforced);
        reply.verdict = refused.verdict;
        reply.reasons = reasons(&refused.reasons, opening.redactor);
        reply.hints = self.told.iter().map(|told| opening.redactor.text(told.as_bytes())).collect();
        reply.record = Some(self.record_closing(&reply, opening.redactor)?);
        self.yard.owner.closes(opening.id).map_err(Error::Run)?;
        Ok(Admission::Refused(Box::new(reply)))
    }

    /// The end of a job: excerpt, closing entry, reply.
    pub(super) fn close(&self, closing: Closing, steps: Vec<StepDone>) -> Result<Reply, Error> {
        let Closing { admitted, mut spool, failed, papers } = closing;
        let redactor = admitted.redactor();
        let ending = answer::overall(&steps);
        let parts = Parts {
            id: admitted.id().clone(),
            verdict: "allow",
            reasons: reasons(&admitted.reasons, redactor),
            enforced: admitted.plan().fit().enforced().clone(),
            deadline: admitted.plan().allowance().deadline,
            began: admitted.began,
            ending,
        };
        let mut reply = answer::bare_reply(parts, admitted.request(), redactor);
        reply.hints = self.hints(&admitted, &steps, failed.as_ref());
        answer::fill_steps(&mut reply, &admitted, &steps);
        match spool.finish().and_then(|totals| Ok((totals, answer::excerpt(&spool, &reply)?))) {
            Ok((totals, excerpt)) => answer::fill_output(&mut reply, totals, excerpt),
            Err(error) => {
                let told = format!("what it said cannot be shown: {}", with_causes(&error));
                reply.hints.push(redactor.text(told.as_bytes()));
            }
        }
        self.seal(&mut reply, &admitted, papers);
        Ok(reply)
    }

    /// Something of ours failed: the entry is closed all the same, and the error goes on to the
    /// caller. Where even that fails, the job stays in the owner's file, and the next start closes
    /// it as lost.
    pub(super) fn abandon(&self, admitted: &Admitted, ending: &Ending, error: Error) -> Error {
        let opening = Opening {
            id: admitted.id(),
            request: admitted.request(),
            redactor: admitted.redactor(),
            began: admitted.began,
        };
        let enforced = Enforced::nothing(self.policy.mode());
        let reply = answer::unstarted(&opening, ending.clone(), enforced);
        if self.record_closing(&reply, opening.redactor).is_ok() {
            let _ = self.yard.owner.closes(opening.id);
        }
        error
    }

    /// The closing entry and the kept reply. A failure here is told in the reply itself.
    fn seal(&self, reply: &mut Reply, admitted: &Admitted, papers: Papers) {
        let redactor = admitted.redactor();
        let closed = self.record_closing(reply, redactor).and_then(|receipt| {
            self.yard.owner.closes(admitted.id()).map_err(Error::Run)?;
            Ok(receipt)
        });
        match closed {
            Ok(receipt) => reply.record = Some(receipt),
            Err(error) => {
                reply.record = Some(admitted.opened.clone());
                let told =
                    format!("the closing entry could not be written: {}", with_causes(&error));
                reply.hints.push(redactor.text(told.as_bytes()));
            }
        }
        if self.keep_last(reply, admitted, papers).is_err() {
            reply.hints.push(Redacted::constant("the reply could not be kept beside the spool"));
        }
    }

    /// The last papers of a job. The reply is the very last: whoever finds it knows that all is
    /// there.
    fn keep_last(&self, reply: &Reply, admitted: &Admitted, papers: Papers) -> Result<(), Error> {
        let mut all = Vec::new();
        match papers {
            Papers::Kept => {}
            Papers::Missing => all.extend(admitted.papers()?),
        }
        let reply = serde_json::to_vec(reply);
        all.push(("reply", reply.map_err(|source| Error::Json { what: "reply", source })?));
        self.housekeeper.has(Chore::Keep(admitted.dir().clone(), all))
    }

    fn record_closing(&self, reply: &Reply, redactor: &Redactor) -> Result<Receipt, Error> {
        let mut entry =
            Entry::new(Phase::Close, reply.id.as_str(), record::rfc3339(SystemTime::now()));
        entry.session = Some(redactor.text(reply.session.as_bytes()));
        entry.verdict = reply.verdict.to_string();
        entry.rules = reply.reasons.iter().map(|reason| reason.rule.clone()).collect();
        entry.enforced = json("enforced", &reply.enforced)?;
        entry.ending = json("ending", &reply.ending)?;
        entry.usage = json("usage", &reply.usage)?;
        entry.redactions = Some(reply.output.redactions);
        entry.totals = serde_json::json!({
            "stdout_bytes": reply.output.stdout_bytes,
            "stderr_bytes": reply.output.stderr_bytes,
        });
        let millis = reply.duration_ms.as_micros() as f64 / 1000.0;
        entry.extra.insert("duration_ms".into(), millis.into());
        entry.extra.insert("exit_code".into(), reply.exit_code.into());
        entry.extra.insert("survivors".into(), reply.survivors.len().into());
        self.ledger.append(&entry).map_err(Error::Record)
    }

    fn hints(
        &self,
        admitted: &Admitted,
        steps: &[StepDone],
        failed: Option<&Error>,
    ) -> Vec<Redacted<String>> {
        let redactor = admitted.redactor();
        let text = |hint: &str| redactor.text(hint.as_bytes());
        let mut hints: Vec<Redacted<String>> = self.told.iter().map(|told| text(told)).collect();
        let deadline = admitted.plan().allowance().deadline;
        if let (true, Some(applied)) = (deadline.is_clamped(), deadline.applied) {
            let key = match admitted.request().manner.tenure {
                Tenure::Call => "limits.max_timeout",
                Tenure::Background => "limits.max_background",
            };
            hints.push(text(&format!("the deadline was cut to {applied:?}, the policy's {key}")));
        }
        let read = policy::hints(admitted.request(), &self.policy);
        hints.extend(read.iter().map(|hint| text(hint)));
        let numbered = steps.iter().enumerate();
        hints.extend(numbered.filter_map(|(at, step)| answer::not_started(at, step, admitted)));
        let stuck = stuck_ones(steps);
        if !stuck.is_empty() {
            hints.push(text(&format!("the kernel does not let these go, they still run: {stuck}")));
        }
        if let Some(error) = failed {
            hints.push(text(&format!(
                "the job was ended because its output could not be stored: {}",
                with_causes(error)
            )));
        }
        if let Some(error) = self.yard.take_failure() {
            let told = with_causes(&error);
            hints.push(text(&format!("something beside the jobs could not be done: {told}")));
        }
        if self.yard.keeper.restarts() > 0 {
            hints.push(Redacted::constant("the keeper was killed and started anew"));
        }
        hints
    }

    /// Closes the open entries of jobs whose owner died.
    pub(super) fn close_as_lost(
        &self,
        jobs: &std::collections::BTreeSet<JobId>,
    ) -> Result<(), Error> {
        let names = jobs.iter().map(ToString::to_string).collect();
        let open = record::unclosed(&self.yard.state.ledger(), &names).map_err(Error::Record)?;
        for job in jobs {
            if open.iter().any(|opened| opened.id == job.as_str()) {
                let now = record::rfc3339(SystemTime::now());
                let mut entry = Entry::new(Phase::Close, job.as_str(), now);
                entry.ending = json("ending", &Ending::Lost)?;
                entry.extra.insert("closed_by".into(), self.yard.owner.id().as_str().into());
                self.ledger.append(&entry).map_err(Error::Record)?;
            }
            let dir = self.yard.state.job(job);
            // An empty place was only prepared; nothing of the job ever lay in it.
            if std::fs::remove_dir(dir.path()).is_err() && dir.path().is_dir() {
                // Marks the job as over, so that retention may take it and readers scan the rest.
                let _ = dir.write("reply", br#"{"ending":{"kind":"lost"}}"#);
            }
        }
        Ok(())
    }
}

/// The numbers of processes that even a kill did not end.
fn stuck_ones(steps: &[StepDone]) -> String {
    let survivors = steps.iter().flat_map(|step| &step.outcome.survivors);
    let stuck = survivors.filter(|survivor| survivor.stuck).map(|stuck| stuck.pid.to_string());
    stuck.collect::<Vec<_>>().join(", ")
}

fn json(what: &'static str, value: &impl serde::Serialize) -> Result<serde_json::Value, Error> {
    serde_json::to_value(value).map_err(|source| Error::Json { what, source })
}

/// An error with all that caused it, in one sentence.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        text.push_str(&format!(": {source}"));
        cause = source.source();
    }
    text
}
