//! Sub-commands of git that mostly show.

use super::{SHOWS, STATUS, SUB};
use crate::policy::know::table::{
    CREATE, EDIT, GNU, NONE, NOTHING, Opt, Program, READ, Shape, TEXT, Use, WRITE, act, always,
    both, each, flag, glued, skip, sub, then, val, when,
};
use crate::policy::know::{Does, Harm, Settings};

const REVISIONS: Shape = each(Use::Revision);
const SHOWS_FILES: Settings = Settings::TEXTCONV;
const DIFFS: Settings = Settings::TEXTCONV.and(Settings::EXTERNAL_DIFF).and(STATUS);
const TEXTCONV: Does = Does::Obeys(Settings::TEXTCONV);
const REPOSITORY: &[Does] = &[Does::ChangeRepository];
const SETTINGS: &[Does] = &[Does::ChangeSettings];
/// A key and its value.
const SET: Shape = then(&[NOTHING, Use::GitConfig(Does::Nothing)], NOTHING);
const GLOBAL: &[Does] = &[Does::ChangeGlobalSettings];

/// Options of the family of diff and log that take a value or do something.
pub(super) const DIFF: &[Opt] = &[
    val("--output", WRITE),
    val("-O", READ),
    act("--ext-diff", Does::Obeys(Settings::EXTERNAL_DIFF)),
    act("--textconv", TEXTCONV),
    act("--show-signature", Does::Obeys(Settings::GPG)),
    glued("--format --pretty", Use::GitFormat),
    val("-G -S", Use::Is(TEXTCONV)),
    skip(
        "-n -l -L --max-count --skip --since --after --until --before --author --committer --grep",
    ),
    skip(
        "--diff-filter --color-moved --word-diff-regex --date --encoding --exclude \
         --inter-hunk-context",
    ),
    skip("--src-prefix --dst-prefix --line-prefix --ws-error-highlight --anchored --stat-width"),
    glued("-U -M -C -B -X --unified --stat --color --word-diff --decorate", NOTHING),
    flag("-p -u --patch"),
];

