//! The command's own process, between fork and exec.
//!
//! It is forked by a warden, which is single-threaded and ours, so it may allocate. It ends in
//! exec or in exit and never returns.

use crate::cage::{self, Arrived, Begun, Birth, Bounds, Cage, Copy, Fence, Parts, Rest, Standing};
use crate::channel::{Arrival, Channel, Wait};
use crate::in_place;
use crate::limits;
use crate::note::{Seat, Tidings, tell};
use crate::warden::serve::Ground;
use crate::wire::{self, Ceilings, Enclosed, Order, STATE_FD, Stage};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use std::cell::Cell;
use std::ffi::CString;
use std::os::fd::AsRawFd;

/// Words and variables of most commands; one with more is taken apart before it is obeyed.
const USUAL_WORDS: usize = 1024;

/// Waits for the order, becomes the command. A closed socket means that none comes any more.
pub(crate) fn command(
    job: &Channel,
    note: &Channel,
    ground: Ground<'_>,
    (birth, copy): (Birth, Copy),
) -> ! {
    // The warden may have gone before this process could ask to go with it.
    if note.is_deserted() {
        leave();
    }
    // Where it cannot be made now, whoever needs it tries again and can tell why.
    let made = ground.users.is_none().then(|| ground.realm?.users().ok()).flatten();
    let ground = Ground { users: ground.users.or(made.as_ref()), ..ground };
    let arrived = make_ready((job, note), ground, (birth, copy));
    let arrived = arrived.map(|arrived| arrived.await_order(job, note));
    let Some((message, mut streams)) = next_order(job) else { leave() };
    let mut enclosures = streams.split_off(streams.len().min(3)).into_iter();
    let Some((bytes, enclosed)) = Enclosed::open(&message) else { leave() };
    let state = enclosed.state.then(|| enclosures.next()).flatten();
    let rules = enclosed.rules.then(|| enclosures.next()).flatten();
    if let (Some(arrived), Some(rules)) = (&arrived, &rules) {
        arrived.give(rules, enclosed.view);
    }
    let Ok(streams) = <[OwnedFd; 3]>::try_from(streams) else { leave() };
    let begun = arrived.as_ref().and_then(|arrived| {
        let mut words = [std::ptr::null(); USUAL_WORDS];
        let (wanted, _) = in_place::read(&message, &mut words)?;
        let rest = Rest { wanted, streams: streams.each_ref(), state: state.as_ref(), note };
        arrived.begin(&rest, enclosed.view, ground)
    });
    let known = |said: &[u8]| ground.template.and_then(|template| template.said(said));
    let Ok(order) = Order::decode_knowing(bytes, known) else { leave() };
    let (stage, errno) = match &order.cage {
        None if birth == Birth::First => (Stage::Namespaces, Errno::INVAL),
        None => {
            tell(note, &Tidings::Order(&order, Seat::Elsewhere), &[]);
            match ready(&order, &streams, state.as_ref()) {
                Ok(()) => (Stage::Execute, execute(&order)),
                Err(failure) => failure,
            }
        }
        Some(cage) if cage.has_namespaces() => {
            let view = enclosed.view;
            let received = Received {
                order: &order,
                cage,
                streams: &streams,
                state: state.as_ref(),
                rules: rules.as_ref(),
                view,
            };
            lead(&received, (note, ground, birth), (arrived, begun))
        }
        Some(_) if birth == Birth::First => (Stage::Namespaces, Errno::INVAL),
        Some(cage) => {
            let (rules, bounds, fence) = (rules.as_ref(), ground.bounds, ground.fence);
            let walls = Walled { cage, rules, bounds, fence, note };
            become_walled(&order, &streams, state.as_ref(), walls)
        }
    };
    tell(note, &Tidings::Failed(stage, errno), &[]);
    leave()
}

/// An order for a cage, with what came with it.
struct Received<'a> {
    order: &'a Order,
    cage: &'a Cage,
    streams: &'a [OwnedFd; 3],
    state: Option<&'a OwnedFd>,
    rules: Option<&'a OwnedFd>,
    view: Option<u64>,
}

