//! Draws the tree for people.
//!
//! Control and invisible characters are shown as escapes, so that nothing in a text can change
//! what a terminal shows. Lines are cut to a width that fits.

use std::fmt::Write as _;

use crate::Span;
use crate::script::Script;
use crate::tree::{Command, Joint, Kind, List, Part, Piece, Pipeline, Redirect, Word};

/// Columns of one line.
const WIDTH: usize = 100;

/// Deeper than this the indentation stops growing, so that lines keep room for text.
const INDENTS: usize = 20;

/// Draws what was understood: one line a command, indented by nesting, with spans.
#[must_use]
pub fn draw(script: &Script) -> String {
    let mut drawing = Drawing { script, text: String::new(), depth: 0 };
    drawing.list(&script.body);
    for code in script.code() {
        let line = format!("becomes code ({:?})", code.how);
        drawing.line(&line, code.span);
    }
    for oddity in script.oddities() {
        let _ = writeln!(drawing.text, "odd: {oddity}");
    }
    if let Some(unreadable) = script.unreadable() {
        let _ = writeln!(drawing.text, "unreadable from byte {}: {unreadable}", unreadable.from);
    }
    drawing.text
}

struct Drawing<'s> {
    script: &'s Script,
    text: String,
    depth: usize,
}

impl Drawing<'_> {
    fn line(&mut self, label: &str, span: Span) {
        let indent = self.depth.min(INDENTS) * 2;
        let place = format!("{}..{}", span.start, span.end);
        let room = WIDTH.saturating_sub(indent + label.len() + place.len() + 4);
        let shown = visible(span.of(self.script.text()), room);
        let _ = writeln!(self.text, "{:indent$}{label} [{place}] {shown}", "");
    }

    fn nested(&mut self, label: &str, list: &List) {
        self.line(label, list.span);
        self.depth += 1;
        self.list(list);
        self.depth -= 1;
    }

    fn list(&mut self, list: &List) {
        for item in &list.items {
            self.pipeline(&item.pipeline);
            let joint = match item.joint {
                Joint::Sequence => continue,
                Joint::Background => "&",
                Joint::And => "&&",
                Joint::Or => "||",
            };
            let indent = self.depth.min(INDENTS) * 2;
            let _ = writeln!(self.text, "{:indent$}{joint}", "");
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let several = pipeline.stages.len() > 1 || pipeline.negated || pipeline.timed;
        if several {
            let label = match (pipeline.negated, pipeline.timed) {
                (false, false) => "pipeline",
                (true, false) => "! pipeline",
                (false, true) => "time pipeline",
                (true, true) => "! time pipeline",
            };
            self.line(label, pipeline.span);
            self.depth += 1;
        }
        for stage in &pipeline.stages {
            self.command(&stage.command);
        }
        self.depth -= usize::from(several);
    }

    fn command(&mut self, command: &Command) {
        self.line(kind_name(&command.kind), command.span);
        self.depth += 1;
        match &command.kind {
            Kind::Simple(simple) => {
                for assignment in &simple.assignments {
                    self.word("assigns", &assignment.value);
                }
                simple.words.iter().for_each(|word| self.word("word", word));
            }
            Kind::Subshell(list) | Kind::Group(list) => self.list(list),
            Kind::If(command) => {
                for branch in &command.branches {
                    self.nested("condition", &branch.condition);
                    self.nested("then", &branch.body);
                }
                command.otherwise.iter().for_each(|list| self.nested("else", list));
            }
            Kind::Loop(command) => {
                self.nested("condition", &command.condition);
                self.nested("body", &command.body);
            }
            Kind::For(command) => {
                let words = command.words.as_deref().unwrap_or_default();
                words.iter().for_each(|word| self.word("word", word));
                self.nested("body", &command.body);
            }
            Kind::ForArith(command) => {
                self.parts(&command.clauses.parts);
                self.nested("body", &command.body);
            }
            Kind::Case(command) => {
                self.word("word", &command.word);
                for arm in &command.arms {
                    arm.patterns.iter().for_each(|word| self.word("pattern", word));
                    self.nested("body", &arm.body);
                }
            }
            Kind::Test(command) => {
                let operands = command.terms.iter().flat_map(|term| &term.operands);
                operands.for_each(|word| self.word("operand", word));
            }
            Kind::Arith(arith) => self.parts(&arith.parts),
            Kind::Function(function) => self.command(&function.body),
            Kind::Coproc(coproc) => self.command(&coproc.body),
        }
        command.redirects.iter().for_each(|redirect| self.redirect(redirect));
        self.depth -= 1;
    }

    fn redirect(&mut self, redirect: &Redirect) {
        self.word("redirect", &redirect.target);
        if let Some(here) = self.script.here(redirect) {
            let label = if here.quoted { "here-document, quoted" } else { "here-document" };
            self.line(label, here.span);
            self.depth += 1;
            self.parts(&here.parts);
            self.depth -= 1;
        }
    }

    fn word(&mut self, label: &str, word: &Word) {
        let told = match word.value() {
            Some(value) if *value == *word.span.of(self.script.text()) => label.to_owned(),
            Some(value) => format!("{label} = {}", visible(&value, WIDTH / 3)),
            None => format!("{label}, not known before it runs:"),
        };
        self.line(&told, word.span);
        self.depth += 1;
        self.parts(&word.parts);
        self.depth -= 1;
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match &part.kind {
                Piece::Double(parts) | Piece::Locale(parts) | Piece::ExtGlob(_, parts) => {
                    self.parts(parts);
                }
                Piece::Substitution(inner) => self.nested("substitution", &inner.body),
                Piece::Process(inner) => self.nested("process substitution", &inner.body),
                Piece::Arith(arith) => {
                    self.line("expression", arith.span);
                    self.parts(&arith.parts);
                }
                Piece::Parameter(parameter) => {
                    self.line("parameter", part.span);
                    self.depth += 1;
                    parameter.subscript.iter().for_each(|inner| self.parts(&inner.parts));
                    self.parts(&parameter.operand);
                    self.depth -= 1;
                }
                Piece::Array(elements) => {
                    for element in elements {
                        element.subscript.iter().for_each(|inner| self.parts(&inner.parts));
                        self.word("element", &element.value);
                    }
                }
                Piece::Broken(error) => self.line(&format!("broken: {error}"), part.span),
                Piece::Literal(_) | Piece::Escaped(_) | Piece::Single(_) | Piece::Ansi(_) => {}
                Piece::Glob(_) | Piece::Brace(_) | Piece::Tilde(_) => {}
            }
        }
    }
}

fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Simple(_) => "command",
        Kind::Subshell(_) => "subshell",
        Kind::Group(_) => "group",
        Kind::If(_) => "if",
        Kind::Loop(command) if command.until => "until",
        Kind::Loop(_) => "while",
        Kind::For(command) if command.select => "select",
        Kind::For(_) | Kind::ForArith(_) => "for",
        Kind::Case(_) => "case",
        Kind::Test(_) => "test",
        Kind::Arith(_) => "arithmetic",
        Kind::Function(_) => "function",
        Kind::Coproc(_) => "coprocess",
    }
}

/// Bytes as text that shows everything, cut to `room` columns.
fn visible(bytes: &[u8], room: usize) -> String {
    let mut shown = String::new();
    let mut columns = 0;
    for chunk in bytes.utf8_chunks() {
        let pieces = chunk.valid().chars().map(escaped);
        let broken = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        for piece in pieces.chain(broken) {
            // Wide characters take two columns; counting all beyond ASCII so errs on the safe side.
            columns += if piece.is_ascii() { piece.len() } else { 2 };
            if columns > room {
                shown.push('…');
                return shown;
            }
            shown.push_str(&piece);
        }
    }
    shown
}

fn escaped(character: char) -> String {
    let plain = character == ' ' || !character.is_whitespace();
    if plain && !character.is_control() && !crate::note::is_invisible(character) {
        return character.to_string();
    }
    character.escape_default().to_string()
}
