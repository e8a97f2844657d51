//! Nothing is left in the workspace that the command did not leave there, whenever we are killed.

use crate::place::{Place, eventually, mark, marked, rounds, skip};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest that a run is left alone: about as long as one takes.
const LATEST_MICROSECONDS: u64 = 30_000;

fn git(place: &Place, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(place.work());
    let output = git.env("GIT_OPTIONAL_LOCKS", "0").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every name below the workspace, those of git included.
fn names(place: &Place) -> Vec<String> {
    let find = Command::new("find").arg(".").current_dir(place.work()).output().unwrap();
    let mut names: Vec<String> =
        String::from_utf8(find.stdout).unwrap().lines().map(str::to_string).collect();
    names.sort();
    names
}

fn mounts() -> usize {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count()
}

#[test]
fn the_workspace_is_as_it_was_after_kills_at_random_moments() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    place.write("kept", "kept\n");
    place.write(".gitignore", "ignored\n");
    place.write("ignored", "x\n");
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-qm", "all"]);
    place.write("untracked", "x\n");
    let look = || (git(&place, &["status", "--porcelain", "--ignored"]), names(&place));
    let first = place.call(&["run", "--mode", "workspace", "-c", "cat kept"]);
    if first.code != 0 && first.stderr.contains("not-enforceable") {
        return skip("the_workspace_is_as_it_was_after_kills", "there is no cage here");
    }
    assert_eq!(first.text(), "kept\n", "{}", first.stderr);
    let (before, mounted, mark) = (look(), mounts(), mark());
    let text = format!("cat kept; ls -a > /dev/null; f=$(mktemp); rm $f; sleep 0.0{mark}");
    let mut seed = u64::from(std::process::id());
    for _ in 0..rounds(500) {
        let mut command = place.command(&["run", "--mode", "workspace", "-c", &text]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // A sequence that looks random and can be repeated.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((seed >> 33) % LATEST_MICROSECONDS));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    eventually("nothing runs on", || marked(&mark).is_empty());
    assert_eq!(look(), before);
    assert_eq!(mounts(), mounted, "a mount was left behind");
}
