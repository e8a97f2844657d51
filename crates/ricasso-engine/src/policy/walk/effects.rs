//! What a program does, by the catalogue: each act becomes an effect with its target, and what the
//! program starts is followed.

use super::super::effect::{Effect, Target};
use super::super::know::{self, Act, Does};
use super::super::paths::{Content, Follow, Paths};
use super::super::word::{Piece, Word};
use super::super::words::Meets;
use super::command::{Call, SYSTEM, base_name};
use super::expand::Argument;
use super::seen::{Mark, Place, Seen};
use super::state::{From, Text, Value};
use super::stream::Stream;
use super::{Feed, Walker};
use crate::scene::{Answer, Kind, Query};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Code that prints code that is code: deeper acts are opaque.
const MAX_CODE: usize = 4;

/// Programs that fetch one file by its address.
const FETCHERS: [&[u8]; 8] =
    [b"curl", b"wget", b"fetch", b"aria2c", b"axel", b"http", b"https", b"lwp-download"];

/// Programs that a wrapper without an entry is taken to start when its words name them.
const WRAPPED: [&[u8]; 16] = [
    b"rm", b"dd", b"shred", b"chmod", b"chown", b"sh", b"bash", b"dash", b"zsh", b"ksh", b"sudo",
    b"doas", b"env", b"xargs", b"curl", b"wget",
];

const SHELLS: [&[u8]; 9] =
    [b"sh", b"bash", b"dash", b"zsh", b"ksh", b"ash", b"mksh", b"rbash", b"busybox"];

