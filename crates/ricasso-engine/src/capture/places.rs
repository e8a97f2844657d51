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
use ricasso_os::lanes::{self, Halves, LANES};

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
    b"-=",
    b"%",
    b"[\\",
];

/// Letters, digits and `_`; the same and the other signs that tokens are made of; and the two sorts
/// of signs that escapes start with.
const CLASSES: [u8; 4] = [0b0000_1111, 0b0111_1111, 0b0100_0000, 0b1000_0000];

/// One bit for each number that [`head`] makes of the first bytes of a literal of a run.
static HEADS: [u64; HEAD_BITS / 64] = {
    let mut bits = [0; HEAD_BITS / 64];
    let mut index = 0;
    while index < ENTRIES.len() {
        let text = ENTRIES[index].text.as_bytes();
        if matches!(ENTRIES[index].search, Search::Run) && text.len() > 1 {
            // A literal of two bytes may have anything behind it.
            let mut third = if text.len() > 2 { text[2] as u32 } else { 0 };
            loop {
                let head = head(text[0] as u32 | (text[1] as u32) << 8 | third << 16);
                bits[head / 64] |= 1 << (head % 64);
                third += 1;
                if text.len() > 2 || third == 256 {
                    break;
                }
            }
        }
        index += 1;
    }
    bits
};

/// So many that one in fifty heads of other texts has a bit by chance.
const HEAD_BITS: usize = 1 << 14;

/// A number for the first three of four bytes.
const fn head(four: u32) -> usize {
    (four << 8).wrapping_mul(0x9e37_79b1) as usize >> (32 - HEAD_BITS.trailing_zeros())
}

/// The bytes that are literals of a run by themselves.
static SINGLE: [bool; 256] = {
    let mut single = [false; 256];
    let mut index = 0;
    while index < ENTRIES.len() {
        let text = ENTRIES[index].text.as_bytes();
        single[text[0] as usize] |= text.len() == 1;
        index += 1;
    }
    single
};

/// A walk over one piece of text, from some place on.
pub(super) struct Places<'a> {
    literals: &'a Literals,
    bytes: &'a [u8],
    /// The number of the block at hand, and of the first in the batch.
    block: usize,
    first: usize,
    /// The places of each block of the batch where a literal may start.
    fronts: [u64; BATCH],
    /// Those where a long run starts, or a part of one does, at the edge of a word.
    runs: [u64; BATCH],
    /// The letters, digits and `_` of each block, of the one before, and of the one behind.
    words: Batch,
    /// The places in the block at hand that are not handed out yet.
    left: u64,
    /// The place that was found last.
    found: Option<usize>,
}

/// What the bytes of a batch are.
struct Bits {
    runs: Batch,
    percents: Batch,
    signs: Batch,
}

/// One word of bits for each block of a batch, for the one before it, and for the one behind it.
type Batch = [u64; BATCH + 2];

