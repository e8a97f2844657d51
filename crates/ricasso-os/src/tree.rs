//! The tree of processes below this one: seen through /proc, ended completely.
//!
//! Only for our own single-threaded processes, which are subreapers: whatever a descendant does
//! (`setsid`, double fork), it stays below us. Signals go through pidfds whose parent was checked
//! after they were opened, so that a recycled number is never hit.

mod proc;

use crate::error::{Error, Result};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process, pidfd_open, pidfd_send_signal,
};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub(crate) use proc::{can_walk, tasks};

/// A killed process is gone within milliseconds unless the kernel holds it (a dead disk, a dead
/// network mount). After this long the reply says that it is still there instead of hanging.
const DEATH: Duration = Duration::from_secs(5);
/// Threads that count as one process.
const THREADS_FOR_ONE: u64 = 2;
/// The pause between two looks while killed processes are being torn down.
const LOOK: Duration = Duration::from_micros(500);

/// A process of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its number as the host sees it.
    pub pid: i32,
    /// Its command line, words joined by spaces, cut at a bound; its name where it has none.
    pub command: Vec<u8>,
}

/// What a tree uses at this moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) processes: u64,
    pub(crate) memory_bytes: u64,
}

/// This process becomes the parent of every orphan below it.
pub(crate) fn become_subreaper() -> Result<()> {
    let own = rustix::process::getpid();
    rustix::process::set_child_subreaper(Some(own)).map_err(Error::call("become a subreaper"))
}

/// What the processes of a job have used up to now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    /// Living processes.
    pub processes: u64,
    /// Resident memory of all of them.
    pub memory_bytes: u64,
    /// Time in user mode, of the living and of those that they waited for.
    pub user: Duration,
    /// Time in the kernel, likewise.
    pub system: Duration,
}

/// The job that a command belongs to: everything below its warden, wherever it hid.
pub(crate) fn job_of(command: i32) -> Vec<i32> {
    let Some(warden) = proc::parent(command) else { return Vec::new() };
    below(warden, &BTreeSet::new())
}

/// Looks at the job that a command belongs to, from outside. Nothing where it is gone.
pub fn used_by(command: i32) -> Used {
    let mut used = Used::default();
    for pid in job_of(command) {
        let (user, system) = proc::times(pid);
        used.processes += 1;
        used.memory_bytes += proc::resident_bytes(pid);
        used.user += user;
        used.system += system;
    }
    used
}

/// The memory of processes that no file stands behind.
pub(crate) fn anonymous_bytes(members: &[i32]) -> u64 {
    members.iter().map(|pid| proc::anonymous_bytes(*pid)).sum()
}

/// All living processes below this one, but for the trees below `spare`. Parents come first.
pub(crate) fn members(spare: &BTreeSet<i32>) -> Vec<i32> {
    below(rustix::process::getpid().as_raw_nonzero().get(), spare)
}

fn below(root: i32, spare: &BTreeSet<i32>) -> Vec<i32> {
    let mut found = Vec::new();
    let mut queue = vec![root];
    while let Some(parent) = queue.pop() {
        for child in proc::children(parent) {
            if spare.contains(&child) {
                continue;
            }
            found.push(child);
            queue.push(child);
        }
    }
    found
}

/// The living members of the tree with their command lines.
pub(crate) fn describe() -> Vec<Member> {
    let living = members(&BTreeSet::new()).into_iter().filter(|pid| !proc::is_zombie(*pid));
    living.map(|pid| Member { pid, command: proc::command(pid) }).collect()
}

/// What the tree uses now.
pub(crate) fn usage() -> Use {
    let members = members(&BTreeSet::new());
    let tasks: u64 = members.iter().map(|pid| proc::threads(*pid)).sum();
    // The kernel has one number for each thread too: where nobody else bounds them, two count as
    // one process, so that ordinary programs with many threads are no matter.
    let processes = (members.len() as u64).max(tasks / THREADS_FOR_ONE);
    Use { processes, memory_bytes: members.into_iter().map(proc::resident_bytes).sum() }
}

