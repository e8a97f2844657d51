//! The words of the policy file that choose one of a few: modes, reaches, answers.
//!
//! Each enum is declared from its tightest word to its widest, which is what "may only tighten"
//! compares. Nothing here acts on them.

use super::layered::{Layered, choice};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;

choice! {
    /// How much of a cage there is.
    Mode {
        /// Nothing is written.
        Read = "read",
        /// Only the workspace is written.
        Workspace = "workspace",
        /// No file, program or net cage.
        Open = "open",
    }
}

choice! {
    /// Who holds the list of programs.
    Held {
        /// The kernel: whatever the text was, nothing else starts.
        Kernel = "kernel",
        /// The judge alone: what a listed program starts by itself is not bounded by the list.
        Text = "text",
    }
}

choice! {
    /// Whether a list of programs names the shell's own commands too.
    Builtins {
        /// It does: what it does not name is refused, and so is a redirection without a program.
        Listed = "listed",
        /// Those that run and change nothing by themselves need no name.
        Free = "free",
    }
}

choice! {
    /// What a program on the list is known by.
    KnownBy {
        /// The file: another one of the same name is not on the list.
        File = "file",
        /// The last part of the name as written.
        Name = "name",
    }
}

choice! {
    /// How far the network reaches.
    Reach {
        /// Nowhere.
        None = "none",
        /// The session's own loopback.
        Loopback = "loopback",
        /// Everywhere.
        Open = "open",
    }
}

choice! {
    /// What happens to code that the text does not show.
    Opaque {
        /// It is refused.
        Deny = "deny",
        /// A person is asked.
        Ask = "ask",
        /// It runs where a cage holds it; elsewhere a person is asked.
        Caged = "caged",
        /// It runs.
        Allow = "allow",
    }
}

choice! {
    /// What happens to a command whose program or deciding word is not known before it runs.
    Unknown {
        /// It is refused.
        Deny = "deny",
        /// A person is asked.
        Ask = "ask",
        /// It runs where a cage holds it; elsewhere a person is asked.
        Caged = "caged",
        /// It runs, unless there is a list of programs.
        Allow = "allow",
    }
}

choice! {
    /// What a rule, or the end of all rules, says.
    Then {
        /// It does not run.
        Deny = "deny",
        /// A person is asked.
        Ask = "ask",
        /// It may run.
        Allow = "allow",
    }
}

choice! {
    /// What the cage reports when it stops something.
    Denials {
        /// Reads too, at a cost.
        All = "all",
        /// Writes alone.
        Writes = "writes",
        /// Nothing.
        Off = "off",
    }
}

choice! {
    /// Whose /tmp a run sees.
    Tmp {
        /// One for each run.
        Private = "private",
        /// One for all runs of a session.
        Session = "session",
        /// That of the session, and the files of the machine's beside it, to be read.
        Layered = "layered",
        /// The machine's.
        Host = "host",
    }
}

choice! {
    /// What the destructive guard does with what is hard to take back.
    Guard {
        /// It refuses.
        Deny = "deny",
        /// It asks a person.
        Ask = "ask",
        /// It does nothing.
        Off = "off",
    }
}

choice! {
    /// What git may do.
    Git {
        /// Look, and nothing else.
        ReadOnly = "read-only",
        /// Everything.
        Full = "full",
    }
}

choice! {
    /// Whether commands may be joined, redirected and substituted.
    Operators {
        /// One command, nothing else.
        Deny = "deny",
        /// Whatever the shell reads.
        Allow = "allow",
    }
}

choice! {
    /// Which words are held to the readable roots.
    Words {
        /// Every word that looks like an absolute path.
        All = "all",
        /// Those that a program takes for a path.
        Meant = "meant",
    }
}

choice! {
    /// Who refuses a change outside the writable roots.
    Changes {
        /// The judge, before anything runs, and the cage what the judge cannot see.
        Judged = "judged",
        /// The judge what the text names, and the cage, where there is one, what a program makes
        /// without being told where.
        Named = "named",
        /// The cage alone, where there is one: the command sees the kernel's error.
        Caged = "caged",
    }
}

choice! {
    /// What happens to processes that outlive their shell.
    Survivors {
        /// They are stopped.
        Stop = "stop",
        /// They become background jobs.
        Adopt = "adopt",
    }
}

choice! {
    /// What a ledger line survives.
    Durability {
        /// A power cut: the disk has it.
        Sync = "sync",
        /// A crash of ricasso: the kernel has it.
        Flush = "flush",
    }
}

/// What may be missing on a host that cannot hold everything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Partial {
    /// Nothing: the run is refused instead.
    Refuse,
    /// These, named as in `enforced`.
    May(Vec<String>),
}

/// The names that `partial` takes: the fields of `enforced` that a host may be unable to hold.
const HOLDS: [&str; 5] = ["files", "programs", "net", "kill", "limits"];

/// Which shell runs shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shell {
    /// The POSIX shell of the machine.
    Sh,
    /// GNU bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The program at this absolute path.
    Path(PathBuf),
}

impl Layered for Partial {
    fn tightest() -> Self {
        Partial::Refuse
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        match (self, new) {
            (_, Partial::Refuse) => false,
            (Partial::Refuse, Partial::May(new)) => !new.is_empty(),
            (Partial::May(old), Partial::May(new)) => new.iter().any(|name| !old.contains(name)),
        }
    }
}

impl Serialize for Partial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Partial::Refuse => serializer.serialize_str("refuse"),
            Partial::May(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Partial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartialVisitor)
    }
}

struct PartialVisitor;

impl<'de> Visitor<'de> for PartialVisitor {
    type Value = Partial;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"refuse\" or a list of {}", HOLDS.join(", "))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Partial, E> {
        match text {
            "refuse" => Ok(Partial::Refuse),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Partial, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = seq.next_element::<String>()? {
            if !HOLDS.contains(&name.as_str()) {
                return Err(de::Error::invalid_value(de::Unexpected::Str(&name), &self));
            }
            names.push(name);
        }
        Ok(Partial::May(names))
    }
}

impl Layered for Shell {
    fn tightest() -> Self {
        Shell::Sh
    }

    fn lay(&mut self, new: Self) {
        *self = new;
    }

    fn widened_by(&self, new: &Self) -> bool {
        self != new
    }
}

impl Serialize for Shell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Shell::Sh => serializer.serialize_str("sh"),
            Shell::Bash => serializer.serialize_str("bash"),
            Shell::Zsh => serializer.serialize_str("zsh"),
            Shell::Path(path) => serializer.collect_str(&path.display()),
        }
    }
}

impl<'de> Deserialize<'de> for Shell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "sh" => Ok(Shell::Sh),
            "bash" => Ok(Shell::Bash),
            "zsh" => Ok(Shell::Zsh),
            path if path.starts_with('/') => Ok(Shell::Path(path.into())),
            other => Err(de::Error::custom(format!(
                "{other:?} is no shell; write sh, bash, zsh or an absolute path"
            ))),
        }
    }
}
