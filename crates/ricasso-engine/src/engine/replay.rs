//! The same judgement once more, from what was kept of it: request, scene and policy.

use super::paper;
use super::shelf::Shelf;
use crate::error::Error;
use crate::policy::{self, Policy};
use crate::record;
use crate::request::Request;
use crate::run::JobId;
use crate::scene::{Recorded, Scene};
use serde::Serialize;

/// What came of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The job.
    pub id: String,
    /// Whether the verdict is the same and rests on the same inputs; nothing where these were
    /// forgotten.
    pub same: Option<bool>,
    /// As the ledger has it.
    pub then: Judged,
    /// As judged now.
    pub now: Option<Judged>,
    /// What differs, in sentences.
    pub differences: Vec<String>,
}

/// A verdict as it can be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// `allow`, `ask` or `deny`; empty where it was never judged.
    pub verdict: String,
    /// The rules that spoke.
    pub rules: Vec<String>,
    /// SHA-256 of request, scene and policy.
    pub request_digest: String,
    /// Likewise.
    pub scene_digest: String,
    /// Likewise.
    pub policy_digest: String,
}

/// What a judgement is made of.
struct Inputs {
    request: Request,
    scene: Scene,
    policy: Policy,
}

impl Shelf {
    /// Judges a job again and compares. A job that the ledger does not know is an error.
    pub fn replay(&self, id: &str) -> Result<Replay, Error> {
        let missing = || Error::NoJob { id: id.to_string() };
        let job = JobId::parse(id).ok_or_else(missing)?;
        let line = record::opening_of(&self.state().ledger(), id).map_err(Error::Record)?;
        let entry = line.ok_or_else(missing)?.entry;
        let policy_digest = entry.extra.get("policy_digest").and_then(|value| value.as_str());
        let then = Judged {
            policy_digest: policy_digest.unwrap_or_default().to_string(),
            verdict: entry.verdict,
            rules: entry.rules,
            request_digest: entry.request_digest,
            scene_digest: entry.scene_digest,
        };
        let Some(inputs) = self.inputs(&job, &then.policy_digest)? else {
            let (id, differences) = (id.to_string(), Vec::new());
            return Ok(Replay { id, same: None, then, now: None, differences });
        };
        let now = judge_again(inputs);
        let differences = differences(&then, &now);
        let same = Some(differences.is_empty());
        Ok(Replay { id: id.to_string(), same, then, now: Some(now), differences })
    }

    /// Nothing where one of the papers is gone.
    fn inputs(&self, job: &JobId, policy: &str) -> Result<Option<Inputs>, Error> {
        let dir = self.state().job(job);
        let read = |name| dir.read(name).map_err(Error::Run);
        let (Some(request), Some(scene), Some(policy)) =
            (read("request")?, read("scene")?, paper::kept_policy(self.state(), policy)?)
        else {
            return Ok(None);
        };
        let broken = |what| move |source| Error::Json { what, source };
        Ok(Some(Inputs {
            request: serde_json::from_slice(&request).map_err(broken("kept request"))?,
            scene: serde_json::from_slice(&scene).map_err(broken("kept scene"))?,
            policy,
        }))
    }
}

fn judge_again(inputs: Inputs) -> Judged {
    let Inputs { request, scene, policy } = inputs;
    let scene_digest = scene.digest();
    let judgement = policy::judge(&request, &policy, &Recorded::new(scene));
    Judged {
        verdict: judgement.verdict.name().to_string(),
        rules: judgement.reasons.iter().map(|reason| reason.rule.clone()).collect(),
        request_digest: judgement.verdict.request_digest().to_string(),
        scene_digest,
        policy_digest: policy.digest().to_string(),
    }
}

fn differences(then: &Judged, now: &Judged) -> Vec<String> {
    let mut found = Vec::new();
    if then.verdict != now.verdict {
        found.push(format!("the verdict was {}, now it is {}", then.verdict, now.verdict));
    }
    if then.rules != now.rules {
        let list = |rules: &[String]| match rules {
            [] => "none".to_string(),
            some => some.join(", "),
        };
        let (then, now) = (list(&then.rules), list(&now.rules));
        found.push(format!("the rules that spoke were {then}, now they are {now}"));
    }
    let inputs = [
        ("request", &then.request_digest, &now.request_digest),
        ("scene", &then.scene_digest, &now.scene_digest),
    ];
    for (what, then, now) in inputs {
        if then != now {
            found.push(format!("the kept {what} is not the one that was judged: it was changed"));
        }
    }
    if then.policy_digest != now.policy_digest {
        found.push(
            "the policy is not the one that held: it was changed, or the built-in rules \
                    are those of another version"
                .to_string(),
        );
    }
    found
}
