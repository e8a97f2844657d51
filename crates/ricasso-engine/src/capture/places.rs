//! Finds the places where a literal stands that may announce a secret, in one pass over the text.
//! The text is turned into bits, 64 bytes a word; a few operations on words leave the places that
//! are worth a look, and a second look passes over most of those. It must never pass over a place
//! that the scan would find a secret at. What a place is worth is not decided here.
//!
//! Tokens are found by what they are made of: nearly all have a long run of letters, digits and a
//! few signs at their start, behind the edge of a word. Other literals are found by their first
//! bytes.

use super::bare::is_bare;
use super::before::{BEFORE_BYTES, Before, is_word};
use super::kinds::{Announces, ENTRIES, Edge, Entry, RUN_BYTES, Search, passes, starting};
use super::literals::Literals;
use ricasso_os::lanes::{self, Halves, Heads, LANES};

/// Blocks that are turned into bits together; their bits stay in the nearest cache.
const BATCH: usize = 32;

/// The bytes that matter, in eight sets: one for bytes that the tables would else take for others.
static SETS: Halves = {
    let mut halves = Halves::EMPTY;
    let mut set = 0;
    while set < TEXTS.len() {
        let mut at = 0;
        while at < TEXTS[set].len() {
            halves = halves.with(TEXTS[set][at], 1 << set);
            at += 1;
        }
        set += 1;
    }
    halves
};

const TEXTS: [&[u8]; 8] = [
    b"0123456789PQRSTUVWXYpqrstuvwxy",
    b"ABCDEFGHIJKLMNOabcdefghijklmno",
    b"Zz",
    b"_",
    b"!$+-./",
    b"-=m",
    b"%",
    b"\\",
];

/// Letters, digits and `_`; the same and the other signs that tokens are made of; the two signs
/// that escapes start with; and the letter that the escapes of colours end with, beside two signs.
const CLASSES: [u8; 5] = [0b0000_1111, 0b0111_1111, 0b0100_0000, 0b1000_0000, 0b0010_0000];

/// All bytes that runs are made of.
const RUN: [u8; RUN_COUNT] = {
    let (mut run, mut byte, mut count) = ([0; RUN_COUNT], 0, 0);
    while count < RUN_COUNT {
        if SETS.of(byte) & CLASSES[1] != 0 {
            run[count] = byte;
            count += 1;
        }
        byte += 1;
    }
    run
};

const RUN_COUNT: usize = 26 + 26 + 10 + b"_!$%+-./=".len();

/// The first bytes of the literals of runs.
static RUN_HEADS: Heads = listed_heads(Search::Run);

/// The first bytes of the literals that are looked for everywhere.
pub(super) static HEADS: Heads = listed_heads(Search::Everywhere);

const fn listed_heads(search: Search) -> Heads {
    let mut heads = Heads::EMPTY;
    let mut index = 0;
    while index < ENTRIES.len() {
        if ENTRIES[index].search as u8 == search as u8 {
            heads = heads.with(ENTRIES[index].text.as_bytes(), &RUN);
        }
        index += 1;
    }
    heads
}

/// A walk over one piece of text, from some place on.
pub(super) struct Places<'a> {
    literals: &'a Literals,
    bytes: &'a [u8],
    /// The number of the first block in the batch at hand.
    first: usize,
    /// The letters, digits and `_` of each block, of the one before, and of the one behind.
    words: Batch,
    /// Where a literal may start.
    fronts: List,
    /// Where a long run starts, or a part of one does, at the edge of a word, with what may be a
    /// literal of runs.
    runs: List,
    /// The place that was found last.
    found: Option<usize>,
}

/// Places of a batch, from its start on, in order.
struct List {
    numbers: [u16; lanes::room(BATCH)],
    count: usize,
    /// How many were handed out.
    handed: usize,
}

/// Where in its batch a place is, and what it may be the start of.
#[derive(Clone, Copy)]
struct Place {
    offset: usize,
    run: bool,
    front: bool,
}

/// What the bytes of a batch are.
struct Bits {
    runs: Batch,
    percents: Batch,
    slashes: Batch,
    /// Bytes that a colour may end with.
    colours: Batch,
}

/// One word of bits for each block of a batch, for the one before it, and for the one behind it.
type Batch = [u64; BATCH + 2];

impl List {
    const EMPTY: List = List { numbers: [0; lanes::room(BATCH)], count: 0, handed: 0 };

