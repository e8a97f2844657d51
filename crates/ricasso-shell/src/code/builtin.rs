//! Builtins that evaluate their arguments, and words that start another command.
//!
//! The list is of the shell's own builtins; what other programs do with their arguments is not
//! for the reader to know, but for the plain wrappers that lead to a shell.

use std::borrow::Cow;

use crate::tree::{Command, Piece, Word};

use super::text::{joined, span_of};
use super::{Collect, How};

/// Programs that start the program named by their first operand.
const WRAPPERS: [&[u8]; 17] = [
    b"command", b"exec", b"builtin", b"env", b"nohup", b"nice", b"sudo", b"doas", b"timeout",
    b"setsid", b"stdbuf", b"xargs", b"busybox", b"time", b"ionice", b"chroot", b"coproc",
];

/// Short options of wrappers that take the next word.
const OPTIONS_WITH_WORD: &[u8] = b"aunCgpckLnPsIdEhrtTDo";

impl<'s> Collect<'s> {
    /// Looks at the words of a command, and at those behind wrappers.
    pub(super) fn words(&mut self, command: &'s Command, words: &'s [Word]) {
        let mut rest = words;
        loop {
            let Some(first) = rest.first() else { return };
            let Some(value) = first.value() else {
                self.add(How::Name, first.span, None);
                return;
            };
            let name = base(&value).to_vec();
            self.builtin(&name, &rest[1..]);
            self.shell_words(command, &name, &rest[1..]);
            if !WRAPPERS.contains(&name.as_slice()) {
                return;
            }
            let behind = &rest[1..];
            let Some(span) = span_of(behind) else { return };
            self.add(How::Wrapped, span, None);
            rest = operands(&name, behind);
        }
    }

    fn builtin(&mut self, name: &[u8], arguments: &'s [Word]) {
        match name {
            b"eval" => self.evaluated(How::Eval, after_dashes(arguments)),
            b"trap" => {
                let operands = after_dashes(arguments);
                let prints = value(operands.first()).is_some_and(|word| {
                    matches!(&*word, b"-p" | b"-l" | b"-" | b"") || operands.len() < 2
                });
                if !prints {
                    self.evaluated(How::Trap, operands.get(..1).unwrap_or_default());
                }
            }
            b"." | b"source" => {
                if let Some(file) = after_dashes(arguments).first() {
                    self.source(file);
                }
            }
            b"alias" => {
                for word in arguments {
                    self.add(How::Alias, word.span, None);
                }
            }
            b"let" => {
                for word in arguments {
                    self.evaluated(How::Expression, std::slice::from_ref(word));
                }
            }
            b"test" | b"[" => self.named_behind(arguments, b"-v"),
            b"printf" => self.named_behind(arguments, b"-v"),
            b"wait" => self.named_behind(arguments, b"-p"),
            b"readonly" | b"export" => {
                arguments.iter().for_each(|word| self.target(word));
                self.array_values(arguments);
            }
            b"read" | b"unset" | b"mapfile" | b"readarray" => {
                arguments.iter().for_each(|word| self.target(word));
                self.callbacks(name, arguments);
            }
            b"declare" | b"typeset" | b"local" => self.declared(arguments),
            b"jobs" if arguments.iter().any(|word| has_option(word, b'x')) => {
                self.unknown(How::Eval, arguments);
            }
            b"hash" if arguments.iter().any(|word| has_option(word, b'p')) => {
                self.unknown(How::Alias, arguments);
            }
            b"enable" if arguments.iter().any(|word| has_option(word, b'f')) => {
                self.unknown(How::Alias, arguments);
            }
            b"fc" => self.unknown(How::Eval, arguments),
            _ => self.callbacks(name, arguments),
        }
    }

    /// Builtins that take a command to run later as an option's word.
    fn callbacks(&mut self, name: &[u8], arguments: &'s [Word]) {
        let takes = [&b"mapfile"[..], b"readarray", b"complete", b"compgen", b"bind"];
        if takes.contains(&name) && arguments.iter().any(evaluates) {
            self.unknown(How::Eval, arguments);
        }
    }

    /// `declare` and its kin: with `-i` values are evaluated, with `-n` they name variables.
    fn declared(&mut self, arguments: &'s [Word]) {
        let option = |letter: u8| {
            arguments
                .iter()
                .filter_map(Word::pattern)
                .any(|word| word.starts_with(b"-") && word.contains(&letter))
        };
        let how = match (option(b'i'), option(b'n')) {
            (true, _) => Some(How::Variable),
            (false, true) => Some(How::Expanded),
            (false, false) => None,
        };
        self.array_values(arguments);
        for word in arguments {
            self.target(word);
            if let Some(how) = how
                && !word.pattern().is_some_and(|text| text.starts_with(b"-"))
            {
                self.add(how, word.span, None);
            }
        }
    }

