//! Texts of the policy file that have a grammar of their own: globs of names, paths, regexes.
//!
//! They are checked where they are made, so that a file with a bad one is never half obeyed.

use super::layered::Layered;
use regex_automata::meta;
use regex_automata::util::syntax;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A compiled regex may take this much memory; a user's pattern needs a thousandth of it.
const MAX_REGEX_BYTES: usize = 4 << 20;

/// A glob over one name or word: `*`, `?` and `[a-z]`; `*` crosses slashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Glob(String);

/// A path as written: absolute, below `~`, or relative to the workspace; never with `..`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PathText(String);

/// A regex that is known to compile, kept as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RegexText(String);

/// A regex, ready to use.
#[derive(Debug, Clone)]
pub struct Matcher {
    text: String,
    regex: meta::Regex,
}

/// Roots below which files may be read or written; a later list replaces an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Roots(Vec<PathText>);

/// The only ones that count; unset means any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OnlyOf<T>(Option<Vec<T>>);

/// The only programs that may run; unset means any.
pub type Only = OnlyOf<Glob>;

/// The only directories that something may happen in; unset means any.
pub type OnlyIn = OnlyOf<PathText>;

/// Regexes of which every command must match one; unset means any command.
pub type OnlyMatching = OnlyOf<Matcher>;

/// One of a list, and whether it lets through all that another one does.
trait Covers {
    fn covers(&self, other: &Self) -> bool;
}

impl Covers for Glob {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl Covers for PathText {
    fn covers(&self, other: &Self) -> bool {
        self.holds(other)
    }
}

impl Covers for Matcher {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl Glob {
    /// Reads a glob.
    pub fn new(text: impl Into<String>) -> Result<Self, &'static str> {
        let text = text.into();
        if text.is_empty() {
            return Err("an empty glob matches nothing; write a name, or * for any");
        }
        if unclosed(text.as_bytes()) {
            return Err("the [ of the glob is never closed; close it, or write [[] for a bracket");
        }
        Ok(Self(text))
    }

    /// The glob as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole word matches.
    pub fn matches(&self, word: &[u8]) -> bool {
        glob(self.0.as_bytes(), word)
    }

    /// Whether the glob stands for itself alone.
    pub fn is_literal(&self) -> bool {
        !self.0.contains(['*', '?', '['])
    }
}

impl PathText {
    /// The path as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn holds(&self, other: &PathText) -> bool {
        let (root, path) = (self.0.trim_end_matches('/'), other.0.trim_end_matches('/'));
        let relative = !path.starts_with(['/', '~', '$']);
        match root {
            "" => !path.starts_with('$'),
            "." => relative,
            _ => path == root || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/')),
        }
    }
}

impl Matcher {
    /// Whether the regex is found anywhere in these bytes.
    pub fn finds(&self, text: &[u8]) -> Option<[usize; 2]> {
        self.regex.find(text).map(|found| [found.start(), found.end()])
    }

    /// The regex as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<T> OnlyOf<T> {
    /// The list, if there is one.
    pub fn list(&self) -> Option<&[T]> {
        self.0.as_deref()
    }
}

impl std::ops::Deref for Roots {
    type Target = [PathText];

    fn deref(&self) -> &[PathText] {
        &self.0
    }
}

impl Roots {
    /// No root at all.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// One more root, as a flag gives it.
    pub(super) fn push(&mut self, root: PathText) {
        if !self.0.contains(&root) {
            self.0.push(root);
        }
    }
}

impl Layered for Roots {
    fn tightest() -> Self {
        Self::none()
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        new.0.iter().any(|path| !self.0.iter().any(|root| root.holds(path)))
    }
}

impl<T: Covers + Clone + Serialize> Layered for OnlyOf<T> {
    /// No list is the widest there is, but a preset without one means exactly that.
    fn tightest() -> Self {
        Self(None)
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        match (&self.0, &new.0) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(old), Some(new)) => {
                new.iter().any(|one| !old.iter().any(|known| known.covers(one)))
            }
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OnlyOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<T>::deserialize(deserializer).map(|list| Self(Some(list)))
    }
}

impl<'de> Deserialize<'de> for Glob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Glob::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl TryFrom<String> for PathText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("an empty path names nothing; write \".\" for the workspace");
        }
        if text.split('/').any(|part| part == "..") {
            return Err("a path with .. cannot be compared; write where it leads");
        }
        if text.contains('\0') {
            return Err("a path cannot hold a NUL byte; remove it");
        }
        if text.starts_with('~') && text != "~" && !text.starts_with("~/") {
            return Err("homes of other users are not looked up; write the absolute path");
        }
        Ok(Self(text))
    }
}

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = unmarked(&String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        PathText::try_from(text).map_err(D::Error::custom)
    }
}

/// A path as a file of a policy writes it. Paths are no patterns, and one that looks like a pattern
/// would hide or protect nothing, without a word; a name with such signs has `\\` before them.
fn unmarked(text: &str) -> Result<String, &'static str> {
    const MARKS: [char; 2] = ['*', '?'];
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, signs.next_if(|next| sign == '\\' && MARKS.contains(next))) {
            (_, Some(mark)) => plain.push(mark),
            (sign, None) if MARKS.contains(&sign) => {
                return Err(
                    "a path is no pattern; name each one, or write \\ before * and ? that \
                            are part of a name",
                );
            }
            (sign, None) => plain.push(sign),
        }
    }
    Ok(plain)
}

