//! What a text means: a small interpreter that follows the tree without running anything.
//!
//! It keeps the directory, variables and functions that the text sets, follows every way through
//! it, and writes down each command that could start with its effects. What is unknown stays
//! unknown; what it meets is a superset of what can happen. It must never run or open anything,
//! and asks about the world through `Look` alone.

mod assign;
mod builtin;
mod chain;
mod code;
mod command;
mod descriptor;
mod effects;
mod expand;
mod flood;
mod function;
mod inner;
mod later;
mod lines;
mod listed;
mod made;
mod parameter;
mod print;
mod reader;
mod redirect;
mod rename;
mod repository;
mod seen;
mod setup;
mod state;
mod stream;
mod temporary;
mod vanish;

use super::value::Shell;
use crate::request::{Bytes, ScriptShell, Stdin};
use crate::scene::{Look, Search};
pub(super) use command::{base_name, is_system};
use reader::{Reader, by_name};
use ricasso_shell::tree::{Command, Kind, List, Pipeline};
use ricasso_shell::{Script, Span};
pub(super) use seen::{Mark, Place, Seen, Starts};
use state::{Frame, From, Function, State, Text, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use stream::Stream;
pub(super) use temporary::NEW;

/// Commands that one text may start, every round of a loop counted. More than a person could read.
const MAX_COMMANDS: usize = 4096;

/// Texts and functions inside one another: deeper ones are refused.
const MAX_DEPTH: usize = 24;

/// Lists and commands inside one another, wrappers included. Sized so that walking fits a thread of
/// 2 MiB even without optimisation.
const MAX_NESTING: usize = 64;

/// Rounds of a loop over words that are known.
const MAX_ROUNDS: usize = 64;

/// The shell that reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// bash.
    Bash,
    /// zsh, as far as it agrees with bash.
    Zsh,
    /// The POSIX shell.
    Sh,
}

impl Reads {
    /// The policy's shell.
    pub(super) fn of(shell: &Shell) -> Self {
        match shell {
            Shell::Sh => Reads::Sh,
            Shell::Bash => Reads::Bash,
            Shell::Zsh => Reads::Zsh,
            Shell::Path(path) if path.ends_with("sh") || path.ends_with("dash") => Reads::Sh,
            Shell::Path(path) if path.ends_with("zsh") => Reads::Zsh,
            Shell::Path(_) => Reads::Bash,
        }
    }

    /// A script's shell.
    pub(super) fn of_script(shell: ScriptShell) -> Self {
        match shell {
            ScriptShell::Sh => Reads::Sh,
            ScriptShell::Bash => Reads::Bash,
            ScriptShell::Zsh => Reads::Zsh,
        }
    }

    /// What reads it on this machine: `sh` may be a link to a shell that reads more.
    pub(super) fn here(self, look: &dyn Look) -> Self {
        if self != Reads::Sh {
            return self;
        }
        let sh = look.program(b"/bin/sh", Path::new("/"), &Search::Inherited);
        let real = sh.map(|sh| by_name(base_name(sh.real.as_os_str().as_encoded_bytes())));
        match real.flatten() {
            Some(Reader::Bash) => Reads::Bash,
            Some(Reader::Zsh) => Reads::Zsh,
            Some(Reader::Sh | Reader::Either) | None => self,
        }
    }

    /// The reader's name for it.
    pub(super) fn shell(self) -> ricasso_shell::Shell {
        match self {
            Reads::Bash | Reads::Zsh => ricasso_shell::Shell::Bash,
            Reads::Sh => ricasso_shell::Shell::Sh,
        }
    }
}

/// Everything that a text could do.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Every command, wherever it hides, in the order in which it was met.
    pub(super) commands: Vec<Seen>,
    /// Where the text stops to be readable, and why.
    pub(super) unreadable: Option<(usize, String)>,
    /// Whether a bound was met, so that something was not followed.
    pub(super) unfollowed: bool,
}

/// The world in which a text is walked.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) look: &'a dyn Look,
    /// Where the text starts.
    pub(super) cwd: &'a Path,
    /// Variables that the caller sets.
    pub(super) environment: &'a [(Bytes, Bytes)],
    /// Which `PATH` programs are found on.
    pub(super) search: &'a Search,
    /// What the text finds on its standard input.
    pub(super) stdin: &'a Stdin,
}

