//! The literals of the table, sorted while the program is built: which may stand where some bytes
//! start, and what each of them announces.

use super::super::fronts::{BUCKETS, Case, Fronts};
use super::look::Look;
use super::{Edge, Row, STEMS, Search, Stem, flatten};
use ricasso_os::lanes::{Front, LANES};

/// What a literal of the table announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::capture) enum Announces {
    /// The row of this index in [`ROWS`].
    Row(u16),
    /// A name that a secret may be assigned to.
    Stem(Stem),
}

/// A literal of the table.
#[derive(Debug, Clone, Copy)]
pub(in crate::capture) struct Entry {
    /// The text.
    pub(in crate::capture) text: &'static str,
    /// Its first four bytes, and which of their bits count.
    front: (u32, u32),
    /// What must stand before it.
    pub(in crate::capture) edge: Edge,
    /// One of these too, unless there are none.
    pub(in crate::capture) after: &'static [&'static str],
    /// What the bytes behind it must be like.
    pub(in crate::capture) look: &'static [Look],
    /// What it announces.
    pub(in crate::capture) announces: Announces,
    /// How it is looked for.
    pub(in crate::capture) search: Search,
    /// So many bytes of a match, from the first on, are letters, digits or `_`.
    pub(in crate::capture) words: usize,
    /// Whether another entry that comes first asks for the same text and surroundings: whoever
    /// wants to know whether any entry counts need not ask this one.
    pub(in crate::capture) repeats: bool,
}

