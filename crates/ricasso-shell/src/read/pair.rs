//! Finds where a quoted or bracketed text ends, by the rules of the shell's lexer.
//!
//! These rules differ from those of the later expansion: quotes pair up inside `${…}` even where
//! they do not quote. Here only extents are found; what the text means is for `part`. Substitutions
//! met on the way are read at once, since nothing else finds their end, and kept for later.

use crate::error::Why;

use super::Reader;
use super::known::Found;
use super::token::{Lex, Tok};

/// What is being closed, and how its inside is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Where it was opened, for the error.
    at: usize,
    open: u8,
    close: u8,
    /// Backslashes escape inside single quotes: `$'…'`.
    escapes: bool,
    /// Somewhere inside double quotes.
    double: bool,
    inside: Inside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Plain,
    /// `${…}`
    Parameter,
    /// `name[…]`
    Subscript,
    /// `((…))`, `$((…))`, `$[…]`
    Arith,
}

/// How far a `${…}` has been read, which decides about single quotes in sh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Name,
    Operator,
    Word,
    /// A pattern follows: single quotes quote.
    Pattern,
}

impl Pair {
    fn new(at: usize, open: u8, close: u8, inside: Inside) -> Self {
        Self { at, open, close, escapes: false, double: false, inside }
    }

    /// `'…'`, `"…"` or backticks.
    pub(super) fn quote(at: usize, quote: u8) -> Self {
        Self { double: quote == b'"', ..Self::new(at, quote, quote, Inside::Plain) }
    }

    /// `$'…'`
    pub(super) fn ansi(at: usize) -> Self {
        Self { escapes: true, ..Self::new(at, b'\'', b'\'', Inside::Plain) }
    }

    /// `${…}`
    pub(super) fn parameter(at: usize) -> Self {
        Self::new(at, b'{', b'}', Inside::Parameter)
    }

    /// `name[…]`
    pub(super) fn subscript(at: usize) -> Self {
        Self::new(at, b'[', b']', Inside::Subscript)
    }

    /// `$[…]`
    pub(super) fn old_arith(at: usize) -> Self {
        Self::new(at, b'[', b']', Inside::Arith)
    }

    /// `((…))` and `$((…))`, up to the first closing parenthesis that fits.
    pub(super) fn arith(at: usize) -> Self {
        Self::new(at, b'(', b')', Inside::Arith)
    }

    /// `(…)` in a regular expression or an extended pattern.
    pub(super) fn group(at: usize) -> Self {
        Self::new(at, b'(', b')', Inside::Plain)
    }

    /// The same inside double quotes.
    pub(super) fn in_double(self, double: bool) -> Self {
        Self { double: self.double || double, ..self }
    }
}

