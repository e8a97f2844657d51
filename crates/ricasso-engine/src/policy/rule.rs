//! The long form of a rule, and regexes that deny.
//!
//! A rule names conditions; all of them must hold, those about effects for one and the same effect.

use super::effect::{Effect, Kind, Target};
use super::pattern::Command;
use super::rights::host_of;
use super::text::{Glob, Matcher, glob};
use super::value::Then;
use super::words::{self, Item, Meets};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// One `[[rules]]` entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The name that reasons give.
    pub id: String,
    /// What the rule says.
    pub then: Then,
    /// Programs, by base name or path; any of them.
    #[serde(default)]
    pub program: OneOrMany,
    /// Sub-commands; any of them.
    #[serde(default)]
    pub subcommand: OneOrMany,
    /// Options; any of them.
    #[serde(default)]
    pub option: OneOrMany,
    /// Operands; any of them. `.` is the workspace, `~` the home directory, the rest are globs of
    /// absolute paths or of the word as written.
    #[serde(default)]
    pub operand: OneOrMany,
    /// The guard that the rule belongs to; it counts as that guard is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardName>,
    /// Kinds of effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<OneOrMany>,
    /// Paths that an effect is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<OneOrMany>,
    /// Hosts that an effect is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<OneOrMany>,
    /// Why the rule is there; the reason shows it.
    pub why: String,
    /// What to do instead.
    #[serde(default)]
    pub remedy: String,
    /// Texts that the rule must catch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_match: Vec<String>,
    /// Texts that it must leave alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_not_match: Vec<String>,
}

/// One `[[patterns]]` entry: a regex on the raw text and on each resolved command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The regex.
    pub regex: Matcher,
    /// Why; the reason shows it.
    pub why: String,
    /// What to do instead.
    #[serde(default)]
    pub remedy: String,
}

/// The guards that a rule can belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GuardName {
    /// `guards.destructive`.
    Destructive,
}

/// One glob or a list of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMany(Vec<Glob>);

/// The places that operands are compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    /// Where the command runs.
    pub(super) cwd: &'a Path,
    /// The root of the workspace.
    pub(super) workspace: Option<&'a Path>,
    /// The home directory, where somebody could say.
    pub(super) home: Option<&'a Path>,
}

impl Rule {
    /// How well a command meets all conditions.
    pub(super) fn meets(
        &self,
        command: Command<'_>,
        effects: &[Effect],
        places: Places<'_>,
    ) -> Meets {
        let program = match self.program.0.as_slice() {
            [] => Meets::Yes,
            globs => command.is_called(globs),
        };
        if program == Meets::No {
            return Meets::No;
        }
        let items = command.items();
        let subcommand =
            self.subcommand.any(|glob| words::begins(&items, std::slice::from_ref(glob)));
        let option = self.option.any(|glob| command.has_option(glob));
        let operand = self.operand.any(|glob| has_operand(&items, glob, places));
        program.min(subcommand).min(option).min(operand).min(self.meets_effect(effects, places))
    }

    /// One effect must meet kind, path and host together.
    fn meets_effect(&self, effects: &[Effect], places: Places<'_>) -> Meets {
        if self.effect.is_none() && self.path.is_none() && self.host.is_none() {
            return Meets::Yes;
        }
        let each = effects.iter().map(|effect| {
            let kind = self.effect.as_ref().map_or(Meets::Yes, |wanted| {
                let named =
                    wanted.0.iter().any(|glob| Kind::named(glob.as_str()) == Some(effect.kind()));
                if named { Meets::Yes } else { Meets::No }
            });
            let path = self
                .path
                .as_ref()
                .map_or(Meets::Yes, |path| path.any(|glob| meets_path(effect, glob, places)));
            let host = self
                .host
                .as_ref()
                .map_or(Meets::Yes, |host| host.any(|glob| meets_host(effect, glob)));
            kind.min(path).min(host).min(effect.sure)
        });
        each.max().unwrap_or(Meets::No)
    }

    /// A word of `effect` that names no kind of effect.
    pub(super) fn unknown_kind(&self) -> Option<&str> {
        let kinds = self.effect.iter().flat_map(|kinds| &kinds.0);
        kinds.map(Glob::as_str).find(|text| Kind::named(text).is_none())
    }

    /// Whether the rule names no condition at all, so that it would catch every command.
    pub(super) fn is_bare(&self) -> bool {
        let lists = [&self.program, &self.subcommand, &self.option, &self.operand];
        let effects = [&self.effect, &self.path, &self.host];
        lists.iter().all(|list| list.0.is_empty()) && effects.iter().all(|it| it.is_none())
    }

