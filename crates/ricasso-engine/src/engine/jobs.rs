//! The jobs of this user, from any process: asked at the desk of their owner while they run, read
//! from the disk when they are over, closed as lost where the owner died.

mod kept;

use super::board::{Feed, Password, Then, Until};
use super::lost;
use super::registry::Scope;
use super::shelf::Shelf;
use super::verbs::{self, Ask, MOST_TOLD_BYTES, Verb, Word};
use crate::capture::{Beyond, Lines, Takes};
use crate::error::Error;
use crate::policy::Policy;
use crate::request::Bytes;
use crate::run::{JobId, Orphan, StateDir};
use kept::Whereabouts;
use serde_json::{Value, json};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// An owner that lives answers within this, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
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

    /// The jobs in a place of the caller's choice.
    pub fn at(state: StateDir, policy: Policy, scope: Scope) -> Jobs {
        Jobs { shelf: Shelf::at(state, policy, Vec::new()), scope }
    }

    /// The job as it is now.
    pub fn look(&self, id: &str) -> Result<Value, Error> {
        self.ask_or_read(id, &|id| Verb::Look { id })
    }

    /// Waits. A job that is over answers at once.
    pub fn wait(
        &self,
        id: &str,
        until: &Until,
        patience: Option<Duration>,
    ) -> Result<Value, Error> {
        let until_when = patience.map(|patience| Instant::now() + patience);
        let verb = |id| Verb::Wait {
            id,
            until: Word::of(until),
            patience_ms: until_when.map(|at| {
                let left = at.saturating_duration_since(Instant::now());
                u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
            }),
        };
        let mut reply = self.ask_or_read(id, &verb)?;
        if reply.get("waited").is_none_or(Value::is_null) {
            reply["waited"] = json!({ "by": "exit", "line": null });
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
                let told = match ask(desk, &self.question(verb(id.to_string()))) {
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
        self.ask_or_read(id, &|id| Verb::Stop { id })
    }

    /// Shows lines that match as they come, until the job is over or `see` says false.
    pub fn watch(
        &self,
        id: &str,
        regex: Option<&str>,
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
            match watch_at(desk, &question, &mut |shown| seen.pass(shown, see)) {
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
        let mut rows: Vec<Value> = Vec::new();
        for owner in Orphan::all(self.state()) {
            let Some(mut desk) = self.call(&owner) else { continue };
            if verbs::write(&mut desk, &self.question(Verb::List)).is_err() {
                continue;
            }
            // An owner that ends meanwhile has its jobs on the disk.
            while let Ok(mut told) = hear(&mut desk) {
                match told.get_mut("row").map(Value::take) {
                    Some(row) => rows.push(row),
                    None => break,
                }
            }
        }
        let known: Vec<String> = rows.iter().map(id_of).collect();
        rows.extend(self.kept_rows(which, &known));
        rows.sort_by_key(|row| std::cmp::Reverse(started_at(row)));
        Ok(rows)
    }

    /// Stops every job of a session, at all its owners, and tells of each by its id; then its
    /// temporary files and the state of its shell go.
    pub fn end_session(&self, session: &str, tell: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.close_lost()?;
        let ask = Ask { session: None, verb: Verb::EndSession { session: session.to_string() } };
        // All are told before the first is waited for.
        let mut desks: Vec<UnixStream> = Vec::new();
        for owner in Orphan::all(self.state()) {
            let Some(mut desk) = self.call(&owner) else { continue };
            if verbs::write(&mut desk, &ask).is_ok() {
                desks.push(desk);
            }
        }
        for mut desk in desks {
            while let Ok(told) = hear(&mut desk) {
                let Some(notice) = told.get("notice") else { break };
                tell(notice.get("id").and_then(Value::as_str).unwrap_or_default());
            }
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
    fn ask_or_read(&self, id: &str, verb: &dyn Fn(String) -> Verb) -> Result<Value, Error> {
        loop {
            match self.find(id)? {
                Whereabouts::Over(reply) => return Ok(reply),
                Whereabouts::With(desk) => {
                    match ask(desk, &self.question(verb(id.to_string()))) {
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

    fn call(&self, owner: &JobId) -> Option<UnixStream> {
        let name = StateDir::desk_name(owner);
        self.state().desk_places().find_map(|place| ricasso_os::call(&place, &name).ok())
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
        let water = reading.watermark();
        let mut lines = Lines::of_ended(reading, regex).map_err(Error::Capture)?;
        loop {
            let batch = lines.next(&water, true, LINES).map_err(Error::Capture)?;
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

/// Listens to a desk until the job is over.
fn watch_at(
    mut desk: UnixStream,
    question: &Ask,
    see: &mut dyn FnMut(Shown) -> bool,
) -> Result<(), Error> {
    verbs::write(&mut desk, question)?;
    loop {
        let mut told = hear(&mut desk)?;
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

fn ask(mut desk: UnixStream, question: &Ask) -> Result<Value, Error> {
    verbs::write(&mut desk, question)?;
    hear(&mut desk)
}

/// One answer; a refusal is an error in the owner's words.
fn hear(desk: &mut UnixStream) -> Result<Value, Error> {
    let gone = || Error::Desk { what: "read from", source: std::io::ErrorKind::BrokenPipe.into() };
    let bytes = verbs::read(desk, MOST_TOLD_BYTES)?.ok_or_else(gone)?;
    let told: Value =
        serde_json::from_slice(&bytes).map_err(|source| Error::Json { what: "answer", source })?;
    match told.get("refused") {
        Some(refused) => {
            let message = refused.get("message").and_then(Value::as_str).unwrap_or_default();
            if refused.get("unknown").and_then(Value::as_bool) == Some(true) {
                return Err(Error::NotHere);
            }
            Err(Error::Told { message: message.to_string() })
        }
        None => Ok(told),
    }
}
