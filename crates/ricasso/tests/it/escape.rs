//! The escape suite: every attempt of `cases/escape` is made in mode open, where its effect must
//! show, and in the cage, where it must not. Effects are seen from outside, never by exit codes.
//!
//! As root with namespaces and as nobody on a machine that refuses them; the other combinations of
//! user and machine are made with the tests of installed programs.

pub(crate) mod copied;
mod outcome;
mod snapshot;
pub(crate) mod stage;
mod stand;
mod table;

use crate::place::{in_parallel, is_long, skip, skip_part};
use outcome::{Counts, Outcome};
use stage::{Actor, Hall, Machine};
use table::Attempt;

/// Fewer attempts than this are no suite.
const LEAST: usize = 120;
/// Runs at once. Most of the time of a run is waiting.
const WORKERS: usize = 4;

#[test]
fn every_attempt_is_written_down_completely() {
    let attempts = table::read();
    assert!(attempts.len() >= LEAST, "only {} attempts", attempts.len());
    let mut names: Vec<_> =
        attempts.iter().map(|attempt| (attempt.class.as_str(), attempt.name.as_str())).collect();
    names.sort_unstable();
    names.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1], "two attempts of one name"));
    for class in table::CLASSES {
        let count = attempts.iter().filter(|attempt| attempt.class == *class).count();
        assert!(count >= 5, "only {count} attempts of class {class}");
    }
    for attempt in &attempts {
        attempt.check();
    }
}

/// One attempt by one user, and the machines on which it is made.
type Try<'a> = (&'a Attempt, Actor, Vec<Machine>);

/// Whether the ordinary tests make a user's attempts on this machine. Root makes them as the machine
/// is, nobody where namespaces are refused; a single user makes them on both.
fn is_ordinary(actor: Actor, machine: Machine) -> bool {
    match actor {
        Actor::Root => machine == Machine::Plain,
        Actor::Nobody => machine == Machine::WithoutNamespaces,
        Actor::Ourselves => true,
    }
}

/// Makes every attempt in the combinations of user and machine that are wanted, and judges them.
fn make_attempts(name: &str, wanted: impl Fn(Actor, Machine) -> bool) {
    let hall = Hall::new();
    let attempts = table::read();
    let mut tries: Vec<Try<'_>> = Vec::new();
    for actor in hall.actors() {
        let mut machines = vec![Machine::Plain, Machine::WithoutNamespaces];
        machines.retain(|machine| wanted(actor, *machine));
        let all = attempts.iter().filter(|attempt| attempt.is_for(actor) && selected(attempt));
        tries.extend(all.map(|attempt| (attempt, actor, machines.clone())));
    }
    tries.retain(|(_, _, machines)| !machines.is_empty());
    let made = in_parallel(WORKERS, &tries, |(attempt, actor, machines)| {
        outcome::of(&hall, attempt, *actor, machines)
    });
    let mut outcomes: Vec<Outcome> = made.into_iter().flatten().collect();
    outcomes.sort_by(|a, b| a.what.cmp(&b.what));
    judge(name, &outcomes);
}

#[test]
fn every_attempt_shows_its_effect_in_the_open_and_none_in_the_cage() {
    make_attempts("every_attempt_shows_its_effect_in_the_open_and_none_in_the_cage", is_ordinary);
}

/// What needs more time than the ordinary tests have.
mod installed {
    use super::{Actor, Attempt, Hall, WORKERS, copied, in_parallel, is_long, judge};
    use super::{is_ordinary, make_attempts, outcome, selected, skip, table};

    #[test]
    fn every_attempt_is_held_for_the_other_users_and_machines_too() {
        let name = "every_attempt_is_held_for_the_other_users_and_machines_too";
        make_attempts(name, |actor, machine| !is_ordinary(actor, machine));
    }

    /// One in so many is made in a copied view, unless all are asked for.
    const SOME: usize = 20;

    #[test]
    fn attempts_are_held_in_a_copied_view_too() {
        let name = "attempts_are_held_in_a_copied_view_too";
        if crate::cage::powers().namespaces == ricasso_os::Namespaces::None {
            return skip(name, "there are no namespaces here");
        }
        let hall = Hall::new();
        let one_in = if is_long() { 1 } else { SOME };
        let attempts = table::read();
        let apt = attempts.iter().filter(|attempt| copied::is_for(attempt) && selected(attempt));
        let apt: Vec<&Attempt> = apt.collect();
        let tries: Vec<(&Attempt, Actor)> = hall
            .actors()
            .into_iter()
            .flat_map(|actor| apt.iter().map(move |attempt| (*attempt, actor)))
            .filter(|(attempt, actor)| attempt.is_for(*actor))
            .step_by(one_in)
            .collect();
        let outcomes = in_parallel(WORKERS, &tries, |(attempt, actor)| {
            outcome::in_a_copy(&hall, attempt, *actor)
        });
        judge(name, &outcomes);
        // Nobody is content with attempts that were never made.
        for actor in hall.actors() {
            let made = format!("as {actor:?} in a copied view");
            let said = outcomes.iter().map(ToString::to_string);
            let held = said.filter(|said| said.starts_with("held") && said.contains(&made)).count();
            let tried = tries.iter().filter(|(_, by)| *by == actor).count();
            assert!(held * 2 > tried, "{held} of {tried} were made {made}");
        }
    }
}

/// `RICASSO_ESCAPE=WORD` tries only the attempts whose name or class holds the word.
fn selected(attempt: &Attempt) -> bool {
    let Ok(word) = std::env::var("RICASSO_ESCAPE") else { return true };
    attempt.name.contains(&word) || attempt.class == word
}

fn judge(name: &str, outcomes: &[Outcome]) {
    for outcome in outcomes {
        eprintln!("{outcome}");
    }
    for (part, why) in outcomes.iter().filter_map(Outcome::skipped) {
        skip_part(name, part, why);
    }
    if outcomes.iter().any(Outcome::lacks_a_cage) {
        skip(name, "this machine has no cage for some of the attempts");
    }
    let counts = Counts::of(outcomes);
    eprintln!("{counts}");
    let bad: Vec<String> =
        outcomes.iter().filter(|outcome| outcome.is_bad()).map(ToString::to_string).collect();
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), counts, bad.join("\n"));
}
