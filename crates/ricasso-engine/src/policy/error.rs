//! Why a policy cannot be loaded: always with file, line and column, the key, and what to do.

use std::fmt;

/// Where in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name as given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// Why a policy cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// What was kept of a policy is not what we write down.
    NotKept {
        /// What the reader met.
        problem: String,
    },
    /// The text is no TOML, or a table lacks a key.
    BadToml {
        /// Where.
        place: Place,
        /// What the reader met.
        problem: String,
    },
    /// A file longer than any that people write.
    TooLong {
        /// Which file.
        place: Place,
        /// Its length.
        bytes: usize,
        /// The bound.
        most: usize,
    },
    /// A language that this version does not speak.
    Version {
        /// Where.
        place: Place,
        /// The number found.
        found: i64,
    },
    /// A key that does not exist.
    UnknownKey {
        /// Where.
        place: Place,
        /// The key with its table.
        key: String,
        /// Those that do exist there.
        keys: String,
    },
    /// A value of the wrong type, unit or grammar.
    BadValue {
        /// Where.
        place: Place,
        /// The key with its table.
        key: String,
        /// What is wrong.
        problem: String,
        /// What to write.
        remedy: String,
    },
    /// A file that may only tighten gives more.
    Widens {
        /// Where.
        place: Place,
        /// The key that gives more.
        key: String,
        /// What holds without it.
        held: String,
        /// Who says that it may only tighten.
        by: String,
    },
    /// A mode, or a right by flag, beyond the ceiling.
    AboveCeiling {
        /// Where the mode was asked for.
        place: Place,
        /// What was asked for.
        asked: String,
        /// What is most.
        ceiling: String,
    },
    /// A key that this file cannot have.
    NotHere {
        /// Where.
        place: Place,
        /// The key.
        key: String,
        /// Why, and what to do.
        remedy: String,
    },
    /// `extends` names nothing that was found.
    Extends {
        /// Where.
        place: Place,
        /// The name.
        name: String,
    },
    /// A rule's own example shows that it does not do what was meant.
    Example {
        /// Where.
        place: Place,
        /// The rule.
        rule: String,
        /// `must_match` or `must_not_match`.
        list: &'static str,
        /// The example.
        example: String,
    },
    /// A rule or pattern that can never count, since another one catches the same and says more.
    Shadowed {
        /// Where.
        place: Place,
        /// The one that never counts.
        rule: String,
        /// The one that always comes first.
        by: String,
    },
}

impl Place {
    /// The beginning of a file.
    pub(super) fn start(file: &str) -> Self {
        Self { file: file.to_string(), line: 1, column: 1 }
    }

    /// The place of a byte offset.
    pub(super) fn at(file: &str, text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { file: file.to_string(), line, column: before[start..].chars().count() + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotKept { problem } => {
                write!(f, "the kept policy cannot be read ({problem}); it was changed")
            }
            Error::BadToml { place, problem } => {
                write!(f, "{place}: this cannot be read as TOML of a policy ({problem}); mend it")
            }
            Error::TooLong { place, bytes, most } => {
                write!(f, "{place}: the file has {bytes} bytes, {most} are taken; shorten it")
            }
            Error::Version { place, found } => {
                write!(f, "{place}: version {found} is not known here; write version = 1")
            }
            Error::UnknownKey { place, key, keys } => {
                write!(f, "{place}: {key} is no key of a policy; keys here are {keys}")
            }
            Error::BadValue { place, key, problem, remedy } => {
                write!(f, "{place}: {key}: {problem}; {remedy}")
            }
            Error::Widens { place, key, held, by } => {
                write!(f, "{place}: {key} gives more than {held}, but {by} may only tighten; ")?;
                write!(f, "remove it, or set it in the user's own file")
            }
            Error::AboveCeiling { place, asked, ceiling } => {
                write!(f, "{place}: {asked} goes beyond the ceiling {ceiling}; ")?;
                write!(f, "ask for less, or let the owner of the ceiling raise it")
            }
            Error::NotHere { place, key, remedy } => {
                write!(f, "{place}: {key} cannot stand here; {remedy}")
            }
            Error::Extends { place, name } => {
                write!(f, "{place}: extends names {name}, which is no preset and no file beside ")?;
                write!(f, "this one; write read, workspace, open or the file's name")
            }
            Error::Example { place, rule, list, example } => {
                write!(f, "{place}: the rule {rule} breaks its own {list} {example:?}; ")?;
                write!(f, "mend the rule or the example")
            }
            Error::Shadowed { place, rule, by } => {
                write!(f, "{place}: {rule} never counts, since {by} catches the same; remove one")
            }
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let place = Place::at("f", "a\nüb = 1", 5);
        assert_eq!((place.line, place.column), (2, 3));
        assert_eq!(Place::at("f", "", 10), Place::start("f"));
    }
}
