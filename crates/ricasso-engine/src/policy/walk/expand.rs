//! Words of the tree to words of a command: quotes, braces, tildes, variables, substitutions.
//!
//! What a substitution runs is walked like any other command; what it prints is its value, where
//! that is known.

use super::super::word::{Becomes, Piece, Word};
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Walker};
use ricasso_shell::Script;
use ricasso_shell::tree::{self, Brace, Part};
use std::rc::Rc;

/// Words that one word with braces may become; more are unknown.
const MAX_BRACES: usize = 512;

/// Files that one glob may stand for; more are left as the glob.
const MAX_GLOBBED: usize = 256;

/// One word of a command with what else is known of it.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) word: Word,
    /// Where it stands in the text as sent.
    pub(super) span: [usize; 2],
    pub(super) from: From,
    /// What is read from it where it is a process substitution.
    pub(super) stream: Option<Rc<Stream>>,
}

/// One word under construction.
#[derive(Default, Clone)]
pub(super) struct Field {
    pub(super) pieces: Vec<Piece>,
    any: bool,
    /// Something quoted stands in it, so that it is a word even when it is empty.
    solid: bool,
    from: From,
    stream: Option<Rc<Stream>>,
}

/// How a piece is expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    Yes,
    No,
    /// As in an assignment: not split, not globbed.
    Assigned,
}

impl Argument {
    /// A word that stands nowhere in the text.
    pub(super) fn new(word: Word, span: [usize; 2]) -> Self {
        Self { word, span, from: From::Here, stream: None }
    }
}

