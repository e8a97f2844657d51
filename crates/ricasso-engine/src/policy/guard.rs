//! The destructive guard: what is catastrophic, and what is hard to take back.
//!
//! It judges effects, not names: whatever program deletes, overwrites or opens a place, the place
//! decides. Kinds of harm that no path shows come from the catalogue.

use super::effect::{Effect, Target};
use super::know::{Does, Harm};
use super::rights::TEMPORARY;
use super::walk::{Mark, Place, Seen};
use super::words::Meets;
use crate::scene::{Answer, Look, Query};
use std::path::{Path, PathBuf};

/// Directories that make the machine what it is.
const SYSTEM: [&str; 23] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/System",
    "/Library",
    "/Applications",
    "/private",
    "/Volumes",
    "/nix",
];

/// Directories of programs and files that the owner of the machine put there.
const LOCAL: [&str; 4] = ["/usr/local", "/opt", "/srv", "/Applications"];

/// Directories whose children are homes.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// Where keys and credentials lie below a home.
const KEYS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".kube", ".password-store", ".config/gcloud"];

/// Every rule of the guard that is no data.
pub(super) const RULES: [&str; 30] = [
    "backups",
    "change-disk",
    "delete-everything",
    "delete-outside",
    "delete-repository",
    "delete-workspace",
    "destroy-database",
    "destroy-remote",
    "discard-work",
    "endless-output",
    "fork-bomb",
    "global-tools",
    "kernel",
    "make-filesystem",
    "network-code",
    "open-to-all",
    "overwrite-disk",
    "overwrite-outside",
    "owner-or-mode-of-everything",
    "power",
    "processes",
    "protections",
    "publish",
    "rewrite-history",
    "services",
    "setuid",
    "system-packages",
    "unknown-target",
    "users",
    "volumes",
];

/// What the guard says of a command.
#[derive(Debug)]
pub(super) struct Danger {
    pub(super) rule: &'static str,
    pub(super) grave: Grave,
    pub(super) message: String,
    pub(super) remedy: &'static str,
    pub(super) span: Option<[usize; 2]>,
    /// The directory whose loss is meant, so that it can be counted.
    pub(super) lost: Option<PathBuf>,
}

/// How grave a danger is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grave {
    /// It may be meant: a person is asked.
    Hard,
    /// It is refused.
    Catastrophic,
}

/// The places that the guard compares with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Homeland<'a> {
    pub(super) workspace: Option<&'a Path>,
    pub(super) home: Option<&'a Path>,
    /// Other directories that the policy lets commands write to.
    pub(super) granted: &'a [PathBuf],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Root,
    System,
    Disk,
    Home,
    Keys,
    AboveWorkspace,
    Workspace,
    Git,
    Inside,
    Temporary,
    TemporaryItself,
    /// What the owner of the machine put there: /usr/local, /opt, /srv.
    Local,
    Outside,
}

/// The gravest danger of a command, of those that count.
pub(super) fn danger(
    seen: &Seen,
    land: Homeland<'_>,
    counts: impl Fn(&str) -> bool,
) -> Option<Danger> {
    let marks = seen.marks.iter().filter_map(|mark| of_mark(mark, seen));
    let effects = seen.effects.iter().filter_map(|effect| of_effect(effect, seen.place, land));
    let mut gravest: Option<Danger> = None;
    for danger in marks.chain(effects).filter(|danger| counts(danger.rule)) {
        if gravest.as_ref().is_none_or(|known| danger.grave > known.grave) {
            gravest = Some(danger);
        }
    }
    gravest
}

fn of_mark(mark: &Mark, seen: &Seen) -> Option<Danger> {
    let (rule, grave, message, remedy) = match mark {
        Mark::NetworkCode => (
            "network-code",
            Grave::Catastrophic,
            "code from the network would run before anybody has seen it",
            "fetch it into a file, read it, then run the file in mode workspace",
        ),
        Mark::ForkBomb => (
            "fork-bomb",
            Grave::Catastrophic,
            "this starts itself again and again without end",
            "run it once, or in a loop with an end",
        ),
        Mark::Endless => (
            "endless-output",
            Grave::Catastrophic,
            "this writes without end",
            "bound it, as with head -c",
        ),
        Mark::UnknownCode | Mark::Unreadable | Mark::Uncatalogued => return None,
    };
    let (message, span) = (message.to_string(), Some(seen.span));
    Some(Danger { rule, grave, message, remedy, span, lost: None })
}

