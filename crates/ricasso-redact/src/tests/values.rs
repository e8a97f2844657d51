//! Values that are known to be secret, through what one command makes of them and in every place.
//! Nothing here was ever issued.

use crate::{End, RedactedStream, Redactor, Secrets, StreamSearch, Window};

/// Six bytes to many, with what each spelling has to change.
const VALUES: [&[u8]; 6] = [
    b"hunter2!",
    b"p@ss w0rd/with+signs=&\"quotes\"'<>",
    b"0123456789abcdef0123456789ABCDEF",
    b"\xc3\xbcml\xc3\xa4ut-and-more",
    b"sixsix",
    b"a-long-one/that+spans-more-than-one-line-of-every-dump/and-of-every-encoding=0123456789",
];

/// What a shell makes of the file that holds the value, or `$x`.
const COMMANDS: &[&str] = &[
    "cat value",
    "base64 value",
    "base64 -w 0 value",
    "base64 -w 10 value",
    "base64 -w 1 value",
    "base64 -w 76 value | sed 's/^/    /'",
    "{ printf u:; cat value; } | base64 -w 4",
    "{ printf x; cat value; printf ' and more'; } | base64 -w 7",
    "base64 -w 0 value | tr +/ -_",
    "fold -w 3 value",
    "fold -w 7 value",
    "{ printf 'token is '; cat value; } | fold -w 10",
    "od -c value",
    "od -A x -t x1z value",
    "od -A n -t x1 value",
    "od -t x1 value",
    "{ printf 'x=12345'; cat value; echo; } | od -c",
    "{ printf 'x=123456789abc'; cat value; } | od -t x1z",
    "od -A n -c value",
    "od -t x1 -w8 value",
    "fold -w 1 value",
    "cat -A value",
    "sed -n 'l 20' value",
    "x=$(cat value); declare -p x",
    "export x=\"$(cat value)\"; env | grep -a ^x=",
    "python3 -c 'import json; print(json.dumps(open(\"value\").read()))'",
    "python3 -c 'print(open(\"value\",\"rb\").read())'",
    "python3 -c 'print(repr(open(\"value\").read()))'",
    "python3 -c 'print(\",\\n  \".join(\"0x%02x\" % b for b in open(\"value\",\"rb\").read()))'",
    "python3 -c 'print(\"\".join(\"\\\\x%02x\" % b for b in open(\"value\",\"rb\").read()))'",
    "python3 -c 'print(open(\"value\",\"rb\").read().hex(\" \"))'",
    "python3 -c 'import sys,json; print(json.dumps(open(\"value\").read(), ensure_ascii=False))'",
    "python3 -c 'import html; print(html.escape(open(\"value\").read()))'",
    "python3 -c 'import urllib.parse as u; print(u.quote(open(\"value\").read(), safe=\"\"))'",
    "python3 -c 'import urllib.parse as u; print(u.quote_plus(open(\"value\").read()))'",
    "python3 -c 'import shlex; print(shlex.quote(open(\"value\").read()))'",
    "python3 -c 'print(open(\"value\",\"rb\").read().hex())'",
    "python3 -c 'print(open(\"value\",\"rb\").read().hex(\":\"))'",
    "python3 -c 'print(open(\"value\",\"rb\").read().hex().upper())'",
    "python3 -c 'print(\"\".join(\"%%%02x\" % b for b in open(\"value\",\"rb\").read()))'",
    "x=$(cat value); printf '%s\\n' \"${x@Q}\"",
    "x=$(cat value); printf '%q\\n' \"$x\"",
    "x=$(cat value); set -x; : \"$x\"",
];

/// Dumps in the forms of programs that a small machine may not have.
fn xxd(bytes: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let pairs: Vec<String> = bytes
            .chunks(2)
            .map(|two| two.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        let shown: String = bytes.iter().map(|&byte| shown_byte(byte)).collect();
        text += &format!("{:08x}: {:<39}  {shown}\n", line * 16, pairs.join(" "));
    }
    text.into_bytes()
}

fn hexdump_canonical(bytes: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (left, right) = pairs.split_at(pairs.len().min(8));
        let shown: String = bytes.iter().map(|&byte| shown_byte(byte)).collect();
        let columns = format!("{:<23}  {:<23}", left.join(" "), right.join(" "));
        text += &format!("{:08x}  {columns}  |{shown}|\n", line * 16);
    }
    text.into_bytes()
}

fn shown_byte(byte: u8) -> char {
    if (b' '..0x7f).contains(&byte) { char::from(byte) } else { '.' }
}