impl Walker<'_> {
    /// Writes a program down with its effects, and follows what it starts.
    pub(super) fn run(&mut self, name: &[u8], mut seen: Seen, call: Call) {
        let Some(acts) = self.acts(name, &seen) else {
            self.uncatalogued(&mut seen, &call);
            self.printed = self.print(name, &seen, &call);
            self.push(seen);
            return;
        };
        let own = seen.program.as_ref().is_some_and(|program| is_own(&program.real));
        if own && name.contains(&b'/') {
            seen.effects.push(opaque(call.span));
        }
        let mut doing = Doing { cwd: self.state.cwd.clone(), ..Doing::default() };
        for act in acts.iter().filter(|act| act.does == Does::Enter) {
            self.enter(act, &mut doing);
        }
        doing.last = std::mem::replace(&mut doing.cwd, self.state.cwd.clone());
        self.acts_into(&acts, &mut seen, &call, &mut doing, 0);
        self.put_below(&mut seen);
        work_tree(&mut seen);
        unknown_subcommand(&mut seen);
        self.made_by(&seen, &call);
        self.printed = match doing.endless {
            true => Stream::Endless,
            false => self.print(name, &seen, &call),
        };
        self.flood(&mut seen, &call);
        let printed = std::mem::take(&mut self.printed);
        let at = self.walked.commands.len();
        self.push(seen.clone());
        for (act, cwd) in std::mem::take(&mut doing.inner) {
            self.inner(&act, &call, &mut seen, &doing.set, &cwd);
        }
        for (text, from) in std::mem::take(&mut doing.texts) {
            let text = Text { pieces: text, from };
            self.text_in_process(&text, &call, &doing);
        }
        if let Some(noted) = self.walked.commands.get_mut(at) {
            for mark in seen.marks {
                noted.mark(mark);
            }
        }
        let inner = std::mem::replace(&mut self.printed, printed);
        if doing.runs {
            self.printed = inner;
        }
    }

    /// Words without end, and as many processes as there are words.
    fn flood(&mut self, seen: &mut Seen, call: &Call) {
        let many = |word: &Word| word.head().starts_with(b"-P") || word.head().starts_with(b"-j");
        if call.feed.stream == Stream::Endless && seen.is_called(b"xargs") {
            let beside = seen.words.iter().any(many);
            seen.mark(if beside { Mark::ForkBomb } else { Mark::Endless });
        }
    }

    fn text_in_process(&mut self, text: &Text, call: &Call, doing: &Doing) {
        let before = self.state.clone();
        for (name, value) in call.assigned.iter().chain(&doing.set) {
            self.state.set(name, value.clone());
        }
        self.state.parameters = Some(Rc::default());
        self.at_place(call.span, |walker| {
            walker.run_text(text, super::Inner::Here, &Feed::inherited());
        });
        let after = std::mem::replace(&mut self.state, before);
        self.state.join_made(&after);
    }

    fn acts_into(
        &mut self,
        acts: &[Act],
        seen: &mut Seen,
        call: &Call,
        doing: &mut Doing,
        depth: usize,
    ) {
        for act in acts {
            let span = call.arguments.get(act.at).map_or(call.span, |it| it.span);
            match act.does {
                Does::Nothing | Does::Print | Does::Unset => {}
                Does::Enter => {
                    self.enter(act, doing);
                    seen.entered.clone_from(&doing.cwd);
                    seen.works_in.clone_from(&doing.cwd);
                }
                Does::Set => doing.set.extend(assignment(act)),
                Does::RunRest
                | Does::RunText
                | Does::RunProgram
                | Does::RunElsewhere
                | Does::RunTextElsewhere
                | Does::RunForInput => {
                    doing.runs = true;
                    doing.inner.push((act.clone(), doing.cwd.clone()));
                    let (does, word, sure) = (act.does, act.with.clone(), act.sure);
                    seen.effects.push(Effect { does, target: Target::Word, word, span, sure });
                }
                Does::StdinText => self.fed_text(seen, call, doing),
                Does::StdinCode(language) => {
                    self.fed_code(language, seen, call, doing, depth);
                }
                Does::CodeFile => self.code_file(act, seen, call, doing),
                Does::Code(_) | Does::Opaque => {
                    let given = call.arguments.get(act.at).filter(|_| act.with.is_some());
                    if given.is_some_and(|it| it.from == From::Network) {
                        seen.mark(Mark::NetworkCode);
                    }
                    let word = act.with.clone();
                    seen.effects.push(Effect { sure: act.sure, word, ..opaque(span) });
                }
                Does::Endless => doing.endless = true,
                Does::ChangeGlobalSettings => {
                    let mut word = self.value_text(b"HOME");
                    word.then(&Text::of("/.config"));
                    let word = Word::new(word.pieces, super::super::word::Becomes::One);
                    self.effect(Does::Edit, Some(&word), act.sure, span, seen, doing);
                }
                Does::ChangeSettings => {
                    let word = Word::of(".git/config");
                    self.effect(Does::Edit, Some(&word), act.sure, span, seen, doing);
                    self.effect(Does::ChangeSettings, None, act.sure, span, seen, doing);
                }
                does => self.effect(does, act.with.as_ref(), act.sure, span, seen, doing),
            }
        }
    }

    /// What a command of the shell itself does, by the catalogue.
    pub(super) fn builtin_acts(&mut self, acts: &[Act], seen: &mut Seen, call: &Call) {
        let cwd = self.state.cwd.clone();
        let mut doing = Doing { last: cwd.clone(), cwd, ..Doing::default() };
        self.acts_into(acts, seen, call, &mut doing, 0);
    }

    fn effect(
        &mut self,
        does: Does,
        with: Option<&Word>,
        sure: Meets,
        span: [usize; 2],
        seen: &mut Seen,
        doing: &Doing,
    ) {
        let word = with.cloned();
        let Some(follow) = follows(does) else {
            seen.effects.push(Effect { does, target: Target::Word, word, span, sure });
            return;
        };
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let here = Word::of(".");
        let (path, cwd) = match with {
            Some(word) => (word, &doing.cwd),
            None => (&here, &doing.last),
        };
        let cwd = if self.place == Place::Here { cwd.as_slice() } else { &[] };
        for target in paths.targets(path, cwd, follow) {
            seen.effects.push(Effect { does, target, word: word.clone(), span, sure });
        }
    }

    fn enter(&mut self, act: &Act, doing: &mut Doing) {
        let made = Rc::clone(&self.state.made);
        let paths = Paths { look: self.look, made: &made };
        let word = act.with.clone().unwrap_or_else(Word::unknown);
        let targets = paths.targets(&word, &doing.cwd, Follow::Last);
        let known = targets.into_iter().map(|target| match target {
            Target::Path(path) => Some(path),
            Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => None,
        });
        doing.cwd = known.collect::<Option<Vec<PathBuf>>>().unwrap_or_default();
    }

    /// A shell that reads its text from standard input.
    fn fed_text(&mut self, seen: &mut Seen, call: &Call, doing: &mut Doing) {
        doing.runs = true;
        match &call.feed.stream {
            Stream::Nothing if call.feed.given => {}
            // Whoever types into it is not in the text.
            Stream::Nothing => seen.effects.push(opaque(call.span)),
            Stream::Text(text) => doing.texts.push((text.pieces.clone(), text.from)),
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
        }
    }

    fn fed_code(
        &mut self,
        language: know::Language,
        seen: &mut Seen,
        call: &Call,
        doing: &mut Doing,
        depth: usize,
    ) {
        match &call.feed.stream {
            Stream::Nothing => {}
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
            Stream::Text(text) if language == know::Language::Other => {
                let word = Word::new(text.pieces.clone(), super::super::word::Becomes::One);
                seen.effects.push(Effect { word: Some(word), ..opaque(call.span) });
                if text.from == From::Network {
                    seen.mark(Mark::NetworkCode);
                }
            }
            Stream::Text(text) => match text.known() {
                Some(bytes) if depth < MAX_CODE => {
                    let acts = know::code(language, &Word::of(bytes));
                    self.acts_into(&acts, seen, call, doing, depth + 1);
                }
                Some(_) => seen.effects.push(opaque(call.span)),
                None => seen.mark(Mark::code(text.from)),
            },
        }
    }

    /// A file of code: what the text wrote into it is known, else it is opaque.
    fn code_file(&mut self, act: &Act, seen: &mut Seen, call: &Call, doing: &mut Doing) {
        let span = call.arguments.get(act.at).map_or(call.span, |it| it.span);
        let word = act.with.clone().unwrap_or_else(Word::unknown);
        let stream = call.arguments.get(act.at).and_then(|it| it.stream.clone());
        if let Some(stream) = stream {
            self.code_stream(&stream, seen, call, doing);
            return;
        }
        if matches!(word.known(), Some(b"-" | b"/dev/stdin" | b"/dev/fd/0" | b"/proc/self/fd/0")) {
            let stream = call.feed.stream.clone();
            self.code_stream(&stream, seen, call, doing);
            return;
        }
        let before = seen.effects.len();
        self.effect(Does::Read, Some(&word), act.sure, span, seen, doing);
        let file = seen.effects.get(before).map(|effect| effect.target.clone());
        let Some(Target::Path(path)) = file else {
            seen.effects.push(opaque(span));
            if word.known().is_none() && act.sure == Meets::Yes {
                seen.mark(Mark::UnknownCode);
            }
            return;
        };
        let content = self.state.made.content(&path).cloned();
        match content {
            Some(Content::Known(text)) if is_shell(seen) => {
                doing.runs = true;
                doing.texts.push((vec![Piece::Known(text)], From::Here));
            }
            Some(Content::Network) => seen.mark(Mark::NetworkCode),
            Some(Content::Known(_) | Content::Copy(_) | Content::Unknown) | None => {
                seen.effects.push(opaque(span));
            }
        }
    }

    fn code_stream(&mut self, stream: &Stream, seen: &mut Seen, call: &Call, doing: &mut Doing) {
        match stream {
            Stream::Nothing => {}
            Stream::Text(text) if is_shell(seen) => {
                doing.runs = true;
                doing.texts.push((text.pieces.clone(), text.from));
            }
            Stream::Text(text) if text.known().is_none() => seen.mark(Mark::code(text.from)),
            Stream::Text(text) => {
                let word = Word::new(text.pieces.clone(), super::super::word::Becomes::One);
                seen.effects.push(Effect { word: Some(word), ..opaque(call.span) });
            }
            Stream::File(_) => seen.effects.push(opaque(call.span)),
            Stream::Paths(_) | Stream::Endless => seen.mark(Mark::UnknownCode),
        }
    }

    /// A program that the catalogue does not know: opaque where it is nobody's known program; its
    /// words that look like paths are taken for reads.
    fn uncatalogued(&mut self, seen: &mut Seen, call: &Call) {
        seen.mark(Mark::Uncatalogued);
        self.perhaps_a_wrapper(call);
        let own = seen.program.as_ref().is_some_and(|program| is_own(&program.real));
        if own || super::super::opaque::runs_unseen_code(&seen.names) {
            seen.effects.push(opaque(call.span));
            return;
        }
        let cwd = self.state.cwd.clone();
        let doing = Doing { last: cwd.clone(), cwd, ..Doing::default() };
        for argument in call.arguments.iter().skip(1) {
            let Some(word) = path_in(&argument.word) else { continue };
            self.effect(Does::Read, Some(&word), Meets::Perhaps, argument.span, seen, &doing);
        }
    }

    /// A program that nobody knows may start what its words name. Only names that no sub-command
    /// has are followed, so that `tool test` and `tool install` stay what they are.
    fn perhaps_a_wrapper(&mut self, call: &Call) {
        let named = |argument: &Argument| {
            argument.word.known().is_some_and(|word| WRAPPED.contains(&base_name(word)))
        };
        let Some(at) = call.arguments.iter().skip(1).position(named) else {
            return;
        };
        let inner = call.arguments[at + 1..].to_vec();
        if inner.len() > 1 {
            self.start(inner, &[], call);
        }
    }

    /// What is put into a directory gets a path below it, by the name of its source.
    fn put_below(&self, seen: &mut Seen) {
        let is = |effect: &Effect, wanted: &[Does]| wanted.contains(&effect.does);
        let directory = |effect: &Effect| {
            let Target::Path(path) = &effect.target else { return false };
            let word = effect.word.as_ref().and_then(Word::known).unwrap_or_default();
            let shown = word.ends_with(b"/") || word.ends_with(b".") && base_name(word) == b".";
            shown || self.look.look(&Query::Kind(path.clone())) == Answer::Kind(Kind::Directory)
        };
        let goals: Vec<Effect> = seen
            .effects
            .iter()
            .filter(|effect| is(effect, &[Does::PutAt]) && directory(effect))
            .cloned()
            .collect();
        let from = [Does::Read, Does::ReadTree, Does::MoveAway, Does::LinkTo];
        let sources = seen.effects.iter().filter(|effect| is(effect, &from));
        let names: Vec<OsString> = sources
            .filter_map(|effect| match (&effect.target, effect.word.as_ref()?.known()) {
                (Target::Path(path), _) => path.file_name().map(OsString::from),
                (_, Some(word)) => {
                    Some(String::from_utf8_lossy(base_name(word)).into_owned().into())
                }
                (_, None) => None,
            })
            .collect();
        for (goal, name) in goals.iter().flat_map(|goal| names.iter().map(move |it| (goal, it))) {
            let Target::Path(path) = &goal.target else { continue };
            seen.effects.push(Effect { target: Target::Path(path.join(name)), ..goal.clone() });
        }
    }

    /// Remembers what the program made: links, copies, files from the network.
    fn made_by(&mut self, seen: &Seen, call: &Call) {
        if self.place != Place::Here {
            return;
        }
        let is = |names: &[&[u8]]| names.iter().any(|name| seen.is_called(name));
        let paths = |wanted: &[Does]| -> Vec<PathBuf> {
            let found = seen.effects.iter().filter(|effect| wanted.contains(&effect.does));
            found
                .filter_map(|effect| match &effect.target {
                    Target::Path(path) => Some(path.clone()),
                    Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => None,
                })
                .collect()
        };
        let puts = paths(&[Does::PutAt, Does::Create, Does::Overwrite, Does::Edit]);
        if is(&[b"ln"]) {
            self.links(seen, call, &puts);
        } else if is(&[b"cp", b"mv", b"install", b"rsync"]) {
            let sources = paths(&[Does::Read, Does::ReadTree, Does::MoveAway]);
            for (source, put) in sources.iter().flat_map(|s| puts.iter().map(move |p| (s, p))) {
                let known = self.state.made.content(source).cloned();
                let content = known.unwrap_or_else(|| Content::Copy(source.clone()));
                self.place_file(source, put, &content);
            }
        } else if is(&FETCHERS) && seen.effects.iter().any(|effect| effect.does == Does::Connect) {
            let mut files = puts;
            files.extend(self.named_by_address(call));
            for file in files {
                Rc::make_mut(&mut self.state.made).write(file, Content::Network);
            }
        } else if is(&[b"tee"]) {
            let content = match (call.feed.stream.from(), call.feed.stream.known()) {
                (From::Network, _) => Content::Network,
                (From::Here, Some(bytes)) => Content::Known(bytes),
                (From::Here, None) => Content::Unknown,
            };
            for file in puts {
                Rc::make_mut(&mut self.state.made).write(file, content.clone());
            }
        }
    }

    fn place_file(&mut self, source: &Path, put: &Path, content: &Content) {
        let made = Rc::make_mut(&mut self.state.made);
        made.write(put.to_path_buf(), content.clone());
        if let Some(name) = source.file_name() {
            made.write(put.join(name), content.clone());
        }
    }

    fn links(&mut self, seen: &Seen, call: &Call, puts: &[PathBuf]) {
        let symbolic = call.arguments.iter().skip(1).any(|argument| {
            let head = argument.word.head();
            let bundle = head.starts_with(b"-") && !head.starts_with(b"--") && head.contains(&b's');
            bundle || head.starts_with(b"--s")
        });
        let targets = seen.effects.iter().filter(|effect| effect.does == Does::LinkTo);
        let targets: Vec<Word> = targets.filter_map(|effect| effect.word.clone()).collect();
        for target in &targets {
            let Some(text) = target.known().map(super::super::paths::to_path) else { continue };
            let mut places: Vec<PathBuf> = puts.to_vec();
            if let Some(name) = text.file_name() {
                places.extend(puts.iter().map(|put| put.join(name)));
                if puts.is_empty() {
                    places.extend(self.state.cwd.iter().map(|cwd| cwd.join(name)));
                }
            }
            for place in places {
                let from = match (symbolic, self.state.cwd.as_slice()) {
                    (true, _) => place.parent().unwrap_or(Path::new("/")).to_path_buf(),
                    (false, [cwd]) => cwd.clone(),
                    (false, _) => continue,
                };
                let to = from.join(&text);
                if to != place {
                    Rc::make_mut(&mut self.state.made).link(place, to);
                }
            }
        }
    }

    /// The file names that a fetcher takes from its addresses.
    fn named_by_address(&self, call: &Call) -> Vec<PathBuf> {
        let [cwd] = self.state.cwd.as_slice() else { return Vec::new() };
        let words = call.arguments.iter().skip(1).filter_map(|it| it.word.known());
        let addresses = words.filter(|word| word.windows(3).any(|window| window == b"://"));
        let names = addresses.map(|word| {
            let end = word.iter().position(|byte| matches!(byte, b'?' | b'#'));
            base_name(&word[..end.unwrap_or(word.len())])
        });
        let names = names.filter(|name| !name.is_empty());
        names.map(|name| cwd.join(super::super::paths::to_path(name))).collect()
    }
}

