//! A place where a guard that fails hurts nobody: namespaces in which everything but the test's own
//! directory is read-only and there are no devices.
//!
//! It is made with unshare(1) and not with our own cage: what is tested must not guard the test.

use crate::place::Place;
use std::process::Command;
use std::sync::OnceLock;

/// Makes the place and becomes the program. `$1` is the directory that stays writable.
const SCRIPT: &str = r#"
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount -t tmpfs -o mode=755 none /mnt
for device in null zero urandom random full tty; do
    [ -e /dev/$device ] && : > /mnt/$device && mount --bind /dev/$device /mnt/$device
done
ln -s /proc/self/fd /mnt/fd; ln -s fd/0 /mnt/stdin; ln -s fd/1 /mnt/stdout; ln -s fd/2 /mnt/stderr
mkdir /mnt/shm; mount -t tmpfs none /mnt/shm
mount --rbind /mnt /dev
mount -t tmpfs none /tmp
mount -o remount,bind,ro /
for at in /home /root /var /run /opt /srv /usr /etc /boot /mnt; do
    mountpoint -q $at && mount -o remount,bind,ro $at 2>/dev/null || true
done
shift
cd "$1"
shift
exec "$@"
"#;

/// Why there is no such place here; nothing where there is one.
pub(super) fn missing() -> Option<&'static str> {
    static MISSING: OnceLock<Option<&'static str>> = OnceLock::new();
    *MISSING.get_or_init(|| {
        let place = Place::new();
        let mut probe = Command::new("true");
        probe.current_dir(place.work());
        let tried = within(&place, &probe).output();
        match tried.is_ok_and(|output| output.status.success()) {
            true => None,
            false => Some("no namespaces for a harmless place: unshare(1) failed"),
        }
    })
}

/// The same command, in such a place.
pub(super) fn within(place: &Place, command: &Command) -> Command {
    let mut inside = Command::new("unshare");
    inside.args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc"]);
    inside.args(["--kill-child", "sh", "-c", SCRIPT, "sh"]);
    inside.arg(&place.root);
    inside.arg(command.get_current_dir().unwrap_or(&place.work()));
    inside.arg(command.get_program()).args(command.get_args());
    inside.env_clear();
    inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if command.get_envs().all(|(name, _)| name != "PATH") {
        inside.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    }
    inside.stdin(std::process::Stdio::null());
    inside
}
