//! One labelled command, as a line of a corpus has it.

use serde::Deserialize;
use std::collections::BTreeMap;

/// What should be said about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Label {
    Allow,
    Ask,
    Deny,
}

impl Label {
    pub(super) fn name(self) -> &'static str {
        match self {
            Label::Allow => "allow",
            Label::Ask => "ask",
            Label::Deny => "deny",
        }
    }
}

/// One case. Fields that are not named here decide nothing.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) command: String,
    pub(super) label: Label,
    pub(super) class: String,
    #[serde(rename = "context")]
    pub(super) given: Given,
    /// The effect hides in code that the text does not show.
    #[serde(default)]
    pub(super) opaque: bool,
    /// Shells in which the effect was seen.
    #[serde(default)]
    pub(super) works_in: Vec<String>,
}

/// What the case says about policy, request and world.
#[derive(Debug, Deserialize)]
pub(super) struct Given {
    pub(super) policy: String,
    pub(super) allow: Option<Vec<String>>,
    pub(super) block: Option<Vec<String>>,
    pub(super) cwd_param: Option<String>,
    #[serde(default)]
    pub(super) env_param: BTreeMap<String, String>,
    pub(super) args_param: Option<Vec<String>>,
    pub(super) shell_param: Option<String>,
    pub(super) mode: Option<Surface>,
    #[serde(rename = "allowedCwd")]
    pub(super) allowed_cwd: Option<Vec<String>>,
    #[serde(rename = "allowedCommands")]
    pub(super) allowed_commands: Option<Vec<String>>,
    pub(super) repo_config: Option<String>,
    pub(super) gitattributes: Option<String>,
    /// The newest commit is signed; a judge that takes every commit for signed needs no answer.
    #[serde(default, rename = "signed")]
    _signed: bool,
    pub(super) remote: Option<String>,
    pub(super) touched: Option<String>,
    /// The text must reach the shell unchanged; tests of running hold that for every text.
    #[serde(default, rename = "executor_test")]
    _executor_test: bool,
    /// Keys that nobody here obeys; they are told.
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, serde_json::Value>,
}

/// How the command is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Surface {
    /// A program with arguments; no shell.
    Execute,
    /// The text of a script for a shell.
    Script,
}
