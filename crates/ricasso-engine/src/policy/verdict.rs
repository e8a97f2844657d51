//! What the judge says: allow, ask or deny, each with its reasons.
//!
//! A grant is the proof that a request was judged; nothing outside this room can make one.

use crate::request::{Request, to_hex};
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A verdict with everything that led to it.
#[derive(Debug, Serialize)]
#[must_use]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why; may be empty for an allow.
    pub reasons: Vec<Reason>,
}

/// May it run?
#[derive(Debug)]
#[must_use]
#[non_exhaustive]
pub enum Verdict {
    /// Yes.
    Allow(Grant),
    /// A person has to say.
    Ask(Question),
    /// No.
    Deny(Refusal),
}

/// The permission for one run of one request under one policy. It cannot be copied.
///
/// Only the judge, or a person's answer to the judge's question, makes one:
///
/// ```compile_fail,E0451
/// use ricasso_engine::policy::{By, Grant};
/// let grant = Grant { request: String::new(), policy: String::new(), by: By::Policy };
/// ```
///
/// ```compile_fail,E0599
/// fn twice(grant: ricasso_engine::policy::Grant) -> [ricasso_engine::policy::Grant; 2] {
///     [grant.clone(), grant]
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Grant {
    /// The request itself: comparing it is cheaper than hashing it again, and exact.
    request: Box<Request>,
    digest: String,
    policy: String,
    by: By,
    conditions: Conditions,
}

/// What must hold for a grant beyond the rights of its policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    pub(super) neutralised: Vec<(String, String)>,
    pub(super) cage: bool,
}

/// Who gave a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum By {
    /// The policy, without a question.
    Policy,
    /// Somebody who was asked.
    Answer(String),
}

/// A question to a person about one request.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Question {
    request: Box<Request>,
    digest: String,
    policy: String,
    conditions: Conditions,
}

/// A request that does not run.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Refusal {
    request: String,
}

/// One reason: the rule, the words that it met, and what would be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The id of the rule, or the key of the policy.
    pub rule: String,
    /// Which part of the judgement speaks.
    pub layer: ReasonLayer,
    /// Bytes of the step's text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub span: Option<[usize; 2]>,
    /// The step, from 0.
    pub step: usize,
    /// What was met.
    pub message: String,
    /// The smallest thing that would be allowed.
    pub remedy: String,
}

/// Which part of the judgement a reason comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonLayer {
    /// Rules, guards and command patterns.
    Policy,
    /// Regexes on the text.
    Pattern,
    /// File rights.
    Paths,
    /// Program lists.
    Programs,
    /// What the host can hold.
    Plan,
}

impl ReasonLayer {
    /// The word of the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            ReasonLayer::Policy => "policy",
            ReasonLayer::Pattern => "pattern",
            ReasonLayer::Paths => "paths",
            ReasonLayer::Programs => "programs",
            ReasonLayer::Plan => "plan",
        }
    }
}

impl Verdict {
    /// `allow`, `ask` or `deny`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Allow(_) => "allow",
            Verdict::Ask(_) => "ask",
            Verdict::Deny(_) => "deny",
        }
    }

    /// The digest of the request that was judged.
    pub fn request_digest(&self) -> &str {
        match self {
            Verdict::Allow(grant) => &grant.digest,
            Verdict::Ask(question) => &question.digest,
            Verdict::Deny(refusal) => &refusal.request,
        }
    }

    pub(super) fn allow(
        request: &Request,
        digest: String,
        policy: &str,
        conditions: Conditions,
    ) -> Self {
        let request = Box::new(request.clone());
        let (policy, by) = (policy.to_string(), By::Policy);
        Verdict::Allow(Grant { request, digest, policy, by, conditions })
    }

    pub(super) fn ask(
        request: &Request,
        digest: String,
        policy: &str,
        conditions: Conditions,
    ) -> Self {
        let request = Box::new(request.clone());
        Verdict::Ask(Question { request, digest, policy: policy.to_string(), conditions })
    }

    pub(super) fn deny(request: String) -> Self {
        Verdict::Deny(Refusal { request })
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Grant {
    /// Whether the grant is for exactly this request.
    pub fn is_for(&self, request: &Request) -> bool {
        *self.request == *request
    }

    /// Whether the grant was given under exactly this policy.
    pub fn is_under(&self, policy: &super::Policy) -> bool {
        self.policy == policy.digest()
    }

    /// Settings of git that the run must not obey, each with the value that it gets instead.
    pub fn neutralised(&self) -> &[(String, String)] {
        &self.conditions.neutralised
    }

    /// Whether the allow rests on the cage: something unknown or opaque is held by it.
    pub fn demands_cage(&self) -> bool {
        self.conditions.cage
    }

    /// Who gave it.
    pub fn by(&self) -> &By {
        &self.by
    }
}

impl Question {
    /// A person said yes, for this one run. `by` names the person for the record.
    pub fn answer_yes(self, by: String) -> Grant {
        let Question { request, digest, policy, conditions } = self;
        Grant { request, digest, policy, by: By::Answer(by), conditions }
    }
}

/// SHA-256 over the request's JSON, in hexadecimal; `None` where a path of it is no text, so that
/// the request could not be kept either.
pub(super) fn digest(request: &Request) -> Option<String> {
    let json = serde_json::to_vec(request).ok()?;
    Some(to_hex(&Sha256::digest(json)))
}
