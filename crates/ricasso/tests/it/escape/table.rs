//! The attempts as they are written down in `cases/escape`.

use super::stage::{Actor, Machine};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the attempts are about.
pub(super) const CLASSES: &[&str] = &[
    "files",
    "metadata",
    "programs",
    "network",
    "processes",
    "descriptors",
    "kernel",
    "links",
    "calls",
    "later",
    "doors",
    "code",
    "reach",
    "beside",
    "secrets",
    "grants",
    "trees",
    "nested",
    "newer",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Texts of policies that attempts name.
    #[serde(default)]
    policies: BTreeMap<String, String>,
    attempt: Vec<Attempt>,
}

/// One way out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attempt {
    pub(super) name: String,
    #[serde(default)]
    pub(super) class: String,
    /// Modes in which it must be held.
    #[serde(default = "both_modes")]
    pub(super) modes: Vec<String>,
    /// Reaches of the network under which it must be held; nothing is the mode's own.
    #[serde(default)]
    pub(super) nets: Vec<String>,
    /// The policy under which it must be held: a name in the table, then its text.
    #[serde(default)]
    pub(super) policy: Option<String>,
    /// A verb of the probe that stands outside: a process, a listener, an object of the kernel.
    #[serde(default)]
    pub(super) stand: Option<String>,
    /// A file outside that is the standard input.
    #[serde(default)]
    pub(super) input: Option<String>,
    /// A command that stands round ricasso itself.
    #[serde(default)]
    pub(super) wrap: Option<String>,
    /// Shell text that runs outside before, while (when the act has made `ready`) and after.
    #[serde(default)]
    pub(super) before: Option<String>,
    #[serde(default)]
    pub(super) during: Option<String>,
    #[serde(default)]
    pub(super) after: Option<String>,
    /// The shell text that is tried.
    pub(super) act: String,
    /// How it is seen: see `Effect`.
    pub(super) effect: String,
    /// Only as this user: `root` or `nobody`.
    #[serde(default)]
    pub(super) only: Option<String>,
    /// Why the host may forbid it even in the open. Without this the effect must show there.
    #[serde(default)]
    pub(super) host: Option<String>,
    /// Why only a cage with namespaces holds this, which the documentation says.
    #[serde(default)]
    pub(super) namespaces: Option<String>,
    /// The control runs without ricasso at all, since every mode holds this.
    #[serde(default)]
    pub(super) bare: bool,
    /// Known to get through; the suite fails when it no longer does and this is still here.
    #[serde(default)]
    pub(super) escapes: Option<Escapes>,
    /// Why a refusal to run is as good as a cage here.
    #[serde(default)]
    pub(super) refusal: Option<String>,
}

/// Where an attempt is known to get through, and why.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Escapes {
    /// `namespaces`, `no namespaces` or `both`.
    on: String,
    pub(super) why: String,
    /// What the reply says of it.
    pub(super) hint: String,
}

/// What shows from outside that an attempt got through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Something below this directory of the stage has changed.
    Changed(String),
    /// The stand tells another state than before.
    Stand,
    /// The output holds these words, which it can know from outside only.
    Said(String),
    /// This file has come into being.
    Exists(String),
    /// This file is gone.
    Gone(String),
    /// This file has come into being or changed, and the reply does not name it as obeyed later.
    Unnamed(String),
}

fn both_modes() -> Vec<String> {
    vec!["read".into(), "workspace".into()]
}

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/escape")
}

/// All attempts, each with its class and the text of its policy filled in.
pub(super) fn read() -> Vec<Attempt> {
    let mut all = Vec::new();
    for class in CLASSES {
        let path = folder().join(format!("{class}.toml"));
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for mut attempt in file.attempt {
            attempt.class = (*class).to_string();
            attempt.policy =
                attempt.policy.map(|name| file.policies.get(&name).expect(&name).clone());
            all.push(attempt);
        }
    }
    all
}

impl Attempt {
    pub(super) fn is_for(&self, actor: Actor) -> bool {
        match self.only.as_deref() {
            Some("root") => actor == Actor::Root,
            Some("nobody") => actor != Actor::Root,
            Some(other) => panic!("{}: only as {other}?", self.name),
            None => true,
        }
    }

    /// What is known of it, if it is known to get through on this machine.
    pub(super) fn known_escape(&self, machine: Machine) -> Option<&Escapes> {
        let escapes = self.escapes.as_ref()?;
        let here = match machine.has_namespaces() {
            true => ["namespaces", "both"],
            false => ["no namespaces", "both"],
        };
        here.contains(&escapes.on.as_str()).then_some(escapes)
    }

    pub(super) fn seen_by(&self) -> Effect {
        let (kind, rest) = self.effect.split_once(' ').unwrap_or((&self.effect, ""));
        match kind {
            "changed" => Effect::Changed(rest.into()),
            "stand" => Effect::Stand,
            "said" => Effect::Said(rest.into()),
            "exists" => Effect::Exists(rest.into()),
            "gone" => Effect::Gone(rest.into()),
            "unnamed" => Effect::Unnamed(rest.into()),
            other => panic!("{}: an effect is not seen by {other}", self.name),
        }
    }

    /// That the row makes sense by itself.
    pub(super) fn check(&self) {
        let name = &self.name;
        assert!(!self.act.trim().is_empty(), "{name}: no act");
        assert!(!self.modes.is_empty(), "{name}: held in no mode");
        let known = |mode: &String| ["read", "workspace"].contains(&mode.as_str());
        assert!(self.modes.iter().all(known), "{name}: {:?}", self.modes);
        if self.seen_by() == Effect::Stand {
            assert!(self.stand.is_some(), "{name}: nothing stands outside");
        }
        if let Some(escapes) = &self.escapes {
            assert!(
                ["namespaces", "no namespaces", "both"].contains(&escapes.on.as_str()),
                "{name}"
            );
            assert!(!escapes.why.is_empty(), "{name}: gets through, and nobody says why");
            assert!(!escapes.hint.is_empty(), "{name}: gets through, and no reply says so");
        }
        if let Effect::Said(words) = self.seen_by() {
            assert!(!words.is_empty(), "{name}: says nothing");
        }
    }
}
