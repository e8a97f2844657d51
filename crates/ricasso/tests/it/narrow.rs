//! Where the caller left little: what we take for ourselves is not for commands, what could not be
//! tried is no answer, and a refusal says what is so and what to do.

use crate::cage::powers;
use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::place::{Answer, Place, answer, program, skip};
use ricasso_os::Namespaces;
use std::path::Path;
use std::process::Command;

impl Place {
    /// `ricasso ARGS…` where a shell did this first.
    fn call_after(&self, first: &str, args: &[&str]) -> Answer {
        let plain = self.command(&[]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("{first}; exec \"$@\""), "sh"]).arg(program()).args(args);
        shell.current_dir(self.work()).env_clear();
        shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        answer(shell.output().unwrap())
    }
}

#[test]
fn what_we_take_for_ourselves_is_not_for_the_command() {
    let place = Place::new();
    let text = "version = 1\nextends = \"open\"\n[limits]\nopen_files = \"off\"\n";
    let policy = place.root.join("policy.toml");
    std::fs::write(&policy, text).unwrap();
    let policy = policy.to_str().unwrap();
    let first = "ulimit -s 256; ulimit -S -n 20; ulimit -H -n 300";
    let asks = ["-c", "ulimit -s; ulimit -S -n; ulimit -H -n"];
    let run = [&["run", "--policy", policy][..], &asks].concat();
    let answer = place.call_after(first, &run);
    assert_eq!(answer.text(), "256\n20\n300\n", "{}", answer.stderr);
    // An owner that stays has a keeper in a process of its own.
    let kept = "version = 1\nextends = \"open\"\n[limits]\nopen_files = \"off\"\n\
                [jobs]\nsurvivors = \"adopt\"\n";
    std::fs::write(policy, kept).unwrap();
    let answer = place.call_after(first, &run);
    assert_eq!(answer.text(), "256\n20\n300\n", "{}", answer.stderr);
}

#[test]
fn a_text_is_judged_alike_whatever_the_stack_is() {
    let place = Place::new();
    for depth in [1, 20, 60, 100, 1_000, 100_000] {
        for (open, close) in [("echo $(", ")"), ("(", ")"), ("{ ", "; }"), ("a${b:-", "}")] {
            let text = format!("{}true{}", open.repeat(depth), close.repeat(depth));
            if text.len() > 100_000 {
                continue;
            }
            let args = ["check", "--json", "--mode", "open", "-c", &text];
            let [usual, little] =
                ["true", "ulimit -s 64"].map(|first| place.call_after(first, &args));
            assert!(!usual.stdout.is_empty(), "{depth} {open}: {}", usual.stderr);
            assert_eq!(
                (usual.code, &usual.stdout),
                (little.code, &little.stdout),
                "{depth} {open}"
            );
        }
    }
}

#[test]
fn a_cage_in_a_cage_says_what_is_so() {
    let name = "a_cage_in_a_cage_says_what_is_so";
    let powers = powers();
    if !powers.notify || (powers.namespaces == Namespaces::None && powers.landlock < 6) {
        return skip(name, "this machine builds no cage that asks");
    }
    let hall = Hall::new();
    for actor in hall.actors() {
        let stage = Stage::new(&hall, actor);
        let text = "export HOME=$TMPDIR XDG_STATE_HOME=$TMPDIR; [ -n \"$TMPDIR\" ] || \
                    export HOME=/tmp XDG_STATE_HOME=/tmp
                    {bin}/ricasso run --mode workspace --root {work} -- /bin/echo inner";
        let reply = stage.work(text, &["--mode", "workspace"], Machine::Plain);
        let told = reply["stderr"].as_str().unwrap();
        assert_eq!(reply["exit_code"], 125, "{actor:?}: {reply}");
        for words in ["ricasso runs in a cage of ricasso", "run the command itself"] {
            assert!(told.contains(words), "{actor:?}: {told}");
        }
        assert!(!told.contains("try again") && !told.contains("inner"), "{actor:?}: {told}");
    }
}

#[test]
fn without_its_device_a_cage_hides_the_same() {
    let name = "without_its_device_a_cage_hides_the_same";
    let hall = Hall::new();
    if powers().namespaces != Namespaces::Root || !Path::new("/proc/timer_list").exists() {
        return skip(name, "only root can empty /dev, or there is nothing to hide");
    }
    let stage = Stage::new(&hall, Actor::Root);
    let round = "cat > {stage}/round <<'END'\nmount -t tmpfs none /dev; exec \"$@\"\nEND\n";
    assert!(stage.outside(round).status.success());
    let text = "wc -c < /proc/timer_list; (chmod 666 /proc/timer_list; echo x > /proc/timer_list) 2>&1 | wc -l
                ls /proc/fs | grep -c empty; cat; [ -e /dev/null ] || echo none";
    let wrap = "/usr/bin/unshare --mount /bin/sh {stage}/round";
    let reply = stage.work_under(wrap, text).unwrap();
    assert_eq!(reply["stdout"], "0\n2\n0\nnone\n", "{reply}");
}

#[test]
fn what_could_not_be_tried_is_no_weaker_cage() {
    let name = "what_could_not_be_tried_is_no_weaker_cage";
    let hall = Hall::new();
    if powers().namespaces == Namespaces::None || !hall.actors().contains(&Actor::Nobody) {
        return skip(name, "there are no namespaces here, or nobody whose processes are counted");
    }
    let stage = Stage::new(&hall, Actor::Nobody);
    let told = stage.work_under("/usr/bin/prlimit --nproc=1", "echo ran").unwrap_err();
    assert!(told.contains("cannot find out what a cage can be built from"), "{told}");
    assert!(told.contains("ulimit -u"), "{told}");
}

#[test]
fn a_program_that_its_cage_does_not_show_is_told_as_such() {
    let name = "a_program_that_its_cage_does_not_show";
    if powers().namespaces == Namespaces::None {
        return skip(name, "there are no namespaces here");
    }
    let place = Place::below("/tmp");
    let hidden = place.root.join("hidden");
    std::fs::copy("/bin/true", &hidden).unwrap();
    let hidden = hidden.to_str().unwrap();
    let answer = place.call(&["run", "--mode", "workspace", "--", hidden]);
    assert_eq!(answer.code, 127, "{}", answer.stderr);
    assert!(answer.stderr.contains("not in the view of its cage"), "{}", answer.stderr);
    let script = place.write("script", "#!/no/such/shell\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let answer = place.call(&["run", "--mode", "open", "--", "./script"]);
    assert!(answer.stderr.contains("first line names, /no/such/shell,"), "{}", answer.stderr);
}

#[test]
fn places_that_cannot_be_used_are_told_with_what_to_do() {
    let place = Place::new();
    place.write("file", "");
    let answer = place.call(&["run", "--root", "file", "-c", "true"]);
    assert!(answer.stderr.contains("it is no directory; name one"), "{}", answer.stderr);
    let answer = place.call(&["run", "--root", "/", "-c", "true"]);
    assert!(answer.stderr.contains("name a directory below it"), "{}", answer.stderr);
    let answer = place.call(&["run", "--root", &"d".repeat(300), "-c", "true"]);
    assert!(answer.stderr.contains("longer than the kernel takes"), "{}", answer.stderr);
    let answer = place.call(&["run", "--mode", "workspace", "--stdin", "/etc", "--", "cat"]);
    assert!(answer.stderr.contains("name a file instead of /etc"), "{}", answer.stderr);
}