    /// `declare a='( … )'`: a quoted list is taken for an array and expanded, if `a` is one.
    fn array_values(&mut self, arguments: &'s [Word]) {
        for word in arguments {
            let list = word.pattern().map(|text| {
                let equals = text.iter().position(|&byte| byte == b'=');
                equals.is_some_and(|at| text[at + 1..].starts_with(b"("))
            });
            let read = word.parts.iter().any(|part| matches!(part.kind, Piece::Array(_)));
            match list {
                Some(true) => self.evaluated(How::Expression, std::slice::from_ref(word)),
                None if !read && self.knows_arrays() => self.add(How::Variable, word.span, None),
                Some(false) | None => {}
            }
        }
    }

    /// Whether the text has anything that can make a variable an array.
    fn knows_arrays(&mut self) -> bool {
        let text = &self.script.text;
        *self.arrays.get_or_insert_with(|| {
            let makers: [&[u8]; 8] = [
                b"=(",
                b"]=",
                b"mapfile",
                b"readarray",
                b"declare -",
                b"typeset -",
                b"local -",
                b"read -",
            ];
            makers.iter().any(|maker| text.windows(maker.len()).any(|window| window == *maker))
        })
    }

    fn evaluated(&mut self, how: How, words: &'s [Word]) {
        if let Some(span) = span_of(words) {
            self.add(how, span, joined(words, &self.script.text));
        }
    }

    /// Words that run something, though not as the text of a script.
    fn unknown(&mut self, how: How, words: &'s [Word]) {
        if let Some(span) = span_of(words) {
            self.add(how, span, None);
        }
    }

    /// The word behind an option that names a variable.
    fn named_behind(&mut self, arguments: &'s [Word], option: &[u8]) {
        for (index, word) in arguments.iter().enumerate() {
            let Some(text) = word.pattern() else { continue };
            if &*text == option {
                arguments.get(index + 1).into_iter().for_each(|word| self.target(word));
            } else if text.len() > option.len() && text.starts_with(option) {
                self.target(word);
            }
        }
    }

    /// A word that names a variable to set: its subscript is evaluated, and some variables are
    /// run later.
    fn target(&mut self, word: &'s Word) {
        let name = match (word.pattern(), word.parts.first().map(|part| &part.kind)) {
            (Some(text), _) => Some(text),
            (None, Some(Piece::Literal(text))) if text.contains(&b'=') => Some((&**text).into()),
            _ => None,
        };
        let Some(name) = name else {
            self.add(How::Expression, word.span, None);
            return;
        };
        let name = name.split(|&byte| byte == b'=').next().unwrap_or_default();
        if name.contains(&b'[') {
            self.evaluated(How::Expression, std::slice::from_ref(word));
        }
        let name = name.strip_suffix(b"+").unwrap_or(name);
        if super::expression::runs_later(name) {
            self.add(How::Environment, word.span, None);
        }
        if super::expression::holds_number(name) {
            self.add(How::Expression, word.span, None);
        }
    }
}

/// Whether a word is an option with this letter, or cannot be known not to be.
fn has_option(word: &Word, letter: u8) -> bool {
    word.pattern().is_none_or(|text| text.starts_with(b"-") && text.contains(&letter))
}

/// The last component of a path.
pub(super) fn base(name: &[u8]) -> &[u8] {
    name.rsplit(|&byte| byte == b'/').next().unwrap_or(name)
}

fn value(word: Option<&Word>) -> Option<Cow<'_, [u8]>> {
    word.and_then(Word::value)
}

fn after_dashes(words: &[Word]) -> &[Word] {
    match value(words.first()) {
        Some(first) if &*first == b"--" => &words[1..],
        _ => words,
    }
}

/// Whether an argument is an option that takes text to evaluate.
fn evaluates(word: &Word) -> bool {
    word.value()
        .is_none_or(|text| text.starts_with(b"-") && text.iter().any(|byte| b"CWxF".contains(byte)))
}

/// The words behind a wrapper's own options and assignments.
fn operands<'s>(name: &[u8], words: &'s [Word]) -> &'s [Word] {
    let mut rest = words;
    let mut number = name == b"timeout";
    let mut root = name == b"chroot";
    while let Some(word) = value(rest.first()) {
        if &*word == b"--" {
            rest = &rest[1..];
        } else if word.starts_with(b"-") && word.len() > 1 {
            let glued = word.len() > 2;
            let takes = !glued && OPTIONS_WITH_WORD.contains(&word[1]) && name != b"command";
            rest = rest.get(if takes { 2 } else { 1 }..).unwrap_or_default();
        } else if name == b"env" && word.contains(&b'=') {
            rest = &rest[1..];
        } else if number || root {
            (number, root) = (false, false);
            rest = &rest[1..];
        } else {
            break;
        }
    }
    rest
}
