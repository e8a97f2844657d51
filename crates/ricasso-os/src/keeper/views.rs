//! Views of the files that a keeper holds for the commands to come.

use crate::cage::{self, Builder, Hedge, Progress, Template};
use crate::error::Result;
use crate::mounted::Mounts;
use rustix::fd::{BorrowedFd, OwnedFd};

/// Views that are held at once. An engine alternates between a few cages at most; one more, and
/// the oldest goes.
const MOST_VIEWS: usize = 4;

/// Those that are built, those that are being built, oldest first, walls that need no view, and
/// what tells that none of them is right any more.
#[derive(Debug, Default)]
pub(super) struct Views {
    built: Vec<Template>,
    building: Vec<Builder>,
    hedges: Vec<Hedge>,
    mounts: Option<Mounts>,
}

impl Views {
    /// Begins to build one; the number of the child that does is returned. Where rules came along
    /// there is nothing to build.
    pub(super) fn begin(&mut self, wish: &[u8], mut rules: Vec<OwnedFd>) -> Result<Option<i32>> {
        if self.mounts.is_none() {
            self.mounts = Mounts::watch();
        }
        let (number, cage) = cage::read_wish(wish)?;
        if let Some(rules) = rules.pop() {
            self.hedges.extend(Hedge::new(number, cage, rules));
            let surplus = self.hedges.len().saturating_sub(MOST_VIEWS);
            self.hedges.drain(..surplus);
            return Ok(None);
        }
        let (pid, builder) = Builder::begin(number, cage)?;
        self.building.push(builder);
        if self.building.len() > MOST_VIEWS {
            self.building.remove(0);
        }
        Ok(Some(pid))
    }

    /// The walls with this number.
    pub(super) fn hedge(&self, number: u64) -> Option<&Hedge> {
        self.hedges.iter().find(|hedge| hedge.number() == number)
    }

    /// The one with this number, if it is there by now.
    pub(super) fn find(&mut self, number: u64) -> Option<&Template> {
        for builder in std::mem::take(&mut self.building) {
            match builder.progress() {
                Progress::Built(template) => self.built.push(*template),
                Progress::Building(builder) => self.building.push(*builder),
                Progress::Failed => {}
            }
        }
        let surplus = self.built.len().saturating_sub(MOST_VIEWS);
        self.built.drain(..surplus);
        self.built.iter().find(|template| template.number() == number)
    }

    /// What tells of a change of what is mounted, while there are views.
    pub(super) fn mounts(&self) -> Option<BorrowedFd<'_>> {
        self.mounts.as_ref().map(Mounts::as_fd)
    }

    /// Gives all of them up.
    pub(super) fn clear(&mut self) {
        *self = Views::default();
    }
}