/// Into namespaces. Returns only on failure.
fn lead(
    received: &Received<'_>,
    (note, ground, birth): (&Channel, Ground<'_>, Birth),
    (arrived, begun): (Option<Arrived<'_>>, Option<Begun>),
) -> (Stage, Errno) {
    let Received { order, cage, streams, state, rules, view } = *received;
    let stands_in = match begun {
        Some(_) => arrived,
        None => {
            cage::raise_reserve();
            arrived.and_then(|arrived| arrived.stays_for(order, view))
        }
    };
    let parts = Parts {
        order,
        cage,
        streams,
        state,
        rules,
        note,
        ground,
        birth,
        stands_in: stands_in.as_ref(),
        told: Cell::new(false),
    };
    cage::lead(&parts, begun)
}

/// What the order will be is likely, and there is time until it comes.
fn make_ready<'a>(
    (job, note): (&Channel, &Channel),
    ground: Ground<'a>,
    (birth, copy): (Birth, Copy),
) -> Option<Arrived<'a>> {
    touch_memory();
    let arrived = match birth {
        Birth::First => {
            ground.template.and_then(|template| Arrived::at(template, copy, ground, (job, note)))
        }
        Birth::Plain => None,
    };
    if job.is_silent() {
        rehearse();
    }
    if birth == Birth::Plain && job.is_silent() {
        cage::rehearse();
    }
    arrived
}

/// The next order. Words that were meant for the command before this one, which ended or never
/// began while they were on their way, are passed over: the owner says them again.
pub(crate) fn next_order(job: &Channel) -> Option<(Vec<u8>, Vec<OwnedFd>)> {
    loop {
        let Ok(Arrival::Message(bytes, fds)) = job.receive(Wait::Forever) else { return None };
        if wire::Word::decode(&bytes).is_err() {
            return Some((bytes, fds));
        }
    }
}

/// Touches what an order will be read into, and the stack that it is obeyed on. After a fork the
/// first touch of each page costs a fault, and several times as much once another process shares
/// our memory: its core must be told of each page that is copied.
fn touch_memory() {
    /// With a cage of some three hundred paths an order has twenty thousand bytes.
    const AN_ORDER: usize = 32 * 1024;
    /// The words of an order and what is called with them.
    const A_WHILE: usize = 16 * 1024;
    std::hint::black_box(vec![1u8; AN_ORDER]);
    std::hint::black_box([1u8; A_WHILE]);
}

/// After a fork the first touch of each page costs a fault. While no order is there yet, there is
/// time for them: an order is read and made ready to execute, and then forgotten.
fn rehearse() {
    let order = Order {
        argv: vec![vec![b'x'; 100]; 4],
        env: vec![vec![b'x'; 100]; 40],
        ..Order::default()
    };
    if let Ok(order) = Order::decode(&order.encode()) {
        let ready: Vec<CString> = order.env.iter().filter_map(|entry| c_string(entry)).collect();
        std::hint::black_box((pointers(&ready), Tidings::Order(&order, Seat::Elsewhere).encode()));
    }
}

/// What a command without namespaces is confined by.
struct Walled<'a> {
    cage: &'a Cage,
    rules: Option<&'a OwnedFd>,
    bounds: Bounds,
    fence: Fence,
    note: &'a Channel,
}

/// Returns only on failure.
fn become_walled(
    order: &Order,
    streams: &[OwnedFd; 3],
    state: Option<&OwnedFd>,
    walls: Walled<'_>,
) -> (Stage, Errno) {
    let Walled { cage, rules, bounds, fence, note } = walls;
    let mut untold = Some(Tidings::Order(order, Seat::Elsewhere));
    let mut tell_order = || {
        if let Some(order) = untold.take() {
            tell(note, &order, &[]);
        }
    };
    // Together with the next message it wakes the warden once; but a filter may be in the way of
    // a long one.
    if order.is_long() {
        tell_order();
    }
    let confined = Standing::prepare(order, cage, fence)
        .and_then(|standing| ready(order, streams, state).map(|()| standing))
        .and_then(|standing| cage::confine(&standing, rules, bounds));
    tell_order();
    match confined {
        Ok(confined) => {
            let listener = confined.listener.as_ref().map(AsFd::as_fd);
            tell(note, &Tidings::Ready, listener.as_slice());
            (Stage::Execute, execute(order))
        }
        Err(failure) => failure,
    }
}

