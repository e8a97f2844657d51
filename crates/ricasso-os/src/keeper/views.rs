//! Views of the files that a keeper holds for the commands to come.

use super::Commands;
use crate::cage::{self, Builder, Fence, Hedge, Progress, Realm, Template};
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
    /// The number of the one that was asked for last.
    last: u64,
    /// What all that we fork stands behind. It stays when views go.
    fence: Fence,
}

impl Views {
    /// Begins to build one; the number of the child that does is returned. Where rules came along
    /// there is nothing to build.
    pub(super) fn begin(
        &mut self,
        wish: &[u8],
        rules: Vec<OwnedFd>,
        (commands, realm): (Commands, Option<&Realm>),
    ) -> Result<Option<i32>> {
        if self.mounts.is_none() {
            self.mounts = Mounts::watch();
        }
        let wanted = cage::read_wish(wish, rules)?;
        match commands {
            Commands::Any => {}
            Commands::Caged => self.fence = self.fence.lay(&wanted.cage),
        }
        if wanted.rules.is_some() {
            self.hedges.extend(Hedge::new(wanted, self.fence));
            let surplus = self.hedges.len().saturating_sub(MOST_VIEWS);
            self.hedges.drain(..surplus);
            return Ok(None);
        }
        self.last = wanted.number;
        let (pid, builder) = Builder::begin(wanted, realm)?;
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
        self.last = number;
        for builder in std::mem::take(&mut self.building) {
            match builder.progress(self.fence) {
                Progress::Built(template) => self.built.push(*template),
                Progress::Building(builder) => self.building.push(*builder),
                Progress::Failed => {}
            }
        }
        let surplus = self.built.len().saturating_sub(MOST_VIEWS);
        self.built.drain(..surplus);
        self.built.iter().find(|template| template.number() == number)
    }

    /// A warden was forked with this view: what of it was for one command is that one's now.
    pub(super) fn give(&mut self, number: u64) {
        let of = self.built.iter_mut().filter(|template| template.number() == number);
        of.for_each(Template::give_copy);
    }

    /// Makes ready what the next warden will need if it has the same view as the last one. This
    /// process has one thread.
    pub(super) fn make_ready(&mut self) {
        let number = self.last;
        if self.find(number).is_some() {
            let of = self.built.iter_mut().filter(|template| template.number() == number);
            of.for_each(Template::copy_ahead);
        }
    }

    /// Whether one is being built.
    pub(super) fn is_building(&self) -> bool {
        !self.building.is_empty()
    }

    /// What tells of a change of what is mounted, while there are views.
    pub(super) fn mounts(&self) -> Option<BorrowedFd<'_>> {
        self.mounts.as_ref().map(Mounts::as_fd)
    }

    /// What all that is forked here stands behind.
    pub(super) fn fence(&self) -> Fence {
        self.fence
    }

    /// Gives all of them up.
    pub(super) fn clear(&mut self) {
        *self = Views { fence: self.fence, ..Views::default() };
    }
}
