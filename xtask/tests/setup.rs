//! What `tools/setup.sh` asks apt for, on a machine whose programs are stand-ins.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A path with nothing on it but what the script needs itself, and the programs named.
struct Machine(PathBuf);

impl Machine {
    fn with(name: &str, programs: &[&str], uid: &str) -> Machine {
        let place =
            std::env::temp_dir().join(format!("ricasso-setup-{name}-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        symlink("/usr/bin/env", place.join("env")).unwrap();
        let machine = Machine(place);
        machine.put("id", &format!("echo {uid}"));
        machine.put("apt-get", &format!("echo \"$@\" >> {}", machine.asked().display()));
        machine.put("cargo", "exit 0");
        programs.iter().for_each(|program| machine.put(program, "exit 0"));
        machine
    }

    fn put(&self, program: &str, text: &str) {
        let path = self.0.join(program);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn asked(&self) -> PathBuf {
        self.0.join("asked")
    }

    fn set_up(&self, words: &[&str]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/setup.sh");
        let mut shell = Command::new("/bin/sh");
        shell.arg(script).args(words).env_clear().env("PATH", &self.0).output().unwrap()
    }

    /// The packages that apt was asked to install.
    fn packages(&self) -> Vec<String> {
        let asked = fs::read_to_string(self.asked()).unwrap_or_default();
        let words = asked.lines().filter_map(|line| line.split_once(" install ")).map(|(_, w)| w);
        let words = words.flat_map(str::split_whitespace).filter(|word| !word.starts_with('-'));
        words.map(str::to_owned).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn set_up_installs_two_packages_for_the_program_and_three_more_for_the_tests() {
    let machine = Machine::with("program", &[], "0");
    assert!(machine.set_up(&[]).status.success());
    assert_eq!(machine.packages(), ["gcc", "libc6-dev"]);
    let machine = Machine::with("tests", &[], "0");
    assert!(machine.set_up(&["tests"]).status.success());
    assert_eq!(machine.packages(), ["gcc", "libc6-dev", "bash", "git", "python3"]);
}

#[test]
fn set_up_that_finds_everything_is_silent_and_asks_nobody() {
    let programs = ["cc", "bash", "git", "python3"];
    for words in [&[][..], &["tests"]] {
        let machine = Machine::with("whole", &programs, "1000");
        let output = machine.set_up(words);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(fs::read_to_string(machine.asked()).unwrap_or_default(), "");
    }
}

#[test]
fn set_up_of_a_user_without_sudo_says_what_to_install() {
    let machine = Machine::with("user", &["cc", "git"], "1000");
    let output = machine.set_up(&["tests"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no sudo") && said.contains("(Debian: bash python3)"), "{said}");
    assert_eq!(machine.set_up(&["everything"]).status.code(), Some(2));
}
