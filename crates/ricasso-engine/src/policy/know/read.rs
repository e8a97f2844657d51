//! Tells the words of a command apart: options with their values, operands.
//!
//! One reader for all entries. It must never lose a word: what it does not know is an operand, and
//! a word that is not known may be an option too.

use super::table::{Opt, Program, Style, Value};
use crate::policy::word::{Becomes, Piece, Word};

/// The words after the program, told apart.
#[derive(Debug, Default)]
pub(super) struct Told<'w> {
    /// Options in their order.
    pub(super) given: Vec<Given<'w>>,
    /// Indices of the operands.
    pub(super) operands: Vec<usize>,
    /// Indices of words that may be options, since their beginning is not known.
    pub(super) doubts: Vec<usize>,
}

/// An option that is given.
#[derive(Debug, Clone)]
pub(super) struct Given<'w> {
    /// As it was written, without dashes and value.
    name: &'w [u8],
    dashes: Dashes,
    /// Its row in the table.
    pub(super) option: Option<&'static Opt>,
    /// Its value.
    pub(super) value: Option<Word>,
    /// The index of the word that holds the value, or the option itself.
    pub(super) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dashes {
    /// `-x`, one letter.
    One,
    /// `--long`, or `-long` where one dash is enough, or `long=`.
    Long,
}

/// Where the options end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stops {
    /// After the operand of this number, counted from nought.
    After(usize),
    /// Nowhere.
    Never,
}

/// What is read, and by which tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'w> {
    pub(super) words: &'w [Word],
    pub(super) style: Style,
    pub(super) tables: [&'static [Opt]; 3],
    pub(super) stops: Stops,
}

impl<'w> Reader<'w> {
    /// Tells the words from `from` on apart.
    pub(super) fn tell(&self, from: usize) -> Told<'w> {
        let mut told = Told::default();
        let mut at = from;
        let mut only_operands = false;
        while let Some(word) = self.words.get(at) {
            if !only_operands && word.known() == Some(b"--") && self.dashed() {
                only_operands = true;
                at += 1;
                continue;
            }
            if only_operands || !self.option(word) {
                if !only_operands && matches!(word.pieces().first(), Some(Piece::Unknown)) {
                    told.doubts.push(at);
                }
                told.operands.push(at);
                if let Stops::After(count) = self.stops
                    && told.operands.len() > count
                {
                    only_operands = true;
                }
                at += 1;
                continue;
            }
            at = self.take(at, word, &mut told);
        }
        told
    }

    fn dashed(&self) -> bool {
        !matches!(self.style, Style::Pairs)
    }

    /// Whether the word is an option.
    fn option(&self, word: &Word) -> bool {
        let head = word.head();
        match self.style {
            Style::Pairs => head.contains(&b'=') || head.starts_with(b"--"),
            Style::Gnu
            | Style::Stop
            | Style::Exact
            | Style::ExactStop
            | Style::Shell
            | Style::Dash
            | Style::DashStop
            | Style::Special(_) => {
                let plus = matches!(self.style, Style::Shell) && head.starts_with(b"+");
                head.len() > 1 && (head[0] == b'-' || plus)
                    || head == b"-" && word.known().is_none()
            }
        }
    }

    /// Takes the option at `at`, with its value, and says where the next word is.
    fn take(&self, at: usize, word: &'w Word, told: &mut Told<'w>) -> usize {
        let head = word.head();
        if matches!(self.style, Style::Pairs) && !head.starts_with(b"--") {
            let end = head.iter().position(|byte| *byte == b'=').unwrap_or(0);
            let name = &head[..end];
            let option = self.find(Dashes::Long, name);
            let value = Some(word.without(end + 1));
            told.given.push(Given { name, dashes: Dashes::Long, option, value, at });
            return at + 1;
        }
        let single = matches!(self.style, Style::Dash | Style::DashStop);
        if head.starts_with(b"--") || single {
            return self.take_long(at, word, told);
        }
        self.take_bundle(at, word, told)
    }

    fn take_long(&self, at: usize, word: &'w Word, told: &mut Told<'w>) -> usize {
        let head = word.head();
        let dashes = if head.starts_with(b"--") { 2 } else { 1 };
        let end = head.iter().position(|byte| *byte == b'=').unwrap_or(head.len());
        let name = &head[dashes.min(end)..end];
        if end == head.len() && word.known().is_none() {
            told.doubts.push(at);
        }
        let option = self.find(Dashes::Long, name);
        let mut given = Given { name, dashes: Dashes::Long, option, value: None, at };
        if end < head.len() {
            given.value = Some(word.without(end + 1));
            told.given.push(given);
            return at + 1;
        }
        self.take_next(at, given, told)
    }

    /// Adds the option with the words after it that are its value.
    fn take_next(&self, at: usize, mut given: Given<'w>, told: &mut Told<'w>) -> usize {
        let count = match given.option.map(|option| option.value) {
            Some(Value::Next) => 1,
            Some(Value::Two) => 2,
            Some(Value::No | Value::Glued) | None => 0,
        };
        if count > 0 && at + count < self.words.len() {
            given.value = Some(self.words[at + count].clone());
            given.at = at + count;
        }
        told.given.push(given);
        at + 1 + count
    }

    /// Takes `-abc`, where the value of a letter may follow it in the same word.
    fn take_bundle(&self, at: usize, word: &'w Word, told: &mut Told<'w>) -> usize {
        let head = word.head();
        if word.known().is_none() && head.len() == 1 {
            told.doubts.push(at);
            told.operands.push(at);
            return at + 1;
        }
        for letter in 1..head.len() {
            let name = &head[letter..=letter];
            let option = self.find(Dashes::One, name);
            let given = Given { name, dashes: Dashes::One, option, value: None, at };
            let value = option.map_or(Value::No, |option| option.value);
            let ends = letter + 1 == head.len();
            match value {
                Value::No => told.given.push(given),
                Value::Glued if ends && word.known().is_some() => told.given.push(given),
                Value::Next | Value::Two if ends && word.known().is_some() => {
                    return self.take_next(at, given, told);
                }
                Value::Glued | Value::Next | Value::Two => {
                    let from = letter + 1 + usize::from(head.get(letter + 1) == Some(&b'='));
                    let value = Some(word.without(from));
                    told.given.push(Given { value, ..given });
                    return at + 1;
                }
            }
        }
        if word.known().is_none() {
            told.doubts.push(at);
        }
        at + 1
    }

    /// The row of the option: spelled so, else the first that the long name abbreviates.
    fn find(&self, dashes: Dashes, name: &[u8]) -> Option<&'static Opt> {
        let rows = || self.tables.iter().flat_map(|table| table.iter());
        let single = matches!(self.style, Style::Dash | Style::DashStop | Style::Pairs);
        let spelled = rows().find(|row| {
            row.names.split(' ').any(|spelling| spells(spelling, dashes, name, single))
        });
        if spelled.is_some() || !matches!(self.style, Style::Gnu | Style::Stop) {
            return spelled;
        }
        if dashes == Dashes::One || name.is_empty() {
            return None;
        }
        let meets = |row: &Opt| {
            let longs = row.names.split(' ').filter_map(|spelling| spelling.strip_prefix("--"));
            longs.filter(|long| long.as_bytes().starts_with(name)).map(str::len).min()
        };
        // The shortest is meant where several are met: `--forc` is `--force`.
        let met = rows().filter_map(|row| meets(row).map(|length| (length, row)));
        met.min_by_key(|(length, _)| *length).map(|(_, row)| row)
    }
}

