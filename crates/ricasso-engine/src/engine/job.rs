//! A request that runs in a thread of its own.

use super::admit::{Admission, Admitted};
use super::conduct::UNSTARTED;
use super::{Engine, Unwatched};
use crate::error::Error;
use crate::reply::Reply;
use crate::request::Request;
use crate::run::JobId;
use ricasso_os::Cancel;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread::JoinHandle;

/// A running job. Dropping it stops it, unless [`Job::detach`] was said.
#[derive(Debug)]
pub struct Job {
    id: JobId,
    cancel: Cancel,
    over: Cancel,
    work: Option<JoinHandle<Option<Result<Reply, Error>>>>,
    refused: Option<Box<Reply>>,
}

impl Job {
    pub(super) fn start(engine: Engine, request: &Request, cancel: Cancel) -> Result<Job, Error> {
        let over = Cancel::new().map_err(Error::Os)?;
        let admitted = match engine.hall.admit(request)? {
            Admission::Refused(reply) => {
                over.ring();
                let id = reply.id.clone();
                return Ok(Job { id, cancel, over, work: None, refused: Some(reply) });
            }
            Admission::Granted(admitted) => admitted,
        };
        let id = admitted.id().clone();
        let (bell, end, hall) = (cancel.clone(), over.clone(), Arc::clone(&engine.hall));
        // Handed over only once there is a thread to take it.
        let (hand_over, take) = std::sync::mpsc::sync_channel::<Box<Admitted>>(1);
        let work = std::thread::Builder::new().name("ricasso-job".into()).spawn(move || {
            let admitted = take.recv().ok();
            let reply = admitted.map(|job| engine.hall.conduct(*job, &bell, &mut Unwatched));
            engine.hall.refill();
            end.ring();
            reply
        });
        let work = match work {
            Ok(work) => work,
            Err(source) => {
                return Err(hall.abandon(&admitted, &UNSTARTED, Error::Thread { source }));
            }
        };
        // The thread waits for exactly this.
        let _ = hand_over.send(admitted);
        Ok(Job { id, cancel, over, work: Some(work), refused: None })
    }

    /// Its name.
    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// Asks it to end: SIGTERM, the policy's grace, SIGKILL, to its whole tree.
    pub fn stop(&self) {
        self.cancel.ring();
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over.rung().is_some()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Result<Reply, Error> {
        self.join()
    }

    /// Lets it go on without this handle, for as long as the engine lives.
    pub fn detach(mut self) {
        self.work = None;
    }

    fn join(&mut self) -> Result<Reply, Error> {
        if let Some(reply) = self.refused.take() {
            return Ok(*reply);
        }
        match self.work.take().map(JoinHandle::join) {
            Some(Ok(Some(reply))) => reply,
            Some(Ok(None) | Err(_)) | None => Err(Error::JobThread { id: self.id.clone() }),
        }
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
