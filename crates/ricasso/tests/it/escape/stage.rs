//! Where attempts are made: outside, workspace, home and state of one run, and the programs.

use super::snapshot::Snapshot;
use super::stand::Stand;
use super::table::{Attempt, Effect, folder};
use crate::place::{Answer, PATIENCE, answer, copy_program, program};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The user that owns nothing.
const NOBODY: u32 = 65534;
/// The flags of a run without ricasso.
pub(crate) const BARE: &[&str] = &[];
const C_FILES: &[&str] = &[
    "main",
    "files",
    "net",
    "processes",
    "kernel",
    "code",
    "doors",
    "races",
    "rare",
    "wraps",
    "stands",
    "made",
    "beside",
    "newer",
];

/// Who makes the attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actor {
    Root,
    Nobody,
    /// Whoever runs the tests, where that is not root.
    Ourselves,
}

/// The cage, or its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    /// As it is.
    Plain,
    /// New namespaces and mounts are refused by a filter, as container engines do.
    WithoutNamespaces,
    /// As it is, with an owner that has run something in the same cage before.
    Copied,
}

impl Machine {
    /// Whether commands there get namespaces of their own.
    pub(crate) fn has_namespaces(self) -> bool {
        static HERE: OnceLock<bool> = OnceLock::new();
        let here = || crate::cage::powers().namespaces != ricasso_os::Namespaces::None;
        self != Machine::WithoutNamespaces && *HERE.get_or_init(here)
    }
}

/// All stages, and the programs that they share.
pub(crate) struct Hall {
    root: PathBuf,
    next: AtomicUsize,
}

impl Hall {
    /// Builds the probe.
    pub(crate) fn new() -> Hall {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Not below /tmp: there the cage shows another directory, which would hide the outside.
        let name = format!("ricasso-escape-{}-{number}", std::process::id());
        let hall = Hall { root: Path::new("/var/tmp").join(name), next: AtomicUsize::new(0) };
        let bin = hall.bin();
        fs::create_dir_all(&bin).unwrap();
        for (name, bytes) in PROBE.get_or_init(|| build_probe(&bin)) {
            if !bin.join(name).exists() {
                write_program(&bin.join(name), bytes);
            }
        }
        copy_program(&program(), &bin.join("ricasso"));
        let owner = program().with_file_name("examples").join("owner");
        assert!(owner.exists(), "{} is built with the tests", owner.display());
        copy_program(&owner, &bin.join("owner"));
        hall
    }

    fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    pub(crate) fn actors(&self) -> Vec<Actor> {
        if is_root() { vec![Actor::Root, Actor::Nobody] } else { vec![Actor::Ourselves] }
    }
}

