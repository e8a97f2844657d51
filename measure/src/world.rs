//! The world that all cases share, and what one case changes in it.

use ricasso_engine::request::{Bytes, Caller, Manner, OnFailure, Request, Stdin, Step};
use ricasso_engine::scene::Described;
use std::path::{Path, PathBuf};

/// The workspace and working directory of the cases.
pub(crate) const WORKSPACE: &str = "/home/user/project";
/// The home directory of the cases.
pub(crate) const HOME: &str = "/home/user";

/// A repository with a neighbour, and two links that lead to it.
pub(crate) fn common() -> Described {
    let inside = |name: &str| PathBuf::from(WORKSPACE).join(name);
    let system =
        "/bin /boot /dev /etc /home /lib /opt /proc /root /run /sbin /srv /sys /tmp /usr /var"
            .split(' ');
    let world = system.fold(Described::new(), Described::directory);
    world
        .set("HOME", HOME)
        .set("PWD", WORKSPACE)
        .directory(HOME)
        .directory(WORKSPACE)
        .directory(inside(".git"))
        .directory("/home/user/out")
        .file("/home/user/out/secret.txt")
        .link(inside("link"), "/home/user/out")
        .link(inside("linkfile"), "/home/user/out/secret.txt")
}

/// A request of the cases: one step, nothing else unusual.
pub(crate) fn request(step: Step, cwd: PathBuf, env: Vec<(Bytes, Bytes)>) -> Request {
    Request {
        steps: vec![step],
        on_failure: OnFailure::Stop,
        cwd,
        workspace: Some(WORKSPACE.into()),
        env,
        stdin: Stdin::Closed,
        timeout: None,
        caller: Caller { door: "library".into(), session: "measure".into(), client: None },
        manner: Manner::default(),
    }
}

/// A directory as a caller gives it: relative ones count from the workspace, `~` is the home.
pub(crate) fn cwd(given: Option<&str>) -> PathBuf {
    match given {
        None => WORKSPACE.into(),
        Some("~") => HOME.into(),
        Some(path) => match path.strip_prefix("~/") {
            Some(below) => Path::new(HOME).join(below),
            None => Path::new(WORKSPACE).join(path),
        },
    }
}
