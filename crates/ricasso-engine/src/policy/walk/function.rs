//! Names that the text itself gave a meaning: functions and aliases.

use super::super::word::{Becomes, Word};
use super::command::{By, Call, notes, text_of};
use super::expand::Argument;
use super::seen::{Mark, Starts};
use super::state::{From, Function, State, Text};
use super::{Feed, Inner, MAX_DEPTH, Walker};
use std::rc::Rc;

/// A function that calls itself is followed this often with what is known of its words.
const MAX_CALLS: usize = 3;

impl Walker<'_> {
    /// The text of an alias, with the words behind its name.
    pub(super) fn alias(&mut self, name: &[u8], value: Option<Vec<u8>>, call: &Call) {
        if self.calls.iter().any(|known| known == name) {
            return;
        }
        let frame = std::mem::replace(&mut self.frame, super::Frame::At(call.span));
        self.calls.push(name.to_vec());
        match value.as_deref().and_then(plain_words) {
            Some(words) => {
                let first = words.into_iter().map(|word| Argument::new(word, call.span));
                let arguments = first.chain(call.arguments[1..].iter().cloned()).collect();
                let (assigned, feed) = (call.assigned.clone(), call.feed.clone());
                let (effects, span, by) = (Vec::new(), call.span, By::Shell);
                self.call(Call { arguments, assigned, effects, feed, span, by });
            }
            None => {
                let text = value.map_or(Text::unknown(From::Here), Text::of);
                self.run_text(&text, Inner::Here, &Feed::inherited());
            }
        }
        self.calls.pop();
        self.frame = frame;
    }

    pub(super) fn function(&mut self, name: &[u8], bodies: &[Function], call: &Call) {
        self.called.insert(name.to_vec());
        let mut seen = self.seen(&call.arguments, call.span);
        seen.names = vec![name.to_vec()];
        seen.assigned = notes(&call.assigned);
        seen.effects.clone_from(&call.effects);
        seen.starts = Starts::Function;
        let again = self.calls.iter().filter(|known| *known == name).count();
        // Counted in the outermost body alone: each body below it would count the same again.
        if again == 1 {
            let [calls, beside] = self.doubles.entry(name.to_vec()).or_default();
            *calls += 1;
            *beside += usize::from(self.beside >= 1);
        }
        let doubles = |[calls, beside]: &[usize; 2]| *calls >= 2 && *beside >= 1;
        let doubles = self.doubles.get(name).is_some_and(doubles);
        if again > 0 && (self.beside >= 2 || doubles) {
            seen.mark(Mark::ForkBomb);
        }
        self.push(seen);
        if again > MAX_CALLS {
            return;
        }
        for (name, value) in &call.assigned {
            self.state.set(name, value.clone());
        }
        let outside = self.state.parameters.take();
        let known =
            call.arguments[1..].iter().all(|argument| argument.word.becomes() == Becomes::One);
        if known && again < MAX_CALLS {
            let texts = call.arguments[1..].iter().map(text_of).collect();
            self.state.parameters = Some(Rc::new(texts));
        }
        // A call that finds everything as a call around it did shows nothing new.
        let same =
            |(active, state): &(Vec<u8>, State)| active == name && self.state.same_names(state);
        if !self.active.iter().any(same) {
            if again == MAX_CALLS {
                self.state.forget();
            }
            self.active.push((name.to_vec(), self.state.clone()));
            for body in bodies {
                self.call_body(name, body, &call.feed);
            }
            self.active.pop();
        }
        self.state.parameters = outside;
    }

    pub(super) fn call_body(&mut self, name: &[u8], function: &Function, feed: &Feed) {
        let frame = std::mem::replace(&mut self.frame, function.frame);
        let beside = std::mem::take(&mut self.beside);
        self.calls.push(name.to_vec());
        let (script, body) = (Rc::clone(&function.script), Rc::clone(&function.body));
        if self.calls.len() > MAX_DEPTH {
            self.overflow();
        } else {
            self.command(&script, &body, feed);
        }
        self.calls.pop();
        self.beside = beside;
        self.frame = frame;
    }
}

/// The words of a text without any sign that a shell reads.
pub(super) fn plain_words(text: &[u8]) -> Option<Vec<Word>> {
    let words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).map(Word::of);
    let plain = text.split(|byte| *byte == b' ').all(|word| word.is_empty() || is_plain(word));
    (plain && !text.trim_ascii().is_empty()).then(|| words.collect())
}

/// Whether a text is one word, and no sign of it means anything to a shell.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=,:@%+".contains(byte);
    !text.is_empty() && text.iter().all(plain)
}
