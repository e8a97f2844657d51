//! Rules made ahead, by the owner: beside the warden's birth, and after a job for the next one. And
//! views of the files that its keeper builds ahead.
//!
//! Each command gets a set of rules of its own, unless none of them adds to it. One that lay
//! waiting is used only for the very same cage, and only while every directory that was searched
//! for it, and every name that it was made from, is what it was; else a new one is made. Rules
//! restrict nobody until a process takes them on. A view is used as long as the same is true of it.

use super::confine::by_real_names;
use super::hedge::is_shared;
use super::settle::Settler;
use super::witness::{Home, Names, Witness};
use super::{Cage, Survey, rules};
use rustix::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an owner keeps for its next job.
#[derive(Debug)]
pub(crate) struct Ahead {
    home: Option<Home>,
    kept: Mutex<Kept>,
    /// What the names of a cage mean on this machine.
    pub(crate) settler: Settler,
}

/// Cages for which something is kept: an engine alternates between a few of them at most.
const MOST_WAITING: usize = 4;

#[derive(Debug, Default)]
struct Kept {
    /// The cage of the last job: the next one is likely to be the same.
    last: Option<Arc<Cage>>,
    /// The one that was used last comes last.
    waiting: Vec<Waiting>,
    /// How many views were asked for so far.
    views: u64,
}

/// What is kept for one cage.
#[derive(Debug)]
struct Waiting {
    cage: Arc<Cage>,
    witness: Witness,
    rules: Option<OwnedFd>,
    survey: Survey,
    /// The number of the view that the keeper was asked for since.
    view: Option<u64>,
}

/// What the keeper is to make ready, under a number: a view of the files for a cage, or walls of
/// these rules where all its commands share them.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) number: u64,
    pub(crate) cage: Arc<Cage>,
    pub(crate) survey: Survey,
    pub(crate) rules: Option<OwnedFd>,
}

/// What a command gets with its order.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    /// Rules of its own; `None` where only the command itself can make them.
    pub(crate) rules: Option<OwnedFd>,
    /// The number of a view of which all is still true.
    pub(crate) view: Option<u64>,
}

impl Ahead {
    /// For a keeper that is started now.
    pub(crate) fn new() -> Ahead {
        Ahead { home: Home::now(), kept: Mutex::default(), settler: Settler::default() }
    }

    /// What there is for a command in this cage. What failed, the command will find out and tell.
    pub(crate) fn take(&self, cage: &Arc<Cage>) -> Ready {
        if !self.can_make(cage) {
            return Ready::default();
        }
        let waiting = self.take_waiting(cage);
        self.kept().last = Some(cage.clone());
        let mut ready = Ready::default();
        if let Some(mut waiting) = waiting
            && waiting.witness.holds()
        {
            ready = Ready { rules: waiting.give(), view: waiting.view };
            self.keep(waiting);
        }
        ready.rules = ready.rules.or_else(|| draw(cage).map(|drawn| drawn.rules.into_fd()));
        ready
    }

    /// Makes ready for another command in the cage of the last one. The keeper is to be asked for
    /// what is returned.
    pub(crate) fn refill(&self) -> Option<Wanted> {
        let cage = self.kept().last.clone()?;
        let good = self.take_waiting(&cage).and_then(Waiting::refilled);
        let mut next = good.or_else(|| Waiting::make(&cage))?;
        let mut wanted = None;
        if next.view.is_none() {
            let mut kept = self.kept();
            kept.views += 1;
            next.view = Some(kept.views);
            let rules = is_shared(&cage).then(|| next.give()).flatten();
            let survey = next.survey.clone();
            wanted = Some(Wanted { number: kept.views, cage, survey, rules });
        }
        self.keep(next);
        wanted
    }

    /// The number of the view that the next command is likely to want; 0 for none.
    pub(crate) fn likely_view(&self) -> u64 {
        self.kept().waiting.last().and_then(|waiting| waiting.view).unwrap_or_default()
    }

