//! Keys by their names, as a terminal sends them.

use crate::error::Error;

/// What the arrow keys send: a program chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrows {
    /// `ESC [ A`.
    Normal,
    /// `ESC O A`.
    Application,
}

/// The names, in the order in which an error lists them.
const KEYS: &[(&str, &[u8])] = &[
    ("enter", b"\r"),
    ("tab", b"\t"),
    ("shift-tab", b"\x1b[Z"),
    ("space", b" "),
    ("escape", b"\x1b"),
    ("ctrl-space", b"\0"),
    ("backspace", b"\x7f"),
    ("delete", b"\x1b[3~"),
    ("insert", b"\x1b[2~"),
    ("page-up", b"\x1b[5~"),
    ("page-down", b"\x1b[6~"),
    ("f1", b"\x1bOP"),
    ("f2", b"\x1bOQ"),
    ("f3", b"\x1bOR"),
    ("f4", b"\x1bOS"),
    ("f5", b"\x1b[15~"),
    ("f6", b"\x1b[17~"),
    ("f7", b"\x1b[18~"),
    ("f8", b"\x1b[19~"),
    ("f9", b"\x1b[20~"),
    ("f10", b"\x1b[21~"),
    ("f11", b"\x1b[23~"),
    ("f12", b"\x1b[24~"),
];
/// Signs that the control key goes with, beside the letters: the keyboard's way to SIGQUIT is one.
const SIGNS: &[u8] = b"[\\]^";
/// Keys that depend on the mode.
const CURSOR_KEYS: &[(&str, u8)] =
    &[("up", b'A'), ("down", b'B'), ("right", b'C'), ("left", b'D'), ("home", b'H'), ("end", b'F')];

/// What the key sends. `ctrl-x` and `alt-x` stand for any letter.
pub(super) fn bytes(name: &str, arrows: Arrows) -> Result<Vec<u8>, Error> {
    let key = name.to_ascii_lowercase().replace('_', "-");
    if let Some((_, bytes)) = KEYS.iter().find(|(known, _)| *known == key) {
        return Ok(bytes.to_vec());
    }
    if let Some((_, last)) = CURSOR_KEYS.iter().find(|(known, _)| *known == key) {
        let middle = match arrows {
            Arrows::Normal => b'[',
            Arrows::Application => b'O',
        };
        return Ok(vec![0x1b, middle, *last]);
    }
    // Alt and a capital letter is another key than alt and a small one.
    let alt = key.strip_prefix("alt-").map(|letter| &name[name.len() - letter.len()..]);
    match (key.strip_prefix("ctrl-"), alt) {
        (Some(letter), _)
            if is_one(letter, |byte| byte.is_ascii_lowercase() || SIGNS.contains(&byte)) =>
        {
            Ok(vec![letter.as_bytes()[0] & 0x1f])
        }
        (_, Some(letter)) if is_one(letter, |byte| byte.is_ascii_graphic()) => {
            Ok(vec![0x1b, letter.as_bytes()[0]])
        }
        _ => Err(Error::NoKey { name: name.to_string(), known: names() }),
    }
}

/// All names, for those who asked for one that is none.
fn names() -> String {
    let all = KEYS.iter().map(|(name, _)| *name).chain(CURSOR_KEYS.iter().map(|(name, _)| *name));
    let mut names: Vec<&str> = all.collect();
    names.extend(["ctrl-a to ctrl-z", "ctrl-[ to ctrl-^", "alt-x"]);
    names.join(", ")
}

fn is_one(text: &str, good: impl Fn(u8) -> bool) -> bool {
    matches!(text.as_bytes(), [byte] if good(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_terminal_sends() {
        let cases: &[(&str, Arrows, &[u8])] = &[
            ("Enter", Arrows::Normal, b"\r"),
            ("ctrl-c", Arrows::Normal, &[3]),
            ("CTRL_D", Arrows::Normal, &[4]),
            ("alt-b", Arrows::Normal, b"\x1bb"),
            ("Alt-B", Arrows::Normal, b"\x1bB"),
            ("ctrl-\\", Arrows::Normal, &[28]),
            ("ctrl-space", Arrows::Normal, &[0]),
            ("up", Arrows::Normal, b"\x1b[A"),
            ("up", Arrows::Application, b"\x1bOA"),
            ("f12", Arrows::Normal, b"\x1b[24~"),
        ];
        for (name, arrows, sent) in cases {
            assert_eq!(bytes(name, *arrows).unwrap(), *sent, "{name}");
        }
        for wrong in ["", "ctrl-", "ctrl-1", "ctrl-ab", "hyper-x", "f13"] {
            let error = bytes(wrong, Arrows::Normal).unwrap_err().to_string();
            assert!(error.contains("page-up"), "{error}");
        }
    }
}
