//! Commands of the shell itself: what they do to its state, and the code that some of them run.

use super::super::effect::{Effect, Target};
use super::super::know::Does;
use super::super::paths::{Content, Follow, Paths, to_path};
use super::super::word::{Becomes, Word};
use super::super::words::Meets;
use super::command::{By, Call, MAX_ELEMENTS, note, text_of};
use super::expand::Argument;
use super::seen::{Mark, Starts};
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Inner, Walker};
use std::path::PathBuf;
use std::rc::Rc;

/// Every command that bash runs without starting a program.
const BUILTINS: [&[u8]; 60] = [
    b":",
    b".",
    b"[",
    b"alias",
    b"bg",
    b"bind",
    b"break",
    b"builtin",
    b"caller",
    b"cd",
    b"command",
    b"compgen",
    b"complete",
    b"compopt",
    b"continue",
    b"declare",
    b"dirs",
    b"disown",
    b"echo",
    b"enable",
    b"eval",
    b"exec",
    b"exit",
    b"export",
    b"false",
    b"fc",
    b"fg",
    b"getopts",
    b"hash",
    b"help",
    b"history",
    b"jobs",
    b"kill",
    b"let",
    b"local",
    b"logout",
    b"mapfile",
    b"popd",
    b"printf",
    b"pushd",
    b"pwd",
    b"read",
    b"readarray",
    b"readonly",
    b"return",
    b"set",
    b"shift",
    b"shopt",
    b"source",
    b"suspend",
    b"test",
    b"times",
    b"trap",
    b"true",
    b"type",
    b"typeset",
    b"ulimit",
    b"umask",
    b"unset",
    b"wait",
];

/// Whether the shell runs it itself.
pub(in super::super) fn is_builtin(name: &[u8]) -> bool {
    BUILTINS.contains(&name) || name == b"unalias"
}

