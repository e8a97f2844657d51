//! The table of known secrets: one row a kind. A new kind is a new row; nothing else moves.
//!
//! A row must have literals that are rare in ordinary output, because each occurrence costs a walk
//! of its pattern, and a pattern tight enough to leave hashes and identifiers alone. What issuers
//! publish about a format is in its row; lengths are lower bounds, since issuers lengthen tokens.

mod chat;
mod cloud;
mod code;
mod commands;
mod keys;
mod models;
mod money;
mod named;
mod product;
mod spoken;

use crate::check::Check;

/// What must stand before a literal for it to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Anything: the literal is long or odd enough to stand in the middle of a word.
    Any,
    /// No letter, digit or underscore: `task-` is not the start of an `sk-` key.
    Word,
    /// A long number and a colon: the number of a bot before its token.
    Number,
}

/// A byte that must follow the literal of a row, before others that end the attempt. A cheap look
/// for literals that ordinary text is full of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    /// The byte.
    pub(crate) byte: u8,
    /// None of these comes before it; blanks and line breaks are among them.
    pub(crate) before: &'static [bool; 256],
}

/// One kind of secret. Patterns match bytes, are anchored at the literal, and take the longest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The name in the placeholder.
    pub(crate) kind: &'static str,
    /// Each match starts with one of these, in exactly this spelling.
    pub(crate) literals: &'static [&'static str],
    /// What must stand before the literal.
    pub(crate) edge: Edge,
    /// One of these must stand right before the literal, in any case; empty where anything may.
    pub(crate) after: &'static [&'static str],
    /// What must follow the literal.
    pub(crate) needs: Option<Needs>,
    /// So many bytes of a match at least, from the literal's first on, are letters, digits and the
    /// signs that tokens are made of. Few words of ordinary text are as long.
    pub(crate) run: usize,
    /// What stands before the secret and stays visible; empty where the literal is part of it.
    pub(crate) lead: &'static str,
    /// The secret itself.
    pub(crate) body: &'static str,
    /// How many bytes at the end of `body` are a mark that follows the secret and stay visible.
    pub(crate) trail: usize,
    /// The most bytes that `body` is walked over. A longer secret is hidden from there on as far
    /// as the alphabet of tokens goes.
    pub(crate) max: usize,
    /// What the text of the secret must be like besides.
    pub(crate) check: Check,
    /// Texts in which this row finds a secret, as templates of `tests/labelled`.
    takes: &'static [&'static str],
    /// Texts that only look like it, in which nothing is hidden.
    leaves: &'static [&'static str],
}

/// The examples of a row. `tests/labelled` holds the search to them.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RowExamples {
    /// The name in the placeholder.
    pub kind: &'static str,
    /// Templates of texts in which the row finds the secret that `[[…]]` marks.
    pub takes: &'static [&'static str],
    /// Templates of texts that only look like it.
    pub leaves: &'static [&'static str],
}

/// The examples of each row, in the order of the table.
#[doc(hidden)]
pub fn row_examples() -> impl Iterator<Item = RowExamples> {
    let rows = TABLES.iter().copied().flatten();
    rows.map(|row| RowExamples { kind: row.kind, takes: row.takes, leaves: row.leaves })
}

/// What a name like `password` or `api_key` asks of the value assigned to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stem {
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

/// The shortest tokens have so many bytes.
const RUN_BYTES: usize = 18;

/// Longest lead of any row.
pub(crate) const LEAD_BYTES: usize = 2 * 1024;

/// Longest token of a fixed form; the longest in use are Anthropic's with 108 bytes and
/// Atlassian's with 192.
const TOKEN: usize = 512;
/// Longest JWT before its alphabet decides: servers refuse headers beyond 8 KiB.
const JWT: usize = 8 * 1024;
/// Longest private key: RSA with 16,384 bits takes 12.5 KiB in PEM.
pub(crate) const PEM: usize = 16 * 1024;
/// Longest user name or password in a URL, and longest run of a header's scheme and value.
const CREDENTIAL: usize = 2 * 1024;

/// Which bytes are listed.
const fn byte_table(listed: &[u8]) -> [bool; 256] {
    let (mut table, mut at) = ([false; 256], 0);
    while at < listed.len() {
        table[listed[at] as usize] = true;
        at += 1;
    }
    table
}

