//! A talk with an owner at its desk. An owner that sleeps or was stopped is found out, so that
//! nobody waits for it for ever, least of all those who ask about other jobs too.

use super::Leave;
use crate::engine::verbs::{self, Ask, Greeting, MOST_TOLD_BYTES, Verb};
use crate::error::Error;
use crate::run::{JobId, StateDir};
use ricasso_os::Cancel;
use serde_json::Value;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// An owner that lives answers within this, also on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// One connection to an owner.
#[derive(Debug)]
pub(super) struct Talk {
    desk: UnixStream,
    owner: JobId,
    place: PathBuf,
}

/// How long an answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// It comes at once.
    By(Instant),
    /// It comes when something happens; the owner only has to be awake until then.
    Whenever,
}

impl Awaited {
    /// An answer that nothing has to happen for.
    pub(super) fn soon() -> Awaited {
        Awaited::By(Instant::now() + PATIENCE)
    }
}

fn greet(desk: &mut UnixStream, owner: &JobId) -> Result<(), Error> {
    verbs::write(desk, &Greeting { owner: owner.to_string() })
}

impl Talk {
    /// Goes to an owner; nothing where nobody is at the desk.
    pub(super) fn with(state: &StateDir, owner: &JobId) -> Option<Talk> {
        let (owner, name) = (owner.clone(), StateDir::desk_name(owner));
        state.desk_places().find_map(|place| {
            let mut desk = ricasso_os::call(&place, &name, PATIENCE).ok()?;
            greet(&mut desk, &owner).ok()?;
            // Only for the rest of an answer that has begun.
            desk.set_read_timeout(Some(PATIENCE)).ok()?;
            Some(Talk { desk, owner: owner.clone(), place })
        })
    }

    /// One question and its one answer.
    pub(super) fn ask(mut self, question: &Ask, awaited: Awaited) -> Result<Value, Error> {
        self.say(question)?;
        self.hear(awaited)
    }

    pub(super) fn say(&mut self, question: &Ask) -> Result<(), Error> {
        verbs::write(&mut self.desk, question)
    }

    /// One answer; a refusal is an error in the owner's words.
    pub(super) fn hear(&mut self, awaited: Awaited) -> Result<Value, Error> {
        self.listen(awaited)?;
        let gone =
            || Error::Desk { what: "read from", source: std::io::ErrorKind::BrokenPipe.into() };
        let bytes = verbs::read(&mut self.desk, MOST_TOLD_BYTES)?.ok_or_else(gone)?;
        let told: Value = serde_json::from_slice(&bytes)
            .map_err(|source| Error::Json { what: "answer", source })?;
        match told.get("refused") {
            Some(refused) => {
                let message = refused.get("message").and_then(Value::as_str).unwrap_or_default();
                if refused.get("unknown").and_then(Value::as_bool) == Some(true) {
                    return Err(Error::NotHere);
                }
                Err(Error::Told { message: message.to_string() })
            }
            None => Ok(told),
        }
    }

    /// Waits for the first byte of an answer.
    fn listen(&self, awaited: Awaited) -> Result<(), Error> {
        loop {
            let patience = match awaited {
                Awaited::By(at) => at.saturating_duration_since(Instant::now()),
                Awaited::Whenever => PATIENCE,
            };
            let heard = ricasso_os::ready([Some(self.desk.as_fd())], Some(patience));
            if heard.map_err(Error::Os)? == [true] {
                return Ok(());
            }
            let goes_on = match awaited {
                Awaited::By(at) => Instant::now() < at,
                Awaited::Whenever => self.is_awake(),
            };
            if !goes_on {
                return Err(Error::Asleep { owner: self.owner.clone() });
            }
        }
    }

    /// Waits for the first byte of what comes next; false where there was a reason to leave first.
    pub(super) fn says_something(&self, leave: &Leave<'_>) -> Result<bool, Error> {
        loop {
            let left = leave.after.map(|at| at.saturating_duration_since(Instant::now()));
            let patience = left.map_or(PATIENCE, |left| left.min(PATIENCE));
            let bells = leave.bell.map(|bell| (bell.as_fd(), bell.signal_fd()));
            let (bell, signal) = bells.map_or((None, None), |(bell, signal)| (Some(bell), signal));
            let fds = [Some(self.desk.as_fd()), bell, signal];
            let [heard, rung, signalled] =
                ricasso_os::ready(fds, Some(patience)).map_err(Error::Os)?;
            if rung || signalled && leave.bell.and_then(Cancel::take_signal).is_some() {
                return Ok(false);
            }
            if heard {
                return Ok(true);
            }
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            if patience == PATIENCE && !self.is_awake() {
                return Err(Error::Asleep { owner: self.owner.clone() });
            }
        }
    }

    /// Whether the owner says anything at all to somebody who comes anew. Its end is an answer
    /// too: the talk itself will tell.
    fn is_awake(&self) -> bool {
        let name = StateDir::desk_name(&self.owner);
        let Ok(mut desk) = ricasso_os::call(&self.place, &name, PATIENCE) else { return true };
        let nothing = Ask { session: None, verb: Verb::Look { id: String::new() } };
        let greeted = greet(&mut desk, &self.owner);
        if greeted.and_then(|()| verbs::write(&mut desk, &nothing)).is_err() {
            return true;
        }
        ricasso_os::ready([Some(desk.as_fd())], Some(PATIENCE)).is_ok_and(|[heard]| heard)
    }
}
