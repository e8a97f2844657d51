//! What a command prints, where that is plain: echo, printf, decoders, finders.

use super::super::effect::Effect;
use super::super::know::Does;
use super::super::paths::{Paths, to_path};
use super::super::rights::is_loopback;
use super::super::word::{Becomes, Piece, Word};
use super::Walker;
use super::command::{Call, base_name};
use super::inner::found_below;
use super::listed;
use super::seen::Seen;
use super::state::{From, Text};
use super::stream::Stream;
use crate::scene::{Answer, Query, Search};
use std::path::Path;

/// Filters whose output is their input as far as we care: still text from where it came.
const PASSES: [&[u8]; 8] = [b"cat", b"tee", b"head", b"tail", b"sort", b"uniq", b"pv", b"stdbuf"];

/// Filters that let some of their input through, or parts of its lines.
const CHOOSES: [&[u8]; 9] =
    [b"grep", b"egrep", b"fgrep", b"rg", b"sed", b"awk", b"gawk", b"cut", b"tr"];

/// Prints that come from a loop are not followed beyond this many words.
const MAX_PRINTED: usize = 64 << 10;

impl Walker<'_> {
    /// What a program prints.
    pub(super) fn print(&mut self, name: &[u8], seen: &Seen, call: &Call) -> Stream {
        let words = &seen.words;
        let name = base_name(name);
        let plain = match name {
            b"echo" => echo(words),
            b"printf" => printf(words),
            b"pwd" => self.pwd(),
            b"find" | b"gfind" => Some(Stream::Paths(found_below(call))),
            b"fd" | b"fdfind" => Some(Stream::Paths(listed::found_by_fd(call))),
            _ if listed::all_processes(name, words) => Some(Stream::unknown(From::Processes)),
            b"which" => self.which(words),
            b"mktemp" => Some(self.temporary(words, &call.assigned)),
            b"base64" => filtered(call, words, &[b"-d", b"-D", b"--decode", b"-di"], base64),
            b"xxd" if words.iter().skip(1).any(|word| word.head().contains(&b'r')) => {
                filtered(call, words, &[b"-r", b"-p", b"-ps", b"-rp"], hexadecimal)
            }
            b"base32" | b"gzip" | b"gunzip" | b"zcat" => None,
            b"rev" => filtered(call, words, &[], rev),
            b"tr" => translated(call, words),
            b"dirname" | b"basename" => named(name, words),
            b"realpath" | b"readlink" => self.resolved(words),
            b"git" => self.top_of_repository(seen),
            b"tac" | b"sort" | b"uniq" | b"head" | b"tail" if only_options(words) => lines(call),
            b"cat" | b"tee" if passes_input(words, name) => Some(call.feed.stream.clone()),
            b"cat" => self.file_read(seen),
            b"true" | b"false" | b":" | b"test" | b"[" | b"sleep" | b"mkdir" | b"touch" | b"rm"
            | b"cp" | b"mv" | b"chmod" | b"cd" => Some(Stream::Nothing),
            _ => None,
        };
        if let Some(plain) = plain.or_else(|| listed::paths(name, seen, call)) {
            return plain;
        }
        let from = call.feed.stream.from();
        let from = match from {
            From::Processes if !listed::passes_all(name, words) => From::Here,
            from => from,
        };
        if PASSES.contains(&name) && call.feed.stream.from() == From::Here {
            return match &call.feed.stream {
                Stream::Paths(words) => Stream::Paths(words.clone()),
                Stream::Endless if !matches!(name, b"head") => Stream::Endless,
                _ => Stream::unknown(From::Here),
            };
        }
        if CHOOSES.contains(&name) {
            return match &call.feed.stream {
                Stream::Paths(words) => Stream::Paths(words.iter().map(chosen).collect()),
                _ => Stream::unknown(from),
            };
        }
        if super::setup::prints_for_the_shell(words) {
            return Stream::unknown(From::Tool);
        }
        let network = seen.effects.iter().any(brings);
        Stream::unknown(if network { From::Network } else { from })
    }

    fn pwd(&self) -> Option<Stream> {
        match self.state.cwd.as_slice() {
            [one] => {
                let mut bytes = one.as_os_str().as_encoded_bytes().to_vec();
                bytes.push(b'\n');
                Some(Stream::of(bytes))
            }
            _ => None,
        }
    }

    /// `realpath PATH` and `readlink -f PATH`.
    fn resolved(&self, words: &[Word]) -> Option<Stream> {
        let (options, paths): (Vec<&Word>, Vec<&Word>) =
            words.iter().skip(1).partition(|word| word.head().starts_with(b"-"));
        let plain = |word: &&Word| {
            let known = word.known().unwrap_or_default();
            known.iter().skip(1).all(|byte| b"fmeszqnP".contains(byte))
        };
        let ([path], [cwd], true) =
            (paths.as_slice(), self.state.cwd.as_slice(), options.iter().all(plain))
        else {
            return None;
        };
        if options.is_empty() && words.first()?.known().map(base_name) == Some(b"readlink") {
            return None;
        }
        let paths = Paths { look: self.look, made: &self.state.made };
        let real = paths.real(&cwd.join(to_path(path.known()?)))?;
        Some(Stream::of(real.as_os_str().as_encoded_bytes()))
    }

    /// `git rev-parse --show-toplevel`, where the repository can be seen.
    fn top_of_repository(&self, seen: &Seen) -> Option<Stream> {
        let words: Option<Vec<&[u8]>> = seen.words.iter().skip(1).map(Word::known).collect();
        let ([cwd], [b"rev-parse", b"--show-toplevel"]) =
            (self.state.cwd.as_slice(), words?.as_slice())
        else {
            return None;
        };
        let there = |path: &&Path| {
            let git = Query::Kind(path.join(".git"));
            matches!(self.look.look(&git), Answer::Kind(_))
        };
        let top = cwd.ancestors().find(there)?;
        Some(Stream::of(top.as_os_str().as_encoded_bytes()))
    }

    /// `which` and `command -v`.
    pub(super) fn which(&self, words: &[Word]) -> Option<Stream> {
        let [_, .., last] = words else { return None };
        let name = last.known().filter(|name| !name.starts_with(b"-"))?;
        let program = self.identity(name, &Search::Inherited)?;
        let mut bytes = program.path.as_os_str().as_encoded_bytes().to_vec();
        bytes.push(b'\n');
        Some(Stream::of(bytes))
    }

    /// `cat FILE` of a file that the text wrote, or of one that lies here.
    fn file_read(&self, seen: &Seen) -> Option<Stream> {
        let mut all = Stream::Nothing;
        for effect in seen.effects.iter().filter(|effect| effect.does == Does::Read) {
            let word = effect.word.clone()?;
            let files: Vec<_> = match &effect.target {
                super::super::effect::Target::Path(path) => vec![path.clone()],
                _ => Vec::new(),
            };
            all.then(self.content_of(&word, &files));
        }
        Some(all)
    }
}

