//! The vectors of the contracts, through the door of their dialect: by `call` and over MCP alike.
//!
//! Hostile ones run in a harmless place, since a guard that fails would let them run.

use super::harmless;
use super::session::{Era, Session};
use crate::place::{Place, eventually, in_parallel, is_long, shared, skip};
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Dialects, by the names of their doors.
const DIALECTS: [&str; 5] = ["flowforge", "analysis", "execute-command", "exec", "bash"];
/// Kinds that a call shows.
const KINDS: [&str; 5] = ["guard", "confine", "exec", "sandbox", "sequence"];

/// Vectors at once. Most of the time of a call is waiting.
const WORKERS: usize = 4;

struct Vector {
    id: String,
    dialect: String,
    input: Value,
    expect: Value,
}

fn vectors(kinds: &[&str]) -> Option<Vec<Vector>> {
    let text = std::fs::read_to_string(shared()?.join("spec/vectors.jsonl")).ok()?;
    let all = text.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let dialect = value["dialect"].as_str()?.to_string();
        let kind = value["input"]["kind"].as_str()?;
        let ours = DIALECTS.contains(&dialect.as_str())
            && kinds.contains(&kind)
            && value["input"]["platform"].is_null();
        ours.then(|| Vector {
            id: value["id"].as_str().unwrap_or("").to_string(),
            dialect,
            input: value["input"].clone(),
            expect: value["expect"].clone(),
        })
    });
    Some(all.collect())
}

/// The workspace that the set-up of a vector speaks of.
fn furnish(place: &Place) {
    let work = place.work();
    let outside = place.root.join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("secret.txt"), "top secret\n").unwrap();
    std::os::unix::fs::symlink(&outside, work.join("leak")).unwrap();
    std::fs::create_dir_all(work.join("src")).unwrap();
    std::fs::write(work.join("src/main.py"), "print(1)\n").unwrap();
    std::fs::write(work.join("f"), "content\n").unwrap();
}

fn filled(value: &Value, place: &Place) -> Value {
    let work = place.work().display().to_string();
    let text = value
        .to_string()
        .replace("WORKSPACE", &work)
        .replace("MARKER", &format!("{work}/marker"))
        .replace(" W/", &format!(" {work}/"))
        .replace("REPO", &work);
    serde_json::from_str(&text).unwrap()
}

/// The result of a vector's call through one door.
fn result(vector: &Vector, place: &Place, over_mcp: bool) -> Value {
    let mut words = vec![if over_mcp { "mcp" } else { "call" }.to_string()];
    words.extend(["--dialect".to_string(), vector.dialect.clone()]);
    if !vector.input["config"].is_null() {
        let path = place.root.join("dialect.json");
        std::fs::write(&path, filled(&vector.input["config"], place).to_string()).unwrap();
        words.extend(["--dialect-config".to_string(), path.display().to_string()]);
    }
    if vector.dialect == "execute-command" && vector.input["mode"] != "read" {
        words.extend(["--mode".to_string(), "write".to_string()]);
    }
    let arguments = filled(&vector.input["call"], place);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut plain = place.command(&words);
    if !over_mcp {
        plain.arg(arguments.to_string());
    }
    let mut command = match harmless::missing() {
        None => harmless::within(place, &plain),
        Some(_) => plain,
    };
    if over_mcp {
        let mut session = Session::of(command, Era::Legacy);
        let name = session.tools()[0]["name"].as_str().unwrap().to_string();
        return session.tool(&name, &arguments);
    }
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", vector.id, String::from_utf8_lossy(&output.stderr))
    })
}

fn is_refused(result: &Value) -> bool {
    let fields = &result["structuredContent"];
    let kinds = [&fields["ending"], &fields["results"][0]["ending"]];
    kinds.iter().any(|ending| ending["kind"] == "refused")
        || (fields["ending"].is_null() && result["isError"] == true)
}

fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().cloned().unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Words by which a dialect tells each class of refusal.
const REASONS: [(&str, &str, &str); 14] = [
    ("analysis", "operator", "shell operator not allowed"),
    ("analysis", "program", "is not in the allowed programs list"),
    ("analysis", "git", "Blocked: git"),
    ("analysis", "path", "Blocked: access to"),
    ("analysis", "empty", "Empty command"),
    ("flowforge", "allowlist", "is not in the allowed list"),
    ("flowforge", "cwd", "is not in allowed directories"),
    ("flowforge", "pattern", "Blocked: command matches dangerous pattern"),
    ("exec", "pattern", "(dangerous pattern detected)"),
    ("exec", "traversal", "(path traversal detected)"),
    ("exec", "outside", "(path outside working dir)"),
    ("exec", "allowlist", "(not in allowlist)"),
    ("bash", "path", "is outside the workspace"),
    ("bash", "pattern", "Command rejected"),
];

/// One expectation of a vector; each has a name, and a name that nobody knows is wrong.
fn holds(vector: &Vector, name: &str, wanted: &Value, seen: &Seen<'_>) -> Result<bool, String> {
    let Seen { result, before, place } = seen;
    let fields = &result["structuredContent"];
    let (refused, said) = (is_refused(result), text(result));
    let first = result["content"][0]["text"].as_str().unwrap_or("");
    let stdout = fields["stdout"].as_str().unwrap_or(&said);
    let word = wanted.as_str().unwrap_or("");
    let secret = said.contains("top secret") || said.contains("root:x:0");
    Ok(match name {
        "verdict" => match word {
            "allowed" | "not-refused-for-path" | "works" => !refused,
            "refused" | "refused-or-ask" => refused,
            "allowed-or-ask" => !refused || fields["verdict"] == "ask",
            "refused-or-contained" | "denied" => refused || *before == snapshot(&place.work()),
            "no-access-outside" => refused || (!secret && outside_unchanged(place)),
            other => return Err(format!("nobody knows the verdict {other}")),
        },
        "tree_unchanged" => *before == snapshot(&place.work()),
        "reason" => {
            let known = |row: &&(&str, &str, &str)| (row.0, row.1) == (&vector.dialect, word);
            let row = REASONS.iter().find(known);
            said.contains(row.ok_or_else(|| format!("nobody knows the reason {word}"))?.2)
        }
        "success" | "exitCode" | "exit_code" | "status" | "attempted" | "signal" => {
            fields[name] == *wanted
        }
        "exitCode_not" => fields["exitCode"] != *wanted,
        "duration_min" => fields["duration"].as_f64() >= wanted.as_f64(),
        "stderr_nonempty" => !fields["stderr"].as_str().unwrap_or("").is_empty(),
        "text" | "message" => first == word,
        "text_trim" => first.trim() == word,
        "stdout_trim" => stdout.trim() == word,
        "stdout_contains" => {
            let parts = wanted.as_array().cloned().unwrap_or_default();
            parts.iter().all(|part| said.contains(part.as_str().unwrap_or("\0")))
        }
        "message_contains" => said.contains(word),
        "message_regex_i" => {
            // Alternatives of plain words are all that the vectors use.
            let lower = said.to_lowercase();
            word.split('|').any(|part| lower.contains(&part.to_lowercase()))
        }
        "error" => result["isError"] == *wanted,
        "min_len" => first.len() as u64 >= wanted.as_u64().unwrap_or(u64::MAX),
        "truncated" => fields["output"]["omitted"].is_array() && !first.contains("saved to"),
        // The call came back, or we would not be here.
        "no_deadlock" => fields["ending"]["kind"] == "exited",
        "timed_out" => (fields["termination"] == "timed_out") == (*wanted == true),
        "marker_absent_after_s" => {
            eventually("nobody is left that could leave the marker", || !place.is_worked_in());
            !place.work().join("marker").exists()
        }
        other => return Err(format!("nobody knows the expectation {other}")),
    })
}

/// A result, and the place before and after it.
struct Seen<'a> {
    result: &'a Value,
    before: &'a [String],
    place: &'a Place,
}

/// Why the result is not what the vector expects.
fn wrong(vector: &Vector, seen: &Seen<'_>) -> Option<String> {
    let expect = vector.expect.as_object()?;
    expect.iter().find_map(|(name, wanted)| match holds(vector, name, wanted, seen) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} {wanted} wanted: {}", seen.result)),
        Err(why) => Some(why),
    })
}

