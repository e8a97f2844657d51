//! A request that runs in a thread of its own.

use super::admit::{Admission, Admitted};
use super::basin::Known;
use super::board::Board;
use super::close::Papers;
use super::conduct::UNSTARTED;
use super::handle::Handle;
use super::{Engine, Hall, Unwatched};
use crate::capture::Redacted;
use crate::error::Error;
use crate::reply::Reply;
use crate::request::{Request, Tenure};
use crate::run::JobId;
use ricasso_os::Cancel;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// A background job is told of when it has a process; a busy machine may take this long.
const STARTED: Duration = Duration::from_secs(5);

/// A running job. Dropping it stops it, unless [`Job::detach`] was said.
#[derive(Debug)]
pub struct Job {
    id: JobId,
    cancel: Cancel,
    over: Cancel,
    work: Option<JoinHandle<Option<Result<Reply, Error>>>>,
    refused: Option<Box<Reply>>,
    handle: Option<Handle>,
}

/// When a call goes on in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// After the policy's `limits.yield`; never where that is off.
    Policy,
    /// After this time.
    After(Duration),
}

/// What became of a call with a yield time.
#[derive(Debug)]
#[must_use]
pub enum Yielded {
    /// It was over in time, or refused.
    Over(Box<Reply>),
    /// It goes on; this is what is known so far.
    Running(Job, Box<Reply>),
}

/// From when on other processes can find a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Before anything of it runs.
    AtOnce,
    /// When it has lived for a moment.
    Soon,
}

impl Job {
    pub(super) fn start(engine: Engine, request: &Request, cancel: Cancel) -> Result<Job, Error> {
        let found = match request.manner.tenure {
            Tenure::Background => Found::AtOnce,
            Tenure::Call => Found::Soon,
        };
        Job::start_found(engine, request, cancel, found)
    }

    pub(super) fn start_findable(
        engine: Engine,
        request: &Request,
        cancel: Cancel,
    ) -> Result<Job, Error> {
        Job::start_found(engine, request, cancel, Found::AtOnce)
    }

    /// Runs it; after the time it becomes a job of its own. Nothing is started twice.
    pub(super) fn run_or_yield(
        engine: Engine,
        request: &Request,
        cancel: &Cancel,
        yields: Yields,
    ) -> Result<Yielded, Error> {
        let (after, lease) = (engine.yields_after(yields), engine.lease());
        let mut job = Job::start_found(engine, request, cancel.clone(), Found::Soon)?;
        let over = ricasso_os::ready([Some(job.as_fd())], after);
        if over.map_err(Error::Os)? == [true] {
            return job.join().map(|reply| Yielded::Over(Box::new(reply)));
        }
        let Some(handle) = &job.handle else {
            return job.join().map(|reply| Yielded::Over(Box::new(reply)));
        };
        let mut reply = handle.look()?;
        if !reply.running {
            return job.join().map(|reply| Yielded::Over(Box::new(reply)));
        }
        reply.hints.push(Redacted::constant(
            "it outlasted its yield time and goes on in the background; look, wait, feed, stop \
             and watch reach it by its id",
        ));
        if let Some(lease) = lease {
            handle.lease(lease);
            let told = format!("it ends when nobody asks about it for {lease:?} (jobs.lease)");
            reply.hints.push(handle.redacted(&told));
        }
        Ok(Yielded::Running(job, Box::new(reply)))
    }