fn of_effect(effect: &Effect, place: Place, land: Homeland<'_>) -> Option<Danger> {
    let danger = match effect.does {
        Does::Catastrophe(harm) => Some((harm_rule(harm), Grave::Catastrophic, harm_why(harm))),
        // Mounting or repairing one is no making of one.
        Does::HardToTakeBack(Harm::Disk) => {
            Some(("change-disk", Grave::Hard, harm_why(Harm::Disk)))
        }
        Does::HardToTakeBack(harm) => Some((harm_rule(harm), Grave::Hard, harm_why(harm))),
        _ => None,
    };
    if let Some((rule, grave, message)) = danger {
        if place == Place::Passing && rule != "network-code" {
            return None;
        }
        let grave = match (effect.sure, grave) {
            (Meets::Yes, grave) => grave,
            (Meets::Perhaps, Grave::Catastrophic) => Grave::Hard,
            (Meets::Perhaps, Grave::Hard) | (Meets::No, _) => return None,
        };
        let (message, span) = (message.to_string(), Some(effect.span));
        let remedy = "choose a form that can be taken back, or let a person do it";
        let lost = match &effect.target {
            Target::Path(path) if rule == "discard-work" => Some(path.clone()),
            _ => None,
        };
        return Some(Danger { rule, grave, message, remedy, span, lost });
    }
    match place {
        Place::Here => of_path(effect, land),
        Place::Away => of_path_away(effect),
        Place::Passing => None,
    }
}

fn of_path_away(effect: &Effect) -> Option<Danger> {
    let path = match &effect.target {
        Target::Path(path) => path,
        Target::Below { base, everything: true, .. } => base,
        _ => return None,
    };
    let ground = ground(path, Homeland { workspace: None, home: None, granted: &[] });
    let grave = match (effect.does, ground) {
        (Does::DeleteTree, Ground::Root | Ground::System | Ground::Home) => Grave::Catastrophic,
        (Does::Overwrite | Does::Edit | Does::Append, Ground::Disk) => Grave::Catastrophic,
        _ => return None,
    };
    Some(told(effect, path, grave, ground))
}

fn of_path(effect: &Effect, land: Homeland<'_>) -> Option<Danger> {
    let (path, whole) = match &effect.target {
        Target::Path(path) => (path.as_path(), true),
        Target::Below { base, everything, loose } => (base.as_path(), *everything || *loose),
        Target::Unknown => return of_unknown(effect, land),
        Target::Word | Target::Free => return None,
    };
    let loose = matches!(&effect.target, Target::Below { loose: true, .. });
    let ground = ground(path, land);
    let grave = match effect.does {
        Does::DeleteTree | Does::MoveAway => delete_tree(ground, whole, loose, effect),
        Does::DeleteSome => delete_some(ground),
        Does::Delete => delete_one(ground, effect),
        Does::Overwrite if ground == Ground::Workspace && whole && !loose => Some(Grave::Hard),
        Does::Overwrite | Does::Edit | Does::PutAt => overwrite(ground),
        Does::ChangeWorkTree => match ground {
            Ground::Root | Ground::System | Ground::Home | Ground::AboveWorkspace => {
                Some(Grave::Catastrophic)
            }
            _ => None,
        },
        Does::Append | Does::Create => append(ground),
        Does::Permission => permission(ground),
        Does::PermissionTree => permission_tree(ground),
        _ => None,
    }?;
    let grave = if effect.sure == Meets::Yes { grave } else { Grave::Hard };
    let told = told(effect, path, grave, ground);
    if ground == Ground::Workspace && grave == Grave::Hard && is_part(&effect.target) {
        let message = format!(
            "what is not known here decides what this deletes or changes in {}",
            path.display()
        );
        let remedy = "name the directory in plain words";
        return Some(Danger { message, remedy, lost: None, ..told });
    }
    Some(told)
}

/// `dist-$VERSION`: something below a directory, and the whole of it only by what climbs out.
fn is_part(target: &Target) -> bool {
    matches!(target, Target::Below { everything: false, loose: true, .. })
}

