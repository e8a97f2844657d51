//! Git keeps in its configuration what each branch follows, beside what names programs. It may go
//! on with the first: a new text that differs in nothing else is written by us.
//!
//! The text that is judged is the one that is written, into the file that was compared, and all of
//! them lie in one directory that is held. So nothing depends on what names mean meanwhile.

use super::memory::{Asker, name_of};
use super::walk::{Follow, Walk};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FallocateFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

const CONFIG: &str = "config";
/// Where git writes the new text.
const LOCK: &str = "config.lock";
/// What git takes for blanks before a key.
const BLANKS: [char; 2] = [' ', '\t'];
/// A configuration with some thousand branches.
const MOST_BYTES: u64 = 256 * 1024;

/// Whether git moves a new configuration into place which may be there, and it is there now.
pub(super) fn done(asker: &Asker, from: Option<&Path>, to: &Path) -> bool {
    let Some(from) = from.filter(|from| from.parent() == to.parent()) else { return false };
    if from.file_name() != Some(LOCK.as_ref()) || to.file_name() != Some(CONFIG.as_ref()) {
        return false;
    }
    to.parent().is_some_and(|repository| replace(asker, repository).is_ok())
}

fn replace(asker: &Asker, repository: &Path) -> Result<(), Errno> {
    let directory = Walk::new(asker, libc::AT_FDCWD).hold(repository, Follow::No)?;
    if name_of(directory.as_fd())? != repository {
        return Err(Errno::XDEV);
    }
    let new = read(&open(directory.as_fd(), LOCK, OFlags::RDONLY)?)?;
    let file = match open(directory.as_fd(), CONFIG, OFlags::RDWR) {
        // The command's own mount is what refuses; ours lies beside it.
        Err(Errno::ROFS) => {
            open(ours(directory.as_fd(), repository)?.as_fd(), CONFIG, OFlags::RDWR)
        }
        other => other,
    }?;
    let old = read(&file)?;
    if !differ_in_branches_alone(&old, &new) {
        return Err(Errno::ACCESS);
    }
    let written = if old == new { Ok(()) } else { write(&file, &new) };
    if let Err(errno) = written {
        // It has been there before, so there is room for it.
        let _ = write(&file, &old);
        return Err(errno);
    }
    rustix::fs::unlinkat(&directory, LOCK, AtFlags::empty())
}

fn write(file: &File, text: &[u8]) -> Result<(), Errno> {
    // A full disk is found out before anything is written over.
    if let Err(errno @ Errno::NOSPC) =
        rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, text.len() as u64)
    {
        return Err(errno);
    }
    file.write_all_at(text, 0).map_err(|_| Errno::IO)?;
    file.set_len(text.len() as u64).map_err(|_| Errno::IO)
}

/// The same directory as we see it.
fn ours(directory: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let own = rustix::fs::open(path, flags, Mode::empty())?;
    let (one, other) = (rustix::fs::fstat(directory)?, rustix::fs::fstat(&own)?);
    let same = (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino);
    if same { Ok(own) } else { Err(Errno::XDEV) }
}

fn open(directory: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<File, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name, flags, Mode::empty())?;
    let about = rustix::fs::fstat(&file)?;
    let is_plain = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
    // By a second name it could be written while we look.
    if is_plain && about.st_nlink == 1 { Ok(file.into()) } else { Err(Errno::ACCESS) }
}

fn read(file: &File) -> Result<Vec<u8>, Errno> {
    let mut text = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut text).map_err(|_| Errno::IO)?;
    if text.len() as u64 > MOST_BYTES { Err(Errno::FBIG) } else { Ok(text) }
}

/// Whether two texts say the same but for what branches follow.
fn differ_in_branches_alone(old: &[u8], new: &[u8]) -> bool {
    let (Some(old), Some(new)) = (Text::of(old), Text::of(new)) else { return false };
    let known: HashSet<&str> = old.branches.iter().copied().collect();
    let may_stand = |line: &&str| known.contains(line) || is_harmless(line, &old.others);
    old.others == new.others && new.branches.iter().all(may_stand)
}

