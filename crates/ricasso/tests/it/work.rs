//! Ordinary work: the tools that agents use say and do the same in mode workspace as in mode open.
//! The acts are data, in `cases/work`.

use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::place::skip;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer tools than this are no day's work.
const LEAST: usize = 40;
/// Rows at once; the machine has about as many cores.
const WORKERS: usize = 3;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    work: Vec<Work>,
}

/// One row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    name: String,
    /// Programs without which it is skipped.
    #[serde(default)]
    needs: Vec<String>,
    /// Shell text that runs outside before.
    #[serde(default)]
    before: Option<String>,
    /// Further directories that may be written.
    #[serde(default)]
    write: Vec<String>,
    /// The mode in which it must work.
    #[serde(default = "workspace")]
    mode: String,
    /// Why it does not work in the cage. The test fails when it does and this is still here.
    #[serde(default)]
    exception: Option<String>,
    /// Why it is an exception where there are no namespaces.
    #[serde(default)]
    namespaces: Option<String>,
    act: String,
}

/// What is said aloud not to work: in any cage, and without namespaces.
const MOST_EXCEPTIONS: usize = 4;

#[test]
fn exceptions_are_few() {
    let rows = rows();
    let here = rows.iter().filter(|row| row.exception.is_some()).count();
    assert!(here <= MOST_EXCEPTIONS);
    let mut reasons: Vec<&str> =
        rows.iter().filter_map(|row| row.namespaces.as_deref()).map(place_of).collect();
    reasons.sort_unstable();
    reasons.dedup();
    assert!(reasons.len() <= MOST_EXCEPTIONS, "{reasons:?}");
}

/// The first words of a reason name what is shut.
fn place_of(reason: &str) -> &str {
    reason.split([',', ';']).next().unwrap_or(reason)
}

fn workspace() -> String {
    "workspace".into()
}

fn rows() -> Vec<Work> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/work/tools.toml");
    let file: File = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(file.work.len() >= LEAST);
    let word = std::env::var("RICASSO_WORK").unwrap_or_default();
    file.work.into_iter().filter(|work| work.name.contains(&word)).collect()
}

#[test]
fn ordinary_work_is_the_same_in_the_cage() {
    let Some(hall) = Hall::new() else {
        return skip("ordinary_work", "there is no C compiler for the probe");
    };
    let rows = rows();
    let long = std::env::var_os("RICASSO_LONG").is_some();
    let mut tries = Vec::new();
    for row in &rows {
        for (index, actor) in hall.actors().into_iter().enumerate() {
            for machine in [Machine::Plain, Machine::WithoutNamespaces] {
                if machine == Machine::WithoutNamespaces && row.namespaces.is_some() {
                    continue;
                }
                // The short form has each user on one kind of machine.
                if long || (index == 0) == (machine == Machine::Plain) {
                    tries.push((row, actor, machine));
                }
            }
        }
    }
    let next = AtomicUsize::new(0);
    let bad = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((row, actor, machine)) =
                    tries.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(told) = same(&hall, row, *actor, *machine) {
                        bad.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    let bad = bad.into_inner().unwrap();
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), tries.len(), bad.join("\n"));
}

/// The same act in the open and in the cage, each in a fresh place.
fn same(hall: &Hall, row: &Work, actor: Actor, machine: Machine) -> Result<(), String> {
    let what = format!("{} as {actor:?} {machine:?}", row.name);
    let stage = Stage::new(hall, actor);
    if let Some(missing) = row.needs.iter().find(|name| !has(&stage, name)) {
        skip("ordinary_work", &format!("{what}: there is no {missing}"));
        return Ok(());
    }
    let open = run(&stage, row, &["--mode", "open"], Machine::Plain);
    eprintln!("{what}: {} {} {}", open["exit_code"], open["stdout"], open["stderr"]);
    drop(stage);
    let stage = Stage::new(hall, actor);
    let mut flags = vec!["--mode", row.mode.as_str()];
    flags.extend(row.write.iter().flat_map(|place| ["--write", place]));
    let caged = run(&stage, row, &flags, machine);
    if caged["reasons"][0]["rule"] == "not-enforceable" {
        skip("ordinary_work", &format!("{what}: {}", caged["reasons"][0]["message"]));
        return Ok(());
    }
    let told = |reply: &Value| (reply["stdout"].clone(), reply["exit_code"].clone());
    let same = told(&open) == told(&caged) && open["exit_code"].is_number();
    // Work that no wall stops is told of none.
    let walls = crate::refused::reaching(&caged);
    if row.exception.is_none() && same && !walls.is_empty() {
        return Err(format!("{what}: works, and is told of walls: {walls:?}"));
    }
    match (&row.exception, same) {
        (None, true) | (Some(_), false) => return Ok(()),
        (Some(_), true) => return Err(format!("{what}: works, and is called an exception")),
        (None, false) => {}
    }
    Err(format!(
        "{what}:\n  open  {} {} {}\n  caged {} {} {} {}",
        open["exit_code"],
        open["stdout"],
        open["stderr"],
        caged["exit_code"],
        caged["stdout"],
        caged["stderr"],
        caged["reasons"],
    ))
}

