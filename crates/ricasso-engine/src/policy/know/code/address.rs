//! Texts that code connects to: a host, or the file of a database.
//!
//! A cage without a network holds whatever is connected to, so what is not evidently a host is
//! none.

use super::token::find;
use crate::policy::know::place;
use crate::policy::word::Word;
use std::net::IpAddr;

/// Last parts of names of files, which no domain ends in.
const FILES: &[&[u8]] = &[
    b"db", b"db3", b"sqlite", b"sqlite2", b"sqlite3", b"duckdb", b"ddb", b"mdb", b"ldb", b"fdb",
    b"sdb", b"sock", b"socket", b"json", b"csv", b"txt", b"dat", b"data", b"bin", b"log", b"tmp",
    b"cache", b"parquet", b"lance", b"ini", b"cfg", b"conf", b"toml", b"yaml", b"yml", b"xml",
];

/// The host that a text names, where it evidently names one.
pub(super) fn host(text: &[u8]) -> Option<Word> {
    let word = Word::of(text);
    if find(text, b"://").is_some() {
        let host = place::host(&word);
        return host.known().is_some_and(|host| !host.is_empty()).then_some(host);
    }
    // `host=db.example.com dbname=x`, as PostgreSQL takes it.
    let parts = text.split(|byte| byte.is_ascii_whitespace() || *byte == b';');
    let named = parts.filter_map(|part| part.strip_prefix(b"host=")).next();
    if let Some(named) = named {
        return is_host(named).then(|| Word::of(named));
    }
    let host = if is_number(text) { word } else { place::host(&word) };
    let whole = !text.contains(&b'/') && host.known().is_some_and(is_host);
    whole.then_some(host)
}

fn is_number(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}

/// A number, or a name of several parts whose last one is no ending of a file.
fn is_host(text: &[u8]) -> bool {
    let named = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    let name = text.strip_suffix(b".").unwrap_or(text);
    let mut parts = name.rsplit(|byte| *byte == b'.');
    let last = parts.next().unwrap_or_default().to_ascii_lowercase();
    let top =
        last.len() > 1 && (last.iter().all(u8::is_ascii_alphabetic) || last.starts_with(b"xn--"));
    let several = name.contains(&b'.') && name.split(|byte| *byte == b'.').all(named);
    is_number(text) || several && top && !FILES.contains(&last.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        host(text.as_bytes()).map(|word| word.shown().into_owned())
    }

    #[test]
    fn names_of_hosts_are_told_from_names_of_files() {
        for (text, expected) in [
            ("attacker.example", "attacker.example"),
            ("attacker.example:4444", "attacker.example"),
            ("10.0.0.1", "10.0.0.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("wss://h.example/x", "h.example"),
            ("postgresql://u@db.example.com/x", "db.example.com"),
            ("host=db.example.com dbname=x", "db.example.com"),
        ] {
            assert_eq!(told(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "a.db",
            "data/a.sqlite3",
            "./x.example",
            ":memory:",
            "file:a.db?mode=ro",
            "sqlite:///a.db",
            "dbname=test",
            "host=/run/postgresql dbname=x",
            "warehouse",
            "click",
            "",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
