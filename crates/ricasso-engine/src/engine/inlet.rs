//! The way into a job: who feeds it, one after the other.

use crate::error::Error;
use crate::run::JobId;
use ricasso_os::{Cancel, Feeder};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A job that does not read gets this long to make room for what is fed.
const PATIENCE: Duration = Duration::from_secs(2);
/// End-of-file on a terminal (VEOF of a new one).
const END_KEY: &[u8] = &[4];

/// The owner's end of a job's input.
#[derive(Debug, Default)]
pub(super) struct Inlet {
    state: Mutex<State>,
    /// Whoever feeds has this, for as long as that takes. The job's own thread never asks for it:
    /// it must go on reading what the job says, or the job could not go on reading what it is fed.
    turn: Mutex<()>,
}

#[derive(Debug, Default, Clone)]
enum State {
    /// It is not fed: closed, a text, a file.
    #[default]
    Shut,
    Pipe(Arc<Feeder>),
    Terminal(Arc<Feeder>),
    /// It was fed its end.
    Ended,
}

/// What became of fed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fed {
    /// Bytes that the job's input took.
    pub bytes: usize,
    /// Bytes that it did not take, since nobody reads.
    pub left_bytes: usize,
}

impl Inlet {
    pub(super) fn pipe(feeder: Feeder) -> Inlet {
        Inlet { state: Mutex::new(State::Pipe(Arc::new(feeder))), ..Inlet::default() }
    }

    /// Whether it can be fed at all.
    pub(super) fn is_open(&self) -> bool {
        match &*self.state() {
            State::Pipe(_) | State::Terminal(_) => true,
            State::Shut | State::Ended => false,
        }
    }

    /// The terminal of the step that begins.
    pub(super) fn set_terminal(&self, feeder: Feeder) {
        *self.state() = State::Terminal(Arc::new(feeder));
    }

    /// Writes into the job. `over` ends the wait for a job that is gone.
    pub(super) fn feed(&self, job: &JobId, bytes: &[u8], over: &Cancel) -> Result<Fed, Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let feeder = match self.now() {
            State::Pipe(feeder) | State::Terminal(feeder) => feeder,
            State::Shut => return Err(Error::NotFed { id: job.clone() }),
            State::Ended => return Err(Error::InputEnded { id: job.clone() }),
        };
        let fed = match feeder.feed(bytes, Some(over.as_fd()), PATIENCE) {
            Ok(fed) => fed,
            Err(ricasso_os::Error::Gone { .. }) => {
                return Err(Error::InputEnded { id: job.clone() });
            }
            Err(error) => return Err(Error::Os(error)),
        };
        Ok(Fed { bytes: fed, left_bytes: bytes.len() - fed })
    }

    /// The end of its input.
    pub(super) fn end(&self, job: &JobId, over: &Cancel) -> Result<(), Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        match self.now() {
            State::Pipe(_) => *self.state() = State::Ended,
            State::Terminal(feeder) => {
                let stop = Some(over.as_fd());
                feeder.feed(END_KEY, stop, PATIENCE).map_err(Error::Os)?;
            }
            State::Shut => return Err(Error::NotFed { id: job.clone() }),
            State::Ended => return Err(Error::InputEnded { id: job.clone() }),
        }
        Ok(())
    }

    /// The job is over: nothing is fed any more, and no descriptor is kept for it.
    pub(super) fn shut(&self) {
        *self.state() = State::Ended;
    }

    /// Whether bytes wait that nobody has read yet.
    pub(super) fn holds_bytes(&self) -> bool {
        match self.now() {
            State::Pipe(feeder) => feeder.unread_bytes() > 0,
            State::Terminal(_) | State::Shut | State::Ended => false,
        }
    }

    /// Whether it is a terminal that shows nothing of what is typed.
    pub(super) fn is_silent(&self) -> bool {
        match self.now() {
            State::Terminal(feeder) => feeder.echoes() == Some(false),
            State::Pipe(_) | State::Shut | State::Ended => false,
        }
    }

    /// As it is at this moment. What it is fed through stays open for as long as this is held.
    fn now(&self) -> State {
        self.state().clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
