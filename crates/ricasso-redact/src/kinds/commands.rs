//! Secrets among the arguments of programs, and in the calls of libraries.

use super::{Edge, Row, led};
use crate::check::Check;

/// An argument up to the blank or the quote that ends it.
const ARGUMENT: &str = r#"[^\s\x00"']{4,256}"#;

pub(super) const ROWS: &[Row] = &[
    // curl, wget and docker take `user:password` or a password behind a flag.
    led(
        "flag-password",
        &["-u ", "-user "],
        r#"-u(?:ser)?[ \t]{1,3}["']?[A-Za-z0-9._%+@-]{1,128}:"#,
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&["curl -u bob:[[{A:14}]] https://example.org"])
    .leaves(&["curl -u bob:$PASSWORD https://example.org", "docker run -u 1000:1000 alpine"]),
    led("flag-password", &["pass -p"], r#"pass -p[ \t]{0,3}["']?"#, r#"[^\s\x00"']{3,256}"#)
        .after(&["ssh"])
        .check(Check::Password)
        .takes(&["sshpass -p [[{A:12}]] ssh bob@host"])
        .leaves(&["sshpass -p $PASSWORD ssh bob@host", r#"sshpass -p "<password>" ssh host"#]),
    led("flag-password", &["password="], r#"password=["']?"#, r#"[^\s\x00"']{3,256}"#)
        .after(&["wget --", "curl --"])
        .check(Check::Password)
        .takes(&["wget --password=[[{A:14}]] https://example.org"])
        .leaves(&["wget --password=$PASSWORD https://example.org", "curl --password=<password>"]),
    led(
        "flag-password",
        &["mysql", "mariadb -"],
        concat!(
            r"(?:mysql(?:dump|admin)?|mariadb)",
            r#"(?: -[^\r\n p][^\r\n ]{0,64}| [^\r\n -][^\r\n ]{0,64}){0,6} -p["']?"#,
        ),
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&["mysql -u root -p[[{A:12}]] -h db app"])
    .leaves(&["mysql -u root -p app", r#"mysql -h db -P 3306 -p"$PASSWORD""#]),
    // `docker login`, `az login`, `helm registry login` and their kin.
    led(
        "flag-password",
        &["login", "mongo", "twine ", "poetry "],
        concat!(
            r"(?:login|mongo[a-z]{0,8}|twine|poetry)",
            r"(?:[ \t]{1,3}(?:-[^\s\x00 p-][^\s\x00]{0,63}|--[^\s\x00]{1,63}",
            r#"|[^\s\x00-][^\s\x00]{0,127})){0,8}[ \t]{1,3}-p[ =]?["']?"#,
        ),
        ARGUMENT,
    )
    .edge(Edge::Word)
    .check(Check::Value)
    .takes(&[
        "docker login -u bob -p [[{A:14}]] ghcr.io",
        "az login --service-principal -u x -p [[{A:34}]] --tenant y",
        "mongosh -u root -p [[{A:14}]] --host x",
        "twine upload -u bob -p [[{A:14}]] dist/*",
    ])
    .leaves(&["docker login -u bob -p $PASSWORD ghcr.io", "az login --use-device-code"]),
    led(
        "flag-password",
        &["redis-cli -", "ldap"],
        concat!(
            r"(?:redis-cli|ldap[a-z]{2,10})(?:[ \t]{1,3}(?:-[^\s\x00 aw-][^\s\x00]{0,63}",
            r"|--[^\s\x00]{1,63}",
            r#"|[^\s\x00-][^\s\x00]{0,127})){0,8}[ \t]{1,3}-[aw][ =]?["']?"#,
        ),
        ARGUMENT,
    )
    .edge(Edge::Word)
    .check(Check::Value)
    .takes(&["redis-cli -h x -a [[{A:14}]] ping", "ldapsearch -D cn=x -w [[{A:14}]] -b y"])
    .leaves(&["redis-cli -h x -a $PASSWORD ping", "ldapsearch -x -W -D cn=x"]),
    // The server's own password in a Redis configuration.
    led("redis-password", &["pass "], r#"pass[ \t]{1,8}["']?"#, ARGUMENT)
        .after(&["require", "-store", "-key"])
        .check(Check::Value)
        .takes(&["requirepass [[{A:14}]]"])
        .leaves(&["requirepass <password>", "requirepass ${REDIS_PASSWORD}"]),
    led("flag-password", &["curl -u"], r#"curl -u["']?[A-Za-z0-9._%+@-]{1,128}:"#, ARGUMENT)
        .check(Check::Value)
        .takes(&["curl -ubob:[[{A:14}]] https://example.org"])
        .leaves(&["curl -ubob:$PASSWORD https://example.org"]),
    led(
        "flag-password",
        &["http -a ", "https -a "],
        r#"https? -a ["']?[A-Za-z0-9._%+@-]{1,128}:"#,
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&["http -a bob:[[{A:14}]] example.org"])
    .leaves(&["http -a bob:$PASSWORD example.org"]),
    led(
        "cookie",
        &["-b '", "-b \""],
        r#"-b ["']"#,
        r#"[^\s\x00=;"',\\]{1,64}=[^\s\x00;"',\\]{0,1024}"#,
    )
    .check(Check::Cookie)
    .takes(&["curl -b '[[session={A:32}]]' https://example.org"])
    .leaves(&["curl -b 'theme=dark' https://example.org", "git switch -b 'fix=a'"]),
    led(
        "flag-password",
        &["sqlcmd ", "bcp ", "zip -"],
        concat!(
            r"(?:sqlcmd|bcp|zip)(?:[ \t]{1,3}(?:-[^\s\x00P-][^\s\x00]{0,63}|--[^\s\x00]{1,63}",
            r#"|[^\s\x00-][^\s\x00]{0,127})){0,8}[ \t]{1,3}-P ?["']?"#,
        ),
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&[
        "sqlcmd -S db -U sa -P [[{A:14}]]",
        "unzip -P [[{A:14}]] x.zip",
        "bcp t out f -U sa -P[[{A:14}]]",
    ])
    .leaves(&["sqlcmd -S db -U sa -P $PASSWORD", "unzip -P <password> x.zip"]),
    led(
        "flag-password",
        &["7z ", "7za ", "rar "],
        r#"(?:7za?|rar) [a-z] (?:-[^p\s\x00][^\s\x00]{0,32} ){0,4}-(?:h?p)["']?"#,
        ARGUMENT,
    )
    .edge(Edge::Word)
    .check(Check::Value)
    .takes(&["7z a -p[[{A:14}]] x.7z y"])
    .leaves(&["7z a -p$PASSWORD x.7z y", "7z x x.7z"]),
    led("flag-password", &["-U "], r#"-U ["']?[A-Za-z0-9._\\/-]{1,64}%"#, ARGUMENT)
        .check(Check::Value)
        .takes(&["smbclient -U bob%[[{A:14}]] //host/share"])
        .leaves(&["smbclient -U bob%$PASSWORD //host/share", "psql -U bob"]),
    led("flag-password", &["lftp -u "], r#"lftp -u ["']?[^\s\x00,]{1,64},"#, ARGUMENT)
        .check(Check::Value)
        .takes(&["lftp -u bob,[[{A:14}]] host"])
        .leaves(&["lftp -u bob,$PASSWORD host"]),
    led(
        "flag-password",
        &["htpasswd -"],
        concat!(
            r"htpasswd -(?:[A-Za-mo-z]{1,8} [^\s\x00-][^\s\x00]{0,127}",
            r#"|[A-Za-z]{0,6}n[A-Za-z]{0,6}) [^\s\x00-][^\s\x00]{0,63} ["']?"#,
        ),
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&["htpasswd -b file bob [[{A:14}]]", "htpasswd -nbB bob [[{A:14}]]"])
    .leaves(&["htpasswd -b file bob $PASSWORD"]),
    led("flag-password", &["net user "], r#"net user [A-Za-z0-9._-]{1,64} ["']?"#, ARGUMENT)
        .check(Check::Spoken)
        .takes(&["net user bob [[{A:13}{D:1}]] /add"])
        .leaves(&["net user bob /delete", "net user bob <password> /add"]),
    led(
        "flag-password",
        &["enc -"],
        r#"enc -[^\r\n]{0,64} (?:-k|-K|-pass pass:)[ ]?["']?"#,
        ARGUMENT,
    )
    .check(Check::Value)
    .takes(&["openssl enc -aes-256-cbc -k [[{A:14}]] -in x"])
    .leaves(&["openssl enc -aes-256-cbc -k $PASSWORD -in x"]),
    led(
        "flag-password",
        &["assword:"],
        r#"assword: ?["}][\s;]{0,8}(?:\{\s{0,8})?send(?:_user)?(?: --)? ""#,
        r#"[^\s\x00"\\]{4,128}"#,
    )
    .check(Check::Value)
    .takes(&[r#"expect "password:" send "[[{A:14}]]\\r""#])
    .leaves(&[r#"expect "password:" send "$pass\\r""#]),
    led(
        "snmp-community",
        &["community ", "snmp"],
        r#"(?:community|snmp[a-z]{3,10}(?: -v ?[123]c?)? -c) ["']?"#,
        r#"[^\s\x00"']{6,64}"#,
    )
    .check(Check::Spoken)
    .takes(&["snmp-server community [[{A:11}{D:1}]] RO"])
    .leaves(&["snmp-server community public RO", "the community edition 2026"]),
    // As routers store them.
    led(
        "password",
        &["ecret 5 ", "ecret 8 ", "ecret 9 ", "assword 7 "],
        r"(?:ecret [589]|assword 7) ",
        r"(?:\$[A-Za-z0-9./$]{20,}|[0-9A-Fa-f]{8,})",
    )
    .check(Check::Token)
    .takes(&["enable secret 9 [[$9${A:14}${A:43}]]", "username bob password 7 [[{H:18}]]"])
    .leaves(&["enable secret 5 <hash>", "the password 7 <hash>"]),
    led(
        "wifi-key",
        &["shared-key "],
        r#"shared-key (?:hex |ascii-text |local |remote ){0,2}["']?"#,
        r#"[^\s\x00"';]{8,}"#,
    )
    .after(&["pre", "pre-"])
    .check(Check::Spoken)
    .takes(&["pre-shared-key [[{A:19}{D:1}]]"])
    .leaves(&["pre-shared-key $KEY", "pre-shared-key authentication failed"]),
    led(
        "oracle-password",
        &["sqlplus "],
        r"sqlplus (?:-[A-Za-z]{1,8} ){0,3}[^/\s\x00@]{1,64}/",
        r#"[^\s\x00@"']{1,128}@"#,
    )
    .trail(1)
    .check(Check::UrlPassword)
    .takes(&["sqlplus -S scott/[[{A:14}]]@db"])
    .leaves(&["sqlplus / as sysdba", "sqlplus scott/$PASSWORD@db"]),
    led(
        "redis-password",
        &["masterauth ", "AUTH "],
        r#"(?:masterauth|AUTH(?: PLAIN| LOGIN)?) ["']?"#,
        r#"[^\s\x00"']{12,512}"#,
    )
    .edge(Edge::Word)
    .check(Check::Spoken)
    .takes(&["masterauth [[{A:13}{D:1}]]", "AUTH [[{A:23}{D:1}]]", "AUTH PLAIN [[{A:27}{D:1}=]]"])
    .leaves(&["250-AUTH PLAIN LOGIN XOAUTH2", "masterauth ${REDIS_PASSWORD}"]),
    led(
        "token",
        &["pypi-token.", "github-oauth."],
        r"(?:pypi-token|github-oauth)\.[a-z0-9._-]{1,64}[ \t]{1,8}",
        r"[A-Za-z0-9_.=-]{16,}",
    )
    .check(Check::Random)
    .takes(&[
        "poetry config pypi-token.pypi [[{A:40}]]",
        "composer config github-oauth.github.com [[{h:40}]]",
    ])
    .leaves(&["poetry config pypi-token.pypi $TOKEN"]),
    led(
        "password",
        &["http-basic."],
        r"http-basic\.[a-z0-9._-]{1,64} [^\s\x00]{1,64} ",
        r#"[^\s\x00"']{6,}"#,
    )
    .check(Check::Value)
    .takes(&["composer config http-basic.example.org bob [[{A:20}]]"])
    .leaves(&["composer config http-basic.example.org bob $TOKEN"]),
    led(
        "key",
        &["PRAGMA key", "pragma key"],
        r#"(?i)pragma key[ ]?=[ ]?["']"#,
        r#"[^"'\r\n\x00]{4,128}"#,
    )
    .check(Check::Value)
    .takes(&["PRAGMA key = '[[{A:14}]]';"])
    .leaves(&["PRAGMA key = '${key}';", "PRAGMA key_store = 1"]),
    led(
        "secret",
        &["jwt.sign(", "jwt.encode(", "jwt.verify(", "jwt.decode(", "createHmac(", "cookieParser("],
        concat!(
            r#"(?:jwt\.[a-z]{4,6}\([^,"'\r\n]{1,64},|createHmac\(["'][A-Za-z0-9-]{3,10}["']"#,
            r#",|cookieParser\()[ \t]{0,3}["'`]"#,
        ),
        r#"[^\s\x00"'`]{8,}"#,
    )
    .check(Check::Spoken)
    .takes(&["jwt.sign(payload, '[[{A:32}]]')", "crypto.createHmac('sha256', '[[{A:32}]]')"])
    .leaves(&["jwt.sign(payload, 'secret')", "jwt.verify(token, process.env.JWT_SECRET)"]),
    // A user and a password as arguments, behind a host or an address.
    led(
        "password",
        &["auth=(", "asic_auth(", "asicAuth(", "_connect(", "getConnection(", "PDO(", "mysqli("],
        concat!(
            r#"(?:auth=|asic_?[aA]uth|_connect|getConnection|PDO|mysqli)\((?:(?:["']"#,
            r#"[^"'\r\n]{0,128}["']"#,
            r#"|[A-Za-z_$.]{1,32}),[ \t]{0,3}){1,2}(?:Some\()?["']"#,
        ),
        r#"[^\s\x00"']{4,128}"#,
    )
    .check(Check::Spoken)
    .takes(&[
        "requests.get(url, auth=('bob', '[[{A:13}{D:1}]]'))",
        r#"req.SetBasicAuth("bob", "[[{A:13}{D:1}]]")"#,
        "mysql_connect('localhost', 'root', '[[{A:13}{D:1}]]');",
        r#"DriverManager.getConnection(url, "root", "[[{A:13}{D:1}]]")"#,
    ])
    .leaves(&["auth=('user', 'pass')", "new PDO('mysql:host=x', 'root', $password)"]),
];
