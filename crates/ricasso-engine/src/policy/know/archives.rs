//! Archives and compression.

use super::Does::{self, DeleteTree, Edit};
use super::table::{
    CREATE, EDIT, EXACT, GNU, NONE, NOTHING, Opt, PUT, Program, READ, READ_TREE, RUN, Style, TEXT,
    Use, WRITE, act, each, flag, glued, skip, then, val, when,
};
use super::{
    Act, Harm,
    read::{Reader, Stops},
    uses,
};
use crate::policy::word::{Piece, Word};

const WORK: Does = Does::HardToTakeBack(Harm::Work);
/// The file is replaced by its compressed or plain form.
const REPLACED: Use = Use::Both(Does::Read, Edit);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "tar gtar bsdtar",
        style: Style::Special(tar),
        examples: &[
            "tar cf x a => overwrite x, read-tree a",
            "tar xPf x => read x, edit /",
            "tar xzf x -C d => read x, edit d",
            "tar -C s -czf x . => overwrite x, enter s, read-tree .",
            "tar tf x => read x",
            "tar xf x -O => read x",
            "tar cf - a --remove-files => hard Work, move a",
            "tar cf x --checkpoint=1 --checkpoint-action=exec='rm y' a => text 'rm y', overwrite \
             x, read-tree a",
            "tar xf x -I 'sh -c y' => text 'sh -c y', read x, edit",
            "tar xfC x d => read x, edit d",
            "tar xf x --one-top-level=/d => put /d, read x, edit",
            "tar cf h:x a => connect h, read-tree a",
            "tar xf x --to-command sh => text sh, read x, edit",
            "tar --version => ",
        ],
        ..GNU
    },
    Program {
        names: "gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 lzip lzop compress \
         uncompress \
                brotli pigz pbzip2",
        options: &[
            val("-S --suffix", NOTHING),
            val("-o --output", WRITE),
            val("-D", READ),
            skip("-b -T -p --threads --blocksize --memlimit --format --check"),
        ],
        shape: each(REPLACED),
        when: &[
            when("-c --stdout --to-stdout -t --test -l --list", each(READ)),
            when("-o --output", each(READ)),
        ],
        examples: &[
            "gzip a => read a, edit a",
            "gzip -c a => read a",
            "zstd -o x a => overwrite x, read a",
            "gzip -d => ",
        ],
        ..GNU
    },
    Program {
        names: "zip",
        options: &[
            val("-TT --unzip-command", TEXT),
            val("-b --temp-path", CREATE),
            val("-lf --logfile-path", WRITE),
            val("-O --output-file --out", WRITE),
            skip("-n -t -tt -P -s -x -i --suffixes --password --exclude --include"),
            act("-m --move -rm -mr", WORK),
        ],
        shape: then(&[EDIT], READ_TREE),
        when: &[
            when("-m --move -rm -mr -qrm", then(&[EDIT], Use::Is(DeleteTree))),
            when("-d --delete", then(&[EDIT], NOTHING)),
            when("-sf --show-files", NONE),
        ],
        examples: &[
            "zip -r x a => edit x, read-tree a",
            "zip x a -T -TT 'sh #' => edit x, read-tree a, text 'sh #'",
            "zip -rm x a => hard Work, edit x, delete-tree a",
        ],
        ..super::table::DASH
    },
    Program {
        names: "unzip",
        options: &[val("-d", PUT), skip("-P -x")],
        shape: then(&[READ], NOTHING).always(&[Edit]),
        when: &[
            when("-l -t -v -Z -p -c", then(&[READ], NOTHING)),
            when("-d", then(&[READ], NOTHING)),
        ],
        examples: &[
            "unzip x => edit, read x",
            "unzip -l x => read x",
            "unzip x -d ../d => read x, put ../d",
        ],
        ..EXACT
    },
    Program {
        names: "zipinfo zipgrep zipnote lsar rzip",
        shape: each(READ),
        examples: &["zipinfo x => read x"],
        ..EXACT
    },
    Program {
        names: "7z 7za 7zr 7zz",
        options: &[glued("-o", PUT)],
        shape: NONE,
        subs: &[
            Program { names: "l t h", shape: each(READ), ..EXACT },
            Program {
                names: "a u",
                shape: then(&[EDIT], READ_TREE),
                when: &[when("-sdel", then(&[EDIT], Use::Is(DeleteTree)).always(&[WORK]))],
                ..super::table::DASH
            },
            Program { names: "d rn", shape: then(&[EDIT], NOTHING), ..EXACT },
            Program {
                names: "x e",
                options: &[glued("-o", PUT)],
                shape: then(&[READ], NOTHING).always(&[Edit]),
                when: &[when("-o", then(&[READ], NOTHING)), when("-so", then(&[READ], NOTHING))],
                ..EXACT
            },
        ],
        other: &[Does::Opaque],
        examples: &[
            "7z x a -o/d => read a, put /d",
            "7z a x b => edit x, read-tree b",
            "7z l x => read x",
        ],
        ..EXACT
    },
    Program {
        names: "unrar rar",
        subs: &[
            Program { names: "l lt lb v vt t p", shape: each(READ), ..EXACT },
            Program { names: "x e", shape: then(&[READ], PUT).always(&[Edit]), ..EXACT },
            Program { names: "a u m d", shape: then(&[EDIT], READ_TREE), ..EXACT },
        ],
        other: &[Does::Opaque],
        examples: &["unrar x a /d => edit, read a, put /d"],
        ..EXACT
    },
    Program {
        names: "cpio pax",
        options: &[
            val("-I -E --pattern-file", READ),
            val("-O", WRITE),
            val("-F -f --file", EDIT),
            val("-D --directory", super::table::ENTER),
            val("--rsh-command", RUN),
        ],
        shape: each(PUT),
        when: &[
            when("-t --list", NONE),
            when("-i --extract -r", NONE.always(&[Edit])),
            when("-o --create", NONE),
        ],
        examples: &["cpio -idm => edit", "cpio -o -O x => overwrite x", "cpio -pd /x => put /x"],
        ..GNU
    },
    Program {
        names: "ar ranlib strip objcopy install_name_tool codesign",
        options: &[val("-o", WRITE), skip("-R -K -N -j -O -I --sign")],
        shape: each(EDIT),
        when: &[when("-t -p", each(READ))],
        examples: &["strip a => edit a"],
        ..EXACT
    },
    Program {
        names: "nm objdump readelf size ldd otool addr2line c++filt",
        options: &[skip("-j -M -m -b -t --demangle")],
        shape: each(READ),
        examples: &["nm -C a => read a"],
        ..EXACT
    },
];

