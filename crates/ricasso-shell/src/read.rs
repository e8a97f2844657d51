//! Reads a text into a tree.
//!
//! It follows the shell's own two steps. First the extent of each word is found, by the rules of
//! the shell's lexer (`token`, `lex`, `pair`); an error there spoils the command. Then each word is
//! taken apart by the rules of the expansion that comes later (`part`, `expand`, `arith`); an error
//! there spoils only that word. It never expands, runs or opens anything.

mod arith;
mod backtick;
mod brace;
mod build;
mod command;
mod compound;
mod decode;
mod expand;
mod heredoc;
mod known;
mod lex;
mod list;
mod pair;
mod part;
mod redirect;
mod reserved;
mod simple;
mod test;
mod token;

use crate::Shell;
use crate::cursor::{Cursor, Source};
use crate::error::{Unreadable, Why};
use crate::limit::{DEPTH, Limit, NODES, TEXT_BYTES};
use crate::span::Span;
use crate::tree::{Here, List};
pub(crate) use decode::decode;
use known::Known;
use token::Lex;

/// What a reading leaves behind.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) body: List,
    pub(crate) heres: Vec<Here>,
    pub(crate) unreadable: Option<Unreadable>,
    /// The first byte of the command at which the shell stops reading without an error.
    pub(crate) stopped: Option<usize>,
}

/// What all readers of one text share.
#[derive(Debug)]
struct House {
    shell: Shell,
    /// Constructs open at this moment.
    depth: u32,
    /// Nodes made so far.
    nodes: u32,
    heres: Vec<Here>,
    /// Whether an earlier line speaks of extglob, so that such patterns may be meant.
    extglob: bool,
}

/// Reads one source.
#[derive(Debug)]
struct Reader<'s> {
    cursor: Cursor<'s>,
    /// The first error; from then on every function sees the end of the text.
    error: Option<Unreadable>,
    lex: Lex,
    /// Substitutions that the first step has read and the second has not taken yet.
    known: Known,
    /// In the body of a here-document, where only the rules of the expansion hold.
    here: bool,
    /// The shell stops reading here without an error; nothing behind is reached.
    stopped: Option<usize>,
    /// Where the command began that an error would spoil.
    from: usize,
    house: House,
}

/// Reads `text`; `table` leads from its bytes to those of the original.
pub(crate) fn read_source(source: Source<'_>, shell: Shell) -> Reading {
    let house = House { shell, depth: 0, nodes: 0, heres: Vec::new(), extglob: false };
    let mut reader = Reader::new(source, house);
    let nul = reader.cursor.source.text.iter().position(|&byte| byte == 0);
    if reader.cursor.end > TEXT_BYTES {
        reader.fail(TEXT_BYTES, Why::Limit(Limit::TextBytes));
    }
    if let Some(nul) = nul {
        reader.cursor.end = reader.cursor.end.min(nul);
    }
    let body = reader.script();
    if let Some(nul) = nul {
        let from = reader.error.map_or(reader.from, |error| error.from);
        let at = reader.cursor.source.origin(nul);
        reader.error = Some(Unreadable { at, from: from.min(at), why: Why::Nul });
    }
    let (unreadable, stopped) = (reader.error, reader.stopped);
    Reading { body, heres: reader.house.heres, unreadable, stopped }
}

/// Reads an arithmetic text that stands alone, such as an operand that a builtin evaluates.
pub(crate) fn read_expression(source: Source<'_>, shell: Shell) -> (crate::tree::Arith, Vec<Here>) {
    let house = House { shell, depth: 0, nodes: 0, heres: Vec::new(), extglob: false };
    let end = source.text.len();
    let mut reader = Reader::new(source, house);
    let arith = reader.arith_text(0, end);
    (arith, reader.house.heres)
}

impl<'s> Reader<'s> {
    fn new(source: Source<'s>, house: House) -> Self {
        let cursor = Cursor::new(source);
        Self {
            cursor,
            error: None,
            lex: Lex::default(),
            known: Known::default(),
            here: false,
            stopped: None,
            from: 0,
            house,
        }
    }

    fn bash(&self) -> bool {
        self.house.shell == Shell::Bash
    }

    fn peek(&mut self) -> Option<u8> {
        if self.error.is_some() { None } else { self.cursor.peek() }
    }

    fn next(&mut self) -> Option<u8> {
        if self.error.is_some() { None } else { self.cursor.next() }
    }

    fn next_raw(&mut self) -> Option<u8> {
        if self.error.is_some() { None } else { self.cursor.next_raw() }
    }

    fn pos(&self) -> usize {
        self.cursor.pos
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.cursor.source.span(start, end)
    }

    /// Records the first error; from now on the text seems to end here.
    fn fail(&mut self, at: usize, why: Why) {
        if self.error.is_none() && self.stopped.is_none() {
            let at = self.cursor.source.origin(at);
            let from = self.cursor.source.origin(self.from).min(at);
            self.error = Some(Unreadable { at, from, why });
        }
        self.lex.end_now();
    }

    /// Makes the text end here without an error.
    fn stop(&mut self, from: usize) {
        self.stopped = Some(from);
        self.cursor.pos = self.cursor.end;
        self.lex.end_now();
    }

    /// Opens one level of nesting; `false`, and an error, when there are too many.
    fn enter(&mut self) -> bool {
        if self.house.depth >= DEPTH {
            self.fail(self.pos(), Why::Limit(Limit::Depth));
            return false;
        }
        self.house.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.house.depth -= 1;
    }

    /// Counts one node.
    fn count(&mut self) {
        self.house.nodes += 1;
        if self.house.nodes > NODES {
            self.fail(self.pos(), Why::Limit(Limit::Nodes));
        }
    }

    /// Runs `work` on the bytes from `start` to `end`; its error is handed back, not kept, and
    /// the position is restored.
    fn within<T>(
        &mut self,
        start: usize,
        end: usize,
        work: impl FnOnce(&mut Self) -> T,
    ) -> (T, Option<Unreadable>) {
        let place = (self.cursor.pos, self.cursor.end, self.from);
        let state = (self.error.take(), self.stopped, self.lex.tok, self.lex.dead);
        (self.cursor.pos, self.cursor.end, self.from) = (start, end.max(start), start);
        (self.stopped, self.lex.dead) = (None, false);
        let due = (std::mem::take(&mut self.lex.pending), std::mem::take(&mut self.lex.overdue));
        let result = work(self);
        let error = self.error.take();
        (self.lex.pending, self.lex.overdue) = due;
        (self.cursor.pos, self.cursor.end, self.from) = place;
        (self.error, self.stopped, self.lex.tok, self.lex.dead) = state;
        (result, error)
    }

    /// Runs `work` on another source, such as an unescaped text.
    fn on<T>(
        &mut self,
        source: Source<'_>,
        work: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> (T, Option<Unreadable>) {
        let shell = self.house.shell;
        let empty = House { shell, depth: 0, nodes: 0, heres: Vec::new(), extglob: false };
        let house = std::mem::replace(&mut self.house, empty);
        let mut inner = Reader::new(source, house);
        let result = work(&mut inner);
        let error = inner.error;
        self.house = inner.house;
        (result, error)
    }
}
