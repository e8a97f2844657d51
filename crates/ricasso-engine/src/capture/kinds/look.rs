//! A cheap look at what stands behind a literal. It must never turn away what patterns match.

use ricasso_os::lanes::Halves;

/// A look at the bytes behind a literal that ordinary text is full of, which costs less than a
/// walk. It must pass whatever the patterns would match; other literals are rare enough without.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Look {
    /// The bytes that end the look.
    pub(super) stops: Halves,
    /// The one of them that must come first.
    pub(super) wants: u8,
    /// Or this one, and then nothing behind it matters.
    pub(super) or: u8,
}

/// Whether each byte that is wanted comes before those that end the attempt, one after the other,
/// or none comes. A look goes further than nearly all host names are long.
pub(in super::super) fn passes(looks: &[Look], behind: &[u8]) -> bool {
    let mut rest = behind;
    for look in looks {
        let Some(stop) = look.stops.first_in(rest) else { return true };
        if rest[stop] != look.wants {
            return rest[stop] == look.or;
        }
        rest = &rest[stop + 1..];
    }
    true
}

/// The bytes of a text.
pub(super) const fn listed_bytes(text: &[u8]) -> Halves {
    Halves::exactly(&table_of(text))
}

/// The bytes of a text, by their number.
const fn table_of(text: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut index = 0;
    while index < text.len() {
        table[text[index] as usize] = true;
        index += 1;
    }
    table
}

/// All other bytes.
pub(super) const fn other_bytes(text: &[u8]) -> Halves {
    let mut table = table_of(text);
    let mut byte = 0;
    while byte < 256 {
        table[byte] = !table[byte];
        byte += 1;
    }
    Halves::exactly(&table)
}
