//! `[[ … ]]`.
//!
//! A condition that does not parse makes the shell stop reading without calling it an error; what
//! follows is then never run. The tree says so with a broken word that reaches to the end.

use crate::error::{Unreadable, Why};
use crate::tree::{Operator, Part, Piece, Term, Test, Word};

use super::Reader;
use super::token::{Res, Tok};

/// Letters of the unary operators.
const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

/// Binary operators that are words.
const BINARY: [&[u8]; 12] =
    [b"=", b"==", b"!=", b"=~", b"-nt", b"-ot", b"-ef", b"-eq", b"-ne", b"-lt", b"-le", b"-gt"];

impl Reader<'_> {
    /// The command whose `[[` is at hand.
    pub(super) fn test_command(&mut self) -> Test {
        let mut test = Test::default();
        self.lex.test = true;
        let closer = self.test_or(&mut test);
        let closes = closer == Some(Tok::Reserved(Res::CloseTest));
        if !closes {
            self.test_failed(&mut test);
        }
        self.lex.test = false;
        if closes {
            self.lex.tok = Tok::Reserved(Res::CloseTest);
            self.lex.end = self.pos();
            self.advance();
        }
        test
    }

    /// Conditions joined by `&&` and `||`; gives the token behind them, nothing after a failure.
    fn test_or(&mut self, test: &mut Test) -> Option<Tok> {
        loop {
            let behind = self.test_term(test)?;
            if !matches!(behind, Tok::AndAnd | Tok::OrOr) {
                return Some(behind);
            }
        }
    }

    fn test_term(&mut self, test: &mut Test) -> Option<Tok> {
        loop {
            match self.test_token_behind_newlines() {
                Tok::Open => {
                    if !self.enter() {
                        return None;
                    }
                    let closer = self.test_or(test);
                    self.leave();
                    return match closer {
                        Some(Tok::Close) => Some(self.test_token_behind_newlines()),
                        _ => None,
                    };
                }
                Tok::Word => {
                    let raw = self.word_text();
                    if raw == b"!" {
                        continue;
                    }
                    let unary = raw.len() == 2 && raw[0] == b'-' && UNARY.contains(&raw[1]);
                    if unary {
                        return self.test_unary(test, raw);
                    }
                    return self.test_binary(test);
                }
                _ => return None,
            }
        }
    }

    fn test_unary(&mut self, test: &mut Test, operator: Vec<u8>) -> Option<Tok> {
        if self.token() != Tok::Word {
            return None;
        }
        let operands = vec![std::mem::take(&mut self.lex.word)];
        test.terms.push(Term { operator: Some(operator.into_boxed_slice()), operands });
        Some(self.test_token_behind_newlines())
    }

    fn test_binary(&mut self, test: &mut Test) -> Option<Tok> {
        let left = std::mem::take(&mut self.lex.word);
        let tok = self.token();
        let operator = match tok {
            Tok::Word => self.word_text(),
            Tok::Redirect(Operator::Read, _) => b"<".to_vec(),
            Tok::Redirect(Operator::Write, _) => b">".to_vec(),
            Tok::Reserved(Res::CloseTest) | Tok::AndAnd | Tok::OrOr | Tok::Close => {
                test.terms.push(Term { operator: None, operands: vec![left] });
                return Some(tok);
            }
            _ => {
                test.terms.push(Term { operator: None, operands: vec![left] });
                return None;
            }
        };
        if tok == Tok::Word && !BINARY.contains(&operator.as_slice()) && operator != b"-ge" {
            test.terms.push(Term { operator: None, operands: vec![left] });
            return None;
        }
        self.lex.regex = operator == b"=~";
        self.lex.pattern = matches!(operator.as_slice(), b"=" | b"==" | b"!=");
        let right = self.token();
        (self.lex.regex, self.lex.pattern) = (false, false);
        let mut operands = vec![left];
        if right == Tok::Word {
            operands.push(std::mem::take(&mut self.lex.word));
        }
        test.terms.push(Term { operator: Some(operator.into_boxed_slice()), operands });
        if right != Tok::Word {
            return None;
        }
        Some(self.test_token_behind_newlines())
    }

    fn test_token_behind_newlines(&mut self) -> Tok {
        loop {
            let tok = self.token();
            if tok != Tok::Newline {
                return tok;
            }
        }
    }

    /// The word at hand as it is written.
    fn word_text(&self) -> Vec<u8> {
        let text = self.cursor.source.text.get(self.lex.start..self.lex.end);
        super::lex::without_continuations(text.unwrap_or_default()).into_owned()
    }

    fn test_failed(&mut self, test: &mut Test) {
        if self.error.is_some() {
            return;
        }
        if let Some(part) = self.give_up() {
            let word = Word { span: part.span, parts: vec![part] };
            test.terms.push(Term { operator: None, operands: vec![word] });
        }
    }

    /// Ends the reading the way the shell does after a bad condition: the rest of the line is
    /// only split into tokens, then reading stops without an error. Where that fails, or there is
    /// no line left, it is an error after all and nothing is given back.
    pub(super) fn give_up(&mut self) -> Option<Part> {
        let at = self.lex.start;
        if self.lex.substitution {
            self.fail(at, Why::Condition);
            return None;
        }
        let mut content = !matches!(self.lex.met, Tok::Newline | Tok::End);
        // What comes now stands behind a token that allows neither reserved words nor assignments.
        self.lex.test = false;
        self.lex.tok = Tok::Word;
        loop {
            self.advance();
            match self.lex.tok {
                Tok::Newline => break,
                Tok::End if content => break,
                Tok::End => {
                    self.fail(at, Why::Condition);
                    return None;
                }
                _ => content = true,
            }
        }
        if self.error.is_some() {
            return None;
        }
        let span = self.span(self.from, self.cursor.end);
        let at = self.cursor.source.origin(at);
        let error = Unreadable { at, from: span.start, why: Why::Condition };
        self.stop(span.start);
        Some(Part { span, kind: Piece::Broken(error) })
    }
}
