//! Effects against rights: files, hidden and protected paths, the network.
//!
//! Only what is known is refused here, before anything runs; what is unknown is held by the cage,
//! or is the business of `unknown`.

use super::effect::{Effect, Kind, Target};
use super::know::{Does, Harm};
use super::scratch::Scratch;
use super::settled::Policy;
use super::value::{Changes, Mode, Reach, Words};
use super::verdict::ReasonLayer;
use super::word::Word;
use super::words::Meets;
use crate::scene::{Answer, Look, Query};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

/// Directories without which no program starts; they are always readable.
const NEEDED: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/snap",
    "/opt",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/ssl",
    "/etc/localtime",
];

/// Directories for files that do not stay.
pub(super) const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];

/// Directories that a remedy names.
const MOST_LISTED: usize = 4;

/// What one policy lets a command touch, as paths of this world.
pub(super) struct Rights<'a> {
    policy: &'a Policy,
    look: &'a dyn Look,
    write: Vec<PathBuf>,
    /// These, and the usual places for what does not stay.
    granted: Vec<PathBuf>,
    scratch: Scratch<'a>,
    read: Option<Vec<PathBuf>>,
    workspace: Option<&'a Path>,
    home: Option<&'a Path>,
    show: Vec<PathBuf>,
    protect: Vec<Protected>,
}

enum Protected {
    /// This path and what lies below it.
    At(PathBuf),
    /// These parts in a row, in every directory, in lower case.
    Everywhere(Vec<String>),
}

/// Why an effect is not inside the rights.
pub(super) struct Objection {
    pub(super) rule: &'static str,
    pub(super) layer: ReasonLayer,
    pub(super) message: String,
    pub(super) remedy: String,
}

impl<'a> Rights<'a> {
    pub(super) fn new(
        policy: &'a Policy,
        look: &'a dyn Look,
        workspace: Option<&'a Path>,
        home: Option<&'a Path>,
    ) -> Self {
        let files = policy.files();
        let place = |text: &str| place(text, workspace, home);
        let everything = files.read.iter().any(|root| root.as_str() == "/");
        let write: Vec<PathBuf> =
            files.write.iter().filter_map(|root| place(root.as_str())).collect();
        let scratch = Scratch::new(policy, look, everything);
        let read = (!everything).then(|| {
            let roots = files.read.iter().filter_map(|root| place(root.as_str()));
            roots.chain(write.iter().cloned()).collect()
        });
        // What stands for nothing here, since there is no home, protects nothing.
        let protect = files.protect.iter().filter_map(|path| {
            let text = path.as_str().trim_end_matches('/');
            if text.starts_with(['/', '~', '$']) {
                return place(text).map(Protected::At);
            }
            let parts = text.split('/').filter(|part| !part.is_empty() && *part != ".");
            Some(Protected::Everywhere(parts.map(str::to_lowercase).collect()))
        });
        Self {
            policy,
            look,
            granted: write.iter().cloned().chain(scratch.usual()).collect(),
            write,
            scratch,
            read,
            workspace,
            home,
            show: files.show.iter().filter_map(|path| place(path.as_str())).collect(),
            protect: protect.collect(),
        }
    }

    /// Directories besides the workspace that a person chose to be written to. Everything at once
    /// is no choice.
    pub(super) fn granted(&self) -> &[PathBuf] {
        let everything = self.write.iter().any(|root| root == Path::new("/"));
        if everything { &[] } else { &self.granted }
    }

    /// What the rights say against an effect on this machine.
    pub(super) fn object(&self, effect: &Effect) -> Option<Objection> {
        match effect.kind() {
            Kind::Read => self.object_to_read(effect),
            Kind::Write | Kind::Delete | Kind::Permission => self.object_to_change(effect),
            Kind::Network => self.object_to_net(effect),
            Kind::Opaque if effect.does == Does::ObeyFile => self.object_to_read(effect),
            Kind::Run | Kind::Signal | Kind::Unknown | Kind::Opaque => None,
            Kind::Environment => None,
            Kind::Other => self.object_to_machine(effect),
        }
    }

