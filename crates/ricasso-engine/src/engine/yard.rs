//! What jobs are made from: wardens, names, places. Shared with whoever does the chores.

use super::chores::{Chore, Finished};
use super::close::Papers;
use super::open::Spares;
use crate::error::Error;
use crate::run::{JobDir, JobId, Owner, StateDir};
use ricasso_os::{Input, Keeper, Network, Output, Warden};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The keeper comes first: it is dropped first, and ends every job before the owner's file goes.
#[derive(Debug)]
pub(super) struct Yard {
    pub(super) keeper: Keeper,
    pub(super) owner: Owner,
    pub(super) state: StateDir,
    pub(super) spares: Spares,
    ready: Mutex<Option<Prepared>>,
    /// What the next job reads and says itself through, unless it asks for something else.
    input: Mutex<Option<Input>>,
    outputs: Mutex<Option<[Output; 2]>>,
    failed: Mutex<Option<Error>>,
    /// The network of the last request: the next one is likely to want the same.
    network: Mutex<Network>,
}

/// A job that has a name and a place but no request yet.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) id: JobId,
    pub(super) dir: JobDir,
}

impl Yard {
    pub(super) fn new(
        keeper: Keeper,
        owner: Owner,
        state: StateDir,
        (spares, network): (Spares, Network),
    ) -> Yard {
        let (ready, failed, network) = (Mutex::default(), Mutex::default(), Mutex::new(network));
        let (input, outputs) = (Mutex::default(), Mutex::default());
        Yard { keeper, owner, state, spares, ready, input, outputs, failed, network }
    }

    /// Does a chore here and now.
    pub(super) fn does(&self, chore: Chore) -> Result<(), Error> {
        match chore {
            Chore::Keep(dir, papers) => papers
                .iter()
                .try_for_each(|(name, bytes)| dir.write(name, bytes))
                .map_err(Error::Run),
            Chore::KeepPolicy(policy) => policy.keep(&self.state),
            Chore::TidyUp(retention) => retention.tidy_up(),
            Chore::Refill => self.refill(),
            Chore::PutAway(finished) => put_away(*finished),
            // One that fails does not keep the others from being done.
            Chore::Several(chores) => {
                for chore in chores {
                    self.does(chore).unwrap_or_else(|error| self.note(error));
                }
                Ok(())
            }
        }
    }

    /// Keeps the failure of a chore until somebody can be told.
    pub(super) fn note(&self, error: Error) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// A failure that nobody was told yet.
    pub(super) fn take_failure(&self) -> Option<Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// A warden for a job in this network.
    pub(super) fn warden(&self, network: Network) -> Result<Warden, Error> {
        let warden = self.keeper.warden_for(&network).map_err(Error::Os);
        *self.network.lock().unwrap_or_else(PoisonError::into_inner) = network;
        warden
    }

    /// The name and the place for a job that will be started.
    pub(super) fn next_job(&self) -> Result<Prepared, Error> {
        match self.ready().take() {
            Some(prepared) => Ok(prepared),
            None => self.prepare(),
        }
    }

    /// An input that is at its end.
    pub(super) fn closed_input(&self) -> Result<Input, ricasso_os::Error> {
        let made = self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.map_or_else(ricasso_os::closed_input, Ok)
    }

    /// Two pipes for what a command says.
    pub(super) fn outputs(&self) -> Result<[Output; 2], ricasso_os::Error> {
        let made = self.outputs.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.map_or_else(outputs, Ok)
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

    fn refill(&self) -> Result<(), Error> {
        match self.spares {
            Spares::Kept => {
                let network = self.network.lock().unwrap_or_else(PoisonError::into_inner).clone();
                self.keeper.stock(&network).map(drop).map_err(Error::Os)?;
            }
            Spares::None => {}
        }
        self.keeper.make_ahead();
        fill(&self.input, ricasso_os::closed_input)?;
        fill(&self.outputs, outputs)?;
        if self.ready().is_none() {
            let prepared = self.prepare()?;
            // Two of these never run at once: there is one housekeeper.
            *self.ready() = Some(prepared);
        }
        Ok(())
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

fn outputs() -> Result<[Output; 2], ricasso_os::Error> {
    Ok([ricasso_os::output()?, ricasso_os::output()?])
}

/// Makes what is not there. Two of these never run at once: there is one housekeeper.
fn fill<T>(
    place: &Mutex<Option<T>>,
    make: fn() -> Result<T, ricasso_os::Error>,
) -> Result<(), Error> {
    if place.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
        let made = make().map_err(Error::Os)?;
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    }
    Ok(())
}

/// The reply is the very last: whoever finds it knows that all is there.
fn put_away(finished: Finished) -> Result<(), Error> {
    let Finished { admitted, reply, papers } = finished;
    let mut all = match papers {
        Papers::Kept => Vec::new(),
        Papers::Missing => admitted.papers()?,
    };
    let json = serde_json::to_vec(&reply);
    all.push(("reply", json.map_err(|source| Error::Json { what: "reply", source })?));
    let dir = admitted.dir().clone();
    // Its warden waits for that, and files take their time.
    drop(admitted);
    all.iter().try_for_each(|(name, bytes)| dir.write(name, bytes)).map_err(Error::Run)
}

impl Drop for Yard {
    fn drop(&mut self) {
        if let Some(prepared) = self.ready().take() {
            self.give_up(&prepared);
        }
    }
}