const TAR: &[Opt] = &[
    val("-f --file", NOTHING),
    val("-C --directory --cd", NOTHING),
    val("-I --use-compress-program", TEXT),
    val("--to-command --info-script --new-volume-script -F", TEXT),
    val("--checkpoint-action", Use::Behind("exec=", Does::RunText)),
    val("--rsh-command --rmt-command", RUN),
    val("-T --files-from -X --exclude-from", READ),
    val("-g --listed-incremental", EDIT),
    val("--index-file --volno-file", WRITE),
    skip("-b -H -K -L -N -V --exclude --owner --group --mtime --mode --transform --xform --format"),
    skip("--strip-components --blocking-factor --starting-file --tape-length --newer --label"),
    skip("--suffix --pattern --sort --level --pax-option --after-date --include -s"),
    glued("--one-top-level", PUT),
    glued("--checkpoint --occurrence --totals --warning --quoting-style", NOTHING),
    flag("-x --extract --get"),
    flag("-c --create"),
];

/// `tar`, with the old style in which the first word is a bundle without a dash.
fn tar(words: &[Word]) -> Vec<Act> {
    let (words, origin) = without_old_style(words);
    let style = Style::Gnu;
    let reader = Reader { words: &words, style, tables: [TAR, &[], &[]], stops: Stops::Never };
    let told = reader.tell(1);
    if told.has("--help --version --usage --show-defaults", style) {
        return Vec::new();
    }
    let mut acts = Vec::new();
    for given in &told.given {
        if let (Some(option), Some(value)) = (given.option, &given.value) {
            uses::apply(option.used, value, given.at, &words, &mut acts);
        }
    }
    for at in &told.doubts {
        acts.push(Act::with(Does::Anything, &words[*at], *at).perhaps());
    }
    let values = |names: &'static str| {
        told.given
            .iter()
            .filter(move |given| given.is_one_of(names, style))
            .filter_map(|given| given.value.clone().map(|value| (given.at, value)))
            .collect::<Vec<_>>()
    };
    let extracts = told.has("-x --extract --get", style);
    let lists = told.has("-t --list -d --diff --compare", style);
    let creates = told.has("-c --create", style);
    let file = if creates {
        Does::Overwrite
    } else if extracts || lists {
        Does::Read
    } else {
        Edit
    };
    for (at, name) in values("-f --file") {
        if told.has("--force-local", style) {
            uses::plain(file, &name, at, &mut acts);
        } else {
            uses::apply(Use::Place(file), &name, at, &words, &mut acts);
        }
    }
    let directories = values("-C --directory --cd");
    if extracts {
        if told.has("-P --absolute-names", style) {
            acts.push(Act::with(Edit, &Word::of("/"), 0));
        } else if !told.has("-O --to-stdout", style) {
            extracted(&directories, &mut acts);
        }
    } else if !lists && !told.has("--delete", style) {
        added(&words, &told, &directories, &mut acts);
    }
    for act in &mut acts {
        act.at = origin.get(act.at).copied().unwrap_or(0);
    }
    acts
}

