//! `if`, loops and `case`.
//!
//! Each follows the shell's grammar to the letter, forms that nobody writes included.

use crate::tree::{Arm, Branch, Case, For, ForArith, If, Kind, List, Loop, Word};

use super::Reader;
use super::token::{Res, Tok};

impl Reader<'_> {
    pub(super) fn if_command(&mut self) -> If {
        let mut command = If::default();
        loop {
            self.advance();
            let condition = self.compound_list();
            self.expect(Tok::Reserved(Res::Then));
            let body = self.compound_list();
            command.branches.push(Branch { condition, body });
            match self.lex.tok {
                Tok::Reserved(Res::Elif) => {}
                Tok::Reserved(Res::Else) => {
                    self.advance();
                    command.otherwise = Some(self.compound_list());
                    self.expect(Tok::Reserved(Res::Fi));
                    return command;
                }
                _ => {
                    self.expect(Tok::Reserved(Res::Fi));
                    return command;
                }
            }
        }
    }

    pub(super) fn loop_command(&mut self) -> Loop {
        let until = self.lex.tok == Tok::Reserved(Res::Until);
        self.advance();
        let condition = self.compound_list();
        self.expect(Tok::Reserved(Res::Do));
        let body = self.compound_list();
        self.expect(Tok::Reserved(Res::Done));
        Loop { until, condition, body }
    }

    pub(super) fn for_command(&mut self) -> Kind {
        let select = self.lex.tok == Tok::Reserved(Res::Select);
        self.advance();
        if self.lex.tok == Tok::ArithFor && !select {
            return self.for_arith();
        }
        if self.lex.tok == Tok::BadArithFor {
            return self.bad_for_arith();
        }
        if self.lex.tok != Tok::Word {
            self.unexpected();
        }
        let name = std::mem::take(&mut self.lex.word);
        self.advance();
        let words = self.for_words();
        let body = self.loop_body();
        Kind::For(Box::new(For { select, name, words, body }))
    }

    /// What stands between the variable and the body; its separators are taken.
    fn for_words(&mut self) -> Option<Vec<Word>> {
        if self.lex.tok == Tok::Semi {
            self.advance();
            self.skip_newlines();
            return None;
        }
        self.skip_newlines();
        if self.lex.tok != Tok::Reserved(Res::In) {
            return None;
        }
        self.advance();
        let mut words = Vec::new();
        while self.lex.tok == Tok::Word {
            words.push(std::mem::take(&mut self.lex.word));
            self.advance();
        }
        if !matches!(self.lex.tok, Tok::Semi | Tok::Newline) {
            self.unexpected();
        }
        self.advance();
        self.skip_newlines();
        Some(words)
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self) -> List {
        let close = match self.lex.tok {
            Tok::Reserved(Res::Do) => Res::Done,
            Tok::Reserved(Res::OpenBrace) if self.bash() => Res::CloseBrace,
            _ => {
                self.unexpected();
                return List::default();
            }
        };
        self.advance();
        let body = self.compound_list();
        self.expect(Tok::Reserved(close));
        body
    }

    fn for_arith(&mut self) -> Kind {
        let at = self.lex.start;
        let clauses = self.arith_token();
        if super::arith::clauses(&clauses.parts) != 3 {
            self.fail(at, crate::error::Why::Unexpected);
        }
        self.advance();
        if matches!(self.lex.tok, Tok::Semi | Tok::Newline) {
            self.advance();
            self.skip_newlines();
        }
        let body = self.loop_body();
        Kind::ForArith(Box::new(ForArith { clauses, body }))
    }

    fn bad_for_arith(&mut self) -> Kind {
        let mut command = ForArith::default();
        command.clauses.parts.extend(self.give_up());
        Kind::ForArith(Box::new(command))
    }

    pub(super) fn case_command(&mut self) -> Case {
        self.advance();
        if self.lex.tok != Tok::Word {
            self.unexpected();
        }
        let word = std::mem::take(&mut self.lex.word);
        self.advance();
        self.skip_newlines();
        self.expect(Tok::Reserved(Res::In));
        let mut arms = Vec::new();
        loop {
            self.skip_newlines();
            if self.lex.tok == Tok::Reserved(Res::Esac) {
                self.advance();
                break;
            }
            if self.lex.tok == Tok::End {
                self.unexpected();
                break;
            }
            arms.push(self.arm());
            if self.lex.tok == Tok::ArmEnd {
                self.advance();
                continue;
            }
            self.skip_newlines();
            self.expect(Tok::Reserved(Res::Esac));
            break;
        }
        Case { word, arms }
    }

    fn arm(&mut self) -> Arm {
        if self.lex.tok == Tok::Open {
            self.advance();
        }
        let mut patterns = Vec::new();
        loop {
            if self.lex.tok != Tok::Word {
                self.unexpected();
                break;
            }
            patterns.push(std::mem::take(&mut self.lex.word));
            self.advance();
            if self.lex.tok != Tok::Pipe {
                break;
            }
            self.advance();
        }
        self.expect(Tok::Close);
        self.skip_newlines();
        let empty = matches!(self.lex.tok, Tok::ArmEnd | Tok::Reserved(Res::Esac));
        let body = if empty { List::default() } else { self.compound_list() };
        Arm { patterns, body }
    }
}
