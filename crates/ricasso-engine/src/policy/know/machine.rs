//! Words that name processes, services and mounts of the machine.

use super::{Act, Does, Harm};
use crate::policy::word::Word;

pub(super) fn process(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let does = match word.known() {
        Some(b"1" | b"-1") => Does::Catastrophe(Harm::Process),
        Some(bytes) if bytes.starts_with(b"%") => return,
        Some(_) | None => Does::Signal,
    };
    acts.push(Act::with(does, word, at));
}

/// Names that every session lives by, and patterns that meet everything.
pub(super) fn process_pattern(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let does = match word.known() {
        Some(b"." | b".*" | b"" | b"^" | b"init" | b"systemd" | b"-1") => {
            Does::Catastrophe(Harm::Process)
        }
        Some(
            b"bash" | b"sh" | b"zsh" | b"sshd" | b"ssh" | b"tmux" | b"screen" | b"dbus-daemon"
            | b"Xorg" | b"gnome-shell" | b"containerd" | b"dockerd" | b"launchd",
        ) => Does::HardToTakeBack(Harm::Process),
        Some(_) | None => Does::Signal,
    };
    acts.push(Act::with(does, word, at));
}

/// Starting a service can be taken back, stopping one is felt by others.
pub(super) fn service_verb(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let felt = matches!(
        word.known(),
        Some(
            b"stop"
                | b"restart"
                | b"try-restart"
                | b"condrestart"
                | b"force-reload"
                | b"disable"
                | b"remove"
                | b"delete"
                | b"bootout"
                | b"unload"
                | b"kill"
        )
    );
    if felt {
        acts.push(Act::with(Does::HardToTakeBack(Harm::Service), word, at));
    }
}

pub(super) fn unmount(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let whole = matches!(word.known(), Some(b"/" | b"/usr" | b"/var" | b"/home" | b"/boot"));
    let harm = if whole { Does::Catastrophe } else { Does::HardToTakeBack };
    acts.push(Act::with(harm(Harm::Disk), word, at));
}