impl Walker<'_> {
    pub(super) fn builtin(&mut self, name: &[u8], call: Call) {
        let mut seen = self.seen(&call.arguments, call.span);
        seen.names = vec![name.to_vec()];
        seen.starts = Starts::Builtin;
        let assigned = call.assigned.iter().map(|(name, value)| note(name, value, true));
        seen.assigned = assigned.collect();
        seen.effects.clone_from(&call.effects);
        if let Some(acts) = super::super::know::acts(&seen.words)
            && !matches!(name, b"." | b"source" | b"eval" | b"exec" | b"command" | b"builtin")
        {
            self.builtin_acts(&acts, &mut seen, &call);
        }
        self.printed = self.builtin_print(name, &seen, &call);
        if matches!(name, b"export" | b"declare" | b"typeset" | b"local" | b"readonly") {
            self.declare(name, &mut seen, &call);
        }
        if super::assign::shows_variables(name, &call.arguments[1..]) {
            let (does, target, word, sure) =
                (Does::ShowEnvironment, Target::Word, None, Meets::Yes);
            seen.effects.push(Effect { does, target, word, span: call.span, sure });
        }
        if name == b"enable" && call.arguments.iter().any(|it| it.word.head().starts_with(b"-f")) {
            seen.effects.push(Effect {
                does: Does::Opaque,
                target: Target::Word,
                word: None,
                span: call.span,
                sure: Meets::Yes,
            });
        }
        self.push(seen);
        self.at_place(call.span, |walker| walker.builtin_state(name, &call));
    }

    fn builtin_print(&mut self, name: &[u8], seen: &super::Seen, call: &Call) -> Stream {
        match name {
            b"echo" | b"printf" | b"pwd" => {
                if call.arguments.get(1).and_then(|it| it.word.known()) == Some(b"-v") {
                    return Stream::Nothing;
                }
                self.print(name, seen, call)
            }
            b"command" | b"type" => self.which(&seen.words).unwrap_or_default(),
            b"set" | b"export" | b"declare" | b"history" | b"jobs" | b"alias" | b"trap"
            | b"typeset" | b"times" | b"help" | b"dirs" | b"pushd" | b"popd" | b"hash"
            | b"shopt" | b"umask" | b"ulimit" | b"fc" | b"compgen" | b"kill" | b"readonly" => {
                Stream::unknown(From::Here)
            }
            _ => Stream::Nothing,
        }
    }

    fn builtin_state(&mut self, name: &[u8], call: &Call) {
        let words = &call.arguments[1..];
        match name {
            b"cd" => self.change_directory(words, call),
            b"pushd" => {
                let now = self.state.cwd.clone();
                self.state.stack.push(now);
                self.change_directory(words, call);
            }
            b"popd" => {
                self.state.before = self.state.cwd.clone();
                self.state.cwd = self.state.stack.pop().unwrap_or_default();
            }
            b"eval" => {
                let mut text = Text::default();
                for (number, word) in after_dashes(words).iter().enumerate() {
                    if number > 0 {
                        text.then(&Text::of(" "));
                    }
                    text.then(&text_of(word));
                }
                self.run_text(&text, Inner::Here, &call.feed);
            }
            b"." | b"source" => self.source(after_dashes(words), call),
            b"exec" | b"command" | b"builtin" => self.plain(name, call),
            b"trap" => self.trap(after_dashes(words)),
            b"set" => {
                self.exports_all(words);
                self.set_parameters(words);
            }
            b"shift" => self.shift(words),
            b"unset" => self.unset(words),
            b"read" | b"mapfile" | b"readarray" | b"getopts" => self.reads_into(name, words, call),
            b"printf" => self.printf_into(words),
            b"let" => {
                for word in words {
                    self.expression_word(word);
                }
            }
            b"test" | b"[" => self.tested(words),
            b"alias" => self.aliased(words),
            b"compgen" | b"complete" | b"bind" => self.completion(words),
            b"jobs" | b"fc" => self.command_behind(words, call),
            b"hash" => self.remembered(words, call),
            _ => {}
        }
    }

    fn change_directory(&mut self, words: &[Argument], call: &Call) {
        let operand = words.iter().find(|it| {
            let head = it.word.head();
            !(head.starts_with(b"-") && head.len() > 1) && it.word.known() != Some(b"--")
        });
        let home = Word::of(self.value_text(b"HOME").known().unwrap_or_default());
        let word = match operand.map(|it| &it.word) {
            None if home.known() == Some(b"") => Word::unknown(),
            None => home,
            Some(word) if word.known() == Some(b"-") => {
                let set = self.state.variable(b"OLDPWD").is_some();
                let said = self.value_text(b"OLDPWD").known().filter(|_| set);
                let now = self.state.cwd.clone();
                let to = match said {
                    Some(said) => self.directories(&Word::of(said), &now),
                    None => std::mem::take(&mut self.state.before),
                };
                self.state.before = now;
                self.state.cwd = to;
                return;
            }
            Some(word) => word.clone(),
        };
        let now = self.state.cwd.clone();
        let mut to = self.directories(&word, &now);
        let own = call.assigned.iter().find(|(name, _)| name == b"CDPATH").map(|(_, it)| it);
        let search = own.or_else(|| self.state.variable(b"CDPATH")).cloned();
        let relative = !word.head().starts_with(b"/") && !word.head().starts_with(b".");
        if relative && let Some(value) = search {
            match value {
                Value::One(text) => match text.known() {
                    Some(list) => {
                        let list: Vec<PathBuf> =
                            list.split(|byte| *byte == b':').map(to_path).collect();
                        to = self.directories(&word, &list);
                    }
                    None => to = Vec::new(),
                },
                Value::Many(_) | Value::Unset | Value::Unknown(_) => to = Vec::new(),
            }
        }
        self.state.before = now;
        self.state.cwd = to;
    }

    fn directories(&self, word: &Word, from: &[PathBuf]) -> Vec<PathBuf> {
        let paths = Paths { look: self.look, made: &self.state.made };
        // `cd a/..` is where it began: the shell goes by the name, not by the link.
        let logical = word.known().filter(|text| text.windows(2).any(|it| it == b".."));
        let mut all = Vec::new();
        if let Some(text) = logical {
            for directory in from {
                let tidy = super::super::paths::tidy(&directory.join(to_path(text)));
                all.extend(paths.real(&tidy));
            }
        }
        for target in paths.targets(word, from, Follow::Last) {
            match target {
                Target::Path(path) if !all.contains(&path) => all.push(path),
                Target::Path(_) => {}
                Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => {
                    return Vec::new();
                }
            }
        }
        all
    }

    fn source(&mut self, words: &[Argument], call: &Call) {
        let Some(file) = words.first() else { return };
        if let Some(stream) = &file.stream {
            let stream = (**stream).clone();
            self.run_stream(&stream, call);
            return;
        }
        let fed = matches!(
            file.word.known(),
            Some(b"/dev/stdin" | b"/dev/fd/0" | b"/proc/self/fd/0" | b"-")
        );
        let fed = fed.then(|| call.feed.stream.clone());
        if let Some(stream) = fed.or_else(|| self.behind_number(&file.word)) {
            self.run_stream(&stream, call);
            return;
        }
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let targets = paths.targets(&file.word, &self.state.cwd, Follow::Last);
        let mut seen = self.seen(&[], call.span);
        for target in targets {
            if let Target::Path(path) = &target {
                match self.content(path) {
                    Some(Content::Known(text)) => {
                        self.inner_text(&text, Inner::Here);
                        continue;
                    }
                    Some(Content::Partly(text)) => self.inner_text(&text, Inner::Here),
                    Some(Content::Network) => seen.mark(Mark::NetworkCode),
                    Some(Content::Copy(_) | Content::Unknown) | None => {}
                }
            }
            let (word, span, sure) = (Some(file.word.clone()), file.span, Meets::Yes);
            if file.word.known().is_none() {
                seen.mark(Mark::code(file.from));
            }
            let read = Effect { does: Does::Read, target, word, span, sure };
            let does = Does::Opaque;
            seen.effects.push(Effect { does, target: Target::Word, word: None, span, sure });
            seen.effects.push(read);
            self.state.forget();
        }
        self.push(seen);
    }

    fn run_stream(&mut self, stream: &Stream, call: &Call) {
        match stream {
            Stream::Nothing => {}
            Stream::Text(text) => self.run_text(text, Inner::Here, &Feed::inherited()),
            Stream::File(word) => {
                let mut seen = self.seen(&[], call.span);
                let (word, span, sure) = (Some(word.clone()), call.span, Meets::Yes);
                seen.effects.push(Effect {
                    does: Does::Opaque,
                    target: Target::Word,
                    word,
                    span,
                    sure,
                });
                self.push(seen);
            }
            Stream::Paths(_) | Stream::Endless => self.unknown_code(From::Here),
        }
    }

    /// `exec`, `command` and `builtin`: the words behind their options are the command.
    fn plain(&mut self, name: &[u8], call: &Call) {
        let mut at = 1;
        let mut own_name = None;
        while let Some(word) = call.arguments.get(at).and_then(|it| it.word.known()) {
            if !word.starts_with(b"-") || word.len() == 1 {
                break;
            }
            let only_tells = name == b"command" && (word.contains(&b'v') || word.contains(&b'V'));
            if only_tells && word != b"--" {
                return;
            }
            if name == b"exec" && word.contains(&b'a') {
                own_name = call.arguments.get(at + 1);
                at += 1;
            }
            at += 1;
        }
        let _ = own_name;
        let arguments = call.arguments.get(at..).unwrap_or_default().to_vec();
        if arguments.is_empty() {
            return;
        }
        let by = if name == b"exec" { By::Program } else { By::Plain };
        let span = [arguments[0].span[0], call.span[1]];
        let (assigned, feed) = (call.assigned.clone(), call.feed.clone());
        self.call(Call { arguments, assigned, effects: Vec::new(), feed, span, by });
    }

    fn trap(&mut self, words: &[Argument]) {
        let [action, _, ..] = words else { return };
        if matches!(action.word.known(), Some(b"-p" | b"-l" | b"-" | b"")) {
            return;
        }
        let before = self.state.clone();
        self.run_text(&text_of(action), Inner::Here, &Feed::inherited());
        self.state.join(&before);
    }

    fn set_parameters(&mut self, words: &[Argument]) {
        let start = words.iter().position(|it| it.word.known() == Some(b"--"));
        let rest = match start {
            Some(at) => &words[at + 1..],
            None => {
                let option = |it: &&Argument| {
                    let head = it.word.head();
                    head.starts_with(b"-") || head.starts_with(b"+") || head.is_empty()
                };
                let first = words.iter().position(|it| !option(&it)).unwrap_or(words.len());
                let takes_name = first > 0 && words[first - 1].word.head().ends_with(b"o");
                if words[first..].is_empty() || takes_name {
                    return;
                }
                &words[first..]
            }
        };
        let one = |it: &Argument| it.word.becomes() == Becomes::One;
        let known = rest.len() <= MAX_ELEMENTS && rest.iter().all(one);
        self.state.parameters = known.then(|| Rc::new(rest.iter().map(text_of).collect()));
    }

    fn shift(&mut self, words: &[Argument]) {
        let count = match words.first().map(|it| it.word.known()) {
            None => Some(1),
            Some(known) => {
                known.and_then(|text| std::str::from_utf8(text).ok()?.parse::<usize>().ok())
            }
        };
        let left = match (count, self.state.parameters.as_deref()) {
            (Some(count), Some(list)) => Some(list.get(count..).unwrap_or_default().to_vec()),
            _ => None,
        };
        self.state.parameters = left.map(Rc::new);
    }

    fn unset(&mut self, words: &[Argument]) {
        for word in words {
            match word.word.known() {
                Some(name) if name.starts_with(b"-") => {}
                Some(name) => {
                    let name = name.to_vec();
                    self.evaluated(&name);
                    self.state.set(&name, Value::Unset);
                    if self.state.functions.contains_key(&name) {
                        Rc::make_mut(&mut self.state.functions).remove(&name);
                    }
                }
                None => self.state.forget(),
            }
        }
    }

    fn expression_word(&mut self, word: &Argument) {
        if let Some(text) = word.word.known() {
            let text = text.to_vec();
            self.expression(&text);
        }
    }

    /// `-v NAME` looks at a name whose subscript is evaluated.
    fn tested(&mut self, words: &[Argument]) {
        for pair in words.windows(2) {
            if matches!(pair[0].word.known(), Some(b"-v" | b"-R")) {
                self.expression_word(&pair[1]);
            }
        }
    }

    fn aliased(&mut self, words: &[Argument]) {
        for word in words {
            let head = word.word.head();
            let Some(at) = head.iter().position(|byte| *byte == b'=') else { continue };
            let value = word.word.known().map(|text| text[at + 1..].to_vec());
            Rc::make_mut(&mut self.state.aliases).insert(head[..at].to_vec(), value);
        }
    }

    fn completion(&mut self, words: &[Argument]) {
        for pair in words.windows(2) {
            match pair[0].word.known() {
                Some(b"-x") if colon(&pair[1].word).is_some() => {
                    let behind = colon(&pair[1].word).unwrap_or_default();
                    self.run_text(&Text::of(behind), Inner::Here, &Feed::inherited());
                }
                Some(b"-C" | b"-F" | b"-x") => {
                    self.run_text(&text_of(&pair[1]), Inner::Here, &Feed::inherited());
                }
                Some(b"-W") => match text_of(&pair[1]).known() {
                    Some(text) => self.expanded_again(&text),
                    None => self.unknown_code(pair[1].from),
                },
                Some(_) | None => {}
            }
        }
    }

    /// `hash -p FILE NAME`: from now on the name starts that file.
    fn remembered(&mut self, words: &[Argument], call: &Call) {
        let at = words.iter().position(|it| it.word.known() == Some(b"-p"));
        if let Some(file) = at.and_then(|at| words.get(at + 1)) {
            let unknown = Argument::new(Word::unknown(), file.span);
            self.start(vec![file.clone(), unknown], &[], call);
        }
    }

    /// `jobs -x COMMAND` and `fc -e EDITOR`.
    fn command_behind(&mut self, words: &[Argument], call: &Call) {
        let at = words.iter().position(|it| matches!(it.word.known(), Some(b"-x" | b"-e")));
        let Some(at) = at else { return };
        let arguments = words[at + 1..].to_vec();
        if arguments.is_empty() {
            return;
        }
        let (assigned, feed, span) = (Vec::new(), Feed::inherited(), call.span);
        let effects = Vec::new();
        self.call(Call { arguments, assigned, effects, feed, span, by: By::Plain });
    }
}

fn after_dashes(words: &[Argument]) -> &[Argument] {
    match words.first().and_then(|it| it.word.known()) {
        Some(b"--") => &words[1..],
        Some(_) | None => words,
    }
}

/// The command behind the keys of `bind -x '"keys":command'`.
fn colon(word: &Word) -> Option<Vec<u8>> {
    let text = word.known()?;
    let at = text.iter().position(|byte| *byte == b':')?;
    Some(text[at + 1..].to_vec())
}
