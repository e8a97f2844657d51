//! `guards.git = "read-only"`: git that only looks, and settings of a repository that would run
//! programs.

use super::effect::{Kind, Target};
use super::judge::{Bench, reason};
use super::know::{Does, Settings};
use super::value::Git;
use super::verdict::{Reason, ReasonLayer};
use super::walk::Seen;
use crate::scene::{Answer, Query};

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
                Does::Obeys(settings) => {
                    let off = seen.words.iter().any(|it| it.known() == Some(b"--no-ext-diff"));
                    if let Some(key) = external_diff(settings, bench).filter(|_| !off) {
                        let what = format!("runs what the repository names in {key}");
                        object(effect.span, &what);
                    }
                }
                _ => {}
            },
        }
    }
    reasons
}

/// Whether git works in another directory than that of the workspace: what the repository there
/// says is nobody's word.
fn foreign(seen: &Seen, bench: &Bench<'_>) -> bool {
    let root = bench.root;
    seen.entered.iter().any(|path| Some(path.as_path()) != root)
}

/// Settings that a run of this command must not obey, with what they are set to instead.
pub(super) fn neutralised(seen: &Seen, bench: &Bench<'_>) -> Vec<(String, String)> {
    if bench.policy.guards().git != Git::ReadOnly {
        return Vec::new();
    }
    let mut all = Vec::new();
    for effect in &seen.effects {
        let Does::Obeys(settings) = effect.does else { continue };
        for (which, key, value) in HARMLESS {
            if settings.holds(*which) {
                let keys = set(key, bench).into_iter();
                all.extend(keys.map(|key| (key, (*value).to_string())));
            }
        }
    }
    all
}

/// A setting that runs a program and that no value switches off.
fn external_diff(settings: Settings, bench: &Bench<'_>) -> Option<String> {
    if !settings.holds(Settings::EXTERNAL_DIFF) {
        return None;
    }
    ["diff.external", "diff.*.command"].iter().find_map(|key| set(key, bench).into_iter().next())
}

/// The keys that the repository sets, by name or family; where nobody can say, the name itself.
fn set(key: &str, bench: &Bench<'_>) -> Vec<String> {
    let cwd = bench.places.cwd.to_path_buf();
    match bench.look.look(&Query::GitSetting { cwd, key: key.to_lowercase() }) {
        Answer::Absent => Vec::new(),
        Answer::Text(keys) if key.contains('*') => {
            String::from_utf8_lossy(keys.as_slice()).lines().map(str::to_string).collect()
        }
        Answer::Text(_)
        | Answer::Unknown
        | Answer::Kind(_)
        | Answer::Path(_)
        | Answer::Program(_)
        | Answer::Paths(_)
        | Answer::Tree(_)
        | Answer::Kept(_) => vec![key.to_string()],
    }
}

/// Keys and families of keys that name programs, and the value that does no harm.
const HARMLESS: &[(Settings, &str, &str)] = &[
    (Settings::FSMONITOR, "core.fsmonitor", "false"),
    (Settings::HOOKS, "core.hooksPath", "/dev/null"),
    (Settings::PAGER, "core.pager", "cat"),
    (Settings::EDITOR, "core.editor", "true"),
    (Settings::GPG, "gpg.program", "false"),
    (Settings::GPG, "gpg.*.program", "false"),
    (Settings::SSH, "core.sshCommand", "false"),
    (Settings::CREDENTIAL, "credential.helper", ""),
    (Settings::TEXTCONV, "diff.*.textconv", "cat"),
    (Settings::FILTER, "filter.*.clean", "cat"),
    (Settings::FILTER, "filter.*.smudge", "cat"),
    (Settings::FILTER, "filter.*.process", ""),
];