fn brings(effect: &Effect) -> bool {
    let loopback = effect.word.as_ref().is_some_and(is_loopback);
    effect.does == Does::Connect && !loopback
}

/// Some of these paths.
fn chosen(word: &Word) -> Word {
    let mut pieces = word.pieces().to_vec();
    if let Some(Piece::Glob(pattern)) = pieces.last_mut()
        && pattern == b"*"
    {
        *pattern = b"found*".to_vec();
    }
    Word::new(pieces, Becomes::Any)
}

pub(super) fn echo(words: &[Word]) -> Option<Stream> {
    let mut text = Text::default();
    let mut rest = words.get(1..)?;
    let mut newline = true;
    while let Some(option) = rest.first().and_then(Word::known) {
        if !matches!(option, b"-n" | b"-e" | b"-E" | b"-ne" | b"-en") {
            break;
        }
        newline &= !option.contains(&b'n');
        if option.contains(&b'e') && rest.iter().any(|word| word.head().contains(&b'\\')) {
            let known: Option<Vec<&[u8]>> = rest[1..].iter().map(Word::known).collect();
            let mut bytes = escapes(&known?.join(&b' '));
            if newline {
                bytes.push(b'\n');
            }
            return Some(Stream::of(bytes));
        }
        rest = &rest[1..];
    }
    for (number, word) in rest.iter().enumerate() {
        if number > 0 {
            text.pieces.push(Piece::Known(b" ".to_vec()));
        }
        text.pieces.extend(word.pieces().iter().cloned());
    }
    if newline {
        text.pieces.push(Piece::Known(b"\n".to_vec()));
    }
    Some(Stream::Text(text))
}

pub(super) fn printf(words: &[Word]) -> Option<Stream> {
    let mut rest = words.get(1..)?;
    if rest.first().and_then(Word::known) == Some(b"--") {
        rest = &rest[1..];
    }
    let (format, arguments) = rest.split_first()?;
    let format = format.known()?;
    let known: Option<Vec<&[u8]>> = arguments.iter().map(Word::known).collect();
    let known = known?;
    let mut arguments = known.iter();
    let mut made = Vec::new();
    loop {
        let before = arguments.len();
        once(format, &mut arguments, &mut made)?;
        if arguments.len() == 0 || arguments.len() == before || made.len() > MAX_PRINTED {
            break;
        }
    }
    Some(Stream::of(made))
}

/// The format once.
fn once(
    format: &[u8],
    arguments: &mut std::slice::Iter<'_, &[u8]>,
    made: &mut Vec<u8>,
) -> Option<()> {
    let format = escapes(format);
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            made.push(format[at]);
            at += 1;
            continue;
        }
        at += 1;
        match format.get(at)? {
            b'%' => made.push(b'%'),
            b's' | b'd' | b'i' | b'u' => {
                made.extend_from_slice(arguments.next().copied().unwrap_or_default());
            }
            b'b' => made.extend(escapes(arguments.next().copied().unwrap_or_default())),
            b'c' => made.extend(arguments.next().and_then(|word| word.first()).copied()),
            _ => return None,
        }
        at += 1;
    }
    Some(())
}

