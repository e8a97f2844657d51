//! What is known while a text is walked: directory, variables, functions, what it made.
//!
//! Everything is a superset: where two ways meet, what they disagree on is unknown.

use super::super::paths::Made;
use super::super::word::Piece;
use super::stream::Stream;
use ricasso_shell::Script;
use ricasso_shell::tree::Command;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

/// A text that sets more variables than this is no longer followed: all of them are unknown.
const MAX_VARIABLES: usize = 1024;

/// A value longer than this is not kept: doubling a variable in a loop must not cost memory.
pub(super) const MAX_VALUE: usize = 64 << 10;

/// Names that stand for names that stand for names: bash itself gives up on a circle.
const MAX_REFERENCES: usize = 8;

/// Directories that a command may run in, where several ways lead to it.
const MAX_DIRECTORIES: usize = 4;

/// Where a text comes from, beyond what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum From {
    /// The text that is judged, or a program's own output.
    #[default]
    Here,
    /// A program that prints lines for the shell to evaluate, and nothing else.
    Tool,
    /// The numbers of all processes, or of the one that all others need.
    Processes,
    /// Something that came over the network.
    Network,
}

impl From {
    /// Of two parts behind one another: what a tool prints is that only where it stands alone.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (From::Network, _) | (_, From::Network) => From::Network,
            (From::Processes, _) | (_, From::Processes) => From::Processes,
            (From::Here | From::Tool, From::Here | From::Tool) => From::Here,
        }
    }
}

/// A text as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text {
    pub(super) pieces: Vec<Piece>,
    pub(super) from: From,
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// One text.
    One(Text),
    /// The elements of an array, in order.
    Many(Vec<Text>),
    /// Not set, as far as anybody said.
    Unset,
    /// Anything.
    Unknown(From),
}

/// A function that the text defines.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) script: Rc<Script>,
    pub(super) body: Rc<Command>,
    pub(super) frame: Frame,
    /// Whether the name means this function and nothing else.
    pub(super) sure: bool,
}

/// How offsets of a text that is read lead back to the text as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// They are moved by this much.
    Moved(usize),
    /// Everything stands for this one place.
    At([usize; 2]),
}

/// The state of the shell.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Directories that it may be in; empty where nobody knows.
    pub(super) cwd: Vec<PathBuf>,
    /// Where it was before; empty where nobody knows.
    pub(super) before: Vec<PathBuf>,
    /// Where `popd` leads.
    pub(super) stack: Vec<Vec<PathBuf>>,
    variables: Rc<BTreeMap<Vec<u8>, Value>>,
    /// Names that stand for other variables: `declare -n`.
    references: Rc<BTreeMap<Vec<u8>, Vec<u8>>>,
    /// Whether variables that are not listed may hold anything.
    pub(super) forgotten: bool,
    pub(super) exported: Rc<BTreeSet<Vec<u8>>>,
    /// Positional parameters; `None` where nobody knows them.
    pub(super) parameters: Option<Rc<Vec<Text>>>,
    /// `$0`.
    pub(super) own_name: Text,
    pub(super) functions: Rc<BTreeMap<Vec<u8>, Vec<Function>>>,
    pub(super) aliases: Rc<BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    pub(super) made: Rc<Made>,
    pub(super) descriptors: Rc<BTreeMap<u32, Descriptor>>,
}

/// What lies behind a number that the text itself opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Descriptor {
    /// This is read from it.
    Input(Stream),
    /// What is written to it goes into these files.
    Output(Vec<PathBuf>),
}

impl Text {
    /// A text whose every byte is known.
    pub(super) fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![Piece::Known(bytes.into())], from: From::Here }
    }

    /// A text of which nothing is known.
    pub(super) fn unknown(from: From) -> Self {
        Self { pieces: vec![Piece::Unknown], from }
    }

    /// The bytes, where all are known.
    pub(super) fn known(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Known(more) | Piece::Glob(more) => bytes.extend_from_slice(more),
                Piece::Unknown => return None,
            }
        }
        Some(bytes)
    }

    /// Both, one behind the other.
    pub(super) fn then(&mut self, other: &Text) {
        let length: usize = self.pieces.iter().chain(&other.pieces).map(length).sum();
        self.from = if self.pieces.is_empty() { other.from } else { self.from.and(other.from) };
        if length > MAX_VALUE {
            self.pieces = vec![Piece::Unknown];
            return;
        }
        self.pieces.extend(other.pieces.iter().cloned());
    }
}

fn length(piece: &Piece) -> usize {
    match piece {
        Piece::Known(bytes) | Piece::Glob(bytes) => bytes.len(),
        Piece::Unknown => 1,
    }
}

impl Frame {
    /// The place of a span in the text as sent.
    pub(super) fn place(self, span: ricasso_shell::Span) -> [usize; 2] {
        match self {
            Frame::Moved(by) => [span.start + by, span.end + by],
            Frame::At(place) => place,
        }
    }
}

impl State {
    /// The state in which a text starts.
    pub(super) fn new(cwd: Vec<PathBuf>, own_name: &str) -> Self {
        Self {
            cwd,
            before: Vec::new(),
            stack: Vec::new(),
            variables: Rc::default(),
            references: Rc::default(),
            forgotten: false,
            exported: Rc::default(),
            parameters: Some(Rc::default()),
            own_name: Text::of(own_name),
            functions: Rc::default(),
            aliases: Rc::default(),
            made: Rc::default(),
            descriptors: Rc::default(),
        }
    }

    /// From now on a name stands for another variable.
    pub(super) fn refer(&mut self, name: &[u8], to: &[u8]) {
        Rc::make_mut(&mut self.references).insert(name.to_vec(), to.to_vec());
    }

