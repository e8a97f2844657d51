//! The command's environment: an allow-list, what keeps tools quiet, and what the caller set.

use super::files;
use super::site::Site;
use crate::policy::Policy;
use crate::request::{Bytes, Request};
use ricasso_os::{Cage, Namespaces, Tmp};
use serde::Serialize;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Where programs are looked for when nobody says.
const PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// What the screen of a terminal understands. Presets say `dumb`, which is true of pipes.
const TERMINAL: &[u8] = b"xterm-256color";

/// Variables that name the directory for temporary files.
pub const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// What of ricasso's own environment a policy passes on. It is found out once for an engine: each
/// name is compared with some hundred globs, which costs a tenth of a bare spawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed(Vec<(Bytes, Bytes)>);

impl Passed {
    /// What this policy passes on of this environment.
    pub fn of(policy: &Policy, environment: &[(Bytes, Bytes)]) -> Passed {
        let passes = |(name, _): &&(Bytes, Bytes)| policy.passes(name.as_slice());
        Passed(environment.iter().filter(passes).cloned().collect())
    }
}

/// The whole environment as `NAME=value`, each name once: the caller's word counts most, then what
/// the policy keeps, then its `set`, then what is passed on. Settings of git that must not be
/// obeyed come last.
pub(super) fn of(
    policy: &Policy,
    request: &Request,
    Passed(environment): &Passed,
    site: &Site,
    neutralised: &[(String, String)],
) -> Vec<Vec<u8>> {
    let cage = site.built.as_deref();
    let mut variables: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut put =
        |name: &[u8], value: &[u8]| match variables.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.to_vec(),
            None => variables.push((name.to_vec(), value.to_vec())),
        };
    for (name, value) in environment {
        put(name.as_slice(), value.as_slice());
    }
    put(b"PATH", &site.path);
    let passed =
        |wanted: &str| environment.iter().any(|(name, _)| name.as_slice() == wanted.as_bytes());
    for (name, value) in cage.into_iter().flat_map(caged) {
        put(name.as_bytes(), value.as_os_str().as_encoded_bytes());
    }
    for (name, value) in cage.into_iter().flat_map(|cage| TEMPORARY.map(|name| (name, tmp(cage)))) {
        // Where they lead outside, nothing can be written.
        if passed(name) {
            put(name.as_bytes(), value.as_os_str().as_encoded_bytes());
        }
    }
    for (name, value) in policy.env().set.iter() {
        if !(policy.env().keeps(name.as_bytes()) && passed(name)) {
            put(name.as_bytes(), value.as_bytes());
        }
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

/// Where programs are looked for behind these walls, unless the policy or the caller says.
pub(super) fn path(Passed(environment): &Passed, cage: Option<&Cage>) -> Vec<u8> {
    let passed = environment.iter().find(|(name, _)| name.as_slice() == b"PATH");
    open_only(passed.map_or(PATH, |(_, value)| value.as_slice()), cage)
}

/// What every command gets of this environment, and what the policy sets: the variables that a
/// judge may take for known. Others are unset when the command runs, whatever they are here.
pub fn inherited(policy: &Policy, Passed(passed): &Passed) -> Vec<(Bytes, Bytes)> {
    let mut all = passed.clone();
    for (name, value) in policy.env().set.iter() {
        let kept = policy.env().keeps(name.as_bytes())
            && all.iter().any(|(known, _)| known.as_slice() == name.as_bytes());
        if !kept {
            all.push((name.as_str().into(), value.as_str().into()));
        }
    }
    all
}

/// Whether nobody named a kind of terminal of their own.
fn is_dumb(policy: &Policy) -> bool {
    policy.env().set.iter().all(|(name, value)| name != "TERM" || value == "dumb")
}

/// Directories of `PATH` without those that the cage closes: a shell that may not look into one
/// says of a program that is nowhere that it is forbidden.
fn open_only(path: &[u8], cage: Option<&Cage>) -> Vec<u8> {
    let closed = |directory: &&[u8]| {
        // /sbin is another name of /usr/sbin on most machines.
        let real = if *directory == b"/sbin" { b"/usr/sbin" } else { *directory };
        let real = files::tidy(OsStr::from_bytes(real).into());
        cage.is_some_and(|cage| cage.hide.iter().any(|hidden| files::holds(hidden, &real)))
    };
    let open: Vec<&[u8]> = path.split(|byte| *byte == b':').filter(|it| !closed(it)).collect();
    open.join(&b':')
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
    let mut all = Vec::new();
    for (name, _) in environment.iter().filter(|(name, _)| !policy.passes(name.as_slice())) {
        let text = String::from_utf8_lossy(name.as_slice()).into_owned();
        let own = env.set.iter().any(|(set, _)| set.as_bytes() == name.as_slice());
        let why = if own {
            "env.set gives it a value of its own"
        } else if policy.redact().hides(name.as_slice()) {
            "redact.env calls it a secret, and env.pass does not name it"
        } else if policy.is_sensitive(name.as_slice()) {
            "env.secret lists it, and env.pass does not name it"
        } else if env.drop.iter().any(|glob| glob.matches(name.as_slice())) {
            "env.drop names it"
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
    let tmp = tmp(cage);
    let mut all =
        vec![("XDG_CACHE_HOME", tmp.join("cache")), ("npm_config_cache", tmp.join("npm"))];
    if !is_shown(cage) {
        all.push(("TMPDIR", tmp));
    }
    all
}

/// Where a caged command finds its directory for temporary files.
fn tmp(cage: &Cage) -> PathBuf {
    match &cage.tmp {
        Tmp::Session(path) | Tmp::Layered(path) if !is_shown(cage) => path.clone(),
        Tmp::Session(_) | Tmp::Layered(_) | Tmp::Private | Tmp::Host => PathBuf::from("/tmp"),
    }
}

/// Whether that directory is mounted as /tmp.
fn is_shown(cage: &Cage) -> bool {
    match cage.walls.namespaces {
        Namespaces::User | Namespaces::Root => true,
        Namespaces::None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Preset;

    #[test]
    fn what_no_command_gets_is_not_known_to_the_judge() {
        let pair = |name: &str, value: &str| (Bytes::from(name), Bytes::from(value));
        let environment = [pair("DRY_RUN", "echo"), pair("HOME", "/h"), pair("PAGER", "vi")];
        let policy = Policy::preset(Preset::Open);
        let known = inherited(&policy, &Passed::of(&policy, &environment));
        let value = |name: &str| {
            let is = |known: &Bytes| known.as_slice() == name.as_bytes();
            known.iter().rev().find(|(known, _)| is(known)).map(|(_, value)| value.clone())
        };
        assert_eq!(value("DRY_RUN"), None);
        assert_eq!(value("HOME"), Some("/h".into()));
        assert_eq!(value("PAGER"), Some("cat".into()));
    }
}