    fn start_found(
        engine: Engine,
        request: &Request,
        cancel: Cancel,
        found: Found,
    ) -> Result<Job, Error> {
        let admitted = match engine.hall.admit(request)? {
            Admission::Refused(reply) => {
                let over = Cancel::new().map_err(Error::Os)?;
                over.ring();
                let id = reply.id.clone();
                let refused = Some(reply);
                return Ok(Job { id, cancel, over, work: None, refused, handle: None });
            }
            Admission::Granted(admitted) => admitted,
        };
        let (board, known) = match engine.hall.announce(&admitted, &cancel, found) {
            Ok(known) => known,
            Err(error) => return Err(engine.hall.abandon(&admitted, &UNSTARTED, error)),
        };
        let id = admitted.id().clone();
        let over = board.over().clone();
        let (bell, end, hall) = (cancel.clone(), over.clone(), Arc::clone(&engine.hall));
        // Handed over only once there is a thread to take it.
        let (hand_over, take) = std::sync::mpsc::sync_channel::<Box<Admitted>>(1);
        let work = std::thread::Builder::new().name("ricasso-job".into()).spawn(move || {
            let admitted = take.recv().ok();
            let reply = admitted.map(|job| engine.hall.conduct(*job, &bell, &mut Unwatched, known));
            engine.hall.refill();
            end.ring();
            reply
        });
        let work = match work {
            Ok(work) => work,
            Err(source) => {
                let error = Error::Thread { source };
                board.fails(&error);
                return Err(hall.abandon(&admitted, &UNSTARTED, error));
            }
        };
        // The thread waits for exactly this.
        let _ = hand_over.send(admitted);
        if found == Found::AtOnce {
            board.await_start(STARTED);
        }
        let handle = Some(Handle::new(board));
        Ok(Job { id, cancel, over, work: Some(work), refused: None, handle })
    }

    /// Its name.
    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// To ask it; nothing where it was refused.
    pub fn handle(&self) -> Option<&Handle> {
        self.handle.as_ref()
    }

    /// The job as it is now; never waits.
    pub fn look(&self) -> Result<Reply, Error> {
        match (&self.handle, &self.refused) {
            (Some(handle), _) => handle.look(),
            (None, Some(refused)) => Ok(Reply::clone(refused)),
            (None, None) => Err(Error::JobThread { id: self.id.clone() }),
        }
    }

    /// Asks it to end: SIGTERM, the policy's grace, SIGKILL, to its whole tree.
    pub fn stop(&self) {
        self.cancel.ring();
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over.rung().is_some()
    }

    /// Waits for its end. No lease runs out meanwhile.
    pub fn wait(mut self) -> Result<Reply, Error> {
        self.join()
    }

    /// Stays until its end without asking about it: a lease goes on meanwhile.
    pub fn stay(&self) -> Result<(), Error> {
        while !self.is_over() {
            ricasso_os::ready([Some(self.as_fd())], None).map_err(Error::Os)?;
        }
        Ok(())
    }

    /// Lets it go on without this handle, for as long as the engine lives.
    pub fn detach(mut self) {
        self.work = None;
    }

    fn join(&mut self) -> Result<Reply, Error> {
        if let Some(reply) = self.refused.take() {
            return Ok(*reply);
        }
        // Whoever waits here asks about it all the time.
        let _held = self.handle.as_ref().map(Handle::held);
        match self.work.take().map(JoinHandle::join) {
            Some(Ok(Some(reply))) => reply,
            Some(Ok(None) | Err(_)) | None => Err(Error::JobThread { id: self.id.clone() }),
        }
    }
}

impl Hall {
    /// A board for the job; and where it must be found at once, its desk and its papers.
    fn announce(
        &self,
        admitted: &Admitted,
        cancel: &Cancel,
        found: Found,
    ) -> Result<(Arc<Board>, Known), Error> {
        let board = self.board(admitted, cancel)?;
        let papers = match found {
            Found::Soon => Papers::Missing,
            Found::AtOnce => {
                self.open_desk()?;
                self.keep_now(admitted)?;
                Papers::Kept
            }
        };
        let known = Known { board: Some(Arc::clone(&board)), papers };
        Ok((board, known))
    }
}

/// Readable once the job is over, so that an asynchronous program can wait for it.
impl AsFd for Job {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.over.as_fd()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if self.work.is_some() {
            self.stop();
            // Its reply is in the ledger; nobody here asks for it any more.
            let _ = self.join();
        }
    }
}
