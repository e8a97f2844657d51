//! Expressions: names in them are evaluated again, and subscripts run substitutions.
//!
//! `$((x))` runs what `x` holds when that is `a[$(…)]`. A name is left out only where the script
//! itself shows that it holds a number, or the shell sets it.

use crate::tree::{Action, Arith, Assignment, Part, Piece, Term, Word};

use super::number::Numbers;
use super::text::{joined, of_parts};
use super::{Collect, How};

/// Variables that always hold a number; what is assigned to most of them is evaluated.
const NUMBERS: [&[u8]; 14] = [
    b"RANDOM",
    b"SRANDOM",
    b"SECONDS",
    b"EPOCHSECONDS",
    b"LINENO",
    b"UID",
    b"EUID",
    b"PPID",
    b"BASHPID",
    b"OPTIND",
    b"COLUMNS",
    b"LINES",
    b"SHLVL",
    b"HISTCMD",
];

/// Variables whose value shells run or expand.
const RUN_LATER: [&[u8]; 10] = [
    b"PS0",
    b"PS1",
    b"PS2",
    b"PS4",
    b"PROMPT_COMMAND",
    b"BASH_ENV",
    b"ENV",
    b"BASH_FUNC",
    b"SHELLOPTS",
    b"BASHOPTS",
];

