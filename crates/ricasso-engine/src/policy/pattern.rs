//! Command patterns: `git push --force *`, matched against what runs.
//!
//! A pattern is words: the program, sub-command words in order, options anywhere, and `*` at the
//! end for "and anything more". It must never be matched against raw text.

use super::know;
use super::text::Glob;
use super::word::Word;
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

    /// Its operands; global options before a sub-command that the catalogue knows are none.
    pub(super) fn items(&self) -> Vec<Item<'_>> {
        let from = self.subcommand().first().copied().unwrap_or(1);
        words::operands(self.words, from.max(1))
    }

    /// Whether the option stands among the words, in any spelling that the catalogue knows.
    pub(super) fn has_option(&self, wanted: &Glob) -> Meets {
        let met = words::has_option(self.words, wanted);
        if met == Meets::Yes {
            return met;
        }
        let (name, value) = match wanted.as_str().split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (wanted.as_str(), None),
        };
        let Some(program) = self.base_name() else { return met };
        let known = |at: usize| self.words.get(at)?.as_deref();
        let sub: Vec<&[u8]> = self.subcommand().into_iter().filter_map(known).collect();
        let sub = String::from_utf8_lossy(&sub.join(&b' ')).into_owned();
        let spellings = know::option_spellings(&program, &sub, name);
        let others = spellings.iter().filter(|spelling| **spelling != name).map(|spelling| {
            let text = value.map_or((*spelling).to_string(), |value| format!("{spelling}={value}"));
            Glob::new(text).map_or(Meets::No, |glob| words::has_option(self.words, &glob))
        });
        others.fold(met, Meets::max)
    }

    /// The indices of the words that name its sub-command.
    fn subcommand(&self) -> Vec<usize> {
        let Some(program) = self.base_name() else { return Vec::new() };
        let rest = self.words.iter().skip(1);
        let rest = rest.map(|word| word.clone().map_or_else(Word::unknown, Word::of));
        let words: Vec<Word> = std::iter::once(Word::of(program)).chain(rest).collect();
        know::subcommand(&words).unwrap_or_default()
    }

    fn base_name(&self) -> Option<String> {
        let plain = self.names.iter().find(|name| !name.contains(&b'/'))?;
        Some(String::from_utf8_lossy(plain).into_owned())
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
        let items = command.items();
        let options = self.options.iter().map(|option| command.has_option(option));
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
    fn the_catalogue_knows_spellings_and_global_options() {
        assert_eq!(meets("git push --force *", "git push -f origin"), Meets::Yes);
        assert_eq!(meets("git push -f *", "git push --force"), Meets::Yes);
        assert_eq!(meets("git push *", "git -C dir -c a=b push origin"), Meets::Yes);
        assert_eq!(meets("git push *", "git -C push log"), Meets::No);
        assert_eq!(meets("git push --force *", "git push --force-with-lease"), Meets::No);
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
