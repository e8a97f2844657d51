//! Into namespaces: a process that builds them, and a first process that lives in them.
//!
//! The builder makes the namespaces and goes; the first process is a child of the warden, starts
//! the command, reaps whatever is orphaned, and tells how the command ended. When it ends, for
//! whatever reason, the kernel ends everything in its pid namespace.

use super::arrived::{Arrived, Terminals};
use super::capability::Bounds;
use super::confine::{Standing, confine_powerless};
use super::mounts::{self, Processes};
use super::raw;
use super::realm::{Users, source};
use super::session::raise_loopback;
use super::stay::Core;
use super::template::Template;
use super::terminal;
use super::{Cage, Namespaces, Net, aside};
use crate::after_fork::{self, leave};
use crate::channel::Channel;
use crate::note::{self, Seat, Tidings};
use crate::warden::Usage;
use crate::warden::serve::Ground;
use crate::wire::{Order, Reader, Stage, Writer};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::WaitOptions;
use std::cell::Cell;
use std::ffi::CStr;
use std::time::Duration;

/// Mount, pid and IPC namespaces; user and network ones come on top where they are needed.
pub(super) const SPACES: libc::c_int = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;

/// What a caged start needs.
pub(crate) struct Parts<'a> {
    pub(crate) order: &'a Order,
    pub(crate) cage: &'a Cage,
    pub(crate) streams: &'a [OwnedFd; 3],
    pub(crate) state: Option<&'a OwnedFd>,
    pub(crate) rules: Option<&'a OwnedFd>,
    pub(crate) note: &'a Channel,
    pub(crate) ground: Ground<'a>,
    pub(crate) birth: Birth,
    /// The view that this process stands in already, and that was built for this very cage.
    pub(crate) stands_in: Option<&'a Arrived<'a>>,
    /// Whether the warden knows the order.
    pub(crate) told: Cell<bool>,
}

/// A start that another process has obeyed before this one, the first, took the order apart: it
/// gave up its powers for that, and there is no way back.
#[derive(Debug)]
pub(crate) struct Begun {
    ends: Ends,
    /// Whether this process is in the command's directory.
    entered: Result<(), Errno>,
    /// The command, and where its questions arrive; nothing where its process had ended before, and
    /// another one must be born.
    command: Option<(i32, Option<OwnedFd>)>,
}

impl Begun {
    /// What this process must do before its command runs. Where it fails, so does the long way,
    /// which can tell why.
    pub(super) fn prepare(
        standing: &Standing,
        ground: Ground<'_>,
        note: &Channel,
        directory: &CStr,
    ) -> Option<Begun> {
        let ends = Ends::new().ok()?;
        enter_network(&standing.cage, ground, 0).ok()?;
        follow_warden(note).ok()?;
        // With its powers, as on the long way. The command's process enters it by itself.
        let entered = rustix::process::chdir(directory);
        become_unreachable(standing, ground).ok()?;
        Some(Begun { ends, entered, command: None })
    }

    pub(super) fn with(self, command: Option<(i32, Option<OwnedFd>)>) -> Begun {
        Begun { command, ..self }
    }
}

impl Parts<'_> {
    /// The user namespace that the command lives in, in a realm, as far as it is made. Elsewhere
    /// it is in one of its own already, or needs none.
    fn users(&self, standing: &Standing) -> Option<&Users> {
        self.ground.users.filter(|_| self.ground.realm.is_some() && standing.cage.counts_tasks())
    }

    /// One, where there must be one and is none.
    fn missing_users(&self, standing: &Standing) -> Result<Option<Users>, Errno> {
        match (self.ground.realm, self.ground.users) {
            (Some(realm), None) if standing.cage.counts_tasks() => realm.users().map(Some),
            (Some(_) | None, _) => Ok(None),
        }
    }

    /// Tells the warden of the order, unless it knows, and gives it these descriptors.
    fn tell_order(&self, fds: &[BorrowedFd<'_>]) {
        if self.told.replace(true) {
            return;
        }
        let seat = if self.stands_in.is_some() { Seat::View } else { Seat::Elsewhere };
        note::tell(self.note, &Tidings::Order(self.order, seat), fds);
    }
}

