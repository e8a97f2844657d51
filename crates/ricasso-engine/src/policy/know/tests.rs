//! Every example of every entry, and the questions about names and options.

use super::table::Program;
use super::{Act, Does, Harm, TABLES, acts, names, option_spellings, subcommand};
use crate::policy::word::{Becomes, Piece, Word};
use crate::policy::words::Meets;

/// Words of an example: blanks between, quotes as in a shell, `?` for a word that is not known.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut open: Option<(String, bool)> = None;
    let mut quote = None;
    for letter in text.trim().chars() {
        match (letter, quote) {
            ('\'' | '"', None) => {
                quote = Some(letter);
                open.get_or_insert_default().1 = true;
            }
            (_, Some(mark)) if mark == letter => quote = None,
            (' ', None) => words.extend(open.take()),
            _ => open.get_or_insert_default().0.push(letter),
        }
    }
    words.extend(open);
    let one = |(text, quoted): (String, bool)| match (&*text, quoted) {
        ("?", false) => Word::unknown(),
        ("?", true) => Word::new([Piece::Unknown], Becomes::One),
        _ => Word::of(text),
    };
    words.into_iter().map(one).collect()
}

fn shown(word: &Word) -> String {
    let text = word.shown();
    if text.is_empty() || text.contains(' ') { format!("'{text}'") } else { text.into_owned() }
}

fn verb(does: Does) -> String {
    let kebab = |name: &str| {
        let mut text = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !text.is_empty() {
                text.push('-');
            }
            text.push(letter.to_ascii_lowercase());
        }
        text
    };
    let harm = |harm: Harm| format!("{harm:?}");
    match does {
        Does::LookAt => "look".into(),
        Does::PutAt => "put".into(),
        Does::MoveAway => "move".into(),
        Does::ReadThroughLinks => "through-links".into(),
        Does::RunRest => "run".into(),
        Does::RunText => "text".into(),
        Does::RunTextElsewhere => "text-elsewhere".into(),
        Does::ObeyFile => "obey".into(),
        Does::Code(_) => "code".into(),
        Does::StdinCode(_) => "stdin-code".into(),
        Does::Obeys(_) => "obeys".into(),
        Does::Catastrophe(what) => format!("catastrophe {}", harm(what)),
        Does::HardToTakeBack(what) => format!("hard {}", harm(what)),
        other => kebab(&format!("{other:?}")),
    }
}

fn told(act: &Act) -> String {
    let mut text = if act.sure == Meets::Perhaps { "?".to_owned() } else { String::new() };
    text.push_str(&verb(act.does));
    if let Some(word) = &act.with {
        text.push_str(&format!(" {}", shown(word)));
    }
    if !act.rest.is_empty() {
        let rest: Vec<String> = act.rest.iter().map(shown).collect();
        text.push_str(&format!(" [{}]", rest.join(" ")));
    }
    text
}

fn check(program: &Program, prefix: &str, wrong: &mut Vec<String>) {
    for example in program.examples {
        let Some((command, expected)) = example.split_once("=>") else {
            wrong.push(format!("no `=>` in: {example}"));
            continue;
        };
        let command = words(command);
        let names = program.names.split(' ').any(|name| {
            Some(name.as_bytes()) == command[0].known()
                || Some(name.as_bytes()) == command.get(1).and_then(Word::known)
                || name.contains('.')
                || command[0].head().starts_with(name.as_bytes())
        });
        if !names {
            wrong.push(format!("{prefix}{}: not its own example: {example}", program.names));
        }
        let got = acts(&command).map(|acts| acts.iter().map(told).collect::<Vec<_>>().join(", "));
        if got.as_deref() != Some(expected.trim()) {
            wrong
                .push(format!("{example}\n      got {}", got.unwrap_or_else(|| "no entry".into())));
        }
    }
    for sub in program.subs {
        check(sub, &format!("{prefix}{} ", program.names), wrong);
    }
}

#[test]
fn every_example_holds() {
    let mut wrong = Vec::new();
    for program in TABLES.iter().flat_map(|table| table.iter()) {
        if program.examples.is_empty() {
            wrong.push(format!("{}: no examples", program.names));
        }
        check(program, "", &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_name_is_in_one_entry() {
    let mut all: Vec<&str> = names().collect();
    let count = all.len();
    all.sort_unstable();
    let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert!(!all.iter().any(|name| name.is_empty() || name.ends_with('_')));
    assert!(count >= 150, "{count}");
}

#[test]
fn subcommands_are_found_behind_global_options() {
    assert_eq!(subcommand(&words("git -C x -c a=b --no-pager push -f")), Some(vec![6]));
    assert_eq!(subcommand(&words("git stash --x drop")), Some(vec![1, 3]));
    assert_eq!(subcommand(&words("cat x")), None);
    assert_eq!(subcommand(&words("git")), Some(vec![]));
}

#[test]
fn options_have_every_spelling() {
    assert!(option_spellings("git", "push", "-f").contains(&"--force"));
    assert!(option_spellings("rm", "", "--recursive").contains(&"-r"));
    assert_eq!(option_spellings("no-such-program", "", "-f"), vec!["-f"]);
}

/// Words that meet the edges of the reader: bundles, values that are missing, ends of options.
const EDGES: &[&str] = &[
    "",
    "-",
    "--",
    "---",
    "-=",
    "--=",
    "-o",
    "-ox",
    "--output",
    "--output=",
    "--o",
    "-exec",
    ";",
    "+",
    "{}",
    "-c",
    "-e",
    "-I",
    "-I{}",
    ":::",
    "-x",
    "--exec=",
    "cf",
    "xfC",
    "=",
    "A=",
    "a:b",
    "a://",
    "://",
    "[",
    "@",
    "s/",
    "s/a/b/w",
    "BEGIN{",
    "\"",
    "\"\\(",
    "'",
    "`",
    "${",
    "\u{202e}",
    "-1",
    "+!",
    "file:",
    "ext::",
    "-S",
    "a=b=c",
    "src=/",
    "EXEC:",
    "%",
    "q(",
    "s{",
    "/*",
    "'''",
    ".",
    "..",
    "/",
    "?",
    "'?'",
    "push",
    "run",
    "-f",
];

#[test]
fn no_words_break_it() {
    let names: Vec<&str> = names().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |count: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % count as u64).expect("it is less than a count")
    };
    for _ in 0..20_000 {
        let mut command = vec![Word::of(names[next(names.len())])];
        for _ in 0..next(7) {
            command.push(match next(12) {
                0 => Word::unknown(),
                1 => Word::new([Piece::Known(b"--output=".to_vec()), Piece::Unknown], Becomes::One),
                2 => Word::of(names[next(names.len())]),
                3 => Word::new([Piece::Glob(b"*".to_vec())], Becomes::Any),
                _ => Word::of(EDGES[next(EDGES.len())]),
            });
        }
        let acts = acts(&command).expect("the name is in the catalogue");
        assert!(acts.iter().all(|act| act.at < command.len()), "{command:?}");
        subcommand(&command);
    }
}
