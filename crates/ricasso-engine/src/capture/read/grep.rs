//! Searches the redacted text line by line. It must never let a pattern see what is redacted:
//! the answer would tell it.

use super::super::error::Error;
use super::{Reading, Which};
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use std::io::Write;

/// A line is searched in windows of this many bytes; nearly all lines fit in one.
const WINDOW_BYTES: usize = 256 * 1024;

/// What two windows of a longer line share, and so the longest match that is certain to be found.
const SHARED_BYTES: usize = 4 * 1024;

pub(super) fn grep(
    reading: &Reading,
    which: Which,
    regex: &str,
    out: &mut dyn Write,
) -> Result<u64, Error> {
    let regex = Regex::builder()
        .syntax(syntax::Config::new().utf8(false))
        .build(regex)
        .map_err(|source| Error::Pattern { pattern: regex.to_owned(), source: source.into() })?;
    let label = reading.label();
    let (mut line, mut shown) = (Line::new(regex), Vec::new());
    let mut matches = 0;
    reading.each_hidden(which, 0..u64::MAX, &mut |block, range| {
        let mut offset = range.start;
        for part in block.raw(range).split_inclusive(|&byte| byte == b'\n') {
            let end = offset + part.len() as u64;
            block.write_redacted(offset..end, label, &mut shown);
            line.add(&shown);
            shown.clear();
            offset = end;
            line.end += part.len() as u64;
            if part.ends_with(b"\n") {
                matches += line.close(reading, which, Ending::Newline, out)?;
            }
        }
        Ok(())
    })?;
    if line.end > line.start {
        matches += line.close(reading, which, Ending::Nothing, out)?;
    }
    Ok(matches)
}

/// The line at hand.
struct Line {
    regex: Regex,
    number: u64,
    /// Where it lies in the sequence, raw.
    start: u64,
    end: u64,
    /// Its redacted text, or the last window of it.
    text: Vec<u8>,
    cut: Cut,
    found: Found,
}

#[derive(PartialEq, Eq)]
enum Cut {
    /// The text is the whole line.
    Whole,
    /// The start of the line was searched and let go.
    Front,
}

#[derive(PartialEq, Eq)]
enum Ending {
    Newline,
    Nothing,
}

#[derive(PartialEq, Eq)]
enum Found {
    Nothing,
    Match,
}

impl Line {
    fn new(regex: Regex) -> Line {
        let (text, cut, found) = (Vec::new(), Cut::Whole, Found::Nothing);
        Line { regex, number: 1, start: 0, end: 0, text, cut, found }
    }

    fn add(&mut self, mut shown: &[u8]) {
        while self.text.len() + shown.len() > WINDOW_BYTES {
            let (now, later) = shown.split_at(WINDOW_BYTES - self.text.len());
            self.text.extend_from_slice(now);
            // The last byte stays outside, so that `$` does not take the window's end for the
            // line's.
            self.search(self.text.len() - 1);
            self.text.drain(..WINDOW_BYTES - SHARED_BYTES);
            self.cut = Cut::Front;
            shown = later;
        }
        self.text.extend_from_slice(shown);
    }

    fn search(&mut self, until: usize) {
        // One byte stays in front, so that `^` does not take the window's start for the line's.
        let from = if self.cut == Cut::Front { 1 } else { 0 };
        let input = Input::new(&self.text).range(from..until.max(from)).earliest(true);
        if self.found == Found::Nothing && self.regex.is_match(input) {
            self.found = Found::Match;
        }
    }

    /// Ends the line and writes it if it matched; returns the number of matches.
    fn close(
        &mut self,
        reading: &Reading,
        which: Which,
        ending: Ending,
        out: &mut dyn Write,
    ) -> Result<u64, Error> {
        while self.text.last().is_some_and(|&last| last == b'\n' || last == b'\r') {
            self.text.pop();
        }
        self.search(self.text.len());
        let matched = self.found == Found::Match;
        if matched {
            let failed = |source| Error::HandOut { source };
            write!(out, "{}:", self.number).map_err(failed)?;
            if self.cut == Cut::Whole {
                out.write_all(&self.text).map_err(failed)?;
            } else {
                let newline = u64::from(ending == Ending::Newline);
                reading.bytes(which, self.start..self.end - newline, out)?;
            }
            out.write_all(b"\n").map_err(failed)?;
        }
        self.text.clear();
        self.number += 1;
        self.start = self.end;
        (self.cut, self.found) = (Cut::Whole, Found::Nothing);
        Ok(u64::from(matched))
    }
}