/// Everything but walls.
fn ready(
    order: &Order,
    streams: &[OwnedFd; 3],
    state: Option<&OwnedFd>,
) -> Result<(), (Stage, Errno)> {
    prepare(order, streams, state).map_err(|errno| (Stage::Prepare, errno))?;
    rustix::process::chdir(&order.cwd).map_err(|errno| (Stage::Directory, errno))
}

pub(crate) fn prepare(
    order: &Order,
    streams: &[OwnedFd; 3],
    state: Option<&OwnedFd>,
) -> Result<(), Errno> {
    // A command that kills its warden goes with it, and gets no turn at the owner, who ends the
    // rest of the tree.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    settle(if order.cage.is_some() { Cores::Never } else { Cores::NoFiles })?;
    outfit(order, streams, state)
}

/// The same for a process that follows its parent and is settled.
fn outfit(order: &Order, streams: &[OwnedFd; 3], state: Option<&OwnedFd>) -> Result<(), Errno> {
    let namespaces = order.cage.as_ref().is_some_and(|cage| cage.has_namespaces());
    let own = match namespaces {
        true => own_emptiness(&streams[0])?,
        false => None,
    };
    let [input, output, error] = streams.each_ref();
    take_streams([own.as_ref().unwrap_or(input), output, error], state)?;
    if order.terminal {
        rustix::process::ioctl_tiocsctty(&streams[0])?;
    }
    hold(&order.ceilings)?;
    // In a user namespace of its own the kernel counts the job's tasks alone; elsewhere it would
    // count all of the user's.
    let counted = order.cage.as_ref().is_some_and(|cage| cage.counts_tasks());
    if counted { hold_tasks(&order.ceilings) } else { Ok(()) }
}

/// Holds the number of tasks, where the kernel counts those of the job alone. Allocates nothing.
pub(crate) fn hold_tasks(ceilings: &Ceilings) -> Result<(), Errno> {
    let Some(processes) = ceilings.processes else { return Ok(()) };
    lower(Resource::Nproc, crate::group::most_tasks(processes))
}

/// Puts the streams, and what comes with them, where the command finds them. Allocates nothing.
pub(crate) fn take_streams(
    [input, output, error]: [&OwnedFd; 3],
    state: Option<&OwnedFd>,
) -> Result<(), Errno> {
    rustix::stdio::dup2_stdin(input)?;
    rustix::stdio::dup2_stdout(output)?;
    rustix::stdio::dup2_stderr(error)?;
    state.map_or(Ok(()), |state| duplicate(state, STATE_FD))
}

/// The empty device that an owner opened lies on a mount of the machine, and through it its mode
/// could be changed for everybody. The view has one of its own, which is read-only: that one, if
/// this input is empty.
pub(crate) fn own_emptiness(input: &OwnedFd) -> Result<Option<OwnedFd>, Errno> {
    use rustix::fs::{FileType, Mode, OFlags, makedev};
    let about = rustix::fs::fstat(input)?;
    let is_device = FileType::from_raw_mode(about.st_mode) == FileType::CharacterDevice;
    if !is_device || about.st_rdev != makedev(1, 3) {
        return Ok(None);
    }
    rustix::fs::open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map(Some)
}

/// What becomes of a process that crashes, as the bytes that a core file may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cores {
    /// No file; a program of the machine that collects crashes gets it all the same.
    NoFiles = 0,
    /// Nothing: a single byte is too little for a file, and the kernel starts no program for it
    /// (core(5)).
    Never = 1,
}

/// What every command's process needs, whatever its order says. Allocates nothing.
pub(crate) fn settle(cores: Cores) -> Result<(), Errno> {
    // A session of its own: no controlling terminal, so that opening /dev/tty fails at once.
    rustix::process::setsid()?;
    // A core dump would be a file in the workspace that nobody asked for.
    lower(Resource::Core, cores as u64)?;
    crate::signals::unblock_all();
    Ok(())
}

/// A copy under this number, which survives the exec.
fn duplicate(from: &OwnedFd, to: i32) -> Result<(), Errno> {
    // SAFETY: `from` is open during the call, and this process, which is about to execute, holds
    // nothing under the number `to` that it still uses (dup2(2)).
    let answer = unsafe { libc::dup2(from.as_raw_fd(), to) };
    if answer < 0 { Err(last_errno()) } else { Ok(()) }
}

