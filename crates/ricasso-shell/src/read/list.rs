//! Lists and pipelines: what follows what.
//!
//! The shell takes a text line by line and runs each line before it reads the next, so the top is
//! read in the same units; an error in one leaves those before it whole.

use crate::error::Why;
use crate::tree::{Item, Joint, List, Pipe, Pipeline, Stage};

use super::Reader;
use super::token::{Res, Tok};

impl Reader<'_> {
    /// The whole text.
    pub(super) fn script(&mut self) -> List {
        self.units()
    }

    /// Units up to the end of the text.
    pub(super) fn units(&mut self) -> List {
        let mut items = Vec::new();
        let mut open = false;
        let mentions = self.mentions_extglob(self.pos(), self.cursor.end);
        loop {
            if self.house.depth == 0 {
                self.known.clear();
            }
            self.lex.restart();
            // A unit that the text cuts short stays the one that an error would spoil.
            if !open {
                self.from = self.pos();
            }
            self.advance();
            match self.lex.tok {
                Tok::End => break,
                Tok::Newline => {}
                _ => {
                    self.from = self.lex.start;
                    self.unit(&mut items);
                    open = self.lex.tok == Tok::End;
                    let line = (self.from, self.pos());
                    self.house.extglob |= mentions && self.mentions_extglob(line.0, line.1);
                }
            }
        }
        self.read_bodies();
        list(items)
    }

    fn mentions_extglob(&self, start: usize, end: usize) -> bool {
        let text = self.cursor.source.text.get(start..end).unwrap_or_default();
        text.windows(7).any(|window| window == b"extglob")
    }

    /// One line, or as many as its constructs need.
    fn unit(&mut self, items: &mut Vec<Item>) {
        loop {
            let pipeline = self.pipeline_command();
            let joint = self.joint();
            items.push(Item { pipeline, joint });
            match self.lex.tok {
                Tok::AndAnd | Tok::OrOr => {
                    self.advance();
                    self.skip_newlines();
                }
                Tok::Semi | Tok::Amp => {
                    self.advance();
                    if matches!(self.lex.tok, Tok::Newline | Tok::End) {
                        return;
                    }
                }
                Tok::Newline | Tok::End => return,
                _ => return self.unexpected(),
            }
            if !self.command_starts() {
                return self.unexpected();
            }
        }
    }

    fn joint(&self) -> Joint {
        match self.lex.tok {
            Tok::AndAnd => Joint::And,
            Tok::OrOr => Joint::Or,
            Tok::Amp => Joint::Background,
            _ => Joint::Sequence,
        }
    }

    /// The list of a substitution, which may be empty; nothing of it has been taken.
    pub(super) fn optional_list(&mut self) -> List {
        self.advance();
        self.skip_newlines();
        if self.lex.tok == Tok::Close { List::default() } else { self.compound_list() }
    }

    /// A list inside a compound command; it needs at least one command.
    pub(super) fn compound_list(&mut self) -> List {
        self.skip_newlines();
        let mut items = Vec::new();
        if !self.command_starts() {
            self.unexpected();
            return list(items);
        }
        loop {
            let pipeline = self.pipeline_command();
            let joint = self.joint();
            items.push(Item { pipeline, joint });
            match self.lex.tok {
                Tok::AndAnd | Tok::OrOr => {
                    self.advance();
                    self.skip_newlines();
                    if !self.command_starts() {
                        self.unexpected();
                        break;
                    }
                }
                Tok::Semi | Tok::Amp | Tok::Newline => {
                    self.advance();
                    self.skip_newlines();
                    if !self.command_starts() {
                        break;
                    }
                }
                _ => break,
            }
        }
        list(items)
    }

    fn pipeline_command(&mut self) -> Pipeline {
        let start = self.lex.start;
        let mut negated = false;
        let mut timed = false;
        loop {
            match self.lex.tok {
                Tok::Reserved(Res::Bang) => {
                    negated = !negated;
                    self.advance();
                }
                Tok::Reserved(Res::Time) => {
                    timed = true;
                    self.advance();
                    if self.lex.tok == Tok::Reserved(Res::TimeOption) {
                        self.advance();
                    }
                    if self.lex.tok == Tok::Reserved(Res::TimeEnd) {
                        self.advance();
                    }
                }
                _ => break,
            }
            let closes = self.lex.tok == Tok::Close && timed && self.lex.substitution;
            if matches!(self.lex.tok, Tok::Semi | Tok::Newline | Tok::End) || closes {
                let span = self.span(start, self.lex.behind);
                return Pipeline { span, negated, timed, stages: Vec::new() };
            }
        }
        let stages = self.stages();
        Pipeline { span: self.span(start, self.lex.behind), negated, timed, stages }
    }

    fn stages(&mut self) -> Vec<Stage> {
        let mut stages = Vec::with_capacity(1);
        loop {
            let command = self.command();
            let pipe = match self.lex.tok {
                Tok::Pipe => Some(Pipe::Output),
                Tok::PipeAmp => Some(Pipe::Both),
                _ => None,
            };
            stages.push(Stage { command, pipe });
            if pipe.is_none() {
                return stages;
            }
            self.advance();
            self.skip_newlines();
        }
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.lex.tok == Tok::Newline {
            self.advance();
        }
    }

    /// Whether a command can begin with the token at hand.
    pub(super) fn command_starts(&self) -> bool {
        match self.lex.tok {
            Tok::Word | Tok::Assignment | Tok::Number(_) | Tok::FdName | Tok::Redirect(..) => true,
            Tok::Open | Tok::Arith => true,
            Tok::Reserved(res) => matches!(
                res,
                Res::If
                    | Res::Case
                    | Res::For
                    | Res::Select
                    | Res::While
                    | Res::Until
                    | Res::Function
                    | Res::Time
                    | Res::OpenBrace
                    | Res::Bang
                    | Res::OpenTest
                    | Res::Coproc
            ),
            _ => false,
        }
    }

    /// Reports the token at hand.
    pub(super) fn unexpected(&mut self) {
        let why = if self.lex.tok == Tok::End { Why::Ends } else { Why::Unexpected };
        self.fail(self.lex.start, why);
    }

    /// Takes the token at hand if it is the one wanted; else reports it.
    pub(super) fn expect(&mut self, tok: Tok) {
        if self.lex.tok == tok { self.advance() } else { self.unexpected() }
    }
}

fn list(items: Vec<Item>) -> List {
    let span = match (items.first(), items.last()) {
        (Some(first), Some(last)) => {
            crate::Span::new(first.pipeline.span.start, last.pipeline.span.end)
        }
        _ => crate::Span::default(),
    };
    List { span, items }
}
