//! Repositories that lie on this machine, and those that the text itself makes.
//!
//! A place that git is given is a host only where nothing of that name lies here. A repository that
//! the text makes is nobody's yet, so that its plain settings may be made as well.

use super::super::effect::{Effect, Target};
use super::super::know::{self, Act, Does};
use super::super::paths::{Follow, Paths};
use super::super::word::Word;
use super::super::words::Meets;
use super::Walker;
use super::command::{Call, base_name};
use super::effects::Doing;
use super::seen::{Place, Seen};
use crate::scene::{Answer, Kind, Query};
use std::path::{Path, PathBuf};
use std::rc::Rc;

impl Walker<'_> {
    /// Looks at what git is given: a place that lies here, and a repository that comes to be.
    pub(super) fn repositories(&mut self, seen: &mut Seen, call: &Call, doing: &Doing) {
        self.forget_repositories(seen);
        if self.place != Place::Here || !seen.is_called(b"git") {
            return;
        }
        let Some(name) = subcommand(seen) else { return };
        match name.as_slice() {
            b"clone" => {
                let from = self.local_places(seen, call, doing);
                if !self.leads_elsewhere(seen, call) {
                    self.cloned(seen, call, doing, from);
                }
            }
            b"fetch" | b"pull" | b"push" | b"ls-remote" => {
                self.local_remotes(seen, call, doing, &name);
            }
            b"init" if !self.leads_elsewhere(seen, call) => {
                let mut roots = created(seen);
                if roots.is_empty() {
                    roots.clone_from(&doing.last);
                }
                self.bear(roots, None);
            }
            b"remote" => self.named_remote(seen, doing),
            _ => {}
        }
    }

    /// Whether an act only makes a plain setting of a repository that this text made.
    pub(super) fn sets_own(&self, act: &Act, seen: &Seen, call: &Call, doing: &Doing) -> bool {
        let born = |cwd: &PathBuf| self.born_around(cwd).is_some();
        let (Some(key), Some(value)) =
            (act.at.checked_sub(1).and_then(|at| seen.words.get(at)), seen.words.get(act.at))
        else {
            return false;
        };
        // Another option may name another file than the repository's own.
        let plain = |word: &Word| match word.known() {
            Some(word) => !word.starts_with(b"-") || matches!(word, b"-C" | b"--local"),
            None => false,
        };
        !self.leads_elsewhere(seen, call)
            && !doing.cwd.is_empty()
            && doing.cwd.iter().all(born)
            && seen.words.iter().all(plain)
            && know::is_plain_setting(key, value)
    }

    /// Whether a variable or an option may lead git to files that lie elsewhere.
    fn leads_elsewhere(&self, seen: &Seen, call: &Call) -> bool {
        let variable = |name: &[u8]| name.starts_with(b"GIT_");
        let option = |word: &Word| {
            let head = word.head();
            head.starts_with(b"--se") || head.starts_with(b"--git-dir") || head.is_empty()
        };
        call.assigned.iter().any(|(name, _)| variable(name))
            || self.state.names().any(variable)
            || self.environment.iter().any(|(name, _)| variable(name.as_slice()))
            || seen.words.iter().any(option)
    }

    /// The repository that the text made around a directory, unless another one lies between.
    fn born_around(&self, cwd: &Path) -> Option<&Path> {
        for above in cwd.ancestors() {
            if let Some(root) = self.state.made.born(above) {
                return Some(root);
            }
            if !self.is_absent(above.join(".git")) {
                return None;
            }
        }
        None
    }

    fn is_absent(&self, path: PathBuf) -> bool {
        self.look.look(&Query::Kind(path)) == Answer::Absent
    }

    fn bear(&mut self, roots: Vec<PathBuf>, origin: Option<Vec<u8>>) {
        for root in roots {
            if self.is_absent(root.join(".git")) {
                Rc::make_mut(&mut self.state.made).bear(root, origin.clone());
            }
        }
    }

    /// What is deleted or moved away is no longer what the text made.
    fn forget_repositories(&mut self, seen: &Seen) {
        if !self.state.made.has_born() {
            return;
        }
        let gone = |effect: &Effect| {
            let deletes = [Does::Delete, Does::DeleteTree, Does::DeleteSome, Does::MoveAway];
            deletes.contains(&effect.does).then(|| effect.target.clone())
        };
        for target in seen.effects.iter().filter_map(gone) {
            match target {
                Target::Path(path) | Target::Below { base: path, .. } => {
                    Rc::make_mut(&mut self.state.made).unbear(&path);
                }
                Target::Unknown => Rc::make_mut(&mut self.state.made).unbear(Path::new("/")),
                Target::Word | Target::Free => {}
            }
        }
    }

    /// Takes a place that lies here for what it is, and returns where it lies.
    fn local_places(&self, seen: &mut Seen, call: &Call, doing: &Doing) -> Option<PathBuf> {
        let mut found = None;
        for effect in seen.effects.iter_mut().filter(|effect| effect.does == Does::Connect) {
            let Some(word) = given(call, effect) else { continue };
            if let Some(path) = self.local(&word, &doing.last) {
                let (does, target) = (Does::ReadTree, Target::Path(path.clone()));
                *effect = Effect { does, target, word: Some(word), ..effect.clone() };
                found = Some(path);
            }
        }
        let read = seen.effects.iter().find(|effect| effect.does == Does::ReadTree);
        found.or_else(|| read.and_then(|effect| effect.target.clone().into_path()))
    }

    /// Where a word leads that names something here, from each directory that git may be in.
    fn local(&self, word: &Word, cwd: &[PathBuf]) -> Option<PathBuf> {
        let text = word.known().filter(|text| !text.is_empty() && !text.contains(&b':'))?;
        let mut found = None;
        for directory in cwd {
            let endings = [&b""[..], b".git"];
            found = Some(endings.iter().find_map(|ending| {
                let path = self.place_of(&[text, ending].concat(), directory)?;
                let there = self.state.made.born(&path).is_some()
                    || matches!(
                        self.look.look(&Query::Kind(path.clone())),
                        Answer::Kind(Kind::Directory | Kind::File)
                    );
                there.then_some(path)
            })?);
        }
        found
    }

    fn place_of(&self, text: &[u8], from: &Path) -> Option<PathBuf> {
        let paths = Paths { look: self.look, made: &self.state.made };
        let from = [from.to_path_buf()];
        paths.targets(&Word::of(text), &from, Follow::Last).into_iter().next()?.into_path()
    }

    /// Remotes whose place is known to lie here. The settings of a person may still lead elsewhere,
    /// so that a connection remains possible.
    fn local_remotes(&self, seen: &mut Seen, call: &Call, doing: &Doing, name: &[u8]) {
        let mut more = Vec::new();
        for effect in seen.effects.iter_mut().filter(|effect| effect.does == Does::Connect) {
            let Some(word) = given(call, effect) else { continue };
            let places: Option<Vec<PathBuf>> =
                doing.last.iter().map(|cwd| self.remote_place(&word, cwd)).collect();
            let Some(places) = places.filter(|places| !places.is_empty()) else { continue };
            effect.sure = Meets::Perhaps;
            let does = if name == b"push" { Does::Edit } else { Does::ReadTree };
            more.extend(places.into_iter().map(|path| Effect {
                does,
                target: Target::Path(path),
                word: Some(word.clone()),
                span: effect.span,
                sure: Meets::Yes,
            }));
        }
        seen.effects.extend(more);
    }

    fn remote_place(&self, word: &Word, cwd: &Path) -> Option<PathBuf> {
        let name = word.known()?;
        if let Some(root) = self.born_around(cwd) {
            let place = self.state.made.remote(root, name);
            return place
                .and_then(|place| local_path(place))
                .and_then(|it| self.place_of(it, root));
        }
        let name = std::str::from_utf8(name).ok()?;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || !name.bytes().all(plain) {
            return None;
        }
        let ask = |key: String| self.look.look(&Query::GitSetting { cwd: cwd.into(), key });
        let rewritten = [format!("remote.{name}.pushurl"), "url.*.insteadof".into()];
        let kept = rewritten.into_iter().all(|key| ask(key) == Answer::Absent);
        match ask(format!("remote.{name}.url")) {
            Answer::Text(url) if kept => {
                let there = |path: &&Path| !self.is_absent(path.join(".git"));
                let root = cwd.ancestors().find(there).unwrap_or(cwd);
                self.place_of(local_path(url.as_slice())?, root)
            }
            // No such remote: a path without a dot before it.
            Answer::Absent => self.local(word, &[cwd.to_path_buf()]),
            _ => None,
        }
    }

    /// The repository that `git clone` makes, by its own name or by that of its source.
    fn cloned(&mut self, seen: &Seen, call: &Call, doing: &Doing, from: Option<PathBuf>) {
        let mut roots = created(seen);
        if roots.is_empty() {
            let sources = [Does::Connect, Does::ReadTree];
            let effect = seen.effects.iter().find(|effect| sources.contains(&effect.does));
            let word = effect.and_then(|effect| given(call, effect));
            let Some(text) = word.as_ref().and_then(Word::known) else { return };
            let name = base_name(text.strip_suffix(b"/").unwrap_or(text));
            let name = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
            let name = name.strip_suffix(b".git").unwrap_or(name);
            roots.extend(doing.last.iter().filter_map(|cwd| self.place_of(name, cwd)));
        }
        let origin = from.map(|path| path.as_os_str().as_encoded_bytes().to_vec());
        self.bear(roots, origin);
    }

    /// `git remote add NAME PLACE` in a repository that the text made.
    fn named_remote(&mut self, seen: &Seen, doing: &Doing) {
        let words: Option<Vec<&[u8]>> = seen.words.iter().map(Word::known).collect();
        let Some(words) = words else { return };
        let [.., b"remote", b"add" | b"set-url", name, place] = words.as_slice() else { return };
        let [cwd] = doing.last.as_slice() else { return };
        let Some(root) = self.born_around(cwd).map(Path::to_path_buf) else { return };
        let (name, place) = (name.to_vec(), place.to_vec());
        Rc::make_mut(&mut self.state.made).name_remote(&root, name, place);
    }
}

/// The word that an effect is about, as it was written.
fn given(call: &Call, effect: &Effect) -> Option<Word> {
    let mut arguments = call.arguments.iter().skip(1);
    arguments.find(|argument| argument.span == effect.span).map(|argument| argument.word.clone())
}

fn subcommand(seen: &Seen) -> Option<Vec<u8>> {
    let mut words = seen.words.clone();
    *words.first_mut()? = Word::of("git");
    let at = *know::subcommand(&words)?.first()?;
    words.get(at)?.known().map(<[u8]>::to_vec)
}

/// Directories that the words name to be made.
fn created(seen: &Seen) -> Vec<PathBuf> {
    let named = |effect: &&Effect| effect.does == Does::Create && effect.word.is_some();
    let effects = seen.effects.iter().filter(named);
    effects.filter_map(|effect| effect.target.clone().into_path()).collect()
}

/// The path of a place that is one: no scheme, no host before a colon.
fn local_path(place: &[u8]) -> Option<&[u8]> {
    let path = place.strip_prefix(b"file://").unwrap_or(place);
    (!path.is_empty() && !path.contains(&b':')).then_some(path)
}