/// What one program is found to do, beyond its effects.
#[derive(Default)]
struct Doing {
    cwd: Vec<PathBuf>,
    /// Where it is when all its words were obeyed.
    last: Vec<PathBuf>,
    set: Vec<(Vec<u8>, Value)>,
    inner: Vec<(Act, Vec<PathBuf>)>,
    texts: Vec<(Vec<Piece>, From)>,
    /// Whether what it starts prints for it.
    runs: bool,
    /// Whether it prints without end.
    endless: bool,
}

/// What git changes in a work tree that an option names is changed there.
fn work_tree(seen: &mut Seen) {
    let named = seen.words.iter().any(|word| word.head().starts_with(b"--work-tree"));
    if !named || !seen.is_called(b"git") {
        return;
    }
    let tree = seen.effects.iter().find(|effect| effect.does == Does::ReadTree);
    let Some(target) = tree.map(|effect| effect.target.clone()) else { return };
    for effect in seen.effects.iter_mut().filter(|effect| effect.does == Does::ChangeWorkTree) {
        effect.target = target.clone();
    }
}

/// A sub-command that nobody knows can be any.
fn unknown_subcommand(seen: &mut Seen) {
    let Some(indices) = know::subcommand(&seen.words) else { return };
    if !know::needs_subcommand(&seen.words) {
        return;
    }
    let hole = |word: &Word| word.known().is_none() && word.head().is_empty();
    let first = seen.words.iter().position(hole);
    let sub = indices.first().copied();
    if first.is_some_and(|hole| sub.is_none_or(|sub| hole <= sub)) {
        seen.mark(Mark::UnknownCode);
    }
}