/// A token that starts with its literal and stands at the edge of a word.
const fn token(kind: &'static str, literals: &'static [&'static str], body: &'static str) -> Row {
    Row {
        kind,
        literals,
        edge: Edge::Word,
        after: &[],
        needs: None,
        run: RUN_BYTES,
        lead: "",
        body,
        trail: 0,
        max: TOKEN,
        check: Check::Token,
        takes: &[],
        leaves: &[],
    }
}

/// A token whose literal is so odd that it counts inside a word too.
const fn odd(kind: &'static str, literals: &'static [&'static str], body: &'static str) -> Row {
    Row { edge: Edge::Any, run: 0, ..token(kind, literals, body) }
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
    const fn check(self, check: Check) -> Row {
        Row { check, ..self }
    }

    const fn max(self, max: usize) -> Row {
        Row { max, ..self }
    }

    const fn run(self, run: usize) -> Row {
        Row { run, ..self }
    }

    const fn needs(self, needs: Option<Needs>) -> Row {
        Row { needs, ..self }
    }

    const fn edge(self, edge: Edge) -> Row {
        Row { edge, ..self }
    }

    const fn after(self, after: &'static [&'static str]) -> Row {
        Row { after, ..self }
    }

    const fn trail(self, trail: usize) -> Row {
        Row { trail, ..self }
    }

    const fn takes(self, takes: &'static [&'static str]) -> Row {
        Row { takes, ..self }
    }

    const fn leaves(self, leaves: &'static [&'static str]) -> Row {
        Row { leaves, ..self }
    }
}

/// In order of precedence where two kinds match the same bytes.
const TABLES: [&[Row]; 10] = [
    keys::ROWS,
    code::ROWS,
    models::ROWS,
    cloud::ROWS,
    chat::ROWS,
    money::ROWS,
    product::ROWS,
    named::ROWS,
    spoken::ROWS,
    commands::ROWS,
];

/// The names that secrets are assigned to, in the spellings that configuration, code and
/// environments use.
pub(crate) const STEMS: &[(Stem, &[&str])] = &[
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
    (Stem::Auth, &["_auth", "-auth ", "-auth=", "\"auth\"", "_AUTH", "redential", "REDENTIAL"]),
];

/// All rows.
pub(crate) static ROWS: [Row; ROW_COUNT] = all_rows();

pub(crate) const ROW_COUNT: usize = {
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

pub(crate) const fn all_rows() -> [Row; ROW_COUNT] {
    let mut rows = [TABLES[0][0]; ROW_COUNT];
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            // Programs do not carry the examples.
            rows[count] = TABLES[table][row].takes(&[]).leaves(&[]);
            count += 1;
            row += 1;
        }
        table += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern;

    #[test]
    fn every_row_compiles_and_starts_with_ascii() {
        for row in &ROWS {
            for text in [row.lead, row.body].into_iter().filter(|text| !text.is_empty()) {
                pattern::compile_bytes(text)
                    .unwrap_or_else(|error| panic!("{}: {error}", row.kind));
            }
            assert!(row.literals.iter().all(|text| text.is_ascii() && !text.is_empty()));
            let blanks =
                |needs: Needs| needs.before[usize::from(b' ')] && needs.before[usize::from(b'\n')];
            assert!(row.needs.is_none_or(blanks), "{}", row.kind);
        }
    }

    /// Whether every match has this row's run: no other byte leads on, and none is shorter.
    #[test]
    fn every_match_of_a_row_with_a_run_has_it() {
        let mut wrong = Vec::new();
        for row in ROWS.iter().filter(|row| row.run > 0) {
            let dfa = pattern::compile_bytes(row.body).unwrap();
            let mut cache = dfa.create_cache();
            let mut states = vec![pattern::start_state(&dfa, &mut cache, None).unwrap()];
            for place in 0..row.run {
                let mut next = Vec::new();
                for (&state, byte) in states.iter().flat_map(|s| (0..=255).map(move |b| (s, b))) {
                    let state = dfa.next_state(&mut cache, state, byte).unwrap();
                    let led = !state.is_dead() && !next.contains(&state);
                    let fits = crate::find::is_run_byte(byte) && !state.is_match();
                    if !fits && !state.is_dead() && !wrong.contains(&(row.kind, place)) {
                        wrong.push((row.kind, place));
                    }
                    next.extend(led.then_some(state));
                }
                states = next;
            }
        }
        assert!(wrong.is_empty(), "these have shorter runs: {wrong:?}");
    }
}
