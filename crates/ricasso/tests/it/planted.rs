//! What a command leaves where we or git look for a small file: pipes, devices, files without an
//! end, circles of links. Every reply comes, and so does everything that is asked afterwards.

use crate::place::{PATIENCE, Place, copy_program, in_parallel, program};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What is put in a file's place, `$1`.
const KINDS: &[(&str, &str)] = &[
    ("a pipe", "mkfifo \"$1\""),
    ("a sparse file", "truncate -s 1T \"$1\""),
    ("a directory", "mkdir -p \"$1\""),
    ("a device without end", "ln -s /dev/zero \"$1\""),
    ("a terminal", "ln -s /dev/tty \"$1\""),
    ("memory", "ln -s /proc/self/mem \"$1\""),
    ("a circle", "ln -s \"${1##*/}\" \"$1\""),
];

/// The files that are replaced at once, and how the work tree is made for them.
const PLACES: &[(&str, &str)] = &[
    ("mkdir -p .git/objects", ".git/HEAD .git/config .git/config.worktree .git/index"),
    (
        "mkdir -p .git/objects; printf '[include]\\npath = ../more\\n' > .git/config",
        "more .git/HEAD .git/packed-refs .gitmodules package.json Makefile .npmrc",
    ),
    ("mkdir -p .git/objects .git/worktrees/a", ".git/commondir .git/worktrees/a/commondir"),
    ("echo gitdir: other > .git; mkdir other", "other/commondir other/config"),
    (":", ".git"),
];

/// Commands for which the judge looks at repositories and at what lies in directories.
const LOOKING: &[&str] =
    &["git status", "git diff", "rm -rf .", "rm -rf *", "make", "npm run x", "cat *", "sh act.sh"];

/// The number of a user who owns nothing.
const NOBODY: u32 = 65533;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Actor {
    Ourselves,
    Nobody,
}

fn actors() -> Vec<Actor> {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    match status.lines().any(|line| line.starts_with("Uid:\t0\t")) {
        true => vec![Actor::Ourselves, Actor::Nobody],
        false => vec![Actor::Ourselves],
    }
}

/// A place whose program is called as somebody.
struct Stage {
    place: Place,
    actor: Actor,
}

impl Stage {
    fn new(actor: Actor) -> Stage {
        let place = Place::new();
        if actor == Actor::Nobody {
            copy_program(&program(), &place.root.join("ricasso"));
            fs::set_permissions(&place.root, fs::Permissions::from_mode(0o755)).unwrap();
            for part in ["home", "state", "work"] {
                chown(place.root.join(part), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        Stage { place, actor }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(args);
        if self.actor == Actor::Nobody {
            let mut other = Command::new("setpriv");
            let id = NOBODY.to_string();
            other.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
            other.arg(self.place.root.join("ricasso")).args(args);
            other.current_dir(self.place.work()).env_clear().stdin(Stdio::null());
            other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command = other;
        }
        command
    }

    /// The answer, which must come: one that does not fails the test and holds nobody up.
    fn ask(&self, args: &[&str], told: &str) -> Output {
        let mut command = self.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let began = Instant::now();
        // What is said here fits into a pipe.
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > PATIENCE {
                child.kill().unwrap();
                panic!("{told}: {args:?} never answers");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        child.wait_with_output().unwrap()
    }

    /// Runs a script in the workspace and gives the reply. The judge does not look into it.
    fn run(&self, text: &str, told: &str) -> Value {
        self.place.write("act.sh", text);
        let args = ["run", "--json", "--mode", "workspace", "--", "sh", "act.sh"];
        let output = self.ask(&args, told);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{told}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Asks everything that looks at the work tree.
    fn ask_all(&self, told: &str) {
        for mode in ["read", "workspace"] {
            let mut args = vec!["check", "--json", "--mode", mode];
            args.extend(LOOKING.iter().flat_map(|text| ["-c", text]));
            let output = self.ask(&args, told);
            let said = String::from_utf8_lossy(&output.stderr);
            let verdict: Result<Value, _> = serde_json::from_slice(&output.stdout);
            assert!(verdict.is_ok(), "{told}: {said}");
        }
        let reply = self.run("true", told);
        // Where a link leads nowhere the view of a cage may not be built; that is told, not waited.
        let told_why = reply["hints"].to_string().contains("the cage could not be built");
        assert!(reply["ending"]["code"] == 0 || told_why, "{told}: {reply}");
        for args in [&["jobs"][..], &["ledger", "show"], &["policy", "show"]] {
            let output = self.ask(args, told);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{told}: {args:?}: {said}");
        }
    }
}

fn plant(kind: &str, names: &str) -> String {
    format!("plant() {{ {kind}; }}; for name in {names}; do plant \"$name\"; done")
}

#[test]
fn whatever_a_command_leaves_in_a_files_place_the_reply_comes() {
    let mut tries = Vec::new();
    for actor in actors() {
        let all = KINDS.iter().flat_map(|kind| PLACES.iter().map(move |place| (kind, place)));
        tries.extend(all.map(|(kind, place)| (actor, kind, place)));
    }
    in_parallel(4, &tries, |(actor, (told_kind, kind), (prepared, names))| {
        let stage = Stage::new(*actor);
        let told = format!("{told_kind} in the place of {names}, {actor:?}");
        let reply = stage.run(&format!("{prepared}; {}", plant(kind, names)), &told);
        assert_eq!(reply["ending"]["code"], 0, "{told}: {reply}");
        let there = |name: &str| stage.place.work().join(name).symlink_metadata().is_ok();
        assert!(names.split(' ').all(there), "{told}: {reply}");
        let is_usual = (*told_kind, *names) == ("a directory", ".git");
        assert!(
            is_usual || reply["hints"].to_string().contains("cannot be read"),
            "{told}: {reply}"
        );
        stage.ask_all(&told);
    });
}

#[test]
fn whatever_stands_in_the_place_of_the_project_file_is_told() {
    for actor in actors() {
        for (told, kind) in KINDS {
            let stage = Stage::new(actor);
            // In the cage nobody makes it.
            let text = plant(kind, ".ricasso.toml");
            let mut shell = Command::new("sh");
            shell.args(["-c", &text]).current_dir(stage.place.work());
            assert!(shell.status().unwrap().success(), "{told}");
            for args in [&["run", "-c", "true"][..], &["check", "-c", "true"], &["jobs"]] {
                let output = stage.ask(args, told);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(!output.status.success(), "{told}: {args:?}: {said}");
                assert!(said.contains(".ricasso.toml"), "{told}: {args:?}: {said}");
            }
        }
    }
}
