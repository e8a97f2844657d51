//! The judge: request, policy and answers about the world in, verdict out.
//!
//! Pure: no clock, files or environment; what it needs of the world it asks through `Look`. The
//! order for each command: any deny; an ask that someone wrote; an allow that someone wrote; a
//! built-in ask; what the policy says otherwise. A request is allowed when each command is.

use super::command;
use super::guard::Homeland;
use super::loader::{self, Setter};
use super::mention;
use super::misleading;
use super::operator;
use super::paths::to_path;
use super::pattern::Command;
use super::pieces;
use super::place;
use super::rights::Rights;
use super::rule::{Places, Rule};
use super::settled::Policy;
use super::value::Operators;
use super::verdict::{self, Conditions, Judgement, Reason, ReasonLayer, Verdict};
use super::walk::{self, Reads, Seen, Walked, World};
use super::words::Meets;
use crate::request::{Request, Stdin, Step};
use crate::scene::{Described, Look, Search};
use std::path::{Path, PathBuf};

/// More reasons than this help nobody; the rest is left out.
const MAX_REASONS: usize = 32;

/// May this request run under this policy, in the world that `look` knows?
pub fn judge(request: &Request, policy: &Policy, look: &dyn Look) -> Judgement {
    let home = look.variable(b"HOME").map(|home| to_path(home.as_slice()));
    let path = request.env.iter().rev().find(|(name, _)| name.as_slice() == b"PATH");
    let search = path.map_or(Search::Inherited, |(_, value)| Search::Given(value.clone()));
    let places = Places {
        cwd: &request.cwd,
        workspace: request.workspace.as_deref(),
        home: home.as_deref(),
    };
    let workspace = places.workspace.map(|root| real(look, root));
    let rights = Rights::new(policy, look, workspace.as_deref(), places.home);
    let bench = Bench {
        policy,
        look,
        places,
        root: workspace.as_deref(),
        search,
        rights: &rights,
        environment: &request.env,
        stdin: &request.stdin,
    };
    let mut findings = Findings::default();
    variables(request, &mut findings);
    place::judge(&bench, &mut findings);
    start(&bench, &mut findings);
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
    /// The root of the workspace behind every link.
    pub(super) root: Option<&'a Path>,
    pub(super) search: Search,
    pub(super) rights: &'a Rights<'a>,
    pub(super) environment: &'a [(crate::request::Bytes, crate::request::Bytes)],
    pub(super) stdin: &'a Stdin,
}

impl<'a> Bench<'a> {
    /// The places that the guard compares with.
    pub(super) fn homeland(&self) -> Homeland<'a> {
        let granted = self.rights.granted();
        Homeland { workspace: self.root, home: self.places.home, granted }
    }

    fn world(&self) -> World<'_> {
        World {
            look: self.look,
            cwd: self.places.cwd,
            environment: self.environment,
            search: &self.search,
            stdin: self.stdin,
        }
    }
}

/// Reasons so far, by weight.
#[derive(Default)]
pub(super) struct Findings {
    step: usize,
    denies: Vec<Reason>,
    asks: Vec<Reason>,
    neutralised: Vec<(String, String)>,
    cage: bool,
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

    /// Settings of git that the run must not obey.
    pub(super) fn neutralise(&mut self, settings: Vec<(String, String)>) {
        for setting in settings {
            if !self.neutralised.contains(&setting) {
                self.neutralised.push(setting);
            }
        }
    }

