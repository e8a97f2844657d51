//! The warden's own process: starts the command, reaps everything below it, reports how it ended.
//!
//! It never outlives its reason: when the owner's socket or the keeper's lifeline closes, it ends
//! its whole tree and then itself.

use super::birth::{Forked, Inherited, fork_command};
use super::cradle::Cradle;
use super::ears::{Ears, Woken};
use super::report::{Ended, Report, Status, Usage};
use super::start::Life;
use crate::after_fork;
use crate::cage::{
    Bounds, Denied, Fence, Gatekeeper, Hedge, Loopback, Namespaces, Queues, Realm, Template, Users,
};
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::signals;
use crate::tree::{self, Member};
use crate::wire::{Ceilings, Leaves, Limit, Stage, Word};
use rustix::event::PollFlags;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What the shell leaves running gets this long to end by itself: a process substitution
/// (`> >(tee log)`) writes its last lines after the shell is gone.
const DRAIN: Duration = Duration::from_millis(60);
/// And then this long to obey SIGTERM. Together they stay below what a person notices.
const SURVIVOR_GRACE: Duration = Duration::from_millis(20);
/// How often the ceilings of the tree are looked at. At 100 ms a greedy tree overshoots by tens of
/// megabytes, and the look itself costs less than a thousandth of a core.
const POLL: Duration = Duration::from_millis(100);
/// An owner that has its answer needs this long at most for what it does with it; then a warden
/// puts away what is left of the job all the same.
const FAREWELL: Duration = Duration::from_millis(20);
/// The first look comes earlier: until then nobody bounds a tree that grows.
const FIRST_LOOK: Duration = Duration::from_millis(30);
/// Survivors that are named in a report; the others only count in `left`.
const MOST_NAMED: usize = 64;

/// Runs orders until there are no more, then exits.
pub(crate) fn serve(job: Channel, lifeline: Option<OwnedFd>, ground: Ground<'_>) -> ! {
    // The command's process comes first of all: what this one needs for itself can wait. One that
    // shares our memory is born in no time, and later.
    let early = (lifeline.is_some() && !ground.has_cradle())
        .then(|| fork_command(&job, ground, Inherited::FromTheKeeper));
    let note = early.as_ref().and_then(|early| early.as_ref().ok()).map(|(_, note)| note.as_fd());
    let entered = Post::enter(job, lifeline, note, ground);
    let served = entered.and_then(|mut post| post.serve(ground, early));
    // Whatever went wrong, the owner sees the socket close and calls the job lost; nothing below
    // us may outlive that.
    drop(served);
    tree::end(&BTreeSet::new(), &mut |_, _| {});
    after_fork::leave()
}

/// What the commands of a warden will stand on, as far as it is known before there is an order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ground<'a> {
    /// The network of the session.
    pub(crate) loopback: Option<&'a Loopback>,
    /// How the namespaces will be made that the cages will ask for.
    pub(crate) spaces: Namespaces,
    /// The user namespace that this process is in, where it is not the machine's.
    pub(crate) realm: Option<&'a Realm>,
    /// That of the job's commands, in a realm, as far as it is made.
    pub(crate) users: Option<&'a Users>,
    /// The view that the next cage is likely to ask for.
    pub(crate) template: Option<&'a Template>,
    /// The walls that the next command is likely to ask for, where it has no namespaces.
    pub(crate) hedge: Option<&'a Hedge>,
    /// Whether the commands come without a cage.
    pub(crate) free: bool,
    /// What is known of what commands can have by executing.
    pub(crate) bounds: Bounds,
    /// What this process and all that it forks stand behind.
    pub(crate) fence: Fence,
    /// What the first command of a warden inherits; later ones need their own.
    pub(crate) queues: Queues,
}

impl<'a> Ground<'a> {
    /// The descriptors of all that it holds.
    pub(super) fn fds(self) -> impl Iterator<Item = BorrowedFd<'a>> {
        let network = self.loopback.into_iter().flat_map(Loopback::fds);
        let views = self.template.into_iter().flat_map(Template::fds);
        let users = self.realm.map(Realm::fd).into_iter().chain(self.users.map(Users::fd));
        network.chain(views).chain(users).chain(self.hedge.map(Hedge::fd))
    }

    /// Whether the process of a command can share the warden's memory.
    fn has_cradle(self) -> bool {
        self.free || self.hedge.is_some()
    }

    /// The same for a process that is forked.
    pub(super) fn without_cradle(self) -> Ground<'a> {
        Ground { free: false, hedge: None, ..self }
    }
}

