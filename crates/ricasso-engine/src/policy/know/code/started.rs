//! Commands and addresses that code holds as plain texts.
//!
//! Names can be put together, renamed and looked up in many ways; the texts that are handed over
//! mostly stand there as they are. Where code names something that starts programs, such a text is
//! taken for what it says.

use super::token::{Token, find};
use crate::policy::know::{Act, Does, Harm, place};
use crate::policy::word::Word;

/// Words of code that start programs, or look up what does.
const STARTERS: &[&str] = &[
    "system",
    "popen",
    "exec",
    "execl",
    "execlp",
    "execle",
    "execv",
    "execvp",
    "execve",
    "execvpe",
    "spawn",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "spawnSync",
    "posix_spawn",
    "Popen",
    "run",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "execSync",
    "execFile",
    "execFileSync",
    "shell_exec",
    "passthru",
    "proc_open",
    "execute",
    "capture2",
    "capture2e",
    "capture3",
    "popen2",
    "popen3",
    "Command",
    "getattr",
    "__import__",
    "eval",
    "subprocess",
    "child_process",
];

/// Words of code that reach the network.
const REACHES: &[&str] = &[
    "HTTP",
    "http",
    "https",
    "urlopen",
    "urlretrieve",
    "requests",
    "httpx",
    "aiohttp",
    "urllib",
    "fetch",
    "LWP",
    "Socket",
    "WebSocket",
    "Faraday",
    "axios",
    "curl_init",
    "curl_exec",
];

/// Words that run what they are given as code of the same language.
const EVALUATES: &[&str] = &["exec", "eval", "Function", "instance_eval", "class_eval", "compile"];

/// Programs whose name at the start of a text makes it a command.
const COMMANDS: &[&[u8]] = &[
    b"rm",
    b"rmdir",
    b"dd",
    b"shred",
    b"mv",
    b"cp",
    b"chmod",
    b"chown",
    b"chgrp",
    b"truncate",
    b"tee",
    b"sh",
    b"bash",
    b"dash",
    b"zsh",
    b"ksh",
    b"sudo",
    b"doas",
    b"env",
    b"xargs",
    b"find",
    b"curl",
    b"wget",
    b"mkfs",
    b"wipefs",
    b"shutdown",
    b"reboot",
    b"poweroff",
    b"halt",
    b"kill",
    b"killall",
    b"pkill",
    b"git",
    b"docker",
    b"kubectl",
    b"cat",
    b"touch",
    b"eval",
];

/// Adds what tokens of a scripting language hand over as texts.
pub(super) fn of_tokens(tokens: &[Token], at: usize, acts: &mut Vec<Act>) {
    let bare = |names: &[&str]| {
        let mut before = None;
        tokens.iter().any(|token| {
            let dotted = before.replace(token) == Some(&Token::Dot);
            matches!(token, Token::Name(name) if !dotted && names.contains(&name.as_str()))
        })
    };
    let named = |names: &[&str]| {
        tokens.iter().any(|it| matches!(it, Token::Name(name) if names.contains(&name.as_str())))
    };
    if named(STARTERS) {
        for (number, token) in tokens.iter().enumerate() {
            if let Token::Text(text) = token {
                started(text, &tokens[number + 1..], at, acts);
            }
        }
    }
    let connects = |acts: &[Act]| acts.iter().any(|act| act.does == Does::Connect);
    if named(REACHES) && !connects(acts) {
        let texts = tokens.iter().filter_map(|token| match token {
            Token::Text(text) if is_address(text) => Some(Word::of(text.clone())),
            _ => None,
        });
        texts.for_each(|word| place::url(&word, at, acts));
    }
    if connects(acts) && bare(EVALUATES) {
        acts.push(Act { at, ..Act::of(Does::Catastrophe(Harm::ForeignCode)) });
    }
}

fn started(text: &[u8], behind: &[Token], at: usize, acts: &mut Vec<Act>) {
    if !is_command(text) {
        return;
    }
    let words = text.split(|byte| byte.is_ascii_whitespace()).filter(|it| !it.is_empty()).count();
    if words > 1 {
        add(Act::with(Does::RunText, &Word::of(text), at), acts);
        return;
    }
    let mut rest = vec![Word::of(text)];
    for token in behind {
        match token {
            Token::Text(more) if more == text && rest.len() == 1 => {}
            Token::Text(more) => rest.push(Word::of(more.clone())),
            Token::Sign(b',' | b'[' | b'(') => {}
            _ => break,
        }
    }
    if rest.len() > 1 {
        add(Act { rest, at, ..Act::of(Does::RunRest) }, acts);
    }
}

fn add(act: Act, acts: &mut Vec<Act>) {
    if !acts.contains(&act) {
        acts.push(act);
    }
}

/// Whether a text starts with the name of a program that matters.
pub(super) fn is_command(text: &[u8]) -> bool {
    let first = text.split(|byte| byte.is_ascii_whitespace()).find(|word| !word.is_empty());
    let name = first.unwrap_or_default().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    COMMANDS.contains(&name)
}

/// Whether a text is an address of the network.
pub(super) fn is_address(text: &[u8]) -> bool {
    [&b"http"[..], b"ftp", b"ws"].iter().any(|scheme| text.starts_with(scheme))
        && find(text, b"://").is_some()
}
