//! Takes a word apart by the rules of the expansion that the shell does later.
//!
//! This is the second step: the extent is known, and a text that turns out to be broken here
//! spoils only the word, as in the shell. What quotes mean depends on where the text stands.

use crate::error::{Unreadable, Why};
use crate::tree::{Part, Piece, Word};

use super::Reader;
use super::known::Found;
use super::pair::Pair;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command.
    Word,
    /// What stands behind the equals sign of an assignment.
    Value,
    /// A pattern of `case` or a word of `[[ … ]]`.
    Pattern,
    /// Inside double quotes.
    Double,
    /// The body of a here-document.
    Here,
    /// An expression.
    Arith,
    /// Between the brackets of an array: an expression, or a key where quotes count.
    Subscript,
    /// Behind `:-` and its kin, outside quotes.
    Operand,
    /// The same inside double quotes, where single quotes are plain text.
    OperandDouble,
    /// The same in a here-document.
    OperandHere,
    /// Behind `#`, `%`, `/`, `^`, `,`, where quotes count everywhere.
    OperandPattern,
}

impl Mode {
    /// Whether quotes quote.
    fn quotes(self) -> bool {
        match self {
            Mode::Word | Mode::Value | Mode::Pattern | Mode::Operand => true,
            Mode::OperandPattern => true,
            Mode::Double | Mode::Here | Mode::Arith | Mode::Subscript => false,
            Mode::OperandDouble | Mode::OperandHere => false,
        }
    }

    /// Whether `*`, `?` and brackets match.
    fn globs(self) -> bool {
        matches!(self, Mode::Word | Mode::Pattern | Mode::OperandPattern)
    }

    /// Whether the lexer counts it as double quoted.
    pub(super) fn double(self) -> bool {
        matches!(self, Mode::Double | Mode::OperandDouble)
    }

    /// Whether the lexer has decoded `$'…'` here into text that then expands.
    fn decodes_to_text(self) -> bool {
        matches!(self, Mode::OperandDouble | Mode::Arith | Mode::Subscript)
    }
}

/// Parts under construction.
struct Build {
    parts: Vec<Part>,
    literal: Vec<u8>,
    /// Where the literal began.
    from: usize,
    /// Where the last closing bracket stands, once somebody asked.
    bracket: Option<usize>,
}