    /// Lists the bits where one of the texts may start, or a byte that is one by itself.
    fn fill(&mut self, bits: &[u64; BATCH], bytes: &[u8], heads: &Heads) {
        let all = lanes::list(bits, &mut self.numbers);
        self.count = heads.keep(bytes, &mut self.numbers[..all]);
        self.handed = 0;
    }

    /// The next place, or one behind the batch.
    fn next(&self) -> usize {
        if self.handed < self.count { usize::from(self.numbers[self.handed]) } else { NONE }
    }
}

/// Behind the last place of a batch.
const NONE: usize = BATCH * LANES;

impl<'a> Places<'a> {
    /// The places of `bytes` from `from` on.
    #[inline(always)]
    pub(super) fn new(literals: &'a Literals, bytes: &'a [u8], from: usize) -> Places<'a> {
        let mut places = Places {
            literals,
            bytes,
            first: from / LANES,
            words: [0; BATCH + 2],
            fronts: List::EMPTY,
            runs: List::EMPTY,
            found: None,
        };
        places.fill();
        places
    }

    /// The first place at or after `from`. Calls must move forwards.
    pub(super) fn after(&mut self, from: usize) -> Option<usize> {
        if self.found.is_none_or(|found| found < from) {
            self.found = self.next(from);
        }
        self.found
    }

    fn next(&mut self, from: usize) -> Option<usize> {
        loop {
            let (front, run) = (self.fronts.next(), self.runs.next());
            let offset = front.min(run);
            if offset < NONE {
                self.fronts.handed += usize::from(front == offset);
                self.runs.handed += usize::from(run == offset);
                let at = self.first * LANES + offset;
                let place = Place { offset, front: front == offset, run: run == offset };
                if at >= from && self.may_count(place) {
                    return Some(at);
                }
            } else if (self.first + BATCH) * LANES < self.bytes.len() {
                self.first += BATCH;
                self.fill();
            } else {
                return None;
            }
        }
    }

    /// Turns the batch at hand into bits, and these into a list.
    fn fill(&mut self) {
        let start = self.first * LANES;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let count = rest.len().div_ceil(LANES).min(BATCH);
        let mut fronts = [0; BATCH];
        lanes::fronts(self.literals.fronts(), rest, &mut fronts[..count]);
        self.fronts.fill(&fronts, rest, self.literals.heads());
        let nothing = [0; BATCH + 2];
        let mut bits =
            Bits { runs: nothing, percents: nothing, slashes: nothing, colours: nothing };
        // With the block before the first, where there is one.
        let before = usize::from(self.first > 0);
        let range = 1 - before..count + 2;
        let Bits { runs, percents, slashes, colours } = &mut bits;
        let found = [&mut self.words, runs, percents, slashes, colours];
        let found = found.map(|bits| &mut bits[range.clone()]);
        lanes::classes(&SETS, CLASSES, &self.bytes[start - before * LANES..], found);
        // Behind the end of the text everything may follow.
        for index in rest.len() / LANES..=count {
            let behind = !0 << rest.len().saturating_sub(index * LANES);
            self.words[index + 1] |= behind;
            bits.runs[index + 1] |= behind;
        }
        let mut runs = [0; BATCH];
        lanes::wide(|| run_starts(&self.words, &bits, &mut runs));
        if self.first == 0 {
            // What stands before the first bytes of all is not known here.
            let long = long_runs(bits.runs[1], bits.runs[2]) & self.words[1];
            runs[0] |= long & ((1 << BEFORE_BYTES) - 1);
        }
        self.runs.fill(&runs, rest, &RUN_HEADS);
    }

    /// Whether a literal at this place may announce a secret.
    fn may_count(&self, place: Place) -> bool {
        let at = self.first * LANES + place.offset;
        let rest = &self.bytes[at..];
        let (index, bit) = (place.offset / LANES, place.offset % LANES);
        let words = || {
            let own = self.words[index + 1] >> bit;
            let next = self.words[index + 2].trailing_ones() as usize;
            let own_length = own.trailing_ones() as usize;
            if own_length == LANES - bit { own_length + next } else { own_length }
        };
        let (single, longer) = starting(rest);
        for entry in longer.iter().chain(if place.run { single } else { &[] }) {
            if entry.repeats || !entry.stands(rest) {
                continue;
            }
            let counts = match entry.search {
                Search::Everywhere => may_announce(entry, self.bytes, at),
                Search::Run => {
                    place.run
                        && words() >= entry.words
                        && passes(entry.look, &rest[entry.text.len()..])
                }
            };
            if counts {
                return true;
            }
        }
        place.front && self.literals.stands(rest)
    }
}

