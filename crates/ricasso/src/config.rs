//! Finding what holds: the machine's, the user's and the project's file, and the workspace.
//!
//! This door reads files and hands their texts over; what they mean is the policy's business.

use ricasso_engine::engine;
use ricasso_engine::policy::{self, Extends, Layer, Mode, Origin, Overrides, Policy, Preset};
use ricasso_os::read_plain;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A policy is a page or two; a file this large is something else.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Files that extend files that extend files: deeper is a circle.
const MAX_EXTENDS: usize = 8;
/// The machine's file.
const MACHINE: &str = "/etc/ricasso/config.toml";
/// The project's file, in the workspace's root.
const PROJECT: &str = ".ricasso.toml";

/// Where the files are looked for.
#[derive(Debug, Clone)]
pub struct Places {
    /// The machine's file.
    pub machine: PathBuf,
    /// The user's file, where there can be one.
    pub user: Option<PathBuf>,
    /// The user's home, which is no workspace.
    pub home: Option<PathBuf>,
    /// The directory that the caller is in.
    pub cwd: PathBuf,
}

/// What the person who starts ricasso chose.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// A preset's name or a file: replaces preset and user's file.
    pub policy: Option<String>,
    /// Within the ceiling.
    pub overrides: Overrides,
    /// The workspace.
    pub root: Option<PathBuf>,
    /// A contract's keys, which then decide instead of preset and user's file.
    pub dialect: Option<DialectLayer>,
}

/// What the keys of a dialect demand.
#[derive(Debug, Clone)]
pub struct DialectLayer {
    /// The dialect.
    pub name: &'static str,
    /// The preset of that name lies under it.
    pub preset: &'static str,
    /// A policy file without its head.
    pub text: String,
}

/// What holds for this call.
#[derive(Debug)]
pub struct Held {
    /// The policy.
    pub policy: Policy,
    /// The root of the workspace, where there is one.
    pub workspace: Option<PathBuf>,
    /// What the caller should know.
    pub hints: Vec<String>,
}

/// Why nothing holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The policy's own words for it.
    Policy(policy::Error),
    /// A file that could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is no policy.
    NotText {
        /// Which.
        path: PathBuf,
    },
    /// Too many files that extend one another.
    Circle {
        /// The last one.
        path: PathBuf,
    },
    /// A directory that may not be a workspace.
    NoWorkspace {
        /// Which.
        path: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// A workspace that links lead to from elsewhere, and that is hidden.
    Turned {
        /// As it was named.
        path: PathBuf,
        /// Where that leads.
        real: PathBuf,
    },
    /// There is no working directory.
    NoCwd {
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Policy(error) => error.fmt(f),
            Error::Read { source, .. } if source.kind() == io::ErrorKind::InvalidFilename => {
                write!(
                    f,
                    "a path, or a name in it, is longer than the kernel takes; use a shorter one"
                )
            }
            Error::Read { path, source } if source.kind() == io::ErrorKind::PermissionDenied => {
                write!(
                    f,
                    "cannot read {}; make it readable, or set HOME to this user's own",
                    path.display()
                )
            }
            Error::Read { path, .. } => {
                write!(
                    f,
                    "cannot read {}; check that it exists and is ours to read",
                    path.display()
                )
            }
            Error::NotText { path } => {
                write!(
                    f,
                    "{} is no plain file with a text of at most 1 MiB; give a policy file",
                    path.display()
                )
            }
            Error::Circle { path } => {
                write!(
                    f,
                    "{} extends a file that extends it again; break the circle",
                    path.display()
                )
            }
            Error::NoWorkspace { path, why } => {
                let path = path.display();
                write!(f, "{path} cannot be the workspace: {why}")
            }
            Error::Turned { path, real } => {
                let (path, real) = (path.display(), real.display());
                write!(
                    f,
                    "{path} cannot be the workspace: by a link, which a command may have made, it \
                     leads to {real}, and that is hidden; name the place that is meant"
                )
            }
            Error::NoCwd { .. } => {
                write!(f, "the working directory is gone; change to one that exists")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Policy(error) => error.source(),
            Error::Read { source, .. } | Error::NoCwd { source } => Some(source),
            Error::NotText { .. }
            | Error::Circle { .. }
            | Error::NoWorkspace { .. }
            | Error::Turned { .. } => None,
        }
    }
}

impl Places {
    /// The places of this process's user.
    pub fn of_this_process() -> Result<Places, Error> {
        let absolute = |name: &str| {
            std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let home = absolute("HOME");
        let config =
            absolute("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Ok(Places {
            machine: PathBuf::from(MACHINE),
            user: config.map(|config| config.join("ricasso/config.toml")),
            home,
            cwd: std::env::current_dir().map_err(|source| Error::NoCwd { source })?,
        })
    }
}