/// Operators of `[[ … ]]` that evaluate both sides.
const COMPARE: [&[u8]; 6] = [b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge"];

impl<'s> Collect<'s> {
    pub(super) fn assignment(&mut self, assignment: &'s Assignment) {
        let value = std::slice::from_ref(&assignment.value);
        if runs_later(&assignment.name) {
            self.add(How::Environment, assignment.span, joined(value, &self.script.text));
        }
        if matches!(&*assignment.name, b"BASH_ALIASES" | b"BASH_CMDS") {
            self.add(How::Alias, assignment.span, None);
        }
        if holds_number(&assignment.name) {
            self.operand(&assignment.value);
        }
    }

    /// Operands that `[[ … ]]` evaluates.
    pub(super) fn term(&mut self, term: &'s Term) {
        let Some(operator) = &term.operator else { return };
        if COMPARE.contains(&&**operator) {
            for word in &term.operands {
                self.operand(word);
            }
        }
        if **operator == *b"-v" || **operator == *b"-R" {
            for word in &term.operands {
                if word.value().is_none_or(|text| text.contains(&b'[')) {
                    self.add_expression(word);
                }
            }
        }
    }

    /// A loop's variable or a descriptor's, which the shell sets itself.
    pub(super) fn set_by_shell(&mut self, word: &'s Word) {
        let Some(name) = word.pattern() else {
            self.add(How::Expression, word.span, None);
            return;
        };
        let name =
            name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}")).unwrap_or(&name);
        if name.contains(&b'[') || holds_number(name) {
            self.add(How::Expression, word.span, None);
        }
        if runs_later(name) {
            self.add(How::Environment, word.span, None);
        }
    }

    fn operand(&mut self, word: &'s Word) {
        let number =
            |text: &[u8]| text.iter().all(|byte| byte.is_ascii_digit() || b"-+ ".contains(byte));
        match word.value() {
            Some(text) if number(&text) => {}
            Some(_) => self.add_expression(word),
            None if word.parts.iter().all(|part| self.is_number(part)) => {}
            None => self.add(How::Variable, word.span, None),
        }
    }

    /// Whether the script shows that a name holds a number here.
    fn holds(&mut self, name: &[u8], at: usize) -> bool {
        let script = self.script;
        NUMBERS.contains(&name)
            || self.numbers.get_or_insert_with(|| Numbers::of(script)).holds(name, at)
    }

    fn is_number(&mut self, part: &Part) -> bool {
        match &part.kind {
            Piece::Parameter(parameter)
                if parameter.action == Action::Plain
                    && parameter.subscript.is_none()
                    && !parameter.indirect =>
            {
                is_number(&part.kind) || self.holds(&parameter.name, part.span.start)
            }
            Piece::Double(parts) => parts.iter().all(|part| self.is_number(part)),
            kind => is_number(kind),
        }
    }

    fn add_expression(&mut self, word: &'s Word) {
        let text = joined(std::slice::from_ref(word), &self.script.text);
        self.add(How::Expression, word.span, text);
    }

    /// `$((…))`, `((…))`
    pub(super) fn expression(&mut self, arith: &'s Arith) {
        self.evaluated_parts(&arith.parts, arith);
    }

    /// What stands between brackets: an expression, or a key.
    pub(super) fn subscript(&mut self, arith: &'s Arith) {
        for part in &arith.parts {
            if let Piece::Single(text) | Piece::Ansi(text) = &part.kind
                && text.iter().any(|byte| b"$`".contains(byte))
            {
                let one = std::slice::from_ref(part);
                let text = of_parts(one, &self.script.text, part.span.end);
                self.add(How::Expression, part.span, text);
            }
        }
        if !matches!(arith.span.of(&self.script.text), b"@" | b"*") {
            self.evaluated_parts(&arith.parts, arith);
        }
    }

    fn evaluated_parts(&mut self, parts: &'s [Part], arith: &'s Arith) {
        let named = parts.iter().any(|part| match &part.kind {
            Piece::Literal(text) => names(text).any(|name| !self.holds(name, part.span.start)),
            Piece::Escaped(_) | Piece::Single(_) | Piece::Ansi(_) => true,
            _ => !self.is_number(part),
        });
        if named {
            self.add(How::Variable, arith.span, None);
        }
    }

    pub(super) fn part(&mut self, part: &'s Part) {
        match &part.kind {
            Piece::Broken(_) => self.add(How::Broken, part.span, None),
            Piece::Substitution(inner) if inner.unreadable.is_some() => {
                self.add(How::Broken, part.span, None);
            }
            Piece::Process(inner) if inner.unreadable.is_some() => {
                self.add(How::Broken, part.span, None);
            }
            Piece::Parameter(parameter) => {
                if parameter.action == Action::Transform(b'P') {
                    self.add(How::Expanded, part.span, None);
                }
                let keys = parameter.subscript.as_ref().is_some_and(|subscript| {
                    matches!(subscript.span.of(&self.script.text), b"@" | b"*")
                });
                if parameter.indirect && !keys {
                    self.add(How::Expanded, part.span, None);
                }
                if parameter.action == Action::Slice {
                    let mut named = |part: &Part| match &part.kind {
                        Piece::Literal(text) => {
                            names(text).any(|name| !self.holds(name, part.span.start))
                        }
                        _ => !self.is_number(part),
                    };
                    if parameter.operand.iter().any(&mut named) {
                        self.add(How::Variable, part.span, None);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether shells run or expand the value of a variable.
pub(super) fn runs_later(name: &[u8]) -> bool {
    RUN_LATER.contains(&name)
}

/// Whether a variable always holds a number, so that what is assigned to it is evaluated.
pub(super) fn holds_number(name: &[u8]) -> bool {
    NUMBERS.contains(&name)
}

/// Whether a piece can only be a number.
pub(super) fn is_number(piece: &Piece) -> bool {
    match piece {
        Piece::Arith(_) => true,
        Piece::Literal(text) => text.iter().all(|byte| byte.is_ascii_digit()),
        Piece::Parameter(parameter) => {
            parameter.length
                || matches!(&*parameter.name, b"#" | b"?" | b"$" | b"!")
                || NUMBERS.contains(&&*parameter.name)
        }
        Piece::Double(parts) => parts.iter().all(|part| is_number(&part.kind)),
        _ => false,
    }
}

/// The names in an expression; digits of other bases are none.
fn names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .filter(|name| name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_'))
}
