//! Walks a whole tree and names the way that leads to each place.
//!
//! Here is the one list of where things can hide. Whatever the tree can hold is visited; the
//! walk decides nothing about it.

use crate::script::Script;
use crate::tree::{
    Arith, Assignment, Command, Fd, Form, Item, Joint, Kind, List, Part, Piece, Pipeline, Redirect,
    Term, Word,
};

/// One step of the way that leads to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// One of several commands joined by pipes.
    Pipeline,
    /// Behind `&&` or `||`.
    Conditional,
    /// Before `&`.
    Background,
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Group,
    /// The condition of `if`, `elif`, `while`, `until`.
    Condition,
    /// A branch of `if`.
    Branch,
    /// The body of a loop.
    LoopBody,
    /// The body of a clause of `case`.
    CaseBody,
    /// The body of a function: runs when the function is called.
    Function,
    /// The body of a coprocess.
    Coproc,
    /// A word of a command.
    Argument,
    /// The value of an assignment.
    Assignment,
    /// An element of an array.
    Element,
    /// Between the brackets of an array.
    Subscript,
    /// The target of a redirection, or the variable of its descriptor.
    Redirect,
    /// The body of a here-document.
    HereDocument,
    /// The word of a here-string.
    HereString,
    /// The words that a loop goes over.
    LoopWords,
    /// The word or a pattern of `case`.
    CasePattern,
    /// An operand of `[[ … ]]`.
    Test,
    /// An expression.
    Arithmetic,
    /// Inside double quotes.
    Quotes,
    /// Behind the operator of `${…}`.
    Parameter,
    /// Inside an extended pattern.
    Pattern,
    /// `$(…)`
    Substitution,
    /// Backticks.
    Backticks,
    /// `${ …; }`
    BraceSubstitution,
    /// `<(…)`
    ProcessInput,
    /// `>(…)`
    ProcessOutput,
}