fn of_unknown(effect: &Effect, land: Homeland<'_>) -> Option<Danger> {
    let grave = match effect.does {
        Does::DeleteTree | Does::PermissionTree if effect.sure == Meets::Yes => Grave::Hard,
        _ => return None,
    };
    if let Some(danger) = of_nothing(effect, land) {
        return Some(danger);
    }
    let message = "what this would delete or change is not known before it runs".to_string();
    let remedy = "name the directory in plain words";
    let (span, lost) = (Some(effect.span), None);
    Some(Danger { rule: "unknown-target", grave, message, remedy, span, lost })
}

/// What is not known may be empty, as a variable that nobody sets: `$X/*` is then `/*`.
fn of_nothing(effect: &Effect, land: Homeland<'_>) -> Option<Danger> {
    let path = effect.word.as_ref()?.without_holes()?;
    let ground = ground(&path, land);
    match ground {
        Ground::Root | Ground::System | Ground::Home | Ground::AboveWorkspace => {}
        Ground::Disk | Ground::Keys | Ground::Workspace | Ground::Git | Ground::Inside => {
            return None;
        }
        Ground::Temporary | Ground::TemporaryItself | Ground::Local | Ground::Outside => {
            return None;
        }
    }
    // As grave as what it may become is the rule; that it is not certain is the weight.
    let told = Danger { grave: Grave::Hard, ..told(effect, &path, Grave::Catastrophic, ground) };
    let message = format!("where what is not known here is empty, {}", told.message);
    let remedy = "write \"${NAME:?}\", which fails where it is empty, or name the directory";
    Some(Danger { message, remedy, lost: None, ..told })
}

fn delete_tree(ground: Ground, whole: bool, loose: bool, effect: &Effect) -> Option<Grave> {
    match ground {
        Ground::Root | Ground::System | Ground::Disk | Ground::Home | Ground::Keys => {
            Some(Grave::Catastrophic)
        }
        Ground::AboveWorkspace if effect.does == Does::MoveAway => Some(Grave::Hard),
        Ground::Outside if effect.does == Does::MoveAway => None,
        Ground::AboveWorkspace | Ground::Outside | Ground::Local => Some(Grave::Catastrophic),
        Ground::Workspace if whole || loose => Some(Grave::Hard),
        Ground::Git => Some(Grave::Hard),
        Ground::Workspace | Ground::Inside | Ground::Temporary => None,
        Ground::TemporaryItself => (whole && !loose).then_some(Grave::Hard),
    }
}

fn delete_some(ground: Ground) -> Option<Grave> {
    match ground {
        Ground::Root
        | Ground::System
        | Ground::Disk
        | Ground::Home
        | Ground::Keys
        | Ground::AboveWorkspace
        | Ground::Local
        | Ground::Outside => Some(Grave::Catastrophic),
        Ground::Git => Some(Grave::Hard),
        Ground::Workspace | Ground::Inside | Ground::Temporary | Ground::TemporaryItself => None,
    }
}

fn delete_one(ground: Ground, effect: &Effect) -> Option<Grave> {
    let many = matches!(effect.target, Target::Below { .. });
    let all = matches!(effect.target, Target::Below { everything: true, .. });
    match ground {
        Ground::Root | Ground::System | Ground::Disk | Ground::Keys => Some(Grave::Catastrophic),
        Ground::Home | Ground::AboveWorkspace => Some(Grave::Catastrophic),
        Ground::Outside if many => Some(Grave::Catastrophic),
        Ground::Local | Ground::Outside => Some(Grave::Hard),
        Ground::Workspace if all => Some(Grave::Hard),
        Ground::Workspace
        | Ground::Git
        | Ground::Inside
        | Ground::Temporary
        | Ground::TemporaryItself => None,
    }
}

fn overwrite(ground: Ground) -> Option<Grave> {
    match ground {
        Ground::Root | Ground::System | Ground::Disk => Some(Grave::Catastrophic),
        Ground::Keys => Some(Grave::Hard),
        Ground::Home | Ground::AboveWorkspace | Ground::Outside | Ground::Local => None,
        Ground::Workspace | Ground::Git | Ground::Inside => None,
        Ground::Temporary | Ground::TemporaryItself => None,
    }
}

