//! Who is on the machine, as far as a command needs to know: itself, root and nobody.
//!
//! Where the machine's own lists are not to be read, short ones lie in their place: without any,
//! programs that ask for the name of their user fail.

use super::Cage;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The lists, each with the field that holds the number.
const LISTS: [&str; 2] = ["/etc/passwd", "/etc/group"];
/// A list that is longer than this is no list of people.
const MOST_BYTES: u64 = 4 << 20;
const ROOT: u32 = 0;
const NOBODY: u32 = 65_534;

/// Whether the short lists lie in the place of the machine's: only other roots may be read. Whoever
/// hides them wants nothing to be found there.
pub(super) fn are_made_up(cage: &Cage) -> bool {
    let within = |roots: &[PathBuf]| roots.iter().any(|root| Path::new(LISTS[0]).starts_with(root));
    let shut = !within(&cage.read) && !within(&cage.hide) && !within(&cage.show);
    cage.has_namespaces() && cage.walls.files && shut
}

/// The places of the lists.
pub(super) fn places() -> impl Iterator<Item = &'static Path> {
    LISTS.iter().map(Path::new)
}

/// The short lists, made from the machine's.
pub(super) fn lists() -> Vec<(PathBuf, Vec<u8>)> {
    let user = rustix::process::getuid().as_raw();
    let mut groups: BTreeSet<u32> = [rustix::process::getgid().as_raw(), ROOT, NOBODY].into();
    let more = rustix::process::getgroups().unwrap_or_default();
    groups.extend(more.into_iter().map(rustix::process::Gid::as_raw));
    let numbers = [[user, ROOT, NOBODY].into(), groups];
    let each = places().zip(numbers).filter_map(|(path, numbers)| {
        // A link leads to what somebody else takes care of.
        let plain = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() < MOST_BYTES);
        let text = plain.then(|| std::fs::read(path).ok()).flatten()?;
        Some((path.to_path_buf(), shortened(&text, &numbers)))
    });
    each.collect()
}

/// The lines with these numbers, without what else they tell of people and members.
fn shortened(text: &[u8], numbers: &BTreeSet<u32>) -> Vec<u8> {
    let mut short = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut fields: Vec<&[u8]> = line.split(|byte| *byte == b':').collect();
        let number = fields.get(2).and_then(|field| std::str::from_utf8(field).ok());
        let Some(number) = number.and_then(|text| text.parse::<u32>().ok()) else { continue };
        if !numbers.contains(&number) {
            continue;
        }
        // The name of a person, or the members of a group.
        let told = if fields.len() == 4 { 3 } else { 4 };
        if let Some(field) = fields.get_mut(told) {
            *field = b"";
        }
        short.extend(fields.join(&b':'));
        short.push(b'\n');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_holds_the_asker_and_tells_of_no_person() {
        let numbers: BTreeSet<u32> = [0, 1000].into();
        let users =
            b"root:x:0:0:Big Boss:/root:/bin/sh\nann:x:1000:1000:Ann B:/h:/bin/zsh\nbob:x:1001::\n";
        let short = shortened(users, &numbers);
        let wanted = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/h:/bin/zsh\n";
        assert_eq!(String::from_utf8(short).unwrap(), wanted);
        let groups = shortened(b"wheel:x:0:ann,bob\nx\nother:x:7:ann\n", &numbers);
        assert_eq!(String::from_utf8(groups).unwrap(), "wheel:x:0:\n");
    }
}
