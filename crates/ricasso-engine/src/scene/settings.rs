//! The text of a git configuration, read byte for byte as git reads it (git-config(1), "Syntax").
//!
//! A text need not be UTF-8. Where git would give up the reader says so, and the caller must not
//! take what came before for the whole.

/// One setting. Section and name are in lower case, the middle part is as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting<'a> {
    /// The section, with its middle part where it has one: `diff.own`.
    pub(super) section: &'a [u8],
    /// The name in it.
    pub(super) name: &'a [u8],
    /// The value; one without `=` counts as true.
    pub(super) value: &'a [u8],
}

/// The text is none that git understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Odd;

impl Setting<'_> {
    /// Whether it has this key, in lower case.
    pub(super) fn is(&self, key: &str) -> bool {
        let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
        self.section == section.as_bytes() && self.name == name.as_bytes()
    }

    /// Whether it names another file that git reads in its place.
    pub(super) fn is_include(&self) -> bool {
        self.name == b"path"
            && (self.section == b"include" || self.section.starts_with(b"includeif."))
    }
}

/// Shows each setting, in order. Nothing of a setting is kept: a long section with many names
/// must not cost more than the text.
pub(super) fn each(text: &[u8], see: &mut dyn FnMut(&Setting<'_>)) -> Result<(), Odd> {
    let mut rest = Rest(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let (mut section, mut name, mut value) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        match rest.next() {
            None => return Ok(()),
            Some(space) if is_space(space) => {}
            Some(b'#' | b';') => while rest.next().is_some_and(|byte| byte != b'\n') {},
            Some(b'[') => rest.section(&mut section)?,
            Some(first) if first.is_ascii_alphabetic() => {
                rest.name(first, &mut name);
                rest.value(&mut value)?;
                see(&Setting { section: &section, name: &name, value: &value });
            }
            Some(_) => return Err(Odd),
        }
    }
}

/// White space as git knows it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// The next byte; the two of a line's end elsewhere are one.
    fn next(&mut self) -> Option<u8> {
        if let Some(rest) = self.0.strip_prefix(b"\r\n") {
            self.0 = rest;
            return Some(b'\n');
        }
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// `name]`, `name.middle]` or `name "middle"]`.
    fn section(&mut self, section: &mut Vec<u8>) -> Result<(), Odd> {
        section.clear();
        loop {
            match self.next().ok_or(Odd)? {
                b']' if !section.is_empty() => return Ok(()),
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    section.push(byte.to_ascii_lowercase());
                }
                b' ' | b'\t' => return self.middle(section),
                _ => return Err(Odd),
            }
        }
    }

    fn middle(&mut self, section: &mut Vec<u8>) -> Result<(), Odd> {
        while self.0.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            self.next();
        }
        if self.next() != Some(b'"') {
            return Err(Odd);
        }
        section.push(b'.');
        loop {
            match self.next().ok_or(Odd)? {
                b'"' => break,
                b'\n' => return Err(Odd),
                b'\\' => match self.next().ok_or(Odd)? {
                    b'\n' => return Err(Odd),
                    byte => section.push(byte),
                },
                byte => section.push(byte),
            }
        }
        if self.next() == Some(b']') { Ok(()) } else { Err(Odd) }
    }

    fn name(&mut self, first: u8, name: &mut Vec<u8>) {
        name.clear();
        name.push(first.to_ascii_lowercase());
        while let Some(byte) = self.0.first().copied() {
            if !byte.is_ascii_alphanumeric() && byte != b'-' {
                break;
            }
            self.next();
            name.push(byte.to_ascii_lowercase());
        }
    }

    /// What stands behind a name, to the end of its line.
    fn value(&mut self, value: &mut Vec<u8>) -> Result<(), Odd> {
        value.clear();
        loop {
            match self.next() {
                Some(b' ' | b'\t') => {}
                None | Some(b'\n') => {
                    value.extend(b"true");
                    return Ok(());
                }
                Some(b'=') => break,
                Some(_) => return Err(Odd),
            }
        }
        let (mut quoted, mut commented) = (false, false);
        // The length without the white space at its end.
        let mut kept = 0;
        loop {
            let byte = match self.next() {
                None | Some(b'\n') => break,
                Some(_) if commented => continue,
                Some(byte) => byte,
            };
            match byte {
                space if is_space(space) && !quoted => {
                    if kept > 0 {
                        value.push(space);
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    commented = true;
                    continue;
                }
                b'"' => quoted = !quoted,
                b'\\' => match self.next().ok_or(Odd)? {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return Err(Odd),
                },
                byte => value.push(byte),
            }
            kept = value.len();
        }
        value.truncate(kept);
        if quoted { Err(Odd) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Vec<String>, Result<(), Odd>) {
        let mut all = Vec::new();
        let ended = each(text, &mut |setting| {
            let parts = [setting.section, b".", setting.name, b"=", setting.value];
            all.push(parts.concat().escape_ascii().to_string());
        });
        (all, ended)
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let rows: &[(&[u8], &[&str])] = &[
            (b"[core]\n\thooksPath = a/b  # why\n", &["core.hookspath=a/b"]),
            (b"\xef\xbb\xbf[Core] Editor=x ; y\r\nbare\r\n", &["core.editor=x", "core.bare=true"]),
            (b"[diff \"A\\\"b]\"]textconv = \"a # b\" c\n", &["diff.A\\\"b].textconv=a # b c"]),
            (b"[a.B]\nx = one\\\n two\\t\\\\\n", &["a.b.x=one two\\t\\\\"]),
            (b"[a]\nx = \"\"\ny =\nz\n", &["a.x=", "a.y=", "a.z=true"]),
            (b"# c\n[a][b]x=\xff\xfe", &["b.x=\\xff\\xfe"]),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text), (expected.iter().map(ToString::to_string).collect(), Ok(())));
        }
    }

    #[test]
    fn where_git_gives_up_the_reader_does() {
        let odd: &[&[u8]] = &[
            b"\0",
            b"[a",
            b"[a b]",
            b"[a \"b\n\"]",
            b"[a]\nx y",
            b"[a]\nx = \"y\n",
            b"[a]\nx = \\q\n",
            b"[a]\n-x = y\n",
            b"[a]]",
            b"[]",
        ];
        for text in odd {
            assert_eq!(read(text).1, Err(Odd), "{}", text.escape_ascii());
        }
    }
}