/// The lines of a configuration.
struct Text<'a> {
    others: Vec<&'a str>,
    /// Heads and bodies of the sections of branches.
    branches: Vec<&'a str>,
}

impl<'a> Text<'a> {
    /// Nothing where a line could go on in the next one, or what git reads could be something else
    /// than what we read.
    fn of(text: &'a [u8]) -> Option<Text<'a>> {
        let text = std::str::from_utf8(text).ok()?;
        let odd = |sign: char| sign.is_control() && sign != '\n' && sign != '\t';
        if text.contains(odd) || text.contains("\\\n") || text.ends_with('\\') {
            return None;
        }
        let (mut others, mut branches, mut in_branch) = (Vec::new(), Vec::new(), false);
        for line in text.lines() {
            if line.trim_start_matches(BLANKS).starts_with('[') {
                in_branch = is_head_of_branch(line);
            }
            if in_branch { branches.push(line) } else { others.push(line) }
        }
        Some(Text { others, branches })
    }
}

fn is_head_of_branch(line: &str) -> bool {
    let name = line.strip_prefix("[branch \"").and_then(|rest| rest.strip_suffix("\"]"));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['"', '\\']))
}

/// Letters that mean themselves in a value.
fn is_plain(sign: char) -> bool {
    sign.is_alphanumeric() || "._/+@-".contains(sign)
}

/// Whether a line leads to no program and to no place that the others do not name.
fn is_harmless(line: &str, others: &[&str]) -> bool {
    if line.is_empty() || is_head_of_branch(line) {
        return true;
    }
    let line = line.trim_start_matches(BLANKS);
    let Some((key, value)) = line.split_once(" = ") else { return false };
    let is_remote = || {
        let head = format!("[remote \"{value}\"]");
        value == "." || others.contains(&head.as_str())
    };
    value.chars().all(is_plain)
        && match key {
            "remote" | "pushRemote" => is_remote(),
            "merge" => value.starts_with("refs/"),
            "rebase" => ["true", "false", "merges", "interactive"].contains(&value),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n\
                       [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";

    fn may(old: &str, new: &str) -> bool {
        differ_in_branches_alone(old.as_bytes(), new.as_bytes())
    }

    #[test]
    fn what_branches_follow_may_change_and_nothing_else() {
        let more = |text: &str| may(OLD, &format!("{OLD}{text}"));
        assert!(may(OLD, OLD));
        assert!(more("[branch \"a/b-1\"]\n\tremote = origin\n\tmerge = refs/heads/x\n"));
        assert!(more("[branch \"a\"]\n\tremote = .\n\tmerge = refs/heads/x\n\trebase = true\n"));
        assert!(may(OLD, &OLD.replace("\"main\"", "\"other\"")));
        assert!(may(OLD, OLD.split_once("[branch").map(|(head, _)| head).unwrap()));
        for text in [
            "[core]\n\tfsmonitor = evil\n",
            "[branch \"a\"]\n\tremote = ext::sh -c evil\n",
            "[branch \"a\"]\n\tremote = /tmp/evil\n",
            "[branch \"a\"]\n\tremote = other\n",
            "[branch \"a\"]\n\tfsmonitor = evil\n",
            "[branch \"a\"]\n\tmerge = refs/heads/x # y\n",
            "[branch \"a\"]\n\tremote = origin#\n",
            "[branch \"a\"]\n\u{3000}merge = refs/heads/x\n",
            "[branch \"a\"] [core]\n\tfsmonitor = evil\n",
            "[branch \"a\"]\n\tremote = origin\\\n",
            "[branch \"a\\\"]\n[core]\n\teditor = evil\n",
            " [include]\n\tpath = x\n",
            "\tfsmonitor = evil\n",
            "[branch \"a\"]\n\tremote = origin\r\n",
            "[alias]\n",
        ] {
            assert!(!more(text), "{text}");
        }
        assert!(!may(OLD, &OLD.replace("url = x", "url = y")));
        assert!(!may(OLD, ""));
        // A line that the section before it would take in.
        assert!(!may(OLD, &OLD.replace("\tbare", "[branch \"x\"]\n\tbare")));
    }
}
