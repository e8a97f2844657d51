//! The two ways in: one call from the shell, and one over MCP.

use super::case::{Case, Result};
use super::session::{Era, Session};
use crate::place::Place;
use serde_json::Value;
use std::process::Command;

/// A way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Call,
    Mcp(Era),
}

impl Door {
    pub(super) const ALL: [Door; 3] = [Door::Call, Door::Mcp(Era::Legacy), Door::Mcp(Era::Modern)];
}

/// Carries a case through a door, in a place of its own.
pub(super) fn through(door: Door, dialect: &str, case: &Case, place: &Place) -> Result {
    for (name, text) in &case.files {
        let path = place.work().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let work = place.work();
    let here = |value: &Value| -> Value {
        let text = value.to_string().replace("WORKSPACE", work.to_str().unwrap());
        serde_json::from_str(&text).unwrap()
    };
    let mut args = vec!["--dialect".to_string(), dialect.to_string()];
    if let Some(config) = &case.config {
        let path = place.root.join("dialect.json");
        std::fs::write(&path, here(config).to_string()).unwrap();
        args.extend(["--dialect-config".to_string(), path.to_str().unwrap().to_string()]);
    }
    args.extend(case.flags.iter().cloned());
    let arguments = here(&serde_json::to_value(&case.call).unwrap());
    let command = |verb: &str| -> Command {
        let mut words = vec![verb];
        words.extend(args.iter().map(String::as_str));
        let mut command = place.command(&words);
        command.envs(&case.env);
        command
    };
    match door {
        Door::Call => {
            let mut command = command("call");
            if let Some(tool) = &case.tool {
                command.args(["--tool", tool]);
            }
            let output = command.arg(arguments.to_string()).output().unwrap();
            let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
                let said = String::from_utf8_lossy(&output.stderr);
                panic!("{}: {error}: {said}", case.name)
            });
            Result { value, exit: output.status.code() }
        }
        Door::Mcp(era) => {
            let mut session = Session::of(command("mcp"), era);
            let name = match &case.tool {
                Some(name) => name.clone(),
                None => session.tools()[0]["name"].as_str().unwrap().to_string(),
            };
            let value = session.tool(&name, &arguments);
            assert_eq!(session.end(), 0, "{}", case.name);
            Result { value, exit: None }
        }
    }
}
