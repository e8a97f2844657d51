//! Exit codes of our own. The child's own codes pass through unchanged.

/// Our own failure: cannot confine, bad usage, bad configuration, a full disk.
pub const OURS: u8 = 125;
/// Refused by policy, or asked without an answer.
pub const REFUSED: u8 = 126;
/// `check`: allowed.
pub const CHECK_ALLOW: u8 = 0;
/// `check`: denied.
pub const CHECK_DENY: u8 = 1;
/// `check`: bad usage.
pub const CHECK_USAGE: u8 = 2;
/// `check`: asks.
pub const CHECK_ASK: u8 = 3;

/// `ledger`: intact, or the same as then.
pub const LEDGER_GOOD: u8 = 0;
/// `ledger verify`: changed, cut or without a head. `ledger replay`: different.
pub const LEDGER_DIFFERS: u8 = 1;
/// `ledger`: bad usage.
pub const LEDGER_USAGE: u8 = 2;
/// `ledger replay`: what was judged is forgotten.
pub const LEDGER_FORGOTTEN: u8 = 3;

/// `doctor`: the default mode holds and nothing escaped.
pub const DOCTOR_GOOD: u8 = 0;
/// `doctor`: it does not, or something escaped.
pub const DOCTOR_BAD: u8 = 1;
/// `doctor`: bad usage.
pub const DOCTOR_USAGE: u8 = 2;

/// An ending's code as a process can return it: the low eight bits, as the kernel does.
pub fn of(code: i32) -> u8 {
    (code & 0xff) as u8
}