impl RegexText {
    /// The regex as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for RegexText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match syntax::parse(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => Err(D::Error::custom(bad_regex(&text, &error.to_string()))),
        }
    }
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let RegexText(text) = RegexText::deserialize(deserializer)?;
        let limits = meta::Config::new().nfa_size_limit(Some(MAX_REGEX_BYTES));
        let builder = meta::Builder::new().configure(limits).build(&text);
        let regex = builder.map_err(|error| D::Error::custom(bad_regex(&text, &error.to_string())));
        Ok(Self { regex: regex?, text })
    }
}

impl Serialize for Matcher {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

fn bad_regex(text: &str, problem: &str) -> String {
    let last = problem.lines().last().unwrap_or(problem).trim_start_matches("error: ");
    format!("the regex {text:?} cannot be read ({last}); mend it or remove it")
}

/// Whether every bracket of a glob is closed.
pub(super) fn glob_is_good(glob: &[u8]) -> bool {
    !unclosed(glob)
}

fn unclosed(glob: &[u8]) -> bool {
    let mut at = 0;
    while let Some(open) = glob[at..].iter().position(|byte| *byte == b'[') {
        match class_end(&glob[at + open..]) {
            Some(length) => at += open + length,
            None => return true,
        }
    }
    false
}

/// The length of the bracket class that starts here; a `]` right after `[` or `[!` is a member.
fn class_end(glob: &[u8]) -> Option<usize> {
    let negated = usize::from(matches!(glob.get(1), Some(b'!' | b'^')));
    let first = 1 + negated;
    glob.iter().skip(first + 1).position(|byte| *byte == b']').map(|at| first + 1 + at + 1)
}

/// Whether a glob that is known to be good matches the whole word. One step back to the last star:
/// linear in practice, quadratic at worst.
pub(super) fn glob(pattern: &[u8], word: &[u8]) -> bool {
    let (mut p, mut w) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while w < word.len() {
        match one(&pattern[p..], word[w]) {
            Step::Star => {
                star = Some((p + 1, w));
                p += 1;
            }
            Step::Taken(length) => (p, w) = (p + length, w + 1),
            Step::Refused => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    (p, w) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

enum Step {
    Star,
    Taken(usize),
    Refused,
}

fn one(pattern: &[u8], byte: u8) -> Step {
    match pattern.first() {
        Some(b'*') => Step::Star,
        Some(b'?') => Step::Taken(1),
        Some(b'[') => match class_end(pattern) {
            Some(length) if in_class(&pattern[1..length - 1], byte) => Step::Taken(length),
            Some(_) | None => Step::Refused,
        },
        Some(first) if *first == byte => Step::Taken(1),
        Some(_) | None => Step::Refused,
    }
}

fn in_class(class: &[u8], byte: u8) -> bool {
    let (negated, class) = match class {
        [b'!' | b'^', rest @ ..] => (true, rest),
        all => (false, all),
    };
    let mut rest = class;
    let mut found = false;
    while let [low, tail @ ..] = rest {
        match tail {
            [b'-', high, more @ ..] => {
                found |= (*low..=*high).contains(&byte);
                rest = more;
            }
            _ => {
                found |= *low == byte;
                rest = tail;
            }
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_looks_like_a_pattern_is_refused_and_a_name_with_such_signs_is_not() {
        assert_eq!(unmarked("~/a [b]\\c").as_deref(), Ok("~/a [b]\\c"));
        assert_eq!(unmarked("a\\*b\\?").as_deref(), Ok("a*b?"));
        for text in ["**/.env", "*.pem", ".env.*", "a?", "\\\\x*"] {
            assert!(unmarked(text).is_err(), "{text}");
        }
    }

    #[test]
    fn globs_match_whole_words() {
        let yes = [("mkfs*", "mkfs.ext4"), ("*_TOKEN", "GH_TOKEN"), ("a?c", "abc"), ("*", "")];
        for (glob, word) in yes {
            assert!(Glob::new(glob).unwrap().matches(word.as_bytes()), "{glob} {word}");
        }
        let no = [("mkfs", "mkfs.ext4"), ("*_TOKEN", "TOKEN"), ("a?c", "ac"), ("[!a-c]x", "bx")];
        for (glob, word) in no {
            assert!(!Glob::new(glob).unwrap().matches(word.as_bytes()), "{glob} {word}");
        }
        assert!(Glob::new("sd[a-z]*").unwrap().matches(b"sda1"));
        assert!(Glob::new("*a*b*c").unwrap().matches(b"xxaxxbxxabc"));
    }

    #[test]
    fn bad_globs_are_told() {
        assert!(Glob::new("a[bc").is_err());
        assert!(Glob::new("").is_err());
        assert!(Glob::new("[]]").is_ok());
    }

    #[test]
    fn roots_hold_what_lies_below_them() {
        let path = |text: &str| PathText::try_from(text.to_string()).unwrap();
        assert!(path(".").holds(&path("src")));
        assert!(!path(".").holds(&path("/src")));
        assert!(path("/").holds(&path("/etc")));
        assert!(path("/srv").holds(&path("/srv/a")));
        assert!(!path("/srv").holds(&path("/srvx")));
        assert!(!path("~/a").holds(&path("~")));
        assert!(PathText::try_from("a/../b".to_string()).is_err());
    }
}
