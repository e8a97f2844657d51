//! The loop round the machine: one order, from its start to the end of its tree.

use super::ending::{Ending, LimitName};
use super::error::Error;
use super::room::{Room, Watch};
use super::state::{Action, Event, Phase, step};
use super::told::{ending_of, failure_of};
use ricasso_os::{
    Cancel, Cancelled, Ended, Input, Leaves, Order, Output, Report, Stage, Usage, Warden,
};
use serde::Serialize;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One read takes this much: larger buffers cost more than they bring (measured: 64 KiB reads use
/// a third of the CPU of 1 MiB reads).
const READ_BYTES: usize = 64 * 1024;
/// The first reads take this much, from a buffer that costs nothing: most commands say little, and
/// fresh pages for a large one would be a tenth of a bare spawn.
const FIRST_READ_BYTES: usize = 4 * 1024;
/// Reads of one stream in a row before the other one and the clock get their turn.
const READS_IN_A_ROW: usize = 16;
/// When the tree is gone, only somebody outside it can still hold a pipe (a daemon that got the
/// descriptor handed over). Nobody waits for that.
const DRAIN: Duration = Duration::from_millis(50);

/// Most commands are over by now, and on a machine with two cores everything done beside one in
/// its first milliseconds slows it down.
pub(super) const EARLY: Duration = Duration::from_millis(20);
/// A killed tree is gone within milliseconds, and the warden itself gives up after five seconds;
/// what is still there then is held by the kernel.
const STUCK: Duration = Duration::from_secs(8);
/// How often a warden is continued that was told to end its tree.
const ROUSE_AGAIN: Duration = Duration::from_millis(20);

/// Which stream some bytes came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a sink says to more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    /// Go on.
    Go,
    /// This limit is reached: end the job.
    Full(LimitName),
}

/// Takes every byte of a job, at once and in the order in which it was seen.
pub trait Sink {
    /// Takes some bytes.
    fn take(&mut self, from: Source, bytes: &[u8]) -> Flow;
    /// Called after each round of the loop, and at least every [`Sink::tick`].
    fn pause(&mut self, running_for: Duration);
    /// How soon the sink wants its next pause while nothing happens.
    fn tick(&self) -> Option<Duration>;
    /// The order is given: from now on something of the command may run.
    fn ordered(&mut self);
    /// The command runs under this number. Not told of one that is over at once.
    fn started(&mut self, pid: i32);
    /// The command has lived for 20 ms: time for what a short one can do without.
    fn lives(&mut self) -> Flow;
}

/// The time that a job has, and who may end it early.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// When it is asked to end.
    pub deadline: Instant,
    /// The longest silence.
    pub idle: Option<Duration>,
    /// Between asking and killing.
    pub grace: Duration,
    /// The bell.
    pub cancel: &'a Cancel,
    /// What it may fill.
    pub room: Option<Room<'a>>,
}

/// Somebody whom the command had left running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// The host's number.
    pub pid: i32,
    /// The command line, raw: it is redacted where it leaves the house.
    #[serde(skip)]
    pub command: Vec<u8>,
    /// Whether the kernel would not let it go.
    #[serde(skip)]
    pub stuck: bool,
}

/// What is known when all is over.
#[derive(Debug, Clone)]
#[must_use]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// The kernel's answer and the stage, where it could not be started.
    pub not_started: Option<(Stage, i32)>,
    /// The host's number of the command.
    pub pid: Option<i32>,
    /// From the order to the end.
    pub duration: Duration,
    /// What the whole job used so far.
    pub usage: Usage,
    /// What the command left running, and what was done to end it.
    pub survivors: Vec<Survivor>,
    /// Whether asking was not enough to end it.
    pub forced: bool,
    /// What the cage denied, as far as it can tell.
    pub denied: Vec<ricasso_os::Denied>,
}

