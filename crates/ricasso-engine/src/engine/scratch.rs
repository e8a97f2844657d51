//! The session's own directories for temporary files, where the usual ones are the machine's.

use crate::plan::TEMPORARY;
use crate::policy::{Policy, Tmp};
use crate::request::{Bytes, Request};
use crate::scene::Live;
use ricasso_os::{Namespaces, Powers};
use std::path::{Path, PathBuf};

/// Nothing where there are mounts: then /tmp and /dev/shm are the session's own.
pub(super) fn without_mounts(
    policy: &Policy,
    powers: Powers,
    session_tmp: Option<&Path>,
) -> Option<Vec<PathBuf>> {
    match (powers.namespaces, policy.tmp()) {
        (Namespaces::User | Namespaces::Root, _) => None,
        (Namespaces::None, Tmp::Host) => Some(vec!["/tmp".into()]),
        (Namespaces::None, Tmp::Session | Tmp::Private | Tmp::Layered) => {
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            Some(session_tmp.into_iter().map(real).collect())
        }
    }
}

/// A witness for the judge of a request. Variables that name the machine's directory for temporary
/// files are not known where the plan sets others.
pub(super) fn look<'a>(
    inherited: &'a [(Bytes, Bytes)],
    request: &'a Request,
    scratch: Option<Vec<PathBuf>>,
) -> Live<'a> {
    let is_set = scratch.is_some();
    let names_tmp = |name: &Bytes| TEMPORARY.iter().any(|it| it.as_bytes() == name.as_slice());
    let known = inherited.split(move |(name, _)| is_set && names_tmp(name));
    Live::new(known.chain([request.env.as_slice()])).with_scratch(scratch)
}
