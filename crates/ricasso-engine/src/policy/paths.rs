//! Where a path leads: `..`, links, globs and the doors of `/proc`, as the system follows them.
//!
//! It asks through `Look` alone, and remembers the links that the text itself makes. What it
//! cannot follow is unknown, never a guess.

use super::effect::Target;
use super::word::{Piece, Word};
use crate::scene::{Answer, Look, Query};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A path with more parts is not followed: each part is a question, and a text that goes ever
/// deeper would ask without end.
const MAX_PARTS: usize = 256;

/// Links that lead to links: the system itself stops at forty.
const MAX_LINKS: usize = 40;

/// Links and copies made by one text; more than anybody writes.
const MAX_MADE: usize = 256;

/// A file that grows beyond this is no longer followed: it is one that nobody shows.
const MAX_KEPT: usize = 64 << 10;

/// Whether the last link of a path is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    /// The path as the system opens it.
    Last,
    /// The link itself.
    NotLast,
}

/// What the text itself has made so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Made {
    links: BTreeMap<PathBuf, PathBuf>,
    files: BTreeMap<PathBuf, Content>,
    /// Directories into which something from the network was put.
    fetched: BTreeMap<PathBuf, Fetched>,
    /// Repositories that were not there before, with the places of their remotes by name.
    born: BTreeMap<PathBuf, BTreeMap<Vec<u8>, Vec<u8>>>,
}

/// How the content of a directory came over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fetched {
    /// Out of an archive.
    Archive,
    /// With its history, so that people may know it.
    Repository,
}

/// What is known of a file that the text wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// Exactly this.
    Known(Vec<u8>),
    /// This among other things: it was added to a file, or one of several ways wrote it.
    Partly(Vec<u8>),
    /// It came from the network.
    Network,
    /// A copy of this file.
    Copy(PathBuf),
    /// Nobody knows.
    Unknown,
}

/// How two contents of one file meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Both {
    /// The second was added behind the first.
    Behind,
    /// It is one of them.
    Either,
}

impl Content {
    /// What is known where two contents meet; the text of both, where it is not too long.
    fn and(self, other: Content, both: Both) -> Content {
        let mut text = Vec::new();
        let mut whole = both == Both::Behind;
        for part in [self, other] {
            match part {
                Content::Network => return Content::Network,
                Content::Known(bytes) => text.push(bytes),
                Content::Partly(bytes) => {
                    whole = false;
                    text.push(bytes);
                }
                Content::Copy(_) | Content::Unknown => whole = false,
            }
        }
        let between: &[u8] = if whole { b"" } else { b"\n" };
        let text = text.join(between);
        match (whole, text.len()) {
            (true, 0..=MAX_KEPT) => Content::Known(text),
            (false, 1..=MAX_KEPT) => Content::Partly(text),
            (true | false, _) => Content::Unknown,
        }
    }
}

impl Made {
    /// Notes a link.
    pub(super) fn link(&mut self, at: PathBuf, to: PathBuf) {
        if self.links.len() < MAX_MADE {
            self.links.insert(at, to);
        }
    }

    /// Notes what was written to a file.
    pub(super) fn write(&mut self, at: PathBuf, content: Content) {
        if self.files.len() < MAX_MADE || self.files.contains_key(&at) {
            self.files.insert(at, content);
        }
    }

    /// Notes what was added to the end of a file.
    pub(super) fn append(&mut self, at: PathBuf, content: Content) {
        let old = self.files.get(&at).cloned().unwrap_or(Content::Unknown);
        self.write(at, old.and(content, Both::Behind));
    }

    /// What is known of a file.
    pub(super) fn content(&self, at: &Path) -> Option<&Content> {
        self.files.get(at)
    }

    /// Notes a directory that something from the network was put into.
    pub(super) fn fetch(&mut self, into: PathBuf, how: Fetched) {
        if self.fetched.len() < MAX_MADE {
            self.fetched.insert(into, how);
        }
    }

