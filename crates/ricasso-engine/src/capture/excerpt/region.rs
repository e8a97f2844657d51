//! A stretch of a stream that is at hand: its text, its atoms (what is never cut), its line
//! numbers. A region must start and end between atoms.

use super::super::redact::push_lossy;
use super::Sample;
use ricasso_redact::escape::{self, CONTROL_BYTES, ESC, Escape};
use ricasso_redact::{Label, Span};
use std::ops::Range;

/// A stretch of raw bytes and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a> {
    /// The offset of the first byte.
    pub(super) start: u64,
    pub(super) bytes: &'a [u8],
    spans: &'a [Span],
    label: Label,
    /// The line of the first byte, counted from 1.
    line: u64,
    /// Whether the byte before the region is a newline, or there is none.
    pub(super) after_newline: bool,
    /// Whether the stream goes on behind the region.
    pub(super) goes_on: bool,
}

impl<'a> Region<'a> {
    /// The head and the tail of a sample, trimmed to whole atoms; the tail may be empty.
    pub(super) fn both(sample: &'a Sample) -> [Region<'a>; 2] {
        let spans = &sample.spans[..];
        let head_bytes = &sample.head_bytes[..];
        if sample.tail_bytes.is_empty() {
            let head = Region {
                start: 0,
                bytes: head_bytes,
                spans,
                label: sample.label,
                line: 1,
                after_newline: true,
                goes_on: false,
            };
            let end = head.end();
            return [head, Region { start: end, bytes: &[], ..head }];
        }
        let head_end = trim_end(head_bytes, spans);
        let tail_at = sample.bytes - sample.tail_bytes.len() as u64;
        let skip = trim_start(&sample.tail_bytes, tail_at, spans);
        let bytes = &sample.tail_bytes[skip..];
        let newlines = count_newlines(bytes);
        let head = Region {
            start: 0,
            bytes: &head_bytes[..head_end],
            spans,
            label: sample.label,
            line: 1,
            after_newline: true,
            goes_on: true,
        };
        let tail = Region {
            start: tail_at + skip as u64,
            bytes,
            spans,
            label: sample.label,
            line: sample.newlines.saturating_sub(newlines) + 1,
            after_newline: sample.tail_bytes[skip - 1] == b'\n',
            goes_on: false,
        };
        [head, tail]
    }

    /// The offset behind the last byte.
    pub(super) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// The raw bytes of a range in this region.
    pub(super) fn raw(&self, range: Range<u64>) -> &'a [u8] {
        &self.bytes[(range.start - self.start) as usize..(range.end - self.start) as usize]
    }

    /// The line of the byte at `offset`.
    pub(super) fn line_of(&self, offset: u64) -> u64 {
        self.line + count_newlines(self.raw(self.start..offset))
    }

    /// The line of the byte before `offset`, which may be the one before the region.
    pub(super) fn line_before(&self, offset: u64) -> u64 {
        if offset == self.start {
            return self.line - u64::from(self.after_newline && self.line > 1);
        }
        self.line_of(offset - 1)
    }

    /// The secret that `offset` lies in, or the next one.
    pub(super) fn span_at(&self, offset: u64) -> Option<&'a Span> {
        self.spans.get(self.spans.partition_point(|span| span.end <= offset))
    }

    /// Whether nothing in the range needs more than a look at its bytes.
    fn is_plain(&self, range: &Range<u64>) -> bool {
        let secret = self.span_at(range.start).is_some_and(|span| span.start < range.end);
        !secret && memchr::memchr(ESC, self.raw(range.clone())).is_none()
    }

    /// Adds the text of a range.
    pub(super) fn push_text(&self, range: Range<u64>, text: &mut String) {
        if self.is_plain(&range) {
            push_lossy(text, self.raw(range));
            return;
        }
        let mut at = range.start;
        while at < range.end {
            at = self.push_atom(at, range.end, text);
        }
    }

    /// The text of a range.
    pub(super) fn text(&self, range: Range<u64>) -> String {
        let mut text = String::new();
        self.push_text(range, &mut text);
        text
    }

    /// Adds the text of what stands at `at` and must not be cut; returns where it ends.
    pub(super) fn push_atom(&self, at: u64, end: u64, text: &mut String) -> u64 {
        if let Some(span) = self.span_at(at)
            && span.start <= at
        {
            if span.start == at {
                text.push_str(&self.label.placeholder(&span.kind));
            }
            return span.end.min(end);
        }
        let rest = self.raw(at..end);
        if rest[0] == ESC
            && let Escape::Whole(length) = escape::any(rest)
            && self.span_at(at).is_none_or(|span| span.start >= at + length as u64)
        {
            return at + length as u64;
        }
        let length = character(rest);
        push_lossy(text, &rest[..length]);
        at + length as u64
    }
}

/// The length of the character at the start, or 1 where there is none.
fn character(bytes: &[u8]) -> usize {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    match bytes.get(..length) {
        Some(whole) if std::str::from_utf8(whole).is_ok() => length,
        Some(_) | None => 1,
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Where the last whole atom of the head's window ends.
fn trim_end(bytes: &[u8], spans: &[Span]) -> usize {
    let end = bytes.len();
    let crossing = spans.iter().find(|s| s.start < end as u64 && s.end > end as u64);
    if let Some(span) = crossing {
        return span.start as usize;
    }
    let recent = end.saturating_sub(CONTROL_BYTES);
    if let Some(at) = memchr::memrchr(ESC, &bytes[recent..])
        && escape::any(&bytes[recent + at..]) == Escape::Cut
    {
        return recent + at;
    }
    (end.saturating_sub(3)..end).rfind(|&at| bytes[at] >= 0xc0).map_or(end, |at| {
        let whole = character(&bytes[at..]) > 1;
        if whole { end } else { at }
    })
}

/// Where the first whole atom of the tail's window starts. At least one byte stays before it.
fn trim_start(bytes: &[u8], offset: u64, spans: &[Span]) -> usize {
    let first = offset + 1;
    if let Some(span) = spans.iter().find(|s| s.start < first && s.end > first) {
        return ((span.end - offset) as usize).min(bytes.len());
    }
    let continued = bytes[1..].iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    1 + continued
}
