//! Ordinary work: the tools that agents use say and do the same in mode workspace as in mode open.
//! The acts are data, in `cases/work`.

use crate::escape::stage::{Actor, Hall, Machine, Stage};
use crate::place::{in_parallel, is_long, needs_installed_programs, skip, skip_part};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Fewer tools than this are no day's work.
const LEAST: usize = 40;
/// Rows at once.
const WORKERS: usize = 4;

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
    let mut rows = rows();
    rows.retain(|row| !needs_installed_programs(&row.needs));
    compare("ordinary_work_is_the_same_in_the_cage", &rows);
}

mod installed {
    use super::{compare, needs_installed_programs, rows};

    #[test]
    fn work_with_installed_programs_is_the_same_in_the_cage() {
        let mut rows = rows();
        rows.retain(|row| needs_installed_programs(&row.needs));
        compare("work_with_installed_programs_is_the_same_in_the_cage", &rows);
    }
}

/// Does each row's work in the open and in the cage.
fn compare(name: &str, rows: &[Work]) {
    let hall = Hall::new();
    let mut tries = Vec::new();
    for row in rows {
        for (index, actor) in hall.actors().into_iter().enumerate() {
            for machine in [Machine::Plain, Machine::WithoutNamespaces] {
                if !machine.has_namespaces() && row.namespaces.is_some() {
                    continue;
                }
                // The short form has each user on one kind of machine.
                if is_long() || (index == 0) == (machine == Machine::Plain) {
                    tries.push((row, actor, machine));
                }
            }
        }
    }
    let results = in_parallel(WORKERS, &tries, |(row, actor, machine)| {
        let what = format!("{} as {actor:?} {machine:?}", row.name);
        (what.clone(), same(&hall, row, *actor, *machine).map_err(|told| format!("{what}{told}")))
    });
    let mut bad = Vec::new();
    for (what, result) in results {
        match result {
            Ok(Some(why)) => skip_part(name, &what, &why),
            Ok(None) => {}
            Err(told) => bad.push(told),
        }
    }
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), tries.len(), bad.join("\n"));
}

/// The same act in the open and in the cage, each in a fresh place; or why it was skipped.
fn same(hall: &Hall, row: &Work, actor: Actor, machine: Machine) -> Result<Option<String>, String> {
    let stage = Stage::new(hall, actor);
    if let Some(missing) = row.needs.iter().find(|name| !has(&stage, name)) {
        return match needs_installed_programs(&row.needs) {
            true => Ok(Some(format!("there is no {missing}"))),
            false => Err(format!(": there is no {missing}")),
        };
    }
    let open = run(&stage, row, &["--mode", "open"], Machine::Plain);
    eprintln!(
        "{} as {actor:?}: {} {} {}",
        row.name, open["exit_code"], open["stdout"], open["stderr"]
    );
    drop(stage);
    let stage = Stage::new(hall, actor);
    let mut flags = vec!["--mode", row.mode.as_str()];
    flags.extend(row.write.iter().flat_map(|place| ["--write", place]));
    let caged = run(&stage, row, &flags, machine);
    if caged["reasons"][0]["rule"] == "not-enforceable" {
        return Ok(Some(caged["reasons"][0]["message"].to_string()));
    }
    let told = |reply: &Value| (reply["stdout"].clone(), reply["exit_code"].clone());
    let same = told(&open) == told(&caged) && open["exit_code"].is_number();
    // Work that no wall stops is told of none.
    let walls = crate::refused::reaching(&caged);
    if row.exception.is_none() && same && !walls.is_empty() {
        return Err(format!(": works, and is told of walls: {walls:?}"));
    }
    match (&row.exception, same) {
        (None, true) | (Some(_), false) => return Ok(None),
        (Some(_), true) => return Err(": works, and is called an exception".into()),
        (None, false) => {}
    }
    Err(format!(
        ":\n  open  {} {} {}\n  caged {} {} {} {}",
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

/// Every user on every machine, on which there is a cage; the test is skipped where there is none.
fn everywhere(hall: &Hall, name: &str, act: impl Fn(Actor, Machine) -> Caged + Sync) {
    let machines = [Machine::Plain, Machine::WithoutNamespaces];
    let all = hall.actors().into_iter().flat_map(|actor| machines.map(|machine| (actor, machine)));
    let all: Vec<(Actor, Machine)> = all.collect();
    let made = in_parallel(WORKERS, &all, |(actor, machine)| act(*actor, *machine));
    if made.contains(&Caged::No) {
        skip(name, "there is no cage here");
    }
}

/// Whether there was a cage to act in.
#[derive(PartialEq, Eq)]
enum Caged {
    Yes,
    No,
}

#[test]
fn a_repository_that_is_born_works_and_is_named() {
    let hall = Hall::new();
    everywhere(&hall, "a_repository_that_is_born_works_and_is_named", |actor, machine| {
        let stage = Stage::new(&hall, actor);
        let mode = ["--mode", "workspace"];
        let born = stage.work("git init -q sub/new && git -C sub/new status -s", &mode, machine);
        if born["reasons"][0]["rule"] == "not-enforceable" {
            return Caged::No;
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
        Caged::Yes
    });
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
    let hall = Hall::new();
    for (what, init) in ELSEWHERE {
        everywhere(&hall, name, |actor, machine| {
            let stage = Stage::new(&hall, actor);
            let more = "cd {work}; git config user.name a; git config user.email a@b
                        echo gd > .gitignore; git add -A; git commit -qm a";
            let made = stage.outside(&format!("{init}; {more}"));
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let mode = ["--mode", "workspace"];
            let used = stage.work(USUAL, &mode, machine);
            if used["reasons"][0]["rule"] == "not-enforceable" {
                return Caged::No;
            }
            assert_eq!(used["exit_code"], 0, "{what}: {used}");
            let planted = "touch {work}/gd/hooks/pre-commit; echo '[x]' >> {work}/gd/config
                           mv {work}/.git {work}/g; ln -sfn cloned {work}/.git; cat {work}/.git";
            stage.work(planted, &mode, machine);
            let left =
                stage.outside("ls {work}/gd/hooks; cat {work}/gd/config; cat {work}/.git/HEAD");
            let left = String::from_utf8_lossy(&left.stdout).into_owned();
            assert!(!left.contains("pre-commit\n") && !left.contains("[x]"), "{what}: {left}");
            Caged::Yes
        });
    }
}
