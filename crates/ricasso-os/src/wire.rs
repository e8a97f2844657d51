//! The messages between owner, keeper and warden, as bytes: lengths and little-endian numbers.
//!
//! Both ends are the same build of the same program (the handshake sees to it), so there is no
//! versioning here; what does not decode is an error, never a guess.

use crate::cage::Cage;
use crate::error::{Error, Result};
use crate::group::Grouping;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::Arc;

/// One command to start: everything that the child needs after the fork.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    /// The program and its arguments. Without a slash it is looked up in the PATH of `env`.
    pub argv: Vec<Vec<u8>>,
    /// The whole environment, `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// The working directory.
    pub cwd: PathBuf,
    /// What each process, and the tree as a whole, may use.
    pub ceilings: Ceilings,
    /// Files of the job that go when it ends, also when its owner was killed.
    pub litter: Vec<PathBuf>,
    /// Another order follows on the same warden.
    pub more: bool,
    /// What becomes of those whom the command leaves running.
    pub leaves: Leaves,
    /// Standard input is a terminal, and becomes the controlling one.
    pub terminal: bool,
    /// The walls round it; none in mode open.
    pub cage: Option<Arc<Cage>>,
}

/// What becomes of those whom a command leaves running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leaves {
    /// They are asked to end, and ended.
    #[default]
    Nobody,
    /// They go on under the same warden, which tells their end as it told that of the command.
    Adopted,
}

/// The command's number of the descriptor for its state, where one is handed over: high enough to
/// be in nobody's way.
pub const STATE_FD: i32 = 198;

/// What comes with an order: a cage in it, and descriptors behind its three streams, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Enclosed {
    /// Whether there is a cage.
    pub(crate) cage: bool,
    /// For the state of a shell.
    pub(crate) state: bool,
    /// Rules for files, made ahead.
    pub(crate) rules: bool,
    /// The number of a view that was built ahead for this cage, and of which all is still true.
    pub(crate) view: Option<u64>,
}

/// Marks an order without a cage; no word and no long message begins so.
const PLAIN: u8 = b'p';
const CAGED: u8 = b'c';

impl Enclosed {
    /// What stands before an order: three bytes and a number; no view has the number 0.
    pub(crate) const BYTES: usize = 11;

    /// The whole message, with the cage as the machine means it.
    pub(crate) fn seal(self, order: &Order, cage: Option<&Cage>) -> Vec<u8> {
        /// Most orders with a cage are shorter, and need no second buffer.
        const USUAL_BYTES: usize = 16 * 1024;
        let mut out = Writer(Vec::with_capacity(USUAL_BYTES));
        let kind = if self.cage { CAGED } else { PLAIN };
        out.0.extend([kind, u8::from(self.state), u8::from(self.rules)]);
        out.number(self.view.unwrap_or_default());
        out.order(order, cage);
        out.0
    }

    /// The order, and what came with it.
    pub(crate) fn open(bytes: &[u8]) -> Option<(&[u8], Enclosed)> {
        let ([kind, state, rules, view @ ..], order) =
            bytes.split_first_chunk::<{ Enclosed::BYTES }>()?;
        let view = Some(u64::from_le_bytes(*view)).filter(|number| *number != 0);
        let (cage, state, rules) = (*kind == CAGED, *state == 1, *rules == 1);
        Some((order, Enclosed { cage, state, rules, view }))
    }

    /// Whether a message that begins so is an order without a cage.
    pub(crate) fn is_plain(begin: [u8; Enclosed::BYTES]) -> bool {
        begin[0] == PLAIN
    }
}

/// Upper bounds for one job; `None` means that the policy asks for none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// Bytes of the whole tree: held by its group, else resident ones, polled.
    pub memory_bytes: Option<u64>,
    /// Processes of the tree, polled; twice as many tasks by group or user namespace.
    pub processes: Option<u64>,
    /// CPU seconds of each process (RLIMIT_CPU), and of the tree, polled.
    pub cpu_seconds: Option<u64>,
    /// Bytes of each file written (RLIMIT_FSIZE).
    pub file_bytes: Option<u64>,
    /// Descriptors of each process (RLIMIT_NOFILE).
    pub open_files: Option<u64>,
    /// Where `open_files` is none: what the caller's soft limit was before we raised our own.
    pub callers_files: Option<u64>,
    /// Whether the kernel bounds the tree as well.
    pub grouping: Grouping,
}

/// Where a start failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Before the command's own process was ready: descriptors, limits.
    Prepare,
    /// Entering the working directory.
    Directory,
    /// Executing the program.
    Execute,
    /// Making namespaces.
    Namespaces,
    /// Building the view of the file system.
    Mounts,
    /// Giving up privileges.
    Privileges,
    /// Laying the rules for files.
    Files,
    /// Laying the filter of system calls.
    Calls,
    /// Finding the listed programs.
    Programs,
}

