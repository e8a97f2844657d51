//! The parts tile the stream, the text is made of them, and the markers are true.

use super::*;
use proptest::prelude::*;
use ricasso_redact::{Kind, Redactor, Secrets};

const SMALL: Budget = Budget { stream_bytes: 400, line_bytes: 80 };

fn spans_of(raw: &[u8]) -> Vec<Span> {
    let secrets = Secrets {
        values: vec![("PIN".to_owned(), b"s3cret\nvalue".to_vec())],
        patterns: Vec::new(),
    };
    Redactor::new(&secrets).unwrap().find_spans(raw)
}

fn shown(raw: &str, budget: Budget, lean: Lean) -> (String, Vec<Part>) {
    let sample = Sample::of(Stream::Stdout, raw.as_bytes(), &spans_of(raw.as_bytes()), budget);
    let parts = plan(&sample, budget, lean);
    (render(&sample, &parts, "ID"), parts)
}

fn numbered(words: &[&str], count: usize) -> String {
    (0..count).map(|n| format!("{} {n}\n", words[n % words.len()])).collect()
}

#[test]
fn small_output_is_shown_as_it_is() {
    for raw in ["", "\n", "one\ntwo", "é\r\nü\n", "a\rb\n"] {
        assert_eq!(shown(raw, Budget::default(), Lean::Success).0, raw);
    }
}

#[test]
fn the_middle_goes_and_the_marker_says_which() {
    let raw = numbered(&["alpha", "beta", "gamma"], 100);
    let (text, parts) = shown(&raw, SMALL, Lean::Success);
    let expected = "[… 459 bytes, lines 25-77 left out; ricasso output ID --stream stdout \
                    --bytes 198-657]\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.starts_with("alpha 0\nbeta 1\n") && text.ends_with("gamma 98\nalpha 99\n"));
    assert_eq!(parts.len(), 3);
}

#[test]
fn a_failure_shows_more_of_the_tail() {
    let raw = numbered(&["alpha", "beta", "gamma"], 100);
    let head = |lean| match &shown(&raw, SMALL, lean).1[0] {
        Part::Shown(range) => range.end,
        Part::Omitted(..) => 0,
    };
    assert!(head(Lean::Failure) <= 100 && head(Lean::Success) > 100);
}

#[test]
fn a_long_line_keeps_its_ends() {
    let raw = format!("first\n{}\nlast\n", "x".repeat(1000));
    let (text, _) = shown(&raw, SMALL, Lean::Success);
    let marker = "[… 921 bytes of line 2 left out; ricasso output ID --stream stdout \
                  --bytes 66-987]";
    assert_eq!(text, format!("first\n{}{marker}{}\nlast\n", "x".repeat(60), "x".repeat(20 - 1)));
}

#[test]
fn one_giant_line_without_an_end_is_bounded() {
    let raw = "é".repeat(200_000);
    let (text, parts) = shown(&raw, Budget::default(), Lean::Success);
    assert!(text.len() < 8 * 1024, "{}", text.len());
    assert!(text.contains("of line 1 left out") || text.contains("line 1 left out"));
    assert!(text.starts_with('é') && text.ends_with('é') && !text.contains('\\'));
    assert!(parts.len() <= 5);
}

#[test]
fn progress_is_folded_and_counted() {
    let bar: String = (0..100).map(|n| format!("[{:<20}] {n}%\r", "#".repeat(n / 5))).collect();
    let (text, _) = shown(&format!("{bar}done\n"), Budget::default(), Lean::Success);
    assert!(text.starts_with("[… 100 similar, "), "{text}");
    assert!(text.ends_with("\ndone\n"), "{text}");

    let lines: String = (0..100).map(|n| format!("Downloading {n}% of it\n")).collect();
    let (text, _) = shown(&lines, Budget::default(), Lean::Success);
    assert!(text.contains("[… 98 similar, 2147 bytes, lines 2-99 left out;"), "{text}");
    assert!(text.ends_with("Downloading 99% of it\n"));

    let same = "waiting for the lock\n".repeat(50);
    let (text, _) = shown(&same, Budget::default(), Lean::Success);
    assert!(text.contains("[… 48 similar, 1008 bytes, lines 2-49 left out;"), "{text}");
}

#[test]
fn numbers_are_not_progress_while_they_fit() {
    let raw: String = (0..1000).map(|n| format!("{n}\n")).collect();
    assert_eq!(shown(&raw, Budget::default(), Lean::Success).0, raw);
    let many: String = (0..50_000).map(|n| format!("{n}\n")).collect();
    let (text, _) = shown(&many, Budget::default(), Lean::Success);
    assert!(text.starts_with("0\n1\n2\n") && text.ends_with("49998\n49999\n"), "{text}");
}

