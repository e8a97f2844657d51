//! The jobs of this user, from any process: asked at the desk of their owner while they run, read
//! from the disk when they are over, closed as lost where the owner died.

mod kept;
mod talk;

use super::board::{Feed, Password, Then, Until};
use super::lost;
use super::registry::Scope;
use super::shelf::Shelf;
use super::verbs::{Ask, Verb, Word};
use crate::capture::{Beyond, Lines, Takes};
use crate::error::Error;
use crate::policy::Policy;
use crate::request::Bytes;
use crate::run::{JobId, Orphan, StateDir};
use kept::Whereabouts;
use ricasso_os::Cancel;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use talk::{Awaited, Talk};

/// Between two tries to reach an owner that has only just begun or is about to end.
const AGAIN: Duration = Duration::from_millis(10);
/// Lines of a finished job in one batch.
const LINES: Takes = Takes { lines: 512, beyond: Beyond::Wait };

/// The jobs of this user, as far as the scope sees them. Answers are replies as JSON.
#[derive(Debug)]
pub struct Jobs {
    shelf: Shelf,
    scope: Scope,
}

/// Which jobs a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// Those that run, and those of the background that are kept.
    Usual,
    /// All that are kept.
    All,
}

/// Why somebody who watches goes before the job is over.
#[derive(Debug, Default)]
pub struct Leave<'a> {
    /// This bell rings, or one of its signals comes.
    pub bell: Option<&'a Cancel>,
    /// It is later than this.
    pub after: Option<Instant>,
}

/// What somebody who watches gets.
#[derive(Debug)]
pub enum Shown {
    /// Lines, as JSON: `lines` and `left_out`.
    Batch(Value),
    /// The job is over: its reply.
    Over(Value),
}

/// What was fed, from another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed<'a> {
    /// The bytes and what follows them.
    pub feed: Feed,
    /// A key of this name, behind the bytes.
    pub key: Option<&'a str>,
}

impl Jobs {
    /// The jobs of this process's user.
    pub fn of_this_process(policy: Policy, scope: Scope) -> Result<Jobs, Error> {
        Ok(Jobs { shelf: Shelf::of_this_process(policy)?, scope })
    }

    /// The jobs that lie on this shelf.
    pub(super) fn beside(shelf: Shelf, scope: Scope) -> Jobs {
        Jobs { shelf, scope }
    }

    /// The jobs in a place of the caller's choice.
    pub fn at(state: StateDir, policy: Policy, scope: Scope) -> Jobs {
        Jobs { shelf: Shelf::at(state, policy, Vec::new()), scope }
    }

    /// The job as it is now.
    pub fn look(&self, id: &str) -> Result<Value, Error> {
        self.ask_or_read(id, &|id| Verb::Look { id }, Awaited::soon())
    }

    /// Waits. A job that is over answers at once.
    pub fn wait(
        &self,
        id: &str,
        until: &Until,
        patience: Option<Duration>,
    ) -> Result<Value, Error> {
        let until_when = patience.and_then(|patience| Instant::now().checked_add(patience));
        let verb = |id| Verb::Wait {
            id,
            until: Word::of(until),
            patience_ms: until_when.map(|at| {
                let left = at.saturating_duration_since(Instant::now());
                u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
            }),
        };
        let mut reply = self.ask_or_read(id, &verb, Awaited::Whenever)?;
        if reply.get("waited").is_none_or(Value::is_null) {
            let line = match until {
                Until::Match(regex) => self.kept_match(id, regex)?,
                Until::Exit | Until::Idle(_) | Until::Input => Value::Null,
            };
            let by = if line.is_null() { "exit" } else { "match" };
            reply["waited"] = json!({ "by": by, "line": line });
        }
        Ok(reply)
    }

    /// Feeds the job; tells how many bytes were taken and how many were not.
    pub fn feed(&self, id: &str, typed: &Typed<'_>) -> Result<(u64, u64), Error> {
        let verb = |id| Verb::Feed {
            id,
            bytes: Bytes::from(typed.feed.bytes.clone()),
            key: typed.key.map(str::to_string),
            end: typed.feed.then == Then::End,
            password: typed.feed.password == Password::Allowed,
        };
        match self.find(id)? {
            Whereabouts::Over(_) => {
                Err(Error::Over { id: JobId::parse(id).ok_or_else(|| no_job(id))? })
            }
            Whereabouts::With(desk) => {
                let question = self.question(verb(id.to_string()));
                // Others may feed it at the same time, one after the other.
                let told = match desk.ask(&question, Awaited::Whenever) {
                    Err(Error::NotHere) => {
                        self.over(id)?;
                        return Err(Error::Over {
                            id: JobId::parse(id).ok_or_else(|| no_job(id))?,
                        });
                    }
                    told => told?,
                };
                let fed = told.get("fed").cloned().unwrap_or_default();
                let number = |name: &str| fed.get(name).and_then(Value::as_u64).unwrap_or(0);
                Ok((number("bytes"), number("left_bytes")))
            }
        }
    }

