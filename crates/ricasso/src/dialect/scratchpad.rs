//! Outputs saved under a name: a name leads to a job, whose whole output is kept anyway.
//!
//! Names belong to one session. Nothing is copied, so saving costs nothing and loses nothing.

use super::arguments::{Fault, fault};
use super::clerk::{Clerk, failed};
use ricasso_engine::capture::{Reading, Stream, Which};
use ricasso_engine::request::to_hex;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// A name is a word or a few; as a file name it doubles.
const LONGEST_NAME: usize = 100;
/// A character has four bytes at most.
const LONGEST_REST: usize = 3;

/// A part of a saved output.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) text: String,
    /// Where the next one begins.
    pub(super) end: u64,
    /// Bytes of the whole.
    pub(super) length: u64,
}

/// Lets a name lead to a job's output; an older meaning of the name is given up.
pub(super) fn save(clerk: &Clerk, name: &str, job: &str) -> Result<(), Fault> {
    let path = place(clerk, name)?;
    let write = || {
        if let Some(above) = path.parent() {
            fs::create_dir_all(above)?;
        }
        fs::write(&path, job)
    };
    write().map_err(|error: io::Error| failed(&error))
}

/// The output that a name leads to.
pub(super) fn find(clerk: &Clerk, name: &str) -> Result<Option<Reading>, Fault> {
    let path = place(clerk, name)?;
    let id = match fs::read_to_string(&path) {
        Ok(id) => id,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    clerk.engine.output(&id).map(Some).map_err(|error| failed(&error))
}

/// The characters that begin in so many bytes from an offset on, standard output first: pages
/// side by side are the whole, whoever counts them, and no character is split.
pub(super) fn part(reading: &Reading, offset: u64, limit: u64) -> Result<Part, Fault> {
    let take = limit.saturating_add(LONGEST_REST as u64);
    let mut window = Window { skip: offset, take, taken: Vec::new(), length: 0 };
    for stream in [Stream::Stdout, Stream::Stderr] {
        let read = reading.bytes(Which::One(stream), 0..u64::MAX, &mut window);
        read.map_err(|error| failed(&error))?;
    }
    let taken = window.taken;
    let at = usize::try_from(limit).unwrap_or(usize::MAX).min(taken.len());
    let from = if offset == 0 { 0 } else { rest_of_character(&taken) };
    let end = at + rest_of_character(&taken[at..]);
    let text = String::from_utf8_lossy(taken.get(from..end).unwrap_or_default()).into_owned();
    Ok(Part { text, end: offset.saturating_add(end as u64), length: window.length })
}

/// Bytes at the beginning that end a character which began before.
fn rest_of_character(bytes: &[u8]) -> usize {
    bytes.iter().take(LONGEST_REST).take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// Refuses what is no name.
pub(super) fn check(name: &str) -> Result<(), Fault> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(fault(format!("scratchpad must be a name of 1 to {LONGEST_NAME} bytes")));
    }
    Ok(())
}

fn place(clerk: &Clerk, name: &str) -> Result<PathBuf, Fault> {
    check(name)?;
    let session = to_hex(clerk.caller.session.as_bytes());
    let folder = clerk.engine.state().root().join("scratchpads").join(session);
    Ok(folder.join(to_hex(name.as_bytes())))
}

/// Keeps a window of what is written and counts all of it.
struct Window {
    skip: u64,
    take: u64,
    taken: Vec<u8>,
    length: u64,
}

impl Write for Window {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len() as u64;
        let from = self.skip.saturating_sub(self.length).min(count) as usize;
        let end = self.skip.saturating_add(self.take).saturating_sub(self.length).min(count);
        if let Some(wanted) = bytes.get(from..end as usize) {
            self.taken.extend_from_slice(wanted);
        }
        self.length += count;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
