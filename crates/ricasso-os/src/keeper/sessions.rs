//! What a keeper knows of the machine, and the networks of the sessions that it keeps.

use crate::cage::{Loopback, Namespaces, Powers};
use crate::error::Result;
use std::collections::BTreeMap;

/// Sessions whose network is kept. One more, and the one with the first name loses its own: its
/// jobs go on, and later ones do not reach them.
const MOST_SESSIONS: usize = 64;

/// Made by trying, once.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    powers: Option<Powers>,
    netns: Option<bool>,
    /// The network that was made to find out whether there can be one.
    spare: Option<Loopback>,
    made: BTreeMap<String, Loopback>,
    /// Whether this process needs no user namespace for more of them.
    in_realm: bool,
}

impl Sessions {
    /// Everything but the network.
    pub(super) fn powers(&mut self) -> Result<Powers> {
        let powers = self.powers.map_or_else(Powers::probe, Ok)?;
        Ok(*self.powers.insert(powers))
    }

    /// Everything.
    pub(super) fn powers_with_network(&mut self) -> Result<Powers> {
        let powers = self.powers()?;
        if self.netns.is_none() {
            self.spare = self.make()?;
            self.netns = Some(self.spare.is_some());
        }
        Ok(Powers { netns: self.netns == Some(true), ..powers })
    }

    /// The network of a session; `None` where the kernel makes none.
    pub(super) fn network(&mut self, session: &str) -> Result<Option<&Loopback>> {
        if !self.made.contains_key(session) {
            let made = match self.spare.take() {
                Some(spare) => Some(spare),
                None => self.make()?,
            };
            let Some(made) = made else { return Ok(None) };
            if self.made.len() >= MOST_SESSIONS {
                self.made.pop_first();
            }
            self.made.insert(session.to_string(), made);
        }
        Ok(self.made.get(session))
    }

    /// This process has a user namespace of its own now, and networks from before are not its.
    pub(super) fn move_to_realm(&mut self) {
        self.in_realm = true;
        self.spare = None;
        self.made.clear();
    }

    fn make(&mut self) -> Result<Option<Loopback>> {
        match self.powers()?.namespaces {
            Namespaces::None => Ok(None),
            Namespaces::User if self.in_realm => Loopback::make(Namespaces::Root),
            kind @ (Namespaces::User | Namespaces::Root) => Loopback::make(kind),
        }
    }
}
