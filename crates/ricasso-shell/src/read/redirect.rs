//! Redirections of every form.
//!
//! Targets are words like any other; here-documents are noted and their bodies read later.

use crate::tree::{Fd, Operator, Redirect};

use super::Reader;
use super::token::Tok;

impl Reader<'_> {
    /// The redirections behind a compound command.
    pub(super) fn redirects(&mut self) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        while matches!(self.lex.tok, Tok::Number(_) | Tok::FdName | Tok::Redirect(..)) {
            redirects.extend(self.redirect());
        }
        redirects
    }

    /// The redirection that the token at hand begins.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.lex.start;
        let fd = match self.lex.tok {
            Tok::Number(number) => Fd::Number(number),
            Tok::FdName => Fd::Named(std::mem::take(&mut self.lex.word)),
            _ => Fd::Usual,
        };
        if fd != Fd::Usual {
            self.advance();
        }
        let Tok::Redirect(operator, strip) = self.lex.tok else {
            self.unexpected();
            return None;
        };
        let both = matches!(operator, Operator::WriteBoth | Operator::AppendBoth);
        if fd != Fd::Usual && both {
            self.unexpected();
            return None;
        }
        self.advance();
        let (from, to) = (self.lex.start, self.lex.end);
        let duplicates = matches!(operator, Operator::DuplicateIn | Operator::DuplicateOut);
        let target = match self.lex.tok {
            Tok::Word => std::mem::take(&mut self.lex.word),
            Tok::Number(_) | Tok::Dash if duplicates => self.plain_word(from, to),
            _ => {
                self.unexpected();
                return None;
            }
        };
        let here = (operator == Operator::HereDocument).then(|| {
            let text = self.cursor.source.text;
            self.await_body(&target, text.get(from..to).unwrap_or_default(), strip)
        });
        self.advance();
        Some(Redirect { span: self.span(start, to), fd, operator, target, here })
    }
}
