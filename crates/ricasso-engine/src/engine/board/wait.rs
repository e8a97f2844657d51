//! Waiting for a job: for its end, a silence, a line, a prompt; and for its next lines.

use super::Board;
use crate::capture::{Batch, Beyond, End, Lines, Redacted, Takes, Watermark};
use crate::error::Error;
use crate::reply::{Reply, Waited};
use std::time::{Duration, Instant};

/// Whoever waits looks this often whether its caller is still there.
const GLANCE: Duration = Duration::from_millis(250);
/// A line that is not finished after this long may be a prompt.
const QUIET: Duration = Duration::from_millis(100);
/// A caller that would wait for ever comes back after this; the clock does not count to for ever.
const LONG: Duration = Duration::from_secs(366 * 86_400);
/// A stop is over when the tree is gone; the kernel may hold a process for this long beyond the
/// grace, and then the reply says so.
const STOPPED: Duration = Duration::from_secs(15);

/// What a wait is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Until {
    /// The end of the job.
    Exit,
    /// A silence of this length.
    Idle(Duration),
    /// A line that matches this regex, from the first line on.
    Match(String),
    /// A wait for input.
    Input,
}

impl Board {
    /// Waits until it has a process, or is over.
    pub(in crate::engine) fn await_start(&self, patience: Duration) {
        let until = Instant::now() + patience;
        loop {
            let moves = {
                let live = self.live();
                if live.pid.is_some() || live.reply.is_some() || Instant::now() >= until {
                    return;
                }
                live.moves
            };
            self.rest(moves, until.saturating_duration_since(Instant::now()));
        }
    }

    /// Waits; `gone` tells that whoever asked went away.
    pub(in crate::engine) fn wait(
        &self,
        until: &Until,
        patience: Option<Duration>,
        gone: &dyn Fn() -> bool,
    ) -> Result<Reply, Error> {
        let mut lines = match until {
            Until::Match(regex) => Some(self.lines(Some(regex))?),
            Until::Exit | Until::Idle(_) | Until::Input => None,
        };
        let deadline = patience.and_then(|patience| Instant::now().checked_add(patience));
        let mut tail = u64::MAX;
        loop {
            let seen = self.seen();
            let met = match until {
                Until::Exit => None,
                Until::Idle(least) => {
                    let silent = seen.silent_for >= *least && !seen.ended;
                    silent.then_some(("idle", None))
                }
                Until::Match(_) => match &mut lines {
                    Some(lines) => {
                        let line = self.first_match(lines, &seen)?;
                        let line = line.or_else(|| self.tail_match(lines, &seen, &mut tail));
                        line.map(|line| ("match", Some(line)))
                    }
                    None => None,
                },
                Until::Input => seen.waits.then_some(("input", None)),
            };
            let over = seen.ended.then_some(("exit", None));
            let late = deadline.is_some_and(|at| Instant::now() >= at).then_some(("time", None));
            if let Some((by, line)) = met.or(over).or(late) {
                let mut reply = self.look()?;
                reply.waited = Some(Waited { by, line });
                return Ok(reply);
            }
            if gone() {
                return Err(Error::CallerGone);
            }
            let silence = match until {
                Until::Idle(least) => least.saturating_sub(seen.silent_for),
                Until::Match(_) if tail != seen.moves => QUIET.saturating_sub(seen.silent_for),
                Until::Exit | Until::Match(_) | Until::Input => GLANCE,
            };
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            self.rest(seen.moves, GLANCE.min(silence).min(left.unwrap_or(GLANCE)));
        }
    }

    /// A line that is not finished and may stay so, a prompt: looked at once it rests.
    fn tail_match(&self, lines: &Lines, seen: &Seen, looked: &mut u64) -> Option<Redacted<String>> {
        if seen.silent_for < QUIET || *looked == seen.moves {
            return None;
        }
        *looked = seen.moves;
        Some(self.open_line()).filter(|line| lines.matches(line))
    }

    /// Ends its whole tree and waits for that.
    pub(in crate::engine) fn stop(&self, gone: &dyn Fn() -> bool) -> Result<Reply, Error> {
        if !self.is_over() {
            self.cancel.ring();
        }
        self.wait(&Until::Exit, Some(STOPPED), gone)
    }

    /// The next lines of a cursor; waits for the patience where there are none. The second value
    /// says that nothing follows any more.
    pub(in crate::engine) fn next_lines(
        &self,
        lines: &mut Lines,
        takes: Takes,
        patience: Duration,
    ) -> Result<(Batch, bool), Error> {
        let until = Instant::now() + patience.min(LONG);
        loop {
            let seen = self.seen();
            let batch = self.next_batch(lines, &seen, takes)?;
            let over = seen.ended && !batch.more;
            let something = !batch.lines.is_empty() || batch.left_out > 0;
            if something || over || Instant::now() >= until {
                return Ok((batch, over));
            }
            if !batch.more {
                self.rest(seen.moves, until.saturating_duration_since(Instant::now()));
            }
        }
    }

    fn next_batch(&self, lines: &mut Lines, seen: &Seen, takes: Takes) -> Result<Batch, Error> {
        let end = if seen.ended { End::Closed } else { End::Open };
        let reading = self.reading(&seen.water, end);
        reading.and_then(|reading| lines.next(&reading, takes)).map_err(Error::Capture)
    }

    /// The first line that matches, among those that were not looked at yet.
    fn first_match(
        &self,
        lines: &mut Lines,
        seen: &Seen,
    ) -> Result<Option<Redacted<String>>, Error> {
        let takes = Takes { lines: 1, beyond: Beyond::Wait };
        loop {
            let mut batch = self.next_batch(lines, seen, takes)?;
            if let Some(line) = batch.lines.pop() {
                return Ok(Some(line.text));
            }
            if !batch.more {
                return Ok(None);
            }
        }
    }

    fn seen(&self) -> Seen {
        let mut live = self.live();
        live.touched = Instant::now();
        Seen {
            water: live.water,
            moves: live.moves,
            silent_for: live.heard.elapsed(),
            waits: live.waiting.is_some(),
            ended: live.reply.is_some(),
        }
    }

    /// Sleeps until something moves, or the time is over.
    fn rest(&self, moves: u64, time: Duration) {
        let mut live = self.live();
        live.waiters += 1;
        let until = Instant::now() + time;
        while live.moves == moves {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            live = match self.moved.wait_timeout(live, left) {
                Ok((live, _)) => live,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        live.waiters -= 1;
    }
}

/// A board at one moment.
struct Seen {
    water: Watermark,
    moves: u64,
    silent_for: Duration,
    waits: bool,
    ended: bool,
}
