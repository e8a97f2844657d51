//! From the order to the command's first instruction, as its warden sees it.

use super::cradle::{Came, Cradle};
use super::ears::{Ears, Woken};
use super::report::{Report, Status, Usage};
use super::serve::{Ground, Post};
use crate::cage::{self, Birth, Gatekeeper, Hedge, Reserve, Template};
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::note::{Asks, Note};
use crate::signals;
use crate::tree::Member;
use crate::tree::{self, Ending};
use crate::wire::{Ceilings, Enclosed, Leaves, Order, Stage};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// A command that is over by now has no use for a message that it began.
const SHORT: Duration = Duration::from_millis(5);
/// The last process of a namespace is gone this long after nobody can ask any more.
const MOMENT: Duration = Duration::from_micros(200);

/// A command that was started, or failed to.
pub(super) struct Life {
    /// The command, as the host counts.
    pub(super) pid: i32,
    /// The child of ours whose end is the end of the command.
    child: i32,
    pub(super) first: Option<i32>,
    pub(super) ceilings: Ceilings,
    pub(super) more: bool,
    /// What becomes of those whom it leaves running.
    pub(super) leaves: Leaves,
    pub(super) failed: Option<(Stage, i32)>,
    pub(super) status: Option<OwnedFd>,
    pub(super) gate: Option<Gatekeeper>,
    /// Whether nobody is left who could ask.
    silent: bool,
    /// How the child ended, once it did.
    ended: Option<Status>,
    /// Whether some child ended already.
    pub(super) over: bool,
    /// Whose end counts.
    counts: Counts,
}

/// Whose end is the end of what the warden watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// The command's, whoever else there is.
    Command,
    /// That of the last whom it left running.
    Last,
}

impl Life {
    /// What the warden listens to while it lives.
    pub(super) fn ears(&self) -> Ears<'_> {
        let gate = self.gate.as_ref().filter(|_| !self.silent).map(AsFd::as_fd);
        Ears { note: None, end: None, status: self.status.as_ref(), gate }
    }

    /// Answers a question, if there is one.
    pub(super) fn hear_gate(&mut self, woken: &Woken) -> Result<()> {
        if woken.silent {
            // A descriptor on which nobody can ask any more would wake us again and again.
            self.silent = true;
            self.status.iter().for_each(lean_in);
        }
        match &mut self.gate {
            Some(gate) if woken.question => gate.answer(),
            Some(_) | None => Ok(()),
        }
    }

    /// The command is over, and those whom it left running are watched in its place.
    pub(super) fn outlived_by(&mut self, survivors: &[Member]) {
        self.counts = Counts::Last;
        self.pid = survivors.first().map_or(self.pid, |survivor| survivor.pid);
    }

    /// Keeps the ending of the one child that counts.
    pub(super) fn reaper(&mut self) -> impl FnMut(i32, Ending) {
        let (child, counts, ended) = (self.child, self.counts, &mut self.ended);
        move |reaped, how| {
            if reaped == child || counts == Counts::Last {
                *ended = Some(match how {
                    Ending::Exited(code) => Status::Exited(code),
                    Ending::Signalled { signal, core } => Status::Signalled { signal, core },
                });
            }
        }
    }

    /// How it ended, if it did, whether others of its tree may be left, and what the job
    /// used where that was told. The first process may still be going: the kernel takes
    /// milliseconds to put its namespaces away, and nobody waits for that.
    pub(super) fn ending(
        &mut self,
        spoken: bool,
        any_left: bool,
    ) -> Option<(Status, bool, Option<Usage>)> {
        let alone = match self.counts {
            Counts::Command => true,
            Counts::Last => !any_left,
        };
        let by_child = self.ended.filter(|_| alone).map(|ended| (ended, true, None));
        let Some(status) = &self.status else { return by_child };
        // What it said before it ended counts, also when its end was seen first.
        if (spoken || by_child.is_some())
            && let Some(last) = cage::heard(status)
        {
            return Some((status_of(last.how), last.left, Some(last.usage)));
        }
        // The first process itself was ended: by us, or by somebody outside.
        by_child
    }
}

/// Nobody in the namespace is left but its first process, which speaks in a moment: to be woken
/// for that would take longer.
fn lean_in(status: &OwnedFd) {
    let until = Instant::now() + MOMENT;
    let nothing = Timespec::default();
    let mut fds = [PollFd::new(status, PollFlags::IN)];
    while Instant::now() < until && poll(&mut fds, Some(&nothing)) == Ok(0) {
        rustix::thread::sched_yield();
    }
}

fn status_of(how: i32) -> Status {
    if libc::WIFEXITED(how) {
        return Status::Exited(libc::WEXITSTATUS(how));
    }
    Status::Signalled { signal: libc::WTERMSIG(how), core: libc::WCOREDUMP(how) }
}

