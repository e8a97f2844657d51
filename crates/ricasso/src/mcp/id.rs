//! Finds the id of a request while its bytes go by, so that one which is too large or no JSON can
//! still be answered.

/// Longer ids are not worth an answer of their own.
const MOST_ID: usize = 256;

/// Looks for the value of the key `id` of the outermost object.
#[derive(Debug, Default)]
pub(super) struct IdFinder {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The string or number that is being read at depth one.
    token: Vec<u8>,
    /// The last whole key was `id`, and its value comes now.
    wanted: bool,
    found: Option<Vec<u8>>,
}

impl IdFinder {
    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.found.is_none() {
            bytes.iter().for_each(|byte| self.step(*byte));
        }
    }

    /// The id, where it was a string or a number.
    pub(super) fn found(&self) -> Option<serde_json::Value> {
        let value: serde_json::Value = serde_json::from_slice(self.found.as_ref()?).ok()?;
        (value.is_string() || value.is_number()).then_some(value)
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.token.clear();
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                // A value that is itself an object is no id.
                self.wanted = false;
                self.token.clear();
            }
            b'}' | b']' => {
                self.value_ended();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' => {
                self.wanted = self.depth == 1 && self.token == b"\"id\"";
                self.token.clear();
            }
            b',' => self.value_ended(),
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn value_ended(&mut self) {
        if self.wanted && self.depth == 1 && self.found.is_none() {
            self.found = Some(std::mem::take(&mut self.token));
        }
        self.wanted = false;
        self.token.clear();
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= MOST_ID {
            self.token.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_id_is_found_wherever_it_stands_and_however_the_bytes_come() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, Some(json!(7))),
            (r#"{"params":{"id":1,"a":["id",2]},"id" : "a\"b" }"#, Some(json!("a\"b"))),
            (r#"{"method":"id","params":{"id":3}}"#, None),
            (r#"{"a":"\ud800","id":5}"#, Some(json!(5))),
            (r#"{"id":{"x":1},"y":2}"#, None),
            (r#"[{"id":1}]"#, None),
        ];
        for (text, id) in cases {
            for size in 1..=text.len() {
                let mut finder = IdFinder::default();
                text.as_bytes().chunks(size).for_each(|piece| finder.feed(piece));
                assert_eq!(finder.found(), id, "{text} in pieces of {size}");
            }
        }
    }
}
