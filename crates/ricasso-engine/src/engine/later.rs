//! Names in the reply what a run left behind that others will run or obey later.

use super::admit::Admitted;
use crate::capture::Redacted;
use crate::policy::Mode;
use crate::reply::{Later, Reply};
use crate::request::Bytes;
use crate::run::{Before, Known};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Writable roots that are looked at; a policy with more is one of a machine, not of a project.
const MOST_ROOTS: usize = 8;

/// Looks at the workspace and the other writable roots before the run. In mode `read` nothing can
/// be born, and mode `open` watches over no workspace.
pub(super) fn before(admitted: &Admitted) -> Vec<Before> {
    let cage = admitted.plan().cage();
    let workspace = match cage.mode {
        Mode::Workspace => admitted.request().workspace.as_deref(),
        Mode::Read | Mode::Open => return Vec::new(),
    };
    let mut roots: Vec<&Path> = workspace.into_iter().collect();
    for root in &cage.write {
        if roots.len() < MOST_ROOTS && !roots.iter().any(|known| root.starts_with(known)) {
            roots.push(root);
        }
    }
    let look = |root| match Some(root) == workspace {
        true => Before::look(root),
        false => Before::look_beside(root),
    };
    roots.into_iter().map(look).collect()
}

/// Where git finds the settings of whoever runs it.
fn settings_of_git(environment: &[(Bytes, Bytes)]) -> Vec<PathBuf> {
    let named = |name: &str| {
        let found = environment.iter().find(|(known, _)| known.as_slice() == name.as_bytes());
        found.map(|(_, value)| PathBuf::from(OsStr::from_bytes(value.as_slice())))
    };
    let home = named("HOME");
    let config = named("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let places = [
        named("GIT_CONFIG_GLOBAL"),
        home.map(|home| home.join(".gitconfig")),
        config.map(|config| config.join("git/config")),
    ];
    places.into_iter().flatten().filter(|path| path.is_absolute()).collect()
}

/// Looks again after it. What lies in the workspace is named from there, all else in full.
pub(super) fn fill(
    reply: &mut Reply,
    admitted: &Admitted,
    before: &[Before],
    environment: &[(Bytes, Bytes)],
) {
    if before.is_empty() {
        return;
    }
    let mut known = Known::new(settings_of_git(environment), &admitted.plan().cage().protect);
    known.roots = before.iter().map(|before| before.root().to_path_buf()).collect();
    let redactor = admitted.redactor();
    let workspace = admitted.request().workspace.as_deref();
    for before in before {
        let born = before.look_again(&known);
        known.pointed = born.pointed.clone();
        let is_workspace = Some(before.root()) == workspace;
        let named = |path: &Path| match is_workspace {
            true => redactor.text(path.as_os_str().as_encoded_bytes()),
            false => redactor.text(before.root().join(path).as_os_str().as_encoded_bytes()),
        };
        let files = born.files.iter();
        reply
            .later
            .extend(files.map(|(path, why)| Later { path: named(path), why: (*why).to_string() }));
        // Another root may be anything, a machine's whole cache; it is looked at as far as it goes.
        if born.cut && is_workspace {
            reply.hints.push(Redacted::constant(
                "the workspace is large: more files may be obeyed later than `later` names",
            ));
        }
        if born.unlisted {
            reply.hints.push(Redacted::constant(
                "a directory cannot be listed: files in it may be obeyed, and `later` misses them",
            ));
        }
        if born.unread && is_workspace {
            reply.hints.push(Redacted::constant(
                "git's configuration here cannot be read: git may obey more than `later` names",
            ));
        }
    }
}
