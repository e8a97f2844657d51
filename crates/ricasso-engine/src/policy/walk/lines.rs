//! Lines of an input that is known: `read` takes one after the other.

use super::state::Text;
use super::stream::Stream;
use super::{Feed, MAX_ROUNDS, Walker};
use ricasso_shell::tree::{Kind, List};

/// Whether the condition of a loop reads a line.
pub(super) fn reads_lines(condition: &List) -> bool {
    let stages = condition.items.iter().flat_map(|item| &item.pipeline.stages);
    let mut commands = stages.filter_map(|stage| match &stage.command.kind {
        Kind::Simple(simple) => simple.words.first(),
        _ => None,
    });
    commands.any(|word| word.value().as_deref() == Some(b"read"))
}

/// The input from each of its lines on, with what is left behind that line; `None` where it is
/// not known, or where there are more lines than are followed.
pub(super) fn each(feed: &Feed) -> Option<Vec<(Feed, Feed)>> {
    let Stream::Text(text) = &feed.stream else { return None };
    let bytes = text.known().filter(|bytes| !bytes.is_empty())?;
    let of = |bytes: &[u8]| {
        let text = Text { from: text.from, ..Text::of(bytes) };
        Feed::of(Stream::Text(text))
    };
    let mut all = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        all.push((of(rest), of(&rest[end..])));
        rest = &rest[end..];
        if all.len() > MAX_ROUNDS {
            return None;
        }
    }
    Some(all)
}

impl Walker<'_> {
    /// Does something with an input of which nothing is taken yet.
    pub(super) fn at_first_line(&mut self, walk: impl FnOnce(&mut Self)) {
        let taken = std::mem::take(&mut self.taken);
        walk(self);
        self.taken = taken;
    }
}
