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
use crate::policy::word::Word;

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
        names: "git-lfs git-filter-repo git-crypt",
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

/// Another repository: what its settings say is obeyed.
pub(super) fn directory(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if !matches!(word.known(), Some(b".git" | b"./.git" | b".git/")) {
        plain(Does::ReadTree, word, at, acts);
        plain(Does::ObeyFile, word, at, acts);
    }
}

/// A branch or a path; only what names a whole directory for certain is work.
pub(super) fn path(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let shown = word.shown();
    if matches!(&*shown, "." | "./" | ":/" | ".." | "*") || shown.ends_with('/') {
        acts.push(Act::with(Does::HardToTakeBack(Harm::Work), word, at));
    }
}

/// Changes of a whole directory are work; those of one named file are daily business.
pub(super) fn discard(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let shown = word.shown();
    let many = matches!(&*shown, "." | "./" | ":/" | ":" | ".." | "*")
        || shown.ends_with('/')
        || shown.ends_with("/.")
        || shown.contains('*')
        || word.known().is_none();
    acts.push(Act { at, ..Act::of(Does::ChangeWorkTree) });
    if many {
        acts.push(Act::with(Does::HardToTakeBack(Harm::Work), word, at));
    }
}
