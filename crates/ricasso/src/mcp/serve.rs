//! The server: one dialect, one client, until the client's end.
#![allow(deprecated, reason = "clients of the older era have nothing but logging for lines")]

use super::progress::{Meter, Progress, Teller};
use super::wire::Wire;
use crate::dialect::{Called, Note, Opened, Tell, Tool};
use ricasso_engine::capture::{Label, sentence};
use ricasso_os::Cancel;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, LoggingLevel, MetaObject, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Calls that run at the same time; more wait for their turn.
const MOST_AT_ONCE: usize = 256;
/// What is answered within this after the client closed our input is still sent: a script may send
/// its requests and close. Whatever runs longer is ended with its tree.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Why the server could not do its work.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The runtime could not be started.
    Runtime(io::Error),
    /// The client and we could not begin to talk.
    Begin(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Runtime(_) => write!(f, "cannot start the server's threads; check the limits"),
            Error::Begin(_) => write!(
                f,
                "the client did not begin an MCP session; start ricasso mcp from an MCP client"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Runtime(source) => Some(source),
            Error::Begin(source) => Some(source.as_ref()),
        }
    }
}

/// Serves a dialect on standard input and output. Returns when the client is gone or a signal has
/// come, and everything that the client had started has ended.
pub fn serve(opened: Opened, signals: &Cancel) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(MOST_AT_ONCE)
        .enable_all()
        .build()
        .map_err(Error::Runtime)?;
    let server = Server {
        opened: Arc::new(opened),
        running: Arc::default(),
        level: Arc::new(Mutex::new(LoggingLevel::Info)),
    };
    let running = Arc::clone(&server.running);
    let opened = Arc::clone(&server.opened);
    let ended = Arc::new(Notify::new());
    let served = runtime.block_on(async {
        let wire = Wire::new(Arc::clone(&ended));
        let session = async {
            let service = server.serve(wire).await.map_err(|error| Error::Begin(error.into()))?;
            // However it ended, the client is gone.
            let _ = service.waiting().await;
            Ok(())
        };
        let closed = async {
            ended.notified().await;
            tokio::time::sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            served = session => served,
            () = closed => Ok(()),
            () = signalled(signals) => Ok(()),
        }
    });
    // Not by the runtime, which would wait for the thread that reads standard input too.
    running.end_all();
    // The session is over, and with it every task that it had started.
    opened.end(&Log);
    runtime.shutdown_background();
    served
}

/// Waits for a signal to the server.
async fn signalled(signals: &Cancel) {
    let bell = signals.clone();
    // It waits on a thread of its own, which goes with the process.
    let heard = tokio::task::spawn_blocking(move || bell.wait());
    // A bell that cannot be listened to never rings.
    if !matches!(heard.await, Ok(Ok(_))) {
        std::future::pending().await
    }
}

#[derive(Debug, Clone)]
struct Server {
    opened: Arc<Opened>,
    running: Arc<Running>,
    /// From which level on a client of the older era wants messages.
    level: Arc<Mutex<LoggingLevel>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_logging().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("ricasso", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.opened.tools().into_iter().map(listed).collect();
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if !self.opened.tools().iter().any(|tool| tool.name == name) {
            let known: Vec<&str> = self.opened.tools().iter().map(|tool| tool.name).collect();
            let told = format!("there is no tool {name:?}; there are: {}", known.join(", "));
            let told = sentence(&told, Label::Plain).into_inner();
            return Err(ErrorData::invalid_params(told, None));
        }
        let cancel =
            Cancel::new().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let held = Held::new(&self.running, &cancel);
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let (opened, bell) = (Arc::clone(&self.opened), cancel.clone());
        let level = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        let meter = Arc::new(Meter::new());
        let teller = Teller::new(&context, Arc::clone(&meter), level);
        let mut work = tokio::task::spawn_blocking(move || {
            let called = opened.call(&name, arguments, &bell, &teller);
            drop(held);
            called
        });
        let mut progress = Progress::new(&context, meter);
        let mut cancelled = false;
        loop {
            tokio::select! {
                done = &mut work => {
                    return match done {
                        Ok(called) => Ok(result(&called).into()),
                        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
                    };
                }
                () = context.ct.cancelled(), if !cancelled => {
                    cancelled = true;
                    cancel.ring();
                }
                () = progress.next() => {}
            }
        }
    }
}

/// The client is gone; whoever keeps our standard error still hears.
struct Log;

impl Tell for Log {
    fn tell(&self, note: Note) {
        // Nobody keeps it: the ledger has the endings all the same.
        let _ = writeln!(io::stderr(), "{}", Value::Object(note.fields));
    }
}

/// The bells of all calls that run, by number.
#[derive(Debug, Default)]
struct Running {
    bells: Mutex<(u64, BTreeMap<u64, Cancel>)>,
    fewer: Condvar,
}

impl Running {
    fn lock(&self) -> MutexGuard<'_, (u64, BTreeMap<u64, Cancel>)> {
        self.bells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rings every bell and waits until the trees behind them are gone.
    fn end_all(&self) {
        let mut held = self.lock();
        held.1.values().for_each(Cancel::ring);
        while !held.1.is_empty() {
            held = self.fewer.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A call that runs: its bell is with the others until it is over.
struct Held {
    running: Arc<Running>,
    number: u64,
}

impl Held {
    fn new(running: &Arc<Running>, bell: &Cancel) -> Held {
        let mut all = running.lock();
        let number = all.0;
        all.0 += 1;
        all.1.insert(number, bell.clone());
        drop(all);
        Held { running: Arc::clone(running), number }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.running.lock().1.remove(&self.number);
        self.running.fewer.notify_all();
    }
}

fn listed(tool: Tool) -> rmcp::model::Tool {
    let schema = match tool.schema {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    let annotations = ToolAnnotations::new()
        .read_only(tool.read_only)
        .destructive(!tool.read_only)
        .open_world(!tool.read_only);
    let listed = rmcp::model::Tool::new(tool.name, tool.description, schema);
    let listed = listed.with_annotations(annotations);
    if tool.about.is_empty() { listed } else { listed.with_meta(MetaObject(tool.about)) }
}

fn result(called: &Called) -> CallToolResult {
    let texts = std::iter::once(&called.text).chain(&called.more);
    let content = texts.map(|text| ContentBlock::text(text.clone())).collect();
    let mut result = match called.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    if !called.fields.is_empty() {
        result.structured_content = Some(Value::Object(called.fields.clone()));
    }
    result
}
