//! One Rust file as the checks see it: its code alone, and which stretches of it are tests.

use super::mask::{code_only, in_name};
use std::ops::Range;

/// A Rust file.
pub(crate) struct Source {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// The text as it is.
    pub(crate) text: String,
    /// The same length and lines, without comments, strings and characters.
    pub(crate) code: String,
    tests: Vec<Range<usize>>,
    is_test_file: bool,
}

/// A function with a body.
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// From `fn` to past the closing brace.
    pub(crate) span: Range<usize>,
}

impl Source {
    /// Reads the text of a file.
    pub(crate) fn new(path: &str, text: &str) -> Source {
        let code = code_only(text);
        let tests = test_spans(&code);
        let mut parts = path.trim_end_matches(".rs").split('/');
        let is_test_file = parts.any(|part| part == "tests");
        Source { path: path.to_owned(), text: text.to_owned(), code, tests, is_test_file }
    }

    /// The line of an offset, counted from one.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.code.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// Whether the code at an offset is compiled for tests only.
    pub(crate) fn in_tests(&self, at: usize) -> bool {
        self.is_test_file || self.tests.iter().any(|span| span.contains(&at))
    }

    /// How many lines are not tests.
    pub(crate) fn lines_without_tests(&self) -> usize {
        if self.is_test_file {
            return 0;
        }
        let in_tests = |span: &Range<usize>| self.line(span.end) - self.line(span.start) + 1;
        self.text.lines().count().saturating_sub(self.tests.iter().map(in_tests).sum())
    }

    /// Where a word stands in the code, as a whole word.
    pub(crate) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        whole_words(&self.code, word)
    }

    /// Every function that has a body.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let named = |at: usize| {
            let rest = self.code[at + 2..].trim_start();
            let end = rest.bytes().position(|byte| !in_name(byte)).unwrap_or(rest.len());
            let body = item_end(&self.code, at).filter(|end| self.code[..*end].ends_with('}'))?;
            (end > 0).then(|| Function { name: rest[..end].to_owned(), span: at..body })
        };
        self.words("fn").filter_map(named).collect()
    }
}

/// Where `word` stands in `text` with no letter, digit or underscore on either side.
pub(crate) fn whole_words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = text.as_bytes();
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = at.checked_sub(1).map(|place| bytes[place]);
        let after = bytes.get(at + word.len()).copied();
        let open = |byte: Option<u8>| !byte.is_some_and(in_name);
        (open(before) || !in_name(word.as_bytes()[0]))
            && (open(after) || !in_name(word.as_bytes()[word.len() - 1]))
    })
}

/// Where the item that begins at `from` ends: past its body, or past its semicolon.
fn item_end(code: &str, from: usize) -> Option<usize> {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            b'{' => braces += 1,
            b'}' if braces <= 1 => return Some(at + 1),
            b'}' => braces -= 1,
            b';' if braces == 0 && brackets == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The items under `#[cfg(test)]`, from the attribute to the end of the item.
fn test_spans(code: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, opening) in code.match_indices("#[cfg(") {
        let condition = at + opening.len();
        let Some(close) = code[condition..].find(']').map(|length| condition + length) else {
            continue;
        };
        let said = &code[condition..close];
        let for_tests = whole_words(said, "test").next().is_some() && !said.contains("not(test");
        let inside = spans.last().is_some_and(|span| span.contains(&at));
        if for_tests && !inside {
            spans.push(at..item_end(code, close + 1).unwrap_or(code.len()));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_what_is_no_code_and_keeps_offsets() {
        let text = r##"let a = "fn b { //"; // fn c
let d = '"'; let e: &'static str = r#"fn " f"#; /* fn /* g */ } */ let h = '\''; i('é', b"{")"##;
        let code = code_only(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert_eq!(code.len(), text.len());
        let words: Vec<&str> = code.split_whitespace().collect();
        let expected = "let a = ; let d = ; let e: &'static str = ; let h = ; i( , b )";
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn finds_functions_with_their_bodies() {
        let text = "trait T { fn none(a: [u8; 3]); fn one(&self) { {} } }\nfn two<T>() where T: Fn() \
                    {\n}\ntype P = fn(u8);";
        let source = Source::new("a.rs", text);
        let found: Vec<_> = source.functions().into_iter().map(|found| found.name).collect();
        assert_eq!(found, ["one", "two"]);
    }

    #[test]
    fn tests_are_not_counted() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let source = Source::new("src/a.rs", text);
        assert_eq!(source.lines_without_tests(), 2);
        let tests: Vec<bool> =
            source.functions().iter().map(|found| source.in_tests(found.span.start)).collect();
        assert_eq!(tests, [false, true, false]);
        assert!(!Source::new("a.rs", "#[cfg(not(test))]\nfn a() {}").in_tests(20));
        assert!(Source::new("crates/a/tests/it/b.rs", "fn a() {}").in_tests(0));
    }
}
