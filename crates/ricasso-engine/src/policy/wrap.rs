//! Programs that start another one named by their own words: what stands behind them, as data.
//!
//! A wrapper that is not in the table is judged as itself alone. An inner text is read again, at
//! most a few levels deep; deeper ones are unknown.

use super::walk::{self, Reads, Simple};

/// A text inside a text inside a text: nobody writes more, and each level costs a reading.
const MAX_DEPTH: usize = 8;

/// How a wrapper's words lead to the inner command.
struct Wrapper {
    names: &'static [&'static str],
    /// Options that take the next word as their value.
    valued: &'static [&'static str],
    /// Operands before the inner program.
    operands: usize,
    /// What follows the inner words.
    tail: Tail,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    Nothing,
    /// More words that nobody knows before it runs.
    Unknown,
}

const WRAPPERS: &[Wrapper] = &[
    plain(&["env"], &["-u", "--unset", "-C", "--chdir", "-a", "--argv0"], 0),
    plain(
        &["sudo", "doas", "pkexec"],
        &[
            "-u", "--user", "-g", "--group", "-C", "-D", "--chdir", "-h", "-p", "-R", "-r", "-t",
            "-T",
        ],
        0,
    ),
    plain(&["nice"], &["-n", "--adjustment"], 0),
    plain(&["ionice"], &["-c", "-n", "-p", "--class", "--classdata"], 0),
    plain(&["nohup", "setsid", "command", "builtin", "busybox", "toybox", "eatmydata"], &[], 0),
    plain(&["exec"], &["-a"], 0),
    plain(&["timeout"], &["-k", "--kill-after", "-s", "--signal"], 1),
    plain(&["stdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    plain(&["time"], &["-f", "--format", "-o", "--output"], 0),
    plain(&["chroot"], &[], 1),
    Wrapper {
        names: &["xargs"],
        valued: &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs"],
        operands: 0,
        tail: Tail::Unknown,
    },
];

const SHELLS: &[&[u8]] = &[b"sh", b"bash", b"dash", b"ash", b"zsh", b"ksh", b"mksh"];

const fn plain(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { names, valued, operands, tail: Tail::Nothing }
}

/// The command and everything that it starts by its own words, outermost first. All carry the span
/// of the outermost one, which is what the caller wrote.
pub(super) fn unfold(simple: Simple, reads: Reads) -> Vec<Simple> {
    let mut all = Vec::new();
    unfold_into(simple, reads, MAX_DEPTH, &mut all);
    all
}

fn unfold_into(simple: Simple, reads: Reads, depth: usize, all: &mut Vec<Simple>) {
    let inner = if depth == 0 { vec![unknown(&simple)] } else { inside(&simple, reads) };
    all.push(simple);
    if depth == 0 {
        all.extend(inner);
        return;
    }
    for command in inner {
        unfold_into(command, reads, depth - 1, all);
    }
}

fn inside(simple: &Simple, reads: Reads) -> Vec<Simple> {
    let Some(Some(program)) = simple.words.first() else {
        return Vec::new();
    };
    let name = base_name(program);
    if SHELLS.contains(&name) {
        return inline_text(simple).map_or_else(Vec::new, |text| read_again(simple, text, reads));
    }
    if name == b"eval" {
        return read_again(simple, joined(&simple.words[1..]).as_deref(), reads);
    }
    let named = |wrapper: &&Wrapper| wrapper.names.iter().any(|n| n.as_bytes() == name);
    WRAPPERS.iter().find(named).and_then(|wrapper| wrapped(simple, wrapper)).into_iter().collect()
}

fn read_again(simple: &Simple, text: Option<&[u8]>, reads: Reads) -> Vec<Simple> {
    let Some(text) = text else {
        return vec![unknown(simple)];
    };
    let walked = walk::walk(text, reads);
    let mut commands = walked.commands;
    if walked.unreadable.is_some() {
        commands.push(unknown(simple));
    }
    commands.iter_mut().for_each(|command| command.span = simple.span);
    commands
}

/// The text after `-c` of a shell: none where there is no `-c`, unknown where its word is.
fn inline_text(simple: &Simple) -> Option<Option<&[u8]>> {
    let mut rest = simple.words[1..].iter();
    while let Some(word) = rest.next() {
        let Some(word) = word else {
            return Some(None);
        };
        let option = word.starts_with(b"-") || word.starts_with(b"+");
        if !option {
            return None;
        }
        if !word.starts_with(b"--") && word.starts_with(b"-") && word.contains(&b'c') {
            let operand = rest.find(|word| !word.as_deref().is_some_and(|w| w.starts_with(b"-")));
            return Some(operand.and_then(|word| word.as_deref()));
        }
        if word.as_slice() == b"-o" || word.as_slice() == b"+o" {
            rest.next();
        }
    }
    None
}

fn wrapped(simple: &Simple, wrapper: &Wrapper) -> Option<Simple> {
    let mut at = 1;
    let mut operands = wrapper.operands;
    let mut assigned = Vec::new();
    while let Some(word) = simple.words.get(at) {
        let Some(word) = word else {
            return Some(unknown(simple));
        };
        if word.len() > 1 && word.starts_with(b"-") {
            let valued = wrapper.valued.iter().any(|option| option.as_bytes() == word.as_slice());
            at += if valued { 2 } else { 1 };
        } else if let Some(name) = assignment(word) {
            assigned.push(name.to_vec());
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    let mut words = simple.words.get(at..)?.to_vec();
    if words.is_empty() && assigned.is_empty() {
        return None;
    }
    if wrapper.tail == Tail::Unknown {
        words.push(None);
    }
    Some(Simple { words, assigned, span: simple.span })
}

fn assignment(word: &[u8]) -> Option<&[u8]> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    (at > 0 && word[..at].iter().all(good)).then_some(&word[..at])
}

fn joined(words: &[Option<Vec<u8>>]) -> Option<Vec<u8>> {
    let known: Option<Vec<&[u8]>> = words.iter().map(|word| word.as_deref()).collect();
    known.map(|words| words.join(&b' '))
}

fn unknown(simple: &Simple) -> Simple {
    Simple { words: vec![None, None], assigned: Vec::new(), span: simple.span }
}

/// The last part of a path.
pub(super) fn base_name(word: &[u8]) -> &[u8] {
    word.rsplit(|byte| *byte == b'/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(text: &str) -> Vec<String> {
        let walked = walk::walk(text.as_bytes(), Reads::Bash);
        let show = |simple: Simple| match simple.words.first() {
            Some(Some(word)) => String::from_utf8(word.clone()).unwrap(),
            Some(None) => "?".to_string(),
            None => "-".to_string(),
        };
        walked.commands.into_iter().flat_map(|c| unfold(c, Reads::Bash)).map(show).collect()
    }

    #[test]
    fn what_stands_behind_a_wrapper_is_seen() {
        assert_eq!(programs("env -u X A=1 nice -n 5 git push"), ["env", "nice", "git"]);
        assert_eq!(programs("timeout -k 1s 5 rm x"), ["timeout", "rm"]);
        assert_eq!(programs("sh -ec 'a; b c'"), ["sh", "a", "b"]);
        assert_eq!(programs("bash -c \"$X\""), ["bash", "?"]);
        assert_eq!(programs("bash script.sh"), ["bash"]);
        assert_eq!(programs("eval ls -l"), ["eval", "ls"]);
        assert_eq!(programs("xargs rm"), ["xargs", "rm"]);
        assert_eq!(programs("sudo $X"), ["sudo", "?"]);
    }

    #[test]
    fn depth_is_bounded_and_ends_unknown() {
        let text = format!("{}ls", "env ".repeat(20));
        assert_eq!(programs(&text).last().map(String::as_str), Some("?"));
    }
}
