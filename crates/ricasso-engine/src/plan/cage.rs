//! The walls that a policy asks for: the part of a plan that does not depend on the command.

use super::{Passed, files, start};
use crate::policy::{Denials, Held, Mode, Policy, Reach, Tmp};
use crate::request::{Bytes, Request};
use ricasso_os::{Host, Namespaces, Net, Walls};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What programs need to start or to know the time, and what tells no secret: whoever hides the
/// directory above means the rest of it.
const NEEDED: [&str; 9] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
];

/// What must be held by the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cage {
    /// How much of a cage there is.
    pub mode: Mode,
    /// How far the network reaches.
    pub net: Reach,
    /// Whether only listed programs may start.
    pub listed_programs: bool,
    /// Everything below them may be written.
    pub write: Vec<PathBuf>,
    /// Everything below them may be read.
    pub read: Vec<PathBuf>,
    /// What is hidden.
    pub hide: Vec<PathBuf>,
    /// What is shown nevertheless.
    pub show: Vec<PathBuf>,
    /// The workspace, which stays where it is.
    pub seen: Vec<PathBuf>,
    /// What is never written.
    pub protect: Vec<PathBuf>,
    /// Sockets of listeners outside that may be reached.
    pub sockets: Vec<PathBuf>,
    /// The only programs that may start, where there is a list.
    pub programs: Vec<String>,
    /// Whether denied writes are told.
    pub denials: bool,
    /// Whose /tmp the command sees.
    pub tmp: Tmp,
    /// The session's own temporary directory, where there is one.
    pub session_tmp: Option<PathBuf>,
}

/// What a cage is drawn from, beside policy and request.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The machine.
    pub host: &'a Host,
    /// The environment that the policy's `env.pass` picks from.
    pub environment: &'a [(Bytes, Bytes)],
    /// What it picked, by the same policy.
    pub passed: &'a Passed,
    /// Our own state, which no command sees.
    pub state: &'a Path,
    /// The temporary directory of the session; there is one whenever there is a cage.
    pub session_tmp: Option<&'a Path>,
    /// The directory of the session's scripts, where the request has some.
    pub scripts: Option<&'a Path>,
}

impl Cage {
    /// The cage of a policy. Mode `open` lifts files, programs and net.
    pub(super) fn of(policy: &Policy, request: &Request, ground: &Ground<'_>) -> Cage {
        let mode = policy.mode();
        let mut cage = Cage {
            mode,
            net: Reach::Open,
            listed_programs: false,
            write: Vec::new(),
            read: Vec::new(),
            hide: Vec::new(),
            show: Vec::new(),
            seen: Vec::new(),
            protect: Vec::new(),
            sockets: Vec::new(),
            programs: Vec::new(),
            denials: match policy.denials() {
                Denials::Off => false,
                Denials::Writes | Denials::All => true,
            },
            tmp: policy.tmp(),
            session_tmp: ground.session_tmp.map(Path::to_path_buf),
        };
        match mode {
            Mode::Open => return cage,
            Mode::Read | Mode::Workspace => {}
        }
        let variable = |name: &str| variable(ground.environment, name);
        let places = files::Places { variable: &variable, workspace: request.workspace.as_deref() };
        cage.net = policy.net().allow;
        cage.sockets = places.all(&policy.net().sockets);
        let held = policy.programs().held == Held::Kernel;
        if let Some(list) = policy.programs().allow.list().filter(|_| held) {
            cage.listed_programs = true;
            cage.programs = list.iter().map(|glob| glob.as_str().to_string()).collect();
            if !list.is_empty() {
                let denied = policy.programs().deny.iter();
                cage.programs.extend(denied.map(|glob| format!("!{}", glob.as_str())));
                // What reads the text must start, or nothing of the list ever would.
                cage.programs.extend(start::shells(request, policy, ground.host));
            }
        }
        cage.write = places.all(&policy.files().write);
        cage.read = places.all(&policy.files().read);
        cage.hide = places.all_hidden(&policy.files().hide, ground.host.home.as_deref());
        cage.hide.push(files::tidy(ground.state.to_path_buf()));
        cage.seen = request.workspace.iter().cloned().collect();
        cage.show = places.all(&policy.files().show);
        // Beside the session's own directory, so that no other command of it can write to them.
        cage.show.extend(ground.scripts.map(|path| files::tidy(path.to_path_buf())));
        cage.hide.retain(|path| !cage.show.iter().any(|it| it.as_os_str() == path.as_os_str()));
        let above = |needed: &&PathBuf| {
            cage.hide.iter().any(|hidden| files::holds(hidden, needed) && needed != &hidden)
        };
        let needed: Vec<PathBuf> = NEEDED.iter().map(PathBuf::from).collect();
        cage.show.extend(needed.iter().filter(above).cloned());
        cage.protect = places.anywhere(&policy.files().protect);
        cage
    }

