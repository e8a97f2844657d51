//! Files that a run left behind and that are run or obeyed later: found by one bounded walk after
//! the run, by the time of their last change. Nothing is made in the workspace to find them.

use super::obeyed;
use crate::scene::Pointed;
use ricasso_os::read_plain;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Entries that one walk looks at. A large repository has some ten thousand files; reading the
/// names of these takes about ten milliseconds.
const MOST_ENTRIES: usize = 40_000;
/// The same for a writable root beside the workspace, which may be anything.
const MOST_ENTRIES_BESIDE: usize = 4_000;
/// Entries of one directory. It is looked at as a whole where that can be, so that nobody hides a
/// file behind a crowd of others.
const MOST_IN_ONE: usize = 500_000;
/// Files that one reply names.
const MOST_NAMED: usize = 100;
/// The kernel may write a time that lags by one tick, a hundredth of a second at most.
const TICK: Duration = Duration::from_millis(10);
/// Directories of a repository that hold nothing but git's own objects and names.
const GITS_OWN: &[&str] = &["objects", "refs", "logs", "lfs"];

/// What was there before a run.
#[derive(Debug, Clone)]
pub struct Before {
    root: PathBuf,
    since: (i64, i64),
    /// Device and number of the workspace's own repository: another one was moved into its place.
    repository: Option<(u64, u64)>,
    /// Whether the project's own file was there: without it the next run has more rights.
    project: bool,
    most_entries: usize,
}

/// What else makes files count, beside their names.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The user's own settings of git.
    pub settings: Vec<PathBuf>,
    /// What the policy protects; what is in the table of names anyway need not be here.
    pub protect: Vec<PathBuf>,
    /// All places where the command could write: the configuration of one may point into another.
    pub roots: Vec<PathBuf>,
    /// What the configurations in those that were looked at before point at.
    pub pointed: Pointed,
}

impl Known {
    /// With the paths of a policy.
    pub fn new(settings: Vec<PathBuf>, protect: &[PathBuf]) -> Known {
        let others = protect.iter().filter(|entry| !obeyed::is_known(entry)).cloned();
        Known { settings, protect: others.collect(), ..Known::default() }
    }

    fn protects(&self, path: &Path, relative: &Path) -> bool {
        let names: Vec<&OsStr> = relative.iter().collect();
        let same = |one: &OsStr, other: &OsStr| one.eq_ignore_ascii_case(other);
        self.protect.iter().any(|entry| {
            let wanted: Vec<&OsStr> = entry.iter().collect();
            let meets = |part: &[&OsStr]| part.iter().zip(&wanted).all(|(a, b)| same(a, b));
            path.starts_with(entry) || names.windows(wanted.len().max(1)).any(meets)
        })
    }
}

/// The one file whose absence is obeyed too.
const PROJECT: &str = ".ricasso.toml";

/// What was found after it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Born {
    /// The path relative to the workspace, and what will happen.
    pub files: Vec<(PathBuf, &'static str)>,
    /// Whether the walk ended at one of its bounds, so that there may be more.
    pub cut: bool,
    /// Whether a directory cannot be listed though files in it can be obeyed.
    pub unlisted: bool,
    /// Whether git's own configuration there could not be read, so that git may obey more.
    pub unread: bool,
    /// What that points at, there and in what was looked at before.
    pub pointed: Pointed,
}

impl Before {
    /// Looks at the workspace before anything runs in it.
    pub fn look(root: &Path) -> Before {
        let since = SystemTime::now().checked_sub(TICK).unwrap_or(UNIX_EPOCH);
        let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
        Before {
            root: root.to_path_buf(),
            since: (since.as_secs() as i64, i64::from(since.subsec_nanos())),
            repository: identity(&root.join(".git")),
            project: identity(&root.join(PROJECT)).is_some(),
            most_entries: MOST_ENTRIES,
        }
    }

    /// Looks at a writable root beside it.
    pub fn look_beside(root: &Path) -> Before {
        Before { most_entries: MOST_ENTRIES_BESIDE, ..Before::look(root) }
    }

