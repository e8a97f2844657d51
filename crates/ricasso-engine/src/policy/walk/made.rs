//! What a program leaves behind: files with known content, copies, links, what it fetched.

use super::super::effect::{Effect, Target};
use super::super::know::Does;
use super::super::paths::{Content, Fetched};
use super::super::word::Word;
use super::Walker;
use super::command::{Call, base_name};
use super::seen::{Mark, Place, Seen};
use super::state::From;
use super::stream::Stream;
use crate::scene::{Answer, Kind, Query};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Programs that fetch one file by its address.
const FETCHERS: [&[u8]; 8] =
    [b"curl", b"wget", b"fetch", b"aria2c", b"axel", b"http", b"https", b"lwp-download"];

/// Programs that install a package by its file, and run what it brings.
const INSTALLERS: [&[u8]; 14] = [
    b"dpkg",
    b"rpm",
    b"apt",
    b"apt-get",
    b"yum",
    b"dnf",
    b"zypper",
    b"pacman",
    b"apk",
    b"pip",
    b"pip3",
    b"npm",
    b"gem",
    b"installer",
];

/// Programs that take archives apart.
const UNPACKERS: [&[u8]; 9] =
    [b"tar", b"gtar", b"bsdtar", b"unzip", b"7z", b"7za", b"cpio", b"unrar", b"jar"];

/// What a file holds that gets this stream.
pub(super) fn content(stream: &Stream) -> Content {
    if stream.from() == From::Network {
        return Content::Network;
    }
    match stream {
        Stream::Nothing => Content::Known(Vec::new()),
        Stream::Text(text) => match text.known() {
            Some(bytes) => Content::Known(bytes),
            None if text.pieces.len() > 1 => Content::Partly(super::inner::holed(text)),
            None => Content::Unknown,
        },
        Stream::File(_) | Stream::Endless | Stream::Paths(_) => Content::Unknown,
    }
}

impl Walker<'_> {
    /// What is put into a directory gets a path below it, by the name of its source.
    pub(super) fn put_below(&self, seen: &mut Seen) {
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
    pub(super) fn made_by(&mut self, seen: &Seen, call: &Call) {
        if self.place != Place::Here {
            return;
        }
        self.unpacked(seen, call);
        let is = |names: &[&[u8]]| names.iter().any(|name| seen.is_called(name));
        let paths = |wanted: &[Does]| -> Vec<PathBuf> {
            let found = seen.effects.iter().filter(|effect| wanted.contains(&effect.does));
            found.filter_map(|effect| effect.target.clone().into_path()).collect()
        };
        let puts = paths(&[Does::PutAt, Does::Create, Does::Overwrite, Does::Edit]);
        if is(&[b"ln"]) {
            self.links(seen, call, &paths(&[Does::PutAt, Does::Create]));
        } else if is(&[b"cp", b"mv", b"install", b"rsync"]) {
            let sources = paths(&[Does::Read, Does::ReadTree, Does::MoveAway]);
            for (source, put) in sources.iter().flat_map(|s| puts.iter().map(move |p| (s, p))) {
                let known = self.state.made.content(source).cloned();
                let content = known.unwrap_or_else(|| Content::Copy(source.clone()));
                self.place_file(source, put, &content);
            }
        } else if is(&FETCHERS) && seen.effects.iter().any(|effect| effect.does == Does::Connect) {
            let named = self.named_by_address(seen, call, &puts);
            let files = puts.into_iter().chain(named);
            for file in files {
                Rc::make_mut(&mut self.state.made).write(file, Content::Network);
            }
        } else if is(&[b"tee", b"dd"]) {
            let appends = !paths(&[Does::Append]).is_empty();
            let content = content(&call.feed.stream);
            for file in puts.into_iter().chain(paths(&[Does::Append])) {
                let made = Rc::make_mut(&mut self.state.made);
                match appends {
                    true => made.append(file, content.clone()),
                    false => made.write(file, content.clone()),
                }
            }
        }
    }

    /// What is known of a file: what the text wrote, or that it came with an archive.
    pub(super) fn content(&self, path: &Path) -> Option<Content> {
        let written = self.state.made.content(path).cloned();
        written.or_else(|| {
            self.state.made.fetched(path)?;
            match self.look.look(&Query::Kind(path.to_path_buf())) {
                // It was there before, and is more likely one's own.
                Answer::Kind(_) => None,
                _ => Some(Content::Network),
            }
        })
    }

    /// Packages that the text fetched and now installs.
    pub(super) fn installs(&self, seen: &mut Seen) {
        let runs = seen.effects.iter().any(|effect| effect.does == Does::Opaque);
        if !runs || !INSTALLERS.iter().any(|name| seen.is_called(name)) {
            return;
        }
        let fetched = seen.effects.iter().any(|effect| {
            let path = effect.target.clone().into_path();
            effect.does == Does::Read
                && path.is_some_and(|it| self.state.made.content(&it) == Some(&Content::Network))
        });
        if fetched {
            seen.mark(Mark::NetworkCode);
        }
    }

    /// Archives from the network, and repositories.
    fn unpacked(&mut self, seen: &Seen, call: &Call) {
        let all = |wanted: &[Does]| -> Vec<PathBuf> {
            let found = seen.effects.iter().filter(|effect| wanted.contains(&effect.does));
            found.filter_map(|effect| effect.target.clone().into_path()).collect()
        };
        let network = |path: &PathBuf| self.state.made.content(path) == Some(&Content::Network);
        let archive = UNPACKERS.iter().any(|name| seen.is_called(name))
            && (call.feed.stream.from() == From::Network || all(&[Does::Read]).iter().any(network));
        let clone = seen.is_called(b"git")
            && seen.words.iter().any(|word| word.known() == Some(b"clone"))
            && seen.effects.iter().any(|effect| effect.does == Does::Connect);
        let how = match (archive, clone) {
            (true, _) => Fetched::Archive,
            (false, true) => Fetched::Repository,
            (false, false) => return,
        };
        let mut into = all(&[Does::Edit, Does::PutAt, Does::Create]);
        if clone {
            let named = self.named_by_address(seen, call, &[]);
            into.extend(named.into_iter().map(|path| path.with_extension("")));
        }
        for directory in into {
            Rc::make_mut(&mut self.state.made).fetch(directory, how);
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
        let leads = if symbolic { Does::LinkTo } else { Does::Edit };
        let targets = seen.effects.iter().filter(|effect| effect.does == leads);
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

    /// The files that a fetcher names after its addresses, here and in the directory it is told.
    fn named_by_address(&self, seen: &Seen, call: &Call, puts: &[PathBuf]) -> Vec<PathBuf> {
        let address = |argument: &&super::expand::Argument| {
            let connects = |it: &Effect| it.does == Does::Connect && it.span == argument.span;
            seen.effects.iter().any(connects)
        };
        let words = call.arguments.iter().skip(1).filter(address);
        let names = words.filter_map(|it| it.word.written()).map(|word| {
            let end = word.iter().position(|byte| matches!(byte, b'?' | b'#'));
            base_name(&word[..end.unwrap_or(word.len())]).to_vec()
        });
        let names = names.filter(|name| !name.is_empty());
        let here = self.state.cwd.iter().chain(puts);
        let below = |name: Vec<u8>| {
            here.clone().map(move |it| it.join(super::super::paths::to_path(&name)))
        };
        names.flat_map(below).collect()
    }
}
