//! The table of known secrets: one row a kind. A new kind is a new row; nothing else moves.
//!
//! A row must have literals that are rare in ordinary output, because each occurrence costs a
//! walk, and a pattern tight enough to leave hashes and identifiers alone. What issuers publish
//! about a format is in its row; lengths are lower bounds, since issuers lengthen their tokens.

mod chat;
mod cloud;
mod code;
mod keys;
mod look;
mod models;
mod money;
mod named;
mod product;
mod spoken;

use super::check::Check;
use super::fronts::{BUCKETS, Case, Fronts};
pub(super) use look::passes;
use look::{Look, listed_bytes, other_bytes};
use ricasso_os::lanes::{Front, LANES};

/// What must stand before a literal for it to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// Anything: the literal is long or odd enough to stand in the middle of a word.
    Any,
    /// No letter, digit or underscore: `task-` is not the start of an `sk-` key.
    Word,
    /// A long number and a colon: the number of a bot before its token.
    Number,
}

/// One kind of secret. Patterns match bytes, are anchored at the literal, and take the longest.
#[derive(Debug)]
pub(super) struct Row {
    /// The name in the placeholder.
    pub(super) kind: &'static str,
    /// Each match starts with one of these, in exactly this spelling, at least three bytes long
    /// unless it is looked for in runs.
    pub(super) literals: &'static [&'static str],
    /// What must stand before the literal.
    pub(super) edge: Edge,
    /// One of these must stand right before the literal, in any case; empty where anything may. So
    /// a row shares a literal with others that ordinary text is searched for anyway.
    pub(super) after: &'static [&'static str],
    /// What the bytes behind the literal must be like; for literals that are not rare.
    pub(super) look: &'static [Look],
    /// What stands before the secret and stays visible; empty where the literal is part of it.
    pub(super) lead: &'static str,
    /// The secret itself.
    pub(super) body: &'static str,
    /// How many bytes at the end of `body` are a mark that follows the secret and stay visible.
    pub(super) trail: usize,
    /// At most so many bytes wait for the decision. A longer secret is redacted from there on as
    /// far as its alphabet goes.
    pub(super) max: usize,
    /// What the text of the secret must be like besides.
    pub(super) check: Check,
    /// How its literals are looked for.
    pub(super) search: Search,
}

/// How a literal is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// At the edges of words in long runs of letters, digits and the signs of tokens, of which the
    /// match has [`RUN_BYTES`] at least: most edges in most texts have no such run behind them.
    Run,
    /// Everywhere.
    Everywhere,
}

/// The first bytes of a match of a row with [`Search::Run`] that are all of the run's alphabet.
pub(super) const RUN_BYTES: usize = 18;

/// More letters, digits and `_` at the start of a match are not asked for: from any place on, as
/// many bytes are at hand as bits.
const MOST_WORDS: usize = LANES;

/// What a name like `password` or `api_key` asks of the value assigned to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stem {
    /// `pass` and its longer forms, in all spellings.
    Pass,
    /// `pwd`, which is also the name of the working directory.
    Pwd,
    /// `oken`, after a `t`.
    Token,
    /// `ecret`, after an `s`.
    Secret,
    /// `key`, after a word that says what for.
    Key,
    /// `auth` and `credential`.
    Auth,
}

/// What a literal of the table announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announces {
    /// The row of this index in [`ROWS`].
    Row(u16),
    /// A name that a secret may be assigned to.
    Stem(Stem),
}

/// A literal of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The text.
    pub(super) text: &'static str,
    /// Its first four bytes, and which of their bits count.
    front: (u32, u32),
    /// What must stand before it.
    pub(super) edge: Edge,
    /// One of these too, unless there are none.
    pub(super) after: &'static [&'static str],
    /// What the bytes behind it must be like.
    pub(super) look: &'static [Look],
    /// What it announces.
    pub(super) announces: Announces,
    /// How it is looked for.
    pub(super) search: Search,
    /// So many bytes of a match, from the first on, are letters, digits or `_`.
    pub(super) words: usize,
    /// Whether another entry that comes first asks for the same text and surroundings: whoever
    /// wants to know whether any entry counts need not ask this one.
    pub(super) repeats: bool,
}

