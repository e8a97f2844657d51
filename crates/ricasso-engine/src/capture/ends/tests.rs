//! Both ends, whole characters, and what is left out to the byte.

use super::super::{Bounds, Owner, Redactor, Secrets, Spool};
use super::*;

fn reading(name: &str, pieces: &[(Stream, &str)]) -> (std::path::PathBuf, Reading) {
    let dir = std::env::temp_dir().join(format!("ricasso-ends-{}-{name}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let redactor = || Redactor::new(&Secrets::default()).unwrap();
    let bounds = Bounds { output_bytes: 1 << 30 };
    let mut spool = Spool::create(&dir, redactor(), bounds).unwrap();
    for (stream, text) in pieces {
        let _stored = spool.append(*stream, text.as_bytes()).unwrap();
    }
    spool.finish().unwrap();
    let reading = Reading::open(&dir, &redactor(), Owner::Gone).unwrap();
    (dir, reading)
}

#[test]
fn what_fits_is_shown_as_it_is() {
    let (dir, reading) = reading("fits", &[(Stream::Stdout, "a\nb"), (Stream::Stderr, "c")]);
    let ends = reading.ends("j", 100, 100).unwrap();
    assert_eq!(ends.texts.each_ref().map(|text| text.as_str()), ["a\nb", "c"]);
    assert_eq!((ends.omitted.len(), ends.lines), (0, 0));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_long_stream_shows_its_ends_and_says_what_lies_between() {
    let text: String = (1..=100).map(|number| format!("line {number:03}\n")).collect();
    let (dir, reading) = reading("long", &[(Stream::Stdout, &text)]);
    let ends = reading.ends("j", 90, u64::MAX).unwrap();
    let shown = ends.texts[0].as_str();
    assert!(shown.starts_with("line 001\nline 002\n"), "{shown}");
    assert!(shown.ends_with("line 099\nline 100\n"), "{shown}");
    assert!(shown.contains("left out; ricasso output j --stream stdout"), "{shown}");
    let [gap] = ends.omitted.as_slice() else { panic!("{:?}", ends.omitted) };
    assert_eq!(gap.bytes, [(gap.lines[0] - 1) * 9, gap.lines[1] * 9]);
    assert!(shown.len() < 90 + 100, "{}", shown.len());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn one_endless_line_is_cut_between_characters() {
    let text = "é".repeat(5_000);
    let (dir, reading) = reading("line", &[(Stream::Stdout, &text)]);
    for bytes in 100..104 {
        let ends = reading.ends("j", bytes, u64::MAX).unwrap();
        let shown = ends.texts[0].as_str();
        assert!(!shown.contains('\u{fffd}'), "{bytes}: {shown}");
        assert!(shown.len() as u64 <= bytes + 120, "{bytes}: {shown}");
    }
    assert_eq!(reading.last(Stream::Stdout, 3).unwrap(), "ééé");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_last_lines_are_those_of_both_streams_together() {
    let pieces = [
        (Stream::Stdout, "o1\no2\n"),
        (Stream::Stderr, "e1\n"),
        (Stream::Stdout, "o3\n"),
        (Stream::Stderr, "e2\n"),
    ];
    let (dir, reading) = reading("both", &pieces);
    let ends = reading.ends("j", 100, 3).unwrap();
    assert_eq!(ends.texts.each_ref().map(|text| text.as_str()), ["o3\n", "e1\ne2\n"]);
    assert_eq!(ends.lines, 2);
    assert_eq!(ends.omitted[0].bytes, [0, 6]);
    std::fs::remove_dir_all(dir).unwrap();
}
