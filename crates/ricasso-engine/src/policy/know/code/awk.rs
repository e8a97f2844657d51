//! Programs of awk: redirections, pipes, `system`, `getline`.

use crate::policy::know::{Act, Does};
use crate::policy::word::{Becomes, Piece, Word};

/// The acts of a program, or `None` where it is not followed.
pub(super) fn acts(text: &[u8], at: usize) -> Option<Vec<Act>> {
    let tokens = tokens(text)?;
    let mut scan = Scan { tokens: &tokens, at, acts: Vec::new() };
    scan.all()?;
    Some(scan.acts)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(Vec<u8>),
    Name(String),
    Number,
    Regex,
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

/// Signs, the longer before the shorter.
const SIGNS: &[&str] = &[
    ">>", "||", "|&", "&&", "==", "!=", ">=", "<=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=",
    "**", ">", "<", "|", "{", "}", "(", ")", "[", "]", ";", ",", "?", ":", "!", "~", "$", "=", "+",
    "-", "*", "/", "%", "^", "@",
];

fn tokens(text: &[u8]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b'\n' => {
                tokens.push(Token::End);
                at += 1;
            }
            b'\\' if text.get(at + 1) == Some(&b'\n') => at += 2,
            _ if byte.is_ascii_whitespace() => at += 1,
            b'#' => {
                while text.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
            b'"' => {
                let (value, next) = string(text, at + 1)?;
                tokens.push(Token::Text(value));
                at = next;
            }
            b'/' if !ends_value(tokens.last()) => {
                at = regex(text, at + 1)?;
                tokens.push(Token::Regex);
            }
            b'0'..=b'9' | b'.' => {
                while text.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.') {
                    at += 1;
                }
                tokens.push(Token::Number);
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let from = at;
                let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':';
                while text.get(at).is_some_and(|b| {
                    part(b)
                        && (*b != b':' || text.get(at + 1) == Some(&b':') || text[at - 1] == b':')
                }) {
                    at += 1;
                }
                tokens.push(Token::Name(String::from_utf8_lossy(&text[from..at]).into_owned()));
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| text[at..].starts_with(sign.as_bytes()))?;
                tokens.push(Token::Sign(sign));
                at += sign.len();
            }
        }
    }
    tokens.push(Token::End);
    Some(tokens)
}

/// Whether a `/` after this token divides.
fn ends_value(token: Option<&Token>) -> bool {
    match token {
        Some(Token::Text(_) | Token::Number | Token::Regex) => true,
        Some(Token::Name(name)) => !matches!(
            name.as_str(),
            "print" | "printf" | "return" | "in" | "getline" | "case" | "do" | "else"
        ),
        Some(Token::Sign(sign)) => matches!(*sign, ")" | "]" | "$" | "++" | "--"),
        Some(Token::End) | None => false,
    }
}

fn string(text: &[u8], mut at: usize) -> Option<(Vec<u8>, usize)> {
    let mut value = Vec::new();
    loop {
        match *text.get(at)? {
            b'"' => return Some((value, at + 1)),
            b'\\' => {
                let next = *text.get(at + 1)?;
                // Octal and hexadecimal escapes spell bytes that are not worked out here.
                if next.is_ascii_digit() || next == b'x' {
                    return None;
                }
                value.push(if next == b'n' { b'\n' } else { next });
                at += 2;
            }
            byte => {
                value.push(byte);
                at += 1;
            }
        }
    }
}

fn regex(text: &[u8], mut at: usize) -> Option<usize> {
    let mut bracket = false;
    loop {
        match *text.get(at)? {
            b'\\' => at += 1,
            b'[' => bracket = true,
            b']' => bracket = false,
            b'/' if !bracket => return Some(at + 1),
            b'\n' => return None,
            _ => {}
        }
        at += 1;
    }
}

/// Whether a command is a shell that reads what is printed to it.
fn is_shell(command: &[u8]) -> bool {
    let mut words = command.split(|byte| byte.is_ascii_whitespace()).filter(|it| !it.is_empty());
    let name = words.next().unwrap_or_default();
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    matches!(name, b"sh" | b"bash" | b"dash" | b"zsh" | b"ksh" | b"ash")
        && words.all(|word| matches!(word, b"-s" | b"-" | b"-e" | b"-x"))
}

