//! Walls made ahead for cages without namespaces: a command's process lays them round itself
//! before it has an order.
//!
//! Nothing in them is one command's own, so that all commands of the cage share the set of rules.
//! They are used only where the owner, just before, found everything unchanged that the rules were
//! made from, and where the order asks for the very same cage.

use super::capability::Bounds;
use super::confine::{Standing, confine};
use super::fence::Fence;
use super::{Cage, Confined, Namespaces, Survey, Wanted};
use crate::wire::{Stage, Writer};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::rc::Rc;

/// The walls of one cage.
#[derive(Debug)]
pub(crate) struct Hedge {
    number: u64,
    /// As an order says it.
    cage: Vec<u8>,
    survey: Rc<Survey>,
    standing: Standing,
    rules: OwnedFd,
}

impl Hedge {
    /// Walls with these rules, under a number, for processes behind this fence; nothing where a
    /// command has a part in its walls.
    pub(crate) fn new(wanted: Wanted, fence: Fence) -> Option<Hedge> {
        let Wanted { number, cage, survey, rules } = wanted;
        let (survey, rules) = (Rc::new(survey), rules?);
        let mut said = Writer::default();
        cage.encode(&mut said);
        is_shared(&cage).then(|| {
            // Only rules depend on names, and these are made.
            let standing = Standing::of_real_names((*cage).clone(), fence);
            Hedge { number, cage: said.0, survey, standing, rules }
        })
    }

    /// Its number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether it was made for the cage that an order says so.
    pub(crate) fn is_for(&self, said: &[u8]) -> bool {
        self.cage == said
    }

    /// Confines this process for good. Allocates nothing, since there are rules and no mounts.
    pub(crate) fn lay(&self, bounds: Bounds) -> Result<Confined, (Stage, Errno)> {
        confine(&self.standing, Some(&self.rules), bounds)
    }

    /// What was found out about its names.
    pub(crate) fn survey(&self) -> &Rc<Survey> {
        &self.survey
    }

    /// What a warden keeps of it.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.rules.as_fd()
    }
}

/// Whether one set of rules does for all commands of a cage: none of them adds to it.
pub(super) fn is_shared(cage: &Cage) -> bool {
    match cage.walls.namespaces {
        Namespaces::None => cage.programs.is_none() && cage.walls.landlock > 0 && cage.walls.files,
        Namespaces::User | Namespaces::Root => false,
    }
}
