//! A first word that may be no word at all.

use super::super::word::{Becomes, Piece};
use super::command::Call;

/// The command behind a first word that may be no word at all: `$UNSET rm x` is `rm x`. An option
/// is no program's name.
pub(super) fn without_the_first(call: &Call) -> Option<Call> {
    let [first, rest @ ..] = call.arguments.as_slice() else { return None };
    let unknown = first.word.pieces().iter().all(|piece| *piece == Piece::Unknown);
    let option = rest.first()?.word.head().starts_with(b"-");
    let vanishes = unknown && first.word.becomes() == Becomes::Any && !option;
    vanishes.then(|| Call {
        arguments: rest.to_vec(),
        assigned: call.assigned.clone(),
        effects: Vec::new(),
        feed: call.feed.clone(),
        span: call.span,
        by: call.by,
    })
}
