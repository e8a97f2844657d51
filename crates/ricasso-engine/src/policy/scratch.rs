//! Directories for files that do not stay, as far as they are the session's own on this machine.

use super::effect::{Effect, Target};
use super::settled::Policy;
use super::value::{Changes, Mode, Tmp};
use super::walk::NEW;
use crate::scene::{Answer, Look, Query};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// What each session has of its own where there are mount namespaces; /var/tmp is the machine's and
/// stays shut.
const MOUNTED: [&str; 3] = ["/tmp", "/dev/shm", "/private/tmp"];

/// The session's directories, looked up when the first path depends on them.
pub(super) struct Scratch<'a> {
    look: &'a dyn Look,
    given: bool,
    found: OnceCell<Vec<PathBuf>>,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(policy: &Policy, look: &'a dyn Look, reads_everything: bool) -> Self {
        Self { look, given: gives_scratch(policy, reads_everything), found: OnceCell::new() }
    }

    /// Where the policy gives them, by their names on a machine with mount namespaces.
    pub(super) fn usual(&self) -> impl Iterator<Item = PathBuf> {
        MOUNTED.iter().filter(|_| self.given).map(PathBuf::from)
    }

    fn places(&self) -> &[PathBuf] {
        self.found.get_or_init(|| match self.given.then(|| self.look.look(&Query::Scratch)) {
            None => Vec::new(),
            Some(Answer::Paths(own)) => own,
            Some(_) => self.usual().collect(),
        })
    }

    /// Whether a path lies in one of them.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.places().iter().any(|place| path.starts_with(place))
    }

    /// As remedies name them: a directory below our own state is known by its variable.
    pub(super) fn names(&self) -> Vec<String> {
        let is_usual = |place: &&PathBuf| self.usual().any(|usual| usual == **place);
        let usual = self.places().iter().filter(is_usual).map(|place| place.display().to_string());
        let mut names: Vec<String> = usual.collect();
        if self.given && names.is_empty() {
            names.push("$TMPDIR".into());
        }
        names
    }

    /// Whether an effect is on what `mktemp` made: no text shows where that lies.
    pub(super) fn is_made_by_mktemp(&self, effect: &Effect, path: &Path) -> bool {
        self.given
            && match effect.target {
                Target::Below { .. } if MOUNTED.iter().any(|it| path == Path::new(it)) => true,
                _ => is_new(path),
            }
    }
}

/// Whether a path lies in what `mktemp` made, by the name that stands for the real one.
fn is_new(path: &Path) -> bool {
    let first = MOUNTED.iter().find_map(|it| path.strip_prefix(it).ok()?.components().next());
    let name = first.map(|part| part.as_os_str().as_encoded_bytes());
    name.is_some_and(|name| name.windows(NEW.len()).any(|part| part == NEW))
}

/// Whether commands have a place of the session's own for what does not stay. Mode `read` has one
/// too, but a policy that says itself what may be read, or who refuses a change, means every write.
fn gives_scratch(policy: &Policy, reads_everything: bool) -> bool {
    let own = match policy.tmp() {
        Tmp::Session | Tmp::Private => true,
        Tmp::Layered | Tmp::Host => false,
    };
    match policy.mode() {
        Mode::Workspace => true,
        Mode::Read => own && reads_everything && policy.files().changes == Changes::Judged,
        Mode::Open => false,
    }
}
