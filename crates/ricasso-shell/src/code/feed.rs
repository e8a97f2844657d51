//! What reaches a shell's standard input: here-documents, here-strings and pipes.
//!
//! The shell may stand anywhere inside the command that is fed.

use crate::Span;
use crate::tree::{Command, Kind, Operator, Pipeline};

use super::text::{Text, joined};
use super::{Code, Collect, How};

impl<'s> Collect<'s> {
    /// Notes what the pipes of a pipeline carry.
    pub(super) fn pipeline(&mut self, pipeline: &'s Pipeline) {
        let [first, .., last] = pipeline.stages.as_slice() else { return };
        let stages = &pipeline.stages;
        // What comes first may feed everything behind it; one feed a pipeline keeps this linear.
        let fed = Span::new(stages[1].command.span.start, last.command.span.end);
        let behind = stages[stages.len() - 2].command.span.end;
        let span = Span::new(first.command.span.start, behind);
        let text = if stages.len() == 2 { self.echoed(&first.command) } else { None };
        let code = Code { span, how: How::ShellInput, text, script: self.script };
        self.feeds.push((fed, code));
    }

    /// What a plain `echo` of static words writes.
    fn echoed(&self, command: &Command) -> Option<Text> {
        let Kind::Simple(simple) = &command.kind else { return None };
        let (name, words) = simple.words.split_first()?;
        if &*name.value()? != b"echo" || !command.redirects.is_empty() {
            return None;
        }
        let text = joined(words, &self.script.text)?;
        let plain = !text.bytes.contains(&b'\\') && !text.bytes.starts_with(b"-");
        plain.then_some(text)
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

    /// Announces what reaches a shell, and each shell that nothing in the text feeds.
    pub(super) fn feed_readers(&mut self) {
        if self.readers.is_empty() {
            return;
        }
        let mut readers = std::mem::take(&mut self.readers);
        readers.sort_unstable();
        let mut is_fed = vec![0i64; readers.len() + 1];
        for (fed, code) in std::mem::take(&mut self.feeds) {
            let first = readers.partition_point(|reader| reader.start < fed.start);
            let last = readers.partition_point(|reader| reader.start < fed.end);
            if first < last {
                is_fed[first] += 1;
                is_fed[last] -= 1;
                self.codes.push(code);
            }
        }
        let mut feeds = 0;
        for (reader, change) in readers.into_iter().zip(is_fed) {
            feeds += change;
            if feeds == 0 {
                self.add(How::ShellInput, reader, None);
            }
        }
    }
}
