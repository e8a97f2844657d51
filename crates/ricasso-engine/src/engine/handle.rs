//! A hold on a job that belongs to somebody else: everything can be asked of it, and letting it go
//! changes nothing.

use super::board::{Board, Feed, Until};
use super::inlet::Fed;
use crate::capture::{Batch, Lines, Redacted, Takes};
use crate::error::Error;
use crate::reply::Reply;
use crate::run::JobId;
use std::sync::Arc;
use std::time::Duration;

/// A job, to be asked. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Handle {
    board: Arc<Board>,
}

/// Lines of a job as they come.
#[derive(Debug)]
pub struct Watch {
    board: Arc<Board>,
    lines: Lines,
    takes: Takes,
    over: bool,
}

/// Somebody who waits for a job without asking it anything.
pub(super) struct Held(Arc<Board>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

impl Handle {
    pub(super) fn new(board: Arc<Board>) -> Handle {
        Handle { board }
    }

    /// Its name.
    pub fn id(&self) -> &JobId {
        self.board.id()
    }

    /// The session it belongs to.
    pub fn session(&self) -> &str {
        self.board.session()
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.board.is_over()
    }

    /// The job as it is now; never waits.
    pub fn look(&self) -> Result<Reply, Error> {
        self.board.look()
    }

    /// Waits, at most for the patience; `waited` of the reply tells what was met.
    pub fn wait(&self, until: &Until, patience: Option<Duration>) -> Result<Reply, Error> {
        self.board.wait(until, patience, &|| false)
    }

    /// Feeds its input. A password prompt is refused unless that is allowed in so many words.
    pub fn feed(&self, feed: &Feed) -> Result<Fed, Error> {
        self.board.feed(feed)
    }

    /// What a key of this name sends to its terminal.
    pub fn key(&self, name: &str) -> Result<Vec<u8>, Error> {
        super::keys::bytes(name, self.board.arrows())
    }

    /// Ends its whole tree: SIGTERM, the policy's grace, SIGKILL. Returns when it is gone.
    pub fn stop(&self) -> Result<Reply, Error> {
        self.board.stop(&|| false)
    }

    /// Lines that match, from the first one on; all lines where there is no regex.
    pub fn watch(&self, regex: Option<&str>, takes: Takes) -> Result<Watch, Error> {
        let lines = self.board.lines(regex)?;
        Ok(Watch { board: Arc::clone(&self.board), lines, takes, over: false })
    }

    /// A sentence of ours about it.
    pub(super) fn redacted(&self, text: &str) -> Redacted<String> {
        self.board.redacted(text)
    }

    /// Counts as somebody who asks, until it is dropped.
    pub(super) fn held(&self) -> Held {
        self.board.hold();
        Held(Arc::clone(&self.board))
    }

    /// Ends the job when nobody asked about it for this long.
    pub fn lease(&self, time: Duration) {
        self.board.lease(time);
    }
}

impl Watch {
    /// The next lines; an empty batch where none came within the patience. Nothing once the job
    /// is over and everything was handed out.
    pub fn next(&mut self, patience: Duration) -> Result<Option<Batch>, Error> {
        if self.over {
            return Ok(None);
        }
        let (batch, over) = self.board.next_lines(&mut self.lines, self.takes, patience)?;
        self.over = over;
        let empty = batch.lines.is_empty() && batch.left_out == 0;
        Ok(if over && empty { None } else { Some(batch) })
    }
}
