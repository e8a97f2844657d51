//! Limits of a whole tree: each is broken by a real tree, by every mechanism that this machine
//! has, and the reply names the limit and what held it.

use crate::cage::{engine, powers, run, with};
use crate::place::{PATIENCE, Place, signal, skip, skip_part};
use ricasso_os::{Grouping, Namespaces, Powers};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

const LIMITED: &str = "extends = \"workspace\"\n[limits]\nprocesses = 40\nmemory = \"96MiB\"\n\
                       cpu = \"2s\"\ntimeout = \"60s\"\n";

/// The machine as it is, and with less and less.
fn hosts() -> Vec<(&'static str, Powers)> {
    let whole = powers();
    let mut hosts = vec![("whole", whole)];
    let ungrouped = Powers { groups: Grouping::None, ..whole };
    if whole.groups == Grouping::None {
        skip_part("limits", "without groups", "no group of processes may be made here");
    } else {
        hosts.push(("without groups", ungrouped));
    }
    let bare = Powers { namespaces: Namespaces::None, netns: false, ..ungrouped };
    if bare.holds_files_alone() {
        hosts.push(("without groups and namespaces", bare));
    }
    hosts
}

#[test]
fn the_tree_as_a_whole_is_bounded_whatever_the_machine_offers() {
    let cases = [
        // None of them has much, all of them have more than the job may.
        (
            "for i in 1 2 3 4 5 6 7 8; do head -c 40000000 /dev/zero | tail -c 40000000 | sleep 50 & done; wait",
            "memory",
        ),
        ("while :; do sleep 50 & done", "processes"),
        ("for i in 1 2 3 4; do (while :; do :; done) & done; wait", "cpu"),
        ("while :; do (i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done); done", "cpu"),
    ];
    // The kernel counts whole seconds.
    let limited = LIMITED.replace("cpu = \"2s\"", "cpu = \"1s\"");
    for (name, powers) in hosts() {
        for (text, limit) in cases {
            let place = Place::new();
            let engine = engine(&place, with(&limited), powers);
            let reply = json!(run(&engine, &place, text));
            assert_eq!(reply["ending"]["kind"], "limit", "{name}: {text}: {reply}");
            assert_eq!(reply["ending"]["limit"], limit, "{name}: {text}: {reply}");
            let held = reply["enforced"]["limits"].as_str().unwrap();
            let expected = match powers {
                Powers { groups: Grouping::Separate, .. } => "cgroup1+rlimit+poll",
                Powers { groups: Grouping::Unified, .. } => "cgroup2+rlimit+poll",
                Powers { namespaces: Namespaces::User, .. } => "nproc+rlimit+poll",
                _ => "rlimit+poll",
            };
            assert_eq!(held, expected, "{name}: {reply}");
        }
    }
}

#[test]
fn a_group_counts_the_time_of_children_that_nobody_waited_for() {
    if powers().groups == Grouping::None {
        return skip("a_group_counts_the_time", "no group of processes may be made here");
    }
    let place = Place::new();
    let engine = engine(&place, with(LIMITED), powers());
    let reply = json!(run(
        &engine,
        &place,
        "exec perl -e '$SIG{CHLD} = q(IGNORE); while (1) { if (!fork) { 1 while times() < 0.2; \
         exit } wait }'",
    ));
    assert_eq!(reply["ending"]["limit"], "cpu", "{reply}");
}

/// Where a group lies, by the line that the command saw of it.
fn group_of(line: &str) -> Option<(i32, PathBuf)> {
    let path = line.splitn(3, ':').nth(2)?;
    let name = path.rsplit('/').next()?.strip_prefix("ricasso-")?;
    let warden = name.split('-').next()?.parse().ok()?;
    let mounts = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let places = mounts.map(|mount| PathBuf::from(format!("{mount}{path}")));
    places.into_iter().find(|place| place.is_dir()).map(|place| (warden, place))
}

