//! A contract's own keys as a policy: which preset, and what is laid over it.

use serde_json::Value;

/// The devices that every command may use.
const DEVICES: &str = r#""/dev/null", "/dev/zero", "/dev/urandom", "/dev/stdin", "/dev/stdout",
  "/dev/stderr", "/dev/fd""#;
/// Where programs lie.
const SYSTEM: &str = r#""/usr", "/bin", "/sbin", "/lib", "/lib64""#;

/// The policy's name and the text over it; the error names a key that nobody knows.
pub(super) fn policy<'a>(dialect: &'a str, config: &Value) -> Result<(&'a str, String), String> {
    let keys = config.as_object().cloned().unwrap_or_default();
    let over = match dialect {
        "flowforge" => flowforge(&keys)?,
        "exec" => exec(&keys)?,
        "bash" => bash(&keys)?,
        "native" | "analysis" | "execute-command" => match keys.keys().next() {
            Some(key) => return Err(format!("{dialect} has no key {key}")),
            None => String::new(),
        },
        other => return Err(format!("{other} is no dialect")),
    };
    Ok((dialect, over))
}

type Keys = serde_json::Map<String, Value>;

fn flowforge(keys: &Keys) -> Result<String, String> {
    let mut text = String::new();
    for (key, value) in keys {
        match key.as_str() {
            "allowedCwd" => text += &format!("[files]\ncwd = {value}\n"),
            "allowedCommands" => text += &format!("[programs]\nallow = {value}\n"),
            other => return Err(format!("flowforge has no key {other}")),
        }
    }
    Ok(text)
}

fn exec(keys: &Keys) -> Result<String, String> {
    let mut text = String::new();
    for (key, value) in keys {
        match (key.as_str(), value) {
            ("restrictToWorkspace", Value::Bool(true)) => {
                text += "mode = \"workspace\"\nopaque = \"caged\"\nunknown = \"caged\"\n";
                text += &format!("[files]\nwrite = [\".\"]\nread = [\".\", {DEVICES}]\n");
                text += "words = \"all\"\n[[patterns]]\nregex = '\\.\\./'\n";
                text += "why = \"path traversal\"\n";
            }
            ("restrictToWorkspace", Value::Bool(false)) => {}
            (other, _) => return Err(format!("exec has no key {other}")),
        }
    }
    Ok(text)
}

fn bash(keys: &Keys) -> Result<String, String> {
    let mut text = String::new();
    let none = Keys::new();
    let constraints = keys.get("constraints").and_then(Value::as_object).unwrap_or(&none);
    let list = |value: &Value| {
        let texts: Vec<String> =
            value.as_array().into_iter().flatten().map(ToString::to_string).collect();
        texts.join(", ")
    };
    for (key, value) in constraints {
        match key.as_str() {
            "allowed_commands" => text += &format!("[programs]\nallow = {value}\n"),
            "blocked_commands" => text += &format!("[programs]\ndeny = {value}\n"),
            "allowed_paths" => {
                let more = list(value);
                text += &format!("[files]\nwrite = [\".\", \"~\", \"/tmp\", {more}]\n");
                text += &format!("read = [\".\", \"~\", \"/tmp\", {SYSTEM}, {DEVICES}, {more}]\n");
            }
            "unrestricted" => {
                text += "mode = \"open\"\n[files]\nwrite = [\"/\"]\nread = [\"/\"]\n";
                text += "show = [\"/etc/shadow\"]\n";
            }
            other => return Err(format!("bash has no key {other}")),
        }
    }
    Ok(text)
}
