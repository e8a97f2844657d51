//! Takes a region apart into lines, folds what repeats, and caps what is too long. What comes out
//! tiles the region. It must never fold lines that differ in more than progress, unless there is
//! too much output to show them.

use super::region::Region;
use super::{Budget, Part, Why};
use std::ops::Range;

/// Fewer lines in a row are not worth a marker.
const REPEATS: usize = 4;

/// Fewer bytes are not worth a marker, which has about half of this.
const FOLD_BYTES: u64 = 256;

/// How much alike lines must be to be folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same text, or progress: a percentage that moves.
    Progress,
    /// The same text but for digits; for output that cannot be shown as a whole.
    Digits,
}

/// A line, or what a carriage return ends and the next text overwrites.
#[derive(Debug, Clone)]
struct Unit {
    range: Range<u64>,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Newline,
    Return,
    Nothing,
}

/// The region as parts: shown lines, folded ones, capped ones.
pub(super) fn fold(region: &Region<'_>, budget: Budget, likeness: Likeness) -> Vec<Part> {
    let mut parts = Vec::new();
    let lines = fold_redraws(region, units(region), &mut parts);
    let mut folded = Vec::new();
    let mut rest = &lines[..];
    while !rest.is_empty() {
        let (alike, later) = rest.split_at(run_length(region, rest, likeness));
        fold_run(region, alike, &mut folded);
        rest = later;
    }
    parts.extend(folded);
    parts.sort_by_key(|part| range_of(part).start);
    parts.into_iter().flat_map(|part| cap(region, part, budget)).collect()
}

/// The raw range of a part.
pub(super) fn range_of(part: &Part) -> &Range<u64> {
    match part {
        Part::Shown(range) | Part::Omitted(range, ..) => range,
    }
}

/// Leaves out a range of this region.
fn omit(region: &Region<'_>, range: Range<u64>, why: Why) -> Part {
    let lines = [region.line_of(range.start), region.line_before(range.end)];
    Part::Omitted(range, lines, why)
}

fn units(region: &Region<'_>) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut start = region.start;
    while start < region.end() {
        let (end, how) = unit_end(region, start);
        units.push(Unit { range: start..end, end: how });
        start = end;
    }
    units
}

/// Where the line at `start` ends; a secret with newlines in it belongs to one line.
fn unit_end(region: &Region<'_>, start: u64) -> (u64, End) {
    let mut at = start;
    while let Some(found) = memchr::memchr2(b'\n', b'\r', region.raw(at..region.end())) {
        let place = at + found as u64;
        at = place + 1;
        if let Some(span) = region.span_at(place)
            && span.start <= place
        {
            at = span.end.min(region.end());
            continue;
        }
        if region.raw(place..at) == b"\n" {
            return (at, End::Newline);
        }
        if !region.raw(at..region.end()).starts_with(b"\n") {
            return (at, End::Return);
        }
    }
    (region.end(), End::Nothing)
}

/// Leaves out what was overwritten on the same line; returns the lines that remain.
fn fold_redraws(region: &Region<'_>, units: Vec<Unit>, parts: &mut Vec<Part>) -> Vec<Unit> {
    let mut lines = Vec::new();
    for redraws in units.chunk_by(|unit, _| unit.end == End::Return) {
        let Some((last, before)) = redraws.split_last() else { continue };
        let start = redraws[0].range.start;
        if last.range.start - start >= FOLD_BYTES {
            let why = Why::Repeats(before.len() as u64);
            parts.push(omit(region, start..last.range.start, why));
            lines.push(last.clone());
        } else {
            lines.push(Unit { range: start..last.range.end, end: last.end });
        }
    }
    lines
}

/// How many lines from the first on are alike and follow each other.
fn run_length(region: &Region<'_>, lines: &[Unit], likeness: Likeness) -> usize {
    let shape = Shape::of(region, &lines[0], likeness);
    let mut end = lines[0].range.end;
    let alike = lines[1..].iter().take_while(|line| {
        let follows = line.range.start == end;
        end = line.range.end;
        follows && Shape::of(region, line, likeness) == shape
    });
    1 + alike.count()
}

