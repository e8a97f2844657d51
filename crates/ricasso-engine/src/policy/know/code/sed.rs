//! Scripts of sed: what they read, write and run.

use crate::policy::know::{Act, Does};
use crate::policy::word::Word;

/// The acts of a script, or `None` where it is not followed.
pub(super) fn acts(text: &[u8], at: usize) -> Option<Vec<Act>> {
    let mut script = Script { text, next: 0 };
    let mut acts = Vec::new();
    while script.skip_to_command() {
        script.addresses()?;
        let Some(command) = script.take() else { break };
        match command {
            b'{' | b'}' => {}
            b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P' | b'x'
            | b'z' | b'F' => {}
            b'q' | b'Q' | b'l' | b'L' => script.skip_number(),
            b'b' | b't' | b'T' => script.skip_label(),
            b':' | b'v' => {
                script.line();
            }
            b'a' | b'i' | b'c' => script.skip_text(),
            b'y' => {
                let mark = script.take()?;
                script.part(mark)?;
                script.part(mark)?;
            }
            b's' => substitute(&mut script, at, &mut acts)?,
            b'r' | b'R' => file(Does::Read, script.line(), at, &mut acts),
            b'w' | b'W' => file(Does::Overwrite, script.line(), at, &mut acts),
            b'e' => run(script.line(), at, &mut acts),
            b'#' => {
                script.line();
            }
            _ => return None,
        }
    }
    Some(acts)
}

fn substitute(script: &mut Script<'_>, at: usize, acts: &mut Vec<Act>) -> Option<()> {
    let mark = script.take()?;
    script.part(mark)?;
    script.part(mark)?;
    while let Some(flag) = script.peek() {
        match flag {
            b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => {}
            b'e' => acts.push(Act::with(Does::RunText, &Word::unknown(), at)),
            b'w' => {
                script.next += 1;
                file(Does::Overwrite, script.line(), at, acts);
                return Some(());
            }
            _ => return Some(()),
        }
        script.next += 1;
    }
    Some(())
}

fn file(does: Does, name: &[u8], at: usize, acts: &mut Vec<Act>) {
    if !matches!(name, b"/dev/stdout" | b"/dev/stderr" | b"/dev/stdin") {
        acts.push(Act::with(does, &Word::of(name), at));
    }
}

/// `e` alone runs what the pattern space holds.
fn run(command: &[u8], at: usize, acts: &mut Vec<Act>) {
    let word = if command.is_empty() { Word::unknown() } else { Word::of(command) };
    acts.push(Act::with(Does::RunText, &word, at));
}

struct Script<'t> {
    text: &'t [u8],
    next: usize,
}

impl<'t> Script<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.next).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.next += 1;
        Some(byte)
    }

    fn skip_while(&mut self, skips: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&skips) {
            self.next += 1;
        }
    }

    fn skip_to_command(&mut self) -> bool {
        self.skip_while(|byte| byte.is_ascii_whitespace() || byte == b';');
        self.peek().is_some()
    }

    /// Up to two addresses, and `!`.
    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.skip_while(|byte| byte == b' ');
        if self.peek() == Some(b',') {
            self.next += 1;
            self.skip_while(|byte| byte == b' ');
            self.address()?;
        }
        self.skip_while(|byte| byte == b' ' || byte == b'!');
        Some(())
    }

    fn address(&mut self) -> Option<()> {
        match self.peek() {
            Some(b'0'..=b'9' | b'$' | b'+' | b'~') => {
                self.skip_while(|byte| byte.is_ascii_digit() || b"$+~".contains(&byte));
            }
            Some(b'/') => {
                self.next += 1;
                self.part(b'/')?;
                self.skip_while(|byte| byte == b'I' || byte == b'M');
            }
            Some(b'\\') => {
                self.next += 1;
                let mark = self.take()?;
                self.part(mark)?;
                self.skip_while(|byte| byte == b'I' || byte == b'M');
            }
            Some(_) | None => {}
        }
        Some(())
    }

    /// Up to the mark, which a backslash hides.
    fn part(&mut self, mark: u8) -> Option<()> {
        loop {
            match self.take()? {
                b'\\' => {
                    self.take()?;
                }
                byte if byte == mark => return Some(()),
                _ => {}
            }
        }
    }

    /// The rest of the line without blanks before it.
    fn line(&mut self) -> &'t [u8] {
        self.skip_while(|byte| byte == b' ' || byte == b'\t');
        let from = self.next;
        self.skip_while(|byte| byte != b'\n');
        &self.text[from..self.next]
    }

    fn skip_number(&mut self) {
        self.skip_while(|byte| byte == b' ' || byte.is_ascii_digit());
    }

    fn skip_label(&mut self) {
        self.skip_while(|byte| byte != b'\n' && byte != b';' && byte != b'}');
    }

    /// Text of `a`, `i`, `c`: to the end of a line that no backslash continues.
    fn skip_text(&mut self) {
        while let Some(byte) = self.take() {
            match byte {
                b'\\' => {
                    self.take();
                }
                b'\n' => return,
                _ => {}
            }
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
    fn what_only_edits_the_stream_does_nothing() {
        for text in [
            "s/a/woutput/",
            "s/w /x/;/e/d",
            "$!N;$!D",
            "/hello/{p;q}",
            "=",
            "l",
            "1,40p",
            "y/abc/wer/",
            "s/(a) (.*)/\\2 \\1/g; /^$/d",
            "/^## Usage/,/^## /p",
            "s#/etc/x#w#",
            "1w /dev/stdout",
            "a\\\nw x",
            "i hello w x",
            ":a;N;$!ba;s/\\n/ /g",
            "/x/I,+3d",
            "\\,a/b,d",
            "1~2d",
            "$d",
            "2q",
            "",
        ] {
            assert_eq!(told(text).as_deref(), Some(""), "{text}");
        }
    }

    #[test]
    fn files_and_commands_are_found() {
        for (text, expected) in [
            ("w/tmp/x", "Overwrite /tmp/x"),
            ("1W /tmp/x", "Overwrite /tmp/x"),
            ("1e touch x", "RunText touch x"),
            ("1etouch x", "RunText touch x"),
            ("s/.*/touch x/e", "RunText …"),
            ("$!{h;d};x;s#.*#touch x#;e", "RunText …"),
            ("s/a/b/gw out", "Overwrite out"),
            ("/x/r /etc/passwd", "Read /etc/passwd"),
            ("1{p\nw out\n}", "Overwrite out"),
            ("s/a/b/;s/c/d/w x", "Overwrite x"),
        ] {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(told("s/a"), None);
        assert_eq!(told("k"), None);
    }
}
