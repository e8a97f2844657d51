//! May it run, and with what rights? Texts in, policy out; request and policy in, verdict out.
//!
//! Everything here is pure: no clock, no files, no environment. Doors open files and hand in their
//! text; the judge asks about the world through `scene::Look` alone. A yes never widens the rights,
//! and nothing outside this room can make a grant.

mod command;
mod controls;
mod doubt;
mod effect;
mod error;
mod file;
mod git;
mod guard;
mod hidden;
mod hint;
mod judge;
#[allow(dead_code, reason = "the walk is built on it")]
mod know;
mod layered;
mod layers;
mod lint;
mod loader;
mod mention;
mod merge;
mod misleading;
mod opaque;
mod operator;
mod paths;
mod pattern;
mod pieces;
mod place;
mod preset;
mod rights;
mod rule;
mod scratch;
mod sections;
mod settled;
mod show;
#[cfg(test)]
mod tests;
mod text;
mod unit;
mod value;
mod verdict;
mod walk;
mod word;
mod words;

pub use doubt::Doubt;
pub use error::{Error, Place};
pub use hint::{hints, may_hide_failure};
pub use judge::judge;
pub use layered::{Added, Assigned, Fixed, Granted};
pub use layers::{Extends, Layer, Origin, Overrides, extends};
pub use loader::{Carry, carry};
pub use merge::Setting;
pub use pattern::CommandPattern;
pub use preset::{Preset, SCHEMA, TEMPLATE};
pub use rule::{GuardName, OneOrMany, Pattern, Rule};
pub use sections::{
    Commands, Env, Files, General, Guards, Hook, Jobs, Limits, Net, Programs, Record, Redact,
};
pub use settled::Policy;
pub use show::Origins;
pub use text::{Glob, Matcher, Only, OnlyIn, OnlyMatching, OnlyOf, PathText, RegexText, Roots};
pub use unit::{Count, Limit, Pause, Size};
pub use value::{
    Denials, Durability, Git, Guard, Held, Mode, Opaque, Operators, Partial, Reach, Shell,
    Survivors, Then, Tmp, Unknown, Words,
};
pub use verdict::{By, Grant, Judgement, Question, Reason, ReasonLayer, Refusal, Verdict};
