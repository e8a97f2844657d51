//! Interpreters: code in a word, in a file, or from standard input.

use super::Does::{self, Code, Opaque, StdinCode};
use super::Language::{self, JavaScript, Lua, Other, Perl, Php, Python, Ruby};
use super::table::{
    CODE_FILE, CREATE, DASH, EDIT, ENTER, EXACT, EXACT_STOP, NONE, NOTHING, OBEY, OPAQUE, Program,
    READ, Rest, Shape, Use, WRITE, act, always, both, each, glued, rest, skip, sub, then, val,
    when,
};

/// A script with words of its own, or code from standard input.
const fn script(language: Language) -> Shape {
    let (first, alone): (&'static [Use], &'static [Does]) = match language {
        Python => (&[Use::Script(Python)], &[StdinCode(Python)]),
        Perl => (&[Use::Script(Perl)], &[StdinCode(Perl)]),
        Ruby => (&[Use::Script(Ruby)], &[StdinCode(Ruby)]),
        JavaScript => (&[Use::Script(JavaScript)], &[StdinCode(JavaScript)]),
        Php => (&[Use::Script(Php)], &[StdinCode(Php)]),
        Lua => (&[Use::Script(Lua)], &[StdinCode(Lua)]),
        Language::Sed
        | Language::Awk
        | Language::Jq
        | Language::Sql
        | Language::Mongo
        | Language::Redis
        | Language::Vim
        | Language::Make
        | Language::Cron
        | Other => (&[Use::Script(Other)], &[StdinCode(Other)]),
    };
    rest(first, Rest::Words).alone(alone)
}