const FOUND: &str = "until grep -q ricasso- /proc/self/cgroup; do sleep 0.01; done; \
                     grep -E 'memory|^0::' /proc/self/cgroup | grep ricasso- > new; mv new where; ";

#[test]
fn a_group_goes_with_its_job_and_one_without_a_warden_is_swept() {
    if powers().groups == Grouping::None {
        return skip("a_group_goes_with_its_job", "no group of processes may be made here");
    }
    for (rest, killed) in [("until [ -e go ]; do sleep 0.01; done", false), ("sleep 50", true)] {
        let place = Place::new();
        let engine = engine(&place, with(LIMITED), powers());
        let group = std::thread::scope(|scope| {
            let job = scope.spawn(|| run(&engine, &place, &format!("{FOUND}{rest}")));
            let began = Instant::now();
            while !place.work().join("where").exists() && began.elapsed() < PATIENCE {
                assert!(!job.is_finished(), "it ended before it was in a group");
                std::thread::yield_now();
            }
            let line = fs::read_to_string(place.work().join("where")).unwrap();
            let (warden, group) = group_of(line.trim()).unwrap_or_else(|| panic!("{line}"));
            assert!(fs::read_to_string(group.join("cgroup.procs")).unwrap().lines().count() > 1);
            if killed {
                assert!(signal("-9", warden));
            } else {
                place.write("go", "");
            }
            let reply = job.join().unwrap();
            assert_eq!(reply.exit_code == Some(0), !killed, "{reply:?}");
            group
        });
        if killed {
            // The next start finds it.
            let again: Powers = powers();
            assert_ne!(again.groups, Grouping::None);
        }
        let began = Instant::now();
        while group.exists() && began.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        assert!(!group.exists(), "{}", group.display());
    }
}

#[test]
fn what_fills_the_sessions_tmp_is_ended_and_named_and_may_be_taken_away() {
    let limited = "extends = \"workspace\"\n[limits]\ntmp = \"48MiB\"\ntimeout = \"60s\"\n";
    let mut hosts = hosts();
    hosts.retain(|(name, _)| *name != "without groups");
    for (name, powers) in hosts {
        let place = Place::new();
        let engine = engine(&place, with(limited), powers);
        for fill in [
            "head -c 200000000 /dev/zero > ${TMPDIR:-/tmp}/full; sleep 50",
            // Nothing shows it any more.
            "exec 3> ${TMPDIR:-/tmp}/gone; rm ${TMPDIR:-/tmp}/gone; head -c 200000000 /dev/zero >&3; sleep 50",
        ] {
            let reply = json!(run(&engine, &place, fill));
            assert_eq!(reply["ending"]["limit"], "tmp", "{name}: {fill}: {reply}");
        }
        let text = "rm ${TMPDIR:-/tmp}/full && head -c 200000000 /dev/zero > big && sleep 1 && rm big && echo ok";
        let reply = json!(run(&engine, &place, text));
        assert_eq!(reply["stdout"], "ok\n", "{name}: {reply}");
    }
}

#[test]
fn memory_behind_descriptors_and_threads_count_too() {
    let memory = "import os, time\nf = os.memfd_create('x')\n\
                  for _ in range(300): os.write(f, bytes(1 << 20))\ntime.sleep(50)";
    let threads = "import threading, time\n\
                   for _ in range(200): threading.Thread(target=time.sleep, args=(50,)).start()";
    for (name, powers) in hosts() {
        let place = Place::new();
        let engine = engine(&place, with(LIMITED), powers);
        for (text, limit) in [(memory, "memory"), (threads, "processes")] {
            if limit == "processes" && powers.namespaces == Namespaces::User {
                // There the kernel refuses the thread itself.
                continue;
            }
            place.write("act.py", text);
            let reply = json!(run(&engine, &place, "ulimit -s 256; exec python3 act.py"));
            assert_eq!(reply["ending"]["limit"], limit, "{name}: {reply}");
        }
    }
}