impl Post {
    /// Waits until the command was executed or failed. `None` when no order came any more.
    pub(super) fn await_start(
        &mut self,
        (pid, birth): (i32, Birth),
        pipe: &Channel,
        ground: Ground<'_>,
    ) -> Result<Option<Life>> {
        let known = ground.template.map(Template::survey).cloned();
        let mut note = Note { known, ..Note::default() };
        if !self.hear(pipe, &mut note)? {
            return Ok(None);
        }
        if note.back {
            tree::wait_for(pid);
            return self.begin(Ground { template: None, ..ground });
        }
        let life = match birth {
            Birth::First => {
                note.first = Some(pid);
                self.await_namespaced(pid, (pipe, note), ground)?
            }
            Birth::Plain if note.status.is_some() => {
                self.await_builder(pid)?;
                self.await_namespaced(pid, (pipe, note), ground)?
            }
            Birth::Plain => self.await_plain(pid, (pipe, note), ground)?,
        };
        Ok(Some(life))
    }

    /// Waits until a command without namespaces was executed or failed. `None` when no order came.
    pub(super) fn await_newborn(
        &mut self,
        pid: i32,
        note: Channel,
        ground: Ground<'_>,
    ) -> Result<Option<Life>> {
        let born = Instant::now();
        loop {
            let ears = Ears { end: Some(note.as_fd()), ..Ears::default() };
            let woken = self.wait(ears, PollFlags::empty(), None)?;
            if woken.note {
                break;
            }
            if woken.deserted {
                return Ok(None);
            }
        }
        // Walls bring a descriptor, about which nobody asked a question yet.
        let told = ground.hedge.map(|_| note.receive(Wait::Never)).transpose()?;
        let mut listener = match told {
            Some(Arrival::Message(_, mut fds)) => fds.pop(),
            Some(Arrival::Nothing | Arrival::Closed) | None => None,
        };
        let came = self.cradle.as_ref().map(Cradle::came);
        let (order, failed) = match came {
            Some(Came::Executed(order)) => (order, None),
            Some(Came::Failed(order, stage, errno)) => (order, Some((stage, errno))),
            Some(Came::Nothing) | None => return Ok(None),
            // Too long for it, or with another cage.
            Some(Came::Back) => {
                drop((note, listener));
                return self.begin(ground.without_cradle());
            }
        };
        // A spare one has its core, and all that the end needs is touched.
        let is_spare = born.elapsed() > SHORT;
        let until = Instant::now() + SHORT;
        if failed.is_none() && !is_spare && self.let_run(listener.as_ref(), until)? {
            listener = None;
        }
        let order = Enclosed::open(order).ok_or(Error::Garbled { what: "order" });
        // The rest of it is for answers.
        let decode = if listener.is_some() { Order::decode } else { Order::decode_upkeep };
        let order = match order.and_then(|(order, _)| decode(order)) {
            Ok(order) => order,
            // That is why it failed.
            Err(_) if failed.is_some() => Order::default(),
            Err(error) => return Err(error),
        };
        let known = ground.hedge.map(Hedge::survey);
        let asks = listener.as_ref().and_then(|_| Asks::of(&order, known));
        let Order { ceilings, litter, more, leaves, .. } = order;
        self.litter.clone_from(&litter);
        let told = Note { ceilings, litter, more, leaves, failed, ..Note::default() };
        let mut life = Life::of(Note { listener, asks, ..told }, (pid, pid), ground)?;
        drop(note);
        if failed.is_none() {
            // A short command is over before anybody needs to know that it began.
            signals::take(&self.children);
            tree::reap_all(&mut life.reaper());
            life.over = life.ended.is_some() || self.first_moments(&mut life, until)?;
            if !life.over {
                self.tell(&Report::Started { pid })?;
            }
        }
        Ok(Some(life))
    }

