//! `ricasso ledger`: shows the record, checks it, judges again, hands it on. It changes nothing.

mod export;
mod filter;
#[cfg(feature = "otlp")]
mod otlp;
mod show;

use super::print;
use crate::exit;
use clap::{Args as Group, Subcommand};
use filter::Filter;
use ricasso_engine::engine::{Replay, Shelf};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::record::{Anchor, Verified};
use serde_json::json;
use std::error::Error;

#[derive(Debug, Group)]
pub(super) struct Ledger {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List what ran and what was refused
    Show(Show),
    /// Find any change, removal, reordering or cut; exits 0 where there is none, else 1
    Verify(Verify),
    /// Judge a job again from what was kept of it; exits 0 same, 1 different, 3 forgotten
    Replay(Again),
    /// Send entries to an OpenTelemetry collector, by OTLP over HTTP
    Export(export::Export),
}

#[derive(Debug, Group)]
struct Show {
    /// One JSON line an entry, as it stands in the ledger
    #[arg(long)]
    json: bool,
    /// Only the last N
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, Group)]
struct Verify {
    /// Answer with JSON
    #[arg(long)]
    json: bool,
    /// What somebody kept from a reply's `record`; may be repeated
    #[arg(long, value_name = "SEQ:HASH", value_parser = anchor)]
    anchor: Vec<Anchor>,
}

#[derive(Debug, Group)]
struct Again {
    /// The job, as its reply names it
    id: String,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// An exit code, or what went wrong on the way to it.
type Answer = Result<u8, Box<dyn Error>>;

/// Does what is asked and returns the exit code.
pub(super) fn ledger(args: &Ledger) -> u8 {
    let answer = match &args.verb {
        Verb::Show(show) => show::show(show),
        Verb::Verify(args) => verify(args),
        Verb::Replay(args) => replay(args),
        Verb::Export(args) => export::export(args),
    };
    answer.unwrap_or_else(|error| {
        print::error(error.as_ref());
        exit::OURS
    })
}

/// The shelf of this user. What is read here was redacted when it was written, and a broken
/// policy file must not keep anybody from looking at the record.
fn shelf() -> Result<Shelf, Box<dyn Error>> {
    Ok(Shelf::of_this_process(Policy::preset(Preset::Read))?)
}

fn verify(args: &Verify) -> Answer {
    let found = shelf()?.verify(args.anchor.clone())?;
    if args.json {
        let mut value = serde_json::to_value(&found)?;
        value["intact"] = found.is_intact().into();
        value["problems"] = json!(found.damage.iter().map(ToString::to_string).collect::<Vec<_>>());
        put(&format!("{value}\n"));
    } else {
        put(&sentences(&found));
    }
    Ok(if found.is_intact() { exit::LEDGER_GOOD } else { exit::LEDGER_DIFFERS })
}

fn sentences(found: &Verified) -> String {
    let mut text = match (found.is_intact(), found.entries) {
        (true, 0) => "intact: no entry yet\n".to_string(),
        (true, _) => format!(
            "intact: {} entries, {} to {}\nlast {}:{}\n",
            found.entries, found.first_seq, found.last_seq, found.last_seq, found.last_hash
        ),
        (false, _) => "NOT INTACT\n".to_string(),
    };
    found.damage.iter().for_each(|damage| text.push_str(&format!("- {damage}\n")));
    found.told.iter().for_each(|told| text.push_str(&format!("note: {told}\n")));
    text
}

fn replay(args: &Again) -> Answer {
    let replay = match shelf()?.replay(&args.id) {
        Ok(replay) => replay,
        Err(error @ ricasso_engine::Error::NoJob { .. }) => {
            print::error(&error);
            return Ok(exit::LEDGER_USAGE);
        }
        Err(error) => return Err(error.into()),
    };
    if args.json {
        put(&format!("{}\n", serde_json::to_string(&replay)?));
    } else {
        put(&words(&replay));
    }
    Ok(match replay.same {
        Some(true) => exit::LEDGER_GOOD,
        Some(false) => exit::LEDGER_DIFFERS,
        None => exit::LEDGER_FORGOTTEN,
    })
}

fn words(replay: &Replay) -> String {
    let verdict = |verdict: &str, rules: &[String]| match rules {
        [] => verdict.to_string(),
        some => format!("{verdict} by {}", some.join(", ")),
    };
    let then = verdict(&replay.then.verdict, &replay.then.rules);
    match replay.same {
        Some(true) => format!("same: {then}\n"),
        Some(false) => {
            let lines = replay.differences.iter().map(|one| format!("- {one}\n"));
            format!("DIFFERENT\n{}", lines.collect::<String>())
        }
        None if replay.then.verdict.is_empty() => {
            "forgotten: the call was turned away before it was judged\n".to_string()
        }
        None => format!("forgotten: the verdict was {then}; what it rested on is no longer kept\n"),
    }
}

/// Text on standard output; whether anybody still reads it.
fn put(text: &str) -> bool {
    print::put(text.as_bytes())
}

/// `SEQ:HASH`.
fn anchor(text: &str) -> Result<Anchor, String> {
    let parts = text.split_once(':').and_then(|(seq, hash)| Some((seq.parse().ok()?, hash)));
    let hex = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match parts {
        Some((seq, hash)) if hex(hash) => Ok(Anchor { seq, hash: hash.to_ascii_lowercase() }),
        Some(_) | None => Err("an anchor is SEQ:HASH, the two values of a reply's record".into()),
    }
}
