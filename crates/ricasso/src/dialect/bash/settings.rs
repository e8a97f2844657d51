//! The configuration block `tools.modules.shell`, as the contract prints it.

use crate::keys::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// What the contract's own program blocks on every platform.
const BLOCKED: [&str; 9] =
    ["shutdown", "reboot", "poweroff", "halt", "mkfs*", "fdisk", "parted", "telinit", "wipefs"];

/// The module's block: with its path from the application's root, or alone.
#[derive(Debug, Default)]
pub(in super::super) struct Bash {
    pub(super) config: Config,
    pub(super) constraints: Constraints,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Config {
    pub(super) shell: Option<String>,
    #[serde(deserialize_with = "seconds")]
    pub(super) timeout_default: f64,
    pub(super) max_output_lines: u64,
    pub(super) extra_sensitive_patterns: Vec<Regex>,
    pub(super) allowed_roots: Vec<String>,
    pub(super) blocked_commands: Vec<String>,
    /// The contract's sample has lost its indentation: they may stand here too.
    constraints: Option<Constraints>,
}

/// A time in the contract's range.
fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let told = "timeout_default must lie between 1 and 1800 seconds";
    let seconds = f64::deserialize(from)?;
    (1.0..=1800.0).contains(&seconds).then_some(seconds).ok_or_else(|| D::Error::custom(told))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Constraints {
    pub(super) allowed_commands: Option<Vec<String>>,
    pub(super) blocked_commands: Vec<String>,
    pub(super) allowed_paths: Vec<String>,
    pub(super) unrestricted: bool,
    pub(super) readonly: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            shell: None,
            timeout_default: 300.0,
            max_output_lines: 10_000,
            extra_sensitive_patterns: Vec::new(),
            allowed_roots: Vec::new(),
            blocked_commands: Vec::new(),
            constraints: None,
        }
    }
}

impl Bash {
    /// The workspace, the home directory, the temporary directory, and what is listed.
    pub(super) fn roots(&self) -> Vec<String> {
        let tmp = std::env::temp_dir().display().to_string();
        let mut roots = vec![".".to_string(), "~".to_string(), tmp];
        for root in self.config.allowed_roots.iter().chain(&self.constraints.allowed_paths) {
            let root = match workdir(root) {
                Some("") => ".".to_string(),
                Some(rest) => rest.trim_start_matches('/').to_string(),
                None => root.clone(),
            };
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots
    }

    /// The platform's own list and what is listed on top: names of programs, and patterns of
    /// commands where more than a name is listed.
    pub(super) fn blocked(&self) -> (Vec<String>, Vec<String>) {
        let listed = self.config.blocked_commands.iter().chain(&self.constraints.blocked_commands);
        let own = BLOCKED.iter().map(|name| (*name).to_string());
        let all = own.chain(listed.map(|text| text.trim().to_string()));
        let (patterns, names): (Vec<_>, Vec<_>) = all.partition(|text| text.contains(' '));
        let base = |name: String| name.rsplit('/').next().unwrap_or_default().to_string();
        (
            names.into_iter().map(base).collect(),
            patterns.iter().map(|text| format!("{text} *")).collect(),
        )
    }
}

/// What follows `{{workdir}}`, however it is spaced.
fn workdir(root: &str) -> Option<&str> {
    let (name, rest) = root.strip_prefix("{{")?.split_once("}}")?;
    (name.trim() == "workdir").then_some(rest)
}

impl<'de> Deserialize<'de> for Bash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bash, D::Error> {
        let block = from.deserialize_map(Block::default())?;
        let shell = match (block.tools, block.other) {
            (None, Some(other)) => {
                return Err(D::Error::unknown_field(&other, &["tools", "config", "constraints"]));
            }
            (None, None) => block.shell,
            (Some(_), _) if block.shell.config.is_some() || block.shell.constraints.is_some() => {
                return Err(D::Error::custom(
                    "give tools.modules.shell, or config and constraints",
                ));
            }
            (Some(tools), _) => tools.modules.shell,
        };
        let mut config = shell.config.unwrap_or_default();
        let constraints = match (shell.constraints, config.constraints.take()) {
            (Some(_), Some(_)) => return Err(D::Error::duplicate_field("constraints")),
            (beside, below) => beside.or(below).unwrap_or_default(),
        };
        Ok(Bash { config, constraints })
    }
}

/// The file of an application, of which other parts are not ours, or the module's block alone.
#[derive(Default)]
struct Block {
    tools: Option<Tools>,
    shell: Shell,
    other: Option<String>,
}

impl<'de> Visitor<'de> for Block {
    type Value = Block;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tools.modules.shell, or config and constraints")
    }

    fn visit_map<M: MapAccess<'de>>(mut self, mut map: M) -> Result<Block, M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "tools" => self.tools = map.next_value()?,
                "config" => self.shell.config = map.next_value()?,
                "constraints" => self.shell.constraints = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    self.other = Some(key);
                }
            }
        }
        Ok(self)
    }
}

/// Other tools and modules stand beside ours.
#[derive(Deserialize)]
struct Tools {
    modules: Modules,
}

#[derive(Deserialize)]
struct Modules {
    shell: Shell,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shell {
    config: Option<Config>,
    constraints: Option<Constraints>,
}
