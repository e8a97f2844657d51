//! What a vector expects, and what of it a judgement does not keep.

use ricasso_engine::policy::{Judgement, Policy, Reason, ReasonLayer};
use serde::Deserialize;

/// What is expected. Texts of messages belong to a dialect's door.
#[derive(Debug, Deserialize)]
pub(super) struct Expect {
    verdict: Wanted,
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Wanted {
    Allowed,
    Refused,
    RefusedOrAsk,
    AllowedOrAsk,
    RefusedOrContained,
    NoAccessOutside,
    NotRefusedForPath,
}

impl Expect {
    /// The expectation in a few words.
    pub(super) fn shown(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{:?} ({reason})", self.verdict),
            None => format!("{:?}", self.verdict),
        }
    }

    /// A request without anything in it is refused before any policy is asked.
    pub(super) fn wrong_for_empty(&self) -> Option<String> {
        let kept = self.verdict == Wanted::Refused && self.reason.as_deref() == Some("empty");
        (!kept).then(|| "deny\tempty".to_string())
    }

    /// What the judgement does not keep: the verdict and the rule that it got.
    pub(super) fn wrong(
        &self,
        dialect: &str,
        policy: &Policy,
        judgement: &Judgement,
    ) -> Option<String> {
        let verdict = judgement.verdict.name();
        let first = judgement.reasons.first();
        let kept = match self.verdict {
            Wanted::Allowed => verdict == "allow",
            Wanted::AllowedOrAsk => verdict != "deny",
            Wanted::RefusedOrAsk => verdict != "allow",
            Wanted::Refused => verdict == "deny",
            Wanted::RefusedOrContained => verdict != "allow" || policy.is_caged(),
            Wanted::NoAccessOutside => verdict != "allow" || holds_reads(policy),
            Wanted::NotRefusedForPath => {
                judgement.reasons.iter().all(|reason| reason.layer != ReasonLayer::Paths)
            }
        };
        let reason = match (&self.reason, first) {
            (Some(wanted), Some(first)) => classes(dialect, first).contains(&wanted.as_str()),
            (Some(_), None) => false,
            (None, _) => true,
        };
        let rule = first.map_or("", |reason| reason.rule.as_str());
        (!kept || !reason).then(|| format!("{verdict}\t{rule}"))
    }
}

/// Whether the cage keeps readers inside, so that an allow gives nothing away.
fn holds_reads(policy: &Policy) -> bool {
    policy.is_caged() && policy.files().read.iter().all(|root| root.as_str() != "/")
}

/// The words of the contracts for a reason of ours.
fn classes(dialect: &str, reason: &Reason) -> Vec<&'static str> {
    let mut classes = Vec::new();
    match reason.rule.as_str() {
        "commands.operators" => classes.push("operator"),
        "programs.allow" | "programs.deny" => classes.extend(["program", "allowlist"]),
        "guards.git" | "git-read-only" => classes.push("git"),
        "files.cwd" => classes.push("cwd"),
        _ => {}
    }
    match reason.layer {
        ReasonLayer::Paths => classes.extend(["path", "outside"]),
        ReasonLayer::Pattern if reason.message.contains("traversal") => classes.push("traversal"),
        ReasonLayer::Pattern => classes.push("pattern"),
        // Behind each pattern of these two contracts stands a rule of ours.
        ReasonLayer::Policy if matches!(dialect, "flowforge" | "exec") => classes.push("pattern"),
        _ => {}
    }
    classes
}
