//! The token without which there is no engine: a small process that makes wardens.
//!
//! The engine's own process may be big and threaded, and a fork of it would be slow and unsafe.
//! So wardens are forked by a keeper, which is started by exec, small and single-threaded. A
//! one-shot program of our own that has no threads yet may be its own keeper.

mod constants;
mod serve;
mod sessions;
mod views;

use crate::cage::{self, Ahead, Namespaces, Powers};
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use crate::handle::{Handle, ROUSE};
use crate::limits;
use crate::mounted::Mounts;
use crate::pipe;
use crate::ready::ready;
use crate::tree;
use crate::warden::serve::Ground;
use crate::warden::{self, Warden};
use crate::wire::Ceilings;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use sessions::Sessions;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) use serve::{close_all_but, close_others, silence};

/// The name under which a copy of a program knows that it is the keeper.
pub const KEEPER_NAME: &str = "ricasso-keeper";
/// What a keeper says first. Owner and keeper must be the same build of the same messages.
const HELLO: &[u8] = concat!("ricasso-keeper ", env!("CARGO_PKG_VERSION")).as_bytes();
/// Asks a keeper for a warden; the warden's end of the socket comes along.
const WARDEN: &[u8] = b"warden";
/// The same, from an owner whose commands are all in cages; the eight bytes that follow are the
/// number of the walls that it is likely to want.
const WARDEN_CAGED: &[u8] = b"warden for cages ";
/// The same, for jobs without a cage.
const WARDEN_FREE: &[u8] = b"warden without cages";
/// The same, for a job in the network of the session whose name follows; the first byte is the
/// kind of its namespaces, the second tells whether all commands are in cages, the next eight are
/// the number of the view that it is likely to want.
const WARDEN_IN: &[u8] = b"warden in ";
/// Asks a keeper to build a view ahead, which follows; where rules come along, they are walls.
const VIEW: &[u8] = b"view ";
/// Asks a keeper what it can build cages from.
const POWERS: &[u8] = b"powers";
/// The same, and whether there are network namespaces.
const POWERS_WITH_NETWORK: &[u8] = b"powers with network";
/// Wardens that wait for a job ahead of time. Two bridge the refill, which is shorter than any
/// turn of a model.
const MOST_SPARES: usize = 2;

/// Makes wardens. Dropping it ends every job that is still running.
#[derive(Debug)]
pub struct Keeper {
    program: Program,
    /// What was below this process before it became a keeper: it came along through exec (a
    /// shell's `> >(tee log)`), is no part of any job, and is neither waited for nor ended.
    strangers: BTreeSet<i32>,
    state: Mutex<State>,
    ahead: Arc<Ahead>,
    commands: Commands,
    /// How many files this process might open before it took more for itself.
    callers_files: Option<u64>,
}

/// What all commands of a keeper have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commands {
    /// Nothing.
    Any,
    /// Each is in a cage.
    Caged,
}

#[derive(Debug, Clone)]
enum Program {
    /// This process forks wardens itself.
    Own,
    /// A copy of this program, under [`KEEPER_NAME`].
    Copy,
    /// An installed ricasso, with its hidden verb.
    Installed(PathBuf),
}

#[derive(Debug, Default)]
struct State {
    process: Option<Process>,
    spares: Vec<(Network, Warden)>,
    restarts: u64,
    /// Both ends of what the next warden will be spoken to through.
    pair: Option<(Channel, Channel)>,
    /// Those that this process forked itself.
    wardens: Vec<i32>,
    mounts: Option<Mounts>,
    /// What this process found out itself.
    sessions: Sessions,
    powers: Option<(Powers, Probe)>,
}

/// Which network the jobs of a warden are made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// The machine's, for commands without a cage.
    Free,
    /// The machine's, or none: nothing is kept for them.
    Any,
    /// That of a session.
    Of {
        /// Its name.
        session: String,
        /// Where the other namespaces of its jobs come from.
        spaces: Namespaces,
    },
}

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// Everything but network namespaces, which are dear.
    WithoutNetwork,
    /// Everything.
    Everything,
}

#[derive(Debug)]
struct Process {
    child: Child,
    handle: Handle,
    /// Always there but while the process is being dropped.
    control: Option<Channel>,
    greeted: bool,
}

impl Keeper {
    /// For the first line of `main`: starts a copy of this program as the keeper. In the copy
    /// itself this never returns.
    pub fn at_start_of_main() -> Result<Keeper> {
        if std::env::args_os().next().is_some_and(|name| name == KEEPER_NAME) {
            Keeper::serve_standard_input();
        }
        Keeper::start(Program::Copy)
    }

