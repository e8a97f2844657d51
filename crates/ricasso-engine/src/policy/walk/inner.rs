//! Commands and texts that a program starts by its own words: wrappers, `xargs`, `find`, other
//! machines, and texts that become code.

use super::super::effect::Target;
use super::super::know::{Act, Does};
use super::super::paths::{Follow, Paths};
use super::super::word::{Becomes, Piece, Word};
use super::command::{By, Call, MANY, base_name};
use super::expand::Argument;
use super::reader::Reader;
use super::seen::{Mark, Place, Seen};
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Frame, Inner, Walker};
use std::path::PathBuf;
use std::rc::Rc;

/// Words that a program may be given from its input; more are unknown.
const MAX_FED: usize = 256;

/// Containers that are thrown away when their command ends.
const CONTAINERS: [&[u8]; 3] = [b"docker", b"podman", b"nerdctl"];

/// Tests of `find` that choose by more than kind and depth.
const CHOOSES: [&[u8]; 19] = [
    b"-name",
    b"-iname",
    b"-path",
    b"-ipath",
    b"-wholename",
    b"-iwholename",
    b"-regex",
    b"-iregex",
    b"-newer",
    b"-mtime",
    b"-mmin",
    b"-ctime",
    b"-atime",
    b"-size",
    b"-empty",
    b"-perm",
    b"-lname",
    b"-user",
    b"-samefile",
];

