//! README and the tour: what they show is what happens, in the default sandbox.

use crate::cage::powers;
use crate::place::{Place, answer, program};
use regex_automata::meta::Regex;
use ricasso_os::Namespaces;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

const PAGES: [&str; 2] = ["README.md", "docs/guide/tour.md"];
/// Where the pages say that they are.
const PROJECT: &str = "home/user/project";

/// A command of a page and the lines below it.
#[derive(Debug)]
struct Example {
    command: String,
    output: Vec<String>,
}

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The fenced blocks of a page in this language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fenced = text.split("```").skip(1).step_by(2);
    let all = fenced.filter_map(|block| block.split_once('\n'));
    all.filter(|(name, _)| *name == language).map(|(_, block)| block).collect()
}

fn examples(block: &str) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    for line in block.trim_matches('\n').lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => {
                all.push(Example { command: command.to_string(), output: Vec::new() });
            }
            (None, Some(example)) => example.output.push(line.to_string()),
            // A piece of a reply, quoted alone.
            (None, None) => {}
        }
    }
    all
}

/// What differs from run to run and machine to machine, as a sign each; the first group stays.
const SIGNS: [(&str, &str); 8] = [
    (r"()[0-9a-f]{64}", "HASH"),
    (r"()\b[0-9a-z]{26}\b", "ID"),
    (r"()\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME"),
    (r"()(?m:^)\d\d-\d\d \d\d:\d\d ", "TIME "),
    (r"(\(pid |_ms.:|.pid.:|_bytes.:|seq.:|presets:)\d+(?:\.\d+)?", "N"),
    (r#"("enforced":)\{"mode":"workspace",[^}]*\}"#, "HELD"),
    (r"(last )\d+", "N"),
    (r"(intact: )\d+ entries, 1 to \d+", "N"),
];

fn signs(text: &str) -> String {
    let mut text = text.to_string();
    for (pattern, sign) in SIGNS {
        let regex = Regex::new(pattern).unwrap();
        let (mut signed, mut from) = (String::new(), 0);
        for found in regex.captures_iter(text.as_str()) {
            let (whole, kept) = (found.get_group(0).unwrap(), found.get_group(1).unwrap());
            signed.push_str(&text[from..whole.start]);
            signed.push_str(&text[kept.range()]);
            signed.push_str(sign);
            from = whole.end;
        }
        signed.push_str(&text[from..]);
        text = signed;
    }
    text
}

/// A person who types what the pages show.
struct Reader {
    place: Place,
    path: String,
}

impl Reader {
    fn new() -> Reader {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Not below /tmp: the sandbox shows another one, and the home directory would not be there.
        let root =
            PathBuf::from(format!("/var/tmp/ricasso-readme-{}-{number}", std::process::id()));
        for part in ["bin", PROJECT, "home/user/reports", "state"] {
            fs::create_dir_all(root.join(part)).unwrap();
        }
        let place = Place { root };
        let bin = place.root.join("bin");
        std::os::unix::fs::symlink(program(), bin.join("ricasso")).unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let reader = Reader { place, path };
        let script =
            "for n in 1 2 3; do echo \"line $n of $(basename \"$0\" | cut -c1-7)\"; done\n";
        reader.write("build.sh", script);
        reader.write("save.sh", "echo all tests pass > ~/reports/today.txt\n");
        reader
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.place.root.join(PROJECT).join(name), text).unwrap();
    }

    /// What a person at this terminal sees; the variable `id` stays for the next command.
    fn types(&self, command: &str) -> String {
        let kept = self.place.root.join("variables");
        let kept = kept.display();
        let text = format!(
            "exec 2>&1; [ -e {kept} ] && . {kept}; {command}\n[ -n \"$id\" ] && declare -p id > {kept}"
        );
        let mut shell = self.command("/bin/bash");
        let out = shell.args(["-c", &text]).output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout);
        said.replace(&self.place.root.display().to_string(), "")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", &self.path).env("LANG", "C.UTF-8");
        command.env("HOME", self.place.root.join("home/user"));
        command.env("XDG_STATE_HOME", self.place.root.join("state"));
        command.current_dir(self.place.root.join(PROJECT));
        command
    }
}

/// What a page shows, as this kind of host gives it: the pages are of one with namespaces.
fn as_here(shown: &str) -> String {
    match powers().namespaces {
        Namespaces::None => shown.replace("Read-only file system", "Permission denied"),
        Namespaces::User | Namespaces::Root => shown.to_string(),
    }
}

