//! Views of the files that are built ahead: a command in a copy of one sees what a command sees
//! whose view was built for it, and what changed since then is never overlooked.

use crate::cage::{powers, run, with};
use crate::escape::copied::Owner;
use crate::escape::stage::{Actor, Hall, Stage};
use crate::place::{PATIENCE, Place, copy_program, program, skip};
use crate::starts::children;
use ricasso_engine::engine::{Chores, Engine, Setup, Spares, Stays};
use ricasso_engine::policy::Policy;
use ricasso_engine::request::{OnFailure, Step, WindowSize};
use ricasso_engine::run::{Ending, StateDir};
use ricasso_os::{Cancel, Keeper, Namespaces, Powers};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is mounted, where and how, with nothing that differs from one time to the next.
pub(crate) const MOUNTS: &str = "cut -d' ' -f4-6,8- /proc/self/mountinfo";

/// What every machine has and every cage hides.
const SECRET: &str = "/etc/shadow";

/// An engine that makes its wardens when it is asked, and prepares the rest.
fn engine(place: &Place, policy: Policy) -> Engine {
    engine_on(place, policy, None)
}

/// The same on a machine with these powers.
fn engine_on(place: &Place, policy: Policy, powers: Option<Powers>) -> Engine {
    engine_of(place, policy, powers, Spares::None)
}

fn engine_of(place: &Place, policy: Policy, powers: Option<Powers>, spares: Spares) -> Engine {
    let keeper = Keeper::program(program()).unwrap();
    let state = StateDir::at(&place.state()).unwrap();
    let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    let (chores, told) = (Chores::Beside, Vec::new());
    let stays = Stays::WithItsJobs;
    Engine::open(Setup { keeper, policy, state, environment, spares, chores, told, powers, stays })
        .unwrap()
}

/// A place that is settled, not below /tmp, and gone at the end.
struct Ground(PathBuf);

impl Ground {
    fn new(name: &str) -> Ground {
        let at = format!("/var/tmp/ricasso-views-{name}-{}", std::process::id());
        let ground = Ground(at.into());
        for part in ["hidden", "root/.git/hooks"] {
            fs::create_dir_all(ground.0.join(part)).unwrap();
        }
        fs::write(ground.0.join("hidden/key"), "hushed\n").unwrap();
        fs::write(ground.0.join("root/.git/config"), "[core]\n").unwrap();
        ground
    }

    fn policy(&self) -> Policy {
        let (hide, unborn) = (self.0.join("hidden"), self.0.join("unborn"));
        let root = self.0.join("root");
        with(&format!(
            "extends = \"workspace\"\n[files]\nhide = [{hide:?}, {unborn:?}]\nwrite = [{root:?}]\n"
        ))
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn says(engine: &Engine, place: &Place, text: &str) -> String {
    run(engine, place, text).stdout.get().clone()
}

/// Whether a list of mounts is that of a copy: there the command's own memory is laid after what it
/// shares with others, such as the mask over a secret; else all is laid in the order of its names.
pub(crate) fn is_copied(mounts: &str) -> bool {
    let points: Vec<_> = mounts.lines().map(|line| line.split(' ').nth(1)).collect();
    let last = |point| points.iter().rposition(|known| *known == Some(point)).unwrap_or_default();
    points.contains(&Some(SECRET)) && last(SECRET) < last("/dev/shm")
}

/// Runs until commands get copies; none where that never happens.
fn copied(engine: &Engine, place: &Place) -> Option<String> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let mounts = says(engine, place, MOUNTS);
        if is_copied(&mounts) {
            return Some(mounts);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

fn sorted(mounts: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = mounts.lines().collect();
    lines.sort_unstable();
    lines
}

/// The machine as root has it, and as somebody has it who needs a user namespace.
fn kinds(name: &str) -> Vec<Powers> {
    let whole = powers();
    if whole.namespaces != Namespaces::Root {
        skip(name, "this is not root, or there are no namespaces here");
        return Vec::new();
    }
    vec![whole, Powers { namespaces: Namespaces::User, ..whole }]
}

#[test]
fn a_copied_view_has_the_mounts_of_one_that_was_built_for_the_command() {
    let name = "a_copied_view_has_the_mounts_of_one_that_was_built_for_the_command";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("same"));
        let engine = engine_on(&place, ground.policy(), Some(powers));
        if copied(&engine, &place).is_none() {
            return skip(name, "something on this machine changes all the time");
        }
        let built = says(&engine_on(&place, ground.policy(), Some(powers)), &place, MOUNTS);
        assert!(!is_copied(&built), "the first command of an engine: {built}");
        for _ in 0..5 {
            let mounts = says(&engine, &place, MOUNTS);
            assert_eq!(sorted(&mounts), sorted(&built));
        }
    }
}

#[test]
fn commands_with_copies_of_one_view_share_no_memory_and_no_terminals() {
    let name = "commands_with_copies_of_one_view_share_no_memory_and_no_terminals";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("apart"));
        let engine = engine_on(&place, ground.policy(), Some(powers));
        if copied(&engine, &place).is_none() {
            return skip(name, "something on this machine changes all the time");
        }
        let leaves = "echo kept > /dev/shm/left; exec 3<>/dev/ptmx; ls /dev/pts | wc -l";
        assert_eq!(says(&engine, &place, leaves), "2\n", "its own terminal and ptmx");
        assert_eq!(says(&engine, &place, "ls /dev/shm /dev/pts"), "/dev/pts:\nptmx\n\n/dev/shm:\n");
    }
}

