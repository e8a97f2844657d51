//! The text of a window without its colours and cursor movements, and where each of its bytes
//! stands in the window. A token that is coloured in its middle is still a token.

use crate::escape::{self, ESC, Escape};
use crate::pattern::End;
use std::borrow::Cow;

/// A window without its escape sequences.
pub(crate) struct PlainText<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    /// From each of these places in the text on, text and window run in step.
    steps: Vec<Step>,
    /// Where the text ends in the window: before an escape sequence that is cut off.
    raw_end: usize,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    text: usize,
    raw: usize,
}

impl<'a> PlainText<'a> {
    /// Takes the escape sequences out. One that is cut off at an open end waits for its rest; at a
    /// closed end it is text.
    pub(crate) fn strip_escapes(window: &'a [u8], end: End) -> PlainText<'a> {
        let raw_end = window.len();
        let Some(first) = memchr::memchr(ESC, window) else {
            return PlainText { text: Cow::Borrowed(window), steps: Vec::new(), raw_end };
        };
        let mut plain = PlainText { text: Cow::Borrowed(&[]), steps: Vec::new(), raw_end };
        let mut text = Vec::with_capacity(window.len());
        text.extend_from_slice(&window[..first]);
        let mut at = first;
        while at < window.len() {
            match escape::control(&window[at..]) {
                Escape::Whole(length) => {
                    at += length;
                    plain.steps.push(Step { text: text.len(), raw: at });
                }
                Escape::Cut if end == End::Open => {
                    plain.raw_end = at;
                    break;
                }
                Escape::Cut | Escape::Text => {
                    text.push(ESC);
                    at += 1;
                }
            }
            let rest = &window[at..];
            let length = memchr::memchr(ESC, rest).unwrap_or(rest.len());
            text.extend_from_slice(&rest[..length]);
            at += length;
        }
        plain.text = Cow::Owned(text);
        plain
    }

    /// Whether something was taken out.
    pub(crate) fn has_escapes(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Where the byte at this place of the text stands in the window; the end for the end.
    pub(crate) fn raw_place(&self, text: usize) -> usize {
        if text >= self.text.len() {
            return self.raw_end;
        }
        match self.steps.partition_point(|step| step.text <= text).checked_sub(1) {
            Some(last) => self.steps[last].raw + (text - self.steps[last].text),
            None => text,
        }
    }

    /// The first place in the text that stands at or behind this place of the window.
    pub(crate) fn text_place(&self, raw: usize) -> usize {
        let next = self.steps.partition_point(|step| step.raw <= raw);
        let text = match next.checked_sub(1) {
            Some(last) => self.steps[last].text + (raw - self.steps[last].raw),
            None => raw,
        };
        // Inside a sequence: the text goes on behind it.
        let text = self.steps.get(next).map_or(text, |step| text.min(step.text));
        text.min(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_text_and_window_agree() {
        let window = b"ab\x1b[31mcd\x1b[0m\x1b(Be\x1bxf\x1b[3";
        let open = PlainText::strip_escapes(window, End::Open);
        assert_eq!(&*open.text, b"abcde\x1bxf");
        for (text, byte) in open.text.iter().enumerate() {
            assert_eq!(window[open.raw_place(text)], *byte, "{text}");
            assert_eq!(open.text_place(open.raw_place(text)), text);
        }
        assert_eq!(open.raw_place(8), 20);
        assert_eq!([2, 4, 7, 9].map(|raw| open.text_place(raw)), [2, 2, 2, 4]);
        let closed = PlainText::strip_escapes(window, End::Closed);
        assert_eq!(&*closed.text, b"abcde\x1bxf\x1b[3");
        assert_eq!(closed.raw_place(11), window.len());
    }
}
