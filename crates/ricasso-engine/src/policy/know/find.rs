//! Programs that run a command for each of many words: find, fd, xargs, parallel.
//!
//! What they put into the command stands there as far as it is known: below a start point, or not
//! at all.

use super::act::joined;
use super::read::{Reader, Stops};
use super::table::{Opt, READ, Style, Value, skip, val};
use super::uses::plain;
use super::{Act, Does};
use crate::policy::word::{Becomes, Piece, Word};

/// Tests of find that choose some of the files. The kind, depth and place of a file choose too
/// little to count.
const FILTERS: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-size",
    "-empty",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newer",
    "-user",
    "-uid",
    "-group",
    "-gid",
    "-perm",
    "-inum",
    "-samefile",
    "-links",
    "-nouser",
    "-nogroup",
    "-used",
    "-executable",
    "-broken",
];

/// Words of find that take one value.
const VALUED: &[&str] = &[
    "-maxdepth",
    "-mindepth",
    "-type",
    "-xtype",
    "-fstype",
    "-printf",
    "-context",
    "-D",
    "-regextype",
];

/// `find [-HLP] [START…] EXPRESSION`.
pub(super) fn find(words: &[Word]) -> Vec<Act> {
    let mut walk = Walk::default();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.known() {
            Some(b"-L" | b"-H") => walk.does = Does::ReadThroughLinks,
            Some(b"-P") => {}
            Some(b"-D") => at += 1,
            Some(b"--help" | b"--version" | b"-version" | b"-help") => return Vec::new(),
            Some(other) if other.starts_with(b"-O") => {}
            Some(other) if !starts_expression(other) => walk.starts.push(at),
            None if !word.head().starts_with(b"-") => walk.starts.push(at),
            Some(_) | None => break,
        }
        at += 1;
    }
    walk.filtered = narrows(&words[at.min(words.len())..]);
    walk.ending = ending(&words[at.min(words.len())..]);
    walk.expression(words, at)
}

fn starts_expression(word: &[u8]) -> bool {
    word.len() > 1 && word[0] == b'-' || matches!(word, b"(" | b"!" | b")" | b",")
}

/// Whether a test chooses some files by more than their kind. A name `*` chooses all, and `-o`
/// may let the rest through.
fn narrows(expression: &[Word]) -> bool {
    let is = |word: &Word, names: &[&str]| {
        names.iter().any(|name| word.known() == Some(name.as_bytes()))
    };
    let tests = expression.windows(2).any(|pair| {
        let newer = pair[0].head().starts_with(b"-newer");
        (is(&pair[0], FILTERS) || newer)
            && pair[1].known() != Some(b"*")
            && !matches!(pair[1].known(), Some(b"-delete" | b"-exec"))
            || is(&pair[0], &["-empty", "-nouser", "-nogroup", "-executable"])
    });
    tests && !expression.iter().any(|word| is(word, &["-o", "-or", ","])) || pruned(expression)
}

/// `… -prune -o TESTS ACTION`: only what passes these tests is acted on.
fn pruned(expression: &[Word]) -> bool {
    let at = |name: &[u8]| expression.iter().position(|word| word.known() == Some(name));
    let (Some(prune), Some(or)) = (at(b"-prune"), at(b"-o")) else { return false };
    let brackets = expression.iter().any(|word| matches!(word.known(), Some(b"(" | b",")));
    or == prune + 1 && !brackets && narrows(&expression[or + 1..])
}

/// How every name that is found ends, by the one pattern that is given.
fn ending(expression: &[Word]) -> Vec<u8> {
    let mut names =
        expression.windows(2).filter(|pair| matches!(pair[0].known(), Some(b"-name" | b"-iname")));
    match (names.next(), names.next()) {
        (Some(pair), None) if !expression.iter().any(negates) => {
            let name = pair[1].known().unwrap_or_default();
            let pattern = name.iter().rposition(|byte| b"*?[]\\".contains(byte));
            name[pattern.map_or(0, |at| at + 1)..].to_vec()
        }
        _ => Vec::new(),
    }
}

fn negates(word: &Word) -> bool {
    matches!(word.known(), Some(b"!" | b"-not"))
}

/// Where find walks, and what it finds there.
struct Walk {
    does: Does,
    starts: Vec<usize>,
    filtered: bool,
    ending: Vec<u8>,
}

impl Default for Walk {
    fn default() -> Self {
        Self { does: Does::ReadTree, starts: Vec::new(), filtered: false, ending: Vec::new() }
    }
}

