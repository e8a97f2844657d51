//! What each part of a cage is held by on a machine, or why it cannot be.

use super::cage::Cage;
use crate::policy::{Reach, Tmp};
use ricasso_os::{Grouping, Host, Namespaces};
use std::path::Path;

/// The mechanism, or the reason why there is none.
pub(super) type Offer = Result<String, String>;

const NO_FILTERS: &str =
    "there are no seccomp filters here; allow seccomp(2) in the container's profile";

fn has_namespaces(host: &Host) -> bool {
    match host.powers.namespaces {
        Namespaces::None => false,
        Namespaces::User | Namespaces::Root => true,
    }
}

/// Files: mounts and Landlock, or Landlock and the warden's answers.
pub(super) fn files(cage: &Cage, host: &Host) -> Offer {
    let powers = host.powers;
    if !powers.seccomp {
        return Err(NO_FILTERS.into());
    }
    if has_namespaces(host) {
        if powers.landlock > 0 {
            return Ok(format!("landlock{}+mountns", powers.landlock));
        }
        if !reads_everything(cage) {
            return Err("roots for reading need Landlock, which this kernel does not have".into());
        }
        return Ok("mountns".into());
    }
    if matches!(powers.landlock, 1 | 2) {
        return Err(format!(
            "there are no user namespaces here, and Landlock version {} does not hold \
             truncate(2); allow user namespaces (`ricasso doctor` says how), or use Linux 6.12 or \
             newer",
            powers.landlock
        ));
    }
    if !powers.holds_files_alone() {
        return Err(format!(
            "there are no user namespaces here, and Landlock has version {} where 6 is needed; \
             allow user namespaces or Landlock in the container's profile (`ricasso doctor` says \
             how), or use Linux 6.12 or newer with Landlock in its lsm list",
            powers.landlock
        ));
    }
    Ok(format!("landlock{}+notify", powers.landlock))
}

/// The program list.
pub(super) fn programs(cage: &Cage, host: &Host) -> Offer {
    let powers = host.powers;
    if cage.programs.is_empty() && powers.seccomp {
        return Ok("seccomp".into());
    }
    if powers.landlock == 0 || !powers.seccomp {
        return Err("a program list needs Landlock and seccomp".into());
    }
    if !powers.made_code {
        return Err("a program list needs Linux 6.3 or newer".into());
    }
    if !powers.notify {
        return Err("a program list needs seccomp notifications (Linux 5.5 or newer)".into());
    }
    if has_namespaces(host) {
        return Ok(format!("landlock{}+noexec+gate+mdwe", powers.landlock));
    }
    Ok(format!("landlock{}+gate+mdwe", powers.landlock))
}

/// The network.
pub(super) fn net(cage: &Cage, host: &Host) -> Offer {
    let powers = host.powers;
    if !powers.seccomp {
        return Err(NO_FILTERS.into());
    }
    if !cage.sockets.is_empty() && !powers.tells_sockets_apart() {
        return Err(format!(
            "net.sockets grants single unix sockets, which needs Landlock version 9 (Linux 7.1); \
             this kernel has version {}; leave net.sockets empty",
            powers.landlock
        ));
    }
    Ok(match cage.net {
        Reach::Loopback | Reach::None if has_namespaces(host) && powers.netns => "netns".into(),
        Reach::Loopback | Reach::None => "seccomp".into(),
        Reach::Open => "none".into(),
    })
}

/// What bounds a job's use of the machine: the kernel as far as it can, and the warden's looks.
pub(super) fn limits(cage: &Cage, host: &Host) -> Option<String> {
    let looks = host.limits?;
    let counted = match host.powers.namespaces {
        Namespaces::User => cage.confines_files(),
        Namespaces::None | Namespaces::Root => false,
    };
    Some(match (host.powers.groups, counted) {
        (Grouping::Unified, _) => format!("cgroup2+{looks}"),
        (Grouping::Separate, _) => format!("cgroup1+{looks}"),
        (Grouping::None, true) => format!("nproc+{looks}"),
        (Grouping::None, false) => looks.to_string(),
    })
}

/// The end of the whole tree.
pub(super) fn kill(cage: &Cage, host: &Host) -> Option<String> {
    if cage.confines_files() && has_namespaces(host) {
        return Some("pidns".into());
    }
    host.kill.map(str::to_string)
}

/// Where the machine gives a command less than the policy grants.
pub(super) fn stricter(cage: &Cage, host: &Host) -> Vec<String> {
    let mut all = Vec::new();
    if !cage.confines_files() {
        return all;
    }
    if cage.net == Reach::Loopback && !(has_namespaces(host) && host.powers.netns) {
        all.push("net: none instead of loopback, which needs network namespaces".to_string());
    }
    let own_tmp = match cage.tmp {
        Tmp::Session | Tmp::Private => true,
        Tmp::Layered | Tmp::Host => false,
    };
    if own_tmp && !has_namespaces(host) {
        all.push("tmp: $TMPDIR instead of /tmp, which needs mount namespaces".to_string());
    }
    all
}

fn reads_everything(cage: &Cage) -> bool {
    cage.read.iter().any(|root| root == Path::new("/"))
}
