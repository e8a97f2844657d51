//! What stays of a session's shell between two runs: directory, exported variables, functions.
//!
//! It was written by a shell that ran somebody's text, so nothing of it is trusted: variables that
//! load code are dropped, and the rest is judged with the next request.

use super::Engine;
use crate::error::Error;
use crate::policy::{Carry, Mode, carry};
use crate::request::{Bytes, Request, ShellState, Step};
use crate::run::StateDir;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The state of a shell is taken up to this size; a larger one would not fit the next command.
const MOST_BYTES: u64 = 512 * 1024;
/// Variables that one run hands to the next.
const MOST_VARIABLES: usize = 256;
/// Variables that every shell sets for itself.
const OWN: &[&[u8]] = &[b"PWD", b"OLDPWD", b"SHLVL", b"_"];

/// What one run leaves for the next.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    cwd: Bytes,
    variables: Vec<(Bytes, Bytes)>,
    unset: Vec<Bytes>,
    functions: Bytes,
}

/// Which directory a resumed request runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directory {
    /// Where the session's shell is.
    Kept,
    /// Where the request says.
    Asked,
}

impl Engine {
    /// Puts the state of the session's shell into a request, and has the next state kept. Only
    /// for one text.
    pub fn resume(&self, mut request: Request, directory: Directory) -> Result<Request, Error> {
        let [Step::Shell(text)] = request.steps.as_slice() else {
            return Err(Error::KeepsNoState);
        };
        let mode = self.hall.policy.mode();
        let kept = read(self.state(), &request.caller.session, mode)?.unwrap_or_default();
        let mut state = ShellState::default();
        let cwd = PathBuf::from(std::ffi::OsString::from_vec(kept.cwd.as_slice().to_vec()));
        match directory {
            Directory::Kept if cwd.is_dir() => request.cwd = cwd,
            Directory::Kept if cwd.as_os_str().is_empty() => {}
            Directory::Kept => state.told.push(format!(
                "the session's directory {} is gone; the run began in {}",
                cwd.display(),
                request.cwd.display()
            )),
            Directory::Asked => {}
        }
        let mut prefix = kept.prefix();
        for (name, value) in kept.variables {
            let set = request.env.iter().any(|(known, _)| *known == name);
            match carry(name.as_slice()) {
                Carry::Beside if !set => request.env.push((name, value)),
                Carry::Beside | Carry::InText | Carry::Never => {}
            }
        }
        state.prefix_bytes = prefix.len();
        prefix.extend_from_slice(text.as_slice());
        request.steps = vec![Step::Shell(prefix.into())];
        request.manner.state = Some(state);
        Ok(request)
    }
}

impl Kept {
    /// What is text in front of the next command.
    fn prefix(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (name, value) in &self.variables {
            match carry(name.as_slice()) {
                Carry::InText => {
                    text.extend_from_slice(b"export ");
                    text.extend_from_slice(name.as_slice());
                    text.push(b'=');
                    quote(value.as_slice(), &mut text);
                    text.push(b'\n');
                }
                Carry::Beside | Carry::Never => {}
            }
        }
        for name in &self.unset {
            text.extend_from_slice(b"unset ");
            text.extend_from_slice(name.as_slice());
            text.push(b'\n');
        }
        text.extend_from_slice(self.functions.as_slice());
        text
    }

    /// Parses what the shell wrote; `usual` is the environment that a run without state has. Tells
    /// what was not taken.
    fn parse(bytes: &[u8], usual: &[Vec<u8>]) -> Result<(Kept, Vec<String>), &'static str> {
        let start =
            memchr::memmem::rfind(bytes, b"ricasso\0").ok_or("the shell did not write it")?;
        let mut words = bytes[start..].split(|byte| *byte == 0).skip(1);
        let cut = "the shell was cut off while it wrote it";
        let cwd = words.next().ok_or(cut)?;
        let mut kept = Kept { cwd: cwd.to_vec().into(), ..Kept::default() };
        let mut told = Vec::new();
        let mut seen: Vec<&[u8]> = Vec::new();
        loop {
            let word = words.next().ok_or(cut)?;
            if word.is_empty() {
                break;
            }
            let Some(at) = word.iter().position(|byte| *byte == b'=') else {
                seen.push(word);
                let name = String::from_utf8_lossy(word).into_owned();
                told.push(format!(
                    "{name} is not kept: it is an array, and those are not exported"
                ));
                continue;
            };
            let (name, value) = (&word[..at], &word[at + 1..]);
            seen.push(name);
            let same = usual.iter().any(|entry| entry == word);
            if same || OWN.contains(&name) || !is_name(name) {
                continue;
            }
            if carry(name) == Carry::Never {
                let name = String::from_utf8_lossy(name).into_owned();
                told.push(format!("{name} is not kept: it makes programs load or run code"));
            } else if kept.variables.len() < MOST_VARIABLES {
                kept.variables.push((name.to_vec().into(), value.to_vec().into()));
            } else {
                return Err("there are too many variables");
            }
        }
        let functions = words.next().ok_or(cut)?;
        if words.next() != Some(b"end") {
            return Err(cut);
        }
        let names = usual.iter().filter_map(|entry| entry.split(|byte| *byte == b'=').next());
        let gone = names.filter(|name| is_name(name) && !seen.contains(name));
        kept.unset =
            gone.filter(|name| !OWN.contains(name)).map(|name| name.to_vec().into()).collect();
        let script = ricasso_shell::read(functions, ricasso_shell::Shell::Bash);
        if script.unreadable().is_some() {
            told.push("the functions are not kept: their text could not be judged".into());
        } else {
            kept.functions = functions.to_vec().into();
        }
        Ok((kept, told))
    }
}

