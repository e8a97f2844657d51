//! What is known of a job while it runs, for everybody who asks, and how it ended.
//!
//! The job's own thread writes here and never waits: whoever reads a file for an answer does so
//! beside it, up to the watermark.

mod wait;

use super::answer;
use super::entries;
use super::inlet::{Fed, Inlet};
use super::keys::Arrows;
use super::lookout::{self, Lookout};
use crate::capture::{
    self, Budget, Canvas, End, Excerpt, Lean, Lines, Picture, Reading, Redacted, Redactor, Stream,
    Watermark,
};
use crate::error::Error;
use crate::record::Ledger;
use crate::reply::{Reply, Screen, Waiting};
use crate::request::WindowSize;
use crate::run::{Ending, JobId};
use ricasso_os::{Asleep, Cancel, Mouth};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Resources are asked of the kernel at most this often; the answer costs several files.
const USED_EVERY: Duration = Duration::from_millis(250);

pub use wait::Until;

/// What is fed to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The bytes, as they are.
    pub bytes: Vec<u8>,
    /// What comes behind them.
    pub then: Then,
    /// Whether they may answer a password prompt.
    pub password: Password,
}

/// What follows fed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// More, or nothing; the input stays open.
    Open,
    /// The end of the input.
    End,
}

/// Whether a password prompt may be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Password {
    /// Somebody said so, for this one.
    Allowed,
    /// Nobody did.
    Refused,
}

/// The job as its owner shows it.
#[derive(Debug)]
pub(super) struct Board {
    head: Reply,
    dir: PathBuf,
    redactor: Redactor,
    cancel: Cancel,
    over: Cancel,
    inlet: Arc<Inlet>,
    terminal: Option<WindowSize>,
    ledger: Arc<Ledger>,
    began: Instant,
    live: Mutex<Live>,
    moved: Condvar,
    canvas: Option<Mutex<Canvas>>,
    excerpt: Mutex<Option<(Watermark, Excerpt)>>,
    used: Mutex<Option<(Instant, ricasso_os::Used)>>,
}

#[derive(Debug)]
struct Live {
    water: Watermark,
    /// Changes whenever something else here does.
    moves: u64,
    spoke: Stream,
    heard: Instant,
    touched: Instant,
    pid: Option<i32>,
    mouth: Option<Mouth>,
    waiting: Option<Waiting>,
    lease: Option<Duration>,
    reply: Option<Arc<Reply>>,
    waiters: usize,
}

/// What a board is made of.
pub(super) struct Made {
    pub(super) head: Reply,
    pub(super) dir: PathBuf,
    pub(super) redactor: Redactor,
    pub(super) cancel: Cancel,
    pub(super) over: Cancel,
    pub(super) inlet: Arc<Inlet>,
    pub(super) terminal: Option<WindowSize>,
    pub(super) ledger: Arc<Ledger>,
}

impl Board {
    pub(super) fn new(made: Made) -> Board {
        let Made { head, dir, redactor, cancel, over, inlet, terminal, ledger } = made;
        let canvas = terminal.map(|size| Mutex::new(Canvas::new(size.columns, size.rows)));
        let now = Instant::now();
        let live = Live {
            water: Watermark::default(),
            moves: 0,
            spoke: Stream::Stdout,
            heard: now,
            touched: now,
            pid: None,
            mouth: None,
            waiting: None,
            lease: None,
            reply: None,
            waiters: 0,
        };
        Board {
            head,
            dir,
            redactor,
            cancel,
            over,
            inlet,
            began: now,
            live: Mutex::new(live),
            moved: Condvar::new(),
            canvas,
            terminal,
            ledger,
            excerpt: Mutex::default(),
            used: Mutex::default(),
        }
    }

    pub(super) fn id(&self) -> &JobId {
        &self.head.id
    }

    pub(super) fn session(&self) -> &str {
        &self.head.session
    }

    pub(super) fn over(&self) -> &Cancel {
        &self.over
    }

    pub(super) fn is_over(&self) -> bool {
        self.live().reply.is_some()
    }

    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    // What the job's own thread tells.

    pub(super) fn started(&self, pid: i32) {
        let mut live = self.live();
        live.pid = Some(pid);
        self.moves(&mut live);
    }

