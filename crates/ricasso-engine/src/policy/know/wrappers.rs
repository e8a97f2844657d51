//! Programs that run another command.

use super::Does::{self, Create, Elevate, Opaque, ShowEnvironment};
use super::table::{
    APPEND, CODE_FILE, CREATE, EDIT, ENTER, EXACT, EXACT_STOP, GNU, NONE, NOTHING, Program, READ,
    RUN, Rest, STOP, Style, TEXT, Use, WRITE, act, each, glued, rest, skip, then, val, when,
};
use super::{Harm, Language, find};

/// The first operand that is not an option starts the command.
const COMMAND: super::table::Shape = rest(&[], Rest::Command);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "env genv",
        options: &[
            val("-S --split-string", Use::Split),
            val("-C --chdir", ENTER),
            val("-u --unset", Use::Is(Does::Unset)),
            skip("-a --argv0"),
            glued("--block-signal --default-signal --ignore-signal", NOTHING),
        ],
        shape: rest(&[], Rest::SetsThenCommand).alone(&[ShowEnvironment]),
        when: &[when("-S --split-string", rest(&[], Rest::Words))],
        examples: &[
            "env => show-environment",
            "env A=1 => show-environment, set A=1",
            "env -i A=1 rm x => set A=1, run [rm x]",
            "env '-Stouch /tmp/x' => run [touch /tmp/x]",
            "env -S 'A=1 sh -c \"a b\"' y => set A=1, run [sh -c 'a b' y]",
            "env -C /x cat y => enter /x, run [cat y]",
            "env -u A ls => unset A, run [ls]",
        ],
        ..STOP
    },
    Program {
        names: "sudo",
        options: &[
            val("-D --chdir", ENTER),
            val("-R --chroot", ENTER),
            skip("-C -g -h -p -r -t -T -U -u --close-from --group --host --prompt --role --type"),
            skip("--command-timeout --other-user --user"),
        ],
        shape: rest(&[], Rest::SetsThenCommand).always(&[Elevate]),
        when: &[
            when("-e --edit", each(EDIT).always(&[Elevate])),
            when("-l --list -v --validate -k -K", NONE.always(&[Elevate])),
            when(
                "-s --shell -i --login",
                rest(&[], Rest::Text).always(&[Elevate]).alone(&[Does::StdinText]),
            ),
        ],
        tells: "--help --version -V",
        examples: &[
            "sudo -u x rm y => elevate, run [rm y]",
            "sudo A=1 ls => elevate, set A=1, run [ls]",
            "sudo -e /etc/x => elevate, edit /etc/x",
        ],
        ..STOP
    },
    Program {
        names: "doas",
        options: &[skip("-u -C -a")],
        shape: COMMAND.always(&[Elevate]),
        examples: &["doas -u x rm y => elevate, run [rm y]"],
        ..EXACT_STOP
    },
    Program {
        names: "pkexec run0 gosu su-exec",
        options: &[skip("--user --unit --setenv --chdir")],
        shape: COMMAND.always(&[Elevate]).alone(&[Does::StdinText]),
        examples: &["pkexec /bin/sh => elevate, run [/bin/sh]"],
        ..EXACT_STOP
    },
    Program {
        names: "su runuser",
        options: &[
            val("-c --command --session-command", TEXT),
            skip("-g -G -w -u --group --supp-group --whitelist-environment --user"),
            val("-s --shell", RUN),
        ],
        shape: NONE.always(&[Elevate, Does::StdinText]),
        when: &[
            when("-c --command --session-command", NONE.always(&[Elevate])),
            when("-u --user", COMMAND.always(&[Elevate])),
        ],
        examples: &["su - x -c 'rm y' => elevate, text 'rm y'", "su => elevate, stdin-text"],
        ..GNU
    },
    Program {
        names: "nice gnice",
        options: &[skip("-n --adjustment")],
        shape: COMMAND,
        examples: &["nice -n 5 rm x => run [rm x]", "nice -5 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "ionice",
        options: &[skip("-c -n -p -P -u --class --classdata --pid")],
        shape: COMMAND,
        when: &[when("-p --pid -P -u", NONE)],
        examples: &["ionice -c3 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "chrt",
        options: &[skip("-T -P -D --sched-runtime --sched-period --sched-deadline")],
        shape: rest(&[NOTHING], Rest::Command),
        when: &[when("-p --pid -m --max", NONE)],
        examples: &["chrt -b 0 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "taskset",
        shape: rest(&[NOTHING], Rest::Command),
        when: &[when("-p --pid", NONE)],
        examples: &["taskset 1 rm x => run [rm x]", "taskset -c 0,1 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "numactl",
        options: &[skip("-m -N -C -P -i --membind --cpunodebind --physcpubind --interleave")],
        shape: COMMAND,
        examples: &["numactl -N 0 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "timeout gtimeout",
        options: &[skip("-s -k --signal --kill-after")],
        shape: rest(&[NOTHING], Rest::Command),
        examples: &[
            "timeout -s KILL 5 rm x => run [rm x]",
            "timeout --foreground 5 ls -l => run [ls -l]",
        ],
        ..STOP
    },
    Program {
        names: "command",
        shape: COMMAND,
        when: &[when("-v -V", NONE)],
        examples: &["command -v rm => ", "command -p rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "exec",
        options: &[skip("-a")],
        shape: COMMAND,
        examples: &["exec -a ls rm x => run [rm x]", "exec -cl rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "time gtime",
        options: &[val("-o --output", WRITE), skip("-f --format")],
        shape: COMMAND,
        examples: &["time -f %e rm x => run [rm x]", "time -v rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "nohup setsid builtin dbus-run-session fakeroot catchsegv unbuffer caffeinate \
         nocache \
                proxychains proxychains4 torsocks eatmydata chronic tini dumb-init catatonit",
        options: &[skip("-s -l --save --lib")],
        shape: COMMAND,
        examples: &["nohup rm x => run [rm x]", "setsid -w rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "stdbuf",
        options: &[skip("-i -o -e --input --output --error")],
        shape: COMMAND,
        examples: &["stdbuf -oL rm x => run [rm x]", "stdbuf -o L rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "setarch linux32 linux64 i386 x86_64",
        shape: COMMAND.alone(&[Does::StdinText]),
        examples: &["setarch x86_64 rm x => run [x86_64 rm x]", "x86_64 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "xargs gxargs",
        style: Style::Special(find::xargs),
        examples: &[
            "xargs rm => run-for-input [rm …]",
            "xargs -a l -0 wc -l => read l, run-for-input [wc -l …]",
            "xargs -I{} sh -c 'rm {}' => run-for-input [sh -c 'rm …']",
            "xargs -r -n1 -P4 touch x => run-for-input [touch x …]",
            "xargs -t rm => run-for-input [rm …]",
            "xargs => ",
        ],
        ..GNU
    },
    Program {
        names: "parallel",
        style: Style::Special(find::parallel),
        examples: &[
            "parallel -j4 rm -rf ::: a b => text 'rm -rf a', text 'rm -rf b'",
            "parallel gzip {} => run-for-input [gzip …]",
            "parallel echo {} x ::: a => text 'echo a x'",
        ],
        ..GNU
    },
    Program {
        names: "find gfind",
        style: Style::Special(find::find),
        examples: &[
            "find . -name '*.rs' => read-tree .",
            "find a b -delete => read-tree a, delete-tree a, read-tree b, delete-tree b",
            "find . -name '*.pyc' -delete => read-tree ., delete-some .",
            "find -L / -maxdepth 1 => through-links /",
            "find . -fprint x -fls y -fprintf z %p => read-tree ., overwrite x, overwrite y, \
             overwrite z",
            "find / -exec rm -rf {} + => read-tree /, run [rm -rf /]",
            "find a -type f -exec shred {} + => read-tree a, delete-tree a, run [shred a]",
            "find . -name x -ok rm {} ; -print => read-tree ., run [rm ./…x]",
            "find -files0-from l -exec touch x ; => read l, run [touch x]",
        ],
        ..GNU
    },
    Program {
        names: "fd fdfind",
        style: Style::Special(find::fd),
        examples: &[
            "fd . / -x rm -rf => read-tree /, run [rm -rf /…]",
            "fd -e rs => read-tree",
            "fd x -X wc -l {} => read-tree, run [wc -l ./…]",
        ],
        ..GNU
    },
    Program {
        names: "busybox toybox",
        shape: COMMAND,
        when: &[when("--list --list-full", NONE), when("--install", each(EDIT))],
        examples: &["busybox sh -c x => run [sh -c x]"],
        ..EXACT_STOP
    },
    Program {
        names: "watch",
        options: &[skip("-n -q --interval --equexit")],
        shape: rest(&[], Rest::Text),
        when: &[when("-x --exec", COMMAND)],
        examples: &["watch -n1 -g rm x => text 'rm x'", "watch -x rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "script",
        options: &[
            val("-c --command", TEXT),
            val("-I -O -B --log-in --log-out --log-io", WRITE),
            glued("-t --timing", WRITE),
            val("-T --log-timing", WRITE),
            skip("-E -m -o --echo --logging-format --output-limit"),
        ],
        shape: then(&[WRITE], NOTHING).always(&[Does::StdinText]).alone(&[Create]),
        when: &[when("-c --command", then(&[WRITE], NOTHING))],
        examples: &[
            "script -qc 'rm y' x => text 'rm y', overwrite x",
            "script -q x => stdin-text, overwrite x",
        ],
        ..GNU
    },
    Program {
        names: "flock",
        options: &[val("-c --command", TEXT), skip("-w -E --wait --timeout --conflict-exit-code")],
        shape: rest(&[CREATE], Rest::Command),
        when: &[when("-c --command", each(CREATE))],
        examples: &[
            "flock /dev/null rm x => create /dev/null, run [rm x]",
            "flock l -c 'rm x' => create l, text 'rm x'",
        ],
        ..STOP
    },
    Program {
        names: "strace ltrace",
        options: &[
            val("-o --output", Use::BehindOr("|", Does::RunText, Does::Overwrite)),
            val("-F", READ),
            skip("-a -b -e -I -l -n -p -P -S -s -u -U -X -E -O -A"),
            val("--trace --signal --string-limit", NOTHING),
        ],
        shape: COMMAND,
        examples: &[
            "strace -f -o x rm y => overwrite x, run [rm y]",
            "strace -e trace=open ls => run [ls]",
            "strace -o '|rm x' ls => text 'rm x', run [ls]",
        ],
        ..STOP
    },
    Program {
        names: "valgrind rr heaptrack gprofng perf",
        options: &[val("--log-file --xml-file -o --output", WRITE)],
        shape: COMMAND.always(&[Opaque]),
        examples: &["valgrind --leak-check=full ./a => opaque, run [./a]"],
        ..EXACT_STOP
    },
    Program {
        names: "gdb lldb rust-gdb",
        options: &[
            val("-ex -iex --eval-command -o -O", Use::Is(Does::Code(Language::Other))),
            val("-x -ix --command -s -S", CODE_FILE),
            val("-d -cd --cd", ENTER),
            skip("-p --pid -c --core"),
        ],
        shape: each(RUN).alone(&[Does::StdinCode(Language::Other)]),
        examples: &["gdb -nx -ex '!x' => stdin-code, text x, code !x"],
        ..super::table::DASH
    },
    Program {
        names: "ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so \
         ld-musl.so",
        options: &[
            val("--preload --audit", CODE_FILE),
            skip("--library-path --inhibit-rpath --argv0 --glibc-hwcaps-prepend"),
        ],
        shape: COMMAND,
        when: &[when("--list --verify --list-tunables --list-diagnostics", each(READ))],
        examples: &["ld-linux-x86-64.so.2 /bin/rm x => run [/bin/rm x]"],
        ..EXACT_STOP
    },
    Program {
        names: "unshare bwrap firejail systemd-nspawn",
        options: &[
            val("-R --root -w --wd --chdir", ENTER),
            val("--bind --ro-bind --dev-bind -D --directory", Use::Is(Does::Edit)),
            skip("-S -G --setuid --setgid --map-user --map-group --propagation --kill-child"),
            skip("--uid --gid --hostname --unsetenv --tmpfs --proc --dev"),
        ],
        shape: COMMAND.alone(&[Does::StdinText]),
        examples: &["unshare -r -n rm x => run [rm x]", "unshare => stdin-text"],
        ..EXACT_STOP
    },
    Program {
        names: "nsenter",
        options: &[
            val("-t --target", NOTHING),
            glued(
                "-m -u -i -n -p -C -U -T --mount --uts --ipc --net --pid --cgroup --user --time",
                NOTHING,
            ),
            glued("-r --root -w --wd", ENTER),
            skip("-S -G --setuid --setgid"),
        ],
        shape: rest(&[], Rest::Elsewhere).always(&[Elevate]).alone(&[Does::StdinText]),
        examples: &["nsenter -t 1 -m touch x => elevate, run-elsewhere [touch x]"],
        ..EXACT_STOP
    },
    Program {
        names: "chroot",
        options: &[skip("--userspec --groups")],
        shape: rest(&[ENTER], Rest::Command).always(&[Elevate]).alone(&[Does::StdinText]),
        examples: &[
            "chroot / rm x => enter /, elevate, run [rm \
            x]",
            "chroot / => enter /, elevate, stdin-text",
        ],
        ..STOP
    },
    Program {
        names: "setpriv capsh",
        options: &[skip(
            "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits",
        )],
        shape: COMMAND.alone(&[Does::StdinText]),
        examples: &["setpriv --no-new-privs rm x => run [rm x]", "capsh -- => stdin-text"],
        ..EXACT_STOP
    },
    Program {
        names: "systemd-run",
        options: &[
            val("-d --working-directory", ENTER),
            val("-E --setenv", Use::Is(Does::Set)),
            skip(
                "-p -u -H -M --unit --property --host --machine --description --slice --uid --gid",
            ),
            skip("--on-active --on-boot --on-calendar --timer-property --service-type --nice"),
        ],
        shape: rest(&[], Rest::Command).always(&[Does::HardToTakeBack(Harm::Service)]),
        when: &[when("--scope --pipe --wait -P --pty -t", COMMAND)],
        examples: &["systemd-run --scope -p X=1 rm x => run [rm x]"],
        ..STOP
    },
    Program {
        names: "at batch",
        options: &[
            val("-f", CODE_FILE),
            skip("-q -t"),
            act("-r -d", Does::HardToTakeBack(Harm::Service)),
        ],
        shape: NONE.always(&[Does::StdinText, Does::HardToTakeBack(Harm::Service)]),
        when: &[
            when("-l -c -V", NONE),
            when("-f -r -d", NONE.always(&[Does::HardToTakeBack(Harm::Service)])),
        ],
        examples: &["at now => stdin-text, hard Service", "at -l => "],
        ..EXACT
    },
    Program {
        names: "crontab",
        options: &[skip("-u"), val("-n", NOTHING)],
        shape: each(Use::Script(Language::Cron))
            .always(&[Does::ChangeGlobalSettings, Does::HardToTakeBack(Harm::Service)])
            .alone(&[Does::StdinCode(Language::Cron)]),
        when: &[
            when("-l", NONE),
            when("-r", NONE.always(&[Does::Catastrophe(Harm::Service)])),
            when("-e", NONE.always(&[Opaque])),
        ],
        examples: &[
            "crontab -l => ",
            "crontab x => change-global-settings, hard Service, code-file x",
            "crontab -r => catastrophe Service",
        ],
        ..EXACT
    },
    Program {
        names: "ssh autossh mosh",
        options: &[
            val("-o", Use::SshOption),
            val("-F", super::table::OBEY),
            val("-E", APPEND),
            val("-i -S", READ),
            val("-J", Use::Url),
            val("-I", CODE_FILE),
            skip("-B -b -c -D -e -L -l -m -O -P -p -Q -R -W -w"),
        ],
        shape: rest(&[Use::Url], Rest::TextElsewhere).alone(&[Does::StdinText]),
        when: &[when("-G -N -f", then(&[Use::Url], NOTHING))],
        tells: "-V -Q",
        examples: &[
            "ssh -V => ",
            "ssh -p 22 me@h rm -rf /x => connect h, text-elsewhere 'rm -rf /x'",
            "ssh -N -oProxyCommand='touch x' h => text 'touch x', connect h",
            "ssh h => stdin-text, connect h",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "sshpass",
        options: &[val("-f", READ), skip("-p -d -P")],
        shape: COMMAND,
        examples: &["sshpass -p x ssh h => run [ssh h]"],
        ..EXACT_STOP
    },
    Program {
        names: "expect",
        options: &[val("-c", Use::Is(Does::Code(Language::Other))), val("-f", CODE_FILE)],
        shape: rest(&[Use::Script(Language::Other)], Rest::Words)
            .alone(&[Does::StdinCode(Language::Other)]),
        when: &[when("-c -f", NONE)],
        examples: &["expect /x => code-file /x", "expect -c 'spawn x' => text x, code 'spawn x'"],
        ..EXACT_STOP
    },
    Program {
        names: "run-parts",
        options: &[skip("-a -u --arg --umask --regex")],
        shape: each(CODE_FILE),
        when: &[when("--test --list", each(READ))],
        examples: &["run-parts --regex '^sh$' /bin => code-file /bin"],
        ..GNU
    },
    Program {
        names: "logsave",
        shape: rest(&[WRITE], Rest::Command),
        examples: &["logsave x rm y => overwrite x, run [rm y]"],
        ..STOP
    },
    Program {
        names: "start-stop-daemon",
        options: &[
            val("-x --exec -a --startas", RUN),
            val("-p --pidfile", EDIT),
            val("-d --chdir", ENTER),
            skip("-n -u -c -N --name --user --chuid --nicelevel -s --signal -R --retry"),
        ],
        style: Style::Special(find::daemon),
        examples: &[
            "start-stop-daemon -S -x /bin/sh => opaque, run [/bin/sh]",
            "start-stop-daemon --start --exec /bin/rm -- -rf x => opaque, run [/bin/rm -rf x]",
        ],
        ..GNU
    },
    Program {
        names: "hyperfine",
        options: &[
            val("-p --prepare -c --cleanup -s --setup --conclude", TEXT),
            val("--export-json --export-markdown --export-csv --output", WRITE),
            skip("-w -r -m -M -n -P -L --warmup --runs --min-runs --max-runs --command-name"),
        ],
        shape: each(TEXT),
        examples: &["hyperfine -w 3 'rm x' => text 'rm x'"],
        ..EXACT
    },
    Program {
        names: "entr nodemon watchexec chokidar onchange reflex",
        options: &[val("-x --exec", TEXT), skip("-w --watch -e --exts --ext -i --ignore")],
        shape: COMMAND,
        examples: &["entr -r make test => run [make test]"],
        ..EXACT_STOP
    },
    Program {
        names: "direnv",
        shape: NONE.always(&[Opaque]),
        subs: &[Program { names: "exec", shape: rest(&[NOTHING], Rest::Command), ..EXACT_STOP }],
        other: &[Opaque],
        examples: &["direnv exec . rm x => run [rm x]"],
        ..EXACT_STOP
    },
    Program {
        names: "mise asdf rtx",
        shape: NONE.always(&[Opaque]),
        subs: &[Program { names: "exec x", shape: COMMAND, ..EXACT_STOP }],
        other: &[Opaque],
        examples: &[
            "mise exec -- rm x => run [rm x]",
            "asdf exec rm x => run [rm x]",
            "mise install => opaque",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "shx",
        shape: COMMAND,
        examples: &["shx rm -rf x => run [rm -rf x]"],
        ..EXACT_STOP
    },
    Program {
        names: "concurrently",
        options: &[skip("-n -c -m -s --names --prefix --max-processes --success -p")],
        shape: each(TEXT),
        examples: &["concurrently -n a,b 'rm x' 'npm run y' => text 'rm x', text 'npm run y'"],
        ..EXACT
    },
];
