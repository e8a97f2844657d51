//! The life of one command as a pure machine: no clock, no process, no file.

use super::ending::{Ending, LimitName};

/// Where a command is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Phase {
    /// The order is given, the command not yet executed.
    Starting,
    /// The command runs.
    Running,
    /// The tree was asked to end and has its grace.
    Asked(Why),
    /// The tree was killed.
    Forced(Why),
    /// The command ended and its tree is gone; what is still in the pipes is read.
    Draining(Ending),
    /// All is over.
    Done(Ending),
}

/// Why we end a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its deadline is over.
    Deadline,
    /// It was silent too long.
    Idle,
    /// Somebody cancelled; with the signal, where one did it.
    Cancelled(Option<i32>),
    /// A limit that its owner watches.
    Limit(LimitName),
}

/// What can happen to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was executed.
    Started,
    /// It could not be executed.
    NotStarted(Ending),
    /// The command itself ended.
    Ended {
        /// How.
        ending: Ending,
        /// Whether its whole tree is gone with it.
        tree_gone: bool,
    },
    /// The rest of its tree is gone.
    TreeGone,
    /// The warden is gone without a word.
    Lost,
    /// The deadline is over.
    Deadline,
    /// The idle time is over.
    Idle,
    /// The grace after asking, or the patience after killing, is over.
    Grace,
    /// Cancelled, with the signal where one did it; a second time means at once.
    Cancel(Option<i32>),
    /// No more output can be taken.
    Full(LimitName),
    /// Both streams are at their end.
    StreamsClosed,
    /// The time for draining is over.
    DrainOver,
}

/// What the loop must do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Action {
    /// Nothing.
    Nothing,
    /// Ask the tree to end.
    Terminate,
    /// End the tree.
    Kill,
}

/// One step of the machine.
pub fn step(phase: Phase, event: Event) -> (Phase, Action) {
    match (phase, event) {
        (Phase::Done(ending), _) => (Phase::Done(ending), Action::Nothing),
        (Phase::Draining(ending), event) => (drained(ending, &event), Action::Nothing),
        (Phase::Starting, Event::Started) => (Phase::Running, Action::Nothing),
        (_, Event::NotStarted(ending)) => (Phase::Draining(ending), Action::Nothing),
        (_, Event::Lost) => (Phase::Draining(Ending::Lost), Action::Nothing),
        (Phase::Starting | Phase::Running, event) => running(event),
        (Phase::Asked(why), event) => asked(why, event),
        (Phase::Forced(why), event) => forced(why, event),
    }
}

fn running(event: Event) -> (Phase, Action) {
    match event {
        Event::Ended { ending, .. } => (Phase::Draining(ending), Action::Nothing),
        Event::Deadline => (Phase::Asked(Why::Deadline), Action::Terminate),
        Event::Idle => (Phase::Asked(Why::Idle), Action::Terminate),
        Event::Cancel(signal) => (Phase::Asked(Why::Cancelled(signal)), Action::Terminate),
        Event::Full(limit) => (Phase::Forced(Why::Limit(limit)), Action::Kill),
        // A command may close its own streams and go on.
        Event::Started
        | Event::NotStarted(_)
        | Event::TreeGone
        | Event::Lost
        | Event::Grace
        | Event::StreamsClosed
        | Event::DrainOver => (Phase::Running, Action::Nothing),
    }
}

fn asked(why: Why, event: Event) -> (Phase, Action) {
    match event {
        Event::Ended { tree_gone: true, ending } => {
            (Phase::Draining(of(why, ending)), Action::Nothing)
        }
        Event::TreeGone => (Phase::Draining(why.ending()), Action::Nothing),
        Event::Grace | Event::Cancel(_) => (Phase::Forced(why), Action::Kill),
        Event::Full(_) => (Phase::Forced(why), Action::Kill),
        Event::Ended { tree_gone: false, .. }
        | Event::Started
        | Event::NotStarted(_)
        | Event::Lost
        | Event::Deadline
        | Event::Idle
        | Event::StreamsClosed
        | Event::DrainOver => (Phase::Asked(why), Action::Nothing),
    }
}

fn forced(why: Why, event: Event) -> (Phase, Action) {
    match event {
        Event::Ended { tree_gone: true, ending } => {
            (Phase::Draining(of(why, ending)), Action::Nothing)
        }
        // A process that the kernel does not let go must not hold the reply for ever.
        Event::TreeGone | Event::Grace => (Phase::Draining(why.ending()), Action::Nothing),
        Event::Ended { tree_gone: false, .. }
        | Event::Started
        | Event::NotStarted(_)
        | Event::Lost
        | Event::Deadline
        | Event::Idle
        | Event::Cancel(_)
        | Event::Full(_)
        | Event::StreamsClosed
        | Event::DrainOver => (Phase::Forced(why), Action::Nothing),
    }
}

fn drained(ending: Ending, event: &Event) -> Phase {
    match event {
        Event::StreamsClosed | Event::DrainOver => Phase::Done(ending),
        Event::Started
        | Event::NotStarted(_)
        | Event::Ended { .. }
        | Event::TreeGone
        | Event::Lost
        | Event::Deadline
        | Event::Idle
        | Event::Grace
        | Event::Cancel(_)
        | Event::Full(_) => Phase::Draining(ending),
    }
}

