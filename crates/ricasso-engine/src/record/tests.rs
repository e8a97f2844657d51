//! What the ledger is worth: torn writes, killed writers, changed bytes, cuts, many at once.

mod crashes;
mod retention;

use super::ledger::Ledger;
use super::{
    Anchor, Anchors, Damage, Entry, Error, Line, Phase, Receipt, Told, Verified, entries, unclosed,
    verify,
};
use crate::policy::Durability;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const AT: &str = "2026-01-01T00:00:00.000Z";

/// A directory that is gone with its test.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ricasso-ledger-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn lines(&self, number: u32) -> PathBuf {
        self.0.join(format!("{number:06}.jsonl"))
    }

    fn ledger(&self) -> Ledger {
        Ledger::open(&self.0, Durability::Flush).unwrap()
    }

    fn verified(&self) -> Verified {
        verify(&self.0, &Anchors::default()).unwrap()
    }

    /// The bytes of the first file and of the head.
    fn bytes(&self) -> (Vec<u8>, Vec<u8>) {
        (fs::read(self.lines(1)).unwrap(), fs::read(self.0.join("head")).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn entry(phase: Phase, id: &str) -> Entry<&'static str> {
    let mut entry = Entry::new(phase, id, AT);
    entry.command = Some("echo \"a\\b\" grüß");
    entry.session = "s".into();
    entry
}

fn fill(ledger: &Ledger, count: usize) -> Vec<Receipt> {
    (0..count).map(|n| ledger.append_any(&entry(Phase::Open, &format!("j{n}"))).unwrap()).collect()
}

fn given(anchor: &Anchor) -> Anchors {
    Anchors { given: vec![anchor.clone()], kept: Vec::new() }
}

fn all(place: &Path) -> Vec<Line> {
    entries(place).unwrap().map(Result::unwrap).collect()
}

#[test]
fn lines_are_chained_and_come_back() {
    let place = Place::new();
    let receipts = fill(&place.ledger(), 3);
    let more = fill(&place.ledger(), 1);
    assert_eq!((receipts[2].seq, more[0].seq), (3, 4));
    let lines = all(&place.0);
    assert_eq!(lines.iter().map(|line| line.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(lines[1].entry.command, Some("echo \"a\\b\" grüß".into()));
    assert!(lines[1].entry.extra.is_empty());
    assert!(lines[0].text.contains(r#""event":"shell_audit","phase":"open","id":"j0""#));
    let found = place.verified();
    assert!(found.is_intact() && found.told.is_empty(), "{found:?}");
    assert_eq!((found.entries, found.last_hash), (4, more[0].hash.clone()));
}

#[cfg(unix)]
#[test]
fn the_ledger_is_ours_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    fill(&place.ledger(), 1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.0), 0o700);
    assert_eq!((mode(&place.lines(1)), mode(&place.0.join("head"))), (0o600, 0o600));
}

#[test]
fn a_line_torn_at_any_byte_is_cut_off_and_told() {
    let place = Place::new();
    fill(&place.ledger(), 2);
    let (before, head) = place.bytes();
    fill(&place.ledger(), 1);
    let (after, _) = place.bytes();
    for length in before.len() + 1..=after.len() {
        fs::write(place.lines(1), &after[..length]).unwrap();
        fs::write(place.0.join("head"), &head).unwrap();
        let torn = place.verified();
        assert!(torn.is_intact(), "{length}: {torn:?}");
        let receipt = place.ledger().append_any(&entry(Phase::Close, "x")).unwrap();
        let found = place.verified();
        assert!(found.is_intact(), "{length}: {found:?}");
        let whole = length == after.len();
        // A whole line is adopted; a torn one leaves a line that tells the repair.
        assert_eq!(receipt.seq, 4, "{length}");
        let told = Told::Repaired { seq: 3, what: "torn_line".into() };
        assert_eq!(found.told, if whole { vec![] } else { vec![told] }, "{length}");
    }
}

#[test]
fn a_cut_behind_the_head_is_found_and_stays_found() {
    let place = Place::new();
    fill(&place.ledger(), 3);
    let (whole, head) = place.bytes();
    for length in 0..whole.len() {
        fs::write(place.lines(1), &whole[..length]).unwrap();
        fs::write(place.0.join("head"), &head).unwrap();
        assert!(!place.verified().is_intact(), "{length}");
        let receipt = place.ledger().append_any(&entry(Phase::Close, "x")).unwrap();
        assert_eq!(receipt.seq, 5, "{length}");
        let found = place.verified();
        let gap = |damage: &Damage| matches!(damage, Damage::Broken { found: 4, .. });
        assert!(found.damage.iter().any(gap), "{length}: {found:?}");
    }
}

#[test]
fn any_single_changed_byte_is_found() {
    let place = Place::new();
    fill(&place.ledger(), 3);
    let (lines, head) = place.bytes();
    for (path, bytes) in [(place.lines(1), lines), (place.0.join("head"), head)] {
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, &changed).unwrap();
            assert!(!place.verified().is_intact(), "{} byte {at}", path.display());
        }
        fs::write(&path, &bytes).unwrap();
        assert!(place.verified().is_intact());
    }
}

#[test]
fn removal_reordering_and_a_missing_head_are_found_with_their_place() {
    let place = Place::new();
    let receipts = fill(&place.ledger(), 4);
    let (bytes, _) = place.bytes();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let put = |order: &[usize]| {
        let text: String = order.iter().map(|at| lines[*at]).collect();
        fs::write(place.lines(1), text).unwrap();
        place.verified().damage
    };
    let broken = |line, expected, found| Damage::Broken { file: 1, line, expected, found };
    assert_eq!(put(&[0, 2, 3])[0], broken(2, 2, 3));
    assert_eq!(put(&[1, 2, 3])[0], broken(1, 1, 2));
    assert_eq!(put(&[0, 2, 1, 3])[0], broken(2, 2, 3));
    assert_eq!(put(&[0, 1, 1, 2, 3])[0], broken(3, 3, 2));
    assert_eq!(put(&[0, 1, 2]), [Damage::Cut { head_seq: 4, last_seq: 3 }]);
    assert_eq!(put(&[0, 1, 2, 3]), []);
    fs::remove_file(place.0.join("head")).unwrap();
    assert_eq!(place.verified().damage, [Damage::HeadMissing]);
    // The next append makes a head and says so, since a cut before it cannot be excluded.
    let receipt = place.ledger().append_any(&entry(Phase::Close, "x")).unwrap();
    assert_eq!(receipt.seq, 6);
    assert_eq!(place.verified().damage, [Damage::HeadWasMissing { seq: 5 }]);
    let kept = Anchor { seq: 2, hash: receipts[1].hash.clone() };
    assert_eq!(verify(&place.0, &given(&kept)).unwrap().damage.len(), 1);
    let other = Anchor { seq: 2, hash: receipts[2].hash.clone() };
    let damage = verify(&place.0, &given(&other)).unwrap().damage;
    assert!(damage.contains(&Damage::AnchorDiffers { seq: 2 }), "{damage:?}");
    let beyond = Anchor { seq: 99, hash: String::new() };
    let damage = verify(&place.0, &given(&beyond)).unwrap().damage;
    assert!(damage.contains(&Damage::AnchorMissing { seq: 99 }), "{damage:?}");
}

#[test]
fn foreign_lines_stay_where_they_are_and_are_told() {
    let place = Place::new();
    fill(&place.ledger(), 1);
    let (mut bytes, _) = place.bytes();
    bytes.extend_from_slice(b"not ours\n");
    fs::write(place.lines(1), &bytes).unwrap();
    fill(&place.ledger(), 1);
    let found = place.verified();
    assert_eq!(found.damage, [Damage::Changed { file: 1, line: 2 }]);
    assert_eq!(found.told, [Told::Repaired { seq: 2, what: "foreign".into() }]);
}

#[test]
fn the_chain_is_carried_over_into_the_next_file() {
    let place = Place::new();
    let ledger = Ledger::open_rotating(&place.0, Durability::Sync, 1500).unwrap();
    fill(&ledger, 20);
    assert!(place.lines(3).exists());
    let found = place.verified();
    assert!(found.is_intact(), "{found:?}");
    assert_eq!((found.entries, all(&place.0).len()), (20, 20));
    fs::remove_file(place.lines(2)).unwrap();
    assert_eq!(place.verified().damage[0], Damage::FileMissing { file: 2 });
}

#[test]
fn threads_and_ledgers_append_without_mixing() {
    let place = Place::new();
    let shared = place.ledger();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fill(&shared, 50));
            scope.spawn(|| fill(&place.ledger(), 50));
        }
    });
    let found = place.verified();
    assert!(found.is_intact() && found.told.is_empty(), "{found:?}");
    assert_eq!(found.entries, 400);
}

