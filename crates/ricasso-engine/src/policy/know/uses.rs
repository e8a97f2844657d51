//! What a value means beyond one plain act: addresses, modes, settings, packages.
//!
//! Every function here looks at one word. What cannot be told from its known beginning is told as
//! the worst that it could be.

use super::table::Use;
use super::{Act, Does, Harm, Language, code, fetched, git, machine, place, remote, sockets};
use crate::policy::word::{Becomes, Piece, Word};

/// Adds the acts of a value.
pub(super) fn apply(used: Use, value: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    match used {
        Use::Is(does) => plain(does, value, at, acts),
        Use::Both(one, other) => {
            plain(one, value, at, acts);
            plain(other, value, at, acts);
        }
        Use::AtFile => at_file(value, at, acts),
        Use::FormFile => form_file(value, at, acts),
        Use::Url => place::url(value, at, acts),
        Use::Place(does) => place::place(value, does, at, acts),
        Use::Repository => place::repository(value, at, acts),
        Use::Mode => mode(value, at, acts),
        Use::RunLevel => machine::run_level(value, at, acts),
        Use::GitSetting => git::setting(value, at, acts),
        Use::Revision => git::revision(value, at, acts),
        Use::GitFormat => git::format(value, at, acts),
        Use::GitDirectory => git::directory(value, at, acts),
        Use::Path => git::path(value, at, words, acts),
        Use::CloneGoal => clone_goal(value, at, words, acts),
        Use::Discard => git::discard(value, at, acts),
        Use::SshOption => sockets::ssh_option(value, at, acts),
        Use::Volume => place::volume(value, at, acts),
        Use::Mount => place::mount(value, at, acts),
        Use::Socat => sockets::socat(value, at, acts),
        Use::Split => split(value, at, words, acts),
        Use::Assignment => assignment(value, Does::Nothing, at, acts),
        Use::AssignmentOr(does) => assignment(value, does, at, acts),
        Use::After(byte, does) => after(value, byte, does, at, acts),
        Use::Behind(start, does) => behind(value, start, does, Does::Nothing, at, acts),
        Use::BehindOr(start, does, or) => behind(value, start, does, or, at, acts),
        Use::Tool => fetched::tool(value, at, words, acts),
        Use::Remote => fetched::remote_script(value, at, acts),
        Use::GoTarget => fetched::go_target(value, at, acts),
        Use::PerlModule => fetched::perl_module(value, at, acts),
        Use::Database => code::sql::database(value, at, words, acts),
        Use::Mongo => code::sql::mongo(value, at, acts),
        Use::Redis => code::sql::redis(value, at, acts),
        Use::VimFile => vim_file(value, at, words, acts),
        Use::MountOptions => {}
        Use::Unmount => machine::unmount(value, at, acts),
        Use::PatternTree => pattern_tree(value, at, acts),
        Use::ServiceVerb => machine::service_verb(value, at, acts),
        Use::CloudVerb => remote::cloud_verb(value, at, words, acts),
        Use::KubernetesKind => remote::kubernetes_kind(value, at, words, acts),
        Use::ForgeMethod => remote::forge_method(value, at, words, acts),
        Use::Method => remote::method(value, at, words, acts),
        Use::Package => fetched::package(value, at, acts),
        Use::Refspec => refspec(value, at, acts),
        Use::Process => machine::process(value, at, acts),
        Use::ProcessPattern => machine::process_pattern(value, at, acts),
        Use::ProcessOwner => machine::process_owner(value, at, acts),
        Use::Unit => machine::unit(value, at, acts),
        Use::CmakeTool => cmake_tool(value, at, words, acts),
        Use::Sql(reach) => acts.extend(code::sql::acts(value, reach, at)),
        Use::Module => fetched::module(value, at, words, acts),
        Use::Script(language) => fetched::script(value, language, at, words, acts),
        Use::Plus => plus(value, at, acts),
        Use::Page => page(value, at, acts),
        Use::Commas => commas(value, at, acts),
        Use::GitConfig(does) => git::config(value, does, at, words, acts),
    }
}

