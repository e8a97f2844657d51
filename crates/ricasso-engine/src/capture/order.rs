//! In which order the streams were observed: runs of bytes of one stream, as little-endian base
//! 128 numbers of `length * 2 + stream`.
//!
//! A run is written before the first byte of the next one is stored. So at any moment, also after
//! SIGKILL, at most one stream has bytes beyond the written runs, and the last run need not be
//! written. A job with one stream writes none. The order must never name bytes that are not there.

use super::Stream;
use super::error::Error;
use super::store::{self, Log};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Writes the order while output arrives.
#[derive(Debug)]
pub(super) struct Order {
    log: Log,
    run: Option<(Stream, u64)>,
}

/// Reads the order back.
#[derive(Debug)]
pub(super) struct Runs {
    file: Option<File>,
    path: PathBuf,
    offset: u64,
    buffer: Vec<u8>,
    next: usize,
}

impl Order {
    /// An order without runs.
    pub(super) fn new(path: PathBuf) -> Order {
        Order { log: Log::new(path), run: None }
    }

    /// What the order takes up.
    pub(super) fn bytes(&self) -> u64 {
        self.log.bytes()
    }

    /// Bytes of `stream` are about to be stored.
    pub(super) fn before(&mut self, stream: Stream) -> Result<(), Error> {
        match self.run {
            Some((current, length)) if current != stream => {
                self.log.append(&encode(current, length))?;
                self.run = Some((stream, 0));
            }
            Some(_) => {}
            None => self.run = Some((stream, 0)),
        }
        Ok(())
    }

    /// So many bytes of the stream last named were stored.
    pub(super) fn after(&mut self, stored: u64) {
        if let Some((_, length)) = &mut self.run {
            *length += stored;
        }
    }
}

impl Runs {
    /// The written runs, from the first; none where there is no file.
    pub(super) fn open(path: &Path) -> Result<Runs, Error> {
        let file = store::open(path)?;
        Ok(Runs { file, path: path.to_owned(), offset: 0, buffer: Vec::new(), next: 0 })
    }

    /// The next written run.
    pub(super) fn next(&mut self) -> Result<Option<(Stream, u64)>, Error> {
        let mut value = 0u64;
        let mut shift = 0;
        while let Some(byte) = self.byte()? {
            let Some(part) = u64::from(byte & 127).checked_shl(shift) else {
                return Err(Error::DamagedSpool { path: self.path.clone(), at: self.offset });
            };
            value |= part;
            shift += 7;
            if byte & 128 == 0 {
                let stream = if value & 1 == 0 { Stream::Stdout } else { Stream::Stderr };
                return Ok(Some((stream, value >> 1)));
            }
        }
        // A number that breaks off was being written; its run is the last one.
        Ok(None)
    }

    fn byte(&mut self) -> Result<Option<u8>, Error> {
        if self.next == self.buffer.len() {
            let Some(file) = &self.file else { return Ok(None) };
            self.buffer.resize(4096, 0);
            let count = store::read_at(file, &self.path, self.offset, &mut self.buffer)?;
            self.buffer.truncate(count);
            self.offset += count as u64;
            self.next = 0;
        }
        let byte = self.buffer.get(self.next).copied();
        self.next += usize::from(byte.is_some());
        Ok(byte)
    }
}

fn encode(stream: Stream, length: u64) -> Vec<u8> {
    let mut value = length << 1 | stream.index() as u64;
    let mut bytes = Vec::with_capacity(10);
    while value > 127 {
        bytes.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