/// Takes away what a host without namespaces tells once, with whichever command comes first.
fn without_notice(said: &str) -> String {
    const NOTICE: &str = "this machine gives less than the policy grants: net: none instead of \
                          loopback, which needs network namespaces; tmp: $TMPDIR instead of /tmp, \
                          which needs mount namespaces; ricasso doctor says why (told once a \
                          session)";
    match powers().namespaces {
        Namespaces::None => {
            let line = format!("ricasso: {NOTICE}\n");
            said.replace(&line, "").replace(&format!("\"hints\":[\"{NOTICE}\"]"), "\"hints\":[]")
        }
        Namespaces::User | Namespaces::Root => said.to_string(),
    }
}

#[test]
fn the_readme_and_the_tour_show_what_happens() {
    let reader = Reader::new();
    let mut tried = 0;
    for name in PAGES {
        let text = page(name);
        for toml in blocks(&text, "toml") {
            reader.write("policy.toml", toml);
        }
        for block in blocks(&text, "") {
            tried += follow(&reader, examples(block));
        }
    }
    assert!(tried > 25, "{tried}");
}

/// Types the commands of one block, and counts them.
fn follow(reader: &Reader, block: Vec<Example>) -> usize {
    let mut known: Vec<(String, String)> = Vec::new();
    if block.iter().any(|example| example.command.starts_with("ricasso output")) {
        let reply = reader.types("ricasso run --json -c 'seq 1 50000'");
        known.push(ids(&block[0].command).zip(ids(&reply)).next().unwrap());
    }
    if block.iter().any(|example| example.command.starts_with("ricasso ledger")) {
        fs::remove_dir_all(reader.place.state()).unwrap();
        reader.types("ricasso run -c 'echo out; exit 3'; ricasso run -c 'rm -rf /'");
    }
    let mut tried = 0;
    for example in block {
        // Those that build, and those that go on until somebody ends them.
        if example.command.starts_with("cargo") || example.command.contains("ricasso mcp") {
            continue;
        }
        let mut command = example.command.clone();
        for (shown, real) in &known {
            command = command.replace(shown, real);
        }
        let said = without_notice(&reader.types(&command));
        let shown = as_here(&example.output.join("\n"));
        // A long line may be broken for reading.
        let flat = |text: &str| signs(text.trim_end()).replace(['\n', ' '], "");
        assert_eq!(flat(&said), flat(&shown), "{command}\n{said}");
        known.extend(ids(&shown).zip(ids(&said)));
        tried += 1;
    }
    tried
}

#[test]
fn the_readme_is_short_and_begins_with_two_commands() {
    let text = page("README.md");
    assert!(text.lines().count() <= 120, "{} lines", text.lines().count());
    assert_eq!(
        blocks(&text, "sh"),
        [
            "sh tools/setup.sh && cargo run --release -- run -c 'echo hello from ricasso'\n",
            "sh tools/setup.sh tests && cargo xtask check\n",
        ]
    );
    assert_eq!(blocks(&text, "")[0], "hello from ricasso\n");
    let reader = Reader::new();
    let said = without_notice(&reader.types("ricasso run -c 'echo hello from ricasso'"));
    assert_eq!(said, "hello from ricasso\n");
    for name in PAGES {
        assert!(!page(name).contains("--mode open"), "{name}");
    }
    let head: Vec<&str> = text.split("\n## ").next().unwrap().lines().skip(2).collect();
    assert!(head.len() <= 5, "{head:?}");
    for own in ["cage", "keeper", "warden", "wall", "door", "house", "reader", "reply", "ledger"] {
        assert!(!head.iter().any(|line| line.contains(own)), "{own}");
    }
}

#[test]
fn the_block_for_mcp_hosts_starts_a_server() {
    let text = page("README.md");
    let block: Value = serde_json::from_str(blocks(&text, "json")[0]).unwrap();
    let server = &block["mcpServers"]["shell"];
    assert_eq!(server["command"], "ricasso");
    let reader = Reader::new();
    let project = reader.place.root.join(PROJECT).display().to_string();
    let words = server["args"].as_array().unwrap().iter();
    let words = words.map(|word| word.as_str().unwrap().replace("/home/user/project", &project));
    let mut command = reader.command(program().to_str().unwrap());
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    write!(input, "{hello}\n{ready}\n{list}\n").unwrap();
    drop(input);
    let answer = answer(child.wait_with_output().unwrap());
    let told = answer.text();
    let reply = told.lines().find(|line| line.contains("\"id\":2")).unwrap_or_default();
    let reply: Value = serde_json::from_str(reply).unwrap_or_else(|_| panic!("{told}"));
    assert_eq!(reply["result"]["tools"][0]["name"], "Bash", "{told}");
}

/// The names of jobs in a text.
fn ids(text: &str) -> impl Iterator<Item = String> + '_ {
    let word = |letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit();
    text.split(word).filter(|word| word.len() == 26).map(str::to_string)
}
