//! Shell text to simple commands: the one place that knows the reader.
//!
//! Everything behind it works on words that are known or not. It must never expand, run or open
//! anything.

use super::value::Shell;
use crate::request::ScriptShell;
use ricasso_shell::{Found, How, Script};

/// A text inside a text inside a text: deeper ones are unknown.
const MAX_DEPTH: usize = 8;

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

    /// The reader's name for it.
    pub(super) fn shell(self) -> ricasso_shell::Shell {
        match self {
            Reads::Bash => ricasso_shell::Shell::Bash,
            Reads::Sh => ricasso_shell::Shell::Sh,
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

/// Reads a text, and the texts inside it that become code in a way that no word of a command
/// shows: traps, and what a shell reads from its standard input.
pub(super) fn walk(text: &[u8], reads: Reads) -> Walked {
    let shell = match reads {
        Reads::Bash => ricasso_shell::Shell::Bash,
        Reads::Sh => ricasso_shell::Shell::Sh,
    };
    let script = ricasso_shell::read(text, shell);
    let mut walked = Walked::default();
    collect(&script, MAX_DEPTH, &mut walked.commands);
    walked.unreadable = script.unreadable().map(|it| (it.at, it.to_string()));
    if walked.unreadable.is_none() {
        walked.unreadable = broken(&script);
    }
    walked
}

/// The shell takes some texts at first and only then meets an error; what it does with the rest is
/// not understood, and so it counts as unreadable.
fn broken(script: &Script) -> Option<(usize, String)> {
    let code = script.code().find(|code| code.how == How::Broken)?;
    Some((code.span.start, "the shell meets an error here that its reader lets pass".into()))
}

fn collect(script: &Script, depth: usize, commands: &mut Vec<Simple>) {
    commands.extend(script.commands().map(|found| simple(&found)));
    for code in script.code() {
        match code.how {
            How::Trap | How::ShellInput | How::Expression | How::Expanded | How::Environment => {}
            // A word of a command shows these, and `wrap` follows it; a text that is broken is
            // unreadable as a whole.
            _ => continue,
        }
        match code.reread(script.shell()) {
            Some(inner) if depth > 0 && inner.unreadable().is_none() => {
                collect(&inner, depth - 1, commands);
            }
            Some(_) | None => commands.push(Simple {
                words: vec![None, None],
                assigned: Vec::new(),
                span: [code.span.start, code.span.end],
            }),
        }
    }
}

fn simple(found: &Found<'_>) -> Simple {
    let mut words = Vec::new();
    for word in found.words {
        match word.values() {
            Some(values) => words.extend(values.into_iter().map(Some)),
            None => words.push(None),
        }
    }
    let assigned = found.assignments.iter().map(|assignment| assignment.name.to_vec()).collect();
    Simple { words, assigned, span: [found.span.start, found.span.end] }
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