/// The mount namespaces that a process holds by descriptors.
fn held(pid: u32) -> BTreeSet<String> {
    let fds = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let links = fds.flatten().filter_map(|fd| fs::read_link(fd.path()).ok());
    let names = links.map(|link| link.to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("mnt:[")).collect()
}

#[test]
fn a_copy_that_was_made_ahead_is_for_one_command() {
    let name = "a_copy_that_was_made_ahead_is_for_one_command";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("ahead"));
        let engine = engine_on(&place, ground.policy(), Some(powers));
        // One that was used before would show the mark.
        let text = "ls -A /dev/shm; echo used > /dev/shm/mark; readlink /proc/self/ns/mnt";
        let (began, mut taken) = (Instant::now(), 0);
        while taken < 5 {
            if began.elapsed() > PATIENCE {
                return skip(name, "something on this machine changes all the time");
            }
            // The keeper's own, the view, and the copy: it is there a moment after the last command.
            std::thread::sleep(Duration::from_millis(10));
            let ahead = held(engine.keeper_pid().unwrap());
            let own = says(&engine, &place, text).trim().to_string();
            assert!(own.starts_with("mnt:["), "{own}");
            taken += usize::from(ahead.contains(&own));
        }
    }
}

/// The list of terminals is covered in a copy that was made ahead, and the command's own must be
/// found before that.
#[test]
fn a_command_at_a_terminal_finds_its_name_in_a_copied_view_too() {
    let name = "a_command_at_a_terminal_finds_its_name_in_a_copied_view_too";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("terminal"));
        let engine = engine_on(&place, ground.policy(), Some(powers));
        let text = "tty; ls /dev/pts | wc -l; ls /proc | wc -l\n\
                chmod 640 /proc/self/fd/0 2>/dev/null && echo changed; stat -L -c %A - < /proc/self/fd/0";
        let mut request = crate::library::request(&place, text);
        request.manner.terminal = Some(WindowSize { rows: 24, columns: 80 });
        let says_there = || {
            let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
            let text = reply.stdout.get().clone();
            text.lines().map(|line| line.trim_end_matches(char::is_numeric).to_string()).collect()
        };
        let first: Vec<String> = says_there();
        assert!(first[0].starts_with("/dev/pts/"), "{first:?}");
        assert!(!first.contains(&"changed".to_string()), "on the machine: {first:?}");
        if copied(&engine, &place).is_none() {
            return skip(name, "something on this machine changes all the time");
        }
        for _ in 0..3 {
            assert_eq!(says_there(), first);
            assert_eq!(says(&engine, &place, "ls /dev/pts"), "ptmx\n");
        }
    }
}

#[test]
fn commands_of_one_keeper_share_no_queues_and_no_way_to_capabilities() {
    let name = "commands_of_one_keeper_share_no_queues_and_no_way_to_capabilities";
    let (place, ground) = (Place::new(), Ground::new("queues"));
    for powers in kinds(name) {
        let engine = engine_on(&place, ground.policy(), Some(powers));
        for _ in 0..5 {
            let makes = "ipcmk -Q > /dev/null; ipcmk -M 4096 > /dev/null; ipcs -q -m | grep -c ^0x";
            assert_eq!(says(&engine, &place, makes), "2\n");
            let sets = "grep ^Cap /proc/self/status | grep -v '0000000000000000$'";
            assert_eq!(says(&engine, &place, sets), "");
        }
    }
}

