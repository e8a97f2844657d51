//! The built-in presets: data in `policies/`, compiled in, so that no file can be missing.

use super::layers::{Layer, Origin};
use super::value::Mode;

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
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 3] = [Preset::Read, Preset::Workspace, Preset::Open];

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
        self.mode().name()
    }

    /// Its mode.
    pub fn mode(self) -> Mode {
        match self {
            Preset::Read => Mode::Read,
            Preset::Workspace => Mode::Workspace,
            Preset::Open => Mode::Open,
        }
    }

    /// Its text as a layer, for doors that put files over it.
    pub fn layer(self) -> Layer {
        let name = format!("preset {}", self.name());
        let text = match self {
            Preset::Read => include_str!("../../policies/read.toml"),
            Preset::Workspace => include_str!("../../policies/workspace.toml"),
            Preset::Open => include_str!("../../policies/open.toml"),
        };
        Layer { origin: Origin::Preset, name, text: text.to_string() }
    }
}

/// What all presets have in common; it lies under each of them.
pub(super) fn shared() -> Layer {
    let text = include_str!("../../policies/shared.toml").to_string();
    Layer { origin: Origin::Preset, name: "presets".to_string(), text }
}