fn is_shell(seen: &Seen) -> bool {
    SHELLS.iter().any(|name| seen.is_called(name))
}

fn opaque(span: [usize; 2]) -> Effect {
    Effect { does: Does::Opaque, target: Target::Word, word: None, span, sure: Meets::Yes }
}

/// Whether a program lies where everybody may put one.
pub(super) fn is_own(path: &Path) -> bool {
    !SYSTEM.iter().any(|root| path.starts_with(root))
}

fn assignment(act: &Act) -> Option<(Vec<u8>, Value)> {
    let word = act.with.as_ref()?;
    let head = word.head();
    let at = head.iter().position(|byte| *byte == b'=')?;
    let value = Text { pieces: word.without(at + 1).pieces().to_vec(), from: From::Here };
    Some((head[..at].to_vec(), Value::One(value)))
}

/// Which acts are about a path, and whether the last link of it is followed.
fn follows(does: Does) -> Option<Follow> {
    match does {
        Does::Read
        | Does::ReadTree
        | Does::ReadThroughLinks
        | Does::Create
        | Does::Append
        | Does::Overwrite
        | Does::Edit
        | Does::PutAt
        | Does::DeleteSome
        | Does::Permission
        | Does::PermissionTree
        | Does::CodeFile
        | Does::ObeyFile
        | Does::ChangeRepository
        | Does::ChangeSettings
        | Does::ChangeWorkTree => Some(Follow::Last),
        Does::LookAt | Does::Delete | Does::DeleteTree | Does::MoveAway => Some(Follow::NotLast),
        Does::Nothing
        | Does::LinkTo
        | Does::Enter
        | Does::RunProgram
        | Does::RunRest
        | Does::RunText
        | Does::Code(_)
        | Does::Connect
        | Does::Listen
        | Does::Signal
        | Does::Set
        | Does::Unset
        | Does::Print
        | Does::Opaque
        | Does::Elevate
        | Does::ShowEnvironment
        | Does::RunElsewhere
        | Does::RunTextElsewhere
        | Does::RunForInput
        | Does::StdinText
        | Does::StdinCode(_)
        | Does::Endless
        | Does::Anything
        | Does::ChangeGlobalSettings
        | Does::Obeys(_)
        | Does::Catastrophe(_)
        | Does::HardToTakeBack(_) => None,
    }
}

/// The path in a word that looks like one: as it is, or behind `=`.
fn path_in(word: &Word) -> Option<Word> {
    let head = word.head();
    let looks = |text: &[u8]| {
        text.starts_with(b"/") && text.len() > 1
            || text.starts_with(b"../")
            || text == b".."
            || text.windows(4).any(|window| window == b"/../")
    };
    if looks(head) {
        return Some(word.clone());
    }
    let at = head.iter().position(|byte| *byte == b'=')?;
    (head.starts_with(b"-") && looks(&head[at + 1..])).then(|| word.without(at + 1))
}
