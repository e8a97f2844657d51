//! What the cage denied, with the smallest grant that would have allowed it.
//!
//! A remedy is true or it is none: where no grant helps, it says who could do the thing instead.

use super::admit::Admitted;
use crate::capture::Redacted;
use crate::plan::{Cage, Plan};
use crate::policy;
use crate::reply;
use crate::request::{Request, Step};
use crate::run::Outcome;
use ricasso_os::{Denied, NarrowedRoot, Told};
use std::path::{Path, PathBuf};

const LOADED: &str = "under a list of programs, code comes from the system's own libraries, while \
                      a program has one thread";
const STARTED: &str = "name the program itself in programs.allow, and start it without variables \
                       that load libraries";
const TRACED: &str = "nothing is traced in a cage, and no grant changes that: print instead, or \
                      let a person run it with --mode open; where a build only looks for leaks, \
                      ASAN_OPTIONS=detect_leaks=0 lets it end without";
const LOOKED_UP: &str = "a host name was asked for, and no name server is in reach";
/// How somebody gets out who may.
const WAY_OUT: &str = "use what is here (a cache, a vendored copy), or let a person run it with \
                       --net open; under a ceiling below open the policy itself must say \
                       net.allow = \"open\"";
const UNIX: &str = "unix sockets reach daemons outside by their path, and where the kernel cannot \
                    tell those apart (before Landlock 9, and datagrams) none can be made: use a \
                    pipe or the loopback, or let a person run it with --net open, which lets it \
                    speak with every daemon of the machine";
const ENGINE: &str = "a container engine does what it is told outside of this cage and with its \
                      own rights, as a rule root's; it is reached with --net open alone, and that \
                      is for a person to say";
/// How to get mount namespaces on this machine.
const NAMESPACES: &str = "allow user namespaces: `ricasso doctor` says how";
const DAEMON: &str = "what listens there acts outside of this cage and with its own rights";
/// Clients of daemons that run commands.
const ENGINES: [&str; 11] = [
    "docker",
    "docker-compose",
    "docker-buildx",
    "podman",
    "podman-remote",
    "nerdctl",
    "ctr",
    "crictl",
    "buildctl",
    "lxc",
    "incus",
];

/// Those of a step's denials that are worth a word, now that it has ended like this.
pub(super) fn told<'a>(
    (request, step): (&'a Request, &'a Step),
    outcome: &'a Outcome,
) -> impl Iterator<Item = &'a Denied> + use<'a> {
    let mut failed = None;
    outcome.denied.iter().filter(move |denied| match denied.told {
        Told::Always => true,
        Told::WhereFailed => *failed.get_or_insert_with(|| {
            !outcome.ending.is_success() || policy::may_hide_failure(request, step)
        }),
    })
}

/// One of them as it leaves the house.
pub(super) fn denial(denied: &Denied, admitted: &Admitted) -> reply::Denial {
    let redactor = admitted.redactor();
    let name = shown(&denied.program);
    let (by, remedy) = remedy(denied, &name, admitted.plan());
    let program: Option<Redacted<String>> =
        (!name.is_empty()).then(|| redactor.text(name.as_bytes()));
    reply::Denial {
        operation: denied.operation.clone(),
        target: redactor.text(denied.target.as_os_str().as_encoded_bytes()),
        by,
        program,
        remedy: redactor.text(remedy.as_bytes()),
    }
}

/// The part of the cage, and what to do.
fn remedy(denied: &Denied, program: &str, plan: &Plan) -> (&'static str, String) {
    // What is run or taken in as code is a matter of the list, and writing there would not help.
    match (denied.operation.as_str(), denied.target.to_str()) {
        ("load", _) => ("programs", LOADED.into()),
        ("execute", _) => ("programs", STARTED.into()),
        ("trace", _) => ("processes", TRACED.into()),
        ("socket", Some("unix")) => {
            ("net", if ENGINES.contains(&program) { ENGINE } else { UNIX }.into())
        }
        ("socket", _) => ("net", format!("there is no network here: {WAY_OUT}")),
        ("connect", Some(path)) if path.starts_with('/') => (
            "net",
            format!("{DAEMON}: let a person grant it, net.sockets = [{path:?}] in the policy"),
        ),
        ("connect", _) => ("net", format!("the network here is loopback alone: {WAY_OUT}")),
        ("look-up", _) => ("net", format!("{LOOKED_UP}: {WAY_OUT}")),
        ("list", _) => ("files", in_listing(&denied.target, plan.cage())),
        ("watch", _) => ("files", in_watching(&denied.target, plan.cage())),
        _ => ("files", in_files(denied, plan)),
    }
}

