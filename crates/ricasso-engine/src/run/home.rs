//! The places of our state on disk. Nothing of us is ever written anywhere else.

use super::error::Error;
use super::id::JobId;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A session's directory is swept days after it was used last; this often it is marked as used.
const MARKED_EVERY: Duration = Duration::from_secs(60);

/// Letters of a socket's name: enough that no two owners meet.
const DESK_NAME_BYTES: usize = 32;

/// The state directory: ledger, jobs, sessions, owners. Mode 0700, ours alone.
#[derive(Debug, Clone)]
pub struct StateDir {
    root: PathBuf,
    /// Where this user's sockets lie, if the machine has such a place.
    runtime: Option<PathBuf>,
    told: Option<String>,
}

/// The directory of one job.
#[derive(Debug, Clone)]
pub struct JobDir(PathBuf);

impl StateDir {
    /// Finds or makes the state directory of this user. `variable` answers for the environment.
    pub fn find(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Result<StateDir, Error> {
        let runtime = variable("XDG_RUNTIME_DIR").filter(|path| path.is_absolute());
        let mut state = StateDir::find_root(variable)?;
        state.runtime = runtime.map(|base| base.join("ricasso"));
        Ok(state)
    }

    fn find_root(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Result<StateDir, Error> {
        let absolute = |name| variable(name).filter(|path| path.is_absolute());
        if let Some(base) = absolute("XDG_STATE_HOME") {
            // Somebody said where: anywhere else would be a surprise.
            return StateDir::at(&base.join("ricasso"));
        }
        let uid = ricasso_os::own_uid();
        let home = absolute("HOME").filter(|home| home.is_dir());
        let first = home.map(|home| home.join(".local/state/ricasso"));
        let temp = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        let runtime = PathBuf::from(format!("/run/user/{uid}/ricasso"));
        let fallbacks = [runtime, temp.join(format!("ricasso-{uid}"))];
        let mut refused = match first.map(|path| StateDir::at(&path)) {
            Some(Ok(state)) => return Ok(state),
            Some(Err(error)) => error,
            None => Error::NoHome,
        };
        for path in fallbacks.into_iter().filter(|path| path.parent().is_some_and(Path::is_dir)) {
            match StateDir::at(&path) {
                Ok(mut state) => {
                    state.told = Some(format!("state is kept in {}: {refused}", path.display()));
                    return Ok(state);
                }
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Uses this directory; makes it where it is missing.
    pub fn at(root: &Path) -> Result<StateDir, Error> {
        make_private(root)?;
        check_ours(root)?;
        let state = StateDir { root: root.to_path_buf(), runtime: None, told: None };
        for part in ["ledger", "jobs", "sessions", "owners"] {
            make_private(&root.join(part))?;
        }
        Ok(state)
    }

    /// What a reader should know about the choice of this place.
    pub fn told(&self) -> Option<&str> {
        self.told.as_deref()
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the ledger lies.
    pub fn ledger(&self) -> PathBuf {
        self.root.join("ledger")
    }

    /// Where all jobs lie.
    pub fn jobs(&self) -> PathBuf {
        self.root.join("jobs")
    }

    /// Where the owners' files lie.
    pub fn owners(&self) -> PathBuf {
        self.root.join("owners")
    }

    /// Where an owner of now makes its socket: the machine's place for sockets where that is ours
    /// alone, else beside the owners' files.
    pub fn desks(&self) -> PathBuf {
        let usable = |path: &&PathBuf| make_private(path).and_then(|()| check_ours(path)).is_ok();
        self.runtime.as_ref().filter(usable).cloned().unwrap_or_else(|| self.owners())
    }

    /// Where an owner's socket may be found: it may have been started elsewhere.
    pub fn desk_places(&self) -> impl Iterator<Item = PathBuf> {
        self.runtime.iter().cloned().chain([self.owners()])
    }

    /// Takes away sockets beside the owners' files whose owner has none any more: it was killed on
    /// its last steps. A living owner has its file before it has a desk.
    pub(super) fn remove_deserted_desks(&self) {
        let Ok(files) = fs::read_dir(self.owners()) else { return };
        let names: Vec<_> = files.flatten().map(|file| file.file_name()).collect();
        let owners = names.iter().filter_map(|name| JobId::parse(name.to_str()?));
        let desks: Vec<String> = owners.map(|owner| StateDir::desk_name(&owner)).collect();
        for name in names.iter().filter_map(|name| name.to_str()) {
            if name.ends_with(".sock") && !desks.iter().any(|desk| desk == name) {
                // Whoever is faster does the same.
                let _ = fs::remove_file(self.owners().join(name));
            }
        }
    }

    /// The name of an owner's socket. It tells nothing of the owner's own name: the kernel shows
    /// the names of sockets to everybody, and who knows an owner's name is a visitor.
    pub fn desk_name(owner: &JobId) -> String {
        let digest = Sha256::digest(owner.as_str());
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}.sock", &digits[..DESK_NAME_BYTES])
    }

    /// Removes the socket of an owner that died.
    pub fn sweep_desk(&self, owner: &JobId) {
        let name = StateDir::desk_name(owner);
        // Most often there is none.
        self.desk_places().for_each(|place| drop(fs::remove_file(place.join(&name))));
    }

    /// The directory of a job, whether it exists or not.
    pub fn job(&self, id: &JobId) -> JobDir {
        JobDir(self.jobs().join(id.as_str()))
    }

    /// Makes the directory of a new job.
    pub fn new_job(&self, id: &JobId) -> Result<JobDir, Error> {
        let dir = self.job(id);
        DirBuilder::new().mode(0o700).create(dir.path()).map_err(|source| Error::State {
            what: "make the job's directory",
            path: dir.0.clone(),
            source,
        })?;
        Ok(dir)
    }

    /// Where the session's own temporary directory lies, whether it exists or not.
    pub fn session_tmp_path(&self, session: &str) -> PathBuf {
        self.root.join("sessions").join(file_name_of(session)).join("tmp")
    }

    /// The session's own temporary directory, made where it is missing.
    pub fn session_tmp(&self, session: &str) -> Result<PathBuf, Error> {
        let path = self.session_tmp_path(session);
        make_private(&path)?;
        // When it was used last; one that cannot be marked is swept early at the worst.
        if let Some(session) = path.parent().filter(|session| !was_marked(session)) {
            let _ = File::open(session).and_then(|session| session.set_modified(SystemTime::now()));
        }
        Ok(path)
    }

    /// Writes a small file of a session, 0600, whole or not at all.
    pub fn write_session(&self, session: &str, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let place = self.session_tmp(session)?;
        let place = place.parent().unwrap_or(&place).to_path_buf();
        let path = place.join(name);
        let fresh = place.join(format!("{name}-{}", JobId::new()?));
        let written = new_file(&fresh, 0o600)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&fresh, &path));
        written.map_err(|source| {
            // What was begun is of no use to anybody.
            let _ = fs::remove_file(&fresh);
            Error::State { what: "write", path, source }
        })
    }

    /// Removes what a session left: its temporary files and the state of its shell. Tells what
    /// could not be removed.
    pub fn forget_session(&self, session: &str) -> Result<(), Error> {
        let path = self.root.join("sessions").join(file_name_of(session));
        match ricasso_os::remove_tree(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => {
                Err(Error::State { what: "remove what the session left in", path, source })
            }
        }
    }

    /// Returns the lines that the session was not told before, and records them as told. Where
    /// the record cannot be written, the next call returns them again.
    pub fn tell_once<'a>(&self, session: &str, lines: &'a [String]) -> Vec<&'a str> {
        let told = self.read_session(session, "told").ok().flatten().unwrap_or_default();
        let told = String::from_utf8_lossy(&told);
        let is_new = |line: &&str| !told.lines().any(|known| known == *line);
        let new: Vec<&str> = lines.iter().map(String::as_str).filter(is_new).collect();
        if !new.is_empty() {
            let all = format!("{told}{}\n", new.join("\n"));
            let _ = self.write_session(session, "told", all.as_bytes());
        }
        new
    }

    /// Reads a small file of a session; `None` where there is none.
    pub fn read_session(&self, session: &str, name: &str) -> Result<Option<Vec<u8>>, Error> {
        JobDir(self.root.join("sessions").join(file_name_of(session))).read(name)
    }

    /// Where the script of a job lies while it runs. Its name is the job's, so that whoever finds
    /// it knows whose it is.
    pub fn script(&self, session: &str, id: &JobId, step: usize) -> Result<PathBuf, Error> {
        Ok(self.scripts(session)?.join(format!("script-{id}-{step}")))
    }

    /// The directory of a session's scripts: beside the one that its commands write to.
    pub fn scripts(&self, session: &str) -> Result<PathBuf, Error> {
        let path = self.root.join("sessions").join(file_name_of(session)).join("scripts");
        make_private(&path)?;
        Ok(path)
    }

    /// Removes scripts that a lost job left behind.
    pub fn sweep_scripts(&self, id: &JobId) {
        let prefix = format!("script-{id}-");
        let Ok(sessions) = fs::read_dir(self.root.join("sessions")) else { return };
        for session in sessions.flatten() {
            let Ok(files) = fs::read_dir(session.path().join("scripts")) else { continue };
            let ours = files.flatten().filter(|file| starts_with(&file.file_name(), &prefix));
            // What cannot be removed now is found again at the next start.
            ours.for_each(|file| drop(fs::remove_file(file.path())));
        }
    }
}

impl JobDir {
    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes one of the job's small files, 0600, new.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.0.join(name);
        let written = new_file(&path, 0o600).and_then(|mut file| file.write_all(bytes));
        written.map_err(|source| Error::State { what: "write", path, source })
    }