/// The streams of one order: the command's ends and the owner's.
#[derive(Debug)]
pub struct Streams<'a> {
    /// Standard input.
    pub input: Arc<Input>,
    /// Standard output, and standard error where it has none of its own.
    pub out: Output,
    /// Standard error.
    pub err: Option<Output>,
    /// Where a shell leaves its state.
    pub state: Option<BorrowedFd<'a>>,
}

/// Those who outlive their command, with the streams that they hold.
#[derive(Debug)]
pub struct Rest {
    order: Order,
    streams: [Option<Output>; 2],
    pid: i32,
}

/// Starts the order and stays with it until its tree is gone and its streams are read, or until
/// only those are left who may outlive it.
pub fn drive(
    warden: &Warden,
    order: &Order,
    streams: Streams<'_>,
    course: &Course<'_>,
    sink: &mut dyn Sink,
) -> Result<(Outcome, Option<Rest>), Error> {
    let Streams { input, out, err, state } = streams;
    let began = Instant::now();
    {
        let stderr = err.as_ref().unwrap_or(&out);
        let (Some(stdout), Some(stderr)) = (out.writer(), stderr.writer()) else {
            unreachable!("the writers are made with the streams and closed below");
        };
        match warden.start(order, [input.as_fd(), stdout, stderr], state) {
            // A warden that is gone already is a job that is lost, and is told as one.
            Ok(()) | Err(ricasso_os::Error::Gone { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    drop(input);
    let mut streams = [Some(out), err];
    // A pipe whose other end we hold too tells us of its end only when we want to know: the end of
    // a command comes with its warden's word, and three wake-ups for it would slow it down.
    streams
        .iter_mut()
        .flatten()
        .filter(|stream| stream.is_terminal())
        .for_each(Output::close_writer);
    let ride = Ride::new(warden, course, streams, order, began, sink);
    ride.sink.ordered();
    ride.rides()
}

/// Stays with those who outlived their command until they are gone.
pub fn attend(
    warden: &Warden,
    rest: Rest,
    course: &Course<'_>,
    sink: &mut dyn Sink,
) -> Result<Outcome, Error> {
    let Rest { order, streams, pid } = rest;
    sink.ordered();
    let mut ride = Ride::new(warden, course, streams, &order, Instant::now(), sink);
    ride.reported(Report::Started { pid });
    Ok(ride.rides()?.0)
}

struct Ride<'a> {
    warden: &'a Warden,
    course: &'a Course<'a>,
    order: &'a Order,
    sink: &'a mut dyn Sink,
    streams: [Option<Output>; 2],
    buffer: Vec<u8>,
    phase: Phase,
    began: Instant,
    heard: Instant,
    early: Option<Instant>,
    rouse: Instant,
    grace: Option<Instant>,
    drain: Option<Instant>,
    cancel_seen: bool,
    outlived_by: Option<i32>,
    room: Watch<'a>,
    outcome: Outcome,
}

impl<'a> Ride<'a> {
    fn new(
        warden: &'a Warden,
        course: &'a Course<'a>,
        streams: [Option<Output>; 2],
        order: &'a Order,
        began: Instant,
        sink: &'a mut dyn Sink,
    ) -> Ride<'a> {
        let outcome = Outcome {
            ending: Ending::Lost,
            not_started: None,
            pid: None,
            duration: Duration::ZERO,
            usage: Usage::default(),
            survivors: Vec::new(),
            forced: false,
            denied: Vec::new(),
        };
        Ride {
            warden,
            course,
            order,
            sink,
            streams,
            buffer: vec![0; FIRST_READ_BYTES],
            phase: Phase::Starting,
            began,
            heard: began,
            early: Some(began + EARLY),
            rouse: began + Warden::ROUSE,
            grace: None,
            drain: None,
            cancel_seen: false,
            outlived_by: None,
            room: Watch::new(course.room, order.ceilings.memory_bytes, began),
            outcome,
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Done(_))
    }

    fn rides(mut self) -> Result<(Outcome, Option<Rest>), Error> {
        while !self.is_over() {
            self.round()?;
        }
        let streams = std::mem::take(&mut self.streams);
        let rest = |pid| Rest { order: self.order.clone(), streams, pid };
        let rest = self.outlived_by.map(rest);
        Ok((self.outcome(), rest))
    }

    fn outcome(self) -> Outcome {
        let ending = match self.phase {
            Phase::Done(ending) | Phase::Draining(ending) => ending,
            Phase::Starting | Phase::Running | Phase::Asked(_) | Phase::Forced(_) => Ending::Lost,
        };
        Outcome { ending, duration: self.began.elapsed(), ..self.outcome }
    }

    /// Waits for something and deals with all of it. Reports come before the clock, so that a
    /// command that ended in time never counts as late.
    fn round(&mut self) -> Result<(), Error> {
        let [out, err] = &self.streams;
        let listening = !matches!(self.phase, Phase::Draining(_));
        let fds = [
            out.as_ref().map(AsFd::as_fd),
            err.as_ref().map(AsFd::as_fd),
            listening.then(|| self.warden.as_fd()),
            (!self.cancel_seen).then(|| self.course.cancel.as_fd()),
            self.course.cancel.signal_fd(),
        ];
        let [out, err, warden, bell, signal] = ricasso_os::ready(fds, self.patience())?;
        if out {
            self.read(0, Source::Stdout);
        }
        if err {
            self.read(1, Source::Stderr);
        }
        if warden {
            self.listen()?;
        }
        if signal {
            self.take_signals();
        }
        if bell && !self.cancel_seen {
            self.cancel_seen = true;
            self.cancelled();
        }
        self.clock();
        if self.streams.iter().all(Option::is_none) {
            self.happens(Event::StreamsClosed);
        }
        self.sink.pause(self.began.elapsed());
        Ok(())
    }

    fn patience(&self) -> Option<Duration> {
        let now = Instant::now();
        let live = matches!(self.phase, Phase::Starting | Phase::Running);
        let deadline = live.then_some(self.course.deadline);
        let idle = self.course.idle.filter(|_| live).map(|idle| self.heard + idle);
        let tick = self.sink.tick().map(|tick| now + tick);
        let early = self.early.filter(|_| live);
        let rouse = Some(self.rouse);
        let room = self.room.next().filter(|_| live);
        let all = [deadline, idle, early, rouse, room, self.grace, self.drain, tick];
        let next = all.into_iter().flatten().min();
        next.map(|at| at.saturating_duration_since(now))
    }

    fn clock(&mut self) {
        let now = Instant::now();
        let live = matches!(self.phase, Phase::Starting | Phase::Running);
        if live && now >= self.course.deadline {
            self.happens(Event::Deadline);
        }
        if live && self.course.idle.is_some_and(|idle| now >= self.heard + idle) {
            self.happens(Event::Idle);
        }
        if live && self.early.take_if(|at| now >= *at).is_some() {
            self.room.begin();
            if let Flow::Full(limit) = self.sink.lives() {
                self.happens(Event::Full(limit));
            }
        }
        if live && let Some(limit) = self.room.look(now, self.outcome.pid) {
            self.happens(Event::Full(limit));
        }
        if now >= self.rouse {
            // A command may have stopped its warden, which could then never tell how it ended.
            self.warden.rouse();
            // One that was told to end the tree may be stopped again and again meanwhile.
            self.rouse = now + if live { Warden::ROUSE } else { ROUSE_AGAIN };
        }
        if self.grace.take_if(|at| now >= *at).is_some() {
            self.happens(Event::Grace);
        }
        if self.drain.take_if(|at| now >= *at).is_some() {
            self.happens(Event::DrainOver);
        }
    }

    fn read(&mut self, index: usize, source: Source) {
        for _ in 0..READS_IN_A_ROW {
            let Some(stream) = &mut self.streams[index] else { return };
            match stream.read(&mut self.buffer) {
                Ok(0) => self.streams[index] = None,
                Ok(length) => {
                    self.heard = Instant::now();
                    if let Flow::Full(limit) = self.sink.take(source, &self.buffer[..length]) {
                        self.happens(Event::Full(limit));
                    }
                    if length < self.buffer.len() {
                        return;
                    }
                    self.buffer.resize(READ_BYTES, 0);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A pipe has no other errors; if it ever had, there is nothing more to read.
                Err(_) => self.streams[index] = None,
            }
        }
    }

    fn listen(&mut self) -> Result<(), Error> {
        while let Some(report) = self.warden.report()? {
            let lost = report == Report::Lost;
            self.reported(report);
            if lost || matches!(self.phase, Phase::Draining(_)) {
                break;
            }
        }
        Ok(())
    }

    fn reported(&mut self, report: Report) {
        match report {
            Report::Started { pid } => {
                self.outcome.pid = Some(pid);
                self.sink.started(pid);
                self.happens(Event::Started);
            }
            Report::NotStarted { stage, errno } => {
                self.outcome.not_started = Some((stage, errno));
                self.happens(Event::NotStarted(Ending::NotStarted(failure_of(stage, errno))));
            }
            Report::Ended(ended) => {
                self.outcome.pid = Some(ended.pid);
                self.outcome.usage = ended.usage;
                self.outcome.survivors.extend(survivors(&ended.survivors, false));
                self.outcome.denied.clone_from(&ended.denied);
                let outlived_by = self.outlived_by(&ended);
                let ending = ending_of(&ended, self.order);
                self.happens(Event::Ended { ending, tree_gone: ended.tree_gone });
                if outlived_by.is_some() {
                    // Its own words are read by now; what comes is said by others.
                    self.outlived_by = outlived_by;
                    self.drain = Some(Instant::now());
                }
            }
            Report::Gone { left, usage } => {
                self.outcome.usage = usage;
                self.outcome.survivors.extend(survivors(&left, true));
                self.happens(Event::TreeGone);
            }
            Report::Lost => self.happens(Event::Lost),
            // The os crate may learn to say more; what we do not know changes nothing here.
            _ => {}
        }
    }

    /// Who goes on where the command does not; nobody once it all was told to end.
    fn outlived_by(&self, ended: &Ended) -> Option<i32> {
        let live = matches!(self.phase, Phase::Starting | Phase::Running);
        let adopted = self.order.leaves == Leaves::Adopted && !ended.tree_gone;
        ended.survivors.first().filter(|_| live && adopted).map(|survivor| survivor.pid)
    }

    fn take_signals(&mut self) {
        while let Some(signal) = self.course.cancel.take_signal() {
            self.cancel_seen = true;
            self.happens(Event::Cancel(Some(signal)));
        }
    }

    fn cancelled(&mut self) {
        let signal = match self.course.cancel.rung() {
            Some(Cancelled::Signal(signal)) => Some(signal),
            Some(Cancelled::Asked) | None => None,
        };
        self.happens(Event::Cancel(signal));
    }

    fn happens(&mut self, event: Event) {
        let phase = std::mem::replace(&mut self.phase, Phase::Starting);
        let (next, action) = step(phase, event);
        self.phase = next;
        // A warden that cannot be told any more is gone, and its socket says so in the next round.
        match action {
            Action::Nothing => {}
            Action::Terminate => {
                self.rouse = Instant::now();
                self.grace = Some(Instant::now() + self.course.grace);
                drop(self.warden.terminate());
            }
            Action::Kill => {
                self.outcome.forced = true;
                self.grace = Some(Instant::now() + STUCK);
                drop(self.warden.kill());
            }
        }
        if matches!(self.phase, Phase::Draining(_)) {
            // From now on the end of a stream is what we wait for.
            self.streams.iter_mut().flatten().for_each(Output::close_writer);
            self.drain.get_or_insert_with(|| Instant::now() + DRAIN);
        }
    }
}

fn survivors(members: &[ricasso_os::Member], stuck: bool) -> Vec<Survivor> {
    let one = |member: &ricasso_os::Member| Survivor {
        pid: member.pid,
        command: member.command.clone(),
        stuck,
    };
    members.iter().map(one).collect()
}
