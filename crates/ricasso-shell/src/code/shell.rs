//! Shells: their `-c` argument, the file they are given, the input they read.
//!
//! A shell that is given neither a text nor a file reads commands from its standard input.

use crate::tree::{Command, Operator, Part, Piece, Word};

use super::text::{joined, of_parts};
use super::{Collect, How};

const SHELLS: [&[u8]; 10] =
    [b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"mksh", b"rbash", b"fish", b"su"];

/// Long options that take the next word.
const LONG_WITH_WORD: [&[u8]; 2] = [b"--rcfile", b"--init-file"];

/// What the words behind a shell's name ask for.
enum Asks<'s> {
    Text(&'s Word),
    File(&'s Word),
    Input,
    Nothing,
}

impl<'s> Collect<'s> {
    pub(super) fn shell_words(&mut self, command: &'s Command, name: &[u8], words: &'s [Word]) {
        let name = name.strip_prefix(b"-").unwrap_or(name);
        if !SHELLS.contains(&name) {
            return;
        }
        match asks(words) {
            Asks::Text(word) => {
                let text = joined(std::slice::from_ref(word), &self.script.text);
                self.add(How::ShellArgument, word.span, text);
            }
            Asks::File(word) if is_input(word) => {
                self.add(How::Source, word.span, None);
                self.reads_input(command);
            }
            Asks::File(word) => self.add(How::Source, word.span, None),
            Asks::Input => self.reads_input(command),
            Asks::Nothing => {}
        }
    }

    /// `source FILE`.
    pub(super) fn source(&mut self, file: &'s Word) {
        self.add(How::Source, file.span, None);
        if is_input(file) {
            self.readers.push(file.span);
        }
    }

    /// A shell that reads its standard input.
    fn reads_input(&mut self, command: &'s Command) {
        self.readers.push(command.span);
        let stdin = command.redirects.iter().filter(|redirect| {
            matches!(
                redirect.operator,
                Operator::Read | Operator::ReadWrite | Operator::DuplicateIn
            )
        });
        for redirect in stdin {
            self.add(How::ShellInput, redirect.target.span, None);
        }
    }

    /// The text of a here-document or here-string.
    pub(super) fn here_text(&self, parts: &[Part], end: usize) -> Option<super::Text> {
        of_parts(parts, &self.script.text, end)
    }
}

fn asks(words: &[Word]) -> Asks<'_> {
    let mut takes_text = false;
    let mut reads = false;
    let mut rest = words;
    while let Some(word) = rest.first() {
        let Some(text) = word.value() else { break };
        let option = text.len() > 1 && matches!(text[0], b'-' | b'+');
        if !option {
            break;
        }
        rest = &rest[1..];
        if text.starts_with(b"--") {
            if &*text == b"--" {
                break;
            }
            if matches!(&*text, b"--version" | b"--help") {
                return Asks::Nothing;
            }
            if text.starts_with(b"--command") {
                takes_text = true;
            }
            if LONG_WITH_WORD.contains(&&*text) {
                rest = rest.get(1..).unwrap_or_default();
            }
            continue;
        }
        takes_text |= text[1..].contains(&b'c');
        reads |= text[1..].contains(&b's');
        if matches!(text.last(), Some(b'o' | b'O')) {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    match rest.first() {
        Some(word) if takes_text => Asks::Text(word),
        Some(_) if reads => Asks::Input,
        Some(word) => Asks::File(word),
        None if takes_text => Asks::Nothing,
        None => Asks::Input,
    }
}

/// Whether a file is, or may be, the standard input.
fn is_input(word: &Word) -> bool {
    match word.value() {
        Some(path) => &*path == b"-" || path.starts_with(b"/dev/") || path.starts_with(b"/proc/"),
        None => word.parts.iter().any(|part| matches!(part.kind, Piece::Parameter(_))),
    }
}
