//! A piece of a text with a place marked in it, for people: secrets gone, nothing invisible left.
//!
//! Bytes of the raw text and of the shown one differ wherever something was hidden or escaped, so
//! the mark is carried along while the text is made.

use super::redact::Redactor;
use super::redacted::Redacted;
use ricasso_redact::{Label, Span};
use std::ops::Range;

/// Lines that are shown of a mark that spans many; the rest says nothing more.
const MAX_LINES: usize = 12;
/// Bytes that are shown before and behind a mark, and of the mark itself.
const MAX_BYTES: usize = 2 * 1024;

/// The lines of a text that a place lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The number of the first line, from 1.
    pub first_line: usize,
    /// The lines. What cannot be seen is escaped, and bytes that are no text are `\xNN`.
    pub text: Redacted<String>,
    /// The place, in bytes of these lines.
    pub span: [usize; 2],
}

impl Redactor {
    /// Shows the lines that a span of a raw text lies in.
    pub fn mark(&self, raw: &[u8], span: [usize; 2]) -> Marked {
        let secrets = self.find_spans(raw);
        let start = span[0].min(raw.len());
        let end = span[1].clamp(start, raw.len());
        let from = line_start(raw, start).max(start.saturating_sub(MAX_BYTES));
        let end = last_shown(raw, start, end);
        let line_end = raw[end..].iter().position(|byte| *byte == b'\n');
        let to = line_end.map_or(raw.len(), |at| end + at).min(end + MAX_BYTES);
        let show = |from, to, begun| visible(raw, from..to, &secrets, begun, self.label());
        let mut text = show(from, start, Begun::Shown);
        let marked = text.len();
        text += &show(start, end, Begun::Told);
        let behind = text.len();
        text += &show(end, to, Begun::Told);
        let first_line = 1 + raw[..from].iter().filter(|byte| **byte == b'\n').count();
        Marked { first_line, text: Redacted::new(text), span: [marked, behind] }
    }
}

fn line_start(raw: &[u8], at: usize) -> usize {
    raw[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
}

/// Where the shown part of the mark ends: after some lines or some bytes.
fn last_shown(raw: &[u8], start: usize, end: usize) -> usize {
    let end = end.min(start + MAX_BYTES);
    let mut newlines = raw[start..end].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.nth(MAX_LINES).map_or(end, |(at, _)| start + at)
}

/// What is shown of a secret that began before the piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// Its placeholder: nothing before was shown.
    Shown,
    /// Nothing: the piece before has it.
    Told,
}

fn visible(
    raw: &[u8],
    Range { start: from, end: to }: Range<usize>,
    secrets: &[Span],
    begun: Begun,
    label: Label,
) -> String {
    let mut text = String::new();
    let mut at = from;
    for secret in secrets {
        let (start, end) = (secret.start as usize, secret.end as usize);
        if end <= at || start >= to {
            continue;
        }
        if start > at {
            push_visible(&mut text, &raw[at..start]);
        }
        if start >= from || begun == Begun::Shown {
            text.push_str(&label.placeholder(&secret.kind));
        }
        at = end.min(to);
    }
    push_visible(&mut text, &raw[at.min(to)..to]);
    text
}

/// Adds bytes as text in which everything can be seen.
fn push_visible(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' | '\t' | '\'' | '"' | '\\' => text.push(character),
                _ => text.extend(character.escape_debug()),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Secrets;
    use super::*;

    fn mark(raw: &[u8], span: [usize; 2]) -> Marked {
        let values = vec![("TOKEN".to_string(), b"s3cret-value".to_vec())];
        Redactor::new(&Secrets { values, patterns: Vec::new() }).unwrap().mark(raw, span)
    }

    fn marked(raw: &[u8], span: [usize; 2]) -> (usize, String, String) {
        let it = mark(raw, span);
        let text = it.text.as_str().to_string();
        let inside = text[it.span[0]..it.span[1]].to_string();
        (it.first_line, text, inside)
    }

    #[test]
    fn only_the_lines_of_the_mark_are_shown() {
        let (line, text, inside) = marked(b"one\ntwo three\nfour", [8, 13]);
        assert_eq!((line, text.as_str(), inside.as_str()), (2, "two three", "three"));
        let (line, text, _) = marked(b"a\nb\nc", [0, 3]);
        assert_eq!((line, text.as_str()), (1, "a\nb"));
    }

    #[test]
    fn a_secret_is_hidden_before_in_and_across_the_mark() {
        let (_, text, inside) = marked(b"curl -H s3cret-value rm x", [21, 23]);
        assert_eq!(text, "curl -H [REDACTED:TOKEN] rm x");
        assert_eq!(inside, "rm");
        let (_, text, _) = marked(b"rm s3cret-value", [0, 8]);
        assert_eq!(text, "rm [REDACTED:TOKEN]");
        let (_, text, _) = marked(b"rm s3cret-value", [8, 15]);
        assert_eq!(text, "rm [REDACTED:TOKEN]");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_mark_moves_along() {
        let raw = "ls \u{202e}txt\r \x1b[2J 漢字 rm".as_bytes();
        let at = raw.len() - 2;
        let (_, text, inside) = marked(raw, [at, raw.len()]);
        assert_eq!(text, "ls \\u{202e}txt\\r \\u{1b}[2J 漢字 rm");
        assert_eq!(inside, "rm");
        let (_, text, inside) = marked(b"\xff\xfe rm", [3, 5]);
        assert_eq!((text.as_str(), inside.as_str()), ("\\xff\\xfe rm", "rm"));
    }

    #[test]
    fn a_long_line_and_a_wrong_span_stay_bounded() {
        let raw = vec![b'x'; 100_000];
        let it = mark(&raw, [50_000, 50_001]);
        assert!(it.text.as_str().len() <= 2 * MAX_BYTES + 1);
        let lines = "a\n".repeat(1000);
        assert!(mark(lines.as_bytes(), [0, 2000]).text.as_str().len() <= 2 * (MAX_LINES + 2));
        let beyond = mark(b"abc", [10, 20]);
        assert_eq!((beyond.text.as_str(), beyond.span), ("abc", [3, 3]));
    }
}