    /// An allow that rests on the cage.
    pub(super) fn demand_cage(&mut self) {
        self.cage = true;
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
    let look = Described::new().set("HOME", "/home/user");
    let world = World {
        look: &look,
        cwd: places.cwd,
        environment: &[],
        search: &Search::Inherited,
        stdin: &Stdin::Closed,
    };
    let walked = walk::walk(text.as_bytes(), Reads::Bash, world);
    let each = walked.commands.iter().map(|seen| {
        let words: Vec<Option<Vec<u8>>> =
            seen.words.iter().map(super::word::Word::written).collect();
        let command = Command { words: &words, names: &seen.names };
        rule.meets(command, &seen.effects, places)
    });
    each.max().unwrap_or(Meets::No)
}

/// Refuses a directory outside what may be read.
fn start(bench: &Bench<'_>, findings: &mut Findings) {
    let cwd = real(bench.look, bench.places.cwd);
    if let Some(objection) = bench.rights.object_to_start(&cwd) {
        let (message, remedy) = (objection.message, objection.remedy);
        findings.add(Weight::Deny, reason(objection.rule, objection.layer, None, message, remedy));
    }
}

/// A path behind every link, as far as somebody can say.
fn real(look: &dyn Look, path: &Path) -> PathBuf {
    let made = super::paths::Made::default();
    let paths = super::paths::Paths { look, made: &made };
    paths.real(path).unwrap_or_else(|| path.to_path_buf())
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
    let walked = walked(step, &text, bench);
    let unread = walked.unreadable.as_ref();
    let pieces = unread.and_then(|_| pieces::commands(step, &text, bench.policy, bench.world()));
    if let Some((at, why)) = unread.filter(|_| pieces.is_none()) {
        let message = format!("the text cannot be read from byte {at} on: {why}");
        let span = Some([*at, text.len()]);
        let remedy = "mend the text; what no shell reader understands is never run";
        findings
            .add(Weight::Deny, reason("unreadable", ReasonLayer::Policy, span, message, remedy));
    }
    if walked.unfollowed {
        let message = "the text starts more commands, or nests them deeper, than is followed";
        let remedy = "send it in parts";
        let span = Some([0, text.len()]);
        findings.add(
            Weight::Deny,
            reason("too-many-commands", ReasonLayer::Policy, span, message.into(), remedy),
        );
    }
    for seen in walked.commands.iter().chain(pieces.iter().flatten()) {
        let known: Option<Vec<&[u8]>> = seen.words.iter().map(super::word::Word::known).collect();
        if let Some(words) = known.filter(|words| !words.is_empty()) {
            match_patterns(&words.join(&b' '), Where::Command(seen.span), bench.policy, findings);
        }
        match_only(seen, bench.policy, findings);
        command::judge(seen, bench, findings);
    }
}

fn walked(step: &Step, text: &[u8], bench: &Bench<'_>) -> Walked {
    match step {
        Step::Argv(words) => walk::walk_words(words, bench.world()),
        Step::Shell(_) | Step::Script { .. } => walk::walk(text, reads(step, bench), bench.world()),
    }
}

fn reads(step: &Step, bench: &Bench<'_>) -> Reads {
    let named = match step {
        Step::Argv(_) | Step::Shell(_) => Reads::of(bench.policy.shell()),
        Step::Script { shell, .. } => Reads::of_script(*shell),
    };
    named.here(bench.look)
}

/// What is judged by the letters of the text: operators first, as one contract wants it.
fn literally(step: &Step, text: &[u8], bench: &Bench<'_>, findings: &mut Findings) {
    let reads = reads(step, bench);
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
        let message = format!("the regex \"{}\" matches: {}", pattern.regex.as_str(), pattern.why);
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

/// Every command must match one of the regexes that somebody listed, with the variables before it:
/// they decide what a name means. An unknown word is shown as one that no careful regex matches.
fn match_only(seen: &Seen, policy: &Policy, findings: &mut Findings) {
    let Some(list) = policy.commands().only.list() else {
        return;
    };
    let assigned = seen.assigned.iter().map(|it| {
        let value = it.value.as_deref().map_or("*".into(), String::from_utf8_lossy);
        format!("{}={value}", String::from_utf8_lossy(&it.name))
    });
    let words = seen.words.iter().map(|word| word.shown().into_owned());
    let text = assigned.chain(words).collect::<Vec<_>>().join(" ");
    if list.iter().any(|regex| regex.finds(text.as_bytes()).is_some()) {
        return;
    }
    let shown: Vec<&str> = list.iter().map(|regex| regex.as_str()).collect();
    // Values of variables are not for showing.
    let names = seen.assigned.iter().map(|it| String::from_utf8_lossy(&it.name) + "=…");
    let words = seen.words.iter().map(|word| word.shown());
    let text = names.chain(words).collect::<Vec<_>>().join(" ");
    let message = format!("{text:?} matches none of the regexes that are listed");
    let remedy = format!("use a command that matches one of: {}", shown.join(", "));
    let span = Some(seen.span);
    findings
        .add(Weight::Deny, reason("commands.only", ReasonLayer::Pattern, span, message, remedy));
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
        let neutralised = std::mem::take(&mut findings.neutralised);
        let conditions = Conditions { neutralised, cage: findings.cage };
        let verdict = Verdict::ask(request, digest, policy.digest(), conditions);
        return Judgement { verdict, reasons };
    }
    let conditions = Conditions { neutralised: findings.neutralised, cage: findings.cage };
    let verdict = Verdict::allow(request, digest, policy.digest(), conditions);
    Judgement { verdict, reasons: Vec::new() }
}
