//! Where texts come from: the shared corpora where they are at hand, and our own cases.
//!
//! A corpus that is absent is said to be absent, never silently skipped.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The directory of shared corpora: `RICASSO_SHARED`, else the one beside the project.
#[must_use]
pub fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = std::env::var_os("RICASSO_SHARED").map_or(beside, PathBuf::from);
    path.join("reader/snippets.jsonl").is_file().then_some(path)
}

/// Says that a test did not run, on standard error and in the file that `RICASSO_SKIP_LOG` names.
pub fn skipped(test: &str, reason: &str) {
    log_skip(&["test", test, reason]);
}

/// Says that a test ran without one of its parts.
pub fn skipped_part(test: &str, part: &str, reason: &str) {
    log_skip(&["part", test, part, reason]);
}

/// One line with tabs between the fields, so a field has neither line ends nor tabs.
fn log_skip(fields: &[&str]) {
    let plain = |field: &&str| field.replace(['\n', '\t'], " ");
    let line = fields.iter().map(plain).collect::<Vec<_>>().join("\t");
    let _ = writeln!(std::io::stderr(), "skipped: {line}");
    if let Some(log) = std::env::var_os("RICASSO_SKIP_LOG") {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(log);
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("cannot write the skip log: {error}"));
    }
}

/// Whether the long forms are asked for.
#[must_use]
pub fn long() -> bool {
    std::env::var_os("RICASSO_LONG").is_some_and(|value| value != "0")
}

/// One value of the field `key` of each line of a file of JSON objects; lines without it are left
/// out.
#[must_use]
pub fn field(path: &Path, key: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read(path).unwrap_or_default();
    text.split(|&byte| byte == b'\n').filter_map(|line| string(line, key)).collect()
}

/// The texts of the shared corpora: commands of agents and people, attacks, PowerShell left out.
#[must_use]
pub fn commands(shared: &Path) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for directory in ["corpus", "corpus/fetched"] {
        let Ok(entries) = std::fs::read_dir(shared.join(directory)) else { continue };
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
            let lines = std::fs::read(file).unwrap_or_default();
            for line in lines.split(|&byte| byte == b'\n') {
                let windows = string(line, "policy").is_some_and(|name| name == b"guard-windows");
                if let Some(text) = string(line, "command").filter(|_| !windows) {
                    texts.push(text);
                }
            }
        }
    }
    texts
}

/// The snippets that hide a command.
#[must_use]
pub fn snippets(shared: &Path) -> Vec<Vec<u8>> {
    field(&shared.join("reader/snippets.jsonl"), "text")
}

/// The shell scripts installed on this machine.
#[must_use]
pub fn installed() -> Vec<Vec<u8>> {
    let mut scripts = Vec::new();
    for root in ["/etc", "/usr/bin", "/usr/sbin", "/usr/lib/git-core", "/usr/share", "/usr/lib"] {
        collect(Path::new(root), &mut scripts, 0);
    }
    scripts
}

fn collect(directory: &Path, scripts: &mut Vec<Vec<u8>>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_dir() && depth < 4 {
            collect(&path, scripts, depth + 1);
        } else if meta.is_file() && meta.len() < 200_000 && is_script(&path) {
            scripts.extend(std::fs::read(&path).ok());
        }
    }
}

fn is_script(path: &Path) -> bool {
    use std::io::Read as _;
    let mut head = [0; 64];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let line = head[..read].split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"#!")
        && [&b"/sh"[..], b"/bash", b"/dash", b" sh", b" bash"]
            .iter()
            .any(|shell| line.windows(shell.len()).any(|window| window == *shell))
}

/// The texts of our own cases.
#[must_use]
pub fn own() -> Vec<Vec<u8>> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/parse/commands.txt");
    let text = std::fs::read_to_string(cases).unwrap_or_default();
    let blocks = text.split("\n---\n").filter_map(|block| block.split("\n=>\n").next());
    blocks.map(|block| block.as_bytes().to_vec()).collect()
}

/// The string behind `"key":` in a line of JSON.
#[must_use]
pub fn string(line: &[u8], key: &str) -> Option<Vec<u8>> {
    let line = std::str::from_utf8(line).ok()?;
    let wanted = format!("\"{key}\":");
    let at = line.find(&wanted)? + wanted.len();
    let rest = line[at..].trim_start().strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut characters = rest.chars();
    let mut high = None;
    while let Some(character) = characters.next() {
        let mut buffer = [0; 4];
        match character {
            '"' => return Some(bytes),
            '\\' => match characters.next()? {
                'n' => bytes.push(b'\n'),
                't' => bytes.push(b'\t'),
                'r' => bytes.push(b'\r'),
                'b' => bytes.push(8),
                'f' => bytes.push(12),
                'u' => {
                    let digits: String = characters.by_ref().take(4).collect();
                    let unit = u32::from_str_radix(&digits, 16).ok()?;
                    if (0xd800..0xdc00).contains(&unit) {
                        high = Some(unit);
                        continue;
                    }
                    let point = match high.take() {
                        Some(first) => 0x1_0000 + ((first - 0xd800) << 10) + (unit - 0xdc00),
                        None => unit,
                    };
                    let character = char::from_u32(point).unwrap_or('\u{fffd}');
                    bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                }
                other => bytes.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes()),
            },
            other => bytes.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    None
}
