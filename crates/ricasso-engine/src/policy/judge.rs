//! The judge: request, policy and answers about the world in, verdict out.
//!
//! Pure: no clock, files or environment; what it needs of the world it asks through `Look`. The
//! order for each command: any deny; an ask that someone wrote; an allow that someone wrote; a
//! built-in ask; what the policy says otherwise. A request is allowed when each command is.

use super::command::{self, Judged};
use super::loader::{self, Setter};
use super::mention;
use super::misleading;
use super::operator;
use super::pattern::Command;
use super::place;
use super::rule::{Places, Rule};
use super::settled::Policy;
use super::value::Operators;
use super::verdict::{self, Judgement, Reason, ReasonLayer, Verdict};
use super::walk::{self, Reads, Simple, Walked};
use super::words::Meets;
use super::wrap;
use crate::request::{Bytes, Request, Step};
use crate::scene::{Look, Search};
use std::path::{Path, PathBuf};

/// More reasons than this help nobody; the rest is left out.
const MAX_REASONS: usize = 32;

/// May this request run under this policy, in the world that `look` knows?
pub fn judge(request: &Request, policy: &Policy, look: &dyn Look) -> Judgement {
    let home = look.variable(b"HOME").map(|home| to_path(home.as_slice()));
    let path = request.env.iter().rev().find(|(name, _)| name.as_slice() == b"PATH");
    let search = path.map_or(Search::Inherited, |(_, value)| Search::Given(value.clone()));
    let bench = Bench {
        policy,
        look,
        places: Places {
            cwd: &request.cwd,
            workspace: request.workspace.as_deref(),
            home: home.as_deref(),
        },
        search,
    };
    let mut findings = Findings::default();
    variables(request, &mut findings);
    place::judge(&bench, &mut findings);
    for (number, step) in request.steps.iter().enumerate() {
        findings.step = number;
        judge_step(step, &bench, &mut findings);
    }
    conclude(request, policy, findings)
}

/// What stays the same for all commands of one request.
pub(super) struct Bench<'a> {
    pub(super) policy: &'a Policy,
    pub(super) look: &'a dyn Look,
    pub(super) places: Places<'a>,
    pub(super) search: Search,
}

/// Reasons so far, by weight.
#[derive(Default)]
pub(super) struct Findings {
    step: usize,
    denies: Vec<Reason>,
    asks: Vec<Reason>,
}

impl Findings {
    /// Adds a reason; the weight is what it leads to.
    pub(super) fn add(&mut self, weight: Weight, mut reason: Reason) {
        reason.step = self.step;
        let list = match weight {
            Weight::Deny => &mut self.denies,
            Weight::Ask => &mut self.asks,
        };
        if list.len() < MAX_REASONS && !list.contains(&reason) {
            list.push(reason);
        }
    }
}

/// What a reason leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Nothing runs.
    Deny,
    /// A person is asked.
    Ask,
}

/// A reason without its step, which `Findings` knows.
pub(super) fn reason(
    rule: &str,
    layer: ReasonLayer,
    span: Option<[usize; 2]>,
    message: String,
    remedy: impl Into<String>,
) -> Reason {
    Reason { rule: rule.to_string(), layer, span, step: 0, message, remedy: remedy.into() }
}

/// How well a rule meets the commands of an example; for the check when a file is loaded.
pub(super) fn rule_meets(rule: &Rule, text: &str) -> Meets {
    let places = Places {
        cwd: Path::new("/workspace"),
        workspace: Some(Path::new("/workspace")),
        home: Some(Path::new("/home/user")),
    };
    let walked = walk::walk(text.as_bytes(), Reads::Bash);
    let commands = walked.commands.into_iter().flat_map(|one| wrap::unfold(one, Reads::Bash));
    let each = commands.map(|simple| {
        let names = command::names_as_written(&simple);
        rule.meets(Command { words: &simple.words, names: &names }, places)
    });
    each.max().unwrap_or(Meets::No)
}

fn variables(request: &Request, findings: &mut Findings) {
    for (name, _) in &request.env {
        let shown = String::from_utf8_lossy(name.as_slice());
        if loader::is_ours(name.as_slice()) {
            let message = format!("the variable {shown:?} belongs to ricasso itself");
            let remedy = "leave it out; a person sets it where ricasso is started";
            findings.add(
                Weight::Deny,
                reason("own-controls", ReasonLayer::Policy, None, message, remedy),
            );
        } else if let Some(does) = loader::danger(name.as_slice(), Setter::Caller) {
            let message = format!("the caller sets {shown:?}, which {does}");
            let remedy = "leave it out, or let a person set it under [env] set in the user's file";
            findings.add(
                Weight::Deny,
                reason("loader-variables", ReasonLayer::Policy, None, message, remedy),
            );
        }
    }
}