/// The time that the tree used: of the living, and of those that they or we waited for.
pub(crate) fn time() -> Duration {
    let living = members(&BTreeSet::new()).into_iter().map(proc::times);
    let living: Duration = living.map(|(user, system)| user + system).sum();
    let reaped = crate::warden::serve::usage();
    living + reaped.user + reaped.system
}

/// When a process was started, in ticks since the machine was; nothing where there is none.
pub(crate) fn started(pid: i32) -> Option<u64> {
    proc::started(pid)
}

/// Sends a signal to every member once. A stopped process could not obey, so it is continued.
pub(crate) fn signal(signal: Signal, spare: &BTreeSet<i32>) {
    let members = members(spare);
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut known: BTreeSet<i32> = members.iter().copied().collect();
    known.insert(own);
    for pid in &members {
        send(*pid, signal, &known);
    }
    if signal == Signal::TERM {
        members.iter().for_each(|pid| send(*pid, Signal::CONT, &known));
    }
}

/// Ends every member and waits until they are gone; what is left after [`DEATH`] is returned.
/// `reap` is told each process of ours that ended.
pub(crate) fn end(spare: &BTreeSet<i32>, reap: &mut dyn FnMut(i32, Ending)) -> Vec<i32> {
    let began = Instant::now();
    let mut killed = BTreeSet::new();
    loop {
        // Mostly nobody is left, and that is known without a look through /proc.
        if !reap_all(reap) {
            return Vec::new();
        }
        let before = killed.len();
        signal(Signal::KILL, spare);
        reap_all(reap);
        let left = members(spare);
        if left.is_empty() {
            return left;
        }
        killed.extend(left.iter().copied());
        if began.elapsed() > DEATH {
            return left;
        }
        // New faces mean that something is forking: then go on at once, it must not win.
        if killed.len() == before {
            std::thread::sleep(LOOK);
        }
    }
}

/// How a child of ours ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exited(i32),
    Signalled { signal: i32, core: bool },
}

/// Reaps every child that has ended. Returns false when there is no child left at all, and then
/// there is no descendant either: each one's line of parents ends at a child of ours.
pub(crate) fn reap_all(reap: &mut dyn FnMut(i32, Ending)) -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => reap(pid.as_raw_nonzero().get(), ending_of(status)),
            Ok(None) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Reaps this child of ours if it has ended, and tells whether it had.
pub(crate) fn reap_one(pid: i32) -> bool {
    let Some(pid) = Pid::from_raw(pid) else { return true };
    match rustix::process::waitpid(Some(pid), WaitOptions::NOHANG) {
        Ok(None) | Err(rustix::io::Errno::INTR) => false,
        Ok(Some(_)) | Err(_) => true,
    }
}

/// Waits until this child of ours has ended. One that somebody stopped is continued.
pub(crate) fn wait_for(pid: i32) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    loop {
        match rustix::process::waitpid(Some(pid), WaitOptions::UNTRACED) {
            Ok(Some((_, status))) if status.stopped() => {
                let _ = kill_process(pid, Signal::CONT);
            }
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return,
        }
    }
}

fn ending_of(status: WaitStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Exited(code),
        // Bit 7 of a wait status is the core flag (wait(2), WCOREDUMP).
        (None, Some(signal)) => Ending::Signalled { signal, core: status.as_raw() & 0x80 != 0 },
        // Only ended children were asked for, so one of the two above is there.
        (None, None) => Ending::Signalled { signal: 0, core: false },
    }
}

fn send(pid: i32, signal: Signal, known: &BTreeSet<i32>) {
    let Some(number) = Pid::from_raw(pid) else { return };
    let Ok(fd) = pidfd_open(number, PidfdFlags::empty()) else { return };
    if proc::parent(pid).is_some_and(|parent| known.contains(&parent)) {
        // A process that ended in between needs no signal.
        let _ = pidfd_send_signal(&fd, signal);
    }
}