    /// Reads one of the job's small files; `None` where there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = self.0.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::State { what: "read", path, source }),
        }
    }

    /// Removes the whole directory: for a job that never came to be, and for retention.
    pub fn remove(&self) -> Result<(), Error> {
        fs::remove_dir_all(&self.0).map_err(|source| Error::State {
            what: "remove the job's directory",
            path: self.0.clone(),
            source,
        })
    }
}

/// Makes a new file that nobody else can have prepared.
pub(crate) fn new_file(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

fn make_private(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    if takes_own_rights() {
        return Err(Error::Umask);
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| Error::State { what: "make the directory", path: path.into(), source })
}

/// Whether the umask would shut what we make for ourselves. Asked before anything is made: what is
/// shut once stays so for those who come later.
fn takes_own_rights() -> bool {
    const OWN: u32 = 0o700;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    umask.and_then(|text| u32::from_str_radix(text.trim(), 8).ok()).is_some_and(|it| it & OWN != 0)
}

fn check_ours(path: &Path) -> Result<(), Error> {
    let wrong = |why: String| Err(Error::NotOurs { path: path.to_path_buf(), why });
    let found = fs::symlink_metadata(path).map_err(|source| Error::State {
        what: "look at",
        path: path.into(),
        source,
    })?;
    if !found.is_dir() {
        return wrong("is no directory of its own".into());
    }
    if found.uid() != ricasso_os::own_uid() {
        return wrong(format!("belongs to user {}", found.uid()));
    }
    if found.mode() & 0o022 != 0 {
        return wrong(format!("can be written by others (mode {:o})", found.mode() & 0o777));
    }
    Ok(())
}

/// A session's name may hold anything; a file name may not.
fn file_name_of(session: &str) -> String {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !session.is_empty() && session.len() <= 64 && session.chars().all(good) {
        return session.to_string();
    }
    let bytes = session.bytes().take(100).map(|byte| format!("{byte:02x}"));
    format!("x{}", bytes.collect::<String>())
}

fn starts_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// Whether a directory was marked as used so shortly ago that it need not be marked again. A mark
/// in the future is none.
fn was_marked(path: &Path) -> bool {
    let marked = fs::metadata(path).and_then(|found| found.modified());
    marked.is_ok_and(|marked| marked.elapsed().is_ok_and(|age| age < MARKED_EVERY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_that_others_may_write_is_refused() {
        let base = std::env::temp_dir().join(format!("ricasso-home-{}", std::process::id()));
        let root = base.join("state");
        fs::create_dir_all(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(StateDir::at(&root), Err(Error::NotOurs { .. })));
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        StateDir::at(&root).unwrap();
        let link = base.join("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        assert!(matches!(StateDir::at(&link), Err(Error::NotOurs { .. })));
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn what_somebody_named_is_used_or_refused_but_never_replaced() {
        let base = std::env::temp_dir().join(format!("ricasso-named-{}", std::process::id()));
        fs::create_dir_all(&base).unwrap();
        fs::write(base.join("file"), b"").unwrap();
        let named = |name: &str| (name == "XDG_STATE_HOME").then(|| base.join("file"));
        assert!(matches!(StateDir::find(&named), Err(Error::State { .. })));
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn odd_session_names_stay_inside() {
        assert_eq!(file_name_of("cli"), "cli");
        assert_eq!(file_name_of("../x"), "x2e2e2f78");
        assert_eq!(file_name_of(""), "x");
    }
}
