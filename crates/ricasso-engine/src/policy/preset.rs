//! The built-in presets: data in `policies/`, compiled in, so that no file can be missing.

use super::layers::{Layer, Origin};
use super::value::Mode;

/// The language of policy files as JSON Schema.
pub const SCHEMA: &str = include_str!("../../policies/schema.json");
/// A commented policy file to start from.
pub const TEMPLATE: &str = include_str!("../../policies/template.toml");

/// A built-in policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// Nothing is written, no network.
    Read,
    /// The workspace is written; the default.
    Workspace,
    /// No cage.
    Open,
    /// The dialect of contract 1: no cage, seven patterns, and the guard's rules behind them.
    Flowforge,
    /// The dialect of contract 2: inspection with listed programs and no operators.
    Analysis,
    /// The dialect of contract 3 in its read mode.
    ExecuteCommand,
    /// The dialect of contract 4: no cage, its own list of dangerous commands.
    Exec,
    /// The dialect of contract 5: workspace, home and /tmp.
    Bash,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 8] = [
        Preset::Read,
        Preset::Workspace,
        Preset::Open,
        Preset::Flowforge,
        Preset::Analysis,
        Preset::ExecuteCommand,
        Preset::Exec,
        Preset::Bash,
    ];

    /// The preset of this name.
    pub fn named(name: &str) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The preset that a mode stands on.
    pub fn of(mode: Mode) -> Preset {
        match mode {
            Mode::Read => Preset::Read,
            Mode::Workspace => Preset::Workspace,
            Mode::Open => Preset::Open,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Read => "read",
            Preset::Workspace => "workspace",
            Preset::Open => "open",
            Preset::Flowforge => "flowforge",
            Preset::Analysis => "analysis",
            Preset::ExecuteCommand => "execute-command",
            Preset::Exec => "exec",
            Preset::Bash => "bash",
        }
    }

    /// Whether it is what a dialect's contract means.
    pub fn is_dialect(self) -> bool {
        match self {
            Preset::Read | Preset::Workspace | Preset::Open => false,
            Preset::Flowforge
            | Preset::Analysis
            | Preset::ExecuteCommand
            | Preset::Exec
            | Preset::Bash => true,
        }
    }

    /// Its mode.
    pub fn mode(self) -> Mode {
        match self {
            Preset::Read | Preset::Analysis | Preset::ExecuteCommand => Mode::Read,
            Preset::Workspace | Preset::Bash => Mode::Workspace,
            Preset::Open | Preset::Flowforge | Preset::Exec => Mode::Open,
        }
    }

    /// Its text as a layer, for doors that put files over it.
    pub fn layer(self) -> Layer {
        let name = format!("preset {}", self.name());
        let text = match self {
            Preset::Read => include_str!("../../policies/read.toml"),
            Preset::Workspace => include_str!("../../policies/workspace.toml"),
            Preset::Open => include_str!("../../policies/open.toml"),
            Preset::Flowforge => include_str!("../../policies/flowforge.toml"),
            Preset::Analysis => include_str!("../../policies/analysis.toml"),
            Preset::ExecuteCommand => include_str!("../../policies/execute-command.toml"),
            Preset::Exec => include_str!("../../policies/exec.toml"),
            Preset::Bash => include_str!("../../policies/bash.toml"),
        };
        Layer { origin: Origin::Preset, name, text: text.to_string() }
    }
}

/// What all presets have in common; it lies under each of them.
pub(super) fn shared() -> Layer {
    let text = include_str!("../../policies/shared.toml").to_string();
    Layer { origin: Origin::Preset, name: "presets".to_string(), text }
}
