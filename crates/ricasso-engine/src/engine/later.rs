//! Names in the reply what a run left behind that others will run or obey later.

use super::admit::Admitted;
use crate::capture::Redacted;
use crate::policy::Mode;
use crate::reply::{Later, Reply};
use crate::run::Before;
use std::path::Path;

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

/// Looks again after it. What lies in the workspace is named from there, all else in full.
pub(super) fn fill(reply: &mut Reply, admitted: &Admitted, before: &[Before]) {
    let redactor = admitted.redactor();
    let workspace = admitted.request().workspace.as_deref();
    for before in before {
        let born = before.look_again();
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
        if born.unread && is_workspace {
            reply.hints.push(Redacted::constant(
                "git's configuration here cannot be read: git may obey more than `later` names",
            ));
        }
    }
}
