//! One attempt by one user: the control in the open, then the cage on both kinds of machine.

use super::stage::{Actor, BARE, Found, Hall, Machine, Stage};
use super::table::{Attempt, Escapes};
use crate::place::is_long;
use std::fmt;

/// What came of one run.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) what: String,
    kind: Kind,
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The control: the effect shows without a cage.
    Shown,
    /// The control: this host forbids it even so.
    Forbidden,
    /// The control shows nothing, and no row says that this may be so.
    NotShown,
    /// The cage held.
    Held,
    /// There is no cage here at all; the machine's reason is told.
    NoCage,
    /// Nothing ran, and the row does not say that this is as good.
    NotTried,
    /// The effect shows in spite of the cage.
    Escaped,
    /// So it does, and the row says so.
    Known,
    /// The row says that it gets through, and it does not.
    HeldAfterAll,
}

/// How often a control is made before it counts as not shown: some are races, and a machine that
/// is busy elsewhere may lose one.
const CONTROLS: usize = 3;

/// All runs of one attempt by one user on these machines.
pub(super) fn of(
    hall: &Hall,
    attempt: &Attempt,
    actor: Actor,
    machines: &[Machine],
) -> Vec<Outcome> {
    let what = |rest: &str| format!("{}/{} as {actor:?} {rest}", attempt.class, attempt.name);
    let flags = if attempt.bare { BARE } else { &["--mode", "open"] };
    let make = |flags: &[&str], machine| Stage::new(hall, actor).attempt(attempt, flags, machine);
    let mut outcomes = Vec::new();
    while outcomes.len() < CONTROLS {
        let control = control(&make(flags, Machine::Plain), attempt, what("open"));
        let again = control.kind == Kind::NotShown;
        outcomes.push(control);
        if !again {
            break;
        }
    }
    let tries = outcomes.len();
    outcomes.drain(..tries - 1);
    if outcomes[0].kind != Kind::Shown {
        // Without its control an attempt proves nothing.
        return outcomes;
    }
    for machine in machines.iter().copied() {
        for flags in cages(attempt, machine) {
            let words: Vec<&str> = flags.iter().map(String::as_str).collect();
            let what = what(&format!("{} {machine:?}", flags.join(" ")));
            let known = attempt.known_escape(machine);
            // A race that the control won late has as many chances in the cage.
            outcomes.extend((0..tries).map(|_| {
                let found = make(&words, machine);
                caged(&found, attempt, what.clone()).unless_known(known, &found)
            }));
        }
    }
    outcomes
}

/// One attempt in a copied view. Its control is made by the other test.
pub(super) fn in_a_copy(hall: &Hall, attempt: &Attempt, actor: Actor) -> Outcome {
    let what = format!("{}/{} as {actor:?} in a copied view", attempt.class, attempt.name);
    let found = Stage::new(hall, actor).attempt(attempt, &[], Machine::Copied);
    let outcome = caged(&found, attempt, what);
    let outcome = outcome.unless_known(attempt.known_escape(Machine::Plain), &found);
    if found.stood { outcome } else { outcome.without_a_stand() }
}

/// The cages in which it must be held, as flags. The short form tries the first on a plain machine
/// and the last on the other.
fn cages(attempt: &Attempt, machine: Machine) -> Vec<Vec<String>> {
    if !machine.has_namespaces() && attempt.namespaces.is_some() {
        return Vec::new();
    }
    let mut all: Vec<Vec<String>> = match &attempt.policy {
        Some(_) => vec![vec!["--policy".into(), "{stage}/policy.toml".into()]],
        None => attempt.modes.iter().map(|mode| vec!["--mode".into(), mode.clone()]).collect(),
    };
    if !attempt.nets.is_empty() {
        let with = |cage: &Vec<String>, net: &String| {
            [cage.as_slice(), &["--net".into(), net.clone()]].concat()
        };
        let reaches = |cage: &Vec<String>| attempt.nets.iter().map(|net| with(cage, net)).collect();
        all = all.iter().flat_map(|cage| -> Vec<Vec<String>> { reaches(cage) }).collect();
    }
    if !is_long() {
        let first = machine == Machine::Plain;
        all =
            if first { all.into_iter().take(1).collect() } else { all.pop().into_iter().collect() };
    }
    all.iter_mut().for_each(|cage| cage.extend(["--timeout".into(), "20s".into()]));
    all
}

fn control(found: &Found, attempt: &Attempt, what: String) -> Outcome {
    let told = || format!("{}{}{}", found.stdout, found.stderr, found.reply["stderr"]);
    let (kind, detail) = match (&found.effect, &attempt.host) {
        (Some(effect), _) => (Kind::Shown, effect.clone()),
        (None, Some(why)) => {
            eprintln!("{what}: {}", told());
            (Kind::Forbidden, why.clone())
        }
        (None, None) => (Kind::NotShown, told()),
    };
    let detail = if found.stood { detail } else { "the host has no such thing".into() };
    Outcome { what, kind, detail }
}

