//! What kind of machine this is, for the list of tests that may be skipped.
//!
//! The answers come from probes of this file alone. A test that skips itself for no good reason
//! must not decide also whether it may.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One kind of host: its name in the list, and the probe that recognises it.
struct HostKind {
    name: &'static str,
    probe: fn(root: &Path) -> bool,
}

/// Every kind that a row of the list may name, besides `without:PROGRAM`.
const HOST_KINDS: &[HostKind] = &[
    HostKind { name: "any", probe: |_| true },
    HostKind { name: "not-root", probe: |_| !is_root() },
    HostKind { name: "no-namespaces", probe: |_| !namespaces_are_allowed() },
    HostKind { name: "no-user-namespaces", probe: |_| !succeeds("unshare", &["-Ur", "true"]) },
    HostKind { name: "seccomp-filtered", probe: |_| has_seccomp_filter(&own_status()) },
    HostKind { name: "sigint-ignored", probe: |_| ignores_sigint(&own_status()) },
    HostKind { name: "no-cgroup", probe: |_| !cgroup_can_be_made() },
    HostKind { name: "no-network", probe: |_| !registries_answer() },
    HostKind { name: "no-shared", probe: |root| !shared_corpora(root).is_file() },
    HostKind { name: "old-kernel", probe: |_| kernel_is_older_than(&kernel_release(), (6, 12)) },
    HostKind { name: "not-x86-64", probe: |_| std::env::consts::ARCH != "x86_64" },
];

/// Begins a kind that names a program which is not installed.
const WITHOUT: &str = "without:";

/// This machine. Each probe is made when it is first asked for, and once.
pub(crate) struct Host {
    root: PathBuf,
    probed: BTreeMap<String, bool>,
}

impl Host {
    /// The machine that runs the tests of the repository at `root`.
    pub(crate) fn new(root: &Path) -> Host {
        Host { root: root.to_path_buf(), probed: BTreeMap::new() }
    }

    /// A machine whose kinds are known, for tests.
    #[cfg(test)]
    pub(crate) fn of(kinds: &[(&str, bool)]) -> Host {
        let probed = kinds.iter().map(|(kind, holds)| ((*kind).to_owned(), *holds)).collect();
        Host { root: PathBuf::from("/"), probed }
    }

    /// Whether this machine is of that kind.
    pub(crate) fn is(&mut self, kind: &str) -> bool {
        if let Some(known) = self.probed.get(kind) {
            return *known;
        }
        let holds = match kind.strip_prefix(WITHOUT) {
            Some(program) => !is_installed(program),
            None => {
                let found = HOST_KINDS.iter().find(|known| known.name == kind);
                found.is_some_and(|known| (known.probe)(&self.root))
            }
        };
        self.probed.insert(kind.to_owned(), holds);
        holds
    }
}

/// Whether a row of the list may name this kind.
pub(crate) fn is_known_kind(kind: &str) -> bool {
    let program = kind.strip_prefix(WITHOUT);
    program.is_some_and(|name| !name.is_empty()) || HOST_KINDS.iter().any(|k| k.name == kind)
}

/// Whether the effective user is root.
pub(crate) fn is_root() -> bool {
    effective_uid(&own_status()) == Some(0)
}

fn own_status() -> String {
    fs::read_to_string("/proc/self/status").unwrap_or_default()
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
}

fn effective_uid(status: &str) -> Option<u32> {
    field(status, "Uid")?.split_whitespace().nth(1)?.parse().ok()
}

fn has_seccomp_filter(status: &str) -> bool {
    field(status, "Seccomp") == Some("2")
}

fn ignores_sigint(status: &str) -> bool {
    let ignored = field(status, "SigIgn").and_then(|mask| u64::from_str_radix(mask, 16).ok());
    ignored.is_some_and(|mask| mask & (1 << 1) != 0)
}

fn kernel_release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default()
}

