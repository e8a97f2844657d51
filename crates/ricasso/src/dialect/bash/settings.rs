//! The configuration block `tools.modules.shell`, as the contract prints it.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

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
    pub(super) timeout_default: f64,
    pub(super) max_output_lines: u64,
    pub(super) extra_sensitive_patterns: Vec<String>,
    pub(super) allowed_roots: Vec<String>,
    pub(super) blocked_commands: Vec<String>,
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
        }
    }
}

impl Bash {
    /// The workspace, the home directory, the temporary directory, and what is listed.
    pub(super) fn roots(&self) -> Vec<String> {
        let tmp = std::env::temp_dir().display().to_string();
        let mut roots = vec![".".to_string(), "~".to_string(), tmp];
        for root in self.config.allowed_roots.iter().chain(&self.constraints.allowed_paths) {
            let root = match root.strip_prefix("{{workdir}}") {
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

    /// The platform's own list and what is listed on top.
    pub(super) fn blocked(&self) -> Vec<String> {
        let own = BLOCKED.iter().map(|name| (*name).to_string());
        let listed = self.config.blocked_commands.iter().chain(&self.constraints.blocked_commands);
        own.chain(listed.cloned()).collect()
    }
}

impl<'de> Deserialize<'de> for Bash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bash, D::Error> {
        let block = Block::deserialize(from)?;
        let (config, constraints) = match block.tools {
            None => (block.config, block.constraints),
            Some(_) if block.config.is_some() || block.constraints.is_some() => {
                return Err(D::Error::custom(
                    "give tools.modules.shell, or config and constraints",
                ));
            }
            Some(tools) => (tools.modules.shell.config, tools.modules.shell.constraints),
        };
        let bash = Bash {
            config: config.unwrap_or_default(),
            constraints: constraints.unwrap_or_default(),
        };
        if !(1.0..=1800.0).contains(&bash.config.timeout_default) {
            return Err(D::Error::custom("timeout_default must lie between 1 and 1800 seconds"));
        }
        Ok(bash)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    tools: Option<Tools>,
    config: Option<Config>,
    constraints: Option<Constraints>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    modules: Modules,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Modules {
    shell: Shell,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shell {
    config: Option<Config>,
    constraints: Option<Constraints>,
}