impl Walker<'_> {
    /// The words that these become.
    pub(super) fn words(&mut self, script: &Rc<Script>, words: &[tree::Word]) -> Vec<Argument> {
        let mut all = Vec::with_capacity(words.len());
        for word in words {
            self.word_into(script, word, &mut all);
        }
        all
    }

    fn word_into(&mut self, script: &Rc<Script>, word: &tree::Word, all: &mut Vec<Argument>) {
        let span = self.frame.place(word.span);
        if let [Part { kind: tree::Piece::Literal(bytes), .. }] = word.parts.as_slice() {
            all.push(Argument::new(Word::of(&**bytes), span));
            return;
        }
        let braces = word.parts.iter().any(|part| matches!(part.kind, tree::Piece::Brace(_)));
        if !braces {
            self.fields_into(script, &word.parts, span, all);
            return;
        }
        match alternatives(&word.parts) {
            Some(lists) => {
                for parts in lists {
                    self.fields_into(script, &parts, span, all);
                }
            }
            None => {
                self.fields_into(script, &word.parts, span, all);
                all.push(Argument::new(Word::unknown(), span));
            }
        }
    }

    fn fields_into(
        &mut self,
        script: &Rc<Script>,
        parts: &[Part],
        span: [usize; 2],
        all: &mut Vec<Argument>,
    ) {
        let mut fields = vec![Field::default()];
        self.parts(script, parts, Quoted::No, &mut fields);
        for field in fields {
            if field.pieces.is_empty() && !field.solid && !field.any {
                continue;
            }
            let becomes = if field.any { Becomes::Any } else { Becomes::One };
            let word = Word::new(field.pieces, becomes);
            let has_glob = word.pieces().iter().any(|piece| matches!(piece, Piece::Glob(_)));
            let globbed = if has_glob { self.globbed(&word) } else { None };
            match globbed {
                Some(words) => all.extend(words.into_iter().map(|word| Argument::new(word, span))),
                None => {
                    let (from, stream) = (field.from, field.stream);
                    all.push(Argument { word, span, from, stream });
                }
            }
        }
    }

    /// One text: the value of an assignment, a redirection target, a here-document.
    pub(super) fn text(&mut self, script: &Rc<Script>, parts: &[Part]) -> Text {
        let mut fields = vec![Field::default()];
        self.parts(script, parts, Quoted::Assigned, &mut fields);
        let mut text = Text::default();
        for (number, field) in fields.into_iter().enumerate() {
            if number > 0 {
                text.pieces.push(Piece::Known(b" ".to_vec()));
            }
            text.from = if text.pieces.is_empty() { field.from } else { text.from.and(field.from) };
            text.pieces.extend(field.pieces);
        }
        text
    }

    pub(super) fn parts(
        &mut self,
        script: &Rc<Script>,
        parts: &[Part],
        quoted: Quoted,
        fields: &mut Vec<Field>,
    ) {
        for part in parts {
            self.part(script, part, quoted, fields);
        }
    }

    fn part(&mut self, script: &Rc<Script>, part: &Part, quoted: Quoted, fields: &mut Vec<Field>) {
        match &part.kind {
            tree::Piece::Literal(bytes) => push(fields, Piece::Known(bytes.to_vec())),
            tree::Piece::Single(bytes) | tree::Piece::Ansi(bytes) => {
                solid(fields);
                push(fields, Piece::Known(bytes.to_vec()));
            }
            tree::Piece::Escaped(byte) => push(fields, Piece::Known(vec![*byte])),
            tree::Piece::Double(parts) | tree::Piece::Locale(parts) => {
                let list = parts.len() == 1 && is_list(&parts[0]);
                if !list {
                    solid(fields);
                }
                self.parts(script, parts, Quoted::Yes, fields);
            }
            tree::Piece::Parameter(parameter) => {
                self.parameter(script, part.span, parameter, quoted, fields);
            }
            tree::Piece::Substitution(substitution) => {
                let text = self.substitution(script, substitution);
                self.push_text(&text, quoted, fields);
            }
            tree::Piece::Arith(arith) => {
                self.arithmetic(script, arith);
                push(fields, Piece::Unknown);
            }
            tree::Piece::Process(process) => {
                let stream = self.process(script, process);
                push(fields, Piece::Known(b"/dev/fd/63".to_vec()));
                if let Some(last) = fields.last_mut() {
                    last.stream = Some(Rc::new(stream));
                }
            }
            tree::Piece::Glob(byte) => push(fields, glob_piece(*byte, quoted)),
            tree::Piece::ExtGlob(letter, parts) => {
                self.text(script, parts);
                let _ = letter;
                push(fields, Piece::Unknown);
            }
            tree::Piece::Brace(mark) => push(fields, Piece::Known(written(*mark).to_vec())),
            tree::Piece::Tilde(name) => {
                let text = self.tilde(name);
                self.push_text(&text, Quoted::Yes, fields);
            }
            tree::Piece::Array(elements) => {
                let mut known = Some(Vec::new());
                for element in elements {
                    if let Some(subscript) = &element.subscript {
                        self.arithmetic(script, subscript);
                        known = None;
                    }
                    let text = self.text(script, &element.value.parts).known();
                    let plain = text.filter(|text| super::function::is_plain(text));
                    known = known.zip(plain).map(|(list, text)| [list, vec![text]].concat());
                }
                // Words without any sign mean themselves when `declare` reads them again.
                push(
                    fields,
                    match known {
                        Some(list) => Piece::Known([b"(", &*list.join(&b' '), b")"].concat()),
                        None => Piece::Unknown,
                    },
                );
            }
            tree::Piece::Broken(_) => push(fields, Piece::Unknown),
            _ => push(fields, Piece::Unknown),
        }
    }

    /// Adds a value: split and globbed where it is not quoted.
    pub(super) fn push_text(&mut self, text: &Text, quoted: Quoted, fields: &mut Vec<Field>) {
        if let Some(last) = fields.last_mut() {
            last.from = if last.pieces.is_empty() { text.from } else { last.from.and(text.from) };
        }
        if quoted != Quoted::No {
            for piece in &text.pieces {
                // A glob in a value is one of the files that it stood for.
                push(fields, piece.clone());
            }
            return;
        }
        let separators = self.separators();
        for piece in &text.pieces {
            match (piece, &separators) {
                (Piece::Known(bytes) | Piece::Glob(bytes), Some(separators)) => {
                    split(bytes, separators, text.from, fields);
                }
                (Piece::Known(_) | Piece::Glob(_), None) | (Piece::Unknown, _) => {
                    push(fields, Piece::Unknown);
                    if let Some(last) = fields.last_mut() {
                        last.any = true;
                    }
                }
            }
        }
    }

    /// Adds the elements of a list, each a word of its own.
    pub(super) fn push_list(&mut self, list: &[Text], quoted: Quoted, fields: &mut Vec<Field>) {
        for (number, text) in list.iter().enumerate() {
            if number > 0 {
                fields.push(Field::default());
            }
            if quoted == Quoted::Yes {
                solid(fields);
            }
            self.push_text(text, quoted, fields);
        }
    }

    /// The last word may be any number of words.
    pub(super) fn any_number(&self, fields: &mut [Field]) {
        if let Some(last) = fields.last_mut() {
            last.any = true;
        }
    }

    /// What `IFS` splits at; `None` where nobody knows.
    fn separators(&self) -> Option<Vec<u8>> {
        match self.state.variable(b"IFS") {
            None | Some(Value::Unset) => Some(b" \t\n".to_vec()),
            Some(Value::One(text)) => text.known(),
            Some(Value::Many(_) | Value::Unknown(_)) => None,
        }
    }

    /// What a command substitution prints.
    pub(super) fn substitution(
        &mut self,
        script: &Rc<Script>,
        substitution: &tree::Substitution,
    ) -> Text {
        let before = self.state.clone();
        let stream = self.captured(script, &substitution.body, Feed::inherited());
        let after = std::mem::replace(&mut self.state, before);
        self.state.join_made(&after);
        if substitution.unreadable.is_some() {
            self.cannot_read(substitution.body.span);
        }
        let mut text = stream.into_text();
        if let Some(Piece::Known(bytes)) = text.pieces.last_mut() {
            while bytes.last() == Some(&b'\n') {
                bytes.pop();
            }
        }
        text
    }

    fn process(&mut self, script: &Rc<Script>, process: &tree::Process) -> Stream {
        let before = self.state.clone();
        let stream = self.captured(script, &process.body, Feed::unknown());
        let after = std::mem::replace(&mut self.state, before);
        self.state.join_made(&after);
        if process.unreadable.is_some() {
            self.cannot_read(process.body.span);
        }
        stream
    }

    fn tilde(&mut self, name: &[u8]) -> Text {
        match name {
            b"" => self.value_text(b"HOME"),
            b"+" => self.value_text(b"PWD"),
            b"-" => self.value_text(b"OLDPWD"),
            b"root" => Text::of("/root"),
            name => Text::of([b"/home/", name].concat()),
        }
    }

    /// The files that a glob stands for, where somebody can say; `None` where it stays a glob.
    fn globbed(&self, word: &Word) -> Option<Vec<Word>> {
        use crate::scene::{Answer, Query};
        let mut pattern = Vec::new();
        for piece in word.pieces() {
            match piece {
                Piece::Known(bytes) => escape(bytes, &mut pattern),
                Piece::Glob(bytes) => pattern.extend_from_slice(bytes),
                Piece::Unknown => return None,
            }
        }
        let [cwd] = self.state.cwd.as_slice() else {
            return None;
        };
        match self.look.look(&Query::Glob { pattern: pattern.into(), cwd: cwd.clone() }) {
            Answer::Paths(paths) if !paths.is_empty() && paths.len() <= MAX_GLOBBED => {
                let known = |path: &std::path::PathBuf| {
                    Word::of(path.as_os_str().as_encoded_bytes().to_vec())
                };
                let mut words: Vec<Word> = paths.iter().map(known).collect();
                if covers_everything(word) {
                    words.push(word.clone());
                }
                Some(words)
            }
            _ => None,
        }
    }
}

