//! `$x` and `${x…}`: what a variable holds, and what is made of it.
//!
//! Only what the text itself or the scene says is known; every other value is a hole.

use super::super::text::glob;
use super::super::word::{Becomes, Piece, Word};
use super::Walker;
use super::expand::{Field, Quoted};
use super::state::{From, Text, Value};
use ricasso_shell::tree::{self, Action, Arith, Parameter, Part};
use ricasso_shell::{Script, Span};
use std::rc::Rc;

/// Values that name values that name values: deeper ones are unknown.
pub(super) const MAX_INDIRECT: usize = 8;

/// What a parameter stands for.
enum Held {
    One(Text),
    Many(Vec<Text>),
    Unset,
    Unknown(From),
}

impl Walker<'_> {
    /// Adds what a parameter stands for.
    pub(super) fn parameter(
        &mut self,
        script: &Rc<Script>,
        span: Span,
        parameter: &Parameter,
        quoted: Quoted,
        fields: &mut Vec<Field>,
    ) {
        if let Some(subscript) = &parameter.subscript
            && !is_all(&subscript.parts)
        {
            self.arithmetic(script, subscript);
        }
        let held = self.held(script, parameter);
        let held = self.acted(script, span, parameter, held);
        match held {
            Held::One(text) => self.push_text(&text, quoted, fields),
            Held::Many(list) => self.push_list(&list, quoted, fields),
            Held::Unset => self.push_text(&Text::unknown(From::Here), quoted, fields),
            Held::Unknown(from) => {
                self.push_text(&Text::unknown(from), quoted, fields);
                if is_list_name(parameter) {
                    self.any_number(fields);
                }
            }
        }
    }

    /// The value of a variable as one text.
    pub(super) fn value_text(&mut self, name: &[u8]) -> Text {
        match self.value(name) {
            Value::One(text) => text,
            Value::Many(list) => list.into_iter().next().unwrap_or_default(),
            Value::Unset => Text::unknown(From::Here),
            Value::Unknown(from) => Text::unknown(from),
        }
    }

    /// The value of a variable: what the text said, then what the scene says.
    pub(super) fn value(&mut self, name: &[u8]) -> Value {
        if let Some(value) = self.state.variable(name) {
            return value.clone();
        }
        let name = &self.state.referred(name).to_vec()[..];
        match name {
            b"PWD" => return directory(&self.state.cwd),
            b"OLDPWD" => return directory(&self.state.before),
            b"IFS" => return Value::One(Text::of(" \t\n")),
            _ => {}
        }
        let given = self.environment.iter().rev().find(|(known, _)| known.as_slice() == name);
        if let Some((_, value)) = given {
            return Value::One(Text::of(value.as_slice()));
        }
        match self.look.variable(name) {
            Some(value) => Value::One(Text::of(value.as_slice())),
            None => Value::Unset,
        }
    }

    fn held(&mut self, script: &Rc<Script>, parameter: &Parameter) -> Held {
        let mut name = parameter.name.to_vec();
        if parameter.indirect {
            let Some(next) = self.value_text(&name).known() else {
                return Held::Unknown(From::Here);
            };
            self.evaluated(&next);
            name = next;
        }
        if parameter.length {
            return Held::Unknown(From::Here);
        }
        if let Some(held) = self.special(&name) {
            return held;
        }
        let value = self.value(&name);
        let subscript = match &parameter.subscript {
            Some(subscript) if is_all(&subscript.parts) => return all_of(value),
            Some(subscript) => {
                let text = self.text(script, &subscript.parts);
                Some(text.known().and_then(|text| parse(&text)))
            }
            None => None,
        };
        match (value, subscript) {
            (Value::One(text), None | Some(Some(0))) => Held::One(text),
            (Value::Many(list), None) => list.into_iter().next().map_or(Held::Unset, Held::One),
            (Value::Many(list), Some(Some(number))) => match list.get(number) {
                Some(text) => Held::One(text.clone()),
                None => Held::Unknown(From::Here),
            },
            (Value::Unset, None) => Held::Unset,
            (Value::Unknown(from), _) => Held::Unknown(from),
            (Value::One(_) | Value::Many(_) | Value::Unset, Some(_)) => Held::Unknown(From::Here),
        }
    }

    fn special(&self, name: &[u8]) -> Option<Held> {
        let parameters = self.state.parameters.as_deref();
        Some(match name {
            b"@" | b"*" => match parameters {
                Some(list) => Held::Many(list.clone()),
                None => Held::Unknown(From::Here),
            },
            b"0" => Held::One(self.state.own_name.clone()),
            b"#" | b"?" | b"$" | b"!" | b"-" | b"_" => Held::Unknown(From::Here),
            digits if digits.iter().all(u8::is_ascii_digit) => match (parse(digits), parameters) {
                (Some(number), Some(list)) => match list.get(number.wrapping_sub(1)) {
                    Some(text) => Held::One(text.clone()),
                    None => Held::Unset,
                },
                _ => Held::Unknown(From::Here),
            },
            _ => return None,
        })
    }

    fn acted(
        &mut self,
        script: &Rc<Script>,
        span: Span,
        parameter: &Parameter,
        held: Held,
    ) -> Held {
        let operator = operator(script, span, parameter);
        match parameter.action {
            Action::Plain => held,
            Action::Default | Action::Assign => {
                let other = self.text(script, &parameter.operand);
                let empty = operator.starts_with(b":");
                match held {
                    Held::One(text) if empty && text.known().is_some_and(|t| t.is_empty()) => {
                        Held::One(other)
                    }
                    Held::Unset => {
                        if parameter.action == Action::Assign {
                            self.state.set(&parameter.name, Value::One(other.clone()));
                        }
                        Held::One(other)
                    }
                    held => held,
                }
            }
            Action::Alternative => {
                let other = self.text(script, &parameter.operand);
                match held {
                    Held::One(_) | Held::Many(_) => Held::One(other),
                    Held::Unset | Held::Unknown(_) => Held::Unknown(other.from),
                }
            }
            Action::Demand => {
                self.text(script, &parameter.operand);
                if operator.starts_with(b":") { not_empty(held) } else { held }
            }
            Action::Trim | Action::Replace | Action::Letters | Action::Slice => {
                self.edited(script, parameter, &operator, held)
            }
            Action::Transform(letter) => self.transformed(letter, held),
            Action::Bad => Held::Unknown(From::Here),
            _ => Held::Unknown(From::Here),
        }
    }

    fn edited(
        &mut self,
        script: &Rc<Script>,
        parameter: &Parameter,
        operator: &[u8],
        held: Held,
    ) -> Held {
        let mut operand = self.text(script, &parameter.operand);
        // The second sign of a doubled operator is read as the beginning of its pattern.
        let first = parameter.operand.first().map(|part| part.span.start);
        let sign = first.and_then(|at| script.text().get(at)).copied();
        let doubled = parameter.action != Action::Slice
            && operator.len() == 1
            && sign.is_some_and(|sign| operator == [sign]);
        let operator = &if doubled { operator.repeat(2) } else { operator.to_vec() };
        if doubled {
            operand.pieces = Word::new(operand.pieces, Becomes::One).without(1).pieces().to_vec();
        }
        let each = |text: Text| -> Text {
            let (Some(value), Some(operand)) = (text.known(), operand.known()) else {
                return Text::unknown(text.from);
            };
            let made = match parameter.action {
                Action::Trim => Some(trimmed(&value, &operand, operator)),
                Action::Letters => letters(&value, &operand, operator),
                Action::Slice => sliced(&value, &operand),
                Action::Replace => replaced(&value, &operand, operator),
                _ => None,
            };
            made.map_or(Text::unknown(text.from), |bytes| Text {
                pieces: vec![Piece::Known(bytes)],
                from: text.from,
            })
        };
        match held {
            Held::One(text) => Held::One(each(text)),
            Held::Many(list) if parameter.action == Action::Slice => {
                let _ = list;
                Held::Unknown(From::Here)
            }
            Held::Many(list) => Held::Many(list.into_iter().map(each).collect()),
            held => held,
        }
    }

    fn transformed(&mut self, letter: u8, held: Held) -> Held {
        match (letter, held) {
            (b'P', Held::One(text)) => {
                match text.known() {
                    Some(text) => self.expanded_again(&text),
                    None => self.unknown_code(text.from),
                }
                Held::Unknown(text.from)
            }
            (b'P', Held::Unset) => Held::Unset,
            (b'P', Held::Many(_) | Held::Unknown(_)) => {
                self.unknown_code(From::Here);
                Held::Unknown(From::Here)
            }
            (b'U' | b'L' | b'u', Held::One(text)) => {
                let made = text.known().map(|bytes| match letter {
                    b'U' => bytes.to_ascii_uppercase(),
                    b'L' => bytes.to_ascii_lowercase(),
                    _ => first_upper(bytes),
                });
                Held::One(made.map_or(Text::unknown(text.from), Text::of))
            }
            (b'E', Held::One(text)) if text.known().is_some_and(|t| !t.contains(&b'\\')) => {
                Held::One(text)
            }
            (_, _) => Held::Unknown(From::Here),
        }
    }

    /// An expression: what expands in it runs, and so does what its names hold.
    pub(super) fn arithmetic(&mut self, script: &Rc<Script>, arith: &Arith) {
        let text = self.text(script, &arith.parts);
        for piece in &text.pieces {
            match piece {
                Piece::Known(bytes) | Piece::Glob(bytes) => self.names_in(bytes, MAX_INDIRECT),
                Piece::Unknown => {}
            }
        }
        if let Some(text) = text.known() {
            self.evaluated(&text);
        }
    }

    /// A text that is evaluated as an expression: substitutions in its subscripts run.
    pub(super) fn evaluated(&mut self, text: &[u8]) {
        if super::rename::is_table(text) {
            self.unknown_code(From::Here);
        }
        if !text.contains(&b'[') || !(holds(text, b"$(") || text.contains(&b'`')) {
            return;
        }
        let wrapped = [b"((".as_slice(), text, b"))"].concat();
        self.inner_text(&wrapped, super::Inner::Here);
    }

    pub(super) fn names_in(&mut self, text: &[u8], depth: usize) {
        if depth == 0 {
            return;
        }
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        for name in text.split(|byte| !word(byte)) {
            if name.first().is_none_or(u8::is_ascii_digit) {
                continue;
            }
            let Some(Value::One(value)) = self.state.variable(name).cloned() else { continue };
            if let Some(value) = value.known() {
                self.evaluated(&value);
                if value != text {
                    self.names_in(&value, depth - 1);
                }
            }
        }
    }

    /// A text that is expanded like a prompt or a here-document: substitutions in it run.
    pub(super) fn expanded_again(&mut self, text: &[u8]) {
        if !(text.contains(&b'$') || text.contains(&b'`')) {
            return;
        }
        let mut document = b": <<RICASSO_END_OF_VALUE\n".to_vec();
        document.extend_from_slice(text);
        document.extend_from_slice(b"\nRICASSO_END_OF_VALUE\n");
        self.inner_text(&document, super::Inner::Here);
    }
}