/// `cmake -E TOOL …`: what it does has a name of its own elsewhere.
fn cmake_tool(value: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let like: &[&str] = match value.known() {
        Some(b"rm" | b"remove") => &["rm"],
        Some(b"remove_directory") => &["rm", "-r"],
        Some(b"copy" | b"copy_if_different") => &["cp"],
        Some(b"copy_directory" | b"copy_directory_if_different") => &["cp", "-r"],
        Some(b"rename") => &["mv"],
        Some(b"make_directory") => &["mkdir", "-p"],
        Some(b"touch" | b"touch_nocreate") => &["touch"],
        Some(b"create_symlink") => &["ln", "-s"],
        Some(b"create_hardlink") => &["ln"],
        Some(b"cat") => &["cat"],
        Some(b"tar") => &["tar"],
        Some(b"env") => &["env"],
        Some(b"time") => &["env"],
        Some(b"chdir") => &["env", "-C"],
        Some(b"compare_files") => &["cmp"],
        Some(b"echo" | b"echo_append" | b"sleep" | b"true" | b"false" | b"capabilities") => return,
        Some(_) | None => {
            acts.push(Act::with(Does::Opaque, value, at));
            return;
        }
    };
    let own = like.iter().map(|word| Word::of(*word));
    let rest = own.chain(words.iter().skip(at + 1).cloned()).collect();
    acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
}

/// Adds the acts of an option without a value.
pub(super) fn apply_flag(used: Use, at: usize, acts: &mut Vec<Act>) {
    let mut add = |does| {
        // What is run then is a default that the words do not show.
        let does = match does {
            Does::RunText | Does::RunProgram | Does::CodeFile => Does::Opaque,
            does => does,
        };
        if !matches!(does, Does::Nothing | Does::Print) {
            acts.push(Act { at, ..Act::of(does) });
        }
    };
    // Any other use is of a value, and there is none.
    if let Use::Is(does) = used {
        add(does);
    } else if let Use::Both(one, other) = used {
        add(one);
        add(other);
    }
}

/// Whether the option does more than read; of a use that nobody lists here, it does.
pub(super) fn matters(used: Use) -> bool {
    if let Use::Is(does) = used {
        return !does.only_reads();
    }
    if let Use::Both(one, other) = used {
        return !(one.only_reads() && other.only_reads());
    }
    let reads = matches!(
        used,
        Use::AtFile | Use::FormFile | Use::Assignment | Use::Revision | Use::GitFormat | Use::Page
    );
    !reads
}

/// One act with the word, unless the word stands for a standard stream or nothing is done.
pub(super) fn plain(does: Does, word: &Word, at: usize, acts: &mut Vec<Act>) {
    match does {
        Does::Nothing | Does::Print => {}
        Does::Read | Does::Overwrite | Does::Append | Does::ObeyFile
            if word.known() == Some(b"-") => {}
        Does::Code(language) => acts.extend(code::acts(language, word, at)),
        does if !does.takes_word() => acts.push(Act { at, ..Act::of(does) }),
        Does::RunRest | Does::RunElsewhere | Does::RunForInput => {
            acts.push(Act { rest: vec![word.clone()], at, ..Act::of(does) });
        }
        does => acts.push(Act::with(does, word, at)),
    }
}

fn at_file(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if word.head().starts_with(b"@") {
        plain(Does::Read, &word.without(1), at, acts);
    } else if matches!(word.pieces().first(), Some(Piece::Unknown)) {
        acts.push(Act::with(Does::Read, word, at).perhaps());
    }
}

fn form_file(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let Some(equals) = head.iter().position(|byte| *byte == b'=') else { return };
    if matches!(head.get(equals + 1), Some(b'@' | b'<')) {
        let path = word.without(equals + 2);
        plain(Does::Read, &until(&path, b";"), at, acts);
    }
}

/// The word up to the first of these bytes.
pub(super) fn until(word: &Word, ends: &[u8]) -> Word {
    let mut pieces = Vec::new();
    for piece in word.pieces() {
        if let Piece::Known(bytes) = piece
            && let Some(end) = bytes.iter().position(|byte| ends.contains(byte))
        {
            pieces.push(Piece::Known(bytes[..end].to_vec()));
            return Word::new(pieces, Becomes::One);
        }
        pieces.push(piece.clone());
    }
    Word::new(pieces, word.becomes())
}

fn assignment(word: &Word, or: Does, at: usize, acts: &mut Vec<Act>) {
    let does = if assigns(word) { Does::Set } else { or };
    plain(does, word, at, acts);
}

