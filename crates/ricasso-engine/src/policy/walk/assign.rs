//! Commands of the shell that set variables: `read`, `mapfile`, `printf -v`, `declare` and its kin.

use super::super::word::Word;
use super::command::{Call, MAX_ELEMENTS, note, text_of};
use super::expand::Argument;
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Inner, Walker};
use std::rc::Rc;

impl Walker<'_> {
    pub(super) fn reads_into(&mut self, name: &[u8], words: &[Argument], call: &Call) {
        let stream = self.read_from(words).unwrap_or_else(|| call.feed.stream.clone());
        let from = stream.from();
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut array = name != b"read";
        for (at, word) in words.iter().enumerate() {
            let Some(text) = word.word.known() else {
                self.state.forget();
                continue;
            };
            if text == b"-C" || text == b"-c" && name != b"read" {
                if text == b"-C"
                    && let Some(action) = words.get(at + 1)
                {
                    self.run_text(&text_of(action), Inner::Here, &Feed::inherited());
                }
                continue;
            }
            if text.starts_with(b"-") {
                array |= text.ends_with(b"a");
                continue;
            }
            if at > 0 && takes_value(name, &words[at - 1]) {
                continue;
            }
            let text = text.to_vec();
            self.evaluated(&text);
            names.push(text);
        }
        if names.is_empty() {
            names.push(if name == b"read" { b"REPLY".to_vec() } else { b"MAPFILE".to_vec() });
        }
        let values = match name {
            b"read" => self.line_read(names.len(), array, &stream, call),
            _ => stream.known().and_then(|text| lines(&text)).map(|list| vec![list]),
        };
        self.taken += usize::from(name == b"read");
        let mut values = values.unwrap_or_default().into_iter();
        for name in names {
            self.state.set(&name, values.next().unwrap_or(Value::Unknown(from)));
        }
    }

    /// What `-u NUMBER` names.
    fn read_from(&self, words: &[Argument]) -> Option<Stream> {
        let known = |at: usize| words.get(at).and_then(|it| it.word.known());
        let at = (0..words.len()).find(|at| known(*at).is_some_and(|it| it.starts_with(b"-u")))?;
        let number = known(at)?.strip_prefix(b"-u").filter(|it| !it.is_empty());
        let number = number.or_else(|| known(at + 1))?;
        self.behind_number(&Word::of([b"/dev/fd/", number].concat()))
    }

    /// What `read` puts into so many names from a line that is known.
    fn line_read(
        &mut self,
        names: usize,
        array: bool,
        stream: &Stream,
        call: &Call,
    ) -> Option<Vec<Value>> {
        if names == 1 && !array && matches!(stream, Stream::Paths(_)) {
            return Some(vec![Value::One(stream.clone().into_text())]);
        }
        let text = stream.known()?;
        // Up to another mark than the end of a line: as far as anybody cares, all of it.
        let marked = call.arguments.iter().any(|it| it.word.head().starts_with(b"-d"));
        let line = if marked { text.trim_ascii().to_vec() } else { line(&text, self.taken) };
        let own = call.assigned.iter().rev().find(|(name, _)| name == b"IFS");
        let separators = match own {
            Some((_, Value::One(text))) => text.known()?,
            Some(_) => return None,
            None => self.value_text(b"IFS").known()?,
        };
        let separates = |byte: &u8| separators.contains(byte);
        if array {
            let parts = line.split(separates).filter(|part| !part.is_empty());
            let list: Vec<Text> = parts.take(MAX_ELEMENTS + 1).map(Text::of).collect();
            return (list.len() <= MAX_ELEMENTS).then(|| vec![Value::Many(list)]);
        }
        let mut rest = line.as_slice();
        let mut values = Vec::new();
        for number in 0..names {
            while rest.first().is_some_and(|byte| byte.is_ascii_whitespace() && separates(byte)) {
                rest = &rest[1..];
            }
            let end = rest.iter().position(separates).filter(|_| number + 1 < names);
            let (part, more) = rest.split_at(end.unwrap_or(rest.len()));
            values.push(Value::One(Text::of(part)));
            rest = more.get(1..).unwrap_or_default();
        }
        Some(values)
    }

    pub(super) fn printf_into(&mut self, words: &[Argument]) {
        if words.first().and_then(|it| it.word.known()) != Some(b"-v") {
            return;
        }
        let Some(name) = words.get(1).and_then(|it| it.word.known()).map(<[u8]>::to_vec) else {
            self.state.forget();
            return;
        };
        self.evaluated(&name);
        let mut plain = vec![Word::of("printf")];
        plain.extend(words[2..].iter().map(|it| it.word.clone()));
        let printed = super::print::printf(&plain).map(Stream::into_text);
        self.state.set(&name, printed.map_or(Value::Unknown(From::Here), Value::One));
    }

    pub(super) fn declare(&mut self, name: &[u8], seen: &mut super::Seen, call: &Call) {
        let mut exported = name == b"export";
        let mut integer = false;
        let mut functions = false;
        let (mut reference, mut changed, mut associative) = (false, false, false);
        for argument in &call.arguments[1..] {
            let head = argument.word.head();
            if head.starts_with(b"-") && argument.word.known().is_some() {
                exported |= head.contains(&b'x');
                integer |= head.contains(&b'i');
                functions |= head.contains(&b'f');
                reference |= head.contains(&b'n');
                associative |= head.contains(&b'A');
                // Letters that change case are not followed.
                changed |= head.iter().any(|byte| b"luc".contains(byte));
                continue;
            }
            if functions {
                continue;
            }
            let Some(at) = head.iter().position(|byte| *byte == b'=') else {
                if exported && let Some(name) = argument.word.known() {
                    let value = self.value(name);
                    Rc::make_mut(&mut self.state.exported).insert(name.to_vec());
                    seen.assigned.push(note(name, &value, true));
                } else if argument.word.known().is_none() {
                    self.state.forget();
                }
                continue;
            };
            let append = head[..at].ends_with(b"+");
            let own = head[..at].strip_suffix(b"+").unwrap_or(&head[..at]).to_vec();
            let text = Text {
                pieces: argument.word.without(at + 1).pieces().to_vec(),
                from: argument.from,
            };
            if integer && let Some(text) = text.known() {
                self.expression(&text);
            }
            self.evaluated(&own);
            let list = text.known().filter(|text| text.starts_with(b"("));
            let array = list.is_some();
            let listed = list.filter(|_| !append && !changed && !associative);
            let listed = listed.and_then(|text| elements(&text));
            if reference && name != b"export" {
                match text.known() {
                    Some(to) => self.state.refer(&own, &to),
                    None => self.state.forget(),
                }
                continue;
            }
            let value = match (listed, append || array || changed) {
                (Some(list), _) => Value::Many(list),
                (None, true) => Value::Unknown(text.from),
                (None, false) => Value::One(text),
            };
            seen.assigned.push(note(&own, &value, exported));
            if exported {
                Rc::make_mut(&mut self.state.exported).insert(own.clone());
            }
            self.set(&own, value);
        }
    }
}

