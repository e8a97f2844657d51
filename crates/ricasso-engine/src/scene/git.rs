//! What the configuration of a repository says, read as git reads it, within bounds.
//!
//! Only files that the repository itself leads to are read: a stranger may have written them, or a
//! command. What cannot be read is never taken for empty: nobody can say what is in it.

use super::look::Answer;
use super::path::from_bytes;
use super::settings::{Setting, each};
use ricasso_os::read_plain;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A configuration is a few kilobytes; a larger one is not read.
const MAX_BYTES: u64 = 1 << 20;
/// The same for a file that holds one path; git's own bound.
const MAX_PATH_BYTES: u64 = 1 << 20;
/// Files that include each other; git gives up at ten that nest.
const MOST_FILES: usize = 32;

/// What was looked for.
pub(super) enum Found<T> {
    /// It is not there.
    Nowhere,
    /// It is here.
    Here(T),
    /// Something is there that cannot be read, or that git does not understand.
    Unclear,
}

/// Which files that a configuration includes are read too.
#[derive(Debug, Clone, Copy)]
pub(super) enum Follow<'a> {
    /// Wherever they lie.
    All,
    /// Those below this directory; all others may say what they like.
    Below(&'a Path),
}

/// Whether everything was read that was to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It was.
    Whole,
    /// Something was not: there may be more settings.
    Part,
}

/// The answer for a key. A key with `*` as its middle part is answered with the full keys that are
/// set, one a line. Which of several values holds is not told, only that there is one.
pub(super) fn setting(cwd: &Path, key: &str) -> Answer {
    let files = match configurations_of(cwd) {
        Found::Nowhere => return Answer::Absent,
        Found::Unclear => return Answer::Unknown,
        Found::Here(files) => files,
    };
    // Without it git may take the place for no repository, and look further up.
    if !files.iter().any(|file| file.exists()) {
        return Answer::Unknown;
    }
    let mut asked = Asked::new(key);
    match walk(files, Follow::All, &mut |_, setting| asked.see(setting)) {
        Seen::Whole => asked.answer(),
        Seen::Part => Answer::Unknown,
    }
}

/// Shows every setting of these files, and of those that they include.
pub(super) fn walk(
    mut files: Vec<PathBuf>,
    follow: Follow<'_>,
    see: &mut dyn FnMut(&Path, &Setting<'_>),
) -> Seen {
    let mut seen = Seen::Whole;
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        at += 1;
        let text = match read(&file, MAX_BYTES) {
            Found::Here(text) => text,
            // Git passes over what is not there.
            Found::Nowhere => continue,
            Found::Unclear => {
                seen = Seen::Part;
                continue;
            }
        };
        let beside = file.parent().unwrap_or(Path::new("/"));
        let read = each(&text, &mut |setting| {
            see(&file, setting);
            if setting.is_include() {
                seen = seen.and(include(setting.value, beside, follow, &mut files));
            }
        });
        if read.is_err() {
            seen = Seen::Part;
        }
    }
    seen
}

/// A condition counts as met: more settings are never fewer.
fn include(value: &[u8], beside: &Path, follow: Follow<'_>, files: &mut Vec<PathBuf>) -> Seen {
    let path = plain(&beside.join(from_bytes(value)));
    let (wanted, is_elsewhere) = match follow {
        // Whose home that is, and where git was installed, is not known here.
        Follow::All => (true, value.starts_with(b"~") || value.starts_with(b"%(")),
        Follow::Below(root) => (path.starts_with(root), false),
    };
    // Each one once, or two that include each other would never end.
    if !wanted || files.contains(&path) {
        return Seen::Whole;
    }
    if is_elsewhere || files.len() >= MOST_FILES {
        return Seen::Part;
    }
    files.push(path);
    Seen::Whole
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        match (self, other) {
            (Seen::Whole, Seen::Whole) => Seen::Whole,
            (Seen::Part, _) | (_, Seen::Part) => Seen::Part,
        }
    }
}

/// A question for a key or a family of keys, and what was found so far.
pub(super) struct Asked<'a> {
    wanted: &'a str,
    found: Vec<Vec<u8>>,
}

