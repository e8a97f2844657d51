//! How a job is held, beside what it runs: for how long, at which terminal, under which label.

use serde::{Deserialize, Serialize};

/// How a job is held. The default is a plain call: its caller waits, and there is no terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manner {
    /// Whose deadline applies.
    pub tenure: Tenure,
    /// The terminal, where the command gets one.
    pub terminal: Option<WindowSize>,
    /// The state of the session's shell, where it is kept.
    pub state: Option<ShellState>,
    /// What the caller calls it, for people who look at lists and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// For how long a job is meant to last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tenure {
    /// A call: the policy's `timeout` and `max_timeout`.
    #[default]
    Call,
    /// In the background from its start: the policy's `max_background`.
    Background,
}

/// What a run found of its session's shell, and that it leaves its own for the next. Variables
/// are the request's own; the rest is text in front of the command, and judged as such.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellState {
    /// How much of the step's text comes from earlier runs.
    pub prefix_bytes: usize,
    /// What the reader of the reply should know about it.
    pub told: Vec<String>,
}

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSize {
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

impl WindowSize {
    /// What a terminal has when nobody says.
    pub const USUAL: WindowSize = WindowSize { columns: 80, rows: 24 };
    /// A screen beyond this is no screen of a person, and costs memory.
    pub const MOST: WindowSize = WindowSize { columns: 500, rows: 300 };
}