/// The elements of `(a b c)`, where nothing in it is more than plain words.
fn elements(text: &[u8]) -> Option<Vec<Text>> {
    let inner = text.strip_prefix(b"(")?.strip_suffix(b")")?;
    if inner.trim_ascii().is_empty() {
        return Some(Vec::new());
    }
    let words = super::function::plain_words(inner)?;
    let text = |word: &Word| Text { pieces: word.pieces().to_vec(), from: From::Here };
    (words.len() <= MAX_ELEMENTS).then(|| words.iter().map(text).collect())
}

/// Whether it prints all variables with their values.
pub(super) fn shows_variables(name: &[u8], words: &[Argument]) -> bool {
    let flags = words.iter().all(|it| it.word.known().is_some_and(|word| word.starts_with(b"-")));
    let has = |letters: &[u8]| {
        words.iter().any(|it| it.word.head().iter().skip(1).any(|byte| letters.contains(byte)))
    };
    match name {
        b"set" => words.is_empty(),
        b"export" | b"readonly" => flags && !has(b"nf"),
        b"declare" | b"typeset" | b"local" => flags && !has(b"fF"),
        _ => false,
    }
}

/// The lines of a text, as an array.
fn lines(text: &[u8]) -> Option<Value> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let lines = text.split(|byte| *byte == b'\n').take(MAX_ELEMENTS + 1);
    let list: Vec<Text> = lines.map(Text::of).collect();
    (list.len() <= MAX_ELEMENTS).then_some(Value::Many(list))
}

/// Whether the word behind this option is its value.
fn takes_value(name: &[u8], option: &Argument) -> bool {
    let letters: &[u8] = if name == b"read" { b"dinNptu" } else { b"dnOsuCc" };
    let option = option.word.known().filter(|it| it.starts_with(b"-") && it.len() > 1);
    option.and_then(<[u8]>::last).is_some_and(|last| letters.contains(last))
}

/// One line of a text, without blanks round it.
fn line(text: &[u8], number: usize) -> Vec<u8> {
    let line = text.split(|byte| *byte == b'\n').nth(number).unwrap_or_default();
    line.trim_ascii().to_vec()
}
