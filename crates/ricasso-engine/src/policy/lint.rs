//! What is wrong with a file although each of its keys can be read: rules that break their own
//! examples or never count, keys that cannot stand there, conditions that cannot be judged.

use super::Error;
use super::error::Place;
use super::file::File;
use super::judge;
use super::layers::{Layer, Origin};
use super::pattern::CommandPattern;
use super::rule::Rule;
use super::sections::Commands;
use super::value::{Mode, Then};
use super::words::Meets;
use toml::Spanned;

/// Checks what can be said of one file alone.
pub(super) fn file(layer: &Layer, file: &File) -> Result<(), Error> {
    let place = |at: usize| Place::at(&layer.name, &layer.text, at);
    let not_here = |at: usize, key: &str, remedy: &str| {
        Err(Error::NotHere { place: place(at), key: key.into(), remedy: remedy.into() })
    };
    match (&file.locked, layer.origin) {
        (None, _) | (Some(_), Origin::Machine) => {}
        (Some(locked), Origin::Preset | Origin::User | Origin::Project | Origin::Flags) => {
            let remedy = "only the machine's file under /etc locks keys; move it there";
            return not_here(locked.span().start, "locked", remedy);
        }
    }
    match &file.dialect {
        Some(dialect) if layer.origin == Origin::Project => {
            let remedy = "a project's file may only tighten; move it to the user's file";
            return not_here(dialect.span().start, "dialect", remedy);
        }
        Some(_) | None => {}
    }
    match (file.own_mode(), &file.files.write) {
        (Some(Mode::Read), Some(write)) if !write.get_ref().is_empty() => {
            let remedy = "mode read writes nothing; leave it empty or choose mode workspace";
            return not_here(write.span().start, "files.write", remedy);
        }
        (Some(_) | None, Some(_) | None) => {}
    }
    Ok(())
}

/// Checks that no pattern of the file is caught whole by a stronger one.
pub(super) fn shadows(layer: &Layer, file: &File, held: &Commands) -> Result<(), Error> {
    let new = &file.commands;
    let list = |list: &Option<Spanned<_>>, stronger: &[&[CommandPattern]], by: &str| match list {
        Some(patterns) => shadowed(layer, patterns, stronger, by),
        None => Ok(()),
    };
    let deny = new.deny.as_ref().map_or(&[][..], |deny| deny.get_ref());
    let ask = new.ask.as_ref().map_or(&[][..], |ask| ask.get_ref());
    let denies = [deny, &held.deny];
    let asks = [deny, &held.deny, ask, &held.ask];
    list(&new.allow.as_ref().map(as_slice), &asks, "a deny or ask")?;
    list(&new.ask.as_ref().map(as_slice), &denies, "a deny")
}

fn as_slice<T: std::ops::Deref<Target = [CommandPattern]>>(
    list: &Spanned<T>,
) -> Spanned<&[CommandPattern]> {
    Spanned::new(list.span(), list.get_ref())
}

fn shadowed(
    layer: &Layer,
    patterns: &Spanned<&[CommandPattern]>,
    stronger: &[&[CommandPattern]],
    by: &str,
) -> Result<(), Error> {
    let caught = |pattern: &CommandPattern| {
        let stronger = stronger.iter().flat_map(|list| list.iter());
        stronger.into_iter().find(|other| other.covers(pattern))
    };
    let found = patterns.get_ref().iter().find_map(|one| Some((one, caught(one)?)));
    match found {
        Some((pattern, other)) => Err(Error::Shadowed {
            place: Place::at(&layer.name, &layer.text, patterns.span().start),
            rule: format!("the pattern {:?}", pattern.as_str()),
            by: format!("{by}, {:?},", other.as_str()),
        }),
        None => Ok(()),
    }
}

/// Checks one long rule against those before it and against its own examples.
pub(super) fn rule(layer: &Layer, place: Place, rule: &Rule, held: &[Rule]) -> Result<(), Error> {
    if let Some(kind) = rule.unknown_kind() {
        return Err(Error::BadValue {
            place,
            key: "rules.effect".into(),
            problem: format!("{kind:?} is no kind of effect"),
            remedy: "write read, write, delete, run, network, signal, permission, environment, \
                     unknown or opaque"
                .into(),
        });
    }
    if rule.is_bare() {
        return Err(Error::BadValue {
            place,
            key: "rules".into(),
            problem: format!("the rule {:?} names no condition", rule.id),
            remedy: "give it a program, or use commands.otherwise".into(),
        });
    }
    if layer.origin == Origin::Project && rule.then == Then::Allow {
        let (held, by) = ("no rule".to_string(), "a project's file".to_string());
        return Err(Error::Widens { place, key: format!("rules.{}", rule.id), held, by });
    }
    if held.iter().any(|other| other.id == rule.id) {
        return Err(Error::BadValue {
            place,
            key: "rules.id".into(),
            problem: format!("the id {:?} is taken", rule.id),
            remedy: "choose another".into(),
        });
    }
    let stronger = |other: &&Rule| other.same_conditions(rule) && other.then <= rule.then;
    if let Some(other) = held.iter().find(stronger) {
        let (rule, by) = (format!("the rule {}", rule.id), format!("the rule {}", other.id));
        return Err(Error::Shadowed { place, rule, by });
    }
    if layer.origin == Origin::Preset {
        // Built-in examples are checked by a test, so that every start is fast.
        return Ok(());
    }
    examples(place, rule)
}

/// Checks the rule against its own examples.
pub(super) fn examples(place: Place, rule: &Rule) -> Result<(), Error> {
    let broken = |list, example: &String| Error::Example {
        place: place.clone(),
        rule: rule.id.clone(),
        list,
        example: example.clone(),
    };
    // What permits counts only when it is certain, what forbids also when it could be.
    let least = match rule.then {
        Then::Allow => Meets::Yes,
        Then::Ask | Then::Deny => Meets::Perhaps,
    };
    let counts = |text: &&String| judge::rule_meets(rule, text) >= least;
    let missed = rule.must_match.iter().find(|text| !counts(text));
    if let Some(example) = missed {
        return Err(broken("must_match", example));
    }
    match rule.must_not_match.iter().find(counts) {
        Some(example) => Err(broken("must_not_match", example)),
        None => Ok(()),
    }
}
