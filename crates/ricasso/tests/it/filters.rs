//! A filter of system calls that somebody else has laid round ricasso, as container engines do: it
//! starts at the level that is left and says so, or it says what is missing.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Stage};
use crate::place::{in_parallel, skip};
use ricasso_os::Namespaces;
use serde_json::Value;

/// Numbers of calls, which the two architectures count differently.
pub(crate) mod numbers {
    pub(crate) type Number = i64;

    #[cfg(target_arch = "x86_64")]
    pub(crate) const MOUNTS: &[Number] = &[165, 166, 272, 308, 155];
    #[cfg(target_arch = "aarch64")]
    pub(crate) const MOUNTS: &[Number] = &[40, 39, 97, 268, 41];
    #[cfg(target_arch = "x86_64")]
    pub(super) const READ_MEMORY: Number = 310;
    #[cfg(target_arch = "aarch64")]
    pub(super) const READ_MEMORY: Number = 270;
    #[cfg(target_arch = "x86_64")]
    pub(super) const SETNS: Number = 308;
    #[cfg(target_arch = "aarch64")]
    pub(super) const SETNS: Number = 268;
    #[cfg(target_arch = "x86_64")]
    pub(crate) const SECCOMP: Number = 317;
    #[cfg(target_arch = "aarch64")]
    pub(crate) const SECCOMP: Number = 277;
    #[cfg(target_arch = "x86_64")]
    pub(super) const LIMITS: Number = 302;
    #[cfg(target_arch = "aarch64")]
    pub(super) const LIMITS: Number = 261;
    /// The newer ones are the same everywhere.
    pub(crate) const NEW_MOUNTS: &[Number] = &[428, 429, 430, 431, 432, 433, 442];
    pub(super) const LANDLOCK: &[Number] = &[444, 445, 446];
    pub(crate) const PIDFD_GETFD: Number = 438;
    pub(super) const CLONE3: Number = 435;
    pub(super) const CLOSE_RANGE: Number = 436;
    pub(super) const OPENAT2: Number = 437;
    pub(super) const PIDFD_OPEN: Number = 434;
    pub(super) const FCHMODAT2: Number = 452;
}

/// What becomes of a run.
enum Then {
    /// It works, and files are held by this, the network by that.
    Works(&'static str, &'static str),
    /// It is refused with these words.
    Refused(&'static str),
    /// It is not started, with these words in a hint.
    NotStarted(&'static str),
    /// Nothing is replied but these words.
    Says(&'static str),
}

const ACT: &str = "echo in > {work}/new && chmod 700 {work}/new && stat -c %a {work}/new
echo out > {out}/new; chmod 700 {out}/file; touch {out}/file; cat {home}/.ssh/id_key; echo ended";

fn cases() -> Vec<(&'static str, Vec<i64>, Then)> {
    use numbers::*;
    let spaces = [MOUNTS, NEW_MOUNTS].concat();
    let with = |more: &[i64]| [spaces.as_slice(), more].concat();
    vec![
        ("no clone3", vec![CLONE3], Then::Works("landlock+mountns", "netns")),
        ("no close_range", vec![CLOSE_RANGE], Then::Works("landlock+mountns", "netns")),
        ("no Landlock", LANDLOCK.to_vec(), Then::Works("mountns", "netns")),
        ("no entering", vec![SETNS], Then::Works("landlock+mountns", "seccomp")),
        ("no namespaces", spaces.clone(), Then::Works("landlock+notify", "seccomp")),
        ("nor memory", with(&[READ_MEMORY]), Then::Works("landlock+notify", "seccomp")),
        ("nor news", with(&[OPENAT2, FCHMODAT2]), Then::Works("landlock+notify", "seccomp")),
        ("nor Landlock", with(LANDLOCK), Then::Refused("allow user namespaces")),
        ("no seccomp", vec![SECCOMP], Then::Refused("seccomp filters")),
        ("no limits", vec![LIMITS], Then::NotStarted("prlimit64")),
        ("no holds", vec![PIDFD_OPEN], Then::Says("allow it there")),
    ]
}

/// Without the version, which is the kernel's.
fn held(reply: &Value, part: &str) -> String {
    let word = reply["enforced"][part].as_str().unwrap_or_default();
    word.chars().filter(|one| !one.is_ascii_digit()).collect()
}

#[test]
fn under_a_filter_it_starts_at_the_level_that_is_left_or_says_what_is_missing() {
    let name = "under_a_filter_it_starts";
    let powers = powers();
    if powers.namespaces == Namespaces::None || powers.landlock < 6 || !powers.netns {
        return skip(name, "this machine has less than the filters would leave");
    }
    let hall = Hall::new();
    let cases = cases();
    let mut tries = Vec::new();
    for actor in hall.actors() {
        tries.extend(cases.iter().flat_map(|case| [1, 38].map(|error| (actor, case, error))));
    }
    in_parallel(4, &tries, |(actor, (what, calls, then), error)| {
        under(&Stage::new(&hall, *actor), (what, *actor, *error), calls, then);
    });
}

fn under(stage: &Stage, what: (&str, Actor, i32), calls: &[i64], then: &Then) {
    let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
    let wrap = format!("{{probe}} without {} {}", what.2, calls.join(","));
    let reply = stage.work_under(&wrap, ACT);
    let outside = || std::path::PathBuf::from(stage.fill("{out}/new")).exists();
    assert!(!outside(), "{what:?}: {reply:?}");
    match (then, reply) {
        (Then::Says(words), Err(told)) => assert!(told.contains(words), "{what:?}: {told}"),
        (Then::Works(files, net), Ok(reply)) => {
            assert_eq!(reply["stdout"], "700\nended\n", "{what:?}: {reply}");
            assert_eq!(
                (held(&reply, "files").as_str(), held(&reply, "net").as_str()),
                (*files, *net)
            );
        }
        (Then::Refused(words), Ok(reply)) => {
            assert_eq!(reply["ending"]["kind"], "refused", "{what:?}: {reply}");
            assert!(reply["reasons"].to_string().contains(words), "{what:?}: {reply}");
        }
        (Then::NotStarted(words), Ok(reply)) => {
            assert_eq!(reply["ending"]["kind"], "not_started", "{what:?}: {reply}");
            let told = reply["hints"].to_string();
            let implemented = what.2 == 38;
            assert!(told.contains(words) || implemented, "{what:?}: {reply}");
        }
        (_, reply) => panic!("{what:?}: {reply:?}"),
    }
}
