//! The head: the chain's last place in one short line of fixed width, so that a cut is found and
//! an append needs not read the ledger.

use super::chain::ORIGIN;

/// The chain's last place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The last entry's number; 0 before the first.
    pub(super) seq: u64,
    /// Its hash.
    pub(super) hash: String,
    /// The number of the file that is appended to, from 1.
    pub(super) file: u32,
    /// That file's length in bytes.
    pub(super) length: u64,
}

/// Bytes of the written head, newline included.
pub(super) const WIDTH: usize = 2 + 20 + 1 + 64 + 1 + 10 + 1 + 20 + 1;

impl Head {
    /// The head of an empty ledger.
    pub(super) fn origin() -> Self {
        Self { seq: 0, hash: ORIGIN.to_string(), file: 1, length: 0 }
    }

    /// The head as written.
    pub(super) fn write(&self) -> String {
        format!("1 {:020} {} {:010} {:020}\n", self.seq, self.hash, self.file, self.length)
    }

    /// Reads a head; `None` where it is not exactly what `write` makes.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let mut parts = text.split(' ');
        let (version, seq, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let (file, length) = (parts.next()?, parts.next()?);
        let head = Self {
            seq: seq.parse().ok()?,
            hash: hash.to_string(),
            file: file.parse().ok()?,
            length: length.parse().ok()?,
        };
        (version == "1" && head.write().as_bytes() == bytes && bytes.len() == WIDTH).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_come_back_and_broken_ones_do_not() {
        let head = Head { seq: 7, hash: "ab".repeat(32), file: 2, length: 99 };
        let text = head.write();
        assert_eq!((text.len(), Head::read(text.as_bytes())), (WIDTH, Some(head)));
        assert_eq!(Head::read(&text.as_bytes()[..WIDTH - 1]), None);
        assert_eq!(Head::read(text.replace("0000000007", "000000000x").as_bytes()), None);
    }
}