impl Walk {
    fn expression(&mut self, words: &[Word], mut at: usize) -> Vec<Act> {
        let mut acts = Vec::new();
        let mut from_file = false;
        while let Some(word) = words.get(at) {
            let Some(name) = word.known() else {
                let does = Does::Anything;
                acts.push(Act::with(does, word, at).perhaps());
                at += 1;
                continue;
            };
            // A backslash that the reader of examples keeps is none of find's business.
            match name {
                b"-exec" | b"-execdir" | b"-ok" | b"-okdir" => {
                    at = self.execute(words, at + 1, &mut acts);
                    continue;
                }
                b"-delete" => self.delete(words, at, &mut acts),
                b"-fprint" | b"-fprint0" | b"-fls" => {
                    self.value(words, at, Does::Overwrite, &mut acts);
                    at += 1;
                }
                b"-fprintf" => {
                    self.value(words, at, Does::Overwrite, &mut acts);
                    at += 2;
                }
                b"-files0-from" => {
                    from_file = true;
                    self.value(words, at, Does::Read, &mut acts);
                    at += 1;
                }
                b"-newer" | b"-anewer" | b"-cnewer" | b"-samefile" => {
                    self.value(words, at, Does::LookAt, &mut acts);
                    at += 1;
                }
                b"-follow" => self.does = Does::ReadThroughLinks,
                b"-empty" | b"-nouser" | b"-nogroup" | b"-executable" => {}
                _ if is_one_of(name, FILTERS) || is_one_of(name, VALUED) => at += 1,
                _ => {}
            }
            at += 1;
        }
        if self.starts.is_empty() && !from_file {
            acts.insert(0, Act::of(self.does));
        }
        acts.extend(self.starts.iter().map(|at| Act::with(self.does, &words[*at], *at)));
        acts.sort_by_key(|act| (act.at, act.does != self.does));
        acts
    }

    fn value(&self, words: &[Word], at: usize, does: Does, acts: &mut Vec<Act>) {
        if let Some(word) = words.get(at + 1) {
            plain(does, word, at + 1, acts);
        }
    }

    fn delete(&self, words: &[Word], at: usize, acts: &mut Vec<Act>) {
        let does = if self.filtered { Does::DeleteSome } else { Does::DeleteTree };
        if self.starts.is_empty() {
            acts.push(Act { at, ..Act::of(does) });
        }
        acts.extend(self.starts.iter().map(|start| Act::with(does, &words[*start], *start)));
    }

    /// The command up to `;` or `{} +`, once for each start point where it names what is found.
    fn execute(&self, words: &[Word], from: usize, acts: &mut Vec<Act>) -> usize {
        let ends = |at: usize| match words[at].known() {
            Some(b";") => true,
            Some(b"+") => at > from && words[at - 1].known() == Some(b"{}"),
            Some(_) | None => false,
        };
        let end = (from..words.len()).find(|at| ends(*at)).unwrap_or(words.len());
        let command = &words[from.min(end)..end];
        if command.is_empty() {
            return end + 1;
        }
        let found = self.found(words);
        let names = command.iter().any(|word| holds(word, b"{}"));
        let count = if names { found.len() } else { 1 };
        for found in found.iter().take(count) {
            let rest = command.iter().map(|word| replaced(word, b"{}", found)).collect();
            let rest: Vec<Word> = rest;
            if names && !self.filtered && super::acts(&rest).is_some_and(|acts| takes(&acts, found))
            {
                acts.push(Act::with(Does::DeleteTree, found, from));
            }
            acts.push(Act { rest, at: from, ..Act::of(Does::RunRest) });
        }
        end + 1
    }

    /// What stands for `{}`: the start itself where everything is found, else something below.
    fn found(&self, words: &[Word]) -> Vec<Word> {
        let dot = Word::of(".");
        let mut starts: Vec<&Word> = self.starts.iter().map(|at| &words[*at]).collect();
        if starts.is_empty() {
            starts.push(&dot);
        }
        starts
            .into_iter()
            .map(
                |start| {
                    if self.filtered { ends(&below(start), &self.ending) } else { start.clone() }
                },
            )
            .collect()
    }
}

/// Whether one of the acts takes the content of this word away. Done to each file that is found,
/// that is as bad as deleting the tree.
fn takes(acts: &[Act], word: &Word) -> bool {
    acts.iter().any(|act| {
        let taken = matches!(act.does, Does::Delete | Does::Overwrite | Does::MoveAway);
        taken && act.with.as_ref() == Some(word)
    })
}

/// The word with this at its end.
fn ends(word: &Word, ending: &[u8]) -> Word {
    let mut pieces = word.pieces().to_vec();
    if !ending.is_empty() {
        pieces.push(Piece::Known(ending.to_vec()));
    }
    Word::new(pieces, Becomes::One)
}

/// Something below a directory.
fn below(start: &Word) -> Word {
    let mut pieces = start.pieces().to_vec();
    if start.known().is_none_or(|known| !known.ends_with(b"/")) {
        pieces.push(Piece::Known(b"/".to_vec()));
    }
    pieces.push(Piece::Unknown);
    Word::new(pieces, Becomes::One)
}

