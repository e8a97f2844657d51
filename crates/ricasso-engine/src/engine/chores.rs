//! Work that nobody waits for: papers of a job, spare wardens, the next job's place, retention.
//!
//! Making a file costs a tenth of a bare spawn and sometimes far more, so an engine that runs more
//! than one command does this beside its jobs, in one thread. A one-shot program does it itself.

use super::admit::Admitted;
use super::close::Papers;
use super::paper::PolicyPaper;
use super::retain::Retention;
use super::yard::Yard;
use crate::error::Error;
use crate::reply::Reply;
use crate::run::JobDir;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// More chores than this wait for one another: memory stays bounded when the disk is slow.
const MOST_WAITING: usize = 64;

/// Who does the chores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chores {
    /// Whoever runs the request, before it goes on.
    Inline,
    /// A thread of the engine's own.
    Beside,
}

/// One thing to do.
pub(super) enum Chore {
    /// Get ready for the next request.
    Refill,
    /// Keep the policy that a job was judged by.
    KeepPolicy(Arc<PolicyPaper>),
    /// Take away what is too old or too much, where nobody looked for a while.
    TidyUp(Arc<Retention>),
    /// Write these files of a job.
    Keep(JobDir, Vec<(&'static str, Vec<u8>)>),
    /// Write the last papers of a job, and let go of what it held.
    PutAway(Box<Finished>),
    /// All of these, in this order.
    Several(Vec<Chore>),
}

/// A job that is over and has been answered.
pub(super) struct Finished {
    pub(super) admitted: Admitted,
    pub(super) reply: Reply,
    pub(super) papers: Papers,
}

/// Does chores, in the order in which they were given.
#[derive(Debug)]
pub(super) struct Housekeeper {
    yard: Arc<Yard>,
    beside: Option<Mutex<Beside>>,
}

#[derive(Default)]
struct Beside {
    /// What waits for somebody to wake the thread.
    later: Vec<Chore>,
    door: Option<SyncSender<Chore>>,
    thread: Option<JoinHandle<()>>,
}

impl Housekeeper {
    pub(super) fn new(yard: Arc<Yard>, chores: Chores) -> Housekeeper {
        let beside = match chores {
            Chores::Inline => None,
            Chores::Beside => Some(Mutex::default()),
        };
        Housekeeper { yard, beside }
    }

    /// Whether chores are done beside us.
    pub(super) fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// Has it done. Beside us a failure is told with a later reply; inline it is the answer.
    pub(super) fn has(&self, chore: Chore) -> Result<(), Error> {
        self.later(chore)?;
        self.begins()
    }

    /// Has it done once [`Housekeeper::begins`] is said: to wake a thread while a reply is being
    /// made takes a core away from it.
    pub(super) fn later(&self, chore: Chore) -> Result<(), Error> {
        let Some(beside) = &self.beside else { return self.yard.does(chore) };
        let mut beside = lock(beside);
        beside.later.push(chore);
        match beside.later.len() < MOST_WAITING {
            true => Ok(()),
            false => self.hand_over(&mut beside),
        }
    }

    /// Has everything done that waits.
    pub(super) fn begins(&self) -> Result<(), Error> {
        match &self.beside {
            None => Ok(()),
            Some(beside) => self.hand_over(&mut lock(beside)),
        }
    }

    fn hand_over(&self, beside: &mut Beside) -> Result<(), Error> {
        if beside.later.is_empty() {
            return Ok(());
        }
        let chore = Chore::Several(std::mem::take(&mut beside.later));
        if beside.door.is_none() {
            let (door, chores) = sync_channel(MOST_WAITING);
            let yard = Arc::clone(&self.yard);
            let named = std::thread::Builder::new().name("ricasso-chores".into());
            let thread = named.spawn(move || work(&yard, &chores));
            beside.thread = Some(thread.map_err(|source| Error::Thread { source })?);
            beside.door = Some(door);
        }
        match beside.door.as_ref().map(|door| door.send(chore)) {
            Some(Err(refused)) => self.yard.does(refused.0),
            Some(Ok(())) | None => Ok(()),
        }
    }
}

impl Drop for Housekeeper {
    /// Waits until everything is done.
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let mut beside = lock(beside);
            // What could not be handed over cannot be told to anybody any more.
            let _ = self.hand_over(&mut beside);
            beside.door = None;
            if let Some(thread) = beside.thread.take() {
                // A chore that panicked has told its sentence; there is nobody left to tell.
                let _ = thread.join();
            }
        }
    }
}

fn work(yard: &Yard, chores: &Receiver<Chore>) {
    for chore in chores {
        if let Err(error) = yard.does(chore) {
            yard.note(error);
        }
    }
}

impl std::fmt::Debug for Beside {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Beside").field("later", &self.later.len()).finish_non_exhaustive()
    }
}

fn lock(beside: &Mutex<Beside>) -> MutexGuard<'_, Beside> {
    beside.lock().unwrap_or_else(PoisonError::into_inner)
}
