//! git that only looks, and settings of a repository that would run programs.
//!
//! Settings are obeyed where the cage holds whatever they start and any program may start. Where
//! git may only look, where programs are listed and in mode `read` they are set to values that do
//! no harm, or the command is refused.

use super::effect::{Kind, Target};
use super::judge::{Bench, reason};
use super::know::{Does, Settings};
use super::value::{Git, Mode};
use super::verdict::{Reason, ReasonLayer};
use super::walk::Seen;
use crate::scene::{Answer, Kind as Entry, Query};
use std::path::PathBuf;

/// What a read-only git says against a command.
pub(super) fn read_only(seen: &Seen, bench: &Bench<'_>) -> Vec<Reason> {
    if bench.policy.guards().git != Git::ReadOnly || !seen.is_called(b"git") {
        return Vec::new();
    }
    let mut reasons = Vec::new();
    let mut object = |span: [usize; 2], what: &str| {
        let message = format!("git {what} here, and it may only look");
        let remedy = "use log, show, diff --no-ext-diff, status, blame, branch --list and the like";
        reasons.push(reason("git-read-only", ReasonLayer::Policy, Some(span), message, remedy));
    };
    if let Some((span, what)) = unlisted(seen, bench) {
        object(span, &what);
    }
    for effect in seen.effects.iter().filter(|effect| effect.target != Target::Free) {
        match effect.kind() {
            Kind::Read | Kind::Environment | Kind::Unknown => {}
            Kind::Write | Kind::Delete | Kind::Permission => {
                object(effect.span, "changes something");
            }
            Kind::Run | Kind::Opaque => object(effect.span, "runs a program"),
            Kind::Network => object(effect.span, "reaches the network"),
            Kind::Signal => object(effect.span, "signals a process"),
            Kind::Other => match effect.does {
                Does::Catastrophe(_) | Does::HardToTakeBack(_) => {
                    object(effect.span, "changes something");
                }
                Does::Obeys(_) if foreign(seen, bench) => {
                    object(effect.span, "obeys the settings of another repository");
                }
                _ => {}
            },
        }
    }
    reasons
}

/// A sub-command that the list of those that look does not have.
fn unlisted(seen: &Seen, bench: &Bench<'_>) -> Option<([usize; 2], String)> {
    let list = bench.policy.guards().git_only.list()?;
    let at = *super::know::subcommand(&seen.words)?.first()?;
    let name = seen.words.get(at)?.known()?;
    let listed = list.iter().any(|glob| glob.matches(name));
    (!listed).then(|| (seen.span, format!("{} is not listed", String::from_utf8_lossy(name))))
}

/// What is said against settings that name programs and that no value switches off.
pub(super) fn settings(seen: &Seen, bench: &Bench<'_>) -> Option<Reason> {
    if !is_distrusted(bench) {
        return None;
    }
    let obeyed = seen.effects.iter().filter_map(|effect| match effect.does {
        Does::Obeys(settings) => Some((effect.span, settings)),
        _ => None,
    });
    let (span, message, remedy) = obeyed.into_iter().find_map(|(span, settings)| {
        let (message, remedy) =
            external(settings, seen, bench).or_else(|| unreadable(settings, seen, bench))?;
        Some((span, message, remedy))
    })?;
    let rule = match bench.policy.guards().git {
        Git::ReadOnly => "git-read-only",
        Git::Full => "git-settings",
    };
    Some(reason(rule, ReasonLayer::Policy, Some(span), message, remedy))
}

fn external(settings: Settings, seen: &Seen, bench: &Bench<'_>) -> Option<(String, &'static str)> {
    if seen.words.iter().any(|it| it.known() == Some(b"--no-ext-diff")) {
        return None;
    }
    let key = external_diff(settings, seen, bench)?;
    let message = format!("git runs what the repository names in {key} here");
    Some((message, "add --no-ext-diff, or let a person take the setting out of .git/config"))
}

/// A family of settings of which nobody can say which are set: no value switches off what has no
/// name.
fn unreadable(
    settings: Settings,
    seen: &Seen,
    bench: &Bench<'_>,
) -> Option<(String, &'static str)> {
    let is_unknown = |key: &str| {
        let known = |cwd: &PathBuf| {
            let query = Query::GitSetting { cwd: cwd.clone(), key: key.to_lowercase() };
            bench.look.look(&query) != Answer::Unknown
        };
        seen.works_in.is_empty() || !seen.works_in.iter().all(known)
    };
    let mut families = HARMLESS.iter().filter(|(_, key, _)| key.contains('*'));
    let (_, key, _) = families.find(|(which, key, _)| settings.holds(*which) && is_unknown(key))?;
    if seen.works_in.is_empty() {
        let message = format!("git runs what a repository names in {key}, and which is not clear");
        return Some((message, "write the directory out"));
    }
    let message = format!("git runs what {key} names, and the configuration cannot be read here");
    Some((message, "let a person look at .git/config, and at what it includes"))
}