/// Walks a text.
pub(super) fn walk(text: &[u8], reads: Reads, world: World<'_>) -> Walked {
    let mut walker = Walker::new(world, reads, text);
    let script = Rc::new(ricasso_shell::read(text, reads.shell()));
    if let Some(unreadable) = script.unreadable() {
        walker.walked.unreadable = Some((unreadable.at, unreadable.to_string()));
    } else if let Some(broken) = broken(&script) {
        walker.walked.unreadable = Some(broken);
    }
    walker.script(&script);
    walker.walked
}

/// Walks one command whose words no shell reads.
pub(super) fn walk_words(words: &[Bytes], world: World<'_>) -> Walked {
    let text: Vec<&[u8]> = words.iter().map(Bytes::as_slice).collect();
    let mut walker = Walker::new(world, Reads::Sh, &text.join(&b' '));
    walker.command_of_words(words);
    walker.walked
}

/// The shell takes some texts at first and only then meets an error; what it does with the rest is
/// not understood, and so it counts as unreadable.
fn broken(script: &Script) -> Option<(usize, String)> {
    let code = script.code().find(|code| code.how == ricasso_shell::How::Broken)?;
    Some((code.span.start, "the shell meets an error here that its reader lets pass".into()))
}

/// Where an inner text runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inner {
    /// In this very shell.
    Here,
    /// In a process of its own.
    Process,
}

/// What a command finds on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Feed {
    stream: Stream,
    /// Whether it comes from the text, not from outside.
    given: bool,
}

impl Feed {
    fn inherited() -> Self {
        Self { stream: Stream::Nothing, given: false }
    }

    fn unknown() -> Self {
        Self { stream: Stream::unknown(From::Here), given: true }
    }

    fn of(stream: Stream) -> Self {
        Self { stream, given: true }
    }

    fn of_request(stdin: &Stdin) -> Self {
        match stdin {
            Stdin::Closed => Self::inherited(),
            Stdin::Text(text) => Self::of(Stream::of(text.as_slice())),
            Stdin::Fed => Self::unknown(),
            Stdin::File(path) => {
                let bytes = path.as_os_str().as_encoded_bytes().to_vec();
                Self::of(Stream::File(super::word::Word::of(bytes)))
            }
        }
    }
}

/// The interpreter.
pub(super) struct Walker<'a> {
    look: &'a dyn Look,
    environment: &'a [(Bytes, Bytes)],
    search: &'a Search,
    /// What the whole text finds on its standard input.
    input: Feed,
    /// Who reads the text that is walked.
    reads: Reader,
    walked: Walked,
    state: State,
    frame: Frame,
    /// The text as sent.
    original: Rc<[u8]>,
    /// The place of the text that stands for what is walked.
    here: [usize; 2],
    /// Where commands run: here, or on another machine.
    place: Place,
    depth: usize,
    /// What has been printed since somebody began to listen.
    printed: Stream,
    /// Functions and scripts that are being walked.
    calls: Vec<Vec<u8>>,
    /// Functions that are being walked, with what each of them found.
    active: Vec<(Vec<u8>, State)>,
    /// Functions that some command has called by name.
    called: BTreeSet<Vec<u8>>,
    /// How a call of a function that is being walked would run beside itself.
    beside: usize,
    /// How often a function's own body calls it, and how often beside itself.
    doubles: BTreeMap<Vec<u8>, [usize; 2]>,
    /// Lines that `read` has taken of the input that is walked.
    taken: usize,
    /// What `mktemp` has made so far.
    temporaries: usize,
}

impl<'a> Walker<'a> {
    fn new(world: World<'a>, reads: Reads, text: &[u8]) -> Self {
        let name = match reads {
            Reads::Bash => "bash",
            Reads::Zsh => "zsh",
            Reads::Sh => "sh",
        };
        let made = Rc::default();
        let paths = super::paths::Paths { look: world.look, made: &made };
        let cwd = paths.real(world.cwd).unwrap_or_else(|| world.cwd.to_path_buf());
        Self {
            look: world.look,
            environment: world.environment,
            search: world.search,
            input: Feed::of_request(world.stdin),
            reads: reads.into(),
            walked: Walked::default(),
            state: State::new(vec![cwd], name),
            frame: Frame::Moved(0),
            original: text.into(),
            here: [0, text.len()],
            place: Place::Here,
            depth: 0,
            printed: Stream::Nothing,
            calls: Vec::new(),
            active: Vec::new(),
            called: BTreeSet::new(),
            beside: 0,
            doubles: BTreeMap::new(),
            taken: 0,
            temporaries: 0,
        }
    }

    fn script(&mut self, script: &Rc<Script>) {
        let feed = self.input.clone();
        self.list(script, &script.body, &feed);
        if !self.state.functions.is_empty() {
            self.uncalled();
        }
    }