    /// How what lies here came over the network, where it did.
    pub(super) fn fetched(&self, at: &Path) -> Option<Fetched> {
        if self.fetched.is_empty() {
            return None;
        }
        at.ancestors().find_map(|above| self.fetched.get(above).copied())
    }

    /// Notes a repository that comes to be, and where it was cloned from.
    pub(super) fn bear(&mut self, root: PathBuf, origin: Option<Vec<u8>>) {
        if self.born.len() < MAX_MADE {
            let remotes = origin.map(|place| (b"origin".to_vec(), place));
            self.born.insert(root, remotes.into_iter().collect());
        }
    }

    /// Forgets repositories of which something at or below this path goes.
    pub(super) fn unbear(&mut self, gone: &Path) {
        self.born.retain(|root, _| !root.starts_with(gone) && !gone.starts_with(root.join(".git")));
    }

    /// Whether the same repositories came to be.
    pub(super) fn same_born(&self, other: &Made) -> bool {
        self.born == other.born
    }

    /// Knows the repositories that another one knows, and no others.
    pub(super) fn take_born(&mut self, other: &Made) {
        self.born.clone_from(&other.born);
    }

    /// Whether any repository came to be.
    pub(super) fn has_born(&self) -> bool {
        !self.born.is_empty()
    }

    /// The repository that came to be exactly here.
    pub(super) fn born(&self, root: &Path) -> Option<&Path> {
        self.born.get_key_value(root).map(|(root, _)| root.as_path())
    }

    /// Names a place in a repository that came to be.
    pub(super) fn name_remote(&mut self, root: &Path, name: Vec<u8>, place: Vec<u8>) {
        if let Some(remotes) = self.born.get_mut(root)
            && remotes.len() < MAX_MADE
        {
            remotes.insert(name, place);
        }
    }

    /// The place of a remote of a repository that came to be.
    pub(super) fn remote(&self, root: &Path, name: &[u8]) -> Option<&[u8]> {
        self.born.get(root)?.get(name).map(Vec::as_slice)
    }

    /// Adds what another way through the text made. Only a repository that both ways made is there
    /// for certain.
    pub(super) fn add(&mut self, other: &Made) {
        self.born.retain(|root, remotes| other.born.get(root) == Some(remotes));
        for (into, how) in &other.fetched {
            self.fetch(into.clone(), *how);
        }
        for (at, to) in &other.links {
            self.link(at.clone(), to.clone());
        }
        for (at, content) in &other.files {
            let content = match self.files.get(at) {
                Some(own) if own != content => own.clone().and(content.clone(), Both::Either),
                Some(_) | None => content.clone(),
            };
            self.write(at.clone(), content);
        }
    }

    fn through(&self, path: &Path) -> Option<PathBuf> {
        if self.links.is_empty() {
            return None;
        }
        for prefix in path.ancestors() {
            if let Some(target) = self.links.get(prefix) {
                let rest = path.strip_prefix(prefix).unwrap_or(Path::new(""));
                return Some(target.join(rest));
            }
        }
        None
    }
}

/// Follows paths in one world.
pub(super) struct Paths<'a> {
    pub(super) look: &'a dyn Look,
    pub(super) made: &'a Made,
}

