//! git: what each sub-command reads, changes, runs and reaches.
//!
//! The tables of the sub-commands lie in `look` (those that mostly show) and `change` (those that
//! mostly change); here are the program's own options and the meaning of its values.

mod change;
mod look;
mod setting;

pub(super) use setting::setting;

use super::table::{CODE_FILE, ENTER, EXACT_STOP, GNU, Program, Use, act, glued, skip, val};
use super::uses::plain;
use super::{Act, Does, Harm, Settings};
use crate::policy::word::{Becomes, Piece, Word};

/// The base of a sub-command: long options may be abbreviated, `--help` shows a page by a pager.
const SUB: Program = Program { tells: "", ..GNU };
/// The same for the family of diff, whose options must be spelled in full.
const SHOWS: Program = Program { style: super::table::Style::Exact, ..SUB };

/// The same where the first operand ends the options.
const STOPS: Program = Program { tells: "", ..EXACT_STOP };

/// Whatever lies in the work tree is compared with the index.
const STATUS: Settings = Settings::FSMONITOR.and(Settings::FILTER);
/// Whatever a connection may ask for.
const REMOTE: Settings =
    Settings::SSH.and(Settings::CREDENTIAL).and(Settings::HOOKS).and(Settings::REMOTE);
/// Whatever making a commit may run.
const COMMIT: Settings =
    Settings::HOOKS.and(Settings::EDITOR).and(Settings::GPG).and(STATUS).and(Settings::MERGE);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "git",
        options: &[
            val("-c", Use::GitSetting),
            val("-C", ENTER),
            val("--git-dir", Use::GitDirectory),
            val("--work-tree", Use::Both(Does::ReadTree, Does::Enter)),
            glued("--exec-path", CODE_FILE),
            val("--config-env", Use::Is(Does::Opaque)),
            act("-p --paginate", Does::Opaque),
            skip("--namespace --attr-source --super-prefix"),
        ],
        tells: "--version -v --html-path --man-path --info-path --list-cmds -h",
        subs: SUBS,
        other: &[Does::Opaque, Does::Obeys(Settings::ALIAS)],
        shape: super::table::NONE,
        examples: &[
            "git --version => ",
            "git -C /x log => enter /x",
            "git -c color.ui=never log => ",
            "git -c core.pager='touch x' log => text 'touch x'",
            "git -c alias.x='!touch x' x => opaque, obeys, text 'touch x'",
            "git -c include.path=e status => obeys, obey e",
            "git --exec-path=./e ls-remote h:x => obeys, code-file ./e, connect h",
            "git --git-dir=e/.git status => obeys, read-tree e/.git, obey e/.git",
            "git --git-dir=.git rev-parse HEAD => ",
            "git --html-path --exec-path=./e => ",
            "git st => opaque, obeys",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "git-filter-repo bfg",
        shape: super::table::always(&[
            Does::ChangeRepository,
            Does::Opaque,
            Does::HardToTakeBack(Harm::History),
        ]),
        examples: &["git-filter-repo --path x => change-repository, opaque, hard History"],
        ..GNU
    },
];

const SUBS: &[Program] = &{
    const COUNT: usize = look::TABLE.len() + change::TABLE.len();
    let mut all = [SUB; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < look::TABLE.len() {
            look::TABLE[at]
        } else {
            change::TABLE[at - look::TABLE.len()]
        };
        at += 1;
    }
    all
};

/// A revision or a path. git reads files outside the work tree by name (`diff a /etc/passwd`).
pub(super) fn revision(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let outside = head.starts_with(b"/") || head.starts_with(b"~") || head.starts_with(b"../");
    if outside && !head.starts_with(b"/dev/null") {
        acts.push(Act::with(Does::Read, word, at));
    }
}

/// `%G` in a format asks the program that checks signatures.
pub(super) fn format(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let asks = match word.known() {
        Some(text) => text.windows(2).any(|pair| pair == b"%G"),
        None => false,
    };
    if asks {
        acts.push(Act { at, ..Act::of(Does::Obeys(Settings::GPG)) });
    }
}

/// The value behind a key: the setting is made, and what it names will run some day.
pub(super) fn config(word: &Word, does: Does, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    if does != Does::Nothing {
        acts.push(Act { at, ..Act::of(does) });
    }
    let key = at.checked_sub(1).and_then(|before| words.get(before)).and_then(Word::known);
    let Some(key) = key else { return };
    let mut pieces = vec![Piece::Known([key, b"="].concat())];
    pieces.extend(word.pieces().iter().cloned());
    let mut made = Vec::new();
    setting(&Word::new(pieces, Becomes::One), at, &mut made);
    // A place that is only named is nothing yet.
    made.retain(|act| matches!(act.does, Does::RunText | Does::RunRest | Does::CodeFile));
    acts.append(&mut made);
}

/// Another repository: what its settings say is obeyed.
pub(super) fn directory(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if !matches!(word.known(), Some(b".git" | b"./.git" | b".git/")) {
        plain(Does::ReadTree, word, at, acts);
        plain(Does::ObeyFile, word, at, acts);
    }
}

/// A branch or a path; only what names many files for certain is work. Behind `--` or a revision
/// it is a path.
pub(super) fn path(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let before = words.get(..at).unwrap_or_default();
    let plain = |word: &&Word| !word.head().starts_with(b"-");
    let behind = before.iter().any(|word| word.known() == Some(b"--"))
        || before.iter().skip_while(|it| it.known() != Some(b"checkout")).filter(plain).count() > 1;
    if many(word) {
        acts.push(Act::with(Does::HardToTakeBack(Harm::Work), word, at));
    } else if behind {
        acts.push(Act::with(Does::Discard, word, at));
    } else {
        acts.push(Act::with(Does::Discard, word, at).perhaps());
    }
}

/// Whether a word names more than one file, whatever lies there.
fn many(word: &Word) -> bool {
    let shown = word.shown();
    matches!(&*shown, "." | "./" | ":/" | ":" | ".." | "*")
        || shown.ends_with('/')
        || shown.ends_with("/.")
        || shown.contains('*')
        || shown.starts_with(":(")
}

/// Changes of a whole directory are work; those of one named file are daily business.
pub(super) fn discard(word: &Word, at: usize, acts: &mut Vec<Act>) {
    acts.push(Act { at, ..Act::of(Does::ChangeWorkTree) });
    if many(word) || word.known().is_none() {
        acts.push(Act::with(Does::HardToTakeBack(Harm::Work), word, at));
    } else {
        acts.push(Act::with(Does::Discard, word, at));
    }
}
