//! Lines of a spool as they come: a cursor that somebody who watches moves along. The job does not
//! know of it, and the disk is its buffer.
//!
//! It must never let a pattern see what is redacted, and never pass over a line that matches
//! without counting it.

use super::Stream;
use super::error::Error;
use super::read::Reading;
use super::redact::push_lossy;
use super::redacted::Redacted;
use super::stored::SEARCHED_BYTES;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use ricasso_redact::escape::{self, ESC, Escape};
use serde::Serialize;
use std::borrow::Cow;

/// Of a longer line the rest is neither searched nor shown; its bytes are counted.
const LINE_BYTES: usize = 64 * 1024;
/// What is shown of one line.
const SHOWN_BYTES: usize = 4 * 1024;
/// Blocks that one call reads of a stream at most, so that it returns while output floods in.
const BLOCKS_IN_A_ROW: usize = 4;

/// What one call hands out at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// Lines.
    pub lines: usize,
    /// What happens to the lines beyond.
    pub beyond: Beyond,
}

/// What happens to lines that match beyond the bound of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// They wait for the next call.
    Wait,
    /// They are left out, and counted.
    Count,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Of which stream.
    pub stream: Stream,
    /// Its number in the stream, from 1.
    pub number: u64,
    /// Its text, without the line's end; escape sequences are left out.
    pub text: Redacted<String>,
    /// Bytes of it that are not shown.
    pub cut_bytes: u64,
}

/// What one call found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Batch {
    /// Lines that match.
    pub lines: Vec<Line>,
    /// Lines that match and are not among them, and never will be.
    pub left_out: u64,
    /// There is more to read already.
    #[serde(skip)]
    pub more: bool,
}

/// A cursor in both streams of a spool.
#[derive(Debug, Default)]
pub struct Lines {
    regex: Option<Regex>,
    cursors: [Cursor; 2],
}

#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// Everything before this raw offset was read.
    pub(super) at: u64,
    /// Redacted bytes that were not split into lines yet, from `next` on.
    pub(super) shown: Vec<u8>,
    next: usize,
    line: Vec<u8>,
    cut_bytes: u64,
    number: u64,
}

impl Lines {
    /// From the first line on.
    pub fn new(pattern: Option<&str>) -> Result<Lines, Error> {
        Ok(Lines { regex: pattern.map(compile).transpose()?, ..Lines::default() })
    }

    /// Whether a pattern can be used at all.
    pub fn check(pattern: &str) -> Result<(), Error> {
        compile(pattern).map(drop)
    }

    /// Whether this text, which is no line of the cursor, would match.
    pub fn matches(&self, text: &Redacted<String>) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(text.as_str()))
    }

    /// The next lines of a spool, as far as it is stored now. Where nothing follows, the last line
    /// counts without its end, too.
    pub fn next(&mut self, reading: &Reading, takes: Takes) -> Result<Batch, Error> {
        let mut batch = Batch::default();
        for stream in Stream::BOTH {
            self.pass(reading, stream, takes, &mut batch)?;
        }
        Ok(batch)
    }

    fn pass(
        &mut self,
        reading: &Reading,
        stream: Stream,
        takes: Takes,
        batch: &mut Batch,
    ) -> Result<(), Error> {
        let cursor = &mut self.cursors[stream.index()];
        let mut finder = Finder { regex: self.regex.as_ref(), stream, takes, batch };
        for _ in 0..BLOCKS_IN_A_ROW {
            if !cursor.split(&mut finder) {
                finder.batch.more = true;
                return Ok(());
            }
            if !cursor.fill(reading, stream)? {
                if reading.is_ended() && !cursor.close(&mut finder) {
                    finder.batch.more = true;
                }
                return Ok(());
            }
        }
        finder.batch.more = true;
        Ok(())
    }
}

impl Cursor {
    /// Splits what is there; false where the call is full.
    fn split(&mut self, finder: &mut Finder<'_>) -> bool {
        while let Some(length) = memchr::memchr(b'\n', &self.shown[self.next..]) {
            if finder.is_full() {
                return false;
            }
            let end = self.next + length;
            if self.line.is_empty() && self.cut_bytes == 0 && length <= LINE_BYTES {
                self.number += 1;
                finder.see(self.number, &self.shown[self.next..end], 0);
            } else {
                self.hold(end);
                self.finish(finder);
            }
            self.next = end + 1;
        }
        self.hold(self.shown.len());
        self.shown.clear();
        self.next = 0;
        true
    }

    /// Keeps the bytes up to `end` for a line that is not finished.
    fn hold(&mut self, end: usize) {
        let bytes = &self.shown[self.next..end];
        let room = LINE_BYTES - self.line.len();
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.cut_bytes += bytes.len().saturating_sub(room) as u64;
        self.next = end;
    }

    fn finish(&mut self, finder: &mut Finder<'_>) {
        self.number += 1;
        finder.see(self.number, &self.line, self.cut_bytes);
        self.line.clear();
        self.cut_bytes = 0;
    }

    /// The last line of a stream that has ended; false where the call is full.
    fn close(&mut self, finder: &mut Finder<'_>) -> bool {
        if self.line.is_empty() && self.cut_bytes == 0 {
            return true;
        }
        if finder.is_full() {
            return false;
        }
        self.finish(finder);
        true
    }

    /// Reads the next block, redacted; false where there is none.
    pub(super) fn fill(&mut self, reading: &Reading, stream: Stream) -> Result<bool, Error> {
        let block = reading.hidden(stream, self.at..self.at + SEARCHED_BYTES)?;
        let range = self.at..block.end().max(self.at);
        self.at = range.end;
        block.write_redacted(range.clone(), reading.label(), &mut self.shown);
        Ok(!range.is_empty())
    }
}

