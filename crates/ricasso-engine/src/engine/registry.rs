//! The boards of this owner: who may see which, and what ending a session does.

use super::board::{Board, Until};
use crate::error::Error;
use crate::reply::Reply;
use crate::run::JobId;
use ricasso_os::Cancel;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Boards of jobs that are over and are kept a little longer: their last papers may still be on
/// their way to the disk.
const MOST_ENDED: usize = 64;
/// How long the end of a session waits for its jobs; each has its own grace within it.
const ALL_STOPPED: Duration = Duration::from_secs(30);

/// Whose jobs are seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// A person at the command line: all of this user's.
    Person,
    /// A session: its own alone.
    Session(String),
}

/// A job was cancelled because its session ended.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The session that ended.
    pub session: String,
    /// The job.
    pub id: JobId,
    /// How it ended; nothing where it is still being ended.
    pub reply: Option<Box<Reply>>,
}

#[derive(Debug, Default)]
pub(super) struct Registry(Mutex<Vec<Arc<Board>>>);

impl Scope {
    pub(super) fn sees(&self, session: &str) -> bool {
        match self {
            Scope::Person => true,
            Scope::Session(own) => own == session,
        }
    }
}

impl Registry {
    pub(super) fn add(&self, board: Arc<Board>) {
        self.boards().push(board);
    }

    /// Lets go of the oldest jobs that are over; their replies are on the disk by now.
    pub(super) fn prune(&self) {
        let mut boards = self.boards();
        let ended = boards.iter().filter(|board| board.is_over()).count();
        let mut spare = ended.saturating_sub(MOST_ENDED);
        boards.retain(|board| {
            let goes = spare > 0 && board.is_over();
            spare -= usize::from(goes);
            !goes
        });
    }

    /// The job, where there is one that may be seen.
    pub(super) fn find(&self, scope: &Scope, id: &str) -> Result<Arc<Board>, Error> {
        let boards = self.boards();
        let found =
            boards.iter().find(|board| board.id().as_str() == id && scope.sees(board.session()));
        found.cloned().ok_or_else(|| Error::NoJob { id: id.to_string() })
    }

    /// All that may be seen, oldest first.
    pub(super) fn list(&self, scope: &Scope) -> Vec<Arc<Board>> {
        let boards = self.boards();
        boards.iter().filter(|board| scope.sees(board.session())).cloned().collect()
    }

    /// Returns when every job is over. A signal stops them.
    pub(super) fn stay(&self, cancel: &Cancel) -> Result<(), Error> {
        let living = |board: &Arc<Board>| !board.is_over();
        while let Some(board) = self.list(&Scope::Person).into_iter().find(living) {
            let fds = [Some(board.over().as_fd()), cancel.signal_fd()];
            let [_, signal] = ricasso_os::ready(fds, None).map_err(Error::Os)?;
            if signal && cancel.take_signal().is_some() {
                self.list(&Scope::Person).iter().for_each(|board| board.cancel().ring());
            }
        }
        Ok(())
    }

    /// Stops every job of a session, all at once, and gives a notice for each.
    pub(super) fn end_session(&self, session: &str, tell: &mut dyn FnMut(Notice)) {
        let scope = Scope::Session(session.to_string());
        let mine: Vec<Arc<Board>> =
            self.list(&scope).into_iter().filter(|board| !board.is_over()).collect();
        mine.iter().for_each(|board| board.cancel().ring());
        for board in mine {
            let reply = board.wait(&Until::Exit, Some(ALL_STOPPED), &|| false).ok();
            let reply = reply.filter(|reply| !reply.running).map(Box::new);
            tell(Notice { session: session.to_string(), id: board.id().clone(), reply });
        }
    }

    fn boards(&self) -> MutexGuard<'_, Vec<Arc<Board>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
