//! One simple command: its variables, its words, what they start.

use super::super::effect::Effect;
use super::super::effect::Target;
use super::super::know;
use super::super::paths::{Content, Follow, Paths};
use super::super::word::{Piece, Word};
use super::super::words::Meets;
use super::expand::Argument;
use super::seen::{Assigned, Mark, Seen, Starts};
use super::state::{From, Text, Value};
use super::{Feed, Inner, MAX_COMMANDS, MAX_NESTING, Walker};
use crate::request::Bytes;
use crate::scene::{Program, Search};
use ricasso_shell::Script;
use ricasso_shell::tree::{self, Assignment, Command, Simple};
use std::rc::Rc;

/// Elements of an array and positional parameters that are kept: a list that grows with every
/// command must not make the walk slower and slower.
pub(super) const MAX_ELEMENTS: usize = 256;

/// Directories whose programs are what their names say.
pub(in super::super) const SYSTEM: [&str; 9] = [
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    "/usr/lib",
    "/lib",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/libexec",
];

/// Programs that are many: the name that they are called by is what counts.
pub(super) const MANY: [&[u8]; 4] = [b"busybox", b"toybox", b"coreutils", b"box"];

/// Names by which a file does something else than its own name says: `pidof` is a link to
/// `killall5`, and only tells.
const OTHERWISE: [(&[u8], &[u8]); 1] = [(b"pidof", b"killall5")];

/// A command about to be met.
pub(super) struct Call {
    pub(super) arguments: Vec<Argument>,
    pub(super) assigned: Vec<(Vec<u8>, Value)>,
    pub(super) effects: Vec<Effect>,
    pub(super) feed: Feed,
    pub(super) span: [usize; 2],
    pub(super) by: By,
}

