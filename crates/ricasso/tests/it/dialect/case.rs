//! One case of a table: a call, and what its result must be.

use crate::escape::stage::Machine;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A file of cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) dialect: String,
    pub(super) case: Vec<Case>,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The criteria that it shows.
    pub(super) ids: Vec<String>,
    pub(super) name: String,
    /// Programs besides those of a Debian base; such a case runs with the tests of installed ones.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    /// The tool, where it is not the first.
    pub(super) tool: Option<String>,
    /// Arguments of the call.
    #[serde(default)]
    pub(super) call: BTreeMap<String, Value>,
    /// The contract's keys.
    pub(super) config: Option<Value>,
    /// More flags of the program.
    #[serde(default)]
    pub(super) flags: Vec<String>,
    /// Files that lie in the workspace before.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// Variables in ricasso's own environment.
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) expect: Expect,
    /// What is expected instead where there are no namespaces, since /tmp is the machine's there.
    pub(super) without_namespaces: Option<Expect>,
}

impl Case {
    /// What is expected on this machine.
    pub(super) fn expected(&self) -> &Expect {
        let other = self.without_namespaces.as_ref();
        other.filter(|_| !Machine::Plain.has_namespaces()).unwrap_or(&self.expect)
    }
}

/// What must hold of the result.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Expect {
    /// The first text, exactly.
    pub(super) text: Option<String>,
    pub(super) text_trim: Option<String>,
    pub(super) contains: Vec<String>,
    pub(super) lacks: Vec<String>,
    pub(super) ends: Option<String>,
    /// Fields of `structuredContent`, by JSON pointer or plain name.
    pub(super) fields: BTreeMap<String, Value>,
    pub(super) error: Option<bool>,
    /// The exit code of `call`.
    pub(super) exit: Option<i32>,
    /// Files that must be there afterwards.
    pub(super) there: Vec<String>,
    /// Files that must not be there afterwards.
    pub(super) absent: Vec<String>,
    /// The number of text blocks.
    pub(super) texts: Option<usize>,
}

/// What a door answered.
#[derive(Debug)]
pub(super) struct Result {
    pub(super) value: Value,
    /// The exit code, by `call` alone.
    pub(super) exit: Option<i32>,
}

impl Result {
    fn text(&self, at: usize) -> &str {
        self.value["content"][at]["text"].as_str().unwrap_or("")
    }

    fn all(&self) -> String {
        let blocks = self.value["content"].as_array().cloned().unwrap_or_default();
        blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
    }
}

impl Expect {
    /// Why the result is not what it must be.
    pub(super) fn wrong(&self, result: &Result, work: &std::path::Path) -> Vec<String> {
        let mut wrong = Vec::new();
        let first = result.text(0);
        let mut is = |good: bool, what: String| {
            if !good {
                wrong.push(what);
            }
        };
        if let Some(text) = &self.text {
            is(first == text, format!("text {first:?}, wanted {text:?}"));
        }
        if let Some(text) = &self.text_trim {
            is(first.trim() == text, format!("text {first:?}, wanted {text:?}"));
        }
        if let Some(end) = &self.ends {
            is(first.ends_with(end), format!("the text does not end in {end:?}: {first:?}"));
        }
        let all = result.all() + &result.value["structuredContent"].to_string();
        for part in &self.contains {
            is(all.contains(part), format!("{part:?} is missing in {all}"));
        }
        for part in &self.lacks {
            is(!all.contains(part), format!("{part:?} stands in {all}"));
        }
        for (name, value) in &self.fields {
            let pointer = if name.starts_with('/') { name.clone() } else { format!("/{name}") };
            let got = result.value["structuredContent"].pointer(&pointer).unwrap_or(&Value::Null);
            let value = here(value, work);
            is(same(got, &value), format!("{name} is {got}, wanted {value}"));
        }
        if let Some(error) = self.error {
            is(result.value["isError"] == error, format!("isError in {}", result.value));
        }
        if let (Some(wanted), Some(got)) = (self.exit, result.exit) {
            is(got == wanted, format!("exit code {got}, wanted {wanted}"));
        }
        if let Some(count) = self.texts {
            let got = result.value["content"].as_array().map_or(0, Vec::len);
            is(got == count, format!("{got} texts, wanted {count}"));
        }
        for name in &self.there {
            is(work.join(name).exists(), format!("{name} is not there"));
        }
        for name in &self.absent {
            is(!work.join(name).exists(), format!("{name} is there"));
        }
        wrong
    }
}

/// The value with `WORKSPACE` replaced.
fn here(value: &Value, work: &std::path::Path) -> Value {
    let text = value.to_string().replace("WORKSPACE", work.to_str().unwrap());
    serde_json::from_str(&text).unwrap()
}

/// Numbers are the same when their values are.
fn same(got: &Value, wanted: &Value) -> bool {
    match (got.as_f64(), wanted.as_f64()) {
        (Some(got), Some(wanted)) => got == wanted,
        _ => got == wanted || (wanted == "null" && got.is_null()),
    }
}