fn judge_step(step: &Step, bench: &Bench<'_>, findings: &mut Findings) {
    let text = step.text();
    if let Some(found) = misleading::find(&text) {
        let message = format!("the text holds {}, which {}", found.shown, found.does);
        let remedy = "write the text without it, or as an escape such as printf '\\r'";
        let span = Some(found.span);
        findings.add(
            Weight::Deny,
            reason("misleading-text", ReasonLayer::Policy, span, message, remedy),
        );
    }
    literally(step, &text, bench, findings);
    let (walked, reads, judged) = match step {
        Step::Argv(words) => (one_command(words, text.len()), Reads::Sh, Judged::Argv),
        Step::Shell(_) => {
            let reads = Reads::of(bench.policy.shell());
            (walk::walk(&text, reads), reads, Judged::Text)
        }
        Step::Script { shell, .. } => {
            let reads = Reads::of_script(*shell);
            (walk::walk(&text, reads), reads, Judged::Text)
        }
    };
    if let Some((at, why)) = &walked.unreadable {
        let message = format!("the text cannot be read from byte {at} on: {why}");
        let span = Some([*at, text.len()]);
        let remedy = "mend the text; what no shell reader understands is never run";
        findings
            .add(Weight::Deny, reason("unreadable", ReasonLayer::Policy, span, message, remedy));
    }
    for simple in walked.commands.into_iter().flat_map(|simple| wrap::unfold(simple, reads)) {
        let known: Option<Vec<&[u8]>> = simple.words.iter().map(|word| word.as_deref()).collect();
        if let Some(words) = known {
            match_patterns(&words.join(&b' '), Where::Command(simple.span), bench.policy, findings);
        }
        command::judge(&simple, judged, bench, findings);
    }
}

/// What is judged by the letters of the text: operators first, as one contract wants it.
fn literally(step: &Step, text: &[u8], bench: &Bench<'_>, findings: &mut Findings) {
    let reads = match step {
        Step::Argv(_) | Step::Shell(_) => Reads::of(bench.policy.shell()),
        Step::Script { shell, .. } => Reads::of_script(*shell),
    };
    match (step, bench.policy.commands().operators) {
        (Step::Shell(_) | Step::Script { .. }, Operators::Deny) => {
            operator::judge(text, reads, findings);
        }
        (Step::Argv(_), Operators::Deny) | (_, Operators::Allow) => {}
    }
    match_patterns(text, Where::Text, bench.policy, findings);
    mention::judge(step, reads, bench, findings);
}

#[derive(Clone, Copy)]
enum Where {
    Text,
    Command([usize; 2]),
}

fn match_patterns(text: &[u8], place: Where, policy: &Policy, findings: &mut Findings) {
    for pattern in policy.patterns() {
        let Some(found) = pattern.regex.finds(text) else {
            continue;
        };
        let span = match place {
            Where::Text => found,
            Where::Command(span) => span,
        };
        let message = format!("the regex {:?} matches: {}", pattern.regex.as_str(), pattern.why);
        let remedy = match pattern.remedy.as_str() {
            "" => "write the command without what the regex names",
            remedy => remedy,
        };
        findings.add(
            Weight::Deny,
            reason("patterns", ReasonLayer::Pattern, Some(span), message, remedy),
        );
    }
}

fn one_command(words: &[Bytes], length: usize) -> Walked {
    let words = words.iter().map(|word| Some(word.as_slice().to_vec())).collect();
    let simple = Simple { words, assigned: Vec::new(), span: [0, length] };
    Walked { commands: vec![simple], unreadable: None }
}

fn conclude(request: &Request, policy: &Policy, mut findings: Findings) -> Judgement {
    let Some(digest) = verdict::digest(request) else {
        let message = "a path of the request is no text, so that it cannot be recorded".into();
        let remedy = "work in a directory whose name is UTF-8";
        let reason = reason("unrecordable", ReasonLayer::Policy, None, message, remedy);
        return Judgement { verdict: Verdict::deny(String::new()), reasons: vec![reason] };
    };
    if !findings.denies.is_empty() {
        let reasons = std::mem::take(&mut findings.denies);
        return Judgement { verdict: Verdict::deny(digest), reasons };
    }
    if !findings.asks.is_empty() {
        let reasons = std::mem::take(&mut findings.asks);
        return Judgement { verdict: Verdict::ask(request, digest, policy.digest()), reasons };
    }
    Judgement { verdict: Verdict::allow(request, digest, policy.digest()), reasons: Vec::new() }
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