/// Whether the word is `NAME=…`.
pub(super) fn assigns(word: &Word) -> bool {
    let head = word.head();
    let Some(equals) = head.iter().position(|byte| *byte == b'=') else { return false };
    equals > 0 && !head[..equals].contains(&b'/') && !head.starts_with(b"-")
}

fn after(word: &Word, byte: u8, does: Does, at: usize, acts: &mut Vec<Act>) {
    let Some(end) = word.head().iter().rposition(|found| *found == byte) else {
        if word.known().is_none() {
            acts.push(Act::with(does, &Word::unknown(), at).perhaps());
        }
        return;
    };
    plain(does, &word.without(end + 1), at, acts);
}

fn behind(word: &Word, start: &str, does: Does, or: Does, at: usize, acts: &mut Vec<Act>) {
    if word.head().starts_with(start.as_bytes()) {
        plain(does, &word.without(start.len()), at, acts);
    } else {
        plain(or, word, at, acts);
    }
}

/// Modes that give away rights; a word that is no mode is a file (`chmod -x FILE`).
fn mode(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let Some(text) = word.known() else {
        acts.push(Act::with(Does::Anything, word, at).perhaps());
        return;
    };
    if is_octal(text) {
        octal(text, word, at, acts);
        return;
    }
    let symbolic = text.iter().any(|byte| b"+-=".contains(byte))
        && text.iter().all(|byte| b"ugoa+-=rwxXst,01234567".contains(byte));
    if !symbolic {
        plain(Does::PermissionTree, word, at, acts);
        return;
    }
    for clause in text.split(|byte| *byte == b',') {
        let signs = (0..clause.len()).filter(|at| b"+-=".contains(&clause[*at]));
        let signs: Vec<usize> = signs.collect();
        let Some(first) = signs.first() else { continue };
        for (number, sign) in signs.iter().enumerate().filter(|(_, sign)| clause[**sign] != b'-') {
            let end = signs.get(number + 1).copied().unwrap_or(clause.len());
            gives(&clause[..*first], &clause[sign + 1..end], word, at, acts);
        }
    }
}

/// What one step of a mode such as `go+w` gives away.
fn gives(who: &[u8], what: &[u8], word: &Word, at: usize, acts: &mut Vec<Act>) {
    if is_octal(what) {
        octal(what, word, at, acts);
    }
    if what.contains(&b's') {
        let only_group = who.contains(&b'g') && !who.iter().any(|byte| b"ua".contains(byte));
        let harm = if only_group { Does::HardToTakeBack } else { Does::Catastrophe };
        acts.push(Act::with(harm(Harm::SetUser), word, at));
    }
    // `o=u` gives others what the owner has.
    let others = who.iter().any(|byte| b"oa".contains(byte));
    if others && what.iter().any(|byte| b"wu".contains(byte)) {
        acts.push(Act::with(Does::HardToTakeBack(Harm::OpenToAll), word, at));
    }
}

fn is_octal(text: &[u8]) -> bool {
    text.iter().all(|byte| (b'0'..=b'7').contains(byte)) && !text.is_empty()
}

fn octal(text: &[u8], word: &Word, at: usize, acts: &mut Vec<Act>) {
    let digit = |back: usize| text.len().checked_sub(back).map_or(0, |at| text[at] - b'0');
    if digit(4) & 4 != 0 {
        acts.push(Act::with(Does::Catastrophe(Harm::SetUser), word, at));
    } else if digit(4) & 2 != 0 {
        acts.push(Act::with(Does::HardToTakeBack(Harm::SetUser), word, at));
    }
    // Under the sticky bit nobody takes away what is another's: a directory like /tmp.
    if digit(1) & 2 != 0 && digit(4) & 1 == 0 {
        acts.push(Act::with(Does::HardToTakeBack(Harm::OpenToAll), word, at));
    }
}

/// `env -S`: its own quoting, with the words after it.
fn split(value: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    let mut rest = match value.known() {
        Some(text) => split_words(text),
        None => vec![Word::unknown()],
    };
    rest.extend(words.get(at + 1..).unwrap_or_default().iter().cloned());
    while rest.first().is_some_and(assigns) {
        let set = rest.remove(0);
        acts.push(Act::with(Does::Set, &set, at));
    }
    if !rest.is_empty() {
        acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
    }
}

