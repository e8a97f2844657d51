//! Our own parse cases: a text, whether bash runs MARK in it, and what the reader shows.
//!
//! `cases/parse/commands.txt` holds them, a block each: the text, `=>`, the expectations. With
//! `RICASSO_BLESS` set the expectations are written anew; whoever does that reads the difference.

use std::fmt::Write as _;

use ricasso_shell::{Script, Shell, read};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/parse/commands.txt");

#[test]
fn every_case_shows_what_is_written_beside_it() {
    let file = std::fs::read_to_string(CASES).expect("the cases are part of the project");
    let mut blessed = String::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in file.trim_end_matches('\n').split("\n---\n") {
        let (text, expected) = block.split_once("\n=>\n").expect("a case has an arrow");
        let (bash, expected) = expected.split_once('\n').unwrap_or((expected, ""));
        let script = read(text.as_bytes(), Shell::Bash);
        let shown = show(&script);
        if bash == "bash runs it" {
            let mark = text.find("MARK").unwrap_or(0);
            assert!(is_shown(&script, mark), "MARK is neither found nor announced in {text:?}");
        }
        if shown.trim_end() != expected.trim_end() {
            wrong.push(format!("{text}\n=> expected\n{expected}\n=> shown\n{shown}"));
        }
        let separator = if count == 0 { "" } else { "---\n" };
        let _ = write!(blessed, "{separator}{text}\n=>\n{bash}\n{shown}");
        count += 1;
    }
    if std::env::var_os("RICASSO_BLESS").is_some() {
        std::fs::write(CASES, blessed).expect("the project can be written");
        return;
    }
    assert!(count > 400, "only {count} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Whether a command MARK is found, or something is announced that may run it.
fn is_shown(script: &Script, mark: usize) -> bool {
    let found = |script: &Script| {
        script.commands().any(|found| found.name().is_some_and(|name| &*name == b"MARK"))
    };
    found(script)
        || script.unreadable().is_some_and(|unreadable| unreadable.from <= mark)
        || script.code().next().is_some()
}

/// One line a command, a text that becomes code, and the place where reading ends.
fn show(script: &Script) -> String {
    let mut shown = String::new();
    for found in script.commands() {
        let span = found.span;
        let _ = write!(shown, "{}..{}", span.start, span.end);
        for word in found.words {
            match word.value() {
                Some(value) => {
                    let _ = write!(shown, " {}", value.escape_ascii());
                }
                None => shown.push_str(" ?"),
            }
        }
        let _ = writeln!(shown, " {:?}", found.path);
    }
    for code in script.code() {
        let _ = writeln!(shown, "code {}..{} {:?}", code.span.start, code.span.end, code.how);
    }
    if let Some(unreadable) = script.unreadable() {
        let _ = writeln!(shown, "unreadable from {}: {unreadable}", unreadable.from);
    }
    shown
}

#[test]
fn words_have_their_bytes() {
    let value = |text: &str| {
        let script = read(text.as_bytes(), Shell::Bash);
        let found = script.commands().next().expect("one command");
        found.words[0].value().map(|value| value.into_owned())
    };
    for text in ["rm", "r''m", "\"rm\"", "$'\\x72m'", "$'\\162\\x6d'", "r\\m", "r\\\nm", "$\"rm\""]
    {
        assert_eq!(value(text).as_deref(), Some(&b"rm"[..]), "{text}");
    }
    assert_eq!(value("$'\\377\\xfe'").as_deref(), Some(&b"\xff\xfe"[..]));
    assert_eq!(value("$'a\\0b'c").as_deref(), Some(&b"ac"[..]));
    for text in ["$x", "r$(x)", "r*", "~", "{rm,x}", "r[m]", "`x`", "$((1))", "<(x)"] {
        assert_eq!(value(text), None, "{text}");
    }
    for text in ["{}", "[", "a{b}", "HEAD@{1}", "x=1y", "a~", "^"] {
        let text = format!(": {text}");
        let script = read(text.as_bytes(), Shell::Bash);
        let found = script.commands().next().expect("one command");
        assert_eq!(found.words[1].value().as_deref(), Some(&text.as_bytes()[2..]), "{text}");
    }
}

#[test]
fn braces_give_their_words() {
    let script = read(b"{rm,-rf,/{a,b}}", Shell::Bash);
    let found = script.commands().next().expect("one command");
    let values = found.words[0].values().expect("static");
    assert_eq!(values, [&b"rm"[..], b"-rf", b"/a", b"/b"]);
}

#[test]
fn code_is_read_again_with_spans_of_the_original() {
    let text = b"bash -c 'rm \"$x\"; l''s' && eval $'\\x6cs -l' a";
    let script = read(text, Shell::Bash);
    let mut names = Vec::new();
    for code in script.code() {
        let Some(again) = code.reread(Shell::Bash) else { continue };
        for found in again.commands() {
            names.push(String::from_utf8_lossy(found.span.of(text)).into_owned());
        }
    }
    assert_eq!(names, ["rm \"$x\"", "l''s", "\\x6cs -l' a"]);
}

#[test]
fn sh_reads_what_bash_reads_differently() {
    let names = |text: &str| -> Vec<String> {
        let script = read(text.as_bytes(), Shell::Sh);
        assert_eq!(script.unreadable(), None, "{text}");
        let names = script.commands().filter_map(|found| {
            found.name().map(|name| String::from_utf8_lossy(&name).into_owned())
        });
        names.collect()
    };
    assert_eq!(names("echo a &>f MARK"), ["echo", "MARK"]);
    assert_eq!(names("[[ a || MARK ]]"), ["[[", "MARK"]);
    assert_eq!(names("((a || MARK))"), ["a", "MARK"]);
    assert_eq!(names("time MARK"), ["time"]);
    assert_eq!(names("$'\\x72m' x"), ["$\\x72m"]);
    assert_eq!(names("coproc MARK; select x"), ["coproc", "select"]);
}

#[test]
fn odd_bytes_are_told() {
    let odd = |text: &[u8]| -> Vec<String> {
        let script = read(text, Shell::Bash);
        script.oddities().iter().map(|odd| format!("{:?} {}", odd.what, odd.at)).collect()
    };
    assert_eq!(odd(b"ls"), [""; 0]);
    assert_eq!(odd(b"ls\r\n\xff"), ["CarriageReturn 2", "NotUtf8 4"]);
    assert_eq!(
        odd("\u{feff}ls\u{a0}\u{202e}".as_bytes()),
        ["ByteOrderMark 0", "FalseBlank 5", "Invisible 7"]
    );
    assert_eq!(odd(b"alias a=b"), ["NamesMayChange 0"]);
    let nul = read(b"ls\nrm\0x\nid", Shell::Bash);
    let unreadable = nul.unreadable().expect("NUL is refused");
    assert_eq!((unreadable.at, unreadable.from), (5, 3));
    assert_eq!(nul.commands().count(), 1);
}
