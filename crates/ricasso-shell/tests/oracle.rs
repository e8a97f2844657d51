//! A second and a third opinion: a command that another reader names and we do not is a failure.
//!
//! Both are known to miss commands that bash runs and to invent some. Inventions are listed here
//! with the reason; the list may only shrink. Their trees are taken from how they print them, so
//! that no walker of ours can hide what they saw.

use std::collections::HashSet;
use std::io::Write as _;

use ricasso_fuzz::corpus::{commands, long, own, shared, skipped_part, snippets};
use ricasso_fuzz::random::Random;
use ricasso_shell::{Script, Shell, read};
use shuck_parser::parser::{ParseStatus, Parser};

mod compose;

/// Longer texts make the other readers slow.
const TEXT_BYTES: usize = 4_000;

/// What the other readers call a command and bash does not, with the reason.
const INVENTED: [(&str, &str); 6] = [
    ("time", "bash takes `time` for a reserved word here"),
    ("!", "bash takes `!` for a reserved word here"),
    ("{", "bash takes the brace for a reserved word here"),
    ("coproc", "bash takes `coproc` for a reserved word here"),
    ("--", "bash takes `--` behind `time` for its option"),
    ("-p", "bash takes `-p` behind `time` for its option"),
];

#[test]
fn no_other_reader_names_a_command_that_we_do_not() {
    let work = std::thread::Builder::new().stack_size(64 << 20).spawn(compare_all);
    let missing = work.expect("threads can be started").join().expect("readers do not panic");
    assert!(missing.is_empty(), "{} missing\n{}", missing.len(), missing.join("\n"));
}

fn compare_all() -> Vec<String> {
    let mut missing = Vec::new();
    let texts = texts();
    let mut named = (0, 0);
    for text in &texts {
        let ours = read(text.as_bytes(), Shell::Bash);
        if ours.unreadable().is_some() {
            continue;
        }
        let known = Known::of(&ours);
        for (start, end) in shuck(text) {
            named.0 += 1;
            let name = text.get(start..end).unwrap_or_default().trim_end_matches("\\\n");
            let spans = [(start, end), (start + 1, end), (start, start + name.len())];
            let seen = spans.iter().any(|span| known.spans.contains(span));
            if !seen && !known.covers(start) && !invented(name) && excuse(name).is_none() {
                missing.push(format!("shuck names {name:?} at {start} in {text:?}"));
            }
        }
        for name in rable(text) {
            named.1 += 1;
            let known_name = known.written.contains(&name) || known.unsure;
            if !known_name && !invented(&name) && excuse(&name).is_none() {
                missing.push(format!("rable names {name:?} in {text:?}"));
            }
        }
    }
    let (shuck, rable) = named;
    let count = texts.len();
    let _ =
        writeln!(std::io::stderr(), "oracle: {count} texts, shuck {shuck}, rable {rable} names");
    missing
}

fn invented(name: &str) -> bool {
    INVENTED.iter().any(|(word, _)| *word == name)
}

/// Why a span of shuck's is no name of a command.
fn excuse(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("a name that stands nowhere: shuck expands aliases"),
        _ if name.starts_with('{') => Some("the variable of a descriptor taken for a name"),
        _ if name.starts_with("<(") => Some("the value of an assignment taken for a name"),
        _ if name.contains("]=") || name.contains("]+=") => {
            Some("an assignment to an element taken for a name")
        }
        _ => None,
    }
}

fn texts() -> Vec<String> {
    let mut texts = own();
    let mut random = Random::new(33);
    let composed = if long() { 3_000 } else { 150 };
    texts.extend((0..composed).map(|_| compose::text(&mut random).into_bytes()));
    match shared() {
        Some(shared) => {
            texts.extend(snippets(&shared));
            let step = if long() { 1 } else { 4 };
            texts.extend(commands(&shared).into_iter().step_by(step));
        }
        None => {
            let name = "no_other_reader_names_a_command_that_we_do_not";
            skipped_part(name, "corpora", "no shared corpora at hand");
        }
    }
    texts.retain(|text| text.len() < TEXT_BYTES);
    // Line continuations shift their spans and operators, and neither of them drops the
    // backslashes between backticks before it reads on.
    texts.retain(|text| !text.windows(2).any(|pair| pair == b"\\\n"));
    texts.retain(|text| !(text.contains(&b'`') && text.contains(&b'\\')));
    texts.into_iter().filter_map(|text| String::from_utf8(text).ok()).collect()
}

