//! Whether a process of a job sleeps in a read of the job's own input: asked of the kernel.
//!
//! It looks through /proc and never stops or changes a process. What it cannot see it does not
//! guess at.

use crate::tree;
use rustix::fs::{FileType, Stat, fstat};
use std::fs;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Processes of one job that are looked at; a larger tree is a build, and no prompt waits in it.
const MOST_PROCESSES: usize = 256;
/// Threads of one process that are looked at.
const MOST_THREADS: usize = 64;
/// Descriptors of one poll or select that are looked at.
const MOST_POLLED: usize = 1024;
/// A poll that was stopped and continued shows as `restart_syscall`, and so do sleeps; more than
/// this many descriptors are then taken for the argument of something else.
const MOST_RESTARTED: u64 = 64;
/// `/dev/tty`: whatever terminal controls the process that opened it.
const OWN_TERMINAL: (u32, u32) = (5, 0);
/// The state of a listening TCP socket in /proc/net/tcp.
const TCP_LISTEN: &str = "0A";

/// A job's input, as the kernel names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouth {
    /// A pipe, by file system and number.
    Pipe(u64, u64),
    /// A terminal, by its device.
    Terminal(u64),
}

/// Who sleeps, and on which of its descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asleep {
    /// The host's number.
    pub pid: i32,
    /// Its descriptor; nothing where the process hides its system call.
    pub fd: Option<i32>,
}

/// What the kernel tells of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// The first process that sleeps on the input.
    pub asleep: Option<Asleep>,
    /// A process that runs as somebody else and hides what it does.
    pub hidden: Option<i32>,
}

impl Mouth {
    /// The input behind a descriptor; nothing for files and devices, which nobody waits for.
    pub fn of(fd: impl AsFd) -> Option<Mouth> {
        Mouth::of_stat(&fstat(fd).ok()?)
    }

    fn of_stat(stat: &Stat) -> Option<Mouth> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Fifo => Some(Mouth::Pipe(stat.st_dev, stat.st_ino)),
            FileType::CharacterDevice if is_terminal(stat.st_rdev) => {
                Some(Mouth::Terminal(stat.st_rdev))
            }
            _ => None,
        }
    }

    /// Whether this descriptor of this process leads to it.
    fn is(self, pid: i32, fd: i32) -> bool {
        let Ok(found) = fs::metadata(format!("/proc/{pid}/fd/{fd}")) else { return false };
        match self {
            Mouth::Pipe(dev, ino) => (found.dev(), found.ino()) == (dev, ino),
            Mouth::Terminal(rdev) => {
                let (major, minor) = OWN_TERMINAL;
                [rdev, rustix::fs::makedev(major, minor)].contains(&found.rdev())
            }
        }
    }
}

/// Looks at the whole job that the command with this number belongs to.
pub fn seen(command: i32, mouth: Mouth) -> Seen {
    let mut seen = Seen::default();
    for pid in tree::job_of(command).into_iter().take(MOST_PROCESSES) {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for thread in threads.flatten().take(MOST_THREADS) {
            match fs::read_to_string(thread.path().join("syscall")) {
                Ok(line) => {
                    if let Some(fd) = slept_on(pid, &line, mouth) {
                        seen.asleep = Some(Asleep { pid, fd: Some(fd) });
                        return seen;
                    }
                }
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    if sleeps_by_place(pid, mouth) {
                        seen.asleep = Some(Asleep { pid, fd: Some(0) });
                        return seen;
                    }
                    seen.hidden = seen.hidden.or(Some(pid));
                }
                // It ended in between.
                Err(_) => {}
            }
        }
    }
    seen
}

fn is_terminal(device: u64) -> bool {
    // Terminals of people (5:0, 4:n) and pseudo terminals (136 to 143).
    matches!(rustix::fs::major(device), 4 | 5 | 136..=143)
}

/// Where a security module hides system calls, the place in the kernel is often still shown.
fn sleeps_by_place(pid: i32, mouth: Mouth) -> bool {
    let Ok(place) = fs::read_to_string(format!("/proc/{pid}/wchan")) else { return false };
    let reads = match mouth {
        Mouth::Pipe(..) => place.ends_with("pipe_read"),
        Mouth::Terminal(_) => place == "n_tty_read" || place == "wait_woken",
    };
    reads && mouth.is(pid, 0)
}