impl Given<'_> {
    /// Whether it is one of these spellings, abbreviations included where the program takes them.
    pub(super) fn is_one_of(&self, spellings: &str, style: Style) -> bool {
        let single = matches!(style, Style::Dash | Style::DashStop | Style::Pairs);
        let short = matches!(style, Style::Gnu | Style::Stop);
        if self.option.is_some_and(|option| option.names == spellings) {
            return true;
        }
        spellings.split(' ').any(|spelling| {
            spells(spelling, self.dashes, self.name, single)
                || short
                    && self.dashes == Dashes::Long
                    && self.name.len() > 1
                    && spelling
                        .strip_prefix("--")
                        .is_some_and(|long| long.as_bytes().starts_with(self.name))
        })
    }
}

impl Told<'_> {
    /// Whether one of these options is given.
    pub(super) fn has(&self, spellings: &str, style: Style) -> bool {
        !spellings.is_empty() && self.given.iter().any(|given| given.is_one_of(spellings, style))
    }

    /// Whether a word may become any number of words, options among them.
    pub(super) fn may_grow(&self, words: &[Word]) -> bool {
        self.doubts.iter().any(|at| {
            words[*at].becomes() == Becomes::Any && words[*at].pieces() == [Piece::Unknown]
        })
    }
}

/// Whether the spelling of a table is this name. `-NUM` is any number.
fn spells(spelling: &str, dashes: Dashes, name: &[u8], single: bool) -> bool {
    let bare = spelling.trim_start_matches('-').trim_end_matches('=').as_bytes();
    if single {
        return bare == name;
    }
    match dashes {
        Dashes::One => !spelling.starts_with("--") && spelling.starts_with('-') && bare == name,
        Dashes::Long => spelling.starts_with("--") && bare == name,
    }
}

/// Whether the names of an entry, separated by blanks, hold this one.
pub(super) fn named(program: &Program, name: &[u8]) -> bool {
    program.names.split(' ').any(|one| one.as_bytes() == name)
}