pub(super) struct Post {
    pub(super) job: Channel,
    pub(super) lifeline: Option<OwnedFd>,
    pub(super) children: OwnedFd,
    pub(super) litter: Vec<std::path::PathBuf>,
    /// The first process of the command's pid namespace, which is no part of the job.
    pub(super) first: Option<i32>,
    /// Our end of what it speaks through, once it has nothing more to say.
    parted: Option<OwnedFd>,
    /// What bounds the tree, once it lived for a moment.
    group: Option<Group>,
    /// Where the process of a command without namespaces waits.
    pub(super) cradle: Option<Cradle>,
    /// Whether it did what could wait.
    settled: bool,
}

/// What is known of a tree whose command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gone {
    /// Nobody was left.
    Whole,
    /// Somebody may be.
    Unknown,
}

/// What the owner said.
enum Heard {
    Word(Word),
    Nothing,
    Gone,
}

impl Post {
    fn enter(
        job: Channel,
        lifeline: Option<OwnedFd>,
        note: Option<BorrowedFd<'_>>,
        ground: Ground<'_>,
    ) -> Result<Post> {
        tree::become_subreaper()?;
        // Before there is a command, which may stop us: if our parent dies then, we must still see
        // that and sweep.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::CONT));
        let mut keep = vec![job.as_fd()];
        keep.extend(lifeline.as_ref().map(AsFd::as_fd));
        keep.extend(note);
        keep.extend(ground.fds());
        match &lifeline {
            // A keeper has seen to signals and standard descriptors, and its wardens inherit that.
            Some(_) => crate::keeper::close_others(&keep)?,
            None => {
                signals::reset_all();
                crate::keeper::close_all_but(&keep)?;
            }
        }
        let children = signals::block_and_listen(&[libc::SIGCHLD])?;
        let (litter, first, parted, group, cradle) = (Vec::new(), None, None, None, None);
        let settled = false;
        Ok(Post { job, lifeline, children, litter, first, parted, group, cradle, settled })
    }