    /// How far the spool is, and who spoke last.
    pub(super) fn publish(&self, water: Watermark, spoke: Stream) {
        let mut live = self.live();
        if live.water == water {
            return;
        }
        if live.water.bytes != water.bytes {
            live.heard = Instant::now();
            live.waiting = None;
        }
        live.spoke = spoke;
        live.water = water;
        self.moves(&mut live);
    }

    /// Somebody waits for input, or nobody any more.
    pub(super) fn waits(&self, asleep: Option<Asleep>) {
        let known = self.live().waiting.as_ref().map(|waiting| waiting.pid);
        if known == asleep.map(|asleep| asleep.pid) {
            return;
        }
        let waiting = asleep.and_then(|asleep| self.prompt(asleep));
        let mut live = self.live();
        live.waiting = waiting;
        self.moves(&mut live);
    }

    /// The input of the command that begins.
    pub(super) fn listens_to(&self, mouth: Option<Mouth>) {
        self.live().mouth = mouth;
    }

    /// Its lease, where it is over: nobody asked about it for that long.
    pub(super) fn forsaken(&self) -> Option<Duration> {
        let over = self.lease_left()?.is_zero();
        self.live().lease.filter(|_| over)
    }

    /// Something of ours failed: nobody is kept waiting for it.
    pub(super) fn fails(&self, error: &Error) {
        let mut reply = self.head.clone();
        reply.running = false;
        reply.exit_code = Some(Ending::Lost.exit_code());
        reply.ending = Some(Ending::Lost);
        reply.hints.push(self.redactor.text(error.in_full().as_bytes()));
        self.ends(reply);
    }

    /// All is over.
    pub(super) fn ends(&self, reply: Reply) {
        let mut live = self.live();
        live.waiting = None;
        live.reply = Some(Arc::new(reply));
        self.moves(&mut live);
        drop(live);
        self.over.ring();
        self.inlet.shut();
    }

    // What others ask.

    /// The job as it is now.
    pub(super) fn look(&self) -> Result<Reply, Error> {
        let (water, pid, waiting) = {
            let mut live = self.live();
            live.touched = Instant::now();
            if let Some(reply) = &live.reply {
                return Ok(Reply::clone(reply));
            }
            (live.water, live.pid, live.waiting.clone())
        };
        let mut reply = self.head.clone();
        reply.duration_ms = self.began.elapsed();
        reply.pid = pid;
        reply.waiting_for_input = waiting;
        answer::fill_running(&mut reply, &water, self.excerpt(&water)?);
        reply.screen = self.screen(&water)?;
        if let Some(used) = pid.map(|pid| self.used(pid)) {
            reply.usage.user_ms = used.user;
            reply.usage.system_ms = used.system;
            reply.usage.max_rss_bytes = used.memory_bytes;
        }
        Ok(reply)
    }

    /// The last line that it wrote, for a table.
    pub(super) fn last_line(&self) -> Redacted<String> {
        let (water, spoke) = {
            let live = self.live();
            (live.water, live.spoke)
        };
        let line = self.reading(&water, End::Open);
        let line = line.and_then(|reading| reading.last_line(spoke));
        line.unwrap_or_default()
    }

    /// Feeds it. A password prompt is answered only where somebody said so.
    pub(super) fn feed(&self, feed: &Feed) -> Result<Fed, Error> {
        let (pid, mouth) = {
            let mut live = self.live();
            live.touched = Instant::now();
            if live.reply.is_some() {
                return Err(Error::Over { id: self.id().clone() });
            }
            (live.pid, live.mouth)
        };
        let now = pid.zip(mouth).and_then(|(pid, mouth)| {
            let asleep = lookout::look_once(pid, mouth, &self.inlet)?;
            self.prompt(asleep)
        });
        if let Some(prompt) = now.filter(|prompt| prompt.kind == "password")
            && feed.password == Password::Refused
        {
            return Err(Error::PasswordPrompt { line: prompt.line });
        }
        // What is fed may run like a command, so it is recorded before it goes in; not its text,
        // which may be a secret that nothing gives away.
        let note = entries::fed(&self.head, feed.bytes.len(), feed.then == Then::End);
        self.ledger.append(&note).map_err(Error::Record)?;
        let mut fed = Fed { bytes: 0, left_bytes: 0 };
        if !feed.bytes.is_empty() {
            fed = self.inlet.feed(self.id(), &feed.bytes, &self.over)?;
        }
        if feed.then == Then::End && fed.left_bytes == 0 {
            match self.inlet.end(self.id(), &self.over) {
                // It read what it got and was over before its input was.
                Err(Error::InputEnded { .. }) if fed.bytes > 0 => {}
                ended => ended?,
            }
        }
        // What it waited for has come.
        self.waits(None);
        Ok(fed)
    }

