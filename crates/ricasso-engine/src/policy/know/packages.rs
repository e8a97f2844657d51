//! Package managers: they fetch code and run it, for a project or for the machine.

use super::Does::{self, Connect, Opaque};
use super::Harm;
use super::table::{
    CODE_FILE, CREATE, EDIT, ENTER, EXACT, EXACT_STOP, NONE, NOTHING, OBEY, OPAQUE, PUT, Program,
    READ, RUN, Rest, Shape, TEXT, Use, always, both, each, rest, skip, sub, then, val, when,
};

/// Fetches and runs code of others, by name.
const INSTALLS: &[Does] = &[Connect, Opaque];
const GLOBAL: Does = Does::HardToTakeBack(Harm::Global);
const PUBLISH: &[Does] = &[Connect, Does::HardToTakeBack(Harm::Publish)];
const PACKAGES: Shape = each(Use::Package).always(INSTALLS);
const SYSTEM: &[Does] = &[Connect, Opaque, Does::Elevate];
const REMOVES: &[Does] = &[Does::Elevate, Does::Catastrophe(Harm::Package)];
const RUNS: Shape = rest(&[], Rest::Command);
/// The command may come from the network by its name.
const FETCHED: Shape = rest(&[Use::Tool], Rest::Words).alone(INSTALLS);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "pip pip2 pip3",
        options: &[
            val("-t --target --prefix --root -d --dest -w --wheel-dir", PUT),
            val("--log --report", super::table::WRITE),
            val("-r --requirement -c --constraint", READ),
            val("-e --editable", Use::Package),
            val("-i --index-url --extra-index-url -f --find-links --proxy", Use::Url),
            val("--cache-dir --src -b", CREATE),
            val("--python", RUN),
            val("--config-settings", OPAQUE),
            skip("--timeout --retries --progress-bar --platform --python-version --only-binary"),
            skip("--no-binary --upgrade-strategy --format --trusted-host --abi --implementation"),
        ],
        subs: &[
            Program {
                names: "install download wheel",
                shape: PACKAGES,
                when: &[when("--no-index", each(Use::Package).always(&[Opaque]))],
                ..EXACT
            },
            sub("list show freeze check inspect hash debug help completion", &[]),
            sub("index search", &[Connect]),
            sub("uninstall", &[]),
            Program {
                names: "config",
                subs: &[sub("list get debug", &[])],
                other: &[Does::ChangeGlobalSettings],
                ..EXACT
            },
            Program { names: "cache", subs: &[sub("dir info list purge remove", &[])], ..EXACT },
        ],
        other: &[Opaque],
        tells: "--help --version -V -h",
        examples: &[
            "pip install x => connect, opaque",
            "pip install -r r.txt => connect, opaque, read r.txt",
            "pip install https://h/x.tgz => connect, opaque, catastrophe ForeignCode \
             https://h/x.tgz, connect h",
            "pip list --format=json => ",
            "pip config set a b => change-global-settings",
            "pip install . => connect, opaque, read .",
            "pip uninstall -y x => ",
        ],
        ..EXACT
    },
    Program {
        names: "pipx",
        subs: &[
            Program {
                names: "run",
                options: &[val("--spec", Use::Package), skip("--python")],
                shape: FETCHED,
                ..EXACT_STOP
            },
            sub("list environment", &[]),
            Program { names: "install inject upgrade reinstall", shape: PACKAGES, ..EXACT },
        ],
        other: &[Opaque],
        examples: &["pipx run x => opaque, connect", "pipx list => "],
        ..EXACT
    },
    Program {
        names: "uv",
        options: &[
            val("--directory --project", ENTER),
            val("--config-file", OBEY),
            skip("--python -p --color --cache-dir"),
        ],
        subs: &[
            Program {
                names: "run",
                options: &[
                    val("--with --with-editable --from", Use::Package),
                    val("--with-requirements --env-file", READ),
                    skip("-p --python --extra --group --package"),
                    val("-m --module", Use::Module),
                ],
                shape: RUNS.always(&[Opaque]),
                when: &[when("-m --module", always(&[Opaque]))],
                ..EXACT_STOP
            },
            Program {
                names: "tool",
                subs: &[
                    Program {
                        names: "run",
                        options: &[val("--from --with", Use::Package)],
                        shape: FETCHED,
                        ..EXACT_STOP
                    },
                    sub("list dir", &[]),
                    Program { names: "install upgrade", shape: PACKAGES, ..EXACT },
                    sub("uninstall", &[]),
                ],
                ..EXACT
            },
            Program {
                names: "pip",
                subs: &[
                    sub("list show freeze check tree uninstall", &[]),
                    Program {
                        names: "install compile sync download",
                        options: &[
                            val("-r --requirement -c --constraint", READ),
                            val("-e --editable", Use::Package),
                        ],
                        shape: PACKAGES,
                        ..EXACT
                    },
                ],
                other: INSTALLS,
                ..EXACT
            },
            sub("version help cache tree self", &[]),
            Program { names: "publish", shape: always(PUBLISH), dry: "--dry-run", ..EXACT },
            Program { names: "venv init", shape: each(CREATE).alone(&[Does::Create]), ..EXACT },
        ],
        other: INSTALLS,
        examples: &[
            "uv run rm x => opaque, run [rm x]",
            "uv sync => connect, opaque",
            "uv tool run x => opaque, connect",
        ],
        ..EXACT
    },
    Program {
        names: "uvx bunx",
        options: &[val("--from --with -p --package", Use::Package), skip("--python")],
        shape: FETCHED,
        examples: &["uvx x y => opaque, connect"],
        ..EXACT_STOP
    },
    Program {
        names: "npx pnpx",
        options: &[
            val("-c --call", TEXT),
            val("-p --package", Use::Package),
            val("-w --workspace", NOTHING),
        ],
        shape: FETCHED,
        when: &[when("-c --call", NONE)],
        examples: &[
            "npx -c 'rm x' => text 'rm x'",
            "npx -y x => opaque, connect",
            "npx https://h/x.tgz => catastrophe ForeignCode https://h/x.tgz, connect h, opaque",
            "npx rimraf dist => run [rimraf dist]",
            "npx prisma migrate reset --force => run [prisma migrate reset --force]",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "npm pnpm cnpm",
        options: &[
            val("-C --prefix --dir", ENTER),
            val("--script-shell --git --node-options --editor", RUN),
            val("--userconfig --globalconfig", OBEY),
            val("--registry --proxy --https-proxy", Use::Url),
            val("--cache", CREATE),
            skip(
                "-w --workspace --loglevel --tag --filter --otp --access --omit --include --depth",
            ),
        ],
        subs: &[
            Program {
                names: "install i add ci update up upgrade install-test it isntall in ins",
                shape: PACKAGES,
                when: &[when("--offline", each(Use::Package).always(&[Opaque]))],
                dry: "--dry-run",
                ..EXACT
            },
            Program {
                names: "uninstall remove rm r un unlink prune dedupe ddp",
                shape: always(&[Opaque, Does::Edit]),
                when: &[when("-g --global", always(&[Opaque, GLOBAL]))],
                ..EXACT
            },
            Program {
                names: "exec x dlx",
                options: &[val("-c --call", TEXT), val("-p --package", Use::Package)],
                shape: FETCHED,
                when: &[when("-c --call", NONE)],
                ..EXACT_STOP
            },
            Program { names: "explore", shape: rest(&[NOTHING], Rest::Command), ..EXACT_STOP },
            Program { names: "publish", shape: always(PUBLISH), dry: "--dry-run", ..EXACT },
            sub("unpublish deprecate dist-tag", PUBLISH),
            sub(
                "owner access team token login logout adduser profile org hook",
                &[Connect, Does::HardToTakeBack(Harm::User)],
            ),
            Program {
                names: "config c",
                subs: &[
                    sub("get list ls", &[]),
                    sub("set delete edit fix", &[Does::ChangeGlobalSettings]),
                ],
                ..EXACT
            },
            sub("set", &[Does::ChangeGlobalSettings]),
            sub("version", &[Does::ChangeRepository, Does::Edit, Opaque]),
            Program {
                names: "pkg",
                subs: &[sub("get", &[]), sub("set delete fix", &[Does::Edit])],
                ..EXACT
            },
            sub("ls list ll la root bin prefix help why explain query get store licenses", &[]),
            sub("view info show v outdated search ping audit whoami", &[Connect]),
            sub("cache", &[]),
            sub("init create innit", &[Does::Create, Opaque, Connect]),
            sub("link ln", &[Opaque, GLOBAL]),
            Program {
                names: "pack",
                options: &[val("--pack-destination", PUT)],
                shape: always(&[Opaque]),
                ..EXACT
            },
            sub("run run-script test t tst start stop restart rebuild rb", &[Opaque]),
        ],
        other: &[Opaque],
        tells: "--help --version -v -h",
        examples: &[
            "npm run build -- --base=/static/ => opaque",
            "npm test => opaque",
            "npm i -g x => connect, opaque",
            "npm install x => connect, opaque",
            "npm --script-shell=./e run x => opaque, run-program ./e",
            "npm exec -c 'rm x' => text 'rm x'",
            "npm explore x -- rm y => run [rm y]",
            "npm config set a b => change-global-settings",
            "npm config get a => ",
            "npm publish => connect, hard Publish",
            "npm ls --all => ",
            "npm rm -g x => opaque, hard Global",
            "npm pack --pack-destination d => opaque, put d",
        ],
        ..EXACT
    },
    Program {
        names: "yarn bun",
        options: &[
            val("--cwd -C", ENTER),
            skip("--registry --network-timeout --filter"),
            val("-e --eval -p", Use::Is(Does::Code(super::Language::JavaScript))),
        ],
        subs: &[
            Program {
                names: "add install i upgrade up update",
                shape: PACKAGES,
                when: &[when("--offline", always(&[Opaque]))],
                ..EXACT
            },
            Program {
                names: "dlx x",
                options: &[val("-p --package", Use::Package)],
                shape: FETCHED,
                ..EXACT_STOP
            },
            Program { names: "exec", shape: rest(&[], Rest::Text), ..EXACT_STOP },
            Program { names: "publish", shape: always(PUBLISH), dry: "--dry-run", ..EXACT },
            sub("list why info licenses bin versions", &[]),
            Program {
                names: "config",
                subs: &[sub("get list", &[])],
                other: &[Does::ChangeGlobalSettings],
                ..EXACT
            },
            Program { names: "global", shape: always(&[Connect, Opaque, GLOBAL]), ..EXACT },
        ],
        shape: always(INSTALLS),
        other: &[Opaque],
        tells: "--help --version -v -h",
        examples: &[
            "yarn => connect, opaque",
            "yarn build => opaque",
            "yarn dlx x => opaque, connect",
            "yarn --cwd . xxx => enter ., opaque",
        ],
        ..EXACT
    },
    Program {
        names: "apt apt-get aptitude yum dnf zypper microdnf tdnf",
        options: &[
            val("-c --config-file", OBEY),
            val("-o --option", OPAQUE),
            skip(
                "-t --target-release -x --exclude --enablerepo --disablerepo --setopt --releasever",
            ),
            val("--installroot", ENTER),
        ],
        subs: &[
            Program {
                names: "install reinstall localinstall in groupinstall",
                shape: each(Use::Package).always(SYSTEM),
                dry: "-s --simulate --dry-run",
                ..EXACT
            },
            sub(
                "update upgrade dist-upgrade full-upgrade build-dep check-update refresh \
                 makecache download source",
                SYSTEM,
            ),
            sub("remove purge erase autoremove autopurge rm groupremove", REMOVES),
            sub(
                "list show search info policy depends rdepends provides repolist history \
                 repoquery madison",
                &[],
            ),
            sub("clean autoclean", &[Does::Elevate]),
        ],
        other: SYSTEM,
        dry: "-s --simulate --dry-run --just-print --assumeno",
        examples: &[
            "apt-get install -y x => connect, opaque, elevate",
            "apt-get purge -y python3 => elevate, catastrophe Package",
            "apt list => ",
            "yum remove glibc -y => elevate, catastrophe Package",
        ],
        ..EXACT
    },
    Program {
        names: "dpkg rpm dpkg-deb",
        options: &[val("--root --instdir --admindir", ENTER), skip("--force-depends")],
        shape: NONE,
        when: &[
            when(
                "-i --install -U --upgrade -F --freshen",
                each(READ).always(&[Opaque, Does::Elevate]),
            ),
            when("-r --remove -P --purge -e --erase", always(REMOVES)),
            when("-x -X --extract", then(&[READ], PUT)),
            when("-b --build", then(&[READ], super::table::WRITE)),
        ],
        examples: &[
            "dpkg -l => ",
            "dpkg -i x.deb => opaque, elevate, read x.deb",
            "dpkg -r x => elevate, catastrophe Package",
        ],
        ..EXACT
    },
    Program {
        names: "pacman yay paru",
        options: &[val("--config", OBEY), val("-r --root -b --dbpath", ENTER)],
        shape: NONE,
        when: &[
            when("-R --remove", always(REMOVES)),
            when("-Q -F -T -V --query", NONE),
            both("-S", "-s -i -l -g --search", always(&[Connect])),
            when("-S -U --sync --upgrade", each(Use::Package).always(SYSTEM)),
        ],
        examples: &[
            "pacman -Rns base => elevate, catastrophe Package",
            "pacman -Syu => connect, opaque, elevate",
            "pacman -Q => ",
        ],
        ..EXACT
    },
    Program {
        names: "apk",
        options: &[val("-p --root", ENTER), skip("-X --repository")],
        subs: &[
            Program { names: "add fix", shape: each(Use::Package).always(SYSTEM), ..EXACT },
            sub("del", REMOVES),
            sub("info list search policy version stats", &[]),
        ],
        other: SYSTEM,
        examples: &[
            "apk add x => connect, opaque, elevate",
            "apk del x => elevate, catastrophe Package",
        ],
        ..EXACT
    },
    Program {
        names: "brew port",
        subs: &[
            Program {
                names: "install reinstall upgrade update tap bundle",
                shape: PACKAGES,
                ..EXACT
            },
            sub("uninstall remove rm autoremove", &[GLOBAL]),
            sub(
                "list ls info search deps uses leaves outdated config doctor --prefix --cellar \
                 --version home cleanup",
                &[],
            ),
            Program {
                names: "services",
                shape: always(&[Does::HardToTakeBack(Harm::Service)]),
                subs: &[sub("list info", &[])],
                ..EXACT
            },
        ],
        other: &[Opaque],
        examples: &["brew install x => connect, opaque", "brew list => "],
        ..EXACT
    },
    Program {
        names: "snap flatpak nix nix-env nix-shell guix choco winget scoop",
        options: &[val("--run --command -c", TEXT), skip("-p -A -f --attr")],
        subs: &[
            sub("list info search find show-derivation version", &[]),
            sub("remove uninstall", &[Does::HardToTakeBack(Harm::Global)]),
            Program {
                names: "run develop shell",
                options: &[val("-c --command", TEXT)],
                shape: always(INSTALLS),
                ..EXACT
            },
        ],
        shape: always(INSTALLS),
        other: INSTALLS,
        examples: &[
            "snap install x => connect, opaque",
            "nix-shell --run 'rm x' => connect, opaque, text 'rm x'",
        ],
        ..EXACT
    },
    Program {
        names: "poetry pdm hatch pipenv rye",
        options: &[val("-C -P --directory --project", ENTER)],
        subs: &[
            Program { names: "run", shape: RUNS.always(&[Opaque]), ..EXACT_STOP },
            sub("show check version env about list search", &[]),
            Program { names: "publish", shape: always(PUBLISH), dry: "--dry-run", ..EXACT },
            sub("config", &[Does::ChangeGlobalSettings]),
        ],
        other: INSTALLS,
        examples: &["poetry run rm x => opaque, run [rm x]", "poetry install => connect, opaque"],
        ..EXACT
    },
    Program {
        names: "conda mamba micromamba",
        options: &[
            skip("-n --name -c --channel"),
            val("-p --prefix", EDIT),
            val("-f --file", READ),
        ],
        subs: &[
            Program {
                names: "run",
                options: &[skip("-n --name"), val("-p --prefix", NOTHING)],
                shape: RUNS,
                ..EXACT_STOP
            },
            sub("list info search activate deactivate config", &[]),
            Program {
                names: "env",
                subs: &[
                    sub("list export", &[]),
                    sub("remove", &[Does::HardToTakeBack(Harm::Global)]),
                ],
                other: INSTALLS,
                ..EXACT
            },
        ],
        other: INSTALLS,
        examples: &["conda run -n e rm x => run [rm x]", "conda install x => connect, opaque"],
        ..EXACT
    },
    Program {
        names: "gem",
        subs: &[
            Program {
                names: "install update fetch",
                options: &[
                    val("-i --install-dir", PUT),
                    val("-g --file", CODE_FILE),
                    skip("-v --version"),
                ],
                shape: PACKAGES,
                ..EXACT
            },
            sub("list info search which environment env contents dependency outdated", &[]),
            sub("push yank owner", PUBLISH),
            sub("open exec", &[Opaque]),
        ],
        other: &[Opaque],
        examples: &[
            "gem install x => connect, opaque",
            "gem push x => connect, hard Publish",
            "gem list => ",
        ],
        ..EXACT
    },
    Program {
        names: "bundle bundler",
        options: &[val("--gemfile", CODE_FILE)],
        subs: &[
            Program { names: "exec", shape: RUNS.always(&[Opaque]), ..EXACT_STOP },
            sub("list show info outdated check", &[Opaque]),
        ],
        shape: always(INSTALLS),
        other: INSTALLS,
        examples: &["bundle exec rm x => opaque, run [rm x]", "bundle => connect, opaque"],
        ..EXACT
    },
    Program {
        names: "composer",
        options: &[val("-d --working-dir", ENTER)],
        subs: &[
            sub("show info licenses validate outdated status why depends", &[]),
            sub("run-script run exec x test", &[Opaque]),
        ],
        other: INSTALLS,
        examples: &["composer install => connect, opaque", "composer run-script x => opaque"],
        ..EXACT
    },
    Program {
        names: "rustup rbenv pyenv nvm fnm volta sdk n nodenv",
        subs: &[
            sub("show which --version version versions list ls current local", &[]),
            Program { names: "run exec", shape: rest(&[NOTHING], Rest::Command), ..EXACT_STOP },
            sub("doc", &[Opaque]),
        ],
        other: INSTALLS,
        examples: &[
            "rustup run stable cargo build => run [cargo build]",
            "rustup show => ",
            "rustup update => connect, opaque",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "prisma supabase drizzle-kit sequelize knex typeorm alembic flyway liquibase",
        options: &[val("--schema --config", READ)],
        subs: &[Program {
            names: "migrate db database schema:drop db:drop clean downgrade",
            subs: &[
                sub("reset drop down", &[Opaque, Connect, Does::HardToTakeBack(Harm::Store)]),
                Program {
                    names: "push",
                    shape: always(&[Opaque, Connect]),
                    when: &[when(
                        "--force-reset --accept-data-loss",
                        always(&[Opaque, Connect, Does::HardToTakeBack(Harm::Store)]),
                    )],
                    ..EXACT
                },
            ],
            shape: always(&[Opaque]),
            ..EXACT
        }],
        other: &[Opaque],
        examples: &[
            "supabase db reset => opaque, connect, hard Store",
            "prisma generate => opaque",
            "prisma migrate dev => opaque",
        ],
        ..EXACT
    },
    Program {
        names: "twine cargo-publish vsce ovsx semantic-release np goreleaser",
        shape: always(PUBLISH),
        examples: &["twine upload x => connect, hard Publish"],
        ..EXACT
    },
];
