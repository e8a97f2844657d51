//! The files of a spool: made when first needed, readable by the user alone, written at their end.
//!
//! It must never follow a link, never overwrite a file that is there, and never count a byte that
//! the system did not take.

use super::error::Error;
use super::{Stream, values};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of the order; the streams' are named after them.
pub(super) const ORDER: &str = "order";

/// The file in which older versions recorded every secret, known values among them.
pub(super) const OLDER_SPANS: &str = "spans";

/// Only the user reads what commands print.
const MODE: u32 = 0o600;

/// The bytes that the spool in `dir` takes up: both streams, their order and where their values
/// are. Files that are not there count nothing.
pub fn spooled_bytes(dir: &Path) -> u64 {
    let streams = Stream::BOTH.map(|stream| dir.join(stream.name()));
    let values = Stream::BOTH.map(|stream| values::paths(dir, stream)).concat();
    let paths = streams.into_iter().chain(values).chain([dir.join(ORDER)]);
    let sizes = paths.filter_map(|path| std::fs::symlink_metadata(path).ok());
    sizes.map(|metadata| metadata.len()).sum()
}

/// A file that grows at its end and exists from its first byte on.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    /// The file, if it has been needed.
    pub(super) file: Option<Arc<File>>,
    bytes: u64,
    state: State,
}

/// A log that failed stays failed: bytes after a gap would pass for those that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Sound,
    Failed(io::ErrorKind),
}

impl Log {
    /// A log that is not there yet.
    pub(super) fn new(path: PathBuf) -> Log {
        Log { path, file: None, bytes: 0, state: State::Sound }
    }

    /// What the system took so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds all of `bytes`, or fails and counts the part that was stored.
    pub(super) fn append(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        if let State::Failed(kind) = self.state {
            return Err(self.failed(kind.into()));
        }
        while !bytes.is_empty() {
            match self.open()?.write(bytes) {
                Ok(0) => return Err(self.failed(io::ErrorKind::WriteZero.into())),
                Ok(written) => {
                    self.bytes += written as u64;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Result<&File, Error> {
        if self.file.is_none() {
            // `create_new` is O_CREAT|O_EXCL, which follows no link; the library adds O_CLOEXEC.
            let made = OpenOptions::new()
                .read(true)
                .append(true)
                .create_new(true)
                .mode(MODE)
                .open(&self.path)
                .map_err(|source| Error::CreateSpool { path: self.path.clone(), source })?;
            self.file = Some(Arc::new(made));
        }
        Ok(self.file.as_deref().expect("it was opened above"))
    }

    fn failed(&mut self, source: io::Error) -> Error {
        self.state = State::Failed(source.kind());
        Error::WriteSpool { path: self.path.clone(), source }
    }
}

/// Opens a file of a spool for reading; `None` where there is none.
pub(super) fn open(path: &Path) -> Result<Option<File>, Error> {
    let failed = |source| Error::OpenSpool { path: path.to_owned(), source };
    let named = match std::fs::symlink_metadata(path) {
        Ok(named) => named,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !named.is_file() {
        return Err(Error::ForeignSpool { path: path.to_owned() });
    }
    let file = File::open(path).map_err(failed)?;
    let opened = file.metadata().map_err(failed)?;
    // What was looked at is what was opened: nobody put a link in between.
    if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) {
        return Err(Error::ForeignSpool { path: path.to_owned() });
    }
    Ok(Some(file))
}

/// How long a file is now.
pub(super) fn length(file: &File, path: &Path) -> Result<u64, Error> {
    let found = file.metadata();
    found
        .map(|metadata| metadata.len())
        .map_err(|source| Error::ReadSpool { path: path.to_owned(), source })
}

/// Reads once at `offset`; zero bytes mean the end of the file.
pub(super) fn read_at(
    file: &File,
    path: &Path,
    offset: u64,
    buffer: &mut [u8],
) -> Result<usize, Error> {
    loop {
        match file.read_at(buffer, offset) {
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::ReadSpool { path: path.to_owned(), source }),
        }
    }
}

/// Reads exactly `range`, which must exist and be small.
pub(super) fn read_range(
    file: &File,
    path: &Path,
    range: std::ops::Range<u64>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.read_exact_at(&mut bytes, range.start)
        .map_err(|source| Error::ReadSpool { path: path.to_owned(), source })?;
    Ok(bytes)
}
