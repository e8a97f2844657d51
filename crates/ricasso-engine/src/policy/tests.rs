//! The verdict cases: every file under `cases/verdict`, and replay of each from its own record.

mod properties;
mod work;

use super::{Extends, Layer, Origin, Overrides, Policy, Preset, extends, judge};
use crate::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use crate::scene::{Answer, Described, Fact, Live, Look, Query, Recorded, Scene};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Mutex;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(default)]
    case: Vec<Case>,
    #[serde(default)]
    group: Vec<Group>,
}

/// Many commands with one answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    policy: String,
    verdict: String,
    rule: Option<String>,
    commands: Vec<String>,
}

impl Group {
    fn cases(self) -> Vec<Case> {
        let one = |command: String| Case {
            command: Some(command),
            argv: None,
            policy: self.policy.clone(),
            env: BTreeMap::new(),
            verdict: self.verdict.clone(),
            rule: self.rule.clone(),
        };
        self.commands.into_iter().map(one).collect()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    command: Option<String>,
    argv: Option<Vec<String>>,
    policy: String,
    #[serde(default)]
    env: BTreeMap<String, String>,
    verdict: String,
    rule: Option<String>,
}

fn cases() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

fn read_cases() -> Vec<Case> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(cases().join("verdict"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no case files");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let cases: Cases =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let groups = cases.group.into_iter().flat_map(Group::cases);
        cases.case.into_iter().chain(groups).collect::<Vec<Case>>()
    };
    files.into_iter().flat_map(read).collect()
}

/// The policies of the cases; each is loaded once.
#[derive(Default)]
struct Policies(HashMap<String, Policy>);

impl Policies {
    fn get(&mut self, name: &str) -> &Policy {
        self.0.entry(name.to_string()).or_insert_with(|| policy(name))
    }
}

fn policy(name: &str) -> Policy {
    if let Some(preset) = Preset::named(name) {
        return Policy::preset(preset);
    }
    let mut layers = Vec::new();
    let mut next = Some(format!("{name}.toml"));
    while let Some(name) = next {
        let path = cases().join("policies").join(&name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let layer = Layer { origin: Origin::User, name, text };
        next = match extends(&layer).unwrap_or_else(|e| panic!("{e}")) {
            Extends::File(name) => Some(name),
            Extends::Nothing | Extends::Preset(_) => None,
        };
        layers.insert(0, layer);
    }
    Policy::from_layers(&layers, &Overrides::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn request(case: &Case) -> Request {
    let step = match (&case.command, &case.argv) {
        (Some(text), None) => Step::Shell(text.as_str().into()),
        (None, Some(words)) => Step::Argv(words.iter().map(|word| word.as_str().into()).collect()),
        (Some(_), Some(_)) | (None, None) => panic!("a case has a command or an argv"),
    };
    let env = case.env.iter().map(|(name, value)| (name.as_str().into(), value.as_str().into()));
    Request {
        steps: vec![step],
        on_failure: OnFailure::Stop,
        cwd: "/home/user/project".into(),
        workspace: Some("/home/user/project".into()),
        env: env.collect(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "s".into(), client: None },
        manner: Manner::default(),
    }
}

fn world() -> Described {
    Described::new()
        .set("HOME", "/home/user")
        .link("/home/user/project/foo", "/usr/sbin/shutdown")
        .link("/usr/bin/halt-now", "/usr/sbin/shutdown")
        .link("/usr/bin/pidof", "/usr/sbin/killall5")
        .link("/usr/bin/end-all", "/usr/sbin/killall5")
        .link("/home/user/project/git", "/usr/bin/sh")
        .set("PWD", "/home/user/project")
        .directory("/home/user/project/.git")
        .directory("/home/user/project/near")
        .directory("/home/user/project/mirror.git")
        .git_setting("remote.near.url", "./near")
        .git_setting("remote.beside.url", "/home/user/out/x.git")
        .git_setting("remote.far.url", "https://h.example/x.git")
        .file("/home/user/out/secret.txt")
        .link("/home/user/project/link", "/home/user/out")
        .link("/home/user/project/linkfile", "/home/user/out/secret.txt")
}

/// Writes down what another one says.
struct Noting<'a> {
    world: &'a dyn Look,
    facts: Mutex<Vec<Fact>>,
}

impl Look for Noting<'_> {
    fn look(&self, query: &Query) -> Answer {
        let answer = self.world.look(query);
        let fact = Fact { query: query.clone(), answer: answer.clone() };
        self.facts.lock().unwrap().push(fact);
        answer
    }
}

#[test]
fn every_case_gets_its_verdict_and_its_rule() {
    let world = world();
    let mut wrong = Vec::new();
    let mut policies = Policies::default();
    for case in read_cases() {
        let judgement = judge(&request(&case), policies.get(&case.policy), &world);
        let rule = judgement.reasons.first().map(|reason| reason.rule.clone());
        let verdict = judgement.verdict.name();
        if verdict != case.verdict || rule != case.rule {
            let text = case.command.unwrap_or_else(|| case.argv.unwrap().join(" "));
            wrong.push(format!("{text:?} under {}: {verdict} {rule:?}", case.policy));
        }
        for reason in &judgement.reasons {
            assert!(!reason.remedy.is_empty() && !reason.message.is_empty(), "{reason:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn replay_from_the_recorded_scene_gives_the_same_verdict() {
    let world = world();
    let mut policies = Policies::default();
    for case in read_cases() {
        let (request, policy) = (request(&case), policies.get(&case.policy));
        let noting = Noting { world: &world, facts: Mutex::default() };
        let first = judge(&request, policy, &noting);
        let scene = Scene { facts: noting.facts.into_inner().unwrap() };
        let kept = serde_json::to_string(&scene).unwrap();
        let recorded = Recorded::new(serde_json::from_str(&kept).unwrap());
        let again = judge(&request, policy, &recorded);
        assert_eq!(again.verdict.name(), first.verdict.name());
        assert_eq!(again.reasons, first.reasons);
    }
}

#[test]
fn replay_of_what_was_seen_live_gives_the_same_verdict() {
    let mut policies = Policies::default();
    // Each case counts what lies below its targets, so a part of them will do for every day.
    let step = if std::env::var_os("RICASSO_LONG").is_some() { 1 } else { 20 };
    for case in read_cases().into_iter().step_by(step) {
        let (mut request, policy) = (request(&case), policies.get(&case.policy));
        request.cwd = "/".into();
        let variables = [("PATH", "/usr/bin:/bin"), ("HOME", "/root")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let live = Live::new([variables.as_slice()]);
        let first = judge(&request, policy, &live);
        let again = judge(&request, policy, &Recorded::new(live.into_scene()));
        assert_eq!(again.verdict.name(), first.verdict.name());
        assert_eq!(again.reasons, first.reasons);
    }
}

#[test]
fn a_grant_is_for_its_request_and_policy_alone() {
    let case = |command: &str| Case {
        command: Some(command.into()),
        argv: None,
        policy: "open".into(),
        env: BTreeMap::new(),
        verdict: String::new(),
        rule: None,
    };
    let (one, other) = (request(&case("ls")), request(&case("ls -l")));
    let open = Policy::preset(Preset::Open);
    let super::Verdict::Allow(grant) = judge(&one, &open, &world()).verdict else {
        panic!("ls is allowed");
    };
    assert!(grant.is_for(&one) && !grant.is_for(&other));
    assert!(grant.is_under(&open) && !grant.is_under(&Policy::preset(Preset::Read)));
    let asked = request(&case("$X"));
    let super::Verdict::Ask(question) = judge(&asked, &open, &world()).verdict else {
        panic!("an unknown program is asked about");
    };
    let grant = question.answer_yes("anna".into());
    assert!(grant.is_for(&asked) && !grant.is_for(&one));
    assert_eq!(grant.by(), &super::By::Answer("anna".into()));
}

#[test]
fn a_random_text_never_breaks_the_judge() {
    let (world, policy) = (world(), policy("careful"));
    arbtest::arbtest(|u| {
        let text: Vec<u8> = u.arbitrary()?;
        let mut request = request(&read_one());
        request.steps = vec![Step::Shell(text.into())];
        let _ = judge(&request, &policy, &world);
        Ok(())
    })
    .budget_ms(300);
}

fn read_one() -> Case {
    Case {
        command: Some("ls".into()),
        argv: None,
        policy: "open".into(),
        env: BTreeMap::new(),
        verdict: String::new(),
        rule: None,
    }
}