/// Lays everything over each other.
pub fn hold(places: &Places, choice: &Choice) -> Result<Held, Error> {
    let mut hints = Vec::new();
    let mut overrides = choice.overrides.clone();
    let workspace = match workspace(places, choice)? {
        Ok(root) => Some(root),
        Err(why) => {
            if overrides.mode.is_none() {
                overrides.mode = Some(Mode::Read);
                hints.push(format!("mode read, since {why}; name a workspace with --root"));
            }
            None
        }
    };
    let mut layers = Vec::new();
    let mut keys = None;
    if let Some(dialect) = &choice.dialect {
        let text = format!("version = 1\nextends = {:?}\n{}", dialect.preset, dialect.text);
        let name = format!("the keys of the dialect {}", dialect.name);
        keys = Some(Layer { origin: Origin::Flags, name, text });
        overrides.dialect = true;
    }
    match choice.policy.as_deref().map(|name| (name, Preset::named(name))) {
        Some((_, Some(preset))) => layers.push(preset.layer()),
        Some((file, None)) => {
            let path = places.cwd.join(file);
            let text = read(&path)?.ok_or_else(|| missing(&path))?;
            push(&mut layers, Origin::User, &path, text, 0)?;
        }
        None => {
            if let Some(path) = &places.user {
                push_if_there(&mut layers, Origin::User, path)?;
            }
        }
    }
    let mut machine = Vec::new();
    push_if_there(&mut machine, Origin::Machine, &places.machine)?;
    let under_user = layers.iter().position(|layer| layer.origin != Origin::Preset);
    let at = under_user.unwrap_or(layers.len());
    layers.splice(at..at, machine);
    if let Some(root) = &workspace {
        push_if_there(&mut layers, Origin::Project, &root.join(PROJECT))?;
    }
    layers.extend(keys);
    let policy = Policy::from_layers(&layers, &overrides).map_err(Error::Policy)?;
    if let (Some(named), Some(root)) = (&choice.root, &workspace)
        && leads_into_hidden(&policy, &places.cwd.join(named), root)
    {
        return Err(Error::Turned { path: places.cwd.join(named), real: root.clone() });
    }
    Ok(Held { policy, workspace, hints })
}

/// A variable of this process.
pub fn variable(name: &str) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    std::env::var_os(name).map(OsStringExt::into_vec)
}

/// Whether a workspace lies in a hidden place, and not by the name that it was given: an earlier
/// command may have put a link there. One that is named inside such a place is meant.
fn leads_into_hidden(policy: &Policy, named: &Path, real: &Path) -> bool {
    if policy.mode() == Mode::Open || named.components().eq(real.components()) {
        return false;
    }
    let hidden = engine::hidden(policy, Some(real), &variable);
    let led = |path: &PathBuf| {
        let place = path.canonicalize().unwrap_or_else(|_| path.clone());
        real.starts_with(place) && !named.starts_with(path)
    };
    hidden.iter().any(led)
}

fn push_if_there(layers: &mut Vec<Layer>, origin: Origin, path: &Path) -> Result<(), Error> {
    match read(path)? {
        Some(text) => push(layers, origin, path, text, 0),
        None => Ok(()),
    }
}

/// Puts a file on top, and under it the files that it extends.
fn push(
    layers: &mut Vec<Layer>,
    origin: Origin,
    path: &Path,
    text: String,
    depth: usize,
) -> Result<(), Error> {
    if depth > MAX_EXTENDS {
        return Err(Error::Circle { path: path.to_path_buf() });
    }
    let layer = Layer { origin, name: path.display().to_string(), text };
    if let Extends::File(name) = policy::extends(&layer).map_err(Error::Policy)? {
        let beside = path.parent().unwrap_or(Path::new("/")).join(name);
        let text = read(&beside)?.ok_or_else(|| missing(&beside))?;
        push(layers, origin, &beside, text, depth + 1)?;
    }
    layers.push(layer);
    Ok(())
}

fn read(path: &Path) -> Result<Option<String>, Error> {
    let no_text = || Error::NotText { path: path.to_path_buf() };
    let bytes = match read_plain(path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => {
            return match source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge => Err(no_text()),
                _ => Err(Error::Read { path: path.to_path_buf(), source }),
            };
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|_| no_text())
}

fn missing(path: &Path) -> Error {
    Error::Read { path: path.to_path_buf(), source: io::ErrorKind::NotFound.into() }
}

