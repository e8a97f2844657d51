//! Chooses what fits into the budget: lines from the front, lines from the back, and one gap.
//! The parts must tile the stream, and no two parts that are left out may touch.

use super::fold::{Likeness, fold, range_of};
use super::region::Region;
use super::{Budget, Lean, Part, Sample, Why};

/// What is shown of a stream and what is left out, from its first byte to its last.
pub fn plan(sample: &Sample, budget: Budget, lean: Lean) -> Vec<Part> {
    let regions = Region::both(sample);
    let [head, tail] = &regions;
    let whole = sample.tail_bytes.is_empty();
    if whole {
        let parts = fold(head, budget, Likeness::Progress);
        if cost(head, &parts) <= budget.stream_bytes {
            return joined(parts);
        }
    }
    let front = fold(head, budget, Likeness::Digits);
    if whole && cost(head, &front) <= budget.stream_bytes {
        return joined(front);
    }
    let front_bytes = match lean {
        Lean::Success => budget.stream_bytes / 2,
        Lean::Failure => budget.stream_bytes / 4,
    };
    let (from_front, used) = fill(head, front.iter(), front_bytes);
    let rest = budget.stream_bytes.saturating_sub(used);
    if whole {
        let (from_back, _) = fill(head, front[from_front..].iter().rev(), rest);
        let back = front[front.len() - from_back..].to_vec();
        return with_gap(sample, &regions, front[..from_front].to_vec(), back);
    }
    let back = fold(tail, budget, Likeness::Digits);
    let (from_back, _) = fill(tail, back.iter().rev(), rest);
    let back = back[back.len() - from_back..].to_vec();
    with_gap(sample, &regions, front[..from_front].to_vec(), back)
}

/// The bytes of text that the parts take, markers aside.
fn cost(region: &Region<'_>, parts: &[Part]) -> usize {
    parts.iter().map(|part| part_cost(region, part)).sum()
}

fn part_cost(region: &Region<'_>, part: &Part) -> usize {
    match part {
        Part::Shown(range) => region.text(range.clone()).len(),
        Part::Omitted(..) => 0,
    }
}

/// How many parts fit, and what they take.
fn fill<'a>(
    region: &Region<'_>,
    parts: impl Iterator<Item = &'a Part>,
    budget: usize,
) -> (usize, usize) {
    let (mut count, mut used) = (0, 0);
    for part in parts {
        let more = part_cost(region, part);
        if used + more > budget {
            break;
        }
        used += more;
        count += 1;
    }
    (count, used)
}

fn with_gap(
    sample: &Sample,
    [head, tail]: &[Region<'_>; 2],
    front: Vec<Part>,
    back: Vec<Part>,
) -> Vec<Part> {
    let mut front = front;
    let mut back = back;
    // What is left out beside the gap becomes part of it.
    while front.last().is_some_and(|part| matches!(part, Part::Omitted(..))) {
        front.pop();
    }
    let folded = back.iter().take_while(|part| matches!(part, Part::Omitted(..))).count();
    back.drain(..folded);
    let start = front.last().map_or(0, |part| range_of(part).end);
    let end = back.first().map_or(sample.bytes, |part| range_of(part).start);
    if start < end {
        let behind = if end > head.end() || tail.start < end { tail } else { head };
        let lines = [head.line_of(start), behind.line_before(end)];
        front.push(Part::Omitted(start..end, lines, Why::Budget));
    }
    front.extend(back);
    joined(front)
}

/// Joins neighbours that are both shown or both left out.
fn joined(parts: Vec<Part>) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(Part::Shown(last)), Part::Shown(next)) => last.end = next.end,
            (Some(Part::Omitted(last, lines, why)), Part::Omitted(next, [_, last_line], _)) => {
                last.end = next.end;
                lines[1] = last_line;
                *why = Why::Budget;
            }
            (_, part) => all.push(part),
        }
    }
    all
}
