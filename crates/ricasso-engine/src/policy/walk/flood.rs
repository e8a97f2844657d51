//! Loops without end that start processes without waiting for any.

use ricasso_shell::tree::{Joint, Kind, List, Loop};

/// Whether the loop never ends by itself and everything in it runs beside it.
pub(super) fn floods(looped: &Loop) -> bool {
    let beside = looped.body.items.iter().all(|item| item.joint == Joint::Background);
    beside && !looped.body.items.is_empty() && is_constant(&looped.condition, looped.until)
}

/// Whether the condition is `true`, or `false` behind `until`.
fn is_constant(condition: &List, until: bool) -> bool {
    let [item] = condition.items.as_slice() else { return false };
    let [stage] = item.pipeline.stages.as_slice() else { return false };
    let Kind::Simple(simple) = &stage.command.kind else { return false };
    let [word] = simple.words.as_slice() else { return false };
    match word.value().as_deref() {
        Some(b"true" | b":") => until == item.pipeline.negated,
        Some(b"false") => until != item.pipeline.negated,
        Some(_) | None => false,
    }
}
