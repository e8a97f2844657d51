//! Compilers, build tools, test runners and linters: they run code of the project.

use super::Does::{self, Connect, Create, Opaque};
use super::Harm;
use super::table::{
    CODE_FILE, CREATE, DASH, EDIT, ENTER, EXACT, EXACT_STOP, GNU, NONE, NOTHING, OBEY, OPAQUE, Opt,
    Program, READ, READ_TREE, Rest, Shape, TEXT, Use, WRITE, always, each, glued, rest, shaped,
    skip, sub, val, when,
};

const OPAQUE_ONLY: Shape = always(&[Opaque]);
const PUBLISH: &[Does] = &[Connect, Does::HardToTakeBack(Harm::Publish)];

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "make gmake bmake",
        options: &[
            val("-C --directory", ENTER),
            val("-f --file --makefile", Use::Script(super::Language::Make)),
            val("-I --include-dir", NOTHING),
            val("-E --eval", Use::Is(Does::Code(super::Language::Make))),
            val("-o -W --old-file --what-if", NOTHING),
            glued("-j -l -O --jobs --load-average --output-sync", NOTHING),
        ],
        shape: each(Use::Assignment).always(&[Opaque]),
        tells: "--help --version -v -h",
        examples: &[
            "make test => opaque",
            "make -n -f e.mk => opaque, code-file e.mk",
            "make -C .. SHELL=./e x => enter .., opaque, set SHELL=./e",
            "make --version => ",
            "make -j4 => opaque",
        ],
        ..GNU
    },
    Program {
        names: "cmake",
        options: &[
            val("-S -B --build --install -H", ENTER),
            val("-P -C", CODE_FILE),
            skip("-D -G -T -A -U --target --config --parallel -j --preset --prefix"),
            val("-E", Use::CmakeTool),
        ],
        shape: each(READ).always(&[Opaque, Create]),
        subs: &[],
        when: &[when("-E", rest(&[], Rest::Words))],
        examples: &[
            "cmake /tmp/x => opaque, create, read /tmp/x",
            "cmake -P x.cmake => opaque, create, code-file x.cmake",
            "cmake -E rm -rf x => run [rm -rf x]",
            "cmake -E remove_directory x => run [rm -r x]",
            "cmake -E echo x => ",
        ],
        ..EXACT
    },
    Program {
        names: "ninja samu meson bazel bazelisk buck2 scons waf just task mage gradle gradlew \
            mvn mvnw ant sbt lein mill tox nox invoke unittest jest vitest mocha \
            ava karma cypress playwright gulp grunt webpack rollup vite next nuxt esbuild parcel \
            turbo nx lerna tsx ts-node swc babel storybook astro svelte-kit remix ng \
            vue-cli-service ember react-scripts expo metro detox appium xcodebuild swift xcrun \
            fastlane pod carthage rspec cucumber phpunit pest artisan mix rebar3 stack cabal \
            dune opam zig nimble dub v ctest pre-commit husky lint-staged commitlint dotnet \
            msbuild nuget mono vstest flutter dart pub melos buf protoc swiftc cocoapods \
            maturin setuptools build hatchling flit cookiecutter copier jupyter jupyter-lab \
            nbconvert streamlit gunicorn uvicorn flask django-admin celery manage.py serve \
            http-server live-server forever pm2 foreman overmind hivemind act \
            circleci earthly dagger skaffold tilt packer molecule snakemake nextflow dvc mlflow \
            airflow prefect dbt locust k6 artillery vegeta coverage benchstat",
        options: &[
            val("-C --cwd --directory", ENTER),
            val("-f --file --config -c --rootdir", NOTHING),
            val("-exec", TEXT),
        ],
        shape: OPAQUE_ONLY,
        subs: &[
            sub(
                "publish deploy release push",
                &[Opaque, Connect, Does::HardToTakeBack(Harm::Publish)],
            ),
            sub(
                "flush sqlflush reset_db migrate:fresh migrate:reset migrate:refresh db:wipe",
                &[Opaque, Does::HardToTakeBack(Harm::Store)],
            ),
            sub("format fmt", &[Opaque, Does::Edit]),
            Program { names: "exec", shape: rest(&[], Rest::Command), ..EXACT_STOP },
        ],
        tells: "--help --version -V",
        examples: &[
            "tox exec -- rm x => run [rm x]",
            "mvn deploy => opaque, connect, hard Publish",
            "jest --version => ",
        ],
        ..EXACT
    },
    Program {
        names: "pytest py.test",
        options: &[
            val("--rootdir --confcutdir", ENTER),
            val("-c --config-file", OBEY),
            val("--junitxml --junit-xml --log-file --resultlog", WRITE),
            skip("-k -m -p -n -o -r -W --maxfail --tb --durations --ignore --deselect --cov"),
        ],
        shape: each(READ).always(&[Opaque]),
        examples: &["pytest -q tests => opaque, read tests", "pytest -k x => opaque"],
        ..EXACT
    },
    Program {
        names: "gcc g++ cc c++ clang clang++ tcc icc gfortran cpp nvcc",
        options: &[
            val("-o -MF -MT -MQ -dumpdir", WRITE),
            val("-wrapper", Use::Commas),
            val("-B -fplugin= -specs=", CODE_FILE),
            val("-include -imacros -isystem -iquote -T", READ),
            val("-x -target -arch -u -Xlinker -Xclang -mllvm", NOTHING),
            glued("-I -L -D -U -l -W -O -f -m -std -g", NOTHING),
        ],
        shape: each(READ).always(&[Create]),
        when: &[when("-E -fsyntax-only -M -MM", each(READ)), when("-o", each(READ))],
        tells: "--help --version -v -dumpversion -dumpmachine -print-search-dirs",
        examples: &[
            "gcc -c a.c -o a.o => read a.c, overwrite a.o",
            "gcc a.c => create, read a.c",
            "gcc -wrapper /bin/sh,-s x => create, run [/bin/sh -s], read x",
            "gcc -x c -E /etc/x => read /etc/x",
        ],
        ..DASH
    },
    Program {
        names: "ld as gold lld nasm yasm",
        options: &[
            val("-o", WRITE),
            val("-T -R --script", READ),
            val("-plugin --plugin", CODE_FILE),
            skip("-L -l -m -I -e -z -h -soname -rpath -dynamic-linker -f"),
        ],
        shape: each(Use::BehindOr("@", Does::ObeyFile, Does::Read)).always(&[Create]),
        when: &[when("-o", each(Use::BehindOr("@", Does::ObeyFile, Does::Read)))],
        examples: &["as @/etc/x => create, obey /etc/x", "ld -o x a.o => overwrite x, read a.o"],
        ..DASH
    },
    Program {
        names: "rustc rustdoc clippy-driver",
        options: &[
            val("-o --out-dir", WRITE),
            val(
                "-L --extern -C --codegen --cfg --crate-type --crate-name --edition --emit \
                 --target",
                NOTHING,
            ),
        ],
        shape: each(READ).always(&[Create, Opaque]),
        tells: "--help --version -V -vV",
        examples: &["rustc a.rs -o x => create, opaque, read a.rs, overwrite x"],
        ..EXACT
    },
    Program {
        names: "cargo",
        options: &[
            val("--config", OPAQUE),
            val("-C", ENTER),
            val("--manifest-path --lockfile-path", READ),
            val("--target-dir --artifact-dir --out-dir --root", CREATE),
            skip(
                "-p -j -F -Z --package --jobs --features --target --profile --example --bin \
                 --test --bench",
            ),
            skip("--message-format --color --exclude --format --depth --edition --vers -e --edges"),
        ],
        subs: &[
            sub("--version -V version", &[]),
            sub(
                "tree metadata locate-project pkgid read-manifest verify-project --list \
                 config",
                &[],
            ),
            Program {
                names: "build b check c test t bench doc d rustc rustdoc clippy nextest miri \
                 llvm-cov expand",
                shape: OPAQUE_ONLY,
                ..EXACT
            },
            Program {
                names: "run r",
                shape: rest(&[], Rest::Words).always(&[Opaque]),
                ..EXACT_STOP
            },
            Program { names: "fix", shape: always(&[Opaque, Does::Edit]), ..EXACT },
            Program {
                names: "fmt",
                shape: always(&[Does::Edit]),
                when: &[when("--check", NONE)],
                ..EXACT
            },
            sub("clean", &[]),
            Program {
                names: "install",
                options: &[
                    val("--git --index", Use::Package),
                    val("--path", READ),
                    skip("--registry --tag --rev --branch"),
                ],
                shape: always(&[Connect, Opaque, Create]),
                when: &[when("--list", NONE), when("--offline", always(&[Opaque, Create]))],
                ..EXACT
            },
            Program {
                names: "publish",
                options: &[skip("-p --package --token --registry --target-dir --manifest-path")],
                shape: always(PUBLISH),
                dry: "-n --dry-run",
                ..EXACT
            },
            sub("yank owner login logout", PUBLISH),
            sub(
                "add remove rm update upgrade generate-lockfile fetch vendor search info \
                 outdated audit deny",
                &[Connect, Does::Edit],
            ),
            Program { names: "new init", shape: each(CREATE).always(&[Create]), ..EXACT },
            Program {
                names: "watch",
                options: &[val("-s --shell", TEXT), skip("-x --exec -w --watch")],
                shape: rest(&[], Rest::Text).always(&[Opaque]),
                ..EXACT_STOP
            },
            sub("package uninstall", &[Opaque]),
        ],
        other: &[Opaque],
        tells: "--version -V",
        examples: &[
            "cargo --version => ",
            "cargo test x -- --nocapture => opaque",
            "cargo build --target-dir /tmp/t => opaque, create /tmp/t",
            "cargo publish => connect, hard Publish",
            "cargo --config x=1 check => opaque, opaque",
            "cargo +nightly build => opaque",
            "cargo rm serde => connect, edit",
            "cargo clean => ",
        ],
        ..EXACT
    },
    Program {
        names: "go",
        options: &[
            val("-C", ENTER),
            val("-toolexec -exec", TEXT),
            val("-vettool -overlay -modfile", CODE_FILE),
            val("-o", WRITE),
            skip("-run -mod -tags -ldflags -gcflags -timeout -count -p -bench"),
        ],
        subs: &[
            sub("version doc list help bug", &[]),
            Program {
                names: "env",
                shape: NONE,
                when: &[when("-w -u", always(&[Does::ChangeGlobalSettings]))],
                ..DASH
            },
            Program { names: "fmt", shape: always(&[Does::Edit]), ..DASH },
            Program {
                names: "run",
                options: GO,
                shape: rest(&[Use::GoTarget], Rest::Words).always(&[Opaque]),
                ..super::table::DASH_STOP
            },
            Program { names: "install", options: GO, shape: always(&[Connect, Opaque]), ..DASH },
            Program { names: "get", options: GO, shape: always(&[Connect, Does::Edit]), ..DASH },
            Program {
                names: "mod work",
                subs: &[
                    sub("graph why verify", &[]),
                    sub("download", &[Does::Edit, Connect]),
                    sub("tidy vendor init edit use", &[Does::Edit]),
                ],
                other: &[Opaque],
                ..DASH
            },
            Program { names: "clean", shape: NONE, ..DASH },
            Program {
                names: "build test vet generate tool",
                options: GO,
                shape: OPAQUE_ONLY,
                ..DASH
            },
        ],
        other: &[Opaque],
        examples: &[
            "go test ./... => opaque",
            "go run e.example/x@latest => opaque, catastrophe ForeignCode e.example/x@latest, \
             connect e.example",
            "go run main.go => opaque",
            "go build -toolexec=./e ./... => opaque, text ./e",
            "go env -w A=B => change-global-settings",
            "go env => ",
            "go vet -mod=vendor ./... => opaque",
        ],
        ..DASH
    },
    Program {
        names: "tsc eslint prettier biome standard stylelint oxlint ruff black isort flake8 mypy \
            pyright pylint autopep8 yapf bandit rustfmt gofmt goimports golangci-lint \
            clang-format clang-tidy shellcheck shfmt hadolint yamllint markdownlint \
            markdownlint-cli2 htmlhint csslint rubocop standardrb swiftlint swiftformat ktlint \
            detekt google-java-format scalafmt ormolu stylish-haskell hlint terraform-docs \
            tflint actionlint typos codespell vale cspell semgrep djlint sqlfluff buildifier \
            dprint taplo xmlformat tidy phpcs phpcbf phpstan psalm credo cppcheck",
        options: &[
            val("-o --output --output-file --outfile --outDir", WRITE),
            val("-c --config --plugin --resolve-plugins-relative-to --project -p --rcfile", OBEY),
            skip(
                "--ext --format -l --line-length --select --ignore --max-warnings --parser --style",
            ),
        ],
        subs: &[
            Program {
                names: "format fmt",
                shape: each(EDIT).alone(&[Does::Edit]),
                when: &[when("--check --diff", each(READ_TREE))],
                ..EXACT
            },
            Program {
                names: "check lint run",
                shape: each(READ_TREE),
                when: &[when("--fix --write --apply -w", each(EDIT).alone(&[Does::Edit]))],
                ..EXACT
            },
        ],
        shape: each(READ_TREE).always(&[Opaque]),
        when: &[when(
            "--fix --write -w -i --in-place --apply -a -A --autocorrect",
            each(EDIT).always(&[Opaque]),
        )],
        examples: &[
            "ruff format . => edit .",
            "prettier --write . => opaque, edit .",
            "clang-format -i a.c => opaque, edit a.c",
            "eslint src => opaque, read-tree src",
        ],
        ..EXACT
    },
    Program {
        names: "ccache sccache distcc icecc",
        shape: rest(&[], Rest::Command),
        examples: &["ccache gcc a.c => run [gcc a.c]"],
        ..EXACT_STOP
    },
    Program {
        names: "pkg-config pkgconf gcov lcov cargo-tree ctags etags cscope doxygen graphviz dot \
         mermaid mmdc",
        options: &[
            val("-o -f --output --output-file -O", WRITE),
            skip("-T -K --variable --define-variable"),
        ],
        shape: each(READ),
        examples: &["dot -Tsvg a -o b => read a, overwrite b"],
        ..EXACT
    },
    shaped("autoconf", OPAQUE_ONLY).with(&["autoconf => opaque"]),
    shaped("automake", OPAQUE_ONLY).with(&["automake => opaque"]),
    shaped("autoreconf configure ./configure libtool libtoolize aclocal", OPAQUE_ONLY)
        .with(&["configure => opaque"]),
    Program {
        names: "convert magick mogrify ffmpeg ffprobe sox exiftool gs pdftotext pdftk qpdf \
         inkscape",
        options: &[val("-i", Use::Place(Does::Read)), val("-o --output -write", WRITE)],
        shape: super::table::to(Use::Place(Does::Read), &[WRITE]),
        examples: &[
            "convert a b => read a, overwrite b",
            "ffmpeg -i a b.mp4 => read a, read b.mp4",
        ],
        ..DASH
    },
];

const GO: &[Opt] = &[
    val("-toolexec -exec", TEXT),
    val("-vettool -overlay -modfile", CODE_FILE),
    val("-o -coverprofile -cpuprofile -memprofile -trace", WRITE),
    val("-C", ENTER),
    skip("-run -mod -tags -ldflags -gcflags -timeout -count -p -bench -covermode -coverpkg"),
];
