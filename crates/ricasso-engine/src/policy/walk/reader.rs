//! Which shell reads a text: the program that is handed it says so, never the shell around it.
//!
//! Where that is not certain the text is read both ways, and what either reading starts counts.

use super::super::word::Word;
use super::command::{By, Call, base_name, text_of};
use super::expand::Argument;
use super::seen::{Mark, Seen};
use super::state::{State, Text, Value};
use super::stream::Stream;
use super::{Feed, Inner, Reads, Walker};
use ricasso_shell::Script;
use std::rc::Rc;

/// Shells with braces, arrays, `$'…'` and process substitution.
const LIKE_BASH: [&[u8]; 8] =
    [b"bash", b"rbash", b"zsh", b"rzsh", b"ksh", b"mksh", b"oksh", b"pdksh"];

/// Shells that read what POSIX says, and nothing else.
const LIKE_SH: [&[u8]; 3] = [b"dash", b"posh", b"yash"];

/// Shells that go by another name, or that are something between the two.
const BETWEEN: [&[u8]; 4] = [b"sh", b"ash", b"hush", b"busybox"];

/// Stands among exported names for all of them; no variable is called so.
const EVERYTHING: &[u8] = b"*";

/// Who reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// bash, and its like.
    Bash,
    /// zsh, which is read as bash is.
    Zsh,
    /// The POSIX shell.
    Sh,
    /// One of the two; nobody can say which.
    Either,
}

impl Reader {
    /// Whoever is handed a text by this command.
    pub(super) fn of(seen: &Seen) -> Self {
        let real = seen.program.as_ref().map(|it| it.real.as_os_str().as_encoded_bytes());
        let names = [real, seen.program_word()];
        let known = names.into_iter().flatten().find_map(|name| by_name(base_name(name)));
        known.unwrap_or(Reader::Either)
    }

    /// The readings of a text, without those that say the same or that nobody can read.
    fn readings(self, text: &[u8]) -> Vec<(Reads, Rc<Script>)> {
        let read = |reads: Reads| (reads, Rc::new(ricasso_shell::read(text, reads.shell())));
        match self {
            Reader::Bash => vec![read(Reads::Bash)],
            Reader::Zsh => vec![read(Reads::Zsh)],
            Reader::Sh => vec![read(Reads::Sh)],
            Reader::Either => {
                let (bash, sh) = (read(Reads::Bash), read(Reads::Sh));
                // Documents lie beside the tree, so that equal trees do not vouch for them.
                let same = bash.1.body == sh.1.body && !text.windows(2).any(|it| it == b"<<");
                match (bash.1.unreadable().is_some(), sh.1.unreadable().is_some()) {
                    _ if same => vec![bash],
                    (true, false) => vec![sh],
                    (false, true) => vec![bash],
                    (true, true) | (false, false) => vec![bash, sh],
                }
            }
        }
    }
}

impl From<Reads> for Reader {
    fn from(reads: Reads) -> Self {
        match reads {
            Reads::Bash => Reader::Bash,
            Reads::Zsh => Reader::Zsh,
            Reads::Sh => Reader::Sh,
        }
    }
}

/// The shell that a name stands for, where it stands for one.
pub(super) fn by_name(name: &[u8]) -> Option<Reader> {
    // Versions and builds are part of the name: bash5, ksh93, zsh-5.9.
    let is = |list: &[&[u8]]| list.iter().any(|known| name.starts_with(known));
    match (is(&LIKE_BASH), is(&LIKE_SH)) {
        (true, _) if is(&[b"zsh", b"rzsh"]) => Some(Reader::Zsh),
        (true, _) => Some(Reader::Bash),
        (false, true) => Some(Reader::Sh),
        (false, false) => None,
    }
}

/// Whether a command is a shell whose texts can be followed.
pub(super) fn is_shell(seen: &Seen) -> bool {
    seen.names.iter().any(|name| is_shell_name(base_name(name)))
}

/// Whether a name is that of such a shell.
pub(super) fn is_shell_name(name: &[u8]) -> bool {
    by_name(name).is_some() || BETWEEN.contains(&name)
}