impl Walker<'_> {
    /// Follows what a program starts by its words.
    pub(super) fn inner(
        &mut self,
        act: &Act,
        call: &Call,
        seen: &mut Seen,
        set: &[(Vec<u8>, Value)],
        cwd: &[PathBuf],
    ) {
        let outer_place = self.place;
        let outside = std::mem::replace(&mut self.state.cwd, cwd.to_vec());
        if matches!(act.does, Does::RunElsewhere | Does::RunTextElsewhere) {
            self.place = away(seen, call);
        }
        match act.does {
            Does::RunText | Does::RunTextElsewhere => {
                let from = call.arguments.get(act.at).map_or(From::Here, |it| it.from);
                let text = match &act.with {
                    Some(word) => Text { pieces: word.pieces().to_vec(), from },
                    None => Text::unknown(from),
                };
                self.inner_process(&text, seen, act, call, set);
            }
            Does::RunProgram => {
                let word = act.with.clone().unwrap_or_else(Word::unknown);
                let span = call.arguments.get(act.at).map_or(call.span, |it| it.span);
                let unknown = Argument::new(Word::unknown(), span);
                self.start(vec![Argument::new(word, span), unknown], set, call);
            }
            _ => {
                let arguments = self.rest(act, call, seen);
                if !arguments.is_empty() {
                    self.start(arguments, set, call);
                }
            }
        }
        self.state.cwd = outside;
        self.place = outer_place;
    }

    pub(super) fn start(
        &mut self,
        arguments: Vec<Argument>,
        set: &[(Vec<u8>, Value)],
        call: &Call,
    ) {
        let span = match (arguments.first(), arguments.last()) {
            (Some(first), Some(last)) => [first.span[0], last.span[1].max(first.span[1])],
            _ => call.span,
        };
        let mut assigned = call.assigned.clone();
        assigned.extend(set.iter().cloned());
        let feed = call.feed.clone();
        let effects = Vec::new();
        let first = call.arguments.first().and_then(|it| it.word.known()).map(base_name);
        let many = first.is_some_and(|name| MANY.contains(&name));
        let by = if many { By::Applet } else { By::Program };
        self.call(Call { arguments, assigned, effects, feed, span, by });
    }

    fn inner_process(
        &mut self,
        text: &Text,
        seen: &Seen,
        act: &Act,
        call: &Call,
        set: &[(Vec<u8>, Value)],
    ) {
        let known = act.rest.iter().all(|word| word.becomes() == Becomes::One);
        let mut rest =
            act.rest.iter().map(|word| Text { pieces: word.pieces().to_vec(), from: From::Here });
        let own_name = rest.next();
        let parameters = known.then(|| Rc::new(rest.collect()));
        let place = call.arguments.get(act.at).map_or(call.span, |it| it.span);
        // What `parallel` puts into the holes of a text it quotes: words alone, no code.
        let words_alone = seen.is_called(b"parallel");
        self.in_process(Reader::of(seen), |walker| {
            for (name, value) in call.assigned.iter().chain(set) {
                walker.state.set(name, value.clone());
            }
            if let Some(name) = own_name {
                walker.state.own_name = name;
            }
            walker.state.parameters = parameters;
            walker.at_place(place, |walker| match words_alone {
                false => walker.run_text(text, Inner::Here, &call.feed),
                true => walker.inner_fed(&holed(text), &call.feed),
            });
        });
    }

    /// The words of the inner command, with what the program adds to them.
    fn rest(&mut self, act: &Act, call: &Call, seen: &Seen) -> Vec<Argument> {
        let mut words: Vec<Argument> = Vec::with_capacity(act.rest.len());
        for (number, word) in act.rest.iter().enumerate() {
            let written = call.arguments.get(act.at + number);
            words.push(match written {
                Some(argument) if argument.word == *word => argument.clone(),
                // What comes by standard input is put in from there.
                Some(argument) if act.does == Does::RunForInput => argument.clone(),
                // What `find` puts there is said better by its own words.
                Some(argument) if argument.word.known() == Some(b"{}") => argument.clone(),
                Some(argument) => Argument::new(word.clone(), argument.span),
                None => Argument::new(word.clone(), call.span),
            });
        }
        let is = |names: &[&[u8]]| names.iter().any(|name| seen.is_called(name));
        if is(&[b"find", b"gfind"]) {
            of_find(&mut words, call);
        } else if is(&[b"fd", b"fdfind"]) {
            let written = call.arguments.get(act.at..).unwrap_or_default();
            of_fd(&mut words, written, call);
        } else if act.does == Does::RunForInput {
            words.retain(|it| it.word != Word::unknown());
            let options = call.arguments.get(1..act.at).unwrap_or_default();
            let feed = self.fed_by_file(options).unwrap_or_else(|| call.feed.stream.clone());
            of_xargs(act.at, &mut words, call, &feed);
        }
        words
    }

    /// What `xargs -a FILE` reads instead of its input.
    fn fed_by_file(&self, options: &[Argument]) -> Option<Stream> {
        let word = |at: usize| options.get(at).map(|it| &it.word);
        let at = (0..options.len()).find(|at| {
            let head = options[*at].word.head();
            head.starts_with(b"-a") || head.starts_with(b"--arg-file")
        })?;
        let own = word(at)?;
        let file = match own.head() {
            b"-a" | b"--arg-file" => word(at + 1)?.clone(),
            head if head.starts_with(b"-a") => own.without(2),
            _ => own.without(b"--arg-file=".len()),
        };
        let paths = Paths { look: self.look, made: &self.state.made };
        let targets = paths.targets(&file, &self.state.cwd, Follow::Last);
        let files: Vec<PathBuf> = targets.into_iter().filter_map(Target::into_path).collect();
        Some(self.content_of(&file, &files))
    }

    /// Walks a text that becomes code; what is not known of it is unknown code.
    pub(super) fn run_text(&mut self, text: &Text, inner: Inner, feed: &Feed) {
        match text.known() {
            Some(bytes) => {
                let before = self.state.clone();
                self.inner_fed(&bytes, feed);
                if inner == Inner::Process {
                    let after = std::mem::replace(&mut self.state, before);
                    self.state.join_made(&after);
                }
            }
            None if text.pieces == [Piece::Unknown] && text.from == From::Tool => {
                let mut seen = self.seen(&[], self.here);
                seen.effects.push(super::effects::opaque(self.here));
                self.push(seen);
                self.state.forget();
            }
            None => {
                // Words from the network inside a text of ours are unknown, not its code.
                let whole = matches!(text.pieces.first(), Some(Piece::Unknown));
                self.unknown_code(if whole { text.from } else { From::Here });
                let shown = holed(text);
                if text.pieces.len() > 1 {
                    let before = self.state.clone();
                    self.inner_fed(&shown, feed);
                    let after = std::mem::replace(&mut self.state, before);
                    self.state.join_made(&after);
                }
                if inner == Inner::Here {
                    self.state.forget();
                }
            }
        }
    }

    /// Walks a known text of this shell.
    pub(super) fn inner_text(&mut self, text: &[u8], inner: Inner) {
        self.run_text(&Text::of(text), inner, &Feed::inherited());
    }

    /// Does something for which this place of the text stands.
    pub(super) fn at_place(&mut self, place: [usize; 2], walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.here, place);
        walk(self);
        self.here = before;
    }

    /// Where the offsets of an inner text lead: into the text as sent, where it stands there as it
    /// is, else to the word that it comes from.
    pub(super) fn frame_of(&self, text: &[u8]) -> Frame {
        let [start, end] = self.here;
        let written = self.original.get(start..end).unwrap_or_default();
        if text.is_empty() || text.len() > written.len() {
            return Frame::At(self.here);
        }
        let found = written.windows(text.len()).position(|window| window == text);
        found.map_or(Frame::At(self.here), |at| Frame::Moved(start + at))
    }

    /// Code runs here that nobody knows.
    pub(super) fn unknown_code(&mut self, from: From) {
        let mut seen = self.seen(&[], self.here);
        seen.mark(Mark::code(from));
        self.push(seen);
    }

    /// A text that is evaluated as an expression: what its names hold is evaluated too.
    pub(super) fn expression(&mut self, text: &[u8]) {
        self.names_in(text, super::parameter::MAX_INDIRECT);
        self.evaluated(text);
    }
}