fn append(ground: Ground) -> Option<Grave> {
    match ground {
        Ground::Disk => Some(Grave::Catastrophic),
        Ground::Root | Ground::System | Ground::Keys => Some(Grave::Hard),
        Ground::Home | Ground::AboveWorkspace | Ground::Outside | Ground::Local => None,
        Ground::Workspace | Ground::Git | Ground::Inside => None,
        Ground::Temporary | Ground::TemporaryItself => None,
    }
}

fn permission(ground: Ground) -> Option<Grave> {
    match ground {
        Ground::Root | Ground::System | Ground::Disk => Some(Grave::Catastrophic),
        Ground::Home | Ground::AboveWorkspace => Some(Grave::Hard),
        Ground::Keys | Ground::Outside | Ground::Local => None,
        Ground::Workspace | Ground::Git | Ground::Inside => None,
        Ground::Temporary | Ground::TemporaryItself => None,
    }
}

fn permission_tree(ground: Ground) -> Option<Grave> {
    match ground {
        Ground::Root | Ground::System | Ground::Disk | Ground::Home => Some(Grave::Catastrophic),
        Ground::AboveWorkspace | Ground::Local => Some(Grave::Catastrophic),
        Ground::Keys | Ground::Outside => Some(Grave::Hard),
        Ground::Workspace | Ground::Git | Ground::Inside => None,
        Ground::Temporary | Ground::TemporaryItself => None,
    }
}

fn ground(path: &Path, land: Homeland<'_>) -> Ground {
    if path == Path::new("/") {
        return Ground::Root;
    }
    if let Some(root) = land.workspace {
        if path == root {
            return Ground::Workspace;
        }
        if let Ok(rest) = path.strip_prefix(root) {
            let mut parts = rest.components();
            let git = parts.next().is_some_and(|part| part.as_os_str() == ".git");
            return if git && parts.next().is_none() { Ground::Git } else { Ground::Inside };
        }
        if root.starts_with(path) {
            let home = land.home.is_some_and(|home| home == path);
            return if home { Ground::Home } else { Ground::AboveWorkspace };
        }
    }
    // A home and its keys are that wherever they lie, also in a directory that is granted.
    if let Some(home) = land.home {
        if path == home {
            return Ground::Home;
        }
        if let Ok(rest) = path.strip_prefix(home)
            && KEYS.iter().any(|keys| rest.starts_with(keys))
        {
            return Ground::Keys;
        }
    }
    if land.granted.iter().any(|root| path.starts_with(root) && path != root) {
        return Ground::Inside;
    }
    for root in TEMPORARY {
        if path == Path::new(root) {
            return Ground::TemporaryItself;
        }
        if path.starts_with(root) {
            return Ground::Temporary;
        }
    }
    if path.starts_with("/dev") {
        return Ground::Disk;
    }
    if path == Path::new("/root") {
        return Ground::Home;
    }
    if LOCAL.iter().any(|root| path.starts_with(root) && path != Path::new(root)) {
        return Ground::Local;
    }
    if SYSTEM.iter().any(|root| path.starts_with(root)) && !path.starts_with("/root") {
        return Ground::System;
    }
    let mut homes = HOMES.iter().map(Path::new);
    if homes.any(|root| path == root || path.parent() == Some(root)) {
        return Ground::Home;
    }
    Ground::Outside
}

fn told(effect: &Effect, path: &Path, grave: Grave, ground: Ground) -> Danger {
    let what = match ground {
        Ground::Root => "the whole file system",
        Ground::System => "a part of the system",
        Ground::Disk => "a device",
        Ground::Home => "a home directory",
        Ground::Keys => "keys",
        Ground::AboveWorkspace => "a directory that holds the workspace",
        Ground::Workspace => "the whole workspace",
        Ground::Git => "the repository itself",
        Ground::Local => "programs or files of the machine's owner",
        Ground::Inside | Ground::Outside => "files outside the workspace",
        Ground::Temporary | Ground::TemporaryItself => "the directory for temporary files",
    };
    let (rule, does) = match effect.does {
        Does::DeleteTree | Does::DeleteSome | Does::Delete => ("delete", "deletes"),
        Does::MoveAway => ("delete", "moves away"),
        Does::Permission | Does::PermissionTree => ("permission", "changes mode or owner of"),
        _ => ("overwrite", "overwrites"),
    };
    let rule = match (rule, grave) {
        ("delete", Grave::Catastrophic) => "delete-everything",
        ("delete", Grave::Hard) => match ground {
            Ground::Git => "delete-repository",
            Ground::Workspace => "delete-workspace",
            _ => "delete-outside",
        },
        ("permission", _) => "owner-or-mode-of-everything",
        (_, _) => match ground {
            Ground::Disk => "overwrite-disk",
            _ => "overwrite-outside",
        },
    };
    let message = format!("{does} {what}: {}", path.display());
    let remedy = "name the one file or directory inside the workspace that is meant";
    let lost = matches!(
        effect.does,
        Does::DeleteTree | Does::DeleteSome | Does::Delete | Does::MoveAway | Does::Overwrite
    )
    .then(|| path.to_path_buf());
    Danger { rule, grave, message, remedy, span: Some(effect.span), lost }
}

