//! Calls that reach out of the cage and meet a wall without a name: sockets, connections, tracing.
//!
//! Nothing is decided here. What the filter would have refused is refused with the same error; what
//! a namespace stops goes on and is stopped there. It is told, so that an agent need not guess from
//! the words of a tool which wall it met.

use super::memory::{Asker, name_of};
use super::talkers::{self, Habit};
use super::walk::{Follow, Walk};
use super::{Denied, Gatekeeper, Question, Said, Survey, Told};
use rustix::fd::AsFd;
use rustix::fs::FileType;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Of these, few are told: after some addresses an agent knows that there is no way out.
const MOST_REACHED: usize = 8;
/// No address is longer (`struct sockaddr_storage`); the kernel refuses it.
const MOST_ADDRESS_BYTES: u64 = 128;
/// Both begin with the family, and the port in the order of the network.
const INTERNET_BYTES: usize = 16;
const INTERNET6_BYTES: usize = 24;
/// `struct sockaddr_un`.
const UNIX_BYTES: u64 = 110;
/// Where names of hosts are looked up. No command of a cage can listen at it, so on loopback too
/// there is nobody.
const NAMES_PORT: u16 = 53;
/// The bits of a socket's type that name it; the others are flags.
const TYPE: u64 = 0xf;
/// How the C library asks the daemon of user names, in every program that wants the name of some
/// user (nscd(8)). It lives without an answer.
const LIBRARYS_OWN: u64 = (libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;

const LIBRARYS_DAEMON: &str = "/var/run/nscd/socket";

/// The operations as replies say them.
const SOCKET: &str = "socket";
const CONNECT: &str = "connect";
const LOOK_UP: &str = "look-up";
const TRACE: &str = "trace";

impl Gatekeeper {
    /// A socket that cannot be made.
    pub(super) fn decide_socket(&mut self, question: &Question) -> Said {
        let [family, kind, ..] = question.arguments;
        match family as u32 as i32 {
            libc::AF_UNIX => self.tell_of_unix(question, kind),
            // Programs also make one to see which networks there are, or to look for a newer
            // version of themselves.
            libc::AF_INET | libc::AF_INET6 => {
                self.tell(question, (SOCKET, "internet".into()), Told::WhereFailed);
            }
            _ => {}
        }
        Said::Refused(Errno::ACCESS)
    }

    /// A connection, which the network of the session lets go as far as there is one.
    pub(super) fn decide_connect(&mut self, question: &Question) -> Said {
        let [_, address, length, ..] = question.arguments;
        let asker = self.asker(question);
        if let Some(far) = far_address(&asker, address, length) {
            let operation = if far.port() == NAMES_PORT { LOOK_UP } else { CONNECT };
            self.tell(question, (operation, far.to_string().into()), Told::WhereFailed);
        } else if let Some(path) = listener(&asker, address, length)
            && !self.survey.lets_reach(&path)
        {
            let told = if asker.habit().is_some() { Told::Always } else { Told::WhereFailed };
            self.tell(question, (CONNECT, path), told);
        }
        Said::GoOn
    }

    /// Somebody wants to trace, or to be traced.
    pub(super) fn decide_trace(&mut self, question: &Question) -> Said {
        self.tell(question, (TRACE, "processes".into()), Told::Always);
        Said::Refused(Errno::PERM)
    }

    /// A unix socket is told of where somebody wants one for itself and not for its C library.
    fn tell_of_unix(&mut self, question: &Question, kind: u64) {
        if self.reached() >= MOST_REACHED {
            return;
        }
        let asker = self.asker(question);
        let habit = asker.habit();
        let is_own = kind & 0xffff_ffff != LIBRARYS_OWN || asker.has_no_loader();
        let is_addressed = kind & TYPE == libc::SOCK_DGRAM as u64;
        let told = match (habit, is_own) {
            (Some(_), true) => Told::Always,
            // Programs write to the system's log in passing.
            (None, true) if is_addressed => return,
            (None, true) | (Some(Habit::LikeTheLibrary), false) => Told::WhereFailed,
            (Some(Habit::InItsOwnWay) | None, false) => return,
        };
        self.tell(question, (SOCKET, "unix".into()), told);
    }

    /// How many such calls are told of.
    pub(super) fn reached(&self) -> usize {
        self.denied.iter().filter(|denied| is_reach(&denied.operation)).count()
    }

    fn tell(&mut self, question: &Question, (operation, target): (&str, PathBuf), told: Told) {
        let same = |it: &Denied| it.operation == operation && it.target == target;
        // One name server more says nothing more, and one program of many is enough.
        let is_known = |it: &Denied| match operation {
            LOOK_UP => it.operation == LOOK_UP,
            CONNECT => same(it),
            _ => false,
        };
        if self.reached() >= MOST_REACHED || self.denied.iter().any(is_known) {
            return;
        }
        let program = self.asker(question).program();
        // Its number could be somebody else's by now.
        if !self.still_asks(question.id) {
            return;
        }
        match self.denied.iter_mut().find(|it| same(it) && it.program == program) {
            Some(known) => known.told = known.told.max(told),
            None => {
                let operation = operation.to_string();
                self.denied.push(Denied { operation, target, program, told });
            }
        }
    }
}

fn is_reach(operation: &str) -> bool {
    [SOCKET, CONNECT, LOOK_UP, TRACE].contains(&operation)
}

/// The address of a call that leads out of the session's own network.
fn far_address(asker: &Asker, at: u64, length: u64) -> Option<SocketAddr> {
    // A number of 32 bits, whatever stands above them.
    let length = u64::from(length as u32);
    if length > MOST_ADDRESS_BYTES {
        return None;
    }
    let length = (length as usize).min(INTERNET6_BYTES);
    if length < INTERNET_BYTES {
        return None;
    }
    address_of(&asker.bytes(at, length).ok()?).filter(is_far)
}

/// An address of the internet, as the kernel reads it; one of IPv4 in the clothes of IPv6 as
/// itself.
fn address_of(bytes: &[u8]) -> Option<SocketAddr> {
    let (family, rest) = bytes.split_first_chunk::<2>()?;
    let (port, rest) = rest.split_first_chunk::<2>()?;
    let ip: IpAddr = match i32::from(u16::from_ne_bytes(*family)) {
        libc::AF_INET => IpAddr::from(Ipv4Addr::from(*rest.first_chunk::<4>()?)),
        // Behind the number of the flow.
        libc::AF_INET6 => {
            IpAddr::from(Ipv6Addr::from(*rest.get(4..)?.first_chunk::<16>()?)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_be_bytes(*port)))
}

/// Whether nobody of the session can be there. No address at all means this machine, and nobody
/// listens at no port: a library asks so which way it would go.
fn is_far(address: &SocketAddr) -> bool {
    let (ip, port) = (address.ip(), address.port());
    let is_here = ip.is_loopback() || ip.is_unspecified();
    port != 0 && (port == NAMES_PORT || !is_here)
}

/// The listener that a path in an address leads to, by its real name. Where the kernel tells such
/// listeners apart, its rules refuse those outside.
fn listener(asker: &Asker, at: u64, length: u64) -> Option<PathBuf> {
    let length = u64::from(length as u32);
    let family = (libc::AF_UNIX as u16).to_ne_bytes();
    if !(3..=UNIX_BYTES).contains(&length) {
        return None;
    }
    let bytes = asker.bytes(at, length as usize).ok()?;
    // One that begins with NUL has no place in any directory.
    let path = bytes.strip_prefix(&family)?.split(|byte| *byte == 0).next()?;
    let path = Path::new(OsStr::from_bytes(path));
    if path.as_os_str().is_empty() || path == Path::new(LIBRARYS_DAEMON) {
        return None;
    }
    let held = Walk::new(asker, libc::AT_FDCWD).hold(path, Follow::Yes).ok()?;
    let about = rustix::fs::fstat(&held).ok()?;
    let is_socket = FileType::from_raw_mode(about.st_mode) == FileType::Socket;
    is_socket.then(|| name_of(held.as_fd()).ok())?
}

impl Survey {
    /// Whether a listener at this place is granted, or may be one of the command's own.
    fn lets_reach(&self, path: &Path) -> bool {
        self.places.iter().chain(&self.sockets).any(|place| path.starts_with(place))
    }
}

impl Asker {
    /// What its process is called: the program, or the script that it reads. Nothing where that
    /// cannot be seen.
    pub(super) fn program(&self) -> Vec<u8> {
        Asker { pid: self.leader().unwrap_or(self.pid), ..*self }.name()
    }

    /// What the thread is called that asks.
    fn name(&self) -> Vec<u8> {
        let mut name = std::fs::read(self.own().join("comm")).unwrap_or_default();
        name.pop_if(|byte| *byte == b'\n');
        name
    }

    /// Whether it is known to speak with daemons, by the name of its file or by its own.
    fn habit(&self) -> Option<Habit> {
        let file = std::fs::read_link(self.own().join("exe")).ok();
        let file = file.as_deref().and_then(Path::file_name).map(|name| name.as_encoded_bytes());
        file.and_then(talkers::habit).or_else(|| talkers::habit(&self.name()))
    }

    /// Whether its program has no loader, and so no C library that others share: what is written
    /// in Go, as a rule, which asks no daemon for the names of users.
    fn has_no_loader(&self) -> bool {
        let table = std::fs::read(self.own().join("auxv"));
        table.is_ok_and(|table| talkers::has_no_loader(&table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cage::Cage;

    fn internet(ip: [u8; 4], port: u16) -> Vec<u8> {
        let family = (libc::AF_INET as u16).to_ne_bytes();
        [&family[..], &port.to_be_bytes(), &ip, &[0; 8]].concat()
    }

    fn internet6(ip: &str, port: u16) -> Vec<u8> {
        let family = (libc::AF_INET6 as u16).to_ne_bytes();
        let ip: Ipv6Addr = ip.parse().unwrap();
        [&family[..], &port.to_be_bytes(), &[0; 4], &ip.octets(), &[0; 4]].concat()
    }

    /// What this process would be told of, if it asked with these bytes.
    fn told(bytes: &[u8]) -> Option<String> {
        far(bytes.as_ptr() as u64, bytes.len() as u64)
    }

    fn far(at: u64, length: u64) -> Option<String> {
        let asker = Asker { pid: std::process::id() as i32, among_others: false };
        far_address(&asker, at, length).map(|far| far.to_string())
    }

    #[test]
    fn addresses_beyond_the_sessions_own_are_told_and_no_others() {
        for (bytes, expected) in [
            (internet([192, 0, 2, 1], 443), "192.0.2.1:443"),
            (internet6("2001:db8::1", 80), "[2001:db8::1]:80"),
            (internet6("::ffff:192.0.2.1", 80), "192.0.2.1:80"),
            (internet([127, 0, 0, 53], 53), "127.0.0.53:53"),
            (internet([239, 1, 1, 1], 9), "239.1.1.1:9"),
        ] {
            assert_eq!(told(&bytes).as_deref(), Some(expected));
        }
        for bytes in [
            internet([127, 9, 9, 9], 80),
            internet([0, 0, 0, 0], 80),
            internet([192, 0, 2, 1], 0),
            internet6("::1", 80),
            internet6("::", 80),
            internet6("::ffff:127.0.0.1", 80),
        ] {
            assert_eq!(told(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_address_is_left_to_the_kernel() {
        let whole = internet([192, 0, 2, 1], 443);
        let at = whole.as_ptr() as u64;
        for length in [0, 1, 2, 15, 129, u64::from(u32::MAX), u64::MAX, 1 << 32] {
            assert_eq!(far(at, length), None, "{length}");
        }
        // The kernel takes the lower half.
        assert_eq!(far(at, 1 << 32 | 16).as_deref(), Some("192.0.2.1:443"));
        for nowhere in [0, 8, u64::MAX - 7, 1 << 63] {
            assert_eq!(far(nowhere, 16), None, "{nowhere:x}");
        }
        let short = internet6("2001:db8::1", 80);
        assert_eq!(told(&short[..20]), None);
        for family in [libc::AF_UNSPEC, libc::AF_UNIX, libc::AF_NETLINK, 0xffff] {
            let mut other = whole.clone();
            other[..2].copy_from_slice(&(family as u16).to_ne_bytes());
            assert_eq!(told(&other), None, "{family}");
        }
    }

    #[test]
    fn a_listener_is_known_by_its_real_name_and_what_is_none_is_not() {
        let place = std::env::temp_dir().join(format!("ricasso-reach-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let place = place.canonicalize().unwrap();
        let at = place.join("s");
        let listening = std::os::unix::net::UnixListener::bind(&at).unwrap();
        std::os::unix::fs::symlink("s", place.join("link")).unwrap();
        std::fs::write(place.join("file"), "").unwrap();
        let asker = Asker { pid: std::process::id() as i32, among_others: false };
        let found = |path: &[u8]| {
            let bytes = [&(libc::AF_UNIX as u16).to_ne_bytes()[..], path].concat();
            listener(&asker, bytes.as_ptr() as u64, bytes.len() as u64)
        };
        let named = |name: &str| found(place.join(name).as_os_str().as_bytes());
        assert_eq!((named("s"), named("link")), (Some(at.clone()), Some(at.clone())));
        assert_eq!(found(format!("{}\0xyz", at.display()).as_bytes()), Some(at.clone()));
        assert_eq!((named("file"), named("none"), named("")), (None, None, None));
        assert_eq!((found(b""), found(b"\0abstract"), found(&[b'x'; 109])), (None, None, None));
        assert_eq!(listener(&asker, 8, 20), None);
        drop(listening);
        let cage = |write: &[&Path], sockets: &[&Path]| {
            let all = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect();
            let cage = Cage { write: all(write), sockets: all(sockets), ..Cage::default() };
            Survey::of(&cage).lets_reach(&at)
        };
        assert!(cage(&[&place], &[]) && cage(&[], &[&at]) && cage(&[], &[&place]));
        assert!(!cage(&[], &[]) && !cage(&[], &[&place.join("file")]));
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_program_is_called_by_the_name_of_its_process() {
        let name = std::fs::read("/proc/self/comm").unwrap();
        let seen = std::thread::spawn(|| {
            let pid = rustix::thread::gettid().as_raw_nonzero().get();
            Asker { pid, among_others: false }.program()
        });
        assert_eq!(seen.join().unwrap(), name.strip_suffix(b"\n").unwrap());
        assert_eq!(Asker { pid: i32::MAX, among_others: false }.program(), b"");
    }
}