    /// What can wait until the command's process is born.
    fn settle_in(&mut self) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        // The name is for people who look at `ps`; a kernel that refuses it changes nothing.
        let _ = rustix::thread::set_name(c"ricasso-warden");
        let _ = rustix::process::setsid();
    }

    fn serve(&mut self, ground: Ground<'_>, mut early: Option<Result<Forked>>) -> Result<()> {
        loop {
            let life = match early.take() {
                Some(forked) => self.begin_with(forked, ground)?,
                None if ground.has_cradle() => self.begin_in_cradle(ground)?,
                None => self.begin(ground)?,
            };
            let Some(life) = life else { return self.sweep() };
            let more = life.more;
            self.first = life.first;
            let gone = match life.failed {
                Some((stage, errno)) => {
                    self.tell(&Report::NotStarted { stage, errno })?;
                    Gone::Unknown
                }
                None => self.watch(life)?,
            };
            if !more && gone == Gone::Whole {
                self.await_farewell()?;
            }
            self.sweep()?;
            self.first = None;
            if !more {
                return Ok(());
            }
        }
    }

    /// The start of a command in a process that is forked. `None` where none comes any more.
    pub(super) fn begin(&mut self, ground: Ground<'_>) -> Result<Option<Life>> {
        self.settle_in();
        self.begin_with(fork_command(&self.job, ground, Inherited::FromTheWarden), ground)
    }

    fn begin_with(&mut self, forked: Result<Forked>, ground: Ground<'_>) -> Result<Option<Life>> {
        match forked {
            Ok((child, note)) => {
                self.settle_in();
                rehearse();
                self.await_start(child, &note, ground)
            }
            Err(error) => self.give_up(&error).map(|()| None),
        }
    }

    /// The same for one without namespaces, whose process shares our memory until it executes.
    fn begin_in_cradle(&mut self, ground: Ground<'_>) -> Result<Option<Life>> {
        if ground.hedge.is_some() {
            // By then the owner has left its core, and the walls are laid there.
            self.settle_in();
        }
        match self.bear_command(ground) {
            Ok((child, note)) => {
                // It has more to do than we have.
                rustix::thread::sched_yield();
                self.settle_in();
                if self.job.is_silent() {
                    rehearse();
                }
                self.await_newborn(child, note, ground)
            }
            Err(error) => self.give_up(&error).map(|()| None),
        }
    }

    fn bear_command(&mut self, ground: Ground<'_>) -> Result<(i32, Channel)> {
        let (ours, theirs) = match ground.hedge {
            // Walls bring a descriptor.
            Some(_) => Channel::pair().map(|(ours, theirs)| (ours, theirs.into_fd()))?,
            None => rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
                .map(|(ours, theirs)| (Channel::from_fd(ours), theirs))
                .map_err(Error::call("make a pipe for the start"))?,
        };
        let cradle = match self.cradle.take() {
            Some(cradle) => cradle,
            None => Cradle::new(&self.job)?,
        };
        let walls = ground.hedge.map(|hedge| (hedge, ground.bounds));
        let pid = self.cradle.insert(cradle).bear(theirs, walls)?;
        Ok((pid, ours))
    }

    /// No process for the command (a limit of the user, a full machine): that is its answer. The
    /// order is taken first, since a socket closed over an unread message would swallow the answer.
    fn give_up(&self, error: &Error) -> Result<()> {
        drop(after_fork::next_order(&self.job));
        self.tell(&Report::NotStarted { stage: Stage::Prepare, errno: error.errno() })
    }

    /// From the start of the command to the end of its tree.
    fn watch(&mut self, mut life: Life) -> Result<Gone> {
        let ceilings = life.ceilings;
        let polled = ceilings.memory_bytes.is_some()
            || ceilings.processes.is_some()
            || ceilings.cpu_seconds.is_some();
        let mut next_look = Instant::now() + FIRST_LOOK;
        let mut stopping = false;
        let mut limit = None;
        loop {
            let pause = polled.then(|| next_look.saturating_duration_since(Instant::now()));
            let woken = match std::mem::take(&mut life.over) {
                true => Woken { child: true, ..Woken::default() },
                false => self.wait(life.ears(), PollFlags::IN, pause)?,
            };
            if woken.deserted {
                return Ok(Gone::Unknown);
            }
            life.hear_gate(&woken)?;
            if woken.word {
                match self.word()? {
                    Heard::Nothing => {}
                    Heard::Word(Word::Terminate) => {
                        stopping = true;
                        tree::signal(Signal::TERM, &BTreeSet::new());
                    }
                    Heard::Word(Word::Kill) => {
                        stopping = true;
                        tree::end(&BTreeSet::new(), &mut life.reaper());
                    }
                    Heard::Gone => return Ok(Gone::Unknown),
                }
            }
            // Not at every wake-up: a look walks the whole tree, and the end of a short command
            // must not wait for one.
            if polled && limit.is_none() && Instant::now() >= next_look {
                next_look = Instant::now() + POLL;
                limit = self.exceeded(&ceilings);
                if limit.is_some() {
                    tree::end(&BTreeSet::new(), &mut life.reaper());
                }
            }
            if woken.child {
                // However many ended, the kernel keeps one signal of a kind.
                signals::take(&self.children);
            }
            let any_left = tree::reap_all(&mut life.reaper());
            if let Some((status, others, used)) = life.ending(woken.status, any_left) {
                let any_left = any_left && others;
                let denied = life.gate.as_mut().map(Gatekeeper::take_denied).unwrap_or_default();
                let limit = limit.or_else(|| self.group.as_ref().and_then(Group::exceeded));
                // Whoever forks faster than we look is refused by the kernel, and ends of that.
                let crowded = any_left && self.is_crowded(&ceilings);
                let limit = limit.or(crowded.then_some(Limit::Processes));
                let how = Stopping { limit, asked: stopping, any_left, denied, used };
                if how.may_leave(&life) && self.hand_on(&mut life, status, &how)? {
                    continue;
                }
                // Its first process waits at the other end until we are done with it.
                let whole = if any_left || stopping { Gone::Unknown } else { Gone::Whole };
                self.finish(life.pid, status, how)?;
                if whole == Gone::Whole {
                    self.parted = life.status.take();
                }
                return Ok(whole);
            }
        }
    }

    /// The command has ended; if others go on they are named, and watched from now on.
    fn hand_on(&mut self, life: &mut Life, status: Status, how: &Stopping) -> Result<bool> {
        if self.tree_ends_within(DRAIN)? {
            return Ok(false);
        }
        let survivors = self.named();
        if survivors.is_empty() {
            return Ok(false);
        }
        let (pid, denied) = (life.pid, how.denied.clone());
        let usage = how.used.unwrap_or_else(usage);
        life.outlived_by(&survivors);
        let (limit, tree_gone) = (None, false);
        self.tell(&Report::Ended(Ended {
            pid,
            status,
            usage,
            survivors,
            limit,
            denied,
            tree_gone,
        }))?;
        Ok(true)
    }

    /// The command itself has ended; now the rest of its tree.
    fn finish(&mut self, pid: i32, status: Status, how: Stopping) -> Result<()> {
        let Stopping { limit, asked: stopping, any_left, denied, used } = how;
        let mut survivors = Vec::new();
        if any_left && !stopping {
            survivors = self.stop_survivors()?;
        }
        let tree_gone = !stopping || !any_left;
        // After survivors were ended their time counts too, and only we know it.
        let usage = used.filter(|_| !any_left).unwrap_or_else(usage);
        let ended = Ended { pid, status, usage, survivors, limit, denied, tree_gone };
        self.tell(&Report::Ended(ended))?;
        if tree_gone {
            return Ok(());
        }
        let left = self.await_death()?;
        self.tell(&Report::Gone { left, usage: self::usage() })
    }

    /// After a stop: the tree ends by itself within the owner's grace, or by the owner's kill.
    fn await_death(&mut self) -> Result<Vec<Member>> {
        let mut left = Vec::new();
        while tree::reap_all(&mut |_, _| {}) {
            let woken = self.wait(Ears::default(), PollFlags::IN, Some(POLL))?;
            if woken.deserted {
                self.sweep()?;
                break;
            }
            if woken.word && matches!(self.word()?, Heard::Word(Word::Kill) | Heard::Gone) {
                let stuck = tree::end(&BTreeSet::new(), &mut |_, _| {});
                if !stuck.is_empty() {
                    left = self.named();
                    break;
                }
            }
            while signals::take(&self.children).is_some() {}
        }
        Ok(left)
    }

    /// Lets the survivors end by themselves, asks them, ends them. Returns who had to be asked.
    fn stop_survivors(&mut self) -> Result<Vec<Member>> {
        if self.tree_ends_within(DRAIN)? {
            return Ok(Vec::new());
        }
        let survivors = self.named();
        tree::signal(Signal::TERM, &BTreeSet::new());
        if !self.tree_ends_within(SURVIVOR_GRACE)? {
            tree::end(&BTreeSet::new(), &mut |_, _| {});
        }
        Ok(survivors)
    }

    fn tree_ends_within(&mut self, patience: Duration) -> Result<bool> {
        let until = Instant::now() + patience;
        while tree::reap_all(&mut |_, _| {}) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            let woken = self.wait(Ears::default(), PollFlags::empty(), Some(left))?;
            if woken.deserted {
                return Ok(false);
            }
            while signals::take(&self.children).is_some() {}
        }
        Ok(true)
    }

    /// Nothing is left to end, and the owner has its answer: what is still to be put away, which
    /// is our own, would only slow down the owner on a machine with few cores. It says that it is
    /// done by closing its end.
    fn await_farewell(&mut self) -> Result<()> {
        let until = Instant::now() + FAREWELL;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let woken = self.wait(Ears::default(), PollFlags::empty(), Some(left))?;
            if woken.deserted {
                return Ok(());
            }
            while signals::take(&self.children).is_some() {}
        }
    }

    fn sweep(&mut self) -> Result<()> {
        self.parted = None;
        tree::end(&BTreeSet::new(), &mut |_, _| {});
        for path in self.litter.drain(..) {
            // The owner may have been faster; a file that is gone is what we want.
            let _ = std::fs::remove_file(path);
        }
        if let Some(group) = self.group.take() {
            group.remove();
        }
        Ok(())
    }

    /// Which ceiling the tree has broken. From the first look on a group holds it, where there
    /// are groups.
    fn exceeded(&mut self, ceilings: &Ceilings) -> Option<Limit> {
        if self.group.is_none() {
            self.group = Group::of_tree(ceilings);
        }
        let now = tree::usage();
        let over = |used: u64, most: Option<u64>| most.is_some_and(|most| used > most);
        if over(self.counted(now.processes), ceilings.processes) {
            return Some(Limit::Processes);
        }
        let time = || {
            // A group also counts what nobody waited for; we count from the first moment on.
            let grouped = self.group.as_ref().and_then(Group::time).unwrap_or_default();
            grouped.max(tree::time()).as_secs()
        };
        if ceilings.cpu_seconds.is_some_and(|most| time() >= most) {
            return Some(Limit::Cpu);
        }
        match &self.group {
            // Shared pages count once there, and what the kernel can take back does not count.
            Some(group) => group.exceeded().or_else(|| {
                let most = ceilings.memory_bytes?;
                group.has_more_than(most, now.memory_bytes).then_some(Limit::Memory)
            }),
            None => over(now.memory_bytes, ceilings.memory_bytes).then_some(Limit::Memory),
        }
    }

    /// Whether there are more processes than there may be.
    fn is_crowded(&self, ceilings: &Ceilings) -> bool {
        ceilings.processes.is_some_and(|most| self.counted(tree::usage().processes) > most)
    }

    /// Without the first process, which is no part of the job.
    fn counted(&self, processes: u64) -> u64 {
        processes - u64::from(self.first.is_some() && processes > 0)
    }

    /// The job's living processes, up to a bound.
    fn named(&self) -> Vec<Member> {
        let mut members = tree::describe();
        members.retain(|member| Some(member.pid) != self.first);
        members.truncate(MOST_NAMED);
        members
    }

    pub(super) fn tell(&self, report: &Report) -> Result<()> {
        self.job.send(&report.encode(), &[])
    }

    fn word(&self) -> Result<Heard> {
        Ok(match self.job.receive(Wait::Never)? {
            Arrival::Message(bytes, _) => Heard::Word(Word::decode(&bytes)?),
            Arrival::Nothing => Heard::Nothing,
            Arrival::Closed => Heard::Gone,
        })
    }
}

