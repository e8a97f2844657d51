//! One visitor of many: asks the jobs of other processes at random and tells what it did, for the
//! test that sends eight of these at once. `visitor SEED WORKER ROUNDS` reads the jobs' ids from
//! its standard input, one a line; every fourth of them may be stopped.
//!
//! It says one JSON object when it has asked enough, and one more, what its own watch of one job
//! saw, when that job is over.

use ricasso_engine::Error;
use ricasso_engine::engine::{Feed, Jobs, Listed, Password, Scope, Shown, Then, Typed, Until};
use ricasso_engine::policy::{Policy, Preset};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::Duration;

/// Every job with such a number may be stopped.
const STOPPED_EVERY: usize = 4;
/// Asking every owner for a list costs as much as two hundred looks.
const LIST_EVERY: usize = 50;
/// A line is at most this much longer than its name.
const MOST_PADDING: usize = 3000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let numbers: Vec<u64> =
        std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let [seed, worker, rounds] = numbers[..] else { return Err("SEED WORKER ROUNDS".into()) };
    let ids: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut visitor = Visitor {
        jobs: jobs()?,
        ids,
        worker,
        dice: Dice((seed ^ worker.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1)),
        fed: Vec::new(),
        counts: [0; 7],
    };
    // A job that nobody stops, so that its watch must see every line that all visitors feed it.
    let own = usize::try_from(worker)? * STOPPED_EVERY % visitor.ids.len();
    let watched = visitor.ids[own].clone();
    let watch = std::thread::spawn(move || watch_all(&watched).map_err(|error| error.to_string()));
    for round in 0..rounds {
        visitor.asks(round)?;
    }
    let told = json!({ "fed": visitor.fed, "counts": visitor.counts, "own": own });
    writeln!(std::io::stdout(), "{told}")?;
    let seen = watch.join().map_err(|_| "the watch panicked")??;
    writeln!(std::io::stdout(), "{}", json!({ "watched": seen }))?;
    Ok(())
}

fn jobs() -> Result<Jobs, Error> {
    Jobs::of_this_process(Policy::preset(Preset::Open), Scope::Person)
}

/// Every line of a job, from its first one to its end.
fn watch_all(id: &str) -> Result<Vec<String>, Error> {
    let mut seen = Vec::new();
    jobs()?.watch(id, None, &mut |shown| {
        if let Shown::Batch(batch) = shown {
            seen.extend(texts(&batch));
        }
        true
    })?;
    Ok(seen)
}

fn texts(batch: &Value) -> Vec<String> {
    let lines = batch["lines"].as_array().cloned().unwrap_or_default();
    lines.iter().map(|line| line["text"].as_str().unwrap_or_default().to_string()).collect()
}

struct Visitor {
    jobs: Jobs,
    ids: Vec<String>,
    worker: u64,
    dice: Dice,
    /// The job's number and the line.
    fed: Vec<(usize, String)>,
    /// How often each verb was done.
    counts: [u64; 7],
}

impl Visitor {
    fn asks(&mut self, round: u64) -> Result<(), Failure> {
        let at = self.dice.below(self.ids.len());
        let id = self.ids[at].clone();
        let may_stop = at % STOPPED_EVERY == STOPPED_EVERY - 1;
        let verb = self.dice.below(self.counts.len());
        self.counts[verb] += 1;
        match verb {
            0 | 1 => drop(self.feed(at, round)?),
            2 => expect(self.jobs.look(&id)?["running"] == true || may_stop, "it runs", &id)?,
            3 => {
                let reply = self.jobs.wait(&id, &Until::Exit, Some(Duration::from_millis(5)))?;
                expect(reply["waited"]["by"] == "time" || may_stop, "nobody ended it", &id)?;
            }
            4 => {
                let Some(line) = self.feed(at, round)? else { return Ok(()) };
                let until = Until::Match(format!("^{line}$"));
                let reply = self.jobs.wait(&id, &until, None)?;
                let met = reply["waited"]["line"] == line.as_str();
                expect(met || (may_stop && reply["running"] == false), "the line came", &id)?;
            }
            5 => {
                let Some(line) = self.feed(at, round)? else { return Ok(()) };
                let (mut seen, mut over) = (Vec::new(), false);
                self.jobs.watch(&id, Some(&format!("^{line}$")), &mut |shown| {
                    match shown {
                        Shown::Batch(batch) => seen.extend(texts(&batch)),
                        Shown::Over(_) => over = true,
                    }
                    seen.is_empty() && !over
                })?;
                expect(seen == [line] || (may_stop && over), "the line was shown once", &id)?;
            }
            _ if may_stop && self.dice.below(STOPPED_EVERY) == 0 => {
                let reply = self.jobs.stop(&id)?;
                expect(reply["ending"]["kind"] == "cancelled", "it was cancelled", &id)?;
            }
            _ if self.dice.below(LIST_EVERY) == 0 => {
                let rows = self.jobs.list(Listed::All)?;
                let here = |id: &String| rows.iter().any(|row| row["id"] == id.as_str());
                expect(self.ids.iter().all(here), "every job is in the list", &id)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Feeds one line that nobody else feeds; nothing where the job was stopped.
    fn feed(&mut self, at: usize, round: u64) -> Result<Option<String>, Failure> {
        let padding = self.dice.below(MOST_PADDING);
        let line = format!("w{}r{round}{}", self.worker, "x".repeat(padding));
        let bytes = format!("{line}\n").into_bytes();
        let feed = Feed { bytes, then: Then::Open, password: Password::Refused };
        match self.jobs.feed(&self.ids[at], &Typed { feed, key: None }) {
            Ok((taken, 0)) => {
                expect(taken == line.len() as u64 + 1, "all was taken", &self.ids[at])?;
                self.fed.push((at, line.clone()));
                Ok(Some(line))
            }
            Ok((taken, left)) => Err(format!("{taken} taken, {left} left").into()),
            Err(_) if at % STOPPED_EVERY == STOPPED_EVERY - 1 => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn expect(holds: bool, what: &str, id: &str) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(format!("not so of {id}: {what}").into()) }
}

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}