/// The stages go all at once: where names come and go all the time, file systems look for free
/// places ever longer.
impl Drop for Hall {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The programs of the suite, by name, built once for all halls.
static PROBE: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();

/// Builds them in a hall, and reads them for the others.
fn build_probe(bin: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let source = folder().join("probe");
    let probe = C_FILES.iter().map(|name| source.join(format!("{name}.c")));
    let cc = || Command::new("cc");
    build(cc().arg("-o").arg(bin.join("probe")).args(probe).args(["-ldl", "-pthread"]));
    let shared = ["-shared", "-fPIC", "-o"];
    build(cc().args(shared).arg(bin.join("foreign.so")).arg(source.join("foreign.c")));
    let codeless = source.join("codeless.s");
    let bare = ["-nostdlib", "-Wl,--no-as-needed", "-lc"];
    build(cc().args(shared).arg(bin.join("codeless.so")).arg(codeless).args(bare));
    copy_program(&bin.join("probe"), &bin.join("tool"));
    let names = ["probe", "tool", "foreign.so", "codeless.so"];
    names.map(|name| (name, fs::read(bin.join(name)).unwrap())).into()
}

/// Writes a program by another process, for the reason that `copy_program` tells.
fn write_program(to: &Path, bytes: &[u8]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(to).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    assert!(child.wait().unwrap().success(), "{}", to.display());
}

fn build(command: &mut Command) {
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]);
    let output = command.output().expect("the tests need a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// One attempt's place.
pub(crate) struct Stage {
    root: PathBuf,
    pub(super) bin: PathBuf,
    actor: Actor,
    words: BTreeMap<String, String>,
}

/// What was found after a run.
pub(crate) struct Found {
    /// The reply, where there was one.
    pub(crate) reply: Value,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The effect, in words; nothing where there was none.
    pub(crate) effect: Option<String>,
    /// Whether the host offered what was to stand outside.
    pub(crate) stood: bool,
}

impl Stage {
    pub(crate) fn new(hall: &Hall, actor: Actor) -> Stage {
        let number = hall.next.fetch_add(1, Ordering::Relaxed);
        let root = hall.root.join(number.to_string());
        let bin = hall.bin();
        let token = format!("sesame{}x{number}y", std::process::id());
        let mut words = BTreeMap::from([("word".to_string(), token.clone())]);
        for part in ["out/dir", "out/empty", "work/sub", "home/.ssh", "home/.aws", "state"] {
            fs::create_dir_all(root.join(part)).unwrap();
        }
        for part in ["out", "work", "home", "state"] {
            words.insert(part.into(), root.join(part).display().to_string());
        }
        for (name, at) in [("probe", bin.join("probe")), ("tool", bin.join("tool"))] {
            words.insert(name.into(), at.display().to_string());
        }
        words.insert("bin".into(), bin.display().to_string());
        words.insert("stage".into(), root.display().to_string());
        words.insert("loader".into(), loader());
        let stage = Stage { root, bin, actor, words };
        stage.furnish(&token);
        stage
    }

    fn furnish(&self, token: &str) {
        for (name, text) in [
            ("out/file", "outside\n"),
            ("out/other", "other\n"),
            ("out/dir/inner", "inner\n"),
            ("work/file", "inside\n"),
            ("work/sub/file", "below\n"),
            ("home/.bashrc", "# start\n"),
            ("home/.ssh/id_key", token),
            ("home/.aws/credentials", token),
        ] {
            fs::write(self.root.join(name), text).unwrap();
        }
        symlink("file", self.root.join("out/link")).unwrap();
        self.give(&self.root);
        if self.actor == Actor::Nobody {
            // A program that would lend root's rights.
            let who = self.root.join("out/who");
            copy_program(Path::new("/usr/bin/id"), &who);
            fs::set_permissions(&who, fs::Permissions::from_mode(0o4755)).unwrap();
        }
        let _ = self
            .as_actor(&self.bin.join("probe"))
            .args(["keep", &self.fill("{out}/file")])
            .output();
    }

    /// Everything below belongs to whoever acts.
    fn give(&self, path: &Path) {
        let Actor::Nobody = self.actor else { return };
        std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        if path.is_dir() && !path.is_symlink() {
            fs::read_dir(path).unwrap().flatten().for_each(|entry| self.give(&entry.path()));
        }
    }

    /// Puts what is known into the places of a text.
    pub(crate) fn fill(&self, text: &str) -> String {
        self.words.iter().fold(text.to_string(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        })
    }

    pub(super) fn as_actor(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path(self.actor))
            .env("HOME", self.root.join("home"))
            .env("XDG_STATE_HOME", self.root.join("state"))
            .env("LANG", "C.UTF-8")
            // In the environment of everything outside; no command may see it.
            .env("PROBE_WORD", &self.words["word"])
            .current_dir(self.root.join("work"))
            .stdin(Stdio::null());
        match self.actor {
            Actor::Nobody => {
                command.uid(NOBODY).gid(NOBODY);
            }
            // Their toolchain lies in their own home, which the stage's home hides.
            Actor::Root | Actor::Ourselves => {
                let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
                for (name, place) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                    let place = std::env::var_os(name).unwrap_or(home.join(place).into());
                    command.env(name, place);
                }
            }
        }
        command
    }

    pub(crate) fn outside(&self, text: &str) -> Output {
        let mut shell = self.as_actor(Path::new("/bin/sh"));
        shell.args(["-ec", &self.fill(text)]).output().unwrap()
    }

    /// Runs a shell text with these flags of `ricasso run`, and gives its reply. Where the stage
    /// lies is taken out of what it said.
    pub(crate) fn work(&self, text: &str, flags: &[&str], machine: Machine) -> Value {
        let act = self.root.join("act.sh");
        fs::write(&act, self.fill(text)).unwrap();
        let output = self.ricasso(None, flags, machine, &act).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let plain = stdout.replace(&self.root.display().to_string(), "STAGE");
        serde_json::from_str(&plain)
            .unwrap_or_else(|_| panic!("{plain} {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The same with a command round ricasso; nothing where it says nothing that is a reply.
    pub(crate) fn work_under(&self, wrap: &str, text: &str) -> Result<Value, String> {
        let act = self.root.join("act.sh");
        fs::write(&act, self.fill(text)).unwrap();
        let flags = ["--mode", "workspace", "--timeout", "20s"];
        let output = self.ricasso(Some(wrap), &flags, Machine::Plain, &act).output().unwrap();
        serde_json::from_slice(&output.stdout)
            .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Runs ricasso itself with these words under a wrap of the probe, and gives its process number.
    pub(crate) fn under(&self, wrap: &str, words: &[&str]) -> (Answer, u32) {
        let mut command = self.as_actor(&self.bin.join("probe"));
        command.args(wrap.split(' ')).arg(self.bin.join("ricasso")).args(words);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        (answer(child.wait_with_output().unwrap()), pid)
    }

    /// Makes the attempt with these flags of `ricasso run`.
    pub(super) fn attempt(mut self, attempt: &Attempt, flags: &[&str], machine: Machine) -> Found {
        let mut stand = None;
        if let Some(words) = &attempt.stand {
            let words = self.fill(words);
            let mut command = self.as_actor(&self.bin.join("probe"));
            stand = Stand::start({
                command.args(words.split(' '));
                command
            });
            let Some(stand) = &stand else { return Found::without_a_stand() };
            self.words.extend(stand.words.clone());
        }
        if let Some(text) = &attempt.before {
            let done = self.outside(text);
            let told = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}: before: {told}", attempt.name);
        }
        if let Some(policy) = &attempt.policy {
            fs::write(self.root.join("policy.toml"), self.fill(policy)).unwrap();
        }
        let seen = Seen::before(&self, attempt);
        let act = self.root.join("act.sh");
        fs::write(&act, format!("{}\necho tried the act\n", self.fill(&attempt.act))).unwrap();
        if machine == Machine::Copied {
            let Some(reply) = super::copied::run(&self, attempt, &act) else {
                return Found::without_a_stand();
            };
            let effect = seen.effect(&self, &reply, stand.as_mut());
            if let Some(text) = &attempt.after {
                self.outside(text);
            }
            let stdout = reply["stdout"].as_str().unwrap_or_default().to_string();
            return Found { stdout, stderr: String::new(), reply, effect, stood: true };
        }
        let wrap = attempt.wrap.as_deref();
        let input = attempt.input.iter().flat_map(|file| ["--stdin", file.as_str()]);
        let flags: Vec<&str> = flags.iter().copied().chain(input).collect();
        let mut command = self.ricasso(wrap, &flags, machine, &act);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = self.watch(child, attempt);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let reply: Value = serde_json::from_str(&stdout)
            .unwrap_or_else(|_| serde_json::json!({ "stdout": stdout, "stderr": "" }));
        let effect = seen.effect(&self, &reply, stand.as_mut());
        if let Some(text) = &attempt.after {
            self.outside(text);
        }
        drop(stand);
        Found {
            stdout: reply["stdout"].as_str().unwrap_or(&stdout).to_string(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            reply,
            effect,
            stood: true,
        }
    }

    fn ricasso(&self, wrap: Option<&str>, flags: &[&str], machine: Machine, act: &Path) -> Command {
        let mut words: Vec<String> = Vec::new();
        if let Some(wrap) = wrap {
            words.extend(self.fill(wrap).split(' ').map(str::to_string));
        }
        if machine == Machine::WithoutNamespaces {
            words.push(self.words["probe"].clone());
            words.push("without-namespaces".into());
        }
        if flags != BARE {
            words.push(self.bin.join("ricasso").display().to_string());
            words.extend(["run", "--json", "--root"].map(str::to_string));
            words.push(self.words["work"].clone());
            words.extend(flags.iter().map(|flag| self.fill(flag)));
            words.push("--".into());
        }
        words.extend(["/bin/sh".into(), act.display().to_string()]);
        let mut command = self.as_actor(Path::new(&words[0]));
        command.args(&words[1..]);
        command
    }

    /// Waits for the end; what is to happen meanwhile happens when the act is ready for it.
    fn watch(&self, child: Child, attempt: &Attempt) -> Output {
        let Some(during) = &attempt.during else { return child.wait_with_output().unwrap() };
        let waiter = std::thread::spawn(move || child.wait_with_output().unwrap());
        // Where entries of the workspace itself cannot be made, the act is ready in `sub`.
        let places = ["work", "work/sub"].map(|place| self.root.join(place));
        let ready = || places.iter().find(|place| place.join("ready").exists());
        let began = Instant::now();
        while ready().is_none() && !waiter.is_finished() && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(place) = ready() {
            self.outside(during);
            let _ = fs::write(place.join("go"), "");
        }
        waiter.join().unwrap()
    }
}

impl Found {
    fn without_a_stand() -> Found {
        let (stdout, stderr) = (String::new(), String::new());
        Found { reply: Value::Null, stdout, stderr, effect: None, stood: false }
    }
}

/// What was there before, to be compared.
struct Seen {
    effect: Effect,
    tree: Option<(PathBuf, Snapshot)>,
}

impl Seen {
    fn before(stage: &Stage, attempt: &Attempt) -> Seen {
        let effect = attempt.seen_by();
        let tree = match &effect {
            Effect::Changed(name) => {
                let root = PathBuf::from(stage.fill(&format!("{{{name}}}")));
                let snapshot = Snapshot::of(&root);
                Some((root, snapshot))
            }
            Effect::Unnamed(name) => {
                let path = stage.root.join("work").join(stage.fill(name));
                let snapshot = Snapshot::of(&path);
                Some((path, snapshot))
            }
            Effect::Stand | Effect::Said(_) | Effect::Exists(_) | Effect::Gone(_) => None,
        };
        Seen { effect, tree }
    }

    fn effect(&self, stage: &Stage, reply: &Value, stand: Option<&mut Stand>) -> Option<String> {
        match &self.effect {
            Effect::Changed(_) => {
                let (root, before) = self.tree.as_ref().unwrap();
                before.difference(&Snapshot::of(root))
            }
            Effect::Stand => stand.unwrap().difference(),
            Effect::Said(words) => {
                let words = stage.fill(words);
                let said = format!("{}{}", reply["stdout"], reply["stderr"]);
                said.contains(&words).then(|| format!("it said {words:?}"))
            }
            Effect::Exists(name) => {
                let path = stage.fill(name);
                fs::symlink_metadata(&path).is_ok().then(|| format!("there is {path}"))
            }
            Effect::Gone(name) => {
                let path = stage.fill(name);
                fs::symlink_metadata(&path).is_err().then(|| format!("{path} is gone"))
            }
            Effect::Unnamed(name) => {
                let (path, before) = self.tree.as_ref().unwrap();
                let changed = before.difference(&Snapshot::of(path)).is_some();
                let mut named = reply["later"].as_array().into_iter().flatten();
                let name = stage.fill(name);
                let named = named.any(|later| later["path"] == name);
                (changed && !named)
                    .then(|| format!("{name} is born, changed or gone, and not named"))
            }
        }
    }
}

/// System programs first; then those that whoever runs the tests has besides.
fn path(actor: Actor) -> String {
    let system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    match actor {
        Actor::Nobody => system.to_string(),
        Actor::Root | Actor::Ourselves => {
            format!("{system}:{}", std::env::var("PATH").unwrap_or_default())
        }
    }
}

/// The dynamic loader of this machine, as a program names it.
fn loader() -> String {
    let known = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    known.into_iter().find(|path| Path::new(path).exists()).unwrap_or(known[0]).to_string()
}