#[test]
fn jobs_that_were_never_closed_are_known() {
    let place = Place::new();
    let ledger = Ledger::open_rotating(&place.0, Durability::Flush, 1000).unwrap();
    for id in ["a", "b", "c"] {
        let mut opening = entry(Phase::Open, id);
        opening.owner = Some(format!("owner-{id}"));
        ledger.append_any(&opening).unwrap();
    }
    ledger.append_any(&entry(Phase::Close, "b")).unwrap();
    let ids: BTreeSet<String> = ["a", "b"].map(String::from).into();
    let open = unclosed(&place.0, &ids).unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!((open[0].id.as_str(), open[0].owner.as_deref()), ("a", Some("owner-a")));
    let (mut bytes, _) = place.bytes();
    bytes.extend_from_slice(b"not ours\n");
    fs::write(place.lines(1), &bytes).unwrap();
    assert_eq!(unclosed(&place.0, &ids).unwrap().len(), 1);
    assert!(unclosed(&place.0.join("nowhere"), &ids).unwrap().is_empty());
}

#[test]
fn what_cannot_be_written_is_an_error_that_names_the_thing() {
    let place = Place::new();
    let mut own = entry(Phase::Note, "x");
    own.extra.insert("seq".into(), 5.into());
    let error = place.ledger().append_any(&own).unwrap_err();
    assert!(matches!(error, Error::ReservedKey { .. }), "{error}");
    let ledger = place.ledger();
    fs::create_dir_all(place.lines(1)).unwrap();
    let error = ledger.append_any(&entry(Phase::Open, "x")).unwrap_err();
    assert!(error.to_string().contains("000001.jsonl"), "{error}");
    fs::write(place.0.join("file"), "").unwrap();
    let error = Ledger::open(&place.0.join("file"), Durability::Flush).unwrap_err();
    assert!(matches!(error, Error::OpenDirectory { .. }), "{error}");
}

/// A full disk, as far as one can be had without being root.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    let ledger = place.ledger();
    fs::write(place.0.join("head"), super::head::Head::origin().write()).unwrap();
    std::os::unix::fs::symlink("/dev/full", place.lines(1)).unwrap();
    let error = ledger.append_any(&entry(Phase::Open, "x")).unwrap_err();
    assert!(matches!(error, Error::Append { .. }), "{error}");
    assert!(error.to_string().contains("nothing is run"), "{error}");
}
