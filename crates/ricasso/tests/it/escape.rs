//! The escape suite: every attempt of `cases/escape` is made in mode open, where its effect must
//! show, and in the cage, where it must not. Effects are seen from outside, never by exit codes.
//!
//! As root and as nobody, with namespaces and on a machine that refuses them.

pub(crate) mod copied;
mod outcome;
mod snapshot;
pub(crate) mod stage;
mod stand;
mod table;

use crate::place::skip;
use outcome::{Counts, Outcome};
use stage::{Actor, Hall};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

#[test]
fn every_attempt_shows_its_effect_in_the_open_and_none_in_the_cage() {
    let Some(hall) = Hall::new() else {
        return skip("every_attempt_shows_its_effect", "there is no C compiler for the probe");
    };
    let attempts = table::read();
    let tries: Vec<(&Attempt, Actor)> = attempts
        .iter()
        .flat_map(|attempt| hall.actors().into_iter().map(move |actor| (attempt, actor)))
        .filter(|(attempt, actor)| attempt.is_for(*actor) && selected(attempt))
        .collect();
    let mut outcomes = all_of(&tries, |(attempt, actor)| outcome::of(&hall, attempt, *actor));
    outcomes.sort_by(|a, b| a.what.cmp(&b.what));
    judge(&outcomes);
}

/// One in so many is made in a copied view, unless all are asked for.
const SOME: usize = 20;

#[test]
fn attempts_are_held_in_a_copied_view_too() {
    let name = "attempts_are_held_in_a_copied_view_too";
    if crate::cage::powers().namespaces == ricasso_os::Namespaces::None {
        return skip(name, "there are no namespaces here");
    }
    let Some(hall) = Hall::new() else {
        return skip(name, "there is no C compiler for the probe");
    };
    let one_in = if std::env::var_os("RICASSO_LONG").is_some() { 1 } else { SOME };
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
    let outcomes =
        all_of(&tries, |(attempt, actor)| vec![outcome::in_a_copy(&hall, attempt, *actor)]);
    judge(&outcomes);
    // Nobody is content with attempts that were never made.
    for actor in hall.actors() {
        let made = format!("as {actor:?} in a copied view");
        let said = outcomes.iter().map(ToString::to_string);
        let held = said.filter(|said| said.starts_with("held") && said.contains(&made)).count();
        let tried = tries.iter().filter(|(_, by)| *by == actor).count();
        assert!(held * 2 > tried, "{held} of {tried} were made {made}");
    }
}

/// Makes all of them, some at once.
fn all_of<T: Sync>(tries: &[T], make: impl Fn(&T) -> Vec<Outcome> + Sync) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(one) = tries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let made = make(one);
                    outcomes.lock().unwrap().extend(made);
                }
            });
        }
    });
    outcomes.into_inner().unwrap()
}

/// `RICASSO_ESCAPE=WORD` tries only the attempts whose name or class holds the word.
fn selected(attempt: &Attempt) -> bool {
    let Ok(word) = std::env::var("RICASSO_ESCAPE") else { return true };
    attempt.name.contains(&word) || attempt.class == word
}

fn judge(outcomes: &[Outcome]) {
    for outcome in outcomes {
        eprintln!("{outcome}");
    }
    for skipped in outcomes.iter().filter_map(Outcome::skipped) {
        skip("escape", &skipped);
    }
    let uncaged = outcomes.iter().filter(|outcome| outcome.lacks_a_cage()).count();
    if uncaged > 0 {
        skip("escape", &format!("this machine has no cage for {uncaged} runs"));
    }
    let counts = Counts::of(outcomes);
    eprintln!("{counts}");
    let bad: Vec<String> =
        outcomes.iter().filter(|outcome| outcome.is_bad()).map(ToString::to_string).collect();
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), counts, bad.join("\n"));
}
