//! What reaches a shell's standard input: here-documents, here-strings and pipes.
//!
//! The shell may stand anywhere inside the command that is fed.

use crate::Span;
use crate::tree::{Command, Kind, Operator, Pipeline};

use super::{Code, Collect, How};

impl<'s> Collect<'s> {
    /// Notes what the pipes of a pipeline carry.
    pub(super) fn pipeline(&mut self, pipeline: &'s Pipeline) {
        let Some((first, rest)) = pipeline.stages.split_first() else { return };
        let mut behind = first.command.span.end;
        let start = first.command.span.start;
        // What comes first may feed everything behind it; one feed a pipeline keeps this linear.
        if let Some(last) = rest.last() {
            let fed = Span::new(rest[0].command.span.start, last.command.span.end);
            behind = rest.iter().rev().nth(1).map_or(behind, |stage| stage.command.span.end);
            let span = Span::new(start, behind);
            let code = Code { span, how: How::ShellInput, text: None, script: self.script };
            self.feeds.push((fed, code));
        }
    }

    /// Notes the here-documents and here-strings of a command.
    pub(super) fn here_feeds(&mut self, command: &'s Command) {
        for redirect in &command.redirects {
            let (span, text) = match (self.script.here(redirect), redirect.operator) {
                (Some(here), _) => (here.span, self.here_text(&here.parts, here.span.end)),
                (None, Operator::HereString) => {
                    let word = &redirect.target;
                    (word.span, self.here_text(&word.parts, word.span.end))
                }
                (None, Operator::Read) if !matches!(command.kind, Kind::Simple(_)) => {
                    (redirect.target.span, None)
                }
                _ => continue,
            };
            let code = Code { span, how: How::ShellInput, text, script: self.script };
            self.feeds.push((command.span, code));
        }
    }

    /// Announces what reaches a shell.
    pub(super) fn feed_readers(&mut self) {
        if self.readers.is_empty() {
            return;
        }
        self.readers.sort_unstable();
        for (fed, code) in std::mem::take(&mut self.feeds) {
            let first = self.readers.partition_point(|&at| at < fed.start);
            if self.readers.get(first).is_some_and(|&at| at < fed.end) {
                self.codes.push(code);
            }
        }
    }
}
