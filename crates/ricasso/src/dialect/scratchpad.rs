//! Outputs saved under a name: a name leads to a job, whose whole output is kept anyway.
//!
//! Names belong to one session. Nothing is copied, so saving costs nothing and loses nothing.

use super::clerk::{Clerk, failed};
use crate::arguments::{Fault, fault};
use ricasso_engine::capture::Reading;
use ricasso_engine::request::to_hex;
use std::fs;
use std::io;
use std::path::PathBuf;

/// A name is a word or a few; as a file name it doubles.
const LONGEST_NAME: usize = 100;

/// Lets a name lead to a job's output; an older meaning of the name is given up.
pub(super) fn save(clerk: &Clerk, name: &str, job: &str) -> Result<(), Fault> {
    let path = place(clerk, name)?;
    let write = || {
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(&path, job)
    };
    write().map_err(|error: io::Error| failed(&error))
}

/// The output that a name leads to.
pub(super) fn find(clerk: &Clerk, name: &str) -> Result<Option<Reading>, Fault> {
    let path = place(clerk, name)?;
    let id = match fs::read_to_string(&path) {
        Ok(id) => id,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    clerk.engine.output(&id).map(Some).map_err(|error| failed(&error))
}

/// Refuses what is no name.
pub(super) fn check(name: &str) -> Result<(), Fault> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(fault(format!("scratchpad must be a name of 1 to {LONGEST_NAME} bytes")));
    }
    Ok(())
}

fn place(clerk: &Clerk, name: &str) -> Result<PathBuf, Fault> {
    check(name)?;
    let session = to_hex(clerk.caller.session.as_bytes());
    let folder = clerk.engine.state().root().join("scratchpads").join(session);
    Ok(folder.join(to_hex(name.as_bytes())))
}