    /// What the rights say against a program that works in one of these directories: relative
    /// paths, and what it reads without being told, would lie outside.
    pub(super) fn object_to_work_in(&self, directories: &[PathBuf]) -> Option<Objection> {
        let (first, rest) = directories.split_first()?;
        if let Some(hidden) = self.hidden(first)
            && rest.iter().all(|path| self.hidden(path).is_some())
        {
            let message = format!("{} is hidden: {} cannot be read", shown(first), shown(&hidden));
            let remedy = "work elsewhere; a person may add it to files.show";
            return Some(objection("files.hide", message, remedy));
        }
        let roots = self.read.as_ref()?;
        let outside = |path: &PathBuf| !self.readable(roots, path);
        (outside(first) && rest.iter().all(outside)).then(|| {
            let message = format!("works in {}, outside what may be read", shown(first));
            let inside = list(roots, self.read_scratch());
            let remedy = format!("work inside {inside}; a person may add it to files.read");
            objection("files.read", message, remedy)
        })
    }

    /// What the rights say against the directory that a request starts in.
    pub(super) fn object_to_start(&self, cwd: &Path) -> Option<Objection> {
        if let Some(hidden) = self.hidden(cwd) {
            let message = format!("the request starts in {}, which is hidden", shown(&hidden));
            let remedy = "start in the workspace; a person may add the directory to files.show";
            return Some(objection("files.hide", message, remedy));
        }
        let roots = self.read.as_ref()?;
        (!self.readable(roots, cwd)).then(|| {
            let message = format!("the request starts in {}, outside files.read", cwd.display());
            let remedy = "start in the workspace; a person may add the directory to files.read";
            objection("files.read", message, remedy)
        })
    }

    fn object_to_read(&self, effect: &Effect) -> Option<Objection> {
        let path = match &effect.target {
            Target::Path(path) | Target::Below { base: path, .. } => path,
            Target::Word | Target::Free | Target::Unknown => return None,
        };
        if let Some(hidden) = self.hidden(path) {
            let message = format!("{} is hidden: {} cannot be read", shown(path), shown(&hidden));
            let remedy = "leave it out; a person may add it to files.show";
            return Some(objection("files.hide", message, remedy));
        }
        let roots = self.read.as_ref()?;
        let made =
            self.policy.mode() == Mode::Workspace && self.scratch.is_made_by_mktemp(effect, path);
        if !made && !self.readable(roots, path) {
            let message = format!("{} lies outside what may be read", shown(path));
            let inside = list(roots, self.read_scratch());
            let remedy = format!("read inside {inside}; a person may add it to files.read");
            return Some(objection("files.read", message, remedy));
        }
        if effect.does == Does::ReadThroughLinks
            && let Answer::Tree(tree) = self.look.look(&Query::Tree(path.clone()))
            && let Some(outside) = tree.outside.iter().find(|link| !self.readable(roots, link))
        {
            let message = format!(
                "a link below {} leads to {}, outside what may be read",
                shown(path),
                shown(outside)
            );
            let remedy = "use the form that does not follow links, such as grep -r for grep -R";
            return Some(objection("files.read", message, remedy));
        }
        None
    }

    fn object_to_change(&self, effect: &Effect) -> Option<Objection> {
        if self.policy.mode() == Mode::Open {
            return self.object_to_change_in_open(effect);
        }
        let left_to_the_cage = match self.policy.files().changes {
            Changes::Judged => false,
            Changes::Named => effect.does == Does::Create && effect.word.is_none(),
            Changes::Caged => true,
        };
        if left_to_the_cage && self.policy.is_caged() {
            return None;
        }
        let path = match &effect.target {
            Target::Path(path) | Target::Below { base: path, .. } => path,
            Target::Unknown if self.policy.mode() == Mode::Read && effect.sure == Meets::Yes => {
                let message = "the command changes a file, and nothing may be written".to_string();
                let remedy = "leave the output on standard output";
                return Some(objection("files.write", message, remedy));
            }
            Target::Word | Target::Free | Target::Unknown => return None,
        };
        if let Some(objection) = self.hidden_or_protected(effect) {
            return Some(objection);
        }
        if effect.sure != Meets::Yes || self.writable(effect, path) {
            return None;
        }
        let message = format!("{} lies outside what may be written", shown(path));
        let remedy = match self.policy.mode() {
            Mode::Read => {
                "nothing that stays may be written; a person may choose mode workspace".to_string()
            }
            Mode::Workspace | Mode::Open => {
                let inside = list(&self.write, self.scratch.names());
                format!("write inside {inside}; a person may add it to files.write")
            }
        };
        Some(objection("files.write", message, remedy))
    }

