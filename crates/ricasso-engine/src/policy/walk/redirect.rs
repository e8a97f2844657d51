//! Redirections: what they read and write, what they feed, and where output goes.

use super::super::effect::{Effect, Target};
use super::super::know::Does;
use super::super::paths::{Content, Follow, Paths};
use super::super::word::{Piece, Word};
use super::super::words::Meets;
use super::expand::Argument;
use super::seen::{Seen, Starts};
use super::state::{From, Text};
use super::stream::Stream;
use super::{Feed, Walker};
use ricasso_shell::Script;
use ricasso_shell::tree::{self, Command, Fd, Operator, Redirect};
use std::path::PathBuf;
use std::rc::Rc;

/// A file that output goes to.
pub(super) struct Output {
    targets: Vec<PathBuf>,
    appends: bool,
}

/// What the redirections of one command come to.
pub(super) struct Redirected {
    pub(super) effects: Vec<Effect>,
    pub(super) feed: Feed,
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
        let mut redirected = Redirected { effects: Vec::new(), feed: feed.clone(), output: None };
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
            return (feed.clone(), None);
        }
        let redirected = self.redirects(script, command, feed);
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
        if let Fd::Named(word) = &redirect.fd {
            let name = word.pattern().unwrap_or_default();
            let name = name.trim_ascii().strip_prefix(b"{").unwrap_or(&name);
            let name = name.strip_suffix(b"}").unwrap_or(name).to_vec();
            self.state.set(&name, super::state::Value::Unknown(From::Here));
            self.evaluated(&name);
        }
        if let Some(here) = script.here(redirect) {
            let text = match here.quoted {
                true => Text::of(self.literal(script, here)),
                false => self.text(script, &here.parts),
            };
            to.feed = Feed::of(Stream::Text(text));
            return;
        }
        if redirect.operator == Operator::HereString {
            let mut text = self.text(script, &redirect.target.parts);
            text.then(&Text::of("\n"));
            to.feed = Feed::of(Stream::Text(text));
            return;
        }
        let argument = self.target(script, redirect, span);
        let known = argument.word.known().map(<[u8]>::to_vec);
        let duplicates =
            matches!(redirect.operator, Operator::DuplicateIn | Operator::DuplicateOut);
        if duplicates && is_descriptor(known.as_deref(), &redirect.target) {
            return;
        }
        if let Some(effect) = network(&argument.word, span) {
            if reads(redirect.operator) {
                to.feed = Feed::of(Stream::unknown(From::Network));
            }
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
        self.redirected_to(redirect, argument, does, span, to);
    }

    fn redirected_to(
        &mut self,
        redirect: &Redirect,
        argument: Argument,
        does: Does,
        span: [usize; 2],
        to: &mut Redirected,
    ) {
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let targets = paths.targets(&argument.word, &self.state.cwd, Follow::Last);
        let files: Vec<PathBuf> = targets
            .iter()
            .filter_map(|target| match target {
                Target::Path(path) => Some(path.clone()),
                Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => None,
            })
            .collect();
        if does == Does::Read && matches!(redirect.fd, Fd::Usual | Fd::Number(0)) {
            to.feed = match argument.stream {
                Some(stream) => Feed::of((*stream).clone()),
                None => Feed::of(self.content_of(&argument.word, &files)),
            };
        }
        let standard = matches!(redirect.fd, Fd::Usual | Fd::Number(1));
        if does != Does::Read && standard {
            let appends = does == Does::Append;
            to.output = Some(Output { targets: files, appends });
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
        match files.first().and_then(|file| self.state.made.content(file)) {
            Some(Content::Known(bytes)) => Stream::of(bytes.clone()),
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
        let content = match (printed.from(), printed.known()) {
            (From::Network, _) => Content::Network,
            (From::Here | From::Tool, Some(bytes)) => Content::Known(bytes),
            (From::Here | From::Tool, None) => Content::Unknown,
        };
        for file in output.targets {
            let made = Rc::make_mut(&mut self.state.made);
            let content = match (output.appends, made.content(&file), &content) {
                (false, _, content) => content.clone(),
                (true, Some(Content::Known(old)), Content::Known(new)) => {
                    Content::Known([old.as_slice(), new].concat())
                }
                (true, _, Content::Network) => Content::Network,
                (true, _, Content::Known(_) | Content::Copy(_) | Content::Unknown) => {
                    Content::Unknown
                }
            };
            made.write(file, content);
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

fn reads(operator: Operator) -> bool {
    matches!(operator, Operator::Read | Operator::ReadWrite | Operator::DuplicateIn)
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
