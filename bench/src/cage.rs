//! What the cage adds: `sh -c true` with both streams captured, open, caged, and by bubblewrap.
//!
//! Interleaved and compared within rounds, as in `run`. The walls alone, without namespaces, are
//! measured in a copy of this program under a filter that refuses namespaces.

use crate::run::{bare_spawn, engine_of, median, once, report, rest};
use ricasso_engine::engine::{Engine, Spares};
use ricasso_engine::policy::{Policy, Preset};
use ricasso_engine::request::{Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::{Cancel, Keeper};
use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As many as the bars ask for.
const ROUNDS: usize = 400;
/// Landlock and seccomp alone, beside the same engine in mode open.
const MOST_WALLS: f64 = 1.25;
/// The whole cage, cold, beside a bare spawn.
const MOST_CAGE: f64 = 3.0;
/// Bubblewrap beside the whole cage.
const LEAST_BUBBLEWRAP: f64 = 3.0;

/// What this machine offers the cage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Machine {
    Plain,
    WithoutNamespaces,
    /// By a user who needs a user namespace for it.
    ForNobody,
}

/// Measures and prints; returns whether the bars hold.
pub(crate) fn run(open: Keeper, caged: Keeper, machine: Machine) -> Result<bool, Box<dyn Error>> {
    let place = std::env::temp_dir().join(format!("ricasso-cage-{}", std::process::id()));
    let work = place.join("work");
    std::fs::create_dir_all(&work)?;
    let open = engine_of(open, &place.join("open"), Spares::None, Policy::preset(Preset::Open));
    let policy = Policy::preset(Preset::Workspace);
    let caged = engine_of(caged, &place.join("caged"), Spares::None, policy);
    let held = match machine {
        Machine::Plain => plain(&open, &caged, &work).and_then(|held| {
            let walls = in_a_copy(&place)?;
            let nobody = as_nobody(&place)?;
            Ok(held && walls && nobody)
        }),
        Machine::ForNobody => {
            println!("the same for nobody, who needs a user namespace");
            plain(&open, &caged, &work)
        }
        Machine::WithoutNamespaces => walls(&open, &caged, &work),
    };
    drop((open, caged));
    // The place is ours alone; what cannot be removed is in the temporary directory.
    let _ = std::fs::remove_dir_all(place);
    held
}

fn plain(open: &Engine, caged: &Engine, work: &Path) -> Result<bool, Box<dyn Error>> {
    let (request, cancel) = (request(work), Cancel::new()?);
    let bubblewrap = Command::new("bwrap").arg("--version").output().is_ok();
    println!("sh -c true, both streams captured, {ROUNDS} interleaved rounds");
    println!("  enforced: {}", enforced(caged, &request, &cancel)?);
    let (mut bare, mut opened, mut cage) = (Vec::new(), Vec::new(), Vec::new());
    let (mut foreign, mut barest) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        rest();
        bare.push(bare_spawn());
        rest();
        opened.push(once(open, &request, &cancel));
        rest();
        cage.push(once(caged, &request, &cancel));
        if bubblewrap {
            rest();
            foreign.push(by_bubblewrap(&as_much(work))?);
            rest();
            barest.push(by_bubblewrap(&as_little())?);
        }
    }
    report("engine, mode open", &opened, &bare, 1.6);
    let cold = report("engine, whole cage, cold", &cage, &bare, MOST_CAGE);
    if !bubblewrap {
        println!("  bubblewrap is not installed: nothing to compare with (Debian: bubblewrap)");
        return Ok(cold);
    }
    let ratio = ratio(&foreign, &cage);
    let faster = ratio >= LEAST_BUBBLEWRAP;
    let word = if faster { "held" } else { "MISSED" };
    let least = |all: &[Duration]| all.iter().min().copied().unwrap_or_default();
    let (theirs, ours) = (least(&foreign), least(&cage));
    println!(
        "  bubblewrap takes x{ratio:.2} of the whole cage (at least x3: {word}); \
         minimum {theirs:?}, x{:.2}",
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
    println!(
        "  with nothing hidden, writable or of its own but /dev and /proc it takes x{:.2} of it",
        self::ratio(&barest, &cage)
    );
    Ok(cold && faster)
}

