//! Those whom a command left running, as a job of their own: with a name, a spool, entries in the
//! ledger, a deadline and a lease, and under the warden and the walls that they have anyway.

use super::admit::Admitted;
use super::basin::{Basin, Known};
use super::board::Board;
use super::close::{Papers, StepDone};
use super::conduct::course_of;
use super::open::Stays;
use super::{Hall, Unwatched};
use crate::capture::Totals;
use crate::error::Error;
use crate::policy::Survivors;
use crate::request::{Request, Tenure};
use crate::run::{self, Ending, JobId, Rest};
use ricasso_os::{Cancel, Leaves, Warden};
use std::sync::Arc;

impl Hall {
    /// What becomes of those whom a command leaves running.
    pub(super) fn leaves(&self) -> Leaves {
        match (self.policy.jobs().survivors, self.stays) {
            (Survivors::Adopt, Stays::WithItsJobs) => Leaves::Adopted,
            (Survivors::Adopt, Stays::ForOneCall) | (Survivors::Stop, _) => Leaves::Nobody,
        }
    }

    /// Whether those go on whom a command leaves running.
    pub(super) fn adopts(&self) -> bool {
        self.leaves() == Leaves::Adopted
    }

    /// A warden for a further step, where each keeps its own.
    pub(super) fn another_warden(&self, admitted: &Admitted) -> Result<Arc<Warden>, Error> {
        self.yard.warden(self.network_of(admitted.request())).map(Arc::new)
    }

    /// Makes a job of them. Where that fails they end with their warden, and the reply says so.
    pub(super) fn adopt(
        self: &Arc<Self>,
        left_by: &Admitted,
        warden: &Arc<Warden>,
        rest: Rest,
        basin: &mut Basin<'_>,
    ) -> Option<JobId> {
        match self.try_adopt(left_by, Arc::clone(warden), rest) {
            Ok(id) => Some(id),
            Err(error) => {
                let told = format!(
                    "what it left running was stopped, since no job could be made of it: {}",
                    error.in_full()
                );
                basin.told.push(told);
                None
            }
        }
    }

    fn try_adopt(
        self: &Arc<Self>,
        left_by: &Admitted,
        warden: Arc<Warden>,
        rest: Rest,
    ) -> Result<JobId, Error> {
        let request = request_of(left_by);
        let admitted = self.admit_survivors(left_by, request, warden)?;
        let cancel = Cancel::new().map_err(Error::Os)?;
        let board = match self.announce_survivors(&admitted, &cancel) {
            Ok(board) => board,
            Err(error) => return Err(self.abandon(&admitted, &Ending::Lost, error)),
        };
        let id = admitted.id().clone();
        let (hall, held) = (Arc::clone(self), Arc::clone(&board));
        // Handed over only once there is a thread to take it.
        let (hand_over, take) = std::sync::mpsc::sync_channel::<Admitted>(1);
        let named = std::thread::Builder::new().name("ricasso-job".into());
        let thread = named.spawn(move || {
            if let Ok(admitted) = take.recv() {
                hall.attend(admitted, &cancel, held, rest);
            }
        });
        if let Err(source) = thread {
            let error = Error::Thread { source };
            board.fails(&error);
            return Err(self.abandon(&admitted, &Ending::Lost, error));
        }
        // The thread waits for exactly this.
        let _ = hand_over.send(admitted);
        Ok(id)
    }

    /// Others can find it before anybody is told its name.
    fn announce_survivors(
        &self,
        admitted: &Admitted,
        cancel: &Cancel,
    ) -> Result<Arc<Board>, Error> {
        let board = self.board(admitted, cancel)?;
        if let Some(lease) = self.policy.jobs().lease.bound() {
            board.lease(lease);
        }
        self.open_desk()?;
        self.keep_now(admitted)?;
        Ok(board)
    }

    fn attend(&self, admitted: Admitted, cancel: &Cancel, board: Arc<Board>, rest: Rest) {
        let known = Known { board: Some(board), papers: Papers::Kept };
        let work = |admitted: &Admitted, basin: &mut Basin<'_>| {
            let course = course_of(admitted, cancel);
            let outcome = run::attend(admitted.warden(), rest, &course, basin);
            let (before, after) = (Totals::default(), basin.spool.totals());
            let outcome = outcome.map_err(Error::Run)?;
            Ok(vec![StepDone { outcome, before, after, adopted: None }])
        };
        // Its reply lies beside its spool and on its board; an error is on the board too.
        drop(self.conduct_as(admitted, (cancel, &mut Unwatched, known), work));
    }
}

/// The same request, held as a background job that nobody feeds.
fn request_of(left_by: &Admitted) -> Request {
    let mut request = left_by.request().clone();
    let id = left_by.id();
    request.timeout = None;
    request.manner.tenure = Tenure::Background;
    request.manner.label = Some(match request.manner.label.take() {
        Some(label) => format!("{label} (left running by {id})"),
        None => format!("left running by {id}"),
    });
    request
}
