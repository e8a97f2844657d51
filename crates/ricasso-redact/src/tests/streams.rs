//! Every split of a stream gives the same text; what cannot be a secret is not held back.

use crate::{End, Label, RedactedStream, Redactor, Secrets, Span, StreamSearch, Window};
use proptest::prelude::*;

/// Never issued: letters and digits in order.
const BODY: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

fn redactor() -> Redactor {
    let values = vec![
        ("DB_PASSWORD".to_owned(), b"hunter2!x".to_vec()),
        ("LONG_KEY".to_owned(), b"hunter2!xyz and more".to_vec()),
    ];
    Redactor::new(&Secrets { values, patterns: vec![r"CORP-[0-9]{4,}".to_owned()] }).unwrap()
}

/// Redacts in these chunks, and holds that what was handed out is a beginning of the whole.
fn redact_in(redactor: &Redactor, chunks: &[&[u8]]) -> Vec<u8> {
    let mut stream = RedactedStream::new(redactor.clone());
    let mut shown = Vec::new();
    for chunk in chunks {
        shown.extend(stream.push(chunk));
    }
    shown.extend(stream.finish());
    assert_eq!(stream.finish(), b"");
    shown
}

fn text(raw: &str) -> String {
    String::from_utf8(redactor().redact(raw.as_bytes())).unwrap()
}

#[test]
fn known_kinds_are_hidden() {
    let pem = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{BODY}{BODY}\n{BODY}\n\
         -----END RSA PRIVATE KEY-----"
    );
    let cut_pem = format!("-----BEGIN PRIVATE KEY-----\n{BODY}{BODY}");
    for (kind, secret) in [
        ("github-token", format!("ghp_{BODY}")),
        ("github-token", format!("github_pat_{BODY}_{BODY}")),
        ("gitlab-token", "glpat-abcdefghij0123456789".to_owned()),
        ("slack-token", "xoxb-123456789012-abcdefABCDEF".to_owned()),
        ("aws-access-key-id", "AKIAABCDEFGHIJKLMNOP".to_owned()),
        ("stripe-key", "sk_live_abcdefghij0123456789".to_owned()),
        ("anthropic-key", format!("sk-ant-api03-{BODY}-{BODY}AA")),
        ("openai-key", format!("sk-proj-{BODY}_{BODY}")),
        ("openai-key", format!("sk-{BODY}{BODY}")),
        ("google-key", format!("AIza{}", &BODY[..35])),
        ("npm-token", format!("npm_{BODY}")),
        ("pypi-token", format!("pypi-AgEIcHlwaS5vcmc{BODY}")),
        ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk-_A".to_owned()),
        ("private-key", pem),
        ("private-key", cut_pem),
        ("DB_PASSWORD", "hunter2!x".to_owned()),
        ("DB_PASSWORD", "68756e746572322178".to_owned()),
        ("DB_PASSWORD", "hunter2%21x".to_owned()),
        ("DB_PASSWORD", "aHVudGVyMiF4".to_owned()),
        ("LONG_KEY", "hunter2!xyz and more".to_owned()),
        ("pattern", "CORP-123456".to_owned()),
    ] {
        assert_eq!(text(&format!("a {secret}\nb")), format!("a [REDACTED:{kind}]\nb"), "{secret}");
        assert_eq!(text(&secret), format!("[REDACTED:{kind}]"), "{secret}");
    }
}

#[test]
fn what_leads_to_a_secret_stays() {
    let aws = "abcdefghijABCDEFGHIJ0123456789/+abcdefgh";
    for (raw, expected) in [
        (
            format!("aws_secret_access_key = {aws}\n"),
            "aws_secret_access_key = [REDACTED:aws-secret-key]\n",
        ),
        (
            format!("\"SecretAccessKey\": \"{aws}\","),
            "\"SecretAccessKey\": \"[REDACTED:aws-secret-key]\",",
        ),
        (
            "git clone https://bob:s3cret@host/x".to_owned(),
            "git clone https://bob:[REDACTED:url-password]@host/x",
        ),
        (
            "postgres://hunter2!x:other-one@db".to_owned(),
            "postgres://[REDACTED:DB_PASSWORD]:[REDACTED:url-password]@db",
        ),
        (
            "> Authorization: Bearer abcdef.123456\r\n".to_owned(),
            "> Authorization: Bearer [REDACTED:authorization]\r\n",
        ),
    ] {
        assert_eq!(text(&raw), expected);
    }
}

#[test]
fn ordinary_text_stays() {
    for raw in [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000 task-abcdefghijklmnopqrstuvwxyz0123456789abcd",
        "sk-toggleable__label-arrow:before sk-estimator-doc-link-very-long-class-name",
        "http://localhost:8080/path@x https://user:${PASS}@host https://[::1]:80@x",
        "Authorization: Bearer $TOKEN",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "npm_config_registry AKIA ghp_short eyJhbGciOiJIUzI1NiJ9",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP==",
    ] {
        assert_eq!(text(raw), raw);
    }
}

#[test]
fn a_token_longer_than_its_maximum_is_hidden_to_its_end() {
    let long = "a1".repeat(5_000);
    assert_eq!(text(&format!("ghp_{long} rest")), "[REDACTED:github-token] rest");
}

#[test]
fn a_token_without_end_is_hidden_for_a_mebibyte() {
    let long = format!("ghp_{} rest", "a1".repeat(700_000));
    let spans = redactor().find_spans(long.as_bytes());
    assert_eq!((spans.len(), spans[0].end), (1, 1 << 20));
}

