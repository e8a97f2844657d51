//! A verdict as people read it: the command with the place marked, the rule, and what would be
//! allowed. Nothing here decides, and nothing here needs colour to be understood.

use super::print;
use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Level, Snippet};
use ricasso_engine::reply::Reason;
use std::io::{self, IsTerminal};

/// More than this many reasons at once help nobody; the rest is counted.
const MAX_SHOWN: usize = 8;

/// Draws all reasons of a verdict on standard error.
pub(super) fn reasons(verdict: &str, reasons: &[Reason]) {
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    for reason in reasons.iter().take(MAX_SHOWN) {
        print::say(&drawn(verdict, reason, &renderer));
    }
    if let Some(more) = reasons.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
        print::say(&format!("ricasso: and {more} more reasons; --json has all of them"));
    }
}

/// One reason: who says it, the words met, why, and what would be allowed.
fn drawn(verdict: &str, reason: &Reason, renderer: &Renderer) -> String {
    let (level, word) = match verdict {
        "ask" => (Level::WARNING, "a person is asked by"),
        "deny" => (Level::ERROR, "refused by"),
        // What is allowed and still not run cannot be held here.
        _ => (Level::ERROR, "refused by"),
    };
    let name = format!("ricasso: {word} {} ({})", reason.rule, reason.layer);
    let title = level.with_name(name).primary_title(reason.message.as_str());
    let snippet = reason.marked.as_ref().map(|marked| {
        let place = AnnotationKind::Primary.span(marked.span[0]..marked.span[1]);
        Snippet::source(marked.text.as_str()).line_start(marked.first_line).annotation(place)
    });
    let remedy = Level::HELP.with_name("allowed instead").message(reason.remedy.as_str());
    let report = match snippet {
        Some(snippet) => title.element(snippet).element(remedy),
        None => title.element(remedy),
    };
    renderer.render(&[report])
}