struct Scan<'t> {
    tokens: &'t [Token],
    at: usize,
    acts: Vec<Act>,
}

impl Scan<'_> {
    fn all(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        // The depth of brackets at which the open `print` stands.
        let mut print: Option<usize> = None;
        let mut getline = false;
        for number in 0..self.tokens.len() {
            match &self.tokens[number] {
                Token::Name(name) => match name.as_str() {
                    "print" | "printf" => print = Some(depth),
                    "getline" => getline = true,
                    "system" => self.system(number),
                    "ENVIRON" => self.environment(number),
                    // Files that are read next can be set by these.
                    "ARGV" | "ARGC" | "PROCINFO" | "SYMTAB" | "FUNCTAB" => return None,
                    _ => {}
                },
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") => {
                    depth = depth.checked_sub(1)?;
                    getline = false;
                }
                Token::Sign("@") => return None,
                Token::Sign(">" | ">>") if print == Some(depth) => self.redirect(number),
                Token::Sign("|" | "|&") => self.pipe(number, print == Some(depth))?,
                Token::Sign("<") if getline => {
                    let target = self.after(number);
                    self.push(Does::Read, target);
                    getline = false;
                }
                Token::Sign(";" | "{" | "}") | Token::End => {
                    print = None;
                    getline = false;
                }
                Token::Text(text) if text.starts_with(b"/inet") => {
                    self.push(Does::Connect, Word::of(text.clone()));
                }
                Token::Text(_) | Token::Number | Token::Regex | Token::Sign(_) => {}
            }
        }
        Some(())
    }

    fn push(&mut self, does: Does, word: Word) {
        let known = word.known().unwrap_or_default();
        if let Some(rest) = word.head().strip_prefix(b"/inet") {
            let host = rest.split(|byte| *byte == b'/').nth(3).unwrap_or_default();
            let host = if host.is_empty() { Word::unknown() } else { Word::of(host) };
            self.acts.push(Act::with(Does::Connect, &host, self.at));
        } else if !matches!(known, b"/dev/stdout" | b"/dev/stderr" | b"/dev/stdin" | b"-")
            || does == Does::RunText
        {
            self.acts.push(Act::with(does, &word, self.at));
        }
    }

    fn redirect(&mut self, number: usize) {
        let does =
            if self.tokens[number] == Token::Sign(">>") { Does::Append } else { Does::Overwrite };
        let target = self.after(number);
        self.push(does, target);
    }

    /// `print | "command"`, or `"command" | getline`.
    fn pipe(&mut self, number: usize, prints: bool) -> Option<()> {
        let gets = self.tokens.get(number + 1) == Some(&Token::Name("getline".to_owned()));
        let word = if gets {
            self.before(number)
        } else if prints || self.tokens[number] == Token::Sign("|&") {
            self.after(number)
        } else {
            return None;
        };
        let shell = word.known().is_some_and(is_shell);
        self.push(Does::RunText, word);
        if shell && !gets {
            let printed = self.printed(number);
            self.push(Does::RunText, printed);
        }
        Some(())
    }

    /// What the `print` before this pipe prints, where it is one text.
    fn printed(&self, number: usize) -> Word {
        match self.tokens.get(..number) {
            Some([.., Token::Name(name), Token::Text(text)]) if name.starts_with("print") => {
                Word::of(text.clone())
            }
            Some(_) | None => Word::unknown(),
        }
    }

    fn system(&mut self, number: usize) {
        if self.tokens.get(number + 1) == Some(&Token::Sign("(")) {
            let word = self.after(number + 1);
            self.push(Does::RunText, word);
        }
    }

    /// One variable by its name is no dump.
    fn environment(&mut self, number: usize) {
        let named = self.tokens.get(number + 1) == Some(&Token::Sign("["))
            && matches!(self.tokens.get(number + 2), Some(Token::Text(_)));
        if !named {
            self.acts.push(Act { at: self.at, ..Act::of(Does::ShowEnvironment) });
        }
    }

    /// What follows: a text, a text with more, or nothing that is known.
    fn after(&self, number: usize) -> Word {
        let Some(Token::Text(text)) = self.tokens.get(number + 1) else { return Word::unknown() };
        match self.tokens.get(number + 2) {
            Some(Token::End | Token::Sign(";" | "}" | ")" | ",")) | None => Word::of(text.clone()),
            Some(_) => Word::new([Piece::Known(text.clone()), Piece::Unknown], Becomes::One),
        }
    }

    fn before(&self, number: usize) -> Word {
        let Some(Token::Text(text)) = number.checked_sub(1).and_then(|at| self.tokens.get(at))
        else {
            return Word::unknown();
        };
        match number.checked_sub(2).and_then(|at| self.tokens.get(at)) {
            Some(Token::End | Token::Sign(";" | "{" | "}" | "(" | "&&" | "||" | "!")) | None => {
                Word::of(text.clone())
            }
            Some(_) => Word::unknown(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        acts(text.as_bytes(), 0).map(|acts| super::super::shown(&acts))
    }

    #[test]
    fn comparisons_print_and_nothing_else() {
        for text in [
            "{print $1}",
            "$3 > 100 {print $1}",
            "NR>1 && $2>0",
            "/https:/ {n++} END {print n}",
            "{ if ($1 > max) max = $1 } END { print max }",
            "BEGIN{x=\"a|b\"; n=split(x,p,\"|\"); print n}",
            "{ printf \"%s\\n\", ($1 > 3 ? \"a\" : \"b\") }",
            "length($0) > 100 {print FILENAME \":\" FNR}",
            "{print $1/2, $2 / 3}",
            "{getline; print}",
            "{print ENVIRON[\"HOME\"]}",
            "{a[$1]++} END{for(k in a) print k, a[k]}",
            "{print > \"/dev/stderr\"}",
            "$1 ~ /a|b/ || $2",
            "{gsub(/[/]/, \"x\"); print}",
        ] {
            assert_eq!(told(text).as_deref(), Some(""), "{text}");
        }
    }

    #[test]
    fn redirections_pipes_and_calls_are_found() {
        for (text, expected) in [
            ("BEGIN{system(\"touch x\")}", "RunText touch x"),
            ("BEGIN{system(c)}", "RunText …"),
            ("BEGIN{\"touch x\"|getline}", "RunText touch x"),
            ("BEGIN{c | getline}", "RunText …"),
            ("BEGIN{print \"x\" > \"/tmp/y\"}", "Overwrite /tmp/y"),
            ("BEGIN{print \"x\" >> \"/tmp/y\"}", "Append /tmp/y"),
            ("BEGIN{printf(\"x\")>\"/tmp/y\"}", "Overwrite /tmp/y"),
            ("{print>\"out/\"$1}", "Overwrite out/…"),
            ("{print > $1\".txt\"}", "Overwrite …"),
            ("BEGIN{print \"x\" |& \"touch x\"}", "RunText touch x"),
            ("BEGIN{while((getline l < \"/etc/x\") > 0) print l}", "Read /etc/x"),
            ("{print | \"sort\"}", "RunText sort"),
            ("{print \"rm x\" | \"sh\"}", "RunText sh, RunText rm x"),
            ("{print $1 | \"/bin/sh\"}", "RunText /bin/sh, RunText …"),
            ("BEGIN{for(k in ENVIRON) print k}", "ShowEnvironment "),
            (
                "BEGIN{s=\"/inet/tcp/0/h.example/80\"; print \"x\" |& s}",
                "Connect h.example, RunText …",
            ),
            (
                "BEGIN{print \"x\" |& \"/inet/tcp/0/h.example/80\"}",
                "Connect h.example, Connect h.example",
            ),
        ] {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(told("BEGIN{@f()}"), None);
        assert_eq!(told("BEGIN{ARGV[1]=\"/x\"}"), None);
    }
}
