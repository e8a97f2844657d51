//! Who answers for a running job: a locked file in the state directory, with the jobs in it.
//!
//! The lock goes with the process, however it ends. Whoever finds a file without its lock knows
//! that the owner died, and which of its jobs were still open.

use super::error::Error;
use super::home::{StateDir, new_file};
use super::id::JobId;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// The journal of an owner without open jobs is emptied beyond this size.
const JOURNAL_BYTES: u64 = 64 * 1024;

/// About ten seconds for the lock on the directory, as for the ledger's.
const LOCK_TRIES: u32 = 20_000;
const LOCK_PAUSE: Duration = Duration::from_micros(500);

/// This process's own file.
#[derive(Debug)]
pub struct Owner {
    id: JobId,
    path: PathBuf,
    journal: Mutex<Journal>,
}

#[derive(Debug)]
struct Journal {
    file: File,
    written: u64,
    open: u64,
}

/// The file of an owner that died. It stays locked by us until it is buried.
#[derive(Debug)]
pub struct Orphan {
    owner: Option<JobId>,
    path: PathBuf,
    /// Held for its lock.
    _file: File,
    jobs: BTreeSet<JobId>,
}

/// What a file needs so that its own user can read and write it.
const OWN: u32 = 0o600;

impl Owner {
    /// Makes and locks this process's file. The directory is locked meanwhile, so that nobody can
    /// take the new file for a dead one.
    pub fn claim(state: &StateDir) -> Result<Owner, Error> {
        let _nobody_looks = lock_directory(state)?;
        let id = JobId::new()?;
        let path = state.owners().join(id.as_str());
        let failed =
            |source| Error::State { what: "make the owner's file", path: path.clone(), source };
        let file = new_file(&path, 0o600).map_err(failed)?;
        if file.metadata().map_err(failed)?.mode() & OWN != OWN {
            let _ = fs::remove_file(&path);
            return Err(Error::Umask);
        }
        file.lock().map_err(failed)?;
        let journal = Mutex::new(Journal { file, written: 0, open: 0 });
        Ok(Owner { id, path, journal })
    }

    /// The owner's name, as `jobs/ID/owner` tells it.
    pub fn id(&self) -> &JobId {
        &self.id
    }

    /// Notes that a job is open, before it can leave anything behind.
    pub fn opens(&self, job: &JobId) -> Result<(), Error> {
        let mut journal = self.journal();
        self.note(&mut journal, '+', job)?;
        journal.open += 1;
        Ok(())
    }

    /// Notes that a job is closed.
    pub fn closes(&self, job: &JobId) -> Result<(), Error> {
        let mut journal = self.journal();
        self.note(&mut journal, '-', job)?;
        journal.open = journal.open.saturating_sub(1);
        if journal.open == 0 && journal.written > JOURNAL_BYTES {
            // Without an open job the journal says nothing; failing to empty it costs only room.
            if journal.file.set_len(0).is_ok() {
                journal.written = 0;
            }
        }
        Ok(())
    }