/// Whether a glob stands for all that lies in a directory, more than what is there now included.
fn covers_everything(word: &Word) -> bool {
    match word.pieces() {
        [Piece::Glob(glob)] => glob.iter().all(|byte| *byte == b'*'),
        [Piece::Known(head), Piece::Glob(glob)] => {
            head.ends_with(b"/") && glob.iter().all(|byte| *byte == b'*')
        }
        _ => false,
    }
}

fn push(fields: &mut [Field], piece: Piece) {
    if let Some(field) = fields.last_mut() {
        field.pieces.push(piece);
    }
}

fn solid(fields: &mut [Field]) {
    if let Some(field) = fields.last_mut() {
        field.solid = true;
    }
}

fn glob_piece(byte: u8, quoted: Quoted) -> Piece {
    match quoted {
        Quoted::No => Piece::Glob(vec![byte]),
        Quoted::Yes | Quoted::Assigned => Piece::Known(vec![byte]),
    }
}

/// `"$@"` and `"${a[@]}"` become as many words as there are, none included.
fn is_list(part: &Part) -> bool {
    match &part.kind {
        tree::Piece::Parameter(parameter) => {
            let all = |parts: &[Part]| {
                matches!(parts, [Part { kind: tree::Piece::Literal(text), .. }] if &**text == b"@")
                    || matches!(parts, [Part { kind: tree::Piece::Glob(b'@'), .. }])
            };
            &*parameter.name == b"@"
                || parameter.subscript.as_ref().is_some_and(|subscript| all(&subscript.parts))
        }
        _ => false,
    }
}