/// Holds what the kernel bounds for each process. Allocates nothing.
pub(crate) fn hold(ceilings: &Ceilings) -> Result<(), Errno> {
    if let Some(seconds) = ceilings.cpu_seconds {
        // At the soft limit the kernel sends SIGXCPU, which tells the limit apart from a kill; the
        // hard limit a second later ends what ignores it.
        lower_to(Resource::Cpu, seconds, seconds.saturating_add(1))?;
    }
    if let Some(bytes) = ceilings.file_bytes {
        lower(Resource::Fsize, bytes)?;
    }
    match (ceilings.open_files, ceilings.callers_files) {
        (Some(files), _) => lower(Resource::Nofile, files),
        (None, Some(files)) => lower_to(Resource::Nofile, files, u64::MAX),
        (None, None) => Ok(()),
    }
}

/// Sets both limits, and never above what this process already has.
fn lower(resource: Resource, to: u64) -> Result<(), Errno> {
    lower_to(resource, to, to)
}

fn lower_to(resource: Resource, soft: u64, hard: u64) -> Result<(), Errno> {
    let most = limits::of(resource)?.hard;
    let (soft, hard) = (soft.min(most), hard.min(most));
    setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })
}

/// Executes the program; returns only on failure. Without a slash the name is looked up in the
/// PATH of the command's own environment, as a shell would.
pub(crate) fn execute(order: &Order) -> Errno {
    let argv: Vec<CString> = order.argv.iter().filter_map(|word| c_string(word)).collect();
    let env: Vec<CString> = order.env.iter().filter_map(|entry| c_string(entry)).collect();
    let Some(program) = order.argv.first() else { return Errno::INVAL };
    if program.contains(&b'/') {
        return execute_at(program, &argv, &env);
    }
    let mut worst = Errno::NOENT;
    for directory in directories(order.path()) {
        let candidate = [directory, b"/", program].concat();
        match execute_at(&candidate, &argv, &env) {
            Errno::NOENT | Errno::NOTDIR => {}
            Errno::ACCESS => worst = Errno::ACCESS,
            errno => return errno,
        }
    }
    worst
}

/// Where a program is looked for. Allocates nothing.
pub(crate) fn directories(path: Option<&[u8]>) -> impl Iterator<Item = &[u8]> {
    let all = path.unwrap_or(b"/usr/local/bin:/usr/bin:/bin").split(|byte| *byte == b':');
    all.map(|directory| if directory.is_empty() { b"." } else { directory })
}

fn execute_at(program: &[u8], argv: &[CString], env: &[CString]) -> Errno {
    let Some(program) = c_string(program) else { return Errno::INVAL };
    let argv = pointers(argv);
    let env = pointers(env);
    // SAFETY: `program` and every element of `argv` and `env` are NUL-terminated strings that live
    // until the call returns, and both arrays end in a null pointer, as execve(2) demands.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    last_errno()
}

pub(crate) fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    let strings = strings.iter().map(|string| string.as_ptr());
    strings.chain(std::iter::once(std::ptr::null())).collect()
}

fn c_string(bytes: &[u8]) -> Option<CString> {
    CString::new(bytes).ok()
}

/// Ends this process at once, without running anything that belongs to the process it came from.
pub(crate) fn leave() -> ! {
    // SAFETY: _exit ends the process and touches no memory of it.
    unsafe { libc::_exit(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_command_before_are_not_taken_for_an_order() {
        let (owner, warden) = Channel::pair().unwrap();
        owner.send(&wire::Word::Terminate.encode(), &[]).unwrap();
        owner.send(&wire::Word::Kill.encode(), &[]).unwrap();
        let order = Order { argv: vec![b"true".to_vec()], ..Order::default() };
        owner.send(&order.encode(), &[owner.as_fd()]).unwrap();
        let (bytes, fds) = next_order(&warden).unwrap();
        assert_eq!(Order::decode(&bytes).unwrap(), order);
        assert_eq!(fds.len(), 1);
        owner.send(&wire::Word::Kill.encode(), &[]).unwrap();
        // The copy that came along is an end of the socket too.
        drop((owner, fds));
        assert!(next_order(&warden).is_none());
    }
}