/// What `${x:?}` leaves: the shell stops where it is empty.
fn not_empty(held: Held) -> Held {
    let from = match held {
        Held::Unset => From::Here,
        Held::Unknown(from) => from,
        Held::One(_) | Held::Many(_) => return held,
    };
    Held::One(Text { pieces: vec![Piece::Unknown, Piece::Glob(b"?".to_vec())], from })
}

fn directory(cwd: &[std::path::PathBuf]) -> Value {
    match cwd {
        [one] => Value::One(Text::of(one.as_os_str().as_encoded_bytes().to_vec())),
        _ => Value::Unknown(From::Here),
    }
}

fn all_of(value: Value) -> Held {
    match value {
        Value::One(text) => Held::Many(vec![text]),
        Value::Many(list) => Held::Many(list),
        Value::Unset => Held::Unset,
        Value::Unknown(from) => Held::Unknown(from),
    }
}

pub(super) fn is_all(parts: &[Part]) -> bool {
    match parts {
        [Part { kind: tree::Piece::Literal(text), .. }] => matches!(&**text, b"@" | b"*"),
        [Part { kind: tree::Piece::Glob(byte), .. }] => *byte == b'*',
        _ => false,
    }
}

fn is_list_name(parameter: &Parameter) -> bool {
    matches!(&*parameter.name, b"@" | b"*")
        || parameter.subscript.as_ref().is_some_and(|subscript| is_all(&subscript.parts))
}

