//! The official clients run real sessions with each dialect. The tests install them themselves.

use crate::place::{Place, program};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

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

/// Where the clients are installed, once for all runs that want the same versions.
fn installed(kind: &'static str) -> Result<PathBuf, String> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    static NODE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let cell = if kind == "python" { &PYTHON } else { &NODE };
    cell.get_or_init(|| install(kind)).clone()
}

fn install(kind: &str) -> Result<PathBuf, String> {
    let wanted = match kind {
        "python" => scripts().join("requirements.txt"),
        _ => scripts().join("package.json"),
    };
    let wanted = std::fs::read_to_string(wanted).map_err(|error| error.to_string())?;
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("clients-{kind}"));
    let mark = place.join("installed");
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        return Ok(place);
    }
    // A half-made one would be met again and again.
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let at = place.to_str().ok_or("the target directory is no text")?;
    match kind {
        "python" => {
            tool("python3", &["-m", "venv", at], &place)?;
            let requirements = scripts().join("requirements.txt");
            let pip = place.join("bin/pip");
            let words = ["install", "-q", "-r", requirements.to_str().unwrap_or_default()];
            tool(pip.to_str().unwrap_or_default(), &words, &place)?;
        }
        _ => {
            for name in ["package.json", "session.mjs"] {
                std::fs::copy(scripts().join(name), place.join(name))
                    .map_err(|error| error.to_string())?;
            }
            tool("npm", &["install", "--no-package-lock", "--no-audit", "--no-fund"], &place)?;
        }
    }
    std::fs::write(mark, wanted).map_err(|error| error.to_string())?;
    Ok(place)
}

fn tool(program: &str, words: &[&str], at: &Path) -> Result<(), String> {
    let output = Command::new(program)
        .args(words)
        .current_dir(at)
        .output()
        .map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program} {words:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Runs the sessions with a client that is started by `client`.
fn talk(kind: &'static str, client: impl Fn(&Path, &str, &str) -> Vec<String>) {
    let place =
        installed(kind).unwrap_or_else(|error| panic!("cannot install the client: {error}"));
    for (dialect, flags, arguments, wanted) in sessions() {
        let home = Place::new();
        let mut words = vec!["mcp", "--dialect", dialect];
        words.extend(&flags);
        let calls = json!([{ "arguments": arguments }]).to_string();
        let line = client(&place, &json!(words).to_string(), &calls);
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
    talk("python", |place, arguments, calls| python(place, arguments, "auto", calls));
    talk("python", |place, arguments, calls| python(place, arguments, "legacy", calls));
}

#[test]
fn the_typescript_clients_speak_every_dialect() {
    talk("node", |place, arguments, calls| node(place, "v2", arguments, calls));
    talk("node", |place, arguments, calls| node(place, "v1", arguments, calls));
}