/// How the process that waits for an order came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Birth {
    /// By a fork: it builds namespaces, if there must be some, for somebody else.
    Plain,
    /// As the first process of namespaces that were made with it.
    First,
}

/// Whose System V and POSIX queues and shared memory a process has that is forked now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Queues {
    /// Those of other commands, or of the machine.
    #[default]
    Shared,
    /// Some that nobody else has or will have.
    Own,
}

impl Queues {
    /// New ones for this process and the next one that it forks, where that can be.
    pub(crate) fn renew() -> Queues {
        raw::unshare(libc::CLONE_NEWIPC).map_or(Queues::Shared, |()| Queues::Own)
    }
}

/// Forks the first process of new namespaces, which takes root or a realm; the network and
/// the view of the files are left to it. `None` in the child, which dies with its parent.
pub(crate) fn bear(template: Option<&Template>, queues: Queues) -> Result<Option<i32>, Errno> {
    let mut spaces = SPACES;
    if template.is_some() {
        spaces &= !libc::CLONE_NEWNS;
    }
    match queues {
        Queues::Shared => {}
        Queues::Own => spaces &= !libc::CLONE_NEWIPC,
    }
    let core = Core::stay();
    let born = fork_with(spaces);
    if core.leave().is_err() {
        // The command would be kept there.
        leave();
    }
    let born = born?;
    if born.is_none() {
        // Asked again, and then with an answer, when there is something to run.
        let signal = Some(rustix::process::Signal::KILL);
        let _ = rustix::process::set_parent_process_death_signal(signal);
    }
    Ok(born)
}

type Failure = (Stage, Errno);

/// Builds the namespaces and starts the command in them; returns only on failure, and then in
/// whichever process it happened.
pub(crate) fn lead(parts: &Parts<'_>, begun: Option<Begun>) -> Failure {
    let led = match (begun, parts.stands_in) {
        (Some(begun), Some(arrived)) => follow(parts, arrived.template.standing(), begun),
        (Some(_) | None, _) => try_lead(parts),
    };
    match led {
        Ok(never) => match never {},
        Err(failure) => {
            match parts.birth {
                Birth::First => parts.tell_order(&[]),
                Birth::Plain => {}
            }
            failure
        }
    }
}

enum Never {}

/// Both ends of what the first process speaks through; one of them is the warden's.
#[derive(Debug)]
struct Ends {
    warden: OwnedFd,
    own: OwnedFd,
}

impl Ends {
    fn new() -> Result<Ends, Errno> {
        let (warden, own) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        Ok(Ends { warden, own })
    }
}

/// Tells the warden what the command would have told itself.
fn tell_begun(note: &Channel, command: i32, listener: Option<&OwnedFd>) {
    // A hold tells its number to whoever counts otherwise.
    let hold = rustix::process::Pid::from_raw(command).and_then(|pid| {
        rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
    });
    let fds: Vec<BorrowedFd<'_>> = listener.into_iter().chain(&hold).map(AsFd::as_fd).collect();
    let word = Tidings::Begun { asks: listener.is_some() };
    note::tell(note, &word, &fds);
}

/// After a start that was obeyed already: tells the warden of the order, and stays.
fn follow(parts: &Parts<'_>, standing: &Standing, begun: Begun) -> Result<Never, Failure> {
    let Begun { ends, entered, command } = begun;
    parts.tell_order(&[ends.warden.as_fd()]);
    let command = match command {
        Some((command, listener)) => {
            tell_begun(parts.note, command, listener.as_ref());
            command
        }
        None => {
            entered.map_err(|errno| (Stage::Directory, errno))?;
            // Nobody is born early without one that is to live there.
            let born = beget(parts, (standing, parts.users(standing)), &ends.warden);
            born.map_err(|errno| (Stage::Prepare, errno))?
        }
    };
    drop(ends.warden);
    guard(command, &ends.own, None)
}