fn is_one_of(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|one| one.as_bytes() == name)
}

fn holds(word: &Word, mark: &[u8]) -> bool {
    word.pieces().iter().any(|piece| match piece {
        Piece::Known(bytes) => bytes.windows(mark.len()).any(|found| found == mark),
        Piece::Glob(_) | Piece::Unknown => false,
    })
}

/// The word with every mark replaced.
fn replaced(word: &Word, mark: &[u8], by: &Word) -> Word {
    if mark.is_empty() || !holds(word, mark) {
        return word.clone();
    }
    let mut pieces = Vec::new();
    for piece in word.pieces() {
        let Piece::Known(bytes) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        let mut rest = bytes.as_slice();
        while let Some(at) = rest.windows(mark.len()).position(|found| found == mark) {
            pieces.push(Piece::Known(rest[..at].to_vec()));
            pieces.extend(by.pieces().iter().cloned());
            rest = &rest[at + mark.len()..];
        }
        pieces.push(Piece::Known(rest.to_vec()));
    }
    pieces.retain(|piece| !matches!(piece, Piece::Known(bytes) if bytes.is_empty()));
    let becomes = if word.known() == Some(mark) { by.becomes() } else { word.becomes() };
    Word::new(pieces, becomes)
}

const XARGS: &[Opt] = &[
    val("-a --arg-file", READ),
    skip(
        "-I -J -d -E -L -n -P -R -S -s --delimiter --max-args --max-procs --max-chars --max-lines",
    ),
    skip("--process-slot-var"),
    Opt { names: "-i -e -l --replace --eof", value: Value::Glued, used: super::table::NOTHING },
];

/// `xargs [OPTIONS] [COMMAND [WORDS]]`.
pub(super) fn xargs(words: &[Word]) -> Vec<Act> {
    let style = Style::Stop;
    let reader = Reader { words, style, tables: [XARGS, &[], &[]], stops: Stops::After(0) };
    let told = reader.tell(1);
    let mut acts = Vec::new();
    let mut mark: Option<Vec<u8>> = None;
    for given in &told.given {
        if given.is_one_of("--help --version", style) {
            return Vec::new();
        }
        if given.is_one_of("-a --arg-file", style)
            && let Some(file) = &given.value
        {
            plain(Does::Read, file, given.at, &mut acts);
        }
        if given.is_one_of("-I -i --replace -J", style) {
            let value = given.value.as_ref().and_then(|value| value.known());
            mark = Some(value.map_or_else(|| b"{}".to_vec(), <[u8]>::to_vec));
        }
    }
    let Some(at) = told.operands.first().copied() else { return acts };
    let one = Word::new([Piece::Unknown], Becomes::One);
    let rest = match mark {
        Some(mark) => words[at..].iter().map(|word| replaced(word, &mark, &one)).collect(),
        None => words[at..].iter().cloned().chain([Word::unknown()]).collect(),
    };
    acts.push(Act { rest, at, ..Act::of(Does::RunForInput) });
    acts
}

const PARALLEL: &[Opt] = &[
    val("-a --arg-file", READ),
    val("--joblog --results", super::table::WRITE),
    val("--workdir --wd", super::table::ENTER),
    val("-S --sshlogin", super::table::CONNECT),
    val("--sshloginfile --slf", READ),
    skip("-j -n -N -L -I -d -C -P -l --jobs --max-args --colsep --delimiter --delay --timeout"),
    skip("--retries --load --memfree --tmpdir --tagstring --block --recstart --recend --nice"),
];

/// How many of the words after `:::` are looked at one by one; more are unknown.
const PARALLEL_WORDS: usize = 32;

