//! Where attempts are made: a temporary workspace, a home, a place outside, two listeners and a
//! process that does nothing. Everything goes when the stage is dropped.

use super::attempts::{Attempt, BEGUN, DONE, Effect, PROCESSES, SECRET, Seen};
use ricasso_engine::engine::{Engine, Setup};
use ricasso_engine::policy::{Layer, Mode, Origin, Overrides, Policy};
use ricasso_engine::reply::Reply;
use ricasso_engine::request::{Bytes, Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_os::{Cancel, Keeper};
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

/// No attempt takes as long; one that hangs is ended.
const DEADLINE: Duration = Duration::from_secs(5);

/// The places of all attempts.
#[derive(Debug)]
pub(super) struct Stage {
    root: Directory,
    /// The listeners; none where this process may not have one, as inside a sandbox.
    port: Option<TcpListener>,
    socket: Option<UnixListener>,
    bystander: Child,
    /// A length of sleep that no other process has.
    mark: String,
}

impl Stage {
    /// Makes the directory and all that stands in it.
    pub(super) fn new() -> io::Result<Stage> {
        let root = Directory(make_directory()?);
        for part in ["work", "out", "home/.ssh"] {
            fs::create_dir_all(root.join(part))?;
        }
        fs::write(root.join("home/.ssh/id_doctor"), SECRET)?;
        // Its own program is the one client that is there on every machine.
        fs::copy("/proc/self/exe", root.join("work/ricasso"))?;
        let port = TcpListener::bind(("127.0.0.1", 0)).ok();
        port.iter().try_for_each(|port| port.set_nonblocking(true))?;
        let socket = UnixListener::bind(root.join("out/socket")).ok();
        socket.iter().try_for_each(|socket| socket.set_nonblocking(true))?;
        let mark = format!("86{:08}", std::process::id());
        let bystander = start_bystander()?;
        Ok(Stage { root, port, socket, bystander, mark })
    }

    /// An engine for this mode whose state lies in the stage.
    pub(super) fn engine(&self, mode: Mode) -> Result<Engine, Box<dyn std::error::Error>> {
        let text = format!(
            "version = 1\nextends = {:?}\n[limits]\nprocesses = {PROCESSES}\n",
            mode.name()
        );
        let layer = Layer { origin: Origin::User, name: "doctor".into(), text };
        let policy = Policy::from_layers(&[layer], &Overrides::default())?;
        let state = self.root.join("state");
        let pair = |name: &str, value: OsString| (Bytes::from(name), Bytes::from(value));
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let home = self.root.join("home").into_os_string();
        let environment = vec![pair("PATH", path), pair("HOME", home)];
        let keeper = Keeper::of_our_own()?;
        Ok(Engine::open(Setup::in_directory(keeper, policy, &state, environment)?)?)
    }

    /// Makes an attempt and looks for its effect.
    pub(super) fn attempt(
        &mut self,
        engine: &Engine,
        attempt: &Attempt,
        cancel: &Cancel,
    ) -> Result<(Reply, Seen), Box<dyn std::error::Error>> {
        self.tidy()?;
        let script = self.root.join("work/attempt.sh");
        fs::write(&script, format!("echo {BEGUN}\n{}\n", self.fill(attempt.script)))?;
        let reply = engine.run(&self.request(&script, attempt), cancel)?;
        let seen = self.look(attempt, &reply);
        Ok((reply, seen))
    }

    fn request(&self, script: &Path, attempt: &Attempt) -> Request {
        let words = ["/bin/sh".into(), script.as_os_str().to_os_string()];
        let timeout = match attempt.name {
            "exceed-deadline" => Duration::from_millis(300),
            _ => DEADLINE,
        };
        Request {
            steps: vec![Step::Argv(words.into_iter().map(Bytes::from).collect())],
            on_failure: OnFailure::Stop,
            cwd: self.root.join("work"),
            workspace: Some(self.root.join("work")),
            env: Vec::new(),
            stdin: Stdin::Closed,
            timeout: Some(timeout),
            caller: Caller { door: "cli".into(), session: "doctor".into(), client: None },
            manner: Manner::default(),
        }
    }

    fn fill(&self, script: &str) -> String {
        let place = |name: &str| self.root.join(name).display().to_string();
        let address = self.port.as_ref().and_then(|port| port.local_addr().ok());
        script
            .replace("{out}", &place("out"))
            .replace("{home}", &place("home"))
            .replace("{pid}", &self.bystander.id().to_string())
            .replace("{address}", &address.map_or(String::new(), |address| address.to_string()))
            .replace("{mark}", &self.mark)
            .replace("{done}", DONE)
    }

    /// Takes away what the attempt before left.
    fn tidy(&mut self) -> io::Result<()> {
        for made in ["work/made", "out/made"] {
            match fs::remove_file(self.root.join(made)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::write(self.root.join("out/file"), "x")?;
        while self.is_called_by_tcp() || self.is_called_by_unix() {}
        if self.bystander.try_wait()?.is_some() {
            self.bystander = start_bystander()?;
        }
        Ok(())
    }

    fn look(&mut self, attempt: &Attempt, reply: &Reply) -> Seen {
        if let Some(why) = not_run(reply) {
            return Seen::NotRun(why);
        }
        let said = |word: &str| reply.stdout.to_string().contains(word);
        let had_effect = match attempt.effect {
            Effect::Exists(name) => self.root.join(name).exists(),
            Effect::Gone(name) => !self.root.join(name).exists(),
            Effect::Said(word) => said(word),
            Effect::CalledTcp => self.is_called_by_tcp(),
            Effect::CalledUnix => self.is_called_by_unix(),
            Effect::EndedBystander => matches!(self.bystander.try_wait(), Ok(Some(_))),
            Effect::LeftRunning => self.is_left_running(),
        };
        if had_effect { Seen::Effect } else { Seen::Nothing }
    }

    fn is_called_by_tcp(&self) -> bool {
        self.port.as_ref().is_some_and(|port| port.accept().is_ok())
    }

    fn is_called_by_unix(&self) -> bool {
        self.socket.as_ref().is_some_and(|socket| socket.accept().is_ok())
    }

    /// Whether a process of this machine sleeps for as long as only ours do.
    fn is_left_running(&self) -> bool {
        let line = format!("sleep\0{}\0", self.mark);
        let is_it = |entry: fs::DirEntry| {
            fs::read(entry.path().join("cmdline")).is_ok_and(|read| read == line.as_bytes())
        };
        fs::read_dir("/proc").is_ok_and(|all| all.flatten().any(is_it))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It may have been ended by an attempt.
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

/// Why the script did not run, where it did not.
fn not_run(reply: &Reply) -> Option<String> {
    if reply.stdout.to_string().contains(BEGUN) {
        return None;
    }
    let reasons = reply.reasons.iter().map(|reason| reason.message.to_string());
    let told: Vec<String> = reasons.chain(reply.hints.iter().map(ToString::to_string)).collect();
    let ending = reply.ending.as_ref().map_or("running", |ending| ending.kind());
    Some(if told.is_empty() {
        format!("the script did not run ({ending}): {}", reply.stderr)
    } else {
        told.join("; ")
    })
}

/// A process outside of every sandbox, with a word in its environment. It ends with this one, which
/// holds its input.
fn start_bystander() -> io::Result<Child> {
    let mut cat = Command::new("cat");
    cat.env("DOCTOR", SECRET).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    cat.spawn()
}

/// A directory of our own. Not below /tmp where another place can be had: the sandbox shows
/// another /tmp, and what it hides there would show nothing.
fn make_directory() -> io::Result<PathBuf> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let name = format!("ricasso-doctor-{}-{}", std::process::id(), now.as_nanos());
    let make = |base: &Path| {
        let path = base.join(&name);
        DirBuilder::new().mode(0o700).create(&path).map(|()| path)
    };
    let second = std::env::temp_dir();
    match make(Path::new("/var/tmp")).or_else(|_| make(&second)) {
        Ok(path) => path.canonicalize(),
        Err(failed) => {
            let tried = format!("cannot make a directory in /var/tmp or {}", second.display());
            let message = format!("{tried}; set TMPDIR to a writable one: {failed}");
            Err(io::Error::new(failed.kind(), message))
        }
    }
}

/// A directory that goes with its value.
#[derive(Debug)]
struct Directory(PathBuf);

impl Directory {
    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What cannot be removed lies in a temporary directory, and there is no one to tell.
        let _ = fs::remove_dir_all(&self.0);
    }
}
