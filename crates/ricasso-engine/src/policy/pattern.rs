//! Command patterns: `git push --force *`, matched against what runs.
//!
//! A pattern is words: the program, sub-command words in order, options anywhere, and `*` at the
//! end for "and anything more". It must never be matched against raw text.

use super::text::Glob;
use super::words::{self, Item, Meets, Words};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A pattern has at most this many words; a longer one is a script, not a pattern.
const MAX_WORDS: usize = 64;

/// One pattern of `[commands]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    text: String,
    program: Glob,
    operands: Vec<Glob>,
    options: Vec<Glob>,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Exact,
    AnythingMore,
}

/// A command as the rules see it: its words, and every name that its program goes by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Command<'a> {
    /// The words; the first is the program.
    pub(super) words: &'a Words,
    /// Base names and paths, as written and as resolved; empty where the program is unknown.
    pub(super) names: &'a [Vec<u8>],
}

impl Command<'_> {
    /// Whether the program goes by a name that one of these globs matches.
    pub(super) fn is_called(&self, globs: &[Glob]) -> Meets {
        if self.names.is_empty() {
            return Meets::Perhaps;
        }
        let met = self.names.iter().any(|name| globs.iter().any(|glob| glob.matches(name)));
        if met { Meets::Yes } else { Meets::No }
    }
}

impl CommandPattern {
    /// Reads a pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.len() > MAX_WORDS {
            return Err(format!("a pattern has at most {MAX_WORDS} words; use [[rules]]"));
        }
        let end = if words.len() > 1 && words.last() == Some(&"*") {
            words.pop();
            End::AnythingMore
        } else {
            End::Exact
        };
        let Some((program, rest)) = words.split_first() else {
            return Err("an empty pattern matches nothing; write a program".to_string());
        };
        let glob = |word: &&str| Glob::new(*word).map_err(String::from);
        let (options, operands): (Vec<&str>, Vec<&str>) =
            rest.iter().partition(|word| word.len() > 1 && word.starts_with('-'));
        Ok(Self {
            text: text.to_string(),
            program: glob(program)?,
            operands: operands.iter().map(glob).collect::<Result<_, _>>()?,
            options: options.iter().map(glob).collect::<Result<_, _>>()?,
            end,
        })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether every command that meets the other pattern meets this one too, as far as the words
    /// of both tell.
    pub(super) fn covers(&self, other: &CommandPattern) -> bool {
        let is = |own: &Glob, its: &Glob| {
            own == its || (its.is_literal() && own.matches(its.as_str().as_bytes()))
        };
        let operands = self.operands.len() <= other.operands.len()
            && self.operands.iter().zip(&other.operands).all(|(own, its)| is(own, its));
        let options = self.options.iter().all(|own| other.options.iter().any(|its| is(own, its)));
        let end = match (self.end, other.end) {
            (End::AnythingMore, End::AnythingMore | End::Exact) => true,
            (End::Exact, End::AnythingMore) => false,
            (End::Exact, End::Exact) => {
                self.operands.len() == other.operands.len()
                    && self.options.len() == other.options.len()
            }
        };
        is(&self.program, &other.program) && operands && options && end
    }

    /// How well a command meets the pattern.
    pub(super) fn meets(&self, command: Command<'_>) -> Meets {
        let program = command.is_called(std::slice::from_ref(&self.program));
        if program == Meets::No {
            return Meets::No;
        }
        let items = words::operands(command.words);
        let options = self.options.iter().map(|option| words::has_option(command.words, option));
        let all = options.min().unwrap_or(Meets::Yes);
        program.min(all).min(words::begins(&items, &self.operands)).min(self.ends(command, &items))
    }

    fn count_options(&self) -> usize {
        self.options.iter().map(|option| words::letters(option.as_str().as_bytes())).sum()
    }

    fn ends(&self, command: Command<'_>, items: &[Item<'_>]) -> Meets {
        if self.end == End::AnythingMore {
            return Meets::Yes;
        }
        let unknown = items.iter().filter(|item| matches!(item, Item::Unknown)).count();
        let more_words = items.len() - unknown > self.operands.len();
        if more_words || words::count_options(command.words) > self.count_options() {
            return Meets::No;
        }
        if unknown > 0 { Meets::Perhaps } else { Meets::Yes }
    }
}

impl Serialize for CommandPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for CommandPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(pattern: &str, text: &str) -> Meets {
        let words: Vec<_> =
            text.split(' ').map(|word| (word != "?").then(|| word.as_bytes().to_vec())).collect();
        let names: Vec<_> = words[0].iter().cloned().collect();
        let command = Command { words: &words, names: &names };
        CommandPattern::new(pattern).unwrap().meets(command)
    }

    #[test]
    fn a_pattern_covers_what_it_meets_anyway() {
        let covers = |one: &str, other: &str| {
            CommandPattern::new(one).unwrap().covers(&CommandPattern::new(other).unwrap())
        };
        assert!(covers("git push *", "git push --force *"));
        assert!(covers("git push *", "git push origin main"));
        assert!(covers("git *", "git push"));
        assert!(covers("a b", "a b"));
        assert!(!covers("git push --force *", "git push *"));
        assert!(!covers("git push", "git push *"));
        assert!(!covers("git push", "git push origin"));
        assert!(!covers("git pull *", "git push *"));
    }

    #[test]
    fn words_in_order_options_anywhere() {
        assert_eq!(meets("git push --force *", "git push origin --force main"), Meets::Yes);
        assert_eq!(meets("git push --force *", "git push origin main"), Meets::No);
        assert_eq!(meets("git push *", "git push"), Meets::Yes);
        assert_eq!(meets("git push *", "gitx push"), Meets::No);
        assert_eq!(meets("terraform destroy *", "terraform -chdir=x destroy"), Meets::Yes);
    }

    #[test]
    fn without_a_star_the_match_is_exact() {
        assert_eq!(meets("cargo test", "cargo test"), Meets::Yes);
        assert_eq!(meets("cargo test", "cargo test x"), Meets::No);
        assert_eq!(meets("cargo test", "cargo test --release"), Meets::No);
        assert_eq!(meets("cargo test", "cargo test ?"), Meets::Perhaps);
        assert_eq!(meets("rm -r", "rm -rf"), Meets::No);
        assert_eq!(meets("rm -rf", "rm -rf"), Meets::Yes);
    }

    #[test]
    fn an_unknown_program_could_be_any() {
        assert_eq!(meets("git push *", "? push"), Meets::Perhaps);
        assert_eq!(meets("git push *", "? pull"), Meets::No);
    }
}
