//! A program that gives an agent a shell: `cargo run --example embed -- 'echo hello'`.
//!
//! The keeper comes first, before anything makes a thread; then the program may be as big and as
//! threaded as it likes.

use ricasso_engine::engine::Engine;
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::{Cancel, Keeper};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keeper = Keeper::at_start_of_main()?;
    let text = std::env::args().nth(1).unwrap_or_else(|| "echo hello".into());
    let engine = Engine::new(keeper, Policy::preset(Preset::Open))?;
    let request = Request {
        steps: vec![Step::Shell(text.into())],
        on_failure: OnFailure::Stop,
        cwd: std::env::current_dir()?,
        workspace: None,
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "example".into(), client: None },
        manner: Manner::default(),
    };
    let job = engine.start(&request, Cancel::new()?)?;
    let reply = job.wait()?;
    let ending = reply.ending.as_ref().map_or("running", |ending| ending.kind());
    let mut out = std::io::stdout();
    writeln!(out, "{ending}: {}", reply.stdout)?;
    Ok(())
}
