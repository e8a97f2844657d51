//! Names in the reply what a run left behind that others will run or obey later.

use super::admit::Admitted;
use crate::capture::Redacted;
use crate::policy::Mode;
use crate::reply::{Later, Reply};
use crate::run::Before;

/// Looks at the workspace before the run, where it may be written. In mode `read` nothing can be
/// born, and mode `open` watches over no workspace.
pub(super) fn before(admitted: &Admitted) -> Option<Before> {
    match admitted.plan().cage().mode {
        Mode::Workspace => admitted.request().workspace.as_deref().map(Before::look),
        Mode::Read | Mode::Open => None,
    }
}

/// Looks again after it.
pub(super) fn fill(reply: &mut Reply, admitted: &Admitted, before: Option<&Before>) {
    let Some(before) = before else { return };
    let born = before.look_again();
    let redactor = admitted.redactor();
    reply.later = born
        .files
        .iter()
        .map(|(path, why)| Later {
            path: redactor.text(path.as_os_str().as_encoded_bytes()),
            why: (*why).to_string(),
        })
        .collect();
    if born.cut {
        reply.hints.push(Redacted::constant(
            "the workspace is large: more files may be obeyed later than `later` names",
        ));
    }
}
