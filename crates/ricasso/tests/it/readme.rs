//! The tour of the README: what it shows is what happens.

use crate::place::{Place, program};
use regex_automata::meta::Regex;
use std::path::Path;
use std::process::Command;

/// A command of the tour and the lines below it.
#[derive(Debug)]
struct Example {
    command: String,
    output: Vec<String>,
}

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    std::fs::read_to_string(path).unwrap()
}

/// The blocks of the tour without a language, in order, and the blocks of TOML.
fn blocks(text: &str) -> (Vec<Vec<Example>>, Vec<String>) {
    let tour = text.split("## A tour").nth(1).unwrap().split("\n## ").next().unwrap();
    let (mut shown, mut files) = (Vec::new(), Vec::new());
    for (at, part) in tour.split("```").enumerate() {
        match (at % 2, part.strip_prefix("toml\n")) {
            (0, _) => {}
            (_, Some(toml)) => files.push(toml.to_string()),
            (_, None) => shown.push(examples(part)),
        }
    }
    (shown, files)
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
const SIGNS: [(&str, &str); 9] = [
    (r"()[0-9a-f]{64}", "HASH"),
    (r"()\b[0-9a-z]{26}\b", "ID"),
    (r"()\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME"),
    (r"()(?m:^)\d\d-\d\d \d\d:\d\d ", "TIME "),
    (r"(\(pid |_ms.:|.pid.:|_bytes.:|seq.:|presets:|more than )\d+(?:\.\d+)?", "N"),
    (r"(N files, )\d+ [kMG]?B", "SIZE"),
    (r#"(.cwd.:.|, )/[^"\s]+"#, "PATH"),
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

struct Reader {
    place: Place,
    path: String,
}

impl Reader {
    fn new() -> Reader {
        let place = Place::new();
        let bin = place.root.join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(program(), bin.join("ricasso")).unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let script =
            "for n in 1 2 3; do echo \"line $n of $(basename \"$0\" | cut -c1-7)\"; done\n";
        place.write("build.sh", script);
        Reader { place, path }
    }

    /// What a person at this terminal sees; the variable `id` stays for the next command.
    fn types(&self, command: &str) -> String {
        let kept = self.place.root.join("variables");
        let kept = kept.display();
        let text = format!(
            "exec 2>&1; [ -e {kept} ] && . {kept}; {command}\n[ -n \"$id\" ] && declare -p id > {kept}"
        );
        let mut shell = Command::new("/bin/bash");
        let shell = shell.args(["-c", &text]).env_clear();
        let shell = shell.current_dir(self.place.work()).env("PATH", &self.path);
        let shell = shell.env("HOME", self.place.root.join("home")).env("LANG", "C.UTF-8");
        let shell = shell.env("XDG_STATE_HOME", self.place.root.join("state"));
        let out = shell.output().unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    }
}

#[test]
fn the_tour_of_the_readme_shows_what_happens() {
    let text = readme();
    let (blocks, files) = blocks(&text);
    let reader = Reader::new();
    reader.place.write("policy.toml", &files[0]);
    let mut tried = 0;
    for block in blocks {
        let mut known: Vec<(String, String)> = Vec::new();
        if block.iter().any(|example| example.command.starts_with("ricasso output")) {
            let reply = reader.types("ricasso run --mode open --json -c 'seq 1 50000'");
            known.push(ids(&block[0].command).zip(ids(&reply)).next().unwrap());
        }
        if block.iter().any(|example| example.command.starts_with("ricasso ledger")) {
            std::fs::remove_dir_all(reader.place.state()).unwrap();
            reader
                .types("ricasso run --mode open -c 'echo out; exit 3'; ricasso run -c 'rm -rf /'");
        }
        for example in block {
            // Those that build, and those that go on until somebody ends them.
            if example.command.starts_with("cargo") || example.command.contains("ricasso mcp") {
                continue;
            }
            let mut command = example.command.clone();
            for (shown, real) in &known {
                command = command.replace(shown, real);
            }
            let said = reader.types(&command);
            let shown = example.output.join("\n");
            // A long line may be broken for reading.
            let flat = |text: &str| signs(text.trim_end()).replace(['\n', ' '], "");
            assert_eq!(flat(&said), flat(&shown), "{command}\n{said}");
            known.extend(ids(&shown).zip(ids(&said)));
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// The names of jobs in a text.
fn ids(text: &str) -> impl Iterator<Item = String> + '_ {
    let word = |letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit();
    text.split(word).filter(|word| word.len() == 26).map(str::to_string)
}
