//! Sub-commands of git that mostly change.

use super::{COMMIT, REMOTE, SHOWS, STATUS, SUB};
use crate::policy::know::table::{
    CODE_FILE, CREATE, DELETE, EDIT, NONE, NOTHING, PUT, Program, READ, READ_TREE, Rest, TEXT, Use,
    WRITE, act, always, both, each, flag, glued, rest, skip, sub, then, to, val, when,
};
use crate::policy::know::{Does, Harm, Settings};

const REPOSITORY: &[Does] = &[Does::ChangeRepository];
const TREE: &[Does] = &[Does::ChangeRepository, Does::ChangeWorkTree, Does::Obeys(COMMIT)];
const MAKES_COMMIT: &[Does] = &[Does::ChangeRepository, Does::Obeys(COMMIT)];
const CONNECTED: &[Does] = &[Does::ChangeRepository, Does::Obeys(REMOTE)];
const WORK: Does = Does::HardToTakeBack(Harm::Work);
const HISTORY: Does = Does::HardToTakeBack(Harm::History);
const LOSES_WORK: &[Does] = &[Does::ChangeRepository, Does::ChangeWorkTree, WORK];
const LOSES_HISTORY: &[Does] = &[Does::ChangeRepository, HISTORY];
const CHANGES_TREE: &[Does] = &[Does::ChangeRepository, Does::ChangeWorkTree];
const CHANGES: Use = Use::Is(Does::ChangeRepository);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "add stage",
        options: &[val("--pathspec-from-file", READ), skip("--chmod")],
        shape: each(Use::Revision).always(&[Does::ChangeRepository, Does::Obeys(STATUS)]),
        when: &[when("-n --dry-run", NONE)],
        examples: &["git add a => change-repository, obeys", "git add -n a => "],
        ..SUB
    },
    Program {
        names: "commit",
        options: &[
            val("-F --file -t --template", READ),
            val("--pathspec-from-file", READ),
            skip("-m -c -C --message --author --date --reuse-message --reedit-message --fixup"),
            skip("--squash --trailer --cleanup"),
            glued("-S --gpg-sign -u --untracked-files", NOTHING),
        ],
        shape: NONE.always(MAKES_COMMIT),
        dry: "--dry-run",
        examples: &[
            "git commit -m '/etc/x' => change-repository, obeys",
            "git commit -aF /x => change-repository, obeys, read /x",
        ],
        ..SUB
    },
    Program {
        names: "branch",
        options: &[
            skip("-u --set-upstream-to --sort --format --points-at"),
            glued(
                "--contains --no-contains --merged --no-merged --color --column --abbrev",
                NOTHING,
            ),
            act("--edit-description", Does::Obeys(Settings::EDITOR)),
        ],
        shape: each(CHANGES),
        when: &[
            when("-D", always(LOSES_HISTORY)),
            both("-d --delete", "-f --force", always(LOSES_HISTORY)),
            when(
                "-d --delete -m -M --move -c -C --copy -u --set-upstream-to --unset-upstream \
                 --edit-description",
                always(REPOSITORY),
            ),
            when(
                "-l --list --contains --no-contains --merged --no-merged --points-at -a --all -r \
                 --remotes --show-current",
                NONE,
            ),
        ],
        examples: &[
            "git branch -a => ",
            "git branch -vv => ",
            "git branch --list 'top*' => ",
            "git branch x => change-repository",
            "git branch --sort=refname x => change-repository",
            "git branch -- x => change-repository",
            "git branch -vD x => change-repository, hard History",
            "git branch --del -f x => change-repository, hard History",
            "git branch --contains HEAD~1 => ",
            "git branch --edit-description => change-repository, obeys",
            "git branch --unset-upstream => change-repository",
        ],
        ..SUB
    },
    Program {
        names: "tag",
        options: &[
            val("-F --file", READ),
            val("--format", Use::GitFormat),
            skip("-m -u --message --local-user --sort --points-at --cleanup"),
            glued("-n --contains --no-contains --merged --no-merged --color --column", NOTHING),
        ],
        shape: each(CHANGES),
        when: &[
            when("-d --delete -f --force", always(REPOSITORY)),
            when("-v --verify", always(&[Does::Obeys(Settings::GPG)])),
            when("-l --list -n --contains --no-contains --merged --no-merged --points-at", NONE),
            when("-a --annotate -s --sign -m -F", always(MAKES_COMMIT)),
        ],
        examples: &[
            "git tag -l 'v*' => ",
            "git tag => ",
            "git tag --sort=refname x => change-repository",
            "git tag --del x => change-repository",
            "git tag -v x => obeys",
            "git tag -n5 => ",
        ],
        ..SUB
    },
    Program {
        names: "stash",
        options: &[skip("-m --message"), val("--pathspec-from-file", READ)],
        subs: &[
            Program { names: "list", options: super::look::DIFF, ..SHOWS },
            Program {
                names: "show",
                options: super::look::DIFF,
                shape: always(&[Does::Obeys(Settings::TEXTCONV)]),
                ..SHOWS
            },
            sub("drop clear", LOSES_WORK),
            sub("pop apply save push branch create store", TREE),
        ],
        shape: always(TREE),
        other: TREE,
        examples: &[
            "git stash list --format=%gd => ",
            "git stash => change-repository, change-work-tree, obeys",
            "git stash drop => change-repository, change-work-tree, hard Work",
            "git stash show -p --output=x => obeys, overwrite x",
        ],
        ..SUB
    },
    Program {
        names: "remote",
        options: &[flag("-v --verbose")],
        subs: &[
            sub("get-url", &[]),
            Program {
                names: "show",
                shape: each(Use::Both(Does::Obeys(REMOTE), Does::Connect)),
                when: &[when("-n", NONE)],
                ..SUB
            },
            Program {
                names: "add",
                options: &[skip("-t -m")],
                shape: always(REPOSITORY),
                when: &[when("-f --fetch", always(&[Does::ChangeRepository, Does::Connect]))],
                ..SUB
            },
            sub("remove rm rename set-head set-branches set-url", REPOSITORY),
            sub("prune update", &[Does::ChangeRepository, Does::Connect, Does::Obeys(REMOTE)]),
        ],
        other: REPOSITORY,
        examples: &[
            "git remote -v => ",
            "git remote -v add x http://h/x => change-repository",
            "git remote show origin => obeys, connect origin",
            "git remote show => ",
            "git remote show -n origin => ",
            "git remote get-url origin => ",
        ],
        ..SUB
    },
    Program {
        names: "reflog",
        options: super::look::DIFF,
        subs: &[
            Program { names: "show list exists", options: super::look::DIFF, ..SHOWS },
            Program {
                names: "expire delete",
                shape: always(LOSES_HISTORY),
                dry: "-n --dry-run",
                ..SUB
            },
        ],
        examples: &[
            "git reflog => ",
            "git reflog show main -5 => ",
            "git reflog show --output=x -p => overwrite x",
            "git reflog expire --all => change-repository, hard History",
        ],
        ..SHOWS
    },
    Program {
        names: "notes",
        options: &[skip("--ref")],
        subs: &[
            sub("list show get-ref", &[]),
            sub("add append edit copy merge remove prune", MAKES_COMMIT),
        ],
        other: REPOSITORY,
        examples: &["git notes list => ", "git notes add -m x => change-repository, obeys"],
        ..SUB
    },
    Program {
        names: "worktree",
        subs: &[
            sub("list", &[]),
            Program {
                names: "add",
                options: &[skip("-b -B --reason")],
                shape: then(&[CREATE], NOTHING).always(MAKES_COMMIT),
                ..SUB
            },
            Program {
                names: "remove",
                // git itself refuses to remove one that holds changes.
                shape: each(EDIT).always(REPOSITORY),
                when: &[when("-f --force", each(EDIT).always(LOSES_WORK))],
                ..SUB
            },
            Program { names: "move", shape: each(PUT).always(REPOSITORY), ..SUB },
            sub("prune lock unlock repair", REPOSITORY),
        ],
        other: REPOSITORY,
        examples: &[
            "git worktree list => ",
            "git worktree add ../x => change-repository, obeys, create ../x",
            "git worktree remove ../x => change-repository, edit ../x",
        ],
        ..SUB
    },
    Program {
        names: "submodule",
        subs: &[
            sub("status summary", &[Does::Obeys(STATUS)]),
            Program { names: "foreach", shape: rest(&[], Rest::Text), ..super::STOPS },
            Program {
                names: "deinit",
                shape: always(REPOSITORY),
                when: &[when("-f --force --all", always(LOSES_WORK))],
                ..SUB
            },
            Program {
                names: "add update init sync set-branch set-url absorbgitdirs",
                shape: always(&[
                    Does::ChangeRepository,
                    Does::ChangeWorkTree,
                    Does::Connect,
                    Does::Obeys(REMOTE),
                ]),
                when: &[when("-f --force", always(LOSES_WORK))],
                ..SUB
            },
        ],
        other: &[Does::Obeys(STATUS)],
        examples: &["git submodule foreach 'rm x' => text 'rm x'", "git submodule => "],
        ..SUB
    },
    Program {
        names: "bisect",
        subs: &[
            Program { names: "run", shape: rest(&[], Rest::Command).always(TREE), ..super::STOPS },
            sub("log view visualize", &[]),
            sub("start bad good new old skip reset replay terms next", TREE),
        ],
        other: TREE,
        examples: &[
            "git bisect run make test => change-repository, change-work-tree, obeys, run [make \
             test]",
        ],
        ..SUB
    },
    Program {
        names: "rebase",
        options: &[
            val("-x --exec", TEXT),
            skip("-s -X -C --onto --strategy --strategy-option --whitespace"),
            glued("-S --gpg-sign", NOTHING),
        ],
        shape: always(TREE),
        examples: &[
            "git rebase --ex 'rm x' HEAD~1 => change-repository, change-work-tree, obeys, text \
             'rm x'",
        ],
        ..SUB
    },
    Program {
        names: "reset",
        options: &[val("--pathspec-from-file", READ)],
        shape: always(REPOSITORY),
        when: &[when("--hard --merge", always(LOSES_WORK)), when("--keep", always(TREE))],
        examples: &[
            "git reset --har => change-repository, change-work-tree, hard Work",
            "git reset --soft HEAD~1 => change-repository",
            "git reset HEAD f => change-repository",
        ],
        ..SUB
    },
    Program {
        names: "clean",
        options: &[skip("-e --exclude")],
        shape: NONE.always(&[Does::ChangeWorkTree, WORK]),
        dry: "-n --dry-run",
        examples: &["git clean -xdf . => change-work-tree, hard Work", "git clean -ndx => "],
        ..SUB
    },
    Program {
        names: "checkout",
        options: &[
            skip("-b -B --orphan --conflict"),
            val("--pathspec-from-file", READ),
            glued("-t --track --recurse-submodules", NOTHING),
        ],
        shape: each(Use::Path).always(TREE),
        when: &[when("-f --force", always(LOSES_WORK)), when("-b -B --orphan", always(TREE))],
        examples: &[
            "git checkout main => change-repository, change-work-tree, obeys, ?discard main",
            "git checkout -- . => change-repository, change-work-tree, obeys, hard Work .",
            "git checkout -f main => change-repository, change-work-tree, hard Work",
            "git checkout -b feature/x => change-repository, change-work-tree, obeys",
            "git checkout HEAD s => change-repository, change-work-tree, obeys, ?discard HEAD, \
             discard s",
        ],
        ..SUB
    },
    Program {
        names: "restore",
        options: &[skip("-s --source --conflict"), val("--pathspec-from-file", READ)],
        shape: each(Use::Discard),
        when: &[
            both("-S --staged", "-W --worktree", each(Use::Discard).always(REPOSITORY)),
            when("-S --staged", always(REPOSITORY)),
        ],
        examples: &[
            "git restore . => change-work-tree, hard Work .",
            "git restore --staged . => change-repository",
            "git restore a.txt => change-work-tree, discard a.txt",
            "git restore src => change-work-tree, discard src",
        ],
        ..SUB
    },
    Program {
        names: "switch",
        options: &[skip("-c -C --create --force-create --orphan --conflict")],
        shape: always(TREE),
        when: &[when("-f --force --discard-changes", always(LOSES_WORK))],
        examples: &["git switch --discard main => change-repository, change-work-tree, hard Work"],
        ..SUB
    },
    Program {
        names: "push",
        options: &[
            val("--receive-pack --exec", TEXT),
            skip("-o --push-option"),
            val("--repo", Use::Repository),
            glued("--signed --recurse-submodules", NOTHING),
            glued("--force-with-lease", Use::Is(HISTORY)),
            act("-f --force -d --delete --prune --mirror", HISTORY),
        ],
        shape: then(&[Use::Repository], Use::Refspec)
            .always(&[Does::Obeys(REMOTE)])
            .alone(&[Does::Connect]),
        dry: "-n --dry-run",
        examples: &[
            "git push origin main => obeys, connect origin",
            "git push => obeys, connect",
            "git push origin +main => obeys, connect origin, hard History +main",
            "git push --forc => obeys, connect, hard History",
            "git push --receive-pack='rm x' . HEAD:x => obeys, text 'rm x', read-tree .",
            "git push --force-with-lease o x => obeys, hard History, connect o",
        ],
        ..SUB
    },
    Program {
        names: "fetch pull clone",
        options: &[
            val("-u --upload-pack", TEXT),
            val("-c --config", Use::GitSetting),
            val("--template", CODE_FILE),
            val("--separate-git-dir", CREATE),
            val("--reference --reference-if-able", READ_TREE),
            skip("-b -j -o -s -X --branch --depth --jobs --origin --shallow-since --filter"),
            skip("--server-option --refmap --strategy --strategy-option"),
        ],
        shape: then(&[Use::Repository], Use::CloneGoal).always(CONNECTED).alone(&[Does::Connect]),
        when: &[when("--all --multiple", always(CONNECTED).alone(&[Does::Connect]))],
        dry: "--dry-run",
        examples: &[
            "git fetch . => change-repository, obeys, read-tree .",
            "git clone -q . /tmp/copy => change-repository, obeys, read-tree ., create /tmp/copy",
            "git clone -u 'rm x' . y => change-repository, obeys, text 'rm x', read-tree ., \
             create y",
            "git pull => change-repository, obeys, connect",
        ],
        ..SUB
    },
    Program {
        names: "init",
        options: &[
            val("--template", CODE_FILE),
            val("--separate-git-dir", CREATE),
            skip("-b --initial-branch --shared --object-format"),
        ],
        shape: each(CREATE).always(&[Does::Create]),
        examples: &["git init sub => create, create sub"],
        ..SUB
    },
    Program {
        names: "format-patch",
        options: &[
            val("-o --output-directory", CREATE),
            skip("-v -N -n --subject-prefix --to --cc --base --start-number"),
        ],
        shape: NONE.always(&[Does::Create, Does::Obeys(Settings::TEXTCONV)]),
        when: &[
            when("--stdout", always(&[Does::Obeys(Settings::TEXTCONV)])),
            when("-o --output-directory", NONE),
        ],
        examples: &[
            "git format-patch -1 => create, obeys",
            "git format-patch --stdout -1 => obeys",
        ],
        ..SUB
    },
    Program {
        names: "filter-branch filter-repo",
        options: &[
            val("--tree-filter --index-filter --msg-filter --env-filter --commit-filter", TEXT),
            val("--parent-filter --tag-name-filter --setup", TEXT),
            skip("-d --original --subdirectory-filter --path --path-glob"),
        ],
        shape: always(LOSES_HISTORY),
        examples: &[
            "git filter-branch -f --tree-filter 'rm x' HEAD => change-repository, hard History, \
             text 'rm x'",
        ],
        ..SUB
    },
    Program {
        names: "gc",
        options: &[glued("--prune", NOTHING)],
        shape: always(REPOSITORY),
        when: &[when("--prune", always(LOSES_HISTORY))],
        examples: &[
            "git gc => change-repository",
            "git gc --prune=now => change-repository, hard History",
        ],
        ..SUB
    },
    Program {
        names: "prune",
        shape: always(LOSES_HISTORY),
        dry: "-n --dry-run",
        examples: &["git prune => change-repository, hard History"],
        ..SUB
    },
    Program {
        names: "update-ref",
        options: &[skip("-m")],
        shape: always(REPOSITORY),
        when: &[when("-d", always(LOSES_HISTORY))],
        examples: &["git update-ref -d refs/heads/x => change-repository, hard History"],
        ..SUB
    },
    Program {
        names: "symbolic-ref",
        options: &[skip("-m")],
        shape: then(&[NOTHING, CHANGES], NOTHING),
        when: &[when("-d --delete", always(REPOSITORY))],
        examples: &[
            "git symbolic-ref HEAD => ",
            "git symbolic-ref HEAD refs/heads/x => change-repository",
        ],
        ..SUB
    },
    Program {
        names: "hash-object",
        options: &[val("--path", NOTHING), skip("-t")],
        shape: each(READ),
        when: &[when("-w", each(READ).always(REPOSITORY))],
        examples: &[
            "git hash-object a => read a",
            "git hash-object -w a => change-repository, read a",
        ],
        ..SUB
    },
    Program {
        names: "replace",
        shape: each(CHANGES),
        when: &[when("-l --list", NONE)],
        examples: &["git replace a b => change-repository, change-repository"],
        ..SUB
    },
    Program {
        names: "sparse-checkout",
        subs: &[sub("list check-rules", &[])],
        other: TREE,
        examples: &["git sparse-checkout list => "],
        ..SUB
    },
    Program {
        names: "apply am",
        options: &[
            val("--directory", NOTHING),
            val("--build-fake-ancestor", WRITE),
            skip("-p -C --exclude --include --whitespace"),
        ],
        shape: each(READ).always(TREE),
        when: &[when("--check --stat --numstat --summary", each(READ))],
        examples: &[
            "git apply --check p => read p",
            "git apply p => change-repository, change-work-tree, obeys, read p",
        ],
        ..SUB
    },
    Program {
        names: "lfs",
        subs: &[
            sub("ls-files status env version", &[]),
            sub("push pull fetch", &[Does::Connect, Does::ChangeRepository, Does::ChangeWorkTree]),
            sub("install uninstall", &[Does::ChangeGlobalSettings, Does::ChangeRepository]),
        ],
        other: TREE,
        examples: &["git lfs ls-files => "],
        ..SUB
    },
    Program {
        names: "checkout-index",
        options: &[val("--prefix", CREATE)],
        shape: always(TREE),
        when: &[when("-f --force", always(LOSES_WORK))],
        examples: &["git checkout-index -a -f => change-repository, change-work-tree, hard Work"],
        ..SUB
    },
    Program {
        names: "read-tree",
        options: &[val("--prefix", CREATE), val("--index-output", WRITE)],
        shape: always(TREE),
        when: &[both("--reset", "-u", always(LOSES_WORK))],
        examples: &["git read-tree --reset -u x => change-repository, change-work-tree, hard Work"],
        ..SUB
    },
    Program {
        names: "svn p4 cvsimport fast-import remote-http remote-https send-pack fetch-pack \
         upload-pack \
                receive-pack shell cvsserver upload-archive http-fetch http-push",
        shape: always(&[Does::ChangeRepository, Does::Connect, Does::Opaque]),
        ..SUB
    },
    Program {
        names: "mv",
        shape: to(Use::Is(Does::MoveAway), &[PUT]).always(CHANGES_TREE),
        dry: "-n --dry-run",
        examples: &["git mv a b => change-repository, change-work-tree, move a, put b"],
        ..SUB
    },
    Program {
        names: "rm",
        options: &[val("--pathspec-from-file", READ)],
        shape: each(DELETE).always(CHANGES_TREE),
        when: &[
            when("--cached", always(REPOSITORY)),
            // Without force git refuses to delete what is changed.
            both("-r", "-f --force", each(DELETE).always(LOSES_WORK)),
        ],
        dry: "-n --dry-run",
        examples: &[
            "git rm a => change-repository, change-work-tree, delete a",
            "git rm -r --cached a => change-repository",
            "git rm -rf a => change-repository, change-work-tree, hard Work, delete a",
        ],
        ..SUB
    },
    sub(
        "merge cherry-pick revert merge-recursive merge-file merge-tree commit-tree mktree mktag \
         write-tree update-index update-server-info unpack-objects index-pack pack-objects \
         pack-refs pack-redundant prune-packed repack maintenance multi-pack-index commit-graph \
         rerere backfill quiltimport unpack-file repo scalar",
        TREE,
    ),
];
