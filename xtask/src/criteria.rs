//! `cargo xtask criteria`: which acceptance criterion is shown by which test, and whether it holds.
//!
//! Two kinds of tests name criteria: cases of the tables in `cases/dialect`, which write a line for
//! each id, and tests whose own name begins with one (`s3_07_…`). An id without a test fails.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// How many criteria each contract has.
const CONTRACTS: [(u32, u32); 5] = [(1, 57), (2, 35), (3, 38), (4, 39), (5, 50)];

/// What shows a criterion.
struct Shown {
    test: String,
    good: bool,
}

/// Runs the tests and prints the table; true when every criterion has a test and holds.
pub(crate) fn run(root: &Path) -> bool {
    let told = root.join("target").join("criteria.txt");
    // A file of an earlier run would vouch for tests that no longer exist.
    let _ = std::fs::remove_file(&told);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "test",
            "--workspace",
            "--no-fail-fast",
            "--",
            "s1_",
            "s2_",
            "s3_",
            "s4_",
            "s5_",
            "the_table_of",
        ])
        .env("RICASSO_CRITERIA", &told)
        .current_dir(root)
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("cannot run cargo: {error}; is the toolchain installed?");
            return false;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let tables = std::fs::read_to_string(&told).unwrap_or_default();
    let shown = collect(&said, &tables);
    let mut missing = 0;
    let mut failed = 0;
    for id in ids() {
        match shown.get(&id) {
            None => {
                missing += 1;
                println!("{id}\t-\tNO TEST");
            }
            Some(tests) => {
                for test in tests {
                    failed += usize::from(!test.good);
                    let result = if test.good { "ok" } else { "FAILED" };
                    println!("{id}\t{}\t{result}{}", test.test, mark(&test.test));
                }
            }
        }
    }
    let all = ids().count();
    println!(
        "{all} criteria, {} with a test, {missing} without, {failed} tests failed",
        all - missing
    );
    missing == 0 && failed == 0 && output.status.success()
}

/// Other systems are not at hand: their criteria are shown by what would be handed to them.
fn mark(test: &str) -> &'static str {
    if test.starts_with("windows::") || test.starts_with("macos::") {
        "\tbuilder only, not run on that system"
    } else {
        ""
    }
}

fn ids() -> impl Iterator<Item = String> {
    CONTRACTS
        .iter()
        .flat_map(|(contract, count)| (1..=*count).map(move |at| format!("S{contract}.{at:02}")))
}

fn collect(said: &str, tables: &str) -> BTreeMap<String, Vec<Shown>> {
    let mut shown: BTreeMap<String, Vec<Shown>> = BTreeMap::new();
    for line in said.lines() {
        if let Some((test, result)) =
            line.strip_prefix("test ").and_then(|it| it.rsplit_once(" ... "))
        {
            for id in named(test) {
                let good = result == "ok";
                shown.entry(id).or_default().push(Shown { test: test.to_string(), good });
            }
        }
    }
    for line in tables.lines() {
        let mut parts = line.split('\t');
        if let (Some(id), Some(test), Some(result)) = (parts.next(), parts.next(), parts.next()) {
            let one = Shown { test: test.to_string(), good: result == "ok" };
            shown.entry(id.to_string()).or_default().push(one);
        }
    }
    shown
}

/// The criteria that a test's name begins with: `s3_06_s3_08_the_same_shell`.
fn named(test: &str) -> Vec<String> {
    let name = test.rsplit("::").next().unwrap_or(test);
    let mut words = name.split('_').peekable();
    let mut ids = Vec::new();
    while let Some(contract) = words.next().and_then(|word| word.strip_prefix('s')) {
        let Some(number) = words.next() else { break };
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(contract) || !digits(number) {
            break;
        }
        ids.push(format!("S{contract}.{number}"));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tables_are_collected() {
        let said = "test dialect::s3::s3_06_s3_08_the_same_shell ... ok\ntest x::s4_plain ... ok\n";
        let shown = collect(said, "S1.05\tflowforge.toml: x\tFAILED\n");
        assert!(shown["S3.06"][0].good && shown["S3.08"][0].good);
        assert!(!shown["S1.05"][0].good);
        assert_eq!(shown.len(), 3);
        assert_eq!(ids().count(), 219);
        assert!(mark("dialect::s3::s3_06").is_empty());
        assert!(mark("macos::tests::s3_30_x").contains("builder"));
    }
}
