//! Shell text to simple commands: the one place that knows the reader.
//!
//! Everything behind it works on words that are known or not. It must never expand, run or open
//! anything.

use super::value::Shell;
use crate::request::ScriptShell;

/// One command of a text: its words, `None` where one is not known before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    /// The words; the first is the program.
    pub(super) words: Vec<Option<Vec<u8>>>,
    /// Variables that are set for this command or for the rest of the text.
    pub(super) assigned: Vec<Vec<u8>>,
    /// First byte of its name to last byte of its last word, in the text as sent.
    pub(super) span: [usize; 2],
}

/// What a text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Walked {
    /// Every command, wherever it hides.
    pub(super) commands: Vec<Simple>,
    /// Where the text stops to be readable, and why.
    pub(super) unreadable: Option<(usize, String)>,
}

/// The shell that reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// bash, and zsh as far as it agrees.
    Bash,
    /// The POSIX shell.
    Sh,
}

impl Reads {
    /// The policy's shell.
    pub(super) fn of(shell: &Shell) -> Self {
        match shell {
            Shell::Sh => Reads::Sh,
            Shell::Bash | Shell::Zsh => Reads::Bash,
            Shell::Path(path) if path.ends_with("sh") || path.ends_with("dash") => Reads::Sh,
            Shell::Path(_) => Reads::Bash,
        }
    }

    /// A script's shell.
    pub(super) fn of_script(shell: ScriptShell) -> Self {
        match shell {
            ScriptShell::Sh => Reads::Sh,
            ScriptShell::Bash | ScriptShell::Zsh => Reads::Bash,
        }
    }
}

/// Reads a text.
pub(super) fn walk(text: &[u8], _reads: Reads) -> Walked {
    stand_in::walk(text)
}

/// A deliberately small reader: quotes, `;`, `&`, `|`, newlines and comments. Whatever else a
/// shell gives a meaning is an unknown word or makes the text unreadable, never a guess.
mod stand_in {
    use super::{Simple, Walked};

    pub(super) fn walk(text: &[u8]) -> Walked {
        let mut walked = Walked::default();
        let mut open = Open::default();
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b' ' | b'\t' => {
                    open.end_word(at);
                    at += 1;
                }
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' => {
                    open.end_command(at, &mut walked);
                    at += 1;
                }
                b'#' if open.word.is_none() => {
                    at += text[at..].iter().position(|b| *b == b'\n').unwrap_or(text.len() - at);
                }
                quote @ (b'\'' | b'"') => match text[at + 1..].iter().position(|b| *b == quote) {
                    Some(length) => {
                        let inside = &text[at + 1..at + 1 + length];
                        let plain = quote == b'\'' || !inside.iter().any(|b| b"$`\\".contains(b));
                        open.push(at, inside, plain);
                        at += length + 2;
                    }
                    None => {
                        open.end_command(at, &mut walked);
                        let reason = "a quote is never closed".to_string();
                        walked.unreadable = Some((at, reason));
                        return walked;
                    }
                },
                b'\\' if text.get(at + 1).is_some_and(|next| *next != b'\n') => {
                    open.push(at, &text[at + 1..at + 2], true);
                    at += 2;
                }
                byte => {
                    let plain = !b"$`*?[]{}~<>\\!".contains(&byte);
                    open.push(at, &[byte], plain);
                    at += 1;
                }
            }
        }
        open.end_command(text.len(), &mut walked);
        walked
    }

    #[derive(Default)]
    struct Open {
        word: Option<(usize, Vec<u8>, bool)>,
        words: Vec<Option<Vec<u8>>>,
        assigned: Vec<Vec<u8>>,
        start: usize,
        end: usize,
    }

    impl Open {
        fn push(&mut self, at: usize, bytes: &[u8], plain: bool) {
            let word = self.word.get_or_insert((at, Vec::new(), true));
            word.1.extend_from_slice(bytes);
            word.2 &= plain;
        }

        fn end_word(&mut self, at: usize) {
            let Some((start, bytes, known)) = self.word.take() else {
                return;
            };
            if self.words.is_empty() {
                if let Some(name) = assigned_name(&bytes) {
                    self.assigned.push(name.to_vec());
                    return;
                }
                self.start = start;
            }
            self.end = at;
            self.words.push(known.then_some(bytes));
        }

        fn end_command(&mut self, at: usize, walked: &mut Walked) {
            self.end_word(at);
            let words = std::mem::take(&mut self.words);
            let assigned = std::mem::take(&mut self.assigned);
            if !words.is_empty() || !assigned.is_empty() {
                let span = [self.start.min(self.end), self.end];
                walked.commands.push(Simple { words, assigned, span });
            }
        }
    }

    fn assigned_name(word: &[u8]) -> Option<&[u8]> {
        let at = word.iter().position(|byte| *byte == b'=')?;
        let name = &word[..at];
        let good = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        (!name.is_empty() && name.iter().all(good)).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let show = |word: Option<Vec<u8>>| {
            word.map_or("?".to_string(), |word| String::from_utf8(word).unwrap())
        };
        let walked = walk(text.as_bytes(), Reads::Bash);
        walked.commands.into_iter().map(|c| c.words.into_iter().map(show).collect()).collect()
    }

    #[test]
    fn every_command_is_found_with_its_words() {
        assert_eq!(
            words("git push && rm -rf '/a b'"),
            [vec!["git", "push"], vec!["rm", "-rf", "/a b"]]
        );
        assert_eq!(words("A=1 $CMD x"), [vec!["?", "x"]]);
        assert_eq!(words("r\\m x # y"), [vec!["rm", "x"]]);
    }

    #[test]
    fn spans_run_from_the_name_to_the_last_word() {
        let walked = walk(b"A=1 git push ; ls", Reads::Bash);
        assert_eq!(walked.commands[0].span, [4, 12]);
        assert_eq!(walked.commands[1].span, [15, 17]);
    }

    #[test]
    fn an_open_quote_is_unreadable() {
        assert_eq!(walk(b"ls 'a", Reads::Bash).unreadable.map(|(at, _)| at), Some(3));
    }
}