    /// Ends the job's whole tree. One that is over stays as it is.
    pub fn stop(&self, id: &str) -> Result<Value, Error> {
        self.ask_or_read(id, &|id| Verb::Stop { id }, Awaited::Whenever)
    }

    /// Shows lines that match as they come, until the job is over or `see` says false.
    pub fn watch(
        &self,
        id: &str,
        regex: Option<&str>,
        see: &mut dyn FnMut(Shown) -> bool,
    ) -> Result<(), Error> {
        self.watch_while(id, regex, &Leave::default(), see)
    }

    /// The same, until there is a reason to leave. Whoever left has not been shown the end.
    pub fn watch_while(
        &self,
        id: &str,
        regex: Option<&str>,
        leave: &Leave<'_>,
        see: &mut dyn FnMut(Shown) -> bool,
    ) -> Result<(), Error> {
        let mut seen = Seen::default();
        loop {
            let desk = match self.find(id)? {
                Whereabouts::Over(reply) => {
                    return self.watch_kept(id, regex, reply, &mut |shown| seen.pass(shown, see));
                }
                Whereabouts::With(desk) => desk,
            };
            let pattern = regex.map(str::to_string);
            let question = self.question(Verb::Watch { id: id.to_string(), regex: pattern });
            match watch_at(desk, &question, leave, &mut |shown| seen.pass(shown, see)) {
                // Its owner ended, or was killed, between two words: the rest is on the disk.
                Err(Error::Desk { .. }) => std::thread::sleep(AGAIN),
                Err(Error::NotHere) => {
                    let reply = self.over(id)?;
                    return self.watch_kept(id, regex, reply, &mut |shown| seen.pass(shown, see));
                }
                other => return other,
            }
        }
    }

    /// The jobs that may be seen, newest first, each as a reply without text and its last line.
    pub fn list(&self, which: Listed) -> Result<Vec<Value>, Error> {
        self.close_lost()?;
        // All are asked before the first is heard, and one that sleeps does not hide the others.
        let asked = self.asked(&self.question(Verb::List));
        let (mut rows, mut asleep): (Vec<Value>, Vec<JobId>) = (Vec::new(), Vec::new());
        let soon = Awaited::soon();
        for mut desk in asked {
            loop {
                match desk.hear(soon) {
                    Ok(mut told) => match told.get_mut("row").map(Value::take) {
                        Some(row) => rows.push(row),
                        None => break,
                    },
                    Err(Error::Asleep { owner }) => {
                        asleep.push(owner);
                        break;
                    }
                    // An owner that ends meanwhile has its jobs on the disk.
                    Err(_) => break,
                }
            }
        }
        let known: Vec<String> = rows.iter().map(id_of).collect();
        rows.extend(self.kept_rows(which, &known, &asleep));
        rows.sort_by_key(|row| std::cmp::Reverse(started_at(row)));
        Ok(rows)
    }