impl Entry {
    /// Whether what must stand right before it ends this text.
    pub(super) fn follows(&self, before: &[u8]) -> bool {
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
    pub(super) fn stands(&self, rest: &[u8]) -> bool {
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

/// Longest token of a fixed form; the longest in use are Anthropic's with 108 bytes and
/// Atlassian's with 192.
const TOKEN: usize = 512;
/// Longest JWT before it is redacted piecemeal: servers refuse headers beyond 8 KiB.
const JWT: usize = 8 * 1024;
/// Longest private key: RSA with 16,384 bits takes 12.5 KiB in PEM.
const PEM: usize = 16 * 1024;
/// Longest user name or password in a URL, and longest run of a header's scheme and value.
const CREDENTIAL: usize = 2 * 1024;

/// A token that starts with its literal and stands at the edge of a word.
const fn token(kind: &'static str, literals: &'static [&'static str], body: &'static str) -> Row {
    Row {
        kind,
        literals,
        edge: Edge::Word,
        after: &[],
        look: &[],
        lead: "",
        body,
        trail: 0,
        max: TOKEN,
        check: Check::Token,
        search: Search::Run,
    }
}

/// A token whose literal is so odd that it counts inside a word too.
const fn odd(kind: &'static str, literals: &'static [&'static str], body: &'static str) -> Row {
    Row { edge: Edge::Any, search: Search::Everywhere, ..token(kind, literals, body) }
}

/// A secret behind a lead that stays visible.
const fn led(
    kind: &'static str,
    literals: &'static [&'static str],
    lead: &'static str,
    body: &'static str,
) -> Row {
    Row { lead, max: CREDENTIAL, ..odd(kind, literals, body) }
}

impl Row {
    /// Whether the literal stays visible.
    pub(super) fn is_led(&self) -> bool {
        !self.lead.is_empty()
    }

    /// Whether this row has the literal too and asks for the same before and behind it.
    const fn asks_for(&self, text: &str, other: &Row) -> bool {
        let mut literal = 0;
        while literal < self.literals.len() && !same(self.literals[literal], text) {
            literal += 1;
        }
        let look = self.look.len() == other.look.len();
        let edge = self.edge as u8 == other.edge as u8 && self.search as u8 == other.search as u8;
        literal < self.literals.len() && self.after.is_empty() && look && edge
    }

    const fn check(self, check: Check) -> Row {
        Row { check, ..self }
    }

    const fn max(self, max: usize) -> Row {
        Row { max, ..self }
    }

    const fn look(self, look: &'static [Look]) -> Row {
        Row { look, ..self }
    }

    const fn edge(self, edge: Edge) -> Row {
        Row { edge, ..self }
    }

    const fn after(self, after: &'static [&'static str]) -> Row {
        Row { after, ..self }
    }

    /// For a literal that starts a word and a long run.
    const fn in_run(self) -> Row {
        Row { search: Search::Run, edge: Edge::Word, ..self }
    }

    /// For a token with other signs among its first bytes than runs are made of.
    const fn everywhere(self) -> Row {
        Row { search: Search::Everywhere, ..self }
    }

    const fn trail(self, trail: usize) -> Row {
        Row { trail, ..self }
    }
}

/// In order of precedence where two kinds match the same bytes.
const TABLES: [&[Row]; 9] = [
    keys::ROWS,
    code::ROWS,
    models::ROWS,
    cloud::ROWS,
    chat::ROWS,
    money::ROWS,
    product::ROWS,
    named::ROWS,
    spoken::ROWS,
];

/// The names that secrets are assigned to, in the spellings that configuration, code and
/// environments use.
const STEMS: &[(Stem, &[&str])] = &[
    (Stem::Pass, &["pass", "Pass", "PASS"]),
    (Stem::Pwd, &["pwd=", "Pwd=", "PWD=", "pwd:", "Pwd:", "PWD:", "pwd\"", "Pwd\"", "PWD\""]),
    (Stem::Token, &["oken", "OKEN"]),
    (Stem::Secret, &["ecret", "ECRET"]),
    (
        Stem::Key,
        &[
            "_key", "-key", ".key", "ikey", "_KEY", "-KEY", "-Key", "IKEY", "IKey", "iKey", "tKey",
            "eKey", "sKey", "nKey", "gKey", "hKey", "rKey", "dKey", "pKey",
        ],
    ),
    (Stem::Auth, &["_auth", "\"auth\"", "_AUTH", "redential", "REDENTIAL"]),
];

/// Every kind with a pattern that finds it in a text, for comparisons. The scan looks for more:
/// for what stands before, for placeholders, and for names that secrets are assigned to.
pub fn patterns() -> impl Iterator<Item = (&'static str, String)> {
    ROWS.iter().map(|row| (row.kind, format!("(?:{})(?:{})", row.lead, row.body)))
}

/// The literals that may stand where these bytes start: those of one byte, and those of more.
pub(super) fn starting(rest: &[u8]) -> (&'static [Entry], &'static [Entry]) {
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

/// All rows.
pub(super) static ROWS: [&Row; ROW_COUNT] = flatten();

/// The literals of rows and names, by their first two bytes, in order of precedence for each; those
/// of one byte come first.
pub(super) static ENTRIES: [Entry; ENTRY_COUNT] = entries();

/// Where in [`ENTRIES`] the literals with these two first bytes start, both ASCII; the next one is
/// where they end. Those of one byte have zero as their second.
static PAIRS: [u16; 128 * 128 + 1] = pairs();

/// The first bytes of the literals that are looked for everywhere, sorted.
pub(super) const SORTED: Fronts<{ 2 * BUCKETS }> = {
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
pub(super) static FRONTS: [Front; 2] = [SORTED.tables(0), SORTED.tables(BUCKETS)];

/// The longest literal.
pub(super) const LONGEST: usize = longest();

const ROW_COUNT: usize = {
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

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

const fn flatten() -> [&'static Row; ROW_COUNT] {
    let mut rows = [&TABLES[0][0]; ROW_COUNT];
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            rows[count] = &TABLES[table][row];
            count += 1;
            row += 1;
        }
        table += 1;
    }
    rows
}

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

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    one.len() == other.len() && at == one.len()
}

const fn is_word(byte: u8) -> bool {
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

#[cfg(test)]
mod tests {
    use super::super::dfa;
    use super::*;
    use regex_automata::Anchored;
    use regex_automata::hybrid::LazyStateID;
    use regex_automata::hybrid::dfa::{Cache, DFA};
    use regex_automata::util::start;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_more_than_eighty_kinds_and_every_row_compiles() {
        let kinds: BTreeSet<&str> = ROWS.iter().map(|row| row.kind).collect();
        assert!(kinds.len() >= 80, "{}", kinds.len());
        for row in ROWS {
            dfa::compile_bytes(row.body).unwrap_or_else(|error| panic!("{}: {error}", row.kind));
            if !row.lead.is_empty() {
                dfa::compile_bytes(row.lead)
                    .unwrap_or_else(|error| panic!("{}: {error}", row.kind));
            }
            for literal in row.literals {
                assert!(literal.len() >= 3 || row.search == Search::Run, "{}: {literal}", row.kind);
            }
        }
    }

    /// What may follow the states of a pattern, byte by byte: the next states, and whether a byte
    /// that `fits` refuses leads to any, or a match ends here.
    fn step(
        dfa: &DFA,
        cache: &mut Cache,
        states: &[LazyStateID],
        fits: impl Fn(u8) -> bool,
    ) -> (Vec<LazyStateID>, bool) {
        let (mut all, mut strange) = (Vec::new(), false);
        for state in states {
            for byte in 0..=255 {
                let next = dfa.next_state(cache, *state, byte).unwrap();
                if !next.is_dead() && !all.contains(&next) {
                    all.push(next);
                }
                strange |= next.is_match() || (!next.is_dead() && !fits(byte));
            }
        }
        (all, strange)
    }

    #[test]
    fn a_token_starts_with_a_long_run_and_with_as_many_letters_as_its_entry_says() {
        for entry in ENTRIES.iter().filter(|entry| entry.search == Search::Run) {
            let Announces::Row(index) = entry.announces else { panic!("{}", entry.text) };
            let row = ROWS[usize::from(index)];
            assert!(is_word(entry.text.as_bytes()[0]), "{}", entry.text);
            let pattern = format!("(?:{})(?:{})", row.lead, row.body);
            let dfa = dfa::compile_bytes(&pattern).unwrap();
            let mut cache = dfa.create_cache();
            let config = start::Config::new().anchored(Anchored::Yes);
            let mut states = vec![dfa.start_state(&mut cache, &config).unwrap()];
            for &byte in entry.text.as_bytes() {
                states[0] = dfa.next_state(&mut cache, states[0], byte).unwrap();
            }
            for place in entry.text.len()..RUN_BYTES.max(entry.words) {
                let word = |byte: u8| is_word(byte) && place < entry.words;
                let run = |byte: u8| is_word(byte) || b"!$%+-./=".contains(&byte);
                let fits = |byte: u8| word(byte) || (place >= entry.words && run(byte));
                let (next, strange) = step(&dfa, &mut cache, &states, fits);
                assert!(!strange, "{} {} at {place}", row.kind, entry.text);
                states = next;
            }
        }
    }

    #[test]
    fn the_index_finds_every_literal() {
        for entry in &ENTRIES {
            let finds = |rest: &[u8]| {
                let (single, longer) = starting(rest);
                single.iter().chain(longer).any(|other| std::ptr::eq(other, entry))
            };
            assert!(finds(entry.text.as_bytes()), "{}", entry.text);
            assert!(finds(&entry.text.as_bytes()[..1]), "{}", entry.text);
            if entry.text.len() == 1 {
                assert!(finds(&[entry.text.as_bytes()[0], 0xff]), "{}", entry.text);
            }
        }
        assert_eq!(starting(&[0xff, b'a']).1.len(), 0);
    }
}
