//! What the dialects do with programs that must be installed: other shells, and the official clients,
//! which the tests install themselves.

use super::table;
use crate::place::{Place, program, skip, skip_part};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What each dialect is asked, and what the first text of the answer is.
fn sessions() -> Vec<(&'static str, Vec<&'static str>, Value, &'static str)> {
    vec![
        ("flowforge", vec![], json!({ "command": "echo", "args": ["hi"] }), "hi\n"),
        (
            "analysis",
            vec![],
            json!({ "command": "echo hi" }),
            "Execution Summary:\nTotal commands: 1\nSuccessful: 1\nFailed: 0",
        ),
        ("execute-command", vec!["--mode", "write"], json!({ "command": "echo hi" }), "hi\n"),
        ("exec", vec![], json!({ "command": "echo hi" }), "hi\n"),
        ("bash", vec![], json!({ "command": "echo hi >&2" }), "\"stderr\":\"hi\\n\""),
    ]
}

fn scripts() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

/// Where the clients are installed, once for all runs that want the same versions; or why they
/// cannot be: a program is missing, or the registry does not answer at once.
fn install(kind: &str) -> Result<PathBuf, &'static str> {
    let wanted = match kind {
        "python" => scripts().join("requirements.txt"),
        _ => scripts().join("package.json"),
    };
    let wanted = std::fs::read_to_string(wanted).unwrap();
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("clients-{kind}"));
    let mark = place.join("installed");
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        return Ok(place);
    }
    // A half-made one would be met again and again.
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    let at = place.to_str().unwrap();
    let works = |line: &str| tool(line, &place).is_ok();
    let install = match kind {
        "python" => {
            works(&format!("python3 -m venv {at}")).then_some(()).ok_or("there is no venv")?;
            let quick = "--no-deps --no-cache-dir --retries 0 --timeout 5 -d reached six";
            works(&format!("bin/pip download -q {quick}")).then_some(()).ok_or(UNREACHED)?;
            format!("bin/pip install -q -r {}", scripts().join("requirements.txt").display())
        }
        _ => {
            for name in ["package.json", "session.mjs"] {
                std::fs::copy(scripts().join(name), place.join(name)).unwrap();
            }
            works("npm --version").then_some(()).ok_or("there is no npm")?;
            // A cache of its own, since the usual one would answer instead.
            let quick = "--cache=reached --fetch-retries=0 --fetch-timeout=5000";
            works(&format!("npm view {quick} node version")).then_some(()).ok_or(UNREACHED)?;
            "npm install --no-package-lock --no-audit --no-fund".into()
        }
    };
    tool(&install, &place).unwrap_or_else(|told| panic!("{install}: {told}"));
    std::fs::write(mark, wanted).unwrap();
    Ok(place)
}

const UNREACHED: &str = "the registry of packages cannot be reached";

/// Runs a line of the shell there; what it said where it failed.
fn tool(line: &str, at: &Path) -> Result<(), String> {
    let output = Command::new("sh").args(["-c", line]).current_dir(at).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(told) }
}

/// Runs the sessions with a client that is started by `client`.
fn talk(kind: &str, place: &Path, client: impl Fn(&Path, &str, &str) -> Vec<String>) {
    for (dialect, flags, arguments, wanted) in sessions() {
        let home = Place::new();
        let mut words = vec!["mcp", "--dialect", dialect];
        words.extend(&flags);
        let calls = json!([{ "arguments": arguments }]).to_string();
        let line = client(place, &json!(words).to_string(), &calls);
        let mut command = Command::new(&line[0]);
        let plain = home.command(&[]);
        command.args(&line[1..]).current_dir(home.work()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> =
            said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(lines.len(), 2, "{kind} {dialect}: {said} {stderr}");
        let text = lines[1]["texts"][0].as_str().unwrap_or("");
        assert!(text.contains(wanted), "{kind} {dialect}: {text} {stderr}");
        assert_eq!(lines[1]["error"], false, "{kind} {dialect}: {said}");
    }
}

fn python(place: &Path, arguments: &str, era: &str, calls: &str) -> Vec<String> {
    let python = place.join("bin/python").display().to_string();
    let script = scripts().join("session.py").display().to_string();
    let own = program().display().to_string();
    [&python, &script, &own, arguments, era, calls].map(|word| word.to_string()).to_vec()
}

fn node(place: &Path, which: &str, arguments: &str, calls: &str) -> Vec<String> {
    let script = place.join("session.mjs").display().to_string();
    let own = program().display().to_string();
    // Debian's own is too old for the newer client, so the tests bring one along.
    let node = place.join("node_modules/node/bin/node").display().to_string();
    [&node, &script, which, &own, arguments, calls].map(|word| word.to_string()).to_vec()
}

#[test]
fn the_python_client_speaks_every_dialect_in_both_eras() {
    let place = match install("python") {
        Ok(place) => place,
        Err(why) => return skip("the_python_client_speaks_every_dialect_in_both_eras", why),
    };
    for era in ["auto", "legacy"] {
        talk("python", &place, |place, arguments, calls| python(place, arguments, era, calls));
    }
}

#[test]
fn the_typescript_clients_speak_every_dialect() {
    let place = match install("node") {
        Ok(place) => place,
        Err(why) => return skip("the_typescript_clients_speak_every_dialect", why),
    };
    for which in ["v2", "v1"] {
        talk("node", &place, |place, arguments, calls| node(place, which, arguments, calls));
    }
}

#[test]
fn the_cases_of_installed_programs_hold_through_every_door() {
    let name = "the_cases_of_installed_programs_hold_through_every_door";
    let mut table = table::read("flowforge.toml");
    table.case.retain(|case| {
        let is_missing =
            |program: &&String| tool(&format!("command -v {program}"), Path::new("/")).is_err();
        if let Some(program) = case.needs.iter().find(is_missing) {
            skip_part(name, &case.name, &format!("there is no {program}"));
            return false;
        }
        !case.needs.is_empty()
    });
    table::hold("flowforge.toml", &table);
}