#[test]
fn colour_inside_a_token_does_not_show_it() {
    let raw = format!("x g\x1b[31mhp_{}\x1b[0m{}\x1b(B y", &BODY[..5], &BODY[5..]);
    assert_eq!(text(&raw), "x [REDACTED:github-token]\x1b(B y");
}

#[test]
fn a_prompt_is_shown_at_once() {
    for prompt in [
        "Password:",
        "Password: ",
        "[sudo] password for bob:",
        "[sudo] password for bob: ",
        "bob@host's password: ",
        "Enter passphrase for key '/home/bob/.ssh/id_ed25519': ",
        "Password for 'https://bob@example.org': ",
        "Enter token:",
        "API key: ",
        "Paste an authentication token: ",
        "Continue? [y/N] ",
        "Overwrite (y/n)?",
        "(gdb) ",
        "mysql> ",
        "$ ",
        "done 100%",
        "12345 items",
        "0000000 ",
        "total 48\n",
        "tests",
        "see https://a.b/",
        "é",
    ] {
        let shown = RedactedStream::new(Redactor::default()).push(prompt.as_bytes());
        assert_eq!(shown, prompt.as_bytes(), "{prompt}");
        let shown = RedactedStream::new(redactor()).push(prompt.as_bytes());
        assert_eq!(shown, prompt.as_bytes(), "{prompt}");
    }
}

#[test]
fn what_may_grow_into_a_secret_waits_and_the_end_frees_it() {
    let mut stream = RedactedStream::new(redactor());
    assert_eq!(stream.push(b"word gh"), b"word ");
    assert_eq!(stream.push(b"p_abc"), b"");
    assert_eq!(stream.push(b" hunter2!"), b"ghp_abc ");
    assert_eq!(stream.finish(), b"hunter2!");
    let block = format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n");
    let mut stream = RedactedStream::new(redactor());
    assert_eq!(stream.push(block.as_bytes()), b"[REDACTED:private-key]\n");
    assert_eq!(stream.redactions(), 1);
}

#[test]
fn a_stream_keeps_little_of_what_it_has_seen() {
    let redactor = redactor();
    let mut search = StreamSearch::default();
    for _ in 0..64 {
        let line = b"some ordinary words of a log, and a number 4711\n".repeat(500);
        search.push(&line, End::Open, |window| redactor.search(window));
        assert!(search.kept_bytes() < 64 * 1024, "{}", search.kept_bytes());
    }
}

/// A deadline that only finds what is out of all measure.
#[test]
fn making_a_redactor_is_quick() {
    let start = std::time::Instant::now();
    redactor();
    assert!(start.elapsed().as_millis() < 50);
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let parts = vec![
        format!("ghp_{BODY}"),
        format!("sk-ant-api03-{BODY}"),
        "hunter2!x".into(),
        "hunter2!xyz and more".into(),
        "hunter2!xyz and ".into(),
        "hunte\nr2!x".into(),
        "aHVudGVyMiF4".into(),
        "https://bob:pass1234@h/".into(),
        "AKIAABCDEFGHIJKLMNOP".into(),
        "CORP-1234567".into(),
        "\x1b[31m".into(),
        "\x1b[".into(),
        "\n".into(),
        " ".into(),
        "Authorization: Bearer abcdefgh12345".into(),
        "password = ".into(),
        "00000000: 6875 6e74 6572 3221  hunter2!\n00000010: 78  x\n".into(),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk".into(),
        "-----BEGIN PRIVATE KEY-----\nabcd\n-----END PRIVATE KEY-----".into(),
        format!("ghp_{}", "q7".repeat(400)),
    ];
    prop_oneof![
        3 => prop::sample::select(parts).prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..8),
        1 => "[ -~]{0,6}".prop_map(String::into_bytes),
    ]
}

/// The bytes that spans hide.
fn hidden(spans: &[Span]) -> Vec<u64> {
    spans.iter().flat_map(|span| span.start..span.end).collect()
}

proptest! {
    #[test]
    fn every_split_gives_the_same_text(
        parts in prop::collection::vec(fragment(), 0..8),
        sizes in prop::collection::vec(1usize..40, 1..20),
    ) {
        let redactor = redactor().labelled(Label::Plain);
        let raw = parts.concat();
        let whole = redactor.redact(&raw);
        let bytes: Vec<&[u8]> = raw.chunks(1).collect();
        let whole = whole.escape_ascii().to_string();
        prop_assert_eq!(redact_in(&redactor, &bytes).escape_ascii().to_string(), &*whole);
        let mut chunks = Vec::new();
        let mut rest = &raw[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() { break; }
            let (chunk, more) = rest.split_at((*size).min(rest.len()));
            chunks.push(chunk);
            rest = more;
        }
        prop_assert_eq!(redact_in(&redactor, &chunks).escape_ascii().to_string(), &*whole);
    }

    #[test]
    fn an_open_window_decides_nothing_that_its_rest_changes(
        parts in prop::collection::vec(fragment(), 0..8),
        cut in 0usize..400,
    ) {
        let redactor = redactor();
        let raw = parts.concat();
        let cut = cut.min(raw.len());
        let window = |bytes, end| Window { bytes, offset: 0, from: 0, end };
        let open = redactor.search(&window(&raw[..cut], End::Open));
        let whole = redactor.search(&window(&raw, End::Closed));
        let decided = |found: &crate::Findings| {
            let mut hidden = hidden(&found.spans);
            hidden.retain(|place| *place < open.decided);
            hidden
        };
        prop_assert_eq!(decided(&open), decided(&whole));
        prop_assert!(open.resume <= open.decided && open.decided <= cut as u64);
    }
}
