//! The vectors of the contracts, through the door of their dialect: by `call` and over MCP alike.
//!
//! Hostile ones run in a harmless place, since a guard that fails would let them run.

use super::harmless;
use super::session::{Era, Session};
use crate::place::{Place, eventually, shared, skip};
use serde_json::{Value, json};
use std::path::Path;

/// Dialects, by the names of their doors.
const DIALECTS: [&str; 5] = ["flowforge", "analysis", "execute-command", "exec", "bash"];
/// Kinds that a call shows.
const KINDS: [&str; 5] = ["guard", "confine", "exec", "sandbox", "sequence"];

struct Vector {
    id: String,
    dialect: String,
    input: Value,
    expect: Value,
}

fn vectors() -> Option<Vec<Vector>> {
    let text = std::fs::read_to_string(shared()?.join("spec/vectors.jsonl")).ok()?;
    let all = text.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let dialect = value["dialect"].as_str()?.to_string();
        let kind = value["input"]["kind"].as_str()?;
        let ours = DIALECTS.contains(&dialect.as_str())
            && KINDS.contains(&kind)
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

/// Why the result is not what the vector expects.
fn wrong(vector: &Vector, result: &Value, place: &Place) -> Option<String> {
    let (expect, fields) = (&vector.expect, &result["structuredContent"]);
    let (refused, said) = (is_refused(result), text(result));
    let secret = said.contains("top secret") || said.contains("root:x:0");
    let first = result["content"][0]["text"].as_str().unwrap_or("");
    let good = match expect["verdict"].as_str() {
        Some("allowed" | "not-refused-for-path" | "works") => !refused,
        Some("refused" | "refused-or-ask") => refused,
        Some("allowed-or-ask") => !refused || fields["verdict"] == "ask",
        Some("refused-or-contained" | "denied") => refused || unchanged(place),
        Some("no-access-outside") => refused || (!secret && outside_unchanged(place)),
        Some(other) => return Some(format!("nobody knows the verdict {other}")),
        None => true,
    };
    if !good {
        return Some(format!("{} wanted, refused: {refused}: {said}", expect["verdict"]));
    }
    let is = |name: &str, got: &Value| expect[name].is_null() || expect[name] == *got;
    let numbers = [
        ("exitCode", "exitCode"),
        ("exit_code", "exit_code"),
        ("success", "success"),
        ("status", "status"),
        ("attempted", "attempted"),
    ];
    for (name, field) in numbers {
        if !is(name, &fields[field]) {
            return Some(format!("{field} is {}", fields[field]));
        }
    }
    let texts = [
        ("text", first.to_string()),
        ("text_trim", first.trim().to_string()),
        ("message", first.to_string()),
    ];
    for (name, got) in texts {
        if !is(name, &json!(got)) {
            return Some(format!("{name} is {got:?}, wanted {}", expect[name]));
        }
    }
    if let Some(part) = expect["message_contains"].as_str()
        && !said.contains(part)
    {
        return Some(format!("{part:?} is missing in {said}"));
    }
    for part in expect["stdout_contains"].as_array().into_iter().flatten() {
        let part = part.as_str().unwrap_or("");
        if !said.contains(part) && !fields["stdout"].as_str().unwrap_or("").contains(part) {
            return Some(format!("{part:?} is missing in {said}"));
        }
    }
    if expect["error"].is_boolean() && expect["error"] != result["isError"] {
        return Some(format!("isError is {}", result["isError"]));
    }
    if expect["min_len"].as_u64().is_some_and(|least| (first.len() as u64) < least) {
        return Some(format!("only {} bytes", first.len()));
    }
    if expect["timed_out"] == true && fields["termination"] != "timed_out" {
        return Some(format!("it ended {}", fields["termination"]));
    }
    if !expect["marker_absent_after_s"].is_null() {
        eventually("nobody is left that could leave the marker", || !place.is_worked_in());
        if place.work().join("marker").exists() {
            return Some("the marker is there".into());
        }
    }
    None
}

fn unchanged(place: &Place) -> bool {
    let kept = |name: &str, text: &str| {
        std::fs::read_to_string(place.work().join(name)).is_ok_and(|now| now == text)
    };
    let count = std::fs::read_dir(place.work()).map_or(0, Iterator::count);
    kept("f", "content\n") && kept("src/main.py", "print(1)\n") && count == 3
}

fn outside_unchanged(place: &Place) -> bool {
    let outside = place.root.join("outside");
    let kept = |path: &Path| std::fs::read_to_string(path).is_ok_and(|now| now == "top secret\n");
    kept(&outside.join("secret.txt")) && std::fs::read_dir(outside).map_or(0, Iterator::count) == 1
}

#[test]
fn the_vectors_hold_through_the_doors_of_their_dialects() {
    let Some(vectors) = vectors() else {
        return skip("the_vectors_hold_through_the_doors_of_their_dialects", "no shared data");
    };
    if let Some(why) = harmless::missing() {
        return skip("the_vectors_hold_through_the_doors_of_their_dialects", why);
    }
    let long = std::env::var_os("RICASSO_LONG").is_some();
    let mut failed = Vec::new();
    let mut tried = 0;
    for (number, vector) in vectors.iter().enumerate() {
        // A tenth over MCP too, all of them in the long form.
        let doors: &[bool] = if long || number % 10 == 0 { &[false, true] } else { &[false] };
        for over_mcp in doors {
            let place = Place::new();
            furnish(&place);
            tried += 1;
            let result = result(vector, &place, *over_mcp);
            if let Some(why) = wrong(vector, &result, &place) {
                let door = if *over_mcp { "mcp" } else { "call" };
                failed.push(format!(
                    "{} ({}, {door}): {} {why}",
                    vector.id, vector.dialect, vector.input["call"]
                ));
            }
        }
    }
    assert!(tried > 300, "only {tried} were tried");
    assert!(failed.is_empty(), "{} of {tried} wrong:\n{}", failed.len(), failed.join("\n"));
}
