//! The protobuf form of `ExportLogsServiceRequest` (opentelemetry-proto, logs v1), written by
//! hand: a few nested messages of strings and numbers need no generated code.

use ricasso_engine::record::{Line, Phase, moment};
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// Severity numbers of the logs data model.
const INFO: u64 = 9;
const WARN: u64 = 13;
const ERROR: u64 = 17;

/// Log records for one request.
#[derive(Default)]
pub(super) struct Batch {
    records: Vec<Vec<u8>>,
    bytes: usize,
    last: Option<u64>,
}

impl Batch {
    pub(super) fn push(&mut self, line: &Line) {
        let record = record(line, SystemTime::now());
        self.bytes += record.len();
        self.records.push(record);
        self.last = Some(line.seq);
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn last(&self) -> Option<u64> {
        self.last
    }

    /// The whole request.
    pub(super) fn request(&self) -> Vec<u8> {
        let mut resource = Message::default();
        resource.message(1, attribute("service.name", "ricasso".into()));
        resource.message(1, attribute("service.version", env!("CARGO_PKG_VERSION").into()));
        resource.message(1, attribute("os.type", std::env::consts::OS.into()));
        let mut scope = Message::default();
        scope.string(1, "ricasso.ledger");
        scope.string(2, env!("CARGO_PKG_VERSION"));
        let mut scope_logs = Message::default();
        scope_logs.message(1, scope);
        self.records.iter().for_each(|record| scope_logs.bytes(2, record));
        let mut resource_logs = Message::default();
        resource_logs.message(1, resource);
        resource_logs.message(2, scope_logs);
        let mut request = Message::default();
        request.message(1, resource_logs);
        request.0
    }
}

/// One entry. The body is the line as it stands in the ledger, so that its hash can be checked
/// wherever it goes; what people search for is in attributes.
fn record(line: &Line, observed: SystemTime) -> Vec<u8> {
    let (number, word) = severity(line);
    let mut record = Message::default();
    record.fixed64(1, nanos(moment(&line.entry.at).unwrap_or(UNIX_EPOCH)));
    record.varint_field(2, number);
    record.string(3, word);
    let mut body = Message::default();
    body.string(1, &line.text);
    record.message(5, body);
    attributes(line).into_iter().for_each(|(key, value)| {
        if !value.is_null() {
            record.message(6, attribute(key, value));
        }
    });
    record.fixed64(11, nanos(observed));
    record.string(12, "shell_audit");
    record.0
}

fn attributes(line: &Line) -> Vec<(&'static str, Value)> {
    let entry = &line.entry;
    let extra = |key: &str| entry.extra.get(key).cloned().unwrap_or_default();
    let text = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
    let phase = serde_json::to_value(entry.phase).unwrap_or_default();
    vec![
        ("event.name", "shell_audit".into()),
        ("ricasso.seq", line.seq.into()),
        ("ricasso.hash", line.hash.as_str().into()),
        ("ricasso.phase", phase),
        ("ricasso.id", text(&entry.id)),
        ("ricasso.door", text(&entry.door)),
        ("session.id", entry.session.clone().unwrap_or_default()),
        ("ricasso.client", entry.client.clone().unwrap_or_default()),
        ("ricasso.verdict", text(&entry.verdict)),
        (
            "ricasso.rules",
            if entry.rules.is_empty() { Value::Null } else { entry.rules.clone().into() },
        ),
        ("process.command_line", entry.command.clone().unwrap_or_default()),
        ("process.working_directory", extra("cwd")),
        ("process.exit.code", extra("exit_code")),
        ("ricasso.ending", entry.ending["kind"].clone()),
        ("ricasso.error", extra("error")),
        ("ricasso.duration_ms", extra("duration_ms")),
        ("ricasso.enforced", entry.enforced.clone()),
        ("ricasso.usage", entry.usage.clone()),
        ("ricasso.totals", entry.totals.clone()),
        ("ricasso.denials", extra("denial_count")),
        ("ricasso.redactions", entry.redactions.map_or(Value::Null, Value::from)),
    ]
}

/// What a person on call wants to see: refusals and failures, and what is wrong with us.
fn severity(line: &Line) -> (u64, &'static str) {
    let entry = &line.entry;
    let kind = entry.ending["kind"].as_str().unwrap_or_default();
    let failed = entry.extra.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0);
    match (entry.phase, kind, entry.verdict.as_str()) {
        (Phase::Repair, _, _) | (_, "lost", _) => (ERROR, "ERROR"),
        (_, _, "deny" | "ask") => (WARN, "WARN"),
        _ if failed => (WARN, "WARN"),
        _ => (INFO, "INFO"),
    }
}