    /// Where it looks.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Looks again, and finds what was born, changed or moved in.
    pub fn look_again(&self, known: &Known) -> Born {
        let pointed = known.pointed.clone();
        let mut walk = Walk { before: self, known, pointed, born: Born::default(), entries: 0 };
        walk.run();
        walk.born.unread = walk.pointed.unread;
        walk.born.pointed = std::mem::take(&mut walk.pointed);
        if self.project && identity(&self.root.join(PROJECT)).is_none() {
            walk.born.files.push((PROJECT.into(), "ricasso obeyed it, and it is gone"));
        }
        walk.born.files.sort();
        walk.born.files.dedup();
        walk.born
    }

    fn is_new(&self, about: &Metadata) -> bool {
        is_since((about.ctime(), about.ctime_nsec()), self.since)
    }
}

/// Whether a time of change is not before this one. Some file systems keep whole seconds, or every
/// second one (ext4 with small inodes, FAT); of these a time says only that it was not
/// later.
fn is_since((seconds, part): (i64, i64), since: (i64, i64)) -> bool {
    const STEP: i64 = 2;
    let latest = if part == 0 { (seconds + STEP, 0) } else { (seconds, part) };
    latest >= since
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

/// A directory to look into, and what is known of it.
struct Place {
    path: PathBuf,
    /// The repository that it is a part of, whatever that is called.
    repository: Option<Repository>,
    /// Whether it may have been moved here as a whole, with files older than the run.
    moved: bool,
    /// Whether a link leads here; no further one is followed then.
    linked: bool,
}

/// A directory that git takes for a repository.
#[derive(Clone)]
struct Repository {
    path: PathBuf,
    /// Whether it may have become one in this run: then its older files are obeyed since.
    grown: bool,
}

struct Walk<'a> {
    before: &'a Before,
    known: &'a Known,
    /// What the configuration makes git obey besides.
    pointed: Pointed,
    born: Born,
    entries: usize,
}