/// Flags under which log shows content.
const CONTENT: &str = "-p -u --patch -c --cc -m -L --patch-with-stat --dd --remerge-diff --stat \
                       --numstat --shortstat --dirstat --summary -U --unified --word-diff";

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "log whatchanged rev-list",
        options: DIFF,
        shape: REVISIONS,
        when: &[when(CONTENT, REVISIONS.always(&[TEXTCONV]))],
        examples: &[
            "git log --oneline -20 => ",
            "git log --output=x => overwrite x",
            "git log -- --output=x => ",
            "git log --grep=--output=x => ",
            "git log --grep --output=x => ",
            "git log -O/dev/null -1 => read /dev/null",
            "git log -p => obeys",
            "git log --format=%G? => obeys",
        ],
        ..SHOWS
    },
    Program {
        names: "show",
        options: DIFF,
        shape: REVISIONS.always(&[Does::Obeys(SHOWS_FILES)]),
        examples: &[
            "git show HEAD:etc/hosts => obeys",
            "git show --output x => obeys, overwrite x",
        ],
        ..SHOWS
    },
    Program {
        names: "diff diff-files diff-index",
        options: DIFF,
        shape: REVISIONS.always(&[Does::Obeys(DIFFS)]),
        when: &[when("--no-index", each(READ).always(&[Does::Obeys(SHOWS_FILES)]))],
        examples: &[
            "git diff --no-index /dev/null /x => obeys, read /dev/null, read /x",
            "git diff /dev/null /etc/passwd => obeys, read /etc/passwd",
            "git diff --output-indicator-new='>' HEAD~1 => obeys",
            "git diff main..topic -- ../x => obeys, read ../x",
        ],
        ..SHOWS
    },
    Program {
        names: "diff-tree range-diff cherry show-branch merge-base name-rev describe shortlog",
        options: DIFF,
        shape: REVISIONS,
        when: &[
            when("--dirty --broken", REVISIONS.always(&[Does::Obeys(STATUS)])),
            when(CONTENT, REVISIONS.always(&[TEXTCONV])),
        ],
        examples: &["git shortlog --output=x HEAD => overwrite x", "git describe --dirty => obeys"],
        ..SHOWS
    },
    Program {
        names: "difftool mergetool",
        options: &[val("-x --extcmd", TEXT), skip("-t --tool"), flag("-y --no-prompt")],
        shape: REVISIONS.always(&[Does::Opaque, Does::Obeys(DIFFS)]),
        examples: &["git difftool -y -x 'touch x' HEAD~1 => opaque, obeys, text 'touch x'"],
        ..SUB
    },
    Program {
        names: "status",
        shape: REVISIONS.always(&[Does::Obeys(STATUS)]),
        examples: &["git status -s => obeys"],
        ..SUB
    },
    Program {
        names: "blame annotate",
        options: &[val("--contents -S --ignore-revs-file", READ), skip("-L --date --ignore-rev")],
        shape: REVISIONS.always(&[Does::Obeys(SHOWS_FILES)]),
        examples: &["git blame --contents=/x a => obeys, read /x"],
        ..SUB
    },
    Program {
        names: "grep",
        options: &[
            val("-f", READ),
            glued("-O --open-files-in-pager", TEXT),
            act("--textconv", TEXTCONV),
            skip("-e -A -B -C -m --after-context --before-context --context --max-depth --threads"),
        ],
        shape: then(&[NOTHING], Use::Revision),
        when: &[
            both("--no-index", "-e -f", each(READ)),
            when("--no-index", then(&[NOTHING], READ)),
            when("-e -f", REVISIONS),
        ],
        examples: &[
            "git grep -n x => ",
            "git grep -nO./e x => text ./e",
            "git grep --op=./e x => text ./e",
            "git grep -e O -- a => ",
            "git grep -f /x --no-index -e x . => read /x, read .",
        ],
        ..SUB
    },
    Program {
        names: "ls-files",
        options: &[
            val("-X --exclude-from", READ),
            skip("-x --exclude --exclude-per-directory --format"),
        ],
        shape: REVISIONS,
        when: &[when("-m --modified -d --deleted", REVISIONS.always(&[Does::Obeys(STATUS)]))],
        examples: &["git ls-files -o -z => "],
        ..SUB
    },
    Program {
        names: "cat-file",
        options: &[
            act("--textconv", TEXTCONV),
            act("--filters", Does::Obeys(Settings::FILTER)),
            skip("--path"),
        ],
        examples: &["git cat-file --textconv HEAD:a => obeys", "git cat-file -p HEAD => "],
        ..SUB
    },
    Program {
        names: "ls-tree rev-parse for-each-ref show-ref count-objects var check-attr check-ignore \
                check-mailmap check-ref-format verify-pack version get-tar-commit-id stripspace \
                patch-id show-index column fmt-merge-msg refs",
        options: &[val("-F --file", READ), val("--format --sort", Use::GitFormat), skip("--count")],
        shape: REVISIONS,
        examples: &[
            "git rev-parse --git-path hooks => ",
            "git for-each-ref --sort=-x --count=5 y => ",
        ],
        ..SUB
    },
    sub("verify-commit verify-tag", &[Does::Obeys(Settings::GPG)]),
    Program {
        names: "fsck",
        when: &[when("--lost-found", always(REPOSITORY))],
        examples: &["git fsck => ", "git fsck --lost-f => change-repository"],
        ..SUB
    },
    Program {
        names: "fast-export",
        options: &[
            val("--export-marks", WRITE),
            val("--import-marks --import-marks-if-exists", READ),
        ],
        examples: &["git fast-export --all => "],
        ..SUB
    },
    Program {
        names: "archive",
        options: &[
            val("-o --output", WRITE),
            val("--remote", Use::Repository),
            val("--exec", TEXT),
            val("--add-file", READ),
            skip("--format --prefix --mtime"),
        ],
        shape: NONE.always(&[Does::Obeys(Settings::FILTER)]),
        examples: &[
            "git archive --remote=. --exec='touch x' HEAD => obeys, read-tree ., text 'touch x'",
        ],
        ..SUB
    },
    Program {
        names: "bundle",
        subs: &[
            Program { names: "create", shape: then(&[WRITE], NOTHING), ..SUB },
            Program { names: "verify list-heads", shape: then(&[READ], NOTHING), ..SUB },
            Program { names: "unbundle", shape: then(&[READ], NOTHING).always(REPOSITORY), ..SUB },
        ],
        examples: &["git bundle create x HEAD => overwrite x", "git bundle verify x => read x"],
        ..SUB
    },
    sub("help instaweb gui gitk citool web--browse", &[Does::Opaque]),
    Program {
        names: "bugreport diagnose",
        options: &[val("-o --output-directory", CREATE)],
        shape: NONE.always(&[Does::Create, Does::Opaque]),
        ..SUB
    },
    Program {
        names: "config",
        options: &[
            val("-f --file", READ),
            val("--blob", NOTHING),
            skip("-t --type --default --comment"),
        ],
        subs: &[
            Program { names: "get list", options: &[val("-f --file", READ)], ..SUB },
            Program {
                names: "set unset edit rename-section remove-section",
                options: &[val("-f --file", EDIT)],
                shape: SET.always(SETTINGS),
                when: &[when("--global --system", SET.always(GLOBAL))],
                ..SUB
            },
        ],
        shape: then(&[NOTHING, Use::GitConfig(Does::ChangeSettings)], NOTHING),
        when: &[
            when(
                "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list \
                 --name-only",
                NONE,
            ),
            both("--global --system", WRITES, SET.always(GLOBAL)),
            when(
                "--global --system",
                then(&[NOTHING, Use::GitConfig(Does::ChangeGlobalSettings)], NOTHING),
            ),
            when(WRITES, SET.always(SETTINGS)),
        ],
        examples: &[
            "git config user.email => ",
            "git config user.name x => change-settings",
            "git config alias.x '!rm y' => change-settings, text 'rm y'",
            "git config --get user.name => ",
            "git config --unset-all a.b => change-settings",
            "git config set a.b c => change-settings",
            "git config get a.b => ",
            "git config --global a.b c => change-global-settings",
            "git config --file /x --list => read /x",
            "git config --local --type=bool core.bare true => change-settings",
        ],
        ..GNU
    },
    Program {
        names: "credential credential-store credential-cache",
        shape: always(&[Does::Obeys(Settings::CREDENTIAL), Does::Opaque]),
        ..SUB
    },
    Program {
        names: "ls-remote",
        options: &[val("--upload-pack --exec", TEXT), skip("-o --server-option --sort")],
        shape: then(&[Use::Repository], NOTHING)
            .always(&[Does::Obeys(super::REMOTE)])
            .alone(&[Does::Connect]),
        when: &[when("--get-url", NONE)],
        examples: &[
            "git ls-remote => obeys, connect",
            "git ls-remote . => obeys, read-tree .",
            "git ls-remote --exec='touch x' . => obeys, text 'touch x', read-tree .",
            "git ls-remote --get-url => ",
            "git ls-remote http://h.example:4/x.git => obeys, connect h.example",
            "git ls-remote 'ext::sh -c x' => obeys, run [sh -c x]",
        ],
        ..SUB
    },
    Program {
        names: "request-pull",
        options: DIFF,
        shape: then(&[NOTHING, Use::Repository], NOTHING),
        ..SUB
    },
    Program { names: "hook", shape: always(&[Does::Obeys(Settings::HOOKS), Does::Opaque]), ..SUB },
    Program {
        names: "mailinfo mailsplit",
        options: &[val("-o", CREATE)],
        shape: each(WRITE),
        ..SUB
    },
    Program {
        names: "interpret-trailers",
        options: &[skip("--trailer --where --if-exists --if-missing")],
        shape: each(READ).always(&[Does::Opaque]),
        when: &[when("--in-place", each(EDIT).always(&[Does::Opaque]))],
        ..SUB
    },
    Program { names: "daemon http-backend", shape: always(&[Does::Listen, Does::Opaque]), ..SUB },
    Program {
        names: "send-email imap-send",
        options: &[val("--smtp-server --sendmail-cmd --to-cmd --cc-cmd", TEXT)],
        shape: each(READ).always(&[
            Does::Connect,
            Does::Opaque,
            Does::HardToTakeBack(Harm::Publish),
        ]),
        ..SUB
    },
];

const WRITES: &str =
    "--unset --unset-all --add --replace-all --rename-section --remove-section -e --edit";
