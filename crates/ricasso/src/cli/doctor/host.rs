//! What this machine gives a sandbox, and what to change where it gives less.

use ricasso_os::Host;
use serde::Serialize;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What Docker must be told so that user namespaces, and a /proc in them, can be had.
const DOCKER: &str = "start the container with docker run --security-opt seccomp=unconfined \
                      --security-opt systempaths=unconfined …";
/// What Podman must be told: it lets user namespaces be made, and covers parts of /proc.
const PODMAN: &str = "start the container with podman run --security-opt unmask=ALL …";
/// The oldest Landlock that holds files without namespaces.
const ENOUGH_LANDLOCK: u32 = 6;

/// The machine, for the report.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Facts {
    kernel: String,
    uid: Option<u32>,
    /// What sandboxes can be built from; nothing where it could not be tried.
    powers: Option<Powers>,
    container: Option<&'static str>,
    /// Whether a seccomp filter lies round this process.
    filtered: bool,
    chroot: bool,
    /// The AppArmor profile of this process, unless it is unconfined.
    apparmor: Option<String>,
    /// Settings that keep user namespaces from being made, each with the value that lets them.
    sysctls: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Powers {
    landlock: u32,
    namespaces: &'static str,
    network_namespaces: bool,
    seccomp: bool,
    seccomp_notify: bool,
    cgroups: &'static str,
    #[serde(skip)]
    has_namespaces: bool,
}

impl Facts {
    /// What is known without an engine.
    pub(super) fn unprobed() -> Facts {
        Facts {
            kernel: Host::probe().kernel,
            uid: status("Uid:").and_then(|uids| uids.split_whitespace().next()?.parse().ok()),
            powers: None,
            container: container(),
            filtered: status("Seccomp:").is_some_and(|mode| mode == "2"),
            chroot: is_chroot(),
            apparmor: apparmor(),
            sysctls: sysctls(),
        }
    }

    /// The machine that an engine has probed.
    pub(super) fn probed(host: &Host) -> Facts {
        let powers = host.powers;
        let powers = Powers {
            landlock: powers.landlock,
            namespaces: powers.namespaces.name(),
            network_namespaces: powers.netns,
            seccomp: powers.seccomp,
            seccomp_notify: powers.notify,
            cgroups: powers.groups.name(),
            has_namespaces: powers.has_namespaces(),
        };
        Facts { powers: Some(powers), ..Facts::unprobed() }
    }

    /// The machine in one line.
    pub(super) fn line(&self) -> String {
        let mut words = vec![format!("Linux {}", self.kernel)];
        if let Some(powers) = &self.powers {
            words.push(match powers.landlock {
                0 => "no Landlock".into(),
                version => format!("Landlock {version}"),
            });
            words.push(match (powers.has_namespaces, powers.network_namespaces) {
                (false, _) => "no namespaces".into(),
                (true, false) => "namespaces without network".into(),
                (true, true) => "namespaces".into(),
            });
        }
        words.extend(self.uid.map(|uid| format!("uid {uid}")));
        words.extend(self.container.map(|kind| format!("in a container ({kind})")));
        let other = [(self.chroot, "in a chroot"), (self.filtered, "under a seccomp filter")];
        words.extend(other.iter().filter(|(is, _)| *is).map(|(_, what)| (*what).to_string()));
        words.join(", ")
    }

    /// What to change on this machine.
    pub(super) fn advice(&self) -> Vec<String> {
        let Some(powers) = &self.powers else { return Vec::new() };
        let mut advice = Vec::new();
        if !powers.seccomp || !powers.seccomp_notify {
            advice.push(match self.container.is_some() || self.filtered {
                true => "allow seccomp(2) in the seccomp profile of the container".into(),
                false => "use Linux 5.5 or newer with CONFIG_SECCOMP_FILTER=y".into(),
            });
        }
        if powers.has_namespaces && powers.network_namespaces {
            return advice;
        }
        if powers.landlock < ENOUGH_LANDLOCK {
            advice.push(
                "use Linux 6.12 or newer with landlock in /sys/kernel/security/lsm (boot option \
                 lsm=landlock,…), allowed by the seccomp profile of the container; or get user \
                 namespaces"
                    .into(),
            );
        }
        advice.extend(self.namespace_advice());
        advice
    }

