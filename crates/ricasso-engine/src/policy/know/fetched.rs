//! Code that is fetched or named and then runs: packages, tools, modules, scripts.

use super::uses::{plain, until};
use super::{Act, Does, Harm, Language, place};
use crate::policy::word::Word;

/// What to install or run: an address is foreign code, a path or a name is opaque.
pub(super) fn package(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let has = |part: &[u8]| head.windows(part.len()).any(|found| found == part);
    let starts = |start: &[u8]| head.starts_with(start);
    if has(b"://") && !starts(b"file://") || starts(b"git+") || starts(b"github:") {
        acts.push(Act::with(Does::Catastrophe(Harm::ForeignCode), word, at));
        place::url(word, at, acts);
    } else if starts(b".") || starts(b"/") || starts(b"~") {
        acts.push(Act::with(Does::Read, word, at));
    }
}

/// `python -m NAME`, with the words after it.
pub(super) fn module(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let after = words.get(at + 1..).unwrap_or_default();
    match word.known() {
        Some(b"pip") => {
            let mut rest = vec![Word::of("pip")];
            rest.extend(after.iter().cloned());
            acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
        }
        Some(b"json.tool") => {
            let files: Vec<&Word> =
                after.iter().filter(|word| !word.head().starts_with(b"-")).collect();
            for (number, file) in files.iter().enumerate() {
                let does = if number == 0 { Does::Read } else { Does::Overwrite };
                plain(does, file, at, acts);
            }
        }
        Some(b"http.server" | b"SimpleHTTPServer") => {
            acts.push(Act { at, ..Act::of(Does::Listen) });
        }
        Some(b"this" | b"calendar" | b"platform" | b"site" | b"sysconfig") => {}
        Some(b"venv" | b"virtualenv") => {
            for dir in after.iter().filter(|word| !word.head().starts_with(b"-")) {
                acts.push(Act::with(Does::Edit, dir, at));
            }
            acts.push(Act { at, ..Act::of(Does::Opaque) });
        }
        Some(_) | None => acts.push(Act { at, ..Act::of(Does::Opaque) }),
    }
}

/// A tool that the catalogue knows under its own name is judged as that; any other is opaque.
pub(super) fn tool(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let name = word.known().map(|name| match name.iter().rposition(|byte| *byte == b'@') {
        Some(version) if version > 0 => &name[..version],
        Some(_) | None => name,
    });
    if let Some(name) = name.filter(|name| super::find_entry(&Word::of(*name)).is_some()) {
        let after = words.get(at + 1..).unwrap_or_default();
        let rest = std::iter::once(Word::of(name)).chain(after.iter().cloned()).collect();
        acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
        return;
    }
    package(word, at, acts);
    acts.push(Act { at, ..Act::of(Does::Opaque) });
    if !acts.iter().any(|act| act.does == Does::Connect) {
        acts.push(Act { at, ..Act::of(Does::Connect) });
    }
}

pub(super) fn remote_script(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if word.head().windows(3).any(|found| found == b"://") {
        package(word, at, acts);
    } else {
        acts.push(Act::with(Does::CodeFile, word, at));
    }
}

/// Modules that only compute; any other is code that the words do not show.
pub(super) fn perl_module(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let name = until(word, b"=");
    let harmless = matches!(
        name.known(),
        Some(
            b"strict"
                | b"warnings"
                | b"utf8"
                | b"POSIX"
                | b"List::Util"
                | b"Data::Dumper"
                | b"JSON::PP"
                | b"Time::Local"
                | b"MIME::Base64"
                | b"Digest::MD5"
                | b"Digest::SHA"
                | b"Scalar::Util"
                | b"feature"
                | b"integer"
                | b"bigint"
        )
    );
    if !harmless {
        acts.push(Act { at, ..Act::of(Does::Opaque) });
    }
}

pub(super) fn go_target(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let host = head.split(|byte| *byte == b'/').next().unwrap_or_default();
    if host.contains(&b'.') && !head.starts_with(b".") && head.contains(&b'@') {
        acts.push(Act::with(Does::Catastrophe(Harm::ForeignCode), word, at));
        place::url(word, at, acts);
    }
}

/// A file of code, or `-` for standard input. Scripts that frameworks always bring have entries.
pub(super) fn script(
    word: &Word,
    language: Language,
    at: usize,
    words: &[Word],
    acts: &mut Vec<Act>,
) {
    let name = word.known().and_then(|name| name.rsplit(|byte| *byte == b'/').next());
    if matches!(name, Some(b"manage.py" | b"artisan"))
        && let Some(inner) = super::acts(words.get(at..).unwrap_or_default())
    {
        acts.extend(inner.into_iter().map(|act| Act { at: act.at + at, ..act }));
    }
    if matches!(word.known(), Some(b"-" | b"/dev/stdin")) {
        acts.push(Act { at, ..Act::of(Does::StdinCode(language)) });
    } else {
        acts.push(Act::with(Does::CodeFile, word, at));
    }
}
