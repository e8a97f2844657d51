//! What one line says. The ledger adds number, chain and hash.
//!
//! The command's type is a parameter, so that the engine can hand in nothing but redacted text;
//! this file never sees how it was made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One entry, before it has a place in the chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry<T> {
    /// What happened.
    pub phase: Phase,
    /// The job.
    pub id: String,
    /// When, in RFC 3339.
    pub at: String,
    /// The door that asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub door: String,
    /// The session that asked.
    #[serde(default = "nothing", skip_serializing_if = "Option::is_none")]
    pub session: Option<T>,
    /// What the client calls itself.
    #[serde(default = "nothing", skip_serializing_if = "Option::is_none")]
    pub client: Option<T>,
    /// The owner of the job, so that others can tell whether it still lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The command, redacted.
    #[serde(default = "nothing", skip_serializing_if = "Option::is_none")]
    pub command: Option<T>,
    /// SHA-256 of the request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_digest: String,
    /// SHA-256 of the scene.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scene_digest: String,
    /// `allow`, `ask` or `deny`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verdict: String,
    /// The rules that spoke.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// What the kernel holds for this run.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub enforced: Value,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub ending: Value,
    /// Bytes and digests of the output.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub totals: Value,
    /// Time and memory.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub usage: Value,
    /// How many secrets were hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redactions: Option<u64>,
    /// What later versions add.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Phase {
    /// A job is about to start, or was refused.
    Open,
    /// A job ended.
    Close,
    /// The ledger mended itself.
    Repair,
    /// Something that is no job: a grant, a retention.
    Note,
}

/// The place of an entry in the chain; the caller's own anchor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The entry's number, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// Keys that the ledger or the entry itself writes.
pub(super) const RESERVED: [&str; 22] = [
    "v",
    "seq",
    "prev",
    "event",
    "hash",
    "phase",
    "id",
    "at",
    "door",
    "session",
    "client",
    "owner",
    "command",
    "request_digest",
    "scene_digest",
    "verdict",
    "rules",
    "enforced",
    "ending",
    "totals",
    "usage",
    "redactions",
];

fn nothing<T>() -> Option<T> {
    None
}

impl<T> Entry<T> {
    /// An entry that says nothing more yet.
    pub fn new(phase: Phase, id: impl Into<String>, at: impl Into<String>) -> Self {
        Self {
            phase,
            id: id.into(),
            at: at.into(),
            door: String::new(),
            session: None,
            client: None,
            owner: None,
            command: None,
            request_digest: String::new(),
            scene_digest: String::new(),
            verdict: String::new(),
            rules: Vec::new(),
            enforced: Value::Null,
            ending: Value::Null,
            totals: Value::Null,
            usage: Value::Null,
            redactions: None,
            extra: Map::new(),
        }
    }
}