/// Splits known bytes at the separators and finds the globs in them.
fn split(bytes: &[u8], separators: &[u8], from: From, fields: &mut Vec<Field>) {
    for (number, part) in bytes.split(|byte| separators.contains(byte)).enumerate() {
        if number > 0 {
            let empty = fields.last().is_none_or(|last| last.pieces.is_empty() && !last.solid);
            if !empty {
                fields.push(Field { from, ..Field::default() });
            }
        }
        let mut rest = part;
        while !rest.is_empty() {
            let is_glob = matches!(rest[0], b'*' | b'?' | b'[');
            let end = rest.iter().position(|b| matches!(b, b'*' | b'?' | b'[') != is_glob);
            let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
            let piece = match is_glob {
                true => Piece::Glob(now.to_vec()),
                false => Piece::Known(now.to_vec()),
            };
            push(fields, piece);
            rest = later;
        }
    }
}

fn escape(bytes: &[u8], pattern: &mut Vec<u8>) {
    for byte in bytes {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            pattern.push(b'\\');
        }
        pattern.push(*byte);
    }
}

fn written(mark: Brace) -> &'static [u8] {
    match mark {
        Brace::Open => b"{",
        Brace::Comma => b",",
        Brace::Range => b"..",
        Brace::Close => b"}",
    }
}

/// Words under construction, each a list of parts.
type Lists = Vec<Vec<Part>>;

/// The lists of parts that braces make of one, in order; `None` where there are too many.
fn alternatives(parts: &[Part]) -> Option<Lists> {
    let mut frames: Vec<(Lists, Lists)> = vec![(Vec::new(), vec![Vec::new()])];
    let mut at = 0;
    while at < parts.len() {
        let part = &parts[at];
        match &part.kind {
            tree::Piece::Brace(Brace::Open) => {
                if let Some((words, next)) = sequence(parts, at) {
                    let (_, open) = frames.last_mut()?;
                    *open = product(open, &words)?;
                    at = next;
                    continue;
                }
                frames.push((Vec::new(), vec![Vec::new()]));
            }
            tree::Piece::Brace(Brace::Comma) => {
                let (done, open) = frames.last_mut()?;
                done.append(open);
                open.push(Vec::new());
            }
            tree::Piece::Brace(Brace::Close) => {
                let (mut done, mut open) = frames.pop()?;
                done.append(&mut open);
                let (_, outer) = frames.last_mut()?;
                *outer = product(outer, &done)?;
            }
            _ => {
                let (_, open) = frames.last_mut()?;
                open.iter_mut().for_each(|word| word.push(part.clone()));
            }
        }
        at += 1;
    }
    frames.pop().map(|(_, words)| words)
}

fn product(heads: &[Vec<Part>], tails: &[Vec<Part>]) -> Option<Lists> {
    if heads.len().checked_mul(tails.len())? > MAX_BRACES {
        return None;
    }
    let join = |head: &Vec<Part>, tail: &Vec<Part>| [head.as_slice(), tail.as_slice()].concat();
    Some(heads.iter().flat_map(|head| tails.iter().map(move |tail| join(head, tail))).collect())
}

/// `{1..5}` and `{a..e}` at this place: the words, and the part behind it.
fn sequence(parts: &[Part], at: usize) -> Option<(Lists, usize)> {
    let mut texts: Vec<&[u8]> = Vec::new();
    let mut next = at + 1;
    loop {
        match &parts.get(next)?.kind {
            tree::Piece::Literal(text) => texts.push(text),
            tree::Piece::Brace(Brace::Range) => {}
            tree::Piece::Brace(Brace::Close) => break,
            _ => return None,
        }
        next += 1;
    }
    let span = parts[at].span;
    let [first, last, step @ ..] = texts.as_slice() else { return None };
    let step = step.first().map_or(Some(1), |text| number(text))?.unsigned_abs().max(1);
    let values: Vec<Vec<u8>> = match (number(first), number(last), first, last) {
        (Some(low), Some(high), _, _) => count(low, high, step)?,
        (None, None, [low], [high]) => count(i64::from(*low), i64::from(*high), step)?
            .iter()
            .filter_map(|text| number(text).and_then(|code| u8::try_from(code).ok()))
            .map(|byte| vec![byte])
            .collect(),
        _ => return None,
    };
    let part = |bytes: Vec<u8>| vec![Part { span, kind: tree::Piece::Literal(bytes.into()) }];
    Some((values.into_iter().map(part).collect(), next + 1))
}

fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn count(low: i64, high: i64, step: u64) -> Option<Vec<Vec<u8>>> {
    let steps = usize::try_from(low.abs_diff(high) / step).ok()?;
    if steps >= MAX_BRACES {
        return None;
    }
    let step = i64::try_from(step).ok()?;
    let value = |number: usize| {
        let offset = i64::try_from(number).unwrap_or_default() * step;
        if low <= high { low + offset } else { low - offset }
    };
    Some((0..=steps).map(|number| value(number).to_string().into_bytes()).collect())
}
