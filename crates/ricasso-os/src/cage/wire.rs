//! A cage as bytes, beside the rest of an order.

use super::{Cage, Namespaces, Net, Tmp, Walls};
use crate::wire::{Reader, Writer};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

impl Cage {
    pub(crate) fn encode(&self, out: &mut Writer) {
        out.number(u64::from(self.walls.landlock));
        out.number(self.walls.namespaces.number());
        out.number(u64::from(self.walls.netns));
        out.number(u64::from(self.walls.files));
        out.number(u64::from(self.walls.calls));
        out.number(u64::from(self.walls.gate));
        let files = [&self.write, &self.read, &self.hide, &self.show, &self.seen, &self.protect];
        files.into_iter().chain([&self.sockets]).for_each(|all| put_paths(out, all));
        match &self.tmp {
            Tmp::Private => out.number(0),
            Tmp::Session(path) => {
                out.number(1);
                out.bytes(path.as_os_str().as_bytes());
            }
            Tmp::Host => out.number(2),
            Tmp::Layered(path) => {
                out.number(3);
                out.bytes(path.as_os_str().as_bytes());
            }
        }
        out.number(match self.net {
            Net::None => 0,
            Net::Loopback => 1,
            Net::Open => 2,
        });
        out.number(u64::from(self.programs.is_some()));
        let programs = self.programs.as_deref().unwrap_or_default();
        out.list(programs.iter().map(|name| name.as_bytes()));
    }

    pub(crate) fn decode(from: &mut Reader<'_>) -> Option<Cage> {
        let walls = Walls {
            landlock: u32::try_from(from.number()?).ok()?,
            namespaces: Namespaces::from_number(from.number()?)?,
            netns: from.number()? == 1,
            files: from.number()? == 1,
            calls: from.number()? == 1,
            gate: from.number()? == 1,
        };
        let (write, read, hide) = (paths(from)?, paths(from)?, paths(from)?);
        let (show, seen, protect) = (paths(from)?, paths(from)?, paths(from)?);
        let sockets = paths(from)?;
        let tmp = match from.number()? {
            0 => Tmp::Private,
            1 => Tmp::Session(path(from.bytes()?.to_vec())),
            2 => Tmp::Host,
            3 => Tmp::Layered(path(from.bytes()?.to_vec())),
            _ => return None,
        };
        let net = match from.number()? {
            0 => Net::None,
            1 => Net::Loopback,
            2 => Net::Open,
            _ => return None,
        };
        let listed = from.number()? == 1;
        let programs: Option<Vec<String>> =
            from.list()?.into_iter().map(|name| String::from_utf8(name).ok()).collect();
        let programs = if listed { Some(programs?) } else { None };
        Some(Cage { walls, write, read, hide, show, seen, protect, tmp, net, sockets, programs })
    }
}

impl Namespaces {
    pub(crate) fn number(self) -> u64 {
        match self {
            Namespaces::None => 0,
            Namespaces::User => 1,
            Namespaces::Root => 2,
        }
    }

    pub(crate) fn from_number(number: u64) -> Option<Namespaces> {
        match number {
            0 => Some(Namespaces::None),
            1 => Some(Namespaces::User),
            2 => Some(Namespaces::Root),
            _ => None,
        }
    }
}

pub(super) fn put_paths(out: &mut Writer, paths: &[PathBuf]) {
    out.list(paths.iter().map(|path| path.as_os_str().as_bytes()));
}

pub(super) fn paths(from: &mut Reader<'_>) -> Option<Vec<PathBuf>> {
    Some(from.list()?.into_iter().map(path).collect())
}

fn path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}
