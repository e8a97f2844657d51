//! The two entries of a job and the reply between them.

use super::Hall;
use super::admit::{Admission, Admitted};
use super::answer::{self, reasons};
use super::chores::{Chore, Finished};
use super::conduct::UNSTARTED;
use super::entries::Line;
use super::unhidden::Hidden;
use super::{entries, later, paper};
use crate::capture::{Redacted, Redactor, Spool, Totals};
use crate::error::Error;
use crate::plan::{Enforced, Plan};
use crate::policy::{self, Judgement, Survivors, Verdict};
use crate::record::Receipt;
use crate::reply::Reply;
use crate::request::{Request, Tenure};
use crate::run::{Before, Ending, Failure, JobDir, JobId, Outcome};
use crate::scene::{Query, Scene};
use std::collections::BTreeSet;
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
    pub(super) verdict: &'static str,
    pub(super) rules: Vec<String>,
    pub(super) request_digest: String,
    pub(super) scene_digest: String,
    /// Base names of the programs that the judge looked for.
    pub(super) programs: BTreeSet<Vec<u8>>,
    /// Who gave the grant; null where there is none.
    pub(super) grant: serde_json::Value,
}

impl Said {
    pub(super) fn of(judgement: &Judgement, scene: &Scene) -> Said {
        let grant = match &judgement.verdict {
            Verdict::Allow(grant) => serde_json::to_value(grant.by()).unwrap_or_default(),
            Verdict::Ask(_) | Verdict::Deny(_) => serde_json::Value::Null,
        };
        Said {
            verdict: judgement.verdict.name(),
            rules: judgement.reasons.iter().map(|reason| reason.rule.clone()).collect(),
            request_digest: judgement.verdict.request_digest().to_string(),
            scene_digest: scene.digest(),
            programs: scene.facts.iter().filter_map(|fact| program(&fact.query)).collect(),
            grant,
        }
    }
}

fn program(query: &Query) -> Option<Vec<u8>> {
    match query {
        Query::Program { name, .. } => {
            name.as_slice().rsplit(|byte| *byte == b'/').next().map(<[u8]>::to_vec)
        }
        Query::Kind(_)
        | Query::Link(_)
        | Query::Tree(_)
        | Query::Kept(_)
        | Query::Variable(_)
        | Query::Scratch
        | Query::Glob { .. }
        | Query::GitSetting { .. } => None,
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
    /// The job that those whom it left running became.
    pub(super) adopted: Option<JobId>,
}

/// A job that is over but not yet closed.
pub(super) struct Closing<'a> {
    pub(super) admitted: &'a Admitted,
    pub(super) draft: Option<Draft>,
    pub(super) failed: Option<Error>,
    pub(super) papers: Papers,
    /// The workspace as it was.
    pub(super) before: Vec<Before>,
    /// What was hidden in it.
    pub(super) hidden: Hidden,
    /// What the reader of the reply should know besides.
    pub(super) told: Vec<String>,
}

