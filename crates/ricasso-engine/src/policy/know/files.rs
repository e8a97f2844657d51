//! Programs that look at, copy, move, delete and change files.

use super::Does::{
    self, Create, Delete, DeleteTree, LinkTo, MoveAway, Overwrite, Permission, PermissionTree,
    ReadTree,
};
use super::Harm;
use super::table::{
    APPEND, CREATE, DELETE, EDIT, EXACT, GNU, LOOK, NONE, NOTHING, PUT, Program, READ, READ_TREE,
    RUN, Style, TEXT, Use, WRITE, act, both, each, flag, glued, shaped, skip, sub, then, to, val,
    when,
};

const THROUGH: Use = Use::Is(Does::ReadThroughLinks);
const MOVE: Use = Use::Is(MoveAway);
const LINK: Use = Use::Is(LinkTo);
const PERMISSION: Use = Use::Is(Permission);
const PERMISSION_TREE: Use = Use::Is(PermissionTree);
const BACKUP: super::table::Opt = glued("-b --backup", NOTHING);

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "ls dir vdir exa eza lsd",
        options: &[skip("-I -T -w --ignore --hide --block-size --sort --time --width --tabsize")],
        shape: each(READ),
        when: &[
            when("-L --dereference", each(READ)),
            when("-d --directory", each(LOOK)),
            when("-R --recursive", each(READ_TREE)),
            when("-l", each(LOOK)),
        ],
        examples: &[
            "ls -la src => look src",
            "ls src -I x => read src",
            "ls => ",
            "ls -Rd a => look a",
        ],
        ..GNU
    },
    Program {
        names: "cat tac rev md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum \
                zcat bzcat xzcat zstdcat lz4cat gzcat unexpand expand fold fmt",
        options: &[skip("-l -w --width --tabs --goal")],
        shape: each(READ),
        examples: &[
            "cat -n a => read a",
            "sha256sum -c a => read a",
            "cat - => ",
            "fold -w 80 a => read a",
        ],
        ..GNU
    },
    Program {
        names: "bat batcat",
        options: &[
            val("--pager", TEXT),
            val("--config-file --ignored-suffix", READ),
            skip("-l -r -H -m --language --line-range --highlight-line --map-syntax --style"),
            skip("--theme --paging --color --wrap --terminal-width --tabs --file-name"),
        ],
        shape: each(READ),
        examples: &[
            "bat --pager 'less -R' a => text 'less -R', read a",
            "bat -l rust a.rs => read a.rs",
        ],
        ..EXACT
    },
    Program {
        names: "nl",
        options: &[skip("-b -d -f -h -i -l -n -s -v -w --body-numbering --number-format")],
        shape: each(READ),
        examples: &["nl -bn -w1 -s '' /etc/passwd => read /etc/passwd"],
        ..GNU
    },
    Program {
        names: "cp gcp",
        options: &[
            val("-t --target-directory", PUT),
            skip("-S --suffix --sparse --no-preserve --reflink"),
            glued("--preserve --backup --update", NOTHING),
            flag("-f --force"),
            flag("-r -R --recursive -a --archive"),
        ],
        shape: to(READ, &[PUT]),
        when: &[
            both("-t --target-directory", "-L --dereference", each(THROUGH)),
            both("-t --target-directory", "-r -R --recursive -a --archive", each(READ_TREE)),
            when("-t --target-directory", each(READ)),
            both("-r -R --recursive -a --archive", "-L --dereference", to(THROUGH, &[PUT])),
            when("-r -R --recursive -a --archive", to(READ_TREE, &[PUT])),
        ],
        examples: &[
            "cp a b => read a, put b",
            "cp -t .. a b => put .., read a, read b",
            "cp --target-dir=x a => put x, read a",
            "cp -rL a b => through-links a, put b",
            "cp -- -a b => read -a, put b",
        ],
        ..GNU
    },
    Program {
        names: "mv gmv",
        options: &[
            val("-t --target-directory", PUT),
            skip("-S --suffix"),
            BACKUP,
            flag("-f --force"),
        ],
        shape: to(MOVE, &[PUT]),
        when: &[when("-t --target-directory", each(MOVE))],
        examples: &["mv a b d => move a, move b, put d", "mv -t d a => put d, move a"],
        ..GNU
    },
    Program {
        names: "rm grm srm trash trash-put",
        options: &[
            flag("-f --force"),
            flag("-r -R --recursive"),
            glued("--interactive", NOTHING),
            glued("--preserve-root", NOTHING),
        ],
        shape: each(DELETE),
        when: &[when("-r -R --recursive", each(Use::Is(DeleteTree)))],
        examples: &[
            "rm -f a b => delete a, delete b",
            "rm / -rf => delete-tree /",
            "rm --recur -- -x => delete-tree -x",
            "rm -rf -- / => delete-tree /",
            "rm --help => ",
            "rm ? x => delete …, ?delete-tree …, delete x, ?delete-tree x",
        ],
        ..GNU
    },
    Program {
        names: "rimraf del-cli trash-cli",
        shape: each(Use::PatternTree),
        examples: &[
            "rimraf dist => delete-tree dist",
            "del-cli '**' => delete-tree .",
            "del-cli 'a/**' '**/*.pyc' => delete-tree a, delete-some .",
        ],
        ..EXACT
    },
    Program {
        names: "rmdir unlink",
        options: &[flag("-p --parents")],
        shape: each(DELETE),
        examples: &["rmdir -p a/b => delete a/b"],
        ..GNU
    },
    Program {
        names: "mkdir",
        options: &[val("-m --mode", Use::Mode), glued("-Z --context", NOTHING)],
        shape: each(CREATE),
        examples: &[
            "mkdir -p a/b -m 700 => create a/b",
            "mkdir -m 777 a => hard OpenToAll 777, create a",
        ],
        ..GNU
    },
    Program {
        names: "mkfifo mknod",
        options: &[val("-m --mode", Use::Mode)],
        shape: then(&[CREATE], NOTHING),
        when: &[],
        examples: &["mknod x c 1 3 => create x"],
        ..GNU
    },
    Program {
        names: "mktemp",
        options: &[val("-p --tmpdir", CREATE), skip("--suffix")],
        shape: each(CREATE).alone(&[]),
        examples: &[
            "mktemp -d => ",
            "mktemp work.XXXXXX => create work.XXXXXX",
            "mktemp -p /x => create /x",
        ],
        ..GNU
    },
    Program {
        names: "ln gln",
        options: &[
            val("-t --target-directory", PUT),
            skip("-S --suffix"),
            BACKUP,
            flag("-s --symbolic"),
            flag("-f --force"),
        ],
        shape: to(EDIT, &[PUT]).always(&[]),
        when: &[
            both("-s --symbolic", "-t --target-directory", each(LINK)),
            when("-s --symbolic", to(LINK, &[PUT])),
            when("-t --target-directory", each(EDIT)),
        ],
        examples: &[
            "ln -s / root => link-to /, put root",
            "ln -sf /dev/null /etc/resolv.conf => link-to /dev/null, put /etc/resolv.conf",
            "ln a h => edit a, put h",
        ],
        ..GNU
    },
    Program {
        names: "install ginstall",
        options: &[
            val("-t --target-directory", PUT),
            val("-m --mode", Use::Mode),
            val("--strip-program", RUN),
            skip("-o -g -S --owner --group --suffix"),
            glued("-Z --context --backup", NOTHING),
        ],
        shape: to(READ, &[PUT]),
        when: &[when("-d --directory", each(CREATE)), when("-t --target-directory", each(READ))],
        examples: &[
            "install -m 600 a /x => read a, put /x",
            "install -m 4755 a b => catastrophe SetUser 4755, read a, put b",
            "install -dm 755 d => create d",
        ],
        ..GNU
    },
    Program {
        names: "touch",
        options: &[val("-r --reference", LOOK), skip("-d -t --date --time")],
        shape: each(CREATE),
        examples: &["touch -d now a b => create a, create b"],
        ..GNU
    },
    Program {
        names: "truncate fallocate",
        options: &[val("-r --reference", LOOK), skip("-s -l -o --size --length --offset")],
        shape: each(WRITE),
        examples: &["truncate -s 0 a => overwrite a"],
        ..GNU
    },
    Program {
        names: "shred wipe",
        options: &[
            val("--random-source", READ),
            skip("-n -s --iterations --size"),
            glued("--remove", NOTHING),
        ],
        shape: each(WRITE),
        when: &[when("-u --remove", each(Use::Both(Overwrite, Delete)))],
        examples: &[
            "shred -u x => overwrite x, delete x",
            "shred -n3 -z /dev/sda => overwrite /dev/sda",
        ],
        ..GNU
    },
    Program {
        names: "dd dcfldd",
        style: Style::Pairs,
        options: &[val("if=", READ), val("of=", WRITE)],
        examples: &["dd if=/dev/zero of=x bs=1M => read /dev/zero, overwrite x"],
        ..GNU
    },
    Program {
        names: "chmod gchmod",
        options: &[val("--reference", LOOK), flag("-R --recursive")],
        shape: then(&[Use::Mode], PERMISSION),
        when: &[
            both("-R --recursive", "--reference", each(PERMISSION_TREE)),
            when("--reference", each(PERMISSION)),
            when("-R --recursive", then(&[Use::Mode], PERMISSION_TREE)),
        ],
        examples: &[
            "chmod +x a => permission a",
            "chmod ugo+rwx -R /usr => hard OpenToAll ugo+rwx, permission-tree /usr",
            "chmod =777 a => hard OpenToAll =777, permission a",
            "chmod u=rwx,o=u a => hard OpenToAll u=rwx,o=u, permission a",
            "chmod 1777 a => permission a",
            "chmod o+r-w a => permission a",
            "chmod u+s a => catastrophe SetUser u+s, permission a",
            "chmod 4755 a => catastrophe SetUser 4755, permission a",
            "chmod -x a b => permission-tree a, permission b",
        ],
        ..GNU
    },
    Program {
        names: "chown chgrp gchown",
        options: &[val("--reference", LOOK), skip("--from"), flag("-R --recursive")],
        shape: then(&[NOTHING], PERMISSION),
        when: &[
            both("-R --recursive", "--reference", each(PERMISSION_TREE)),
            when("--reference", each(PERMISSION)),
            when("-R --recursive", then(&[NOTHING], PERMISSION_TREE)),
        ],
        examples: &[
            "chown -R nobody / => permission-tree /",
            "chgrp a b c => permission b, permission c",
        ],
        ..GNU
    },
    Program {
        names: "chattr chcon",
        options: &[flag("-R --recursive"), skip("-p -v -u -r -t -l")],
        shape: then(&[NOTHING], PERMISSION),
        when: &[when("-R --recursive", then(&[NOTHING], PERMISSION_TREE))],
        examples: &["chattr +i a => permission a"],
        ..GNU
    },
    Program {
        names: "setfacl setfattr",
        options: &[
            skip("-m -x -n -v --modify --remove"),
            val("-M -X --modify-file --remove-file", READ),
            val("--restore", READ),
        ],
        shape: each(PERMISSION),
        when: &[when("-R --recursive", each(PERMISSION_TREE))],
        examples: &["setfacl -R -m u:x:rwx d => permission-tree d"],
        ..GNU
    },
    Program {
        names: "lsattr getfacl getfattr namei readlink realpath stat lsof",
        options: &[skip("-c -f -n -m --format --printf --relative-to --relative-base")],
        shape: each(LOOK),
        examples: &["stat -c '%s %n' a => look a", "realpath --relative-to x a => look a"],
        ..GNU
    },
    Program {
        names: "basename dirname pathchk",
        options: &[],
        examples: &["basename /etc/passwd => "],
        ..GNU
    },
    Program {
        names: "file",
        options: &[
            act("-C --compile", Create),
            val("-f --files-from", READ),
            val("-m --magic-file", READ),
            skip("-e -F -P --exclude --separator --parameter"),
        ],
        shape: each(LOOK),
        when: &[when("-L --dereference -z --uncompress", each(READ))],
        examples: &[
            "file -f l a => read l, look a",
            "file -L a => read a",
            "file -C -m src => create, read src",
        ],
        ..GNU
    },
    Program {
        names: "du dust ncdu",
        options: &[
            val("--files0-from", READ),
            val("-X --exclude-from", READ),
            val("-o", WRITE),
            skip("-d -B -t --max-depth --block-size --threshold --exclude --time-style"),
        ],
        shape: each(LOOK),
        when: &[when("-L --dereference", each(THROUGH))],
        examples: &["du -sh a => look a", "du --files0-from=x => read x"],
        ..GNU
    },
    Program {
        names: "df",
        options: &[skip("-B -t -x --block-size --type --exclude-type")],
        shape: each(LOOK),
        examples: &["df -h . => look ."],
        ..GNU
    },
    Program {
        names: "tree",
        options: &[
            val("-o", WRITE),
            val("--infofile --gitfile", READ),
            skip("-L -P -I -H -T --filelimit --charset --sort --timefmt"),
        ],
        shape: each(READ_TREE),
        when: &[
            both("-R", "-o", each(READ_TREE).always(&[Create])),
            when("-l", each(THROUGH)),
            when("--fromfile", each(READ)),
        ],
        examples: &[
            "tree -Co x a => overwrite x, read-tree a",
            "tree -R -H b -o x => create, overwrite x",
        ],
        ..EXACT
    },
    Program {
        names: "tee",
        options: &[glued("--output-error", NOTHING)],
        shape: each(WRITE),
        when: &[when("-a --append", each(APPEND))],
        examples: &["tee a b => overwrite a, overwrite b", "tee -ai a => append a"],
        ..GNU
    },
    Program {
        names: "sponge",
        options: &[],
        shape: each(WRITE),
        when: &[when("-a", each(APPEND))],
        examples: &["sponge a => overwrite a"],
        ..GNU
    },
    Program {
        names: "split",
        options: &[
            val("--filter", TEXT),
            skip("-a -b -C -l -n -t --suffix-length --bytes --line-bytes --lines --number"),
            skip("--additional-suffix --separator"),
        ],
        shape: then(&[READ, CREATE], NOTHING).always(&[Create]),
        examples: &[
            "split -l1 a ../p => create, read a, create ../p",
            "split --filter='touch x' a => create, text 'touch x', read a",
        ],
        ..GNU
    },
    Program {
        names: "csplit",
        options: &[val("-f --prefix", CREATE), skip("-b -n --suffix-format --digits")],
        shape: then(&[READ], NOTHING).always(&[Create]),
        examples: &["csplit -f ../p a /x/ => create, create ../p, read a"],
        ..GNU
    },
    Program {
        names: "rename prename file-rename",
        options: &[val("-e", Use::Is(Does::Opaque))],
        shape: then(&[Use::Is(Does::Opaque)], MOVE),
        dry: "-n --nono --no-act",
        examples: &["rename s/a/b/ x y => opaque, move x, move y"],
        ..GNU
    },
    Program {
        names: "mmv qmv vidir",
        options: &[],
        shape: each(MOVE).always(&[MoveAway]),
        examples: &["mmv '*.a' '#1.b' => move, move *.a, move #1.b"],
        ..GNU
    },
    Program {
        names: "gio",
        subs: &[
            Program {
                names: "trash",
                shape: each(Use::Both(DeleteTree, Does::HardToTakeBack(Harm::Work))),
                when: &[
                    when("--empty", NONE.always(&[Does::HardToTakeBack(Harm::Work)])),
                    when("--list", NONE),
                ],
                ..EXACT
            },
            shaped("remove", each(DELETE)),
            shaped("copy", to(Use::Place(Does::Read), &[Use::Place(Does::PutAt)])),
            shaped("move", to(MOVE, &[PUT])),
            shaped("mkdir save", each(CREATE)),
            shaped("open", each(Use::Is(Does::CodeFile))),
            shaped("cat info list tree", each(Use::Url)),
            sub("mount", &[Does::Connect]),
        ],
        other: &[Does::Anything],
        examples: &["gio trash a => delete-tree a, hard Work a"],
        ..EXACT
    },
    Program {
        names: "rsync",
        options: &[
            val("-e --rsh", TEXT),
            val("--rsync-path", Use::Is(Does::RunTextElsewhere)),
            val("--files-from --include-from --exclude-from --password-file", READ),
            val("--log-file", APPEND),
            val("-T --temp-dir --partial-dir", CREATE),
            val("--backup-dir", PUT),
            val("--compare-dest --copy-dest --link-dest", READ_TREE),
            val("--write-batch --only-write-batch", WRITE),
            val("--read-batch", READ),
            val("--early-input", READ),
            skip(
                "-f -B -M --filter --include --exclude --bwlimit --timeout --port --chmod --chown",
            ),
            skip("--max-size --min-size --block-size --suffix --out-format --remote-option --info"),
        ],
        shape: to(Use::Place(ReadTree), &[Use::Place(Does::PutAt)]),
        when: &[
            both(
                "--remove-source-files",
                "--delete --del --delete-before --delete-after --delete-during --delete-excluded",
                to(Use::Place(MoveAway), &[Use::Place(DeleteTree)]),
            ),
            when(
                "--delete --del --delete-before --delete-after --delete-during --delete-delay \
                 --delete-excluded --delete-missing-args",
                to(Use::Place(ReadTree), &[Use::Place(DeleteTree)]),
            ),
            when("--remove-source-files", to(Use::Place(MoveAway), &[Use::Place(Does::PutAt)])),
        ],
        dry: "-n --dry-run",
        examples: &[
            "rsync -a src/ build/ => read-tree src/, put build/",
            "rsync -a --delete e/ /home/user/ => read-tree e/, delete-tree /home/user/",
            "rsync -e 'sh -c x' h:/x . => text 'sh -c x', connect h, put .",
            "rsync .env rsync://h.example:4/m/ => read-tree .env, connect h.example",
        ],
        ..GNU
    },
];
