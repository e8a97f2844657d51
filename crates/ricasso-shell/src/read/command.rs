//! One command: simple, compound, function or coprocess, with its redirections.
//!
//! Every kind of nesting passes here and is counted.

use crate::tree::{Arith, Command, Coproc, Function, Kind, Redirect, Simple, Word};

use super::Reader;
use super::token::{Res, Tok};

impl Reader<'_> {
    /// The command that the token at hand begins.
    pub(super) fn command(&mut self) -> Command {
        self.count();
        let start = self.lex.start;
        let nested = !matches!(
            self.lex.tok,
            Tok::Word | Tok::Assignment | Tok::Number(_) | Tok::FdName | Tok::Redirect(..)
        );
        if !nested {
            return self.simple_or_function(start);
        }
        if !self.enter() {
            return self.finish(start, Kind::Simple(Simple::default()), Vec::new());
        }
        let command = self.compound(start);
        self.leave();
        command
    }

    fn compound(&mut self, start: usize) -> Command {
        match self.lex.tok {
            Tok::Reserved(Res::Coproc) => return self.coproc(start),
            Tok::Reserved(Res::Function) => return self.function_keyword(start),
            _ => {}
        }
        match self.shell_command() {
            Some(kind) => {
                let redirects = self.redirects();
                self.finish(start, kind, redirects)
            }
            None => {
                self.unexpected();
                self.finish(start, Kind::Simple(Simple::default()), Vec::new())
            }
        }
    }

    /// A compound command without its redirections; nothing if none begins here.
    fn shell_command(&mut self) -> Option<Kind> {
        match self.lex.tok {
            Tok::Open => {
                self.advance();
                let list = self.compound_list();
                self.expect(Tok::Close);
                Some(Kind::Subshell(list))
            }
            Tok::Arith => {
                let arith = self.arith_token();
                self.advance();
                Some(Kind::Arith(Box::new(arith)))
            }
            Tok::Reserved(res) => self.reserved_command(res),
            _ => None,
        }
    }

    fn reserved_command(&mut self, res: Res) -> Option<Kind> {
        Some(match res {
            Res::OpenBrace => {
                self.advance();
                let list = self.compound_list();
                self.expect(Tok::Reserved(Res::CloseBrace));
                Kind::Group(list)
            }
            Res::If => Kind::If(Box::new(self.if_command())),
            Res::While | Res::Until => Kind::Loop(Box::new(self.loop_command())),
            Res::For | Res::Select => self.for_command(),
            Res::Case => Kind::Case(Box::new(self.case_command())),
            Res::OpenTest => Kind::Test(Box::new(self.test_command())),
            _ => return None,
        })
    }

    /// The expression of a `((…))` token.
    pub(super) fn arith_token(&mut self) -> Arith {
        let inside = self.lex.word.span;
        self.arith_text(inside.start, inside.end)
    }

    fn coproc(&mut self, start: usize) -> Command {
        self.advance();
        let first = self.lex.start;
        let (name, body) = match self.lex.tok {
            Tok::Word => self.named_coproc(first),
            Tok::Assignment | Tok::Number(_) | Tok::FdName | Tok::Redirect(..) => {
                (None, self.simple(first, Simple::default()))
            }
            _ => (None, self.body_command(first)),
        };
        let kind = Kind::Coproc(Box::new(Coproc { name, body }));
        self.finish(start, kind, Vec::new())
    }

    fn named_coproc(&mut self, first: usize) -> (Option<Word>, Command) {
        let word = std::mem::take(&mut self.lex.word);
        self.advance();
        let second = self.lex.start;
        if matches!(self.lex.tok, Tok::Open | Tok::Arith | Tok::Reserved(_)) {
            return (Some(word), self.body_command(second));
        }
        (None, self.simple(first, Simple { words: vec![word], ..Simple::default() }))
    }

    /// A compound command with redirections, as the body of a function or coprocess.
    fn body_command(&mut self, start: usize) -> Command {
        match self.shell_command() {
            Some(kind) => {
                let redirects = self.redirects();
                self.finish(start, kind, redirects)
            }
            None => {
                self.unexpected();
                self.finish(start, Kind::Simple(Simple::default()), Vec::new())
            }
        }
    }

    fn function_keyword(&mut self, start: usize) -> Command {
        self.advance();
        if self.lex.tok != Tok::Word {
            self.unexpected();
        }
        let name = std::mem::take(&mut self.lex.word);
        self.advance();
        let open = self.lex.start;
        if self.lex.tok == Tok::Open {
            self.advance();
            if self.lex.tok != Tok::Close {
                return self.function_subshell(start, open, name);
            }
            self.advance();
        }
        self.function_body(start, name)
    }

    /// `function name ( … )`, whose parenthesis has been taken: the body is a subshell.
    fn function_subshell(&mut self, start: usize, open: usize, name: Word) -> Command {
        let list = self.compound_list();
        self.expect(Tok::Close);
        let redirects = self.redirects();
        let body = self.finish(open, Kind::Subshell(list), redirects);
        let kind = Kind::Function(Box::new(Function { name, body }));
        self.finish(start, kind, Vec::new())
    }

    /// `name ()`, whose name has been taken.
    pub(super) fn function(&mut self, start: usize, name: Word) -> Command {
        self.advance();
        self.expect(Tok::Close);
        self.function_body(start, name)
    }

    fn function_body(&mut self, start: usize, name: Word) -> Command {
        self.skip_newlines();
        let first = self.lex.start;
        let body = if self.enter() {
            // dash takes any command for a body.
            let any = !self.bash() && self.command_starts();
            let body = if any { self.command() } else { self.body_command(first) };
            self.leave();
            body
        } else {
            self.finish(first, Kind::Simple(Simple::default()), Vec::new())
        };
        let kind = Kind::Function(Box::new(Function { name, body }));
        self.finish(start, kind, Vec::new())
    }

    pub(super) fn finish(&self, start: usize, kind: Kind, redirects: Vec<Redirect>) -> Command {
        Command { span: self.span(start, self.lex.behind.max(start)), kind, redirects }
    }
}
