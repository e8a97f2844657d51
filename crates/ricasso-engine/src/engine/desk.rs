//! Where visitors of other processes ask about the jobs of this owner: a private socket, a thread
//! for each visitor, the same verbs as in this process.
//!
//! A visitor never waits for another one, and the job for none.

use super::board::{Feed, Password, Then};
use super::keys;
use super::registry::{Notice, Registry, Scope};
use super::verbs::{self, Ask, Greeting, MOST_ASKED_BYTES, Row, Told, Verb};
use crate::capture::{Beyond, Redacted, Takes};
use crate::error::Error;
use crate::run::{JobId, StateDir};
use ricasso_os::Cancel;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Visitors at once; the next one is told to come again.
const MOST_VISITORS: usize = 256;
/// A greeting is a name.
const MOST_GREETING_BYTES: usize = 1024;
/// A visitor's thread needs little.
const STACK_BYTES: usize = 512 * 1024;
/// A visitor that says nothing for this long is sent away.
const SILENT: Duration = Duration::from_secs(20);
/// Lines in one frame of a watch.
const LINES: Takes = Takes { lines: 512, beyond: Beyond::Wait };
/// How often a watch looks whether its visitor is still there.
const GLANCE: Duration = Duration::from_millis(250);

/// The desk of one owner. Dropping it closes it.
#[derive(Debug)]
pub(super) struct Desk {
    path: PathBuf,
    closing: Cancel,
    busy: Arc<Busy>,
    thread: Option<JoinHandle<()>>,
}

/// Visitors that are being answered.
#[derive(Debug, Default)]
struct Busy {
    here: AtomicUsize,
    asking: Mutex<usize>,
    fewer: Condvar,
}

impl Desk {
    pub(super) fn open(
        state: &StateDir,
        owner: &JobId,
        registry: Arc<Registry>,
    ) -> Result<Desk, Error> {
        let place = state.desks();
        let name = StateDir::desk_name(owner);
        let listener = ricasso_os::listen(&place, &name).map_err(Error::Os)?;
        let closing = Cancel::new().map_err(Error::Os)?;
        let busy = Arc::new(Busy::default());
        let (bell, guests, owner) = (closing.clone(), Arc::clone(&busy), owner.clone());
        let thread = std::thread::Builder::new()
            .name("ricasso-desk".into())
            .stack_size(STACK_BYTES)
            .spawn(move || receive(&listener, &bell, &Host { registry, busy: guests, owner }))
            .map_err(|source| Error::Thread { source })?;
        Ok(Desk { path: place.join(name), closing, busy, thread: Some(thread) })
    }

