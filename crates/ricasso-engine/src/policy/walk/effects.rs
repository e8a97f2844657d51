//! What a program does, by the catalogue: each act becomes an effect with its target, and what the
//! program starts is followed.

use super::super::effect::{Effect, Target};
use super::super::know::{self, Act, Does};
use super::super::paths::{Follow, Paths};
use super::super::word::Word;
use super::super::words::Meets;
use super::Walker;
use super::code::Source;
use super::command::{Call, SYSTEM, base_name};
use super::expand::Argument;
use super::seen::{Mark, Place, Seen};
use super::state::{From, Text, Value};
use super::stream::Stream;
use crate::scene::{Answer, Kind, Query};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Programs that a wrapper without an entry is taken to start when its words name them.
const WRAPPED: [&[u8]; 16] = [
    b"rm", b"dd", b"shred", b"chmod", b"chown", b"sh", b"bash", b"dash", b"zsh", b"ksh", b"sudo",
    b"doas", b"env", b"xargs", b"curl", b"wget",
];

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
        self.told_by_project(&mut seen, &call, &mut doing);
        self.put_below(&mut seen);
        work_tree(&mut seen);
        unknown_subcommand(&mut seen);
        self.installs(&mut seen);
        self.repositories(&mut seen, &call, &doing);
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
        for text in std::mem::take(&mut doing.texts) {
            self.text_in_process(text, &mut seen, &call, &doing.set);
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
        let starts = |start: &[u8]| seen.words.iter().any(|word| word.head().starts_with(start));
        let endless = [&b"if=/dev/zero"[..], b"if=/dev/urandom", b"if=/dev/random"];
        let fills = seen.effects.iter().any(|effect| {
            effect.does == Does::Overwrite
                && matches!(&effect.target, Target::Path(path) if !path.starts_with("/dev"))
        });
        if seen.is_called(b"dd")
            && fills
            && endless.iter().any(|it| starts(it))
            && !starts(b"count=")
        {
            seen.mark(Mark::Endless);
        }
    }

    pub(super) fn acts_into(
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
                Does::Set => {
                    self.set_for_make(act, seen, doing);
                    doing.set.extend(assignment(act));
                }
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
                Does::CodeFile => self.code_file(act, seen, call, doing, depth),
                Does::Code(_) | Does::Opaque => {
                    if given(call, act).is_some_and(|it| it.from == From::Network) {
                        seen.mark(Mark::NetworkCode);
                    }
                    let word = act.with.clone();
                    seen.effects.push(Effect { sure: act.sure, word, ..opaque(span) });
                }
                Does::Endless => doing.endless = true,
                Does::Signal if given(call, act).is_some_and(|it| it.from == From::Processes) => {
                    let does = Does::Catastrophe(know::Harm::Process);
                    self.effect(does, act.with.as_ref(), act.sure, span, seen, doing);
                }
                Does::ChangeGlobalSettings => {
                    let mut word = self.value_text(b"HOME");
                    word.then(&Text::of("/.config"));
                    let word = Word::new(word.pieces, super::super::word::Becomes::One);
                    self.effect(Does::Edit, Some(&word), act.sure, span, seen, doing);
                }
                Does::ChangeSettings if self.sets_own(act, seen, call, doing) => {
                    self.effect(Does::ChangeSettings, None, act.sure, span, seen, doing);
                }
                Does::ChangeSettings => {
                    let word = Word::of(".git/config");
                    self.effect(Does::Edit, Some(&word), act.sure, span, seen, doing);
                    self.effect(Does::ChangeSettings, None, act.sure, span, seen, doing);
                }
                Does::Discard => self.discard(act, span, seen, doing),
                does => self.effect(does, act.with.as_ref(), act.sure, span, seen, doing),
            }
        }
    }

    /// Variables of `make` that name what runs its recipes.
    fn set_for_make(&mut self, act: &Act, seen: &Seen, doing: &mut Doing) {
        let Some((name, Value::One(value))) = assignment(act) else { return };
        let runs = [&b"SHELL"[..], b"CC", b"CXX", b"LD", b"AR", b"MAKE"].contains(&name.as_slice());
        if runs && (seen.is_called(b"make") || seen.is_called(b"gmake")) {
            let word = Word::new(value.pieces, super::super::word::Becomes::One);
            let act = Act { does: Does::RunText, with: Some(word), ..act.clone() };
            doing.inner.push((act, doing.cwd.clone()));
        }
    }

    /// Changes of one file are daily business, those of a directory are work.
    fn discard(&mut self, act: &Act, span: [usize; 2], seen: &mut Seen, doing: &Doing) {
        let before = seen.effects.len();
        self.effect(Does::Discard, act.with.as_ref(), act.sure, span, seen, doing);
        let kinds = seen.effects[before..].iter().map(|effect| match &effect.target {
            // What the text itself wrote to is a file, whether it was there before or not.
            Target::Path(path) if self.state.made.content(path).is_some() => {
                Answer::Kind(Kind::File)
            }
            Target::Path(path) => self.look.look(&Query::Kind(path.clone())),
            Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => Answer::Unknown,
        });
        let name = act.with.as_ref().and_then(Word::known).unwrap_or_default();
        let lost = kinds.into_iter().any(|kind| match kind {
            Answer::Kind(Kind::Directory) => true,
            // What is not there, or not known, is judged by its name.
            Answer::Absent | Answer::Unknown => act.sure == Meets::Yes && is_directory_name(name),
            Answer::Kind(_)
            | Answer::Path(_)
            | Answer::Program(_)
            | Answer::Text(_)
            | Answer::Paths(_)
            | Answer::Tree(_)
            | Answer::Kept(_) => false,
        });
        if act.sure != Meets::Yes && !lost {
            seen.effects.truncate(before);
        }
        if lost {
            let does = Does::HardToTakeBack(know::Harm::Work);
            let target = seen.effects.get(before).map_or(Target::Word, |it| it.target.clone());
            let (word, sure) = (act.with.clone(), Meets::Yes);
            seen.effects.push(Effect { does, target, word, span, sure });
        }
    }

    /// What a command of the shell itself does, by the catalogue.
    pub(super) fn builtin_acts(&mut self, acts: &[Act], seen: &mut Seen, call: &Call) {
        let cwd = self.state.cwd.clone();
        let mut doing = Doing { last: cwd.clone(), cwd, ..Doing::default() };
        self.acts_into(acts, seen, call, &mut doing, 0);
    }

    pub(super) fn effect(
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
        let known = targets.into_iter().map(Target::into_path);
        doing.cwd = known.collect::<Option<Vec<PathBuf>>>().unwrap_or_default();
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
            for act in know::address(&argument.word) {
                let (target, sure) = (Target::Word, Meets::Yes);
                let (does, word, span) = (act.does, act.with, argument.span);
                seen.effects.push(Effect { does, target, word, span, sure });
            }
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
}

