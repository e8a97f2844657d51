//! A SEQPACKET socket between two of our processes: whole messages, with descriptors.

use crate::error::{Error, Result};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, UCred, recv,
    recvmsg, sendmsg, socketpair,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// A message of up to this many bytes goes through the socket itself; a longer one goes into an
/// anonymous file whose descriptor is sent. The kernel's default send buffer is 208 KiB.
pub(crate) const INLINE_BYTES: usize = 64 * 1024;
/// Descriptors in one message: three streams, one for the state, one with rules, and one for a
/// long payload.
const MOST_FDS: usize = 6;
/// Room for descriptors and a signature beside a message.
const ANCILLARY_BYTES: usize = rustix::cmsg_space!(ScmRights(MOST_FDS), ScmCredentials(1));
/// Marks a message whose payload is in the last descriptor.
const LONG: &[u8] = b"\0long";

/// One end.
#[derive(Debug)]
pub(crate) struct Channel(OwnedFd);

/// What arrived.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// A message and its descriptors.
    Message(Vec<u8>, Vec<OwnedFd>),
    /// Nothing there yet (only without waiting).
    Nothing,
    /// The other end is closed.
    Closed,
}

/// Whether a call may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until there is something.
    Forever,
    /// Not at all.
    Never,
}

impl Channel {
    /// Two connected ends, closed on exec.
    pub(crate) fn pair() -> Result<(Channel, Channel)> {
        let (one, other) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(Error::call("make a socket pair"))?;
        Ok((Channel(one), Channel(other)))
    }