#[test]
fn a_view_is_given_up_when_something_changed_that_it_was_built_from() {
    let name = "a_view_is_given_up_when_something_changed_that_it_was_built_from";
    for powers in kinds(name) {
        type Act = fn(&std::path::Path);
        let acts: [(&str, Act, &str, &str); 6] = [
            (
                "a hidden directory was replaced",
                |at| {
                    fs::rename(at.join("hidden"), at.join("moved")).unwrap();
                    fs::create_dir(at.join("hidden")).unwrap();
                    fs::write(at.join("hidden/key"), "new\n").unwrap();
                },
                "cat {at}/hidden/key; ls {at}/hidden",
                "",
            ),
            (
                "a hidden name was born",
                |at| fs::write(at.join("unborn"), "new\n").unwrap(),
                "cat {at}/unborn",
                "",
            ),
            (
                "a protected directory was replaced",
                |at| {
                    fs::rename(at.join("root/.git/hooks"), at.join("root/.git/old")).unwrap();
                    fs::create_dir(at.join("root/.git/hooks")).unwrap();
                },
                "echo x > {at}/root/.git/hooks/pre-commit && echo written",
                "",
            ),
            (
                "a protected file was born",
                |at| fs::write(at.join("root/.ricasso.toml"), "version = 1\n").unwrap(),
                "echo x > {at}/root/.ricasso.toml && echo written",
                "",
            ),
            (
                "a writable root was replaced",
                |at| {
                    fs::rename(at.join("root"), at.join("old")).unwrap();
                    fs::create_dir(at.join("root")).unwrap();
                },
                "echo x > {at}/root/new && cat {at}/root/new",
                "x\n",
            ),
            (
                "a root became a link to what must not be written",
                |at| {
                    fs::rename(at.join("root"), at.join("old")).unwrap();
                    std::os::unix::fs::symlink("old/.git", at.join("root")).unwrap();
                },
                "echo x > {at}/old/file && echo written",
                "",
            ),
        ];
        for (number, (what, act, text, expected)) in acts.into_iter().enumerate() {
            let (place, ground) = (Place::new(), Ground::new(&number.to_string()));
            let engine = engine_on(&place, ground.policy(), Some(powers));
            if copied(&engine, &place).is_none() {
                return skip(name, "something on this machine changes all the time");
            }
            act(&ground.0);
            let text = text.replace("{at}", &ground.0.display().to_string());
            let text = format!("{{ {text}; }} 2>&-; true");
            assert_eq!(says(&engine, &place, &text), expected, "{what}");
        }
    }
}

/// In a copied view the command's process is born, and behind its filter, before its order comes.
#[test]
fn a_command_that_was_born_before_its_order_is_like_any_other() {
    let name = "a_command_that_was_born_before_its_order_is_like_any_other";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("born"));
        let engine = engine_on(&place, ground.policy(), Some(powers));
        let text =
            "grep -E '^(Cap|NoNewPrivs|Seccomp:|Umask|Sig[BIC])' /proc/self/status; ulimit -a; pwd
                ls /proc/self/fd | wc -l; readlink /proc/self/ns/net; ulimit -c 0; ulimit -c
                awk '/core file/ {print $5, $6}' /proc/self/limits; set -- /proc/[0-9]*; echo $#
                awk '{print ($4 > 1), $6 == $1}' /proc/self/stat; cat /proc/net/dev | wc -l";
        let first = says(&engine, &place, text);
        if copied(&engine, &place).is_none() {
            return skip(name, "something on this machine changes all the time");
        }
        for _ in 0..5 {
            assert_eq!(says(&engine, &place, text), first);
        }
        let mut request = crate::library::request(&place, "");
        let argv = |words: &[&str]| Step::Argv(words.iter().map(|word| (*word).into()).collect());
        request.steps = vec![argv(&["/nonexistent"]), argv(&["sh", "-c", "exit 3"])];
        request.on_failure = OnFailure::KeepGoing;
        let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
        assert!(matches!(reply.steps[0].ending, Some(Ending::NotStarted(_))), "{reply:?}");
        assert_eq!(reply.steps[1].ending, Some(Ending::Exited(3)));
    }
}

