//! Who speaks with daemons through unix sockets, as data: programs by name, and what their files
//! tell of them.
//!
//! Any program makes such a socket when its C library wants the name of a user. So a socket alone
//! says nothing, and a wrong name here is a sentence too much or too little in a reply: never more.

/// How a program asks for its socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// With the same flags as the C library, from which it cannot be told.
    LikeTheLibrary,
    /// With others.
    InItsOwnWay,
}

/// Written in Go, or clients of the system's bus: sockets that never block.
const LIKE_THE_LIBRARY: [&str; 26] = [
    "docker",
    "docker-compose",
    "docker-buildx",
    "podman",
    "podman-remote",
    "nerdctl",
    "ctr",
    "crictl",
    "buildctl",
    "buildah",
    "skopeo",
    "lxc",
    "incus",
    "snap",
    "kind",
    "minikube",
    "systemctl",
    "systemd-run",
    "journalctl",
    "busctl",
    "loginctl",
    "machinectl",
    "hostnamectl",
    "timedatectl",
    "resolvectl",
    "networkctl",
];

/// Databases, agents of keys, terminals, editors, buses, watchers.
const IN_THEIR_OWN_WAY: [&str; 36] = [
    "psql",
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "pg_isready",
    "createdb",
    "dropdb",
    "postgres",
    "mysql",
    "mysqladmin",
    "mysqldump",
    "mysqld",
    "mariadb",
    "mariadbd",
    "redis-cli",
    "valkey-cli",
    "mongosh",
    "ssh-add",
    "ssh-agent",
    "gpg",
    "gpg-agent",
    "gpgconf",
    "gpg-connect-agent",
    "tmux",
    "screen",
    "emacsclient",
    "dbus-send",
    "dbus-daemon",
    "dbus-monitor",
    "gdbus",
    "gsettings",
    "logger",
    "lpr",
    "xclip",
    "watchman",
    "dmypy",
];

/// Whether the name is of such a program. The kernel keeps 15 bytes of a name.
pub(super) fn habit(name: &[u8]) -> Option<Habit> {
    const KEPT: usize = 15;
    // A terminal multiplexer calls itself `tmux: client`.
    let name = name.split(|byte| *byte == b':').next().unwrap_or(name);
    let is = |known: &&str| {
        let known = known.as_bytes();
        known == name || name.len() == KEPT && known.starts_with(name)
    };
    if LIKE_THE_LIBRARY.iter().any(is) {
        return Some(Habit::LikeTheLibrary);
    }
    IN_THEIR_OWN_WAY.iter().any(is).then_some(Habit::InItsOwnWay)
}

/// Whether the kernel laid no loader beside a program, as the table says that it handed over with
/// it (getauxval(3)).
pub(super) fn has_no_loader(table: &[u8]) -> bool {
    /// AT_BASE: where the loader is. The kernel always says it.
    const LOADER: usize = 7;
    let entries = table.as_chunks::<{ size_of::<usize>() }>().0.as_chunks::<2>().0;
    let mut entries = entries.iter().map(|entry| entry.map(usize::from_ne_bytes));
    entries.any(|entry| entry == [LOADER, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_as_much_of_their_name_as_the_kernel_keeps() {
        assert_eq!(habit(b"docker"), Some(Habit::LikeTheLibrary));
        assert_eq!(habit(b"tmux: client"), Some(Habit::InItsOwnWay));
        assert_eq!(habit(b"gpg-connect-age"), Some(Habit::InItsOwnWay));
        for other in [&b"dockerd"[..], b"gpg-connect", b"", b"ls", b"d\xffcker", b"\x1b[31mpsql"] {
            assert_eq!(habit(other), None, "{other:?}");
        }
    }

    #[test]
    fn who_has_a_loader_is_read_from_what_the_kernel_handed_over() {
        let table = |base: usize| {
            let all = [[6, 4096], [LOADER, base], [9, 0x40_1000], [0, 0]];
            all.concat().into_iter().flat_map(usize::to_ne_bytes).collect::<Vec<u8>>()
        };
        const LOADER: usize = 7;
        assert!(has_no_loader(&table(0)));
        assert!(!has_no_loader(&table(0x7f00_0000_0000)));
        assert!(!has_no_loader(&table(0)[..20]) && !has_no_loader(&[]));
        let own = std::fs::read("/proc/self/auxv").unwrap();
        assert!(!has_no_loader(&own), "tests have a loader");
    }
}