fn walls(open: &Engine, caged: &Engine, work: &Path) -> Result<bool, Box<dyn Error>> {
    let (request, cancel) = (request(work), Cancel::new()?);
    println!("the same where no namespaces may be made: Landlock and seccomp alone");
    println!("  enforced: {}", enforced(caged, &request, &cancel)?);
    let (mut opened, mut cage) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        rest();
        opened.push(once(open, &request, &cancel));
        rest();
        cage.push(once(caged, &request, &cancel));
    }
    let ratio = ratio(&cage, &opened);
    let held = ratio <= MOST_WALLS;
    let word = if held { "held" } else { "MISSED" };
    let least = |all: &[Duration]| all.iter().min().copied().unwrap_or_default();
    println!(
        "  walls alone x{ratio:.2} of mode open (at most x{MOST_WALLS}: {word}); least {:?}, {:?}",
        least(&cage),
        least(&opened)
    );
    Ok(held)
}

/// The median of the ratios within rounds.
fn ratio(these: &[Duration], those: &[Duration]) -> f64 {
    let ratios = these.iter().zip(those).map(|(a, b)| a.as_secs_f64() / b.as_secs_f64());
    median(ratios.collect())
}

/// What really holds, so that a number is never read for a cage that was not there.
fn enforced(engine: &Engine, request: &Request, cancel: &Cancel) -> Result<String, Box<dyn Error>> {
    let reply = engine.run(request, cancel)?;
    Ok(format!("{:?}", reply.enforced))
}

/// This program again, as nobody. Whoever is not root has measured that already.
fn as_nobody(place: &Path) -> Result<bool, Box<dyn Error>> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    /// The user and the group of that name, on every machine that we know.
    const NOBODY: u32 = 65_534;
    if ricasso_os::own_uid() != 0 {
        return Ok(true);
    }
    let copy = place.join("bench");
    std::fs::copy(std::env::current_exe()?, &copy)?;
    for path in [place, &copy] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    let home = place.join("home");
    std::fs::create_dir(&home)?;
    std::os::unix::fs::chown(&home, Some(NOBODY), Some(NOBODY))?;
    let mut command = Command::new(copy);
    command.arg("nobody").env("HOME", home).uid(NOBODY).gid(NOBODY);
    Ok(command.status()?.success())
}

/// This program again, under the probe's filter.
fn in_a_copy(place: &Path) -> Result<bool, Box<dyn Error>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/escape/probe");
    let probe = place.join("probe");
    let mut cc = Command::new("cc");
    cc.arg("-o").arg(&probe).args(["-ldl", "-pthread"]);
    for entry in std::fs::read_dir(source)? {
        cc.args(
            Some(entry?.path()).filter(|path| path.extension().is_some_and(|kind| kind == "c")),
        );
    }
    let built = cc.status()?;
    if !built.success() {
        return Err("the probe of the escape suite does not build".into());
    }
    let ourselves = std::env::current_exe()?;
    let status = Command::new(probe).arg("without-namespaces").arg(ourselves).arg("walls").status();
    Ok(status?.success())
}

/// The namespaces and mounts of our cage, as far as bubblewrap has them, in the flags that agents
/// start it with. Landlock, the filter and what is protected in the workspace are not among them.
fn as_much(work: &Path) -> Vec<&OsStr> {
    let mut words = vec!["--unshare-all", "--die-with-parent", "--new-session"];
    words.extend(["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
    words.extend(["--tmpfs", "/tmp"]);
    // What the preset hides and every machine has.
    let secrets = ["/etc/shadow", "/etc/gshadow"].into_iter();
    let secrets = secrets.filter(|path| Path::new(path).exists());
    words.extend(secrets.flat_map(|secret| ["--ro-bind", "/dev/null", secret]));
    let words = words.into_iter().map(OsStr::new);
    words.chain([OsStr::new("--bind"), work.as_os_str(), work.as_os_str()]).collect()
}

/// The fewest flags that are called a sandbox.
fn as_little() -> Vec<&'static OsStr> {
    let words = ["--unshare-user", "--unshare-pid", "--unshare-net", "--die-with-parent"];
    let mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
    words.into_iter().chain(mounts).map(OsStr::new).collect()
}

fn by_bubblewrap(words: &[&OsStr]) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    let mut command = Command::new("bwrap");
    command.args(words).args(["--", "/bin/sh", "-c", "true"]);
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(began.elapsed())
}

/// The same program as the bare spawn, in a workspace.
fn request(work: &Path) -> Request {
    Request {
        steps: vec![Step::Argv(vec!["/bin/sh".into(), "-c".into(), "true".into()])],
        on_failure: OnFailure::Stop,
        cwd: work.to_path_buf(),
        workspace: Some(PathBuf::from(work)),
        env: Vec::new(),
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "bench".into(), client: None },
        manner: Manner::default(),
    }
}
