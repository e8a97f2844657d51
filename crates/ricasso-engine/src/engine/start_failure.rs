//! A start that failed, in words: which thing, and what to do about it.

use crate::plan::Start;
use ricasso_os::Stage;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// One sentence for people and agents.
pub(super) fn sentence(stage: Stage, errno: i32, start: &Start) -> String {
    let cause = io::Error::from_raw_os_error(errno);
    let program = start.argv.first().map(|word| String::from_utf8_lossy(word).into_owned());
    let program = program.unwrap_or_default();
    match stage {
        Stage::Directory => {
            let cwd = start.cwd.display();
            format!("cannot enter the working directory {cwd}: {cause}; name one that exists")
        }
        Stage::Execute => execute(&program, &start.cwd, &cause),
        stage if stage.is_confinement() => {
            let part = part(stage);
            let remedy = remedy(stage, &cause);
            format!("the cage could not be built, so nothing ran: {part} failed: {cause}; {remedy}")
        }
        _ => {
            let usual = "if a filter round ricasso refuses setsid, dup2 or prlimit64, allow them \
                         there";
            let remedy = ricasso_os::remedy(&cause).unwrap_or(usual);
            format!("cannot prepare the command {program}: {cause}; {remedy}")
        }
    }
}

fn execute(program: &str, cwd: &Path, cause: &io::Error) -> String {
    let place = cwd.join(program);
    let there = program.contains('/') && place.exists();
    match cause.kind() {
        io::ErrorKind::NotFound if there => absent(program, &place),
        io::ErrorKind::NotFound if program.contains('/') => {
            format!("there is no program {program}; check the path")
        }
        io::ErrorKind::NotFound => {
            format!("no program {program} in PATH; install it or give its path")
        }
        io::ErrorKind::PermissionDenied => {
            format!("{program} may not be executed; make it executable, or name its interpreter")
        }
        io::ErrorKind::ArgumentListTooLong => format!(
            "the arguments and variables of {program} are more than the kernel takes: {cause}; put \
             a long text into a file, or raise the limit on the stack (ulimit -s 8192), of which \
             they get a quarter"
        ),
        _ => match ricasso_os::remedy(cause) {
            Some(remedy) => format!("{program} cannot be executed: {cause}; {remedy}"),
            None => format!("{program} cannot be executed: {cause}; name its interpreter"),
        },
    }
}

/// A program that lies there for us, and not for its command.
fn absent(program: &str, place: &Path) -> String {
    match interpreter(place).filter(|interpreter| !interpreter.exists()) {
        Some(interpreter) => format!(
            "{program} is there, but the interpreter that its first line names, {}, is not; \
             install it",
            interpreter.display()
        ),
        None => format!(
            "{program} is there, but not in the view of its cage, where /tmp is the session's own \
             and what is hidden is empty, or what loads it is missing; put it into the workspace, \
             or install its loader"
        ),
    }
}

/// Whom the first line of a script names.
fn interpreter(script: &Path) -> Option<PathBuf> {
    /// What the kernel looks at.
    const BYTES: u64 = 256;
    let mut begin = Vec::new();
    std::fs::File::open(script).ok()?.take(BYTES).read_to_end(&mut begin).ok()?;
    let line = begin.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(word)))
}

/// What to do about it.
fn remedy(stage: Stage, cause: &io::Error) -> &'static str {
    const EBUSY: i32 = 16;
    const EPERM: i32 = 1;
    match (stage, cause.kind(), cause.raw_os_error()) {
        (Stage::Files, io::ErrorKind::ArgumentListTooLong, _) => {
            "either 16 layers of rules lie over ricasso already, which is all that the kernel \
             takes: start it outside one of these sandboxes; or more than 65,536 files lie beside \
             something hidden: move them, or hide the directory"
        }
        (Stage::Calls, _, Some(EBUSY)) => {
            "somebody answers the system calls of ricasso already, and the kernel lets only one do \
             so: most likely ricasso runs in a cage of ricasso; run the command itself, which that \
             cage holds already, or start ricasso outside of it"
        }
        (_, io::ErrorKind::PermissionDenied, Some(EPERM)) => {
            "a filter or a security module round ricasso refuses a call that this needs; allow it \
             there, or start ricasso outside of it"
        }
        _ => ricasso_os::remedy(cause).unwrap_or(
            "try again; if it stays so, start ricasso where the kernel lets it, or with --mode \
             open, which confines nothing and says so",
        ),
    }
}

/// The part of the cage that failed.
fn part(stage: Stage) -> &'static str {
    match stage {
        Stage::Namespaces => "making namespaces",
        Stage::Mounts => "building the view of the file system",
        Stage::Privileges => "giving up privileges",
        Stage::Files => "laying the rules for files",
        Stage::Calls => "laying the filter of system calls",
        Stage::Programs => "finding the listed programs",
        _ => "preparing the command",
    }
}
