//! Where the names of a cage really lead, as far as answers depend on it.
//!
//! The owner finds it out ahead, together with the rules, and it is used as long as they are. Else
//! the warden does, when the command is born. Never later: a command could change what its own
//! roots lead to.

use super::watches::Readable;
use crate::cage::mounts::existing;
use crate::cage::protected;
use crate::cage::reading::placed;
use crate::cage::rules::writable_places;
use crate::cage::wire::{paths, put_paths};
use crate::cage::{Cage, by_real_names};
use crate::wire::{Reader, Writer};
use std::path::PathBuf;

/// What the answers to a command's questions depend on, and its own order says nothing about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Survey {
    /// Everything below which may be written.
    pub(super) places: Vec<PathBuf>,
    pub(super) protect: Vec<PathBuf>,
    /// Whether nothing but the answers holds what is protected: there are no mounts.
    pub(super) alone: bool,
    pub(super) readable: Readable,
    /// What is hidden inside of these places, and what is shown of it.
    pub(super) hidden: Vec<PathBuf>,
    pub(super) shown: Vec<PathBuf>,
    /// The same where no mounts lie over it: what is hidden in these places, and the directories
    /// that hold it, in which no entry is made, renamed or removed.
    pub(super) unmasked: Vec<PathBuf>,
    pub(super) holders: Vec<PathBuf>,
    /// Unix sockets of listeners outside that may be reached.
    pub(super) sockets: Vec<PathBuf>,
}

impl Survey {
    /// Looks at all names of a cage.
    pub(crate) fn of(cage: &Cage) -> Survey {
        let cage = by_real_names(cage);
        let places = existing(&writable_places(&cage));
        let alone = !cage.has_namespaces();
        let unmasked = cage.hidden_in_roots();
        let readable = if alone { Readable::of(&cage, &places) } else { Readable::default() };
        let protect = protected::by_real_names(&cage, alone);
        let hidden = placed(&cage.carved());
        let holders: Vec<PathBuf> =
            places.iter().flat_map(|place| unmasked.holders_at(place)).collect();
        let unmasked = unmasked.into_names();
        let nothing = hidden.is_empty() && unmasked.is_empty();
        let shown = if nothing { Vec::new() } else { existing(&cage.show) };
        let sockets = existing(&cage.sockets);
        Survey { places, protect, alone, readable, hidden, shown, unmasked, holders, sockets }
    }

    pub(crate) fn encode(&self, out: &mut Writer) {
        put_paths(out, &self.places);
        put_paths(out, &self.protect);
        out.number(u64::from(self.alone));
        self.readable.encode(out);
        put_paths(out, &self.hidden);
        put_paths(out, &self.shown);
        put_paths(out, &self.unmasked);
        put_paths(out, &self.holders);
        put_paths(out, &self.sockets);
    }

    pub(crate) fn decode(from: &mut Reader<'_>) -> Option<Survey> {
        let (places, protect) = (paths(from)?, paths(from)?);
        let alone = from.number()? == 1;
        let readable = Readable::decode(from)?;
        let (hidden, shown) = (paths(from)?, paths(from)?);
        let (unmasked, holders, sockets) = (paths(from)?, paths(from)?, paths(from)?);
        Some(Survey { places, protect, alone, readable, hidden, shown, unmasked, holders, sockets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_behind_the_wire() {
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        let cage = Cage {
            write: paths(&["/usr/../usr/lib"]),
            read: paths(&["/"]),
            hide: paths(&["/etc/shadow", "/usr/lib/not-there"]),
            protect: paths(&[".git/hooks", "/usr/lib/x"]),
            sockets: paths(&["/usr/lib"]),
            ..Cage::default()
        };
        let survey = Survey::of(&cage);
        let mut out = Writer::default();
        survey.encode(&mut out);
        assert_eq!(Survey::decode(&mut Reader(&out.0)), Some(survey.clone()));
        assert!(survey.places.contains(&PathBuf::from("/usr/lib").canonicalize().unwrap()));
        assert!(survey.alone && survey.unmasked.len() == 1 && survey.holders == survey.places);
    }
}