#[test]
fn colours_and_links_are_left_out_and_count_as_shown() {
    let raw = "\x1b[1;31merror\x1b[0m: \x1b]8;;http://x\x1b\\here\x1b]8;;\x07\x1b(B\n";
    let (text, parts) = shown(raw, Budget::default(), Lean::Success);
    assert_eq!(text, "error: here\n");
    assert_eq!(parts, [Part::Shown(0..raw.len() as u64)]);
}

#[test]
fn secrets_are_shown_as_their_kind_and_never_cut() {
    let raw = format!("{}s3cret\nvalue{}\n", "a".repeat(55), "b".repeat(300));
    let (text, _) = shown(&raw, SMALL, Lean::Success);
    assert!(!text.contains("s3cret") && !text.contains("value"), "{text}");
}

#[test]
fn bytes_that_are_not_text_are_marked() {
    let sample = Sample::of(Stream::Stdout, b"a\xff\xfe\0b\n", &[], Budget::default());
    let parts = plan(&sample, Budget::default(), Lean::Success);
    assert_eq!(render(&sample, &parts, "ID"), "a\\xff\\xfe\0b\n");
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[a-c0-9 %]{0,30}\n".prop_map(String::into_bytes),
        1 => "[é€😀]{0,60}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..50),
        1 => Just(b"s3cret\nvalue".to_vec()),
        1 => Just(b"\x1b[31m".to_vec()),
        1 => "(step [0-9]{1,3}%\r){1,30}".prop_map(String::into_bytes),
        1 => "x{0,400}\n".prop_map(String::into_bytes),
        1 => Just("same line again and again\n".repeat(12).into_bytes()),
    ]
}

/// Holds everything that a plan promises, for any stream.
fn check(raw: &[u8], budget: Budget, lean: Lean) {
    let spans = spans_of(raw);
    let sample = Sample::of(Stream::Stderr, raw, &spans, budget);
    let parts = plan(&sample, budget, lean);
    let mut at = 0;
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        let range = fold::range_of(part);
        assert_eq!(range.start, at, "parts tile");
        assert!(range.end > range.start);
        at = range.end;
        let inside = |place: u64| spans.iter().any(|s| s.start < place && place < s.end);
        assert!(!inside(range.start) && !inside(range.end), "a secret is cut");
        match part {
            Part::Shown(range) => text.push_str(&plain_text(raw, range, &spans)),
            Part::Omitted(range, lines, why) => {
                let next = parts.get(index + 1);
                assert!(!next.is_some_and(|part| matches!(part, Part::Omitted(..))));
                let line = |place: u64| {
                    1 + raw[..place as usize].iter().filter(|&&b| b == b'\n').count() as u64
                };
                assert_eq!(*lines, [line(range.start), line(range.end - 1)]);
                let marker = marker(range, *lines, *why, Stream::Stderr, "ID");
                push_marker(&mut text, &marker, *why);
            }
        }
    }
    assert_eq!(at, raw.len() as u64, "parts tile to the end");
    assert_eq!(render(&sample, &parts, "ID"), text);
    assert!(!text.contains("s3cret\nvalue"));
    if std::str::from_utf8(raw).is_ok() {
        assert!(!text.contains("\\x"), "a character is cut: {text}");
    }
}

/// The text of a range by the plainest means.
fn plain_text(raw: &[u8], range: &Range<u64>, spans: &[Span]) -> String {
    let sample = Sample {
        stream: Stream::Stdout,
        bytes: raw.len() as u64,
        newlines: 0,
        head_bytes: raw.to_vec(),
        tail_bytes: Vec::new(),
        spans: spans.to_vec(),
        label: Label::default(),
    };
    let [whole, _] = Region::both(&sample);
    let mut text = String::new();
    let mut at = range.start;
    while at < range.end {
        at = whole.push_atom(at, range.end, &mut text);
    }
    text
}

#[test]
fn without_any_budget_everything_is_left_out_and_said() {
    check("😀".as_bytes(), Budget { stream_bytes: 0, line_bytes: 8 }, Lean::Success);
}

proptest! {
    #[test]
    fn a_plan_keeps_its_promises(
        parts in prop::collection::vec(fragment(), 0..40),
        stream_bytes in 0usize..600,
        line_bytes in 8usize..200,
        failed in any::<bool>(),
    ) {
        let lean = if failed { Lean::Failure } else { Lean::Success };
        check(&parts.concat(), Budget { stream_bytes, line_bytes }, lean);
    }
}

#[test]
fn kinds_with_odd_names_are_made_fit() {
    assert_eq!(Kind::new("MY VAR\n]").to_string(), "MY_VAR__");
    assert_eq!(Kind::new("").to_string(), "value");
}
