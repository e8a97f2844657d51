//! Reserved words: which word is one depends on the tokens before it, as in the shell.
//!
//! Nothing here looks at what follows.

use super::Reader;
use super::token::{Res, Tok};

/// Words that open or close compound commands.
const RESERVED: [(&[u8], Res); 22] = [
    (b"if", Res::If),
    (b"then", Res::Then),
    (b"else", Res::Else),
    (b"elif", Res::Elif),
    (b"fi", Res::Fi),
    (b"case", Res::Case),
    (b"esac", Res::Esac),
    (b"for", Res::For),
    (b"select", Res::Select),
    (b"while", Res::While),
    (b"until", Res::Until),
    (b"do", Res::Do),
    (b"done", Res::Done),
    (b"in", Res::In),
    (b"function", Res::Function),
    (b"time", Res::Time),
    (b"{", Res::OpenBrace),
    (b"}", Res::CloseBrace),
    (b"!", Res::Bang),
    (b"[[", Res::OpenTest),
    (b"]]", Res::CloseTest),
    (b"coproc", Res::Coproc),
];

/// Those that sh does not have.
const ONLY_BASH: [Res; 6] =
    [Res::Select, Res::Function, Res::Time, Res::OpenTest, Res::CloseTest, Res::Coproc];

impl Reader<'_> {
    /// The reserved word that `text` is at this place.
    pub(super) fn reserved(&mut self, text: &[u8]) -> Option<Tok> {
        if !text.first()?.is_ascii_lowercase() && !b"{}![]-".contains(text.first()?) {
            return None;
        }
        if let Some(res) = self.reserved_by_place(text) {
            return Some(Tok::Reserved(res));
        }
        if !self.reserved_may_come() {
            return None;
        }
        let (_, res) = *RESERVED.iter().find(|(word, _)| *word == text)?;
        if !self.bash() && ONLY_BASH.contains(&res) {
            return None;
        }
        if self.lex.patterns && res != Res::Esac {
            return None;
        }
        if res == Res::Time && !self.time_may_come() {
            return None;
        }
        match res {
            Res::Esac if self.lex.patterns && matches!(self.lex.last, Tok::Pipe | Tok::Open) => {
                return None;
            }
            Res::Esac => (self.lex.patterns, self.lex.case) = (false, false),
            Res::Case => self.lex.case = true,
            _ => {}
        }
        Some(Tok::Reserved(res))
    }

    /// Words that are reserved only behind certain tokens.
    fn reserved_by_place(&mut self, text: &[u8]) -> Option<Res> {
        let (last, before) = (self.lex.last, self.lex.before);
        if self.lex.test {
            return (text == b"]]").then_some(Res::CloseTest);
        }
        if self.lex.array {
            return None;
        }
        let after_name = last == Tok::Word
            && matches!(before, Tok::Reserved(Res::For | Res::Case | Res::Select));
        let awaited = self.lex.awaits_in > 0;
        match text {
            b"in" if after_name || (awaited && matches!(last, Tok::Word | Tok::Newline)) => {
                self.lex.awaits_in = self.lex.awaits_in.saturating_sub(1);
                let case = before == Tok::Reserved(Res::Case) && after_name;
                if case || (!after_name && self.lex.case) {
                    self.lex.patterns = true;
                }
                Some(Res::In)
            }
            b"do"
                if (awaited && matches!(last, Tok::Newline | Tok::Semi))
                    || (after_name && before != Tok::Reserved(Res::Case)) =>
            {
                self.lex.awaits_in = self.lex.awaits_in.saturating_sub(1);
                Some(Res::Do)
            }
            b"esac" if last == Tok::Reserved(Res::In) => {
                (self.lex.patterns, self.lex.case) = (false, false);
                Some(Res::Esac)
            }
            b"do" if last == Tok::ArithFor => Some(Res::Do),
            b"{" if last == Tok::ArithFor => Some(Res::OpenBrace),
            b"-p" if last == Tok::Reserved(Res::Time) => Some(Res::TimeOption),
            b"--" if matches!(last, Tok::Reserved(Res::Time | Res::TimeOption)) => {
                Some(Res::TimeEnd)
            }
            _ => None,
        }
    }

    fn time_may_come(&self) -> bool {
        match self.lex.last {
            Tok::Start | Tok::Semi | Tok::Newline => self.lex.before != Tok::Pipe,
            Tok::AndAnd | Tok::OrOr | Tok::Amp | Tok::Open | Tok::Close => true,
            Tok::Reserved(res) => matches!(
                res,
                Res::While
                    | Res::Do
                    | Res::Until
                    | Res::If
                    | Res::Then
                    | Res::Elif
                    | Res::Else
                    | Res::OpenBrace
                    | Res::Bang
                    | Res::Time
                    | Res::TimeOption
                    | Res::TimeEnd
            ),
            _ => false,
        }
    }
}
