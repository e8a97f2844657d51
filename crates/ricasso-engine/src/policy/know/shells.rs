//! Shells, and the builtins of a shell that reach beyond it.

use super::Does::{self, StdinText};
use super::table::{
    APPEND, CODE_FILE, EXACT, EXACT_STOP, NONE, NOTHING, Program, READ, Rest, SHELL, Shape, TEXT,
    Use, WRITE, act, each, rest, skip, then, val, when,
};
use super::{Harm, Language};

/// A script, or text from standard input.
const SCRIPT: Shape = rest(&[CODE_FILE], Rest::Words).alone(&[StdinText]);
/// The first operand is a text.
const TEXT_FIRST: Shape = rest(&[TEXT], Rest::Words);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "sh bash dash zsh ksh ksh93 mksh ash rbash yash posh oksh",
        options: &[val("--rcfile --init-file", CODE_FILE), skip("-o -O")],
        shape: SCRIPT,
        when: &[
            when("-n", rest(&[READ], Rest::Words)),
            when("-c", TEXT_FIRST),
            when("-s", NONE.always(&[StdinText])),
        ],
        examples: &[
            "bash -c 'rm x' => text 'rm x'",
            "bash -lc 'rm x' a b => text 'rm x' [a b]",
            "bash --norc -c x => text x",
            "bash +o posix -c 'rm x' => text 'rm x'",
            "bash -o pipefail -ec x => text x",
            "bash --rcfile e -i => stdin-text, code-file e",
            "sh s.sh -c => code-file s.sh",
            "sh => stdin-text",
            "bash -s -- -y => stdin-text",
            "bash -n => ",
            "bash -n s => read s",
        ],
        ..SHELL
    },
    Program {
        names: "fish",
        options: &[
            val("-c --command", TEXT),
            val("-C --init-command", TEXT),
            skip("-d -o -f --debug --debug-output --features --profile"),
        ],
        shape: SCRIPT,
        when: &[when("-n --no-execute", each(READ)), when("-c --command", NONE)],
        examples: &["fish -c 'rm x' => text 'rm x'", "fish s => code-file s"],
        ..EXACT_STOP
    },
    Program {
        names: "csh tcsh elvish nu xonsh pwsh powershell rc es",
        options: &[val("-Command -EncodedCommand -File", Use::Is(Does::Code(Language::Other)))],
        shape: SCRIPT,
        when: &[when("-c --commands --command", rest(&[TEXT], Rest::Words))],
        examples: &["csh -c 'rm x' => text 'rm x'"],
        ..EXACT_STOP
    },
    Program {
        names: "eval",
        shape: rest(&[], Rest::Text),
        examples: &["eval rm x => text 'rm x'", "eval -- rm => text rm"],
        ..EXACT_STOP
    },
    Program {
        names: "source .",
        shape: rest(&[CODE_FILE], Rest::Words),
        examples: &["source a b => code-file a", ". ./x => code-file ./x"],
        ..EXACT_STOP
    },
    Program {
        names: "trap",
        shape: then(&[Use::BehindOr("-", Does::Nothing, Does::RunText)], NOTHING),
        when: &[when("-p -l -P", NONE)],
        examples: &["trap 'rm x' EXIT => text 'rm x'", "trap - EXIT => ", "trap -p => "],
        ..EXACT_STOP
    },
    Program {
        names: "mapfile readarray",
        options: &[val("-C", TEXT), skip("-c -d -n -O -s -u")],
        examples: &["mapfile -C 'rm x #' -c 1 => text 'rm x #'"],
        ..EXACT
    },
    Program {
        names: "compgen complete",
        options: &[
            val("-C -F", TEXT),
            val("-W", Use::Is(Does::Opaque)),
            skip("-A -G -P -S -X -o -V"),
        ],
        examples: &["compgen -C 'rm x' => text 'rm x'", "compgen -A function => "],
        ..EXACT
    },
    Program {
        names: "jobs",
        shape: NONE,
        when: &[when("-x", rest(&[], Rest::Command))],
        examples: &["jobs -x rm x => run [rm x]", "jobs -l => "],
        ..EXACT_STOP
    },
    Program {
        names: "history",
        options: &[act("-c -d", Does::HardToTakeBack(Harm::History)), skip("-p -s")],
        when: &[
            when("-w", each(WRITE).alone(&[Does::Overwrite])),
            when("-a", each(APPEND).alone(&[Does::Append])),
            when("-r -n", each(READ)),
        ],
        examples: &[
            "history => ",
            "history -c => hard History",
            "history -w x => overwrite x",
            "history -r /etc/x => read /etc/x",
        ],
        ..EXACT
    },
    Program {
        names: "type which whereis hash alias unalias cd pushd popd dirs pwd umask ulimit \
                export declare typeset local readonly read set shift unset let return exit break \
                continue wait fg bg disown times getopts shopt enable bind logout suspend caller \
                coproc",
        tells: "",
        examples: &["type ls => ", "which rm => ", "ulimit -f 0 => "],
        ..EXACT
    },
    Program {
        names: "tmux",
        options: &[
            val("-c", TEXT),
            val("-f", CODE_FILE),
            val("-S", Use::Is(Does::Create)),
            skip("-L -T"),
        ],
        shape: NONE.always(&[StdinText]),
        subs: &[
            Program {
                names: "new-session new new-window neww split-window splitw respawn-pane",
                options: &[
                    val("-c", super::table::ENTER),
                    val("-e", Use::Is(Does::Set)),
                    skip("-F -n -s -t -x -y -l -p -f"),
                ],
                shape: rest(&[], Rest::Text).alone(&[StdinText]),
                ..EXACT_STOP
            },
            Program {
                names: "send-keys send",
                options: &[skip("-t -N")],
                shape: NONE.always(&[Does::Opaque]),
                ..EXACT
            },
            Program {
                names: "run-shell run if-shell if pipe-pane pipep",
                options: &[skip("-t -d -b")],
                shape: each(TEXT),
                ..EXACT
            },
            Program { names: "source-file source", shape: each(CODE_FILE), ..EXACT },
            Program {
                names: "ls list-sessions list-windows list-panes has-session has capture-pane \
                 capturep \
                        display-message display show-options kill-session kill-window kill-pane",
                options: &[skip("-t -S -E -F -b")],
                ..EXACT
            },
        ],
        other: &[Does::Opaque],
        examples: &[
            "tmux new -d 'rm x' => text 'rm x'",
            "tmux -c /bin/sh => stdin-text, text /bin/sh",
            "tmux ls => ",
        ],
        ..EXACT_STOP
    },
    Program {
        names: "screen",
        options: &[
            val("-Logfile", Use::Is(Does::Append)),
            val("-c", CODE_FILE),
            skip("-S -dmS -t -T -e -h -p"),
        ],
        shape: rest(&[], Rest::Command).alone(&[StdinText]),
        when: &[when("-ls -list -wipe", NONE), when("-X", NONE.always(&[Does::Opaque]))],
        examples: &["screen -dmS x rm y => run [rm y]", "screen => stdin-text", "screen -ls => "],
        ..super::table::DASH_STOP
    },
];