impl Paths<'_> {
    /// Where a word leads, seen from each directory that the command may run in; an empty list of
    /// directories means that nobody knows it.
    pub(super) fn targets(&self, word: &Word, cwd: &[PathBuf], follow: Follow) -> Vec<Target> {
        let head = word.head();
        if let Some(path) = word.known() {
            return self.each(path, cwd, follow);
        }
        let absolute = head.starts_with(b"/");
        if head.is_empty() && !matches!(word.pieces().first(), Some(Piece::Glob(_))) {
            return vec![Target::Unknown];
        }
        if !absolute && cwd.is_empty() {
            return vec![Target::Unknown];
        }
        let root = [PathBuf::from("/")];
        let from = if absolute { &root } else { cwd };
        let mut all = Vec::new();
        for directory in from {
            self.below(word, directory, follow, &mut all);
        }
        all
    }

    /// A path without links in it, as far as it exists.
    pub(super) fn real(&self, path: &Path) -> Option<PathBuf> {
        let mut path = tidy(path);
        for _ in 0..MAX_LINKS {
            match self.made.through(&path) {
                Some(next) => path = self.lexical(&next)?,
                None => return self.looked(&path),
            }
        }
        None
    }

    fn lexical(&self, path: &Path) -> Option<PathBuf> {
        let mut done = PathBuf::from("/");
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    done = self.looked(&done)?;
                    done.pop();
                }
                Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
                Component::Normal(name) => done.push(name),
            }
        }
        Some(done)
    }

    fn looked(&self, path: &Path) -> Option<PathBuf> {
        for prefix in path.ancestors() {
            if prefix == Path::new("/") {
                return Some(path.to_path_buf());
            }
            match self.look.look(&Query::Link(prefix.to_path_buf())) {
                Answer::Path(real) => {
                    let rest = path.strip_prefix(prefix).unwrap_or(Path::new(""));
                    return Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
                }
                Answer::Absent => {}
                Answer::Unknown
                | Answer::Kind(_)
                | Answer::Program(_)
                | Answer::Text(_)
                | Answer::Paths(_)
                | Answer::Tree(_)
                | Answer::Kept(_) => return None,
            }
        }
        Some(path.to_path_buf())
    }

    fn each(&self, path: &[u8], cwd: &[PathBuf], follow: Follow) -> Vec<Target> {
        if is_free(path) {
            return vec![Target::Free];
        }
        if path.starts_with(b"/") {
            return vec![self.follow(Path::new("/"), path, follow)];
        }
        if cwd.is_empty() {
            return vec![Target::Unknown];
        }
        cwd.iter().map(|directory| self.follow(directory, path, follow)).collect()
    }

    /// Follows one known path, part by part, so that `..` behind a link leads where the link does.
    fn follow(&self, from: &Path, path: &[u8], follow: Follow) -> Target {
        let path = to_path(path);
        let mut at = from.to_path_buf();
        let parts: Vec<Component<'_>> = path.components().collect();
        if from.components().count() + parts.len() > MAX_PARTS {
            return Target::Unknown;
        }
        let trailing = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        for part in &parts {
            match part {
                Component::RootDir | Component::Prefix(_) => at = PathBuf::from("/"),
                Component::CurDir => {}
                Component::ParentDir => {
                    match self.real(&at) {
                        Some(real) => at = real,
                        None => return Target::Unknown,
                    }
                    at.pop();
                }
                Component::Normal(name) => at.push(name),
            }
            if at.starts_with("/proc") {
                at = through_proc(&at, from).unwrap_or(at);
            }
        }
        let last_is_name = matches!(parts.last(), Some(Component::Normal(_)));
        if follow == Follow::NotLast && last_is_name && !trailing {
            let name = at.file_name().map(ToOwned::to_owned);
            let parent = at.parent().map(Path::to_path_buf).unwrap_or_default();
            return match (self.real(&parent), name) {
                (Some(parent), Some(name)) => Target::Path(parent.join(name)),
                (Some(parent), None) => Target::Path(parent),
                (None, _) => Target::Unknown,
            };
        }
        self.real(&at).map_or(Target::Unknown, settle)
    }

    /// A word with globs or holes: the directory before them, and whether it could be all of it.
    fn below(&self, word: &Word, from: &Path, follow: Follow, all: &mut Vec<Target>) {
        let mut known = Vec::new();
        let mut rest: Vec<&Piece> = Vec::new();
        for piece in word.pieces() {
            match piece {
                Piece::Known(bytes) if rest.is_empty() => known.extend_from_slice(bytes),
                piece => rest.push(piece),
            }
        }
        let cut = known.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let (directory, start) = known.split_at(cut);
        let base = match self.follow(from, directory, Follow::Last) {
            Target::Path(base) => base,
            Target::Free | Target::Word | Target::Below { .. } | Target::Unknown => {
                all.push(Target::Unknown);
                return;
            }
        };
        let loose = rest.iter().any(|piece| matches!(piece, Piece::Unknown));
        let tail = written(&rest);
        let climbs = tail.split(|byte| *byte == b'/').any(|part| part == b"..");
        if climbs {
            all.push(Target::Unknown);
            all.push(Target::Path(self.climbed(&base, &tail)));
            return;
        }
        let first = tail.split(|byte| *byte == b'/').next().unwrap_or(&tail);
        let could_climb = matches!(start, b"." | b"") && tail.contains(&b'/') && {
            let pattern = [start, first].concat();
            !loose && super::text::glob_is_good(&pattern) && dots(&pattern)
        };
        if could_climb {
            let behind = tail.split_at(first.len()).1;
            let up = [b"..".as_slice(), behind].concat();
            if up.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[')) {
                all.push(Target::Unknown);
            } else {
                all.push(self.follow(&base, &up, follow));
            }
        }
        let everything = start.is_empty() && covers(&tail) || start == b"." && covers(&tail);
        all.push(Target::Below { base, everything, loose });
    }

    fn climbed(&self, base: &Path, tail: &[u8]) -> PathBuf {
        let mut at = base.to_path_buf();
        for part in tail.split(|byte| *byte == b'/') {
            match part {
                b".." => {
                    at.pop();
                }
                part => at.push(to_path(part)),
            }
        }
        at
    }
}

