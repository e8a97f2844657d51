//! A Docker daemon of our own with one container, both gone when the value goes.

use super::debian::{Workshop, succeed};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The daemon answers within this time after its start, and ends within it.
const DAEMON_WAIT: Duration = Duration::from_secs(60);

const CONTAINER: &str = "ricasso-fresh";

/// The daemon. Its mounts are in a mount namespace that ends with it.
pub(super) struct Docker<'a> {
    workshop: &'a Workshop,
    daemon: Child,
}

impl<'a> Docker<'a> {
    /// Starts a daemon and in it a default container with the files of `root`.
    pub(super) fn start(workshop: &'a Workshop, root: &Path) -> io::Result<Docker<'a>> {
        let log = File::create(workshop.path("dockerd.log"))?;
        let mut daemon = workshop.command("unshare");
        daemon.args(["-m", "--propagation", "private", "dockerd", "--bridge=none"]);
        daemon.args(["--iptables=false", "--ip6tables=false", "--ip-masq=false"]);
        daemon.args(["--storage-driver=overlay2", "--oom-score-adjust", "0"]);
        daemon.arg("--data-root").arg(workshop.path("docker/data"));
        daemon.arg("--exec-root").arg(workshop.path("docker/exec"));
        daemon.arg("--pidfile").arg(workshop.path("docker.pid")).arg("--host").arg(host(workshop));
        daemon.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut docker = Docker { workshop, daemon: daemon.spawn()? };
        docker.wait_for_answer()?;
        docker.import(root)?;
        // No bridge is made, which would change the machine; the rest is Docker's default.
        let words = ["run", "-d", "--init", "--network=host", "--name", CONTAINER, CONTAINER];
        succeed(docker.client().args(words).args(["sleep", "infinity"]), "docker run")?;
        Ok(docker)
    }

    /// The client with `exec` and the name of the container still to be followed by a command.
    pub(super) fn exec(&self, options: &[String]) -> Command {
        let mut client = self.client();
        client.arg("exec").args(options).arg(CONTAINER);
        client
    }

    fn client(&self) -> Command {
        let mut client = self.workshop.command("docker");
        client.arg("--host").arg(host(self.workshop)).stdout(Stdio::null());
        client
    }

    fn wait_for_answer(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < DAEMON_WAIT && self.daemon.try_wait()?.is_none() {
            if self.client().arg("version").stderr(Stdio::null()).status()?.success() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        let log = std::fs::read_to_string(self.workshop.path("dockerd.log")).unwrap_or_default();
        let last = log.lines().next_back().unwrap_or_default();
        Err(io::Error::other(format!("dockerd does not answer: {last}")))
    }

    fn import(&self, root: &Path) -> io::Result<()> {
        let mut tar = Command::new("tar");
        let mut files = tar.arg("-C").arg(root).args(["-c", "."]).stdout(Stdio::piped()).spawn()?;
        let output = files.stdout.take().map_or_else(Stdio::null, Stdio::from);
        let status = self.client().args(["import", "-", CONTAINER]).stdin(output).status()?;
        if files.wait()?.success() && status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!("docker import: {status}")))
        }
    }
}

impl Drop for Docker<'_> {
    fn drop(&mut self) {
        // Each may fail where the start failed; what counts is that the daemon ends.
        let _ = self.client().args(["rm", "-f", CONTAINER]).stderr(Stdio::null()).status();
        let _ = Command::new("kill").arg(self.daemon.id().to_string()).status();
        let begun = Instant::now();
        while begun.elapsed() < DAEMON_WAIT && matches!(self.daemon.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn host(workshop: &Workshop) -> String {
    let socket: PathBuf = workshop.path("docker.sock");
    format!("unix://{}", socket.display())
}
