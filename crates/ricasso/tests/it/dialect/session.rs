//! A small MCP client of our own, for the wire as it is; the official ones have tests of theirs.

use crate::place::{PATIENCE, Place};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// Which protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// `initialize` first.
    Legacy,
    /// Each request carries its own version.
    Modern,
}

/// A server and the way to talk to it.
pub(super) struct Session {
    pub(super) child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    era: Era,
    next: u64,
    /// Notifications that came meanwhile.
    pub(super) notes: Vec<Value>,
}

impl Session {
    pub(super) fn start(place: &Place, args: &[&str], era: Era) -> Session {
        let mut all = vec!["mcp"];
        all.extend(args);
        Session::of(place.command(&all), era)
    }

    pub(super) fn of(mut command: Command, era: Era) -> Session {
        command.stderr(Stdio::null());
        Session::told(command, era)
    }

    /// The same, with its standard error where the command has it.
    pub(super) fn told(mut command: Command, era: Era) -> Session {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or_else(|error| {
                    panic!("the server wrote a line that is no JSON: {error}: {line}")
                });
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        let mut session = Session { child, input, lines, era, next: 1, notes: Vec::new() };
        if era == Era::Legacy {
            let hello = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "ricasso-tests", "version": "1" },
            });
            let answer = session.request("initialize", hello);
            assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }

    /// Sends a request and waits for its answer.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Sends a request.
    pub(super) fn post(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": "ricasso-tests", "version": "1" });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a request.
    pub(super) fn answer(&mut self, id: u64) -> Value {
        self.answer_to(&id.into())
    }

    /// The same by any id; none at all is `null`.
    pub(super) fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let value = self.lines.recv_timeout(PATIENCE).expect("the server answers");
            if value["method"].is_null() && value["id"] == *id {
                return value;
            }
            self.notes.push(value);
        }
    }

    /// One tool call and its result.
    pub(super) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": name, "arguments": arguments }));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// The tools as listed.
    pub(super) fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        answer["result"]["tools"].as_array().cloned().unwrap_or_else(|| panic!("{answer}"))
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// A line as it is.
    pub(super) fn send_text(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the session is open");
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// The client has nothing more to say.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// The client goes; returns when the server is gone too.
    pub(super) fn end(&mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}
