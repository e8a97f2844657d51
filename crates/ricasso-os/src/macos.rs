//! What macOS needs, as far as it is words: the profile that sandbox-exec gets.
//!
//! Pure functions that every platform compiles and tests; starting and caging there is not built.

/// A profile in which everything may be read and run and nothing be written, but for these
/// directories and the devices that programs write to without changing anything.
pub fn read_only_profile(scratch: &[&str]) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n(deny file-write*)\n");
    text += "(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))\n";
    text += "(allow file-write* (regex #\"^/dev/(tty|fd/)\"))\n";
    for directory in scratch {
        text += &format!("(allow file-write* (subpath {}))\n", literal(directory));
    }
    text
}

/// A string of the profile's language.
fn literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_30_the_profile_denies_every_write_but_scratch_and_null() {
        let profile = read_only_profile(&["/private/tmp/a \"b\""]);
        assert!(profile.contains("(deny file-write*)"), "{profile}");
        assert!(profile.contains("(subpath \"/private/tmp/a \\\"b\\\"\")"), "{profile}");
        let deny = profile.find("(deny file-write*)").unwrap();
        let allow = profile.find("(allow file-write* ").unwrap();
        assert!(deny < allow, "the last rule that matches counts");
    }
}