/// Names, contents, modes, owners and times of everything below a directory.
fn snapshot(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let about = path.symlink_metadata().unwrap();
        let content = if about.is_file() { std::fs::read(&path).ok() } else { None };
        found.push(format!(
            "{path:?} {content:?} {:o} {}:{} {}.{}",
            about.mode(),
            about.uid(),
            about.gid(),
            about.mtime(),
            about.mtime_nsec()
        ));
        if about.is_dir() {
            found.extend(snapshot(&path));
        }
    }
    found
}

fn outside_unchanged(place: &Place) -> bool {
    let outside = place.root.join("outside");
    let kept = |path: &Path| std::fs::read_to_string(path).is_ok_and(|now| now == "top secret\n");
    kept(&outside.join("secret.txt")) && std::fs::read_dir(outside).map_or(0, Iterator::count) == 1
}

#[test]
fn the_vectors_hold_through_the_doors_of_their_dialects() {
    let Some(vectors) = vectors(&KINDS) else {
        return skip("the_vectors_hold_through_the_doors_of_their_dialects", "no shared data");
    };
    if let Some(why) = harmless::missing() {
        return skip("the_vectors_hold_through_the_doors_of_their_dialects", why);
    }
    let mut tries: Vec<(&Vector, bool)> = vectors.iter().map(|vector| (vector, false)).collect();
    // A tenth over MCP too, all of them in the long form.
    let one_in = if is_long() { 1 } else { 10 };
    tries.extend(vectors.iter().step_by(one_in).map(|vector| (vector, true)));
    let made = in_parallel(WORKERS, &tries, |(vector, over_mcp)| {
        let place = Place::new();
        furnish(&place);
        let before = snapshot(&place.work());
        let result = result(vector, &place, *over_mcp);
        let seen = Seen { result: &result, before: &before, place: &place };
        let door = if *over_mcp { "mcp" } else { "call" };
        let call = &vector.input["call"];
        wrong(vector, &seen)
            .map(|why| format!("{} ({}, {door}): {call} {why}", vector.id, vector.dialect))
    });
    let (tried, failed) = (tries.len(), made.into_iter().flatten().collect::<Vec<_>>());
    assert!(tried > 300, "only {tried} were tried");
    assert!(failed.is_empty(), "{} of {tried} wrong:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn the_vectors_of_variables_that_are_kept_or_dropped_hold() {
    let Some(vectors) = vectors(&["env-pass"]) else {
        return skip("the_vectors_of_variables_that_are_kept_or_dropped_hold", "no shared data");
    };
    assert!(vectors.len() > 10, "only {}", vectors.len());
    in_parallel(WORKERS, &vectors, |vector| {
        let place = Place::new();
        let name = vector.input["name"].as_str().unwrap();
        let value = match name {
            "PATH" => "/usr/bin:/bin".to_string(),
            "HOME" => place.root.display().to_string(),
            _ => "from-outside".to_string(),
        };
        let mode = vector.input["mode"].as_str().unwrap();
        let mut command = place.command(&["call", "--dialect", &vector.dialect, "--mode", mode]);
        let output = command.env(name, &value).arg(r#"{"command":"env"}"#).output().unwrap();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let line = format!("{name}={value}");
        let kept = text(&result).lines().any(|known| known == line);
        assert_eq!(kept, vector.expect["env"] == "kept", "{}: {line}: {result}", vector.id);
    });
}

#[test]
fn the_vectors_of_sensitive_names_hold() {
    let Some(vectors) = vectors(&["env-class"]) else {
        return skip("the_vectors_of_sensitive_names_hold", "no shared data");
    };
    assert!(vectors.len() > 40, "only {}", vectors.len());
    in_parallel(WORKERS, &vectors, |vector| {
        let place = Place::new();
        let name = vector.input["name"].as_str().unwrap();
        let mut command = place.command(&["check", "--policy", &vector.dialect, "--json"]);
        let home = place.root.display().to_string();
        let value = if name == "HOME" { home.as_str() } else { "/usr/bin:/bin" };
        let output = command.env(name, value).args(["-c", "true"]).output().unwrap();
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let dropped = said["env_dropped"].as_array().cloned().unwrap_or_default();
        let why = dropped.iter().find(|one| one["name"] == name).map(|one| one["why"].to_string());
        let sensitive = why.is_some_and(|why| why.contains("secret"));
        assert_eq!(sensitive, vector.expect["class"] == "sensitive", "{}: {name}", vector.id);
    });
}
