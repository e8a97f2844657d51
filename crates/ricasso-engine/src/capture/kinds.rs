//! The table of known secrets: one row a kind. A new kind is a new row; nothing else moves.
//!
//! A row must have literals that are rare in ordinary output, because each occurrence costs a
//! walk, and a pattern tight enough to leave hashes and identifiers alone. What issuers publish
//! about a format is in its row; lengths are lower bounds, since issuers lengthen their tokens.

mod chat;
mod cloud;
mod code;
mod keys;
mod models;
mod money;
mod named;
mod product;

use super::check::Check;

/// What must stand before a literal for it to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// Anything: the literal is long or odd enough to stand in the middle of a word.
    Any,
    /// No letter, digit or underscore: `task-` is not the start of an `sk-` key.
    Word,
    /// A digit: the number of a bot before its token.
    Digit,
}

/// A look at the bytes behind a literal that ordinary text is full of, which costs less than a
/// walk. It must pass whatever the patterns would match; other literals are rare enough without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    /// Bytes that end the attempt when they come before `wants`.
    pub(super) stops: &'static [u8],
    /// The byte that must come first.
    pub(super) wants: u8,
}

impl Look {
    /// No look.
    pub(super) const NONE: Look = Look { stops: b"", wants: 0 };
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
    /// What the bytes behind the literal must be like; for literals that are not rare.
    pub(super) look: Look,
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
    /// At the edges of words in long runs of letters, digits, `_`, `-` and `.`, of which the match
    /// has [`RUN_BYTES`] at least: most text has no such run, and is passed over.
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
    /// What must stand before it.
    pub(super) edge: Edge,
    /// What the bytes behind it must be like.
    pub(super) look: Look,
    /// What it announces.
    pub(super) announces: Announces,
    /// How it is looked for.
    pub(super) search: Search,
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
        look: Look::NONE,
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

    const fn check(self, check: Check) -> Row {
        Row { check, ..self }
    }

    const fn max(self, max: usize) -> Row {
        Row { max, ..self }
    }

    const fn look(self, stops: &'static [u8], wants: u8) -> Row {
        Row { look: Look { stops, wants }, ..self }
    }

    const fn edge(self, edge: Edge) -> Row {
        Row { edge, ..self }
    }

    /// For a body with signs that a run does not have.
    const fn everywhere(self) -> Row {
        Row { search: Search::Everywhere, ..self }
    }

    const fn trail(self, trail: usize) -> Row {
        Row { trail, ..self }
    }
}

/// In order of precedence where two kinds match the same bytes.
const TABLES: [&[Row]; 8] = [
    keys::ROWS,
    code::ROWS,
    models::ROWS,
    cloud::ROWS,
    chat::ROWS,
    money::ROWS,
    product::ROWS,
    named::ROWS,
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

/// The literals of rows and names, by their first byte, in order of precedence for each.
pub(super) static ENTRIES: [Entry; ENTRY_COUNT] = entries();

/// Where in [`ENTRIES`] the literals with this first byte start; the next one is where they end.
pub(super) static FIRST: [u16; 257] = first();

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
        edge: Edge::Any,
        look: Look::NONE,
        announces: Announces::Row(0),
        search: Search::Everywhere,
    };
    let mut list = [nothing; ENTRY_COUNT];
    let rows = flatten();
    let (mut row, mut count) = (0, 0);
    while row < rows.len() {
        let Row { literals, edge, look, search, .. } = *rows[row];
        let mut literal = 0;
        while literal < literals.len() {
            let announces = Announces::Row(row as u16);
            list[count] = Entry { text: literals[literal], edge, look, announces, search };
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
            list[count] = Entry { text: texts[text], announces, ..nothing };
            count += 1;
            text += 1;
        }
        stem += 1;
    }
    list
}

const fn entries() -> [Entry; ENTRY_COUNT] {
    let list = listed();
    let mut sorted = list;
    let (mut byte, mut count) = (0, 0);
    while byte < 256 {
        let mut entry = 0;
        while entry < list.len() {
            if list[entry].text.as_bytes()[0] as usize == byte {
                sorted[count] = list[entry];
                count += 1;
            }
            entry += 1;
        }
        byte += 1;
    }
    sorted
}

const fn first() -> [u16; 257] {
    let list = entries();
    let mut first = [0; 257];
    let (mut byte, mut entry) = (0, 0);
    while byte < 257 {
        while entry < list.len() && (list[entry].text.as_bytes()[0] as usize) < byte {
            entry += 1;
        }
        first[byte] = entry as u16;
        byte += 1;
    }
    first
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

    #[test]
    fn the_index_finds_every_literal() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            let byte = usize::from(entry.text.as_bytes()[0]);
            assert!((FIRST[byte]..FIRST[byte + 1]).contains(&(index as u16)), "{}", entry.text);
        }
        assert_eq!(usize::from(FIRST[256]), ENTRIES.len());
    }
}