fn run(stage: &Stage, row: &Work, flags: &[&str], machine: Machine) -> Value {
    if let Some(text) = &row.before {
        let done = stage.outside(text);
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{}: before: {told}", row.name);
    }
    stage.work(&row.act, &[flags, &["--timeout", "120s"]].concat(), machine)
}

fn has(stage: &Stage, program: &str) -> bool {
    stage.outside(&format!("{program} --version || command -v {program}")).status.success()
}

/// The paths that a reply names as obeyed later.
fn later(reply: &Value) -> Vec<&str> {
    reply["later"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect()
}

#[test]
fn a_repository_that_is_born_works_and_is_named() {
    let Some(hall) = Hall::new() else {
        return skip("a_repository_that_is_born", "there is no C compiler for the probe");
    };
    for machine in [Machine::Plain, Machine::WithoutNamespaces] {
        for actor in hall.actors() {
            let stage = Stage::new(&hall, actor);
            let mode = ["--mode", "workspace"];
            let born =
                stage.work("git init -q sub/new && git -C sub/new status -s", &mode, machine);
            if born["reasons"][0]["rule"] == "not-enforceable" {
                return skip("a_repository_that_is_born", "there is no cage here");
            }
            assert_eq!(born["exit_code"], 0, "{born}");
            assert!(later(&born).contains(&"sub/new/.git/config"), "{born}");
            // Git tries out whether modes hold, and believes what it sees.
            let modes = stage.outside("git -C sub/new config core.fileMode");
            assert_eq!(String::from_utf8_lossy(&modes.stdout).trim(), "true");
            // What was named once is not named again when nothing of it changed.
            std::thread::sleep(std::time::Duration::from_millis(30));
            let text = "cd sub/new && touch x && git add -A && \
                        git -c user.name=a -c user.email=a@b commit -qm x && git branch y";
            let used = stage.work(text, &mode, machine);
            assert_eq!(used["exit_code"], 0, "{used}");
            assert_eq!(later(&used), Vec::<&str>::new());
        }
    }
}

/// Where a repository lies that is not a plain directory in its work tree.
const ELSEWHERE: [(&str, &str); 2] = [
    ("beside its tree", "git init -q --separate-git-dir={work}/gd {work}"),
    ("behind a link", "git init -q {work}; mv {work}/.git {work}/gd; ln -s gd {work}/.git"),
];
/// The usual work with it.
const USUAL: &str = "set -e; cd {work}; echo a >> file; git commit -qam b; git branch side
git checkout -q side; echo c > new; git add new; git commit -qm c; git checkout -q -
echo d > other; git add other; git commit -qm d; git rebase -q side
echo e >> file; git stash -q; git stash pop -q; git checkout -q file
git worktree add -q wt -b third; echo f > wt/f; git -C wt add f; git -C wt commit -qm f
git worktree remove wt; git merge -q third; git gc -q; git clone -q . {work}/cloned";

#[test]
fn a_repository_elsewhere_in_the_workspace_is_shut_and_works() {
    let name = "a_repository_elsewhere_in_the_workspace_is_shut_and_works";
    let Some(hall) = Hall::new() else {
        return skip(name, "there is no C compiler for the probe");
    };
    for machine in [Machine::Plain, Machine::WithoutNamespaces] {
        for (actor, (what, init)) in
            hall.actors().into_iter().flat_map(|actor| ELSEWHERE.map(|it| (actor, it)))
        {
            let stage = Stage::new(&hall, actor);
            let more = "cd {work}; git config user.name a; git config user.email a@b
                        echo gd > .gitignore; git add -A; git commit -qm a";
            let made = stage.outside(&format!("{init}; {more}"));
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let mode = ["--mode", "workspace"];
            let used = stage.work(USUAL, &mode, machine);
            if used["reasons"][0]["rule"] == "not-enforceable" {
                return skip(name, "there is no cage here");
            }
            assert_eq!(used["exit_code"], 0, "{what}: {used}");
            let planted = "touch {work}/gd/hooks/pre-commit; echo '[x]' >> {work}/gd/config
                           mv {work}/.git {work}/g; ln -sfn cloned {work}/.git; cat {work}/.git";
            stage.work(planted, &mode, machine);
            let left =
                stage.outside("ls {work}/gd/hooks; cat {work}/gd/config; cat {work}/.git/HEAD");
            let left = String::from_utf8_lossy(&left.stdout).into_owned();
            assert!(!left.contains("pre-commit\n") && !left.contains("[x]"), "{what}: {left}");
        }
    }
}
