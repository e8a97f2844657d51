//! Every table of `cases/dialect`, through every door.

use super::case::Table;
use super::door::{Door, through};
use super::told;
use crate::place::{Place, in_parallel, is_long};
use std::path::PathBuf;

/// Cases at once. Most of the time of a call is waiting.
const WORKERS: usize = 4;

/// Reads a table of `cases/dialect`.
pub(super) fn read(name: &str) -> Table {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/dialect").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(name: &str) {
    let mut table = read(name);
    table.case.retain(|case| case.needs.is_empty());
    hold(name, &table);
}

/// Checks that each case of a table holds through its doors.
pub(super) fn hold(name: &str, table: &Table) {
    let mut tries = Vec::new();
    for (number, case) in table.case.iter().enumerate() {
        // What differs between the doors is the same for all cases; some of them show it.
        let doors = match number {
            0 => Door::ALL.as_slice(),
            _ if number % 4 == 0 || is_long() => &Door::ALL[..2],
            _ => &Door::ALL[..1],
        };
        tries.extend(doors.iter().map(|door| (case, *door)));
    }
    let failed = in_parallel(WORKERS, &tries, |(case, door)| {
        let place = Place::new();
        let result = through(*door, &table.dialect, case, &place);
        let wrong = case.expected().wrong(&result, &place.work());
        for id in &case.ids {
            told(id, &format!("{name}: {} ({door:?})", case.name), wrong.is_empty());
        }
        wrong.into_iter().map(|it| format!("{} ({door:?}): {it}", case.name)).collect::<Vec<_>>()
    });
    let failed = failed.concat();
    assert!(failed.is_empty(), "{} wrong:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_table_of_flowforge_holds_through_every_door() {
    run("flowforge.toml");
}

#[test]
fn the_table_of_analysis_holds_through_every_door() {
    run("analysis.toml");
}

#[test]
fn the_table_of_execute_command_holds_through_every_door() {
    run("execute-command.toml");
}

#[test]
fn the_table_of_exec_holds_through_every_door() {
    run("exec.toml");
}

#[test]
fn the_table_of_bash_holds_through_every_door() {
    run("bash.toml");
}