impl Stage {
    /// Whether it is a part of the cage.
    pub fn is_confinement(self) -> bool {
        match self {
            Stage::Prepare | Stage::Directory | Stage::Execute => false,
            Stage::Namespaces
            | Stage::Mounts
            | Stage::Privileges
            | Stage::Files
            | Stage::Calls
            | Stage::Programs => true,
        }
    }
}

/// Which ceiling ended a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Resident memory of the tree.
    Memory,
    /// Number of processes.
    Processes,
    /// CPU time of the tree.
    Cpu,
}

/// Owner to warden, after the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// Ask the whole tree to end.
    Terminate,
    /// End the whole tree.
    Kill,
}

impl Word {
    pub(crate) fn encode(self) -> Vec<u8> {
        match self {
            Word::Terminate => b"T".to_vec(),
            Word::Kill => b"K".to_vec(),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Word> {
        match bytes {
            b"T" => Ok(Word::Terminate),
            b"K" => Ok(Word::Kill),
            _ => Err(Error::Garbled { what: "word" }),
        }
    }
}

impl Order {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.order(self, self.cage.as_deref());
        out.0
    }

    /// Whether it may be too long for a socket, or what of it others are told.
    pub(crate) fn is_long(&self) -> bool {
        /// A quarter of what a socket takes, since the paths of the cage are told as well.
        const SHORT_BYTES: usize = 16 * 1024;
        let cage = self.cage.as_ref().map_or(0, |cage| cage.bytes());
        let litter: usize = self.litter.iter().map(|path| path.as_os_str().len()).sum();
        let env: usize = self.env.iter().map(Vec::len).sum();
        env + litter + cage > SHORT_BYTES
    }

    /// Where the command looks for programs.
    pub(crate) fn path(&self) -> Option<&[u8]> {
        self.env.iter().find_map(|entry| entry.strip_prefix(b"PATH="))
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Order> {
        Order::decode_knowing(bytes, |_| None)
    }

    /// The same for somebody who may have its cage already, in the words of the order.
    pub(crate) fn decode_knowing(
        bytes: &[u8],
        known: impl Fn(&[u8]) -> Option<Arc<Cage>>,
    ) -> Result<Order> {
        Reader(bytes).order(known).ok_or(Error::Garbled { what: "order" })
    }

    /// The warden's part of it alone, at a fifth of the price; the rest is left empty.
    pub(crate) fn decode_upkeep(bytes: &[u8]) -> Result<Order> {
        let mut from = Reader(bytes);
        from.skip_words().and_then(|()| from.upkeep()).ok_or(Error::Garbled { what: "order" })
    }
}

/// Appends numbers and byte strings.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A byte string with a NUL behind it, as the kernel takes it.
    fn text(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
        self.0.push(0);
    }

    fn order(&mut self, order: &Order, cage: Option<&Cage>) {
        use std::os::unix::ffi::OsStrExt;
        for words in [&order.argv, &order.env] {
            self.number(words.len() as u64);
            words.iter().for_each(|word| self.text(word));
        }
        self.text(order.cwd.as_os_str().as_bytes());
        self.list(order.litter.iter().map(|path| path.as_os_str().as_bytes()));
        self.ceilings(&order.ceilings);
        self.number(u64::from(order.more));
        self.number(u64::from(order.leaves == Leaves::Adopted));
        self.number(u64::from(order.terminal));
        self.number(u64::from(cage.is_some()));
        if let Some(cage) = cage {
            cage.encode(self);
        }
    }

    pub(crate) fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.number(items.len() as u64);
        items.for_each(|item| self.bytes(item));
    }

    fn maybe(&mut self, number: Option<u64>) {
        self.number(u64::from(number.is_some()));
        self.number(number.unwrap_or_default());
    }

    pub(crate) fn ceilings(&mut self, of: &Ceilings) {
        self.maybe(of.memory_bytes);
        self.maybe(of.processes);
        self.maybe(of.cpu_seconds);
        self.maybe(of.file_bytes);
        self.maybe(of.open_files);
        self.maybe(of.callers_files);
        self.number(of.grouping.number());
    }
}

