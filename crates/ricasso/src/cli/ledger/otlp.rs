//! Entries as OpenTelemetry log records, to a collector by OTLP over plain HTTP.
//!
//! Entries are redacted when they are written, and still they tell what somebody runs: without
//! encryption they go to this machine's own collector, or further only where a person says so.

mod http;
mod proto;

use super::export::Export;
use super::{Answer, put, shelf};
use crate::exit;
use http::{Answered, Endpoint, Failure};
use proto::Batch;
use std::time::Duration;

/// One request takes this many entries, or this many bytes of them.
const MOST_ENTRIES: usize = 512;
const MOST_BYTES: usize = 1 << 20;
/// A collector that is busy is asked again this often, with longer and longer pauses.
const TRIES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// A collector may ask for a pause; nobody waits longer than this for it.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Sends what passes the filter, in the order of the ledger.
pub(super) fn export(args: &Export) -> Answer {
    let endpoint = Endpoint::of(args)?;
    let mut sieve = args.filter.sieve();
    let (mut batch, mut sent) = (Batch::default(), Sent::default());
    for line in shelf()?.entries()? {
        let line = line?;
        let behind = args.after.is_none_or(|seq| line.seq > seq);
        if sieve.wants(&line) && behind {
            batch.push(&line);
        }
        if batch.len() >= MOST_ENTRIES || batch.bytes() >= MOST_BYTES {
            sent.add(&endpoint, &std::mem::take(&mut batch))?;
        }
    }
    sent.add(&endpoint, &batch)?;
    let last = sent.last.map_or(String::new(), |seq| format!(", last {seq}"));
    put(&format!("exported {} entries{last}\n", sent.entries));
    Ok(exit::LEDGER_GOOD)
}

#[derive(Default)]
struct Sent {
    entries: usize,
    last: Option<u64>,
}

impl Sent {
    fn add(&mut self, endpoint: &Endpoint, batch: &Batch) -> Result<(), Failure> {
        if batch.len() == 0 {
            return Ok(());
        }
        deliver(endpoint, &batch.request())?;
        self.entries += batch.len();
        self.last = batch.last();
        Ok(())
    }
}

/// One request, again while the collector says that it is busy.
fn deliver(endpoint: &Endpoint, body: &[u8]) -> Result<(), Failure> {
    let mut pause = FIRST_PAUSE;
    for attempt in 1.. {
        let Answered { status, retry_after, body: said } = endpoint.post(body)?;
        match status {
            200..=299 => return accepted(&said),
            429 | 502 | 503 | 504 if attempt < TRIES => {
                std::thread::sleep(retry_after.unwrap_or(pause).min(LONGEST_PAUSE));
                pause *= 2;
            }
            _ => {
                let said = String::from_utf8_lossy(&said).chars().take(200).collect();
                return Err(Failure::Refused { status, said });
            }
        }
    }
    unreachable!("the last attempt returns")
}

/// A collector may take a request and still leave out some of it.
fn accepted(body: &[u8]) -> Result<(), Failure> {
    match proto::rejected(body) {
        Some((count, said)) if count > 0 => Err(Failure::Rejected { count, said }),
        Some(_) | None => Ok(()),
    }
}
