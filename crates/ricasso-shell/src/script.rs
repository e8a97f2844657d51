//! A text that has been read: its tree and what else is known about it.
//!
//! A script owns its text; nothing in it changes after it was read.

use std::sync::Arc;

use crate::cursor::Source;
use crate::error::Unreadable;
use crate::read::read_source;
use crate::tree::{Here, List, Redirect};

/// Whose rules a text is read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shell {
    /// bash 5, with what newer versions add.
    #[default]
    Bash,
    /// POSIX sh as dash reads it.
    Sh,
}

/// A text that has been read.
#[derive(Clone, Debug)]
pub struct Script {
    /// What it is made of.
    pub body: List,
    pub(crate) text: Arc<[u8]>,
    pub(crate) shell: Shell,
    pub(crate) heres: Vec<Here>,
    pub(crate) unreadable: Option<Unreadable>,
    pub(crate) stopped: Option<usize>,
}

/// Reads a text. Every input gives a script; `Script::unreadable` tells how far it was understood.
#[must_use]
pub fn read(text: &[u8], shell: Shell) -> Script {
    let reading = read_source(Source { text, table: None }, shell);
    Script {
        body: reading.body,
        text: text.into(),
        shell,
        heres: reading.heres,
        unreadable: reading.unreadable,
        stopped: reading.stopped,
    }
}

impl Script {
    /// The text as it was given.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whose rules it was read by.
    #[must_use]
    pub fn shell(&self) -> Shell {
        self.shell
    }

    /// Where and why the text cannot be read to its end. What stands before is in the tree.
    #[must_use]
    pub fn unreadable(&self) -> Option<&Unreadable> {
        self.unreadable.as_ref()
    }

    /// The body of the here-document that a redirection opens.
    #[must_use]
    pub fn here(&self, redirect: &Redirect) -> Option<&Here> {
        redirect.here.and_then(|id| self.heres.get(id.0 as usize))
    }
}
