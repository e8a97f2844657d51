//! Every simple command of a script, wherever it hides.
//!
//! Nothing is left out: dead branches and functions that nobody calls are commands too.

use crate::Span;
use crate::script::Script;
use crate::tree::{Assignment, Command, Kind, Redirect, Word};
use crate::walk::{Event, Place, walk};

/// A simple command and the way that leads to it.
#[derive(Clone, Debug)]
pub struct Found<'s> {
    /// The name and its arguments; empty where only variables are set or files opened.
    pub words: &'s [Word],
    /// The assignments before the name.
    pub assignments: &'s [Assignment],
    /// The redirections of this command itself.
    pub redirects: &'s [Redirect],
    /// From the first byte of the name to the last byte of the last word; without words, from the
    /// first assignment or redirection to the last.
    pub span: Span,
    /// From the outermost construct to the innermost; empty at the top.
    pub path: Box<[Place]>,
    /// The node of the tree.
    pub command: &'s Command,
}

impl Found<'_> {
    /// The name, where it is known before it runs.
    #[must_use]
    pub fn name(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        self.words.first().and_then(Word::value)
    }
}

impl Script {
    /// Every simple command that can run, in the order of the text. What belongs to a command that
    /// cannot be read is not among them: the shell runs nothing from `Unreadable::from` on.
    pub fn commands(&self) -> impl Iterator<Item = Found<'_>> {
        let mut commands: Vec<Found<'_>> = Vec::new();
        walk(self, &mut |event, path| {
            if let Event::Command(command) = event
                && let Kind::Simple(simple) = &command.kind
            {
                let span = match (simple.words.first(), simple.words.last()) {
                    (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
                    _ => command.span,
                };
                let (words, assignments) = (&*simple.words, &*simple.assignments);
                let (redirects, path) = (&*command.redirects, path.into());
                if words.is_empty() && assignments.is_empty() && command.redirects.is_empty() {
                    return;
                }
                commands.push(Found { words, assignments, redirects, span, path, command });
            }
        });
        let from = self.unreadable().map_or(usize::MAX, |unreadable| unreadable.from);
        let from = from.min(self.stopped.unwrap_or(usize::MAX));
        commands.retain(|found| found.span.start < from);
        commands.sort_by_key(|found| found.span.start);
        commands.into_iter()
    }

    /// Every redirection with the way that leads to it, those of compound commands included.
    pub fn redirects(&self) -> impl Iterator<Item = (&Redirect, Box<[Place]>)> {
        let mut redirects = Vec::new();
        walk(self, &mut |event, path| {
            if let Event::Redirect(redirect) = event {
                redirects.push((redirect, path.into()));
            }
        });
        redirects.sort_by_key(|(redirect, _): &(&Redirect, Box<[Place]>)| redirect.span.start);
        redirects.into_iter()
    }
}
