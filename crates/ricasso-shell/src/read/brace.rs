//! Brace expansion: marks the braces, commas and dots of a word that expands.
//!
//! It works on the unquoted literal parts of a word and makes no words; braces that do not expand
//! (`{}`, `{a}`, `HEAD@{1}`) stay literal.

use crate::Span;
use crate::tree::{Brace, Part, Piece};

use super::Reader;

/// A byte of a literal part that may be a mark.
#[derive(Clone, Copy)]
struct Spot {
    part: usize,
    byte: usize,
    mark: Brace,
}

impl Reader<'_> {
    /// Splits the literal parts of a word at the marks of brace expansions.
    pub(super) fn mark_braces(&self, parts: &mut Vec<Part>) {
        let opens =
            |part: &Part| matches!(&part.kind, Piece::Literal(text) if text.contains(&b'{'));
        if !parts.iter().any(opens) {
            return;
        }
        let spots = expanding(&spots(parts), parts);
        if spots.is_empty() {
            return;
        }
        let mut marked = Vec::with_capacity(parts.len() + spots.len() * 2);
        let mut spots = spots.into_iter().peekable();
        for (index, part) in std::mem::take(parts).into_iter().enumerate() {
            let Piece::Literal(text) = &part.kind else {
                marked.push(part);
                continue;
            };
            let mut from = 0;
            while let Some(spot) = spots.next_if(|spot| spot.part == index) {
                let width = if spot.mark == Brace::Range { 2 } else { 1 };
                literal(&mut marked, &part, text, from, spot.byte);
                let span = slice(&part, text, spot.byte, spot.byte + width);
                marked.push(Part { span, kind: Piece::Brace(spot.mark) });
                from = spot.byte + width;
            }
            literal(&mut marked, &part, text, from, text.len());
        }
        *parts = marked;
    }
}

fn literal(marked: &mut Vec<Part>, part: &Part, text: &[u8], from: usize, to: usize) {
    if from < to {
        let kind = Piece::Literal(text[from..to].into());
        marked.push(Part { span: slice(part, text, from, to), kind });
    }
}

/// The span of some bytes of a literal; the whole part where continuations blur the offsets.
fn slice(part: &Part, text: &[u8], from: usize, to: usize) -> Span {
    if part.span.len() == text.len() {
        Span::new(part.span.start + from, part.span.start + to)
    } else {
        part.span
    }
}

fn spots(parts: &[Part]) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (part, piece) in parts.iter().enumerate() {
        let Piece::Literal(text) = &piece.kind else { continue };
        for (byte, &value) in text.iter().enumerate() {
            let mark = match value {
                b'{' => Brace::Open,
                b',' => Brace::Comma,
                b'}' => Brace::Close,
                b'.' if text.get(byte + 1) == Some(&b'.') => Brace::Range,
                _ => continue,
            };
            spots.push(Spot { part, byte, mark });
        }
    }
    spots
}

/// Keeps the marks that belong to braces that expand.
fn expanding(spots: &[Spot], parts: &[Part]) -> Vec<Spot> {
    let mut open: Vec<(usize, Vec<usize>, Vec<usize>)> = Vec::new();
    let mut keep = vec![false; spots.len()];
    for (index, spot) in spots.iter().enumerate() {
        match spot.mark {
            Brace::Open => open.push((index, Vec::new(), Vec::new())),
            Brace::Comma => {
                if let Some((_, commas, _)) = open.last_mut() {
                    commas.push(index);
                }
            }
            Brace::Range => {
                if let Some((_, _, ranges)) = open.last_mut() {
                    ranges.push(index);
                }
            }
            Brace::Close => {
                let Some((first, commas, ranges)) = open.pop() else { continue };
                let marks = if commas.is_empty() { &ranges } else { &commas };
                let sequence = commas.is_empty() && !is_sequence(spots[first], *spot, parts);
                if marks.is_empty() || sequence {
                    continue;
                }
                for &mark in marks.iter().chain([&first, &index]) {
                    keep[mark] = true;
                }
            }
        }
    }
    let kept = spots.iter().zip(keep);
    kept.filter(|(_, keep)| *keep).map(|(spot, _)| *spot).collect()
}

/// Whether what stands between two braces is `a..b` or `1..9..2`; an expansion inside may be.
fn is_sequence(open: Spot, close: Spot, parts: &[Part]) -> bool {
    if open.part != close.part {
        return true;
    }
    let Some(Part { kind: Piece::Literal(text), .. }) = parts.get(open.part) else { return false };
    let Some(inside) = text.get(open.byte + 1..close.byte) else { return false };
    let Ok(inside) = std::str::from_utf8(inside) else { return false };
    let ends: Vec<&str> = inside.split("..").collect();
    let number = |end: &&str| end.parse::<i64>().is_ok();
    let letter = |end: &&str| end.len() == 1 && end.as_bytes()[0].is_ascii_alphabetic();
    match ends.as_slice() {
        [first, last] => (number(first) && number(last)) || (letter(first) && letter(last)),
        [first, last, step] => {
            number(step) && ((number(first) && number(last)) || (letter(first) && letter(last)))
        }
        _ => false,
    }
}
