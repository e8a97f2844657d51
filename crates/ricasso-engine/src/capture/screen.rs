//! What a terminal shows, drawn from the redacted stream: a secret that was taken out of the stream
//! is on no screen.

use super::Stream;
use super::error::Error;
use super::read::Reading;
use super::redacted::Redacted;
use super::watch::Cursor;
use std::fmt;
use std::num::NonZero;

/// A screen is drawn from at most so many bytes before the end: a program redraws all of it more
/// often than that, and whoever looks does not wait for gigabytes.
const MOST_BYTES: u64 = 8 << 20;

/// Draws a terminal as its stream grows.
pub struct Canvas {
    cursor: Cursor,
    parser: vt100::Parser,
}

/// A screen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The lines, without blanks at their ends and without empty ones below the last.
    pub text: Redacted<String>,
    /// Line and column, from 0.
    pub cursor: [u16; 2],
    /// Whether the program wants the arrow keys in their other form.
    pub application_keys: bool,
}

impl Canvas {
    /// An empty terminal of this size.
    pub fn new(columns: u16, rows: u16) -> Canvas {
        Canvas { cursor: Cursor::default(), parser: parser(columns, rows) }
    }

    /// Draws what is stored and decided.
    pub fn draw(&mut self, reading: &Reading) -> Result<Picture, Error> {
        let [stored, _] = reading.stored_bytes();
        self.cursor.at = self.cursor.at.max(stored.saturating_sub(MOST_BYTES));
        while self.cursor.fill(reading, Stream::Stdout)? {
            self.parser.process(&self.cursor.shown);
            self.cursor.shown.clear();
        }
        let screen = self.parser.screen();
        let (row, column) = screen.cursor_position();
        let contents = screen.contents();
        let lines: Vec<&str> = contents.lines().map(str::trim_end).collect();
        Ok(Picture {
            text: Redacted::new(lines.join("\n").trim_end().to_string()),
            cursor: [row, column],
            application_keys: screen.application_cursor(),
        })
    }
}

/// Without a line or a column there is nothing to draw on, so there is always one.
fn parser(columns: u16, rows: u16) -> vt100::Parser {
    let some = |number| NonZero::new(number).unwrap_or(NonZero::<u16>::MIN);
    vt100::Parser::new(some(rows), some(columns), 0)
}

impl fmt::Debug for Canvas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Canvas")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Owner, Redactor, Secrets, Spool};
    use super::*;
    use std::path::PathBuf;

    fn spool(name: &str) -> (PathBuf, Spool) {
        let dir =
            std::env::temp_dir().join(format!("ricasso-screen-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let redactor = Redactor::new(&Secrets::default()).unwrap();
        let spool = Spool::create(&dir, redactor, Bounds { output_bytes: u64::MAX }).unwrap();
        (dir, spool)
    }

    #[test]
    fn what_was_overwritten_is_gone_and_a_secret_was_never_there() {
        let (dir, mut spool) = spool("drawn");
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let mut canvas = Canvas::new(60, 5);
        let text = format!("old\r\n\x1b[2J\x1b[Hmenu\r\n> {token}\r\n\x1b[?1h\x1b[3;5Hend\n");
        let _ = spool.append(Stream::Stdout, text.as_bytes()).unwrap();
        spool.finish().unwrap();
        let picture =
            canvas.draw(&Reading::open(&dir, &Redactor::default(), Owner::Gone).unwrap()).unwrap();
        let shown = picture.text.as_str();
        assert!(shown.starts_with("menu\n> [REDACTED:"), "{shown}");
        assert!(shown.ends_with("    end"), "{shown}");
        assert!(!shown.contains("old") && !shown.contains("ghp_"), "{shown}");
        assert_eq!(picture.cursor, [3, 7]);
        assert!(picture.application_keys);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn no_bytes_break_the_drawing() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let pieces: &[&[u8]] = &[
            b"\x1b[",
            b"\x1b]",
            b"\x1b(",
            b";",
            b"?",
            b"999",
            b"0",
            b"H",
            b"J",
            b"K",
            b"r",
            b"L",
            b"M",
            b"P",
            b"@",
            b"X",
            b"S",
            b"T",
            b"A",
            b"B",
            b"C",
            b"D",
            b"h",
            b"l",
            b"m",
            b"1049",
            "\u{1f600}".as_bytes(),
            "e\u{301}".as_bytes(),
            b"\xff",
            b"\r",
            b"\n",
            b"\t",
            b"\x08",
            b"wide",
            b"\x1bM",
            b"\x1b7",
            b"\x1b8",
            b"\x1bc",
            b"\x84",
            b"65535",
            b"\xf0\x9f",
        ];
        for (rows, columns) in [(1, 1), (1, 2), (2, 1), (5, 10), (24, 80), (300, 500)] {
            let mut parser = parser(columns, rows);
            for _ in 0..20_000 {
                parser.process(pieces[(next() % pieces.len() as u64) as usize]);
            }
            assert!(parser.screen().contents().lines().count() <= usize::from(rows));
        }
    }
}
