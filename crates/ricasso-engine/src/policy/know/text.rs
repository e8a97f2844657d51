//! Programs that read text and print.

use super::Does::{Code, ShowEnvironment};
use super::table::{
    CODE_FILE, CREATE, EDIT, EXACT, GNU, NONE, NOTHING, OBEY, Program, READ, RUN, STOP, TEXT, Use,
    WRITE, act, both, each, flag, glued, skip, then, two, val, when,
};
use super::{Does, Language};

const SED: Use = Use::Is(Code(Language::Sed));
const AWK: Use = Use::Is(Code(Language::Awk));
const JQ: Use = Use::Is(Code(Language::Jq));

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "head tail",
        options: &[
            skip("-c -n -s --bytes --lines --pid --sleep-interval --max-unchanged-stats"),
            glued("--follow", NOTHING),
        ],
        shape: each(READ),
        examples: &[
            "head -1 /etc/x => read /etc/x",
            "tail -n +2 a => read a",
            "head -c-0 a => read a",
        ],
        ..GNU
    },
    Program {
        names: "cut",
        options: &[skip(
            "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
        )],
        shape: each(READ),
        examples: &["cut -d: -f2 a => read a", "cut -d ' ' -f 2 => "],
        ..GNU
    },
    Program {
        names: "paste",
        options: &[skip("-d --delimiters")],
        shape: each(READ),
        examples: &["paste -sd, a => read a"],
        ..GNU
    },
    Program {
        names: "join",
        options: &[skip("-a -e -j -o -t -v -1 -2")],
        shape: each(READ),
        examples: &["join -t, a b => read a, read b"],
        ..GNU
    },
    Program {
        names: "comm tsort factor numfmt",
        options: &[skip("--output-delimiter --from --to --field --format")],
        shape: each(READ),
        examples: &["comm -12 a b => read a, read b"],
        ..GNU
    },
    Program {
        names: "cmp",
        options: &[skip("-i -n --ignore-initial --bytes")],
        shape: each(READ),
        examples: &["cmp -s a b => read a, read b"],
        ..GNU
    },
    Program {
        names: "pr",
        options: &[skip("-D -h -l -N -o -w -W --date-format --header --length --width --indent")],
        shape: each(READ),
        examples: &["pr -l 60 a => read a"],
        ..GNU
    },
    Program {
        names: "wc",
        options: &[val("--files0-from", READ), skip("--total")],
        shape: each(READ),
        examples: &["wc -l a b => read a, read b", "wc --files0=x => read x"],
        ..GNU
    },
    Program {
        names: "sort gsort",
        options: &[
            val("-o --output", WRITE),
            val("--compress-program", RUN),
            val("-T --temporary-directory", CREATE),
            val("--files0-from --random-source", READ),
            skip("-k -t -S --key --field-separator --buffer-size --parallel --batch-size --sort"),
        ],
        shape: each(READ),
        examples: &[
            "sort -ro out a => overwrite out, read a",
            "sort -o/tmp/x a => overwrite /tmp/x, read a",
            "sort --outp=x a => overwrite x, read a",
            "sort a -o x => read a, overwrite x",
            "sort -S1b -T . --compress-prog=./e a => create ., run-program ./e, read a",
            "sort -k2,2n -t, a => read a",
            "sort -- -o a => read -o, read a",
            "sort '?' => read …, ?anything …",
        ],
        ..GNU
    },
    Program {
        names: "uniq",
        options: &[skip("-f -s -w --skip-fields --skip-chars --check-chars")],
        shape: then(&[READ, WRITE], NOTHING),
        examples: &[
            "uniq -c a => read a",
            "uniq - x => overwrite x",
            "uniq -c -- a x => read a, overwrite x",
            "uniq ? => read …, ?overwrite …",
        ],
        ..GNU
    },
    Program {
        names: "tr echo printf seq expr test [ [[ true false : sleep usleep tput clear reset arch \
                nproc tty cal ncal banner figlet cowsay fortune",
        options: &[],
        shape: NONE,
        tells: "",
        examples: &["tr / _ => ", "echo -o /etc/x => ", "printf '%s' /etc/passwd => "],
        ..EXACT
    },
    Program {
        names: "yes",
        shape: NONE.always(&[Does::Endless]),
        examples: &["yes x => endless"],
        ..GNU
    },
    Program {
        names: "shuf",
        options: &[
            val("-o --output", WRITE),
            val("--random-source", READ),
            skip("-i -n --input-range --head-count"),
        ],
        shape: each(READ),
        when: &[when("-e --echo -i --input-range", NONE)],
        examples: &["shuf -n 5 a => read a", "shuf -eo x a b => overwrite x"],
        ..GNU
    },
    Program {
        names: "sed gsed",
        options: &[
            val("-e --expression", SED),
            val("-f --file", CODE_FILE),
            glued("-i -I --in-place", NOTHING),
            skip("-l --line-length"),
            flag("-n --quiet --silent"),
        ],
        shape: then(&[SED], READ),
        when: &[
            both("-i -I --in-place", "-e --expression -f --file", each(EDIT)),
            when("-i -I --in-place", then(&[SED], EDIT)),
            when("-e --expression -f --file", each(READ)),
        ],
        examples: &[
            "sed s/a/b/ f => read f",
            "sed -ni.bak p f => edit f",
            "sed -i s/a/b/ f g => edit f, edit g",
            "sed -n -e'w x' f => overwrite x, read f",
            "sed --in-place --expr=p f => edit f",
            "sed -f s f => code-file s, read f",
        ],
        ..GNU
    },
    Program {
        names: "awk gawk mawk nawk original-awk",
        options: &[
            val("-f --file", CODE_FILE),
            val("-i --include", CODE_FILE),
            val("-l --load", CODE_FILE),
            val("-E --exec", CODE_FILE),
            val("-e --source", AWK),
            skip("-F -v -W --field-separator --assign"),
            glued("-o --pretty-print -p --profile -d --dump-variables", WRITE),
            act("-D --debug", Does::Opaque),
        ],
        shape: then(&[AWK], Use::AssignmentOr(Does::Read)),
        when: &[
            when("-i --include", then(&[AWK], Use::AssignmentOr(Does::Edit))),
            when("-f --file -e --source -E --exec", each(Use::AssignmentOr(Does::Read))),
        ],
        examples: &[
            "awk '{print $1}' a n=1 => read a, set n=1",
            "awk -f e.awk a => code-file e.awk, read a",
            "gawk -o/tmp/x 'BEGIN{x=1}' => overwrite /tmp/x",
            "gawk --profile=x '{y=1}' => overwrite x",
            "gawk -i inplace '{print}' a => code-file inplace, edit a",
            "awk -v n=3 'NR<=n' a => read a",
        ],
        ..STOP
    },
    Program {
        names: "jq gojq jaq",
        options: &[
            val("-f --from-file", READ),
            val("-L --library-path", READ),
            two("--slurpfile --rawfile --argfile", READ),
            two("--arg --argjson", NOTHING),
            skip("--indent"),
        ],
        shape: then(&[JQ], READ),
        when: &[
            both("--args --jsonargs", "-f --from-file", NONE),
            when("--args --jsonargs", then(&[JQ], NOTHING)),
            when("-f --from-file", each(READ)),
        ],
        examples: &[
            "jq .a d.json => read d.json",
            "jq -n env => show-environment",
            "jq --rawfile a /x .y => read /x",
            "jq -n --arg c /etc/x '{c: $c}' => ",
            "jq -Rn '[inputs]' /x => read /x",
        ],
        ..EXACT
    },
    Program {
        names: "yq",
        options: &[
            val("-s --split-exp", CREATE),
            val("--from-file", READ),
            val("--expression", NOTHING),
            skip("-o -p -I --output-format --input-format --indent --front-matter"),
            two("--arg --argjson", NOTHING),
        ],
        shape: then(&[JQ], READ),
        when: &[when("-i --inplace --in-place", then(&[JQ], EDIT))],
        subs: &[Program {
            names: "eval e eval-all ea",
            options: &[val("-s --split-exp", CREATE), val("--from-file", READ)],
            shape: then(&[JQ], READ),
            when: &[when("-i --inplace", then(&[JQ], EDIT))],
            ..EXACT
        }],
        examples: &[
            "yq -i .a=1 f.yml => edit \
            f.yml",
            "yq .a f.yml => read f.yml",
            "yq e -i .a f.yml => edit f.yml",
            "yq 'load(\"/etc/x\")' f.yml => read /etc/x, read f.yml",
        ],
        ..EXACT
    },
    Program {
        names: "xxd",
        options: &[skip("-c -g -l -n -o -s -R --cols --groupsize --len --offset --seek")],
        shape: then(&[READ, WRITE], NOTHING),
        examples: &[
            "xxd a x => read a, overwrite x",
            "xxd -r -p h => read h",
            "xxd -s 4 a => read a",
        ],
        ..EXACT
    },
    Program {
        names: "hexdump hd hexyl",
        options: &[val("-f --format-file", READ), skip("-e -n -s --format --length --skip")],
        shape: each(READ),
        examples: &["hexdump -C a => read a", "hexdump -e '1/1 \"%x\"' a => read a"],
        ..GNU
    },
    Program {
        names: "od",
        options: &[skip("-A -j -N -t --address-radix --skip-bytes --read-bytes --format")],
        shape: each(READ),
        examples: &["od -A x -t x1z a => read a", "od -c a => read a"],
        ..GNU
    },
    Program {
        names: "strings",
        options: &[skip("-n -t -e -T -U --bytes --radix --encoding --target")],
        shape: each(READ),
        examples: &["strings -n 8 a => read a"],
        ..GNU
    },
    Program {
        names: "base64 base32 basenc",
        options: &[skip("-w --wrap"), val("-o", WRITE)],
        shape: each(READ),
        examples: &["base64 -w 0 a => read a", "base64 -d => "],
        ..GNU
    },
    Program {
        names: "column colrm col look",
        options: &[skip(
            "-c -o -s -N -W -R -O -H -T --separator --output-separator --table-columns",
        )],
        shape: each(READ),
        examples: &["column -t -s, a => read a"],
        ..GNU
    },
    Program {
        names: "iconv recode uconv",
        options: &[val("-o --output", WRITE), skip("-f -t --from-code --to-code")],
        shape: each(READ),
        examples: &["iconv -f a -t b -o x y => overwrite x, read y"],
        ..GNU
    },
    Program {
        names: "dos2unix unix2dos",
        options: &[],
        shape: each(EDIT),
        when: &[when("-n --newfile", then(&[READ, WRITE], NOTHING))],
        examples: &["dos2unix a => edit a", "dos2unix -n a b => read a, overwrite b"],
        ..GNU
    },
    Program { names: "envsubst", examples: &["envsubst '$A' => "], ..GNU },
    Program {
        names: "xmllint xsltproc",
        options: &[
            val("--output -o", WRITE),
            val("--schema --relaxng --dtdvalid --pattern", READ),
            skip("--xpath --encode --maxmem"),
        ],
        shape: each(READ),
        examples: &[
            "xmllint --xpath //a f => read f",
            "xmllint --output x f => overwrite x, read f",
        ],
        ..EXACT
    },
    Program {
        names: "pandoc",
        options: &[
            val("-o --output", WRITE),
            val("--extract-media --log", CREATE),
            val("-F --filter", RUN),
            val("-L --lua-filter", CODE_FILE),
            val("--pdf-engine", RUN),
            val("-d --defaults", OBEY),
            val(
                "-H -B -A --include-in-header --include-before-body --template --bibliography",
                READ,
            ),
            skip("-f -t -r -w -V -M --from --to --read --write --variable --metadata --wrap"),
        ],
        shape: each(Use::Place(Does::Read)),
        examples: &[
            "pandoc a.md -o b.html => read a.md, overwrite b.html",
            "pandoc -F ./f a => run-program ./f, read a",
        ],
        ..GNU
    },
    Program {
        names: "less",
        options: &[
            val("-o -O --log-file --LOG-FILE", WRITE),
            val("-k --lesskey-file --lesskey-src", OBEY),
            val("-T --tag-file", READ),
            skip("-b -h -j -p -P -t -x -y -z --pattern --prompt --tabs --window"),
        ],
        shape: each(Use::Plus),
        examples: &["less -o x => overwrite x", "less '+!touch x' a => text 'touch x', read a"],
        ..EXACT
    },
    Program {
        names: "more most pg",
        options: &[skip("-n -P --lines")],
        shape: each(Use::Plus),
        examples: &["more /etc/hosts => read /etc/hosts"],
        ..EXACT
    },
    Program {
        names: "man info",
        options: &[
            val("-P --pager", TEXT),
            glued("-H --html", TEXT),
            val("-C --config-file", OBEY),
            val("-M --manpath -f --file", READ),
            glued("-X --gxditview", TEXT),
            skip(
                "-L -R -S -s -e -E -p -r -m --locale --sections --extension --preprocessor \
                 --prompt",
            ),
            val("-o --output", WRITE),
        ],
        shape: each(Use::Page).always(&[Does::Opaque]),
        when: &[
            when("-l --local-file", each(READ).always(&[Does::Opaque])),
            when("-k -f -w --apropos --whatis --path --where", NONE),
        ],
        examples: &[
            "man rm => opaque",
            "man /etc/passwd => opaque, read /etc/passwd",
            "man -P 'sh -c x' man => opaque, text 'sh -c x'",
            "man --html='touch x #' man => opaque, text 'touch x #'",
        ],
        ..GNU
    },
    Program {
        names: "apropos whatis tldr help bc",
        shape: each(Use::Page),
        examples: &["whatis ls => ", "bc -l => "],
        ..GNU
    },
    Program {
        names: "date gdate",
        options: &[
            val("-f --file", READ),
            val("-r --reference", super::table::LOOK),
            val("-s --set", Use::Is(Does::HardToTakeBack(super::Harm::Kernel))),
            skip("-d --date --format"),
            glued("-I --iso-8601 --rfc-3339", NOTHING),
        ],
        shape: each(Use::BehindOr("+", Does::Nothing, Does::HardToTakeBack(super::Harm::Kernel))),
        examples: &[
            "date +%d/%m/%Y => ",
            "date -u -Iseconds => ",
            "date -f x => read x",
            "date -s now => hard Kernel now",
            "date 01020304 => hard Kernel 01020304",
        ],
        ..GNU
    },
    Program {
        names: "printenv",
        shape: NONE.alone(&[ShowEnvironment]),
        examples: &["printenv => show-environment", "printenv HOME => "],
        ..GNU
    },
];