    /// Whether both rules catch exactly the same commands.
    pub(super) fn same_conditions(&self, other: &Rule) -> bool {
        let own = (&self.program, &self.subcommand, &self.option, &self.operand);
        own == (&other.program, &other.subcommand, &other.option, &other.operand)
            && (&self.effect, &self.path, &self.host) == (&other.effect, &other.path, &other.host)
            && self.guard == other.guard
    }
}

impl OneOrMany {
    /// All of them.
    pub fn globs(&self) -> &[Glob] {
        &self.0
    }

    fn any(&self, meets: impl Fn(&Glob) -> Meets) -> Meets {
        let no_condition = Meets::Yes;
        self.0.iter().map(meets).max().unwrap_or(no_condition)
    }
}

fn meets_path(effect: &Effect, wanted: &Glob, places: Places<'_>) -> Meets {
    let text = wanted.as_str();
    let home = places.home.map(|home| home.display().to_string()).unwrap_or_default();
    let root = places.workspace.map(|root| root.display().to_string()).unwrap_or_default();
    let full = match text {
        "." => root,
        "~" => home,
        _ => match (text.strip_prefix("~/"), text.starts_with('/')) {
            (Some(rest), _) => format!("{home}/{rest}"),
            (None, true) => text.to_string(),
            (None, false) => format!("{root}/{}", text.trim_start_matches("./")),
        },
    };
    // `/srv/**` means the directory and everything below it.
    let below = full.strip_suffix("/**");
    let matches = |path: &Path| {
        let bytes = path.as_os_str().as_encoded_bytes();
        let inside = below.is_some_and(|root| path.starts_with(root));
        inside || glob(full.as_bytes(), bytes)
    };
    match &effect.target {
        Target::Path(path) if matches(path) => Meets::Yes,
        Target::Below { base, .. } if matches(base) => Meets::Yes,
        Target::Below { .. } | Target::Unknown => Meets::Perhaps,
        Target::Path(_) | Target::Word | Target::Free => Meets::No,
    }
}

fn meets_host(effect: &Effect, wanted: &Glob) -> Meets {
    if effect.kind() != Kind::Network {
        return Meets::No;
    }
    let host = effect.word.as_ref().and_then(|word| word.known()).and_then(host_of);
    match host {
        Some(host) if wanted.matches(&host.to_ascii_lowercase()) => Meets::Yes,
        Some(_) => Meets::No,
        None => Meets::Perhaps,
    }
}

fn has_operand(items: &[Item<'_>], wanted: &Glob, places: Places<'_>) -> Meets {
    let each = items.iter().map(|item| match item {
        Item::Unknown => Meets::Perhaps,
        Item::Operand(word) | Item::Perhaps(word) if is_operand(word, wanted, places) => Meets::Yes,
        Item::Operand(_) | Item::Perhaps(_) => Meets::No,
    });
    each.max().unwrap_or(Meets::No)
}

fn is_operand(word: &[u8], wanted: &Glob, places: Places<'_>) -> bool {
    let Ok(text) = std::str::from_utf8(word) else {
        return wanted.matches(word);
    };
    let path = tidy(&places.cwd.join(text));
    match wanted.as_str() {
        "." => places.workspace.is_some_and(|root| tidy(root) == path),
        "~" => places.home.is_some_and(|home| tidy(home) == path),
        _ => wanted.matches(word) || wanted.matches(path.as_os_str().as_encoded_bytes()),
    }
}

/// The path without `.`, `..` and doubled slashes, by its letters alone.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => tidy.push(part),
        }
    }
    tidy
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrManyVisitor)
    }
}

struct OneOrManyVisitor;

impl<'de> Visitor<'de> for OneOrManyVisitor {
    type Value = OneOrMany;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
        Glob::new(text).map(|glob| OneOrMany(vec![glob])).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMany, A::Error> {
        let mut globs = Vec::new();
        while let Some(glob) = seq.next_element::<Glob>()? {
            globs.push(glob);
        }
        Ok(OneOrMany(globs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_compared_as_places() {
        let places = Places {
            cwd: Path::new("/w/p/sub"),
            workspace: Some(Path::new("/w/p")),
            home: Some(Path::new("/home/u")),
        };
        let is =
            |word: &str, glob: &str| is_operand(word.as_bytes(), &Glob::new(glob).unwrap(), places);
        assert!(is("/", "/"));
        assert!(is("//", "/"));
        assert!(is("/.", "/"));
        assert!(is("../../../..", "/"));
        assert!(is("..", "."));
        assert!(is("/w/p/", "."));
        assert!(is("/home/u/../u", "~"));
        assert!(is("of=/dev/sda", "of=/dev/sd*"));
        assert!(!is("sub", "."));
        assert!(!is("/w/p/sub", "."));
    }
}
