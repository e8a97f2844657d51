//! The flags, as clap reads them.

use super::unit;
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use ricasso_engine::policy::{Mode, Overrides, Reach};
use ricasso_engine::request::{ScriptShell, WindowSize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The shell that AI agents are given: it understands, confines and loses nothing.
#[derive(Debug, Parser)]
#[command(name = "ricasso", version, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Run a command and tell the truth about it
    Run(Run),
    /// Judge a command without running it
    Check(Check),
    /// Read what a reply left out
    Output(Output),
    /// Copy standard input to standard output without secrets
    Redact(super::redact::Redact),
    /// List the jobs that run, and those of the background that are kept
    Jobs(super::jobs::Jobs),
    /// Show a job as it is now
    Look(super::look::Look),
    /// Wait for a job
    Wait(super::wait::Wait),
    /// Give a job input
    Feed(super::feed::Feed),
    /// End a job with its whole tree
    Stop(super::stop::Stop),
    /// Show lines of a job as they come
    Watch(super::watch::Watch),
    /// Own one job, away from the terminal that started it
    #[command(hide = true)]
    Keep(Run),
    /// Look at the record of what ran, check it, judge again, hand it on
    Ledger(super::ledger::Ledger),
    /// Remove the output, request and scene of finished jobs; the ledger keeps its entries
    Forget(super::forget::Forget),
    /// What may run, and who said so
    Policy(Policy),
    /// Try what the sandbox holds on this machine, and say what to do where it holds less
    Doctor(super::doctor::Doctor),
    /// Carry out one tool call of a dialect
    Call(Call),
    /// Serve the tools of a dialect over MCP, on standard input and output
    #[cfg(feature = "mcp")]
    Mcp(DialectArgs),
}

#[derive(Debug, Group)]
pub(super) struct Run {
    /// Answer with one JSON object instead of the command's own streams
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) rights: Rights,
    /// Run in this directory
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    /// End the command after this long, as 30s, 0.5s, 10m
    #[arg(long, value_name = "TIME", value_parser = unit::duration, allow_hyphen_values = true)]
    pub(super) timeout: Option<Duration>,
    /// Set a variable for the command
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = unit::variable)]
    pub(super) env: Vec<(OsString, OsString)>,
    /// Give the command this file as standard input; - is ours. Otherwise it is at its end
    #[arg(long, value_name = "FILE|-")]
    pub(super) stdin: Option<PathBuf>,
    /// Run the later texts also when one failed
    #[arg(long)]
    pub(super) keep_going: bool,
    /// Start the job, say its id, and leave it running
    #[arg(long, conflicts_with = "yields")]
    pub(super) background: bool,
    /// Leave the job running in the background when it is not over after this long; limits.yield
    /// of the policy where no time is given
    #[arg(long = "yield", value_name = "TIME", value_parser = unit::duration)]
    pub(super) yields: Option<Option<Duration>>,
    /// The session that the job belongs to
    #[arg(long, value_name = "NAME")]
    pub(super) session: Option<String>,
    /// Begin with the session's directory, variables and functions, and leave them for the next
    #[arg(long, requires = "session")]
    pub(super) keep_state: bool,
    /// Give the command a terminal
    #[arg(long)]
    pub(super) pty: bool,
    /// The size of the terminal, as 80x24
    #[arg(long, value_name = "COLUMNSxROWS", value_parser = unit::size, requires = "pty")]
    pub(super) size: Option<WindowSize>,
    #[command(flatten)]
    pub(super) what: What,
}

#[derive(Debug, Group)]
pub(super) struct Check {
    /// Answer with JSON
    #[arg(long, conflicts_with_all = ["jsonl", "tree"])]
    pub(super) json: bool,
    /// Judge one JSON line after the other from standard input
    #[arg(long, conflicts_with_all = ["texts", "script", "words"])]
    pub(super) jsonl: bool,
    /// Only what the reader found: each command wherever it hides, and text that becomes code
    #[arg(long, requires = "jsonl")]
    pub(super) commands: bool,
    /// Draw what the reader understood
    #[arg(long, conflicts_with = "jsonl")]
    pub(super) tree: bool,
    #[command(flatten)]
    pub(super) rights: Rights,
    /// As if run in this directory
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(super) what: What,
}

/// What may hold, within the ceiling of the machine's and the user's files.
#[derive(Debug, Group)]
pub(super) struct Rights {
    /// How much of a cage
    #[arg(long, value_enum)]
    mode: Option<ModeWord>,
    /// A preset or a file instead of the user's own
    #[arg(long, value_name = "FILE|PRESET")]
    pub(super) policy: Option<String>,
    /// The workspace
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// How far the network reaches
    #[arg(long, value_enum)]
    net: Option<NetWord>,
    /// Another writable directory
    #[arg(long, value_name = "DIR")]
    write: Vec<String>,
}