    /// No new visitors; those that are being answered get this long to take their answers.
    pub(super) fn close(&mut self, patience: Duration) {
        let _ = std::fs::remove_file(&self.path);
        self.closing.ring();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let until = Instant::now() + patience;
        let mut asking = self.busy.asking.lock().unwrap_or_else(PoisonError::into_inner);
        while *asking > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            asking = match self.busy.fewer.wait_timeout(asking, left) {
                Ok((asking, _)) => asking,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}

/// Who receives the visitors.
struct Host {
    registry: Arc<Registry>,
    busy: Arc<Busy>,
    owner: JobId,
}

fn receive(listener: &UnixListener, closing: &Cancel, host: &Host) {
    let Host { registry, busy, owner } = host;
    loop {
        match ricasso_os::ready([Some(listener.as_fd()), Some(closing.as_fd())], None) {
            Ok([true, false]) => {}
            Ok([false, false]) => continue,
            Ok([_, true]) | Err(_) => return,
        }
        let Ok((visitor, _)) = listener.accept() else { continue };
        // The directory is ours alone; this is the second lock on the door.
        if !ricasso_os::is_ours(&visitor) {
            continue;
        }
        if busy.here.fetch_add(1, Ordering::AcqRel) >= MOST_VISITORS {
            busy.here.fetch_sub(1, Ordering::AcqRel);
            refuse(visitor, "too many visitors at once; try again in a moment", false);
            continue;
        }
        let (registry, guests, owner) = (Arc::clone(registry), Arc::clone(busy), owner.clone());
        let spawned = std::thread::Builder::new()
            .name("ricasso-visitor".into())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let mut visit = Visit { stream: visitor, registry: &registry, busy: &guests };
                visit.receive(&owner);
                guests.here.fetch_sub(1, Ordering::AcqRel);
            });
        if spawned.is_err() {
            busy.here.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn refuse(mut visitor: UnixStream, message: &str, unknown: bool) {
    // Whoever cannot even take this has gone away.
    let _ = visitor.set_write_timeout(Some(Duration::from_secs(1)));
    let _ = verbs::write(&mut visitor, &Told::Refused { message: message.into(), unknown });
}

struct Visit<'a> {
    stream: UnixStream,
    registry: &'a Registry,
    busy: &'a Busy,
}

impl Visit<'_> {
    /// Answers whoever knows whose desk this is.
    fn receive(&mut self, owner: &JobId) {
        if self.stream.set_read_timeout(Some(SILENT)).is_err() {
            return;
        }
        let Ok(Some(bytes)) = verbs::read(&mut self.stream, MOST_GREETING_BYTES) else { return };
        let greeting = serde_json::from_slice::<Greeting>(&bytes);
        if greeting.is_ok_and(|greeting| greeting.owner == owner.as_str()) {
            self.attend();
        }
    }

    /// Answers one question after the other until the visitor goes.
    fn attend(&mut self) {
        while let Ok(Some(bytes)) = verbs::read(&mut self.stream, MOST_ASKED_BYTES) {
            *self.busy.asking.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            let answered = self.answer(&bytes);
            *self.busy.asking.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
            self.busy.fewer.notify_all();
            if answered.is_err() {
                return;
            }
        }
    }

    fn answer(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let told = serde_json::from_slice::<Ask>(bytes)
            .map_err(|source| Error::Json { what: "question", source })
            .and_then(|ask| self.obey(ask));
        let told = match told {
            Ok(told) => told,
            Err(error) => {
                let unknown = matches!(error, Error::NoJob { .. });
                Told::Refused { message: error.in_full(), unknown }
            }
        };
        verbs::write(&mut self.stream, &told)
    }

    fn obey(&mut self, ask: Ask) -> Result<Told, Error> {
        let scope = ask.session.map_or(Scope::Person, Scope::Session);
        let find = |id: &str| self.registry.find(&scope, id);
        let reply = |reply| Ok(Told::Reply(Box::new(reply)));
        match ask.verb {
            Verb::List => self.list(&scope),
            Verb::Look { id } => reply(find(&id)?.look()?),
            Verb::Wait { id, until, patience_ms } => {
                let patience = patience_ms.map(Duration::from_millis);
                reply(find(&id)?.wait(&until.until(), patience, &|| self.is_gone())?)
            }
            Verb::Feed { id, bytes, key, end, password } => {
                let board = find(&id)?;
                let mut bytes = bytes.as_slice().to_vec();
                if let Some(name) = key {
                    bytes.extend_from_slice(&keys::bytes(&name, board.arrows())?);
                }
                let then = if end { Then::End } else { Then::Open };
                let password = if password { Password::Allowed } else { Password::Refused };
                let fed = board.feed(&Feed { bytes, then, password })?;
                Ok(Told::Fed { bytes: fed.bytes, left_bytes: fed.left_bytes })
            }
            Verb::Stop { id } => reply(find(&id)?.stop(&|| self.is_gone())?),
            Verb::Watch { id, regex } => {
                let board = find(&id)?;
                let mut lines = board.lines(regex.as_deref())?;
                loop {
                    let (batch, over) = board.next_lines(&mut lines, LINES, GLANCE)?;
                    if !batch.lines.is_empty() {
                        verbs::write(&mut self.stream, &Told::Batch(batch))?;
                    }
                    if over {
                        return reply(board.look()?);
                    }
                    if self.is_gone() {
                        return Err(Error::CallerGone);
                    }
                }
            }
            Verb::EndSession { session } => {
                let mut failed = Ok(());
                let stream = &mut self.stream;
                self.registry.end_session(&session, &mut |notice: Notice| {
                    let told = Told::Notice {
                        session: notice.session,
                        id: notice.id.to_string(),
                        ended: notice.reply.is_some(),
                    };
                    if failed.is_ok() {
                        failed = verbs::write(stream, &told);
                    }
                });
                failed.map(|()| Told::Done)
            }
        }
    }

    fn list(&mut self, scope: &Scope) -> Result<Told, Error> {
        for board in self.registry.list(scope) {
            let mut reply = board.look()?;
            reply.stdout = Redacted::default();
            reply.stderr = Redacted::default();
            let row = Row { reply, last_line: board.last_line() };
            verbs::write(&mut self.stream, &Told::Row(Box::new(row)))?;
        }
        Ok(Told::Done)
    }

    /// A visitor that closed its end, or says more while it is being answered, is not waited for.
    fn is_gone(&self) -> bool {
        ricasso_os::ready([Some(self.stream.as_fd())], Some(Duration::ZERO))
            .is_ok_and(|[something]| something)
    }
}