    /// The keeper that had them is gone.
    pub(crate) fn forget_views(&self) {
        self.kept().waiting.iter_mut().for_each(|waiting| waiting.view = None);
    }

    /// Taken out while it is looked at: to look may take long, and others need not wait for it.
    fn take_waiting(&self, cage: &Arc<Cage>) -> Option<Waiting> {
        let mut kept = self.kept();
        let at = kept.waiting.iter().position(|waiting| waiting.cage == *cage)?;
        Some(kept.waiting.remove(at))
    }

    fn keep(&self, waiting: Waiting) {
        let mut kept = self.kept();
        kept.waiting.retain(|other| other.cage != waiting.cage);
        kept.waiting.push(waiting);
        if kept.waiting.len() > MOST_WAITING {
            kept.waiting.remove(0);
        }
    }

    fn can_make(&self, cage: &Cage) -> bool {
        cage.walls.landlock > 0
            && cage.walls.files
            && cage.programs.is_none()
            && self.home.is_some()
            && self.home == Home::now()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // It is whole between any two statements, so a panic elsewhere spoils nothing.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(cage: &Cage) -> Option<rules::Drawn> {
    let drawn = rules::outside(&by_real_names(cage), None).ok()?;
    (!drawn.is_led_to_proc(cage)).then_some(drawn)
}

impl Waiting {
    /// `None` where it could not be told later whether they still hold.
    fn make(cage: &Arc<Cage>) -> Option<Waiting> {
        let names = Names::of(cage)?;
        let drawn = draw(cage)?;
        let witness = names.witness(cage, &drawn.searched)?;
        let survey = Survey::of(cage);
        let mut waiting = Waiting { cage: cage.clone(), witness, rules: None, survey, view: None };
        waiting.rules = Some(drawn.rules.into_fd());
        waiting.witness.holds().then_some(waiting)
    }

    /// The rules for one command.
    fn give(&mut self) -> Option<OwnedFd> {
        if is_shared(&self.cage) {
            return self.rules.as_ref().and_then(|rules| rules.try_clone().ok());
        }
        self.rules.take()
    }

