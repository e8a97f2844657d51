//! From the plan to the end of the last step: files of the job, warden, loop, spool.

use super::Hall;
use super::admit::Admitted;
use super::basin::{Basin, Known};
use super::close::{Closing, StepDone};
use super::unhidden::Hidden;
use super::{later, state};
use crate::capture::{Bounds, Redacted, Spool, Stream};
use crate::error::Error;
use crate::plan::Start;
use crate::reply::Reply;
use crate::request::OnFailure;
use crate::run::{self, Course, Ending, Failure, Outcome, Rest, Room, Streams};
use ricasso_os::{Cancel, Leaves, Mouth, Order, Terminal, Warden};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A deadline that never comes, where the policy switched deadlines off.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Something of ours failed before anything of the job ran.
pub(super) const UNSTARTED: Ending = Ending::NotStarted(Failure::Ours);

/// Sees a job while it runs. What it gets is redacted already.
pub trait Watcher {
    /// Some output of the job.
    fn output(&mut self, stream: Stream, bytes: Redacted<Vec<u8>>) {
        let _ = (stream, bytes);
    }

    /// Whether [`Watcher::output`] is wanted at all.
    fn wants_output(&self) -> bool {
        false
    }

    /// The job has run for this long.
    fn pause(&mut self, running_for: Duration) {
        let _ = running_for;
    }

    /// The job is over: what is shown from now on is the rest, and there is time to wait for
    /// whoever reads it.
    fn over(&mut self) {}

    /// How often [`Watcher::pause`] is wanted while nothing happens. Asked again each time.
    fn tick(&self) -> Option<Duration> {
        None
    }
}

impl Hall {
    /// Runs an admitted request to its end and closes its entry.
    pub(super) fn conduct(
        self: &Arc<Self>,
        admitted: Admitted,
        cancel: &Cancel,
        watcher: &mut dyn Watcher,
        known: Known,
    ) -> Result<Reply, Error> {
        let work = |admitted: &Admitted, basin: &mut Basin<'_>| self.steps(admitted, cancel, basin);
        self.conduct_as(admitted, (cancel, watcher, known), work)
    }

    /// The same, of which the caller does the middle.
    pub(super) fn conduct_as(
        &self,
        mut admitted: Admitted,
        (cancel, watcher, known): (&Cancel, &mut dyn Watcher, Known),
        work: impl FnOnce(&Admitted, &mut Basin<'_>) -> Result<Vec<StepDone>, Error>,
    ) -> Result<Reply, Error> {
        let input = admitted.take_input();
        let output_bytes = admitted.plan().allowance().output_bytes.unwrap_or(u64::MAX);
        let bounds = Bounds { output_bytes };
        let spool = Spool::create(admitted.dir().path(), admitted.redactor().clone(), bounds);
        let on_write = *self.policy.redact().on_write;
        let spool = spool.map(|spool| if on_write { spool.redacted_on_write() } else { spool });
        let spool = match spool {
            Ok(spool) => spool,
            Err(error) => return Err(self.abandon(&admitted, &UNSTARTED, Error::Capture(error))),
        };
        let (before, hidden) = (later::before(&admitted), Hidden::before(&admitted));
        let mut basin = Basin::new(self, &admitted, spool, watcher, (cancel, known));
        basin.input = input;
        let conducted = work(&admitted, &mut basin);
        let papers = basin.papers;
        // The entry is closed before the rest is shown: whoever reads our output may take its
        // time, and the record does not wait for it.
        let reply = match conducted {
            Ok(steps) => {
                let failed = basin.failed.take();
                let told = std::mem::take(&mut basin.told);
                let (admitted, draft) = (&admitted, basin.draft.take());
                let closing = Closing { admitted, draft, failed, papers, before, hidden, told };
                Ok(self.close(closing, &mut basin.spool, &steps))
            }
            // Our own failure: the entry is closed all the same, and the error goes to the caller.
            Err(error) => {
                // The error that brought us here is what the caller is told, not its echo.
                let _ = basin.spool.finish();
                // How a command ended that we lost hold of is not known.
                let ending = if basin.ordered { Ending::Lost } else { UNSTARTED };
                Err(self.abandon(&admitted, &ending, error))
            }
        };
        basin.ends(&reply);
        basin.show_the_rest();
        drop(basin);
        if let Ok(reply) = &reply {
            self.put_away(admitted, reply, papers);
        }
        reply
    }

    fn steps(
        self: &Arc<Self>,
        admitted: &Admitted,
        cancel: &Cancel,
        basin: &mut Basin<'_>,
    ) -> Result<Vec<StepDone>, Error> {
        let course = course_of(admitted, cancel);
        let leaves = self.leaves();
        let starts = admitted.plan().starts();
        let mut done: Vec<StepDone> = Vec::with_capacity(starts.len());
        for (index, start) in starts.iter().enumerate() {
            let before = basin.spool.totals();
            let last = index + 1 == starts.len();
            let warden = match leaves {
                // Whoever may stay keeps its warden.
                Leaves::Adopted if index > 0 => self.another_warden(admitted)?,
                Leaves::Adopted | Leaves::Nobody => Arc::clone(admitted.warden()),
            };
            let step = Step { index, start, last, leaves, warden: &warden };
            let (outcome, rest) = self.step(admitted, &course, basin, &step)?;
            let adopted = rest.and_then(|rest| self.adopt(admitted, &warden, rest, basin));
            let goes_on = goes_on(admitted.request().on_failure, &outcome.ending);
            done.push(StepDone { outcome, before, after: basin.spool.totals(), adopted });
            if !goes_on {
                break;
            }
        }
        if done.last().is_some_and(|step| step.outcome.ending == Ending::Lost) {
            self.yard.keeper.sweep_after_loss();
        }
        Ok(done)
    }

    fn step(
        &self,
        admitted: &Admitted,
        course: &Course<'_>,
        basin: &mut Basin<'_>,
        step: &Step<'_>,
    ) -> Result<(Outcome, Option<Rest>), Error> {
        let allowance = admitted.plan().allowance();
        let mut order = Order {
            argv: step.start.argv.clone(),
            env: step.start.env.clone(),
            cwd: step.start.cwd.clone(),
            ceilings: self.yard.keeper.as_called(allowance.ceilings),
            litter: Vec::new(),
            more: !step.last && step.leaves == Leaves::Nobody,
            leaves: step.leaves,
            terminal: admitted.request().manner.terminal.is_some(),
            cage: admitted.plan().built().cloned(),
        };
        let script = self.script_of(admitted, step)?;
        if let Some(script) = &script {
            use std::os::unix::ffi::OsStrExt;
            order.argv.push(script.0.as_os_str().as_bytes().to_vec());
            order.litter.push(script.0.clone());
        }
        let Some(keeps) = &admitted.request().manner.state else {
            return drive(admitted, course, basin, (step, &order, None));
        };
        let file = ricasso_os::state_file().map_err(Error::Os)?;
        let driven = drive(admitted, course, basin, (step, &order, Some(file.as_fd())))?;
        basin.told.extend(keeps.told.iter().cloned());
        let session = &admitted.request().caller.session;
        basin.told.extend(state::take(
            file,
            &self.yard.state,
            (session, self.policy.mode()),
            &order.env,
        ));
        Ok(driven)
    }

    /// The file of a script: private, executable by us alone, gone when this value is dropped.
    fn script_of(&self, admitted: &Admitted, step: &Step<'_>) -> Result<Option<ScriptFile>, Error> {
        let Some(text) = &step.start.script else { return Ok(None) };
        let (state, id) = (&self.yard.state, admitted.id());
        let session = admitted.request().caller.session.as_str();
        let path = state.script(session, id, step.index).map_err(Error::Run)?;
        let file = ScriptFile(path);
        let mut options = std::fs::OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o700).open(&file.0);
        let written =
            opened.and_then(|mut out| std::io::Write::write_all(&mut out, text.as_slice()));
        written.map_err(|source| {
            Error::Run(run::Error::State { what: "write the script", path: file.0.clone(), source })
        })?;
        Ok(Some(file))
    }
}