/// A text with holes: each of them is a variable that nobody sets.
pub(super) fn holed(text: &Text) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) | Piece::Glob(known) => bytes.extend_from_slice(known),
            Piece::Unknown => bytes.extend_from_slice(b"${NOT_KNOWN_BEFORE_IT_RUNS}"),
        }
    }
    bytes
}

fn away(seen: &Seen, call: &Call) -> Place {
    let container = CONTAINERS.iter().any(|name| seen.is_called(name));
    let runs = call.arguments.iter().skip(1).find_map(|argument| match argument.word.known() {
        Some(b"run" | b"create") => Some(true),
        Some(b"exec") => Some(false),
        _ => None,
    });
    match (container, runs) {
        (true, Some(true)) => Place::Passing,
        _ => Place::Away,
    }
}

fn of_find(words: &mut Vec<Argument>, call: &Call) {
    let ends = |argument: &Argument| matches!(argument.word.known(), Some(b";" | b"+"));
    if let Some(end) = words.iter().position(ends) {
        words.truncate(end);
    }
    let one = |word: Word| Word::new(word.pieces().to_vec(), Becomes::One);
    let found: Vec<Word> = found_below(call).into_iter().map(one).collect();
    let mut replaced = Vec::new();
    for argument in words.drain(..) {
        match argument.word.known() {
            Some(b"{}") => {
                let span = argument.span;
                replaced.extend(found.iter().cloned().map(|word| Argument::new(word, span)));
            }
            Some(text) if contains(text, b"{}") => {
                let word = with_hole(text, b"{}");
                replaced.push(Argument { word, ..argument });
            }
            _ if argument.word == Word::unknown() => {
                let span = argument.span;
                replaced.extend(found.iter().cloned().map(|word| Argument::new(word, span)));
            }
            _ => replaced.push(argument),
        }
    }
    *words = replaced;
}