#[test]
fn a_command_that_is_killed_before_its_order_came_is_born_again() {
    let name = "a_command_that_is_killed_before_its_order_came_is_born_again";
    for powers in kinds(name) {
        let (place, ground) = (Place::new(), Ground::new("again"));
        let engine = engine_of(&place, ground.policy(), Some(powers), Spares::Kept);
        let waiting = || -> Vec<u32> {
            let wardens = children(engine.keeper_pid().unwrap());
            wardens.into_iter().flat_map(children).flat_map(children).collect()
        };
        // Whoever is born in its place is nowhere else and has no more.
        let text =
            "readlink /proc/self/ns/net; grep -E '^(Cap|Seccomp:|NoNewPrivs)' /proc/self/status
                ls /sys/class/net; pwd; ls /proc/self/fd | wc -l; cat /etc/shadow 2>&1 | wc -c";
        let first = says(&engine, &place, text);
        let outside = fs::read_link("/proc/self/ns/net").unwrap();
        assert!(!first.contains(outside.to_str().unwrap()), "{first}");
        let began = Instant::now();
        let mut killed = 0;
        while killed < 5 {
            if began.elapsed() > PATIENCE {
                return skip(name, "something on this machine changes all the time");
            }
            for pid in waiting() {
                killed += usize::from(crate::place::signal("-9", pid));
            }
            assert_eq!(says(&engine, &place, text), first);
        }
    }
}

/// Runs in a copied view, with nothing to read, and bounded: one that nobody answers would wait.
fn in_a_copy(name: &str, policy: &str, variables: usize) {
    for powers in kinds(name) {
        let place = Place::new();
        let hidden = place.work().join("private");
        fs::write(&hidden, "hushed\n").unwrap();
        let policy = policy.replace("HIDDEN", &hidden.display().to_string());
        let engine =
            engine_on(&place, with(&format!("extends = \"workspace\"\n{policy}")), Some(powers));
        if copied(&engine, &place).is_none() {
            return skip(name, "something on this machine changes all the time");
        }
        place.write("script", "cat private 2> /dev/null; echo \"$(cat)ran\"");
        let mut request = crate::library::request(&place, "sh script");
        let variable = |at| (format!("V{at}").as_str().into(), "x".into());
        request.env.extend((0..variables).map(variable));
        for _ in 0..3 {
            let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
            assert_eq!(reply.stdout.as_str(), "ran\n", "{reply:?}");
            assert!(reply.survivors.is_empty(), "{:?}", reply.survivors);
        }
    }
}

#[test]
fn a_command_in_a_copied_view_starts_where_everything_is_asked_about() {
    let policy = "[files]\nhide = [\"HIDDEN\"]\n[limits]\ntimeout = \"20s\"\n";
    in_a_copy("a_command_in_a_copied_view_starts_where_everything_is_asked_about", policy, 0);
}

#[test]
fn nobody_is_left_of_a_start_that_took_the_long_way() {
    // The order has more words than are read where they lie.
    let policy = "[files]\nhide = [\"HIDDEN\"]\n[limits]\ntimeout = \"20s\"\n";
    in_a_copy("nobody_is_left_of_a_start_that_took_the_long_way", policy, 1020);
}

#[test]
fn no_step_is_bound_to_the_core_that_it_was_born_on() {
    let place = Place::new();
    let engine = engine(&place, with("extends = \"workspace\"\n"));
    let mut request = crate::library::request(&place, "");
    let step = || Step::Shell("grep Cpus_allowed_list /proc/self/status".into());
    request.steps = vec![step(), step(), step()];
    for _ in 0..3 {
        let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
        let own = fs::read_to_string("/proc/self/status").unwrap();
        let own = own.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap();
        let steps: Vec<&str> = reply.stdout.as_str().lines().collect();
        assert_eq!(steps, [own; 3], "{reply:?}");
    }
}

