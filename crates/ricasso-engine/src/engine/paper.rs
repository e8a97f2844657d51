//! The papers beside a spool: request, scene and policy, raw and private, so that a judgement can
//! be repeated later.

use crate::error::Error;
use crate::policy::Policy;
use crate::request::Request;
use crate::run::{self, StateDir};
use crate::scene::Scene;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, SystemTime};

/// How the names of kept policies end.
const SUFFIX: &str = ".policy";

/// Files of a job, by name.
pub(super) type Papers = Vec<(&'static str, Vec<u8>)>;

/// What a request was judged by, besides the policy.
pub(super) fn papers(request: &Request, scene: &Scene) -> Result<Papers, Error> {
    let json = |what, result: Result<Vec<u8>, serde_json::Error>| {
        result.map_err(|source| Error::Json { what, source })
    };
    Ok(vec![
        ("request", json("request", serde_json::to_vec(request))?),
        ("scene", json("scene", serde_json::to_vec(scene))?),
    ])
}

/// What a policy was made from, in the ledger's directory: entries name it by its digest, and all
/// jobs under one policy share one file. Its time is that of its last use.
#[derive(Debug)]
pub(super) struct PolicyPaper {
    digest: String,
    json: Vec<u8>,
}

impl PolicyPaper {
    pub(super) fn of(policy: &Policy) -> PolicyPaper {
        PolicyPaper { digest: policy.digest().to_string(), json: policy.write_down() }
    }

    /// Writes it where it is not there yet, whole; a writer that died may have left a part.
    pub(super) fn keep(&self, state: &StateDir) -> Result<(), Error> {
        let path = state.ledger().join(format!("{}{SUFFIX}", self.digest));
        let failed = |source| {
            Error::Run(run::Error::State { what: "keep the policy in", path: path.clone(), source })
        };
        let mut options = fs::OpenOptions::new();
        let opened = options.write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = opened.map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length == self.json.len() as u64 {
            return file.set_modified(SystemTime::now()).map_err(failed);
        }
        file.set_len(0).and_then(|()| file.write_all(&self.json)).map_err(failed)
    }
}

/// The kept policy of this digest, if it is still there.
pub(super) fn kept_policy(state: &StateDir, digest: &str) -> Result<Option<Policy>, Error> {
    if digest.is_empty() || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let path = state.ledger().join(format!("{digest}{SUFFIX}"));
    match fs::read(&path) {
        Ok(json) => Policy::read_back(&json).map(Some).map_err(Error::Policy),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Run(run::Error::State { what: "read", path, source })),
    }
}

/// Removes policies that no job used for longer than jobs are kept.
pub(super) fn sweep_policies(state: &StateDir, oldest: Duration) {
    let Ok(files) = fs::read_dir(state.ledger()) else { return };
    let unused = |file: &fs::DirEntry| {
        let is_policy = file.file_name().to_str().is_some_and(|name| name.ends_with(SUFFIX));
        let used = file.metadata().and_then(|found| found.modified());
        is_policy && used.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > oldest))
    };
    // One that a job takes up in this moment is written again by the next job.
    files.flatten().filter(unused).for_each(|file| drop(fs::remove_file(file.path())));
}
