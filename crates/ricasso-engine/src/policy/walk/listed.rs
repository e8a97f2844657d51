//! Programs that print lists of paths or of processes, for others to work on.

use super::super::know::Does;
use super::super::word::{Becomes, Piece, Word};
use super::command::Call;
use super::expand::Argument;
use super::inner::below;
use super::seen::Seen;
use super::state::{From, Text};
use super::stream::Stream;

/// Programs that list what a package put on the machine.
const PACKAGED: [(&[u8], &[u8]); 5] =
    [(b"dpkg", b"-L"), (b"rpm", b"-ql"), (b"pacman", b"-Ql"), (b"apk", b"-L"), (b"pkg", b"info")];

/// Options of `fd` with a value; those of the second list choose what is found.
const FD_VALUES: &str = "-d -E -t -j -c -o --max-depth --min-depth --exact-depth --exclude --type \
     --threads --color --owner --base-directory --search-path --max-results --format";
const FD_CHOOSES: &str = "-e -S --extension --size --changed-within --changed-before";

/// The paths that a program prints, each below one of these words.
pub(super) fn paths(name: &[u8], seen: &Seen, call: &Call) -> Option<Stream> {
    let has = |list: &str| given(&seen.words, list);
    let chooses = match name {
        b"rg" if has("--files") => has("-g -t -T --glob --iglob --type --type-not"),
        b"rg" | b"grep" | b"egrep" | b"fgrep" | b"ag" | b"ack"
            if has("-l -L --files-with-matches --files-without-match") =>
        {
            true
        }
        b"du" | b"tree" => false,
        b"locate" | b"plocate" | b"mlocate" => return Some(Stream::Paths(vec![rooted()])),
        b"ls" => return Some(listed(seen, call)),
        b"git" if has_word(&seen.words, b"ls-files") => return Some(in_git(seen)),
        _ => {
            let told = PACKAGED.iter().any(|(known, option)| {
                name == *known && has(std::str::from_utf8(option).unwrap_or_default())
            });
            return told.then(|| Stream::Paths(vec![rooted()]));
        }
    };
    let read = [Does::Read, Does::ReadTree, Does::ReadThroughLinks, Does::LookAt];
    let roots = seen.effects.iter().filter(|effect| read.contains(&effect.does));
    let mut roots: Vec<Word> = roots.filter_map(|effect| effect.word.clone()).collect();
    roots.dedup();
    if roots.is_empty() {
        roots.push(Word::of("."));
    }
    let chosen: Option<&[u8]> = chooses.then_some(b"");
    Some(Stream::Paths(roots.iter().map(|root| below(root, chosen)).collect()))
}

/// What `fd` finds: below its directories, chosen by a pattern or an option.
pub(super) fn found_by_fd(call: &Call) -> Vec<Word> {
    let among = |list: &str, word: &[u8]| list.split_whitespace().any(|it| it.as_bytes() == word);
    let mut chosen = false;
    let mut operands: Vec<&Word> = Vec::new();
    let mut words = call.arguments.iter().skip(1).map(|it| &it.word);
    while let Some(word) = words.next() {
        match word.known() {
            Some(b"-x" | b"-X" | b"--exec" | b"--exec-batch") => break,
            Some(option) if among(FD_CHOOSES, option) => {
                chosen = true;
                words.next();
            }
            Some(option) if among(FD_VALUES, option) => {
                words.next();
            }
            Some(option) if option.starts_with(b"-") && option.len() > 1 => {
                chosen |= option.starts_with(b"-e") || option.starts_with(b"--ext");
            }
            Some(_) | None => operands.push(word),
        }
    }
    let everything = |word: &&Word| matches!(word.known(), Some(b"." | b".*" | b""));
    chosen |= operands.first().is_some_and(|pattern| !everything(pattern));
    let roots = operands.into_iter().skip(1);
    let roots: Vec<Word> = roots.cloned().collect();
    let roots = if roots.is_empty() { vec![Word::of(".")] } else { roots };
    let chosen: Option<&[u8]> = chosen.then_some(b"");
    roots.iter().map(|root| below(root, chosen)).collect()
}

