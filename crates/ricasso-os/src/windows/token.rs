//! The token of read mode on Windows: the caller's own, duplicated, at low integrity.
//!
//! The kernel compares the level of a process with that of what it writes to, and refuses where
//! its own is lower. What stays open then is a list, so the level reached is always partial.

/// A step of making the token, in order, with the constants that the calls take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `OpenProcessToken` of ourselves.
    Open {
        /// The rights asked for.
        access: u32,
    },
    /// `DuplicateTokenEx`.
    Duplicate {
        /// The rights that the new token has.
        access: u32,
        /// Its type.
        kind: u32,
    },
    /// `SetTokenInformation`.
    Label {
        /// Which of the token's facts is set.
        class: u32,
        /// What the label is for.
        attributes: u32,
        /// The level, as an identifier.
        level: [u8; SID],
    },
    /// `CreateProcessAsUserW` with the token.
    Start,
}

/// Bytes of an identifier with one part.
const SID: usize = 12;
const TOKEN_DUPLICATE: u32 = 0x0002;
const TOKEN_QUERY: u32 = 0x0008;
const TOKEN_ASSIGN_PRIMARY: u32 = 0x0001;
const TOKEN_ADJUST_DEFAULT: u32 = 0x0080;
/// `TokenPrimary`: a token that a process can be started with.
const TOKEN_PRIMARY: u32 = 1;
/// `TokenIntegrityLevel` of `TOKEN_INFORMATION_CLASS`.
const TOKEN_INTEGRITY_LEVEL: u32 = 25;
const SE_GROUP_INTEGRITY: u32 = 0x20;
const SECURITY_MANDATORY_LABEL_AUTHORITY: u8 = 16;
const SECURITY_MANDATORY_LOW_RID: u32 = 0x1000;

/// What the token makes of a command.
pub fn low_integrity() -> [Step; 4] {
    let access = TOKEN_QUERY | TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_ADJUST_DEFAULT;
    [
        Step::Open { access: TOKEN_QUERY | TOKEN_DUPLICATE },
        Step::Duplicate { access, kind: TOKEN_PRIMARY },
        Step::Label {
            class: TOKEN_INTEGRITY_LEVEL,
            attributes: SE_GROUP_INTEGRITY,
            level: level(SECURITY_MANDATORY_LOW_RID),
        },
        Step::Start,
    ]
}

/// The identifier of a level of integrity, `S-1-16-…`: revision, number of parts, authority with
/// the high byte first, part with the low byte first.
fn level(part: u32) -> [u8; SID] {
    let mut sid = [1, 1, 0, 0, 0, 0, 0, SECURITY_MANDATORY_LABEL_AUTHORITY, 0, 0, 0, 0];
    sid[8..].copy_from_slice(&part.to_le_bytes());
    sid
}

/// Where a command at low integrity cannot write: everything there is labelled medium or higher,
/// or not at all, which counts as medium.
pub const SHUT: [&str; 4] = ["%USERPROFILE%", "%APPDATA%", "%ProgramFiles%", "%SystemRoot%"];

/// Where it still can: read mode on Windows is partial, and "zero writes" is out of scope.
pub const OPEN: [&str; 4] =
    [r"%LOCALAPPDATA%\Low", r"%TEMP%\Low", "explicit Low ACEs", "the command's own files"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_31_s3_32_the_token_is_a_primary_one_at_low_integrity() {
        let [open, duplicate, label, start] = low_integrity();
        assert_eq!(open, Step::Open { access: 0x000a });
        assert!(
            matches!(duplicate, Step::Duplicate { kind: 1, access } if access & 0x0081 == 0x0081)
        );
        // S-1-16-4096, as every Windows writes it.
        let sid = [1, 1, 0, 0, 0, 0, 0, 16, 0, 0x10, 0, 0];
        assert_eq!(label, Step::Label { class: 25, attributes: 0x20, level: sid });
        assert_eq!(start, Step::Start);
    }

    #[test]
    fn s3_32_s3_33_no_place_is_both_shut_and_open() {
        assert!(OPEN.iter().all(|place| !SHUT.contains(place)));
    }
}
