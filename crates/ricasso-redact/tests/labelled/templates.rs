//! Fills the templates of `cases/redact` and of the rows: `{A:36}` is 36 letters and digits, `[[…]]`
//! marks the secret. `cases/redact/secrets.txt` lists the rest.

use std::path::PathBuf;

/// The lines of a file in `cases/redact` without its comments, which start with `# `.
pub(crate) fn lines(name: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases/redact").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

/// SplitMix64: well mixed and the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn text(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..count).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// What stands in a template between braces.
fn fill_piece(random: &mut Random, what: &str) -> String {
    if what == "u" {
        let lengths = [8, 4, 4, 4, 12];
        return lengths.map(|count| random.text("0123456789abcdef", count)).join("-");
    }
    let (sort, count) = what.split_once(':').unwrap();
    let count: usize = count.parse().unwrap();
    let alphabet = match sort {
        "a" => LOWER.to_owned(),
        "U" => UPPER.to_owned(),
        "D" => DIGITS.to_owned(),
        "A" => [LOWER, UPPER, DIGITS].concat(),
        "z" => [LOWER, DIGITS].concat(),
        "Z" => [UPPER, DIGITS].concat(),
        "h" => "0123456789abcdef".to_owned(),
        "H" => "0123456789ABCDEF".to_owned(),
        "B" | "P" => [LOWER, UPPER, DIGITS, "+/"].concat(),
        "w" => [LOWER, UPPER, DIGITS, "_-"].concat(),
        "5" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
        "x" | "X" | "0" => sort.to_owned(),
        "p" => {
            // A password of a generator: letters of both cases, digits, a few signs.
            let start = random.text(&[LOWER, UPPER].concat(), 1);
            let rest = random.text(&[LOWER, UPPER, DIGITS, "!@#%^*-_=+.?~"].concat(), count - 2);
            return start + &rest + &random.text(DIGITS, 1);
        }
        other => panic!("no such piece: {other}"),
    };
    let text = random.text(&alphabet, count);
    if sort != "P" {
        return text;
    }
    let rows: Vec<&[u8]> = text.as_bytes().chunks(64).collect();
    String::from_utf8(rows.join(&b'\n')).unwrap()
}

/// The text that a template stands for.
pub(crate) fn fill(template: &str, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let inner =
            rest.strip_prefix('{').and_then(|more| more.split_once('}')).map(|(in_, _)| in_);
        let named = inner.filter(|inner| *inner == "u" || inner.as_bytes().get(1) == Some(&b':'));
        if let Some(what) = named.filter(|what| what.len() < 8 && !what.contains(' ')) {
            text.extend(fill_piece(random, what).into_bytes());
            rest = &rest[what.len() + 2..];
        } else if let Some((byte, length)) = escape(rest) {
            text.push(byte);
            rest = &rest[length..];
        } else {
            let length = first.len_utf8();
            text.extend(&rest.as_bytes()[..length]);
            rest = &rest[length..];
        }
    }
    text
}

fn escape(rest: &str) -> Option<(u8, usize)> {
    let found = match rest.as_bytes() {
        [b'\\', b'n', ..] => (b'\n', 2),
        [b'\\', b'r', ..] => (b'\r', 2),
        [b'\\', b't', ..] => (b'\t', 2),
        [b'\\', b'e', ..] => (0x1b, 2),
        [b'\\', b'0', ..] => (0, 2),
        [b'\\', b'\\', ..] => (b'\\', 2),
        [b'\\', b'x', ..] => (u8::from_str_radix(&rest[2..4], 16).unwrap(), 4),
        _ => return None,
    };
    Some(found)
}

/// A made-up secret in its text, and which part of the text it is.
pub(crate) struct Secret {
    pub(crate) text: Vec<u8>,
    pub(crate) range: std::ops::Range<usize>,
}

impl Secret {
    /// Fills a template, in which `[[…]]` marks the secret; without it the whole text is.
    pub(crate) fn fill(template: &str, random: &mut Random) -> Secret {
        let mut text = fill(template, random);
        let place = |text: &[u8], mark: &[u8]| text.windows(2).position(|pair| pair == mark);
        let (Some(start), Some(end)) = (place(&text, b"[["), place(&text, b"]]")) else {
            return Secret { range: 0..text.len(), text };
        };
        text.drain(end..end + 2);
        text.drain(start..start + 2);
        Secret { text, range: start..end - 2 }
    }

    /// The secret itself.
    pub(crate) fn secret(&self) -> &[u8] {
        &self.text[self.range.clone()]
    }
}

/// The text in a place where output has it.
pub(crate) fn framed(frame: &str, text: &[u8]) -> Vec<u8> {
    let (front, back) = frame.split_once("{}").unwrap();
    let mut random = Random(0);
    [fill(front, &mut random), text.to_vec(), fill(back, &mut random)].concat()
}
