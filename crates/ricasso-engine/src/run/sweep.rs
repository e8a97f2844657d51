//! Sessions that nobody uses any more: their temporary files and the state of their shells go.
//!
//! What commands made is removed without following a link, and never while a job could need it.

use super::home::StateDir;
use ricasso_os::remove_tree;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Sessions, and entries of one temporary directory, that one look goes through.
const MOST_ENTRIES: usize = 4096;
/// Between the use of a session and the papers of its job, at the most.
const BEGINNING: Duration = Duration::from_secs(3600);
/// Directories of a command that nest deeper are left to a person.
const MOST_DEPTH: usize = 64;

impl StateDir {
    /// Removes sessions that nobody used for so long, and old files of those that are in use. Each
    /// open job began after its session's last use, so what was used after the first of them
    /// began (`open_since`) stays as it is.
    pub fn sweep_sessions(&self, oldest: Duration, open_since: Option<SystemTime>) {
        let Ok(sessions) = fs::read_dir(self.root().join("sessions")) else { return };
        for session in sessions.flatten().take(MOST_ENTRIES) {
            let used = session.metadata().and_then(|found| found.modified());
            let Ok(used) = used else { continue };
            if open_since.is_some_and(|since| used + BEGINNING > since) {
                continue;
            }
            // What cannot be removed is tried again at the next look.
            if is_older(used, oldest) {
                let _ = remove_tree(&session.path());
                continue;
            }
            let Ok(entries) = fs::read_dir(session.path().join("tmp")) else { continue };
            for entry in entries.flatten().take(MOST_ENTRIES) {
                let mut budget = MOST_ENTRIES;
                if is_old(&entry.path(), oldest, MOST_DEPTH, &mut budget) {
                    let _ = remove_tree(&entry.path());
                }
            }
        }
    }
}

fn is_older(when: SystemTime, age: Duration) -> bool {
    SystemTime::now().duration_since(when).unwrap_or_default() > age
}

/// Whether nothing of a tree was changed for so long; not where it is too large to tell.
fn is_old(path: &Path, age: Duration, depth: usize, budget: &mut usize) -> bool {
    let Ok(found) = path.symlink_metadata() else { return false };
    if depth == 0 || *budget == 0 || !found.modified().is_ok_and(|when| is_older(when, age)) {
        return false;
    }
    *budget -= 1;
    if !found.is_dir() {
        return true;
    }
    let Ok(entries) = fs::read_dir(path) else { return false };
    entries.flatten().all(|entry| is_old(&entry.path(), age, depth - 1, budget))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    const DAY: Duration = Duration::from_secs(86_400);

    fn age(path: &Path, days: u32) {
        let when = SystemTime::now() - DAY * days;
        fs::File::open(path).unwrap().set_modified(when).unwrap();
    }

    fn state(name: &str) -> (PathBuf, StateDir) {
        let base = std::env::temp_dir().join(format!("ricasso-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        fs::create_dir_all(&base).unwrap();
        let state = StateDir::at(&base.join("state")).unwrap();
        (base, state)
    }

    /// Makes a directory deeper than paths reach.
    fn bury(deep: &Path) {
        let more = deep.with_extension("more");
        fs::create_dir(deep).unwrap();
        for _ in 0..2_500 {
            fs::create_dir(&more).unwrap();
            fs::rename(deep, more.join("d")).unwrap();
            fs::rename(&more, deep).unwrap();
        }
    }

    #[test]
    fn what_a_session_left_is_forgotten_however_it_was_left() {
        let (base, state) = state("forgotten");
        let place = state.session_tmp("left").unwrap();
        bury(&place.join("deep"));
        fs::create_dir_all(place.join("shut/inner")).unwrap();
        fs::set_permissions(place.join("shut"), fs::Permissions::from_mode(0o000)).unwrap();
        std::os::unix::fs::symlink(&base, place.join("link")).unwrap();
        state.forget_session("left").unwrap();
        assert!(!place.parent().unwrap().exists());
        state.forget_session("left").unwrap();
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn sessions_that_nobody_uses_go_and_old_files_of_others() {
        let (base, state) = state("sessions");
        let outside = base.join("outside");
        fs::write(&outside, "stays").unwrap();
        let (old, used) = (state.session_tmp("old").unwrap(), state.session_tmp("used").unwrap());
        fs::create_dir(old.join("shut")).unwrap();
        std::os::unix::fs::symlink(&base, old.join("shut/link")).unwrap();
        bury(&old.join("deep"));
        fs::set_permissions(old.join("shut"), fs::Permissions::from_mode(0o000)).unwrap();
        fs::create_dir(used.join("mixed")).unwrap();
        for name in ["stale", "fresh", "mixed/fresh"] {
            fs::write(used.join(name), name).unwrap();
        }
        age(&used.join("stale"), 9);
        age(&used.join("mixed"), 9);
        age(old.parent().unwrap(), 9);
        state.sweep_sessions(DAY * 7, None);
        assert!(!old.parent().unwrap().exists());
        assert!(!used.join("stale").exists());
        assert!(used.join("fresh").exists() && used.join("mixed/fresh").exists());
        assert!(outside.exists());
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn a_session_that_an_open_job_may_belong_to_stays() {
        let (base, state) = state("living");
        let place = state.session_tmp("living").unwrap();
        age(place.parent().unwrap(), 9);
        state.sweep_sessions(DAY * 7, Some(SystemTime::now() - DAY * 9));
        assert!(place.exists());
        state.sweep_sessions(DAY * 7, Some(SystemTime::now() - DAY * 8));
        assert!(!place.exists());
        fs::remove_dir_all(&base).unwrap();
    }
}