/// The reply and the closing entry as far as they are known while the command runs: whoever waits
/// for its end has the time to write them.
pub(super) struct Draft {
    reply: Reply,
    entry: Line,
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
        plan: Option<&Plan>,
    ) -> Result<Receipt, Error> {
        let mut entry = entries::opening(opening, said, plan);
        entry.owner = Some(self.yard.owner.id().to_string());
        entry.extra.insert("policy_digest".into(), self.policy.digest().into());
        self.ledger.append(&entry).map_err(Error::Record)
    }

    /// A request that cannot even be judged is recorded too; then it goes back with its error.
    /// Where the ledger cannot take it, that is the error.
    pub(super) fn turn_away(&self, request: &Request, error: Error) -> Error {
        let told = || -> Result<(), Error> {
            let id = self.yard.next_id()?;
            let redactor = &self.redactor;
            let opening = Opening { id: &id, request, redactor, began: SystemTime::now() };
            self.ledger.append(&entries::unjudged(&opening)).map_err(Error::Record)?;
            let enforced = Enforced::nothing(self.policy.mode());
            let mut reply = answer::unstarted(&opening, UNSTARTED, enforced);
            reply.verdict = "deny";
            let why = redactor.text(with_causes(&error).as_bytes());
            self.record_closing(&reply, request, redactor, Totals::default(), Some(why))?;
            self.yard.owner.closes(&id).map_err(Error::Run)
        };
        told().err().unwrap_or(error)
    }

    /// A request that the gate refused: nothing ran, and that is recorded too.
    pub(super) fn refuse(
        &self,
        refused: Refused,
        opening: &Opening<'_>,
        dir: &JobDir,
        papers: paper::Papers,
    ) -> Result<Admission, Error> {
        let redactor = opening.redactor;
        let mut reply =
            answer::unstarted(opening, Ending::Refused(refused.failure), refused.enforced);
        reply.verdict = refused.verdict;
        reply.reasons = reasons(&refused.reasons, opening.request, redactor);
        reply.hints = self.told.iter().map(|told| redactor.text(told.as_bytes())).collect();
        let why = entries::why(&reply, None);
        let totals = Totals::default();
        reply.record = Some(self.record_closing(&reply, opening.request, redactor, totals, why)?);
        self.yard.owner.closes(opening.id).map_err(Error::Run)?;
        self.keep_policy();
        self.keep_all(&mut reply, dir, Ok(papers));
        Ok(Admission::Refused(Box::new(reply)))
    }

    /// What can be said of a job while it runs.
    pub(super) fn draft(&self, admitted: &Admitted) -> Draft {
        let mut reply = answer::running(admitted);
        reply.hints = self.early_hints(admitted);
        let entry = entries::begun(&reply, admitted.request(), admitted.redactor());
        Draft { reply, entry }
    }

    /// The end of a job: excerpt, closing entry, reply.
    pub(super) fn close(
        &self,
        closing: Closing<'_>,
        spool: &mut Spool,
        steps: &[StepDone],
    ) -> Reply {
        let Closing { admitted, draft, failed, papers, before, hidden, told } = closing;
        let redactor = admitted.redactor();
        let Draft { mut reply, entry } = draft.unwrap_or_else(|| self.draft(admitted));
        answer::end(&mut reply, answer::overall(steps));
        reply.hints.extend(self.hints(admitted, steps, failed.as_ref()));
        reply.hints.extend(told.iter().map(|told| redactor.text(told.as_bytes())));
        answer::fill_steps(&mut reply, admitted, steps);
        later::fill(&mut reply, admitted, &before, &self.environment);
        reply.hints.extend(hidden.told(admitted));
        match spool.finish().and_then(|totals| Ok((totals, answer::excerpt(spool, &reply)?))) {
            Ok((totals, excerpt)) => {
                answer::fill_output(&mut reply, totals, excerpt);
                reply.screen = answer::last_screen(admitted, spool);
            }
            Err(error) => {
                let told = format!("what it said cannot be shown: {}", with_causes(&error));
                reply.hints.push(redactor.text(told.as_bytes()));
            }
        }
        let numbered = steps.iter().enumerate();
        let failure =
            numbered.into_iter().find_map(|(at, step)| answer::not_started(at, step, admitted));
        self.seal((&mut reply, entry), admitted, spool.totals(), failure);
        if papers == Papers::Missing {
            self.keep_policy();
        }
        if !self.housekeeper.is_beside() {
            let missing = match papers {
                Papers::Kept => Ok(Vec::new()),
                Papers::Missing => admitted.papers(),
            };
            self.keep_all(&mut reply, admitted.dir(), missing);
        }
        reply
    }

    /// What a job held goes when nobody waits for it any more, and so do its last papers where
    /// they are not written yet.
    pub(super) fn put_away(&self, admitted: Admitted, reply: &Reply, papers: Papers) {
        if self.housekeeper.is_beside() {
            let finished = Box::new(Finished { admitted, reply: reply.clone(), papers });
            // Beside us a failure is told with a later reply.
            let _ = self.housekeeper.later(Chore::PutAway(finished));
        }
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
        let why = opening.redactor.text(with_causes(&error).as_bytes());
        let (request, totals) = (opening.request, Totals::default());
        if self.record_closing(&reply, request, opening.redactor, totals, Some(why)).is_ok() {
            let _ = self.yard.owner.closes(opening.id);
        }
        error
    }

    /// The closing entry. A failure here is told in the reply itself.
    fn seal(
        &self,
        (reply, entry): (&mut Reply, Line),
        admitted: &Admitted,
        totals: Totals,
        failure: Option<Redacted<String>>,
    ) {
        let redactor = admitted.redactor();
        let why = entries::why(reply, failure);
        let entry = entries::closing(entry, reply, totals, why.as_ref());
        let recorded = entry.and_then(|entry| self.ledger.append(&entry).map_err(Error::Record));
        let closed = recorded.and_then(|receipt| {
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
    }

    /// The last papers of a job. The reply is the very last: whoever finds it knows that all is
    /// there.
    fn keep_all(&self, reply: &mut Reply, dir: &JobDir, papers: Result<paper::Papers, Error>) {
        let kept = papers.and_then(|mut all| {
            let json = serde_json::to_vec(reply);
            all.push(("reply", json.map_err(|source| Error::Json { what: "reply", source })?));
            self.housekeeper.has(Chore::Keep(dir.clone(), all))
        });
        if kept.is_err() {
            reply.hints.push(Redacted::constant("the reply could not be kept beside the spool"));
        }
    }

    fn record_closing(
        &self,
        reply: &Reply,
        request: &Request,
        redactor: &Redactor,
        totals: Totals,
        why: Option<Redacted<String>>,
    ) -> Result<Receipt, Error> {
        let entry = entries::begun(reply, request, redactor);
        let entry = entries::closing(entry, reply, totals, why.as_ref())?;
        self.ledger.append(&entry).map_err(Error::Record)
    }

    /// Hints that do not depend on how it ends.
    fn early_hints(&self, admitted: &Admitted) -> Vec<Redacted<String>> {
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
        hints.extend(answer::missing_variables(admitted, &self.policy, &self.environment));
        if admitted.left_by.is_none() {
            let read = policy::hints(admitted.request(), &self.policy);
            hints.extend(read.iter().map(|hint| text(hint)));
        }
        hints
    }

    /// Where this machine gives less than the policy grants: told once a session. The reply's
    /// `enforced` always tells it.
    fn stricter_hint(&self, admitted: &Admitted) -> Option<String> {
        let stricter = &admitted.plan().fit().enforced().stricter;
        let told = self.yard.state.tell_once(&admitted.request().caller.session, stricter);
        (!told.is_empty()).then(|| {
            format!(
                "this machine gives less than the policy grants: {}; ricasso doctor says why (told \
                 once a session)",
                told.join("; ")
            )
        })
    }

    /// Hints that come from how it ended.
    fn hints(
        &self,
        admitted: &Admitted,
        steps: &[StepDone],
        failed: Option<&Error>,
    ) -> Vec<Redacted<String>> {
        let redactor = admitted.redactor();
        let text = |hint: &str| redactor.text(hint.as_bytes());
        let mut hints = Vec::new();
        let numbered = steps.iter().enumerate();
        hints.extend(numbered.filter_map(|(at, step)| answer::not_started(at, step, admitted)));
        if hints.is_empty() {
            hints.extend(self.stricter_hint(admitted).map(|hint| text(&hint)));
        }
        if steps.iter().any(|step| step.outcome.forced && step.outcome.ending.was_asked()) {
            let grace = admitted.plan().allowance().grace;
            hints.push(text(&format!(
                "it did not end within {grace:?} of SIGTERM and was killed with its whole tree"
            )));
        }
        hints.extend(steps.iter().filter_map(|step| step.adopted.as_ref()).map(|id| {
            text(&format!(
                "what it left running goes on as job {id}; look, wait, stop and watch reach it by \
                 its id"
            ))
        }));
        let stopped = steps.iter().any(|step| !step.outcome.survivors.is_empty());
        if stopped && self.policy.jobs().survivors == Survivors::Adopt && !self.adopts() {
            hints.push(Redacted::constant(
                "jobs.survivors is \"adopt\", but this call has no owner that stays: what it left \
                 running was stopped",
            ));
        }
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
}

/// The numbers of processes that even a kill did not end.
fn stuck_ones(steps: &[StepDone]) -> String {
    let survivors = steps.iter().flat_map(|step| &step.outcome.survivors);
    let stuck = survivors.filter(|survivor| survivor.stuck).map(|stuck| stuck.pid.to_string());
    stuck.collect::<Vec<_>>().join(", ")
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
