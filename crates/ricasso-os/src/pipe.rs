//! The three streams of a command, made by its owner.

use crate::error::{Error, Result};
use crate::feed::Feeder;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

/// A pipe takes this many bytes before anyone reads (the kernel's default, 16 pages).
const PIPE_BYTES: usize = 64 * 1024;

/// The child's end of standard input.
#[derive(Debug)]
pub struct Input(OwnedFd);

/// One output stream: the owner's end, which never blocks, and the child's end.
#[derive(Debug)]
pub struct Output {
    reader: File,
    writer: Option<OwnedFd>,
    kind: Kind,
}

/// What a stream goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pipe,
    Terminal,
}

/// End-of-file at once.
pub fn closed_input() -> Result<Input> {
    empty(OFlags::RDONLY).map(Input)
}

/// What is at its end for who reads, and where nothing arrives of what is written.
pub(crate) fn nowhere() -> Result<OwnedFd> {
    empty(OFlags::RDWR)
}

/// The empty device; where there is none (a bare /dev, or one whose devices do not open), a pipe
/// that nobody writes to. Who writes into its end for reading is told so, and gets no signal.
fn empty(access: OFlags) -> Result<OwnedFd> {
    match rustix::fs::open("/dev/null", access | OFlags::CLOEXEC, Mode::empty()) {
        Ok(null) => Ok(null),
        Err(_) => {
            let pipe = pipe_with(PipeFlags::CLOEXEC);
            pipe.map(|(reader, _)| reader).map_err(Error::call("open /dev/null, or a pipe instead"))
        }
    }
}

/// The content of a file. Opening a FIFO that nobody writes does not block: it reads as empty.
pub fn file_input(path: &Path) -> Result<Input> {
    if path == Path::new("/dev/stdin") {
        return own_input();
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| Error::Path {
        what: "open standard input from",
        path: path.to_path_buf(),
        source: errno.into(),
    })?;
    let blocking = rustix::fs::fcntl_getfl(&fd)
        .and_then(|flags| rustix::fs::fcntl_setfl(&fd, flags - OFlags::NONBLOCK));
    blocking.map_err(Error::call("make standard input blocking"))?;
    Ok(Input(fd))
}

/// This process's own standard input, as it is. Opening it by its name would fail for a socket,
/// start a file from its beginning, and ask for rights that a handed-down descriptor has already.
fn own_input() -> Result<Input> {
    let own = io::stdin().as_fd().try_clone_to_owned();
    let failed = |source| Error::Call { what: "hand on our standard input", source };
    own.map(Input).map_err(failed)
}

/// A text and then end-of-file. A short one is a pipe that already holds it, so that programs see
/// what they are used to; a long one is an anonymous file, so that nobody has to feed it.
pub fn text_input(text: &[u8]) -> Result<Input> {
    let fill = |source| Error::Call { what: "store the text for standard input", source };
    if text.len() <= PIPE_BYTES {
        let (reader, writer) =
            pipe_with(PipeFlags::CLOEXEC).map_err(Error::call("make a pipe for standard input"))?;
        File::from(writer).write_all(text).map_err(fill)?;
        return Ok(Input(reader));
    }
    let file = anonymous_file("ricasso-stdin")
        .map_err(Error::call("make an anonymous file for standard input"))?;
    let mut file = File::from(file);
    file.write_all(text).and_then(|()| file.rewind()).map_err(fill)?;
    Ok(Input(file.into()))
}

/// A pipe that the owner writes to while the job runs.
pub fn fed_input() -> Result<(Input, Feeder)> {
    let (reader, writer) =
        pipe_with(PipeFlags::CLOEXEC).map_err(Error::call("make a pipe for standard input"))?;
    rustix::io::ioctl_fionbio(&writer, true).map_err(Error::call("make a pipe non-blocking"))?;
    Ok((Input(reader), Feeder::new(writer)))
}

/// A file without a name: what a shell leaves of its state, for the next one.
pub fn state_file() -> Result<File> {
    let file = anonymous_file("ricasso-state")
        .map_err(Error::call("make an anonymous file for the shell's state"))?;
    Ok(file.into())
}

/// A file in memory that never becomes a program, from Linux 6.3 on: no rule for files holds one
/// that has no name.
pub(crate) fn anonymous_file(name: &str) -> std::result::Result<OwnedFd, Errno> {
    match memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::NOEXEC_SEAL) {
        // Older kernels do not know the flag; there no list of programs is held either.
        Err(Errno::INVAL) => memfd_create(name, MemfdFlags::CLOEXEC),
        other => other,
    }
}

/// A pipe for one output stream.
pub fn output() -> Result<Output> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC).map_err(Error::call("make a pipe"))?;
    rustix::io::ioctl_fionbio(&reader, true).map_err(Error::call("make a pipe non-blocking"))?;
    Ok(Output { reader: reader.into(), writer: Some(writer), kind: Kind::Pipe })
}

impl Input {
    pub(crate) fn of_terminal(slave: OwnedFd) -> Input {
        Input(slave)
    }

    pub(crate) fn of(fd: OwnedFd) -> Input {
        Input(fd)
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.0
    }
}

impl Output {
    pub(crate) fn of_terminal(master: OwnedFd, slave: OwnedFd) -> Output {
        Output { reader: master.into(), writer: Some(slave), kind: Kind::Terminal }
    }

    /// Whether it is a terminal, which tells of its end by other means than a pipe.
    pub fn is_terminal(&self) -> bool {
        self.kind == Kind::Terminal
    }

    /// The child's end, until [`Output::close_writer`].
    pub fn writer(&self) -> Option<BorrowedFd<'_>> {
        self.writer.as_ref().map(AsFd::as_fd)
    }

    /// Gives the child's end up, so that end-of-file can be seen.
    pub fn close_writer(&mut self) {
        self.writer = None;
    }

    /// Reads what is there; `WouldBlock` where nothing is, 0 at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Fills the buffer with random bytes of the kernel.
pub fn random(buffer: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        filled +=
            rustix::rand::getrandom(&mut buffer[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::process::Command;

    fn skip(line: &str) {
        let Some(log) = std::env::var_os("RICASSO_SKIP_LOG") else { return };
        let log = File::options().append(true).create(true).open(log);
        log.and_then(|mut log| log.write_all(line.as_bytes())).unwrap();
    }

    #[test]
    fn what_is_handed_over_in_memory_never_becomes_a_program() {
        let program = std::fs::read("/bin/true").unwrap();
        let padding = vec![0; PIPE_BYTES.saturating_sub(program.len()) + 1];
        let text = [program, padding].concat();
        let run = |fd: i32| Command::new(format!("/proc/self/fd/{fd}")).status();
        let plain = memfd_create("control", MemfdFlags::CLOEXEC | MemfdFlags::EXEC);
        let Ok(plain) = plain else {
            let name = "what_is_handed_over_in_memory_never_becomes_a_program";
            return skip(&format!("test\t{name}\tthis kernel tells no such files apart\n"));
        };
        let mut plain = File::from(plain);
        plain.write_all(&text).unwrap();
        assert!(run(plain.as_raw_fd()).is_ok(), "the control does not run");
        let input = text_input(&text).unwrap();
        let refused = run(input.0.as_raw_fd()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        let mut state = state_file().unwrap();
        state.write_all(&text).unwrap();
        assert!(
            state.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700)).is_err()
        );
        let refused = run(state.as_raw_fd()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    }
}
