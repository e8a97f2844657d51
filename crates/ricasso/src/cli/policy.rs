//! `ricasso policy`: what holds and who said so, whether a file is good, the language as JSON
//! Schema, and a commented file to start from.

use super::args::{PolicyCheck, PolicyInit, PolicyShow, PolicyVerb};
use super::check::Answer;
use super::print;
use crate::config::{self, Choice, Places};
use crate::exit;
use ricasso_engine::policy::{self, Origins, Preset};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of a project's own file, which may only tighten.
const PROJECT: &str = ".ricasso.toml";
/// No dialect at all.
const NATIVE: &str = "native";

/// Why a verb of `policy` could not do its own work.
#[derive(Debug)]
enum Failure {
    NoDialect { name: String },
    NoPlace,
    Taken { path: PathBuf },
    Write { path: PathBuf, source: io::Error },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoDialect { name } => {
                write!(f, "{name} is no dialect; write flowforge, analysis, execute-command, ")?;
                write!(f, "exec, bash or native")
            }
            Failure::NoPlace => {
                write!(f, "there is no home directory for the user's file; name a file")
            }
            Failure::Taken { path } => {
                write!(f, "{} is there already and stays as it is; ", path.display())?;
                write!(f, "name another file, or edit that one")
            }
            Failure::Write { path, .. } => {
                write!(f, "cannot write {}; check that its directory is ours", path.display())
            }
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Write { source, .. } => Some(source),
            Failure::NoDialect { .. } | Failure::NoPlace | Failure::Taken { .. } => None,
        }
    }
}

/// Does what the verb says and returns the exit code.
pub(super) fn policy(verb: &PolicyVerb) -> u8 {
    let answer = match verb {
        PolicyVerb::Show(args) => show(args),
        PolicyVerb::Check(args) => return check(args),
        PolicyVerb::Schema => Ok(put(policy::SCHEMA)),
        PolicyVerb::Init(args) => init(args),
    };
    answer.unwrap_or_else(|error| {
        print::error(error.as_ref());
        exit::OURS
    })
}

fn show(args: &PolicyShow) -> Answer {
    let places = Places::of_this_process()?;
    let mut choice = Choice {
        policy: args.rights.policy.clone(),
        overrides: args.rights.overrides(),
        root: args.rights.root.clone(),
        dialect: None,
    };
    match args.dialect.as_deref() {
        None | Some(NATIVE) => {}
        Some(name) => match Preset::named(name).filter(|preset| preset.is_dialect()) {
            Some(preset) => choice.policy = Some(preset.name().to_string()),
            None => return Err(Failure::NoDialect { name: name.to_string() }.into()),
        },
    }
    let held = config::hold(&places, &choice)?;
    let origins = if args.origin { Origins::Told } else { Origins::Untold };
    let shown = put(&held.policy.to_toml(origins));
    held.hints.iter().for_each(|hint| print::say(&format!("ricasso: {hint}")));
    Ok(shown)
}

/// Loads what holds, or one file as if it were chosen, and tells what a person should look at.
fn check(args: &PolicyCheck) -> u8 {
    let held = Places::of_this_process().and_then(|places| {
        let choice = chosen(args.file.as_deref(), &places);
        config::hold(&places, &choice)
    });
    let held = match held {
        Ok(held) => held,
        Err(error) => {
            print::error(&error);
            return exit::CHECK_DENY;
        }
    };
    for doubt in held.policy.doubts() {
        print::say(&format!("warning: {}: {}; {}", doubt.key, doubt.message, doubt.remedy));
    }
    held.hints.iter().for_each(|hint| print::say(&format!("ricasso: {hint}")));
    put("good\n")
}

/// A project's file is checked in its place, since it may only tighten.
fn chosen(file: Option<&Path>, places: &Places) -> Choice {
    let Some(file) = file else {
        return Choice::default();
    };
    match (file.file_name(), places.cwd.join(file).parent()) {
        (Some(name), Some(root)) if name == PROJECT => {
            Choice { root: Some(root.to_path_buf()), ..Choice::default() }
        }
        _ => Choice {
            policy: Some(places.cwd.join(file).display().to_string()),
            ..Choice::default()
        },
    }
}

fn init(args: &PolicyInit) -> Answer {
    let places = Places::of_this_process()?;
    let path = match (&args.file, &places.user) {
        (Some(file), _) => places.cwd.join(file),
        (None, Some(user)) => user.clone(),
        (None, None) => return Err(Failure::NoPlace.into()),
    };
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Taken { path: path.clone() },
        _ => Failure::Write { path: path.clone(), source },
    };
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(failed)?;
    }
    // A new file or none: the kernel says which, so that two of us cannot both believe it.
    let mut new = fs::File::options().write(true).create_new(true).open(&path).map_err(failed)?;
    new.write_all(policy::TEMPLATE.as_bytes()).map_err(failed)?;
    Ok(put(&format!("{}\n", path.display())))
}

fn put(text: &str) -> u8 {
    if print::put(text.as_bytes()) { exit::CHECK_ALLOW } else { exit::OURS }
}