/// What to do where a directory cannot be listed.
fn in_listing(target: &Path, cage: &Cage) -> String {
    if cage.hide.iter().any(|hidden| target.starts_with(hidden)) {
        "it is hidden by files.hide: a person may add it to files.show".to_string()
    } else if target.starts_with("/tmp") {
        "the machine's /tmp is shut here: list $TMPDIR, the session's own".to_string()
    } else {
        format!(
            "a hidden directory lies below it, and without mount namespaces no directory above \
             one can be listed: name the entry itself, or {NAMESPACES}"
        )
    }
}

/// What to do where files cannot be watched.
fn in_watching(target: &Path, cage: &Cage) -> String {
    let shown = cage.write.iter().chain(&cage.seen).chain(&cage.session_tmp);
    let apart = |hidden: &PathBuf| !target.starts_with(hidden) && !hidden.starts_with(target);
    let is_read =
        cage.hide.iter().all(apart) && !target.starts_with("/tmp") && !target.starts_with("/dev");
    if !is_read && !shown.into_iter().any(|root| target.starts_with(root)) {
        return in_listing(target, cage);
    }
    format!(
        "without mount namespaces watches need pidfd_getfd(2), which the container refuses: let \
         the program poll (CHOKIDAR_USEPOLLING=1), start the container with --cap-add SYS_PTRACE, \
         or {NAMESPACES}"
    )
}

/// The grant that would have allowed the write, or what to do instead.
fn in_files(denied: &Denied, plan: &Plan) -> String {
    let (target, cage) = (denied.target.as_path(), plan.cage());
    let inside = |root: &PathBuf| target.starts_with(root);
    if cage.hide.iter().any(inside) {
        "it is hidden by files.hide: let a person do this, or have it made elsewhere".to_string()
    } else if let Some(root) = plan.narrowed().iter().find(|root| root.refuses(denied)) {
        beside_hidden(root, target)
    } else if cage.write.iter().any(inside) {
        "it is protected by files.protect: let a person change it".to_string()
    } else if target.starts_with("/tmp") && cage.session_tmp.is_some() {
        "the machine's /tmp is shut here: write below $TMPDIR, the session's own".to_string()
    } else if target.starts_with("/dev/shm") {
        format!(
            "without mount namespaces /dev/shm is the machine's, and shut: use files below \
             $TMPDIR, threads for processes with semaphores, or {NAMESPACES}"
        )
    } else if target == Path::new("/dev/ptmx") {
        format!(
            "without mount namespaces new terminals are the machine's: run the command itself in \
             one (--pty), or {NAMESPACES}"
        )
    } else {
        grant(target)
    }
}

/// What to do where an entry would be made, renamed or removed beside something hidden.
fn beside_hidden(root: &NarrowedRoot, target: &Path) -> String {
    let directory = target.parent().unwrap_or(target).display();
    if root.read_only {
        return format!(
            "{} holds hidden places and too many entries to grant them one by one, so it is \
             read-only here: grant a directory below it: --write DIR",
            root.path.display()
        );
    }
    format!(
        "{directory} holds hidden places, so without mount namespaces no entry of it is made, \
         renamed or removed: use a directory below it that is there, or let a person make one; \
         ricasso doctor says how to get mount namespaces"
    )
}

/// The smallest grant that lets somebody write there.
fn grant(target: &Path) -> String {
    let directory = target.parent().unwrap_or(target);
    if directory == Path::new("/") {
        return "the grant would be the whole machine: have it made below the workspace or in \
                $TMPDIR"
            .to_string();
    }
    if ricasso_os::is_kernels(directory) {
        return "it is the kernel's: nothing is granted there".to_string();
    }
    // A work tree whose repository lies elsewhere needs more of that than one directory.
    let repository = target.ancestors().skip(1).find(|above| above.ends_with(".git"));
    match repository {
        Some(repository) => format!(
            "grant the repository: --write {}; its hooks and configuration stay shut",
            repository.display()
        ),
        None => format!("grant it: --write {}", directory.display()),
    }
}

/// A name that a process gave itself, so that nothing in it acts on a terminal.
fn shown(name: &[u8]) -> String {
    let sign = |sign: char| match sign.is_control() {
        true => sign.escape_default().to_string(),
        false => sign.to_string(),
    };
    String::from_utf8_lossy(name).chars().map(sign).collect()
}