/// What we name.
#[derive(Default)]
struct Known {
    spans: HashSet<(usize, usize)>,
    written: HashSet<String>,
    code: Vec<(usize, usize)>,
    /// Some text could not be read again.
    unsure: bool,
}

impl Known {
    fn of(script: &Script) -> Self {
        let mut known = Self::default();
        known.add(script);
        for code in script.code() {
            known.code.push((code.span.start, code.span.end));
            match code.reread(Shell::Bash) {
                Some(script) => known.add(&script),
                None => known.unsure = true,
            }
        }
        known
    }

    fn add(&mut self, script: &Script) {
        for found in script.commands() {
            let Some(first) = found.words.first() else { continue };
            self.spans.insert((first.span.start, first.span.end));
            let written = String::from_utf8_lossy(first.span.of(script.text())).into_owned();
            self.written.insert(written.replace("\\\n", ""));
            if let Some(value) = first.value() {
                self.written.insert(String::from_utf8_lossy(&value).into_owned());
            }
        }
    }

    fn covers(&self, at: usize) -> bool {
        self.code.iter().any(|&(start, end)| start <= at && at < end)
    }
}

/// The spans of the names that shuck finds, where it finds no fault in the text.
fn shuck(text: &str) -> Vec<(usize, usize)> {
    let result = Parser::new(text).parse();
    if !matches!(result.status, ParseStatus::Clean) {
        return Vec::new();
    }
    let printed = format!("{:#?}", result.file);
    let lines: Vec<&str> = printed.lines().collect();
    let mut spans = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.trim_start() != "SimpleCommand {" {
            continue;
        }
        let Some(name) = lines.get(index + 1).filter(|line| line.trim() == "name: Word {") else {
            continue;
        };
        let wanted = format!("{:1$}span: Span {{", "", indent(name) + 4);
        let span = lines[index..].iter().position(|line| **line == wanted);
        let offsets = span.map(|at| offsets(&lines[index + at..]));
        // A command that is only assignments has an empty name.
        spans.extend(offsets.filter(|(start, end)| start < end));
    }
    spans
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn offsets(lines: &[&str]) -> (usize, usize) {
    let mut found = lines.iter().filter_map(|line| {
        line.trim().strip_prefix("offset: ")?.strip_suffix(',')?.parse::<usize>().ok()
    });
    (found.next().unwrap_or(0), found.next().unwrap_or(0))
}

/// The names that rable finds, as they are written.
fn rable(text: &str) -> Vec<String> {
    let Ok(nodes) = rable::parse(text, false) else { return Vec::new() };
    let printed = format!("{nodes:#?}");
    let lines: Vec<&str> = printed.lines().collect();
    let mut names = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.trim() != "kind: Command {" {
            continue;
        }
        let wanted = format!("{:1$}words: [", "", indent(line) + 4);
        let end = format!("{:1$}}},", "", indent(line));
        let body = lines[index..].iter().take_while(|line| **line != end);
        let words = body.skip_while(|line| **line != wanted);
        let value = words.take(4).find_map(|line| line.trim().strip_prefix("value: "));
        names.extend(value.and_then(|value| unescaped(value.strip_suffix(',')?)));
    }
    names
}

/// A string as Rust prints it for debugging.
fn unescaped(printed: &str) -> Option<String> {
    let inner = printed.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'u' => {
                let digits: String = characters.by_ref().take_while(|c| *c != '}').collect();
                text.push(char::from_u32(u32::from_str_radix(&digits[1..], 16).ok()?)?);
            }
            other => text.push(other),
        }
    }
    Some(text)
}
