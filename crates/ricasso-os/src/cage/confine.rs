//! The last steps before exec, in the command's own process: rights away, files, calls.

use super::fence::Fence;
use super::filter::Filter;
use super::landlock::{DEVICE, Ruleset};
use super::mounts::{existing, real};
use super::programs::Listed;
use super::{Cage, Tmp, capability, raw, rules, terminal};
use crate::wire::{Order, Stage};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::path::PathBuf;

/// Everything that can be made ready before the command's process is there.
#[derive(Debug)]
pub(crate) struct Standing {
    pub(super) cage: Cage,
    pub(super) listed: Option<Listed>,
    filter: Filter,
    /// Rules on what is laid anew for a command, where they are known before.
    inside: Option<Vec<(PathBuf, u64)>>,
    /// Whether the command's standard input is a terminal that it may open by name.
    terminal: bool,
}

/// A confined process; what it needs somebody else for.
#[derive(Debug)]
pub(crate) struct Confined {
    /// Where its questions arrive, if it has any.
    pub(crate) listener: Option<OwnedFd>,
}

impl Standing {
    /// Finds the real names of all that the cage names, for a process behind this fence.
    pub(crate) fn prepare(
        order: &Order,
        cage: &Cage,
        fence: Fence,
    ) -> Result<Standing, (Stage, Errno)> {
        let cage = by_real_names(cage);
        let path = order.path();
        let find = |list: &Vec<String>| {
            Listed::find(list, path.unwrap_or_default(), &rules::kept_places(&cage))
                .map_err(|errno| (Stage::Programs, errno))
        };
        let listed = cage.programs.as_ref().map(find).transpose()?;
        let filter = Filter::of(&cage, fence);
        // Whoever prepares for one command makes them when its view is there.
        Ok(Standing { cage, listed, filter, inside: None, terminal: order.terminal })
    }

    /// Lays the filter alone; returns where its questions arrive. Allocates nothing.
    pub(super) fn lay_filter(&self) -> Result<Option<OwnedFd>, Errno> {
        self.filter.install()
    }

    /// For a cage without a list of programs that has its real names already.
    pub(super) fn of_real_names(cage: Cage, fence: Fence) -> Standing {
        let (filter, inside) = (Filter::of(&cage, fence), rules::known_inside(&cage));
        Standing { cage, listed: None, filter, inside, terminal: false }
    }

    /// Completes rules that the owner made by those on what was laid anew. False where they are to
    /// be completed later, by whoever takes them on.
    pub(super) fn complete_rules(&self, ahead: BorrowedFd<'_>) -> Result<bool, Errno> {
        let Some(inside) = &self.inside else { return Ok(false) };
        if self.cage.walls.landlock == 0 || !self.cage.walls.files {
            return Ok(false);
        }
        let rules = self.rules(ahead)?;
        inside.iter().try_for_each(|(path, rights)| rules.grant(path, *rights))?;
        Ok(true)
    }

    /// Lays complete rules over this process, which refuses privileges already. Allocates nothing.
    pub(super) fn lay_rules(&self, complete: BorrowedFd<'_>) -> Result<(), Errno> {
        self.rules(complete)?.restrict_self()
    }

    fn rules(&self, received: BorrowedFd<'_>) -> Result<Ruleset, Errno> {
        Ruleset::received(received, self.cage.walls.landlock)
    }
}

/// Makes ready for some cage or other and forgets it: the first touch of each page after a fork
/// costs a fault, which is better taken while nobody waits.
pub(crate) fn rehearse() {
    std::hint::black_box(Standing::of_real_names(
        by_real_names(&Cage::default()),
        Fence::default(),
    ));
}

/// A cage whose writable places have their real names.
pub(super) fn by_real_names(cage: &Cage) -> Cage {
    let mut cage = cage.clone();
    cage.write = existing(&cage.write);
    cage.tmp = match cage.tmp {
        Tmp::Session(path) => Tmp::Session(real(&path)),
        Tmp::Layered(path) => Tmp::Layered(real(&path)),
        Tmp::Private | Tmp::Host => cage.tmp,
    };
    cage
}

/// Gives up every right that the cage does not grant. There is no way back. Rules that the owner
/// made ahead are used where they came along.
pub(crate) fn confine(
    standing: &Standing,
    ahead: Option<&OwnedFd>,
    bounds: capability::Bounds,
) -> Result<Confined, (Stage, Errno)> {
    capability::drop_all(bounds).map_err(|errno| (Stage::Privileges, errno))?;
    confine_powerless(standing, ahead)
}

/// The same for a process whose parent gave up every capability before it was born.
pub(super) fn confine_powerless(
    standing: &Standing,
    ahead: Option<&OwnedFd>,
) -> Result<Confined, (Stage, Errno)> {
    let at = |stage| move |errno| (stage, errno);
    lay_all_but_filter(standing, ahead)?;
    if !standing.cage.walls.calls {
        return Ok(Confined { listener: None });
    }
    let listener = standing.lay_filter().map_err(at(Stage::Calls))?;
    Ok(Confined { listener })
}

/// The same for one whose filter is laid, or will be.
fn lay_all_but_filter(standing: &Standing, ahead: Option<&OwnedFd>) -> Result<(), (Stage, Errno)> {
    let at = |stage| move |errno| (stage, errno);
    refuse_privileges().map_err(at(Stage::Privileges))?;
    if standing.listed.as_ref().is_some_and(|listed| !listed.programs.is_empty()) {
        refuse_made_code().map_err(at(Stage::Programs))?;
    }
    if standing.cage.walls.landlock > 0 && standing.cage.walls.files {
        lay_rules(standing, ahead).map_err(at(Stage::Files))?;
    }
    Ok(())
}

/// No privilege is gained by executing.
pub(super) fn refuse_privileges() -> Result<(), Errno> {
    raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

fn lay_rules(standing: &Standing, ahead: Option<&OwnedFd>) -> Result<(), Errno> {
    let (cage, listed) = (&standing.cage, standing.listed.as_ref());
    // Without mounts the terminal is the machine's, and a rule on it is for this command alone:
    // rules that were made ahead are shared with others.
    let terminal = (standing.terminal && !cage.has_namespaces()).then(terminal::path_of_stdin);
    let rules = match ahead {
        Some(rules) if terminal.is_none() => Ruleset::received(rules.as_fd(), cage.walls.landlock)?,
        Some(_) | None => rules::outside(cage, listed)?.rules,
    };
    if let Some(path) = terminal.flatten() {
        rules.grant(&path, DEVICE)?;
    }
    rules::inside(&rules, cage, listed)?;
    rules.restrict_self()
}

/// Memory that was written never becomes code (from Linux 6.3 on).
fn refuse_made_code() -> Result<(), Errno> {
    const SET_MDWE: libc::c_int = 65;
    const REFUSE_EXEC_GAIN: libc::c_ulong = 1;
    raw::prctl(SET_MDWE, REFUSE_EXEC_GAIN)
}

/// Whether this kernel can do that at all.
pub(super) fn can_refuse_made_code() -> bool {
    const GET_MDWE: libc::c_int = 66;
    raw::prctl(GET_MDWE, 0).is_ok()
}
