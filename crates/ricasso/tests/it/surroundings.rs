//! What a caller may leave round ricasso: limits, closed descriptors, namespaces, mounts. It starts
//! at the level that is left and says so, or it says what is wrong; never less in silence, and never
//! an ending that the command did not have.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Stage};
use crate::place::{in_parallel, skip};
use ricasso_os::Namespaces;
use serde_json::Value;

/// What becomes of a run.
enum Then {
    /// It works, by namespaces.
    Works,
    /// It works without them.
    Alone,
    /// It works by whatever is left.
    Somehow,
    /// Nothing runs, and these words say why.
    Says(&'static str),
}

/// What is done before ricasso is executed, and what comes of it.
type Case = (&'static str, &'static str, Then);

const ACT: &str = "echo in > {work}/new && chmod 700 {work}/new && stat -c %a {work}/new
echo out > {out}/new; chmod 700 {out}/file; echo ended";

/// For everybody.
const CASES: &[Case] = &[
    ("no input", "exec 0<&-", Then::Works),
    ("no errors", "exec 2>&-", Then::Works),
    ("no home", "unset HOME", Then::Works),
    ("a home that is not there", "HOME=/nonexistent/home", Then::Works),
    ("a home that is a file", "HOME=/etc/passwd", Then::Works),
    ("no path", "unset PATH", Then::Works),
    ("few files", "ulimit -n 32", Then::Works),
    ("few files that may be more", "ulimit -S -n 5", Then::Works),
    ("too few files", "ulimit -n 20", Then::Says("raise the limit (ulimit -n 1024)")),
    ("little stack", "ulimit -s 64", Then::Works),
    ("little of everything", "ulimit -s 64; ulimit -S -n 5; ulimit -d 16000", Then::Works),
    ("less memory", "ulimit -d 3000", Then::Says("ulimit -d")),
    ("less memory than a stack", "ulimit -d 6000; ulimit -s 64", Then::Says("ulimit -s")),
    ("little memory", "ulimit -v 400000; ulimit -d 100000", Then::Works),
    ("nothing locked", "ulimit -l 0", Then::Works),
    ("cores", "ulimit -c unlimited", Then::Works),
    ("signals ignored", "trap '' PIPE CHLD TERM INT HUP USR1", Then::Works),
    ("no larger files", "ulimit -f 0; exec 2>/dev/null", Then::Says("")),
    ("small files", "ulimit -f 1", Then::Says("raise the limit on the size of files (ulimit -f")),
    ("a mask for oneself", "umask 0777", Then::Says("set it to 077")),
    ("a mask for others", "umask 077", Then::Works),
    ("no directory", "mkdir {stage}/d; cd {stage}/d; rmdir {stage}/d", Then::Says("is gone")),
    ("no new rights", "set -- setpriv --no-new-privs \"$@\"", Then::Works),
    ("its own user namespace", "set -- unshare -Ur \"$@\"", Then::Works),
    ("a user without a name", "set -- unshare -U \"$@\"", Then::Alone),
    (
        "a container",
        "set -- unshare -Urmpf --mount-proc setpriv --bounding-set -all \"$@\"",
        Then::Alone,
    ),
    (
        "no mounts",
        "set -- unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_mnt_namespaces; exec \"$@\"' sh \"$@\"",
        Then::Alone,
    ),
    ("some layers of Landlock", "set -- {probe} layers 15 \"$@\"", Then::Alone),
    ("all layers of Landlock", "set -- {probe} layers 16 \"$@\"", Then::Says("16 layers of rules")),
    (
        "no processes",
        "set -- unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_pid_namespaces; exec \"$@\"' sh \"$@\"",
        Then::Alone,
    ),
    (
        "no queues",
        "set -- unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_ipc_namespaces; exec \"$@\"' sh \"$@\"",
        Then::Alone,
    ),
    (
        "no networks",
        "set -- unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_net_namespaces; exec \"$@\"' sh \"$@\"",
        Then::Works,
    ),
];

/// For root, who can arrange more.
const OF_ROOT: &[Case] = &[
    ("no capabilities", "set -- setpriv --bounding-set -all --inh-caps -all \"$@\"", Then::Alone),
    (
        "root is nobody special",
        "set -- setpriv --securebits +noroot,+noroot_locked \"$@\"",
        Then::Alone,
    ),
    ("no /proc", "umount -l /proc", Then::Says("/proc is not mounted")),
    ("another /proc", "mount -t tmpfs none /proc", Then::Says("/proc is not mounted")),
    (
        "the /proc of another namespace",
        "set -- unshare --pid --fork \"$@\"",
        Then::Says("shows another namespace"),
    ),
    ("a shy /proc", "mount -t proc -o hidepid=2 proc /proc", Then::Works),
    (
        "a covered /proc",
        "mount -t tmpfs none /proc/sys; mount --bind /dev/null /proc/kcore",
        Then::Works,
    ),
    (
        "a /proc that nobody can mount again",
        "mount -t tmpfs none /proc/sys; set -- unshare -Ur \"$@\"",
        Then::Alone,
    ),
    ("no /sys", "umount -l /sys", Then::Works),
    ("no devices", "mount -t tmpfs none /dev", Then::Works),
    (
        "no devices, and no namespaces",
        "mount -t tmpfs none /dev; set -- {probe} without-namespaces \"$@\"",
        Then::Alone,
    ),
    ("one device", "mount -t tmpfs none /dev; mknod -m 666 /dev/null c 1 3", Then::Works),
    ("no room in /tmp", "mount -t tmpfs -o ro none /tmp", Then::Works),
    ("nothing starts in /tmp", "mount -t tmpfs -o noexec none /tmp", Then::Works),
    (
        "a home for reading",
        "mount --bind {home} {home}; mount -o remount,ro,bind {home}",
        Then::Works,
    ),
    ("shared mounts", "mount --make-rshared /", Then::Works),
    (
        "another root",
        "mkdir {stage}/r; mount --rbind / {stage}/r; set -- chroot {stage}/r \"$@\"",
        Then::Somehow,
    ),
];

/// For everybody whose processes the kernel counts.
const OF_NOBODY: &[Case] =
    &[("no more processes", "set -- prlimit --nproc=1 \"$@\"", Then::Says("ulimit -u"))];

#[test]
fn whatever_surrounds_it_it_starts_at_the_level_that_is_left_or_says_why_not() {
    let name = "whatever_surrounds_it";
    let powers = powers();
    if powers.namespaces == Namespaces::None || powers.landlock < 6 {
        return skip(name, "this machine has less than the surroundings would leave");
    }
    let hall = Hall::new();
    let mut tries = Vec::new();
    for actor in hall.actors() {
        let (more, before) = match actor {
            Actor::Root => (OF_ROOT, "/usr/bin/unshare --mount "),
            Actor::Nobody | Actor::Ourselves => (OF_NOBODY, ""),
        };
        tries.extend(CASES.iter().map(|case| (actor, case, "")));
        tries.extend(more.iter().map(|case| (actor, case, before)));
    }
    in_parallel(4, &tries, |(actor, case, before)| {
        surrounded(&Stage::new(&hall, *actor), *actor, case, before);
    });
}

fn surrounded(stage: &Stage, actor: Actor, (name, text, then): &Case, before: &str) {
    let round = format!(
        "cat > {{stage}}/round <<'END'\n{text}\ncd {{work}} 2>&- || true\nexec \"$@\"\nEND\n"
    );
    let round =
        if name == &"no directory" { round.replace("cd {work} 2>&- || true\n", "") } else { round };
    assert!(stage.outside(&round).status.success(), "{name}");
    let reply = stage.work_under(&format!("{before}/bin/sh {{stage}}/round"), ACT);
    let what = format!("{name} as {actor:?}: {reply:?}");
    let outside = std::path::PathBuf::from(stage.fill("{out}/new"));
    assert!(!outside.exists(), "{what}");
    let works = |reply: &Value| {
        assert_eq!(reply["stdout"], "700\nended\n", "{what}");
        assert_eq!(reply["exit_code"], 0, "{what}");
        assert_eq!(reply["enforced"]["missing"], serde_json::json!([]), "{what}");
        reply["enforced"]["files"].as_str().unwrap().to_string()
    };
    match (then, reply.as_ref()) {
        (Then::Works, Ok(reply)) => assert!(works(reply).contains("mountns"), "{what}"),
        (Then::Alone, Ok(reply)) => assert!(works(reply).contains("notify"), "{what}"),
        (Then::Somehow, Ok(reply)) => assert_ne!(works(reply), "none", "{what}"),
        (Then::Says(words), Ok(reply)) => {
            assert_eq!(reply["ending"]["kind"], "not_started", "{what}");
            assert!(reply["hints"].to_string().contains(words), "{what}");
        }
        (Then::Says(words), Err(told)) => assert!(told.contains(words), "{what}"),
        (_, Err(_)) => panic!("{what}"),
    }
}

/// As nobody, where /proc shows nobody what he could not trace, and the first process of a job is
/// such a one.
#[test]
fn limits_and_endings_reach_a_job_whose_first_process_proc_hides() {
    let name = "limits_and_endings_reach_a_job";
    let hall = Hall::new();
    if powers().namespaces != Namespaces::Root {
        return skip(name, "only root can be another user and mount /proc");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let policy =
        "version = 1\nextends = \"workspace\"\n[limits]\nmemory = \"96MiB\"\ntimeout = \"4s\"\n";
    std::fs::write(stage.fill("{stage}/policy.toml"), policy).unwrap();
    for (act, kind) in [
        ("python3 -c 'x = bytearray(300 << 20); import time; time.sleep(50)'", "limit"),
        // The word to end is heard, long before the kill.
        ("trap 'echo heard; exit' TERM; while :; do sleep 0.1; done", "timed_out"),
    ] {
        std::fs::write(stage.fill("{stage}/act.sh"), act).unwrap();
        let text = "mount -t proc -o hidepid=2 proc /proc
            export HOME={home} XDG_STATE_HOME={state}; cd {work}
            exec setpriv --reuid 65534 --regid 65534 --clear-groups {bin}/ricasso run --json \
            --root {work} --policy {stage}/policy.toml -- /bin/sh {stage}/act.sh";
        let mut round = std::process::Command::new("unshare");
        let output = round.args(["--mount", "/bin/sh", "-c", &stage.fill(text)]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let reply: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!(reply["ending"]["kind"], kind, "{reply}");
        assert_eq!(reply["stdout"] == "heard\n", kind == "timed_out", "{reply}");
    }
}