/// Splits as `env -S` does; `${NAME}` is not known.
fn split_words(text: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open = false;
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                open = true;
            }
            (_, Some(mark)) if mark == byte => quote = None,
            (b'\\', _) => {
                let next = bytes.next().unwrap_or(b'\\');
                pieces.push(Piece::Known(vec![if next == b'_' { b' ' } else { next }]));
                open = true;
            }
            (b'$', None | Some(b'"')) if bytes.peek() == Some(&b'{') => {
                for skipped in bytes.by_ref() {
                    if skipped == b'}' {
                        break;
                    }
                }
                pieces.push(Piece::Unknown);
                open = true;
            }
            (b' ' | b'\t' | b'\n' | b'\r', None) => {
                if open {
                    words.push(Word::new(std::mem::take(&mut pieces), Becomes::One));
                }
                open = false;
            }
            (other, _) => {
                pieces.push(Piece::Known(vec![other]));
                open = true;
            }
        }
    }
    if open {
        words.push(Word::new(pieces, Becomes::One));
    }
    words
}

fn refspec(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if matches!(word.head().first(), Some(b'+' | b':')) && word.head() != b":" {
        acts.push(Act::with(Does::HardToTakeBack(Harm::History), word, at));
    }
}

/// A command whose words are separated by commas.
fn commas(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let rest = match word.known() {
        Some(text) => text.split(|byte| *byte == b',').map(Word::of).collect(),
        None => vec![Word::unknown()],
    };
    acts.push(Act { rest, at, ..Act::of(Does::RunRest) });
}

/// A page of a manual, or a file where there is a `/`.
fn page(word: &Word, at: usize, acts: &mut Vec<Act>) {
    if word.head().contains(&b'/') {
        acts.push(Act::with(Does::Read, word, at));
    }
}

/// A file of a pager, or a command for it: `+!text` runs, `+s file` writes, `+v` edits.
fn plus(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let head = word.head();
    let signs = head.iter().take_while(|byte| **byte == b'+').count();
    match (signs, head.get(signs)) {
        (0, _) => plain(Does::Read, word, at, acts),
        (_, Some(b'!' | b'|' | b'#')) => {
            acts.push(Act::with(Does::RunText, &word.without(signs + 1), at));
        }
        (_, Some(b's' | b'o' | b'O')) => {
            let name = word.without(signs + 1);
            let blanks = name.head().iter().take_while(|byte| **byte == b' ').count();
            acts.push(Act::with(Does::Overwrite, &name.without(blanks), at));
        }
        (_, Some(b'v' | b'E' | b':' | b'e')) => acts.push(Act { at, ..Act::of(Does::Opaque) }),
        (_, Some(_) | None) => {}
    }
}

/// `git clone PLACE GOAL` makes the goal; the words after it of `fetch` and `pull` are refspecs.
fn clone_goal(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    if words.iter().any(|word| word.known() == Some(b"clone")) {
        plain(Does::Create, word, at, acts);
    }
}

/// `+command`, an address that vim fetches, or a file.
fn vim_file(word: &Word, at: usize, words: &[Word], acts: &mut Vec<Act>) {
    // A command that writes without a name writes the file itself.
    let writes = |word: &Word| {
        let command = word.known().unwrap_or_default();
        let command = command.strip_prefix(b"+").unwrap_or(command);
        let command = command.strip_prefix(b":").unwrap_or(command);
        let command = command.strip_suffix(b"!").unwrap_or(command);
        matches!(command, b"w" | b"wq" | b"x" | b"wa" | b"wqa" | b"xa" | b"up" | b"update")
    };
    let does = if words.iter().any(writes) { Does::Edit } else { Does::Read };
    if word.head().starts_with(b"+") {
        plain(Does::Code(Language::Vim), &word.without(1), at, acts);
    } else if word.head().windows(3).any(|found| found == b"://") {
        place::url(word, at, acts);
    } else {
        plain(does, word, at, acts);
    }
}

/// What a pattern takes along: everything below its known beginning, or some of it.
fn pattern_tree(word: &Word, at: usize, acts: &mut Vec<Act>) {
    let shown = word.shown().into_owned();
    let Some(star) = shown.find(['*', '?', '[', '{']) else {
        plain(Does::DeleteTree, word, at, acts);
        return;
    };
    let start = shown[..star].rsplit_once('/').map_or(".", |(start, _)| start);
    let whole = shown[star..].chars().all(|letter| matches!(letter, '*' | '/'));
    let does = if whole { Does::DeleteTree } else { Does::DeleteSome };
    acts.push(Act::with(does, &Word::of(start), at));
}
