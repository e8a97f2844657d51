//! From a case to a request, a policy and a world, and from their judgement to one word.

use super::case::{Case, Given, Surface};
use crate::Policies;
use crate::world;
use ricasso_engine::policy::{self, Judgement, Policy, Verdict};
use ricasso_engine::request::{Bytes, ScriptShell, Step};
use ricasso_engine::scene::Described;
use std::path::Path;

/// What was said about a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) verdict: &'static str,
    /// The rule of the first reason.
    pub(super) rule: String,
    /// Allowed, and the grant itself takes away what the case is about.
    pub(super) held: bool,
    /// What the measure could not do as the case says.
    pub(super) problem: Option<String>,
}

impl Told {
    fn refused(rule: &str, problem: Option<String>) -> Self {
        Self { verdict: "deny", rule: rule.to_string(), held: false, problem }
    }
}

/// Judges one case. What cannot be loaded or handed over is refused, as the product does.
pub(super) fn judge(case: &Case, policies: &Policies) -> Told {
    let policy = policies.load(&case.given.policy, &over(case));
    let policy = match policy.as_ref() {
        Ok(policy) => policy,
        Err(problem) => return Told::refused("load", Some(problem.clone())),
    };
    let Some(step) = step(case) else {
        return Told::refused("shell", None);
    };
    let env = case.given.env_param.iter();
    let env = env.map(|(name, value)| (name.as_str().into(), value.as_str().into())).collect();
    let request = world::request(step, world::cwd(case.given.cwd_param.as_deref()), env);
    if request.check().is_err() {
        return Told::refused("request", None);
    }
    let judgement = policy::judge(&request, policy, &scene(&case.given));
    let others: Vec<&str> = case.given.others.keys().map(String::as_str).collect();
    let problem = (!others.is_empty())
        .then(|| format!("nobody obeys these keys of a case: {}", others.join(", ")));
    Told {
        verdict: judgement.verdict.name(),
        rule: judgement.reasons.first().map_or_else(String::new, |reason| reason.rule.clone()),
        held: is_held(case, policy, &judgement),
        problem,
    }
}

/// What the case lays over its policy's file.
fn over(case: &Case) -> String {
    let mut text = String::new();
    let bash = case.works_in.is_empty() || case.works_in.iter().any(|shell| shell == "bash");
    if let Some(shell) = case.works_in.first().filter(|_| !bash) {
        text += &format!("shell = {}\n", quoted(shell));
    }
    if let Some(directories) = &case.given.allowed_cwd {
        text += &format!("[files]\ncwd = {}\n", list(directories));
    }
    let allow = case.given.allow.as_ref().or(case.given.allowed_commands.as_ref());
    let block = case.given.block.as_ref();
    if allow.is_some() || block.is_some() {
        text += "[programs]\n";
    }
    if let Some(names) = allow {
        text += &format!(
            "allow = {}\n",
            list(&names.iter().map(|name| exactly(name)).collect::<Vec<_>>())
        );
    }
    if let Some(names) = block {
        text += &format!(
            "deny = {}\n",
            list(&names.iter().map(|name| exactly(name)).collect::<Vec<_>>())
        );
    }
    text
}

/// A name as a glob that stands for it alone.
fn exactly(name: &str) -> String {
    name.replace('[', "[[]")
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// A TOML string; JSON's escapes are TOML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The step, or nothing where the caller asks for a shell that no request can name.
fn step(case: &Case) -> Option<Step> {
    let given = &case.given;
    if given.mode == Some(Surface::Execute) || given.args_param.is_some() {
        let arguments = given.args_param.iter().flatten().map(|word| word.as_str().into());
        return Some(Step::Argv(
            std::iter::once(Bytes::from(case.command.as_str())).chain(arguments).collect(),
        ));
    }
    match given.shell_param.as_deref() {
        None if given.mode.is_none() => Some(Step::Shell(case.command.as_str().into())),
        shell => {
            let shell = match shell.unwrap_or("bash") {
                "bash" => ScriptShell::Bash,
                "sh" => ScriptShell::Sh,
                "zsh" => ScriptShell::Zsh,
                _ => return None,
            };
            Some(Step::Script { text: case.command.as_str().into(), shell })
        }
    }
}

fn scene(given: &Given) -> Described {
    let mut world = world::common();
    if let Some((key, value)) = given.repo_config.as_deref().and_then(|line| line.split_once('=')) {
        world = world.git_setting(key, value);
    }
    if let Some(line) = &given.gitattributes {
        world = world.git_attributes(line.as_str());
    }
    if let Some(url) = &given.remote {
        world = world.git_setting("remote.origin.url", url.as_str());
    }
    match &given.touched {
        Some(path) => world.file(Path::new(world::WORKSPACE).join(path)),
        None => world,
    }
}

/// Allowed, but with what the case is about taken away: by the grant's own settings for git, or by
/// the cage where the case hides in code that nobody sees.
fn is_held(case: &Case, policy: &Policy, judgement: &Judgement) -> bool {
    let Verdict::Allow(grant) = &judgement.verdict else {
        return false;
    };
    let setting = case.given.repo_config.as_deref().and_then(|line| line.split_once('='));
    match case.given.policy.as_str() {
        "ws" | "ws-protected" | "nonet" => case.opaque && policy.is_caged() && grant.demands_cage(),
        "gitro-untrusted" => setting.is_some_and(|(key, _)| {
            let neutral = grant.neutralised().iter();
            neutral.into_iter().any(|(name, _)| name.eq_ignore_ascii_case(key))
        }),
        _ => false,
    }
}