    /// A workspace that lies in the place for what does not stay is none of that.
    fn writable(&self, effect: &Effect, path: &Path) -> bool {
        let stays = self.policy.mode() == Mode::Read
            && self.workspace.is_some_and(|workspace| path.starts_with(workspace));
        !stays
            && (self.write.iter().any(|root| path.starts_with(root))
                || self.scratch.is_made_by_mktemp(effect, path)
                || self.scratch.holds(path))
    }

    fn readable(&self, roots: &[PathBuf], path: &Path) -> bool {
        roots.iter().any(|root| path.starts_with(root))
            || is_needed(path)
            || self.reads_scratch() && self.scratch.holds(path)
    }

    /// Where every path that a text names must lie in the roots, so must one that it means.
    fn reads_scratch(&self) -> bool {
        self.policy.files().words != Words::All
    }

    /// The places for what does not stay, where these may be read.
    fn read_scratch(&self) -> Vec<String> {
        if self.reads_scratch() { self.scratch.names() } else { Vec::new() }
    }

    /// Mode `open` has no cage, but what is hidden stays so.
    fn object_to_change_in_open(&self, effect: &Effect) -> Option<Objection> {
        match effect.kind() {
            Kind::Permission => None,
            _ => self.hidden_or_protected(effect).filter(|it| it.rule == "files.hide"),
        }
    }

    fn hidden_or_protected(&self, effect: &Effect) -> Option<Objection> {
        let path = match &effect.target {
            Target::Path(path) | Target::Below { base: path, .. } => path,
            Target::Word | Target::Free | Target::Unknown => return None,
        };
        if let Some(hidden) = self.hidden(path) {
            let message =
                format!("{} is hidden: {} cannot be changed", shown(path), shown(&hidden));
            return Some(objection("files.hide", message, "leave it out"));
        }
        let repository = matches!(
            effect.does,
            Does::ChangeRepository | Does::ChangeWorkTree | Does::ChangeSettings
        );
        if !repository && self.protected(path) {
            let message = format!("{} is protected: other programs obey it later", shown(path));
            let remedy = match path.ends_with(".git/config") {
                true => {
                    "give the setting to the one command that needs it, as in git -c user.name=… \
                     commit; or let a person change the file"
                }
                false => "leave it as it is, or let a person change it",
            };
            return Some(objection("files.protect", message, remedy));
        }
        None
    }

    fn hidden(&self, path: &Path) -> Option<PathBuf> {
        let hidden = self.policy.hidden().over(path, self.workspace, self.home)?;
        let shown = self.show.iter().any(|shown| path.starts_with(shown));
        (!shown).then_some(hidden)
    }

