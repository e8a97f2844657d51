//! Statements that lose tables or rows, and the commands of the shells round them.

use crate::policy::know::table::Reach;
use crate::policy::know::uses::plain;
use crate::policy::know::{Act, Does, Harm, Language};
use crate::policy::word::Word;

/// The acts of statements in SQL.
pub(in crate::policy::know) fn acts(word: &Word, reach: Reach, at: usize) -> Vec<Act> {
    let Some(text) = word.known() else {
        return vec![Act::with(Does::Code(Language::Sql), word, at)];
    };
    let text = String::from_utf8_lossy(text).into_owned();
    let mut acts = Vec::new();
    let mut statements = String::new();
    for line in text.lines() {
        let line = line.trim();
        match line.chars().next() {
            Some('\\') => backslash(line, at, &mut acts),
            Some('.') => dot(line, at, &mut acts),
            Some('s') if line.starts_with("system ") => {
                let text = unquoted(line["system ".len()..].trim());
                acts.push(Act::with(Does::RunText, &Word::of(text), at));
            }
            Some(_) | None => {
                statements.push_str(line);
                statements.push('\n');
            }
        }
    }
    for statement in bare(&statements).split(';') {
        match loses(statement) {
            Loss::None => {}
            Loss::Some => acts.push(Act::with(Does::HardToTakeBack(Harm::Store), word, at)),
            Loss::All => {
                let harm = match reach {
                    Reach::File => Does::HardToTakeBack(Harm::Store),
                    Reach::Server => Does::Catastrophe(Harm::Store),
                };
                acts.push(Act::with(harm, word, at));
            }
        }
    }
    files(&statements, at, &mut acts);
    acts
}

/// The file of sqlite3, and the statements that follow it.
pub(in crate::policy::know) fn database(
    word: &Word,
    at: usize,
    words: &[Word],
    acts: &mut Vec<Act>,
) {
    let after = words.get(at + 1..).unwrap_or_default();
    let statements: Vec<&Word> =
        after.iter().filter(|word| !word.head().starts_with(b"-")).collect();
    let reads = !statements.is_empty() && statements.iter().all(|word| only_reads(word));
    if word.known() != Some(b":memory:") {
        plain(if reads { Does::Read } else { Does::Edit }, word, at, acts);
    }
    if statements.is_empty() {
        acts.push(Act { at, ..Act::of(Does::StdinCode(Language::Sql)) });
    }
    for (number, statement) in statements.into_iter().enumerate() {
        acts.extend(self::acts(statement, Reach::File, at + 1 + number));
    }
}

fn only_reads(word: &Word) -> bool {
    let Some(text) = word.known() else { return false };
    let text = String::from_utf8_lossy(text).trim_start().to_ascii_lowercase();
    [
        "select",
        ".schema",
        ".tables",
        ".dump",
        ".indexes",
        ".headers",
        ".mode",
        ".databases",
        "explain",
        "pragma table",
        ".help",
        ".width",
    ]
    .iter()
    .any(|start| text.starts_with(start))
}

/// Code of the shell of a document store.
pub(in crate::policy::know) fn mongo(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let text = word.shown();
    let all =
        ["dropDatabase(", ".drop(", "deleteMany({})", "remove({})", "dropUser(", "dropAllUsers"];
    if all.iter().any(|part| text.contains(part)) {
        acts.push(Act::with(Does::Catastrophe(Harm::Store), word, at));
    } else if word.known().is_none()
        || ["load(", "require", "run(", "fs.", "process"].iter().any(|part| text.contains(part))
    {
        acts.push(Act::with(Does::Code(Language::JavaScript), word, at));
    }
}

/// A command of a key store.
pub(in crate::policy::know) fn redis(word: &Word, at: usize, acts: &mut Vec<Act>) {
    match word.known().map(<[u8]>::to_ascii_lowercase).as_deref() {
        Some(b"flushall" | b"flushdb" | b"shutdown") => {
            acts.push(Act::with(Does::Catastrophe(Harm::Store), word, at));
        }
        Some(b"slaveof" | b"replicaof" | b"debug" | b"module") => {
            acts.push(Act::with(Does::HardToTakeBack(Harm::Store), word, at));
        }
        Some(_) | None => {}
    }
}

/// The commands of a key store as they come by standard input.
pub(in crate::policy::know) fn redis_lines(text: &[u8], at: usize) -> Vec<Act> {
    let mut acts = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if let Some(first) = words.next() {
            redis(&Word::of(first), at, &mut acts);
        }
    }
    acts
}

enum Loss {
    None,
    Some,
    All,
}

fn loses(statement: &str) -> Loss {
    let upper = statement.to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    match words.as_slice() {
        [
            "DROP",
            "TABLE" | "DATABASE" | "SCHEMA" | "KEYSPACE" | "TABLESPACE" | "COLLECTION",
            ..,
        ]
        | ["TRUNCATE", ..] => Loss::All,
        ["DELETE", "FROM", ..] if !has("WHERE") => Loss::All,
        ["DROP", "USER" | "ROLE" | "OWNED", ..] => Loss::Some,
        ["UPDATE", ..] if has("SET") && !has("WHERE") => Loss::Some,
        ["ALTER", "TABLE", ..] if has("DROP") => Loss::Some,
        _ => Loss::None,
    }
}