/// After a fork the first touch of each page costs a fault. A spare warden has the time to take
/// them now, so that the end of the command does not wait for them.
pub(super) fn rehearse() {
    let status = Status::Exited(0);
    let survivors = Vec::new();
    let (limit, denied, usage) = (None, Vec::new(), usage());
    let ended = Ended { pid: 0, status, usage, survivors, limit, denied, tree_gone: true };
    std::hint::black_box(Report::Ended(ended).encode());
}

/// What is known of a command's end beside its status.
struct Stopping {
    limit: Option<Limit>,
    asked: bool,
    any_left: bool,
    denied: Vec<Denied>,
    /// What the job used, where somebody told.
    used: Option<Usage>,
}

impl Stopping {
    /// Whether those who are left may go on: nobody and nothing wanted it all to end.
    fn may_leave(&self, life: &Life) -> bool {
        let unhindered = !self.asked && self.limit.is_none();
        life.leaves == Leaves::Adopted && self.any_left && unhindered
    }
}

/// Everything below us is reaped by us, so this is the whole tree.
pub(crate) fn usage() -> Usage {
    let mut of = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer leads to a whole rusage, which the call fills (getrusage(2)).
    let answer = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, of.as_mut_ptr()) };
    if answer != 0 {
        return Usage::default();
    }
    // SAFETY: it was zeroed, which is a valid rusage, and the call above filled it.
    let of = unsafe { of.assume_init() };
    let time = |tv: libc::timeval| {
        Duration::from_secs(tv.tv_sec.unsigned_abs())
            + Duration::from_micros(tv.tv_usec.unsigned_abs())
    };
    Usage {
        user: time(of.ru_utime),
        system: time(of.ru_stime),
        // The kernel counts in KiB (getrusage(2)).
        max_rss_bytes: of.ru_maxrss.unsigned_abs() * 1024,
    }
}