impl Walk<'_> {
    /// Broad before deep, so that a bound cuts off what lies deepest.
    fn run(&mut self) {
        let root = self.before.root.clone();
        let first = Place { path: root, repository: None, moved: false, linked: false };
        let mut places = VecDeque::from([first]);
        while let Some(place) = places.pop_front() {
            if self.entries > self.before.most_entries || self.born.files.len() > MOST_NAMED {
                self.born.cut = true;
                return;
            }
            self.look_into(place, &mut places);
        }
    }

    fn look_into(&mut self, place: Place, places: &mut VecDeque<Place>) {
        let entries = match fs::read_dir(&place.path) {
            Ok(entries) => entries,
            Err(error) => {
                self.born.unlisted |= may_hold_files(&place.path, &error);
                return;
            }
        };
        let mut names = Vec::new();
        for (count, entry) in entries.flatten().enumerate() {
            if count >= MOST_IN_ONE {
                self.born.cut = true;
                break;
            }
            let Ok(kind) = entry.file_type() else { continue };
            names.push((entry.file_name(), kind));
            self.entries += 1;
        }
        let has = |wanted: &str| names.iter().any(|(name, _)| name.as_os_str() == wanted);
        let is_repository = has("HEAD") && has("objects") || has("HEAD") && has("commondir");
        let repository = match is_repository {
            true => {
                Some(Repository { grown: self.may_be_grown(&place.path), path: place.path.clone() })
            }
            false => place.repository,
        };
        if has(".git") {
            let Known { settings, roots, .. } = self.known;
            self.pointed.add(Pointed::by_repository(&place.path, settings, roots));
        }
        for (name, kind) in names {
            let path = place.path.join(&name);
            // Anybody can make a directory look like a repository; nobody works inside `.git`.
            let gits_own = GITS_OWN.iter().any(|own| name.as_os_str() == *own)
                && is_repository
                && place.path.iter().any(|name| name.eq_ignore_ascii_case(".git"));
            if kind.is_dir() && !gits_own {
                let moved = place.moved || self.may_be_moved(&path);
                let repository = repository.clone();
                places.push_back(Place { path, repository, moved, linked: place.linked });
                continue;
            }
            if kind.is_dir() {
                continue;
            }
            let is_hooks = kind.is_symlink() && name == "hooks";
            let runs = is_hooks.then_some("git runs what is in it");
            let leads = kind.is_symlink() && self.pointed.is_reached_by(&path);
            let known = runs.or_else(|| leads.then_some(obeyed::ELSEWHERE));
            self.name_if(&path, repository.as_ref(), place.moved, known);
            // Whoever obeys follows a link, so its target is looked at as if it lay here.
            if kind.is_symlink() && !place.linked && (is_hooks || self.leads_to_some(&path)) {
                let turned = fs::symlink_metadata(&path);
                let moved = place.moved || turned.is_ok_and(|about| self.before.is_new(&about));
                let repository = repository.clone();
                places.push_back(Place { path, repository, moved, linked: true });
            }
        }
    }

    /// Whether a link leads to a directory, under a name that makes its files count.
    fn leads_to_some(&self, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.before.root);
        relative.is_ok_and(obeyed::holds_some) && path.is_dir()
    }

    /// A directory of obeyed files whose own entry changed: what is in it may be older than the
    /// run and yet new here.
    fn may_be_moved(&self, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(&self.before.root) else { return false };
        if relative == Path::new(".git") {
            return identity(path) != self.before.repository;
        }
        if obeyed::holds_some(relative) {
            return self.is_changed(path);
        }
        // Whoever moves a directory changes the one above it too, and whoever only works in it
        // seldom does: most directories on the way to hooks hold other things as well.
        let above = || path.parent().is_some_and(|above| self.is_changed(above));
        self.pointed.is_reached_by(path) && self.is_changed(path) && above()
    }

    /// Whether a directory may have become a repository in this run, by a part that git asks for.
    /// Settings and hooks that lay there before were nobody's. In `.git` these parts change with
    /// every commit, and the warden keeps what is older.
    fn may_be_grown(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.before.root).unwrap_or(path);
        let parts = || ["HEAD", "objects", "commondir"].iter().map(|part| path.join(part));
        !inside.iter().any(|name| name.eq_ignore_ascii_case(".git"))
            && self.is_changed(path)
            && parts().any(|part| self.is_changed(&part))
    }

    fn is_changed(&self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|about| self.before.is_new(&about))
    }

    fn why_pointed(&self, path: &Path) -> Option<&'static str> {
        if self.pointed.hooks.iter().any(|hooks| path.starts_with(hooks)) {
            return Some(obeyed::HOOK);
        }
        if self.pointed.programs.iter().any(|file| file == path) {
            return Some(obeyed::HOOK);
        }
        self.pointed.settings.iter().any(|file| file == path).then_some(obeyed::GIT)
    }

    fn name_if(
        &mut self,
        path: &Path,
        repository: Option<&Repository>,
        moved: bool,
        known: Option<&'static str>,
    ) {
        let Ok(relative) = path.strip_prefix(&self.before.root) else { return };
        let inside = repository.and_then(|it| path.strip_prefix(&it.path).ok());
        let part = inside.and_then(obeyed::why_in_repository);
        let moved = moved || part.is_some() && repository.is_some_and(|it| it.grown);
        let found = known
            .or_else(|| obeyed::why(relative))
            .or(part)
            .or_else(|| self.why_pointed(path))
            .or_else(|| is_pointer(path).then_some("git works with the repository that it names"))
            .or_else(|| self.known.protects(path, relative).then_some(obeyed::PROTECTED));
        let Some(why) = found.filter(|_| !is_usual(path)) else { return };
        let Ok(about) = fs::symlink_metadata(path) else { return };
        if moved || self.before.is_new(&about) {
            self.born.files.push((relative.to_path_buf(), why));
        } else if about.is_symlink() {
            self.name_target(path, why);
        }
    }

    /// An old link whose target is new: what counts is called by its own name, where it is here.
    fn name_target(&mut self, link: &Path, why: &'static str) {
        let Ok(about) = fs::metadata(link) else { return };
        if !about.is_file() || !self.before.is_new(&about) {
            return;
        }
        let root = self.before.root.canonicalize();
        let here = link.canonicalize().ok().zip(root.ok());
        let here = here.and_then(|(path, root)| Some(path.strip_prefix(root).ok()?.to_path_buf()));
        let name = here.or_else(|| Some(link.strip_prefix(&self.before.root).ok()?.to_path_buf()));
        self.born.files.extend(name.map(|name| (name, why)));
    }
}