    /// Leaves a command alone for its first moment: on the same core it would wait for all that we
    /// do now, and a short one is over before that is needed. Tells whether nobody is left who
    /// could ask.
    fn let_run(&self, listener: Option<&OwnedFd>, until: Instant) -> Result<bool> {
        let mut silent = false;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let gate = listener.filter(|_| !silent).map(AsFd::as_fd);
            let ears = Ears { gate, ..Ears::default() };
            let woken = self.wait(ears, PollFlags::empty(), Some(left))?;
            silent |= woken.silent;
            // The end of a process is told after its last word.
            let is_ending = woken.silent && !woken.child && !woken.deserted;
            if !is_ending || left.is_zero() {
                return Ok(silent);
            }
        }
    }

    /// A command that is our own child.
    fn await_plain(
        &mut self,
        pid: i32,
        (pipe, mut note): (&Channel, Note),
        ground: Ground<'_>,
    ) -> Result<Life> {
        // The order is there. A short command is over before anybody needs to know that it began,
        // and two messages less are two wake-ups less beside it. One that asks questions must be
        // heard at once.
        let asks = note.asks.is_some();
        let mut quick = !asks && self.wait(Ears::default(), PollFlags::empty(), Some(SHORT))?.child;
        while self.hear(pipe, &mut note)? {}
        self.litter.clone_from(&note.litter);
        let mut life = Life::of(note, (pid, pid), ground)?;
        if asks && life.failed.is_none() {
            quick = self.first_moments(&mut life, Instant::now() + SHORT)?;
        }
        if life.failed.is_none() && !quick {
            self.tell(&Report::Started { pid })?;
        }
        Ok(life)
    }

    /// The builder of the namespaces goes first: its end says that all is built or failed.
    fn await_builder(&mut self, builder: i32) -> Result<()> {
        loop {
            let woken = self.wait(Ears::default(), PollFlags::empty(), None)?;
            while signals::take(&self.children).is_some() {}
            if woken.deserted || tree::reap_one(builder) {
                return Ok(());
            }
        }
    }

    /// A command in a pid namespace: its first process is our child.
    fn await_namespaced(
        &mut self,
        builder: i32,
        (pipe, mut note): (&Channel, Note),
        ground: Ground<'_>,
    ) -> Result<Life> {
        pipe.want_signatures()?;
        // Whoever is asked hears at once who asks; else the end of the note tells enough.
        while !note.says_enough() {
            if !self.hear(pipe, &mut note)? {
                break;
            }
        }
        while self.overhear(pipe, &mut note)? {}
        self.litter.clone_from(&note.litter);
        let child = note.first.unwrap_or(builder);
        let pid = note.command.unwrap_or(child);
        let mut life = Life::of(note, (pid, child), ground)?;
        let over =
            life.failed.is_some() || self.first_moments(&mut life, Instant::now() + SHORT)?;
        // By now it was executed or failed; a failure was told before the end.
        let mut rest = Note::default();
        while if over { self.overhear(pipe, &mut rest)? } else { self.hear(pipe, &mut rest)? } {}
        life.pid = rest.command.unwrap_or(life.pid);
        life.failed = life.failed.or(rest.failed);
        if life.failed.is_none() && !over {
            self.tell(&Report::Started { pid: life.pid })?;
        }
        Ok(life)
    }

    /// The first moments of a command; true if it is over by then. Its questions are answered.
    fn first_moments(&mut self, life: &mut Life, until: Instant) -> Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let woken = self.wait(life.ears(), PollFlags::empty(), Some(left))?;
            life.hear_gate(&woken)?;
            // What ended is looked at by whoever watches the rest of the life.
            if woken.deserted || woken.child || woken.status {
                return Ok(true);
            }
        }
    }

    /// Takes in what of the note is there already; false where nothing more is.
    fn overhear(&self, pipe: &Channel, note: &mut Note) -> Result<bool> {
        match pipe.receive_signed(Wait::Never)? {
            (Arrival::Message(bytes, fds), sender) => {
                let taken = note.take(&bytes, fds, sender);
                taken.map(|()| true).ok_or(Error::Garbled { what: "note" })
            }
            (Arrival::Nothing | Arrival::Closed, _) => Ok(false),
        }
    }

    /// Takes in more of the note; false at its end, or when everybody is gone.
    fn hear(&self, pipe: &Channel, note: &mut Note) -> Result<bool> {
        loop {
            let ears = Ears { note: Some(pipe.as_fd()), ..Ears::default() };
            let woken = self.wait(ears, PollFlags::empty(), None)?;
            if woken.note {
                return match pipe.receive_signed(Wait::Never)? {
                    (Arrival::Message(bytes, fds), sender) => note
                        .take(&bytes, fds, sender)
                        .map(|()| true)
                        .ok_or(Error::Garbled { what: "note" }),
                    (Arrival::Nothing, _) => continue,
                    (Arrival::Closed, _) => Ok(false),
                };
            }
            if woken.deserted {
                return Ok(false);
            }
        }
    }
}

impl Life {
    fn of(note: Note, (pid, child): (i32, i32), ground: Ground<'_>) -> Result<Life> {
        let reserve = if note.more { Reserve::NextCage } else { Reserve::Group };
        let gate = match (note.listener, note.asks) {
            (Some(listener), Some(asks)) => {
                Some(Gatekeeper::new(listener, asks, (reserve, ground.bounds))?)
            }
            (Some(_), None) | (None, _) => {
                // The powers of a realm are for building cages.
                if ground.realm.is_some() {
                    let dropped = cage::drop_all_but(reserve, ground.bounds);
                    dropped.map_err(Error::call("give up capabilities"))?;
                }
                None
            }
        };
        Ok(Life {
            pid,
            child,
            first: note.first,
            ceilings: note.ceilings,
            more: note.more,
            leaves: note.leaves,
            failed: note.failed,
            status: note.status,
            gate,
            silent: false,
            ended: None,
            over: false,
            counts: Counts::Command,
        })
    }
}