fn caged(found: &Found, attempt: &Attempt, what: String) -> Outcome {
    let ending = found.reply["ending"]["kind"].as_str().unwrap_or("none");
    let rule = found.reply["reasons"][0]["rule"].as_str().unwrap_or_default();
    let tried = was_tried(found, attempt);
    let detail = format!("{ending} {rule} {}{}", found.stdout.trim(), found.stderr.trim());
    let kind = match (&found.effect, ending) {
        (Some(_), _) => Kind::Escaped,
        (None, "refused" | "not_started") if attempt.refusal.is_some() => Kind::Held,
        (None, "refused" | "not_started") if rule == "not-enforceable" => Kind::NoCage,
        (None, _) if tried => Kind::Held,
        (None, _) => Kind::NotTried,
    };
    let effect = found.effect.as_deref().unwrap_or_default();
    Outcome { what, kind, detail: format!("{effect} {detail}") }
}

/// The probe says so when it has tried; a shell that went on to its last line has tried too. Under
/// a list of programs the probe may not even start, which is what is tried there.
fn was_tried(found: &Found, attempt: &Attempt) -> bool {
    let mut tries = found.stdout.lines().filter(|line| line.starts_with("tried "));
    let by_probe = attempt.act.contains("{probe}") && attempt.policy.is_none();
    if by_probe { tries.any(|line| line != "tried the act") } else { tries.next().is_some() }
}

impl Outcome {
    /// The host has not what was to stand outside.
    fn without_a_stand(self) -> Outcome {
        Outcome { kind: Kind::Forbidden, ..self }
    }

    /// Compares it with what the row admits, and the reply.
    fn unless_known(mut self, known: Option<&Escapes>, found: &Found) -> Outcome {
        let Some(Escapes { why, hint, .. }) = known else { return self };
        match self.kind {
            Kind::Escaped if !found.reply["hints"].to_string().contains(hint) => {}
            Kind::Escaped => (self.kind, self.detail) = (Kind::Known, why.clone()),
            Kind::Held => self.kind = Kind::HeldAfterAll,
            Kind::Shown | Kind::Forbidden | Kind::NotShown | Kind::NoCage | Kind::NotTried => {}
            Kind::Known | Kind::HeldAfterAll => {}
        }
        self
    }

    pub(super) fn is_bad(&self) -> bool {
        match self.kind {
            Kind::NotShown | Kind::NotTried | Kind::Escaped | Kind::HeldAfterAll => true,
            Kind::Shown | Kind::Forbidden | Kind::Held | Kind::NoCage | Kind::Known => false,
        }
    }

    /// What this host forbids without a cage as well, so that the cage cannot be tried with it,
    /// and why.
    pub(super) fn skipped(&self) -> Option<(&str, &str)> {
        (self.kind == Kind::Forbidden).then_some((&self.what, &self.detail))
    }

    /// Whether there was no cage to try.
    pub(super) fn lacks_a_cage(&self) -> bool {
        self.kind == Kind::NoCage
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            Kind::Shown => "shown",
            Kind::Forbidden => "forbidden by the host",
            Kind::NotShown => "NOT SHOWN",
            Kind::Held => "held",
            Kind::NoCage => "no cage",
            Kind::NotTried => "NOT TRIED",
            Kind::Escaped => "ESCAPED",
            Kind::Known => "known to escape",
            Kind::HeldAfterAll => "HELD, AND MARKED AS AN ESCAPE",
        };
        let detail: String = self.detail.replace('\n', " | ").chars().take(400).collect();
        write!(out, "{word}: {} ({detail})", self.what)
    }
}

/// How many of each.
pub(super) struct Counts([usize; 8]);

impl Counts {
    pub(super) fn of(outcomes: &[Outcome]) -> Counts {
        let kinds = [
            Kind::Shown,
            Kind::Forbidden,
            Kind::NotShown,
            Kind::Held,
            Kind::NoCage,
            Kind::NotTried,
            Kind::Escaped,
            Kind::Known,
        ];
        Counts(kinds.map(|kind| outcomes.iter().filter(|outcome| outcome.kind == kind).count()))
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [shown, forbidden, not_shown, held, no_cage, not_tried, escaped, known] = self.0;
        write!(
            out,
            "{shown} controls shown, {forbidden} forbidden by the host, {not_shown} not shown; \
             {held} held, {no_cage} without a cage, {not_tried} not tried, {escaped} escaped, \
             {known} known to escape"
        )
    }
}
