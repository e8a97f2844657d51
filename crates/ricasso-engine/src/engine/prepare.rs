//! Ready for the next request: a warden that waits, and a job's directory that already exists.
//!
//! Making a directory costs a tenth of a bare spawn, so an engine that runs more than one command
//! makes the next one's while nobody waits for it.

use super::Hall;
use super::open::Spares;
use crate::error::Error;
use crate::run::{JobDir, JobId};
use std::sync::{MutexGuard, PoisonError};

/// A job that has a name and a place but no request yet.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) id: JobId,
    pub(super) dir: JobDir,
}

impl Hall {
    /// Gets ready for the next request. Without it the next run is slower, and nothing else.
    pub(super) fn refill(&self) {
        match self.spares {
            Spares::None => {}
            Spares::Kept => {
                drop(self.keeper.stock());
                let mut ready = self.ready();
                if ready.is_none() {
                    *ready = self.prepare().ok();
                }
            }
        }
    }

    /// The name and the place for a job that will be started.
    pub(super) fn next_job(&self) -> Result<Prepared, Error> {
        match self.ready().take() {
            Some(prepared) => Ok(prepared),
            None => self.prepare(),
        }
    }

    /// A name for a job that is refused and needs no place.
    pub(super) fn next_id(&self) -> Result<JobId, Error> {
        let id = JobId::new().map_err(Error::Run)?;
        self.owner.opens(&id).map_err(Error::Run)?;
        Ok(id)
    }

    /// Takes a place away again that nothing was put into.
    pub(super) fn give_up(&self, prepared: &Prepared) {
        // What cannot be removed now is swept by retention; the journal is what must be right.
        let _ = prepared.dir.remove();
        let _ = self.owner.closes(&prepared.id);
    }

    fn prepare(&self) -> Result<Prepared, Error> {
        let id = self.next_id()?;
        let dir = self.state.new_job(&id).map_err(Error::Run)?;
        Ok(Prepared { id, dir })
    }

    fn ready(&self) -> MutexGuard<'_, Option<Prepared>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        if let Some(prepared) = self.ready().take() {
            self.give_up(&prepared);
        }
    }
}
