//! Lines in, lines out: every request that can be told from noise is answered, also one that is
//! too large, no JSON, or shaped as no request is.

use super::id::IdFinder;
use rmcp::ErrorData;
use rmcp::model::ErrorCode;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdin, Stdout, stdin, stdout};
use tokio::sync::{Mutex, Notify};

/// The longest line that is read; no call of a shell needs more.
const MOST_LINE: usize = 16 << 20;

/// Standard input and output of the server.
pub(super) struct Wire {
    input: BufReader<Stdin>,
    output: Arc<Mutex<Stdout>>,
    line: Vec<u8>,
    /// The line so far is longer than any that is read; only its id is looked for.
    too_long: bool,
    finder: IdFinder,
    ended: Arc<Notify>,
}

impl Wire {
    /// Tells `ended` when the client has closed our input.
    pub(super) fn new(ended: Arc<Notify>) -> Wire {
        Wire {
            input: BufReader::new(stdin()),
            output: Arc::new(Mutex::new(stdout())),
            line: Vec::new(),
            too_long: false,
            finder: IdFinder::default(),
            ended,
        }
    }

    /// Reads until a line is whole; false at the end of the input. Dropped in between, it goes on
    /// where it was.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |at| at + 1);
            self.finder.feed(&bytes[..taken]);
            if self.line.len() + taken > MOST_LINE {
                self.too_long = true;
                self.line = Vec::new();
            }
            if !self.too_long {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message in the line that was read, or what is wrong with it.
    fn take_line(&mut self) -> Result<Option<RxJsonRpcMessage<RoleServer>>, (Value, ErrorData)> {
        let line = std::mem::take(&mut self.line);
        let id = std::mem::take(&mut self.finder).found().unwrap_or_default();
        if std::mem::take(&mut self.too_long) {
            let told = format!("the message is longer than {MOST_LINE} bytes; send less at once");
            return Err((id, ErrorData::invalid_request(told, None)));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let value: Value = serde_json::from_slice(&line).map_err(|error| {
            let told = format!("the line is no JSON that can be read: {error}");
            (id.clone(), ErrorData::new(ErrorCode::PARSE_ERROR, told, None))
        })?;
        if value.is_array() {
            let told = "a batch is no message of this protocol; send one message in a line";
            return Err((id, ErrorData::invalid_request(told, None)));
        }
        if value["method"] == "tools/call" && !value["id"].is_null() {
            call_fits(&value["params"]).map_err(|told| (id.clone(), told))?;
        }
        let wants_answer = !value["id"].is_null();
        match serde_json::from_value(value) {
            Ok(message) => Ok(Some(message)),
            Err(_) if !wants_answer => Ok(None),
            Err(error) => Err((id, ErrorData::invalid_request(error.to_string(), None))),
        }
    }
}

/// Parameters that only look like a call would pass for a method that nobody knows.
fn call_fits(params: &Value) -> Result<(), ErrorData> {
    let wrong = |told: &str| Err(ErrorData::invalid_params(told.to_string(), None));
    match (&params["name"], &params["arguments"]) {
        (Value::String(_), Value::Object(_) | Value::Null) => Ok(()),
        (Value::String(_), _) => wrong("arguments must be an object"),
        _ => wrong("name is required and must be a string"),
    }
}

async fn write(output: Arc<Mutex<Stdout>>, message: Vec<u8>) -> io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(&message).await?;
    output.flush().await
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut message = serde_json::to_vec(&item).map_err(io::Error::from)?;
            message.push(b'\n');
            write(output, message).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // An input that cannot be read any more has ended for us.
            if !self.read_line().await.unwrap_or(false) {
                self.ended.notify_one();
                return None;
            }
            match self.take_line() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err((id, error)) => {
                    let told = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    // On its own: this reading may be dropped in the middle of a write.
                    drop(tokio::spawn(write(Arc::clone(&self.output), format!("{told}\n").into())));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}
