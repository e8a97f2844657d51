//! Leaving the terminal that started us, for an owner that outlives it.

use crate::error::{Error, Result};

/// Leaves the caller's session, so that neither its end nor its Ctrl+C reaches this process.
pub fn leave_session() -> Result<()> {
    rustix::process::setsid().map(drop).map_err(Error::call("leave the caller's session"))
}

/// The standard descriptors lead nowhere from now on: nobody waits for them any more.
pub fn let_go_of_streams() -> Result<()> {
    crate::keeper::silence()
}