/// Looks at lines and fills a batch.
struct Finder<'a> {
    regex: Option<&'a Regex>,
    stream: Stream,
    takes: Takes,
    batch: &'a mut Batch,
}

impl Finder<'_> {
    fn is_full(&self) -> bool {
        self.takes.beyond == Beyond::Wait && self.batch.lines.len() >= self.takes.lines
    }

    fn see(&mut self, number: u64, line: &[u8], cut_bytes: u64) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = &plain(line);
        if self.regex.is_some_and(|regex| !regex.is_match(line)) {
            return;
        }
        if self.batch.lines.len() >= self.takes.lines {
            self.batch.left_out += 1;
            return;
        }
        let shown = &line[..line.len().min(SHOWN_BYTES)];
        let cut_bytes = cut_bytes + (line.len() - shown.len()) as u64;
        let text = Redacted::new(printable(shown));
        self.batch.lines.push(Line { stream: self.stream, number, text, cut_bytes });
    }
}

/// A line without escape sequences: colours in a word must not hide it from a pattern.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(ESC, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(ESC, rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = match escape::any(&rest[at..]) {
            Escape::Whole(length) => &rest[at + length..],
            Escape::Cut => &[],
            Escape::Text => &rest[at + 1..],
        };
    }
    plain.extend_from_slice(rest);
    Cow::Owned(plain)
}

/// One line as people read it: no escape sequences, no control characters but the tab.
pub(super) fn printable(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    push_lossy(&mut text, &plain(line));
    text.retain(|c| c == '\t' || !c.is_control());
    text
}

/// A pattern of a caller; linear in the text, whatever it says.
fn compile(pattern: &str) -> Result<Regex, Error> {
    let built = Regex::builder().syntax(syntax::Config::new().utf8(false)).build(pattern);
    built.map_err(|source| Error::Pattern { pattern: pattern.to_owned(), source: source.into() })
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Owner, Redactor, Secrets, Spool};
    use super::*;
    use std::path::{Path, PathBuf};

    const ALL: Takes = Takes { lines: usize::MAX, beyond: Beyond::Wait };

    fn spool(name: &str) -> (PathBuf, Spool) {
        let dir = std::env::temp_dir().join(format!("ricasso-watch-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let redactor = Redactor::new(&Secrets::default()).unwrap();
        let spool = Spool::create(&dir, redactor, Bounds { output_bytes: u64::MAX }).unwrap();
        (dir, spool)
    }

    fn reading(dir: &Path, owner: Owner) -> Reading {
        Reading::open(dir, &Redactor::default(), owner).unwrap()
    }

    fn texts(batch: &Batch) -> Vec<&str> {
        batch.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn lines_are_found_across_pieces_and_the_last_one_at_the_end() {
        let (dir, mut spool) = spool("pieces");
        let mut lines = Lines::new(Some("o")).unwrap();
        for piece in ["one\ntw", "o\nthree\nfo"] {
            let _ = spool.append(Stream::Stdout, piece.as_bytes()).unwrap();
        }
        let _ = spool.append(Stream::Stderr, b"oh\n").unwrap();
        let first = lines.next(&reading(&dir, Owner::Alive), ALL).unwrap();
        spool.finish().unwrap();
        let last = lines.next(&reading(&dir, Owner::Gone), ALL).unwrap();
        let all: Vec<&str> = texts(&first).into_iter().chain(texts(&last)).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["fo", "oh", "one", "two"], "{all:?}");
        assert!(lines.next(&reading(&dir, Owner::Gone), ALL).unwrap().lines.is_empty());
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn every_match_is_delivered_or_counted() {
        let (dir, mut spool) = spool("counted");
        let text: String = (1..=10_000).map(|n| format!("line {n}\n")).collect();
        let _ = spool.append(Stream::Stdout, text.as_bytes()).unwrap();
        spool.finish().unwrap();
        for beyond in [Beyond::Wait, Beyond::Count] {
            let mut lines = Lines::new(Some("0$")).unwrap();
            let (mut delivered, mut left_out, mut more) = (0, 0, true);
            while more {
                let takes = Takes { lines: 7, beyond };
                let batch = lines.next(&reading(&dir, Owner::Gone), takes).unwrap();
                assert!(batch.lines.len() <= 7);
                delivered += batch.lines.len() as u64;
                left_out += batch.left_out;
                more = batch.more;
            }
            assert_eq!(delivered + left_out, 1000);
            assert_eq!(left_out == 0, beyond == Beyond::Wait);
        }
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_line_without_end_is_cut_and_a_secret_in_it_is_not_shown() {
        let (dir, mut spool) = spool("long");
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let long = format!("{token} {}\nshort\n", "x".repeat(300_000));
        let _ = spool.append(Stream::Stdout, long.as_bytes()).unwrap();
        spool.finish().unwrap();
        let mut lines = Lines::new(None).unwrap();
        let batch = lines.next(&reading(&dir, Owner::Gone), ALL).unwrap();
        assert_eq!(batch.lines.len(), 2);
        assert!(batch.lines[0].text.as_str().starts_with("[REDACTED:"));
        assert!(batch.lines[0].cut_bytes > 290_000);
        assert_eq!(batch.lines[1].number, 2);
        assert!(Lines::new(Some("(")).unwrap_err().to_string().contains("regular"));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