/// What is met on the walk, before what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'s> {
    Pipeline(&'s Pipeline),
    Command(&'s Command),
    Redirect(&'s Redirect),
    Assignment(&'s Assignment),
    Term(&'s Term),
    Part(&'s Part),
    Arith(&'s Arith),
    Subscript(&'s Arith),
}

/// Visits everything; `see` gets each event with the way that leads there.
pub(crate) fn walk<'s>(script: &'s Script, see: &mut dyn FnMut(Event<'s>, &[Place])) {
    let mut walk = Walk { script, path: Vec::new(), see };
    walk.list(&script.body);
}

struct Walk<'s, 'v> {
    script: &'s Script,
    path: Vec<Place>,
    see: &'v mut dyn FnMut(Event<'s>, &[Place]),
}

impl<'s> Walk<'s, '_> {
    fn at(&mut self, place: Place, visit: impl FnOnce(&mut Self)) {
        self.path.push(place);
        visit(self);
        self.path.pop();
    }

    fn tell(&mut self, event: Event<'s>) {
        (self.see)(event, &self.path);
    }

    fn list(&mut self, list: &'s List) {
        let mut conditional = false;
        for item in &list.items {
            let depth = self.path.len();
            if conditional {
                self.path.push(Place::Conditional);
            }
            if item.joint == Joint::Background {
                self.path.push(Place::Background);
            }
            self.item(item);
            self.path.truncate(depth);
            conditional = matches!(item.joint, Joint::And | Joint::Or);
        }
    }

    fn item(&mut self, item: &'s Item) {
        let pipeline = &item.pipeline;
        self.tell(Event::Pipeline(pipeline));
        if pipeline.stages.len() > 1 {
            self.path.push(Place::Pipeline);
        }
        for stage in &pipeline.stages {
            self.command(&stage.command);
        }
        if pipeline.stages.len() > 1 {
            self.path.pop();
        }
    }

    fn command(&mut self, command: &'s Command) {
        self.tell(Event::Command(command));
        match &command.kind {
            Kind::Simple(simple) => {
                for assignment in &simple.assignments {
                    self.assignment(assignment);
                }
                self.words(&simple.words, Place::Argument);
            }
            Kind::Subshell(list) => self.at(Place::Subshell, |walk| walk.list(list)),
            Kind::Group(list) => self.at(Place::Group, |walk| walk.list(list)),
            Kind::Function(function) => {
                self.word(&function.name);
                self.at(Place::Function, |walk| walk.command(&function.body));
            }
            Kind::Coproc(coproc) => {
                if let Some(name) = &coproc.name {
                    self.word(name);
                }
                self.at(Place::Coproc, |walk| walk.command(&coproc.body));
            }
            kind => self.compound(kind),
        }
        for redirect in &command.redirects {
            self.redirect(redirect);
        }
    }

    fn compound(&mut self, kind: &'s Kind) {
        match kind {
            Kind::If(command) => {
                for branch in &command.branches {
                    self.at(Place::Condition, |walk| walk.list(&branch.condition));
                    self.at(Place::Branch, |walk| walk.list(&branch.body));
                }
                if let Some(list) = &command.otherwise {
                    self.at(Place::Branch, |walk| walk.list(list));
                }
            }
            Kind::Loop(command) => {
                self.at(Place::Condition, |walk| walk.list(&command.condition));
                self.at(Place::LoopBody, |walk| walk.list(&command.body));
            }
            Kind::For(command) => {
                self.word(&command.name);
                self.words(command.words.as_deref().unwrap_or_default(), Place::LoopWords);
                self.at(Place::LoopBody, |walk| walk.list(&command.body));
            }
            Kind::ForArith(command) => {
                self.arith(&command.clauses);
                self.at(Place::LoopBody, |walk| walk.list(&command.body));
            }
            Kind::Case(command) => {
                self.at(Place::CasePattern, |walk| walk.word(&command.word));
                for arm in &command.arms {
                    self.words(&arm.patterns, Place::CasePattern);
                    self.at(Place::CaseBody, |walk| walk.list(&arm.body));
                }
            }
            Kind::Test(command) => {
                for term in &command.terms {
                    self.tell(Event::Term(term));
                    self.words(&term.operands, Place::Test);
                }
            }
            Kind::Arith(arith) => self.arith(arith),
            Kind::Simple(_) | Kind::Subshell(_) | Kind::Group(_) => {}
            Kind::Function(_) | Kind::Coproc(_) => {}
        }
    }

    fn assignment(&mut self, assignment: &'s Assignment) {
        self.tell(Event::Assignment(assignment));
        self.path.push(Place::Assignment);
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        self.word(&assignment.value);
        self.path.pop();
    }

    fn redirect(&mut self, redirect: &'s Redirect) {
        self.tell(Event::Redirect(redirect));
        if let Fd::Named(word) = &redirect.fd {
            self.at(Place::Redirect, |walk| walk.word(word));
        }
        match self.script.here(redirect) {
            Some(here) => self.at(Place::HereDocument, |walk| walk.parts(&here.parts)),
            None if redirect.operator == crate::tree::Operator::HereString => {
                self.at(Place::HereString, |walk| walk.word(&redirect.target));
            }
            None => self.at(Place::Redirect, |walk| walk.word(&redirect.target)),
        }
    }

    fn words(&mut self, words: &'s [Word], place: Place) {
        self.path.push(place);
        for word in words {
            self.word(word);
        }
        self.path.pop();
    }

    fn word(&mut self, word: &'s Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &'s [Part]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &'s Part) {
        self.tell(Event::Part(part));
        match &part.kind {
            Piece::Double(parts) | Piece::Locale(parts) => {
                self.at(Place::Quotes, |walk| walk.parts(parts));
            }
            Piece::ExtGlob(_, parts) => self.at(Place::Pattern, |walk| walk.parts(parts)),
            Piece::Parameter(parameter) => {
                if let Some(subscript) = &parameter.subscript {
                    self.subscript(subscript);
                }
                if parameter.action == crate::tree::Action::Slice {
                    self.expression(&parameter.operand);
                } else {
                    self.at(Place::Parameter, |walk| walk.parts(&parameter.operand));
                }
            }
            Piece::Substitution(substitution) => {
                let place = match substitution.form {
                    Form::Paren => Place::Substitution,
                    Form::Backtick => Place::Backticks,
                    Form::Brace => Place::BraceSubstitution,
                };
                self.at(place, |walk| walk.list(&substitution.body));
            }
            Piece::Arith(arith) => self.arith(arith),
            Piece::Process(process) => {
                let place = if process.input { Place::ProcessInput } else { Place::ProcessOutput };
                self.at(place, |walk| walk.list(&process.body));
            }
            Piece::Array(elements) => {
                self.path.push(Place::Element);
                for element in elements {
                    if let Some(subscript) = &element.subscript {
                        self.subscript(subscript);
                    }
                    self.word(&element.value);
                }
                self.path.pop();
            }
            Piece::Literal(_) | Piece::Escaped(_) | Piece::Single(_) | Piece::Ansi(_) => {}
            Piece::Glob(_) | Piece::Brace(_) | Piece::Tilde(_) | Piece::Broken(_) => {}
        }
    }

    fn arith(&mut self, arith: &'s Arith) {
        self.tell(Event::Arith(arith));
        self.expression(&arith.parts);
    }

    fn expression(&mut self, parts: &'s [Part]) {
        self.at(Place::Arithmetic, |walk| walk.parts(parts));
    }

    fn subscript(&mut self, arith: &'s Arith) {
        self.tell(Event::Subscript(arith));
        self.at(Place::Subscript, |walk| walk.parts(&arith.parts));
    }
}