/// Whether files may be opened in a directory that cannot be listed: it can be searched, or it lies
/// deeper than a path can say.
fn may_hold_files(path: &Path, error: &std::io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => false,
        ErrorKind::PermissionDenied => {
            fs::symlink_metadata(path.join(".")).is_ok_and(|about| !takes_no_files(&about))
        }
        _ => true,
    }
}

/// Whether no command of this user can make a file in a directory: it is another user's, nobody
/// else may write to it, and it has no directory below it (two links: its name and its `.`).
fn takes_no_files(about: &Metadata) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    let own = fs::metadata("/proc/self").map(|process| process.uid());
    own.is_ok_and(|own| own != about.uid())
        && about.mode() & OTHERS_WRITE == 0
        && about.nlink() == 2
}

/// What git writes there.
const USUAL: &[u8] = b"../..\n";
/// A rebase of ten thousand commits; a longer list is named unread.
const MOST_TODO_BYTES: u64 = 1 << 20;

/// Each work tree beside the first one leads to the repository that it lies in, and most rebases
/// run nothing.
fn is_usual(path: &Path) -> bool {
    let mut names = path.iter().rev();
    let last = names.next();
    if last.is_some_and(|name| name == "git-rebase-todo") {
        let runs = |line: &&str| matches!(line.split_whitespace().next(), Some("exec" | "x"));
        let text = read_plain(path, MOST_TODO_BYTES);
        return text.is_ok_and(|text| !String::from_utf8_lossy(&text).lines().any(|it| runs(&it)));
    }
    last.is_some_and(|name| name == "commondir")
        && names.nth(1).is_some_and(|name| name == "worktrees")
        && read_plain(path, USUAL.len() as u64).is_ok_and(|text| text == USUAL)
}

