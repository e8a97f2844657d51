//! The keeper's own process: waits for requests, forks wardens, sweeps after a lost one.

use super::constants;
use super::sessions::Sessions;
use super::views::Views;
use super::{
    Commands, HELLO, POWERS, POWERS_WITH_NETWORK, VIEW, WARDEN, WARDEN_CAGED, WARDEN_FREE,
    WARDEN_IN, fork, lifeline, one_thread,
};
use crate::after_fork::leave;
use crate::cage::{self, Bounds, Namespaces, Powers, Queues, Realm, Users};
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::warden::serve::Ground;
use crate::{signals, tree, warden};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// When the owner is gone, its wardens see that themselves and tidy up; this long they may take
/// before the keeper ends what is left.
const WARDENS_TIDY: Duration = Duration::from_secs(1);

/// What the next warden will need is made this long after the last one was forked: its command is
/// over by then, or else does not wait for anybody.
const PAUSE: Duration = Duration::from_millis(3);

/// A trial takes a millisecond; what was barred so often is so for good, and not for want of
/// processes or memory.
const MOST_TRIALS: usize = 3;

struct Post {
    control: Channel,
    children: OwnedFd,
    line: (OwnedFd, OwnedFd),
    wardens: BTreeSet<i32>,
    sessions: Sessions,
    views: Views,
    commands: Commands,
    /// What this process is in, once it knows that it needs one.
    realm: Option<Realm>,
    realm_trials: usize,
    /// Of the next warden, in a realm.
    users: Option<Users>,
    /// Of what all that we fork can have by executing.
    bounds: Bounds,
    /// Of the next warden.
    queues: Queues,
    /// Whether the last warden has the queues that are ours too.
    lent: bool,
    /// When it is time to make ready for the next one.
    due: Option<Instant>,
    constants: Constants,
}

/// What a warden is wanted for.
enum Jobs<'a> {
    Free,
    Any,
    /// With walls of this number, perhaps.
    Caged(u64),
    Of(&'a str, Namespaces, u64),
}

/// Serves the owner at the other end of standard input until it goes away.
pub(super) fn serve() -> ! {
    if let Ok(mut post) = Post::enter() {
        // An error here and the owner's end are the same to those below: everything ends.
        drop(post.serve());
        post.end();
    }
    leave()
}

/// What becomes of the keeper's constants when it forks.
enum Constants {
    /// They are copied; so often they were. Whoever forks once need not care.
    Copied { forks: usize },
    /// They are mapped anew.
    Shared,
}

impl Post {
    fn enter() -> Result<Post> {
        let _ = rustix::thread::set_name(c"ricasso-keeper");
        let _ = rustix::process::setsid();
        signals::reset_all();
        close_all_but(&[])?;
        tree::become_subreaper()?;
        let control = Channel::from_fd(control()?);
        // Wardens inherit descriptors that lead nowhere, and need not see to that themselves.
        silence()?;
        control.send(HELLO, &[])?;
        let children = signals::block_and_listen(&[libc::SIGCHLD])?;
        warden::make_ahead();
        let sessions = Sessions::default();
        Ok(Post {
            control,
            children,
            line: lifeline()?,
            wardens: BTreeSet::new(),
            sessions,
            views: Views::default(),
            commands: Commands::Any,
            realm: None,
            realm_trials: 0,
            users: None,
            bounds: Bounds::Unknown,
            queues: Queues::Shared,
            lent: false,
            due: None,
            constants: Constants::Copied { forks: 0 },
        })
    }

