//! Words of a layer of the policy, as the keys of a contract are written down in it.

use serde_json::Value;

/// These roots, and the devices that every program may read.
pub(crate) fn readable(roots: &[&str]) -> Vec<String> {
    const DEVICES: [&str; 7] = [
        "/dev/null",
        "/dev/zero",
        "/dev/urandom",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/fd",
    ];
    roots.iter().chain(&DEVICES).map(|path| (*path).to_string()).collect()
}

/// A TOML string; JSON's escapes are TOML's too.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A TOML list of strings.
pub(crate) fn quoted_list(texts: &[impl AsRef<str>]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}
