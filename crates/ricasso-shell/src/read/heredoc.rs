//! Here-documents: bodies begin behind the next newline token and end at their delimiter.
//!
//! Lines are found first and read then. A missing delimiter ends the body at the end of the text,
//! as in the shell, which warns and goes on.

use crate::cursor::Source;
use crate::tree::{Here, HereId, Part, Piece, Word};

use super::Reader;
use super::part::Mode;
use super::token::Strip;

/// A here-document whose body has not come yet.
#[derive(Debug)]
pub(super) struct Pending {
    id: u32,
    delimiter: Vec<u8>,
    quoted: bool,
    strip: Strip,
}

impl Reader<'_> {
    /// Notes a here-document whose delimiter has just been read.
    pub(super) fn await_body(&mut self, word: &Word, raw: &[u8], strip: Strip) -> HereId {
        let id = self.house.heres.len() as u32;
        let quoted = word.parts.iter().any(|part| is_quote(&part.kind));
        let delimiter = match word.value() {
            Some(value) => value.into_owned(),
            None => delimiter(word, raw, word.span.start),
        };
        if !self.bash() && delimiter.contains(&b'\n') {
            // dash compares it across lines.
            self.fail(self.lex.start, crate::error::Why::NotInSh);
        }
        let at = self.cursor.source.origin(self.cursor.end);
        self.house.heres.push(Here { span: crate::Span::new(at, at), quoted, ..Here::default() });
        self.lex.pending.push(Pending { id, delimiter, quoted, strip });
        HereId(id)
    }

    /// Reads the bodies that are due.
    pub(super) fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.lex.pending) {
            let body = self.body(&pending);
            self.house.heres[pending.id as usize] = body;
        }
    }

    /// Here-documents that were still due when a substitution closed: their bodies come behind
    /// the line, before those of the line itself.
    pub(super) fn close_pending(&mut self, pending: Vec<Pending>) {
        self.lex.overdue |= !pending.is_empty();
        self.lex.pending.splice(0..0, pending);
    }

    fn body(&mut self, pending: &Pending) -> Here {
        let start = self.pos();
        let mut rewritten = false;
        let mut end = self.cursor.end;
        while self.cursor.peek_raw().is_some() {
            let line = self.pos();
            let joined = self.logical_line(!pending.quoted);
            let text = self.cursor.source.text.get(line..self.pos()).unwrap_or_default();
            let clean = if joined { join(text) } else { text.into() };
            let clean = clean.strip_suffix(b"\n").unwrap_or(&clean);
            let tabs = match pending.strip {
                Strip::Tabs => clean.iter().take_while(|&&byte| byte == b'\t').count(),
                Strip::No => 0,
            };
            if clean == pending.delimiter || clean[tabs..] == *pending.delimiter {
                end = line;
                break;
            }
            let closes = self.lex.substitution
                && clean[tabs..].starts_with(&pending.delimiter)
                && clean[tabs + pending.delimiter.len()..].contains(&b')');
            if closes && !joined {
                end = line;
                self.cursor.pos = line + tabs + pending.delimiter.len();
                break;
            }
            rewritten |= joined || tabs > 0;
        }
        let after = self.pos();
        let here = self.body_parts(pending, start, end, rewritten);
        self.cursor.pos = after;
        here
    }

    /// Moves behind the next line; joined lines count as one. Says whether any were joined.
    fn logical_line(&mut self, joins: bool) -> bool {
        let mut joined = false;
        while let Some(byte) = self.cursor.next_raw() {
            match byte {
                b'\n' => break,
                b'\\' if joins => joined |= self.cursor.next_raw() == Some(b'\n'),
                _ => {}
            }
        }
        joined
    }

    fn body_parts(&mut self, pending: &Pending, start: usize, end: usize, rewritten: bool) -> Here {
        let span = self.span(start, end);
        let quoted = pending.quoted;
        let text = self.cursor.source.text.get(start..end).unwrap_or_default();
        if quoted && !(rewritten && pending.strip == Strip::Tabs) {
            let parts = vec![Part { span, kind: Piece::Literal(text.into()) }];
            return Here { span, quoted, parts };
        }
        if !rewritten {
            let outer = std::mem::replace(&mut self.here, true);
            let parts = self.parts(start, end, Mode::Here);
            self.here = outer;
            return Here { span, quoted, parts };
        }
        let (text, table) = self.rewritten_body(pending, start, end);
        if quoted {
            let parts = vec![Part { span, kind: Piece::Literal(text.into_boxed_slice()) }];
            return Here { span, quoted, parts };
        }
        let source = Source { text: &text, table: Some(table.into()) };
        let (parts, _) = self.on(source, |reader| {
            reader.here = true;
            reader.parts(0, text.len(), Mode::Here)
        });
        Here { span, quoted, parts }
    }

    /// The body without leading tabs and joined newlines, and where each byte came from.
    fn rewritten_body(&self, pending: &Pending, start: usize, end: usize) -> (Vec<u8>, Vec<u32>) {
        let source = &self.cursor.source;
        let text = source.text.get(start..end).unwrap_or_default();
        let mut bytes = Vec::with_capacity(text.len());
        let mut table = Vec::with_capacity(text.len() + 1);
        let mut fresh = true;
        let mut pos = 0;
        while let Some(&byte) = text.get(pos) {
            if fresh && byte == b'\t' && pending.strip == Strip::Tabs {
                pos += 1;
                continue;
            }
            fresh = byte == b'\n';
            let mut length = 1;
            if byte == b'\\' && !pending.quoted {
                if text.get(pos + 1) == Some(&b'\n') {
                    pos += 2;
                    continue;
                }
                length = 2;
            }
            for &byte in text.iter().skip(pos).take(length) {
                bytes.push(byte);
                table.push(source.origin(start + pos) as u32);
                pos += 1;
            }
        }
        table.push(source.origin(end) as u32);
        (bytes, table)
    }
}

fn is_quote(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Escaped(_) | Piece::Single(_) | Piece::Ansi(_) | Piece::Double(_) | Piece::Locale(_)
    )
}

/// The delimiter as the shell compares it: quotes gone, expansions as written.
fn delimiter(word: &Word, raw: &[u8], base: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in &word.parts {
        plain_text(part, raw, base, &mut bytes);
    }
    bytes
}

fn plain_text(part: &Part, raw: &[u8], base: usize, bytes: &mut Vec<u8>) {
    match &part.kind {
        Piece::Literal(text) | Piece::Single(text) | Piece::Ansi(text) => {
            bytes.extend_from_slice(text);
        }
        Piece::Escaped(byte) => bytes.push(*byte),
        Piece::Double(parts) | Piece::Locale(parts) => {
            for inner in parts {
                plain_text(inner, raw, base, bytes);
            }
        }
        _ => {
            let range = part.span.start.saturating_sub(base)..part.span.end.saturating_sub(base);
            bytes.extend_from_slice(raw.get(range).unwrap_or_default());
        }
    }
}

/// A line without its joined newlines.
fn join(text: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let mut clean = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            clean.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'\n') => {}
            Some(next) => clean.extend([byte, next]),
            None => clean.push(byte),
        }
    }
    clean.into()
}
