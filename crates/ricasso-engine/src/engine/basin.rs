//! Where the bytes of a job go: the spool first, then whoever watches, then the board.

use super::admit::Admitted;
use super::answer;
use super::board::{Board, Made};
use super::close::{Draft, Papers};
use super::conduct::Watcher;
use super::lookout::{Lookout, Sight};
use super::{Desk, Hall};
use crate::capture::{Appended, Spool, Stream};
use crate::error::Error;
use crate::reply::Reply;
use crate::run::{Flow, LimitName, Sink, Source};
use ricasso_os::{Cancel, Input, Mouth, Output};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// While output floods in, a piece of it is shown this often: what is shown must be searched, which
/// takes longer than to store it, and the pipe does not wait for that.
const SHOWN_IN_FLOOD: Duration = Duration::from_millis(50);
/// So much that is stored and not shown yet is a flood.
const FLOOD_BYTES: u64 = 256 * 1024;
/// A lease is looked at this often at most.
const LEASE_TICK: Duration = Duration::from_millis(10);

/// What is known of a job when it begins.
pub(super) struct Known {
    /// Its board, where somebody needs one from the start.
    pub(super) board: Option<Arc<Board>>,
    /// Whether its papers lie beside the spool already.
    pub(super) papers: Papers,
}

impl Default for Known {
    fn default() -> Known {
        Known { board: None, papers: Papers::Missing }
    }
}

/// Where the bytes of a job go.
pub(super) struct Basin<'a> {
    pub(super) spool: Spool,
    pub(super) failed: Option<Error>,
    pub(super) ordered: bool,
    /// What the reader of the reply should know.
    pub(super) told: Vec<String>,
    /// What lies beside the spool does so soon after a long command has begun, and otherwise when
    /// it is over.
    pub(super) papers: Papers,
    /// The reply as far as it is known, once the first order is given.
    pub(super) draft: Option<Draft>,
    /// Standard input, until the last step has it.
    pub(super) input: Option<Arc<Input>>,
    hall: &'a Hall,
    admitted: &'a Admitted,
    watcher: &'a mut dyn Watcher,
    cancel: &'a Cancel,
    board: Option<Arc<Board>>,
    lookout: Option<Lookout>,
    spoke: Stream,
    pid: Option<i32>,
    /// When something was shown last.
    showed: Instant,
    /// Whether bytes came since then.
    fed: bool,
    /// Whether more can be shown at once.
    behind: bool,
}

impl<'a> Basin<'a> {
    pub(super) fn new(
        hall: &'a Hall,
        admitted: &'a Admitted,
        spool: Spool,
        watcher: &'a mut dyn Watcher,
        (cancel, known): (&'a Cancel, Known),
    ) -> Basin<'a> {
        Basin {
            spool,
            failed: None,
            ordered: false,
            told: Vec::new(),
            papers: known.papers,
            draft: None,
            input: None,
            hall,
            admitted,
            watcher,
            cancel,
            board: known.board,
            lookout: None,
            spoke: Stream::Stdout,
            pid: None,
            showed: Instant::now(),
            fed: false,
            behind: false,
        }
    }

    /// The input that the next command reads. Nobody is asked about one that cannot be fed.
    pub(super) fn listens_to(&mut self, mouth: Option<Mouth>) {
        let mouth = mouth.filter(|_| self.admitted.inlet().is_open());
        self.lookout = mouth.map(Lookout::new);
        self.pid = None;
        if let Some(board) = &self.board {
            board.listens_to(mouth);
        }
    }

    /// Two pipes for what the next command says.
    pub(super) fn outputs(&self) -> Result<[Output; 2], Error> {
        self.hall.yard.outputs().map_err(Error::Os)
    }

    /// All is over: whoever waits for it is told.
    pub(super) fn ends(&mut self, reply: &Result<Reply, Error>) {
        let Some(board) = &self.board else { return };
        board.publish(self.spool.watermark(), self.spoke);
        match reply {
            Ok(reply) => board.ends(reply.clone()),
            Err(error) => board.fails(error),
        }
        self.hall.registry.prune();
    }

    /// Shows a piece of what is decided and was not shown yet; in a flood only now and then.
    fn show(&mut self) {
        let fed = std::mem::take(&mut self.fed);
        let flood = fed && self.spool.unshown_bytes() > FLOOD_BYTES;
        if flood && self.showed.elapsed() < SHOWN_IN_FLOOD {
            self.behind = true;
            return;
        }
        self.behind = self.show_pieces() && self.spool.unshown_bytes() > 0;
        self.showed = Instant::now();
    }

    /// Shows a piece of each stream; whether there was one. What cannot be read back now is in the
    /// spool all the same, and the reply tells of a spool that fails.
    fn show_pieces(&mut self) -> bool {
        let mut shown = false;
        for stream in Stream::BOTH {
            if self.watcher.wants_output()
                && let Ok(fresh) = self.spool.fresh(stream)
                && !fresh.get().is_empty()
            {
                self.watcher.output(stream, fresh);
                shown = true;
            }
        }
        shown
    }

