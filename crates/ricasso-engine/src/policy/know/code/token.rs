//! Takes code of a scripting language apart, as far as strings, names and calls go.

use crate::policy::know::Language;

/// Longest code that is looked into; more is not followed.
const LONGEST: usize = 64 * 1024;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name; parts joined by `.`, `::` or `->` are separate names with `Dot` between.
    Name(String),
    /// A text whose every byte is known.
    Text(Vec<u8>),
    /// A text that code within it changes.
    Mixed,
    /// A text that a shell reads: backticks.
    Command(Vec<u8>),
    /// A number, a pattern, or another value.
    Value,
    /// `.`, `::`, `->`.
    Dot,
    /// Any other sign.
    Sign(u8),
    /// The end of a line.
    End,
}

/// The tokens, or `None` where the code is not followed.
pub(super) fn tokens(language: Language, text: &[u8]) -> Option<Vec<Token>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { language, text, at: 0, tokens: Vec::new() };
    while reader.at < text.len() {
        reader.next()?;
    }
    reader.tokens.push(Token::End);
    Some(reader.tokens)
}

struct Reader<'t> {
    language: Language,
    text: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts(&self, start: &[u8]) -> bool {
        self.text[self.at..].starts_with(start)
    }

    fn is(&self, languages: &[Language]) -> bool {
        languages.contains(&self.language)
    }

    fn next(&mut self) -> Option<()> {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        let byte = self.peek(0)?;
        match byte {
            b'\n' => self.push(Token::End, 1),
            _ if byte.is_ascii_whitespace() => self.at += 1,
            b'#' if self.is(&[Python, Perl, Ruby, Php]) && !self.after_sigil() => self.skip_line(),
            b'/' if self.starts(b"//") && self.is(&[JavaScript, Php]) => self.skip_line(),
            b'/' if self.starts(b"/*") && self.is(&[JavaScript, Php]) => {
                let end = find(&self.text[self.at + 2..], b"*/")?;
                self.at += end + 4;
            }
            b'-' if self.starts(b"--") && self.language == Lua => self.skip_line(),
            b'\'' | b'"' => self.string(byte)?,
            b'`' if self.language == JavaScript => self.template()?,
            b'`' => {
                let (value, next) = self.until(self.at + 1, b'`')?;
                self.tokens.push(Token::Command(value));
                self.at = next;
            }
            b'/' if self.is(&[JavaScript, Perl, Ruby]) && !self.ends_value() => {
                let (_, next) = self.until(self.at + 1, b'/')?;
                self.at = next;
                self.skip_letters();
                self.tokens.push(Token::Value);
            }
            b'0'..=b'9' => {
                while self.peek(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    self.at += 1;
                }
                self.tokens.push(Token::Value);
            }
            b':' if self.starts(b"::") => self.push(Token::Dot, 2),
            b'-' if self.starts(b"->") => self.push(Token::Dot, 2),
            b'.' if !self.starts(b"..") => self.push(Token::Dot, 1),
            b'%' if self.starts(b"%x") && self.language == Ruby && self.percent().is_some() => {}
            b'$' | b'@' | b'%' if self.is(&[Perl, Php, Ruby]) && self.variable() => {}
            _ if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => self.name()?,
            _ => self.push(Token::Sign(byte), 1),
        }
        Some(())
    }

    fn push(&mut self, token: Token, length: usize) {
        self.tokens.push(token);
        self.at += length;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn skip_letters(&mut self) {
        while self.peek(0).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.at += 1;
        }
    }

    /// `$#array` is no comment.
    fn after_sigil(&self) -> bool {
        self.at > 0 && self.text[self.at - 1] == b'$'
    }

    /// A variable with its sigil is a value, whatever its name.
    fn variable(&mut self) -> bool {
        let named = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        let Some(next) = self.peek(1) else { return false };
        let special = self.peek(0) == Some(b'$') && b"_&!@/\\,;.0".contains(&next);
        if !named(next) && !special {
            return false;
        }
        if self.peek(0) == Some(b'%') && self.ends_value() {
            return false;
        }
        self.at += 1;
        if named(next) {
            while self.peek(0).is_some_and(named) {
                self.at += 1;
            }
        } else {
            self.at += 1;
        }
        self.tokens.push(Token::Value);
        true
    }

    /// Whether a `/` or `%` after the last token divides.
    fn ends_value(&self) -> bool {
        match self.tokens.last() {
            Some(Token::Text(_) | Token::Mixed | Token::Command(_) | Token::Value) => true,
            Some(Token::Name(name)) => !matches!(
                name.as_str(),
                "return"
                    | "if"
                    | "unless"
                    | "and"
                    | "or"
                    | "not"
                    | "split"
                    | "grep"
                    | "print"
                    | "in"
                    | "puts"
                    | "while"
                    | "when"
                    | "case"
                    | "typeof"
                    | "map"
                    | "join"
            ),
            Some(Token::Sign(sign)) => matches!(sign, b')' | b']' | b'}'),
            Some(Token::Dot | Token::End) | None => false,
        }
    }

    fn name(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80) {
            self.at += 1;
        }
        let name = String::from_utf8_lossy(&self.text[from..self.at]).into_owned();
        let quoted = matches!(self.peek(0), Some(b'"' | b'\''));
        if self.language == Language::Python && quoted && is_prefix(&name) {
            let mark = self.peek(0)?;
            if name.to_ascii_lowercase().contains('f') {
                let (value, next) = self.python_string(mark)?;
                let token = if value.contains(&b'{') { Token::Mixed } else { Token::Text(value) };
                self.tokens.push(token);
                self.at = next;
                return Some(());
            }
            return self.string(mark);
        }
        if self.language == Language::Perl && self.perl_quote(&name)? {
            return Some(());
        }
        self.tokens.push(Token::Name(name));
        Some(())
    }

    fn string(&mut self, mark: u8) -> Option<()> {
        if self.language == Language::Python {
            let (value, next) = self.python_string(mark)?;
            self.tokens.push(Token::Text(value));
            self.at = next;
            return Some(());
        }
        let (value, next) = self.until(self.at + 1, mark)?;
        self.at = next;
        let mixes: &[&[u8]] = match (self.language, mark) {
            (Language::Ruby, b'"') => &[b"#{"],
            (Language::Perl, b'"') => &[b"@{", b"${", b"$", b"@"],
            (Language::Php, b'"') => &[b"$"],
            _ => &[],
        };
        let mixed = mixes.iter().any(|part| find(&value, part).is_some());
        self.tokens.push(if mixed { Token::Mixed } else { Token::Text(value) });
        // Code within a text of perl or ruby may call anything.
        if self.language == Language::Perl || self.language == Language::Ruby {
            let text = &self.text[..self.at];
            let last = &text[text.len().saturating_sub(4096)..];
            if mixed && (find(last, b"@{").is_some() || find(last, b"#{").is_some()) {
                self.tokens.push(Token::Name("eval".to_owned()));
            }
        }
        Some(())
    }

    fn python_string(&self, mark: u8) -> Option<(Vec<u8>, usize)> {
        let triple = [mark; 3];
        if self.starts(&triple) {
            let from = self.at + 3;
            let end = find(&self.text[from..], &triple)?;
            return Some((self.text[from..from + end].to_vec(), from + end + 3));
        }
        self.until(self.at + 1, mark)
    }

    fn template(&mut self) -> Option<()> {
        let (value, next) = self.until(self.at + 1, b'`')?;
        let mixed = find(&value, b"${").is_some();
        self.tokens.push(if mixed { Token::Mixed } else { Token::Text(value) });
        self.at = next;
        Some(())
    }

    /// Up to the mark, with backslashes taken away.
    fn until(&self, mut at: usize, mark: u8) -> Option<(Vec<u8>, usize)> {
        let mut value = Vec::new();
        loop {
            match *self.text.get(at)? {
                b'\\' => {
                    let next = *self.text.get(at + 1)?;
                    value.push(if next == b'n' { b'\n' } else { next });
                    at += 2;
                }
                byte if byte == mark => return Some((value, at + 1)),
                byte => {
                    value.push(byte);
                    at += 1;
                }
            }
        }
    }

    /// `q`, `qq`, `qw`, `qx`, `m`, `s`, `tr`, `y` with marks of their own.
    fn perl_quote(&mut self, name: &str) -> Option<bool> {
        let parts = match name {
            "q" | "qq" | "qw" | "qx" | "m" | "qr" => 1,
            "s" | "tr" | "y" => 2,
            _ => return Some(false),
        };
        let Some(mark) = self.peek(0).filter(|byte| !byte.is_ascii_alphanumeric()) else {
            return Some(false);
        };
        if mark.is_ascii_whitespace() || matches!(mark, b',' | b';' | b')' | b'=') {
            return Some(false);
        }
        let (value, mut next) = self.perl_part(self.at, mark)?;
        if parts == 2 {
            next = if closing(mark) == mark {
                self.until(next, mark)?.1
            } else {
                let open = self.text.get(next).copied()?;
                self.perl_part(next, open)?.1
            };
        }
        self.at = next;
        let from = self.at;
        self.skip_letters();
        let flags = &self.text[from..self.at];
        match name {
            "qx" => self.tokens.push(Token::Command(value)),
            "q" => self.tokens.push(Token::Text(value)),
            "s" if flags.contains(&b'e') => self.tokens.push(Token::Name("eval".to_owned())),
            "qq" if value.iter().any(|byte| b"$@\\".contains(byte)) => {
                self.tokens.push(Token::Mixed);
            }
            "qq" => self.tokens.push(Token::Text(value)),
            _ => self.tokens.push(Token::Value),
        }
        if find(&value_of(&self.text[..self.at]), b"(?{").is_some() {
            return None;
        }
        Some(true)
    }

    /// `%x(text)` of ruby: a shell reads it.
    fn percent(&mut self) -> Option<()> {
        let mark = self.peek(2).filter(|byte| byte.is_ascii_punctuation())?;
        let (value, next) = self.perl_part(self.at + 2, mark)?;
        self.tokens.push(Token::Command(value));
        self.at = next;
        Some(())
    }

    fn perl_part(&self, at: usize, mark: u8) -> Option<(Vec<u8>, usize)> {
        self.until(at + 1, closing(mark))
    }
}

fn value_of(text: &[u8]) -> Vec<u8> {
    text[text.len().saturating_sub(1024)..].to_vec()
}

fn closing(mark: u8) -> u8 {
    match mark {
        b'{' => b'}',
        b'(' => b')',
        b'[' => b']',
        b'<' => b'>',
        other => other,
    }
}

fn is_prefix(name: &str) -> bool {
    name.len() <= 2 && name.bytes().all(|byte| b"fFrRbBuU".contains(&byte))
}

pub(super) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|found| found == part)
}
