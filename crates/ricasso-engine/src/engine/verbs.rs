//! What visitors ask at an owner's desk and what they are told: frames of JSON, bounded.

use super::board::Until;
use crate::capture::Batch;
use crate::error::Error;
use crate::reply::Reply;
use crate::request::Bytes;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;

/// A question may hold this much: what is fed at once, and room.
pub(super) const MOST_ASKED_BYTES: usize = 2 << 20;
/// An answer may hold this much: two excerpts, or a list of jobs.
pub(super) const MOST_TOLD_BYTES: usize = 32 << 20;

/// The first thing that a visitor says: the name of the owner, which is to be read in the state
/// directory and nowhere else. A command in a cage may reach the socket, and sees no state.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) owner: String,
}

/// One question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ask {
    /// The session that asks; a person where there is none.
    pub(super) session: Option<String>,
    pub(super) verb: Verb,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verb {
    List,
    Look { id: String },
    Wait { id: String, until: Word, patience_ms: Option<u64> },
    Feed { id: String, bytes: Bytes, key: Option<String>, end: bool, password: bool },
    Stop { id: String },
    Watch { id: String, regex: Option<String> },
    EndSession { session: String },
}

/// [`Until`] as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Exit,
    IdleMs(u64),
    Match(String),
    Input,
}

/// One answer; a watch and the end of a session get several.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Told {
    Reply(Box<Reply>),
    Row(Box<Row>),
    Batch(Batch),
    Fed {
        bytes: usize,
        left_bytes: usize,
    },
    Notice {
        session: String,
        id: String,
        ended: bool,
    },
    /// Nothing follows.
    Done,
    /// A sentence, and whether the job is unknown here.
    Refused {
        message: String,
        unknown: bool,
    },
}

/// A line of the list: the reply without its texts, and the last line.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) reply: Reply,
    pub(super) last_line: crate::capture::Redacted<String>,
}

impl Word {
    pub(super) fn of(until: &Until) -> Word {
        match until {
            Until::Exit => Word::Exit,
            Until::Idle(time) => Word::IdleMs(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            Until::Match(regex) => Word::Match(regex.clone()),
            Until::Input => Word::Input,
        }
    }

    pub(super) fn until(self) -> Until {
        match self {
            Word::Exit => Until::Exit,
            Word::IdleMs(time) => Until::Idle(Duration::from_millis(time)),
            Word::Match(regex) => Until::Match(regex),
            Word::Input => Until::Input,
        }
    }
}

/// Writes one frame.
pub(super) fn write(out: &mut dyn Write, what: &impl Serialize) -> Result<(), Error> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, what)
        .map_err(|source| Error::Json { what: "message", source })?;
    let length = u32::try_from(frame.len() - 4).unwrap_or(u32::MAX);
    frame[..4].copy_from_slice(&length.to_le_bytes());
    out.write_all(&frame).map_err(|source| Error::Desk { what: "write to", source })
}

/// Reads one frame; nothing where the other end closed between two.
pub(super) fn read(from: &mut dyn Read, most: usize) -> Result<Option<Vec<u8>>, Error> {
    let failed = |source| Error::Desk { what: "read from", source };
    let mut head = [0u8; 4];
    match from.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let length = u32::from_le_bytes(head) as usize;
    if length > most {
        return Err(failed(io::ErrorKind::InvalidData.into()));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_wild_lengths_are_refused() {
        let ask = Ask { session: None, verb: Verb::Look { id: "x".into() } };
        let mut bytes = Vec::new();
        write(&mut bytes, &ask).unwrap();
        let back = read(&mut bytes.as_slice(), 100).unwrap().unwrap();
        let back: Ask = serde_json::from_slice(&back).unwrap();
        assert!(matches!(back.verb, Verb::Look { id } if id == "x"));
        assert!(read(&mut bytes.as_slice(), 3).is_err());
        assert!(read(&mut [0xff; 8].as_slice(), 100).is_err());
        assert!(read(&mut &bytes[..6], 100).is_err());
        assert!(read(&mut [].as_slice(), 100).unwrap().is_none());
    }
}