    fn protected(&self, path: &Path) -> bool {
        let mut parts: Option<Vec<String>> = None;
        self.protect.iter().any(|protected| match protected {
            Protected::At(root) => path.starts_with(root),
            Protected::Everywhere(wanted) => {
                let parts = parts.get_or_insert_with(|| {
                    let lower = |part: std::path::Component<'_>| {
                        part.as_os_str().to_string_lossy().to_lowercase()
                    };
                    path.components().map(lower).collect()
                });
                parts.windows(wanted.len()).any(|window| window == wanted.as_slice())
            }
        })
    }

    /// Services, users and the like lie outside every workspace.
    fn object_to_machine(&self, effect: &Effect) -> Option<Objection> {
        let harm = match effect.does {
            Does::Catastrophe(harm) | Does::HardToTakeBack(harm) => harm,
            _ => return None,
        };
        let machine = matches!(
            harm,
            Harm::Service
                | Harm::Kernel
                | Harm::User
                | Harm::Protection
                | Harm::Disk
                | Harm::Package
        );
        if !machine || self.policy.mode() == Mode::Open || effect.sure != Meets::Yes {
            return None;
        }
        let message = "changes the machine, which lies outside what may be written".to_string();
        let remedy = "leave the machine as it is, or let a person change it";
        Some(objection("files.write", message, remedy))
    }

    fn object_to_net(&self, effect: &Effect) -> Option<Objection> {
        if self.policy.mode() == Mode::Open || effect.sure != Meets::Yes {
            return None;
        }
        let host = effect.word.as_ref();
        let name = host.map_or_else(|| "a host".to_string(), |word| word.shown().into_owned());
        match self.policy.net().allow {
            Reach::Open => None,
            Reach::None => {
                let message = format!("connects to {name}, and there is no network");
                let remedy = "work without the network; a person may set net.allow";
                Some(net(message, remedy))
            }
            Reach::Loopback => {
                let known = host.is_some_and(|word| !word.head().is_empty());
                if effect.does == Does::Listen || !known || host.is_some_and(is_loopback) {
                    return None;
                }
                let message = format!("connects to {name}, beyond the session's own loopback");
                let remedy = "use localhost; a person may set net.allow = \"open\"";
                Some(net(message, remedy))
            }
        }
    }
}

fn objection(rule: &'static str, message: String, remedy: impl Into<String>) -> Objection {
    Objection { rule, layer: ReasonLayer::Paths, message, remedy: remedy.into() }
}

fn net(message: String, remedy: &str) -> Objection {
    Objection { rule: "net.allow", layer: ReasonLayer::Policy, message, remedy: remedy.into() }
}

fn is_needed(path: &Path) -> bool {
    NEEDED.iter().any(|root| path.starts_with(root))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Roots and the places for what does not stay, as a remedy names them.
fn list(roots: &[PathBuf], scratch: Vec<String>) -> String {
    let names = roots.iter().map(|root| shown(root)).chain(scratch);
    names.take(MOST_LISTED).collect::<Vec<_>>().join(", ")
}

/// Where a path of the policy lies.
fn place(text: &str, workspace: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
    let text = if text.len() > 1 { text.trim_end_matches('/') } else { text };
    if text == "." {
        return workspace.map(Path::to_path_buf);
    }
    if text == "~" {
        return home.map(Path::to_path_buf);
    }
    if let Some(rest) = text.strip_prefix("~/") {
        return home.map(|home| home.join(rest));
    }
    if text.starts_with('/') {
        return Some(PathBuf::from(text));
    }
    if text.starts_with('$') {
        return None;
    }
    workspace.map(|root| root.join(text.trim_start_matches("./")))
}

/// Whether an address names this machine.
pub(super) fn is_loopback(word: &Word) -> bool {
    let Some(text) = word.known() else {
        let head = word.head();
        return host_of(head)
            .is_some_and(|host| head.len() > host.len() && is_loopback_name(host) && head != host);
    };
    host_of(text).is_some_and(is_loopback_name)
}

/// Names that every machine has for itself; a dot behind a name only says that it is whole.
fn is_loopback_name(host: &[u8]) -> bool {
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = inner.parse::<IpAddr>() {
        let address = address.to_canonical();
        return address.is_loopback() || address == IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    }
    matches!(host, "localhost" | "localhost6" | "ip6-localhost" | "ip6-loopback")
        || host.ends_with(".localhost")
        || host.starts_with("127.") && host.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// The host of `scheme://user@host:port/path`, `host:port` or `host`.
pub(super) fn host_of(text: &[u8]) -> Option<&[u8]> {
    let at = text.windows(3).position(|window| window == b"://");
    let rest = at.map_or(text, |at| &text[at + 3..]);
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let host = authority.rsplit(|byte| *byte == b'@').next().unwrap_or(authority);
    if host.starts_with(b"[") {
        let end = host.iter().position(|byte| *byte == b']')?;
        return Some(&host[..=end]);
    }
    // Without brackets no port can stand behind an address with colons in it.
    if std::str::from_utf8(host).is_ok_and(|host| host.parse::<Ipv6Addr>().is_ok()) {
        return Some(host);
    }
    Some(host.split(|byte| *byte == b':').next().unwrap_or(host)).filter(|host| !host.is_empty())
}