/// A limit that the warden met in the meantime is the truer reason than ours.
fn of(why: Why, ending: Ending) -> Ending {
    match ending {
        Ending::Limit(limit) => Ending::Limit(limit),
        Ending::Exited(_)
        | Ending::Signalled(_)
        | Ending::TimedOut
        | Ending::Idle
        | Ending::Cancelled(_)
        | Ending::Refused(_)
        | Ending::NotStarted(_)
        | Ending::Lost => why.ending(),
    }
}

impl Why {
    /// The ending of a command that we ended for this reason.
    pub fn ending(self) -> Ending {
        match self {
            Why::Deadline => Ending::TimedOut,
            Why::Idle => Ending::Idle,
            Why::Cancelled(signal) => Ending::Cancelled(signal),
            Why::Limit(limit) => Ending::Limit(limit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(events: &[Event]) -> (Phase, Vec<Action>) {
        let mut phase = Phase::Starting;
        let mut actions = Vec::new();
        for event in events {
            let (next, action) = step(phase, event.clone());
            phase = next;
            if action != Action::Nothing {
                actions.push(action);
            }
        }
        (phase, actions)
    }

    fn ended(code: i32, tree_gone: bool) -> Event {
        Event::Ended { ending: Ending::Exited(code), tree_gone }
    }

    #[test]
    fn deadline_asks_first_then_kills() {
        let (phase, actions) = run(&[
            Event::Started,
            Event::Deadline,
            Event::Grace,
            ended(0, true),
            Event::StreamsClosed,
        ]);
        assert_eq!(actions, [Action::Terminate, Action::Kill]);
        assert_eq!(phase, Phase::Done(Ending::TimedOut));
    }

    #[test]
    fn a_tree_that_obeys_is_not_killed() {
        let (phase, actions) = run(&[
            Event::Started,
            Event::Cancel(Some(2)),
            ended(0, false),
            Event::TreeGone,
            Event::DrainOver,
        ]);
        assert_eq!(actions, [Action::Terminate]);
        assert_eq!(phase, Phase::Done(Ending::Cancelled(Some(2))));
    }

    #[test]
    fn an_ending_before_the_deadline_stays_what_it_was() {
        let (phase, actions) = run(&[
            Event::Started,
            ended(3, true),
            Event::Deadline,
            Event::Cancel(None),
            Event::StreamsClosed,
        ]);
        assert_eq!((phase, actions), (Phase::Done(Ending::Exited(3)), vec![]));
    }

    #[test]
    fn a_tree_that_even_a_kill_does_not_end_does_not_hold_the_reply() {
        let (phase, actions) =
            run(&[Event::Started, Event::Deadline, Event::Grace, Event::Grace, Event::DrainOver]);
        assert_eq!(actions, [Action::Terminate, Action::Kill]);
        assert_eq!(phase, Phase::Done(Ending::TimedOut));
    }

    #[test]
    fn a_second_cancel_does_not_wait_for_the_grace() {
        let (_, actions) = run(&[Event::Started, Event::Cancel(None), Event::Cancel(None)]);
        assert_eq!(actions, [Action::Terminate, Action::Kill]);
    }

    fn any_event() -> impl Strategy<Value = Event> {
        prop_oneof![
            Just(Event::Started),
            Just(Event::NotStarted(Ending::NotStarted(super::super::Failure::NotFound))),
            (0..3i32, any::<bool>()).prop_map(|(code, gone)| ended(code, gone)),
            Just(Event::TreeGone),
            Just(Event::Lost),
            Just(Event::Deadline),
            Just(Event::Idle),
            Just(Event::Grace),
            Just(Event::Cancel(None)),
            Just(Event::Full(LimitName::Output)),
            Just(Event::StreamsClosed),
            Just(Event::DrainOver),
        ]
    }

    proptest! {
        #[test]
        fn it_never_kills_twice_never_asks_after_killing_and_never_leaves_the_end(
            events in proptest::collection::vec(any_event(), 0..24)
        ) {
            let mut phase = Phase::Starting;
            let mut asked = 0;
            let mut killed = 0;
            for event in events {
                let done = matches!(phase, Phase::Done(_) | Phase::Draining(_));
                let before = phase.clone();
                let (next, action) = step(phase, event);
                match action {
                    Action::Terminate => { prop_assert_eq!(killed, 0); asked += 1; }
                    Action::Kill => killed += 1,
                    Action::Nothing => {}
                }
                if let (Phase::Draining(old) | Phase::Done(old), Phase::Draining(new) | Phase::Done(new))
                    = (&before, &next) {
                    prop_assert_eq!(old, new);
                }
                prop_assert!(!done || matches!(next, Phase::Done(_) | Phase::Draining(_)));
                phase = next;
            }
            prop_assert!(asked <= 1 && killed <= 1);
        }

        #[test]
        fn every_life_comes_to_an_end_once_the_tree_is_gone(
            events in proptest::collection::vec(any_event(), 0..12)
        ) {
            let mut all = events;
            all.extend([ended(0, true), Event::TreeGone, Event::DrainOver]);
            let (phase, _) = run(&all);
            prop_assert!(matches!(phase, Phase::Done(_)), "{:?}", phase);
        }
    }
}