fn try_lead(parts: &Parts<'_>) -> Result<Never, Failure> {
    let at = |stage| move |errno| (stage, errno);
    let ends = Ends::new().map_err(at(Stage::Prepare))?;
    let terminal = || parts.order.terminal.then(|| terminal::hold(&parts.streams[0])).flatten();
    if let Some(arrived) = parts.stands_in {
        let standing = arrived.template.standing();
        enter_network(&standing.cage, parts.ground, 0).map_err(at(Stage::Namespaces))?;
        let terminal = match arrived.terminals {
            Terminals::Own => None,
            Terminals::Machine => {
                let terminal = terminal();
                mounts::terminals().map_err(at(Stage::Mounts))?;
                terminal
            }
        };
        return first(
            parts,
            standing,
            ends,
            terminal.and_then(|terminal| terminal.show(parts.streams).ok()),
        );
    }
    let standing = &Standing::prepare(parts.order, parts.cage, parts.ground.fence)?;
    match parts.birth {
        // It wakes the warden, who would only be in the way now; the command's process does it.
        Birth::First => {}
        Birth::Plain => {
            parts.tell_order(&[ends.warden.as_fd()]);
        }
    }
    namespaces(&standing.cage, parts.ground, parts.birth).map_err(at(Stage::Namespaces))?;
    let terminal = terminal();
    mounts::build(&standing.cage, standing.listed.as_ref()).map_err(at(Stage::Mounts))?;
    // A terminal without a name is a terminal all the same.
    let named = terminal.and_then(|terminal| terminal.show(parts.streams).ok());
    match parts.birth {
        Birth::First => {}
        Birth::Plain => {
            if let Some(pid) = fork_beside().map_err(at(Stage::Namespaces))? {
                note::tell(parts.note, &Tidings::First(pid), &[]);
                leave();
            }
        }
    }
    own_proc(mounts::processes(parts.cage)).map_err(at(Stage::Mounts))?;
    first(parts, standing, ends, named)
}

/// The first process of the namespace, whose view is built.
fn first(
    parts: &Parts<'_>,
    standing: &Standing,
    ends: Ends,
    named: Option<OwnedFd>,
) -> Result<Never, Failure> {
    let at = |stage| move |errno| (stage, errno);
    follow_warden(parts.note).map_err(at(Stage::Namespaces))?;
    rustix::process::chdir(&parts.order.cwd).map_err(at(Stage::Directory))?;
    // Whoever cannot be looked into cannot make one any more.
    let made = parts.missing_users(standing).map_err(at(Stage::Namespaces))?;
    let users = parts.users(standing).or(made.as_ref());
    become_unreachable(standing, parts.ground).map_err(at(Stage::Privileges))?;
    let command = beget(parts, (standing, users), &ends.warden).map_err(at(Stage::Prepare))?;
    drop(ends.warden);
    guard(command, &ends.own, named.as_ref())
}

/// Nothing that is left to do in this process needs powers, and a command that is born of it
/// inherits that it has none; and nobody in the namespace may look into it, which was forked from
/// ours.
fn become_unreachable(standing: &Standing, ground: Ground<'_>) -> Result<(), Errno> {
    let bounds = match source(standing.cage.walls.namespaces, ground.realm) {
        Namespaces::Root => ground.bounds,
        // A new one begins with all of them.
        Namespaces::User => Bounds::Full,
        Namespaces::None => Bounds::Unknown,
    };
    super::capability::drop_all(bounds)?;
    raw::prctl(libc::PR_SET_DUMPABLE, 0)
}

/// Starts the command's process and waits until it has executed or ended. It borrows our memory
/// until then, so nothing is copied for it. Nobody waits for us meanwhile: the warden, which
/// answers its questions and may end us both, is another process.
fn beget(
    parts: &Parts<'_>,
    (standing, users): (&Standing, Option<&Users>),
    warden: &OwnedFd,
) -> Result<i32, Errno> {
    aside::bear(libc::SIGCHLD, &mut || {
        let (stage, errno) = become_command(parts, (standing, users), warden);
        note::tell(parts.note, &Tidings::Failed(stage, errno), &[]);
    })
}

