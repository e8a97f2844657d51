//! Texts that become code when the script runs: `eval`, `sh -c`, traps, expressions, broken words.
//!
//! It announces; it does not judge. What is static can be read again, with spans that lead back to
//! the original text. Where it is not sure that a text stays data, it announces it.

mod builtin;
mod expression;
mod feed;
mod number;
mod shell;
mod text;

use std::sync::Arc;

use crate::Span;
use crate::cursor::Source;
use crate::read::{read_expression, read_source};
use crate::script::{Script, Shell};
use crate::tree::{Command, Fd, Item, Joint, Kind, List, Pipeline, Stage};
use crate::walk::{Event, walk};
use number::Numbers;
use text::Text;

/// How a text becomes code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum How {
    /// The arguments of `eval` and of builtins that evaluate as it does.
    Eval,
    /// The argument of `sh -c` and its kin.
    ShellArgument,
    /// What a shell reads from its standard input: a here-document, a here-string, a pipe.
    ShellInput,
    /// A file, or a substitution in its place, that a shell or `source` reads.
    Source,
    /// The action of a `trap`.
    Trap,
    /// The value of an `alias`: names may change from the next line on.
    Alias,
    /// The name of a command that is known only when it runs.
    Name,
    /// Words behind `command`, `exec`, `env` and the like, which start with a name of their own.
    Wrapped,
    /// A text that is evaluated as an expression, in which subscripts run substitutions.
    Expression,
    /// The value of a variable is evaluated as an expression.
    Variable,
    /// The value of a variable is expanded again: `${x@P}`, `${!x}`.
    Expanded,
    /// A variable that shells run or expand later: PS4, BASH_ENV, PROMPT_COMMAND.
    Environment,
    /// The shell will meet an error here, and what it does with the rest is not understood.
    Broken,
}

/// A text that becomes code.
#[derive(Clone, Debug)]
pub struct Code<'s> {
    /// Where it stands in the original text.
    pub span: Span,
    /// How it becomes code.
    pub how: How,
    text: Option<Text>,
    script: &'s Script,
}

impl Code<'_> {
    /// The text itself, where it is known before it runs.
    #[must_use]
    pub fn text(&self) -> Option<&[u8]> {
        self.text.as_ref().map(|text| text.bytes.as_slice())
    }

    /// Reads the text as a script of its own, whose spans lead into the original text. Nothing
    /// where the text is not known before it runs.
    #[must_use]
    pub fn reread(&self, shell: Shell) -> Option<Script> {
        let text = self.text.as_ref()?;
        let table: Arc<[u32]> = Arc::clone(&text.table);
        let source = Source { text: &text.bytes, table: Some(table.as_ref().into()) };
        let original = Arc::clone(&self.script.text);
        if self.how == How::Expression {
            let (arith, heres) = read_expression(source, shell);
            let span = self.span;
            let kind = Kind::Arith(Box::new(arith));
            let command = Command { span, kind, redirects: Vec::new() };
            return Some(Script {
                body: alone(command),
                text: original,
                shell,
                heres,
                unreadable: None,
                stopped: None,
            });
        }
        let reading = read_source(source, shell);
        let (body, heres, unreadable) = (reading.body, reading.heres, reading.unreadable);
        let stopped = reading.stopped;
        Some(Script { body, text: original, shell, heres, unreadable, stopped })
    }
}

fn alone(command: Command) -> List {
    let span = command.span;
    let stages = vec![Stage { command, pipe: None }];
    let pipeline = Pipeline { span, negated: false, timed: false, stages };
    List { span, items: vec![Item { pipeline, joint: Joint::Sequence }] }
}

impl Script {
    /// Every text that becomes code when the script runs, in the order of the text.
    pub fn code(&self) -> impl Iterator<Item = Code<'_>> {
        let mut collect = Collect {
            script: self,
            codes: Vec::new(),
            feeds: Vec::new(),
            readers: Vec::new(),
            numbers: None,
            arrays: None,
        };
        walk(self, &mut |event, _| collect.event(event));
        collect.feed_readers();
        collect.codes.sort_by_key(|code| (code.span.start, code.span.end));
        collect.codes.into_iter()
    }
}

/// What has been collected so far.
struct Collect<'s> {
    script: &'s Script,
    codes: Vec<Code<'s>>,
    /// Texts that reach the standard input of whatever runs within a span.
    feeds: Vec<(Span, Code<'s>)>,
    /// Shells that read commands from their standard input.
    readers: Vec<Span>,
    /// Names that hold numbers, once somebody asked.
    numbers: Option<Numbers>,
    /// Whether arrays may exist, once somebody asked.
    arrays: Option<bool>,
}

impl<'s> Collect<'s> {
    fn add(&mut self, how: How, span: Span, text: Option<Text>) {
        self.codes.push(Code { span, how, text, script: self.script });
    }

    fn event(&mut self, event: Event<'s>) {
        match event {
            Event::Pipeline(pipeline) => self.pipeline(pipeline),
            Event::Command(command) => self.command(command),
            Event::Assignment(assignment) => self.assignment(assignment),
            Event::Term(term) => self.term(term),
            Event::Part(part) => self.part(part),
            Event::Arith(arith) => self.expression(arith),
            Event::Subscript(arith) => self.subscript(arith),
            Event::Redirect(redirect) => {
                if let Fd::Named(word) = &redirect.fd {
                    self.set_by_shell(word);
                }
            }
        }
    }

    fn command(&mut self, command: &'s Command) {
        self.here_feeds(command);
        if let Kind::For(command) = &command.kind {
            self.set_by_shell(&command.name);
        }
        if let Kind::Simple(simple) = &command.kind
            && !simple.words.is_empty()
        {
            self.words(command, &simple.words);
        }
    }
}
