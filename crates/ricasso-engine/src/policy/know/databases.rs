//! Databases: their own languages, files, and servers that others use.

use super::Does::{self, Connect, HardToTakeBack, StdinCode};
use super::table::{
    CODE_FILE, EDIT, EXACT, NONE, NOTHING, OBEY, Program, READ, Reach, Rest, Use, WRITE, act,
    always, each, glued, rest, skip, sub, then, val, when,
};
use super::{Harm, Language};

const SERVER: Use = Use::Sql(Reach::Server);
const FILE: Use = Use::Sql(Reach::File);
const STDIN: Does = StdinCode(Language::Sql);
const GONE: &[Does] = &[Connect, Does::Catastrophe(Harm::Store)];

pub(super) const TABLE: &[Program] = &[
    Program {
        names: "psql pgcli cockroach",
        options: &[
            val("-c --command --execute", SERVER),
            val("-f --file", CODE_FILE),
            val("-o --output -L --log-file", WRITE),
            skip("-d -h -p -U -v -F -R -P -T --dbname --host --port --username --variable --set"),
            skip("--field-separator --record-separator --pset"),
        ],
        shape: NONE.always(&[Connect, STDIN]),
        when: &[when("-c --command --execute -f --file -l --list", NONE.always(&[Connect]))],
        tells: "--help --version -V -?",
        examples: &[
            "psql -c 'DROP TABLE users' => connect, catastrophe Store 'DROP TABLE users'",
            "psql -d app -c 'SELECT 1' => connect",
            "psql app => connect, stdin-code",
            "psql -f x.sql => connect, code-file x.sql",
        ],
        ..EXACT
    },
    Program {
        names: "influx",
        options: &[
            val("-execute --execute", SERVER),
            skip("-host -port -database -username -password -precision"),
        ],
        subs: &[
            Program {
                names: "bucket org user",
                subs: &[sub("delete", GONE)],
                other: &[Connect],
                ..EXACT
            },
            sub("delete", GONE),
        ],
        shape: NONE.always(&[Connect]),
        other: &[Connect],
        examples: &[
            "influx -execute 'DROP DATABASE x' => connect, catastrophe Store 'DROP DATABASE x'",
        ],
        ..super::table::DASH
    },
    Program {
        names: "mysql mariadb mycli clickhouse clickhouse-client cqlsh sqlcmd bsqldb usql trino \
         presto snowsql",
        options: &[
            val("-e --execute -q --query -Q", SERVER),
            val("--init-command", SERVER),
            val("--defaults-file --defaults-extra-file", OBEY),
            val("--tee", WRITE),
            val("--pager", super::table::TEXT),
            val("-f_ --file", CODE_FILE),
            glued("-p --password", NOTHING),
            skip("-h -u -P -D -S -U -d --host --user --port --database --socket"),
        ],
        shape: NONE.always(&[Connect, STDIN]),
        when: &[when("-e --execute -q --query -Q --file", NONE.always(&[Connect]))],
        tells: "--help --version -V",
        examples: &[
            "mysql -e 'DELETE FROM users' => connect, catastrophe Store 'DELETE FROM users'",
            "mysql -uroot -p x => connect, stdin-code",
        ],
        ..EXACT
    },
    Program {
        names: "sqlite3 sqlite sqlite-utils duckdb litecli",
        options: &[
            val("-cmd", FILE),
            val("-init", CODE_FILE),
            skip("-separator -newline -nullvalue -maxsize -mmap -vfs"),
        ],
        shape: rest(&[Use::Database], Rest::Operands).alone(&[StdinCode(Language::Other)]),
        tells: "--help --version -help -version",
        examples: &[
            "sqlite3 app.db 'DROP TABLE users;' => edit app.db, hard Store 'DROP TABLE users;'",
            "sqlite3 app.db .schema => read app.db",
            "sqlite3 :memory: '.shell rm x' => text 'rm x'",
            "sqlite3 a.db '.once |touch x' 'select 1' => edit a.db, text 'touch x'",
            "sqlite3 a.db 'select 1' => read a.db",
            "sqlite3 a.db => edit a.db, stdin-code",
            "sqlite3 => stdin-code",
        ],
        ..super::table::DASH
    },
    Program {
        names: "mongo mongosh",
        options: &[
            val("--eval", Use::Mongo),
            skip("-u -p --host --port --username --password"),
            val("-f --file", CODE_FILE),
        ],
        shape: then(&[NOTHING], CODE_FILE).always(&[Connect, StdinCode(Language::Mongo)]),
        when: &[when("--eval", then(&[NOTHING], CODE_FILE).always(&[Connect]))],
        tells: "--help --version",
        examples: &["mongo p --eval 'db.users.deleteMany({})' => connect, catastrophe Store \
             db.users.deleteMany({})"],
        ..EXACT
    },
    Program {
        names: "redis-cli valkey-cli keydb-cli",
        options: &[
            val("--eval", CODE_FILE),
            val("--rdb --pipe-file", WRITE),
            skip("-h -p -s -a -u -n -r -i -d --user --pass"),
        ],
        shape: each(Use::Redis).always(&[Connect]).alone(&[StdinCode(Language::Redis)]),
        tells: "--help --version -v",
        examples: &[
            "redis-cli -h prod flushdb => connect, catastrophe Store flushdb",
            "redis-cli get a => connect",
        ],
        ..EXACT
    },
    Program {
        names: "dropdb dropuser mysqladmin",
        options: &[skip("-h -p -U -u -P --host --port --username --user")],
        shape: always(GONE),
        when: &[],
        examples: &["dropdb prod => connect, catastrophe Store"],
        ..EXACT
    },
    Program {
        names: "createdb createuser pg_isready reindexdb vacuumdb clusterdb pg_lsclusters",
        options: &[skip("-h -p -U -O -T -E -D --host --port --username")],
        shape: always(&[Connect]),
        examples: &["createdb x => connect"],
        ..EXACT
    },
    Program {
        names: "pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport",
        options: &[
            val("-f --file -r --result-file -o --out", WRITE),
            val("--defaults-file --defaults-extra-file", OBEY),
            glued("-p --password", NOTHING),
            skip(
                "-h -U -d -t -n -F -u -P -c -j --host --port --username --user --dbname --table \
                 --db",
            ),
        ],
        shape: always(&[Connect]),
        examples: &["pg_dump -f x db => connect, overwrite x"],
        ..EXACT
    },
    Program {
        names: "pg_restore mongorestore mongoimport mysqlimport",
        options: &[
            act("--drop --clean -c", HardToTakeBack(Harm::Store)),
            val("-f --file", WRITE),
            skip("-h -U -d -j -t -n --host --port --username --dbname --db --collection"),
        ],
        shape: each(READ).always(&[Connect]),
        when: &[when("-l --list", each(READ))],
        examples: &["pg_restore -c -d x a => connect, hard Store, read a"],
        ..EXACT
    },
    Program {
        names: "pg_ctl pg_ctlcluster initdb pg_dropcluster pg_createcluster pg_resetwal",
        options: &[
            val("-D --pgdata", EDIT),
            val("-l --log", super::table::APPEND),
            skip("-o -m -w"),
        ],
        shape: always(&[HardToTakeBack(Harm::Service)]),
        when: &[when("-V", NONE)],
        examples: &["pg_ctl -D d stop => hard Service, edit d"],
        ..EXACT
    },
];
