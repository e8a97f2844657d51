//! Characters that make a text look like another one: control, direction, invisible.
//!
//! They are found in the text as sent and shown escaped, so that the message itself cannot mislead.

/// One such character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misleading {
    /// Its bytes in the text.
    pub(super) span: [usize; 2],
    /// Its name for people, escaped.
    pub(super) shown: String,
    /// What it does.
    pub(super) does: &'static str,
}

/// The first misleading character of a text.
pub(super) fn find(text: &[u8]) -> Option<Misleading> {
    if text.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b' '..=b'~')) {
        return None;
    }
    let mut at = 0;
    let mut before = ' ';
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            if let Some(does) = misleads(character, before) {
                let span = [at, at + character.len_utf8()];
                let shown = format!("U+{:04X}", u32::from(character));
                return Some(Misleading { span, shown, does });
            }
            before = character;
            at += character.len_utf8();
        }
        at += chunk.invalid().len();
    }
    None
}

/// A name that mixes plain letters with others that look like them, escaped; a name in the letters
/// of one language is left alone.
pub(super) fn mixed(name: &[u8]) -> Option<String> {
    if name.is_ascii() {
        return None;
    }
    let text = std::str::from_utf8(name).ok()?;
    let plain = text.chars().any(|character| character.is_ascii_alphabetic());
    let alike = text.chars().any(looks_latin);
    (alike && (plain || text.chars().all(looks_latin))).then(|| text.escape_default().to_string())
}

/// Letters of other alphabets that people take for Latin ones.
fn looks_latin(character: char) -> bool {
    matches!(character,
        '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{531}'..='\u{58f}'
        | '\u{13a0}'..='\u{13ff}' | '\u{1d00}'..='\u{1d7f}' | '\u{2100}'..='\u{214f}'
        | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}')
}

fn misleads(character: char, before: char) -> Option<&'static str> {
    match character {
        '\t' | '\n' => None,
        '\0' => Some("ends the text early for some readers"),
        '\r' => Some("hides what stands before it on a terminal"),
        '\u{1}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some("steers a terminal"),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some("turns the direction of text"),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => Some("turns the direction of text"),
        // Joined emoji are ordinary text in messages.
        '\u{200d}' if before >= '\u{2190}' => None,
        '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => Some("is invisible"),
        '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => {
            Some("is invisible")
        }
        '\u{e0000}'..='\u{e007f}' => Some("is invisible"),
        '\u{2028}' | '\u{2029}' => Some("looks like the end of a line"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_found_with_its_place() {
        let found = find("ls \u{202e}x".as_bytes()).unwrap();
        assert_eq!((found.span, found.shown.as_str()), ([3, 6], "U+202E"));
        assert_eq!(find(b"ls\r").unwrap().shown, "U+000D");
        assert_eq!(find(b"a\xff\x1b[2K").unwrap().span, [2, 3]);
        assert_eq!(find("l\u{200b}s".as_bytes()).unwrap().does, "is invisible");
    }

    #[test]
    fn ordinary_text_of_any_language_is_left_alone() {
        for text in
            ["echo grüß\tGott\n", "echo 日本語", "git commit -m '👨\u{200d}👩\u{200d}👧 ✅'"]
        {
            assert_eq!(find(text.as_bytes()), None, "{text}");
        }
    }
}