    /// The end of the output decides what was still waiting to grow into a secret.
    pub(super) fn show_the_rest(&mut self) {
        self.watcher.over();
        if self.watcher.wants_output() && self.spool.finish().is_ok() {
            while self.show_pieces() {}
        }
    }

    /// Tells the board how far everything is.
    fn publish(&mut self) {
        let Some(board) = &self.board else { return };
        let water = self.spool.watermark();
        board.publish(water, self.spoke);
        if let Some(lease) = board.forsaken().filter(|_| self.cancel.rung().is_none()) {
            self.cancel.ring();
            let told = format!("nobody asked about it for {lease:?}, its lease, so it was ended");
            self.told.push(told);
        }
        if let (Some(lookout), Some(pid)) = (&mut self.lookout, self.pid) {
            match lookout.look(pid, self.admitted.inlet(), water.bytes.iter().sum()) {
                Sight::Unsure => {}
                Sight::Nobody => board.waits(None),
                Sight::Waits(asleep) => board.waits(Some(asleep)),
            }
        }
    }
}

impl Sink for Basin<'_> {
    fn take(&mut self, from: Source, bytes: &[u8]) -> Flow {
        let stream = match from {
            Source::Stdout => Stream::Stdout,
            Source::Stderr => Stream::Stderr,
        };
        self.spoke = stream;
        self.fed = true;
        if self.failed.is_some() {
            return Flow::Full(LimitName::Disk);
        }
        match self.spool.append(stream, bytes) {
            Ok(Appended::Stored) => Flow::Go,
            Ok(Appended::Full) => Flow::Full(LimitName::Output),
            Err(error) => {
                self.failed = Some(Error::Capture(error));
                Flow::Full(LimitName::Disk)
            }
        }
    }

    fn pause(&mut self, running_for: Duration) {
        self.show();
        self.publish();
        self.watcher.pause(running_for);
    }

    fn tick(&self) -> Option<Duration> {
        let lookout = self.lookout.as_ref().filter(|_| self.pid.is_some() && self.board.is_some());
        let due = lookout.map(Lookout::due_in);
        let behind = (self.behind && self.watcher.wants_output()).then_some(Duration::ZERO);
        let lease = self.board.as_ref().filter(|_| self.cancel.rung().is_none());
        let lease = lease.and_then(|board| board.lease_left()).map(|left| left.max(LEASE_TICK));
        [self.watcher.tick(), due, behind, lease].into_iter().flatten().min()
    }

    fn ordered(&mut self) {
        self.ordered = true;
        if self.draft.is_none() {
            self.draft = Some(self.hall.draft(self.admitted));
        }
    }

    fn started(&mut self, pid: i32) {
        self.pid = Some(pid);
        if let Some(board) = &self.board {
            board.started(pid);
        }
    }

    fn lives(&mut self) -> Flow {
        if self.papers == Papers::Kept {
            return Flow::Go;
        }
        self.papers = Papers::Kept;
        if self.board.is_none() {
            let made = self.hall.board(self.admitted, self.cancel);
            if let Ok(board) = &made {
                board.listens_to(self.lookout.as_ref().map(Lookout::mouth));
                self.pid.into_iter().for_each(|pid| board.started(pid));
            }
            // Without a board nobody else can look at it, and nothing else is lost.
            self.board = made.map_err(|error| self.hall.yard.note(error)).ok();
        }
        if let Err(error) = self.hall.open_desk() {
            self.hall.yard.note(error);
        }
        match self.hall.keep_early(self.admitted) {
            Ok(()) => Flow::Go,
            Err(error) => {
                self.failed = Some(error);
                Flow::Full(LimitName::Disk)
            }
        }
    }
}

impl Hall {
    /// A board for a job that is admitted, known to everybody from now on.
    pub(super) fn board(&self, admitted: &Admitted, cancel: &Cancel) -> Result<Arc<Board>, Error> {
        let board = Arc::new(Board::new(Made {
            head: answer::running(admitted),
            dir: admitted.dir().path().to_path_buf(),
            redactor: admitted.redactor().clone(),
            cancel: cancel.clone(),
            over: Cancel::new().map_err(Error::Os)?,
            inlet: Arc::clone(admitted.inlet()),
            terminal: admitted.request().manner.terminal,
            ledger: Arc::clone(&self.ledger),
        }));
        self.registry.add(Arc::clone(&board));
        Ok(board)
    }

    /// Opens the desk, where it is not open yet.
    pub(super) fn open_desk(&self) -> Result<(), Error> {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        if desk.is_none() {
            let registry = Arc::clone(&self.registry);
            *desk = Some(Desk::open(&self.yard.state, self.yard.owner.id(), registry)?);
        }
        Ok(())
    }

    pub(super) fn close_desk(&self, patience: Duration) {
        let desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut desk) = desk {
            desk.close(patience);
        }
    }
}