/// Shows the first and the last of a run and leaves out those between, if that is worth it.
fn fold_run(region: &Region<'_>, run: &[Unit], parts: &mut Vec<Part>) {
    let (first, last) = (&run[0].range, &run[run.len() - 1].range);
    if run.len() >= REPEATS && last.start - first.end >= FOLD_BYTES {
        parts.push(Part::Shown(first.clone()));
        parts.push(omit(region, first.end..last.start, Why::Repeats(run.len() as u64 - 2)));
        parts.push(Part::Shown(last.clone()));
    } else {
        parts.extend(run.iter().map(|line| Part::Shown(line.range.clone())));
    }
}

/// What lines have in common that are alike.
#[derive(Debug, PartialEq, Eq)]
struct Shape(String);

impl Shape {
    fn of(region: &Region<'_>, unit: &Unit, likeness: Likeness) -> Shape {
        let text = region.text(unit.range.clone());
        if text.contains('%') {
            return Shape(text.chars().filter(|c| c.is_alphabetic()).collect());
        }
        match likeness {
            Likeness::Progress => Shape(text),
            // Lines of nothing but numbers are a table, and each of them says something.
            Likeness::Digits if !text.contains(char::is_alphabetic) => Shape(text),
            Likeness::Digits => Shape(without_digits(&text)),
        }
    }
}

/// Each number becomes one digit, whatever its length.
fn without_digits(text: &str) -> String {
    let mut shape = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '0'..='9' if shape.ends_with('0') => {}
            '0'..='9' => shape.push('0'),
            other => shape.push(other),
        }
    }
    shape
}

/// Cuts the middle out of a line that is too long.
fn cap(region: &Region<'_>, part: Part, budget: Budget) -> Vec<Part> {
    let Part::Shown(range) = &part else { return vec![part] };
    if range.end - range.start <= budget.line_bytes as u64 / 4 {
        // Even as escaped bytes it fits, and a placeholder cannot make it too long by much.
        return vec![part];
    }
    let atoms = atoms(region, range.clone());
    let total: usize = atoms.iter().map(|atom| atom.1).sum();
    if total <= budget.line_bytes {
        return vec![part];
    }
    // Of a line that started before the region only the end is an end, and so the other way.
    let (front, back) = if range.start == region.start && !region.after_newline {
        (0, budget.line_bytes)
    } else if range.end == region.end() && region.goes_on {
        (budget.line_bytes, 0)
    } else {
        (budget.line_bytes / 4 * 3, budget.line_bytes / 4)
    };
    let front = fill(atoms.iter(), front);
    let back = fill(atoms[front..].iter().rev(), back);
    let cut = |count: usize| if count == 0 { range.start } else { atoms[count - 1].0 };
    let (start, end) = (cut(front), cut(atoms.len() - back));
    let mut parts = vec![Part::Shown(range.start..start), omit(region, start..end, Why::LongLine)];
    parts.push(Part::Shown(end..range.end));
    parts.retain(|part| !range_of(part).is_empty());
    parts
}

/// The ends of the atoms in a range, and how long their text is.
fn atoms(region: &Region<'_>, range: Range<u64>) -> Vec<(u64, usize)> {
    let mut atoms = Vec::new();
    let mut text = String::new();
    let mut at = range.start;
    while at < range.end {
        text.clear();
        at = region.push_atom(at, range.end, &mut text);
        atoms.push((at, text.len()));
    }
    atoms
}

/// How many atoms fit.
fn fill<'a>(atoms: impl Iterator<Item = &'a (u64, usize)>, budget: usize) -> usize {
    let mut used = 0;
    let fitting = atoms.take_while(|atom| {
        used += atom.1;
        used <= budget
    });
    fitting.count()
}
