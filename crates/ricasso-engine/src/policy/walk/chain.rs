//! Commands joined by `&&` and `||`: what each of them finds, and what is left behind them.
//!
//! Behind `&&` a command runs only if the one before it did, so it finds exactly what that one
//! left. The ways on which something was skipped meet again at the end of the chain and no earlier:
//! else `cd a && make && cd ..` might be above the directory where it began.

use super::state::State;
use super::{Feed, Walker};
use ricasso_shell::Script;
use ricasso_shell::tree::{Item, Joint, Kind, List, Pipeline};
use std::rc::Rc;

impl Walker<'_> {
    /// Walks the chains of a list, one after the other.
    pub(super) fn chains(&mut self, script: &Rc<Script>, list: &List, feed: &Feed) {
        let goes_on = |item: &Item| matches!(item.joint, Joint::And | Joint::Or);
        for chain in list.items.split_inclusive(|item| !goes_on(item)) {
            match chain.last().map(|item| item.joint) {
                // All of the chain runs beside the shell, which stays where it is.
                Some(Joint::Background) => {
                    self.beside += 1;
                    let outside = self.state.clone();
                    self.chain(script, chain, feed);
                    let inside = std::mem::replace(&mut self.state, outside);
                    self.state.join_made(&inside);
                    self.beside -= 1;
                }
                Some(Joint::Sequence | Joint::And | Joint::Or) | None => {
                    self.chain(script, chain, feed);
                }
            }
        }
    }

    fn chain(&mut self, script: &Rc<Script>, chain: &[Item], feed: &Feed) {
        let Some((first, rest)) = chain.split_first() else { return };
        if rest.is_empty() {
            self.pipeline(script, &first.pipeline, feed);
            return;
        }
        let mut failed = self.one_of_chain(script, first, feed);
        let mut left: Option<State> = None;
        let mut joint = first.joint;
        for item in rest {
            let held = self.state.clone();
            if joint == Joint::Or {
                self.state = failed;
                failed = self.one_of_chain(script, item, feed);
                // Nothing goes on behind `cd x || exit`, so what does go on is in `x`.
                match self.leaves(&item.pipeline) {
                    true => self.state = held,
                    false => self.state.join(&held),
                }
            } else {
                failed.join(&self.one_of_chain(script, item, feed));
                match &mut left {
                    Some(left) => left.join(&held),
                    None => left = Some(held),
                }
            }
            joint = item.joint;
        }
        if let Some(left) = left {
            self.state.join(&left);
        }
    }

    /// Walks one command of a chain. The state is then that of a command that held, and what it
    /// returns that of one that failed, which may have done its work or nothing.
    fn one_of_chain(&mut self, script: &Rc<Script>, item: &Item, feed: &Feed) -> State {
        let before = self.state.clone();
        self.pipeline(script, &item.pipeline, feed);
        let mut failed = self.state.clone();
        failed.join(&before);
        if item.pipeline.negated {
            std::mem::swap(&mut self.state, &mut failed);
        }
        failed
    }

    /// Whether the shell ends here for certain: `exit`, or a group whose last command it is.
    fn leaves(&self, pipeline: &Pipeline) -> bool {
        let [stage] = pipeline.stages.as_slice() else { return false };
        // A redirection or an assignment may fail before it.
        if !stage.command.redirects.is_empty() {
            return false;
        }
        match &stage.command.kind {
            Kind::Simple(simple) => {
                let words: Option<Vec<_>> = simple.words.iter().map(|word| word.value()).collect();
                let own = self.state.functions.contains_key(&b"exit"[..])
                    || self.state.aliases.contains_key(&b"exit"[..]);
                // With two numbers it only complains.
                let plain = words.is_some_and(|words| match words.as_slice() {
                    [name] | [name, _] => name.as_ref() == b"exit",
                    _ => false,
                });
                plain && simple.assignments.is_empty() && !own
            }
            Kind::Group(list) => match list.items.as_slice() {
                [before @ .., last] => {
                    let in_order = |item: &Item| item.joint == Joint::Sequence;
                    let falls_through = before.last().is_none_or(in_order);
                    falls_through && in_order(last) && self.leaves(&last.pipeline)
                }
                [] => false,
            },
            _ => false,
        }
    }
}
