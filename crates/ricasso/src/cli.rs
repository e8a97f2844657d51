//! The command line: flags in, words and exit codes out.

mod args;
mod call;
mod check;
mod doctor;
mod explain;
mod feed;
mod forget;
mod jobs;
mod jsonl;
mod keep;
mod ledger;
mod look;
#[cfg(feature = "mcp")]
mod mcp;
mod output;
mod policy;
mod print;
mod read;
mod redact;
mod run;
mod stop;
mod stream;
mod unit;
mod wait;
mod watch;

use crate::exit;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use ricasso_engine::capture::{Label, sentence};
use std::process::ExitCode;

/// Runs the program and returns its exit code.
pub fn main() -> ExitCode {
    ricasso_os::survive_full_files();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let code = match args.verb {
        args::Verb::Run(run) => run::run(&run),
        args::Verb::Check(check) => check::check(&check),
        args::Verb::Output(output) => output::output(&output),
        args::Verb::Redact(redact) => redact::redact(&redact),
        args::Verb::Jobs(jobs) => jobs::jobs(&jobs),
        args::Verb::Look(look) => look::look(&look),
        args::Verb::Wait(wait) => wait::wait(&wait),
        args::Verb::Feed(feed) => feed::feed(&feed),
        args::Verb::Stop(stop) => stop::stop(&stop),
        args::Verb::Watch(watch) => watch::watch(&watch),
        args::Verb::Keep(run) => keep::keep(&run),
        args::Verb::Ledger(ledger) => ledger::ledger(&ledger),
        args::Verb::Forget(forget) => forget::forget(&forget),
        args::Verb::Policy(policy) => policy::policy(&policy.verb),
        args::Verb::Doctor(doctor) => doctor::doctor(&doctor),
        args::Verb::Call(call) => call::call(&call),
        #[cfg(feature = "mcp")]
        args::Verb::Mcp(args) => mcp::mcp(&args),
    };
    ExitCode::from(code)
}

/// Says why the program could not even begin.
pub fn cannot_begin(error: &dyn std::error::Error) -> ExitCode {
    // There may be little stack to look for secrets with, and no command was read that has some.
    let cause = error.source().map_or(String::new(), |cause| format!(": {cause}"));
    print::say(&format!("ricasso: {error}{cause}"));
    ExitCode::from(exit::OURS)
}

/// Help and version are answers; everything else is a mistake, and `check` counts its own.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed stream leaves nobody to tell.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        _ => mistake(error),
    }
}

/// What was meant may have been a command with secrets in it, and is told without them.
fn mistake(error: &clap::Error) -> ExitCode {
    let mut told = error.render().to_string();
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && !word.starts_with('-')
    {
        told.push_str("Shell text goes behind -c, a program and its arguments behind --.\n");
    }
    print::say(sentence(told.trim_end(), Label::Named).as_str());
    match error.kind() {
        _ if std::env::args_os().nth(1).is_some_and(|verb| verb == "check") => {
            ExitCode::from(exit::CHECK_USAGE)
        }
        _ if std::env::args_os().nth(1).is_some_and(|verb| verb == "ledger") => {
            ExitCode::from(exit::LEDGER_USAGE)
        }
        _ if std::env::args_os().nth(1).is_some_and(|verb| verb == "doctor") => {
            ExitCode::from(exit::DOCTOR_USAGE)
        }
        _ => ExitCode::from(exit::OURS),
    }
}