    /// Starts an installed `ricasso` as the keeper: for tests, and where main is not ours.
    pub fn program(path: impl Into<PathBuf>) -> Result<Keeper> {
        Keeper::start(Program::Installed(path.into()))
    }

    /// Starts this very program, which is ours, with its hidden verb. It may open as many files as
    /// is usual from then on, as far as the caller lets it; commands may as many as before.
    pub fn of_our_own() -> Result<Keeper> {
        let callers_files = limits::more_files();
        let mut keeper = Keeper::start(Program::Installed("/proc/self/exe".into()))?;
        keeper.callers_files = callers_files;
        Ok(keeper)
    }

    /// This process is its own keeper. Only for small programs of our own: it becomes a subreaper
    /// and forks, so it is refused as soon as there is a second thread. It opens as many files as
    /// with [`Keeper::of_our_own`].
    pub fn in_this_process() -> Result<Keeper> {
        let callers_files = limits::more_files();
        can_keep()?;
        tree::become_subreaper()?;
        let mut keeper = Keeper::of(Program::Own, None);
        keeper.strangers = tree::members(&BTreeSet::new()).into_iter().collect();
        keeper.callers_files = callers_files;
        Ok(keeper)
    }

    /// The keeper's own life: what the hidden verb of the program calls.
    pub fn serve_standard_input() -> ! {
        match crate::stack::with_room(|| serve::serve()) {
            Ok(never) => never,
            // Nobody listens to a keeper that never began; its owner sees it go.
            Err(_) => std::process::exit(1),
        }
    }

    fn start(program: Program) -> Result<Keeper> {
        can_keep()?;
        let process = Process::start(&program)?;
        Ok(Keeper::of(program, Some(process)))
    }

    fn of(program: Program, process: Option<Process>) -> Keeper {
        Keeper {
            program,
            strangers: BTreeSet::new(),
            state: Mutex::new(State { process, ..State::default() }),
            ahead: Arc::new(Ahead::new()),
            commands: Commands::Any,
            callers_files: None,
        }
    }

    /// These ceilings for a command that is to have what the caller of this process gave it.
    #[must_use]
    pub fn as_called(&self, ceilings: Ceilings) -> Ceilings {
        Ceilings { callers_files: self.callers_files, ..ceilings }
    }

    /// The same keeper for commands that are all in cages: what none of them may have by executing
    /// is given up once, and not for each.
    #[must_use]
    pub fn for_cages_only(mut self) -> Keeper {
        self.commands = Commands::Caged;
        self
    }

    /// A warden for one job: a spare where one waits, else a new one.
    pub fn warden(&self) -> Result<Warden> {
        self.warden_for(&Network::Any)
    }

    /// The same, for a job in this network.
    pub fn warden_for(&self, network: &Network) -> Result<Warden> {
        let mut state = self.state();
        if state.mounts.as_mut().is_some_and(Mounts::changed) {
            // A spare may have been born with a copy of what is mounted.
            state.spares.clear();
        }
        while let Some(at) = state.spares.iter().rposition(|(of, _)| of == network) {
            let (_, spare) = state.spares.remove(at);
            // Somebody may have killed it while it waited.
            if spare.report()?.is_none() {
                return Ok(spare);
            }
        }
        self.make(&mut state, network)
    }

    /// Has spare wardens made ahead of time, up to a small bound; tells how many wait now. Those
    /// for another network are given up.
    pub fn stock(&self, network: &Network) -> Result<usize> {
        let mut state = self.state();
        // Watched from before the first one is made.
        let mounts = state.mounts.take();
        state.mounts = mounts.or_else(Mounts::watch);
        if state.mounts.is_none() {
            return Ok(0);
        }
        state.spares.retain(|(of, _)| of == network);
        while state.spares.len() < MOST_SPARES {
            let spare = self.make(&mut state, network)?;
            state.spares.insert(0, (network.clone(), spare));
        }
        Ok(state.spares.len())
    }