/// The statements without comments, and with every text emptied.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                bare.push('\'');
                for inner in letters.by_ref() {
                    if inner == letter {
                        break;
                    }
                }
                bare.push('\'');
            }
            '-' if letters.peek() == Some(&'-') => {
                for inner in letters.by_ref() {
                    if inner == '\n' {
                        break;
                    }
                }
                bare.push(' ');
            }
            '/' if letters.peek() == Some(&'*') => {
                let mut before = ' ';
                letters.next();
                for inner in letters.by_ref() {
                    if before == '*' && inner == '/' {
                        break;
                    }
                    before = inner;
                }
                bare.push(' ');
            }
            _ => bare.push(letter),
        }
    }
    bare
}

/// `\!`, `\o`, `\i` of psql and mysql.
fn backslash(line: &str, at: usize, acts: &mut Vec<Act>) {
    let rest = |start: &str| line.strip_prefix(start).map(|rest| unquoted(rest.trim()));
    if let Some(text) = rest("\\!").or_else(|| rest("\\system ")) {
        acts.push(Act::with(Does::RunText, &Word::of(text), at));
    } else if let Some(text) = rest("\\o ").or_else(|| rest("\\g ")).or_else(|| rest("\\w ")) {
        output(&text, at, acts);
    } else if let Some(file) = rest("\\i ").or_else(|| rest("\\ir ")).or_else(|| rest("\\. ")) {
        acts.push(Act::with(Does::CodeFile, &Word::of(file), at));
    } else if line.starts_with("\\copy") {
        acts.push(Act { at, ..Act::of(Does::Opaque) });
    }
}

/// The dot commands of sqlite3.
fn dot(line: &str, at: usize, acts: &mut Vec<Act>) {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = unquoted(rest.trim());
    let does = match name {
        ".shell" | ".system" => Does::RunText,
        ".once" | ".output" | ".excel" | ".log" | ".trace" => {
            output(&rest, at, acts);
            return;
        }
        ".read" | ".load" | ".restore" => Does::CodeFile,
        ".import" | ".lint" => {
            let file =
                rest.split_whitespace().find(|word| !word.starts_with('-')).unwrap_or_default();
            if let Some(text) = file.strip_prefix('|') {
                acts.push(Act::with(Does::RunText, &Word::of(text), at));
            } else {
                acts.push(Act::with(Does::Read, &Word::of(file), at));
            }
            return;
        }
        ".save" | ".backup" | ".clone" | ".open" | ".archive" | ".ar" => Does::Overwrite,
        _ => return,
    };
    acts.push(Act::with(does, &Word::of(rest), at));
}

fn output(target: &str, at: usize, acts: &mut Vec<Act>) {
    if let Some(text) = target.strip_prefix('|') {
        acts.push(Act::with(Does::RunText, &Word::of(text), at));
    } else if !matches!(target, "" | "off" | "stdout") {
        acts.push(Act::with(Does::Overwrite, &Word::of(target), at));
    }
}

fn unquoted(text: &str) -> String {
    let text = text.trim_end_matches(';');
    for mark in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark)) {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

/// Functions and statements that reach files.
fn files(statements: &str, at: usize, acts: &mut Vec<Act>) {
    let lower = statements.to_ascii_lowercase();
    for (start, does) in [
        ("readfile(", Does::Read),
        ("writefile(", Does::Overwrite),
        ("load_extension(", Does::CodeFile),
        ("vacuum into ", Does::Overwrite),
        ("attach database ", Does::Edit),
        ("attach ", Does::Edit),
        ("into outfile ", Does::Overwrite),
        (" program ", Does::RunText),
    ] {
        let Some(found) = lower.find(start) else { continue };
        let rest = statements[found + start.len()..].trim_start();
        let Some(inner) = rest.strip_prefix('\'') else { continue };
        if let Some(end) = inner.find('\'') {
            acts.push(Act::with(does, &Word::of(&inner.as_bytes()[..end]), at));
            if does == Does::Edit {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_loses_is_told() {
        let count = |text: &str| acts(&Word::of(text), Reach::Server, 0).len();
        for text in [
            "SELECT 'DROP TABLE users'",
            "DELETE FROM a WHERE id=1",
            "-- drop table a",
            "DROP INDEX i",
            "/* DROP TABLE x */ select 1",
            "INSERT INTO a VALUES ('TRUNCATE b')",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        for text in [
            "drop database prod;",
            "DELETE FROM users;",
            "TRUNCATE orders CASCADE",
            "select 1; Drop  Table x",
            "DROP SCHEMA public CASCADE;",
            "UPDATE a SET b=1",
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
    }
}