    /// What its arrow keys send.
    pub(super) fn arrows(&self) -> Arrows {
        let water = self.live().water;
        match self.picture(&water) {
            Some(Ok(picture)) if picture.application_keys => Arrows::Application,
            Some(_) | None => Arrows::Normal,
        }
    }

    fn screen(&self, water: &Watermark) -> Result<Option<Screen>, Error> {
        let (Some(size), Some(picture)) = (self.terminal, self.picture(water)) else {
            return Ok(None);
        };
        Ok(Some(answer::screen(size, picture?)))
    }

    fn picture(&self, water: &Watermark) -> Option<Result<Picture, Error>> {
        let mut canvas = self.canvas.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let reading = self.reading(water, End::Open);
        Some(reading.and_then(|reading| canvas.draw(&reading)).map_err(Error::Capture))
    }

    /// Ends it when nobody asked about it for this long.
    pub(super) fn lease(&self, time: Duration) {
        let mut live = self.live();
        live.lease = Some(time);
        live.touched = Instant::now();
    }

    /// When its lease runs out, unless somebody asks; nothing where somebody waits for it.
    pub(super) fn lease_left(&self) -> Option<Duration> {
        let live = self.live();
        let lease = live.lease.filter(|_| live.waiters == 0)?;
        Some(lease.saturating_sub(live.touched.elapsed()))
    }

    /// Somebody waits for it from now on.
    pub(super) fn hold(&self) {
        self.live().waiters += 1;
    }

    /// Somebody waits for it no longer.
    pub(super) fn let_go(&self) {
        let mut live = self.live();
        live.waiters -= 1;
        live.touched = Instant::now();
    }

    /// A sentence of ours about it.
    pub(super) fn redacted(&self, text: &str) -> Redacted<String> {
        self.redactor.text(text.as_bytes())
    }

    /// A cursor in its output.
    pub(super) fn lines(&self, regex: Option<&str>) -> Result<Lines, Error> {
        Lines::new(regex).map_err(Error::Capture)
    }

    /// Its output up to a watermark.
    fn reading(&self, water: &Watermark, end: End) -> Result<Reading, capture::Error> {
        Reading::at(&self.dir, &self.redactor, water, end)
    }

    fn moves(&self, live: &mut Live) {
        live.moves += 1;
        if live.waiters > 0 {
            self.moved.notify_all();
        }
    }

    /// What somebody who sleeps is asking for. The line is read to its end: nothing follows it
    /// before it is answered.
    fn prompt(&self, asleep: Asleep) -> Option<Waiting> {
        let mouth = self.live().mouth;
        let line = self.open_line();
        let kind = lookout::kind(line.as_str(), self.inlet.is_silent());
        let on = Lookout::on(mouth?);
        Some(Waiting { pid: asleep.pid, descriptor: asleep.fd, on, kind, line })
    }

    /// The last line, read to its end.
    fn open_line(&self) -> Redacted<String> {
        let (water, spoke) = {
            let live = self.live();
            (live.water, live.spoke)
        };
        let reading = self.reading(&water, End::Closed);
        reading.and_then(|reading| reading.last_line(spoke)).unwrap_or_default()
    }

    fn excerpt(&self, water: &Watermark) -> Result<Excerpt, Error> {
        let mut kept = self.excerpt.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, excerpt)) = &*kept
            && of == water
        {
            return Ok(excerpt.clone());
        }
        let reading = self.reading(water, End::Open).map_err(Error::Capture)?;
        let excerpt = reading.excerpt(self.id().as_str(), Budget::default(), Lean::Failure);
        let excerpt = excerpt.map_err(Error::Capture)?;
        *kept = Some((*water, excerpt.clone()));
        Ok(excerpt)
    }

    fn used(&self, pid: i32) -> ricasso_os::Used {
        let mut kept = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match *kept {
            Some((at, used)) if at.elapsed() < USED_EVERY => used,
            Some(_) | None => {
                let used = ricasso_os::used_by(pid);
                *kept = Some((Instant::now(), used));
                used
            }
        }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
