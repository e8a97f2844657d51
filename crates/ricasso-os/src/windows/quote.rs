//! One command line out of many arguments, so that `CommandLineToArgvW` finds them again.

/// An argument as it stands in a command line.
pub fn quote(argument: &str) -> String {
    let plain = !argument.is_empty()
        && !argument
            .contains(|character: char| character.is_ascii_whitespace() || character == '"');
    if plain {
        return argument.to_string();
    }
    let mut quoted = String::from("\"");
    let mut backslashes = 0;
    for character in argument.chars() {
        match character {
            '\\' => {
                backslashes += 1;
                continue;
            }
            // Backslashes count double before a quote, and the quote needs one of its own.
            '"' => quoted.extend(std::iter::repeat_n('\\', 2 * backslashes + 1)),
            _ => quoted.extend(std::iter::repeat_n('\\', backslashes)),
        }
        backslashes = 0;
        quoted.push(character);
    }
    // The closing quote is one, too.
    quoted.extend(std::iter::repeat_n('\\', 2 * backslashes));
    quoted.push('"');
    quoted
}

/// All arguments in one line.
pub fn command_line(arguments: &[&str]) -> String {
    arguments.iter().map(|argument| quote(argument)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_are_doubled_where_windows_counts_them() {
        let cases = [
            ("plain.exe", "plain.exe"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a\tb", "\"a\tb\""),
            ("a\nb", "\"a\nb\""),
            ("\"x\"", "\"\\\"x\\\"\""),
            ("x\\\"y", "\"x\\\\\\\"y\""),
            ("dir name\\", "\"dir name\\\\\""),
            ("c:\\dir\\", "c:\\dir\\"),
            ("grün", "grün"),
        ];
        for (argument, wanted) in cases {
            assert_eq!(quote(argument), wanted, "{argument:?}");
        }
        assert_eq!(command_line(&["a b", "c"]), "\"a b\" c");
    }
}
