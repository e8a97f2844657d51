//! The network of a session: a namespace with nothing in it but a loopback that is up.
//!
//! It is made once and kept by descriptors, so that jobs of one session reach each other and a
//! job does not pay for it.

use super::raw;
use super::{Namespaces, init};
use crate::after_fork::leave;
use crate::channel::{Arrival, Channel, Wait};
use crate::error::{Error, Result};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;

/// The namespaces that jobs of a session share.
#[derive(Debug)]
pub(crate) struct Loopback {
    /// The owner of the network, which must be entered first; root and a realm need none.
    user: Option<OwnedFd>,
    net: OwnedFd,
}

impl Loopback {
    /// Makes them in a child that ends at once; `None` where the kernel refuses. The caller has
    /// one thread.
    pub(crate) fn make(kind: Namespaces) -> Result<Option<Loopback>> {
        let (ours, theirs) = Channel::pair()?;
        let Some(pid) = crate::keeper::fork()? else {
            if let Ok(made) = build(kind) {
                let mut fds = vec![made.net.as_fd()];
                fds.extend(made.user.as_ref().map(AsFd::as_fd));
                // A parent that is gone needs no answer.
                let _ = theirs.send(b"made", &fds);
            }
            leave()
        };
        drop(theirs);
        let answer = ours.receive(Wait::Forever);
        crate::tree::wait_for(pid);
        let Arrival::Message(_, fds) = answer? else { return Ok(None) };
        let mut fds = fds.into_iter();
        let net = fds.next().ok_or(Error::Garbled { what: "namespace" })?;
        Ok(Some(Loopback { user: fds.next(), net }))
    }

    /// Moves this process into it.
    pub(super) fn enter(&self) -> std::result::Result<(), Errno> {
        if let Some(user) = &self.user {
            raw::enter(user, libc::CLONE_NEWUSER)?;
        }
        raw::enter(&self.net, libc::CLONE_NEWNET)
    }

    /// Its descriptors, which a warden keeps.
    pub(crate) fn fds(&self) -> impl Iterator<Item = rustix::fd::BorrowedFd<'_>> {
        self.user.iter().chain(std::iter::once(&self.net)).map(AsFd::as_fd)
    }
}

fn build(kind: Namespaces) -> std::result::Result<Loopback, Errno> {
    let user = match kind {
        Namespaces::None => return Err(Errno::PERM),
        Namespaces::Root => {
            raw::unshare(libc::CLONE_NEWNET)?;
            None
        }
        Namespaces::User => {
            init::own_user_namespace(libc::CLONE_NEWNET)?;
            Some(open(c"/proc/self/ns/user")?)
        }
    };
    raise_loopback()?;
    let net = open(c"/proc/self/ns/net")?;
    // Commands will have to enter it; where a filter round us refuses that, there is none.
    raw::enter(&net, libc::CLONE_NEWNET)?;
    Ok(Loopback { user, net })
}

fn open(path: &std::ffi::CStr) -> std::result::Result<OwnedFd, Errno> {
    use rustix::fs::{Mode, OFlags};
    rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

/// Switches the loopback interface of this namespace on.
pub(super) fn raise_loopback() -> std::result::Result<(), Errno> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    use std::os::fd::AsRawFd;
    const UP_AND_RUNNING: libc::c_short = 0x41;
    const SET_FLAGS: libc::c_ulong = 0x8914;
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    let mut request = [0u8; 40];
    request[..2].copy_from_slice(b"lo");
    // The flags follow the name, which takes sixteen bytes (netdevice(7)).
    request[16..18].copy_from_slice(&UP_AND_RUNNING.to_ne_bytes());
    // SAFETY: the request is as long as a struct ifreq and outlives the call (netdevice(7)).
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), SET_FLAGS as _, request.as_ptr()) };
    raw::answer(done.into()).map(drop)
}