/// What one program is found to do, beyond its effects.
#[derive(Default)]
pub(super) struct Doing {
    pub(super) cwd: Vec<PathBuf>,
    /// Where it is when all its words were obeyed.
    pub(super) last: Vec<PathBuf>,
    set: Vec<(Vec<u8>, Value)>,
    inner: Vec<(Act, Vec<PathBuf>)>,
    pub(super) texts: Vec<Source>,
    /// Whether what it starts prints for it.
    pub(super) runs: bool,
    /// Whether it prints without end.
    endless: bool,
}

/// What git changes in a work tree that an option names is changed there.
fn work_tree(seen: &mut Seen) {
    let named = seen.words.iter().any(|word| word.head().starts_with(b"--work-tree"));
    if !named || !seen.is_called(b"git") {
        return;
    }
    // The last of them is the work tree's, where the repository is named too.
    let tree = seen.effects.iter().rfind(|effect| effect.does == Does::ReadTree);
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

/// The word of the command that an act comes from.
fn given<'a>(call: &'a Call, act: &Act) -> Option<&'a Argument> {
    call.arguments.get(act.at).filter(|_| act.with.is_some())
}

/// Whether a name is more likely a directory's: no ending, no capital.
fn is_directory_name(name: &[u8]) -> bool {
    let base = base_name(name);
    !base.contains(&b'.') && !base.first().is_some_and(u8::is_ascii_uppercase)
}

pub(super) fn opaque(span: [usize; 2]) -> Effect {
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
        | Does::Discard
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
