//! `ricasso feed`: text, keys or the end of the input, for a job that runs.

use super::look::{answer, jobs};
use super::print;
use crate::exit;
use ricasso_engine::engine::{self, Password, Then, Typed};
use serde_json::json;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct Feed {
    /// The job, as its reply names it
    id: String,
    /// Sent with one newline behind it
    text: Option<OsString>,
    /// Send it without the newline
    #[arg(long, requires = "text")]
    raw: bool,
    /// A key by its name, as enter, up, ctrl-c; for terminals
    #[arg(long, value_name = "NAME")]
    key: Vec<String>,
    /// End the input behind it
    #[arg(long)]
    eof: bool,
    /// It may answer a password prompt
    #[arg(long)]
    password: bool,
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// Feeds and returns the exit code.
pub(super) fn feed(args: &Feed) -> u8 {
    answer(|| {
        if args.text.is_none() && args.key.is_empty() && !args.eof {
            print::say("ricasso: nothing to feed; give TEXT, --key NAME or --eof");
            return Ok(exit::OURS);
        }
        let jobs = jobs(None)?;
        let (mut fed, mut left) = (0, 0);
        for typed in parts(args) {
            let (taken, not_taken) = jobs.feed(&args.id, &typed)?;
            fed += taken;
            left += not_taken;
        }
        if args.json {
            let told = json!({ "id": args.id, "fed_bytes": fed, "left_bytes": left });
            print::put(format!("{told}\n").as_bytes());
        }
        if left > 0 {
            print::say(&format!(
                "ricasso: the job does not read: {fed} bytes were taken, {left} were not"
            ));
            return Ok(exit::OURS);
        }
        Ok(0)
    })
}

/// The text, then the keys, then the end.
fn parts(args: &Feed) -> Vec<Typed<'_>> {
    let password = if args.password { Password::Allowed } else { Password::Refused };
    let plain = |bytes, then, key| Typed { feed: engine::Feed { bytes, then, password }, key };
    let mut parts = Vec::new();
    if let Some(text) = &args.text {
        let mut bytes = text.clone().into_vec();
        if !args.raw {
            bytes.push(b'\n');
        }
        parts.push(plain(bytes, Then::Open, None));
    }
    parts.extend(args.key.iter().map(|key| plain(Vec::new(), Then::Open, Some(key.as_str()))));
    if args.eof {
        parts.push(plain(Vec::new(), Then::End, None));
    }
    parts
}