#[derive(Debug, Group)]
pub(super) struct What {
    /// Shell text; more than one runs in sequence
    #[arg(short = 'c', value_name = "TEXT", conflicts_with_all = ["script", "words"])]
    pub(super) texts: Vec<OsString>,
    /// A script file, run from a private copy
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub(super) script: Option<PathBuf>,
    /// The shell of the script
    #[arg(long, value_enum, requires = "script")]
    pub(super) shell: Option<ShellWord>,
    /// A program and its arguments; no shell reads them
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    pub(super) words: Vec<OsString>,
}

#[derive(Debug, Clone, Group)]
pub(super) struct Call {
    #[command(flatten)]
    pub(super) dialect: DialectArgs,
    /// The tool, where the dialect has more than one
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// This process stays as the owner of the task that the call starts
    #[arg(long, hide = true)]
    pub(super) owns: bool,
    /// The arguments, as one JSON object
    #[arg(value_name = "JSON")]
    pub(super) arguments: String,
}

/// Which contract is spoken, and how it is configured.
#[derive(Debug, Clone, Group)]
pub(super) struct DialectArgs {
    /// The contract: flowforge, analysis, execute-command, exec or bash
    #[arg(long, value_name = "NAME")]
    pub(super) dialect: String,
    /// The contract's own keys, as .json, .yaml or .toml
    #[arg(long, value_name = "FILE")]
    pub(super) dialect_config: Option<PathBuf>,
    /// For execute-command: caged, or not
    #[arg(long, value_enum)]
    pub(super) mode: Option<AccessWord>,
    /// The workspace
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum AccessWord {
    Read,
    Write,
}

#[derive(Debug, Group)]
pub(super) struct Output {
    /// The job, as its reply names it
    pub(super) id: String,
    /// Which stream
    #[arg(long, value_enum, default_value = "both")]
    pub(super) stream: StreamWord,
    /// Bytes A to B, B excluded
    #[arg(long, value_name = "A-B", value_parser = unit::range, group = "part")]
    pub(super) bytes: Option<(u64, u64)>,
    /// Lines A to B, from 1, B included
    #[arg(long, value_name = "A-B", value_parser = unit::range, group = "part")]
    pub(super) lines: Option<(u64, u64)>,
    /// Only lines in which this regex matches, with their numbers
    #[arg(long, value_name = "REGEX", group = "part")]
    pub(super) grep: Option<String>,
}

#[derive(Debug, Group)]
pub(super) struct Policy {
    #[command(subcommand)]
    pub(super) verb: PolicyVerb,
}

#[derive(Debug, Subcommand)]
pub(super) enum PolicyVerb {
    /// Print the policy that holds
    Show(PolicyShow),
    /// Load a policy file, or all that holds, and tell what to look at again
    Check(PolicyCheck),
    /// Print the language as JSON Schema
    Schema,
    /// Write a commented file to start from
    Init(PolicyInit),
}

#[derive(Debug, Group)]
pub(super) struct PolicyShow {
    /// Name the file and line that each value comes from
    #[arg(long)]
    pub(super) origin: bool,
    /// As it holds for this dialect; native is none
    #[arg(long, value_name = "NAME", conflicts_with = "policy")]
    pub(super) dialect: Option<String>,
    #[command(flatten)]
    pub(super) rights: Rights,
}

#[derive(Debug, Group)]
pub(super) struct PolicyCheck {
    /// A file instead of all that holds here
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

#[derive(Debug, Group)]
pub(super) struct PolicyInit {
    /// Where to; the user's own file otherwise
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ModeWord {
    Read,
    Workspace,
    Open,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NetWord {
    None,
    Loopback,
    Open,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ShellWord {
    Bash,
    Sh,
    Zsh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StreamWord {
    Stdout,
    Stderr,
    Both,
}

impl DialectArgs {
    /// The same flags again, for a process that goes on with the call.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["--dialect".into(), self.dialect.clone().into()];
        let paths = [("--dialect-config", &self.dialect_config), ("--root", &self.root)];
        for (flag, path) in paths {
            words.extend(path.iter().flat_map(|path| [flag.into(), path.clone().into()]));
        }
        words.extend(self.mode.iter().flat_map(|mode| {
            let mode = match mode {
                AccessWord::Read => "read",
                AccessWord::Write => "write",
            };
            ["--mode".into(), mode.into()]
        }));
        words
    }
}

impl Rights {
    pub(super) fn overrides(&self) -> Overrides {
        let mode = self.mode.map(|mode| match mode {
            ModeWord::Read => Mode::Read,
            ModeWord::Workspace => Mode::Workspace,
            ModeWord::Open => Mode::Open,
        });
        let net = self.net.map(|net| match net {
            NetWord::None => Reach::None,
            NetWord::Loopback => Reach::Loopback,
            NetWord::Open => Reach::Open,
        });
        Overrides { mode, net, write: self.write.clone(), dialect: false }
    }
}

impl What {
    /// Whether there is anything to run.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.script.is_none() && self.words.is_empty()
    }
}

impl ShellWord {
    pub(super) fn shell(self) -> ScriptShell {
        match self {
            ShellWord::Bash => ScriptShell::Bash,
            ShellWord::Sh => ScriptShell::Sh,
            ShellWord::Zsh => ScriptShell::Zsh,
        }
    }
}