/// Whether programs that a repository names must not start.
fn is_distrusted(bench: &Bench<'_>) -> bool {
    bench.policy.guards().git == Git::ReadOnly
        || bench.policy.programs().allow.list().is_some()
        || bench.policy.mode() == Mode::Read
}

/// `--exec-path=DIR` before a sub-command: as with the variable of that meaning, what git then
/// starts are not its own programs.
pub(super) fn own_programs(seen: &Seen) -> Option<Reason> {
    const OPTION: &[u8] = b"--exec-path=";
    if !seen.is_called(b"git") {
        return None;
    }
    let mut words = seen.words.iter().skip(1);
    words.find(|word| word.head().starts_with(OPTION))?;
    // Behind it must be something that git starts; alone it prints a path.
    words.find(|word| !word.head().starts_with(b"-"))?;
    let message = "--exec-path replaces git's own programs".to_string();
    let remedy = "leave the option out";
    let span = Some(seen.span);
    Some(reason("loader-variables", ReasonLayer::Policy, span, message, remedy))
}

/// Whether git works in a directory whose settings nobody can look at now: what is not there may
/// be anything when git comes to it. Where they can be looked at they are set to harmless values.
fn foreign(seen: &Seen, bench: &Bench<'_>) -> bool {
    seen.entered.iter().any(|path| {
        let there = bench.look.look(&Query::Kind(path.clone())) == Answer::Kind(Entry::Directory);
        bench.root != Some(path.as_path()) && !there
    })
}

/// Settings that a run of this command must not obey, with what they are set to instead.
pub(super) fn neutralised(seen: &Seen, bench: &Bench<'_>) -> Vec<(String, String)> {
    let mut obeyed = seen.effects.iter().filter_map(|effect| match effect.does {
        Does::Obeys(settings) => Some(settings),
        _ => None,
    });
    let Some(first) = obeyed.next().filter(|_| is_distrusted(bench)) else { return Vec::new() };
    let settings = obeyed.fold(first, Settings::and);
    let mut all = Vec::new();
    for (which, key, value) in HARMLESS.iter().filter(|(which, _, _)| settings.holds(*which)) {
        // Hooks lie in the repository without any setting.
        let keys = match *which == Settings::HOOKS {
            true => vec![(*key).to_string()],
            false => set(key, seen, bench),
        };
        all.extend(keys.into_iter().map(|key| (key, (*value).to_string())));
    }
    all
}

/// A setting that runs a program and that no value switches off.
fn external_diff(settings: Settings, seen: &Seen, bench: &Bench<'_>) -> Option<String> {
    if !settings.holds(Settings::EXTERNAL_DIFF) {
        return None;
    }
    let keys = ["diff.external", "diff.*.command"];
    keys.iter().find_map(|key| set(key, seen, bench).into_iter().next())
}

/// The keys that the repository sets, by name or family; where nobody can say, the name itself.
fn set(key: &str, seen: &Seen, bench: &Bench<'_>) -> Vec<String> {
    if seen.works_in.is_empty() {
        return vec![key.to_string()];
    }
    let mut keys = Vec::new();
    for cwd in &seen.works_in {
        let query = Query::GitSetting { cwd: cwd.clone(), key: key.to_lowercase() };
        match bench.look.look(&query) {
            Answer::Absent => {}
            Answer::Text(found) if key.contains('*') => {
                let found = String::from_utf8_lossy(found.as_slice()).into_owned();
                keys.extend(found.lines().map(str::to_string));
            }
            Answer::Text(_)
            | Answer::Unknown
            | Answer::Kind(_)
            | Answer::Path(_)
            | Answer::Program(_)
            | Answer::Paths(_)
            | Answer::Tree(_)
            | Answer::Kept(_) => keys.push(key.to_string()),
        }
    }
    keys.dedup();
    keys
}

/// Keys and families of keys that name programs, and the value that does no harm.
const HARMLESS: &[(Settings, &str, &str)] = &[
    (Settings::FSMONITOR, "core.fsmonitor", "false"),
    (Settings::HOOKS, "core.hooksPath", "/dev/null"),
    (Settings::PAGER, "core.pager", "cat"),
    (Settings::EDITOR, "core.editor", "true"),
    (Settings::GPG, "gpg.program", "false"),
    (Settings::GPG, "gpg.openpgp.program", "false"),
    (Settings::GPG, "gpg.x509.program", "false"),
    (Settings::GPG, "gpg.ssh.program", "false"),
    (Settings::SSH, "core.sshCommand", "false"),
    (Settings::CREDENTIAL, "credential.helper", ""),
    (Settings::TEXTCONV, "diff.*.textconv", "cat"),
    (Settings::FILTER, "filter.*.clean", "cat"),
    (Settings::FILTER, "filter.*.smudge", "cat"),
    (Settings::FILTER, "filter.*.process", ""),
];