    /// Makes rules for another command in the cage of the last one. Without it the next start is
    /// slower, and nothing else.
    pub fn make_ahead(&self) {
        {
            let mut state = self.state();
            state.pair = state.pair.take().or_else(|| Channel::pair().ok());
        }
        let Some(wanted) = self.ahead.refill() else { return };
        match self.program {
            // One that forks is small at every fork, and this one goes on to do other things.
            Program::Own => {}
            Program::Copy | Program::Installed(_) => {
                let wish = [VIEW, &cage::wish(&wanted)].concat();
                let fds = wanted.rules.as_ref().map(AsFd::as_fd);
                let mut state = self.state();
                let sent = self.with_process(&mut state, |process, program| {
                    process.control(program)?.send(&wish, fds.as_slice())
                });
                if sent.is_err() {
                    self.ahead.forget_views();
                }
            }
        }
    }

    /// What cages can be built from here, found out by trying where the jobs will run. The answer
    /// is kept.
    pub fn powers(&self, probe: Probe) -> Result<Powers> {
        let mut state = self.state();
        if let Some((powers, done)) = state.powers
            && done >= probe
        {
            return Ok(powers);
        }
        let powers = match self.program {
            Program::Own => {
                one_thread()?;
                match probe {
                    Probe::WithoutNetwork => state.sessions.powers()?,
                    Probe::Everything => state.sessions.powers_with_network()?,
                }
            }
            Program::Copy | Program::Installed(_) => {
                let question = match probe {
                    Probe::WithoutNetwork => POWERS,
                    Probe::Everything => POWERS_WITH_NETWORK,
                };
                self.with_process(&mut state, |process, program| process.powers(question, program))?
            }
        };
        state.powers = Some((powers, probe));
        Ok(powers)
    }

    /// How often the keeper had to be started anew because somebody killed it.
    pub fn restarts(&self) -> u64 {
        self.state().restarts
    }

    /// The keeper's process, where it is not this one.
    pub fn pid(&self) -> Option<u32> {
        self.state().process.as_ref().map(|process| process.child.id())
    }

    /// After a warden was lost: ends what it left behind. A keeper in a process of its own does
    /// this by itself, and so it is only work where this process is the keeper.
    pub fn sweep_after_loss(&self) {
        match self.program {
            Program::Own => {
                tree::end(&self.strangers, &mut |_, _| {});
            }
            Program::Copy | Program::Installed(_) => {}
        }
    }

    fn make(&self, state: &mut State, network: &Network) -> Result<Warden> {
        let (ours, theirs) = state.pair.take().map_or_else(Channel::pair, Ok)?;
        let handle = match self.program {
            Program::Own => {
                one_thread()?;
                let ground = match network {
                    Network::Free => Ground { free: true, ..Ground::default() },
                    Network::Any => Ground::default(),
                    Network::Of { session, spaces } => {
                        let loopback = state.sessions.network(session)?;
                        Ground { loopback, spaces: *spaces, ..Ground::default() }
                    }
                };
                let pid = match fork()? {
                    None => warden::serve::serve(theirs, None, ground),
                    Some(pid) => pid,
                };
                state.wardens.push(pid);
                Handle::of(pid)?
            }
            Program::Copy | Program::Installed(_) => {
                let wish = match network {
                    Network::Free => WARDEN_FREE.to_vec(),
                    Network::Any if self.commands == Commands::Caged => {
                        [WARDEN_CAGED, &self.ahead.likely_view().to_le_bytes()].concat()
                    }
                    Network::Any => WARDEN.to_vec(),
                    Network::Of { session, spaces } => {
                        let view = self.ahead.likely_view().to_le_bytes();
                        let caged = u8::from(self.commands == Commands::Caged);
                        let kinds = [spaces.number() as u8, caged];
                        [WARDEN_IN, &kinds, &view, session.as_bytes()].concat()
                    }
                };
                let theirs = theirs.as_fd();
                self.with_process(state, |process, program| process.ask(&wish, theirs, program))?
            }
        };
        Ok(Warden::new(ours, handle, Arc::clone(&self.ahead)))
    }

    /// Talks to the keeper. One that somebody killed is replaced, once.
    fn with_process<T>(
        &self,
        state: &mut State,
        talk: impl Fn(&mut Process, &Program) -> Result<T>,
    ) -> Result<T> {
        if let Some(process) = &mut state.process {
            match talk(process, &self.program) {
                Err(Error::Gone { .. }) => {}
                other => return other,
            }
        }
        state.restarts += 1;
        state.spares.clear();
        self.ahead.forget_views();
        state.process = None;
        let process = state.process.insert(Process::start(&self.program)?);
        talk(process, &self.program)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements, so a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        match self.program {
            Program::Own => {
                // Every warden whose handle is gone ends its tree and then itself; when this
                // process goes on, nothing of it runs any more.
                let mut state = self.state();
                state.spares.clear();
                state.wardens.drain(..).for_each(tree::wait_for);
            }
            Program::Copy | Program::Installed(_) => {}
        }
    }
}