impl<'a> Asked<'a> {
    pub(super) fn new(wanted: &'a str) -> Asked<'a> {
        Asked { wanted, found: Vec::new() }
    }

    /// Looks at one setting.
    pub(super) fn see(&mut self, setting: &Setting<'_>) {
        let Some((head, tail)) = self.wanted.split_once(".*.") else {
            if setting.is(self.wanted) {
                self.found = vec![setting.value.to_vec()];
            }
            return;
        };
        let middle = setting.section.strip_prefix(head.as_bytes());
        if setting.name == tail.as_bytes() && middle.is_some_and(|rest| rest.starts_with(b".")) {
            let key = [setting.section, b".", setting.name].concat();
            // A section that says the same many times must not make the answer longer.
            if self.found.last() != Some(&key) {
                self.found.push(key);
            }
        }
    }

    pub(super) fn answer(self) -> Answer {
        match self.found.is_empty() {
            true => Answer::Absent,
            false => Answer::Text(self.found.join(&b'\n').into()),
        }
    }
}

/// Where the repository of a path lies.
pub(super) struct Place {
    /// The top of the work tree.
    pub(super) root: PathBuf,
    /// `.git` as it stands there: a directory, or a file that leads to one.
    pub(super) directory: PathBuf,
    /// What belongs to this work tree alone: its index.
    pub(super) own: PathBuf,
    /// What all work trees share: the configuration.
    common: PathBuf,
}

impl Place {
    /// The files that hold its settings.
    pub(super) fn configurations(&self) -> Vec<PathBuf> {
        vec![self.common.join("config"), self.own.join("config.worktree")]
    }

    /// Bytes of the name of an object; `None` where nobody can say.
    pub(super) fn hash(&self) -> Option<usize> {
        let text = match read(&self.common.join("config"), MAX_BYTES) {
            Found::Here(text) => text,
            Found::Nowhere => return Some(20),
            Found::Unclear => return None,
        };
        let mut long = false;
        let read = each(&text, &mut |setting| {
            if setting.is("extensions.objectformat") {
                long = setting.value.eq_ignore_ascii_case(b"sha256");
            }
        });
        read.ok().map(|()| if long { 32 } else { 20 })
    }
}

/// The repository that a path lies in, found as git finds it.
pub(super) fn place_of(path: &Path) -> Found<Place> {
    let found = path.ancestors().map(place_at);
    let mut there = found.filter(|found| !matches!(found, Found::Nowhere));
    there.next().unwrap_or(Found::Nowhere)
}

/// The repository whose work tree begins here.
pub(super) fn place_at(root: &Path) -> Found<Place> {
    let directory = root.join(".git");
    let own = if directory.is_dir() {
        directory.clone()
    } else {
        match read(&directory, MAX_PATH_BYTES) {
            Found::Nowhere => return Found::Nowhere,
            Found::Unclear => return Found::Unclear,
            Found::Here(text) => match text.strip_prefix(b"gitdir:") {
                Some(path) => root.join(from_bytes(path.trim_ascii())),
                None => return Found::Unclear,
            },
        }
    };
    let common = match read(&own.join("commondir"), MAX_PATH_BYTES) {
        Found::Nowhere => own.clone(),
        Found::Here(path) => own.join(from_bytes(path.trim_ascii())),
        Found::Unclear => return Found::Unclear,
    };
    Found::Here(Place { root: root.to_path_buf(), directory, own, common })
}

/// The configurations that git obeys here: those of the repository around, or of the directory
/// itself where it is a repository without a work tree.
fn configurations_of(cwd: &Path) -> Found<Vec<PathBuf>> {
    let place = match place_of(cwd) {
        Found::Here(place) => Some(place),
        Found::Nowhere => None,
        Found::Unclear => return Found::Unclear,
    };
    let within = cwd.ancestors().take_while(|it| place.as_ref().is_none_or(|at| at.root != **it));
    let bare = |directory: &&Path| {
        directory.join("HEAD").exists()
            && directory.join("objects").is_dir()
            && directory.join("refs").is_dir()
    };
    let of_bare = |directory: &Path| ["config", "config.worktree"].map(|it| directory.join(it));
    let found = within.into_iter().find(bare).map(|directory| of_bare(directory).to_vec());
    let found = found.or_else(|| place.map(|place| place.configurations()));
    found.map_or(Found::Nowhere, Found::Here)
}

fn read(path: &Path, most_bytes: u64) -> Found<Vec<u8>> {
    match read_plain(path, most_bytes) {
        Ok(text) => Found::Here(text),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Found::Nowhere,
            _ => Found::Unclear,
        },
    }
}