impl Entry {
    /// Whether what must stand right before it ends this text.
    pub(in crate::capture) fn follows(&self, before: &[u8]) -> bool {
        let ends = |word: &&str| {
            // Most differ in the last letter, and a call that compares bytes takes longer.
            let (last, own) = (before.last(), word.as_bytes().last());
            last.zip(own).is_some_and(|(last, own)| last.eq_ignore_ascii_case(own))
                && before.len() >= word.len()
                && before[before.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
        };
        self.after.is_empty() || self.after.iter().any(ends)
    }

    /// Whether the text stands at the start of `rest`.
    pub(in crate::capture) fn stands(&self, rest: &[u8]) -> bool {
        let text = self.text.as_bytes();
        let Some(four) = rest.first_chunk() else { return rest.starts_with(text) };
        let (front, counts) = self.front;
        if u32::from_le_bytes(*four) & counts != front || text.len() > rest.len() {
            return false;
        }
        // Literals are short, and a call that compares bytes takes longer than this.
        text.iter().zip(rest).skip(4).all(|(one, other)| one == other)
    }

    const fn front(text: &str) -> (u32, u32) {
        let text = text.as_bytes();
        let (mut front, mut counts, mut at) = (0, 0, 0);
        while at < text.len() && at < 4 {
            front |= (text[at] as u32) << (8 * at);
            counts |= 0xff << (8 * at);
            at += 1;
        }
        (front, counts)
    }

    /// The first two bytes of the text, which are ASCII, as one number.
    const fn pair(&self) -> u16 {
        let text = self.text.as_bytes();
        (text[0] as u16) << 7 | if text.len() > 1 { text[1] as u16 } else { 0 }
    }
}

/// The literals that may stand where these bytes start: those of one byte, and those of more.
pub(in crate::capture) fn starting(rest: &[u8]) -> (&'static [Entry], &'static [Entry]) {
    let (first, second) = (rest[0], rest.get(1).copied());
    if !first.is_ascii() || second.is_some_and(|second| !second.is_ascii()) {
        // A literal of one byte may have anything behind it.
        let pair = usize::from(first & 127) << 7;
        let single = usize::from(PAIRS[pair])..usize::from(PAIRS[pair + 1]);
        return if first.is_ascii() { (&ENTRIES[single], &[]) } else { (&[], &[]) };
    }
    let pair = usize::from(first) << 7;
    let single = usize::from(PAIRS[pair])..usize::from(PAIRS[pair + 1]);
    let longer = match second {
        Some(0) => single.end..single.end,
        Some(second) => {
            let pair = pair | usize::from(second);
            usize::from(PAIRS[pair])..usize::from(PAIRS[pair + 1])
        }
        None => single.end..usize::from(PAIRS[pair + 128]),
    };
    (&ENTRIES[single], &ENTRIES[longer])
}

/// The literals of rows and names, by their first two bytes, in order of precedence for each; those
/// of one byte come first.
pub(in crate::capture) static ENTRIES: [Entry; ENTRY_COUNT] = entries();

/// Where in [`ENTRIES`] the literals with these two first bytes start, both ASCII; the next one is
/// where they end. Those of one byte have zero as their second.
static PAIRS: [u16; 128 * 128 + 1] = pairs();

/// The first bytes of the literals that are looked for everywhere, sorted.
pub(in crate::capture) const SORTED: Fronts<{ 2 * BUCKETS }> = {
    let mut fronts = Fronts::EMPTY;
    let mut index = 0;
    while index < ENTRIES.len() {
        if matches!(ENTRIES[index].search, Search::Everywhere) {
            fronts.add(ENTRIES[index].text.as_bytes(), Case::Both);
        }
        index += 1;
    }
    fronts
};

/// The same as tables.
pub(in crate::capture) static FRONTS: [Front; 2] = [SORTED.tables(0), SORTED.tables(BUCKETS)];

/// The longest literal.
pub(in crate::capture) const LONGEST: usize = longest();

/// More letters, digits and `_` at the start of a match are not asked for: from any place on, as
/// many bytes are at hand as bits.
const MOST_WORDS: usize = LANES;

const ENTRY_COUNT: usize = {
    let (mut row, mut count) = (0, 0);
    let rows = flatten();
    while row < rows.len() {
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

/// As in the tables, not sorted yet.
const fn listed() -> [Entry; ENTRY_COUNT] {
    let nothing = Entry {
        text: "",
        front: (0, 0),
        edge: Edge::Any,
        after: &[],
        look: &[],
        announces: Announces::Row(0),
        search: Search::Everywhere,
        words: 0,
        repeats: false,
    };
    let mut list = [nothing; ENTRY_COUNT];
    let rows = flatten();
    let (mut row, mut count) = (0, 0);
    while row < rows.len() {
        let Row { literals, edge, after, look, search, lead, body, .. } = *rows[row];
        let words = leading_words(if lead.is_empty() { body } else { lead });
        let mut literal = 0;
        while literal < literals.len() {
            let announces = Announces::Row(row as u16);
            let text = literals[literal];
            let own = leading_words(text);
            let words = if own > words { own } else { words };
            let words = if words > MOST_WORDS { MOST_WORDS } else { words };
            let repeats = row > 0 && after.is_empty() && rows[row - 1].asks_for(text, rows[row]);
            let front = Entry::front(text);
            list[count] =
                Entry { text, front, edge, after, look, announces, search, words, repeats };
            count += 1;
            literal += 1;
        }
        row += 1;
    }
    let mut stem = 0;
    while stem < STEMS.len() {
        let (name, texts) = STEMS[stem];
        let mut text = 0;
        while text < texts.len() {
            let announces = Announces::Stem(name);
            let front = Entry::front(texts[text]);
            list[count] = Entry { text: texts[text], front, announces, ..nothing };
            count += 1;
            text += 1;
        }
        stem += 1;
    }
    list
}

/// How many bytes at the start of every match of a pattern are letters, digits or `_`, as far as
/// plain letters, classes and their counts tell.
const fn leading_words(pattern: &str) -> usize {
    let text = pattern.as_bytes();
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        let length = word_length(text, at);
        if length == 0 {
            break;
        }
        at += length;
        let follows = if at < text.len() { text[at] } else { 0 };
        if follows == b'{' {
            let mut number = 0;
            at += 1;
            while text[at].is_ascii_digit() {
                number = number * 10 + (text[at] - b'0') as usize;
                at += 1;
            }
            count += number;
            if text[at] != b'}' {
                break;
            }
            at += 1;
        } else if follows == b'?' || follows == b'*' {
            break;
        } else {
            count += 1;
            if follows == b'+' {
                break;
            }
        }
    }
    count
}

/// The length of the letter or class at `at`, or nothing where it may be no letter, digit or `_`.
const fn word_length(text: &[u8], at: usize) -> usize {
    if text[at] != b'[' {
        return is_word(text[at]) as usize;
    }
    let mut end = at + 1;
    while text[end] != b']' {
        // A range between two of them has only those.
        let range = text[end] == b'-' && is_word(text[end - 1]) && is_word(text[end + 1]);
        if !range && !is_word(text[end]) {
            return 0;
        }
        end += 1;
    }
    end + 1 - at
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn entries() -> [Entry; ENTRY_COUNT] {
    let mut list = listed();
    let mut sorted = 1;
    while sorted < list.len() {
        let mut at = sorted;
        while at > 0 && list[at].pair() < list[at - 1].pair() {
            let entry = list[at];
            list[at] = list[at - 1];
            list[at - 1] = entry;
            at -= 1;
        }
        sorted += 1;
    }
    list
}

const fn pairs() -> [u16; 128 * 128 + 1] {
    let mut starts = [0; 128 * 128 + 1];
    let (mut pair, mut entry) = (0, 0);
    while pair < starts.len() {
        while entry < ENTRIES.len() && (ENTRIES[entry].pair() as usize) < pair {
            entry += 1;
        }
        starts[pair] = entry as u16;
        pair += 1;
    }
    starts
}

const fn longest() -> usize {
    let list = listed();
    let (mut entry, mut longest) = (0, 0);
    while entry < list.len() {
        if list[entry].text.len() > longest {
            longest = list[entry].text.len();
        }
        entry += 1;
    }
    longest
}