fn kernel_is_older_than(release: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = release.split(['.', '-']).map_while(|part| part.trim().parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < wanted
}

fn succeeds(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether mounts and processes can have namespaces with a /proc of their own. Root may need no
/// user namespace for that. In a chroot `/` is no mount, so its propagation cannot be changed, and
/// the sandbox has no mount namespaces there either.
fn namespaces_are_allowed() -> bool {
    let rest = ["-mpf", "--mount-proc", "true"];
    let by_user = [&["-Ur"][..], &rest].concat();
    (is_root() && succeeds("unshare", &rest)) || succeeds("unshare", &by_user)
}

/// The two installers of the clients that tests use, each once and without a second attempt.
fn registries_answer() -> bool {
    let place = std::env::temp_dir().join(format!("ricasso-registry-{}", std::process::id()));
    let directory = place.to_string_lossy().into_owned();
    let pip = ["-m", "pip", "download", "--no-deps", "--retries=0", "--timeout=5", "-d"];
    let pip: Vec<&str> = pip.into_iter().chain([directory.as_str(), "wheel"]).collect();
    let npm = ["view", "npm", "version", "--fetch-retries=0", "--fetch-timeout=5000"];
    let answer = succeeds("python3", &pip) && succeeds("npm", &npm);
    // Nothing is there when the download failed.
    let _ = fs::remove_dir_all(&place);
    answer
}

/// One file of the data that projects share: below `RICASSO_SHARED`, else beside the repository.
fn shared_corpora(root: &Path) -> PathBuf {
    let shared = std::env::var_os("RICASSO_SHARED").map(PathBuf::from);
    shared.unwrap_or_else(|| root.join("../shared")).join("reader/snippets.jsonl")
}

fn cgroup_can_be_made() -> bool {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    own_cgroups(&own).iter().any(|place| {
        let probe = place.join(format!("ricasso-probe-{}", std::process::id()));
        fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe)).is_ok()
    })
}

/// The directories of the groups that count memory, of both versions.
fn own_cgroups(text: &str) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let mounts: &[&str] = match controllers {
            "" => &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
            list if list.split(',').any(|name| name == "memory") => &["/sys/fs/cgroup/memory"],
            _ => &[],
        };
        places.extend(mounts.iter().map(|mount| PathBuf::from(format!("{mount}{path}"))));
    }
    places
}

/// Whether a program of this name is on the path.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tcargo\nUid:\t1000\t1000\t1000\t1000\n\
                          SigIgn:\t0000000000001002\nSeccomp:\t2\nSeccomp_filters:\t1\n";

    #[test]
    fn status_tells_user_filter_and_ignored_signals() {
        assert_eq!(effective_uid(STATUS), Some(1000));
        assert!(has_seccomp_filter(STATUS) && ignores_sigint(STATUS));
        let plain = "Uid:\t0\t0\t0\t0\nSigIgn:\t0000000000001000\nSeccomp:\t0\n";
        assert_eq!(effective_uid(plain), Some(0));
        assert!(!has_seccomp_filter(plain) && !ignores_sigint(plain));
    }

    #[test]
    fn kernel_age_is_that_of_its_first_two_numbers() {
        for (release, older) in [("6.1.0-44-amd64", true), ("6.11\n", true), ("", true)] {
            assert_eq!(kernel_is_older_than(release, (6, 12)), older, "{release}");
        }
        for release in ["6.12.3", "6.18-rc1", "7.0.1"] {
            assert!(!kernel_is_older_than(release, (6, 12)), "{release}");
        }
    }

    #[test]
    fn cgroups_of_both_versions_are_found() {
        let found = own_cgroups("4:memory:/a\n3:cpu,cpuacct:/b\n0::/c\nnonsense\n");
        let wanted = ["/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/c", "/sys/fs/cgroup/unified/c"];
        assert_eq!(found, wanted.map(PathBuf::from));
    }

    #[test]
    fn unknown_kind_is_no_kind_of_any_host() {
        let mut host = Host::new(Path::new("/"));
        assert!(host.is("any") && is_known_kind("any"));
        assert!(!host.is("warm") && !is_known_kind("warm") && !is_known_kind("without:"));
        assert!(is_known_kind("without:zsh"));
        assert!(host.is("without:no-such-program") && !host.is("without:sh"));
    }
}