    /// Notes that something was not followed: the text is refused.
    fn overflow(&mut self) {
        self.walked.unfollowed = true;
    }

    /// Walks a list and returns what it prints.
    fn captured(&mut self, script: &Rc<Script>, list: &List, feed: Feed) -> Stream {
        let before = std::mem::take(&mut self.printed);
        self.list(script, list, &feed);
        std::mem::replace(&mut self.printed, before)
    }

    fn list(&mut self, script: &Rc<Script>, list: &List, feed: &Feed) {
        if self.depth >= MAX_NESTING {
            self.overflow();
            return;
        }
        self.depth += 1;
        self.chains(script, list, feed);
        self.depth -= 1;
    }

    fn pipeline(&mut self, script: &Rc<Script>, pipeline: &Pipeline, feed: &Feed) {
        let stages = &pipeline.stages;
        if let [stage] = stages.as_slice() {
            self.command(script, &stage.command, feed);
            return;
        }
        let outside = self.state.clone();
        let mut feed = feed.clone();
        let outer = std::mem::take(&mut self.printed);
        let mut made = outside.clone();
        self.beside += 1;
        for stage in stages {
            self.state = made.clone();
            self.printed = Stream::Nothing;
            self.at_first_line(|walker| walker.command(script, &stage.command, &feed));
            made = outside.clone();
            made.keep_made(&self.state);
            feed = Feed::of(std::mem::take(&mut self.printed));
        }
        self.beside -= 1;
        self.state = made;
        self.printed = outer;
        self.printed.then(feed.stream);
    }

    fn command(&mut self, script: &Rc<Script>, command: &Command, feed: &Feed) {
        if self.walked.unfollowed {
            return;
        }
        if let Kind::Simple(simple) = &command.kind {
            self.simple(script, command, simple, feed);
            return;
        }
        let open = Rc::clone(&self.state.descriptors);
        let own = !command.redirects.is_empty();
        let (feed, outputs) = self.redirects_of_compound(script, command, feed);
        let outer = std::mem::take(&mut self.printed);
        match own {
            true => self.at_first_line(|walker| walker.compound(script, &command.kind, &feed)),
            false => self.compound(script, &command.kind, &feed),
        }
        if own {
            self.state.descriptors = open;
        }
        let printed = std::mem::replace(&mut self.printed, outer);
        let printed = self.pour(outputs, printed);
        self.printed.then(printed);
    }

    fn compound(&mut self, script: &Rc<Script>, kind: &Kind, feed: &Feed) {
        match kind {
            Kind::Simple(_) => {}
            Kind::Subshell(list) => self.apart(|walker| walker.list(script, list, feed)),
            Kind::Group(list) => self.list(script, list, feed),
            Kind::If(branches) => self.branches(script, branches, feed),
            Kind::Loop(looped) => {
                self.looped(script, looped, feed);
                self.flooded(flood::floods(script, looped), looped.body.span);
            }
            Kind::For(each) => self.each(script, each, feed),
            Kind::ForArith(each) => {
                self.arithmetic(script, &each.clauses);
                self.rounds(|walker| walker.list(script, &each.body, feed));
                self.flooded(flood::floods_counted(script, each), each.body.span);
            }
            Kind::Case(case) => self.case(script, case, feed),
            Kind::Test(test) => self.test(script, test),
            Kind::Arith(arith) => self.arithmetic(script, arith),
            Kind::Function(function) => self.define(script, function),
            Kind::Coproc(coproc) => {
                self.apart(|walker| walker.command(script, &coproc.body, &Feed::unknown()));
            }
        }
    }

