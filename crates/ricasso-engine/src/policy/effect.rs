//! What a command does to the world, with what it is done to.
//!
//! An effect is certain or a superset of what can happen: a target that is not known is named so,
//! never left out.

use super::know::Does;
use super::word::Word;
use super::words::Meets;
use std::path::PathBuf;

/// One effect of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Effect {
    /// What is done.
    pub(super) does: Does,
    /// To what.
    pub(super) target: Target,
    /// The word that names it, as far as it is known.
    pub(super) word: Option<Word>,
    /// Where that word stands in the text as sent.
    pub(super) span: [usize; 2],
    /// `Yes`, or `Perhaps` where an unknown word decides whether it happens.
    pub(super) sure: Meets,
}

/// What an effect is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Nothing in particular, or a host, a process, a program: the word says it.
    Word,
    /// A descriptor, a pipe, `/dev/null`: no file that anybody keeps.
    Free,
    /// This path, every link followed that the system would follow.
    Path(PathBuf),
    /// Something below this path.
    Below {
        /// The directory.
        base: PathBuf,
        /// Whether it may be everything there, or the directory itself.
        everything: bool,
        /// Whether `..` in what is unknown could lead out of it.
        loose: bool,
    },
    /// Nobody knows before it runs.
    Unknown,
}

impl Target {
    /// The path, where it is one and no other.
    pub(super) fn into_path(self) -> Option<PathBuf> {
        match self {
            Target::Path(path) => Some(path),
            Target::Word | Target::Free | Target::Below { .. } | Target::Unknown => None,
        }
    }
}

/// The kinds of effect that a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Delete,
    Run,
    Network,
    Signal,
    Permission,
    Unknown,
    Opaque,
    Environment,
    /// None of those.
    Other,
}

impl Kind {
    /// The kind that a rule names; `None` for a word that is none.
    pub(super) fn named(text: &str) -> Option<Self> {
        Some(match text {
            "read" => Kind::Read,
            "write" => Kind::Write,
            "delete" => Kind::Delete,
            "run" => Kind::Run,
            "network" => Kind::Network,
            "signal" => Kind::Signal,
            "permission" => Kind::Permission,
            "unknown" => Kind::Unknown,
            "opaque" => Kind::Opaque,
            "environment" => Kind::Environment,
            _ => return None,
        })
    }

    /// The kind of an act.
    pub(super) fn of(does: Does) -> Self {
        match does {
            Does::Read | Does::ReadTree | Does::ReadThroughLinks | Does::LookAt => Kind::Read,
            Does::Create | Does::Append | Does::Overwrite | Does::Edit | Does::PutAt => Kind::Write,
            Does::ChangeRepository | Does::ChangeSettings | Does::ChangeWorkTree => Kind::Write,
            Does::ChangeGlobalSettings | Does::Discard => Kind::Write,
            Does::Delete | Does::DeleteTree | Does::DeleteSome | Does::MoveAway => Kind::Delete,
            Does::Permission | Does::PermissionTree => Kind::Permission,
            Does::RunProgram | Does::RunRest | Does::RunText => Kind::Run,
            Does::RunElsewhere | Does::RunTextElsewhere | Does::RunForInput => Kind::Run,
            Does::Anything => Kind::Unknown,
            Does::Connect | Does::Listen => Kind::Network,
            Does::Signal => Kind::Signal,
            Does::Opaque | Does::Code(_) | Does::CodeFile | Does::ObeyFile => Kind::Opaque,
            Does::StdinText | Does::StdinCode(_) => Kind::Opaque,
            Does::Nothing
            | Does::Endless
            | Does::Obeys(_)
            | Does::Catastrophe(_)
            | Does::HardToTakeBack(_)
            | Does::LinkTo
            | Does::Enter
            | Does::Set
            | Does::Unset
            | Does::Print
            | Does::Elevate => Kind::Other,
            Does::ShowEnvironment => Kind::Environment,
        }
    }
}

impl Effect {
    /// The kind of the effect.
    pub(super) fn kind(&self) -> Kind {
        Kind::of(self.does)
    }
}
