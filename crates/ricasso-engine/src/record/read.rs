//! Reading the ledger: every line in order, and which jobs were opened and never closed.
//!
//! Reading takes no lock and mends nothing; a line that is being written is left out.

use super::entry::{Entry, Phase};
use super::error::Error;
use super::files::Files;
use super::ledger::MAX_LINE_BYTES;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::{Path, PathBuf};

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its number in the chain.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// The line as it stands in the file.
    pub text: String,
    /// What it says.
    pub entry: Entry<Value>,
}

/// A job that was opened and, as far as the ledger knows, never closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The job.
    pub id: String,
    /// When it was opened.
    pub at: String,
    /// Its session.
    pub session: Option<String>,
    /// Its owner.
    pub owner: Option<String>,
}

/// All lines, oldest first.
#[derive(Debug)]
pub struct Entries {
    files: Files,
    numbers: std::vec::IntoIter<u32>,
    open: Option<Reader>,
}

/// The lines of the ledger in this directory; none where there is no ledger.
pub fn entries(directory: &Path) -> Result<Entries, Error> {
    let files = Files::new(directory);
    let numbers = if directory.exists() { files.numbers()? } else { Vec::new() };
    Ok(Entries { files, numbers: numbers.into_iter(), open: None })
}

/// Which of these jobs were opened and not closed. The newest file is read first and older ones
/// only as far as an id is still missing, so it costs little when the jobs are recent; a start
/// that knows of no stale job need not call it.
pub fn unclosed(directory: &Path, ids: &BTreeSet<String>) -> Result<Vec<Opened>, Error> {
    let files = Files::new(directory);
    let mut missing = ids.clone();
    let mut closed = BTreeSet::new();
    let mut opened = Vec::new();
    let numbers = if directory.exists() { files.numbers()? } else { Vec::new() };
    for number in numbers.into_iter().rev() {
        if missing.is_empty() {
            break;
        }
        let Some(mut reader) = Reader::open_if_there(files.lines(number))? else { continue };
        while let Some(line) = reader.next_line()? {
            // A line that somebody changed says nothing here; `verify` tells it, and a start must
            // not fail over it.
            let Ok(Line { entry, .. }) = reader.parse(&line) else {
                continue;
            };
            match entry.phase {
                Phase::Open if missing.remove(&entry.id) => opened.push(Opened {
                    id: entry.id,
                    at: entry.at,
                    session: entry.session.as_ref().and_then(Value::as_str).map(str::to_string),
                    owner: entry.owner,
                }),
                Phase::Close if ids.contains(&entry.id) => {
                    closed.insert(entry.id);
                }
                Phase::Open | Phase::Close | Phase::Repair | Phase::Note => {}
            }
        }
    }
    opened.retain(|job| !closed.contains(&job.id));
    Ok(opened)
}

/// The opening line of a job, looked for in the newest file first.
pub fn opening_of(directory: &Path, id: &str) -> Result<Option<Line>, Error> {
    let files = Files::new(directory);
    let numbers = if directory.exists() { files.numbers()? } else { Vec::new() };
    let finder = memchr::memmem::Finder::new(id.as_bytes());
    for number in numbers.into_iter().rev() {
        let Some(mut reader) = Reader::open_if_there(files.lines(number))? else { continue };
        while let Some(line) = reader.next_line()? {
            if finder.find(&line).is_none() {
                continue;
            }
            // A line that somebody changed says nothing here; `verify` tells it.
            let Ok(line) = reader.parse(&line) else { continue };
            if line.entry.phase == Phase::Open && line.entry.id == id {
                return Ok(Some(line));
            }
        }
    }
    Ok(None)
}

impl Iterator for Entries {
    type Item = Result<Line, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(reader) = &mut self.open {
                match reader.next_line() {
                    Ok(Some(line)) => return Some(reader.parse(&line)),
                    Ok(None) => self.open = None,
                    Err(error) => return Some(Err(error)),
                }
            }
            let number = self.numbers.next()?;
            match Reader::open_if_there(self.files.lines(number)) {
                Ok(reader) => self.open = reader,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// One file of lines, read line by line with a bound.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<Take<File>>,
    line: usize,
}

#[derive(Deserialize)]
struct Read1 {
    seq: u64,
    hash: String,
}

impl Reader {
    /// Opens a file of lines and reads no more than `bound` bytes of it.
    pub(super) fn open(path: PathBuf, bound: u64) -> Result<Self, Error> {
        match File::open(&path) {
            Ok(file) => {
                let file = BufReader::with_capacity(1 << 16, file.take(bound));
                Ok(Self { path, file, line: 0 })
            }
            Err(source) => Err(Error::OpenFile { path, source }),
        }
    }

    /// Opens all of a file; nothing where retention removed it meanwhile.
    fn open_if_there(path: PathBuf) -> Result<Option<Self>, Error> {
        match Reader::open(path, u64::MAX) {
            Err(Error::OpenFile { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// The next complete line, or nothing at the end or before a torn line.
    pub(super) fn next_line(&mut self) -> Result<Option<Vec<u8>>, Error> {
        match self.next_piece()? {
            Piece::Line(line) => Ok(Some(line)),
            Piece::Torn(_) | Piece::End => Ok(None),
        }
    }

    /// The next stretch of the file, told apart.
    pub(super) fn next_piece(&mut self) -> Result<Piece, Error> {
        let mut line = Vec::new();
        let bound = MAX_LINE_BYTES as u64 + 1;
        let read = (&mut self.file).take(bound).read_until(b'\n', &mut line);
        read.map_err(|source| Error::ReadFile { path: self.path.clone(), source })?;
        self.line += 1;
        match line.last() {
            None => Ok(Piece::End),
            Some(b'\n') => {
                line.pop();
                Ok(Piece::Line(line))
            }
            // A piece longer than any line of ours is no line either; the rest follows.
            Some(_) if line.len() > MAX_LINE_BYTES => Ok(Piece::Line(line)),
            Some(_) => Ok(Piece::Torn(line.len())),
        }
    }

    fn parse(&self, line: &[u8]) -> Result<Line, Error> {
        let bad = |source| Error::BadLine { path: self.path.clone(), line: self.line, source };
        let Read1 { seq, hash } = serde_json::from_slice(line).map_err(bad)?;
        let mut entry: Entry<Value> = serde_json::from_slice(line).map_err(bad)?;
        for own in ["v", "seq", "prev", "event", "hash"] {
            entry.extra.remove(own);
        }
        let text = String::from_utf8_lossy(line).into_owned();
        Ok(Line { seq, hash, text, entry })
    }
}

/// A stretch of a file of lines.
pub(super) enum Piece {
    /// A complete line, without its newline.
    Line(Vec<u8>),
    /// Bytes without a newline at the end of the file: how many.
    Torn(usize),
    /// The end of the file.
    End,
}