    /// A subshell: what it sets is gone afterwards, what it made stays.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let outside = self.state.clone();
        walk(self);
        let inside = std::mem::replace(&mut self.state, outside);
        self.state.keep_made(&inside);
    }

    fn branches(&mut self, script: &Rc<Script>, branches: &ricasso_shell::tree::If, feed: &Feed) {
        let mut ends: Vec<State> = Vec::new();
        for branch in &branches.branches {
            self.list(script, &branch.condition, feed);
            let skipped = self.state.clone();
            self.list(script, &branch.body, feed);
            ends.push(std::mem::replace(&mut self.state, skipped));
        }
        if let Some(list) = &branches.otherwise {
            self.list(script, list, feed);
        }
        for end in &ends {
            self.state.join(end);
        }
    }

    /// A loop; one that reads lines which are known goes round once for each of them.
    fn looped(&mut self, script: &Rc<Script>, looped: &ricasso_shell::tree::Loop, feed: &Feed) {
        let lines = if lines::reads_lines(&looped.condition) { lines::each(feed) } else { None };
        let Some(lines) = lines else {
            self.rounds(|walker| {
                walker.list(script, &looped.condition, feed);
                walker.list(script, &looped.body, feed);
            });
            return;
        };
        let skipped = self.state.clone();
        for (line, rest) in lines {
            self.at_first_line(|walker| walker.list(script, &looped.condition, &line));
            self.at_first_line(|walker| walker.list(script, &looped.body, &rest));
            if self.walked.unfollowed {
                return;
            }
        }
        self.state.join(&skipped);
    }

    fn flooded(&mut self, floods: bool, body: Span) {
        if floods {
            let mut seen = self.seen(&[], self.frame.place(body));
            seen.mark(Mark::ForkBomb);
            self.push(seen);
        }
    }

    /// A loop whose rounds are not counted: once as it begins, and once more with everything that
    /// a round changes unknown.
    fn rounds(&mut self, mut round: impl FnMut(&mut Self)) {
        let before = self.state.clone();
        round(self);
        if self.state.same(&before) {
            return;
        }
        self.state.join(&before);
        if self.state.same(&before) {
            return;
        }
        let joined = self.state.clone();
        round(self);
        self.state.join(&joined);
    }

    fn each(&mut self, script: &Rc<Script>, each: &ricasso_shell::tree::For, feed: &Feed) {
        let name = each.name.value().map(|name| name.into_owned()).unwrap_or_default();
        let words: Option<Vec<Text>> = match &each.words {
            Some(words) => {
                let arguments = self.words(script, words);
                Some(arguments.iter().map(listed::each_of).collect())
            }
            None => self.state.parameters.as_deref().cloned(),
        };
        let Some(words) = words.filter(|words| words.len() <= MAX_ROUNDS) else {
            self.state.set(&name, Value::Unknown(From::Here));
            self.rounds(|walker| walker.list(script, &each.body, feed));
            return;
        };
        let skipped = self.state.clone();
        let fits = words.len() * 2 <= MAX_COMMANDS.saturating_sub(self.walked.commands.len());
        if !fits {
            self.overflow();
            return;
        }
        for word in words {
            self.state.set(&name, Value::One(word));
            self.list(script, &each.body, feed);
            if self.walked.unfollowed {
                return;
            }
        }
        self.state.join(&skipped);
    }

    fn case(&mut self, script: &Rc<Script>, case: &ricasso_shell::tree::Case, feed: &Feed) {
        self.text(script, &case.word.parts);
        let before = self.state.clone();
        let mut end = before.clone();
        for arm in &case.arms {
            for pattern in &arm.patterns {
                self.text(script, &pattern.parts);
            }
            self.state = before.clone();
            self.list(script, &arm.body, feed);
            end.join(&self.state);
        }
        self.state = end;
    }

    fn test(&mut self, script: &Rc<Script>, test: &ricasso_shell::tree::Test) {
        for term in &test.terms {
            let texts: Vec<Text> =
                term.operands.iter().map(|word| self.text(script, &word.parts)).collect();
            let evaluates = term.operator.as_deref().is_some_and(|operator| {
                matches!(operator, b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge")
                    || matches!(operator, b"-v" | b"-R")
            });
            for text in texts.iter().filter(|_| evaluates) {
                if let Some(text) = text.known() {
                    self.expression(&text);
                }
            }
        }
    }

    fn define(&mut self, script: &Rc<Script>, function: &ricasso_shell::tree::Function) {
        let Some(name) = function.name.value() else {
            self.unknown_code(From::Here);
            return;
        };
        let body = Function {
            script: Rc::clone(script),
            body: Rc::new(function.body.clone()),
            frame: self.frame,
            sure: true,
        };
        Rc::make_mut(&mut self.state.functions).insert(name.into_owned(), vec![body]);
    }

    /// A function that nobody calls by name may be called by a name that is not known: its
    /// commands are walked once with nothing known of its words.
    fn uncalled(&mut self) {
        let functions = Rc::clone(&self.state.functions);
        for (name, bodies) in functions.iter() {
            if self.called.contains(name) {
                continue;
            }
            let outside = self.state.clone();
            self.state.parameters = None;
            for body in bodies {
                self.call_body(name, body, &Feed::unknown());
            }
            self.state = outside;
        }
    }

    fn cannot_read(&mut self, span: Span) {
        let at = self.frame.place(span)[0];
        if self.walked.unreadable.is_none() {
            let why = "a part of the text cannot be read when it runs".to_string();
            self.walked.unreadable = Some((at, why));
        }
    }
}