/// What `fd` puts into its command, or behind it.
fn of_fd(words: &mut Vec<Argument>, written: &[Argument], call: &Call) {
    words.truncate(written.len());
    let found = super::listed::found_by_fd(call);
    let named = written.iter().take(words.len()).any(|it| it.word.known() == Some(b"{}"));
    let mut all = Vec::new();
    for (own, written) in words.drain(..).zip(written) {
        match written.word.known() {
            Some(b"{}") => {
                let span = own.span;
                all.extend(found.iter().cloned().map(|word| Argument::new(word, span)));
            }
            Some(_) | None => all.push(own),
        }
    }
    if !named {
        all.extend(found.into_iter().map(|word| Argument::new(word, call.span)));
    }
    *words = all;
}

fn of_xargs(at: usize, words: &mut Vec<Argument>, call: &Call, feed: &Stream) {
    let from = feed.from();
    let mark = replaced_mark(&call.arguments[..at.min(call.arguments.len())]);
    if words.is_empty() {
        words.push(Argument::new(Word::of("echo"), call.span));
    }
    // `parallel` puts the words behind a command that has no place for them.
    let whole = mark.is_some() && !is_parallel(call);
    let fed = fed_words(call, feed, whole);
    let behind = mark.as_deref() == Some(b"{}") && is_parallel(call) && !words.iter().any(marked);
    let Some(mark) = mark.filter(|_| !behind) else {
        words.retain(|it| it.word.known() != Some(b":::"));
        let given = fed.into_iter();
        words.extend(given.map(|word| Argument { from, ..Argument::new(word, call.span) }));
        return;
    };
    let first = words.first().and_then(|it| it.word.known()).map(base_name);
    let shell = first.is_some_and(super::reader::is_shell_name);
    let mut replaced = Vec::new();
    for argument in words.drain(..) {
        match argument.word.known() {
            Some(text) if text == mark.as_slice() && shell && fed.iter().all(is_known) => {
                let lines: Vec<&[u8]> = fed.iter().filter_map(Word::known).collect();
                let word = Word::of(lines.join(&b'\n'));
                replaced.push(Argument { from, ..Argument::new(word, argument.span) });
            }
            Some(text) if text == mark.as_slice() => {
                let span = argument.span;
                let fed = fed.iter().cloned();
                replaced.extend(fed.map(|word| Argument { from, ..Argument::new(word, span) }));
            }
            Some(text) if contains(text, &mark) => {
                // Line by line: as far as a shell that is handed them cares, all in one text.
                let known: Option<Vec<&[u8]>> = fed.iter().map(Word::known).collect();
                let one = known.filter(|known| shell || known.len() == 1);
                let one = one.map(|known| known.join(&b'\n'));
                let word = match one {
                    Some(one) => Word::of(replace(text, &mark, &one)),
                    None => with_hole(text, &mark),
                };
                replaced.push(Argument { word, ..argument });
            }
            _ => replaced.push(argument),
        }
    }
    *words = replaced;
}

fn is_parallel(call: &Call) -> bool {
    call.arguments.first().is_some_and(|it| it.word.known().map(base_name) == Some(b"parallel"))
}

fn marked(argument: &Argument) -> bool {
    argument.word.known().is_none_or(|text| contains(text, b"{}"))
}

/// The paths that `find` finds: below its directories, chosen or not.
pub(super) fn found_below(call: &Call) -> Vec<Word> {
    let mut roots = Vec::new();
    let mut chosen = None;
    let mut previous: Option<&[u8]> = None;
    let mut expression = false;
    for argument in &call.arguments[1..] {
        let known = argument.word.known();
        if known.is_some_and(|word| CHOOSES.iter().any(|it| word.starts_with(it))) {
            chosen = Some(Vec::new());
        }
        if previous.is_some_and(|it| matches!(it, b"-name" | b"-iname")) {
            chosen = Some(known.unwrap_or(b"?*").to_vec());
        }
        let option = argument.word.head().starts_with(b"-") || matches!(known, Some(b"(" | b"!"));
        expression |= option && !matches!(known, Some(b"-L" | b"-H" | b"-P"));
        if !option && !expression {
            roots.push(argument.word.clone());
        }
        previous = known;
    }
    if roots.is_empty() {
        roots.push(Word::of("."));
    }
    roots.into_iter().map(|root| below(&root, chosen.as_deref())).collect()
}

