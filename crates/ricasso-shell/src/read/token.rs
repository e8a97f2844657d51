//! Tokens: operators, reserved words and words, by the rules of the shell's own lexer.
//!
//! Which word is reserved depends on the token before it, so the last two are remembered, as in
//! the shell. It never looks further ahead than the shell does: here-documents hang on that.

use crate::tree::{Assignment, Element, Operator, Word};

use super::Reader;
use super::heredoc::Pending;

/// A token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tok {
    /// Before the first token.
    #[default]
    Start,
    End,
    Newline,
    Semi,
    Amp,
    AndAnd,
    OrOr,
    Pipe,
    PipeAmp,
    Open,
    Close,
    /// `;;`, `;&`, `;;&`
    ArmEnd,
    Redirect(Operator, Strip),
    /// A number right before a redirection, or behind `<&` and `>&`.
    Number(u32),
    /// `{name}` right before a redirection.
    FdName,
    /// `-` behind `<&` and `>&`.
    Dash,
    Word,
    Assignment,
    /// An assignment behind other assignments and a redirection: the shell's grammar sees a word.
    LateAssignment,
    /// `(( … ))`, already read.
    Arith,
    /// `(( … ))` behind `for`.
    ArithFor,
    /// `((` behind `for` without its `))`.
    BadArithFor,
    Reserved(Res),
}

/// Whether a here-document loses its leading tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strip {
    No,
    Tabs,
}

/// Reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Res {
    If,
    Then,
    Else,
    Elif,
    Fi,
    Case,
    Esac,
    For,
    Select,
    While,
    Until,
    Do,
    Done,
    In,
    Function,
    Time,
    TimeOption,
    TimeEnd,
    OpenBrace,
    CloseBrace,
    Bang,
    OpenTest,
    CloseTest,
    Coproc,
}

/// What the lexer remembers between tokens.
#[derive(Debug, Default)]
pub(super) struct Lex {
    /// The token that the grammar looks at.
    pub(super) tok: Tok,
    /// The token that was read last, also inside `[[ … ]]`, where the grammar sees none.
    pub(super) met: Tok,
    /// Where it stands.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the token before it ends.
    pub(super) behind: usize,
    /// The token before it, and the one before that.
    pub(super) last: Tok,
    pub(super) before: Tok,
    /// The word that belongs to `Word`, and to `FdName`.
    pub(super) word: Word,
    /// What belongs to `Assignment`.
    pub(super) assignment: Assignment,
    /// Inside the patterns of a `case`.
    pub(super) patterns: bool,
    /// Inside a `case` whose `in` has not come.
    pub(super) case: bool,
    /// How many `in` may still come.
    pub(super) awaits_in: u32,
    /// The arguments belong to `declare` and its kin: arrays are allowed.
    pub(super) declares: bool,
    /// Only redirections of the command have come so far.
    pub(super) redirects_first: bool,
    /// Only assignments and redirections of the command have come so far.
    pub(super) assigns_only: bool,
    /// Inside `[[ … ]]`.
    pub(super) test: bool,
    /// The right side of `=~` comes.
    pub(super) regex: bool,
    /// The right side of `==` comes.
    pub(super) pattern: bool,
    /// Inside `( … )` of an array assignment.
    pub(super) array: bool,
    /// Directly inside `$( … )`.
    pub(super) substitution: bool,
    /// Here-documents whose bodies come behind the next newline.
    pub(super) pending: Vec<Pending>,
    /// One of them belongs to a substitution that has closed already.
    pub(super) overdue: bool,
    /// The element that belongs to a word in an array.
    pub(super) element: Element,
    /// The text is exhausted by an error.
    pub(super) dead: bool,
}

impl Lex {
    /// Forgets everything but the here-documents that are due.
    pub(super) fn restart(&mut self) {
        let (pending, behind) = (std::mem::take(&mut self.pending), self.behind);
        *self = Self { pending, behind, ..Self::default() };
    }

    /// Makes the grammar see the end of the text.
    pub(super) fn end_now(&mut self) {
        self.tok = Tok::End;
        self.dead = true;
    }
}

impl Tok {
    /// Whether a reserved word may stand behind this token.
    pub(super) fn before_reserved(self) -> bool {
        match self {
            Tok::Start | Tok::Newline | Tok::Semi | Tok::Amp | Tok::AndAnd | Tok::OrOr => true,
            Tok::Pipe | Tok::PipeAmp | Tok::Open | Tok::Close | Tok::ArmEnd => true,
            Tok::Reserved(res) => !matches!(
                res,
                Res::Case | Res::For | Res::Select | Res::In | Res::Function | Res::OpenTest
            ),
            Tok::End | Tok::Redirect(..) | Tok::Number(_) | Tok::FdName | Tok::Dash => false,
            Tok::Arith => true,
            Tok::Word | Tok::LateAssignment => false,
            Tok::Assignment | Tok::ArithFor | Tok::BadArithFor => false,
        }
    }
}

