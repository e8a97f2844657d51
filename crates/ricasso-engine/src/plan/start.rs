//! One command of a plan, as it will be executed.

use crate::policy::{Policy, Reason, ReasonLayer, Shell};
use crate::request::{Bytes, Request, ScriptShell, Step};
use ricasso_os::Host;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What bash runs round a text to leave its state on a descriptor when it ends.
const KEEPING: &str = include_str!("keeping.bash");

/// What is executed, where, and with which environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The words; a script's file is appended when it exists.
    pub argv: Vec<Vec<u8>>,
    /// The text of a script, which becomes a file for as long as the command runs.
    pub script: Option<Bytes>,
    /// The working directory.
    pub cwd: PathBuf,
    /// `NAME=value`.
    pub env: Vec<Vec<u8>>,
}

/// The starts of a request, or why one of its shells is not there.
pub(super) fn of(
    request: &Request,
    policy: &Policy,
    host: &Host,
    env: &[Vec<u8>],
) -> Result<Vec<Start>, Reason> {
    let steps = request.steps.iter().enumerate();
    let start = |(index, step): (usize, &Step)| -> Result<Start, Reason> {
        let (argv, script) = match (step, &request.manner.state) {
            (Step::Shell(text), Some(_)) => (kept_words(text, index, policy, host)?, None),
            (Step::Argv(_) | Step::Shell(_) | Step::Script { .. }, _) => {
                words(step, index, policy, host)?
            }
        };
        Ok(Start { argv, script, cwd: request.cwd.clone(), env: env.to_vec() })
    };
    steps.map(start).collect()
}

/// The shells that read the texts of a request: a list of programs cannot do without them.
pub(super) fn shells(request: &Request, policy: &Policy, host: &Host) -> Vec<String> {
    let mut shells = Vec::new();
    for (index, step) in request.steps.iter().enumerate() {
        let reads = match step {
            Step::Argv(_) => false,
            Step::Shell(_) | Step::Script { .. } => true,
        };
        let Some((argv, _)) = words(step, index, policy, host).ok().filter(|_| reads) else {
            continue;
        };
        let shell = argv.first().map(|word| String::from_utf8_lossy(word).into_owned());
        shells.extend(shell.filter(|shell| !shells.contains(shell)));
    }
    shells
}

type Words = (Vec<Vec<u8>>, Option<Bytes>);

fn words(step: &Step, index: usize, policy: &Policy, host: &Host) -> Result<Words, Reason> {
    match step {
        Step::Argv(words) => {
            Ok((words.iter().map(|word| word.as_slice().to_vec()).collect(), None))
        }
        Step::Shell(text) => {
            let mut argv = shell_words(policy.shell(), index, host)?;
            // The last word is what the text knows as $0: a name, as at any prompt.
            let name = base_name(&argv[0]);
            argv.extend([b"-c".to_vec(), text.as_slice().to_vec(), name]);
            Ok((argv, None))
        }
        Step::Script { text, shell } => {
            let shell = match shell {
                ScriptShell::Bash => Shell::Bash,
                ScriptShell::Sh => Shell::Sh,
                ScriptShell::Zsh => Shell::Zsh,
            };
            Ok((script_words(&shell, index, host)?, Some(text.clone())))
        }
    }
}

/// A text whose shell leaves its state behind: only bash is asked to.
fn kept_words(
    text: &Bytes,
    index: usize,
    policy: &Policy,
    host: &Host,
) -> Result<Vec<Vec<u8>>, Reason> {
    match policy.shell() {
        Shell::Bash => {}
        Shell::Sh | Shell::Zsh | Shell::Path(_) => return Err(no_state(index)),
    }
    let mut argv = script_words(&Shell::Bash, index, host)?;
    argv.extend([b"-c".to_vec(), KEEPING.trim_end().as_bytes().to_vec()]);
    argv.extend([b"bash".to_vec(), text.as_slice().to_vec()]);
    Ok(argv)
}

fn no_state(step: usize) -> Reason {
    Reason {
        rule: "no-shell".into(),
        layer: ReasonLayer::Plan,
        span: None,
        step,
        message: "only bash leaves its state for the next run".into(),
        remedy: "set shell = \"bash\", or run it without --keep-state".into(),
    }
}

/// For shell text: bash where there is one, else the machine's sh.
fn shell_words(shell: &Shell, index: usize, host: &Host) -> Result<Vec<Vec<u8>>, Reason> {
    match shell {
        Shell::Bash if host.bash.is_none() => script_words(&Shell::Sh, index, host),
        Shell::Bash | Shell::Sh | Shell::Zsh | Shell::Path(_) => script_words(shell, index, host),
    }
}

/// A shell that reads no start-up file: what the machine's owner likes must not change what runs.
fn script_words(shell: &Shell, index: usize, host: &Host) -> Result<Vec<Vec<u8>>, Reason> {
    let found = |path: &Option<PathBuf>, name: &str| -> Result<Vec<u8>, Reason> {
        path.as_deref().map(bytes).ok_or_else(|| no_shell(name, index))
    };
    Ok(match shell {
        Shell::Bash => {
            vec![found(&host.bash, "bash")?, b"--noprofile".to_vec(), b"--norc".to_vec()]
        }
        Shell::Sh => vec![found(&host.sh, "sh")?],
        Shell::Zsh => vec![found(&host.zsh, "zsh")?, b"-f".to_vec()],
        Shell::Path(path) => vec![bytes(path)],
    })
}

fn no_shell(name: &str, step: usize) -> Reason {
    Reason {
        rule: "no-shell".into(),
        layer: ReasonLayer::Plan,
        span: None,
        step,
        message: format!("there is no {name} on this machine"),
        remedy: format!("install {name}, or name a shell that is there"),
    }
}

fn base_name(path: &[u8]) -> Vec<u8> {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path).to_vec()
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}
