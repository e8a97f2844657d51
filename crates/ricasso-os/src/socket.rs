//! Sockets with a name, for visitors of the same user: made private, and the peer checked.

use crate::error::{Error, Result};
use rustix::fs::{Mode, OFlags};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt,
};
use std::fs::Permissions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Listens in this directory, which is ours alone, under this name.
pub fn listen(directory: &Path, name: &str) -> Result<UnixListener> {
    let failed =
        |source| Error::Path { what: "listen on the socket", path: directory.join(name), source };
    let (_held, path) = short(directory, name)?;
    let listener = UnixListener::bind(&path).map_err(failed)?;
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

/// Calls the socket of this name. Whoever answers is the same user. One whose listener does not
/// take visitors any more is given up after the patience, and so is writing to it.
pub fn call(directory: &Path, name: &str, patience: Duration) -> Result<UnixStream> {
    let failed =
        |source| Error::Path { what: "call the socket", path: directory.join(name), source };
    let (_held, path) = short(directory, name)?;
    let connected = || -> std::io::Result<UnixStream> {
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // The kernel heeds this while it waits for room in the listener's queue, too.
        sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(patience))?;
        connect(&socket, &SocketAddrUnix::new(&path)?)?;
        Ok(socket.into())
    };
    let stream = connected().map_err(failed)?;
    if !is_ours(&stream) {
        return Err(failed(std::io::ErrorKind::PermissionDenied.into()));
    }
    Ok(stream)
}

/// Whether the other end belongs to this user.
pub fn is_ours(stream: &UnixStream) -> bool {
    sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid.as_raw() == crate::host::own_uid())
}

/// A socket's name may have 108 bytes and a path more; through its directory's descriptor it is
/// always short.
fn short(directory: &Path, name: &str) -> Result<(rustix::fd::OwnedFd, PathBuf)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let held = rustix::fs::open(directory, flags, Mode::empty()).map_err(|errno| Error::Path {
        what: "open the directory",
        path: directory.to_path_buf(),
        source: errno.into(),
    })?;
    let path = PathBuf::from(format!("/proc/self/fd/{}/{name}", held.as_raw_fd()));
    Ok((held, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn a_long_place_is_no_hindrance_and_the_socket_is_private() {
        let base = std::env::temp_dir().join(format!("ricasso-socket-{}", std::process::id()));
        let deep = base.join("d".repeat(120)).join("e".repeat(120));
        std::fs::create_dir_all(&deep).unwrap();
        let listener = listen(&deep, "here.sock").unwrap();
        let mode = std::fs::metadata(deep.join("here.sock")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut caller = call(&deep, "here.sock", SOON).unwrap();
        let (mut heard, _) = listener.accept().unwrap();
        assert!(is_ours(&heard));
        caller.write_all(b"x").unwrap();
        let mut byte = [0u8; 1];
        heard.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"x");
        assert!(call(&deep, "nobody.sock", SOON).is_err());
        std::fs::remove_dir_all(&base).unwrap();
    }
}
