//! A text of zsh that our reader does not understand as a whole, taken apart.
//!
//! Where a policy lets unknown commands run anyway, its guards still hold: each piece between the
//! shell's separators is judged as the command that it could be. What is found is a superset.

use super::settled::Policy;
use super::value::Unknown;
use super::walk::{self, Reads, Seen, World};
use crate::request::{ScriptShell, Step};

/// A longer text that cannot be read is refused.
const LONGEST: usize = 16 << 10;
/// So is one with more pieces.
const MOST_PIECES: usize = 512;

/// The commands that the pieces could be; `None` where the text is not to be run unread.
pub(super) fn commands(
    step: &Step,
    text: &[u8],
    policy: &Policy,
    world: World<'_>,
) -> Option<Vec<Seen>> {
    let zsh = matches!(step, Step::Script { shell: ScriptShell::Zsh, .. });
    let listed =
        policy.programs().allow.list().is_some() || policy.commands().only.list().is_some();
    if !zsh || listed || policy.unknown() != Unknown::Allow || text.len() > LONGEST {
        return None;
    }
    let pieces = pieces(text);
    if pieces.len() > MOST_PIECES {
        return None;
    }
    let mut all = Vec::new();
    for (from, to) in pieces {
        // Blanks in place of the rest, so that what is found has its place in the whole text.
        let mut alone = vec![b' '; text.len()];
        alone[from..to].copy_from_slice(&text[from..to]);
        all.extend(walk::walk(&alone, Reads::Bash, world).commands);
    }
    Some(all)
}

/// Where pieces begin and end: at separators, and, since a loop or a condition of zsh needs none,
/// at each blank behind which a command could begin.
fn pieces(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut begin = 0;
    for end in 0..=text.len() {
        if text.get(end).is_some_and(|byte| !b"\n;&|(){}`".contains(byte)) {
            continue;
        }
        let piece = &text[begin..end];
        let blanks = (0..piece.len()).filter(|at| piece[*at] == b' ' || piece[*at] == b'\t');
        let starts = std::iter::once(0).chain(blanks.map(|at| at + 1));
        let word = |at: &usize| piece.get(*at).is_some_and(|byte| !byte.is_ascii_whitespace());
        found.extend(starts.filter(word).map(|at| (begin + at, end)));
        begin = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_where_a_command_could_begin_is_found() {
        let text = b"for i (a b) rm x\nls";
        let found: Vec<&[u8]> = pieces(text).iter().map(|(from, to)| &text[*from..*to]).collect();
        let wanted: [&[u8]; 7] = [b"for i ", b"i ", b"a b", b"b", b"rm x", b"x", b"ls"];
        assert_eq!(found, wanted);
    }
}
