//! Substitutions that were read while the extent of a word was sought.
//!
//! The shell reads `$(…)` when it looks for the end of a word and again when it expands it. Here
//! the first reading is kept until the second asks for it, so that no text is read twice however
//! deep it nests. It holds nothing beyond one command.

use std::collections::HashMap;

use crate::tree::{Element, List};

/// Clearing a map costs its room, not its content: one long command must not slow all that follow.
const ROOM: usize = 64;

/// What was read at one place.
#[derive(Debug)]
pub(super) enum Found {
    /// `$(…)`, `<(…)`, `>(…)`
    List(List),
    /// `( … )` of an array assignment.
    Array(Vec<Element>),
}

/// What was read, by the offset behind the opening parenthesis.
#[derive(Debug, Default)]
pub(super) struct Known {
    found: HashMap<usize, (usize, Option<Found>)>,
}

impl Known {
    /// Keeps what was read between `start` and `end`.
    pub(super) fn keep(&mut self, start: usize, end: usize, found: Found) {
        self.found.insert(start, (end, Some(found)));
    }

    /// Where the construct that opens before `start` ends, if it was read.
    pub(super) fn end(&self, start: usize) -> Option<usize> {
        if self.found.is_empty() { None } else { self.found.get(&start).map(|known| known.0) }
    }

    /// Hands over what was read; its end stays known.
    pub(super) fn take(&mut self, start: usize) -> Option<(usize, Found)> {
        let (end, found) = self.found.get_mut(&start)?;
        Some((*end, found.take()?))
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if self.found.capacity() > ROOM {
            self.found = HashMap::new();
        } else if !self.found.is_empty() {
            self.found.clear();
        }
    }
}
