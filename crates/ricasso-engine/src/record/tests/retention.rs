//! Old files go, the chain says so, and nothing else may hide behind that.

use super::{Place, all, entry, fill, given};
use crate::policy::Durability;
use crate::record::ledger::Ledger;
use crate::record::{Anchor, Anchors, Damage, Phase, Told, rfc3339, verify};
use std::fs;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);

fn now() -> SystemTime {
    SystemTime::now()
}

/// A ledger of several short files, written as if these many days ago.
fn old(place: &Place, files: u32) -> Ledger {
    let ledger = Ledger::open_rotating(&place.0, Durability::Flush, 1_000).unwrap();
    while !place.lines(files).exists() {
        let mut line = entry(Phase::Open, "old");
        line.at = rfc3339(now());
        ledger.append_any(&line).unwrap();
    }
    ledger
}

fn age(place: &Place, file: u32, days: u32) {
    let file = fs::File::options().write(true).open(place.lines(file)).unwrap();
    file.set_modified(now() - DAY * days).unwrap();
}

fn missing(file: u32) -> Damage {
    Damage::FileMissing { file }
}

#[test]
fn old_files_go_and_the_chain_stays_intact_and_says_so() {
    let place = Place::new();
    let ledger = old(&place, 5);
    let before = all(&place.0);
    (1..=3).for_each(|file| age(&place, file, 100 - file));
    assert_eq!(ledger.retire(DAY * 200, now()).unwrap(), 0);
    assert_eq!(all(&place.0).len(), before.len(), "nothing is written where nothing is old");
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 3);
    let left: Vec<bool> = (1..=5).map(|file| place.lines(file).exists()).collect();
    assert_eq!(left, [false, false, false, true, true]);
    let found = place.verified();
    assert!(found.is_intact(), "{found:?}");
    let gone = found.first_seq - 1;
    let told = Told::Retired { file: 3, through_seq: gone, seq: found.last_seq };
    assert_eq!(found.told, [told]);
    // Again, and the line that tells it goes itself one day.
    fill(&ledger, 9);
    (4..=5).for_each(|file| age(&place, file, 95));
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 2);
    let found = place.verified();
    assert!(found.is_intact() && found.first_seq > gone + 1, "{found:?}");
    // Another process goes on as if nothing had been.
    fill(&place.ledger(), 2);
    assert!(place.verified().is_intact());
    // What somebody kept of a line that is gone proves nothing, and what lies in replies may go.
    let old = Anchor { seq: 1, hash: before[0].hash.clone() };
    let damage = verify(&place.0, &given(&old)).unwrap().damage;
    assert_eq!(damage, [Damage::AnchorMissing { seq: 1 }]);
    let kept = Anchors { given: Vec::new(), kept: vec![old] };
    assert!(verify(&place.0, &kept).unwrap().is_intact());
}

#[test]
fn a_crash_between_the_line_and_the_removal_does_no_harm() {
    let place = Place::new();
    let ledger = old(&place, 4);
    let saved: Vec<Vec<u8>> = (1..=2).map(|file| fs::read(place.lines(file)).unwrap()).collect();
    (1..=2).for_each(|file| age(&place, file, 99));
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 2);
    fs::write(place.lines(2), &saved[1]).unwrap();
    assert!(place.verified().is_intact(), "the second was not yet removed");
    fs::write(place.lines(1), &saved[0]).unwrap();
    assert!(place.verified().is_intact(), "none was removed yet");
    (1..=2).for_each(|file| age(&place, file, 99));
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 2);
    assert!(place.verified().is_intact());
}

#[test]
fn a_removal_that_was_not_ours_is_found_and_stays_found() {
    let place = Place::new();
    let ledger = old(&place, 6);
    fs::remove_file(place.lines(1)).unwrap();
    assert_eq!(place.verified().damage, [missing(1)]);
    // Retention removes more of the beginning; that must not hide what somebody else removed.
    (2..=3).for_each(|file| age(&place, file, 99));
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 2);
    let damage = place.verified().damage;
    assert!(matches!(damage[..], [Damage::RetiredDamaged { count: 1, .. }]), "{damage:?}");
    // One file more than retention told.
    fs::remove_file(place.lines(4)).unwrap();
    let damage = place.verified().damage;
    assert!((1..=4).all(|file| damage.contains(&missing(file))), "{damage:?}");
    // The line that tells of damage goes with its file, and its word is carried on.
    fill(&ledger, 9);
    (5..=6).for_each(|file| age(&place, file, 99));
    ledger.retire(DAY * 90, now()).unwrap();
    let damage = place.verified().damage;
    assert!(matches!(damage[..], [Damage::RetiredDamaged { .. }]), "{damage:?}");
}

#[test]
fn a_changed_line_is_not_forgotten_with_its_file() {
    let place = Place::new();
    let ledger = old(&place, 4);
    let text = fs::read_to_string(place.lines(1)).unwrap().replacen("echo", "true", 1);
    fs::write(place.lines(1), text).unwrap();
    let before = place.verified().damage.len() as u64;
    age(&place, 1, 99);
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 1);
    let damage = place.verified().damage;
    let carried = |damage: &Damage| matches!(damage, Damage::RetiredDamaged { count, .. } if *count == before);
    assert!(damage.len() == 1 && carried(&damage[0]), "{damage:?}");
}

#[test]
fn a_short_file_that_spans_too_much_time_is_followed_by_the_next() {
    let place = Place::new();
    let ledger = place.ledger();
    let mut line = entry(Phase::Open, "old");
    line.at = rfc3339(now() - DAY * 30);
    ledger.append_any(&line).unwrap();
    assert_eq!(ledger.retire(DAY * 200, now()).unwrap(), 0);
    assert!(!place.lines(2).exists(), "thirty days are less than a quarter");
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 0);
    assert!(place.lines(2).exists());
    assert!(place.verified().is_intact());
    fill(&ledger, 1);
    fill(&place.ledger(), 1);
    age(&place, 1, 91);
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 1);
    assert!(place.verified().is_intact(), "{:?}", place.verified());
}

#[test]
fn any_changed_byte_of_what_retention_left_is_found() {
    let place = Place::new();
    let ledger = old(&place, 3);
    age(&place, 1, 99);
    assert_eq!(ledger.retire(DAY * 90, now()).unwrap(), 1);
    for path in [place.lines(2), place.lines(3), place.0.join("head")] {
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, &changed).unwrap();
            assert!(!place.verified().is_intact(), "{} byte {at}", path.display());
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert!(place.verified().is_intact());
}