impl Reader<'_> {
    /// Moves on to the next token.
    pub(super) fn advance(&mut self) {
        self.lex.before = self.lex.last;
        self.lex.last = self.lex.tok;
        self.lex.behind = self.lex.end;
        self.lex.tok = if self.lex.dead || self.error.is_some() { Tok::End } else { self.token() };
        if self.error.is_some() {
            self.lex.end_now();
        }
    }

    /// Whether a reserved word may come now.
    pub(super) fn reserved_may_come(&self) -> bool {
        let last = self.lex.last;
        if self.lex.test || self.lex.array {
            return false;
        }
        last.before_reserved()
            || (last == Tok::Word
                && matches!(
                    self.lex.before,
                    Tok::Reserved(Res::Coproc) | Tok::Reserved(Res::Function)
                ))
    }

    /// Whether the next word may be an assignment or the name of a command.
    pub(super) fn command_may_come(&self) -> bool {
        let target = matches!(self.lex.last, Tok::Redirect(..));
        self.lex.last == Tok::Assignment
            || (self.lex.redirects_first && !self.lex.patterns && !target)
            || (self.lex.last != Tok::ArmEnd && self.reserved_may_come())
    }

    /// Whether an assignment may come now.
    pub(super) fn assignment_may_come(&self) -> bool {
        !self.lex.patterns && !self.lex.test && !self.lex.array && self.command_may_come()
    }

    /// Reads one token and notes where it ends.
    pub(super) fn token(&mut self) -> Tok {
        let tok = self.any_token();
        self.lex.met = tok;
        let word = matches!(tok, Tok::Word | Tok::Assignment | Tok::LateAssignment | Tok::FdName);
        if !word {
            self.lex.end = self.pos();
        }
        tok
    }

    fn any_token(&mut self) -> Tok {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.next();
        }
        self.lex.start = self.pos();
        let Some(byte) = self.peek() else {
            self.lex.start = self.pos();
            return Tok::End;
        };
        self.lex.start = self.pos();
        if byte == b'#' {
            self.skip_comment();
            return self.newline();
        }
        if byte == b'\n' {
            self.next();
            return self.newline();
        }
        if self.lex.regex {
            return self.word();
        }
        match byte {
            b'(' | b')' | b'<' | b'>' | b';' | b'&' | b'|' => self.operator(byte),
            b'-' if matches!(
                self.lex.last,
                Tok::Redirect(Operator::DuplicateIn | Operator::DuplicateOut, _)
            ) =>
            {
                self.next();
                Tok::Dash
            }
            _ => self.word(),
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.cursor.source.text[self.pos()..self.cursor.end];
        let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        self.cursor.pos += length;
    }

    fn newline(&mut self) -> Tok {
        self.read_bodies();
        self.lex.overdue = false;
        self.lex.declares = false;
        Tok::Newline
    }

    fn operator(&mut self, byte: u8) -> Tok {
        self.lex.declares = false;
        self.next();
        let second = if byte == b')' && self.lex.substitution {
            self.cursor.peek_raw()
        } else {
            self.peek()
        };
        if matches!(byte, b'<' | b'>') {
            return self.redirection(byte, second);
        }
        match (byte, second) {
            (b';', Some(b';')) => {
                self.next();
                self.lex.patterns = true;
                if self.bash() && self.peek() == Some(b'&') {
                    self.next();
                }
                Tok::ArmEnd
            }
            (b';', Some(b'&')) if self.bash() => {
                self.next();
                self.lex.patterns = true;
                Tok::ArmEnd
            }
            (b'&', Some(b'&')) => self.second(Tok::AndAnd),
            (b'|', Some(b'|')) => self.second(Tok::OrOr),
            (b'|', Some(b'&')) if self.bash() => self.second(Tok::PipeAmp),
            (b'&', Some(b'>')) if self.bash() => {
                self.next();
                if self.peek() == Some(b'>') {
                    return self.second(Tok::Redirect(Operator::AppendBoth, Strip::No));
                }
                Tok::Redirect(Operator::WriteBoth, Strip::No)
            }
            (b'(', Some(b'(')) if self.bash() => self.double_paren(),
            (b')', _) => {
                self.lex.patterns = false;
                Tok::Close
            }
            (b'(', _) => Tok::Open,
            (b';', _) => Tok::Semi,
            (b'&', _) => Tok::Amp,
            _ => Tok::Pipe,
        }
    }

    fn second(&mut self, tok: Tok) -> Tok {
        self.next();
        tok
    }

    fn redirection(&mut self, byte: u8, second: Option<u8>) -> Tok {
        let operator = match (byte, second) {
            (_, Some(b'(')) if self.bash() => {
                self.cursor.pos = self.lex.start;
                return self.word();
            }
            (b'<', Some(b'<')) => {
                self.next();
                return match self.peek() {
                    Some(b'-') => self.second(Tok::Redirect(Operator::HereDocument, Strip::Tabs)),
                    Some(b'<') if self.bash() => {
                        self.second(Tok::Redirect(Operator::HereString, Strip::No))
                    }
                    _ => Tok::Redirect(Operator::HereDocument, Strip::No),
                };
            }
            (b'>', Some(b'>')) => Operator::Append,
            (b'<', Some(b'&')) => Operator::DuplicateIn,
            (b'>', Some(b'&')) => Operator::DuplicateOut,
            (b'<', Some(b'>')) => Operator::ReadWrite,
            (b'>', Some(b'|')) => Operator::Clobber,
            (b'<', _) => return Tok::Redirect(Operator::Read, Strip::No),
            _ => return Tok::Redirect(Operator::Write, Strip::No),
        };
        self.next();
        Tok::Redirect(operator, Strip::No)
    }

    /// `((`: an arithmetic command where one may stand and its end is `))`; else a parenthesis.
    fn double_paren(&mut self) -> Tok {
        let behind_for = self.lex.last == Tok::Reserved(Res::For);
        if !behind_for && !self.reserved_may_come() {
            return Tok::Open;
        }
        let first = self.pos();
        self.next();
        let start = self.pos();
        if !self.pair(super::pair::Pair::arith(start)) {
            return Tok::End;
        }
        let end = self.pos() - 1;
        if self.cursor.peek_raw() == Some(b')') {
            self.next_raw();
            self.lex.word.span = crate::Span::new(start, end);
            return if behind_for { Tok::ArithFor } else { Tok::Arith };
        }
        if behind_for {
            return Tok::BadArithFor;
        }
        self.cursor.pos = first;
        Tok::Open
    }
}