/// The command's own process; returns only on failure.
fn become_command(
    parts: &Parts<'_>,
    (standing, users): (&Standing, Option<&Users>),
    warden: &OwnedFd,
) -> Failure {
    // Together with the next message it wakes the warden once; but a filter may be in the way of
    // a long one.
    if parts.order.is_long() {
        parts.tell_order(&[warden.as_fd()]);
    }
    let confined = after_fork::prepare(parts.order, parts.streams, parts.state)
        .map_err(|errno| (Stage::Prepare, errno))
        .and_then(|()| users.map_or(Ok(()), join))
        .and_then(|()| confine_powerless(standing, parts.rules));
    parts.tell_order(&[warden.as_fd()]);
    match confined {
        Ok(confined) => {
            let listener = confined.listener.as_ref().map(AsFd::as_fd);
            note::tell(parts.note, &Tidings::Ready, listener.as_slice());
            (Stage::Execute, after_fork::execute(parts.order))
        }
        Err(failure) => failure,
    }
}

/// Into the user namespace of the job, without the powers that this brings.
fn join(users: &Users) -> Result<(), Failure> {
    let joined = users.enter().and_then(|()| super::capability::drop_all(Bounds::Empty));
    joined.map_err(|errno| (Stage::Privileges, errno))
}

pub(super) fn namespaces(cage: &Cage, ground: Ground<'_>, birth: Birth) -> Result<(), Errno> {
    match (source(cage.walls.namespaces, ground.realm), birth) {
        // Whoever was born in namespaces cannot leave them for others.
        (Namespaces::None, _) | (Namespaces::User, Birth::First) => Err(Errno::INVAL),
        (Namespaces::Root | Namespaces::User, Birth::Plain) => enter_network(cage, ground, SPACES),
        (Namespaces::Root, Birth::First) => enter_network(cage, ground, 0),
    }
}

/// Into the session's network, or a new one, together with these other namespaces.
fn enter_network(cage: &Cage, ground: Ground<'_>, mut flags: libc::c_int) -> Result<(), Errno> {
    let wanted = match cage.net {
        // A network without sockets has nothing to list in /proc either.
        Net::Loopback | Net::None => cage.walls.netns,
        Net::Open => false,
    };
    match ground.loopback {
        Some(loopback) if wanted => loopback.enter()?,
        None if wanted => flags |= libc::CLONE_NEWNET,
        Some(_) | None => {}
    }
    match source(cage.walls.namespaces, ground.realm) {
        Namespaces::None => return Err(Errno::INVAL),
        Namespaces::Root if flags == 0 => {}
        Namespaces::Root => raw::unshare(flags)?,
        Namespaces::User => own_user_namespace(flags)?,
    }
    if flags & libc::CLONE_NEWNET != 0 {
        raise_loopback()?;
    }
    Ok(())
}

/// A new user namespace, in which this process keeps its numbers, with others that it owns.
pub(super) fn own_user_namespace(others: libc::c_int) -> Result<(), Errno> {
    let own = raw::own_place()?;
    let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
    raw::unshare(libc::CLONE_NEWUSER | others)?;
    raw::map_self(&own, uid.as_raw(), gid.as_raw())
}

/// Forks a child of our own parent: it becomes the warden's, and the first one of the new pid
/// namespace. `None` in the child.
fn fork_beside() -> Result<Option<i32>, Errno> {
    fork_with(libc::CLONE_PARENT)
}

fn fork_with(flags: libc::c_int) -> Result<Option<i32>, Errno> {
    let flags = flags | libc::SIGCHLD;
    // SAFETY: without CLONE_VM and with a null stack this is a fork, in a process with one thread
    // that holds no lock; the other arguments are unused (clone(2)).
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    Ok(match raw::answer(pid)? {
        0 => None,
        pid => Some(pid as i32),
    })
}