/// Whether the literal may announce a secret at `at`: a quick look, because texts can be full of
/// names that nothing is assigned to, and of links.
fn may_announce(entry: &Entry, bytes: &[u8], at: usize) -> bool {
    if at < BEFORE_BYTES {
        return true;
    }
    match (entry.announces, entry.edge) {
        (Announces::Stem(stem), _) => !is_bare(stem, bytes, at),
        (Announces::Row(_), Edge::Word) => {
            !is_word(bytes[at - 1]) || Before::at(Before::default(), bytes, at).is_edge()
        }
        (Announces::Row(_), Edge::Any | Edge::Number) => {
            entry.follows(&bytes[..at]) && passes(entry.look, &bytes[at + entry.text.len()..])
        }
    }
}

/// The places of each block where a long run starts at what may be the edge of a word.
#[inline(always)]
fn run_starts(words: &Batch, bits: &Bits, starts: &mut [u64; BATCH]) {
    for index in 0..BATCH {
        // What stands so many bytes earlier.
        let earlier = |bits: &Batch, by: usize| bits[index + 1] << by | bits[index] >> (LANES - by);
        let long = long_runs(bits.runs[index + 1], bits.runs[index + 2]) & words[index + 1];
        // What is written as an escape is no part of the word behind it: `%3D`, `\n`, `\x3d`,
        // `\u003d`, the end of a colour in `\u001b[31m`. Whether it is one, the scan decides.
        let escapes = earlier(&bits.percents, 3)
            | earlier(&bits.slashes, 2)
            | earlier(&bits.slashes, 4)
            | earlier(&bits.slashes, 6)
            | earlier(&bits.colours, 1);
        starts[index] = long & (!earlier(words, 1) | escapes);
    }
}

/// The places from which [`RUN_BYTES`] bits in a row are set.
#[inline(always)]
fn long_runs(block: u64, next: u64) -> u64 {
    let shifted = |low: u64, high: u64, by: usize| low >> by | high << (LANES - by);
    let (two, two_next) = (block & shifted(block, next, 1), next & next >> 1);
    let (four, four_next) = (two & shifted(two, two_next, 2), two_next & two_next >> 2);
    let (eight, eight_next) = (four & shifted(four, four_next, 4), four_next & four_next >> 4);
    let sixteen = eight & shifted(eight, eight_next, 8);
    sixteen & shifted(two, two_next, 16)
}

const _: () = assert!(RUN_BYTES == 18, "long_runs counts so many");

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<usize> {
        let literals = Literals::new(Vec::new());
        let mut places = Places::new(&literals, text.as_bytes(), 0);
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = places.after(from) {
            found.push(at);
            from = at + 1;
        }
        found
    }

    #[test]
    fn classes_have_the_bytes_they_are_for() {
        for byte in 0..=255 {
            let of = CLASSES.map(|sets| SETS.of(byte) & sets != 0);
            let joint = b"!$%+-./=".contains(&byte);
            let expected = [is_word(byte), is_word(byte) || joint, byte == b'%'];
            assert_eq!(of[..3], expected, "{byte}");
            assert_eq!(of[3..], [byte == b'\\', b"-=m".contains(&byte)], "{byte}");
        }
    }

    #[test]
    fn a_literal_counts_at_an_edge_of_a_long_run() {
        let pad = "some words before it, and some words before it, and ";
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for (text, expected) in [
            (format!("{pad}{token} x"), vec![52]),
            (format!("{pad}x{token} x"), vec![]),
            (format!("{pad}x-{token} x"), vec![54]),
            (format!(r"{pad}\n{token} x"), vec![54]),
            (format!("{pad}%FD{token} x"), vec![55]),
            (format!("{pad}ghp_short and more text"), vec![]),
            (format!("{pad}ghp_cut"), vec![52]),
            (format!("{pad}{token} {token}-{token}"), vec![52, 93, 134]),
        ] {
            assert_eq!(all(&text), expected, "{text}");
        }
    }

    #[test]
    fn every_place_in_a_text_is_reached() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for front in (0..200).chain(BATCH * LANES - 64..BATCH * LANES + 64) {
            for (text, at) in [(token, 0), ("see ftp://a:b@c", 7), ("set password=x", 4)] {
                let text = format!("{}{text}{}", " ".repeat(front), " ".repeat(64));
                assert_eq!(all(&text), [front + at], "{front}");
            }
        }
    }
}