/// `ls`: names without their directory, but what the shell itself found is printed as it is.
fn listed(seen: &Seen, call: &Call) -> Stream {
    let operands = call.arguments.iter().skip(1).map(|it| &it.word);
    let operands = operands.filter(|word| !word.head().starts_with(b"-"));
    let found: Vec<Word> = operands.cloned().collect();
    if found.iter().any(|word| word.known().is_some_and(|it| it.starts_with(b"/proc"))) {
        return Stream::unknown(From::Processes);
    }
    let globs = |word: &Word| word.pieces().iter().any(|piece| matches!(piece, Piece::Glob(_)));
    let known: Option<Vec<&[u8]>> = found.iter().map(Word::known).collect();
    if let Some(known) = known.filter(|it| !it.is_empty() && given(&seen.words, "-d --directory")) {
        return Stream::of(known.join(&b'\n'));
    }
    match found.as_slice() {
        [] => Stream::Paths(vec![below(&Word::of("."), None)]),
        words if words.iter().all(globs) => Stream::Paths(found),
        _ if given(&seen.words, "-d --directory") => Stream::Paths(found),
        [one] if matches!(one.known(), Some(b"." | b"./")) => Stream::Paths(vec![below(one, None)]),
        _ => Stream::unknown(From::Here),
    }
}

/// `git ls-files`: everything that is kept, or what its words choose.
fn in_git(seen: &Seen) -> Stream {
    let at = seen.words.iter().position(|word| word.known() == Some(b"ls-files"));
    let rest = &seen.words[at.map_or(0, |at| at + 1)..];
    let all = ["-z", "-c", "-s", "-t", "-v", "--cached", "--stage", "--full-name", "--"];
    let plain = |word: &Word| all.iter().any(|it| word.known() == Some(it.as_bytes()));
    let chosen: Option<&[u8]> = (!rest.iter().all(plain)).then_some(b"");
    Stream::Paths(vec![below(&Word::of("."), chosen)])
}

/// Something, anywhere on the machine.
fn rooted() -> Word {
    let pieces = vec![Piece::Known(b"/found".to_vec()), Piece::Glob(b"*".to_vec())];
    Word::new(pieces, Becomes::Any)
}

/// Whether a program prints the numbers of all processes, or of the first one.
pub(super) fn all_processes(name: &[u8], words: &[Word]) -> bool {
    let has = |list: &str| given(words, list);
    let operand = words.iter().skip(1).rfind(|word| !word.head().starts_with(b"-"));
    let operand = operand.and_then(Word::known);
    match name {
        b"ps" => {
            let bsd = |word: &[u8]| word.iter().all(|it| b"aefuxw".contains(it));
            let mut plain = words.iter().skip(1).filter_map(Word::known);
            let all = has("-e -A") || plain.any(|word| bsd(word) && word.contains(&b'x'));
            all && !has("-p -q -C -u -U -G -g -t -s --pid --ppid --user --tty --quick-pid --sid")
        }
        b"pgrep" => {
            has("-v --inverse")
                || matches!(operand, Some(b"." | b".*" | b"" | b"^" | b"init" | b"systemd"))
        }
        b"pidof" => matches!(operand, Some(b"init" | b"systemd")),
        _ => false,
    }
}

/// One word of a loop: the directories of all processes stand for the processes.
pub(super) fn each_of(argument: &Argument) -> Text {
    let word = &argument.word;
    let globs = word.pieces().iter().any(|piece| matches!(piece, Piece::Glob(_)));
    let all = word.head() == b"/proc/" && globs;
    let from = if all { From::Processes } else { argument.from };
    Text { pieces: word.pieces().to_vec(), from }
}

/// Whether a filter lets the numbers of all processes through.
pub(super) fn passes_all(name: &[u8], words: &[Word]) -> bool {
    let second = words.get(1).and_then(Word::known).unwrap_or_default();
    let last = words.last().and_then(Word::known).unwrap_or_default();
    match name {
        b"grep" | b"egrep" | b"rg" => last.iter().all(|byte| b"^$[]0-9+*\\d{1,}".contains(byte)),
        b"awk" | b"gawk" | b"mawk" => {
            let program = last.trim_ascii();
            let program = program.strip_prefix(b"NR>1").unwrap_or(program).trim_ascii();
            let column = |byte: &u8| b"{}print $0123456789;".contains(byte);
            program.iter().all(column)
        }
        b"sed" => last == b"1d",
        b"head" => false,
        b"tail" => second.starts_with(b"+") || last.starts_with(b"+") || second.contains(&b'+'),
        _ => true,
    }
}

/// Whether one of these options is given, in a bundle of letters too.
fn given(words: &[Word], options: &str) -> bool {
    let is = |word: &[u8], option: &[u8]| match option {
        [b'-', letter] => {
            word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(letter)
        }
        option => word == option || word.starts_with(&[option, b"="].concat()),
    };
    let words = words.iter().skip(1).filter_map(Word::known);
    words.into_iter().any(|word| options.split_whitespace().any(|it| is(word, it.as_bytes())))
}

fn has_word(words: &[Word], wanted: &[u8]) -> bool {
    words.iter().any(|word| word.known() == Some(wanted))
}
