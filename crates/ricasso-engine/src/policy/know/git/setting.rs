//! `git -c key=value`: settings that run programs or read files, and those that do neither.

use crate::policy::know::uses::plain;
use crate::policy::know::{Act, Does};
use crate::policy::word::Word;

/// First parts of keys under which nothing runs.
const PLAIN_SECTIONS: &[&str] = &[
    "color",
    "advice",
    "user",
    "author",
    "committer",
    "log",
    "column",
    "push",
    "pull",
    "fetch",
    "init",
    "branch",
    "status",
    "rebase",
    "merge",
    "apply",
    "blame",
    "grep",
    "index",
    "gc",
    "pack",
    "feature",
    "format",
    "i18n",
    "notes",
    "rerere",
    "safe",
    "stash",
    "tag",
    "transfer",
    "versionsort",
    "checkout",
    "commit",
    "clean",
    "clone",
    "worktree",
    "submodule",
    "diff",
    "http",
    "help",
    "receive",
];

/// Keys of sections that also hold programs, which only say how to do it.
const PLAIN_CORE: &[&str] = &[
    "quotepath",
    "autocrlf",
    "eol",
    "safecrlf",
    "abbrev",
    "filemode",
    "ignorecase",
    "symlinks",
    "bare",
    "compression",
    "longpaths",
    "precomposeunicode",
    "whitespace",
    "untrackedcache",
    "preloadindex",
    "logallrefupdates",
    "commentchar",
    "checkstat",
    "trustctime",
    "protectntfs",
    "protecthfs",
    "deltabasecachelimit",
    "packedgitlimit",
    "bigfilethreshold",
    "multipackindex",
    "commitgraph",
    "sparsecheckout",
    "sparsecheckoutcone",
];

/// Adds what this setting does.
pub(in crate::policy::know) fn setting(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let end = head.iter().position(|byte| *byte == b'=').unwrap_or(head.len());
    if end == head.len() && word.known().is_none() {
        acts.push(Act::with(Does::Anything, word, at).perhaps());
        return;
    }
    let key = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
    let value = word.without((end + 1).min(head.len()));
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    match kind(&key, section, name) {
        Kind::Plain => {}
        Kind::Text if off(&value) => {}
        // Text for a shell behind `!`, else the name of one of git's own helpers.
        Kind::Text if value.head().starts_with(b"!") => {
            plain(Does::RunText, &value.without(1), at, acts);
        }
        Kind::Text => plain(Does::RunText, &value, at, acts),
        Kind::Alias => alias(&value, at, acts),
        Kind::Obeyed => plain(Does::ObeyFile, &value, at, acts),
        Kind::Code if off(&value) => {}
        Kind::Code => plain(Does::CodeFile, &value, at, acts),
        Kind::Read => plain(Does::Read, &value, at, acts),
        Kind::Place => plain(Does::Enter, &value, at, acts),
        Kind::Other => acts.push(Act { at, ..Act::of(Does::Opaque) }),
    }
}

enum Kind {
    Plain,
    Text,
    Alias,
    Obeyed,
    Code,
    Read,
    Place,
    Other,
}

fn kind(key: &str, section: &str, name: &str) -> Kind {
    match (section, name) {
        ("alias", _) => Kind::Alias,
        ("include" | "includeif", _) => Kind::Obeyed,
        ("core", "hookspath") | ("init", "templatedir") => Kind::Code,
        ("core", "worktree") => Kind::Place,
        ("core", "attributesfile" | "excludesfile") | ("commit", "template") => Kind::Read,
        ("blame", "ignorerevsfile") | ("diff", "orderfile") | ("http", "sslcert" | "sslkey") => {
            Kind::Read
        }
        ("http", "cookiefile" | "sslcainfo" | "sslcapath") => Kind::Read,
        (
            "core",
            "pager"
            | "editor"
            | "sshcommand"
            | "fsmonitor"
            | "askpass"
            | "gitproxy"
            | "alternaterefscommand",
        )
        | ("sequence", "editor")
        | ("diff", "external" | "command" | "textconv")
        | ("filter", "clean" | "smudge" | "process")
        | ("merge", "driver")
        | ("gpg", "program" | "defaultkeycommand")
        | ("credential", "helper")
        | ("interactive", "difffilter")
        | ("remote", "uploadpack" | "receivepack" | "vcs")
        | ("uploadpack", "packobjectshook")
        | ("browser" | "man" | "difftool" | "mergetool" | "guitool" | "tar", _)
        | ("trailer", "cmd" | "command")
        | ("web", "browser")
        | ("help", "browser")
        | ("sendemail", _)
        | ("pager", _) => Kind::Text,
        ("core", _) if PLAIN_CORE.contains(&name) => Kind::Plain,
        ("diff", "tool" | "guitool") | ("merge", "tool" | "guitool") => Kind::Other,
        ("commit" | "tag" | "push", "gpgsign") => Kind::Plain,
        ("http", "proxy") => Kind::Other,
        ("clone", "filtersubmodules") => Kind::Plain,
        _ if PLAIN_SECTIONS.contains(&section) && !key.is_empty() => Kind::Plain,
        _ => Kind::Other,
    }
}

/// Values that run nothing: switches, `cat`, and the empty one.
fn off(value: &Word) -> bool {
    matches!(
        value.known().map(<[u8]>::to_ascii_lowercase).as_deref(),
        Some(b"" | b"false" | b"true" | b"cat" | b"0" | b"1" | b"no" | b"off" | b"/dev/null")
            | Some(b"less" | b"less -r" | b"less -frx" | b"vi" | b"vim" | b"nano")
    )
}

/// `!text` runs in a shell, anything else is words of git.
fn alias(value: &Word, at: usize, acts: &mut Vec<Act>) {
    if value.head().starts_with(b"!") {
        plain(Does::RunText, &value.without(1), at, acts);
    } else if let Some(text) = value.known() {
        let words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        let rest = std::iter::once(Word::of("git")).chain(words.map(Word::of)).collect();
        acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
    } else {
        acts.push(Act::with(Does::RunText, value, at));
    }
}