/// Without `.` and `..`, as far as words tell.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_repository_without_a_work_tree_is_obeyed_before_the_one_around_it() {
        let root = std::env::temp_dir().join(format!("ricasso-bare-{}", std::process::id()));
        let inner = root.join("inner");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "[core]\neditor = outer\n").unwrap();
        fs::create_dir_all(inner.join("objects")).unwrap();
        fs::create_dir_all(inner.join("refs")).unwrap();
        fs::write(inner.join("config"), "[core]\neditor = inner\n").unwrap();
        let before = setting(&inner, "core.editor");
        fs::write(inner.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let after = setting(&inner.join("refs"), "core.editor");
        let outside = setting(&root, "core.editor");
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(before, Answer::Text("outer".into()));
        assert_eq!(after, Answer::Text("inner".into()));
        assert_eq!(outside, Answer::Text("outer".into()));
    }

    #[test]
    fn keys_are_found_by_name_and_by_family() {
        let text = b"[core]\n\tfsMonitor = \"x\"\n[diff \"evil\"]\n textconv = y\ntextconv=z\n";
        let answer = |key: &str| {
            let mut asked = Asked::new(key);
            each(text, &mut |setting| asked.see(setting)).unwrap();
            asked.answer()
        };
        assert_eq!(answer("core.fsmonitor"), Answer::Text("x".into()));
        assert_eq!(answer("diff.*.textconv"), Answer::Text("diff.evil.textconv".into()));
        assert_eq!(answer("filter.*.clean"), Answer::Absent);
    }

    #[test]
    fn what_is_included_counts_and_what_cannot_be_read_is_unknown() {
        let root = std::env::temp_dir().join(format!("ricasso-included-{}", std::process::id()));
        fs::create_dir_all(root.join(".git")).unwrap();
        let says = |config: &[u8]| {
            fs::write(root.join(".git/config"), config).unwrap();
            setting(&root, "filter.*.clean")
        };
        let set = Answer::Text("filter.a.clean".into());
        fs::write(root.join("a"), "[filter \"a\"]\nclean = x\n[include]\npath = a\n").unwrap();
        assert_eq!(says(b"[include]\npath = ../a\n"), set);
        assert_eq!(says(b"[includeIf \"onbranch:x\"]\npath = ../a # b\n"), set);
        assert_eq!(says(b"[include]\npath = ../none\n"), Answer::Absent);
        assert_eq!(says(b"[user]\nname = \xff\n"), Answer::Absent);
        assert_eq!(says(b"[filter \"a\"]\nclean = \xff\n"), set);
        for unclear in ["..", "~/a", "%(prefix)/a", "/dev/null", "/proc/self/environ"] {
            let config = format!("[include]\npath = {unclear}\n");
            assert_eq!(says(config.as_bytes()), Answer::Unknown, "{unclear}");
        }
        assert_eq!(says(b"[core\n"), Answer::Unknown);
        assert_eq!(says(&[b'\n'; (MAX_BYTES + 1) as usize]), Answer::Unknown);
        let many: String = (0..MOST_FILES).map(|it| format!("[include]\npath = {it}\n")).collect();
        assert_eq!(says(many.as_bytes()), Answer::Unknown);
        // The configuration of a repository may lie elsewhere, whatever `.git` itself is.
        fs::write(root.join(".git/commondir"), "../other\n").unwrap();
        assert_eq!(says(b""), Answer::Unknown);
        fs::create_dir(root.join("other")).unwrap();
        fs::write(root.join("other/config"), "[filter \"a\"]\nclean = x\n").unwrap();
        assert_eq!(says(b""), set);
        fs::remove_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git"), "no repository").unwrap();
        assert_eq!(setting(&root, "filter.*.clean"), Answer::Unknown);
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_long_section_with_many_names_costs_no_more_than_its_text() {
        let mut text = format!("[diff \"{}\"]\n", "x".repeat(300_000)).into_bytes();
        text.extend(b"textconv\n".repeat(70_000));
        let mut asked = Asked::new("diff.*.textconv");
        each(&text, &mut |setting| asked.see(setting)).unwrap();
        assert_eq!(asked.found.len(), 1);
    }
}
