//! The house test: which room may name which, and which crate may use which. The tables below are
//! the law; a breach fails with the place, the two rooms and the row that it breaks.
//!
//! It reads the sources, so it also sees what the compiler would let pass; the scanner is tidy's.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../xtask/src/tidy/manifest.rs"]
mod manifest;
#[path = "../../../xtask/src/tidy/mask.rs"]
mod mask;
#[path = "house/names.rs"]
mod names;

use names::{Named, module, names};
use std::fs;
use std::path::{Path, PathBuf};

/// A row: a room or a crate, and all that it may name.
type Row = (&'static str, &'static [&'static str]);

/// The rooms of the engine. `os::Host` is that one thing of the crate and no other.
const ROOMS: &[Row] = &[
    ("request", &[]),
    ("scene", &["request", "os::read_plain"]),
    ("policy", &["request", "scene", "shell"]),
    (
        "plan",
        &[
            "request",
            "policy",
            "os::Host",
            "os::Ceilings",
            "os::Cage",
            "os::Walls",
            "os::Grouping",
            "os::NarrowedRoot",
            "os::Namespaces",
            "os::Net",
            "os::Tmp",
        ],
    ),
    ("capture", &["redact"]),
    ("run", &["scene::Pointed", "plan", "os"]),
    ("record", &["request", "policy", "plan", "run", "capture"]),
    ("reply", &["policy", "plan", "run", "capture", "record"]),
    (
        "error",
        &["request", "scene", "policy", "plan", "run", "capture", "record", "reply", "os::Error"],
    ),
    ("engine", ALL),
    ("lib", ALL),
];

/// The hallway leads through every room.
const ALL: &[&str] = &[
    "request", "scene", "policy", "plan", "run", "capture", "record", "reply", "error", "engine",
    "os", "shell",
];

/// What the doors may name. `engine::X` is what the engine shows at its root. They translate: no
/// verdict, plan or child is made in a door. The reader is there for `check --commands`.
const DOORS: Row = (
    "doors",
    &[
        "engine::request",
        "engine::reply",
        "engine::engine",
        "engine::error",
        "engine::policy",
        "engine::record",
        "engine::capture",
        "engine::X",
        "os::Host",
        "os::Keeper",
        "os::Cancel",
        "os::Cancelled",
        "os::read_plain",
        "os::leads_out",
        "os::writable",
        "os::leave_session",
        "os::survive_full_files",
        "os::let_go_of_streams",
        "os::with_room",
        "os::Error",
        "shell",
    ],
);

/// Files that read what lies in a work tree, where a command or a stranger may have put anything:
/// they use the one reader that waits for nothing (`os::read_plain`), and none of these.
const READS_THE_WORK_TREE: &[&str] = &[
    "ricasso-engine/src/scene",
    "ricasso-engine/src/run/later.rs",
    "ricasso-engine/src/run/obeyed.rs",
    "ricasso/src/config.rs",
    "ricasso/src/keys.rs",
];
const OTHER_READERS: &[&str] =
    &["File::open", "File::options", "OpenOptions", "fs::read", "read_to_string"];

/// Files of `capture` that read a spool: what they give a reader goes through `stored.rs`.
const READS_THE_SPOOL: &[&str] = &["stored.rs", "values.rs", "order.rs", "store.rs"];

/// The judging side of a room that doors may otherwise read.
const NOT_FOR_DOORS: &[&str] = &["engine::policy::judge"];

/// The crates and their dependencies. For tests a crate may use more, but no crate of the house
/// that lies further out.
const CRATES: &[Row] = &[
    ("ricasso-shell", &[]),
    ("ricasso-redact", &["aho-corasick", "memchr", "regex-automata"]),
    ("ricasso-os", &["libc", "rustix", "landlock", "seccompiler", "windows-sys"]),
    (
        "ricasso-engine",
        &[
            "ricasso-os",
            "ricasso-redact",
            "ricasso-shell",
            "annotate-snippets",
            "globset",
            "memchr",
            "regex-automata",
            "serde",
            "serde_json",
            "serde_path_to_error",
            "sha2",
            "toml",
            "unicode-width",
            "vt100",
            "vte",
        ],
    ),
    (
        "ricasso",
        &[
            "ricasso-engine",
            "ricasso-os",
            "ricasso-shell",
            "annotate-snippets",
            "axum",
            "clap",
            "clap_complete",
            "clap_mangen",
            "jiff",
            "rmcp",
            "schemars",
            "serde",
            "serde-saphyr",
            "serde_json",
            "similar",
            "tempfile",
            "tokio",
            "toml",
            "toml_edit",
            "unicode-width",
        ],
    ),
];

fn sentence((name, may): &Row) -> String {
    let may = if may.is_empty() { String::from("nothing") } else { may.join(" ") };
    format!("the table says: {name}: {may}")
}

/// Whether a row lets a path pass: by its room or crate, or by that one name in it.
fn allows(row: &Row, path: &[String]) -> bool {
    let path: Vec<&str> =
        path.iter().map(|part| part.strip_prefix("ricasso_").unwrap_or(part)).collect();
    row.1.iter().any(|entry| match entry.split_once("::") {
        None => path[0] == *entry,
        Some((first, "X")) => path[0] == first && path.get(1).is_some_and(|name| is_type(name)),
        Some((first, one)) => {
            let second = path.get(1).copied().unwrap_or_default();
            path[0] == first && (second == one || second == one.to_lowercase())
        }
    })
}

fn is_type(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The breaches of one file of the engine, given its path under `src`.
fn breaches_in_room(file: &str, text: &str) -> Vec<String> {
    let room = module(file).into_iter().next().unwrap_or_else(|| String::from("lib"));
    let place = format!("crates/ricasso-engine/src/{file}");
    let Some(row) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![format!("{place}:1: the room {room} is not in the table of house.rs")];
    };
    let others = names(file, text).into_iter().filter(|named| named.path[0] != room);
    let breach = |named: Named| {
        let (line, other) = (named.line, named.path.join("::"));
        format!("{place}:{line}: {room} names {other}; {}", sentence(row))
    };
    others.filter(|named| !allows(row, &named.path)).map(breach).collect()
}

/// The breaches of one file of the doors, given its path under `src`.
fn breaches_in_doors(file: &str, text: &str) -> Vec<String> {
    let outside = names(file, text).into_iter().filter(|named| named.path[0].contains("ricasso_"));
    let judging = |named: &Named| {
        let path = named.path.join("::");
        let path = path.trim_start_matches("ricasso_");
        NOT_FOR_DOORS.iter().any(|not| path == *not || path.starts_with(&format!("{not}::")))
    };
    let bad = outside.filter(|named| !allows(&DOORS, &named.path) || judging(named));
    let breach = |named: Named| {
        let (line, other) = (named.line, named.path.join("::"));
        let (law, not) = (sentence(&DOORS), NOT_FOR_DOORS.join(" "));
        format!("crates/ricasso/src/{file}:{line}: doors names {other}; {law}; but not {not}")
    };
    bad.map(breach).collect()
}

/// The breaches of one manifest, given the name of its crate.
fn breaches_in_manifest(name: &str, text: &str) -> Vec<String> {
    let Some(row) = CRATES.iter().find(|(listed, _)| *listed == name) else {
        return vec![format!("crates/{name}: the crate is not in the table of house.rs")];
    };
    let found = manifest::dependencies(text).into_iter();
    // Tests may use anything from outside, and of ours the fuzz targets, which stand above no crate.
    let is_for_tests = |found: &manifest::Dependency| {
        found.table.starts_with("dev-") && (!found.own || found.name == "ricasso-fuzz")
    };
    let bound = found.filter(|found| !is_for_tests(found));
    let bad = bound.filter(|found| found.name != name && !row.1.contains(&found.name.as_str()));
    bad.map(|found| {
        let (line, other) = (found.line, found.name);
        format!("crates/{name}/Cargo.toml:{line}: {name} uses {other}; {}", sentence(row))
    })
    .collect()
}

/// Cargo says at run time where the crate lies; a test built before a move would not know.
fn crates() -> PathBuf {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    here.parent().unwrap().to_path_buf()
}

/// The Rust files under a directory: path from there, and text.
fn sources(directory: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(&place).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = path.strip_prefix(directory).unwrap().to_str().unwrap();
                found.push((file.replace('\\', "/"), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no source under {}", directory.display());
    found
}

fn assert_none(breaches: Vec<String>) {
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

#[test]
fn rooms_name_only_what_the_table_allows() {
    let files = sources(&crates().join("ricasso-engine/src"));
    assert_none(files.iter().flat_map(|(file, text)| breaches_in_room(file, text)).collect());
}

#[test]
fn doors_name_only_what_the_table_allows() {
    let files = sources(&crates().join("ricasso/src"));
    assert_none(files.iter().flat_map(|(file, text)| breaches_in_doors(file, text)).collect());
}

#[test]
fn crates_depend_only_inwards() {
    let mut breaches = Vec::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        breaches.extend(breaches_in_manifest(path.file_name().unwrap().to_str().unwrap(), &text));
    }
    assert_none(breaches);
}

/// The other readers that a source names, with their lines.
fn other_readers(text: &str) -> Vec<(usize, &'static str)> {
    let code = mask::code_only(text);
    let mut found = Vec::new();
    for (number, line) in code.lines().enumerate() {
        for reader in OTHER_READERS {
            let is_whole = |(at, _): (usize, &str)| {
                let (before, after) =
                    (&line.as_bytes()[..at], &line.as_bytes()[at + reader.len()..]);
                !before.last().is_some_and(|byte| mask::in_name(*byte))
                    && !after.first().is_some_and(|byte| mask::in_name(*byte))
            };
            if line.match_indices(reader).any(is_whole) {
                found.push((number + 1, *reader));
            }
        }
    }
    found
}

#[test]
fn what_lies_in_a_work_tree_is_read_by_the_one_reader() {
    let mut breaches = Vec::new();
    let mut seen = 0;
    for name in ["ricasso-engine", "ricasso"] {
        for (file, text) in sources(&crates().join(name).join("src")) {
            let place = format!("{name}/src/{file}");
            // What a test reads it has made itself.
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            if READS_THE_WORK_TREE.iter().any(|part| place.starts_with(part)) {
                seen += 1;
                let found = other_readers(text).into_iter();
                breaches.extend(found.map(|(line, it)| format!("crates/{place}:{line}: {it}")));
            }
        }
    }
    assert!(seen > READS_THE_WORK_TREE.len());
    assert_none(breaches);
    assert_eq!(other_readers("let a = fs::File::open(b);\nfs::read_dir(c);"), [(1, "File::open")]);
    assert_eq!(other_readers("std::fs::read(path)"), [(1, "fs::read")]);
}

#[test]
fn bytes_of_a_spool_are_read_in_one_place() {
    let mut seen = 0;
    let mut breaches = Vec::new();
    for (file, text) in sources(&crates().join("ricasso-engine/src/capture")) {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let reads = text.contains("store::read_") || text.contains("read_exact_at");
        match READS_THE_SPOOL.contains(&file.as_str()) {
            true => seen += usize::from(reads),
            false if reads => breaches.push(format!("capture/{file} reads a spool by itself")),
            false => {}
        }
    }
    assert_eq!(seen, READS_THE_SPOOL.len());
    assert_none(breaches);
}

#[test]
fn breach_is_told_with_place_rooms_and_row() {
    let text = "//! Plan.\n\nuse crate::run::Job;\n";
    let expected = "crates/ricasso-engine/src/plan/env.rs:3: plan names run::Job; \
                    the table says: plan: request policy os::Host os::Ceilings os::Cage os::Walls \
                    os::Grouping os::NarrowedRoot os::Namespaces os::Net os::Tmp";
    assert_eq!(breaches_in_room("plan/env.rs", text), [expected]);
}

#[test]
fn every_way_of_naming_a_room_is_seen() {
    let bad = [
        "use crate::{request::Request, reply::{Reply}};",
        "fn a() { let b = crate::reply::Reply::new(); }",
        "use super::super::reply;",
        "mod tests { use super::super::super::reply::Reply; }",
        "type A = Vec<super::super::reply::Reply>;",
        "use ricasso_os as os;",
        "use crate::*;",
        "use crate::Reply;",
        "use crate :: reply;",
    ];
    for text in bad {
        assert_eq!(breaches_in_room("policy/walk.rs", text).len(), 1, "{text}");
    }
    let good = [
        "use super::{Rule, rule};",
        "use crate::{request::Request, scene::{Look, Scene}};",
        "pub(crate) fn a(crated: u8, superb: u8) {}",
        "mod tests { use super::*; use super::super::rule; }",
        "/// See [`crate::reply`].\nconst A: &str = \"crate::reply\";",
        "use ricasso_shell::{Script, tree::Word};",
        "use crate::policy::effect::Effect;",
    ];
    for text in good {
        assert_none(breaches_in_room("policy/walk.rs", text));
    }
}

#[test]
fn plan_may_name_the_host_and_nothing_else_of_the_os_crate() {
    assert_none(breaches_in_room("plan.rs", "use ricasso_os::Host;"));
    assert_none(breaches_in_room("plan.rs", "use ricasso_os::host::Host;"));
    assert_eq!(breaches_in_room("plan.rs", "use ricasso_os::{Host, Keeper};").len(), 1);
    assert_eq!(breaches_in_room("plan.rs", "use ricasso_os::*;").len(), 1);
}

#[test]
fn room_outside_the_table_is_refused() {
    assert_eq!(breaches_in_room("attic.rs", "").len(), 1);
    assert_eq!(breaches_in_room("attic/box.rs", "").len(), 1);
    assert_none(breaches_in_room("lib.rs", "pub mod request;"));
}

#[test]
fn door_that_judges_plans_or_runs_is_refused() {
    let good = "use ricasso_engine::{Engine, policy::layers, request::Request};\n\
                use ricasso_os::{Host, Keeper};\nuse crate::cli::run;\n";
    assert_none(breaches_in_doors("cli/run.rs", good));
    for bad in [
        "use ricasso_engine::plan::Plan;",
        "use ricasso_engine::{run, Engine};",
        "use ricasso_engine::policy::{judge, layers};",
        "use ricasso_os::Warden;",
    ] {
        assert_eq!(breaches_in_doors("cli/run.rs", bad).len(), 1, "{bad}");
    }
}

#[test]
fn dependency_that_points_outwards_is_refused() {
    let bad = "[dependencies]\nricasso-engine.workspace = true\n";
    assert_eq!(breaches_in_manifest("ricasso-shell", bad).len(), 1);
    assert_eq!(breaches_in_manifest("ricasso-shell", &bad.replace("[", "[dev-")).len(), 1);
    assert_eq!(breaches_in_manifest("ricasso-os", "[dependencies]\nnix = \"0.31\"\n").len(), 1);
    let target = "[target.'cfg(target_os = \"linux\")'.dependencies]\nserde = \"1\"\n";
    assert_eq!(breaches_in_manifest("ricasso-os", target).len(), 1);
    assert_none(breaches_in_manifest("ricasso-shell", "[dev-dependencies]\narbtest = \"0.3\"\n"));
    assert_eq!(breaches_in_manifest("ricasso-attic", "").len(), 1);
}
