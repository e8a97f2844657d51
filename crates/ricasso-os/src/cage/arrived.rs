//! The first process of a namespace in a copy of a view, before its order was read.

use super::early::{Early, Rest};
use super::init::{Begun, own_proc};
use super::template::{Copy, Template};
use super::{Cage, mounts};
use crate::after_fork::{self, leave};
use crate::channel::{Channel, Wait};
use crate::note::{Tidings, tell};
use crate::warden::serve::Ground;
use crate::wire::{Enclosed, Order, Word};
use rustix::fd::{AsFd, OwnedFd};
use std::sync::Arc;

/// A first process that took a copy of a view before it had an order, and perhaps the command's
/// process, born there.
#[derive(Debug)]
pub(crate) struct Arrived<'a> {
    pub(super) template: &'a Template,
    pub(super) early: Option<Early>,
    /// Whose terminals it sees.
    pub(super) terminals: Terminals,
}

/// Whose terminals a process sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminals {
    /// Those of the cage, of which there are none yet.
    Own,
    /// Those of the machine, until its own are laid over them.
    Machine,
}

impl<'a> Arrived<'a> {
    /// Copies the view for this process. It guesses what the order on this socket will be. Where it
    /// fails, or the guess is wrong, it goes back; where it cannot, the order is left to another.
    pub(crate) fn at(
        template: &'a Template,
        copy: Copy,
        ground: Ground<'_>,
        (job, note): (&Channel, &Channel),
    ) -> Option<Arrived<'a>> {
        let cage = &template.standing().cage;
        let mut arrived = Arrived { template, early: None, terminals: Terminals::Own };
        // It takes on its filter while this process goes on: on the owner's core, if that has sent
        // its order and waits. Before, both would be in each other's way.
        let is_time = || !job.is_silent();
        let bear = |copy| Early::bear(template, copy, ground);
        if template.has_copy(copy) && is_time() {
            arrived.early = bear(copy);
        }
        let entered = template.enter(copy).and_then(|()| {
            if arrived.early.is_none() && is_time() {
                arrived.early = bear(Copy::New);
            }
            template.complete(copy)?;
            own_proc(mounts::processes(cage))
        });
        if arrived.early.is_none() && entered.is_ok() {
            arrived.early = bear(Copy::New);
        }
        match entered {
            Ok(()) => Some(arrived),
            Err(_) if template.has_way_back() => arrived.turn_back(),
            Err(_) => arrived.make_room(note),
        }
    }

    /// Itself, once there is an order that it may take: where there is no way back from the view,
    /// one for another cage is left to another process.
    pub(crate) fn await_order(self, job: &Channel, note: &Channel) -> Arrived<'a> {
        if self.template.has_way_back() || next_view(job) == Some(self.template.number()) {
            return self;
        }
        self.make_room(note)
    }

    /// The warden gives the order to a process that begins where the machine's mounts are: those
    /// that a view was built from may be old by now.
    fn make_room(self, note: &Channel) -> ! {
        drop(self);
        tell(note, &Tidings::Back, &[]);
        leave()
    }

    /// The rules that came with an order for the view of this number. What else the order says is
    /// not read yet; if it is another cage, whoever takes them ends.
    pub(crate) fn give(&self, rules: &OwnedFd, number: Option<u64>) {
        if number == Some(self.template.number())
            && let Some(early) = &self.early
        {
            early.give(rules.as_fd());
        }
    }

    /// Starts the command by the process that waits for it, if the order is one for this view and
    /// for that process. From then on this one has no way back.
    pub(crate) fn begin(
        &self,
        rest: &Rest<'_>,
        number: Option<u64>,
        ground: Ground<'_>,
    ) -> Option<Begun> {
        let early = self.early.as_ref().filter(|early| early.has_rules())?;
        let is_ours = number == Some(self.template.number())
            && !rest.wanted.terminal
            && self.template.said(rest.wanted.cage).is_some();
        if !is_ours {
            return None;
        }
        // Behind its filter that process may have to ask about everything that it opens.
        let own = after_fork::own_emptiness(rest.streams[0]).ok()?;
        let [input, output, error] = rest.streams;
        let streams = [own.as_ref().unwrap_or(input), output, error];
        let (standing, directory) = (self.template.standing(), rest.wanted.cwd);
        let begun = Begun::prepare(standing, ground, rest.note, directory)?;
        Some(begun.with(early.go(&Rest { streams, ..*rest })))
    }

    /// Itself, if the view is the one that the order asks for; else this process goes back, and
    /// the view is built anew for it. Nobody waits here any more who could become the command.
    pub(crate) fn stays_for(mut self, order: &Order, number: Option<u64>) -> Option<Arrived<'a>> {
        let is_for = |cage: &Arc<Cage>| self.template.is_for(cage);
        if number != Some(self.template.number()) || !order.cage.as_ref().is_some_and(is_for) {
            return self.turn_back();
        }
        self.early = None;
        if order.terminal { self.uncover_terminals() } else { Some(self) }
    }

    /// Takes another copy, in which the machine's terminals are still to be seen: the command's
    /// own is one of them, and must be held before they are covered.
    fn uncover_terminals(mut self) -> Option<Arrived<'a>> {
        self.terminals = Terminals::Machine;
        let cage = &self.template.standing().cage;
        let entered = self.template.enter(Copy::New).and_then(|()| {
            mounts::build_memory(cage)?;
            own_proc(mounts::processes(cage))
        });
        match entered {
            Ok(()) => Some(self),
            Err(_) => self.turn_back(),
        }
    }

    /// Takes this process back to the machine's mounts. One that cannot go there ends, and its job
    /// is lost if its order was taken.
    fn turn_back(self) -> Option<Arrived<'a>> {
        let Arrived { template, early, terminals: _ } = self;
        drop(early);
        match template.leave() {
            Ok(()) => None,
            // Nobody knows where this process stands.
            Err(_) => leave(),
        }
    }
}

/// The view that the next order asks for, as soon as there is one. What is too long to be looked at
/// asks for none.
fn next_view(job: &Channel) -> Option<u64> {
    loop {
        let (beginning, length) = job.beginning::<{ Enclosed::BYTES }>().ok()?;
        match length {
            0 => leave(),
            // A word for the command before this one.
            1..Enclosed::BYTES if Word::decode(&beginning[..length]).is_ok() => {
                job.receive(Wait::Never).ok()?;
            }
            1..Enclosed::BYTES => return None,
            _ => return Enclosed::open(&beginning)?.1.view,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_of_an_order_is_known_before_it_is_taken() {
        let (owner, warden) = Channel::pair().unwrap();
        let order = |view| {
            let enclosed = Enclosed { cage: true, state: false, rules: false, view };
            enclosed.seal(&Order::default(), None)
        };
        for view in [Some(7), None] {
            owner.send(&Word::Kill.encode(), &[]).unwrap();
            owner.send(&order(view), &[]).unwrap();
            assert_eq!((next_view(&warden), next_view(&warden)), (view, view));
            let (taken, _) = after_fork::next_order(&warden).unwrap();
            assert_eq!(taken, order(view));
        }
        // Too long to lie in a message: whatever its number is, nobody has seen it.
        let long = [order(Some(7)), vec![0; crate::channel::INLINE_BYTES]].concat();
        owner.send(&long, &[]).unwrap();
        assert_eq!(next_view(&warden), None);
    }
}