    /// What is hidden inside a writable root.
    pub(super) fn holes(&self) -> impl Iterator<Item = &PathBuf> {
        let is_inside = |path: &&PathBuf| self.write.iter().any(|root| files::holds(root, path));
        self.hide.iter().filter(is_inside)
    }

    /// The session's own temporary directory, where the command fills that.
    pub fn filled_tmp(&self) -> Option<&Path> {
        match self.tmp {
            Tmp::Session | Tmp::Private | Tmp::Layered if self.confines_files() => {
                self.session_tmp.as_deref()
            }
            Tmp::Session | Tmp::Private | Tmp::Layered | Tmp::Host => None,
        }
    }

    /// Whether files are confined at all.
    pub(super) fn confines_files(&self) -> bool {
        match self.mode {
            Mode::Open => false,
            Mode::Read | Mode::Workspace => true,
        }
    }

    /// The cage as the machine builds it; none in mode open.
    pub(super) fn built(&self, host: &Host, missing: &[&str]) -> Option<ricasso_os::Cage> {
        if !self.confines_files() {
            return None;
        }
        let held = |part: &str| !missing.contains(&part);
        let powers = host.powers;
        let spaces = match powers.namespaces {
            Namespaces::None => false,
            Namespaces::User | Namespaces::Root => true,
        };
        let net = match self.net {
            _ if !held("net") => Net::Open,
            Reach::None => Net::None,
            // Without a network of its own the loopback would be the machine's.
            Reach::Loopback if spaces && powers.netns => Net::Loopback,
            Reach::Loopback => Net::None,
            Reach::Open => Net::Open,
        };
        Some(ricasso_os::Cage {
            walls: Walls {
                landlock: powers.landlock,
                namespaces: powers.namespaces,
                netns: spaces && powers.netns && net != Net::Open,
                files: held("files"),
                calls: powers.seccomp,
                gate: powers.seccomp
                    && powers.notify
                    && held("files")
                    && (!self.protect.is_empty() || self.denials)
                    && (!self.write.is_empty() || self.denials),
            },
            write: self.write.clone(),
            read: self.read.clone(),
            hide: self.hide.clone(),
            show: self.show.clone(),
            seen: self.seen.clone(),
            protect: self.protect.clone(),
            tmp: match (self.tmp, &self.session_tmp) {
                (Tmp::Host, _) => ricasso_os::Tmp::Host,
                // Without mounts a directory of ours is the only private one.
                (Tmp::Private, _) if spaces => ricasso_os::Tmp::Private,
                (Tmp::Layered, Some(path)) => ricasso_os::Tmp::Layered(path.clone()),
                (Tmp::Private | Tmp::Session, Some(path)) => ricasso_os::Tmp::Session(path.clone()),
                (Tmp::Private | Tmp::Session | Tmp::Layered, None) => ricasso_os::Tmp::Private,
            },
            net,
            sockets: self.sockets.clone(),
            programs: (self.listed_programs && held("programs")).then(|| self.programs.clone()),
        })
    }
}

/// Where commands under this policy write, and the workspace, where they may have under another.
pub fn roots(
    policy: &Policy,
    workspace: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Vec<PathBuf> {
    let written = files::Places { variable, workspace }.all(&policy.files().write);
    written.into_iter().chain(workspace.map(Path::to_path_buf)).collect()
}

/// What a policy hides.
pub fn hidden(
    policy: &Policy,
    workspace: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Vec<PathBuf> {
    files::Places { variable, workspace }.all_hidden(&policy.files().hide, None)
}

/// A variable of the environment that ricasso was started with.
pub fn variable(environment: &[(Bytes, Bytes)], name: &str) -> Option<Vec<u8>> {
    let found = environment.iter().find(|(known, _)| known.as_slice() == name.as_bytes());
    found.map(|(_, value)| value.as_slice().to_vec())
}