/// A file called `.git` leads to a repository elsewhere.
fn is_pointer(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Tree(PathBuf);

    impl Tree {
        fn new() -> Tree {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("ricasso-later-{}-{number}", std::process::id());
            let root = std::env::temp_dir().join(name);
            fs::create_dir_all(&root).unwrap();
            Tree(root)
        }

        fn write(&self, name: &str) {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }

        /// As it was long before the run.
        fn before(&self) -> Before {
            std::thread::sleep(2 * TICK);
            Before::look(&self.0)
        }

        fn named(&self, before: &Before) -> Vec<String> {
            let born = before.look_again(&Known::default());
            assert!(!born.cut);
            born.files.iter().map(|(path, _)| path.display().to_string()).collect()
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn times_of_whole_seconds_count_for_what_they_may_have_been() {
        let since = (100, 900_000_000);
        assert!(is_since((100, 950_000_000), since) && is_since((101, 1), since));
        assert!(!is_since((100, 850_000_000), since) && !is_since((99, 999_999_999), since));
        assert!(is_since((100, 0), since) && is_since((99, 0), since) && !is_since((98, 0), since));
    }

    #[test]
    fn what_lies_deeper_than_a_path_can_say_is_told() {
        let tree = Tree::new();
        let before = tree.before();
        let name = "d".repeat(200);
        let text = format!(
            "cd {}; for i in $(seq 25); do mkdir {name}; cd -P {name}; done",
            tree.0.display()
        );
        let made = std::process::Command::new("bash").args(["-c", &text]).status().unwrap();
        let born = before.look_again(&Known::default());
        assert!(made.success());
        assert!(born.unlisted && !born.cut);
    }

    #[test]
    fn what_was_there_before_is_not_named_and_what_is_born_is() {
        let tree = Tree::new();
        for name in [".git/HEAD", ".git/objects/a", ".git/config", ".git/hooks/old", ".envrc"] {
            tree.write(name);
        }
        let before = tree.before();
        assert_eq!(tree.named(&before), Vec::<String>::new());
        for name in ["src/main.rs", "sub/.git/hooks/post-checkout", ".git/index", "a/.bashrc"] {
            tree.write(name);
        }
        assert_eq!(tree.named(&before), ["a/.bashrc", "sub/.git/hooks/post-checkout"]);
        tree.write(".ricasso.toml");
        let with_a_project = tree.before();
        fs::remove_file(tree.0.join(".ricasso.toml")).unwrap();
        assert_eq!(tree.named(&with_a_project), [".ricasso.toml"]);
        tree.write(".git/config");
        assert!(tree.named(&before).contains(&".git/config".to_string()));
    }

    #[test]
    fn a_repository_of_another_name_is_one_all_the_same() {
        let tree = Tree::new();
        let before = tree.before();
        for name in ["bare/HEAD", "bare/objects/x", "bare/hooks/post-receive", "bare/config"] {
            tree.write(name);
        }
        assert_eq!(tree.named(&before), ["bare/config", "bare/hooks/post-receive"]);
    }

    #[test]
    fn old_files_that_were_moved_into_such_a_place_are_named() {
        let tree = Tree::new();
        for name in ["c/settings.json", "g/hooks/pre-commit", ".git/hooks/old", "h/pre-push"] {
            tree.write(name);
        }
        let before = tree.before();
        fs::rename(tree.0.join("c"), tree.0.join(".claude")).unwrap();
        assert_eq!(tree.named(&before), [".claude/settings.json"]);
        fs::rename(tree.0.join(".git"), tree.0.join("old")).unwrap();
        fs::rename(tree.0.join("g"), tree.0.join(".git")).unwrap();
        assert!(tree.named(&before).contains(&".git/hooks/pre-commit".to_string()));
        fs::remove_dir_all(tree.0.join(".git/hooks")).unwrap();
        std::os::unix::fs::symlink("../h", tree.0.join(".git/hooks")).unwrap();
        let named = tree.named(&before);
        assert!(named.contains(&".git/hooks/pre-push".to_string()), "{named:?}");
    }

    #[test]
    fn links_are_looked_through_and_what_a_policy_protects_is_named() {
        let tree = Tree::new();
        for name in ["c/settings.json", ".git/HEAD", ".git/hooks/x", "tool.sh", "a/key"] {
            tree.write(name);
        }
        std::os::unix::fs::symlink("../../tool.sh", tree.0.join(".git/hooks/pre-push")).unwrap();
        let before = tree.before();
        std::os::unix::fs::symlink("c", tree.0.join(".claude")).unwrap();
        tree.write("tool.sh");
        tree.write("a/Conf/key");
        let known = Known::new(Vec::new(), &["conf/key".into(), ".git/hooks".into()]);
        assert_eq!(known.protect, [PathBuf::from("conf/key")]);
        let born = before.look_again(&known);
        let named: Vec<&Path> = born.files.iter().map(|(path, _)| path.as_path()).collect();
        assert_eq!(named, [".claude/settings.json", "a/Conf/key", "tool.sh"].map(Path::new));
    }

    #[test]
    fn a_walk_has_bounds_and_says_when_it_met_one() {
        let tree = Tree::new();
        let before = tree.before();
        for number in 0..=MOST_NAMED {
            tree.write(&format!("{number}/.envrc"));
        }
        tree.write("0/deeper/x");
        let born = before.look_again(&Known::default());
        assert!(born.cut);
        assert!(born.files.len() > MOST_NAMED / 2);
    }
}