impl Walker<'_> {
    /// Walks a text in each of its readings.
    pub(super) fn inner_fed(&mut self, text: &[u8], feed: &Feed) {
        if self.calls.len() > super::MAX_DEPTH {
            self.overflow();
            return;
        }
        let reads = self.reads;
        let readings = reads.readings(text);
        let frame = self.frame;
        self.frame = self.frame_of(text);
        if readings.iter().all(|(_, script)| script.unreadable().is_some()) {
            let mut seen = self.seen(&[], self.here);
            seen.mark(Mark::Unreadable);
            self.push(seen);
        }
        self.calls.push(Vec::new());
        let before = self.state.clone();
        let outer = std::mem::take(&mut self.printed);
        let mut earlier: Option<(State, Stream)> = None;
        for (reads, script) in readings {
            self.reads = reads.into();
            self.state = before.clone();
            self.printed = Stream::Nothing;
            self.list(&script, &script.body, feed);
            if let Some((state, printed)) = earlier.take() {
                self.state.join(&state);
                if printed != self.printed {
                    self.printed = Stream::unknown(printed.from().max(self.printed.from()));
                }
            }
            earlier = Some((self.state.clone(), self.printed.clone()));
        }
        let printed = std::mem::replace(&mut self.printed, outer);
        self.printed.then(printed);
        self.calls.pop();
        self.frame = frame;
        self.reads = reads;
    }

    /// Does something in a process of its own, whose texts this reader reads. What it sets is gone
    /// afterwards, what it made stays. Functions may have been exported; no more is known.
    pub(super) fn in_process(&mut self, reader: Reader, walk: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        let reads = std::mem::replace(&mut self.reads, reader);
        if self.state.functions.values().flatten().any(|function| function.sure) {
            let functions = Rc::make_mut(&mut self.state.functions);
            functions.values_mut().flatten().for_each(|function| function.sure = false);
        }
        self.leave_behind();
        walk(self);
        self.reads = reads;
        let after = std::mem::replace(&mut self.state, before);
        self.state.join_made(&after);
    }

    /// Variables that are not exported do not reach another process.
    fn leave_behind(&mut self) {
        let exported = |name: &[u8]| {
            [name, EVERYTHING].iter().any(|name| self.state.exported.contains(*name))
                || self.environment.iter().any(|(known, _)| known.as_slice() == name)
                || self.look.variable(name).is_some()
        };
        let left: Vec<Vec<u8>> =
            self.state.names().filter(|name| !exported(name)).map(<[u8]>::to_vec).collect();
        for name in left {
            self.state.set(&name, Value::Unset);
        }
    }

    /// `set -a`: from now on every variable is exported.
    pub(super) fn exports_all(&mut self, words: &[Argument]) {
        let all = |word: &[u8]| {
            let bundle = word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&b'a');
            bundle || word == b"allexport"
        };
        if words.iter().any(|it| it.word.known().is_some_and(all)) {
            Rc::make_mut(&mut self.state.exported).insert(EVERYTHING.to_vec());
        }
    }

    /// A file that the text wrote and now starts: its first line names who reads it.
    pub(super) fn run_file(&mut self, name: &[u8], text: &[u8], call: &Call) {
        match interpreter(text) {
            // Whoever it names is handed the file, and notes that it is being walked.
            Some(words) => {
                let own = words.into_iter().chain([name.to_vec()]);
                let own = own.map(|word| Argument::new(Word::of(word), call.span));
                let arguments = own.chain(call.arguments[1..].iter().cloned()).collect();
                self.in_process(Reader::Either, |walker| walker.start(arguments, &[], call));
            }
            None => {
                // bash reads such a file itself, whoever else starts it hands it to sh.
                let reader = if call.by == By::Shell { self.reads } else { Reader::Either };
                let parameters = call.arguments[1..].iter().map(text_of).collect();
                let own_name = call.arguments.first().map(text_of).unwrap_or_default();
                self.calls.push(name.to_vec());
                self.in_process(reader, |walker| {
                    for (name, value) in &call.assigned {
                        walker.state.set(name, value.clone());
                    }
                    walker.state.parameters = Some(Rc::new(parameters));
                    walker.state.own_name = own_name;
                    walker.at_place(call.span, |walker| {
                        walker.run_text(&Text::of(text), Inner::Here, &call.feed);
                    });
                });
                self.calls.pop();
            }
        }
    }
}

/// What the first line of a script names: a program and at most one word, as the kernel splits it.
fn interpreter(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let line = text.split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?.trim_ascii();
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let at = line.iter().position(blank).unwrap_or(line.len());
    let rest = line[at..].trim_ascii();
    let words = [&line[..at], rest].into_iter().filter(|word| !word.is_empty());
    Some(words.map(<[u8]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Described;

    #[test]
    fn sh_reads_what_the_shell_behind_its_link_reads() {
        let bash = Described::new().link("/bin/sh", "/usr/bin/bash");
        let dash = Described::new().link("/bin/sh", "/usr/bin/dash");
        assert_eq!(Reads::Sh.here(&bash), Reads::Bash);
        assert_eq!(Reads::Sh.here(&dash), Reads::Sh);
        assert_eq!(Reads::Sh.here(&Described::new()), Reads::Sh);
        assert_eq!(Reads::Bash.here(&dash), Reads::Bash);
    }

    #[test]
    fn names_of_shells_carry_versions() {
        assert_eq!(by_name(b"bash5"), Some(Reader::Bash));
        assert_eq!(by_name(b"zsh-5.9"), Some(Reader::Zsh));
        assert_eq!(by_name(b"dash"), Some(Reader::Sh));
        assert_eq!(by_name(b"sh"), None);
        assert_eq!(by_name(b"busybox"), None);
    }
}