fn harm_rule(harm: Harm) -> &'static str {
    match harm {
        Harm::Power => "power",
        Harm::Disk => "make-filesystem",
        Harm::Work => "discard-work",
        Harm::History => "rewrite-history",
        Harm::Publish => "publish",
        Harm::Remote => "destroy-remote",
        Harm::Service => "services",
        Harm::Protection => "protections",
        Harm::User => "users",
        Harm::Process => "processes",
        Harm::Store => "destroy-database",
        Harm::Package => "system-packages",
        Harm::Kernel => "kernel",
        Harm::Backup => "backups",
        Harm::Volume => "volumes",
        Harm::Flood => "fork-bomb",
        Harm::SetUser => "setuid",
        Harm::OpenToAll => "open-to-all",
        Harm::ForeignCode => "network-code",
        Harm::Global => "global-tools",
    }
}

fn harm_why(harm: Harm) -> &'static str {
    match harm {
        Harm::Power => "this would stop the machine",
        Harm::Disk => "this would overwrite a disk or a file system",
        Harm::Work => "work that is not committed would be lost",
        Harm::History => "history would be rewritten beyond what can be taken back",
        Harm::Publish => "this would become public and stay so",
        Harm::Remote => "this would destroy something that others use",
        Harm::Service => "this would change services of the machine",
        Harm::Protection => "this would lift a protection of the machine",
        Harm::User => "this would change users or their rights",
        Harm::Process => "this would end processes that others need",
        Harm::Store => "this would destroy a database or its rows",
        Harm::Package => "this would remove packages that the system needs",
        Harm::Kernel => "this would change the kernel",
        Harm::Backup => "this would destroy backups",
        Harm::Volume => "this would destroy volumes or containers",
        Harm::Flood => "this would fill the machine with processes or output",
        Harm::SetUser => "whoever runs the file would have its owner's rights",
        Harm::OpenToAll => "everybody could write to it",
        Harm::ForeignCode => "code from the network would run before anybody has seen it",
        Harm::Global => "this would change tools outside any project",
    }
}

/// What lies below a place, for people: how much would be gone.
pub(super) fn counted(path: &Path, look: &dyn Look) -> Option<String> {
    let Answer::Tree(tree) = look.look(&Query::Tree(path.to_path_buf())) else {
        return None;
    };
    if tree.files == 0 {
        return None;
    }
    let more = if tree.more { "more than " } else { "" };
    let files = if tree.files == 1 { "file" } else { "files" };
    let kept = kept(look.look(&Query::Kept(path.to_path_buf())));
    Some(format!("{more}{} {files}, {}{kept}", tree.files, size(tree.bytes)))
}

/// What git could bring back of it, for people.
fn kept(answer: Answer) -> String {
    let Answer::Kept(kept) = answer else { return String::new() };
    let lost = kept.changed + kept.untracked;
    let all = lost + kept.same;
    match (kept.repository, kept.itself) {
        (false, _) => ", not in git".to_string(),
        (true, true) => ", with the repository itself".to_string(),
        (true, false) if all == lost => ", not in git".to_string(),
        (true, false) if lost == 0 && !kept.more => ", all of them in git".to_string(),
        (true, false) => {
            let more = if kept.more { "at least " } else { "" };
            format!(
                ", {more}{lost} of them not in git as they are ({} changed, {} untracked)",
                kept.changed, kept.untracked
            )
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}
