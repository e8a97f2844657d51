//! The command's environment: an allow-list, what keeps tools quiet, and what the caller set.

use crate::policy::Policy;
use crate::request::{Bytes, Request};
use ricasso_os::{Cage, Namespaces, Tmp};
use serde::Serialize;
use std::path::PathBuf;

/// Where programs are looked for when nobody says.
const PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the screen of a terminal understands. Presets say `dumb`, which is true of pipes.
const TERMINAL: &[u8] = b"xterm-256color";

/// The whole environment as `NAME=value`, each name once: the caller's word counts most, then the
/// policy's `set`, then what is passed on. Settings of git that must not be obeyed come last.
pub(super) fn of(
    policy: &Policy,
    request: &Request,
    environment: &[(Bytes, Bytes)],
    cage: Option<&Cage>,
    neutralised: &[(String, String)],
) -> Vec<Vec<u8>> {
    let mut variables: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut put =
        |name: &[u8], value: &[u8]| match variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.to_vec(),
            None => variables.push((name.to_vec(), value.to_vec())),
        };
    put(b"PATH", PATH);
    for (name, value) in environment {
        if policy.env().pass.iter().any(|glob| glob.matches(name.as_slice())) {
            put(name.as_slice(), value.as_slice());
        }
    }
    for (name, value) in cage.into_iter().flat_map(caged) {
        put(name.as_bytes(), value.as_os_str().as_encoded_bytes());
    }
    for (name, value) in policy.env().set.iter() {
        put(name.as_bytes(), value.as_bytes());
    }
    if request.manner.terminal.is_some() && is_dumb(policy) {
        put(b"TERM", TERMINAL);
    }
    put(b"PWD", request.cwd.as_os_str().as_encoded_bytes());
    for (name, value) in &request.env {
        put(name.as_slice(), value.as_slice());
    }
    if !neutralised.is_empty() {
        put(b"GIT_CONFIG_COUNT", neutralised.len().to_string().as_bytes());
    }
    for (number, (key, value)) in neutralised.iter().enumerate() {
        put(format!("GIT_CONFIG_KEY_{number}").as_bytes(), key.as_bytes());
        put(format!("GIT_CONFIG_VALUE_{number}").as_bytes(), value.as_bytes());
    }
    variables.into_iter().map(|(name, value)| [&name, &b"="[..], &value].concat()).collect()
}

/// Whether nobody named a kind of terminal of their own.
fn is_dumb(policy: &Policy) -> bool {
    policy.env().set.iter().all(|(name, value)| name != "TERM" || value == "dumb")
}

/// A variable that the command does not get, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Its name; its value is told to nobody.
    pub name: String,
    /// Why it was dropped.
    pub why: String,
    /// What would pass it on.
    pub remedy: String,
}

/// The variables of `environment` that no command gets from it under this policy, in their order.
pub fn dropped(policy: &Policy, environment: &[(Bytes, Bytes)]) -> Vec<Dropped> {
    let env = policy.env();
    let secret = |name: &[u8]| policy.redact().env.iter().any(|glob| glob.matches(name));
    let mut all = Vec::new();
    for (name, _) in environment.iter().filter(|(name, _)| !env.passes(name.as_slice())) {
        let text = String::from_utf8_lossy(name.as_slice()).into_owned();
        let own = env.set.iter().any(|(set, _)| set.as_bytes() == name.as_slice());
        let why = if own {
            "env.set gives it a value of its own"
        } else if secret(name.as_slice()) {
            "redact.env calls it a secret, and env.pass does not name it"
        } else {
            "env.pass does not name it"
        };
        let remedy = format!("a person can add {text:?} to env.pass of the user's file");
        all.push(Dropped { name: text, why: why.to_owned(), remedy });
    }
    all
}

/// Where temporary files and caches go in a cage: the home cannot be written, and without mounts
/// the machine's /tmp cannot either.
fn caged(cage: &Cage) -> Vec<(&'static str, PathBuf)> {
    let shown = match cage.walls.namespaces {
        Namespaces::User | Namespaces::Root => true,
        Namespaces::None => false,
    };
    let tmp = match &cage.tmp {
        Tmp::Session(path) if !shown => path.clone(),
        Tmp::Session(_) | Tmp::Private | Tmp::Host => PathBuf::from("/tmp"),
    };
    let mut all =
        vec![("XDG_CACHE_HOME", tmp.join("cache")), ("npm_config_cache", tmp.join("npm"))];
    if !shown {
        all.push(("TMPDIR", tmp));
    }
    all
}
