//! `ricasso watch`: lines of a job as they come.

use super::look::{self, answer, jobs};
use super::print;
use super::stream::{self, Patience, Written};
use ricasso_engine::capture::Stream;
use ricasso_engine::engine::Shown;
use serde_json::Value;

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Watch {
    /// The job, as its reply names it
    id: String,
    /// Only lines in which this regex matches
    #[arg(long = "match", value_name = "REGEX")]
    regex: Option<String>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Watches and returns the exit code. A reader that has seen enough is no mistake.
pub(super) fn watch(args: &Watch) -> u8 {
    answer(|| {
        let mut code = print::BROKEN_PIPE;
        jobs(None)?.watch(&args.id, args.regex.as_deref(), &mut |shown| match shown {
            Shown::Batch(batch) if args.json => json_lines(&batch),
            Shown::Batch(batch) => lines(&batch),
            Shown::Over(reply) => {
                code = 0;
                if !args.json {
                    print::say(&format!("ricasso: {}", look::state(&reply)));
                }
                false
            }
        })?;
        Ok(code)
    })
}

/// Each line on the stream that it came from; false when nobody reads any more.
pub(super) fn lines(batch: &Value) -> bool {
    let lines = batch.get("lines").and_then(Value::as_array);
    for line in lines.into_iter().flatten() {
        let to = match look::text(line, "/stream") {
            "stderr" => Stream::Stderr,
            _ => Stream::Stdout,
        };
        let mut text = look::text(line, "/text").to_string();
        match look::number(line, "/cut_bytes") {
            0 => {}
            cut => text.push_str(&format!(" [… {cut} bytes more]")),
        }
        text.push('\n');
        if stream::write(to, text.as_bytes(), Patience::Endless) != Written::All {
            return false;
        }
    }
    true
}

fn json_lines(batch: &Value) -> bool {
    let lines = batch.get("lines").and_then(Value::as_array);
    lines.into_iter().flatten().all(|line| print::put(format!("{line}\n").as_bytes()))
}
