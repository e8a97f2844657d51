//! Standard input for a command in a cage. A descriptor of a file that was opened outside lies on a
//! mount of the machine: through it mode, times and attributes can be changed whatever the cage
//! shows, a directory leads on to all others, and a terminal or socket can be written to. So a
//! command gets the bytes, and never the file itself.

use crate::error::{Error, Result};
use crate::pipe::{Input, anonymous_file, file_input};
use crate::turned::leads_out;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A file of up to this size becomes one in memory, which can be read from any place like the file
/// itself; a longer one becomes a pipe.
const MOST_COPIED_BYTES: u64 = 16 * 1024 * 1024;
/// One read takes this much, as much as a pipe holds.
const PIECE_BYTES: usize = 64 * 1024;
/// The thread that carries bytes needs little.
const STACK_BYTES: usize = 256 * 1024;
/// The device that is always at its end: major and minor number.
const NULL: (u32, u32) = (1, 3);

/// The content of a file, and nothing else of it. One that a link leads to out of a place where
/// commands write is not taken.
pub fn enclosed_input(path: &Path, roots: &[PathBuf]) -> Result<Input> {
    let input = file_input(path)?.into_fd();
    let failed =
        |source| Error::Path { what: "take standard input from", path: path.to_path_buf(), source };
    if leads_out(&input, path, roots).map_err(failed)? {
        return Err(failed(io::Error::other(
            "it is a link out of the workspace, which any command can turn; name the file itself",
        )));
    }
    match kind_of(&input).map_err(|errno| failed(errno.into()))? {
        Kind::Harmless => Ok(Input::of(input)),
        Kind::File => copied(input).map_err(failed),
        Kind::Flowing => carried(input).map_err(failed),
        Kind::Directory => {
            let (what, source) = (
                "take standard input from a directory; name a file instead of",
                Errno::ISDIR.into(),
            );
            Err(Error::Path { what, path: path.to_path_buf(), source })
        }
    }
}

/// What a descriptor leads to, as far as it matters here.
enum Kind {
    /// A pipe without a name, or the device that is empty.
    Harmless,
    /// Bytes that end.
    File,
    /// Bytes that come.
    Flowing,
    Directory,
}

fn kind_of(input: &OwnedFd) -> std::result::Result<Kind, Errno> {
    let about = rustix::fs::fstat(input)?;
    let device = (rustix::fs::major(about.st_rdev), rustix::fs::minor(about.st_rdev));
    let name = || rustix::fs::readlink(format!("/proc/self/fd/{}", input.as_raw_fd()), Vec::new());
    Ok(match FileType::from_raw_mode(about.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::CharacterDevice if device == NULL => Kind::Harmless,
        FileType::Fifo if name()?.to_bytes().starts_with(b"pipe:[") => Kind::Harmless,
        _ => Kind::Flowing,
    })
}

/// From where it stands to its end.
fn copied(input: OwnedFd) -> io::Result<Input> {
    let mut from = File::from(input);
    let start = from.stream_position()?;
    let mut copy = File::from(anonymous_file("ricasso-stdin").map_err(io::Error::from)?);
    let count = io::copy(&mut (&mut from).take(MOST_COPIED_BYTES + 1), &mut copy)?;
    if count > MOST_COPIED_BYTES {
        from.seek(io::SeekFrom::Start(start))?;
        return carried(from.into());
    }
    copy.rewind()?;
    Ok(Input::of(copy.into()))
}

/// Through a pipe, by a thread that ends with its last reader.
fn carried(input: OwnedFd) -> io::Result<Input> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    std::thread::Builder::new()
        .name("ricasso-input".into())
        .stack_size(STACK_BYTES)
        .spawn(move || carry(&File::from(input), File::from(writer)))?;
    Ok(Input::of(reader))
}

fn carry(mut from: &File, mut to: File) {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        // Without a word of the poll, bytes that a terminal gets later would be taken from whoever
        // has it by then.
        let mut fds = [
            PollFd::from_borrowed_fd(from.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(to.as_fd(), PollFlags::empty()),
        ];
        match poll(&mut fds, None) {
            Ok(_) if fds[1].revents().intersects(PollFlags::ERR) => return,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        match from.read(&mut piece) {
            Ok(0) => return,
            Ok(count) if to.write_all(&piece[..count]).is_ok() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // Nobody reads any more, or there is nothing to be read.
            Ok(_) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn read(input: Input) -> Vec<u8> {
        let mut text = Vec::new();
        File::from(input.into_fd()).read_to_end(&mut text).unwrap();
        text
    }

    #[test]
    fn a_command_gets_the_bytes_of_a_file_and_never_the_file() {
        let path = std::env::temp_dir().join(format!("ricasso-pump-{}", std::process::id()));
        for length in [0, 5, MOST_COPIED_BYTES as usize + 70_000] {
            let text: Vec<u8> = (0..length).map(|at| at as u8).collect();
            std::fs::write(&path, &text).unwrap();
            let input = enclosed_input(&path, &[]).unwrap();
            let (file, given) = (std::fs::metadata(&path).unwrap(), rustix::fs::fstat(&input));
            let given = given.unwrap();
            assert_ne!((file.dev(), file.ino()), (given.st_dev, given.st_ino));
            assert_eq!(read(input), text, "{length}");
        }
        std::fs::remove_file(&path).unwrap();
        let refused = enclosed_input(&std::env::temp_dir(), &[]).unwrap_err();
        assert!(refused.to_string().contains("standard input"), "{refused}");
        assert_eq!(read(enclosed_input(Path::new("/dev/null"), &[]).unwrap()), b"");
    }

    #[test]
    fn whoever_carries_ends_with_the_last_reader() {
        let (theirs, ours) = std::os::unix::net::UnixStream::pair().unwrap();
        let input = carried(ours.into()).unwrap();
        drop(input);
        // The thread gives up its end, though nobody has written anything.
        let mut byte = [0];
        assert_eq!((&theirs).read(&mut byte).unwrap(), 0);
    }
}