    fn serve(&mut self) -> Result<()> {
        loop {
            let mut fds = vec![
                PollFd::new(&self.control, PollFlags::IN),
                PollFd::new(&self.children, PollFlags::IN),
            ];
            fds.extend(self.views.mounts().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::PRI)));
            let now = Instant::now();
            let pause = self.due.map(|due| due.saturating_duration_since(now));
            let pause = pause.and_then(|pause| Timespec::try_from(pause).ok());
            match poll(&mut fds, pause.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(Error::call("wait for the owner")(errno)),
            }
            let (asked, died) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
            let mounted = fds.get(2).is_some_and(|fd| !fd.revents().is_empty());
            if died {
                self.reap();
            }
            if mounted {
                // None of them is right any more, and each would keep alive what was unmounted.
                self.views.clear();
            }
            if asked {
                match self.control.receive(Wait::Never)? {
                    Arrival::Message(wish, fds) => self.obey(&wish, fds)?,
                    Arrival::Nothing => {}
                    Arrival::Closed => return Ok(()),
                }
            }
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.make_ready();
            }
        }
    }

    fn obey(&mut self, wish: &[u8], fds: Vec<OwnedFd>) -> Result<()> {
        match wish {
            WARDEN => self.fork_warden(fds, Jobs::Any),
            WARDEN_FREE => self.fork_warden(fds, Jobs::Free),
            POWERS => self.control.send(&Powers::answer(&self.sessions.powers()), &[]),
            POWERS_WITH_NETWORK => {
                let powers = self.sessions.powers_with_network();
                self.control.send(&Powers::answer(&powers), &[])
            }
            _ => self.obey_long(wish, fds),
        }
    }

    /// A wish with something behind it.
    fn obey_long(&mut self, wish: &[u8], fds: Vec<OwnedFd>) -> Result<()> {
        if let Some(view) = wish.strip_prefix(VIEW) {
            // Spared like a warden: it is a child of ours that belongs to no job.
            let ground = (self.commands, self.realm.as_ref());
            self.wardens.extend(self.views.begin(view, fds, ground)?);
            return Ok(());
        }
        if let Some(view) = wish.strip_prefix(WARDEN_CAGED) {
            let view = view.try_into().map_err(|_| Error::Garbled { what: "number of walls" })?;
            self.bound(Namespaces::None);
            return self.fork_warden(fds, Jobs::Caged(u64::from_le_bytes(view)));
        }
        let rest = wish.strip_prefix(WARDEN_IN).ok_or(Error::Garbled { what: "wish" })?;
        let ([kind, caged, view @ ..], session) =
            rest.split_first_chunk::<10>().ok_or(Error::Garbled { what: "wish for a warden" })?;
        let session = String::from_utf8_lossy(session);
        let kind = Namespaces::from_number(u64::from(*kind));
        let kind = kind.ok_or(Error::Garbled { what: "kind of namespaces" })?;
        if *caged == 1 {
            self.bound(kind);
        }
        if *caged == 1 && self.queues == Queues::Shared {
            self.queues = Queues::renew();
        }
        self.fork_warden(fds, Jobs::Of(&session, kind, u64::from_le_bytes(*view)))
    }

    /// All commands are in cages, with namespaces of this kind, and none may have anything by
    /// executing.
    fn bound(&mut self, kind: Namespaces) {
        self.commands = Commands::Caged;
        if kind == Namespaces::User && self.realm.is_none() && self.realm_trials < MOST_TRIALS {
            self.realm_trials += 1;
            self.realm = one_thread().ok().and_then(|()| Realm::enter());
            if self.realm.is_some() {
                self.sessions.move_to_realm();
                // The set is whole again.
                self.bounds = Bounds::Unknown;
            }
        }
        if self.bounds == Bounds::Unknown {
            self.bounds = cage::empty_bounds();
        }
    }

    /// Makes what the next warden is likely to need, if it is one like the last.
    fn make_ready(&mut self) {
        self.due = None;
        if let Constants::Copied { forks: 2.. } = self.constants {
            if one_thread().is_ok() {
                constants::share();
            }
            self.constants = Constants::Shared;
        }
        self.take_back();
        if self.users.is_none() {
            // Without it the first process of a command makes one.
            self.users = self.realm.as_ref().and_then(|realm| realm.users().ok());
        }
        self.views.make_ready();
    }

    /// Nobody has the same queues as a command in a cage.
    fn take_back(&mut self) {
        if std::mem::take(&mut self.lent) {
            self.queues = Queues::renew();
        }
    }

    fn fork_warden(&mut self, mut fds: Vec<OwnedFd>, jobs: Jobs<'_>) -> Result<()> {
        self.take_back();
        let view = match jobs {
            Jobs::Free | Jobs::Any | Jobs::Caged(_) => None,
            Jobs::Of(_, _, view) => Some(view),
        };
        let (realm, users) = (self.realm.as_ref(), self.users.as_ref());
        let (bounds, fence) = (self.bounds, self.views.fence());
        let any = Ground { bounds, fence, realm, users, ..Ground::default() };
        let ground = match jobs {
            Jobs::Free => Ground { free: true, ..Ground::default() },
            Jobs::Any => any,
            Jobs::Caged(view) => Ground { hedge: self.views.hedge(view), ..any },
            Jobs::Of(session, kind, view) => {
                let loopback = self.sessions.network(session)?;
                let (queues, template) = (self.queues, self.views.find(view));
                Ground { loopback, spaces: cage::source(kind, realm), template, queues, ..any }
            }
        };
        let job = fds.pop().ok_or(Error::Garbled { what: "wish without a socket" })?;
        match fork()? {
            None => {
                let line = rustix::io::fcntl_dupfd_cloexec(&self.line.0, 3)
                    .map_err(Error::call("keep the lifeline"));
                match line {
                    Ok(line) => warden::serve::serve(Channel::from_fd(job), Some(line), ground),
                    Err(_) => leave(),
                }
            }
            Some(pid) => {
                self.wardens.insert(pid);
                if let Constants::Copied { forks } = &mut self.constants {
                    *forks += 1;
                }
                // Somebody waits for what it does, and nobody for what we do.
                rustix::thread::sched_yield();
                // What was one command's own is the new warden's; the next one finds others.
                self.lent = self.queues == Queues::Own;
                view.into_iter().for_each(|view| self.views.give(view));
                self.users = None;
                self.due = Some(Instant::now() + PAUSE);
                Ok(())
            }
        }
    }

    /// A warden that was killed leaves its tree to us: whatever is our child and no warden.
    fn reap(&mut self) {
        while signals::take(&self.children).is_some() {}
        let wardens = &mut self.wardens;
        let any_left = tree::reap_all(&mut |pid, _| {
            wardens.remove(&pid);
        });
        if self.views.is_building() {
            self.due = Some(Instant::now() + PAUSE);
        }
        self.continue_stopped();
        if any_left && !tree::members(&self.wardens).is_empty() {
            let wardens = &mut self.wardens;
            let spare = wardens.clone();
            tree::end(&spare, &mut |pid, _| {
                wardens.remove(&pid);
            });
        }
    }

    /// A warden that somebody stopped could neither report nor end its tree. They are our children
    /// and not reaped, so none of the numbers can be used by anybody else.
    fn continue_stopped(&self) {
        for pid in self.wardens.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            let _ = kill_process(pid, Signal::CONT);
        }
    }

    /// The owner is gone: wardens end their trees and themselves; what then is left, we end.
    fn end(&mut self) {
        let until = Instant::now() + WARDENS_TIDY;
        while tree::reap_all(&mut |_, _| {}) && Instant::now() < until {
            let mut fds = [PollFd::new(&self.children, PollFlags::IN)];
            let pause = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
            let _ = poll(&mut fds, Some(&pause));
            while signals::take(&self.children).is_some() {}
        }
        tree::end(&BTreeSet::new(), &mut |_, _| {});
    }
}

