//! The names of the dialects.

use super::bash;
use super::tool::Apart;
use serde_json::Value;

/// One of the five contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// `tools/shell` with the actions execute and script.
    Flowforge,
    /// `shell`: read-only inspection.
    Analysis,
    /// `execute_command` in read and write mode.
    ExecuteCommand,
    /// `exec` with its guards.
    Exec,
    /// `Bash` with its five modes.
    Bash,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 5] = [
        Dialect::Flowforge,
        Dialect::Analysis,
        Dialect::ExecuteCommand,
        Dialect::Exec,
        Dialect::Bash,
    ];

    /// The name on the command line, which is also that of its preset.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Flowforge => "flowforge",
            Dialect::Analysis => "analysis",
            Dialect::ExecuteCommand => "execute-command",
            Dialect::Exec => "exec",
            Dialect::Bash => "bash",
        }
    }

    /// The two halves of a call that leaves a task behind; `None` for every other call.
    pub fn apart(self, arguments: &Value) -> Option<Apart> {
        match self {
            Dialect::Bash => bash::apart(arguments),
            Dialect::Flowforge | Dialect::Analysis | Dialect::ExecuteCommand | Dialect::Exec => {
                None
            }
        }
    }

    /// The dialect of this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}
