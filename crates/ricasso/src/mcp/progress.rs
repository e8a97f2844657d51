//! What a client hears while a call runs: progress where it asked for it, and the lines of a
//! stream.
#![allow(deprecated, reason = "clients of the older era have nothing but logging for lines")]

use crate::dialect::{Note, Tell};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, Interval};

/// Often enough that no client thinks the call dead, rare enough to be nothing beside it.
const EVERY: Duration = Duration::from_secs(2);

/// The progress of one call, which only ever grows.
#[derive(Debug)]
pub(super) struct Meter {
    began: Instant,
    last: Mutex<f64>,
}

impl Meter {
    /// The smallest step between two that come at the same time.
    const STEP: f64 = 0.001;

    pub(super) fn new() -> Meter {
        Meter { began: Instant::now(), last: Mutex::new(0.0) }
    }

    /// Seconds since the beginning, but always more than the last time.
    fn next(&self) -> f64 {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = self.began.elapsed().as_secs_f64().max(*last + Meter::STEP);
        *last
    }
}

/// Progress of one call, where its client asked for it.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    meter: Arc<Meter>,
    clock: Interval,
}

impl Progress {
    /// For the call of this context.
    pub(super) fn new(context: &RequestContext<RoleServer>, meter: Arc<Meter>) -> Progress {
        Progress {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            clock: tokio::time::interval_at(meter.began + EVERY, EVERY),
            meter,
        }
    }

    /// Waits for its time and tells how long the call has run.
    pub(super) async fn next(&mut self) {
        self.clock.tick().await;
        let Some(token) = self.token.clone() else { return };
        let seconds = self.meter.next();
        let told = ProgressNotificationParam::new(token, seconds)
            .with_message(format!("running for {seconds:.0} s"));
        // A client that cannot be told any more is about to be noticed.
        let _ = self.peer.notify_progress(told).await;
    }
}

/// Tells a client what a call says while it runs.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    way: Way,
    handle: Handle,
}

/// How a client wants to be told.
enum Way {
    Progress(ProgressToken, Arc<Meter>),
    Message,
    /// It asked for neither, and has the lines in the result.
    Silence,
}

impl Teller {
    /// For the call of this context; `level` is what a client of the older era has set.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        meter: Arc<Meter>,
        level: LoggingLevel,
    ) -> Teller {
        let level = match context.meta.protocol_version() {
            // In the newer era each request says whether it wants messages.
            Some(_) => context.meta.log_level(),
            None => Some(level),
        };
        let way = match (context.meta.get_progress_token(), level) {
            (Some(token), _) => Way::Progress(token, meter),
            (None, Some(LoggingLevel::Debug | LoggingLevel::Info)) => Way::Message,
            (None, _) => Way::Silence,
        };
        Teller { peer: context.peer.clone(), way, handle: Handle::current() }
    }
}

impl Tell for Teller {
    fn tell(&self, note: Note) {
        let fields = Value::Object(note.fields);
        let peer = &self.peer;
        match &self.way {
            Way::Progress(token, meter) => {
                let note = ProgressNotificationParam::new(token.clone(), meter.next())
                    .with_message(fields.to_string());
                let _ = self.handle.block_on(peer.notify_progress(note));
            }
            Way::Message => {
                let told = peer.notify_logging_message(LoggingMessageNotificationParam::new(
                    LoggingLevel::Info,
                    fields,
                ));
                let _ = self.handle.block_on(told);
            }
            Way::Silence => {}
        }
    }
}
