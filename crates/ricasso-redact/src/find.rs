//! Finds the places where a literal stands that may announce a secret: one pass with a table of
//! three bytes, made at build time, then a comparison with the literals that start so. It must
//! never pass over a place at which the search would find a secret.

use crate::edge::{BEFORE_BYTES, ends_number, ends_word};
use crate::kinds::{Edge, Needs, ROW_COUNT, Row, STEMS, Stem, all_rows};

/// What a literal announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announces {
    /// The row of this index.
    Row(usize),
    /// A name that a secret may be assigned to.
    Name(Stem),
}

/// A literal of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    /// The text.
    pub(crate) text: &'static [u8],
    /// What it announces.
    pub(crate) announces: Announces,
    /// Whether it stays visible, whatever it announces.
    pub(crate) is_lead: bool,
    edge: Edge,
    after: &'static [&'static str],
    needs: Option<Needs>,
    run: usize,
}

/// All literals, in order of precedence.
static LITERALS: [Literal; LITERAL_COUNT] = all_literals();

/// The literals of each slot of two bytes, as indices, slot by slot. One of a single byte is in
/// every slot that starts with it.
static BY_SLOT: [u16; SLOTTED_COUNT] = SLOTTED.0;

/// Where in [`BY_SLOT`] each slot begins; the next one is where it ends.
static SLOT_START: [u16; TWO_BYTE_SLOTS + 1] = SLOTTED.1;

/// For each slot of two bytes a bit for each slot of a third with which a literal starts: 16 KiB,
/// which stay in the nearest cache.
static STARTS: [u32; TWO_BYTE_SLOTS] = third_bytes(0);

/// The same for the literals that no run has to follow.
static STARTS_ALONE: [u32; TWO_BYTE_SLOTS] = third_bytes(SHORTEST_RUN);

/// A shorter run is not asked for before literals are compared.
const SHORTEST_RUN: usize = 14;

/// The bits of the literals whose runs are shorter than this; of all for 0.
const fn third_bytes(most: usize) -> [u32; TWO_BYTE_SLOTS] {
    let (mut bits, mut at) = ([0; TWO_BYTE_SLOTS], 0);
    while at < LITERAL_COUNT {
        let literal = &LITERALS[at];
        let (mut slot, end) = slots_of(literal);
        while slot < end && (most == 0 || literal.run < most) {
            // Behind a literal of one or two bytes anything may stand.
            bits[slot] |=
                if literal.text.len() > 2 { third_bit(literal.text[2]) } else { u32::MAX };
            slot += 1;
        }
        at += 1;
    }
    bits
}

const fn third_bit(byte: u8) -> u32 {
    1 << (byte & 31)
}

/// Seven bits of the first byte and five of the second.
const TWO_BYTE_SLOTS: usize = 1 << 12;

const fn two_byte_slot(first: u8, second: u8) -> usize {
    (first as usize & 127) << 5 | (second as usize & 31)
}

/// Whether runs are made of this byte.
pub(crate) const fn is_run_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'!' | b'$' | b'%' | b'+' | b'-'..=b'/' | b'=')
}

/// The first place of the text at or after `from` where a literal may start, or where a byte
/// stands that `also` has. `sees_before` says whether what stands before a place counts as it is in
/// the text; where escape sequences were taken out, only the search knows how much of it counts.
pub(crate) fn next_place(
    text: &[u8],
    from: usize,
    also: Option<&[bool; 256]>,
    sees_before: bool,
) -> Option<usize> {
    let has = |byte: u8| also.is_some_and(|also| also[usize::from(byte)]);
    let mut at = from;
    loop {
        // Of the last two bytes too little is known.
        let place = match also {
            None => next_start(text, at, |_| false),
            Some(_) => next_start(text, at, has),
        };
        let place = place.unwrap_or(text.len().saturating_sub(2).max(at));
        let rest = text.get(place..).filter(|rest| !rest.is_empty())?;
        let before = &text[place.saturating_sub(BEFORE_BYTES)..place];
        let counts = |literal: &Literal| {
            (!sees_before || literal.may_follow(before)) && literal.may_go_on(rest)
        };
        if has(rest[0]) || standing_literals(rest).any(counts) {
            return Some(place);
        }
        at = place + 1;
    }
}