/// `parallel [OPTIONS] COMMAND ::: WORDS`: a shell reads the command.
pub(super) fn parallel(words: &[Word]) -> Vec<Act> {
    let style = Style::Stop;
    let reader = Reader { words, style, tables: [PARALLEL, &[], &[]], stops: Stops::After(0) };
    let told = reader.tell(1);
    let mut acts = Vec::new();
    for given in &told.given {
        if let (Some(option), Some(value)) = (given.option, &given.value) {
            super::uses::apply(option.used, value, given.at, words, &mut acts);
        }
    }
    let Some(at) = told.operands.first().copied() else {
        acts.push(Act::of(Does::StdinText));
        return acts;
    };
    let colons = |word: &Word| word.known().is_some_and(|known| known.starts_with(b":::"));
    let end = (at..words.len()).find(|at| colons(&words[*at])).unwrap_or(words.len());
    let command = joined(&words[at..end]);
    let one = Word::new([Piece::Unknown], Becomes::One);
    let listed = words.get(end).and_then(Word::known) == Some(b":::");
    let values: Vec<Word> = match words.get(end + 1..) {
        Some(values) if listed && values.len() <= PARALLEL_WORDS && !values.iter().any(colons) => {
            values.to_vec()
        }
        Some(_) | None => vec![one.clone()],
    };
    for value in values {
        let marked = holds(&command, b"{");
        // Plain words are a command; what is put into them is quoted.
        if value == one && words[at..end].iter().all(plain_word) && at < end {
            let mut rest: Vec<Word> =
                words[at..end].iter().map(|word| replaced(word, b"{}", &one)).collect();
            if !marked {
                rest.push(Word::unknown());
            }
            acts.push(Act { rest, at, ..Act::of(Does::RunForInput) });
            continue;
        }
        let text = if at == end {
            value
        } else if marked {
            replaced(&command, b"{}", &value)
        } else {
            joined(&[command.clone(), value])
        };
        acts.push(Act::with(Does::RunText, &text, at));
    }
    acts
}

/// `start-stop-daemon … --exec PROGRAM -- WORDS`.
pub(super) fn daemon(words: &[Word]) -> Vec<Act> {
    let names = [&b"-x"[..], b"--exec", b"-a", b"--startas"];
    let at = words.iter().position(|word| word.known().is_some_and(|it| names.contains(&it)));
    let dashes = words.iter().position(|word| word.known() == Some(b"--"));
    let mut acts = vec![Act::of(Does::Opaque)];
    if let Some(program) = at.and_then(|at| words.get(at + 1)) {
        let mut rest = vec![program.clone()];
        rest.extend(dashes.iter().flat_map(|at| words[at + 1..].iter().cloned()));
        acts.push(Act { rest, at: at.unwrap_or_default() + 1, ..Act::of(Does::RunRest) });
    }
    acts
}

/// Whether a shell reads the word as itself.
fn plain_word(word: &Word) -> bool {
    word.known().is_some_and(|known| {
        known.iter().all(|b| b.is_ascii_alphanumeric() || b"-_./{}=,:@%+".contains(b))
    })
}

const FD: &[Opt] = &[
    val("--ignore-file", READ),
    val("-C --base-directory", super::table::ENTER),
    val("--search-path", super::table::READ_TREE),
    skip("-d -E -e -t -S -o -c -j -T --max-depth --min-depth --exact-depth --exclude --extension"),
    skip("--type --size --owner --color --threads --changed-within --changed-before --max-results"),
    skip("--path-separator --batch-size --format"),
];

/// `fd [OPTIONS] [PATTERN [PLACE…]] [-x COMMAND]`.
pub(super) fn fd(words: &[Word]) -> Vec<Act> {
    let executes = |word: &Word| {
        matches!(word.known(), Some(b"-x" | b"-X" | b"--exec" | b"--exec-batch"))
            || word.head().starts_with(b"--exec=")
            || word.head().starts_with(b"--exec-batch=")
    };
    let end = words.iter().position(executes).unwrap_or(words.len());
    let reader = Reader {
        words: &words[..end],
        style: Style::Exact,
        tables: [FD, &[], &[]],
        stops: Stops::Never,
    };
    let told = reader.tell(1);
    let mut acts = Vec::new();
    for given in &told.given {
        if let (Some(option), Some(value)) = (given.option, &given.value) {
            super::uses::apply(option.used, value, given.at, words, &mut acts);
        }
    }
    let does =
        if told.has("-L --follow", Style::Exact) { Does::ReadThroughLinks } else { Does::ReadTree };
    let starts: Vec<usize> = told.operands.iter().skip(1).copied().collect();
    if starts.is_empty() {
        acts.push(Act::of(does));
    }
    acts.extend(starts.iter().map(|at| Act::with(does, &words[*at], *at)));
    if end < words.len() {
        execute_fd(words, end, &starts, &mut acts);
    }
    acts
}

fn execute_fd(words: &[Word], end: usize, starts: &[usize], acts: &mut Vec<Act>) {
    let mut command: Vec<Word> = words[end + 1..].to_vec();
    if let Some(equals) = words[end].head().iter().position(|byte| *byte == b'=') {
        command.insert(0, words[end].without(equals + 1));
    }
    command.retain(|word| word.known() != Some(b";"));
    if command.is_empty() {
        return;
    }
    let dot = Word::of(".");
    let found = below(starts.first().map_or(&dot, |at| &words[*at]));
    if !command.iter().any(|word| holds(word, b"{")) {
        command.push(Word::of("{}"));
    }
    let rest = command.iter().map(|word| replaced(word, b"{}", &found)).collect();
    acts.push(Act { rest, at: end + 1, ..Act::of(Does::RunRest) });
}
