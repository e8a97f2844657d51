//! One file's keys laid over what holds so far: who may widen, and who said what.

use super::Error;
use super::error::Place;
use super::layered::Layered;
use super::layers::{Layer, Origin};
use super::lint;
use super::rule::Rule;
use serde::Serialize;
use toml::Spanned;

/// One value that holds, and who said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// The key with its table.
    pub key: String,
    /// The value as JSON.
    pub value: String,
    /// Who wrote the file.
    pub origin: Origin,
    /// The file's name.
    pub file: String,
    /// The line in it.
    pub line: usize,
}

/// A key, or a table of keys, that later layers may only tighten.
pub(super) struct Lock {
    /// The key or table.
    pub(super) key: String,
    /// The file that locks it.
    pub(super) file: String,
}

/// One layer being laid: knows who speaks, what is locked, and notes what was said.
pub(super) struct Merge<'a> {
    pub(super) layer: &'a Layer,
    pub(super) locks: &'a [Lock],
    pub(super) settings: &'a mut Vec<Setting>,
}

/// What happens to earlier notes of the same key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Earlier,
    Nothing,
}

impl Merge<'_> {
    /// Lays one key over what holds, if the file has it and may.
    pub(super) fn key<T: Layered>(
        &mut self,
        key: &'static str,
        held: &mut T,
        new: Option<Spanned<T>>,
    ) -> Result<(), Error> {
        let Some(new) = new else {
            return Ok(());
        };
        let at = new.span().start;
        match self.only_tightens(key) {
            Some(by) if held.widened_by(new.get_ref()) => {
                return Err(Error::Widens {
                    place: self.place(at),
                    key: key.to_string(),
                    held: shown(held),
                    by,
                });
            }
            Some(_) | None => {}
        }
        let keep = if T::ADDS { Keep::Earlier } else { Keep::Nothing };
        self.note(key, new.get_ref(), at, keep);
        held.lay(new.into_inner());
        Ok(())
    }

    /// Adds the file's long rules, each checked.
    pub(super) fn rules(
        &mut self,
        held: &mut Vec<Rule>,
        new: Vec<Spanned<Rule>>,
    ) -> Result<(), Error> {
        for rule in new {
            let at = rule.span().start;
            if held.contains(rule.get_ref()) {
                continue;
            }
            lint::rule(self.layer, self.place(at), rule.get_ref(), held)?;
            self.note("rules", rule.get_ref(), at, Keep::Earlier);
            held.push(rule.into_inner());
        }
        Ok(())
    }

    fn only_tightens(&self, key: &str) -> Option<String> {
        if self.layer.origin == Origin::Project {
            return Some("a project's file".to_string());
        }
        let lock = self.locks.iter().find(|lock| covers(&lock.key, key))?;
        Some(format!("since {} locks it, {}", lock.file, self.layer.name))
    }

    fn place(&self, at: usize) -> Place {
        Place::at(&self.layer.name, &self.layer.text, at)
    }

    /// Notes who said what.
    pub(super) fn note<T: Serialize>(&mut self, key: &str, value: &T, at: usize, keep: Keep) {
        if keep == Keep::Nothing {
            self.settings.retain(|setting| setting.key != key);
        }
        let line = self.place(at).line;
        let (origin, file) = (self.layer.origin, self.layer.name.clone());
        let value = shown(value);
        self.settings.push(Setting { key: key.to_string(), value, origin, file, line });
    }
}

/// Whether a lock on a key or table holds for a key.
pub(super) fn covers(lock: &str, key: &str) -> bool {
    key.strip_prefix(lock).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A value as JSON.
pub(super) fn shown<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