fn redactor(value: &[u8]) -> Redactor {
    let values = vec![("SOME_SECRET".to_owned(), value.to_vec())];
    Redactor::new(&Secrets { values, patterns: Vec::new() }).unwrap()
}

/// What each command prints of the value, made by the real programs.
fn outputs(value: &[u8], name: &str) -> Vec<(String, Vec<u8>)> {
    let dir = std::env::temp_dir().join(format!("ricasso-values-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("value"), value).unwrap();
    let mut all = Vec::new();
    for command in COMMANDS {
        let ran = std::process::Command::new("bash")
            .args(["-c", command])
            .current_dir(&dir)
            .env("LC_ALL", "C.UTF-8")
            .env("PYTHONUTF8", "1")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {}", ran.stderr.escape_ascii());
        all.push(((*command).to_owned(), [ran.stdout, ran.stderr].concat()));
    }
    std::fs::remove_dir_all(&dir).unwrap();
    for front in [&b""[..], b"x=12345 "] {
        let bytes = [front, value].concat();
        all.push(("xxd".to_owned(), xxd(&bytes)));
        all.push(("hexdump -C".to_owned(), hexdump_canonical(&bytes)));
    }
    all
}

/// How many bytes in a row a reader may see that carry bits of a value's end in base64.
const BORDER_BYTES: usize = 4;

/// Whether the text shows some bytes in a row of what the output has of the value.
fn shows(shown: &[u8], output: &[u8], plain: &[u8]) -> bool {
    let rest: Vec<u8> =
        String::from_utf8_lossy(shown).replace("[REDACTED:SOME_SECRET]", "\u{1}").into_bytes();
    // What the command prints beside the value has none of these rows of bytes.
    let rows = output.windows(BORDER_BYTES + 1);
    rows.filter(|row| !plain.windows(row.len()).any(|other| other == *row))
        .any(|row| rest.windows(row.len()).any(|other| other == row))
}

#[test]
fn a_value_is_hidden_through_what_one_command_makes_of_it() {
    for (index, value) in VALUES.iter().enumerate() {
        let redactor = redactor(value);
        // What the same commands print of a value that has nothing in common with it.
        let other: Vec<u8> = (0..value.len()).map(|at| b"ZQ~^"[at % 4]).collect();
        let plain = outputs(&other, &format!("plain-{index}"));
        for ((command, output), (_, plain)) in outputs(value, &index.to_string()).iter().zip(&plain)
        {
            let shown = redactor.redact(output);
            let text = format!("{command}: {} of {}", shown.escape_ascii(), output.escape_ascii());
            assert!(shown.windows(10).any(|part| part == b"[REDACTED:"), "{text}");
            assert!(!shows(&shown, output, plain), "{text}");
            for size in [1, 2, 3, 5, 8, 13, 64] {
                let mut stream = RedactedStream::new(redactor.clone());
                let mut pieces: Vec<u8> = Vec::new();
                output.chunks(size).for_each(|chunk| pieces.extend(stream.push(chunk)));
                pieces.extend(stream.finish());
                assert_eq!(
                    pieces.escape_ascii().to_string(),
                    shown.escape_ascii().to_string(),
                    "{command} in chunks of {size}"
                );
            }
        }
    }
}

#[test]
fn a_value_is_hidden_in_binary_in_colours_and_in_one_giant_line() {
    for value in VALUES {
        let redactor = redactor(value);
        let hidden = |text: Vec<u8>| {
            let spans = redactor.find_spans(&text);
            spans.iter().map(|span| span.end - span.start).sum::<u64>()
        };
        let length = value.len() as u64;
        assert_eq!(hidden([&b"\0\x01\xff\x80"[..], value, b"\0\xfe"].concat()), length);
        let (front, back) = value.split_at(value.len() / 2);
        let coloured = [b"\x1b[1m", front, b"\x1b[0;31m", back, b"\x1b[0m"].concat();
        assert_eq!(hidden(coloured), length + 7);
        let mut giant = vec![b'.'; 1 << 20];
        for at in (1000..giant.len() - 1000).step_by(100_003) {
            giant[at..at + value.len()].copy_from_slice(value);
        }
        assert_eq!(hidden(giant), length * 11);
    }
}

/// Three lines of a key, as an environment variable holds it.
const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
    q7W2e4R6t8Y1u3I5o7P9a2S4d6F8g1H3j5K7l9Z2x4C6v8B1n3M5q7W2e4R6t8Y1\n\
    u3I5o7P9a2S4d6F8g1H3j5K7l9Z2x4C6v8B1n3M5q7W2e4R6\n-----END PRIVATE KEY-----\n";

#[test]
fn a_value_of_several_lines_is_hidden_as_a_whole_and_line_by_line() {
    let redactor = redactor(KEY.as_bytes());
    let values = redactor.values().unwrap();
    let hidden = |text: &str| {
        let window = Window { bytes: text.as_bytes(), offset: 0, from: 0, end: End::Closed };
        values.search(&window).spans.iter().map(|span| span.end - span.start).sum::<u64>()
    };
    let length = KEY.len() as u64 - 1;
    assert_eq!(hidden(&format!("KEY={KEY}")), length);
    assert_eq!(hidden(&KEY.replace('\n', "\r\n")), length + 3);
    assert_eq!(hidden(&KEY.replace('\n', "\n    ")), length + 12);
    assert_eq!(hidden(&KEY.replace('\n', "\\n")), length + 3);
    assert_eq!(hidden(&KEY.replace('\n', " ")), length);
    assert_eq!(hidden(&KEY.replace('\n', "")), length - 3);
    assert_eq!(hidden(&KEY.replace('\n', "\napp | ")), 64 + 48);
    assert_eq!(hidden("nothing but\n-----BEGIN PRIVATE KEY-----\n"), 0);
}

#[test]
fn words_of_two_bytes_are_hidden_but_for_the_half_of_one() {
    let redactor = redactor(b"hunter2!");
    for (dump, expected) in [
        ("0000000 7568 746e 7265 2132\n0000010\n", "0000000 [REDACTED:SOME_SECRET]\n0000010\n"),
        (
            "0000000 3d78 7568\n0000004 746e 7265\n0000008 2132 7861\n",
            "0000000 3d78 [REDACTED:SOME_SECRET]\n",
        ),
        ("0000000 6878 6e75 6574 3272 0021\n", "0000000 6878 [REDACTED:SOME_SECRET]\n"),
    ] {
        assert_eq!(
            redactor.redact(dump.as_bytes()).escape_ascii().to_string(),
            expected.escape_default().to_string()
        );
    }
}

#[test]
fn values_that_share_bytes_are_hidden_to_the_end_of_each() {
    let values: [&[u8]; 4] = [b"aaaaaa", b"prefix", b"prefix-and-more", b"x\xff\xfe\x80 yz"];
    let named = values.iter().map(|value| ("A".to_owned(), value.to_vec())).collect();
    let redactor = Redactor::new(&Secrets { values: named, patterns: Vec::new() }).unwrap();
    let text = |raw: &[u8]| redactor.redact(raw).escape_ascii().to_string();
    assert_eq!(text(b"b aaaaaaaaa b"), "b [REDACTED:A] b");
    assert_eq!(text(b"prefix-and-less"), "[REDACTED:A]-and-less");
    assert_eq!(text(b"prefix-and-more."), "[REDACTED:A].");
    assert_eq!(text(b"prefixprefix x\xff\xfe\x80 yz"), "[REDACTED:A][REDACTED:A] [REDACTED:A]");
}

#[test]
fn an_endless_candidate_is_kept_for_a_bounded_stretch() {
    for (value, front, fill) in [
        (&b"hunter2!"[..], &b"hunt"[..], &b"\x1b[1m"[..]),
        (b"hunter2!", b"68 75  ", b"."),
        (b"hunter2!", b"0000000   h   u", b"\n"),
        (b"hunter2!", b"hunt\n", b" "),
        (&[b'a'; 70_000], b"", b"a"),
        (b"000000", b"", b"00000000: 3030  00\n"),
    ] {
        let redactor = redactor(value);
        let values = redactor.values().unwrap();
        let mut search = StreamSearch::default();
        search.push(front, End::Open, |window| values.search(window));
        for _ in 0..64 {
            let chunk = fill.repeat(4096 / fill.len());
            search.push(&chunk, End::Open, |window| values.search(window));
            assert!(
                search.kept_bytes() < 96 * 1024,
                "{}: {}",
                front.escape_ascii(),
                search.kept_bytes()
            );
        }
    }
}

#[test]
fn long_values_are_hidden_whole_and_short_ones_are_words() {
    let long: Vec<u8> =
        (0..5_000u32).map(|at| b"abcdefghijklmnop"[(at * 7 % 16) as usize]).collect();
    let redactor = redactor(&long);
    let text = [b"key ", &long[..], b" end"].concat();
    assert_eq!(redactor.redact(&text), b"key [REDACTED:SOME_SECRET] end");
    let short = Secrets { values: vec![("A".into(), b"short".to_vec())], patterns: Vec::new() };
    assert_eq!(Redactor::new(&short).unwrap().redact(b"a short word"), b"a short word");
}