/// The control socket, away from the standard descriptors.
fn control() -> Result<OwnedFd> {
    // SAFETY: the owner put the control socket at descriptor 0, and nothing in this process has
    // taken it: this is the first thing that a keeper does. It is borrowed until `silence` puts
    // something else there.
    let given = unsafe { BorrowedFd::borrow_raw(0) };
    rustix::io::fcntl_dupfd_cloexec(given, 3).map_err(Error::call("keep the control socket"))
}

/// Closes every descriptor from 3 on but these, and leads 0, 1 and 2 nowhere, unless one of
/// them is to be kept. What the process was started with must reach no command.
pub(crate) fn close_all_but(keep: &[BorrowedFd<'_>]) -> Result<()> {
    if !keep.is_empty() {
        silence()?;
    }
    close_others(keep)
}

/// The same for a process whose standard descriptors lead nowhere already.
pub(crate) fn close_others(keep: &[BorrowedFd<'_>]) -> Result<()> {
    let mut keep: Vec<u32> = keep.iter().map(|fd| fd.as_raw_fd() as u32).collect();
    keep.sort_unstable();
    let mut from = 3;
    for fd in keep.into_iter().filter(|fd| *fd >= 3) {
        if fd > from {
            close_range(from, fd - 1)?;
        }
        from = fd + 1;
    }
    close_range(from, u32::MAX)
}

/// The standard descriptors of a warden lead nowhere: it must not hold its caller's pipes open.
pub(crate) fn silence() -> Result<()> {
    let nowhere = crate::pipe::nowhere()?;
    let silenced = rustix::stdio::dup2_stdin(&nowhere)
        .and_then(|()| rustix::stdio::dup2_stdout(&nowhere))
        .and_then(|()| rustix::stdio::dup2_stderr(&nowhere));
    silenced.map_err(Error::call("silence the standard descriptors"))
}

fn close_range(first: u32, last: u32) -> Result<()> {
    // SAFETY: the callers are the first lines of a keeper or a warden; no value of this process
    // that owns a descriptor in the range is used after it (close_range(2)).
    let answer = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
    if answer == 0 {
        return Ok(());
    }
    close_one_by_one(first, last)
}

/// For kernels before 5.9.
fn close_one_by_one(first: u32, last: u32) -> Result<()> {
    let path = std::path::PathBuf::from("/proc/self/fd");
    let list =
        std::fs::read_dir(&path).map_err(|source| Error::Path { what: "list", path, source })?;
    let open: Vec<u32> =
        list.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| (first..=last).contains(fd)) {
        // SAFETY: as above; closing a descriptor that is closed already is answered with EBADF.
        unsafe { libc::close(fd as i32) };
    }
    Ok(())
}