    /// The same with rules, if nothing has changed meanwhile.
    fn refilled(mut self) -> Option<Waiting> {
        if self.rules.is_none() {
            self.rules = Some(draw(&self.cage)?.rules.into_fd());
        }
        self.witness.holds().then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tmp;
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    /// A directory of its own with neighbours, something hidden, and a link on the way to it.
    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Ground {
            let place = format!("ricasso-ahead-{name}-{}", std::process::id());
            let place = std::env::temp_dir().join(place);
            fs::create_dir_all(place.join("real/granted")).unwrap();
            fs::create_dir_all(place.join("other")).unwrap();
            let place = place.canonicalize().unwrap();
            fs::write(place.join("real/neighbour"), "old").unwrap();
            fs::create_dir_all(place.join("work/a/b")).unwrap();
            fs::write(place.join("work/a/b/file"), "").unwrap();
            fs::create_dir_all(place.join("repository")).unwrap();
            fs::write(place.join("work/.git"), "gitdir: ../repository\n").unwrap();
            symlink("real", place.join("link")).unwrap();
            Ground(place)
        }

        fn cage(&self) -> Cage {
            let version = super::super::landlock::version();
            Cage {
                walls: super::super::Walls {
                    landlock: version,
                    files: true,
                    // Without them the machine's /tmp, where we are, is shut.
                    namespaces: super::super::Namespaces::Root,
                    ..super::super::Walls::default()
                },
                tmp: Tmp::Host,
                read: vec![self.0.join("real")],
                hide: vec![self.0.join("link/hidden"), self.0.join("other/unborn/deep/hidden")],
                write: vec![self.0.join("work")],
                protect: vec![".git/hooks".into(), ".envrc".into(), "a/b/file".into()],
                ..Cage::default()
            }
        }

        /// Directories settle with time, and only then rules can wait.
        fn waiting(&self) -> Option<Waiting> {
            let until = Instant::now() + Duration::from_secs(20);
            while Instant::now() < until {
                if let Some(waiting) = Waiting::make(&self.cage().into()) {
                    return Some(waiting);
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            None
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn skipped(why: &str) {
        use std::io::Write;
        let Some(path) = std::env::var_os("RICASSO_SKIP_LOG") else { return };
        let opened = fs::OpenOptions::new().append(true).create(true).open(path);
        let name = "rules_wait_only_while_nothing_that_counts_has_changed";
        let line = format!("test\t{name}\t{why}\n");
        opened.and_then(|mut log| log.write_all(line.as_bytes())).unwrap();
    }

    #[test]
    fn rules_wait_only_while_nothing_that_counts_has_changed() {
        if super::super::landlock::version() == 0 {
            return skipped("no landlock");
        }
        type Act = fn(&Path);
        let acts: [(&str, bool, Act); 12] = [
            ("a file was written", true, |at| fs::write(at.join("real/neighbour"), "new").unwrap()),
            ("a granted directory grew", true, |at| {
                fs::write(at.join("real/granted/new"), "").unwrap();
            }),
            ("the hidden name was born", false, |at| {
                fs::write(at.join("real/hidden"), "").unwrap();
            }),
            ("a neighbour was born", false, |at| fs::create_dir(at.join("real/new")).unwrap()),
            ("a neighbour was replaced", false, |at| {
                fs::write(at.join("other/file"), "").unwrap();
                fs::rename(at.join("other/file"), at.join("real/neighbour")).unwrap();
            }),
            ("a file of the work tree was born", true, |at| {
                fs::write(at.join("work/file"), "").unwrap();
            }),
            ("a file came and went in the work tree", true, |at| {
                fs::write(at.join("work/file"), "").unwrap();
                fs::remove_file(at.join("work/file")).unwrap();
            }),
            ("a protected name was born", false, |at| {
                fs::write(at.join("work/.envrc"), "").unwrap();
            }),
            ("a directory above a hidden name was born", false, |at| {
                fs::create_dir(at.join("other/unborn")).unwrap();
            }),
            ("another repository was named", false, |at| {
                fs::write(at.join("work/.git"), "gitdir: ../another\n").unwrap();
            }),
            ("something protected was born beside the work tree", false, |at| {
                fs::create_dir(at.join("repository/hooks")).unwrap();
            }),
            ("a link on the way was turned", false, |at| {
                symlink("other", at.join("turned")).unwrap();
                fs::rename(at.join("turned"), at.join("link")).unwrap();
            }),
        ];
        for (at, (what, expected, act)) in acts.into_iter().enumerate() {
            let ground = Ground::new(&at.to_string());
            let Some(mut waiting) = ground.waiting() else {
                return skipped("the temporary directory never settles");
            };
            // Names that were looked at once are told by their directory from then on.
            std::thread::sleep(Duration::from_millis(150));
            assert!(waiting.witness.holds(), "before {what}");
            act(&ground.0);
            assert_eq!(waiting.witness.holds(), expected, "{what}");
            assert_eq!(waiting.witness.holds(), expected, "{what}, and later");
        }
    }

    /// Steps of somebody outside, with commands between them.
    type Steps = &'static [fn(&Path)];

    #[test]
    fn what_changes_step_by_step_is_seen_at_the_last_step_or_before() {
        if super::super::landlock::version() == 0 {
            return skipped("no landlock");
        }
        let sequences: [(&str, Steps); 7] = [
            (
                "a protected name became a link, and its target was born",
                &[
                    |at| symlink("conf", at.join("work/.envrc")).unwrap(),
                    |at| fs::write(at.join("work/conf"), "").unwrap(),
                ],
            ),
            (
                "a protected file moved behind a link, and was replaced there",
                &[
                    |at| fs::write(at.join("work/.envrc"), "").unwrap(),
                    |at| {
                        fs::rename(at.join("work/.envrc"), at.join("work/conf")).unwrap();
                        symlink("conf", at.join("work/.envrc")).unwrap();
                    },
                    |at| {
                        fs::write(at.join("work/new"), "").unwrap();
                        fs::rename(at.join("work/new"), at.join("work/conf")).unwrap();
                    },
                ],
            ),
            (
                "the directory above a protected one was replaced",
                &[|at| {
                    fs::rename(at.join("work/a"), at.join("work/old")).unwrap();
                    fs::create_dir(at.join("work/a")).unwrap();
                    fs::rename(at.join("work/old/b"), at.join("work/a/b")).unwrap();
                }],
            ),
            (
                "a directory further above was replaced",
                &[|at| {
                    fs::rename(at.join("work/a/b"), at.join("work/old")).unwrap();
                    fs::create_dir(at.join("work/a/b")).unwrap();
                    fs::rename(at.join("work/old/file"), at.join("work/a/b/file")).unwrap();
                }],
            ),
            (
                "a protected file was removed and made anew, perhaps with its old number",
                &[|at| {
                    fs::remove_file(at.join("work/a/b/file")).unwrap();
                    fs::write(at.join("work/a/b/file"), "").unwrap();
                }],
            ),
            (
                "a protected file lost its name and got it back",
                &[|at| {
                    fs::hard_link(at.join("work/a/b/file"), at.join("work/kept")).unwrap();
                    fs::remove_file(at.join("work/a/b/file")).unwrap();
                    fs::rename(at.join("work/kept"), at.join("work/a/b/file")).unwrap();
                }],
            ),
            (
                "a link on the way was removed and made anew",
                &[|at| {
                    fs::remove_file(at.join("link")).unwrap();
                    symlink("real", at.join("link")).unwrap();
                }],
            ),
        ];
        for (number, (what, steps)) in sequences.into_iter().enumerate() {
            let ground = Ground::new(&format!("steps-{number}"));
            let Some(mut waiting) = ground.waiting() else {
                return skipped("the temporary directory never settles");
            };
            let mut still = true;
            for step in steps {
                // Names that were looked at once are told by their directory from then on.
                for _ in 0..2 {
                    std::thread::sleep(Duration::from_millis(150));
                    still &= waiting.witness.holds();
                }
                step(&ground.0);
            }
            assert!(!(still && waiting.witness.holds()), "{what}");
        }
    }

    #[test]
    fn rules_wait_where_parts_of_sys_are_shut() {
        let ground = Ground::new("sys");
        let mut cage = ground.cage();
        if cage.walls.landlock == 0 {
            return skipped("no landlock");
        }
        cage.walls.namespaces = super::super::Namespaces::None;
        (cage.read, cage.hide) = (vec!["/sys".into()], Vec::new());
        cage.write.clear();
        assert!(Waiting::make(&cage.into()).is_some());
    }

    #[test]
    fn another_cage_gets_rules_of_its_own() {
        let ground = Ground::new("cages");
        let ahead = Ahead::new();
        if ground.cage().walls.landlock == 0 {
            return skipped("no landlock");
        }
        assert!(ahead.take(&ground.cage().into()).rules.is_some());
        let until = Instant::now() + Duration::from_secs(20);
        let asked = loop {
            match ahead.refill() {
                Some(wanted) => break wanted.number,
                None if Instant::now() > until => return skipped("the directory never settles"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        assert_eq!(ahead.likely_view(), asked);
        let listed = Cage { programs: Some(Vec::new()), ..ground.cage() };
        assert!(
            ahead.take(&listed.into()).rules.is_none(),
            "programs are looked up by the command"
        );
        let other = Arc::new(Cage { hide: Vec::new(), ..ground.cage() });
        let ready = ahead.take(&other);
        assert!(ready.rules.is_some());
        assert_eq!(ready.view, None, "the view was for the other cage");
        assert_eq!(ahead.kept().last, Some(other));
        assert_eq!(ahead.take(&ground.cage().into()).view, Some(asked));
        assert!(ahead.refill().is_none(), "nothing has changed, and the view is the same");
        fs::write(ground.0.join("real/born"), "").unwrap();
        assert_eq!(ahead.take(&ground.cage().into()).view, None, "something has changed");
    }
}