/// Dies with the warden, also when that is gone already: then nobody holds the other end.
fn follow_warden(note: &Channel) -> Result<(), Errno> {
    let signal = Some(rustix::process::Signal::KILL);
    rustix::process::set_parent_process_death_signal(signal)?;
    if note.is_deserted() { leave() } else { Ok(()) }
}

/// The processes of this namespace and no others, and nothing in it can be set; nothing at all
/// where it is hidden.
pub(super) fn own_proc(processes: Processes) -> Result<(), Errno> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
    let mask = || raw::mount(c"tmpfs", c"/proc", flags, mounts::MASK);
    match processes {
        Processes::Shown => {
            raw::mount(c"proc", c"/proc", flags, c"")?;
            mounts::hide_surfaces_of_proc()
        }
        // Kernels before 5.8 cannot leave out the rest.
        Processes::Numbers => {
            raw::mount(c"proc", c"/proc", flags, c"subset=pid").or_else(|_| mask())
        }
        Processes::Masked => mask(),
    }
}

/// The life of the first process: reap, tell, go. The name of the terminal lives as long.
fn guard(command: i32, status: &OwnedFd, named: Option<&OwnedFd>) -> ! {
    let _ = rustix::thread::set_name(c"ricasso-init");
    let kept: Vec<_> = std::iter::once(status).chain(named).map(AsFd::as_fd).collect();
    let _ = crate::keeper::close_others(&kept);
    let mut options = WaitOptions::empty();
    let mut ended = None;
    let mut outlived = false;
    loop {
        match rustix::process::wait(options) {
            Ok(Some((pid, how))) => {
                if outlived {
                    ended = Some(how.as_raw());
                } else if pid.as_raw_nonzero().get() == command {
                    ended = Some(how.as_raw());
                    options = WaitOptions::NOHANG;
                }
            }
            // Others are left: whether they may stay is the warden's business. Where they do, the
            // end of the last one is told too.
            Ok(None) => {
                say(status, ended.take(), 1);
                options = WaitOptions::empty();
                outlived = true;
            }
            Err(Errno::INTR) => {}
            Err(_) => {
                say(status, ended.take(), 0);
                if !outlived {
                    linger(status);
                }
                leave();
            }
        }
    }
}

/// The command was alone. To put the namespaces away takes milliseconds of a core that the owner
/// may need now, so the warden says when: it closes its end.
fn linger(status: &OwnedFd) {
    let mut fds = [PollFd::new(status, PollFlags::empty())];
    while let Err(Errno::INTR) = poll(&mut fds, None) {}
}

fn say(status: &OwnedFd, ended: Option<i32>, left: i32) {
    let Some(how) = ended else { return };
    // Everything in the namespace was reaped here, so this is what the whole job used.
    let used = crate::warden::serve::usage();
    let mut bytes = Writer::default();
    bytes.number(u64::from(how as u32));
    bytes.number(left as u64);
    bytes.number(used.user.as_micros() as u64);
    bytes.number(used.system.as_micros() as u64);
    bytes.number(used.max_rss_bytes);
    // A warden that is gone has taken us with it.
    let _ = rustix::io::write(status, &bytes.0);
}

/// The length of what the first process says: five numbers.
const STATUS_BYTES: usize = 40;

/// What the first process tells of the command's end.
pub(crate) struct Last {
    /// The wait status.
    pub(crate) how: i32,
    /// Whether others of the tree are left.
    pub(crate) left: bool,
    /// What the whole job used so far.
    pub(crate) usage: Usage,
}

/// What the first process said, if it said something.
pub(crate) fn heard(status: &OwnedFd) -> Option<Last> {
    let mut bytes = [0u8; STATUS_BYTES];
    let got = rustix::io::read(status, &mut bytes).ok()?;
    if got != STATUS_BYTES {
        return None;
    }
    let mut from = Reader(&bytes);
    Some(Last {
        how: from.number()? as u32 as i32,
        left: from.number()? != 0,
        usage: Usage {
            user: Duration::from_micros(from.number()?),
            system: Duration::from_micros(from.number()?),
            max_rss_bytes: from.number()?,
        },
    })
}