    fn note(&self, journal: &mut Journal, sign: char, job: &JobId) -> Result<(), Error> {
        use std::os::unix::fs::FileExt;
        let line = format!("{sign}{job}\n");
        let written = journal.file.write_all_at(line.as_bytes(), journal.written);
        written.map_err(|source| Error::State {
            what: "write the owner's file",
            path: self.path.clone(),
            source,
        })?;
        journal.written += line.len() as u64;
        Ok(())
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // With open jobs the file stays, so that the next start closes them.
        if self.journal().open == 0 {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Orphan {
    /// The files of all owners that died.
    pub fn find(state: &StateDir) -> Result<Vec<Orphan>, Error> {
        let _nobody_claims = lock_directory(state)?;
        let path = state.owners();
        let files = fs::read_dir(&path).map_err(|source| Error::State {
            what: "list",
            path: path.clone(),
            source,
        })?;
        let orphans = files.flatten().filter_map(|file| Orphan::adopt(&file.path())).collect();
        state.remove_deserted_desks();
        Ok(orphans)
    }

    /// Whether this owner no longer holds its file.
    pub fn is_dead(state: &StateDir, owner: &JobId) -> bool {
        let path = state.owners().join(owner.as_str());
        match File::options().read(true).open(path) {
            Ok(file) => file.try_lock_shared().is_ok(),
            Err(_) => true,
        }
    }

    /// Whether some owner that lives has this job open.
    pub fn is_open_with_a_living_owner(state: &StateDir, job: &JobId) -> bool {
        let Ok(files) = fs::read_dir(state.owners()) else { return false };
        let owners = files.flatten().filter_map(|file| JobId::parse(file.file_name().to_str()?));
        owners.into_iter().any(|owner| {
            let journal = fs::read(state.owners().join(owner.as_str()));
            journal.is_ok_and(|bytes| open_jobs(&bytes).contains(job))
                && !Orphan::is_dead(state, &owner)
        })
    }

    /// Whose file it is, if its name says so.
    pub fn owner(&self) -> Option<&JobId> {
        self.owner.as_ref()
    }

    /// The owners that have a file, living or dead.
    pub fn all(state: &StateDir) -> Vec<JobId> {
        let Ok(files) = fs::read_dir(state.owners()) else { return Vec::new() };
        files.flatten().filter_map(|file| JobId::parse(file.file_name().to_str()?)).collect()
    }

    /// Its jobs that were open.
    pub fn jobs(&self) -> impl Iterator<Item = &JobId> {
        self.jobs.iter()
    }

    /// All is told: the file goes.
    pub fn bury(self) -> Result<(), Error> {
        fs::remove_file(&self.path).map_err(|source| Error::State {
            what: "remove the file of a lost owner",
            path: self.path.clone(),
            source,
        })
    }

    fn adopt(path: &Path) -> Option<Orphan> {
        let owner = path.file_name().and_then(|name| JobId::parse(name.to_str()?));
        let mut file = File::options().read(true).write(true).open(path).ok()?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return None,
        }
        // Its owner may have ended well between our opening and our lock.
        if !path.exists() {
            return None;
        }
        let mut journal = Vec::new();
        file.read_to_end(&mut journal).ok()?;
        let jobs = open_jobs(&journal);
        Some(Orphan { owner, path: path.to_path_buf(), _file: file, jobs })
    }
}

/// Held while an owner's file is made or looked for, which takes less than a millisecond: whoever
/// holds it for longer is stopped or means harm, and must not hang every start.
fn lock_directory(state: &StateDir) -> Result<File, Error> {
    let path = state.owners();
    let failed = |source| Error::State { what: "lock", path: path.clone(), source };
    let directory = File::open(&path).map_err(failed)?;
    for _ in 0..LOCK_TRIES {
        match directory.try_lock() {
            Ok(()) => return Ok(directory),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
    Err(failed(std::io::ErrorKind::TimedOut.into()))
}

/// The jobs that a journal leaves open. A line that is no text says nothing; the others count.
fn open_jobs(journal: &[u8]) -> BTreeSet<JobId> {
    let mut open = BTreeSet::new();
    for line in String::from_utf8_lossy(journal).lines() {
        match line.split_at_checked(1) {
            Some(("+", id)) => open.extend(JobId::parse(id)),
            Some(("-", id)) => {
                JobId::parse(id).map(|id| open.remove(&id));
            }
            // A torn last line: the job it was about had not begun, or its end is told again.
            Some(_) | None => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str) -> StateDir {
        let path =
            std::env::temp_dir().join(format!("ricasso-owner-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        StateDir::at(&path).unwrap()
    }

    #[test]
    fn a_living_owner_is_no_orphan_and_a_quiet_end_leaves_no_file() {
        let state = state("living");
        let owner = Owner::claim(&state).unwrap();
        let job = JobId::new().unwrap();
        owner.opens(&job).unwrap();
        assert!(Orphan::find(&state).unwrap().is_empty());
        owner.closes(&job).unwrap();
        drop(owner);
        assert_eq!(fs::read_dir(state.owners()).unwrap().count(), 0);
        fs::remove_dir_all(state.root()).unwrap();
    }

    #[test]
    fn an_owner_that_died_leaves_its_open_jobs() {
        let state = state("dead");
        let owner = Owner::claim(&state).unwrap();
        let jobs: Vec<JobId> = (0..3).map(|_| JobId::new().unwrap()).collect();
        jobs.iter().for_each(|job| owner.opens(job).unwrap());
        owner.closes(&jobs[1]).unwrap();
        drop(owner);
        let orphans = Orphan::find(&state).unwrap();
        assert_eq!(orphans.len(), 1);
        let open: BTreeSet<JobId> = orphans[0].jobs().cloned().collect();
        assert_eq!(open, [jobs[0].clone(), jobs[2].clone()].into());
        for orphan in orphans {
            orphan.bury().unwrap();
        }
        assert!(Orphan::find(&state).unwrap().is_empty());
        fs::remove_dir_all(state.root()).unwrap();
    }

    #[test]
    fn a_desk_without_an_owner_goes_and_one_with_an_owner_stays() {
        let state = state("desks");
        let owner = Owner::claim(&state).unwrap();
        let (dead, alive) = (JobId::new().unwrap(), owner.id().clone());
        let at = |id: &JobId| state.owners().join(StateDir::desk_name(id));
        let desks = [&dead, &alive].map(|id| std::os::unix::net::UnixListener::bind(at(id)));
        assert!(desks.iter().all(Result::is_ok));
        assert!(Orphan::find(&state).unwrap().is_empty());
        assert_eq!((at(&dead).exists(), at(&alive).exists()), (false, true));
        fs::remove_dir_all(state.root()).unwrap();
    }

    #[test]
    fn a_torn_line_is_passed_over() {
        let id = JobId::new().unwrap();
        let torn = format!("+{id}\n-{}", &id.as_str()[..7]);
        assert_eq!(open_jobs(torn.as_bytes()), [id].into());
    }

    #[test]
    fn a_journal_that_is_no_text_is_adopted_all_the_same() {
        use std::os::unix::ffi::OsStrExt;
        let name = format!("ricasso-owner-odd-{}-\u{fffd}", std::process::id());
        let mut odd = std::env::temp_dir().join(name).into_os_string().as_bytes().to_vec();
        // Neither the path nor what lies in it is text.
        odd.push(0xff);
        let root = PathBuf::from(std::ffi::OsStr::from_bytes(&odd));
        let state = StateDir::at(&root).unwrap();
        let id = JobId::new().unwrap();
        let journal = [format!("+{id}\n").as_bytes(), b"\xff\xfe\n+\xff\n"].concat();
        let name = std::ffi::OsStr::from_bytes(b"owner-\xff");
        fs::write(state.owners().join(name), journal).unwrap();
        let orphans = Orphan::find(&state).unwrap();
        assert_eq!(orphans.len(), 1);
        assert_eq!(orphans[0].jobs().collect::<Vec<_>>(), [&id]);
        orphans.into_iter().for_each(|orphan| orphan.bury().unwrap());
        assert_eq!(fs::read_dir(state.owners()).unwrap().count(), 0);
        fs::remove_dir_all(state.root()).unwrap();
    }
}