/// The operator as written.
fn operator(script: &Script, span: Span, parameter: &Parameter) -> Vec<u8> {
    let marks = usize::from(parameter.indirect) + usize::from(parameter.length);
    let name_end = span.start + 2 + marks + parameter.name.len();
    let start = parameter.subscript.as_ref().map_or(name_end, |it| it.span.end + 1);
    let end = parameter.operand.first().map_or(span.end.saturating_sub(1), |it| it.span.start);
    Span::new(start, end).of(script.text()).to_vec()
}

fn parse(text: &[u8]) -> Option<usize> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn first_upper(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(first) = bytes.first_mut() {
        first.make_ascii_uppercase();
    }
    bytes
}

fn trimmed(value: &[u8], pattern: &[u8], operator: &[u8]) -> Vec<u8> {
    if !super::super::text::glob_is_good(pattern) {
        return value.to_vec();
    }
    let ends: Vec<usize> = (0..=value.len()).collect();
    let found = match operator {
        b"#" => ends.iter().find(|end| glob(pattern, &value[..**end])).map(|end| &value[*end..]),
        b"##" => {
            ends.iter().rev().find(|end| glob(pattern, &value[..**end])).map(|end| &value[*end..])
        }
        b"%" => ends.iter().rev().find(|at| glob(pattern, &value[**at..])).map(|at| &value[..*at]),
        b"%%" => ends.iter().find(|at| glob(pattern, &value[**at..])).map(|at| &value[..*at]),
        _ => None,
    };
    found.unwrap_or(value).to_vec()
}