#[test]
fn memory_of_both_kinds_counts_together() {
    let both = "import os, time\nf = os.memfd_create('x')\n\
                for _ in range(64): os.write(f, bytes(1 << 20))\n\
                own = bytearray(os.urandom(1 << 20)) * 56\ntime.sleep(50)";
    for (name, powers) in hosts() {
        let place = Place::new();
        let engine = engine(&place, with(LIMITED), powers);
        place.write("act.py", both);
        let reply = json!(run(&engine, &place, "exec python3 act.py"));
        assert_eq!(reply["ending"]["limit"], "memory", "{name}: {reply}");
    }
}

/// What a process holds in places of /proc that its first thread does not show.
const BY_A_THREAD: &str = "import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
def own():
    if sys.argv[1] != 'leaderless': libc.unshare(0x400)
    if sys.argv[1] == 'leaderless': held = bytearray(os.urandom(1 << 20)) * 300
    else:
        room = os.environ.get('TMPDIR', '/tmp')
        f = os.memfd_create('x') if sys.argv[1] == 'memory' else os.open(room, os.O_TMPFILE | os.O_RDWR)
        for _ in range(300): os.write(f, bytes(1 << 20))
    time.sleep(50)
threading.Thread(target=own).start()
if sys.argv[1] == 'leaderless': libc.syscall(60 if os.uname().machine == 'x86_64' else 93, 0)
";

#[test]
fn what_only_another_thread_holds_counts_too() {
    let limited = format!("{LIMITED}tmp = \"48MiB\"\n");
    for (name, powers) in hosts() {
        let place = Place::new();
        let engine = engine(&place, with(&limited), powers);
        place.write("act.py", BY_A_THREAD);
        for (kind, limit) in [("leaderless", "memory"), ("memory", "memory"), ("file", "tmp")] {
            let reply = json!(run(&engine, &place, &format!("exec python3 act.py {kind}")));
            assert_eq!(reply["ending"]["limit"], limit, "{name}: {kind}: {reply}");
        }
    }
}

#[test]
fn a_signal_that_a_program_sends_itself_is_no_limit() {
    let place = Place::new();
    let engine = engine(&place, with(LIMITED), powers());
    let reply = json!(run(&engine, &place, "kill -XCPU $$"));
    assert_eq!(reply["ending"]["kind"], "signalled", "{reply}");
    assert_eq!(reply["ending"]["limit"], json!(null), "{reply}");
}

#[test]
fn memory_that_is_nobodys_resident_counts_too() {
    let tables = "import ctypes, time\nlibc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\n\
                  size = 192 << 30\nat = libc.mmap(None, ctypes.c_size_t(size), 1, 0x4022, -1, 0)\n\
                  for one in range(0, size, 2 << 20): ctypes.c_ubyte.from_address(at + one).value\n\
                  time.sleep(50)";
    let files = "import time\nfor n in range(240):\n    with open('/dev/shm/%d' % n, 'wb') as f: \
                 f.write(bytes(1 << 20))\ntime.sleep(50)";
    // Whoever cannot be looked into could hold what nobody sees.
    let hidden = "import ctypes, os, time\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n\
                  f = os.memfd_create('x')\nfor _ in range(300): os.write(f, bytes(1 << 20))\n\
                  time.sleep(50)";
    for (name, powers) in hosts() {
        for text in [tables, files, hidden] {
            if text == files && powers.namespaces == Namespaces::None {
                // There is no such place without namespaces.
                continue;
            }
            let place = Place::new();
            let engine = engine(&place, with(LIMITED), powers);
            place.write("act.py", text);
            let reply = json!(run(&engine, &place, "exec python3 act.py"));
            assert_eq!(reply["ending"]["limit"], "memory", "{name}: {text}: {reply}");
        }
    }
}
