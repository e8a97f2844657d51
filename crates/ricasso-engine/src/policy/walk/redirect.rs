//! Redirections: what they read and write, what they feed, and where output goes.

use super::super::effect::{Effect, Target};
use super::super::know::Does;
use super::super::paths::{Content, Follow, Paths};
use super::super::word::{Piece, Word};
use super::super::words::Meets;
use super::expand::Argument;
use super::seen::{Seen, Starts};
use super::state::{Descriptor, From, Text};
use super::stream::Stream;
use super::{Feed, Walker};
use ricasso_shell::Script;
use ricasso_shell::tree::{self, Command, Operator, Redirect};
use std::path::PathBuf;
use std::rc::Rc;

/// A file that output goes to.
pub(super) struct Output {
    pub(super) targets: Vec<PathBuf>,
    pub(super) appends: bool,
}

/// What the redirections of one command come to.
pub(super) struct Redirected {
    pub(super) effects: Vec<Effect>,
    pub(super) feed: Feed,
    /// What it opens beside standard input and output.
    pub(super) opened: Vec<(u32, Descriptor)>,
    /// Files behind them that begin empty.
    pub(super) emptied: Vec<PathBuf>,
    /// Where standard output goes; `None` where it goes on as it was.
    pub(super) output: Option<Output>,
}

impl Walker<'_> {
    pub(super) fn redirects(
        &mut self,
        script: &Rc<Script>,
        command: &Command,
        feed: &Feed,
    ) -> Redirected {
        let (effects, opened, emptied) = (Vec::new(), Vec::new(), Vec::new());
        let feed = self.standing(feed);
        let mut redirected = Redirected { effects, feed, opened, emptied, output: None };
        for redirect in &command.redirects {
            self.redirect(script, redirect, &mut redirected);
        }
        redirected
    }

    /// The redirections of a compound command, which are effects of nobody else.
    pub(super) fn redirects_of_compound(
        &mut self,
        script: &Rc<Script>,
        command: &Command,
        feed: &Feed,
    ) -> (Feed, Option<Output>) {
        if command.redirects.is_empty() {
            return (self.standing(feed), None);
        }
        let mut redirected = self.redirects(script, command, feed);
        self.open_empty(&mut redirected);
        if !redirected.effects.is_empty() {
            let span = self.frame.place(command.span);
            self.push(Seen {
                words: Vec::new(),
                span,
                assigned: Vec::new(),
                names: Vec::new(),
                program: None,
                starts: Starts::Nothing,
                place: self.place,
                works_in: Vec::new(),
                entered: Vec::new(),
                effects: redirected.effects,
                marks: Vec::new(),
            });
        }
        (redirected.feed, redirected.output)
    }

    fn redirect(&mut self, script: &Rc<Script>, redirect: &Redirect, to: &mut Redirected) {
        let span = self.frame.place(redirect.span);
        let number = self.number(redirect);
        if let Some(here) = script.here(redirect) {
            let text = match here.quoted {
                true => Text::of(self.literal(script, here)),
                false => self.text(script, &here.parts),
            };
            feeds(to, number, Stream::Text(text));
            return;
        }
        if redirect.operator == Operator::HereString {
            let mut text = self.text(script, &redirect.target.parts);
            text.then(&Text::of("\n"));
            feeds(to, number, Stream::Text(text));
            return;
        }
        let argument = self.target(script, redirect, span);
        let known = argument.word.known().map(<[u8]>::to_vec);
        let duplicates =
            matches!(redirect.operator, Operator::DuplicateIn | Operator::DuplicateOut);
        if duplicates && is_descriptor(known.as_deref(), &redirect.target) {
            self.duplicated(known.as_deref(), number, to);
            return;
        }
        if let Some(effect) = network(&argument.word, span) {
            // A connection goes both ways, whichever way it was opened.
            feeds(to, number, Stream::unknown(From::Network));
            to.effects.push(effect);
            return;
        }
        let does = match redirect.operator {
            Operator::Read | Operator::DuplicateIn => Does::Read,
            Operator::Write | Operator::Clobber | Operator::WriteBoth => Does::Overwrite,
            Operator::DuplicateOut => Does::Overwrite,
            Operator::Append | Operator::AppendBoth => Does::Append,
            Operator::ReadWrite => Does::Edit,
            _ => Does::Overwrite,
        };
        self.redirected_to(number, argument, does, span, to);
    }

    fn redirected_to(
        &mut self,
        number: u32,
        argument: Argument,
        does: Does,
        span: [usize; 2],
        to: &mut Redirected,
    ) {
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let targets = paths.targets(&argument.word, &self.state.cwd, Follow::Last);
        let files: Vec<PathBuf> =
            targets.iter().filter_map(|target| target.clone().into_path()).collect();
        if matches!(does, Does::Read | Does::Edit) {
            let stream = match &argument.stream {
                Some(stream) => (**stream).clone(),
                None => self.content_of(&argument.word, &files),
            };
            feeds(to, number, stream);
        }
        match (does, number) {
            (Does::Read, _) => {}
            (_, 1) => {
                let appends = does == Does::Append;
                to.output = Some(Output { targets: files, appends });
            }
            (_, number) => {
                for file in &files {
                    Rc::make_mut(&mut self.state.made).write(file.clone(), Content::Unknown);
                }
                if does == Does::Overwrite && number > 2 {
                    to.emptied.extend(files.iter().cloned());
                }
                to.opened.push((number, Descriptor::Output(files)));
            }
        }
        for target in targets {
            let word = Some(argument.word.clone());
            to.effects.push(Effect { does, target, word, span, sure: Meets::Yes });
        }
    }

    /// What is known of a file that is read.
    pub(super) fn content_of(&self, word: &Word, files: &[PathBuf]) -> Stream {
        if word.known() == Some(b"/dev/null") {
            return Stream::Nothing;
        }
        if matches!(word.known(), Some(b"/dev/zero" | b"/dev/urandom" | b"/dev/random")) {
            return Stream::Endless;
        }
        if let Some(stream) = self.behind_number(word) {
            return stream;
        }
        match files.first().and_then(|file| self.state.made.content(file)) {
            Some(Content::Known(bytes)) => Stream::of(bytes.clone()),
            Some(Content::Partly(bytes)) => {
                let known = [b"\n", bytes.as_slice()].concat();
                let pieces = vec![Piece::Unknown, Piece::Known(known)];
                Stream::Text(Text { pieces, from: From::Here })
            }
            Some(Content::Network) => Stream::unknown(From::Network),
            Some(Content::Copy(_) | Content::Unknown) => Stream::unknown(From::Here),
            None => Stream::File(word.clone()),
        }
    }

    /// Lets output go where it was sent; what goes nowhere is what the next command sees.
    pub(super) fn pour(&mut self, output: Option<Output>, printed: Stream) -> Stream {
        let Some(output) = output else {
            return printed;
        };
        if printed == Stream::Endless && !output.targets.is_empty() {
            let mut seen = self.seen(&[], self.here);
            seen.mark(super::seen::Mark::Endless);
            self.push(seen);
        }
        let content = super::made::content(&printed);
        for file in output.targets {
            let made = Rc::make_mut(&mut self.state.made);
            match output.appends {
                true => made.append(file.clone(), content.clone()),
                false => made.write(file.clone(), content.clone()),
            }
            self.runs_later(&file, &content);
        }
        Stream::Nothing
    }

    fn target(&mut self, script: &Rc<Script>, redirect: &Redirect, span: [usize; 2]) -> Argument {
        let words = self.words(script, std::slice::from_ref(&redirect.target));
        match <[Argument; 1]>::try_from(words) {
            Ok([argument]) => Argument { span, ..argument },
            Err(_) => Argument::new(Word::unknown(), span),
        }
    }

    fn literal(&self, script: &Rc<Script>, here: &tree::Here) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in &here.parts {
            match &part.kind {
                tree::Piece::Literal(text) | tree::Piece::Single(text) => bytes.extend(&**text),
                _ => bytes.extend_from_slice(part.span.of(script.text())),
            }
        }
        bytes
    }
}

