//! The table of known secrets: one row a kind. A new kind is a new row; nothing else moves.
//!
//! A row must have literals that are rare in ordinary output, because each occurrence costs a
//! walk, and a pattern tight enough to leave hashes and identifiers alone. What issuers publish
//! about a format is in its row; lengths are lower bounds, since issuers lengthen their tokens.

mod chat;
mod cloud;
mod code;
mod entries;
mod keys;
mod look;
mod models;
mod money;
mod named;
mod product;
mod spoken;

use super::check::Check;
pub(super) use entries::{Announces, ENTRIES, Entry, FRONTS, LONGEST, SORTED, starting};
pub(super) use look::passes;
use look::{Look, listed_bytes, other_bytes};

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

/// All rows.
pub(super) static ROWS: [&Row; ROW_COUNT] = flatten();

const ROW_COUNT: usize = {
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
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

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    one.len() == other.len() && at == one.len()
}

#[cfg(test)]
mod tests {
    use super::super::dfa;
    use super::entries::is_word;
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
