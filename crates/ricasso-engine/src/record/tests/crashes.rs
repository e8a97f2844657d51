//! Writers that die in the middle of an append, in earnest and as if.

use super::{Place, entry, fill};
use crate::policy::Durability;
use crate::record::head::Head;
use crate::record::ledger::Ledger;
use crate::record::{Phase, Told};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The long forms run where this is set; otherwise a twentieth of them.
fn rounds(long: usize) -> usize {
    if std::env::var_os("RICASSO_LONG").is_some() { long } else { long / 20 }
}

/// Numbers without a pattern that matters, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

/// Each round appends some lines and then takes back what a crash in the last append would not
/// have done: a part of its line and the head, or the head alone.
#[test]
fn torn_writes_leave_a_ledger_that_verifies_up_to_the_last_complete_line() {
    let mut dice = Dice(7);
    let mut place = Place::new();
    for round in 0..rounds(10_000) {
        if round % 40 == 0 {
            place = Place::new();
        } else {
            // Tells what the round before left torn, so that the next append is one line alone.
            fill(&place.ledger(), 1 + dice.below(3));
        }
        let ledger = Ledger::open_rotating(&place.0, Durability::Flush, 9_000).unwrap();
        let before = place.verified();
        assert!(before.is_intact(), "round {round}: {before:?}");
        let mut line = entry(Phase::Open, "torn");
        line.extra.insert("filler".into(), "x".repeat(dice.below(5_000)).into());
        let receipt = ledger.append_any(&line).unwrap();
        let head = Head::read(&fs::read(place.0.join("head")).unwrap()).unwrap();
        let bytes = fs::read(place.lines(head.file)).unwrap();
        let start = before_last_line(&bytes);
        let keep = start + dice.below(bytes.len() - start + 1);
        fs::write(place.lines(head.file), &bytes[..keep]).unwrap();
        let (seq, hash) = (before.last_seq, before.last_hash);
        let then = Head { seq, hash, file: head.file, length: start as u64 };
        fs::write(place.0.join("head"), then.write()).unwrap();
        let found = place.verified();
        assert!(found.is_intact(), "round {round}: {found:?}");
        let whole = keep == bytes.len();
        assert_eq!(found.last_seq, receipt.seq - u64::from(!whole), "round {round}: {found:?}");
        let torn = found.told.iter().any(|told| matches!(told, Told::TornLine { .. }));
        assert_eq!(torn, !whole && keep > start, "round {round}: {found:?}");
    }
}

fn before_last_line(bytes: &[u8]) -> usize {
    bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// Names the ledger that a child of the next test appends to.
const CHILD: &str = "RICASSO_TEST_LEDGER";
const THIS_TEST: &str = "record::tests::crashes::killed_writers_leave_a_ledger_that_verifies";

/// What the children of the next test do until they are killed.
fn append_for_ever(directory: &Path) -> ! {
    let ledger = Ledger::open_rotating(directory, Durability::Flush, 20_000).unwrap();
    let mut long = entry(Phase::Open, "j");
    long.extra.insert("filler".into(), "x".repeat(3000).into());
    loop {
        ledger.append_any(&long).unwrap();
    }
}

#[test]
fn killed_writers_leave_a_ledger_that_verifies() {
    if let Some(directory) = std::env::var_os(CHILD) {
        append_for_ever(Path::new(&directory));
    }
    for round in 0..rounds(1_000) as u64 {
        let place = Place::new();
        fill(&place.ledger(), 1);
        let mut children: Vec<_> = (0..2)
            .map(|_| {
                Command::new(std::env::current_exe().unwrap())
                    .args([THIS_TEST, "--exact"])
                    .env(CHILD, &place.0)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        while place.verified().entries < 4 + round % 24 {
            assert!(children[0].try_wait().unwrap().is_none(), "the child ended by itself");
        }
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let found = place.verified();
        assert!(found.is_intact(), "round {round}: {found:?}");
        fill(&place.ledger(), 1);
        let found = place.verified();
        assert!(found.is_intact(), "round {round}: {found:?}");
    }
}