/// Backslash escapes as `echo -e` and `printf` decode them.
fn escapes(text: &[u8]) -> Vec<u8> {
    let mut made = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' || at + 1 == text.len() {
            made.push(text[at]);
            at += 1;
            continue;
        }
        at += 2;
        match text[at - 1] {
            b'n' => made.push(b'\n'),
            b't' => made.push(b'\t'),
            b'r' => made.push(b'\r'),
            b'\\' => made.push(b'\\'),
            b'x' => at += digits(&text[at..], 2, 16, &mut made),
            b'0'..=b'7' => {
                at -= 1;
                let zero = usize::from(text[at] == b'0' && text.len() > at + 3);
                at += zero + digits(&text[at + zero..], 3, 8, &mut made);
            }
            other => made.extend([b'\\', other]),
        }
    }
    made
}

fn digits(text: &[u8], most: usize, base: u32, made: &mut Vec<u8>) -> usize {
    let count = text.iter().take(most).take_while(|byte| char::from(**byte).is_digit(base)).count();
    let number = std::str::from_utf8(&text[..count]).ok();
    let number = number.and_then(|text| u32::from_str_radix(text, base).ok()).unwrap_or(0);
    made.push(u8::try_from(number & 0xff).unwrap_or(0));
    count
}

fn passes_input(words: &[Word], name: &[u8]) -> bool {
    name == b"tee"
        || words.iter().skip(1).all(|word| word.known().is_some_and(|word| word.starts_with(b"-")))
}

/// The input, through one plain filter.
fn filtered(
    call: &Call,
    words: &[Word],
    options: &[&[u8]],
    filter: fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<Stream> {
    let rest = words.get(1..)?;
    let given = rest.iter().all(|word| word.known().is_some_and(|word| options.contains(&word)));
    if !given || rest.is_empty() != options.is_empty() {
        return None;
    }
    let from = call.feed.stream.from();
    match call.feed.stream.known() {
        Some(bytes) if call.feed.given => {
            Some(filter(&bytes).map_or(Stream::unknown(from), Stream::of))
        }
        Some(_) | None => Some(Stream::unknown(from)),
    }
}

/// The bytes that pairs of hexadecimal digits stand for; `xxd` without `-r` prints them instead.
fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(pair).collect()
}

fn rev(text: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<Vec<u8>> = text
        .split(|byte| *byte == b'\n')
        .map(|line| line.iter().rev().copied().collect())
        .collect();
    Some(lines.join(&b'\n'))
}

/// Lines of a known text, in whatever order and number: whoever runs them may meet each.
fn lines(call: &Call) -> Option<Stream> {
    call.feed.stream.known().filter(|_| call.feed.given).map(Stream::of)
}

/// Whether all words are options, or numbers behind one.
fn only_options(words: &[Word]) -> bool {
    let option = |word: &[u8]| word.starts_with(b"-") || word.iter().all(u8::is_ascii_digit);
    words.iter().skip(1).all(|word| word.known().is_some_and(option))
}

/// `dirname` and `basename` of one path.
fn named(name: &[u8], words: &[Word]) -> Option<Stream> {
    let [_, path] = words else { return None };
    let path = path.known()?;
    let path = match path.iter().rposition(|byte| *byte != b'/') {
        Some(end) => &path[..=end],
        None => b"/",
    };
    let at = path.iter().rposition(|byte| *byte == b'/');
    let part = match (name, at) {
        (b"basename", Some(at)) if path.len() > 1 => &path[at + 1..],
        (b"basename", _) => path,
        (_, Some(0)) => b"/",
        (_, Some(at)) => &path[..at],
        (_, None) => b".",
    };
    Some(Stream::of(part))
}

fn translated(call: &Call, words: &[Word]) -> Option<Stream> {
    if let [_, option, set] = words
        && option.known() == Some(b"-d")
    {
        let (gone, bytes) = (self::set(set.known()?)?, call.feed.stream.known()?);
        let kept: Vec<u8> = bytes.into_iter().filter(|byte| !gone.contains(byte)).collect();
        return call.feed.given.then(|| Stream::of(kept));
    }
    let [_, from, to] = words else { return None };
    let (from, to) = (set(from.known()?)?, set(to.known()?)?);
    let bytes = call.feed.stream.known().filter(|_| call.feed.given)?;
    let map = |byte: u8| match from.iter().position(|known| *known == byte) {
        Some(at) => to.get(at).or(to.last()).copied().unwrap_or(byte),
        None => byte,
    };
    Some(Stream::of(bytes.into_iter().map(map).collect::<Vec<u8>>()))
}

fn set(text: &[u8]) -> Option<Vec<u8>> {
    if text.windows(2).any(|window| window == b"[:") {
        return None;
    }
    let text = escapes(text);
    let mut all = Vec::new();
    let mut rest = text.as_slice();
    while let [low, tail @ ..] = rest {
        match tail {
            [b'-', high, more @ ..] if low <= high => {
                all.extend(*low..=*high);
                rest = more;
            }
            _ => {
                all.push(*low);
                rest = tail;
            }
        }
    }
    Some(all)
}

/// The bytes that base64 stands for.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut made = Vec::new();
    let mut bits: u32 = 0;
    let mut count = 0;
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            made.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(made)
}
