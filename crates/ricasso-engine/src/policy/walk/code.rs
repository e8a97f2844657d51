//! Code that a program is handed: by standard input, by a file, by a descriptor.
//!
//! What the text itself wrote into a file is known when the file is run; the rest is opaque.

use super::super::effect::{Effect, Target};
use super::super::know::{self, Act, Does};
use super::super::paths::{Content, Fetched};
use super::super::word::{Becomes, Word};
use super::super::words::Meets;
use super::command::{Call, text_of};
use super::effects::{Doing, opaque};
use super::expand::Argument;
use super::reader::{Reader, is_shell};
use super::seen::{Mark, Seen};
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Walker};
use std::path::Path;
use std::rc::Rc;

/// Code that prints code that is code: deeper acts are opaque.
const MAX_CODE: usize = 4;

/// A text that a shell reads in a process of its own.
pub(super) struct Source {
    text: Text,
    /// The file that it comes from, and the word that names it.
    file: Option<(Vec<u8>, Text)>,
    /// `$1` and so on; `None` where nobody knows them.
    parameters: Option<Vec<Text>>,
}

impl Source {
    /// A text from standard input.
    fn fed(text: &Text, call: &Call) -> Self {
        let option = |it: &Argument| it.word.head().starts_with(b"-");
        let plain = call.arguments.iter().skip(1).all(option);
        let parameters = plain.then(Vec::new);
        Self { text: text.clone(), file: None, parameters }
    }
}

