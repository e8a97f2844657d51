//! A list of programs as files: what starts, and what it cannot start without.
//!
//! Names are looked up where the command would look, but never below a writable root, nor through a
//! link there: a program that the command can write, or lead its name to, is not the one that
//! somebody listed.

use super::mounts::{copies, real};
use super::other_names;
use super::raw::Depth;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A list of globs over large directories stays below this; a longer one is refused.
const MOST_PROGRAMS: usize = 2048;
/// The head of an ELF file and its table of parts lie within this.
const HEAD_BYTES: u64 = 4096;
/// Where shared objects lie that programs of the system load, modules of interpreters too. What is
/// no shared object there is neither started nor mapped.
const LIBRARIES: [&str; 6] =
    ["/usr/lib", "/lib", "/usr/lib64", "/lib64", "/usr/local/lib", "/usr/local/lib64"];
/// Before a name that takes out what the list named before it.
const TAKES_OUT: char = '!';
/// Links that a name may lead through (path_resolution(7)).
const MOST_LINKS: usize = 40;
/// git starts itself by its other names, and its transports.
const GIT_PARTS: [&str; 4] = ["git", "git-remote-http", "git-remote-https", "git-upload-pack"];
const GIT_DIRECTORIES: [&str; 2] = ["/usr/lib/git-core", "/usr/libexec/git-core"];

/// What may start, and what may be mapped as code.
#[derive(Debug, Default)]
pub(super) struct Listed {
    /// Real paths of programs.
    pub(super) programs: BTreeSet<PathBuf>,
    /// The loaders that the kernel starts for them.
    pub(super) loaders: BTreeSet<PathBuf>,
    /// Directories of shared objects.
    pub(super) libraries: BTreeSet<PathBuf>,
    /// What a command can write to, and may lie inside these.
    roots: Vec<PathBuf>,
}

impl Listed {
    /// Looks a list up. `path` is the command's PATH.
    pub(super) fn find(list: &[String], path: &[u8], roots: &[PathBuf]) -> Result<Listed, Errno> {
        let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
        for entry in list {
            if let Some(taken) = entry.strip_prefix(TAKES_OUT) {
                found.retain(|(named, real)| !is_called(named, taken) && !is_called(real, taken));
                continue;
            }
            for named in named(entry, path) {
                if let Some(real) = firm(&named, roots).filter(|real| real.is_file()) {
                    found.push((named, real));
                }
            }
        }
        let mut listed = Listed::default();
        for (_, program) in found {
            listed.add(program, roots)?;
        }
        if listed.programs.len() > MOST_PROGRAMS {
            return Err(Errno::TOOBIG);
        }
        listed.roots = roots.to_vec();
        for loader in listed.programs.iter().filter_map(|program| loader(program)) {
            // One that a command can write would be any program.
            let Some(loader) = firm(&loader, roots) else { continue };
            if !other_names::lead_into(&loader, roots)? {
                listed.loaders.insert(loader);
            }
        }
        if !listed.programs.is_empty() {
            let there = LIBRARIES.iter().map(Path::new).filter(|path| path.exists());
            let given = |path: &PathBuf| !roots.iter().any(|root| path.starts_with(root));
            let all: BTreeSet<PathBuf> = there.map(real).filter(given).collect();
            let inner =
                |path: &PathBuf| all.iter().any(|other| path != other && path.starts_with(other));
            listed.libraries = all.iter().filter(|path| !inner(path)).cloned().collect();
        }
        Ok(listed)
    }

    fn add(&mut self, path: PathBuf, roots: &[PathBuf]) -> Result<(), Errno> {
        if self.programs.contains(&path) {
            return Ok(());
        }
        if other_names::lead_into(&path, roots)? {
            return Ok(());
        }
        if path.file_name().is_some_and(|name| name == "git") {
            let parts = GIT_DIRECTORIES.iter().flat_map(|directory| {
                GIT_PARTS.iter().map(move |part| Path::new(directory).join(part))
            });
            self.programs.extend(parts.filter_map(|part| part.canonicalize().ok()));
        }
        self.programs.insert(path);
        Ok(())
    }

    /// Copies of them that stay executable when all else does not.
    pub(super) fn copies(&self) -> Result<Vec<(PathBuf, OwnedFd)>, Errno> {
        let mut all = copies(self.libraries.iter().map(PathBuf::as_path), Depth::All)?;
        let files = self.programs.iter().chain(&self.loaders).map(PathBuf::as_path);
        all.extend(copies(files, Depth::One)?);
        for (_, tree) in &all {
            super::raw::seal_tree(
                tree,
                Depth::All,
                super::raw::READ_ONLY | super::raw::NO_SUID | super::raw::NO_DEVICES,
            )?;
        }
        Ok(all)
    }