impl Reader<'_> {
    /// Moves behind the closer of a construct whose opener has been taken.
    pub(super) fn pair(&mut self, pair: Pair) -> bool {
        if !self.enter() {
            return false;
        }
        let closed = self.pair_inside(pair);
        self.leave();
        closed
    }

    fn pair_inside(&mut self, pair: Pair) -> bool {
        let Pair { open, close, .. } = pair;
        let start = self.pos();
        let mut level = 1usize;
        let mut dollar = false;
        let mut angle = false;
        let mut stage = Stage::Name;
        // The expansion knows comments in `$((`, which may turn out to be commands.
        let comments = self.here && pair.inside == Inside::Arith && open == b'(';
        let mut before = b'\n';
        loop {
            let byte = if open == b'\'' { self.next_raw() } else { self.next() };
            let Some(byte) = byte else {
                self.fail(pair.at, Why::Unclosed(close));
                return false;
            };
            if comments && byte == b'#' && matches!(before, b'\n' | b' ' | b'\t') {
                while self.cursor.peek_raw().is_some_and(|byte| byte != b'\n') {
                    self.next_raw();
                }
                continue;
            }
            before = byte;
            if byte == close {
                level -= 1;
                if level == 0 {
                    return true;
                }
            } else if byte == open && (pair.inside != Inside::Parameter || dollar) {
                level += 1;
            }
            if byte == b'\n' && self.lex.overdue {
                // The shell cuts the body out of the middle of the quotes here.
                self.fail(self.pos() - 1, Why::Unexpected);
                return false;
            }
            if open == b'\'' {
                if pair.escapes && byte == b'\\' {
                    self.next_raw();
                }
                continue;
            }
            if byte == b'\\' {
                self.next_raw();
                dollar = false;
                angle = false;
                continue;
            }
            if pair.inside == Inside::Parameter {
                stage = stage.after(byte, self.pos() - start > 1);
                let literal = pair.double && !self.bash() && stage != Stage::Pattern;
                if byte == b'\'' && literal {
                    dollar = false;
                    continue;
                }
            }
            if !self.pair_nested(pair, byte, dollar, angle, &mut level) {
                return false;
            }
            dollar = byte == b'$' && !dollar;
            angle = matches!(byte, b'<' | b'>') && !angle;
        }
    }

    /// Reads what `byte` opens inside a pair; `false` when that failed.
    fn pair_nested(
        &mut self,
        pair: Pair,
        byte: u8,
        dollar: bool,
        angle: bool,
        level: &mut usize,
    ) -> bool {
        let at = self.pos() - 1;
        let grouping = pair.open != pair.close;
        let names = matches!(pair.inside, Inside::Parameter | Inside::Subscript);
        if grouping && matches!(byte, b'\'' | b'"' | b'`') {
            let quote =
                if dollar && byte == b'\'' { Pair::ansi(at) } else { Pair::quote(at, byte) };
            let double = pair.double && byte != b'\'';
            return self.pair(quote.in_double(double));
        }
        if pair.open == b'"' && byte == b'`' {
            return self.pair(Pair::quote(at, b'`').in_double(true));
        }
        let opens = if grouping {
            (dollar && byte == b'(' && (names || pair.inside == Inside::Arith))
                || (dollar && names && matches!(byte, b'{' | b'['))
                || (angle && names && byte == b'(' && self.bash())
        } else {
            pair.open != b'`' && dollar && matches!(byte, b'(' | b'{' | b'[')
        };
        if !opens || (byte == b'[' && !self.bash()) {
            return true;
        }
        if byte == pair.open {
            *level -= 1;
        }
        let double = pair.double;
        match byte {
            b'(' => self.substitution_extent(at),
            b'{' => self.pair(Pair::parameter(at).in_double(double)),
            _ => self.pair(Pair::old_arith(at).in_double(double)),
        }
    }

    /// Moves behind a `$(…)`, `<(…)` or `>(…)` whose opener has been taken, reading what it runs.
    pub(super) fn substitution_extent(&mut self, at: usize) -> bool {
        let first = self.peek();
        let start = self.pos();
        if let Some(end) = self.known.end(start)
            && end <= self.cursor.end
        {
            self.cursor.pos = end;
            return true;
        }
        if first == Some(b'(') {
            return self.pair(Pair::arith(at));
        }
        self.substitution_commands(at)
    }

    /// Reads the commands of a substitution and keeps them.
    pub(super) fn substitution_commands(&mut self, at: usize) -> bool {
        self.peek();
        let start = self.pos();
        if !self.enter() {
            return false;
        }
        // The shell forgets to forget that it reads the arguments of `declare`.
        let declares = self.lex.declares;
        let fresh = Lex { substitution: true, declares, ..Lex::default() };
        let outer = std::mem::replace(&mut self.lex, fresh);
        let here = std::mem::take(&mut self.here);
        let list = self.optional_list();
        self.here = here;
        let closed = self.lex.tok == Tok::Close;
        if !closed {
            let why = if self.lex.tok == Tok::End { Why::Unclosed(b')') } else { Why::Unexpected };
            let place = if self.lex.tok == Tok::End { at } else { self.lex.start };
            self.fail(place, why);
        }
        let inner = std::mem::replace(&mut self.lex, outer);
        self.close_pending(inner.pending);
        self.leave();
        if self.error.is_some() {
            self.lex.end_now();
        }
        let end = self.pos();
        self.known.keep(start, end, Found::List(list));
        closed
    }
}

impl Stage {
    /// The stage behind `byte`; `named` says that it is not the first.
    fn after(self, byte: u8, named: bool) -> Self {
        let operator = b"#%^,~:-=?+/".contains(&byte);
        match self {
            Stage::Name if named && matches!(byte, b'%' | b'#' | b'/' | b'^' | b',') => {
                Stage::Pattern
            }
            Stage::Name if operator => Stage::Operator,
            Stage::Operator if !operator => Stage::Word,
            stage => stage,
        }
    }
}