impl Walker<'_> {
    pub(super) fn text_in_process(
        &mut self,
        source: Source,
        seen: &mut Seen,
        call: &Call,
        set: &[(Vec<u8>, Value)],
    ) {
        let Source { text, file, parameters } = source;
        let (name, own_name) = file.unzip();
        if name.as_ref().is_some_and(|name| self.calls.contains(name)) {
            if self.beside >= 1 {
                seen.mark(Mark::ForkBomb);
            }
            return;
        }
        self.calls.extend(name.clone());
        self.in_process(Reader::of(seen), |walker| {
            for (name, value) in call.assigned.iter().chain(set) {
                walker.state.set(name, value.clone());
            }
            walker.state.parameters = parameters.map(Rc::new);
            if let Some(own_name) = own_name {
                walker.state.own_name = own_name;
            }
            walker.at_place(call.span, |walker| {
                walker.run_text(&text, super::Inner::Here, &Feed::inherited());
            });
        });
        self.calls.truncate(self.calls.len() - usize::from(name.is_some()));
    }

    /// A shell that reads its text from standard input.
    pub(super) fn fed_text(&mut self, seen: &mut Seen, call: &Call, doing: &mut Doing) {
        doing.runs = true;
        match &call.feed.stream {
            Stream::Nothing if call.feed.given => {}
            // Whoever types into it is not in the text.
            Stream::Nothing => seen.effects.push(opaque(call.span)),
            Stream::Text(text) => doing.texts.push(Source::fed(text, call)),
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
        }
    }

    pub(super) fn fed_code(
        &mut self,
        language: know::Language,
        seen: &mut Seen,
        call: &Call,
        doing: &mut Doing,
        depth: usize,
    ) {
        match &call.feed.stream {
            Stream::Nothing if call.feed.given => {}
            // Whoever types into it is not in the text.
            Stream::Nothing => seen.effects.push(opaque(call.span)),
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
            Stream::Text(text)
                if language == know::Language::Other && (text.known().is_none() || depth > 0) =>
            {
                let word = Word::new(text.pieces.clone(), Becomes::One);
                seen.effects.push(Effect { word: Some(word), ..opaque(call.span) });
                if text.from == From::Network {
                    seen.mark(Mark::NetworkCode);
                }
            }
            Stream::Text(text) => match text.known() {
                Some(bytes) if depth < MAX_CODE => {
                    let acts = know::code(language, &Word::of(bytes));
                    self.acts_into(&acts, seen, call, doing, depth + 1);
                }
                Some(_) => seen.effects.push(opaque(call.span)),
                None => seen.mark(Mark::code(text.from)),
            },
        }
    }

    /// A file of code: what the text wrote into it is known, else it is opaque.
    pub(super) fn code_file(
        &mut self,
        act: &Act,
        seen: &mut Seen,
        call: &Call,
        doing: &mut Doing,
        depth: usize,
    ) {
        let span = call.arguments.get(act.at).map_or(call.span, |it| it.span);
        let word = act.with.clone().unwrap_or_else(Word::unknown);
        let fed = [&b"-"[..], b"/dev/stdin", b"/dev/fd/0", b"/proc/self/fd/0"];
        let fed = word.known().is_some_and(|word| fed.contains(&word));
        let stream = call.arguments.get(act.at).and_then(|it| it.stream.as_deref().cloned());
        let stream = stream.or_else(|| fed.then(|| call.feed.stream.clone()));
        if let Some(stream) = stream.or_else(|| self.behind_number(&word)) {
            self.code_stream(&stream, seen, call, doing, depth);
            return;
        }
        let before = seen.effects.len();
        self.effect(Does::Read, Some(&word), act.sure, span, seen, doing);
        let file = seen.effects.get(before).map(|effect| effect.target.clone());
        let Some(Target::Path(path)) = file else {
            seen.effects.push(opaque(span));
            if word.known().is_none() && act.sure == Meets::Yes {
                seen.mark(Mark::UnknownCode);
            }
            return;
        };
        let handed = Handed { act, path: &path, call, depth };
        // A program of a repository that people know is as much theirs as any script.
        let known = self.state.made.fetched(&path) == Some(Fetched::Repository) && !is_shell(seen);
        match self.content(&path).filter(|it| *it != Content::Network || !known) {
            Some(Content::Known(text)) => self.handed(&text, &handed, seen, doing),
            Some(Content::Partly(text)) => {
                self.handed(&text, &handed, seen, doing);
                seen.effects.push(opaque(span));
            }
            Some(Content::Network) => seen.mark(Mark::NetworkCode),
            Some(Content::Copy(_) | Content::Unknown) | None => {
                seen.effects.push(opaque(span));
            }
        }
    }

    /// Code of a file that the text wrote.
    fn handed(&mut self, text: &[u8], handed: &Handed<'_>, seen: &mut Seen, doing: &mut Doing) {
        let Handed { act, path, call, depth } = handed;
        if is_shell(seen) {
            doing.runs = true;
            let after = call.arguments.get(act.at + 1..).unwrap_or_default();
            let known = after.iter().all(|it| it.word.becomes() == Becomes::One);
            let name = call.arguments.get(act.at).map(text_of).unwrap_or_default();
            let file = Some((path.as_os_str().as_encoded_bytes().to_vec(), name));
            let parameters = known.then(|| after.iter().map(text_of).collect());
            doing.texts.push(Source { text: Text::of(text), file, parameters });
            return;
        }
        let word = Word::of(text);
        match seen.words.first().and_then(know::language) {
            Some(language) if *depth < MAX_CODE => {
                let acts = know::code(language, &word);
                self.acts_into(&acts, seen, call, doing, depth + 1);
            }
            Some(_) | None => {
                seen.effects.push(Effect { word: Some(word), ..opaque(call.span) });
            }
        }
    }

    fn code_stream(
        &mut self,
        stream: &Stream,
        seen: &mut Seen,
        call: &Call,
        doing: &mut Doing,
        depth: usize,
    ) {
        match stream {
            Stream::Nothing => {}
            Stream::Text(text) if is_shell(seen) => {
                doing.runs = true;
                doing.texts.push(Source::fed(text, call));
            }
            Stream::Text(text) => match (text.known(), seen.words.first().and_then(know::language))
            {
                (None, _) => seen.mark(Mark::code(text.from)),
                (Some(bytes), Some(language)) if depth < MAX_CODE => {
                    let acts = know::code(language, &Word::of(bytes));
                    self.acts_into(&acts, seen, call, doing, depth + 1);
                }
                (Some(bytes), _) => {
                    let word = Some(Word::of(bytes));
                    seen.effects.push(Effect { word, ..opaque(call.span) });
                }
            },
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
        }
    }
}

/// A file of code with who is handed it.
struct Handed<'a> {
    act: &'a Act,
    path: &'a Path,
    call: &'a Call,
    depth: usize,
}
