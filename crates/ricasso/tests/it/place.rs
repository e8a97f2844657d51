//! A place of its own for each test: home, state, workspace; and the program run in it.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Long enough for anything on a busy machine with two cores; a test that needs it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ricasso"))
}

/// A directory tree that goes with the test.
pub(crate) struct Place {
    pub(crate) root: PathBuf,
}

/// What a finished `ricasso` said.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Place {
    /// Not below /tmp: where that is a writable root, hidden places of this home would narrow it.
    pub(crate) fn new() -> Place {
        Place::below("/var/tmp")
    }

    pub(crate) fn below(directory: &str) -> Place {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ricasso-it-{}-{number}", std::process::id());
        let root = Path::new(directory).join(name);
        for part in ["home", "state", "work"] {
            fs::create_dir_all(root.join(part)).unwrap();
        }
        // The real path, so that what commands print can be compared.
        Place { root: root.canonicalize().unwrap() }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.join("state/ricasso")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.root.join("home"))
            .env("XDG_STATE_HOME", self.root.join("state"))
            .env("LANG", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// Runs `ricasso ARGS…` to its end.
    pub(crate) fn call(&self, args: &[&str]) -> Answer {
        answer(self.command(args).output().unwrap())
    }

    /// Runs it with this on its standard input.
    pub(crate) fn call_with_input(&self, args: &[&str], input: &[u8]) -> Answer {
        let mut command = self.command(args);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        answer(child.wait_with_output().unwrap())
    }

    /// `ricasso run --mode open --json ARGS…`, and its reply.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let mut all = vec!["run", "--mode", "open", "--json"];
        all.extend(args);
        let answer = self.call(&all);
        serde_json::from_slice(&answer.stdout).unwrap_or_else(|error| {
            panic!("{args:?}: {error}: {:?} {}", answer.text(), answer.stderr)
        })
    }

    /// One shell text.
    pub(crate) fn shell(&self, text: &str) -> Value {
        self.json(&["-c", text])
    }

    /// Starts `ricasso run --mode open ARGS…` and leaves it running.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut all = vec!["run", "--mode", "open"];
        all.extend(args);
        let mut command = self.command(&all);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Whether any process has the workspace as its working directory.
    pub(crate) fn is_worked_in(&self) -> bool {
        let work = self.work();
        fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .any(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == work))
    }

    /// Everything below the state directory, relative, without directories.
    pub(crate) fn state_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.state(), &mut found);
        let root = self.state();
        let mut names: Vec<String> = found
            .into_iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

pub(crate) fn answer(output: std::process::Output) -> Answer {
    use std::os::unix::process::ExitStatusExt;
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    Answer {
        code,
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

/// Processes of this machine whose command line holds the mark. A mark is random enough that only
/// the test's own processes carry it.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark) && !is_zombie(*pid)
    })
    .collect()
}

pub(crate) fn is_zombie(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_none_or(|rest| rest.trim_start().starts_with(['Z', 'X']))
}

/// A number that no other process carries: a length of sleep in seconds.
pub(crate) fn mark() -> String {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("1{:06}{number:04}", std::process::id() % 1_000_000)
}

/// Copies a program, by another process: while one of ours writes it, whoever another thread forks
/// holds it open too, and nobody can execute it then.
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success(), "cp {} {}", from.display(), to.display());
}

/// Waits until the thing is true, and fails the test if it never is.
pub(crate) fn eventually(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        // Many of these look at every process of the machine, which takes milliseconds itself.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether this process, and so every child of it, ignores a signal.
pub(crate) fn is_ignored(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(line.trim(), 16).unwrap() & (1 << (signal - 1)) != 0
}

/// The long forms run where this is set; otherwise a twentieth of them.
pub(crate) fn rounds(long: usize) -> usize {
    if is_long() { long } else { (long / 20).max(1) }
}

/// Whether the long forms run.
pub(crate) fn is_long() -> bool {
    std::env::var_os("RICASSO_LONG").is_some()
}

/// Programs that the ordinary tests may start by a row's `needs`: those of a Debian base, and what
/// README.md has people install for the tests.
const BASE: &[&str] = &[
    "awk", "bash", "cc", "diff", "find", "flock", "git", "gzip", "mkfifo", "perl", "python3",
    "sed", "tar", "xargs",
];

/// Whether a row of a table needs a program that must be installed besides.
pub(crate) fn needs_installed_programs(needs: &[String]) -> bool {
    !needs.iter().all(|name| BASE.contains(&name.as_str()))
}

/// Sends a signal by the shell, whose `kill` needs no package. False where the process is gone.
pub(crate) fn signal(name: &str, pid: impl std::fmt::Display) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("kill {name} {pid}")]).stderr(Stdio::null());
    shell.status().unwrap().success()
}

/// Calls `make` for each item, several at once, and returns the results in any order.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    workers: usize,
    items: &[T],
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let made = make(item);
                    results.lock().unwrap().push(made);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

/// Reports that a test cannot run here, and has it counted as skipped.
pub(crate) fn skip(name: &str, why: &str) {
    log_skip(&["test", &full_name(name), why]);
}

/// Reports that a part of a test (a row, a user, a kind of machine) cannot run here.
pub(crate) fn skip_part(name: &str, part: &str, why: &str) {
    log_skip(&["part", &full_name(name), part, why]);
}

/// The name by which the test harness knows a test, if this is its thread.
fn full_name(name: &str) -> String {
    let thread = std::thread::current();
    thread.name().filter(|known| known.contains("::")).unwrap_or(name).to_string()
}

fn log_skip(fields: &[&str]) {
    let line = fields.iter().map(|field| field.replace(['\t', '\n'], " ")).collect::<Vec<_>>();
    eprintln!("skipped: {}", line[1..].join(": "));
    if let Some(path) = std::env::var_os("RICASSO_SKIP_LOG") {
        let mut log = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        // One write, since other test programs may append at the same time.
        log.write_all(format!("{}\n", line.join("\t")).as_bytes()).unwrap();
    }
}

/// The shared data, where it is there.
pub(crate) fn shared() -> Option<PathBuf> {
    let named = std::env::var_os("RICASSO_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    Some(named.unwrap_or(beside)).filter(|path| path.is_dir())
}