/// Who starts a command, and so what its name can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A shell: functions and built-in commands exist.
    Shell,
    /// `command` and `builtin`: no functions.
    Plain,
    /// Another program.
    Program,
    /// A program that is many: the name means its own part, no file.
    Applet,
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        script: &Rc<Script>,
        command: &Command,
        simple: &Simple,
        feed: &Feed,
    ) {
        let mut assigned = Vec::new();
        for assignment in &simple.assignments {
            assigned.push((assignment.name.to_vec(), self.assigned(script, assignment)));
        }
        let arguments = self.words(script, &simple.words);
        let span = match (simple.words.first(), simple.words.last()) {
            (Some(first), Some(last)) => {
                self.frame.place(ricasso_shell::Span::new(first.span.start, last.span.end))
            }
            _ => self.frame.place(command.span),
        };
        let mut redirected = self.redirects(script, command, feed);
        let outer = std::mem::take(&mut self.printed);
        let opens = super::descriptor::only_opens(&arguments);
        let closed = self.opened_for_one(&mut redirected, opens);
        if arguments.is_empty() {
            let copied = simple.words.is_empty() && simple.assignments.is_empty();
            if copied && redirected.feed != *feed {
                self.printed = redirected.feed.stream.clone();
            }
            self.only_variables(assigned, std::mem::take(&mut redirected.effects), span);
        } else {
            let effects = std::mem::take(&mut redirected.effects);
            let own = redirected.feed != *feed;
            let (feed, by) = (redirected.feed.clone(), By::Shell);
            let call = Call { arguments, assigned, effects, feed, span, by };
            match own {
                true => self.at_first_line(|walker| walker.call(call)),
                false => self.call(call),
            }
        }
        if let Some(closed) = closed {
            self.state.descriptors = closed;
        }
        let printed = std::mem::replace(&mut self.printed, outer);
        if opens {
            self.keep_open(redirected, feed);
            return;
        }
        let printed = self.pour(redirected.output, printed);
        self.printed.then(printed);
    }

    /// A program with its words, as a request names it.
    pub(super) fn command_of_words(&mut self, words: &[Bytes]) {
        let mut at = 0;
        let mut arguments = Vec::new();
        for word in words {
            let end = at + word.as_slice().len();
            arguments.push(Argument::new(Word::of(word.as_slice()), [at, end]));
            at = end + 1;
        }
        self.call(Call {
            arguments,
            assigned: Vec::new(),
            effects: Vec::new(),
            feed: self.input.clone(),
            span: [0, at.saturating_sub(1)],
            by: By::Program,
        });
    }

    fn assigned(&mut self, script: &Rc<Script>, assignment: &Assignment) -> Value {
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(script, subscript);
            let value = self.text(script, &assignment.value.parts);
            let name = self.text(script, &subscript.parts);
            self.renamed(&assignment.name, &name, &value);
            return Value::Unknown(From::Here);
        }
        if super::rename::is_table(self.state.referred(&assignment.name)) {
            self.unknown_code(From::Here);
        }
        let old = self.state.variable(&assignment.name).cloned();
        if let [tree::Part { kind: tree::Piece::Array(elements), .. }] =
            assignment.value.parts.as_slice()
        {
            return self.array(script, elements, assignment.append, old);
        }
        let text = self.text(script, &assignment.value.parts);
        match (assignment.append, old) {
            (false, _) => Value::One(text),
            (true, Some(Value::One(mut own))) => {
                own.then(&text);
                Value::One(own)
            }
            (true, _) => Value::Unknown(text.from),
        }
    }

    fn array(
        &mut self,
        script: &Rc<Script>,
        elements: &[tree::Element],
        append: bool,
        old: Option<Value>,
    ) -> Value {
        let mut list = match (append, old) {
            (true, Some(Value::Many(list))) => list,
            (true, Some(Value::Unknown(from))) => return Value::Unknown(from),
            (_, _) => Vec::new(),
        };
        let mut indexed = false;
        for element in elements {
            if let Some(subscript) = &element.subscript {
                self.arithmetic(script, subscript);
                indexed = true;
            }
            for argument in self.words(script, std::slice::from_ref(&element.value)) {
                indexed |= argument.word.becomes() == super::super::word::Becomes::Any;
                list.push(Text { pieces: argument.word.pieces().to_vec(), from: argument.from });
            }
        }
        if indexed || list.len() > MAX_ELEMENTS {
            Value::Unknown(From::Here)
        } else {
            Value::Many(list)
        }
    }

    fn only_variables(
        &mut self,
        assigned: Vec<(Vec<u8>, Value)>,
        effects: Vec<Effect>,
        span: [usize; 2],
    ) {
        let notes = assigned.iter().map(|(name, value)| {
            let exported = self.is_exported(name);
            note(name, value, exported)
        });
        let notes: Vec<Assigned> = notes.collect();
        for (name, value) in assigned {
            self.set(&name, value);
        }
        if notes.is_empty() && effects.is_empty() {
            return;
        }
        let mut seen = self.seen(&[], span);
        seen.assigned = notes;
        seen.effects = effects;
        self.push(seen);
    }

    /// Sets a variable; some of them are run or expanded later.
    pub(super) fn set(&mut self, name: &[u8], value: Value) {
        let runs = matches!(name, b"PS0" | b"PS1" | b"PS2" | b"PS4");
        if runs
            && let Value::One(text) = &value
            && let Some(text) = text.known()
        {
            self.expanded_again(&text);
        }
        if name == b"PROMPT_COMMAND"
            && let Value::One(text) = &value
        {
            let text = text.clone();
            self.run_text(&text, Inner::Here, &Feed::inherited());
        }
        self.named_command(name, &value, &Feed::inherited());
        self.state.set(name, value);
    }

    /// A variable whose value other programs run as a command.
    fn named_command(&mut self, name: &[u8], value: &Value, feed: &Feed) {
        if !super::super::loader::is_command(name) {
            return;
        }
        let text = match value {
            Value::One(text) => text.clone(),
            Value::Many(_) | Value::Unset => return,
            Value::Unknown(from) => Text::unknown(*from),
        };
        // The name alone of a variable that is set elsewhere is no news.
        if text.known().is_some_and(|text| text.trim_ascii().is_empty()) {
            return;
        }
        let before = self.state.clone();
        let printed = std::mem::take(&mut self.printed);
        self.run_text(&text, Inner::Process, feed);
        self.printed = printed;
        self.state = before;
    }

    fn is_exported(&self, name: &[u8]) -> bool {
        self.state.exported.contains(name) || matches!(name, b"PATH" | b"HOME")
    }

    pub(super) fn seen(&self, arguments: &[Argument], span: [usize; 2]) -> Seen {
        Seen {
            words: arguments.iter().map(|argument| argument.word.clone()).collect(),
            span,
            assigned: Vec::new(),
            names: Vec::new(),
            program: None,
            starts: Starts::Nothing,
            place: self.place,
            works_in: self.state.cwd.clone(),
            entered: Vec::new(),
            effects: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Writes a command down; beyond the bound the text is refused.
    pub(super) fn push(&mut self, seen: Seen) {
        if self.walked.commands.len() >= MAX_COMMANDS {
            self.overflow();
            return;
        }
        self.walked.commands.push(seen);
    }

    /// Meets a command: a function, a command of the shell, or a program.
    pub(super) fn call(&mut self, call: Call) {
        if self.depth >= MAX_NESTING || self.walked.unfollowed {
            self.overflow();
            return;
        }
        self.depth += 1;
        self.called(call);
        self.depth -= 1;
    }

    fn called(&mut self, call: Call) {
        let Some(first) = call.arguments.first() else { return };
        let Some(name) = first.word.known().map(<[u8]>::to_vec) else {
            self.unknown_program(call);
            return;
        };
        if call.by == By::Shell {
            if let Some(value) = self.state.aliases.get(&name).cloned() {
                self.alias(&name, value, &call);
            }
            if let Some(bodies) = self.state.functions.get(&name).cloned() {
                let sure = bodies.iter().all(|body| body.sure);
                self.function(&name, &bodies, &call);
                if sure {
                    return;
                }
            }
        }
        if matches!(call.by, By::Shell | By::Plain) && super::builtin::is_builtin(&name) {
            self.builtin(&name, call);
            return;
        }
        self.program(&name, call);
    }

    fn unknown_program(&mut self, call: Call) {
        let from = call.arguments.first().map_or(From::Here, |first| first.from);
        let rest = super::vanish::without_the_first(&call);
        let mut seen = self.seen(&call.arguments, call.span);
        seen.assigned = notes(&call.assigned);
        seen.effects = call.effects;
        seen.starts = Starts::Program;
        if from == From::Network {
            seen.mark(Mark::NetworkCode);
        }
        self.push(seen);
        if let Some(rest) = rest {
            let before = self.state.clone();
            self.call(rest);
            self.state = before;
        }
        self.printed = super::stream::Stream::unknown(from);
    }

    fn program(&mut self, name: &[u8], call: Call) {
        let mut seen = self.seen(&call.arguments, call.span);
        seen.assigned = notes(&call.assigned);
        seen.effects.clone_from(&call.effects);
        let (starts, search) = self.search_of(&call.assigned);
        seen.starts = starts;
        let applet = call.by == By::Applet;
        let program = if applet { None } else { self.identity(name, &search) };
        seen.names = names(name, program.as_ref());
        seen.program = program;
        self.script_file(name, &mut seen, &call);
        let (assigned, span) = (call.assigned.clone(), call.span);
        self.run(name, seen, call);
        for (name, value) in &assigned {
            self.at_place(span, |walker| walker.named_command(name, value, &Feed::inherited()));
        }
    }

    /// A file that is started by its name: it is read, and what the text wrote into it runs.
    fn script_file(&mut self, name: &[u8], seen: &mut Seen, call: &Call) {
        if !name.contains(&b'/') {
            return;
        }
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let word = Word::of(name);
        let targets = paths.targets(&word, &self.state.cwd, Follow::Last);
        let Some(Target::Path(path)) = targets.into_iter().next() else { return };
        if !is_system(&path) && self.place == super::Place::Here {
            let (does, target, sure) = (know::Does::Read, Target::Path(path.clone()), Meets::Yes);
            seen.effects.push(Effect { does, target, word: Some(word), span: call.span, sure });
        }
        let file = path.as_os_str().as_encoded_bytes();
        match self.content(&path) {
            Some(Content::Known(text)) => {
                if self.calls.iter().any(|known| known == file) {
                    if self.beside >= 1 {
                        seen.mark(Mark::ForkBomb);
                    }
                    return;
                }
                self.run_file(file, &text, call);
            }
            Some(Content::Partly(text)) => {
                seen.effects.push(super::effects::opaque(call.span));
                self.run_file(file, &text, call);
            }
            Some(Content::Network) => seen.mark(Mark::NetworkCode),
            Some(Content::Copy(_) | Content::Unknown) | None => {}
        }
    }

    /// The file that a name starts; a copy or link that the text made is what it was made from.
    pub(super) fn identity(&self, name: &[u8], search: &Search) -> Option<Program> {
        let [cwd] = self.state.cwd.as_slice() else {
            return match name.starts_with(b"/") || !name.contains(&b'/') {
                true => self.look.program(name, std::path::Path::new("/"), search),
                false => None,
            };
        };
        if name.contains(&b'/') {
            let paths = Paths { look: self.look, made: &self.state.made };
            let targets = paths.targets(&Word::of(name), &self.state.cwd, Follow::Last);
            if let Some(Target::Path(path)) = targets.into_iter().next() {
                match self.state.made.content(&path) {
                    Some(Content::Copy(original)) => {
                        return Some(Program { path, real: original.clone() });
                    }
                    Some(Content::Known(_) | Content::Partly(_)) => {}
                    Some(Content::Network | Content::Unknown) | None => {}
                }
                let written =
                    super::super::paths::tidy(&cwd.join(super::super::paths::to_path(name)));
                if path != written {
                    return Some(Program { path: written, real: path });
                }
            }
        }
        self.look.program(name, cwd, search)
    }

    /// Which `PATH` a program is found on, and whether the text has changed it.
    fn search_of(&mut self, assigned: &[(Vec<u8>, Value)]) -> (Starts, Search) {
        let own = assigned.iter().rev().find(|(name, _)| name == b"PATH").map(|(_, value)| value);
        let value = match own {
            Some(value) => value.clone(),
            None => match self.state.variable(b"PATH") {
                Some(value) => value.clone(),
                None => return (Starts::Program, self.search.clone()),
            },
        };
        let Value::One(text) = value else {
            return (Starts::Elsewhere, self.search.clone());
        };
        let trusted = |directory: &[u8]| SYSTEM.iter().any(|known| known.as_bytes() == directory);
        match text.known() {
            Some(list) if list.split(|byte| *byte == b':').all(trusted) => {
                (Starts::Program, Search::Given(list.into()))
            }
            Some(list) => (Starts::Elsewhere, Search::Given(list.into())),
            None => {
                let head = match text.pieces.first() {
                    Some(Piece::Known(bytes) | Piece::Glob(bytes)) => bytes.as_slice(),
                    Some(Piece::Unknown) | None => b"",
                };
                let mut before = head.split(|byte| *byte == b':').filter(|it| !it.is_empty());
                let starts = if before.all(trusted) { Starts::Program } else { Starts::Elsewhere };
                (starts, self.search.clone())
            }
        }
    }

    /// What the catalogue says of a command, by the name it is called by or the file it is.
    pub(super) fn acts(&self, name: &[u8], seen: &Seen) -> Option<Vec<know::Act>> {
        let own = base_name(name);
        let mut words = seen.words.clone();
        let first = words.first_mut()?;
        *first = Word::of(own);
        if let Some(acts) = know::acts(&words) {
            return Some(acts);
        }
        // A file may be called by its path, and on some systems in any case.
        let lower = base_name(name).to_ascii_lowercase();
        let names = seen.names.iter().filter(|known| !known.contains(&b'/'));
        names.chain([&lower]).find_map(|other| {
            *words.first_mut()? = Word::of(other.clone());
            know::acts(&words)
        })
    }
}

/// The names that a program goes by.
pub(in super::super) fn names(word: &[u8], program: Option<&Program>) -> Vec<Vec<u8>> {
    let mut names = vec![base_name(word).to_vec()];
    let mut add = |name: &[u8]| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_vec());
        }
    };
    if word.contains(&b'/') {
        add(word);
    }
    for path in program.iter().flat_map(|program| [&program.path, &program.real]) {
        let bytes = path.as_os_str().as_encoded_bytes();
        add(bytes);
        let own = base_name(bytes);
        if !MANY.contains(&own) && !OTHERWISE.contains(&(base_name(word), own)) {
            add(own);
        }
    }
    names
}

/// Whether a program lies where only the machine's owner puts one.
pub(in super::super) fn is_system(path: &std::path::Path) -> bool {
    SYSTEM.iter().any(|root| path.starts_with(root))
}

/// The last part of a path.
pub(in super::super) fn base_name(word: &[u8]) -> &[u8] {
    word.rsplit(|byte| *byte == b'/').next().unwrap_or(word)
}

/// What a word holds as the value of a parameter.
pub(super) fn text_of(argument: &Argument) -> Text {
    Text { pieces: argument.word.pieces().to_vec(), from: argument.from }
}

pub(super) fn notes(assigned: &[(Vec<u8>, Value)]) -> Vec<Assigned> {
    assigned.iter().map(|(name, value)| note(name, value, true)).collect()
}

pub(super) fn note(name: &[u8], value: &Value, exported: bool) -> Assigned {
    let value = match value {
        Value::One(text) => text.known(),
        Value::Many(_) | Value::Unset | Value::Unknown(_) => None,
    };
    Assigned { name: name.to_vec(), value, exported }
}
