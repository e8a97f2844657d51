//! Programs that search and compare text, and count code.

use super::Does::{self, Create, Overwrite, ReadThroughLinks};
use super::table::{
    CODE_FILE, EDIT, ENTER, EXACT, GNU, NONE, NOTHING, OBEY, Program, READ, READ_TREE, RUN, TEXT,
    Use, WRITE, act, both, each, glued, skip, then, val, when,
};

const THROUGH: Use = Use::Is(ReadThroughLinks);
/// The pattern is given by an option, so the first operand is a file.
const BY_OPTION: &str = "-e --regexp -f --file";

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "grep egrep fgrep zgrep ggrep bzgrep xzgrep pcregrep pcre2grep ugrep ack",
        options: &[
            val("-f --file", READ),
            val("--exclude-from", READ),
            val("--pager", TEXT),
            skip("-e -A -B -C -m -d -D --regexp --after-context --before-context --context"),
            skip("--max-count --label --include --exclude --exclude-dir --binary-files --devices"),
            skip("--directories --type"),
            glued("--color --colour", NOTHING),
        ],
        shape: then(&[NOTHING], READ),
        when: &[
            both("-R --dereference-recursive", BY_OPTION, each(THROUGH)),
            when("-R --dereference-recursive", then(&[NOTHING], THROUGH)),
            both("-r --recursive", BY_OPTION, each(READ_TREE)),
            when("-r --recursive", then(&[NOTHING], READ_TREE)),
            when(BY_OPTION, each(READ)),
        ],
        examples: &[
            "grep /etc/passwd a => read a",
            "grep -rn x src => read-tree src",
            "grep -R x . => through-links .",
            "grep -e x -f y a => read y, read a",
            "grep -A 3 x a => read a",
        ],
        ..GNU
    },
    Program {
        names: "rg ripgrep",
        options: &[
            val("--pre", RUN),
            val("--hostname-bin", RUN),
            val("-f --file", READ),
            val("--ignore-file", READ),
            skip("-e -A -B -C -E -g -j -M -m -r -t -T -d --regexp --after-context --context"),
            skip("--before-context --encoding --glob --iglob --threads --max-columns --max-count"),
            skip(
                "--replace --type --type-not --max-depth --pre-glob --sort --sortr --color \
                 --colors",
            ),
            skip(
                "--type-add --type-clear --max-filesize --engine --context-separator \
                 --path-separator",
            ),
            skip("--field-match-separator --hyperlink-format --generate --dfa-size-limit"),
        ],
        shape: then(&[NOTHING], READ_TREE),
        when: &[
            both(
                "-L --follow",
                "-e --regexp -f --file --files",
                each(THROUGH).alone(&[ReadThroughLinks]),
            ),
            when("-L --follow", then(&[NOTHING], THROUGH).always(&[ReadThroughLinks])),
            when("-e --regexp -f --file --files", each(READ_TREE)),
            when("--type-list", NONE),
        ],
        examples: &[
            "rg --pre ./e x => run-program ./e",
            "rg --pre=./e x a => run-program ./e, read-tree a",
            "rg --pretty --pre-glob x y a => read-tree a",
            "rg -uu --files -g '!.git' d => read-tree d",
            "rg -L x d => through-links, through-links d",
        ],
        ..EXACT
    },
    Program {
        names: "ag",
        options: &[
            val("--pager", TEXT),
            val("-p --path-to-ignore", READ),
            skip(
                "-A -B -C -G -m -W --after --before --context --depth --file-search-regex --ignore",
            ),
            skip("--ignore-dir --max-count --width --workers"),
        ],
        shape: then(&[NOTHING], READ_TREE),
        when: &[when("-f --follow", then(&[NOTHING], THROUGH))],
        examples: &["ag --pager 'sh -c x' y d => text 'sh -c x', read-tree d"],
        ..GNU
    },
    Program {
        names: "diff colordiff icdiff sdiff diff3",
        options: &[
            val("--to-file --from-file", READ),
            val("-X --exclude-from", READ),
            val("--diff-program", RUN),
            val("-o --output", WRITE),
            skip("-C -F -I -L -S -U -W -x --context --ifdef --ignore-matching-lines --label"),
            skip("--starting-file --unified --width --exclude --line-format --color"),
        ],
        shape: each(READ_TREE),
        when: &[],
        examples: &[
            "diff -u a b => read-tree a, read-tree b",
            "diff --to-file=/x a => read /x, read-tree a",
            "diff -U 3 a b => read-tree a, read-tree b",
        ],
        ..GNU
    },
    Program {
        names: "delta difft diffstat",
        options: &[val("--pager", TEXT), skip("-p --width --syntax-theme")],
        shape: each(READ),
        examples: &["delta a b => read a, read b"],
        ..EXACT
    },
    Program {
        names: "patch",
        options: &[
            val("-o --output", WRITE),
            val("-r --reject-file", WRITE),
            val("-i --input", READ),
            val("-d --directory", ENTER),
            skip("-p -F -D -B -V -z -Y -g --strip --fuzz --ifdef --prefix --suffix"),
        ],
        shape: then(&[EDIT, READ], NOTHING).always(&[Does::Edit]),
        when: &[when("-o --output", each(READ))],
        dry: "--dry-run -C --check",
        examples: &[
            "patch -p1 -d .. => enter .., edit",
            "patch -s f p => edit, edit f, read p",
            "patch -o x f => overwrite x, read f",
            "patch --dry-run f p => read p",
        ],
        ..GNU
    },
    Program {
        names: "cloc",
        options: &[
            val("--vcs --extract-with", TEXT),
            val("--out --report-file --sql --write-lang-def --counted --ignored", WRITE),
            val("--config", OBEY),
            val("--list-file --read-lang-def --force-lang-def", READ),
            skip(
                "--exclude-dir --exclude-ext --include-lang --include-ext --match-f --not-match-f",
            ),
        ],
        shape: each(READ_TREE),
        examples: &[
            "cloc --vcs='touch x' . => text 'touch x', read-tree .",
            "cloc --out=x . => overwrite x, read-tree .",
        ],
        ..GNU
    },
    Program {
        names: "scc",
        options: &[
            val("-o --output", WRITE),
            val("--format-multi", Use::After(b':', Overwrite)),
            skip("-f -i -s -x -M --format --include-ext --sort --exclude-ext --not-match"),
        ],
        shape: each(READ_TREE),
        examples: &[
            "scc --format-multi json:/tmp/x => overwrite /tmp/x",
            "scc -o x . => overwrite x, read-tree .",
        ],
        ..EXACT
    },
    Program {
        names: "tokei",
        options: &[
            val("-i --input", READ),
            skip("-c -e -n -o -s -t --columns --exclude --output --sort --type"),
        ],
        shape: each(READ_TREE),
        examples: &["tokei -o json . => read-tree ."],
        ..EXACT
    },
    Program {
        names: "repomix",
        options: &[
            val("-o --output", WRITE),
            val("--remote", Use::Url),
            val("-c --config", CODE_FILE),
            val("--instruction-file-path", READ),
            act("--init", Create),
            skip("--style --include --ignore -i --header-text --remote-branch"),
        ],
        shape: each(READ_TREE).always(&[Create]),
        when: &[when("--stdout", each(READ_TREE)), when("-o --output", each(READ_TREE))],
        examples: &[
            "repomix -o x src => overwrite x, read-tree src",
            "repomix --stdout src => read-tree src",
            "repomix src => create, read-tree src",
        ],
        ..EXACT
    },
    Program {
        names: "ast-grep sg",
        options: &[
            val("-c --config", OBEY),
            val("--rule", READ),
            skip("-p -r -l -C -A -B -j --pattern --rewrite --lang --globs --color --threads"),
        ],
        shape: each(READ_TREE),
        when: &[
            when("-U --update-all", each(EDIT).always(&[Does::Edit])),
            when("-i --interactive", each(EDIT).always(&[Does::Edit])),
        ],
        examples: &[
            "ast-grep -p a -r b --update-all => edit",
            "ast-grep -p x src => read-tree src",
        ],
        ..EXACT
    },
];
