//! Words that name a place: addresses, hosts with paths, repositories, mounts.

use super::uses::{plain, until};
use super::{Act, Does};
use crate::policy::word::{Piece, Word};

/// An address: `file://` is read, anything else is a host that is connected to.
pub(super) fn url(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    if starts(head, b"file:") {
        let slashes = head[5..].iter().take_while(|byte| **byte == b'/').count().min(2);
        plain(Does::Read, &word.without(5 + slashes), at, acts);
        return;
    }
    acts.push(Act::with(Does::Connect, &host(word), at));
}

/// `HOST:PATH` and `scheme://` connect, anything else is a path of ours.
pub(super) fn place(word: &Word, does: Does, at: usize, acts: &mut Vec<Act>) {
    match remote(word) {
        Remote::Yes => acts.push(Act::with(Does::Connect, &host(word), at)),
        Remote::No => plain(does, word, at, acts),
        Remote::Perhaps => {
            plain(does, word, at, acts);
            acts.push(Act::with(Does::Connect, word, at).perhaps());
        }
    }
}

/// The place of a repository: a path is read, `ext::` runs, the rest connects.
pub(super) fn repository(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    if starts(head, b"ext::") {
        acts.push(Act { rest: external(&word.without(5)), at, ..Act::of(Does::RunRest) });
    } else if starts(head, b"file:") {
        url(word, at, acts);
    } else if matches!(head.first(), Some(b'.' | b'/' | b'~')) {
        plain(Does::ReadTree, word, at, acts);
    } else {
        acts.push(Act::with(Does::Connect, &host(word), at));
    }
}

/// The words of `ext::`: a blank behind `%` belongs to its word.
fn external(word: &Word) -> Vec<Word> {
    let Some(text) = word.known() else { return vec![Word::unknown()] };
    let mut words = vec![Vec::new()];
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        let (byte, plain) = match byte {
            b'%' => (bytes.next().unwrap_or(b'%'), true),
            byte => (byte, false),
        };
        match words.last_mut() {
            Some(last) if byte != b' ' || plain => last.push(byte),
            _ => words.push(Vec::new()),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).map(Word::of).collect()
}

/// `HOST_PATH:PLACE[:ro]`: a path of ours that the container may change.
pub(super) fn volume(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let path = until(word, b":");
    let local = matches!(path.head().first(), Some(b'/' | b'.' | b'~')) || path.known().is_none();
    if local && path.known() != word.known() {
        let reads = word.shown().ends_with(":ro");
        plain(if reads { Does::ReadTree } else { Does::Edit }, &path, at, acts);
    }
}

/// `type=bind,src=PATH,dst=PLACE[,readonly]`.
pub(super) fn mount(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let Some(text) = word.known() else {
        acts.push(Act::with(Does::Edit, &Word::unknown(), at).perhaps());
        return;
    };
    let reads = text.split(|byte| *byte == b',').any(|part| part == b"readonly" || part == b"ro");
    for part in text.split(|byte| *byte == b',') {
        let path = [&b"src="[..], b"source="].iter().find_map(|name| part.strip_prefix(*name));
        let Some(path) = path else { continue };
        if path.starts_with(b"/") || path.starts_with(b".") {
            plain(if reads { Does::ReadTree } else { Does::Edit }, &Word::of(path), at, acts);
        }
    }
}

/// The host of an address: without scheme, user, port and path.
pub(super) fn host(word: &Word) -> Word {
    let mut rest = word.clone();
    let head = rest.head();
    if let Some(scheme) = find(head, b"://") {
        rest = rest.without(scheme + 3);
    }
    rest = until(&rest, b"/?#");
    let user = rest.head().iter().position(|byte| *byte == b'@');
    if let Some(end) = user {
        rest = rest.without(end + 1);
    }
    if rest.head().starts_with(b"[") {
        return until(&rest.without(1), b"]");
    }
    until(&rest, b":")
}

enum Remote {
    Yes,
    No,
    Perhaps,
}

fn remote(word: &Word) -> Remote {
    let head = word.head();
    let colon = head.iter().position(|byte| *byte == b':');
    let slash = head.iter().position(|byte| *byte == b'/');
    match (colon, slash) {
        (Some(colon), Some(slash)) if colon < slash => Remote::Yes,
        (Some(0), _) => Remote::No,
        (Some(_), None) => Remote::Yes,
        (None, None) if matches!(word.pieces().first(), Some(Piece::Unknown)) => Remote::Perhaps,
        (_, Some(_)) | (None, None) => Remote::No,
    }
}

fn starts(head: &[u8], start: &[u8]) -> bool {
    head.len() >= start.len() && head[..start.len()].eq_ignore_ascii_case(start)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|found| found == part)
}
