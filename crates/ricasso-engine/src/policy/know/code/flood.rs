//! Code that makes processes which make processes.

use super::token::Token;

/// Rounds of a loop that doubles its processes each time, and forks in a row: at most 256
/// processes, a quarter of what a job may have.
const MOST_ROUNDS: usize = 8;

/// Whether processes are made in a loop that does not evidently end soon, or by what calls itself.
pub(super) fn forks(tokens: &[Token], text: &[u8]) -> bool {
    let count = |names: &[&str]| {
        let named =
            |token: &&Token| matches!(token, Token::Name(name) if names.contains(&name.as_str()));
        tokens.iter().filter(named).count()
    };
    let (forks, each) = (count(&["fork"]), count(&["for"]));
    if forks == 0 {
        return false;
    }
    let endless = count(&["while", "until", "loop", "forever"]) > 0;
    if endless || each > 0 {
        let bounded = !endless && each == 1 && forks == 1;
        return !(bounded && rounds(text).is_some_and(|rounds| rounds <= MOST_ROUNDS));
    }
    // What starts itself again needs no loop.
    let again = count(&["def", "sub", "function", "fn", "lambda", "redo", "goto", "exec"]) > 0;
    forks > MOST_ROUNDS || forks > 1 && again
}

/// How often `for i in range(4)` and `for (1..4)` go round, where that is the only bound.
fn rounds(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?;
    let mut bounds = text.match_indices("range(").map(|(at, it)| at + it.len());
    let mut ends = text.match_indices("..").map(|(at, it)| at + it.len());
    let at = match (bounds.next(), ends.next()) {
        (Some(at), None) | (None, Some(at)) => at,
        (Some(_), Some(_)) | (None, None) => return None,
    };
    if bounds.next().is_some() || ends.next().is_some() {
        return None;
    }
    let rest = text.get(at..)?;
    let end = rest.find(|sign: char| !sign.is_ascii_digit())?;
    // `range(1, 9)` has its bound elsewhere, and `4..=x` has none that is known.
    rest[end..].trim_start().starts_with(')').then(|| rest[..end].parse().ok()).flatten()
}
