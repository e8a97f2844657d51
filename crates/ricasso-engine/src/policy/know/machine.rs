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
        Some(b"." | b".*" | b"" | b"^" | b"/" | b"init" | b"systemd" | b"-1") => {
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

/// Everything that one user runs.
pub(super) fn process_owner(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let does = match word.known() {
        Some(b"root" | b"0") => Does::Catastrophe(Harm::Process),
        Some(_) | None => Does::HardToTakeBack(Harm::Process),
    };
    acts.push(Act::with(does, word, at));
}

/// A unit that is started: some of them are the end of all others.
pub(super) fn unit(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let ends = [
        &b"poweroff"[..],
        b"reboot",
        b"halt",
        b"kexec",
        b"shutdown",
        b"rescue",
        b"emergency",
        b"exit",
        b"soft-reboot",
    ];
    let name = word.known().unwrap_or_default();
    if name.strip_suffix(b".target").is_some_and(|name| ends.contains(&name)) {
        acts.push(Act::with(Does::Catastrophe(Harm::Power), word, at));
    }
}

/// Messages on a bus: the method is the last part of one of the words.
pub(super) fn bus(words: &[Word]) -> Vec<Act> {
    let methods = words.iter().skip(1).filter_map(Word::known).filter_map(|word| {
        word.rsplit(|byte| matches!(byte, b'.' | b'/')).next().map(<[u8]>::to_vec)
    });
    let methods: Vec<Vec<u8>> = methods.collect();
    let named = |list: &str| {
        let among = |method: &Vec<u8>| list.split(' ').any(|it| it.as_bytes() == method);
        methods.iter().any(among)
    };
    let power = "PowerOff Reboot Halt KExec SoftReboot RebootWithFlags PowerOffWithFlags \
                 HaltWithFlags logoutAndShutdown logoutAndReboot Shutdown Stop Restart";
    let sleep = "Suspend Hibernate HybridSleep SuspendThenHibernate";
    let services = "StartTransientUnit StopUnit RestartUnit KillUnit EnableUnitFiles \
                    DisableUnitFiles MaskUnitFiles TerminateSession TerminateUser KillUser Exit";
    let tells = "list status tree introspect get-property capabilities wait monitor Introspect \
                 Get GetAll ListNames ListActivatableNames GetNameOwner NameHasOwner Ping \
                 GetMachineId ListUnits ListSessions ListUsers ListSeats GetUnit";
    let calls = words.first().and_then(Word::known) == Some(b"dbus-send") || named("call");
    match (named(power), named(sleep), named(services)) {
        (true, _, _) => vec![Act::of(Does::Catastrophe(Harm::Power))],
        (_, true, _) => vec![Act::of(Does::HardToTakeBack(Harm::Power))],
        (_, _, true) => {
            vec![Act::of(Does::HardToTakeBack(Harm::Service)), Act::of(Does::Opaque)]
        }
        _ if named(tells) || !calls && words.len() < 3 => Vec::new(),
        _ if words.first().and_then(Word::known) == Some(b"dbus-monitor") => Vec::new(),
        _ => vec![Act::of(Does::Opaque)],
    }
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

/// A run level is one character; any other word makes `init` complain.
pub(super) fn run_level(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if word.known().is_none_or(|level| level.len() == 1) {
        acts.push(Act::with(Does::Catastrophe(Harm::Power), word, at));
    }
}

pub(super) fn unmount(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let whole = matches!(word.known(), Some(b"/" | b"/usr" | b"/var" | b"/home" | b"/boot"));
    let harm = if whole { Does::Catastrophe } else { Does::HardToTakeBack };
    acts.push(Act::with(harm(Harm::Disk), word, at));
}

/// `parted [OPTIONS] DEVICE COMMAND…`: `print` and `unit` only tell.
pub(super) fn parted(words: &[Word]) -> Vec<Act> {
    let told = |name: &[u8]| words.iter().any(|word| word.known() == Some(name));
    if told(b"-l") || told(b"--list") || told(b"--help") || told(b"--version") {
        return Vec::new();
    }
    let mut operands = words.iter().enumerate().skip(1);
    let mut operands = operands.by_ref().filter(|(_, word)| !word.head().starts_with(b"-"));
    let device = operands.next();
    let rest: Vec<&Word> = operands.map(|(_, word)| word).collect();
    let verbs = [&b"print"[..], b"p", b"unit", b"help", b"align-check"];
    let tells = rest.first().is_some_and(|word| word.known().is_some_and(|it| verbs.contains(&it)))
        && rest.iter().skip(1).all(|word| {
            let known = word.known().unwrap_or_default();
            verbs.contains(&known)
                || matches!(known, b"free" | b"all" | b"s" | b"B" | b"MiB" | b"GiB")
        });
    match (device, tells) {
        (Some((at, device)), true) => vec![Act::with(Does::Read, device, at)],
        (Some((at, device)), false) => {
            vec![Act::of(Does::Catastrophe(Harm::Disk)), Act::with(Does::Overwrite, device, at)]
        }
        (None, _) => vec![Act::of(Does::Opaque)],
    }
}