#[test]
fn a_command_of_a_user_has_no_capability_however_it_was_born() {
    let name = "a_command_of_a_user_has_no_capability_however_it_was_born";
    let hall = Hall::new();
    if !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "only root can be nobody");
    }
    if powers().namespaces == Namespaces::None {
        return skip(name, "there are no namespaces here");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let mut owner = Owner::start(&stage, "extends = \"workspace\"\n");
    let script = PathBuf::from(stage.fill("{work}/sets"));
    let sets = "grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs):' /proc/self/status";
    fs::write(&script, format!("{sets}; id -u; {MOUNTS}")).unwrap();
    let none = "0000000000000000";
    let expected = format!(
        "CapInh:\t{none}\nCapPrm:\t{none}\nCapEff:\t{none}\nCapAmb:\t{none}\nNoNewPrivs:\t1\n65534\n"
    );
    let (began, mut copied) = (Instant::now(), 0);
    while copied < 3 {
        let reply = owner.run(&script);
        let said = reply["stdout"].as_str().unwrap();
        assert!(said.starts_with(&expected), "{reply}");
        copied += usize::from(is_copied(said));
        if began.elapsed() > PATIENCE {
            return skip(name, "something on this machine changes all the time");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program whose file brings a capability: to whoever starts it outside, and to nobody in a cage.
#[test]
fn a_command_of_a_user_gets_no_capability_by_executing() {
    let name = "a_command_of_a_user_gets_no_capability_by_executing";
    let hall = Hall::new();
    if !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "only root can be nobody");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let program = stage.fill("{work}/brings");
    copy_program("/bin/grep".as_ref(), program.as_ref());
    let set = std::process::Command::new(stage.fill("{probe}")).args(["setcap", &program]).status();
    if !set.unwrap().success() {
        return skip(name, "files have no capabilities here");
    }
    let text = "{work}/brings ^CapEff /proc/self/status";
    let control = stage.outside(text);
    let had = String::from_utf8_lossy(&control.stdout).into_owned();
    assert_eq!(had, "CapEff:\t0000000000002000\n", "the control: {control:?}");
    let mut owner = Owner::start(&stage, "extends = \"workspace\"\n");
    let script = PathBuf::from(stage.fill("{work}/starts"));
    fs::write(&script, stage.fill(text)).unwrap();
    for _ in 0..4 {
        let reply = owner.run(&script);
        assert_eq!(reply["stdout"], "CapEff:\t0000000000000000\n", "{reply}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Fewer than a job may have; those of four jobs are more than the kernel lets one have.
const SLEEPERS: &str = "i=0; while [ $i -lt 30 ]; do sleep 60 & i=$((i+1)); done
                        awk '/Max processes/ {print $3}' /proc/self/limits; set -- /proc/[0-9]*; echo $#";

#[test]
fn the_kernel_counts_the_tasks_of_each_job_of_a_user_apart() {
    let name = "the_kernel_counts_the_tasks_of_each_job_of_a_user_apart";
    let hall = Hall::new();
    if !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "only root can be nobody");
    }
    if powers().namespaces == Namespaces::None {
        return skip(name, "there are no namespaces here");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let limits = "[limits]\nprocesses = 40\n[jobs]\nsurvivors = \"adopt\"\n";
    let mut owner = Owner::start(&stage, &format!("extends = \"workspace\"\n{limits}"));
    let script = PathBuf::from(stage.fill("{work}/sleepers"));
    fs::write(&script, SLEEPERS).unwrap();
    // Those of the jobs before live on while the next one starts its own.
    for _ in 0..4 {
        let reply = owner.run(&script);
        let told: Vec<u64> =
            reply["stdout"].as_str().unwrap().lines().flat_map(str::parse).collect();
        assert_eq!(reply["enforced"]["limits"], "nproc+rlimit+poll", "{reply}");
        assert!((40..100).contains(&told[0]), "the kernel's own bound: {reply}");
        // They, the shell and the first process.
        assert_eq!((told[1], &reply["ending"]["kind"]), (32, &"exited".into()), "{reply}");
    }
}

/// Makes calls that no command may make, and prints what the kernel says to each: their numbers are
/// those of x86-64, and with these arguments none of them does anything. Last comes how many filters
/// the process stands behind.
const CALLS: &str = "import ctypes, fcntl, re
libc = ctypes.CDLL(None, use_errno=True)
def tell(*call):
    ctypes.set_errno(0)
    libc.syscall(*[ctypes.c_long(word) for word in call])
    print(call, ctypes.get_errno())
never = [101, 103, 134, 153, 154, 155, 161, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173,
         175, 176, 179, 227, 246, 248, 249, 250, 256, 279, 298, 300, 304, 308, 310, 311, 312, 313,
         320, 321, 323, 425, 426, 427, 428, 429, 430, 431, 432, 433, 435, 437, 438, 440, 442, 443,
         447, 463, 466, 467, 469, 470, 480, 1000, 0x40000027]
for number in never: tell(number, 0, 0, 0, 0, 0, 0)
for flags in [0x10000000, 0x20000, 0x40000000]: tell(272, flags)
for kind in [0x20000, 0, 0x40000]: tell(135, kind)
for number in [0x5412, 0x541c, 0xc0506617, 0x50009417, 0x50009401]: tell(16, 1, number, 0)
for number in [1024, 1036, 1040]: tell(72, 1, number, 0)
for family in [1, 10, 16, 17, 38, 40]: tell(41, family, 3, 0)
for mode in [0o4755, 0o2755]: tell(133, 0, mode, 0)
tell(157, 4, 0); tell(302, 1, 7, 0, 0); tell(141, 0, 1, 5); tell(251, 1, 1, 0); tell(29, 0, 1, 0o600)
print(re.search(r'Seccomp_filters:.(.*)', open('/proc/self/status').read()).group(1))
";

#[test]
fn calls_are_answered_alike_whoever_laid_the_filter() {
    let name = "calls_are_answered_alike_whoever_laid_the_filter";
    if !cfg!(target_arch = "x86_64") {
        return skip(name, "the numbers of calls are those of x86-64");
    }
    let whole = powers();
    let bare = Powers { namespaces: Namespaces::None, netns: false, ..whole };
    for powers in [whole, bare] {
        if powers.namespaces == Namespaces::None && !bare.holds_files_alone() {
            skip(name, "Landlock here is older than version 6");
            continue;
        }
        let (place, ground) = (Place::new(), Ground::new("calls"));
        place.write("calls.py", CALLS);
        let engine = engine_on(&place, ground.policy(), Some(powers));
        let ask = || says(&engine, &place, "python3 calls.py");
        let first = ask();
        let Some((answers, alone)) = first.trim_end().rsplit_once('\n') else {
            panic!("{first}");
        };
        let began = Instant::now();
        loop {
            let later = ask();
            let (same, both) = later.trim_end().rsplit_once('\n').unwrap();
            assert_eq!(same, answers);
            let added = both.parse::<u32>().unwrap() - alone.parse::<u32>().unwrap();
            if added == 1 {
                break;
            }
            assert!(began.elapsed() < PATIENCE, "no keeper laid a part of it: {first}");
        }
        // What is let go on is told apart from what is refused.
        assert!(answers.contains("(135, 0) 0") && answers.contains("(101, 0, 0, 0, 0, 0, 0) 1"));
    }
}

/// Without namespaces, commands after the first ones stand behind walls that were made ahead.
#[test]
fn walls_made_ahead_hold_as_those_that_a_command_lays_itself() {
    let bare = Powers { namespaces: Namespaces::None, netns: false, ..powers() };
    if !bare.holds_files_alone() {
        return skip("walls_made_ahead_hold", "Landlock here is older than version 6");
    }
    let (place, ground) = (Place::new(), Ground::new("walls"));
    let engine = engine_on(&place, ground.policy(), Some(bare));
    let text = format!(
        "cd {1:?}/root; echo written > f; chmod 640 f; stat -c %a f; chmod 600 {0:?} 2>&1 | sed 's/.*: //'
         cat {0:?}/key 2>&- || echo shut; echo x 2>&- > {1:?}/outside || echo kept
         grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; ulimit -c; unshare -r true 2>&-
         echo $?; ls /proc/self/fd | wc -l; ps -o sid= $$ | tr -d ' ' | grep -cx $$; pwd",
        ground.0.join("hidden"),
        ground.0,
    );
    let first = says(&engine, &place, &text);
    assert!(first.starts_with("640\n") && first.contains("shut\nkept\n"), "{first}");
    let settled = Instant::now() + Duration::from_millis(400);
    while Instant::now() < settled {
        assert_eq!(says(&engine, &place, &text), first);
    }
    let mut request = crate::library::request(&place, "");
    let file = ground.0.join("root/f");
    let step =
        |mode: u32| Step::Shell(format!("chmod {mode} {file:?}; stat -c %a {file:?}").into());
    request.steps = vec![step(600), step(644)];
    let reply = engine.run(&request, &Cancel::new().unwrap()).unwrap();
    assert_eq!(reply.stdout.get(), "600\n644\n", "each step is answered");
}