    /// Whether a file may be mapped by a loader: programs are mapped by the kernel, and those that
    /// lie among libraries have other names.
    pub(super) fn is_library(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().as_bytes();
        name.windows(3).any(|part| part == b".so")
            && self.libraries.iter().any(|library| path.starts_with(library))
            && !self.roots.iter().any(|root| path.starts_with(root))
    }
}

/// Whether a file has this name: a base name, a glob of one, or a whole path.
fn is_called(path: &Path, name: &str) -> bool {
    let own = if name.contains('/') { Some(path.as_os_str()) } else { path.file_name() };
    own.is_some_and(|own| matches(name.as_bytes(), own.as_bytes()))
}

/// The files that an entry of a list may mean, there or not.
fn named(entry: &str, path: &[u8]) -> Vec<PathBuf> {
    if let Some((directory, name)) = entry.rsplit_once('/') {
        return inside(Path::new(if directory.is_empty() { "/" } else { directory }), name);
    }
    let directories = path.split(|byte| *byte == b':').filter(|part| !part.is_empty());
    let directories = directories.map(|part| Path::new(std::ffi::OsStr::from_bytes(part)));
    directories.flat_map(|directory| inside(directory, entry)).collect()
}

fn inside(directory: &Path, name: &str) -> Vec<PathBuf> {
    if !name.contains(['*', '?', '[']) {
        return vec![directory.join(name)];
    }
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let fit = entries.filter(|entry| matches(name.as_bytes(), entry.file_name().as_bytes()));
    fit.map(|entry| entry.path()).collect()
}

/// Where a whole path really leads, if no step of the way lies below a root: what is there, a link
/// for one, the command could turn.
fn firm(path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let names = |path: &Path| path.components().rev().map(owned).collect::<Vec<_>>();
    let mut ahead = names(path);
    let mut here = PathBuf::new();
    let mut links = 0;
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next()? {
            Component::RootDir => here = PathBuf::from("/"),
            Component::ParentDir => drop(here.pop()),
            Component::CurDir | Component::Prefix(_) => {}
            Component::Normal(name) => here.push(name),
        }
        // One that begins nowhere would depend on who looks.
        if !here.is_absolute() || roots.iter().any(|root| here.starts_with(root)) {
            return None;
        }
        if let Ok(target) = here.read_link() {
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            here.pop();
            ahead.extend(names(&target));
        }
    }
    Some(here)
}

fn owned(part: Component<'_>) -> OsString {
    part.as_os_str().to_os_string()
}

/// The loader that an ELF program names (its part of the kind PT_INTERP).
fn loader(program: &Path) -> Option<PathBuf> {
    const INTERPRETER: u32 = 3;
    let mut head = Vec::new();
    File::open(program).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let number = |at: usize, length: usize| -> Option<usize> {
        let bytes = head.get(at..at.checked_add(length)?)?;
        let mut whole = [0u8; 8];
        whole[..length].copy_from_slice(bytes);
        usize::try_from(u64::from_le_bytes(whole)).ok()
    };
    // 64 bits, little-endian: what we run on.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for part in 0..count {
        let at = table.checked_add(part.checked_mul(size)?)?;
        if number(at, 4)? as u32 == INTERPRETER {
            let (from, length) = (number(at.checked_add(8)?, 8)?, number(at.checked_add(32)?, 8)?);
            let text = head.get(from..from.checked_add(length)?)?;
            let text = text.strip_suffix(b"\0").unwrap_or(text);
            return Some(PathBuf::from(std::ffi::OsStr::from_bytes(text)));
        }
    }
    None
}

/// A glob over a name: `*`, `?` and `[a-z]`.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    match glob.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|from| matches(rest, &name[from..])),
        Some((b'?', rest)) => name.split_first().is_some_and(|(_, tail)| matches(rest, tail)),
        Some((b'[', rest)) => {
            let Some(end) = rest.iter().skip(1).position(|byte| *byte == b']') else {
                return false;
            };
            let (set, rest) = (&rest[..=end], &rest[end + 2..]);
            name.split_first()
                .is_some_and(|(first, tail)| in_set(set, *first) && matches(rest, tail))
        }
        Some((byte, rest)) => {
            name.split_first().is_some_and(|(first, tail)| first == byte && matches(rest, tail))
        }
    }
}