fn extracted(directories: &[(usize, Word)], acts: &mut Vec<Act>) {
    if directories.is_empty() {
        acts.push(Act::of(Edit));
    }
    acts.extend(directories.iter().map(|(at, name)| Act::with(Edit, name, *at)));
}

/// The files that go into the archive, from the directories that are entered before them.
fn added(
    words: &[Word],
    told: &super::read::Told<'_>,
    directories: &[(usize, Word)],
    acts: &mut Vec<Act>,
) {
    let removes = told.has("--remove-files", Style::Gnu);
    if removes {
        acts.push(Act::of(WORK));
    }
    let does = if removes { Does::MoveAway } else { Does::ReadTree };
    let mut added: Vec<Act> =
        told.operands.iter().map(|at| Act::with(does, &words[*at], *at)).collect();
    added.extend(directories.iter().map(|(at, name)| Act::with(Does::Enter, name, *at)));
    added.sort_by_key(|act| act.at);
    acts.extend(added);
}

/// Letters of the old style that take the next word.
const OLD_VALUES: &[u8] = b"fCIbFgHKLNTVX";

/// The words in the new style, and the index of each in the old ones.
fn without_old_style(words: &[Word]) -> (Vec<Word>, Vec<usize>) {
    let plain = || (words.to_vec(), (0..words.len()).collect());
    let Some(first) = words.get(1).filter(|word| !word.head().starts_with(b"-")) else {
        return plain();
    };
    let Some(bundle) = first.known().filter(|known| known.iter().all(u8::is_ascii_alphabetic))
    else {
        return plain();
    };
    let mut rewritten = vec![words[0].clone()];
    let mut origin = vec![0];
    let mut next = 2;
    for letter in bundle {
        rewritten.push(Word::new([Piece::Known(vec![b'-', *letter])], first.becomes()));
        origin.push(1);
        if OLD_VALUES.contains(letter)
            && let Some(value) = words.get(next)
        {
            rewritten.push(value.clone());
            origin.push(next);
            next += 1;
        }
    }
    rewritten.extend(words[next.min(words.len())..].iter().cloned());
    origin.extend(next..words.len());
    (rewritten, origin)
}
