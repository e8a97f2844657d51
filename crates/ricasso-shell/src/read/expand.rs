//! `$name`, `${…}`, `$(…)` and `<(…)`.
//!
//! What stands behind an operator is read by the rules of that operator; nothing is looked up.

use crate::error::{Unreadable, Why};
use crate::tree::{Action, Form, List, Parameter, Part, Piece, Process, Substitution};

use super::Reader;
use super::known::Found;
use super::lex::without_continuations;
use super::pair::Pair;
use super::part::Mode;

impl Reader<'_> {
    /// `$name`, `$1`, `$?`, whose dollar has been taken.
    pub(super) fn plain_parameter(&mut self) -> Option<Piece> {
        let byte = self.peek()?;
        let start = self.pos();
        if byte.is_ascii_alphabetic() || byte == b'_' {
            let mut end = start;
            while matches!(self.peek(), Some(b) if b.is_ascii_alphanumeric() || b == b'_') {
                self.next();
                end = self.pos();
            }
            self.cursor.pos = end;
        } else if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) {
            self.next();
        } else {
            return None;
        }
        let text = &self.cursor.source.text[start..self.pos()];
        let name = without_continuations(text).into_owned().into_boxed_slice();
        Some(Piece::Parameter(Box::new(Parameter { name, ..Parameter::default() })))
    }

    /// `$(…)` or `$((…))`, whose parenthesis has been taken.
    pub(super) fn substitution(&mut self, at: usize) -> Piece {
        let first = self.peek();
        let start = self.pos();
        if first == Some(b'(') && self.known.end(start).is_none() {
            let end = self.inner_end(Pair::arith(at));
            if let Some((inside, close)) = self.arith_extent(start, end) {
                return Piece::Arith(Box::new(self.arith_text(inside, close)));
            }
            let (body, unreadable) = self.late_list(start, end);
            return substitution(Form::Paren, body, unreadable);
        }
        let body = self.commands_at(at, start);
        substitution(Form::Paren, body, None)
    }

    /// `<(…)` or `>(…)`, of which nothing has been taken.
    pub(super) fn process(&mut self, byte: u8, at: usize) -> Piece {
        self.next();
        self.next();
        let input = byte == b'<';
        let first = self.peek();
        let start = self.pos();
        if first == Some(b'(') && self.known.end(start).is_none() {
            let end = self.inner_end(Pair::arith(at));
            let (body, unreadable) = self.late_list(start, end);
            return Piece::Process(Box::new(Process { input, body, unreadable }));
        }
        let body = self.commands_at(at, start);
        Piece::Process(Box::new(Process { input, body, unreadable: None }))
    }

    /// The commands of the substitution that starts at `start`, read now unless they are known.
    fn commands_at(&mut self, at: usize, start: usize) -> List {
        if !matches!(self.known.end(start), Some(end) if end <= self.cursor.end) {
            self.substitution_commands(at);
        }
        match self.known.take(start) {
            Some((end, Found::List(list))) => {
                self.cursor.pos = end;
                list
            }
            _ => List::default(),
        }
    }

    /// Reads a range as a script, as the shell does when it comes to run it.
    pub(super) fn late_list(&mut self, start: usize, end: usize) -> (List, Option<Unreadable>) {
        let outer = std::mem::take(&mut self.lex);
        let here = std::mem::take(&mut self.here);
        let (list, error) = self.within(start, end, |reader| {
            if !reader.enter() {
                return List::default();
            }
            let list = reader.units();
            reader.leave();
            list
        });
        self.lex = outer;
        self.here = here;
        (list, error)
    }

    /// `${…}`, whose brace has been taken.
    pub(super) fn parameter(&mut self, at: usize, mode: Mode) -> Piece {
        let start = self.pos();
        let first = self.peek();
        let end = self.inner_end(Pair::parameter(at).in_double(mode.double()));
        if self.bash() && matches!(first, Some(b' ' | b'\t' | b'\n' | b'|')) {
            let from = if first == Some(b'|') { start + 1 } else { start };
            let (body, unreadable) = self.late_list(from.min(end), end);
            return substitution(Form::Brace, body, unreadable);
        }
        let (parameter, error) = self.within(start, end, |reader| reader.parameter_inside(mode));
        let mut parameter = parameter;
        if parameter.action == Action::Bad {
            let span = self.span(start, end);
            let (at, from) = (span.start, span.start);
            let error = error.unwrap_or(Unreadable { at, from, why: Why::Unexpected });
            parameter.operand.push(Part { span, kind: Piece::Broken(error) });
        }
        Piece::Parameter(Box::new(parameter))
    }

    fn parameter_inside(&mut self, mode: Mode) -> Parameter {
        let mut parameter = Parameter::default();
        let second = self.cursor.peek_second();
        let names = |byte: u8| byte.is_ascii_alphanumeric() || b"_@*?".contains(&byte);
        match self.peek() {
            Some(b'!') if second.is_some_and(|byte| names(byte) || byte == b'#') => {
                parameter.indirect = true;
                self.next();
            }
            Some(b'#') if second.is_some_and(|byte| names(byte) || b"#-$!".contains(&byte)) => {
                parameter.length = self.is_length();
                if parameter.length {
                    self.next();
                }
            }
            _ => {}
        }
        parameter.name = self.parameter_name();
        if parameter.name.is_empty() {
            parameter.action = Action::Bad;
            return parameter;
        }
        if self.peek() == Some(b'[') && self.bash() {
            let at = self.pos();
            self.next();
            let inside = self.pos();
            let end = self.inner_end(Pair::subscript(at).in_double(mode.double()));
            parameter.subscript = Some(self.subscript_text(inside, end));
        }
        self.parameter_action(mode, &mut parameter);
        parameter
    }

    /// Whether `#` asks for a length: a name and at most a subscript follow, then the end.
    fn is_length(&self) -> bool {
        let rest = self.cursor.source.text.get(self.pos() + 1..self.cursor.end);
        let rest = without_continuations(rest.unwrap_or_default());
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().take_while(|byte| name(byte)).count();
        if length == 0 {
            return rest.len() == 1;
        }
        matches!(rest.get(length), None | Some(b'['))
    }

    fn parameter_name(&mut self) -> Box<[u8]> {
        let mut name = Vec::new();
        let digits = matches!(self.peek(), Some(byte) if byte.is_ascii_digit());
        while let Some(byte) = self.peek() {
            let fits = if digits {
                byte.is_ascii_digit()
            } else {
                byte.is_ascii_alphanumeric() || byte == b'_'
            };
            if !fits {
                break;
            }
            name.push(byte);
            self.next();
        }
        if name.is_empty()
            && let Some(byte) = self.peek()
            && b"@*#?-$!".contains(&byte)
        {
            name.push(byte);
            self.next();
        }
        name.into_boxed_slice()
    }

    fn parameter_action(&mut self, mode: Mode, parameter: &mut Parameter) {
        let Some(byte) = self.peek() else { return };
        self.next();
        let word = match mode {
            Mode::Here | Mode::OperandHere => Mode::OperandHere,
            Mode::Double | Mode::OperandDouble | Mode::Arith | Mode::Subscript => {
                Mode::OperandDouble
            }
            Mode::Word | Mode::Value | Mode::Pattern => Mode::Operand,
            Mode::Operand | Mode::OperandPattern => Mode::Operand,
        };
        let (action, inside) = match byte {
            b':' => match self.peek() {
                Some(b'-' | b'=' | b'?' | b'+') => {
                    let second = self.next().unwrap_or(b'-');
                    (with_word(second), word)
                }
                _ => (Action::Slice, Mode::Arith),
            },
            b'-' | b'=' | b'?' | b'+' => (with_word(byte), word),
            b'#' | b'%' => (Action::Trim, Mode::OperandPattern),
            b'/' if self.bash() => (Action::Replace, Mode::OperandPattern),
            b'^' | b',' | b'~' if self.bash() => (Action::Letters, Mode::OperandPattern),
            b'@' if self.bash() => match (self.peek(), self.cursor.peek_second()) {
                (Some(letter), None) => (Action::Transform(letter), word),
                _ => (Action::Bad, word),
            },
            b'*' if parameter.indirect && self.peek().is_none() => (Action::Plain, word),
            _ => (Action::Bad, word),
        };
        parameter.action = action;
        if action != Action::Bad && !matches!(action, Action::Transform(_)) {
            let (start, end) = (self.pos(), self.cursor.end);
            parameter.operand = self.parts(start, end, inside);
            self.cursor.pos = end;
        }
    }
}

fn with_word(byte: u8) -> Action {
    match byte {
        b'-' => Action::Default,
        b'=' => Action::Assign,
        b'?' => Action::Demand,
        _ => Action::Alternative,
    }
}

pub(super) fn substitution(form: Form, body: List, unreadable: Option<Unreadable>) -> Piece {
    Piece::Substitution(Box::new(Substitution { form, body, unreadable }))
}