struct Step<'a> {
    index: usize,
    start: &'a Start,
    last: bool,
    leaves: Leaves,
    warden: &'a Warden,
}

/// The time that a job has.
pub(super) fn course_of<'a>(admitted: &'a Admitted, cancel: &'a Cancel) -> Course<'a> {
    let allowance = admitted.plan().allowance();
    let place = admitted.plan().cage().filled_tmp();
    let room = place.zip(allowance.tmp_bytes).map(|(place, most)| Room { place, most });
    Course {
        deadline: Instant::now() + allowance.deadline.applied.unwrap_or(NEVER),
        idle: allowance.idle,
        grace: allowance.grace,
        cancel,
        room,
    }
}

/// One order, at pipes or at a terminal.
fn drive(
    admitted: &Admitted,
    course: &Course<'_>,
    basin: &mut Basin<'_>,
    (step, order, state): (&Step<'_>, &Order, Option<BorrowedFd<'_>>),
) -> Result<(Outcome, Option<Rest>), Error> {
    let Some(size) = admitted.request().manner.terminal else {
        // The last step takes our own end along: what a command that closes its input is fed
        // then comes back as an error instead of vanishing in a pipe.
        let input = if step.last { basin.input.take() } else { basin.input.clone() };
        let input = input.expect("only the last step takes it");
        basin.listens_to(Mouth::of(&*input));
        let [out, err] = basin.outputs()?;
        let streams = Streams { input, out, err: Some(err), state };
        return run::drive(step.warden, order, streams, course, basin).map_err(Error::Run);
    };
    let made = ricasso_os::terminal(size.columns, size.rows).map_err(Error::Os)?;
    let Terminal { input, output, feeder } = made;
    admitted.inlet().set_terminal(feeder);
    basin.listens_to(Mouth::of(&input));
    let streams = Streams { input: Arc::new(input), out: output, err: None, state };
    run::drive(step.warden, order, streams, course, basin).map_err(Error::Run)
}

struct ScriptFile(PathBuf);

impl Drop for ScriptFile {
    fn drop(&mut self) {
        // The warden may have been faster.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether the next step may run. What ends the job ends all of it.
fn goes_on(on_failure: OnFailure, ending: &Ending) -> bool {
    match ending {
        Ending::Exited(0) => true,
        Ending::Exited(_) | Ending::Signalled(_) | Ending::NotStarted(_) => {
            on_failure == OnFailure::KeepGoing
        }
        Ending::TimedOut
        | Ending::Idle
        | Ending::Cancelled(_)
        | Ending::Limit(_)
        | Ending::Refused(_)
        | Ending::Lost => false,
    }
}
