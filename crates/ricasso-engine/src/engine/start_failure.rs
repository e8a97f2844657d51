//! A start that failed, in words: which thing, and what to do about it.

use crate::plan::Start;
use ricasso_os::Stage;
use std::io;
use std::path::Path;

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
        Stage::Execute => execute(&program, &cause),
        stage if stage.is_confinement() => {
            let part = part(stage);
            let remedy = remedy(stage, &cause);
            format!("the cage could not be built, so nothing ran: {part} failed: {cause}; {remedy}")
        }
        _ => format!("cannot prepare the command {program}: {cause}"),
    }
}

fn execute(program: &str, cause: &io::Error) -> String {
    let there = program.contains('/') && Path::new(program).exists();
    match cause.kind() {
        io::ErrorKind::NotFound if there => format!(
            "{program} is there, but the interpreter that its first line names is not; install it"
        ),
        io::ErrorKind::NotFound if program.contains('/') => {
            format!("there is no program {program}; check the path")
        }
        io::ErrorKind::NotFound => {
            format!("no program {program} in PATH; install it or give its path")
        }
        io::ErrorKind::PermissionDenied => {
            format!("{program} may not be executed; make it executable, or name its interpreter")
        }
        _ => format!("{program} cannot be executed: {cause}; name its interpreter"),
    }
}

/// What to do about it.
fn remedy(stage: Stage, cause: &io::Error) -> &'static str {
    match (stage, cause.kind()) {
        (Stage::Files, io::ErrorKind::ArgumentListTooLong) => {
            "either 16 layers of rules lie over ricasso already, which is all that the kernel \
             takes: start it outside one of these sandboxes; or more than 65,536 files lie beside \
             something hidden: move them, or hide the directory"
        }
        _ => {
            "try again; if it stays so, start ricasso where the kernel lets it, or with --mode \
             open, which confines nothing and says so"
        }
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