impl Reader<'_> {
    /// A word that is nothing but its bytes.
    pub(super) fn plain_word(&mut self, start: usize, end: usize) -> Word {
        self.count();
        let text = self.cursor.source.text.get(start..end).unwrap_or_default();
        let bytes = super::lex::without_continuations(text).into_owned().into_boxed_slice();
        let span = self.span(start, end);
        Word { span, parts: vec![Part { span, kind: Piece::Literal(bytes) }] }
    }

    /// The word between two offsets.
    pub(super) fn word_in(&mut self, start: usize, end: usize, mode: Mode) -> Word {
        self.count();
        let mut parts = self.parts(start, end, mode);
        if mode == Mode::Word && self.bash() {
            self.mark_braces(&mut parts);
        }
        Word { span: self.span(start, end), parts }
    }

    /// The parts between two offsets; an error becomes a last part of the kind `Broken`.
    pub(super) fn parts(&mut self, start: usize, end: usize, mode: Mode) -> Vec<Part> {
        let (mut parts, error) = self.within(start, end, |reader| {
            if !reader.enter() {
                return Vec::new();
            }
            let parts = reader.parts_here(mode);
            reader.leave();
            parts
        });
        if let Some(error) = error {
            let whole = self.span(start, end);
            let from = error.at.clamp(whole.start, whole.end);
            let span = crate::Span::new(from, whole.end);
            parts.push(Part { span, kind: Piece::Broken(error) });
        }
        parts
    }

    fn parts_here(&mut self, mode: Mode) -> Vec<Part> {
        let mut build =
            Build { parts: Vec::new(), literal: Vec::new(), from: self.pos(), bracket: None };
        while let Some(byte) = self.peek() {
            let at = self.pos();
            if let Some(kind) = self.piece(byte, at, mode, &mut build) {
                self.flush(&mut build, at);
                self.count();
                build.parts.push(Part { span: self.span(at, self.pos()), kind });
                build.from = self.pos();
            }
        }
        let end = self.pos();
        self.flush(&mut build, end);
        build.parts
    }

    fn flush(&mut self, build: &mut Build, end: usize) {
        if !build.literal.is_empty() {
            let bytes = std::mem::take(&mut build.literal).into_boxed_slice();
            let span = self.span(build.from, end);
            build.parts.push(Part { span, kind: Piece::Literal(bytes) });
        }
    }

    /// Reads one piece at `at`; literal bytes go to the build and give no piece.
    fn piece(&mut self, byte: u8, at: usize, mode: Mode, build: &mut Build) -> Option<Piece> {
        if build.literal.is_empty() {
            build.from = at;
        }
        match byte {
            b'\\' => return self.backslash(mode, build),
            b'\'' if mode.quotes() || mode == Mode::Subscript => {
                return self.single_quotes(at, mode, build);
            }
            b'"' if mode.quotes() => {
                self.next();
                return Some(Piece::Double(self.double_quotes(at)));
            }
            b'`' => return Some(self.backticks(at, mode)),
            b'$' => return self.dollar(at, mode, build),
            b'<' | b'>'
                if mode.quotes() && self.bash() && self.cursor.peek_second() == Some(b'(') =>
            {
                return Some(self.process(byte, at));
            }
            b'(' if mode == Mode::Value && at == self.value_start(build) && self.bash() => {
                if let Some(array) = self.array_taken(at) {
                    return Some(array);
                }
            }
            b'(' if mode == Mode::Word && self.bash() && build.literal.ends_with(b"=") => {
                if let Some(array) = self.array_taken(at) {
                    return Some(array);
                }
            }
            b'?' | b'*' | b'+' | b'@' | b'!' if mode.globs() => {
                if let Some(glob) = self.glob(byte, at, mode) {
                    return Some(glob);
                }
            }
            b'[' if mode.globs() && self.closes_later(at, build) => {
                self.next();
                return Some(Piece::Glob(b'['));
            }
            b'~' if matches!(mode, Mode::Word | Mode::Value) => {
                if let Some(tilde) = self.tilde(mode, build) {
                    return Some(tilde);
                }
            }
            _ => {}
        }
        self.next();
        build.literal.push(byte);
        None
    }

    fn value_start(&self, build: &Build) -> usize {
        if build.parts.is_empty() && build.literal.is_empty() { build.from } else { usize::MAX }
    }

    fn backslash(&mut self, mode: Mode, build: &mut Build) -> Option<Piece> {
        self.next_raw();
        let Some(byte) = self.cursor.peek_raw().filter(|_| self.error.is_none()) else {
            if mode.quotes() && self.error.is_none() {
                // `bash -c` keeps it, bash joins it with the end of a file: nobody can know.
                let at = self.cursor.source.origin(self.pos() - 1);
                return Some(Piece::Broken(Unreadable { at, from: at, why: Why::Ends }));
            }
            build.literal.push(b'\\');
            return None;
        };
        let escapes = match mode {
            _ if mode.quotes() => true,
            Mode::Here | Mode::OperandHere => matches!(byte, b'$' | b'`' | b'\\'),
            Mode::OperandDouble => matches!(byte, b'$' | b'`' | b'\\' | b'"' | b'}'),
            _ => matches!(byte, b'$' | b'`' | b'\\' | b'"'),
        };
        if !escapes {
            build.literal.push(b'\\');
            return None;
        }
        self.next_raw();
        Some(Piece::Escaped(byte))
    }

    fn single_quotes(&mut self, at: usize, mode: Mode, build: &mut Build) -> Option<Piece> {
        let inside = at + 1;
        let text = self.cursor.source.text;
        let rest = text.get(inside..self.cursor.end).unwrap_or_default();
        let Some(length) = rest.iter().position(|&byte| byte == b'\'') else {
            self.next();
            if mode == Mode::Subscript {
                build.literal.push(b'\'');
                return None;
            }
            let end = self.cursor.end;
            self.fail(at, Why::Unclosed(b'\''));
            return Some(Piece::Single(text[inside..end].into()));
        };
        self.cursor.pos = inside + length + 1;
        Some(Piece::Single(rest[..length].into()))
    }

    /// What stands between double quotes, the first of which has been taken.
    pub(super) fn double_quotes(&mut self, at: usize) -> Vec<Part> {
        let inside = self.pos();
        let end = self.inner_end(Pair::quote(at, b'"'));
        let mut parts = self.parts(inside, end, Mode::Double);
        if parts.is_empty() {
            let span = self.span(inside, end);
            parts.push(Part { span, kind: Piece::Literal(Box::default()) });
        }
        parts
    }

    /// Moves behind a pair and gives the offset of its closer. Without one the error stays, and
    /// nothing of the inside counts: the shell gives the word up before it expands that.
    pub(super) fn inner_end(&mut self, pair: Pair) -> usize {
        let start = self.pos();
        if self.pair(pair) {
            return self.pos() - 1;
        }
        self.cursor.pos = self.cursor.end;
        start
    }

    fn dollar(&mut self, at: usize, mode: Mode, build: &mut Build) -> Option<Piece> {
        self.next();
        match self.peek() {
            Some(b'(') => {
                self.next();
                return Some(self.substitution(at));
            }
            Some(b'{') => {
                self.next();
                return Some(self.parameter(at, mode));
            }
            Some(b'[') if self.bash() => {
                self.next();
                let inside = self.pos();
                let end = self.inner_end(Pair::old_arith(at).in_double(mode.double()));
                return Some(Piece::Arith(Box::new(self.arith_text(inside, end))));
            }
            Some(b'\'') if self.bash() && mode.quotes() => {
                self.next();
                let inside = self.pos();
                let end = self.inner_end(Pair::ansi(at));
                return Some(Piece::Ansi(self.decoded(inside, end).0.into_boxed_slice()));
            }
            Some(b'\'') if self.bash() && mode.decodes_to_text() => {
                return self.decoded_text(at, mode, build);
            }
            Some(b'"') if self.bash() && mode.quotes() => {
                self.next();
                return Some(Piece::Locale(self.double_quotes(at)));
            }
            _ => {}
        }
        if let Some(piece) = self.plain_parameter() {
            return Some(piece);
        }
        build.literal.push(b'$');
        None
    }

    /// `$'…'` where the shell decodes it first and then expands the decoded text.
    fn decoded_text(&mut self, at: usize, mode: Mode, build: &mut Build) -> Option<Piece> {
        self.next();
        let inside = self.pos();
        let rest = self.cursor.source.text.get(inside..self.cursor.end).unwrap_or_default();
        if !super::decode::closes(rest) {
            build.literal.extend_from_slice(b"$'");
            return None;
        }
        let end = self.inner_end(Pair::ansi(at));
        let (text, table) = self.decoded(inside, end);
        if mode == Mode::Subscript {
            return Some(Piece::Ansi(text.into_boxed_slice()));
        }
        let source = crate::cursor::Source { text: &text, table: Some(table.into()) };
        let (parts, _) = self.on(source, |reader| reader.parts(0, text.len(), mode));
        Some(Piece::Double(parts))
    }

    /// The array that the first step read behind the parenthesis at `at`.
    fn array_taken(&mut self, at: usize) -> Option<Piece> {
        let (end, found) = self.known.take(at + 1)?;
        let Found::Array(elements) = found else { return None };
        self.cursor.pos = end.min(self.cursor.end);
        Some(Piece::Array(elements))
    }

    fn glob(&mut self, byte: u8, at: usize, mode: Mode) -> Option<Piece> {
        let grouped = self.cursor.peek_second() == Some(b'(') && self.bash();
        if grouped && (self.house.extglob || mode != Mode::Word) {
            self.next();
            self.next();
            let inside = self.pos();
            let end = self.inner_end(Pair::group(at));
            return Some(Piece::ExtGlob(byte, self.parts(inside, end, mode)));
        }
        matches!(byte, b'?' | b'*').then(|| {
            self.next();
            Piece::Glob(byte)
        })
    }

    /// Whether a closing bracket follows somewhere in the word.
    fn closes_later(&mut self, at: usize, build: &mut Build) -> bool {
        let last = *build.bracket.get_or_insert_with(|| {
            let text = self.cursor.source.text.get(at..self.cursor.end).unwrap_or_default();
            text.iter().rposition(|&byte| byte == b']').map_or(0, |back| at + back)
        });
        last > at + 1
    }

    fn tilde(&mut self, mode: Mode, build: &Build) -> Option<Piece> {
        let first = build.parts.is_empty() && build.literal.is_empty();
        let again = mode == Mode::Value && build.literal.ends_with(b":");
        if !first && !again {
            return None;
        }
        let at = self.pos() + 1;
        let rest = self.cursor.source.text.get(at..self.cursor.end).unwrap_or_default();
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte);
        let length = rest.iter().take_while(|byte| name(byte)).count();
        if !matches!(rest.get(length), None | Some(b'/' | b':')) {
            return None;
        }
        self.cursor.pos = at + length;
        Some(Piece::Tilde(rest[..length].into()))
    }
}