/// Takes in what a shell left, for the next run of its session. Tells what the reader of the reply
/// should know: above all that there is nothing.
pub(super) fn take(
    mut file: File,
    state: &StateDir,
    (session, mode): (&str, Mode),
    began: &[Vec<u8>],
) -> Vec<String> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    let parsed = match read {
        Ok(length) if length as u64 > MOST_BYTES => Err("it is larger than 512 KiB"),
        Ok(_) => Kept::parse(&bytes, &usual(state, (session, mode), began)),
        Err(_) => Err("it could not be read back"),
    };
    let (kept, told) = match parsed {
        Ok(parsed) => parsed,
        Err(why) => return vec![not_kept(why)],
    };
    let json = match serde_json::to_vec(&kept) {
        Ok(json) => json,
        Err(_) => return vec![not_kept("it does not become JSON")],
    };
    match state.write_session(session, paper(mode), &json) {
        Ok(()) => told,
        Err(error) => vec![not_kept(&Error::Run(error).in_full())],
    }
}

/// The environment of a run without what its session kept.
fn usual(state: &StateDir, (session, mode): (&str, Mode), began: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let kept = read(state, session, mode).ok().flatten().unwrap_or_default();
    let is_kept = |entry: &&Vec<u8>| {
        let name = entry.split(|byte| *byte == b'=').next().unwrap_or_default();
        kept.variables.iter().any(|(known, _)| known.as_slice() == name)
            && carry(name) == Carry::Beside
    };
    began.iter().filter(|entry| !is_kept(entry)).cloned().collect()
}

fn not_kept(why: &str) -> String {
    format!("the state of the shell was not captured: {why}; the session's state stays as it was")
}

/// Each mode has a state of its own: what a caged shell left must not act outside its cage.
fn paper(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "state-open",
        Mode::Read => "state-read",
        Mode::Workspace => "state-workspace",
    }
}

fn read(state: &StateDir, session: &str, mode: Mode) -> Result<Option<Kept>, Error> {
    let Some(bytes) = state.read_session(session, paper(mode)).map_err(Error::Run)? else {
        return Ok(None);
    };
    let kept = serde_json::from_slice(&bytes);
    kept.map(Some).map_err(|source| Error::Json { what: "kept state of the session", source })
}

fn is_name(name: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    !name.is_empty() && name.iter().all(good) && !name[0].is_ascii_digit()
}

/// In single quotes, so that a shell takes it as it is.
fn quote(value: &[u8], text: &mut Vec<u8>) {
    text.push(b'\'');
    for byte in value {
        match byte {
            b'\'' => text.extend_from_slice(b"'\\''"),
            other => text.push(*other),
        }
    }
    text.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_wrote_is_taken_and_what_is_cut_is_told() {
        let began = vec![b"PATH=/bin".to_vec(), b"GONE=1".to_vec(), b"LANG=C".to_vec()];
        let text = b"noise\0ricasso\0/tmp\0PATH=/v:/bin\0LANG=C\0A=it's\0LD_PRELOAD=x\0LIST\0SHLVL=2\0\0f () \n{ \n    :\n}\n\0end\0";
        let (kept, told) = Kept::parse(text, &began).unwrap();
        assert_eq!(kept.cwd.as_slice(), b"/tmp");
        let names: Vec<&[u8]> = kept.variables.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [&b"PATH"[..], b"A"]);
        assert_eq!(kept.unset, [Bytes::from("GONE")]);
        assert!(told[0].starts_with("LD_PRELOAD is not kept"), "{told:?}");
        assert!(told[1].starts_with("LIST is not kept: it is an array"), "{told:?}");
        let prefix = String::from_utf8(kept.prefix()).unwrap();
        assert!(prefix.starts_with("export PATH='/v:/bin'\nunset GONE\nf () "), "{prefix}");
        let whole = &text[6..];
        for length in 0..whole.len() - 1 {
            assert!(Kept::parse(&whole[..length], &began).is_err(), "cut at {length}");
        }
        let mut quoted = Vec::new();
        quote(b"it's", &mut quoted);
        assert_eq!(quoted, b"'it'\\''s'");
    }
}