impl Program {
    fn path(&self) -> PathBuf {
        match self {
            Program::Own | Program::Copy => PathBuf::from("/proc/self/exe"),
            Program::Installed(path) => path.clone(),
        }
    }
}

impl Process {
    fn start(program: &Program) -> Result<Process> {
        let (ours, theirs) = Channel::pair()?;
        let path = program.path();
        let mut command = Command::new(&path);
        match program {
            Program::Own | Program::Copy => command.arg0(KEEPER_NAME),
            Program::Installed(_) => command.arg("keeper"),
        };
        command.env_clear().current_dir("/");
        let nowhere = || pipe::nowhere().map(Stdio::from);
        command.stdin(theirs.into_fd()).stdout(nowhere()?).stderr(nowhere()?);
        let child = command.spawn();
        let child =
            child.map_err(|source| Error::Path { what: "start the keeper", path, source })?;
        let handle = Handle::of(child.id() as i32)?;
        Ok(Process { child, handle, control: Some(ours), greeted: false })
    }

    fn ask(&mut self, wish: &[u8], theirs: BorrowedFd<'_>, program: &Program) -> Result<Handle> {
        self.control(program)?.send(wish, &[theirs])?;
        Ok(self.handle.clone())
    }

    fn powers(&mut self, question: &[u8], program: &Program) -> Result<Powers> {
        let handle = self.handle.clone();
        let control = self.control(program)?;
        control.send(question, &[])?;
        while !ready([Some(control.as_fd())], Some(ROUSE))?[0] {
            handle.rouse();
        }
        match control.receive(Wait::Forever)? {
            Arrival::Message(bytes, _) => Powers::heard(&bytes),
            Arrival::Nothing | Arrival::Closed => Err(Error::Gone { who: "keeper" }),
        }
    }

    /// The socket, after the keeper said who it is.
    fn control(&mut self, program: &Program) -> Result<&Channel> {
        let Some(control) = &self.control else { return Err(Error::Gone { who: "keeper" }) };
        if !self.greeted {
            greet(control, program, &self.handle)?;
            self.greeted = true;
        }
        Ok(control)
    }
}

fn greet(control: &Channel, program: &Program, handle: &Handle) -> Result<()> {
    while !ready([Some(control.as_fd())], Some(ROUSE))?[0] {
        handle.rouse();
    }
    match control.receive(Wait::Forever)? {
        Arrival::Message(said, _) if said == HELLO => Ok(()),
        Arrival::Message(said, _) => Err(Error::Handshake {
            program: program.path(),
            said: String::from_utf8_lossy(&said).into_owned(),
        }),
        Arrival::Nothing | Arrival::Closed => {
            Err(Error::Handshake { program: program.path(), said: String::new() })
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Closing the control socket is what ends the keeper; it then ends every cage, and we wait
        // for that, so that nothing of us runs when the owner goes on.
        self.control = None;
        while !matches!(ready([Some(self.handle.as_fd())], Some(ROUSE)), Ok([true]) | Err(_)) {
            self.handle.rouse();
        }
        let _ = self.child.wait();
    }
}

/// Whether this process can have jobs at all.
fn can_keep() -> Result<()> {
    limits::enough_files()?;
    if tree::can_walk() { Ok(()) } else { Err(Error::NoProc) }
}

/// A process with threads must not fork: a lock that another one holds would never be opened.
fn one_thread() -> Result<()> {
    let path = PathBuf::from("/proc/self/task");
    let threads = std::fs::read_dir(&path)
        .map_err(|source| Error::Path { what: "count our threads in", path, source })?
        .count();
    if threads == 1 { Ok(()) } else { Err(Error::Threads { found: threads }) }
}

/// Forks. `None` in the child. Callers are single-threaded, so the child may do anything.
pub(crate) fn fork() -> Result<Option<i32>> {
    // SAFETY: fork has no demands on memory; every caller is a process with one thread (the keeper,
    // a warden, or a one-shot program that has just counted its threads), so no lock is left held
    // in the child.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last("fork")),
        0 => Ok(None),
        pid => Ok(Some(pid)),
    }
}

/// The lifeline of the wardens: while the keeper lives, it holds the other end.
pub(crate) fn lifeline() -> Result<(OwnedFd, OwnedFd)> {
    rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(Error::call("make the lifeline"))
}