/// Paths that name no file that anybody keeps.
fn is_free(path: &[u8]) -> bool {
    matches!(
        path,
        b"/dev/null"
            | b"/dev/zero"
            | b"/dev/full"
            | b"/dev/random"
            | b"/dev/urandom"
            | b"/dev/stdin"
            | b"/dev/stdout"
            | b"/dev/stderr"
            | b"/dev/tty"
            | b"/dev/ptmx"
    ) || path.strip_prefix(b"/dev/fd/").is_some_and(is_number)
        || path.strip_prefix(b"/proc/self/fd/").is_some_and(is_number)
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn settle(path: PathBuf) -> Target {
    if is_free(path.as_os_str().as_encoded_bytes()) { Target::Free } else { Target::Path(path) }
}

/// `/proc/self/root` is the root, `/proc/self/cwd` the directory; those of other processes are
/// taken for the same, since the judge knows no other process.
fn through_proc(at: &Path, cwd: &Path) -> Option<PathBuf> {
    let mut parts = at.strip_prefix("/proc").ok()?.components();
    let process = parts.next()?.as_os_str().as_encoded_bytes().to_vec();
    let mut door = parts.next()?.as_os_str().as_encoded_bytes().to_vec();
    if door == b"task" {
        parts.next()?;
        door = parts.next()?.as_os_str().as_encoded_bytes().to_vec();
    }
    if parts.next().is_some() {
        return None;
    }
    let own = matches!(process.as_slice(), b"self" | b"thread-self");
    match door.as_slice() {
        b"root" if own || is_number(&process) => Some(PathBuf::from("/")),
        b"cwd" if own || is_number(&process) => Some(cwd.to_path_buf()),
        _ => None,
    }
}

/// Pieces as a pattern; a hole is a star.
fn written(pieces: &[&Piece]) -> Vec<u8> {
    let mut text = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Known(bytes) | Piece::Glob(bytes) => text.extend_from_slice(bytes),
            Piece::Unknown => text.push(b'*'),
        }
    }
    text
}

/// Whether a pattern of one part can stand for `..`.
fn dots(pattern: &[u8]) -> bool {
    pattern.starts_with(b".") && super::text::glob(pattern, b"..")
}

/// Whether what stands behind the directory may be everything in it.
fn covers(tail: &[u8]) -> bool {
    let mut parts = tail.split(|byte| *byte == b'/').filter(|part| !part.is_empty());
    parts.all(|part| part.iter().all(|byte| matches!(byte, b'*' | b'?' | b'.')))
}

/// The path that these bytes name.
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    match std::str::from_utf8(bytes) {
        Ok(text) => PathBuf::from(text),
        Err(_) => PathBuf::from(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// The path without `.`, `..` and doubled slashes, by its letters alone.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => tidy.push(part),
        }
    }
    tidy
}