/// Takes numbers and byte strings off the front; `None` where the bytes end too early.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn number(&mut self) -> Option<u64> {
        let (head, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*head))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    /// A byte string with a NUL behind it and none in it.
    pub(crate) fn text(&mut self) -> Option<&'a CStr> {
        let length = usize::try_from(self.number()?).ok()?;
        let (head, rest) = self.0.split_at_checked(length.checked_add(1)?)?;
        self.0 = rest;
        CStr::from_bytes_with_nul(head).ok()
    }

    pub(crate) fn list(&mut self) -> Option<Vec<Vec<u8>>> {
        self.several(|from| from.bytes().map(<[u8]>::to_vec))
    }

    fn texts(&mut self) -> Option<Vec<Vec<u8>>> {
        self.several(|from| from.text().map(|text| text.to_bytes().to_vec()))
    }

    /// An order with the warden's part alone, once its words are taken off.
    fn upkeep(&mut self) -> Option<Order> {
        use std::os::unix::ffi::OsStringExt;
        let path = |bytes: Vec<u8>| PathBuf::from(std::ffi::OsString::from_vec(bytes));
        Some(Order {
            litter: self.list()?.into_iter().map(path).collect(),
            ceilings: self.ceilings()?,
            more: self.number()? == 1,
            leaves: self.leaves()?,
            ..Order::default()
        })
    }

    /// Both lists and the directory.
    fn skip_words(&mut self) -> Option<()> {
        for _ in 0..2 {
            for _ in 0..self.number()? {
                self.text()?;
            }
        }
        self.text().map(drop)
    }

    fn several<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        // Each item takes eight bytes at least, so a wild count cannot make us allocate.
        if count > self.0.len() / 8 {
            return None;
        }
        (0..count).map(|_| one(self)).collect()
    }

    fn maybe(&mut self) -> Option<Option<u64>> {
        let there = self.number()?;
        let number = self.number()?;
        Some((there == 1).then_some(number))
    }

    pub(crate) fn ceilings(&mut self) -> Option<Ceilings> {
        Some(Ceilings {
            memory_bytes: self.maybe()?,
            processes: self.maybe()?,
            cpu_seconds: self.maybe()?,
            file_bytes: self.maybe()?,
            open_files: self.maybe()?,
            callers_files: self.maybe()?,
            grouping: Grouping::from_number(self.number()?)?,
        })
    }

    pub(crate) fn leaves(&mut self) -> Option<Leaves> {
        match self.number()? {
            0 => Some(Leaves::Nobody),
            1 => Some(Leaves::Adopted),
            _ => None,
        }
    }

    fn order(&mut self, known: impl Fn(&[u8]) -> Option<Arc<Cage>>) -> Option<Order> {
        use std::os::unix::ffi::OsStringExt;
        let (argv, env) = (self.texts()?, self.texts()?);
        let cwd = std::ffi::OsString::from_vec(self.text()?.to_bytes().to_vec()).into();
        let upkeep = self.upkeep()?;
        let terminal = self.number()? == 1;
        let cage = match self.number()? {
            0 => None,
            // It comes last.
            _ => Some(match known(self.0) {
                Some(cage) => cage,
                None => Arc::new(Cage::decode(self)?),
            }),
        };
        Some(Order { argv, env, cwd, terminal, cage, ..upkeep })
    }
}

impl Stage {
    pub(crate) fn number(self) -> u64 {
        match self {
            Stage::Prepare => 0,
            Stage::Directory => 1,
            Stage::Execute => 2,
            Stage::Namespaces => 3,
            Stage::Mounts => 4,
            Stage::Privileges => 5,
            Stage::Files => 6,
            Stage::Calls => 7,
            Stage::Programs => 8,
        }
    }

    pub(crate) fn from_number(number: u64) -> Option<Stage> {
        match number {
            0 => Some(Stage::Prepare),
            1 => Some(Stage::Directory),
            2 => Some(Stage::Execute),
            3 => Some(Stage::Namespaces),
            4 => Some(Stage::Mounts),
            5 => Some(Stage::Privileges),
            6 => Some(Stage::Files),
            7 => Some(Stage::Calls),
            8 => Some(Stage::Programs),
            _ => None,
        }
    }
}

impl Limit {
    pub(crate) fn number(self) -> u64 {
        match self {
            Limit::Memory => 0,
            Limit::Processes => 1,
            Limit::Cpu => 2,
        }
    }

    pub(crate) fn from_number(number: u64) -> Option<Limit> {
        match number {
            0 => Some(Limit::Memory),
            1 => Some(Limit::Processes),
            2 => Some(Limit::Cpu),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order {
            argv: vec![b"sh".to_vec(), b"-c".to_vec(), vec![0xff, b'\n']],
            env: vec![b"A=1".to_vec(), b"B=".to_vec()],
            cwd: "/tmp/\u{fc}".into(),
            ceilings: Ceilings { processes: Some(7), open_files: Some(0), ..Ceilings::default() },
            litter: vec!["/a/b".into()],
            more: true,
            leaves: Leaves::Adopted,
            terminal: true,
            cage: Some(Arc::new(Cage {
                write: vec!["/w".into()],
                tmp: crate::cage::Tmp::Session("/t".into()),
                programs: Some(vec!["git".into()]),
                ..Cage::default()
            })),
        }
    }

    #[test]
    fn an_order_comes_back_as_it_was() {
        assert_eq!(Order::decode(&order().encode()).unwrap(), order());
    }

    #[test]
    fn a_cut_order_is_an_error_at_every_length() {
        let whole = order().encode();
        for length in 0..whole.len() {
            assert!(Order::decode(&whole[..length]).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn a_wild_count_does_not_allocate() {
        assert!(Order::decode(&[0xff; 64]).is_err());
    }
}
