//! Bytes that are usually text: kept exactly, written readably.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// A word, a text or a variable as the system sees it: any bytes. In JSON it is a string where it
/// is UTF-8 and `{"hex": "…"}` where it is not, so nothing is lost either way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    /// The bytes themselves.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, given away.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

#[cfg(unix)]
impl From<std::ffi::OsString> for Bytes {
    fn from(text: std::ffi::OsString) -> Self {
        use std::os::unix::ffi::OsStringExt;
        Self(text.into_vec())
    }
}

impl fmt::Debug for Bytes {
    /// Shows how much there is, never what: a request holds variables and standard input.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({} bytes)", self.0.len())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hex {
    hex: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Hex(Hex),
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Hex { hex: to_hex(&self.0) }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(text.into_bytes())),
            Written::Hex(Hex { hex }) => from_hex(&hex)
                .map(Self)
                .ok_or_else(|| de::Error::custom("hex takes pairs of hexadecimal digits")),
        }
    }
}

/// Bytes in hexadecimal digits, as digests and [`Bytes`] are written.
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn text_is_a_string_and_the_rest_is_hex() {
        let text = serde_json::to_string(&Bytes::from("grüß\n")).unwrap();
        assert_eq!(text, "\"grüß\\n\"");
        let odd = serde_json::to_string(&Bytes::from(vec![0xff, 0x00, 0x41])).unwrap();
        assert_eq!(odd, r#"{"hex":"ff0041"}"#);
    }

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        let json = serde_json::to_string(&Bytes::from(all.clone())).unwrap();
        let back: Bytes = serde_json::from_str(&json).unwrap();
        assert_eq!(back.as_slice(), all.as_slice());
    }

    #[test]
    fn broken_hex_is_an_error_that_says_so() {
        let error = serde_json::from_str::<Bytes>(r#"{"hex":"f"}"#).unwrap_err();
        assert!(error.to_string().contains("pairs of hexadecimal digits"), "{error}");
    }

    #[test]
    fn debug_never_shows_the_content() {
        assert_eq!(format!("{:?}", Bytes::from("s3cret")), "Bytes(6 bytes)");
    }
}