fn letters(value: &[u8], pattern: &[u8], operator: &[u8]) -> Option<Vec<u8>> {
    if !pattern.is_empty() {
        return None;
    }
    let mut made = value.to_vec();
    match operator {
        b"^^" => made.make_ascii_uppercase(),
        b",," => made.make_ascii_lowercase(),
        b"^" => made = first_upper(made),
        b"," => {
            if let Some(first) = made.first_mut() {
                first.make_ascii_lowercase();
            }
        }
        _ => return None,
    }
    Some(made)
}

fn sliced(value: &[u8], operand: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(operand).ok()?;
    let mut numbers = text.splitn(2, ':').map(|part| part.trim().parse::<i64>());
    let start = numbers.next()?.ok()?;
    let length = i64::try_from(value.len()).ok()?;
    let start = if start < 0 { (length + start).max(0) } else { start.min(length) };
    let end = match numbers.next() {
        None => length,
        Some(count) => {
            let count = count.ok()?;
            if count < 0 { length + count } else { (start + count).min(length) }
        }
    };
    let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
    value.get(range).map(<[u8]>::to_vec)
}

fn replaced(value: &[u8], operand: &[u8], operator: &[u8]) -> Option<Vec<u8>> {
    let cut = operand.iter().position(|byte| *byte == b'/');
    let (pattern, new) = match cut {
        Some(at) => (&operand[..at], &operand[at + 1..]),
        None => (operand, &[][..]),
    };
    if pattern.is_empty() || pattern.iter().any(|byte| b"*?[\\".contains(byte)) {
        return None;
    }
    let mut made = Vec::new();
    let mut rest = value;
    let mut count = 0;
    while let Some(at) = rest.windows(pattern.len()).position(|window| window == pattern) {
        made.extend_from_slice(&rest[..at]);
        made.extend_from_slice(new);
        rest = &rest[at + pattern.len()..];
        count += 1;
        match operator {
            b"/" if count == 1 => break,
            b"//" => {}
            b"/" => {}
            _ => return None,
        }
    }
    made.extend_from_slice(rest);
    Some(made)
}