    /// The variable that a name stands for.
    pub(super) fn referred<'a>(&'a self, name: &'a [u8]) -> &'a [u8] {
        let mut name = name;
        for _ in 0..MAX_REFERENCES {
            match self.references.get(name) {
                Some(next) => name = next,
                None => break,
            }
        }
        name
    }

    /// What the text itself put into a variable.
    pub(super) fn variable(&self, name: &[u8]) -> Option<&Value> {
        match self.variables.get(self.referred(name)) {
            Some(value) => Some(value),
            None if self.forgotten => Some(&Value::Unknown(From::Here)),
            None => None,
        }
    }

    /// The variables that the text has set.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.variables.keys().map(Vec::as_slice)
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &[u8], value: Value) {
        if self.variables.len() >= MAX_VARIABLES {
            self.forget();
            return;
        }
        let name = self.referred(name).to_vec();
        Rc::make_mut(&mut self.variables).insert(name, value);
    }

    /// From here on any variable may hold anything.
    pub(super) fn forget(&mut self) {
        self.variables = Rc::default();
        self.forgotten = true;
        self.parameters = None;
    }

    /// The state after one of two ways.
    pub(super) fn join(&mut self, other: &State) {
        join_directories(&mut self.cwd, &other.cwd);
        join_directories(&mut self.before, &other.before);
        if self.stack != other.stack {
            self.stack.clear();
        }
        if !Rc::ptr_eq(&self.variables, &other.variables) && self.variables != other.variables {
            self.join_variables(other);
        }
        self.forgotten |= other.forgotten;
        if self.references != other.references {
            let mut references = (*self.references).clone();
            references.extend(other.references.iter().map(|(name, to)| (name.clone(), to.clone())));
            self.references = Rc::new(references);
        }
        if self.parameters != other.parameters {
            self.parameters = None;
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            self.join_functions(other);
        }
        if self.aliases != other.aliases {
            let mut aliases = (*self.aliases).clone();
            aliases.extend(other.aliases.iter().map(|(name, value)| (name.clone(), value.clone())));
            self.aliases = Rc::new(aliases);
        }
        if self.exported != other.exported {
            self.exported = Rc::new(self.exported.union(&other.exported).cloned().collect());
        }
        if self.descriptors != other.descriptors {
            let mut open = (*self.descriptors).clone();
            open.extend(other.descriptors.iter().map(|(number, it)| (*number, it.clone())));
            self.descriptors = Rc::new(open);
        }
        self.join_made(other);
    }

    /// Files that a branch made exist afterwards too.
    pub(super) fn join_made(&mut self, other: &State) {
        if !Rc::ptr_eq(&self.made, &other.made) && self.made != other.made {
            let mut made = (*self.made).clone();
            made.add(&other.made);
            self.made = Rc::new(made);
        }
    }

    /// What a process that ran for certain made, beside what was there.
    pub(super) fn keep_made(&mut self, inside: &State) {
        self.join_made(inside);
        if !self.made.same_born(&inside.made) {
            Rc::make_mut(&mut self.made).take_born(&inside.made);
        }
    }

    fn join_variables(&mut self, other: &State) {
        let mut joined = BTreeMap::new();
        let names: BTreeSet<&Vec<u8>> =
            self.variables.keys().chain(other.variables.keys()).collect();
        for name in names {
            let value = match (self.variable(name), other.variable(name)) {
                (Some(one), Some(two)) if one == two => one.clone(),
                (one, two) => Value::Unknown(from(one).max(from(two))),
            };
            joined.insert(name.clone(), value);
        }
        self.variables = Rc::new(joined);
    }

    fn join_functions(&mut self, other: &State) {
        let mut functions = (*self.functions).clone();
        for (name, bodies) in &mut functions {
            if !other.functions.contains_key(name) {
                bodies.iter_mut().for_each(|body| body.sure = false);
            }
        }
        for (name, bodies) in other.functions.iter() {
            let both = self.functions.contains_key(name);
            let own = functions.entry(name.clone()).or_default();
            for body in bodies {
                if !own.iter().any(|known| Rc::ptr_eq(&known.body, &body.body)) {
                    own.push(Function { sure: body.sure && both, ..body.clone() });
                }
            }
        }
        self.functions = Rc::new(functions);
    }

    /// Whether a second round through a loop could see anything that the first did not.
    pub(super) fn same(&self, other: &State) -> bool {
        self.cwd == other.cwd
            && self.before == other.before
            && self.forgotten == other.forgotten
            && self.parameters == other.parameters
            && self.variables == other.variables
            && self.made == other.made
    }
}

impl State {
    /// Whether a call here finds all that a call there found: what names mean as well.
    pub(super) fn same_names(&self, other: &State) -> bool {
        Rc::ptr_eq(&self.functions, &other.functions)
            && self.aliases == other.aliases
            && self.references == other.references
            && self.descriptors == other.descriptors
            && self.same(other)
    }
}

fn from(value: Option<&Value>) -> From {
    match value {
        Some(Value::One(text)) => text.from,
        Some(Value::Many(texts)) => texts.iter().map(|text| text.from).max().unwrap_or_default(),
        Some(Value::Unknown(from)) => *from,
        Some(Value::Unset) | None => From::Here,
    }
}

fn join_directories(own: &mut Vec<PathBuf>, other: &[PathBuf]) {
    if own.is_empty() || other.is_empty() {
        own.clear();
        return;
    }
    for directory in other {
        if !own.contains(directory) {
            own.push(directory.clone());
        }
    }
    if own.len() > MAX_DIRECTORIES {
        own.clear();
    }
}