impl<'a> Places<'a> {
    /// The places of `bytes` from `from` on.
    pub(super) fn new(literals: &'a Literals, bytes: &'a [u8], from: usize) -> Places<'a> {
        let block = from / LANES;
        let mut places = Places {
            literals,
            bytes,
            block,
            first: block,
            fronts: [0; BATCH],
            runs: [0; BATCH],
            words: [0; BATCH + 2],
            left: 0,
            found: None,
        };
        places.fill();
        places.left = places.fronts[0] | places.runs[0];
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
            while self.left != 0 {
                let at = self.block * LANES + self.left.trailing_zeros() as usize;
                self.left &= self.left - 1;
                if (from..self.bytes.len()).contains(&at) && self.may_count(at) {
                    return Some(at);
                }
            }
            self.block += 1;
            if self.block * LANES >= self.bytes.len() {
                return None;
            }
            if self.block == self.first + BATCH {
                self.first = self.block;
                self.fill();
            }
            let index = self.block - self.first;
            self.left = self.fronts[index] | self.runs[index];
        }
    }

    /// Turns the batch that starts at the block at hand into bits.
    fn fill(&mut self) {
        let start = self.first * LANES;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let count = rest.len().div_ceil(LANES).min(BATCH);
        lanes::fronts(self.literals.fronts(), rest, &mut self.fronts[..count]);
        let nothing = [0; BATCH + 2];
        let mut bits = Bits { runs: nothing, percents: nothing, signs: nothing };
        // With the block before the first, where there is one.
        let before = usize::from(self.first > 0);
        let range = 1 - before..count + 2;
        let Bits { runs, percents, signs } = &mut bits;
        let found = [&mut self.words, runs, percents, signs].map(|bits| &mut bits[range.clone()]);
        lanes::classes(&SETS, CLASSES, &self.bytes[start - before * LANES..], found);
        // Behind the end of the text everything may follow.
        for index in rest.len() / LANES..=count {
            let behind = !0 << rest.len().saturating_sub(index * LANES);
            self.words[index + 1] |= behind;
            bits.runs[index + 1] |= behind;
        }
        self.find_runs(&bits, count);
    }

    /// Finds where long runs start, with as little as possible for each block: most have none.
    fn find_runs(&mut self, bits: &Bits, count: usize) {
        let mut inside = [0; BATCH];
        lanes::wide(|| run_starts(&self.words, bits, &mut self.runs, &mut inside));
        if self.first == 0 {
            // What stands before the first bytes of all is not known here.
            self.runs[0] |= inside[0] & ((1 << BEFORE_BYTES) - 1);
        }
        for (index, inside) in inside.into_iter().enumerate().take(count) {
            let signs = u128::from(bits.signs[index]) >> (LANES - BEFORE_BYTES)
                | u128::from(bits.signs[index + 1]) << BEFORE_BYTES;
            if inside != 0 && signs != 0 {
                self.runs[index] |= inside & self.behind_colours(signs, self.first + index);
            }
            if self.runs[index] != 0 {
                self.runs[index] = self.with_heads(self.runs[index], self.first + index);
            }
        }
    }

    /// The places of a block that are behind a colour that was itself escaped, as in `\u001b[31m`.
    /// It starts at one of these signs, the first of which is before the block.
    fn behind_colours(&self, signs: u128, block: usize) -> u64 {
        let (mut signs, mut found) = (signs, 0);
        let start = block * LANES;
        while signs != 0 {
            let sign = (start + signs.trailing_zeros() as usize).wrapping_sub(BEFORE_BYTES);
            signs &= signs - 1;
            if self.bytes[sign] == b'[' {
                let codes = self.bytes[sign + 1..].iter().take(BEFORE_BYTES);
                let codes = codes.take_while(|&&byte| byte.is_ascii_digit() || byte == b';');
                let behind = (sign + 2 + codes.count()).checked_sub(start);
                found |= behind.map_or(0, |bit| 1u64.checked_shl(bit as u32).unwrap_or(0));
            }
        }
        found
    }

    /// Those of the places in a block where the first bytes of a literal of a run may stand.
    fn with_heads(&self, places: u64, block: usize) -> u64 {
        let (mut left, mut found) = (places, 0);
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            // Nothing is decided for each place: the processor could not tell beforehand.
            let at = block * LANES + bit as usize;
            let stands = match self.bytes.get(at..at + 4) {
                Some(four) => {
                    let number = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
                    let head = head(number);
                    HEADS[head / 64] >> (head % 64) & 1 | u64::from(SINGLE[usize::from(four[0])])
                }
                None => 1,
            };
            found |= stands << bit;
        }
        found
    }

    /// Whether a literal at this place of the block at hand may announce a secret.
    fn may_count(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        let (index, bit) = (self.block - self.first, at % LANES);
        let run = self.runs[index] >> bit & 1 == 1;
        let front = self.fronts[index] >> bit & 1 == 1;
        let words = || {
            let own = self.words[index + 1] >> bit;
            let next = self.words[index + 2].trailing_ones() as usize;
            let own_length = own.trailing_ones() as usize;
            if own_length == LANES - bit { own_length + next } else { own_length }
        };
        let (single, longer) = starting(rest);
        let counts = |entry: &Entry| {
            !entry.repeats
                && entry.stands(rest)
                && match entry.search {
                    Search::Run => {
                        run && words() >= entry.words
                            && passes(entry.look, &rest[entry.text.len()..])
                    }
                    Search::Everywhere => may_announce(entry, self.bytes, at),
                }
        };
        single.iter().chain(longer).any(counts) || front && self.literals.stands(rest)
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

/// The places of each block where a long run starts at what may be the edge of a word, and those
/// inside words that have a long run behind them.
#[inline(always)]
fn run_starts(words: &Batch, bits: &Bits, starts: &mut [u64; BATCH], inside: &mut [u64; BATCH]) {
    for index in 0..BATCH {
        // What stands so many bytes earlier.
        let earlier = |bits: &Batch, by: usize| bits[index + 1] << by | bits[index] >> (LANES - by);
        let long = long_runs(bits.runs[index + 1], bits.runs[index + 2]) & words[index + 1];
        let edges = !earlier(words, 1);
        // What is written as an escape is no part of the word behind it: `%3D`, `\n`, `\x3d`,
        // `\u003d`. Whether it is one, the scan decides.
        let escapes = earlier(&bits.percents, 3)
            | earlier(&bits.signs, 2)
            | earlier(&bits.signs, 4)
            | earlier(&bits.signs, 6);
        starts[index] = long & (edges | escapes);
        inside[index] = long & !edges;
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
            assert_eq!(of[3], b"[\\".contains(&byte), "{byte}");
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
