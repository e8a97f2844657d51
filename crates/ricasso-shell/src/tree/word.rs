//! Words and what they are made of.
//!
//! Plain values like the rest of the tree.

use super::List;
use crate::error::Unreadable;
use crate::span::Span;
use crate::tree::{Arith, Element};

/// A word with all that it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Quotes included.
    pub span: Span,
    /// In the order of the text; empty for a word such as `''` has a part with no bytes.
    pub parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Quotes and brackets included.
    pub span: Span,
    /// What it is.
    pub kind: Piece,
}

/// What a piece of a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Bytes that stand for themselves.
    Literal(Box<[u8]>),
    /// A backslash and the byte behind it.
    Escaped(u8),
    /// `'…'`
    Single(Box<[u8]>),
    /// `$'…'`, decoded.
    Ansi(Box<[u8]>),
    /// `"…"`
    Double(Vec<Part>),
    /// `$"…"`: translated by the shell, so its bytes are known only without a catalogue.
    Locale(Vec<Part>),
    /// `$name` and `${…}`
    Parameter(Box<Parameter>),
    /// `$(…)`, backticks, `${ …; }`
    Substitution(Box<Substitution>),
    /// `$((…))` and `$[…]`
    Arith(Box<Arith>),
    /// `<(…)` and `>(…)`
    Process(Box<Process>),
    /// `*`, `?`, or a bracket that opens a set.
    Glob(u8),
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`
    ExtGlob(u8, Vec<Part>),
    /// A brace, comma or `..` of a brace expansion.
    Brace(Brace),
    /// `~`, `~name` at a place where it expands.
    Tilde(Box<[u8]>),
    /// `( … )` of an array assignment.
    Array(Vec<Element>),
    /// The shell meets an error here when it expands the word; from here on to the end of the
    /// span nothing is understood.
    Broken(Unreadable),
}

/// The marks of a brace expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brace {
    /// `{`
    Open,
    /// `,` between alternatives
    Comma,
    /// `..` between the ends of a sequence
    Range,
    /// `}`
    Close,
}

/// `$name` and `${…}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, number or special character.
    pub name: Box<[u8]>,
    /// `${!name…}`: the value names what is meant.
    pub indirect: bool,
    /// `${#name}`
    pub length: bool,
    /// What stands between brackets.
    pub subscript: Option<Arith>,
    /// What is done with the value.
    pub action: Action,
    /// The text behind the operator.
    pub operand: Vec<Part>,
}

/// What is done with the value of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Nothing.
    #[default]
    Plain,
    /// `-`, `:-`
    Default,
    /// `=`, `:=`
    Assign,
    /// `?`, `:?`
    Demand,
    /// `+`, `:+`
    Alternative,
    /// `#`, `##`, `%`, `%%`
    Trim,
    /// `/`, `//`, `/#`, `/%`
    Replace,
    /// `^`, `^^`, `,`, `,,`, `~`, `~~`
    Letters,
    /// `:offset:length`
    Slice,
    /// `@Q` and its kin, with the letter.
    Transform(u8),
    /// Something that the shell calls a bad substitution.
    Bad,
}

/// A command substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    /// How it is written.
    pub form: Form,
    /// What runs.
    pub body: List,
    /// Where the body cannot be read; only forms that the shell reads late can have it.
    pub unreadable: Option<Unreadable>,
}

/// How a command substitution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `$(…)`
    Paren,
    /// Backticks.
    Backtick,
    /// `${ …; }` and `${| …; }`, which newer shells have.
    Brace,
}

/// `<(…)` and `>(…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Whether it is `<(…)`, whose output is read.
    pub input: bool,
    /// What runs.
    pub body: List,
    /// Where the body cannot be read.
    pub unreadable: Option<Unreadable>,
}