fn in_set(set: &[u8], byte: u8) -> bool {
    let (set, inverted) = match set.split_first() {
        Some((b'!' | b'^', rest)) => (rest, true),
        _ => (set, false),
    };
    let mut found = false;
    let mut at = 0;
    while at < set.len() {
        if set.get(at + 1) == Some(&b'-') && at + 2 < set.len() {
            found |= (set[at]..=set[at + 2]).contains(&byte);
            at += 3;
        } else {
            found |= set[at] == byte;
            at += 1;
        }
    }
    found != inverted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_does_not_start_and_globs_stand_in_paths_too() {
        let find = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|name| (*name).to_string()).collect();
            Listed::find(&list, b"/usr/bin:/bin", &[]).unwrap().programs
        };
        let called = |programs: &BTreeSet<PathBuf>, name: &str| {
            programs.iter().any(|path| path.file_name().is_some_and(|own| own == name))
        };
        let (all, some) = (find(&["ca*", "ls"]), find(&["ca*", "ls", "!cat", "!l*"]));
        assert!(called(&all, "cat") && called(&all, "ls"));
        assert!(!called(&some, "cat") && !called(&some, "ls"));
        // Only what stood before it.
        assert!(called(&find(&["!cat", "cat"]), "cat"));
        assert!(find(&["/usr/bin/ca*", "!/usr/bin/cat"]).iter().all(|path| !path.ends_with("cat")));
        assert!(called(&find(&["/usr/bin/ca?"]), "cat"));
    }

    #[test]
    fn what_a_command_can_write_is_no_library_wherever_it_lies() {
        let listed = Listed {
            libraries: [PathBuf::from("/usr/lib")].into(),
            roots: vec!["/usr/lib/work".into()],
            ..Listed::default()
        };
        assert!(listed.is_library(Path::new("/usr/lib/x.so.1")));
        assert!(!listed.is_library(Path::new("/usr/lib/work/x.so")));
        assert!(!listed.is_library(Path::new("/opt/x.so")));
    }

    #[test]
    fn a_program_brings_its_loader_and_a_writable_one_does_not_count() {
        let list = ["sh".to_string(), "[r]m".to_string()];
        let listed = Listed::find(&list, b"/usr/bin:/bin", &[]).unwrap();
        assert!(listed.programs.contains(&real(Path::new("/bin/sh"))));
        assert!(listed.programs.contains(&real(Path::new("/usr/bin/rm"))));
        assert_eq!(listed.loaders.len(), 1, "{:?}", listed.loaders);
        let library = listed.libraries.first().unwrap().join("libx.so.1");
        assert!(listed.is_library(&library));
        assert!(!listed.is_library(&library.with_file_name("program")));
        assert!(!listed.is_library(Path::new("/usr/bin/env")));
        let listed = Listed::find(&list, b"/usr/bin:/bin", &["/usr".into()]).unwrap();
        assert!(listed.programs.is_empty());
        let listed = Listed::find(&["/bin/sh".into()], b"", &["/usr/lib".into()]).unwrap();
        assert!(!listed.is_library(Path::new("/usr/lib/x86_64-linux-gnu/libx.so.1")));
    }

    #[test]
    fn a_name_that_leads_through_a_root_or_from_nowhere_is_not_listed() {
        let place = std::env::temp_dir().join(format!("ricasso-listed-{}", std::process::id()));
        let place =
            { std::fs::create_dir_all(place.join("w/real")).map(|()| real(&place)) }.unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, place.join(name)).unwrap();
            place.join(name).to_str().unwrap().to_string()
        };
        let inside = link("/bin/sh", "w/real/sh");
        link("w/real", "bin");
        let plain = link("/bin/sh", "sh");
        let roots = [place.join("w")];
        let find = |name: &str, path: &Path, roots: &[PathBuf]| {
            let path = path.as_os_str().as_bytes();
            Listed::find(&[name.to_string()], path, roots).unwrap().programs.len()
        };
        let none = Path::new("");
        assert_eq!((find(&plain, none, &roots), find(&inside, none, &roots)), (1, 0));
        let through = place.join("bin/sh").to_str().unwrap().to_string();
        assert_eq!((find(&through, none, &[]), find(&through, none, &roots)), (1, 0));
        assert_eq!(
            (find("sh", &place.join("bin"), &[]), find("sh", &place.join("bin"), &roots)),
            (1, 0)
        );
        assert_eq!(find("sh", Path::new("usr/bin:."), &[]), 0);
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn globs_over_names() {
        assert!(matches(b"git*", b"git-x") && matches(b"?s", b"ls") && matches(b"[a-c]*", b"bx"));
        assert!(!matches(b"git", b"git-x") && !matches(b"[!a]x", b"ax"));
    }
}