/// The workspace: what was named, else the repository above the working directory, else that
/// directory. The inner error says why there is none, which only matters where none was named.
fn workspace(places: &Places, choice: &Choice) -> Result<Result<PathBuf, String>, Error> {
    if let Some(root) = &choice.root {
        let path = places.cwd.join(root);
        let real =
            path.canonicalize().map_err(|source| Error::Read { path: path.clone(), source })?;
        if !real.is_dir() {
            return Err(Error::NoWorkspace { path, why: "it is no directory; name one" });
        }
        return match no_workspace(places, &real) {
            Some(why) => Err(Error::NoWorkspace { path: real, why }),
            None => Ok(Ok(real)),
        };
    }
    let root = repository(&places.cwd).unwrap_or_else(|| places.cwd.clone());
    Ok(match no_workspace(places, &root) {
        Some(why) => Err(format!("{} is no workspace: {why}", root.display())),
        None => Ok(root),
    })
}

fn repository(from: &Path) -> Option<PathBuf> {
    from.ancestors().find(|above| above.join(".git").exists()).map(Path::to_path_buf)
}

fn no_workspace(places: &Places, path: &Path) -> Option<&'static str> {
    if path.parent().is_none() {
        return Some("it is the root of the machine; name a directory below it");
    }
    let home = places.home.as_ref().map(|home| home.canonicalize().unwrap_or(home.clone()));
    if home.is_some_and(|home| home == path) {
        return Some("it is a home directory; name a directory below it");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Dir(PathBuf);

    impl Dir {
        fn new(name: &str) -> Dir {
            let path =
                std::env::temp_dir().join(format!("ricasso-config-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("home/.config/ricasso")).unwrap();
            fs::create_dir_all(path.join("work/sub/.git")).unwrap();
            Dir(path.canonicalize().unwrap())
        }

        fn places(&self, cwd: &str) -> Places {
            Places {
                machine: self.0.join("etc.toml"),
                user: Some(self.0.join("home/.config/ricasso/config.toml")),
                home: Some(self.0.join("home")),
                cwd: self.0.join(cwd),
            }
        }
    }

    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_repository_above_is_the_workspace_and_a_home_is_none() {
        let dir = Dir::new("root");
        fs::create_dir_all(dir.0.join("work/sub/deep")).unwrap();
        let held = hold(&dir.places("work/sub/deep"), &Choice::default()).unwrap();
        assert_eq!(held.workspace, Some(dir.0.join("work/sub")));
        let held = hold(&dir.places("home"), &Choice::default()).unwrap();
        assert_eq!(held.workspace, None);
        assert_eq!(held.policy.mode(), Mode::Read);
        assert!(held.hints[0].contains("home directory"), "{:?}", held.hints);
        let named = Choice { root: Some("/".into()), ..Choice::default() };
        assert!(matches!(hold(&dir.places("work"), &named), Err(Error::NoWorkspace { .. })));
    }

    #[test]
    fn files_are_laid_in_their_order_and_the_project_may_only_tighten() {
        let dir = Dir::new("layers");
        let user = dir.0.join("home/.config/ricasso/config.toml");
        fs::write(user, "version = 1\nextends = \"open\"\n[limits]\ntimeout = \"5m\"\n").unwrap();
        let held = hold(&dir.places("work/sub"), &Choice::default()).unwrap();
        assert_eq!(held.policy.mode(), Mode::Open);
        let project = dir.0.join("work/sub/.ricasso.toml");
        fs::write(&project, "version = 1\nmode = \"read\"\n").unwrap();
        let held = hold(&dir.places("work/sub"), &Choice::default()).unwrap();
        assert_eq!(held.policy.mode(), Mode::Read);
        fs::write(&project, "version = 1\n[limits]\ntimeout = \"6m\"\n").unwrap();
        let error = hold(&dir.places("work/sub"), &Choice::default()).unwrap_err().to_string();
        assert!(error.contains("timeout"), "{error}");
    }

    #[test]
    fn a_file_may_stand_on_the_file_beside_it_but_not_on_itself() {
        let dir = Dir::new("extends");
        let work = dir.0.join("work");
        fs::write(work.join("base.toml"), "version = 1\nextends = \"open\"\n").unwrap();
        fs::write(work.join("top.toml"), "version = 1\nextends = \"base.toml\"\n").unwrap();
        let top = Choice { policy: Some("top.toml".into()), ..Choice::default() };
        assert_eq!(hold(&dir.places("work"), &top).unwrap().policy.mode(), Mode::Open);
        fs::write(work.join("base.toml"), "version = 1\nextends = \"top.toml\"\n").unwrap();
        assert!(matches!(hold(&dir.places("work"), &top), Err(Error::Circle { .. })));
    }
}
