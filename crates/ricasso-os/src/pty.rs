//! A terminal of the job's own: the command's end, and the owner's, which never blocks.

use crate::error::{Error, Result};
use crate::feed::Feeder;
use crate::pipe::{Input, Output};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The ends of a new terminal.
#[derive(Debug)]
pub struct Terminal {
    /// The command's end: standard input, and with [`Output::writer`] the other two.
    pub input: Input,
    /// What the command writes, as the terminal shows it.
    pub output: Output,
    /// What the command reads, as if it were typed.
    pub feeder: Feeder,
}

/// Makes a terminal of this size. It becomes the controlling one where the order says so.
pub fn terminal(columns: u16, rows: u16) -> Result<Terminal> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).map_err(Error::call(
        "open a terminal; mount devpts on /dev/pts, with /dev/ptmx, or go without one",
    ))?;
    unlockpt(&master).map_err(Error::call("unlock a terminal"))?;
    // By its descriptor and not by its name: /dev/pts may not be there.
    let slave = ioctl_tiocgptpeer(&master, flags).map_err(Error::call("open a terminal's end"))?;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).map_err(Error::call("size a terminal"))?;
    rustix::io::ioctl_fionbio(&master, true)
        .map_err(Error::call("make a terminal non-blocking"))?;
    let again = |fd: &rustix::fd::OwnedFd| {
        rustix::io::fcntl_dupfd_cloexec(fd, 3).map_err(Error::call("copy a terminal's descriptor"))
    };
    let feeder = Feeder::new(again(&master)?);
    let output = Output::of_terminal(master, again(&slave)?);
    Ok(Terminal { input: Input::of_terminal(slave), output, feeder })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_typed_arrives_and_what_is_written_is_shown() {
        use std::os::fd::AsFd;
        let Terminal { input, mut output, feeder } = terminal(80, 24).unwrap();
        let mut slave = std::fs::File::from(input.as_fd().try_clone_to_owned().unwrap());
        let size = rustix::termios::tcgetwinsize(&slave).unwrap();
        assert_eq!((size.ws_col, size.ws_row), (80, 24));
        slave.write_all(b"name? ").unwrap();
        assert_eq!(feeder.feed(b"yes\n", None, std::time::Duration::ZERO).unwrap(), 4);
        let mut line = [0u8; 16];
        let length = std::io::Read::read(&mut slave, &mut line).unwrap();
        assert_eq!(&line[..length], b"yes\n");
        let mut shown = Vec::new();
        let mut buffer = [0u8; 64];
        while let Ok(length @ 1..) = output.read(&mut buffer) {
            shown.extend_from_slice(&buffer[..length]);
        }
        assert_eq!(shown, b"name? yes\r\n");
        assert_eq!(feeder.echoes(), Some(true));
    }
}
