//! What a client hears while a call runs: progress where it asked for it, and the lines of a
//! stream.
#![allow(deprecated, reason = "clients of the older era have nothing but logging for lines")]

use crate::dialect::{Note, Tell};
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Mutex;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, Interval};

/// Often enough that no client thinks the call dead, rare enough to be nothing beside it.
const EVERY: Duration = Duration::from_secs(2);

/// Progress of one call, where its client asked for it.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    began: Instant,
    clock: Interval,
}

impl Progress {
    /// For the call of this context.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Progress {
        let began = Instant::now();
        Progress {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            began,
            clock: tokio::time::interval_at(began + EVERY, EVERY),
        }
    }

    /// Waits for its time and tells how long the call has run.
    pub(super) async fn next(&mut self) {
        self.clock.tick().await;
        let Some(token) = self.token.clone() else { return };
        let seconds = self.began.elapsed().as_secs_f64();
        let told = ProgressNotificationParam::new(token, seconds)
            .with_message(format!("running for {seconds:.0} s"));
        // A client that cannot be told any more is about to be noticed.
        let _ = self.peer.notify_progress(told).await;
    }
}

/// Tells a client what a call says while it runs.
pub(super) struct Teller {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: Mutex<f64>,
    handle: Handle,
}

impl Teller {
    /// For the call of this context.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Teller {
        Teller {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            told: Mutex::new(0.0),
            handle: Handle::current(),
        }
    }
}

impl Tell for Teller {
    fn tell(&self, note: Note) {
        let fields = Value::Object(note.fields);
        let peer = &self.peer;
        match &self.token {
            Some(token) => {
                let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *told += 1.0;
                let note = ProgressNotificationParam::new(token.clone(), *told)
                    .with_message(fields.to_string());
                let _ = self.handle.block_on(peer.notify_progress(note));
            }
            None => {
                let told = peer.notify_logging_message(LoggingMessageNotificationParam::new(
                    LoggingLevel::Info,
                    fields,
                ));
                let _ = self.handle.block_on(told);
            }
        }
    }
}
