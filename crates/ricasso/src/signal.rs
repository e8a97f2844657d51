//! What signals are called.

/// `SIGTERM` and its like; one that the contract's own program has no name for by its number.
pub(crate) fn name(number: i32) -> String {
    let known = names(number).filter(|_| matches!(number, 1 | 2 | 3 | 6 | 9 | 11 | 13 | 15));
    known.map_or_else(|| format!("SIG{number}"), |(short, _)| format!("SIG{short}"))
}

/// The words that Go has for it.
pub(crate) fn words(number: i32) -> String {
    names(number).map_or_else(|| format!("signal {number}"), |(_, words)| words.to_string())
}

/// A signal's short name, and the words that the C library and Go have for it.
fn names(number: i32) -> Option<(&'static str, &'static str)> {
    let names = match number {
        1 => ("HUP", "hangup"),
        2 => ("INT", "interrupt"),
        3 => ("QUIT", "quit"),
        4 => ("ILL", "illegal instruction"),
        5 => ("TRAP", "trace/breakpoint trap"),
        6 => ("ABRT", "aborted"),
        7 => ("BUS", "bus error"),
        8 => ("FPE", "floating point exception"),
        9 => ("KILL", "killed"),
        10 => ("USR1", "user defined signal 1"),
        11 => ("SEGV", "segmentation fault"),
        12 => ("USR2", "user defined signal 2"),
        13 => ("PIPE", "broken pipe"),
        14 => ("ALRM", "alarm clock"),
        15 => ("TERM", "terminated"),
        _ => return None,
    };
    Some(names)
}