const WORDS: Shape = rest(&[], Rest::Words);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "python python2 python3 pypy pypy3 ipython micropython",
        options: &[
            val("-c", Use::Is(Code(Python))),
            val("-m", Use::Module),
            skip("-W -X --check-hash-based-pycs"),
            act("-i", Opaque),
        ],
        shape: script(Python),
        when: &[when("-c -m", WORDS)],
        tells: "--help --version -V -h --help-env --help-all",
        examples: &[
            "python3 --version => ",
            "python3 x.py --version => code-file x.py",
            "python3 - => stdin-code",
            "python3 => stdin-code",
            "python3 -m pip install x => run [pip install x]",
            "python3 -m json.tool a b => read a, overwrite b",
            "python3 -m http.server => listen",
            "python3 -m venv d => edit d, opaque",
            "python3.12 -Im x => opaque",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "perl",
        options: &[
            val("-e -E", Use::Is(Code(Perl))),
            glued("-M -m", Use::PerlModule),
            glued("-i -l -0 -C -F -I -D -x", NOTHING),
            act("-d", Opaque),
        ],
        shape: script(Perl),
        when: &[
            both("-i", "-e -E", each(EDIT)),
            both("-n -p -a -F", "-e -E", each(READ)),
            when("-e -E", WORDS),
            when("-c", script(Perl)),
        ],
        tells: "--help --version -v -V -h",
        examples: &[
            "perl x.pl a => code-file x.pl",
            "perl => stdin-code",
            "perl -v => ",
            "perl -i.bak -pe 's/a/b/' f => edit f",
            "perl -ne 'print' /etc/x => read /etc/x",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "ruby jruby",
        options: &[
            val("-e", Use::Is(Code(Ruby))),
            val("-r", OPAQUE),
            val("-C -X", ENTER),
            glued("-i -I -E -F -K -x -0 -W", NOTHING),
        ],
        shape: script(Ruby),
        when: &[
            both("-i", "-e", each(EDIT)),
            both("-n -p", "-e", each(READ)),
            when("-e", WORDS),
            when("-c", each(READ)),
        ],
        tells: "--help --version -v -h",
        examples: &["ruby x.rb => code-file x.rb", "ruby -C d x.rb => enter d, code-file x.rb"],
        ..EXACT_STOP
    },
    Program {
        names: "irb pry rails rake bin/rails",
        options: &[val("-p -e -E", Use::Is(Code(Ruby))), val("-r -f -R -I", CODE_FILE)],
        shape: always(&[Opaque]),
        subs: &[sub(
            "db:drop db:reset db:purge db:schema:load db:migrate:reset db:drop:all",
            &[Opaque, Does::HardToTakeBack(super::Harm::Store)],
        )],
        tells: "--help --version -T --tasks",
        examples: &["rake => opaque", "rails db:drop => opaque, hard Store", "rake test => opaque"],
        ..EXACT
    },
    Program {
        names: "node nodejs",
        options: &[
            val("-e -p --eval --print -pe", Use::Is(Code(JavaScript))),
            val("-r --require --import --loader --experimental-loader", CODE_FILE),
            val("--env-file", READ),
            glued("--inspect --inspect-brk", Use::Is(Does::Listen)),
            skip("-C --conditions --input-type --stack-trace-limit --title --icu-data-dir"),
            glued("--max-old-space-size", NOTHING),
        ],
        shape: script(JavaScript),
        when: &[
            when("-c --check", each(READ)),
            when("-e -p --eval --print", WORDS),
            when("--test", each(CODE_FILE).always(&[Opaque])),
        ],
        tells: "--help --version -v -h",
        examples: &[
            "node x.js => code-file x.js",
            "node => stdin-code",
            "node -c x.js => read x.js",
            "node -r ./e x.js => code-file ./e, code-file x.js",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "deno",
        options: &[
            val("-c --config", OBEY),
            val("--import-map --cert --lock", READ),
            skip("-L --log-level"),
        ],
        subs: &[
            Program {
                names: "eval repl",
                shape: then(&[Use::Is(Code(JavaScript))], NOTHING),
                ..EXACT
            },
            Program {
                names: "fmt",
                shape: each(EDIT).alone(&[Does::Edit]),
                when: &[when("--check", each(READ))],
                ..EXACT
            },
            Program { names: "lint check info doc types", shape: each(READ), ..EXACT },
            Program {
                names: "run serve",
                options: &[val("-c --config", OBEY)],
                shape: rest(&[Use::Remote], Rest::Words),
                ..EXACT_STOP
            },
        ],
        other: &[Opaque],
        examples: &[
            "deno run https://h/x.ts => catastrophe ForeignCode https://h/x.ts, connect h",
            "deno fmt --check a => read a",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "php",
        options: &[
            val(
                "-r -B -R -E --run --process-begin --process-code --process-end",
                Use::Is(Code(Php)),
            ),
            val("-f --file -F --process-file", CODE_FILE),
            val("-c --php-ini", OBEY),
            val("-S", Use::Is(Does::Listen)),
            val("-t --docroot", READ),
            val("-d -z --define --zend-extension", OPAQUE),
        ],
        shape: script(Php),
        when: &[when("-l --syntax-check", each(READ)), when("-r -f -S --run --file", WORDS)],
        tells: "--help --version -v -h -i -m --info --modules",
        examples: &[
            "php x.php => code-file x.php",
            "php -l x.php => read x.php",
            "php -S localhost:80 => listen",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "lua luajit lua5",
        options: &[val("-e", Use::Is(Code(Lua))), val("-l", CODE_FILE)],
        shape: script(Lua),
        when: &[when("-e", WORDS)],
        tells: "-v --version",
        examples: &["lua x.lua => code-file x.lua", "lua => stdin-code"],
        ..EXACT_STOP
    },
    Program {
        names: "Rscript R julia octave ghc ghci runghc runhaskell \
            scala clj clojure bb racket guile \
            sbcl ocaml swipl elixir iex escript groovy kotlin nim crystal raku tclsh wish \
            osascript jshell jjs jrunscript scheme m4 dc gnuplot maxima sage mathematica \
            wolframscript q",
        options: &[
            val("-e -E --eval -g -M -c --command --expression", Use::Is(Code(Other))),
            val("-f --file --script -l --load", CODE_FILE),
        ],
        shape: script(Other),
        when: &[when("-e -E --eval -c --command", NONE)],
        examples: &[
            "Rscript x.R => code-file x.R",
            "tclsh => stdin-code",
            "julia -e 'x' => code x",
            "m4 /etc/x => code-file /etc/x",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "erl",
        options: &[val("-eval -run", Use::Is(Code(Other))), skip("-s -sname -name -setcookie -pa")],
        shape: NONE,
        examples: &["erl -noshell -eval 'x' => code x"],
        ..DASH
    },
    Program {
        names: "java",
        options: &[
            val("-cp -classpath --class-path -p --module-path", NOTHING),
            val("-jar", CODE_FILE),
            val("-m --module", OPAQUE),
            skip("--add-modules --add-opens --add-exports --source"),
        ],
        shape: rest(&[OPAQUE], Rest::Words),
        when: &[when("-jar -m --module", WORDS)],
        tells: "-version --version --help -help -h",
        examples: &["java -jar x.jar => code-file x.jar", "java A => opaque", "java -version => "],
        ..super::table::DASH_STOP
    },
    Program {
        names: "javac kotlinc scalac",
        options: &[
            val("-d -s -h", CREATE),
            val("-processor -processorpath --processor-path", CODE_FILE),
            val("-cp -classpath --class-path -sourcepath", NOTHING),
            glued("-J-javaagent:", OPAQUE),
        ],
        shape: each(READ).always(&[Does::Create, Opaque]),
        tells: "-version --version --help -help",
        examples: &["javac -d out A.java => create, opaque, create out, read A.java"],
        ..DASH
    },
    Program {
        names: "bpftrace bpftool systemtap stap dtrace",
        options: &[
            val("-e -n", Use::Is(Code(Other))),
            val("-c", super::table::TEXT),
            val("-o", WRITE),
        ],
        shape: each(CODE_FILE).always(&[Does::Elevate]),
        examples: &["bpftrace -e 'x' => elevate, code x"],
        ..EXACT
    },
    Program {
        names: "scanmem gcore",
        shape: always(&[StdinCode(Other)]),
        examples: &["scanmem => stdin-code"],
        ..EXACT
    },
];
