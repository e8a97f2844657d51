//! The tree: what a text is made of, every piece with its span.
//!
//! Plain values without behaviour; nothing here may expand, run or open anything. Nesting is
//! bounded by `limit::DEPTH`, so that dropping a tree cannot overflow the stack.

mod word;

pub use word::{Action, Brace, Form, Parameter, Part, Piece, Process, Substitution, Word};

use crate::span::Span;

/// Pipelines that follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// From the first command to the last.
    pub span: Span,
    /// In the order of the text.
    pub items: Vec<Item>,
}

/// A pipeline and how it is tied to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What runs.
    pub pipeline: Pipeline,
    /// What stands behind it.
    pub joint: Joint,
}

/// What stands behind a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `;`, a newline, or the end of the list.
    Sequence,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by pipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// From the first word, `!` and `time` included, to the end of the last command.
    pub span: Span,
    /// Whether `!` turns its ending round.
    pub negated: bool,
    /// Whether `time` stands before it.
    pub timed: bool,
    /// In the order of the text; empty for a bare `!` or `time`.
    pub stages: Vec<Stage>,
}

/// A command and the pipe behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What runs.
    pub command: Command,
    /// The pipe that leads to the next stage.
    pub pipe: Option<Pipe>,
}

/// The two pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// `|`
    Output,
    /// `|&`
    Both,
}

/// A command of any kind with its redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Redirections included.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
    /// In the order of the text.
    pub redirects: Vec<Redirect>,
}

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Assignments and words.
    Simple(Simple),
    /// `( … )`
    Subshell(List),
    /// `{ …; }`
    Group(List),
    /// `if`
    If(Box<If>),
    /// `while` and `until`
    Loop(Box<Loop>),
    /// `for NAME` and `select NAME`
    For(Box<For>),
    /// `for (( … ))`
    ForArith(Box<ForArith>),
    /// `case`
    Case(Box<Case>),
    /// `[[ … ]]`
    Test(Box<Test>),
    /// `(( … ))`
    Arith(Box<Arith>),
    /// A function definition.
    Function(Box<Function>),
    /// `coproc`
    Coproc(Box<Coproc>),
}

/// Assignments and words; at least one of the two, or a redirection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// The assignments before the name.
    pub assignments: Vec<Assignment>,
    /// The name and its arguments; empty when nothing is started.
    pub words: Vec<Word>,
}

/// `if`, each `elif`, and `else`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct If {
    /// Conditions with what they guard.
    pub branches: Vec<Branch>,
    /// What stands behind `else`.
    pub otherwise: Option<List>,
}

/// A condition and what it guards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Behind `if` or `elif`.
    pub condition: List,
    /// Behind `then`.
    pub body: List,
}

/// `while` and `until`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// Whether it is `until`.
    pub until: bool,
    /// Runs before each round.
    pub condition: List,
    /// Each round.
    pub body: List,
}

/// `for NAME` and `select NAME`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct For {
    /// Whether it is `select`.
    pub select: bool,
    /// The variable.
    pub name: Word,
    /// Behind `in`; absent when the loop goes over the positional parameters.
    pub words: Option<Vec<Word>>,
    /// Each round.
    pub body: List,
}

/// `for (( … ))`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForArith {
    /// The three expressions with their semicolons.
    pub clauses: Arith,
    /// Each round.
    pub body: List,
}

/// `case`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// What is compared.
    pub word: Word,
    /// In the order of the text.
    pub arms: Vec<Arm>,
}

/// One clause of a `case`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// Before the parenthesis.
    pub patterns: Vec<Word>,
    /// Behind it; may be empty.
    pub body: List,
}

/// `[[ … ]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Every operand in the order of the text, however `&&`, `||`, `!` and parentheses tie them.
    pub terms: Vec<Term>,
}

/// One condition of a `[[ … ]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// The operator as written; absent for a lone word.
    pub operator: Option<Box<[u8]>>,
    /// The operands: one, or two for a binary operator.
    pub operands: Vec<Word>,
}

/// An arithmetic text: not split into operators, since only what expands in it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arith {
    /// The expression without its brackets.
    pub span: Span,
    /// Its literal text and what expands in it.
    pub parts: Vec<Part>,
}

/// A function definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: Word,
    /// What a call runs.
    pub body: Command,
}

/// `coproc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coproc {
    /// Its name, where one is given.
    pub name: Option<Word>,
    /// What runs beside us.
    pub body: Command,
}

/// `NAME=value`, `NAME+=value`, `NAME[index]=value`, `NAME=( … )`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// From the name to the end of the value.
    pub span: Span,
    /// The variable.
    pub name: Box<[u8]>,
    /// What stands between brackets.
    pub subscript: Option<Arith>,
    /// Whether it is `+=`.
    pub append: bool,
    /// What stands behind the equals sign. An array is one part of the kind `Array`.
    pub value: Word,
}

/// One element of `( … )` in an assignment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// What stands between brackets, in `[index]=value`.
    pub subscript: Option<Arith>,
    /// The value.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirect {
    /// Descriptor, operator and target.
    pub span: Span,
    /// The descriptor before the operator.
    pub fd: Fd,
    /// The operator.
    pub operator: Operator,
    /// What stands behind the operator; for a here-document its delimiter.
    pub target: Word,
    /// The body of a here-document, to be asked for with `Script::here`.
    pub here: Option<HereId>,
}

/// The descriptor before a redirection operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fd {
    /// None is written: the operator's own.
    #[default]
    Usual,
    /// A number.
    Number(u32),
    /// `{name}`: the shell picks one and sets the variable. The word has its braces.
    Named(Word),
}

/// The redirection operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// `<`
    #[default]
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateIn,
    /// `>&`
    DuplicateOut,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// Names the body of one here-document of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HereId(pub(crate) u32);

/// The body of a here-document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The lines, without the one that ends it.
    pub span: Span,
    /// Whether the delimiter was quoted, so that nothing in the body expands.
    pub quoted: bool,
    /// Literal text and what expands in it.
    pub parts: Vec<Part>,
}
