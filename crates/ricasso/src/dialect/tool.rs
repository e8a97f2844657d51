//! What a tool is called and takes, and what a call of it gives back.

use ricasso_engine::capture::{Label, sentence};
use serde_json::{Map, Value, json};

/// One tool, as clients list it.
#[derive(Debug, Clone)]
pub struct Tool {
    /// The contract's name.
    pub name: &'static str,
    /// What the model is told.
    pub description: String,
    /// JSON Schema of the parameters that are shown.
    pub schema: Value,
    /// Whether nothing on the machine can be changed through it.
    pub read_only: bool,
    /// What else the contract says of the tool itself: its version, its tags.
    pub about: Map<String, Value>,
}

/// The result of one call, in the shape of MCP's `tools/call`.
#[derive(Debug, Clone)]
#[must_use]
pub struct Called {
    /// The contract's text and nothing else.
    pub text: String,
    /// Further text blocks.
    pub more: Vec<String>,
    /// Fields of the contract, and what ricasso adds.
    pub fields: Map<String, Value>,
    /// Whether the contract calls it a failure.
    pub is_error: bool,
    /// How it came to its end.
    pub end: End,
}

/// How a call came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was carried out, whatever its result.
    Done,
    /// The policy refused it, or would have to ask.
    Refused,
    /// We could not do our own work.
    Failed,
}

/// A call that starts a task which goes on when the call is over, taken apart: whoever owns the
/// task starts it, and anybody follows it.
#[derive(Debug, Clone)]
pub struct Apart {
    /// Arguments of the call that starts it.
    pub start: Value,
    /// Arguments of the call that follows it, but for the `task_id` that the first one gives.
    pub follow: Option<Value>,
}

/// Something that is told while a call runs.
#[derive(Debug, Clone)]
pub struct Note {
    /// The fields of the notification.
    pub fields: Map<String, Value>,
}

/// Takes what is told while a call runs.
pub trait Tell {
    /// One thing.
    fn tell(&self, note: Note);
}

impl Tool {
    /// A tool that takes these parameters and no others.
    pub(super) fn new(name: &'static str, what: &str, properties: Value, must: &[&str]) -> Tool {
        let mut schema = json!({ "type": "object", "properties": properties });
        if !must.is_empty() {
            schema["required"] = must.into();
        }
        schema["additionalProperties"] = false.into();
        Tool { name, description: what.into(), schema, read_only: false, about: Map::new() }
    }
}

impl Called {
    /// What was carried out, or refused as its fields say.
    pub(super) fn of(text: String, fields: Map<String, Value>, is_error: bool) -> Called {
        let refused = fields.get("termination").is_some_and(|word| word == "refused");
        let end = if refused { End::Refused } else { End::Done };
        Called { text, more: Vec::new(), fields, is_error: is_error || refused, end }
    }

    /// A call that was not understood; nothing ran.
    pub fn fault(text: impl Into<String>) -> Called {
        Called {
            // It may repeat what the caller wrote.
            text: sentence(&text.into(), Label::Plain).into_inner(),
            more: Vec::new(),
            fields: Map::new(),
            is_error: true,
            end: End::Done,
        }
    }

    /// A call that an adapter itself refuses; nothing ran.
    pub fn refused(text: impl Into<String>) -> Called {
        let fields = json!({ "termination": "refused", "ending": { "kind": "refused" } });
        let fields = fields.as_object().cloned().unwrap_or_default();
        Called { fields, end: End::Refused, ..Called::fault(text) }
    }

    /// Our own failure.
    pub fn failed(error: &dyn std::error::Error) -> Called {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Called { end: End::Failed, ..Called::fault(text) }
    }

    /// The result object of `tools/call`.
    pub fn result(&self) -> Value {
        let texts = std::iter::once(&self.text).chain(&self.more);
        let content: Vec<Value> =
            texts.map(|text| json!({ "type": "text", "text": text })).collect();
        let mut result = Map::new();
        result.insert("content".into(), content.into());
        if !self.fields.is_empty() {
            result.insert("structuredContent".into(), self.fields.clone().into());
        }
        result.insert("isError".into(), self.is_error.into());
        result.into()
    }
}