    /// Stops every job of a session, at all its owners, and tells of each by its id; then its
    /// temporary files and the state of its shell go.
    pub fn end_session(&self, session: &str, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.close_lost()?;
        let ask = Ask { session: None, verb: Verb::EndSession { session: session.to_string() } };
        // All are told before the first is waited for.
        let mut asleep = None;
        for mut desk in self.asked(&ask) {
            loop {
                match desk.hear(Awaited::Whenever) {
                    Ok(told) => match told.get("notice") {
                        Some(notice) => tell(id_of(notice).as_str()),
                        None => break,
                    },
                    Err(error @ Error::Asleep { .. }) => {
                        asleep = Some(error);
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
        if let Some(error) = asleep {
            // Jobs of it may still run, so what the session left stays for them.
            return Err(error);
        }
        self.state().forget_session(session).map_err(Error::Run)
    }

    fn state(&self) -> &StateDir {
        self.shelf.state()
    }

    fn question(&self, verb: Verb) -> Ask {
        let session = match &self.scope {
            Scope::Person => None,
            Scope::Session(name) => Some(name.clone()),
        };
        Ask { session, verb }
    }

    /// Asks the owner, or reads what it left.
    fn ask_or_read(
        &self,
        id: &str,
        verb: &dyn Fn(String) -> Verb,
        awaited: Awaited,
    ) -> Result<Value, Error> {
        loop {
            match self.find(id)? {
                Whereabouts::Over(reply) => return Ok(reply),
                Whereabouts::With(desk) => {
                    match desk.ask(&self.question(verb(id.to_string())), awaited) {
                        Ok(mut told) => {
                            let reply = told.get_mut("reply").map(Value::take);
                            return Ok(reply.unwrap_or_default());
                        }
                        // It ended, or was killed, between two words: then that is the answer.
                        Err(Error::Desk { .. }) => std::thread::sleep(AGAIN),
                        Err(Error::NotHere) => return self.over(id),
                        Err(other) => return Err(other),
                    }
                }
            }
        }
    }

    /// Puts one question to every owner there is.
    fn asked(&self, question: &Ask) -> Vec<Talk> {
        let owners = Orphan::all(self.state());
        let talks = owners.iter().filter_map(|owner| Talk::with(self.state(), owner));
        talks.filter_map(|mut talk| talk.say(question).ok().map(|()| talk)).collect()
    }

    /// Closes what dead owners left. Where there is none, this costs one listing.
    fn close_lost(&self) -> Result<(), Error> {
        if Orphan::all(self.state()).iter().any(|owner| Orphan::is_dead(self.state(), owner)) {
            lost::close_lost(self.state(), &self.shelf.ledger()?, "visitor")?;
        }
        Ok(())
    }

    fn watch_kept(
        &self,
        id: &str,
        regex: Option<&str>,
        reply: Value,
        see: &mut dyn FnMut(Shown) -> bool,
    ) -> Result<(), Error> {
        let reading = self.shelf.job(id)?;
        let mut lines = Lines::new(regex).map_err(Error::Capture)?;
        loop {
            let batch = lines.next(&reading, LINES).map_err(Error::Capture)?;
            let more = batch.more;
            if !batch.lines.is_empty() {
                let batch = serde_json::to_value(batch)
                    .map_err(|source| Error::Json { what: "lines", source })?;
                if !see(Shown::Batch(batch)) {
                    return Ok(());
                }
            }
            if !more {
                see(Shown::Over(reply));
                return Ok(());
            }
        }
    }
}

/// Listens to a desk until the job is over or there is a reason to leave.
fn watch_at(
    mut desk: Talk,
    question: &Ask,
    leave: &Leave<'_>,
    see: &mut dyn FnMut(Shown) -> bool,
) -> Result<(), Error> {
    desk.say(question)?;
    loop {
        if !desk.says_something(leave)? {
            return Ok(());
        }
        let mut told = desk.hear(Awaited::soon())?;
        match told.get_mut("batch").map(Value::take) {
            Some(batch) => {
                if !see(Shown::Batch(batch)) {
                    return Ok(());
                }
            }
            None => {
                see(Shown::Over(told.get_mut("reply").map(Value::take).unwrap_or_default()));
                return Ok(());
            }
        }
    }
}

/// How far a watch was shown, so that nothing comes twice when it is taken up elsewhere.
#[derive(Default)]
struct Seen {
    stdout: u64,
    stderr: u64,
}

impl Seen {
    fn pass(&mut self, shown: Shown, see: &mut dyn FnMut(Shown) -> bool) -> bool {
        let Shown::Batch(mut batch) = shown else { return see(shown) };
        if let Some(lines) = batch.get_mut("lines").and_then(Value::as_array_mut) {
            lines.retain(|line| {
                let number = line.get("number").and_then(Value::as_u64).unwrap_or(u64::MAX);
                let last = match line.get("stream").and_then(Value::as_str) {
                    Some("stderr") => &mut self.stderr,
                    Some(_) | None => &mut self.stdout,
                };
                let fresh = number > *last;
                *last = number.max(*last);
                fresh
            });
        }
        see(Shown::Batch(batch))
    }
}

fn no_job(id: &str) -> Error {
    Error::NoJob { id: id.to_string() }
}

fn id_of(reply: &Value) -> String {
    reply.get("id").and_then(Value::as_str).unwrap_or_default().to_string()
}

fn started_at(reply: &Value) -> String {
    reply.get("started_at").and_then(Value::as_str).unwrap_or_default().to_string()
}