    /// How user namespaces can be had here.
    fn namespace_advice(&self) -> Vec<String> {
        let mut ways: Vec<String> =
            self.sysctls.iter().map(|setting| format!("sysctl -w {setting}")).collect();
        if self.chroot {
            ways.push(match self.uid {
                Some(0) => "before chroot: mount --bind DIR DIR".into(),
                Some(_) | None => "enter the directory with pivot_root instead of chroot".into(),
            });
        }
        match self.container {
            Some("podman") => ways.push(PODMAN.into()),
            Some("docker") => ways.push(DOCKER.into()),
            None if !self.filtered => {}
            Some(_) | None => ways.extend([DOCKER.to_string(), PODMAN.to_string()]),
        }
        if let Some(profile) = &self.apparmor {
            ways.push(format!("AppArmor confines this process ({profile}): use another profile"));
        }
        if ways.is_empty() {
            ways.push("something here refuses them: see docs/guide/doctor.md".into());
        }
        ways.iter().map(|way| format!("for user namespaces: {way}")).collect()
    }
}

fn status(key: &str) -> Option<String> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_string())
}

fn container() -> Option<&'static str> {
    if Path::new("/run/.containerenv").exists() {
        return Some("podman");
    }
    if Path::new("/.dockerenv").exists() {
        return Some("docker");
    }
    std::env::var_os("container").map(|_| "other")
}

/// A root that is no mount, or another one than that of the first process, where that can be seen.
fn is_chroot() -> bool {
    let place = |path: &str| fs::metadata(path).map(|found| (found.dev(), found.ino()));
    let is_root = |line: &str| line.split(' ').nth(4) == Some("/");
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let is_mount = mounts.is_empty() || mounts.lines().any(is_root);
    !is_mount
        || matches!((place("/proc/1/root/"), place("/")), (Ok(first), Ok(ours)) if first != ours)
}

fn apparmor() -> Option<String> {
    let label = fs::read_to_string("/proc/self/attr/apparmor/current").ok()?;
    let label = label.trim_end_matches(['\n', '\0']).to_string();
    (!label.is_empty() && label != "unconfined").then_some(label)
}

/// Settings that keep user namespaces from being made, with the value that lets them.
fn sysctls() -> Vec<String> {
    const SETTINGS: [(&str, &str, &str); 3] = [
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("user.max_user_namespaces", "0", "10000"),
    ];
    let is = |name: &str, value: &str| {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
    };
    let bad = SETTINGS.iter().filter(|(name, bad, _)| is(name, bad));
    bad.map(|(name, _, good)| format!("{name}={good}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(change: impl FnOnce(&mut Facts, &mut Powers)) -> Vec<String> {
        let mut powers = Powers {
            landlock: 7,
            namespaces: "none",
            network_namespaces: false,
            seccomp: true,
            seccomp_notify: true,
            cgroups: "none",
            has_namespaces: false,
        };
        let mut facts = Facts {
            kernel: "6.12".into(),
            uid: Some(1000),
            powers: None,
            container: None,
            filtered: false,
            chroot: false,
            apparmor: None,
            sysctls: Vec::new(),
        };
        change(&mut facts, &mut powers);
        facts.powers = Some(powers);
        facts.advice()
    }

    #[test]
    fn each_kind_of_host_is_told_what_to_change() {
        let one = |change: fn(&mut Facts, &mut Powers)| facts(change).join("\n");
        assert_eq!(
            one(|_, powers| {
                powers.has_namespaces = true;
                powers.network_namespaces = true;
            }),
            ""
        );
        type Case = (&'static str, fn(&mut Facts, &mut Powers));
        let cases: [Case; 8] = [
            (DOCKER, |facts, _| facts.container = Some("docker")),
            (PODMAN, |facts, _| facts.container = Some("podman")),
            (PODMAN, |facts, _| facts.filtered = true),
            ("mount --bind", |facts, _| (facts.chroot, facts.uid) = (true, Some(0))),
            ("pivot_root", |facts, _| facts.chroot = true),
            ("sysctl -w a=1", |facts, _| facts.sysctls = vec!["a=1".into()]),
            ("Linux 6.12", |_, powers| powers.landlock = 0),
            ("seccomp(2)", |facts, powers| (facts.filtered, powers.seccomp) = (true, false)),
        ];
        for (words, change) in cases {
            let advice = one(change);
            assert!(advice.contains(words), "{words}: {advice}");
        }
    }
}