pub(super) fn below(root: &Word, chosen: Option<&[u8]>) -> Word {
    let mut pieces = root.pieces().to_vec();
    if !matches!(pieces.last(), Some(Piece::Known(bytes)) if bytes.ends_with(b"/")) {
        pieces.push(Piece::Known(b"/".to_vec()));
    }
    match chosen {
        None => pieces.push(Piece::Glob(b"*".to_vec())),
        Some(b"" | b"*") => {
            pieces.push(Piece::Known(b"found".to_vec()));
            pieces.push(Piece::Glob(b"*".to_vec()));
        }
        Some(pattern) => pieces.push(Piece::Glob(pattern.to_vec())),
    }
    Word::new(pieces, Becomes::Any)
}

/// What `xargs` gives to its command: words, or whole lines where it puts them into a mark.
fn fed_words(call: &Call, feed: &Stream, whole: bool) -> Vec<Word> {
    if call.arguments.iter().any(|it| it.word.known() == Some(b":::")) {
        return Vec::new();
    }
    match feed {
        Stream::Paths(words) => words.clone(),
        // What the caller will hand over is not known while the text is judged.
        Stream::Nothing => vec![Word::unknown()],
        stream => match stream.known() {
            Some(bytes) => {
                let ends = |byte: &u8| match whole {
                    true => matches!(byte, b'\n' | 0),
                    false => byte.is_ascii_whitespace() || *byte == 0,
                };
                let parts = bytes.split(ends).map(|part| part.trim_ascii());
                let words: Vec<Word> =
                    parts.filter(|part| !part.is_empty()).map(unquoted).collect();
                if words.len() > MAX_FED { vec![Word::unknown()] } else { words }
            }
            None => vec![Word::unknown()],
        },
    }
}

fn is_known(word: &Word) -> bool {
    word.known().is_some()
}

fn unquoted(part: &[u8]) -> Word {
    let plain: Vec<u8> =
        part.iter().copied().filter(|byte| !matches!(byte, b'\'' | b'"' | b'\\')).collect();
    Word::of(plain)
}

/// The mark of `-I`, glued or not.
fn replaced_mark(options: &[Argument]) -> Option<Vec<u8>> {
    let words: Vec<&[u8]> = options.iter().map(|it| it.word.known().unwrap_or_default()).collect();
    for (at, word) in words.iter().enumerate() {
        if let Some(mark) = word.strip_prefix(b"-I") {
            let next = words.get(at + 1).copied().unwrap_or_default();
            return Some(if mark.is_empty() { next.to_vec() } else { mark.to_vec() });
        }
        if matches!(*word, b"-i" | b"--replace") || base_name(word) == b"parallel" {
            return Some(b"{}".to_vec());
        }
        if let Some(mark) = word.strip_prefix(b"--replace=") {
            return Some(mark.to_vec());
        }
    }
    None
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && text.windows(part.len()).any(|window| window == part)
}

fn replace(text: &[u8], mark: &[u8], by: &[u8]) -> Vec<u8> {
    let mut made = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        made.extend_from_slice(&rest[..at]);
        made.extend_from_slice(by);
        rest = &rest[at + mark.len()..];
    }
    made.extend_from_slice(rest);
    made
}

fn with_hole(text: &[u8], mark: &[u8]) -> Word {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        pieces.push(Piece::Known(rest[..at].to_vec()));
        pieces.push(Piece::Unknown);
        rest = &rest[at + mark.len()..];
    }
    pieces.push(Piece::Known(rest.to_vec()));
    Word::new(pieces, Becomes::One)
}