fn nanos(at: SystemTime) -> u64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn attribute(key: &str, value: Value) -> Message {
    let mut pair = Message::default();
    pair.string(1, key);
    pair.message(2, any(&value));
    pair
}

/// An `AnyValue`. What JSON nests is bounded by the ledger's own reader.
fn any(value: &Value) -> Message {
    let mut message = Message::default();
    match value {
        Value::Null => {}
        Value::Bool(value) => message.varint_field(2, u64::from(*value)),
        Value::Number(number) => match number.as_i64() {
            // Two's complement, as int64 is written.
            Some(number) => message.varint_field(3, number as u64),
            None => message.fixed64(4, number.as_f64().unwrap_or_default().to_bits()),
        },
        Value::String(text) => message.string(1, text),
        Value::Array(values) => {
            let mut list = Message::default();
            values.iter().for_each(|value| list.message(1, any(value)));
            message.message(5, list);
        }
        Value::Object(pairs) => {
            let mut list = Message::default();
            pairs.iter().for_each(|(key, value)| list.message(1, attribute(key, value.clone())));
            message.message(6, list);
        }
    }
    message
}

/// A protobuf message being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u64, wire: u64) {
        self.varint(field << 3 | wire);
    }

    fn varint_field(&mut self, field: u64, value: u64) {
        self.key(field, 0);
        self.varint(value);
    }

    fn fixed64(&mut self, field: u64, value: u64) {
        self.key(field, 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn string(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    fn message(&mut self, field: u64, message: Message) {
        self.bytes(field, &message.0);
    }
}

/// How many records an `ExportLogsServiceResponse` says were left out, and why.
pub(super) fn rejected(response: &[u8]) -> Option<(u64, String)> {
    let partial = fields(response).into_iter().find_map(|field| match field {
        (1, Field::Bytes(bytes)) => Some(bytes),
        _ => None,
    })?;
    let (mut count, mut said) = (0, String::new());
    for field in fields(partial) {
        match field {
            (1, Field::Number(number)) => count = number,
            (2, Field::Bytes(text)) => said = String::from_utf8_lossy(text).into_owned(),
            _ => {}
        }
    }
    Some((count, said))
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, as far as it can be read.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while let Some((key, rest)) = number(bytes) {
        let (field, rest) = match key & 7 {
            0 => match number(rest) {
                Some((value, rest)) => (Field::Number(value), rest),
                None => break,
            },
            2 => match number(rest).map(|(length, rest)| (length as usize, rest)) {
                Some((length, rest)) if length <= rest.len() => {
                    (Field::Bytes(&rest[..length]), &rest[length..])
                }
                Some(_) | None => break,
            },
            _ => break,
        };
        found.push((key >> 3, field));
        bytes = rest;
    }
    found
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_collector_left_out_is_read_and_rubbish_is_not() {
        let mut partial = Message::default();
        partial.varint_field(1, 300);
        partial.string(2, "too old");
        let mut response = Message::default();
        response.message(1, partial);
        assert_eq!(rejected(&response.0), Some((300, "too old".into())));
        assert_eq!(rejected(b""), None);
        for rubbish in [&b"\xff\xff\xff"[..], b"\x0a\xff\x01", b"<html>", b"\x0a\x80"] {
            assert!(rejected(rubbish).is_none_or(|(count, _)| count == 0), "{rubbish:?}");
        }
    }
}
