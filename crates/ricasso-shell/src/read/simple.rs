//! Simple commands: assignments, a name, arguments, redirections in between.
//!
//! A name followed by parentheses is a function instead.

use crate::tree::{Command, Kind, Redirect, Simple};

use super::Reader;
use super::token::Tok;

impl Reader<'_> {
    /// A simple command or a function definition.
    pub(super) fn simple_or_function(&mut self, start: usize) -> Command {
        if self.lex.tok != Tok::Word {
            return self.simple(start, Simple::default());
        }
        let name = std::mem::take(&mut self.lex.word);
        self.advance();
        if self.lex.tok == Tok::Open {
            return self.function(start, name);
        }
        self.simple(start, Simple { assignments: Vec::new(), words: vec![name] })
    }

    /// The rest of a simple command.
    pub(super) fn simple(&mut self, start: usize, mut simple: Simple) -> Command {
        let mut redirects: Vec<Redirect> = Vec::new();
        loop {
            match self.lex.tok {
                Tok::Word => {
                    simple.words.push(std::mem::take(&mut self.lex.word));
                    (self.lex.redirects_first, self.lex.assigns_only) = (false, false);
                    self.advance();
                }
                Tok::Assignment | Tok::LateAssignment => {
                    simple.assignments.push(std::mem::take(&mut self.lex.assignment));
                    self.lex.redirects_first = false;
                    self.advance();
                }
                Tok::Number(_) | Tok::FdName | Tok::Redirect(..) => {
                    let first = simple.words.is_empty();
                    self.lex.redirects_first |= first && simple.assignments.is_empty();
                    self.lex.assigns_only = first;
                    if let Some(redirect) = self.redirect() {
                        redirects.push(redirect);
                    }
                }
                _ => break,
            }
        }
        (self.lex.redirects_first, self.lex.assigns_only) = (false, false);
        self.finish(start, Kind::Simple(simple), redirects)
    }
}
