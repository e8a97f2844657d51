//! Looks into inline code: what it reads, writes, runs and reaches, where that is plain to see.
//!
//! Nothing here is a parser of a language. Each scanner is sure of what it reports as an act, and
//! leaves `Code` where it cannot tell; it must never say "nothing" of code that it did not follow.

mod address;
mod awk;
mod calls;
mod commands;
mod flood;
mod harmless;
mod jq;
mod script;
mod sed;
pub(super) mod sql;
mod started;
mod token;
mod vim;

use super::table::Reach;
use super::{Act, Does, Language};
use crate::policy::word::Word;

/// The acts of code in this language.
pub(super) fn acts(language: Language, word: &Word, at: usize) -> Vec<Act> {
    let not_followed = || vec![Act::with(Does::Code(language), word, at)];
    let Some(text) = word.known() else { return not_followed() };
    match language {
        Language::Sql => sql::acts(word, Reach::Server, at),
        Language::Mongo => {
            let mut acts = Vec::new();
            sql::mongo(word, at, &mut acts);
            acts
        }
        Language::Redis => sql::redis_lines(text, at),
        Language::Sed => sed::acts(text, at).unwrap_or_else(not_followed),
        Language::Awk => awk::acts(text, at).unwrap_or_else(not_followed),
        Language::Jq => jq::acts(text, at).unwrap_or_else(not_followed),
        Language::Vim => vim::acts(word, text, at),
        Language::Perl
        | Language::Python
        | Language::Ruby
        | Language::JavaScript
        | Language::Php
        | Language::Lua => script::acts(language, word, text, at),
        Language::Make | Language::Cron | Language::Other => {
            commands::acts(language, word, text, at)
        }
    }
}

/// Acts with their words, for tests.
#[cfg(test)]
fn shown(acts: &[Act]) -> String {
    let one = |act: &Act| {
        let word = act.with.as_ref().map(|word| word.shown()).unwrap_or_default();
        format!("{:?} {word}", act.does)
    };
    acts.iter().map(one).collect::<Vec<_>>().join(", ")
}