/// The first place at or after `from`, with two bytes behind it, whose three bytes start a literal
/// and have the run that it asks for, or whose byte `also` accepts.
fn next_start(text: &[u8], from: usize, also: impl Fn(u8) -> bool) -> Option<usize> {
    let [first, second, rest @ ..] = text.get(from..)? else { return None };
    // The slot of the first two bytes in its two halves, each made once for every byte.
    let (mut high, mut low) = (two_byte_slot(*first, 0), two_byte_slot(0, *second));
    let mut next_high = two_byte_slot(*second, 0);
    for (index, &third) in rest.iter().enumerate() {
        let (slot, bit) = (high | low, third & 31);
        let is_start = STARTS[slot] >> bit & 1 == 1
            && (STARTS_ALONE[slot] >> bit & 1 == 1 || has_run(&text[from + index..]));
        if is_start || also(text[from + index]) {
            return Some(from + index);
        }
        (high, low, next_high) = (next_high, usize::from(bit), two_byte_slot(third, 0));
    }
    None
}

fn has_run(text: &[u8]) -> bool {
    text.iter().take(SHORTEST_RUN).all(|&byte| RUN[usize::from(byte)])
}

/// The bytes that runs are made of.
static RUN: [bool; 256] = {
    let (mut run, mut byte) = ([false; 256], 0);
    while byte < 256 {
        run[byte] = is_run_byte(byte as u8);
        byte += 1;
    }
    run
};

/// The literals that stand at the start of `rest`, or may once more bytes are there, and that
/// count after what stands before, in order of precedence.
pub(crate) fn literals_at<'a>(
    rest: &'a [u8],
    before: &'a [u8],
) -> impl Iterator<Item = &'static Literal> + use<'a> {
    standing_literals(rest).filter(|literal| literal.may_follow(before) && literal.may_go_on(rest))
}

fn standing_literals(rest: &[u8]) -> impl Iterator<Item = &'static Literal> + use<'_> {
    // Behind a single byte at the end, any second one may follow.
    let slots = match rest {
        [first, second, ..] => two_byte_slot(*first, *second)..two_byte_slot(*first, *second) + 1,
        [first] => two_byte_slot(*first, 0)..two_byte_slot(*first, 31) + 1,
        [] => 0..0,
    };
    let listed = usize::from(SLOT_START[slots.start])..usize::from(SLOT_START[slots.end]);
    let literals = BY_SLOT[listed].iter().map(|&index| &LITERALS[usize::from(index)]);
    // Byte by byte: nearly all differ in the first few.
    literals.filter(move |literal| literal.text.iter().zip(rest).all(|(byte, other)| byte == other))
}

impl Literal {
    const fn of_row(text: &'static str, row: &Row, index: usize) -> Literal {
        Literal {
            text: text.as_bytes(),
            announces: Announces::Row(index),
            is_lead: !row.lead.is_empty(),
            edge: row.edge,
            after: row.after,
            needs: row.needs,
            run: row.run,
        }
    }

    const fn of_name(text: &'static str, stem: Stem) -> Literal {
        Literal {
            text: text.as_bytes(),
            announces: Announces::Name(stem),
            is_lead: true,
            edge: Edge::Any,
            after: &[],
            needs: None,
            run: 0,
        }
    }

    /// Whether what must follow it may follow.
    fn may_go_on(&self, rest: &[u8]) -> bool {
        rest.iter().take(self.run).all(|&byte| RUN[usize::from(byte)])
            && self.needs.is_none_or(|needs| may_come(needs, rest.get(self.text.len()..)))
    }

    fn may_follow(&self, before: &[u8]) -> bool {
        let edge = match self.edge {
            Edge::Any => true,
            Edge::Word => ends_word(before),
            Edge::Number => ends_number(before),
        };
        let ends_in = |word: &&str| {
            let start = before.len().checked_sub(word.len());
            start.is_some_and(|start| before[start..].eq_ignore_ascii_case(word.as_bytes()))
        };
        edge && (self.after.is_empty() || self.after.iter().any(ends_in))
    }
}

/// A needed byte is first looked for in so many bytes.
const NEAR_BYTES: usize = 256;

/// Whether the needed byte comes before those that end the attempt, or none of them comes.
fn may_come(needs: Needs, behind: Option<&[u8]>) -> bool {
    let behind = behind.unwrap_or_default();
    // Nearly always a blank or a line break comes first, which vectors find.
    let near = &behind[..behind.len().min(NEAR_BYTES)];
    if memchr::memchr3(needs.byte, b' ', b'\n', near).is_some_and(|at| near[at] != needs.byte) {
        return false;
    }
    let stops = |byte: &&u8| **byte == needs.byte || needs.before[usize::from(**byte)];
    behind.iter().find(stops).is_none_or(|byte| *byte == needs.byte)
}

