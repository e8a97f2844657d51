//! The part of the output that goes into a reply: head and tail, long lines capped, repeated lines
//! folded, and for everything left out its exact range and the command that shows it.
//!
//! The core is pure: a [`Sample`] of a stream in, [`Part`]s that tile the stream out, text made of
//! the parts. It must never cut a character, an escape sequence or a secret, never leave out a
//! byte without saying so, and never exceed its budget by more than its markers.
//!
//! In the text, colours, cursor movements, titles and links are left out (they count as shown),
//! and bytes that are not UTF-8 appear as `\xNN`.

mod fit;
mod fold;
mod region;

use super::Stream;
use super::redacted::Redacted;
use region::Region;
use ricasso_redact::{Label, Span};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

pub use fit::plan;

/// What a reply shows of one stream, in bytes of text: some 6,000 tokens, about 300 lines.
pub const STREAM_BYTES: usize = 24 * 1024;

/// What a reply shows of one line, in bytes of text. Longer ones are data, not for reading; twelve
/// of them fill the budget of a stream.
pub const LINE_BYTES: usize = 2 * 1024;

/// How much raw output is looked at from each end, as a multiple of the budget: folding may find
/// room for more than the budget's worth of raw bytes.
const LOOK: u64 = 4;

/// How much a reply shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of text for each stream, markers not counted in.
    pub stream_bytes: usize,
    /// Bytes of text for each line.
    pub line_bytes: usize,
}

/// Which end matters more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lean {
    /// Both ends alike.
    Success,
    /// The tail, where the error is: three quarters of the budget.
    Failure,
}

/// What is shown of a job's output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Of standard output.
    pub stdout: Redacted<String>,
    /// Of standard error.
    pub stderr: Redacted<String>,
    /// What is left out of both, in order.
    pub omitted: Vec<Omitted>,
    /// Secrets that it shows a placeholder for; of a short output all that are in it.
    pub redactions: u64,
}

/// A range that an excerpt leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Of which stream.
    pub stream: Stream,
    /// Raw offsets, the end excluded.
    pub bytes: [u64; 2],
    /// The lines of its first and last byte, counted from 1.
    pub lines: [u64; 2],
}

/// What the core looks at: the two ends of a stream, and its secrets there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// Which stream it is.
    pub stream: Stream,
    /// The length of the stream.
    pub bytes: u64,
    /// The newlines in the whole stream.
    pub newlines: u64,
    /// The first window of [`Sample::windows`].
    pub head_bytes: Vec<u8>,
    /// The second one; empty where the first holds everything.
    pub tail_bytes: Vec<u8>,
    /// The secrets in the windows, in order.
    pub spans: Vec<Span>,
    /// What stands in their place.
    pub label: Label,
}

/// A piece of the stream. The parts of a plan tile it from the first byte to the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Raw offsets that are shown.
    Shown(Range<u64>),
    /// Raw offsets that are left out, the lines of the first and the last of them, and why.
    Omitted(Range<u64>, [u64; 2], Why),
}

/// Why something is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// There is more than the budget allows.
    Budget,
    /// The line is longer than a line may be.
    LongLine,
    /// So many lines or redraws are like the ones shown.
    Repeats(u64),
}

impl Default for Budget {
    fn default() -> Self {
        Budget { stream_bytes: STREAM_BYTES, line_bytes: LINE_BYTES }
    }
}

impl Sample {
    /// The raw ranges that an excerpt of a stream of `bytes` looks at.
    pub fn windows(bytes: u64, budget: Budget) -> [Range<u64>; 2] {
        let window = budget.stream_bytes as u64 * LOOK + 1;
        if bytes <= 2 * window {
            return [0..bytes, bytes..bytes];
        }
        [0..window, bytes - window..bytes]
    }

    /// A sample of a stream that is at hand as a whole.
    pub fn of(stream: Stream, raw: &[u8], spans: &[Span], budget: Budget) -> Sample {
        let [head, tail] = Sample::windows(raw.len() as u64, budget);
        let take = |range: &Range<u64>| raw[range.start as usize..range.end as usize].to_vec();
        Sample {
            stream,
            bytes: raw.len() as u64,
            newlines: memchr::memchr_iter(b'\n', raw).count() as u64,
            head_bytes: take(&head),
            tail_bytes: take(&tail),
            spans: spans.to_vec(),
            label: Label::default(),
        }
    }
}

/// The text of a plan, with a marker for each part that is left out.
pub fn render(sample: &Sample, parts: &[Part], id: &str) -> String {
    let [head, tail] = Region::both(sample);
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Shown(range) => {
                let region = if range.start < head.end() { &head } else { &tail };
                region.push_text(range.clone(), &mut text);
            }
            Part::Omitted(bytes, lines, why) => {
                let marker = marker(bytes, *lines, *why, sample.stream, id);
                push_marker(&mut text, &marker, *why);
            }
        }
    }
    text
}

/// What stands in the text for a part that is left out.
pub fn marker(bytes: &Range<u64>, lines: [u64; 2], why: Why, stream: Stream, id: &str) -> String {
    let mut text = String::from("[… ");
    let count = bytes.end - bytes.start;
    let what = match why {
        Why::Budget => write!(text, "{count} bytes, {}", line_range(lines)),
        Why::LongLine => write!(text, "{count} bytes of {}", line_range(lines)),
        Why::Repeats(repeats) => {
            write!(text, "{repeats} similar, {count} bytes, {}", line_range(lines))
        }
    };
    let how = write!(
        text,
        " left out; ricasso output {id} --stream {} --bytes {}-{}]",
        stream.name(),
        bytes.start,
        bytes.end
    );
    what.and(how).expect("writing to a string cannot fail");
    text
}

pub(super) fn excerpt_of(
    stdout: &Sample,
    stderr: &Sample,
    id: &str,
    budget: Budget,
    lean: Lean,
) -> Excerpt {
    let mut excerpt = Excerpt::default();
    for sample in [stdout, stderr] {
        let (parts, stream) = (plan(sample, budget, lean), sample.stream);
        let text = Redacted::new(render(sample, &parts, id));
        excerpt.redactions += count_shown(sample, &parts);
        match stream {
            Stream::Stdout => excerpt.stdout = text,
            Stream::Stderr => excerpt.stderr = text,
        }
        excerpt.omitted.extend(parts.iter().filter_map(|part| match part {
            Part::Shown(_) => None,
            Part::Omitted(bytes, lines, _) => {
                Some(Omitted { stream, bytes: [bytes.start, bytes.end], lines: *lines })
            }
        }));
    }
    excerpt
}

/// The secrets whose placeholder is in the text.
fn count_shown(sample: &Sample, parts: &[Part]) -> u64 {
    let is_shown = |span: &&Span| {
        let holds = |part: &Part| matches!(part, Part::Shown(range) if range.contains(&span.start));
        parts.iter().any(holds)
    };
    sample.spans.iter().filter(is_shown).count() as u64
}

fn line_range([first, last]: [u64; 2]) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

/// A marker gets a line of its own, except inside a long line, which it leaves whole.
fn push_marker(text: &mut String, marker: &str, why: Why) {
    if why == Why::LongLine {
        text.push_str(marker);
        return;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(marker);
    text.push('\n');
}

#[cfg(test)]
mod tests;
