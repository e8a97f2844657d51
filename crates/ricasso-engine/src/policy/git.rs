//! `guards.git = "read-only"`: git that only looks, and settings of a repository that would run
//! programs.

use super::effect::Kind;
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
        let remedy = "use log, show, diff, status, blame, branch --list and the like";
        reasons.push(reason("git-read-only", ReasonLayer::Policy, Some(span), message, remedy));
    };
    for effect in &seen.effects {
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
        for (which, key, value) in PLAIN {
            if settings.holds(*which) {
                all.push(((*key).to_string(), (*value).to_string()));
            }
        }
        for (which, family, value) in FAMILIES {
            if !settings.holds(*which) {
                continue;
            }
            let cwd = bench.places.cwd.to_path_buf();
            let query = Query::GitSetting { cwd, key: (*family).to_string() };
            if let Answer::Text(keys) = bench.look.look(&query) {
                let keys = String::from_utf8_lossy(keys.as_slice()).into_owned();
                all.extend(keys.lines().map(|key| (key.to_string(), (*value).to_string())));
            }
        }
    }
    all
}

/// Keys that name programs, and the value that names none.
const PLAIN: &[(Settings, &str, &str)] = &[
    (Settings::FSMONITOR, "core.fsmonitor", "false"),
    (Settings::HOOKS, "core.hooksPath", "/dev/null"),
    (Settings::EXTERNAL_DIFF, "diff.external", ""),
    (Settings::PAGER, "core.pager", "cat"),
    (Settings::EDITOR, "core.editor", "true"),
    (Settings::GPG, "gpg.program", "false"),
    (Settings::SSH, "core.sshCommand", "false"),
    (Settings::CREDENTIAL, "credential.helper", ""),
];

/// Families of keys, each member of which names a program.
const FAMILIES: &[(Settings, &str, &str)] = &[
    (Settings::TEXTCONV, "diff.*.textconv", "cat"),
    (Settings::EXTERNAL_DIFF, "diff.*.command", ""),
    (Settings::FILTER, "filter.*.clean", "cat"),
    (Settings::FILTER, "filter.*.smudge", "cat"),
    (Settings::FILTER, "filter.*.process", ""),
];
