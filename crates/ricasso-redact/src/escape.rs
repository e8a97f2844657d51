//! Recognises terminal escape sequences, for the search, which looks through them, and for those
//! who show text without them. Pure. It must never take text for a sequence without an ESC byte.

/// The byte that starts every sequence.
pub const ESC: u8 = 0x1b;

/// Longest colour or cursor sequence: sixteen parameters of three digits, with room. What is
/// longer is text.
pub const CONTROL_BYTES: usize = 64;

/// Longest title or link sequence; links are bounded at 2,083 bytes by common terminals.
const COMMAND_BYTES: usize = 4 * 1024;

/// What stands at an ESC byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// A sequence of this many bytes.
    Whole(usize),
    /// The start of one; more bytes decide.
    Cut,
    /// No sequence; the byte stands for itself.
    Text,
}

/// Colours, cursor movements, character sets: what stands inside a word without parting it.
pub fn control(bytes: &[u8]) -> Escape {
    let Some(&second) = bytes.get(1) else { return Escape::Cut };
    match second {
        b'[' => control_sequence(bytes),
        b'(' | b')' => match bytes.get(2) {
            Some(b'0'..=b'9' | b'A'..=b'Z') => Escape::Whole(3),
            Some(_) => Escape::Text,
            None => Escape::Cut,
        },
        b'7' | b'8' | b'=' | b'>' | b'M' | b'c' => Escape::Whole(2),
        _ => Escape::Text,
    }
}

/// Everything that [`control`] knows, and titles and links.
pub fn any(bytes: &[u8]) -> Escape {
    if bytes.get(1) != Some(&b']') {
        return control(bytes);
    }
    let window = &bytes[..bytes.len().min(COMMAND_BYTES)];
    for (index, &byte) in window.iter().enumerate().skip(2) {
        match byte {
            0x07 => return Escape::Whole(index + 1),
            ESC => {
                return match window.get(index + 1) {
                    Some(b'\\') => Escape::Whole(index + 2),
                    Some(_) => Escape::Text,
                    None => Escape::Cut,
                };
            }
            b'\n' => return Escape::Text,
            _ => {}
        }
    }
    if bytes.len() < COMMAND_BYTES { Escape::Cut } else { Escape::Text }
}

fn control_sequence(bytes: &[u8]) -> Escape {
    let window = &bytes[..bytes.len().min(CONTROL_BYTES)];
    for (index, &byte) in window.iter().enumerate().skip(2) {
        match byte {
            0x20..=0x3f => {}
            0x40..=0x7e => return Escape::Whole(index + 1),
            _ => return Escape::Text,
        }
    }
    if bytes.len() < CONTROL_BYTES { Escape::Cut } else { Escape::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_whole_cut_and_text_apart() {
        for (bytes, expected) in [
            (&b"\x1b[31mred"[..], Escape::Whole(5)),
            (b"\x1b[", Escape::Cut),
            (b"\x1b", Escape::Cut),
            (b"\x1b[\n", Escape::Text),
            (b"\x1b(B", Escape::Whole(3)),
            (b"\x1bx", Escape::Text),
            (b"\x1b]0;title\x07x", Escape::Whole(10)),
            (b"\x1b]8;;http://x\x1b\\", Escape::Whole(15)),
            (b"\x1b]8;;http", Escape::Cut),
            (b"\x1b]8;;http\n", Escape::Text),
        ] {
            assert_eq!(any(bytes), expected, "{bytes:?}");
        }
        assert_eq!(control(b"\x1b]0;title\x07x"), Escape::Text);
        assert_eq!(control(&[b"\x1b[".to_vec(), vec![b'1'; 62]].concat()), Escape::Text);
    }
}