/// What comes in by this number.
fn feeds(to: &mut Redirected, number: u32, stream: Stream) {
    match number {
        0 => to.feed = Feed::of(stream),
        number => to.opened.push((number, Descriptor::Input(stream))),
    }
}

/// `2`, `-`, `3-`, or a variable alone, which holds a number wherever people write it so.
fn is_descriptor(known: Option<&[u8]>, target: &tree::Word) -> bool {
    match known {
        Some(text) => {
            let digits = text.strip_suffix(b"-").unwrap_or(text);
            digits.iter().all(u8::is_ascii_digit)
        }
        None => target.parts.iter().all(|part| match &part.kind {
            tree::Piece::Parameter(_) => true,
            tree::Piece::Double(parts) => {
                parts.iter().all(|part| matches!(part.kind, tree::Piece::Parameter(_)))
            }
            _ => false,
        }),
    }
}

/// `/dev/tcp/HOST/PORT` is a connection that the shell makes itself.
pub(super) fn network(word: &Word, span: [usize; 2]) -> Option<Effect> {
    let head = word.head();
    let rest = head.strip_prefix(b"/dev/tcp/").or_else(|| head.strip_prefix(b"/dev/udp/"))?;
    let host = rest.split(|byte| *byte == b'/').next().unwrap_or(rest);
    let word = match word.pieces() {
        [Piece::Known(_)] => Word::of(host),
        _ => Word::unknown(),
    };
    Some(Effect {
        does: Does::Connect,
        target: Target::Word,
        word: Some(word),
        span,
        sure: Meets::Yes,
    })
}