const LITERAL_COUNT: usize = {
    let (rows, mut row, mut count) = (all_rows(), 0, 0);
    while row < ROW_COUNT {
        count += rows[row].literals.len();
        row += 1;
    }
    let mut stem = 0;
    while stem < STEMS.len() {
        count += STEMS[stem].1.len();
        stem += 1;
    }
    count
};

const fn all_literals() -> [Literal; LITERAL_COUNT] {
    let mut list = [Literal::of_name("", Stem::Pass); LITERAL_COUNT];
    let (rows, mut row, mut count) = (all_rows(), 0, 0);
    while row < ROW_COUNT {
        let mut at = 0;
        while at < rows[row].literals.len() {
            list[count] = Literal::of_row(rows[row].literals[at], &rows[row], row);
            count += 1;
            at += 1;
        }
        row += 1;
    }
    let mut stem = 0;
    while stem < STEMS.len() {
        let mut at = 0;
        while at < STEMS[stem].1.len() {
            list[count] = Literal::of_name(STEMS[stem].1[at], STEMS[stem].0);
            count += 1;
            at += 1;
        }
        stem += 1;
    }
    list
}

/// The slots of a literal, the end excluded: all that start with its only byte, or one.
const fn slots_of(literal: &Literal) -> (usize, usize) {
    match literal.text {
        [first] => (two_byte_slot(*first, 0), two_byte_slot(*first, 31) + 1),
        text => (two_byte_slot(text[0], text[1]), two_byte_slot(text[0], text[1]) + 1),
    }
}

const SLOTTED_COUNT: usize = {
    let (mut at, mut count) = (0, 0);
    while at < LITERAL_COUNT {
        let (first, end) = slots_of(&LITERALS[at]);
        count += end - first;
        at += 1;
    }
    count
};

/// [`BY_SLOT`] and [`SLOT_START`], sorted by counting.
const SLOTTED: ([u16; SLOTTED_COUNT], [u16; TWO_BYTE_SLOTS + 1]) = {
    let (mut listed, mut start) = ([0; SLOTTED_COUNT], [0; TWO_BYTE_SLOTS + 1]);
    let mut at = 0;
    while at < LITERAL_COUNT {
        let (mut slot, end) = slots_of(&LITERALS[at]);
        while slot < end {
            start[slot + 1] += 1;
            slot += 1;
        }
        at += 1;
    }
    let mut slot = 0;
    while slot < TWO_BYTE_SLOTS {
        start[slot + 1] += start[slot];
        slot += 1;
    }
    let (mut next, mut at) = (start, 0);
    while at < LITERAL_COUNT {
        let (mut slot, end) = slots_of(&LITERALS[at]);
        while slot < end {
            listed[next[slot] as usize] = at as u16;
            next[slot] += 1;
            slot += 1;
        }
        at += 1;
    }
    (listed, start)
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_literal_is_found_wherever_it_stands() {
        for literal in &LITERALS {
            let after = literal.after.first().copied().unwrap_or_default();
            let number = if literal.edge == Edge::Number { "12345678:" } else { "" };
            for front in ["", " ", "xy ", "(((((((("].map(|front| front.to_owned() + number + after)
            {
                let run = vec![b'a'; literal.run];
                let text = [front.as_bytes(), literal.text, &run, b"@\xff"].concat();
                let mut places = Vec::new();
                let mut from = 0;
                while let Some(place) = next_place(&text, from, None, true) {
                    places.push(place);
                    from = place + 1;
                }
                assert!(places.contains(&front.len()), "{}", literal.text.escape_ascii());
            }
        }
    }

    #[test]
    fn a_literal_counts_only_behind_its_edge() {
        let kinds =
            |before: &str, text: &str| literals_at(text.as_bytes(), before.as_bytes()).count();
        assert_eq!(kinds("a ", "ghp_abcdefghijklmnop"), 1);
        assert_eq!(kinds("a ", "ghp_abcdefg hijklmnop"), 0);
        assert_eq!(kinds("a", "ghp_abcdefghijklmnop"), 0);
        assert_eq!(kinds(r"a\n", "ghp_abcdefghijklmnop"), 1);
        assert_eq!(kinds("a ", "gh"), 5, "each may still become a literal");
        assert_eq!(kinds("https", "://host/path@x"), 4);
        assert_eq!(kinds("https", "://host path@x"), 0);
    }
}