/// The descriptor of the job's input that this system call sleeps on.
fn slept_on(pid: i32, line: &str, mouth: Mouth) -> Option<i32> {
    let mut words = line.split_ascii_whitespace();
    let call: i64 = words.next()?.parse().ok()?;
    let mut arguments = [0u64; 6];
    for argument in &mut arguments {
        *argument = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    }
    let [first, second, ..] = arguments;
    match Call::of(call)? {
        Call::Read => {
            let fd = i32::try_from(first).ok()?;
            mouth.is(pid, fd).then_some(fd)
        }
        Call::Poll => among(pid, polled(pid, first, second)?, mouth),
        Call::Restarted if second > MOST_RESTARTED => None,
        Call::Restarted => among(pid, polled(pid, first, second)?, mouth),
        Call::Select => among(pid, selected(pid, first, second)?, mouth),
        Call::Epoll => among(pid, watched(pid, first)?, mouth),
    }
}

/// System calls that sleep until something can be read.
enum Call {
    Read,
    Poll,
    Select,
    Epoll,
    /// A poll, most likely, that goes on after its process was stopped.
    Restarted,
}

impl Call {
    fn of(number: i64) -> Option<Call> {
        #[cfg(target_arch = "x86_64")]
        match number {
            libc::SYS_poll => return Some(Call::Poll),
            libc::SYS_select => return Some(Call::Select),
            libc::SYS_epoll_wait => return Some(Call::Epoll),
            _ => {}
        }
        match number {
            libc::SYS_read | libc::SYS_readv | libc::SYS_preadv2 => Some(Call::Read),
            // From a pipe to somewhere else, without a copy.
            libc::SYS_splice | libc::SYS_tee => Some(Call::Read),
            libc::SYS_restart_syscall => Some(Call::Restarted),
            libc::SYS_ppoll => Some(Call::Poll),
            libc::SYS_pselect6 => Some(Call::Select),
            libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => Some(Call::Epoll),
            _ => None,
        }
    }
}

/// A server that also takes keys waits for its clients, and is no prompt.
fn among(pid: i32, fds: Vec<i32>, mouth: Mouth) -> Option<i32> {
    let found = fds.iter().copied().find(|fd| mouth.is(pid, *fd))?;
    let sockets: Vec<String> = fds.iter().filter_map(|fd| socket(pid, *fd)).collect();
    (sockets.is_empty() || !any_listens(pid, &sockets)).then_some(found)
}

/// The number of a socket, as /proc/net lists it.
fn socket(pid: i32, fd: i32) -> Option<String> {
    let link = fs::read_link(format!("/proc/{pid}/fd/{fd}")).ok()?;
    let link = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
    Some(link.to_string())
}

fn any_listens(pid: i32, sockets: &[String]) -> bool {
    ["tcp", "tcp6"].iter().any(|table| {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        text.lines().skip(1).any(|line| {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            words.get(3) == Some(&TCP_LISTEN)
                && words.get(9).is_some_and(|number| sockets.iter().any(|own| own == number))
        })
    })
}

/// The descriptors of a poll that wait for something to read.
fn polled(pid: i32, at: u64, count: u64) -> Option<Vec<i32>> {
    let count = usize::try_from(count).ok()?.min(MOST_POLLED);
    let bytes = memory(pid, at, count * 8)?;
    let one = |entry: &[u8]| {
        let fd = i32::from_ne_bytes(*entry.first_chunk()?);
        let events = i16::from_ne_bytes([entry[4], entry[5]]);
        (events & libc::POLLIN != 0).then_some(fd)
    };
    Some(bytes.chunks_exact(8).filter_map(one).collect())
}

/// The descriptors of a select that wait for something to read.
fn selected(pid: i32, count: u64, at: u64) -> Option<Vec<i32>> {
    let count = usize::try_from(count).ok()?.min(MOST_POLLED);
    let bytes = memory(pid, at, count.div_ceil(64) * 8)?;
    let set = |fd: &usize| bytes[fd / 8] & (1 << (fd % 8)) != 0;
    Some((0..count).filter(set).filter_map(|fd| i32::try_from(fd).ok()).collect())
}

/// The descriptors that an epoll descriptor watches for something to read.
fn watched(pid: i32, epoll: u64) -> Option<Vec<i32>> {
    let text = fs::read_to_string(format!("/proc/{pid}/fdinfo/{epoll}")).ok()?;
    let one = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        (words.next()? == "tfd:").then_some(())?;
        let fd: i32 = words.next()?.parse().ok()?;
        (words.next()? == "events:").then_some(())?;
        let events = u32::from_str_radix(words.next()?, 16).ok()?;
        (events & libc::EPOLLIN as u32 != 0).then_some(fd)
    };
    Some(text.lines().filter_map(one).take(MOST_POLLED).collect())
}

fn memory(pid: i32, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0u8; length];
    let file = fs::File::open(format!("/proc/{pid}/mem")).ok()?;
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}
