//! Appending: one lock, one write(2) for the line, one for the head.
//!
//! The line is written before the head, so a crash between them loses nothing. Threads share a
//! mutex, processes a lock on the directory.

use super::chain;
use super::entry::{Entry, Phase, RESERVED, Receipt};
use super::error::Error;
use super::files::{self, Files};
use super::head::Head;
use super::lock::Locked;
use super::recover::{self, End};
use crate::capture::Redacted;
use crate::policy::Durability;
use serde::Serialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A file of lines is followed by the next one at this length: small enough to read as a whole
/// when a head is lost, large enough for some fifty thousand jobs.
pub const ROTATE_BYTES: u64 = 64 << 20;

/// A line may be this long. A script has at most a mebibyte, which JSON can make six times longer.
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// The ledger of one state directory, open for appending.
#[derive(Debug)]
pub struct Ledger {
    files: Files,
    durability: Durability,
    rotate_bytes: u64,
    kept: Mutex<Kept>,
}

/// What stays open between two appends.
#[derive(Debug)]
struct Kept {
    directory: File,
    near: Option<Near>,
}

/// The files of the last append. Opening them anew would be half of what an append costs; they are
/// used again only where they are still the ones that the directory names.
#[derive(Debug)]
struct Near {
    head_file: File,
    end: End,
}

impl Ledger {
    /// Opens the ledger in this directory; makes it where there is none. Nothing is read yet.
    pub fn open(directory: &Path, durability: Durability) -> Result<Self, Error> {
        Self::open_rotating(directory, durability, ROTATE_BYTES)
    }

    /// The same, with files of another length.
    pub(super) fn open_rotating(
        directory: &Path,
        durability: Durability,
        rotate_bytes: u64,
    ) -> Result<Self, Error> {
        let files = Files::new(directory);
        let kept = Mutex::new(Kept { directory: files.open_directory()?, near: None });
        Ok(Self { files, durability, rotate_bytes, kept })
    }

    /// Appends one entry, whose texts are redacted. When it returns, the line is where the
    /// durability says; when it fails, nothing may be run.
    pub fn append(&self, entry: &Entry<Redacted<String>>) -> Result<Receipt, Error> {
        self.append_any(entry)
    }

    pub(super) fn append_any<T: Serialize>(&self, entry: &Entry<T>) -> Result<Receipt, Error> {
        if let Some(key) = entry.extra.keys().find(|key| RESERVED.contains(&key.as_str())) {
            return Err(Error::ReservedKey { key: key.clone() });
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { directory, near } = &mut *kept;
        let _locked = Locked::alone(directory, self.files.directory())?;
        let near_end = near.take().and_then(|near| near.still_true(&self.files));
        let (mut end, mut head_file) = match near_end {
            Some(Near { head_file, end }) => (end, Some(head_file)),
            None => (recover::find_end(&self.files)?, None),
        };
        for repair in std::mem::take(&mut end.repairs) {
            self.write(&mut end, None, &told(repair, &entry.at))?;
        }
        if end.head.length >= self.rotate_bytes {
            end = self.rotate(&end.head, directory)?;
            head_file = None;
        }
        let receipt = self.write(&mut end, head_file.as_ref(), entry)?;
        let head_file = head_file.map_or_else(|| self.files.open_head(), Some);
        *near = head_file.map(|head_file| Near { head_file, end });
        Ok(receipt)
    }

    /// Begins the next file now, where the last one holds anything. Whoever appends meanwhile
    /// waits, and goes on in the new one.
    pub(super) fn begin_next_file(&self, at: &str) -> Result<(), Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { directory, near } = &mut *kept;
        let _locked = Locked::alone(directory, self.files.directory())?;
        *near = None;
        let mut end = recover::find_end(&self.files)?;
        for repair in std::mem::take(&mut end.repairs) {
            self.write(&mut end, None, &told(repair, at))?;
        }
        if end.head.length > 0 {
            self.rotate(&end.head, directory)?;
        }
        Ok(())
    }

    /// The files, for those of this room that look after them.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    fn write<T: Serialize>(
        &self,
        end: &mut End,
        head_file: Option<&File>,
        entry: &Entry<T>,
    ) -> Result<Receipt, Error> {
        let seq = end.head.seq + 1;
        let sealed = chain::seal(seq, &end.head.hash, entry)?;
        let bytes = sealed.line.len();
        if bytes > MAX_LINE_BYTES {
            return Err(Error::TooLong { bytes, most: MAX_LINE_BYTES });
        }
        self.write_line(end, &sealed.line)
            .map_err(|source| Error::Append { path: end.path.clone(), source })?;
        end.head.seq = seq;
        end.head.hash.clone_from(&sealed.hash);
        end.head.length += bytes as u64;
        match head_file {
            Some(file) => self.files.write_head_to(file, &end.head)?,
            None => self.files.write_head(&end.head)?,
        }
        Ok(Receipt { seq, hash: sealed.hash })
    }

    fn write_line(&self, end: &End, line: &[u8]) -> io::Result<()> {
        let written = (&end.file).write(line)?;
        if written < line.len() {
            // A full disk takes a part of the line, and so does a limit on the size of files; which
            // of the two it is, the kernel says of the rest. Cut the line off now; if even that
            // fails, the next append finds a torn line and cuts it off then.
            let rest = (&end.file).write(&line[written..]);
            end.file.set_len(end.head.length)?;
            return Err(rest.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into()));
        }
        match self.durability {
            Durability::Sync => end.file.sync_data(),
            Durability::Flush => Ok(()),
        }
    }

    /// The next file. The head points to it before its first line is written, so a crash leaves
    /// at most an empty file.
    fn rotate(&self, head: &Head, directory: &File) -> Result<End, Error> {
        let next = Head { file: head.file + 1, length: 0, ..head.clone() };
        let (file, path) = self.files.open_lines(next.file)?;
        if self.durability == Durability::Sync {
            let synced = directory.sync_all();
            synced.map_err(|source| Error::Append { path: path.clone(), source })?;
        }
        self.files.write_head(&next)?;
        Ok(End { file, path, head: next, repairs: Vec::new() })
    }
}

impl Near {
    /// The end of the chain as the head tells it now; nothing where somebody else rotated, mended
    /// or removed anything meanwhile, and the long way is needed.
    fn still_true(self, files: &Files) -> Option<Near> {
        let head = files::head_of(&self.head_file)?;
        let lines = self.end.file.metadata().ok()?;
        let head_file = self.head_file.metadata().ok()?;
        let named = files::is_at(&lines, &self.end.path) && files::is_at(&head_file, &files.head());
        let same = head.file == self.end.head.file && lines.len() == head.length;
        (named && same).then(|| Near { end: End { head, ..self.end }, ..self })
    }
}

fn told(repair: Value, at: &str) -> Entry<()> {
    let mut entry = Entry::new(Phase::Repair, "", at);
    entry.extra.insert("repair".to_string(), repair);
    entry
}
