//! What stays the same from one command to the next: the walls, and what of them really stands.

use super::cage::{Cage, Ground};
use super::env;
use super::fit::{self, Fit};
use crate::policy::Policy;
use crate::request::{Request, to_hex};
use ricasso_os::NarrowedRoot;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The walls of a policy round the commands of one workspace and session. Two hundred paths have to
/// be made for them, so whoever draws many plans keeps it, and asks it whether it
/// [serves](Site::serves).
#[derive(Debug)]
pub struct Site {
    workspace: Option<PathBuf>,
    session_tmp: Option<PathBuf>,
    scripts: Option<PathBuf>,
    pub(super) cage: Cage,
    pub(super) built: Option<Arc<ricasso_os::Cage>>,
    pub(super) fit: Fit,
    pub(super) narrowed: Vec<NarrowedRoot>,
    /// What is hidden inside a writable root.
    pub(super) holes: Vec<PathBuf>,
    /// Where programs are looked for, as far as the walls let them.
    pub(super) path: Vec<u8>,
    digest: OnceLock<String>,
}

impl Site {
    /// The site of a request.
    pub fn of(policy: &Policy, request: &Request, ground: &Ground<'_>) -> Site {
        let cage = Cage::of(policy, request, ground);
        let fit = fit::of(&cage, policy, ground.host);
        let built = cage.built(ground.host, &fit.enforced().missing).map(Arc::new);
        Site {
            workspace: request.workspace.clone(),
            session_tmp: ground.session_tmp.map(PathBuf::from),
            scripts: ground.scripts.map(PathBuf::from),
            path: env::path(ground.passed, built.as_deref()),
            holes: cage.holes().cloned().collect(),
            narrowed: Vec::new(),
            cage,
            built,
            fit,
            digest: OnceLock::new(),
        }
    }

    /// Takes over what the machine finds in the writable roots: see
    /// [`ricasso_os::Cage::narrow_roots`].
    pub fn narrow(&mut self, find: impl Fn(&mut ricasso_os::Cage) -> Vec<NarrowedRoot>) {
        let Some(built) = &mut self.built else { return };
        self.narrowed = find(Arc::make_mut(built));
        self.narrowed.iter().for_each(|root| self.fit.narrow(root));
    }

    /// Whether it is the site of another request too, under the same policy and on the same ground
    /// but for the session's directories. The shells of a request count among its listed programs,
    /// and entries that are granted one by one are looked for anew.
    pub fn serves(&self, request: &Request, ground: &Ground<'_>) -> bool {
        !self.cage.listed_programs
            && self.narrowed.is_empty()
            && self.workspace == request.workspace
            && self.session_tmp.as_deref() == ground.session_tmp
            && self.scripts.as_deref() == ground.scripts
    }

    /// The digest of the cage.
    pub(super) fn digest(&self) -> &str {
        self.digest.get_or_init(|| {
            // A path that is no text stands in no JSON.
            let text = serde_json::to_vec(&self.cage);
            let text = text.unwrap_or_else(|_| format!("{:?}", self.cage).into_bytes());
            to_hex(&Sha256::digest(text))
        })
    }
}
