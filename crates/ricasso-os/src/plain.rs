//! Reading a small file that somebody else may have put there: a command, or a stranger's
//! repository. Whatever lies in its place, the reader neither waits nor grows nor starts anything.
//!
//! A pipe would be waited for, a device may act on being opened, a lease holds an open up, a file
//! of the kernel may wait or be used up by a read, and a sparse file has no end worth seeing.

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// File systems whose files are the kernel's own answers (statfs(2), linux/magic.h): what is read
/// there is made by the reading, and may wait for something to happen.
const OF_THE_KERNEL: &[u64] = &[
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6265_6570, // configfs
    0x6573_5543, // fusectl
];

/// The whole content of a regular file, links followed; an error where it is anything else, or
/// larger than this. It returns at once, as far as the disk does.
pub fn read_plain(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let file = File::from(open_plain(path)?);
    let size = file.metadata()?.len();
    let too_large = || {
        let what = format!("it is larger than {most_bytes} bytes");
        io::Error::new(io::ErrorKind::FileTooLarge, what)
    };
    if size > most_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // It may grow while it is read.
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Takes hold of what is there, and opens it only when it is known to be a regular file: between
/// the two nobody can put something else in its place.
fn open_plain(path: &Path) -> io::Result<OwnedFd> {
    let held = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&held)?.st_mode);
    let of_the_kernel = OF_THE_KERNEL.contains(&file_system(&held)?);
    if kind != FileType::RegularFile || of_the_kernel {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    // Whoever has a lease on the file is not waited for (fcntl(2)).
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let itself = format!("/proc/self/fd/{}", held.as_raw_fd());
    Ok(rustix::fs::open(itself, flags, Mode::empty())?)
}

/// The number of the file system's kind; its type differs between machines, its low bits do not.
#[allow(clippy::cast_sign_loss, clippy::unnecessary_cast, reason = "a magic number has no sign")]
fn file_system(held: &OwnedFd) -> io::Result<u64> {
    Ok(rustix::fs::fstatfs(held)?.f_type as u64 & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;

    const MOST: u64 = 100;

    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let path = std::env::temp_dir().join(format!("ricasso-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Place(path)
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Reads in a thread of its own, so that waiting fails the test instead of holding it up.
    fn read(path: &Path) -> io::Result<Vec<u8>> {
        let (said, heard) = mpsc::channel();
        let path = path.to_path_buf();
        std::thread::spawn(move || said.send(read_plain(&path, MOST)));
        heard.recv_timeout(Duration::from_secs(20)).expect("the read waits for somebody")
    }

    #[test]
    fn a_plain_file_is_read_whole_and_a_larger_one_not_at_all() {
        let place = Place::new("plain");
        let file = place.0.join("file");
        symlink("file", place.0.join("link")).unwrap();
        for size in [0, 1, 99, 100] {
            fs::write(&file, vec![0xff; size]).unwrap();
            assert_eq!(read(&file).unwrap(), vec![0xff; size]);
            assert_eq!(read(&place.0.join("link")).unwrap().len(), size);
        }
        fs::write(&file, [0xff; 101]).unwrap();
        assert_eq!(read(&file).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&file).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_no_plain_file_is_neither_read_nor_waited_for() {
        let place = Place::new("odd");
        let pipe = place.0.join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let socket = place.0.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for target in ["/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/self/maps", "/", "pipe"] {
            let link = place.0.join("link");
            symlink(target, &link).unwrap();
            assert_eq!(read(&link).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{target}");
            fs::remove_file(&link).unwrap();
        }
        for path in [&pipe, &socket, &place.0] {
            assert_eq!(read(path).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
        symlink("circle", place.0.join("circle")).unwrap();
        assert_eq!(read(&place.0.join("circle")).unwrap_err().raw_os_error(), Some(libc::ELOOP));
        symlink("nothing", place.0.join("astray")).unwrap();
        for name in ["nothing", "astray"] {
            let error = read(&place.0.join(name)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }

    /// Which signal tells of a lease that breaks (fcntl(2), asm-generic/fcntl.h).
    const F_SETSIG: i32 = 10;

    #[test]
    fn a_lease_of_somebody_else_is_not_waited_for() {
        let place = Place::new("lease");
        let path = place.0.join("file");
        fs::write(&path, "text").unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let number = file.as_fd().as_raw_fd();
        // SAFETY: `file` stays open during the call. Its owner is told of a break by a signal that
        // nobody minds, where the usual one would end this process.
        let told = unsafe { libc::fcntl(number, F_SETSIG, libc::SIGURG) };
        // SAFETY: `file` stays open during the call, which takes a number and keeps nothing.
        let leased = unsafe { libc::fcntl(number, libc::F_SETLEASE, libc::F_WRLCK) };
        assert_eq!((told, leased), (0, 0), "{}", io::Error::last_os_error());
        assert_eq!(read(&path).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(file);
        assert_eq!(read(&path).unwrap(), b"text");
    }
}