    pub(crate) fn from_fd(fd: OwnedFd) -> Channel {
        Channel(fd)
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Sends one message. A peer that is gone is [`Error::Gone`].
    pub(crate) fn send(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<()> {
        if bytes.len() <= INLINE_BYTES {
            return self.send_inline(bytes, fds);
        }
        let file = long_payload(bytes)?;
        let mut all = fds.to_vec();
        all.push(file.as_fd());
        self.send_inline(LONG, &all)
    }

    /// Sends a short message that says who sent it, in the receiver's own numbers. In a user
    /// namespace where this user has none, the kernel takes no signature, and it goes without.
    pub(crate) fn send_signed(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<()> {
        let signature = UCred {
            pid: rustix::process::getpid(),
            uid: rustix::process::getuid(),
            gid: rustix::process::getgid(),
        };
        match self.send_with(bytes, fds, Some(signature)) {
            Err(error) if error.errno() == libc::EINVAL => self.send_inline(bytes, fds),
            other => other,
        }
    }

    /// Asks for signatures; those that were sent before count too.
    pub(crate) fn want_signatures(&self) -> Result<()> {
        rustix::net::sockopt::set_socket_passcred(&self.0, true)
            .map_err(Error::call("ask for signatures on our socket"))
    }

    fn send_inline(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> Result<()> {
        self.send_with(bytes, fds, None)
    }

    fn send_with(
        &self,
        bytes: &[u8],
        fds: &[BorrowedFd<'_>],
        signature: Option<UCred>,
    ) -> Result<()> {
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if let Some(signature) = signature
            && !ancillary.push(SendAncillaryMessage::ScmCredentials(signature))
        {
            return Err(Error::Garbled { what: "signature" });
        }
        if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
            return Err(Error::Garbled { what: "descriptors" });
        }
        loop {
            let sent =
                sendmsg(&self.0, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::NOSIGNAL);
            match sent {
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE | Errno::CONNRESET | Errno::NOTCONN) => {
                    return Err(Error::Gone { who: "other end of the socket" });
                }
                Err(errno) => return Err(Error::call("send on our socket")(errno)),
            }
        }
    }

    /// Receives one message.
    pub(crate) fn receive(&self, wait: Wait) -> Result<Arrival> {
        self.receive_signed(wait).map(|(arrival, _)| arrival)
    }

    /// Receives one message, with the number of its sender where it is signed.
    pub(crate) fn receive_signed(&self, wait: Wait) -> Result<(Arrival, Option<i32>)> {
        // Asking for the length first is cheaper than a buffer for the longest message: its pages
        // would be fetched from the kernel and given back each time.
        let Some(length) = self.next_length(wait)? else { return Ok((Arrival::Nothing, None)) };
        if length == 0 {
            // We send no empty messages.
            return Ok((Arrival::Closed, None));
        }
        let mut bytes = vec![0u8; length.max(1)];
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = match wait {
            Wait::Forever => RecvFlags::CMSG_CLOEXEC,
            Wait::Never => RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT,
        };
        let got = loop {
            match recvmsg(&self.0, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags) {
                Ok(got) => break got,
                // A peer that ended with a message of ours unread resets the connection. The
                // kernel says so once, in front of what the peer had still sent.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::AGAIN) => return Ok((Arrival::Nothing, None)),
                Err(errno) => return Err(Error::call("receive on our socket")(errno)),
            }
        };
        if got.flags.contains(ReturnFlags::TRUNC) || got.flags.contains(ReturnFlags::CTRUNC) {
            return Err(Error::Garbled { what: "cut short by the kernel" });
        }
        if got.bytes == 0 {
            return Ok((Arrival::Closed, None));
        }
        let mut fds: Vec<OwnedFd> = Vec::new();
        let mut sender = None;
        for message in ancillary.drain() {
            match message {
                RecvAncillaryMessage::ScmRights(received) => fds.extend(received),
                RecvAncillaryMessage::ScmCredentials(signature) => {
                    sender = Some(signature.pid.as_raw_nonzero().get());
                }
                _ => {}
            }
        }
        bytes.truncate(got.bytes);
        if bytes == LONG {
            let file = fds.pop().ok_or(Error::Garbled { what: "long payload" })?;
            bytes = read_payload(file)?;
        }
        Ok((Arrival::Message(bytes, fds), sender))
    }
}

impl Channel {
    /// Whether the other end is closed.
    pub(crate) fn is_deserted(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut fds = [PollFd::new(&self.0, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&at_once)).is_ok_and(|_| !fds[0].revents().is_empty())
    }

    /// How the next message begins, as soon as there is one, and its length; a closed socket has
    /// length 0. It can still be received.
    pub(crate) fn beginning<const N: usize>(&self) -> Result<([u8; N], usize)> {
        let mut bytes = [0u8; N];
        loop {
            match recv(&self.0, &mut bytes, RecvFlags::PEEK | RecvFlags::TRUNC) {
                Ok((_, length)) => return Ok((bytes, length)),
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(errno) => return Err(Error::call("look at our socket")(errno)),
            }
        }
    }

    /// Whether nothing waits to be received.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self.next_length(Wait::Never), Ok(None))
    }

    /// The length of the next message; `None` where there is none yet and nobody waits. A closed
    /// socket has length 0.
    fn next_length(&self, wait: Wait) -> Result<Option<usize>> {
        let flags = match wait {
            Wait::Forever => RecvFlags::PEEK | RecvFlags::TRUNC,
            Wait::Never => RecvFlags::PEEK | RecvFlags::TRUNC | RecvFlags::DONTWAIT,
        };
        loop {
            match recv(&self.0, &mut [0u8; 1], flags) {
                Ok((_, length)) => return Ok(Some(length)),
                // A reset is told once, and then come the last messages or the end.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(Error::call("look at our socket")(errno)),
            }
        }
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn long_payload(bytes: &[u8]) -> Result<OwnedFd> {
    use std::io::{Seek, Write};
    let fd = crate::pipe::anonymous_file("ricasso-order")
        .map_err(Error::call("make an anonymous file for a long message"))?;
    let mut file = std::fs::File::from(fd);
    let written = file.write_all(bytes).and_then(|()| file.rewind());
    written.map_err(|source| Error::Call { what: "fill the file of a long message", source })?;
    Ok(file.into())
}

fn read_payload(file: OwnedFd) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let read = std::fs::File::from(file).read_to_end(&mut bytes);
    read.map_err(|source| Error::Call { what: "read the file of a long message", source })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(arrival: Arrival) -> (Vec<u8>, Vec<OwnedFd>) {
        match arrival {
            Arrival::Message(bytes, fds) => (bytes, fds),
            Arrival::Nothing | Arrival::Closed => panic!("no message"),
        }
    }

    #[test]
    fn short_and_long_messages_arrive_whole_with_their_descriptors() {
        let (one, other) = Channel::pair().unwrap();
        for length in [1, INLINE_BYTES, INLINE_BYTES + 1, 3_000_000] {
            let sent: Vec<u8> = (0..length).map(|n| n as u8).collect();
            one.send(&sent, &[one.as_fd(), other.as_fd()]).unwrap();
            let (got, fds) = message(other.receive(Wait::Forever).unwrap());
            assert!(got == sent, "length {length}");
            assert_eq!(fds.len(), 2);
        }
    }

    #[test]
    fn a_closed_peer_is_told_apart_from_silence() {
        let (one, other) = Channel::pair().unwrap();
        assert!(matches!(other.receive(Wait::Never).unwrap(), Arrival::Nothing));
        drop(one);
        assert!(matches!(other.receive(Wait::Never).unwrap(), Arrival::Closed));
        assert!(matches!(other.send(b"x", &[]), Err(Error::Gone { .. })));
    }

    #[test]
    fn the_last_words_of_a_peer_arrive_though_it_read_none_of_ours() {
        let (one, other) = Channel::pair().unwrap();
        one.send(b"end now", &[]).unwrap();
        other.send(b"ended", &[]).unwrap();
        drop(other);
        assert_eq!(message(one.receive(Wait::Never).unwrap()).0, b"ended");
        assert!(matches!(one.receive(Wait::Never).unwrap(), Arrival::Closed));
    }
}
