//! Secrets that only their surroundings give away: URLs, headers, files with a fixed line.

use super::{CREDENTIAL, Edge, Needs, Row, byte_table, led};
use crate::check::Check;

/// In a URL with a password an `@` comes before any of the bytes that end it. Most URLs have none.
const URL: Option<Needs> = Some(Needs { byte: b'@', before: &URL_ENDS });
static URL_ENDS: [bool; 256] = byte_table(b" \t\r\n\"'`<>\\");

pub(super) const ROWS: &[Row] = &[
    // The longest match ends at the last `@` before a slash: passwords hold that sign too.
    led(
        "url-password",
        &["://"],
        r#"://[^\s\x00/:@"'`<>?#\[\\]{0,255}:"#,
        r#"[^\s\x00/"'`<>\\]{1,1024}@"#,
    )
    .needs(URL)
    .trail(1)
    .check(Check::UrlPassword)
    .takes(&[
        "https://bob:[[{A:16}]]@example.org/x.git",
        "postgres://app:[[{p:14}]]@db:5432/main",
        "postgresql+asyncpg://app:[[{A:20}]]@db/main",
        "mysql://root:[[{A:12}]]@127.0.0.1:3306/x",
        "mongodb+srv://u:[[{A:18}]]@cluster0.abcde.mongodb.net/test?retryWrites=true",
        "redis://:[[{A:24}]]@cache:6379/0",
        "rediss://default:[[{A:24}]]@cache:6380",
        "amqp://guest1:[[{A:12}]]@mq:5672/vhost",
        "ftp://u:[[{A:10}]]@files/",
        "ldap://cn=admin:[[{A:10}]]@ldap:389",
        "smtp://mail%40x.org:[[{A:16}]]@smtp:587",
        "https://x-access-token:[[{A:40}]]@github.com/a/b",
        "mssql://sa:[[{A:6}!{D:4}]]@sql:1433",
        "clickhouse://default:[[{A:14}]]@ch:9000",
    ])
    .leaves(&[
        "https://user:${PASS}@host/x",
        "http://localhost:8080/path@x",
        "postgres://user:***@db:5432/app",
    ]),
    // A slash in a password, unless a port number stands before it.
    led(
        "url-password",
        &["://"],
        r#"://[^\s\x00/:@"'`<>?#\[\\]{1,255}:"#,
        concat!(
            r#"[0-9]{0,5}[^\s\x00/@"'`<>\\0-9][^\s\x00/@"'`<>\\]{0,128}/"#,
            r#"[^\s\x00@"'`<>\\?=&]{0,128}@"#,
        ),
    )
    .needs(URL)
    .trail(1)
    .check(Check::UrlPassword)
    .takes(&["postgres://app:[[{A:6}/{A:8}]]@db/main"])
    .leaves(&["https://example.org:8443/@scope/package", "https://user:<your/password>@host"]),
    // A token in the place of the user.
    led("url-token", &["://"], r"://", r"[A-Za-z0-9_.~-]{20,}@")
        .needs(URL)
        .trail(1)
        .check(Check::Random)
        .takes(&["git clone https://[[{h:40}]]@git.example.org/a/b"])
        .leaves(&[
            "https://user@example.org/x",
            "https://example-user-with-long-name@example.org/x",
        ]),
    led("url-token", &["://"], r"://", r"[A-Za-z0-9_.~-]{20,}:x-oauth-basic@")
        .needs(URL)
        .trail(15)
        .check(Check::Random)
        .takes(&["https://[[{h:40}]]:x-oauth-basic@github.com/a/b"])
        .leaves(&[
            "https://<token>:x-oauth-basic@github.com/a/b",
            "https://your-personal-access-token:x-oauth-basic@github.com/a/b",
        ]),
    led(
        "oracle-password",
        &["oracle:thin:", "oracle:oci:"],
        r"oracle:(?:thin|oci):[^/\s@]{1,64}/",
        r#"[^\s\x00@"']{1,128}@"#,
    )
    .trail(1)
    .check(Check::UrlPassword)
    .takes(&["jdbc:oracle:thin:scott/[[{A:10}]]@//db:1521/x"])
    .leaves(&["jdbc:oracle:thin:scott/${PASS}@//db:1521/x", "jdbc:oracle:thin:@//db:1521/x"]),
    led(
        "authorization",
        &["uthorization", "UTHORIZATION"],
        concat!(
            r#"(?i)uthorization(?:\\?["'])?[ \t]{0,3}(?:=>|[:=,])[ \t]{0,3}(?:\\?["'])?"#,
            r"(?:bearer|basic|token|bot|digest|apikey|api-key|key|ssws|negotiate|ntlm|hawk",
            r"|splunk|[a-z-]{2,24}token|genieKey|pre|jwt)",
            r"[ \t]{1,3}",
        ),
        r"[A-Za-z0-9._~+/=:-]{6,}",
    )
    .check(Check::Header)
    .takes(&[
        "Authorization: Bearer [[{w:40}]]",
        "authorization: bearer [[{A:32}]]",
        "'Authorization': 'Token [[{h:40}]]'",
        r#"-H "Authorization: Basic [[dXNlcjp{A:20}=]]""#,
        r#"{"Authorization":"Bearer [[{w:64}]]"}"#,
        "Proxy-Authorization: Basic [[cHJveHk6{A:16}]]",
        r#""Authorization", "Bot [[{w:59}]]""#,
    ])
    .leaves(&[
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "authorization: none",
    ]),
    // Schemes with named parts, of which one is the proof, and those with a name before it.
    led(
        "authorization",
        &["uthorization", "UTHORIZATION"],
        concat!(
            r#"(?i)uthorization(?:\\?["'])?[ \t]{0,3}(?:=>|[:=,])[ \t]{0,3}(?:\\?["'])?"#,
            r"(?:digest|hawk|oauth|aws[0-9a-z-]*|signature|token|sharedkey(?:lite)?",
            r"|sharedaccesssignature|gssapi|mac|scram[0-9a-z-]*|vapid|goog[0-9a-z-]*)[ \t]{1,3}",
        ),
        concat!(
            r#"(?:[A-Za-z0-9_-]{1,32}=(?:\\?"[^"\\\r\n]{0,1024}\\?"|[^\s\x00,"'\\]{1,1024})"#,
            r"[,&; ]{0,3}",
            r#"|[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/=_-]{20,})+"#,
        ),
    )
    .check(Check::Random)
    .takes(&[
        r#"Authorization: Digest [[username="bob", nonce="{h:32}", response="{h:32}"]]"#,
        "Authorization: SharedKey [[acct:{B:43}=]]",
    ])
    .leaves(&[
        "Authorization: Digest <credentials>",
        r#"Authorization: Hawk id="<id>", mac="<mac>""#,
    ]),
    // Without a scheme: the whole value.
    led(
        "authorization",
        &["uthorization", "UTHORIZATION"],
        r#"(?i)uthorization(?:\\?["'])?[ \t]{0,3}(?:=>|[:=,])[ \t]{0,3}(?:\\?["'])?"#,
        r"[A-Za-z0-9._~+/=:-]{16,}",
    )
    .check(Check::Random)
    .takes(&["Authorization: [[{A:40}]]"])
    .leaves(&["Authorization: SharedKey <account>:<signature>"]),
    // A scheme that nobody knows.
    led(
        "authorization",
        &["uthorization", "UTHORIZATION"],
        concat!(
            r#"(?i)uthorization(?:\\?["'])?[ \t]{0,3}(?:=>|[:=,])[ \t]{0,3}(?:\\?["'])?"#,
            r#"[a-z][a-z0-9_-]{1,31}[ \t]{1,3}(?:[a-z_]{1,16}=(?:\\?")?)?"#,
        ),
        r"[A-Za-z0-9._~+/=:-]{16,}",
    )
    .check(Check::Random)
    .takes(&[
        "Authorization: Klaviyo-API-Key [[{w:36}]]",
        "Authorization: LOW [[{A:16}:{A:16}]]",
        "Authorization: Acme [[{w:43}]]",
    ])
    .leaves(&["authorization: required for all endpoints", "Authorization: scheme parameters"]),
    led(
        "bearer",
        &["earer ", "EARER ", "earer, ", "earer%20", "earer+", "earer=", "earer:", "earer\""],
        r#"(?i)earer(?:[ \t]{1,3}|,[ \t]{1,3}|%20|\+|["']?[=:][ \t]{0,3}["']?)"#,
        r"[A-Za-z0-9._~+/=-]{16,}",
    )
    .check(Check::Random)
    .takes(&[
        "curl -s --oauth2-bearer x; Bearer [[{A:36}]]",
        "Sec-WebSocket-Protocol: bearer, [[{w:60}]]",
    ])
    .leaves(&[
        "bearer of bad news",
        r#"WWW-Authenticate: Bearer realm="https://auth.example.org/token""#,
    ]),
    // Composer's own file names the host of each.
    led(
        "bearer",
        &["earer\""],
        r#"earer":[ \t]{0,3}\{\s{0,16}"[^"\s]{1,128}":[ \t]{0,3}""#,
        r#"[^"\s]{12,}"#,
    )
    .check(Check::Token)
    .takes(&[r#"{"bearer":{"git.example.org":"[[{A:40}]]"}}"#])
    .leaves(&[r#""bearer": {"git.example.org": "<token>"}"#, r#""bearer": {}"#]),
    led("basic-auth", &["Basic ", "basic "], r"(?i)basic[ \t]{1,3}", r"[A-Za-z0-9+/]{11,}={0,2}")
        .edge(Edge::Word)
        .check(Check::BasicAuth)
        .takes(&["auth: Basic [[dXNlcjp{A:17}=]]"])
        .leaves(&[
            "Basic authentication failed",
            "Authorization: Basic <credentials>",
            "basic usage: run it twice",
        ]),
    led(
        "cookie",
        &[
            "Cookie:",
            "cookie:",
            "COOKIE:",
            "Cookie\"",
            "cookie\"",
            "Cookie'",
            "cookie'",
            "Cookie=",
            "Cookie\\",
            "cookie\\",
            "cookie '",
            "cookie \"",
        ],
        concat!(
            r#"(?i)cookie(?:\\{0,3}["']\]?)?[ \t]{0,3}(?:(?:=>|[:=,])[ \t]{0,3})?"#,
            r#"(?:"value":[ \t]{0,3})?[\[{b]{0,2}(?:\\{0,3}["'])?"#,
        ),
        concat!(
            r#"[^\s\x00=;"',\\]{1,64}=[^\s\x00;"',\\]{0,1024}(?:; ?[^\s\x00=;"',\\]{1,64}="#,
            r#"[^\s\x00;"',\\]{0,1024})*"#,
        ),
    )
    .edge(Edge::Word)
    .check(Check::Cookie)
    .takes(&[
        "Set-Cookie: [[sessionid={z:32}]]; HttpOnly; Path=/",
        "set-cookie: [[connect.sid=s%3A{A:32}.{A:43}; Path=/]]",
        "Cookie: [[sessionid={z:32}; csrftoken={A:32}]]",
        "Cookie: [[JSESSIONID={H:32}]]",
        "'Cookie': '[[sessionid={z:32}]]'",
        r#"req.Header.Set("Cookie", "[[sessionid={z:32}]]")"#,
        "curl --cookie '[[session={w:40}]]' x",
    ])
    .leaves(&["Cookie: theme=dark; tz=Europe/Berlin", "Set-Cookie: id=deleted; Max-Age=0"]),
    led(
        "netrc-password",
        &["machine"],
        concat!(
            r"machine[ \t]{1,8}[^\s\x00]{1,253}\s{1,8}login[ \t]{1,8}[^\s\x00]{1,128}\s{1,8}",
            r"(?:account[ \t]{1,8}[^\s\x00]{1,128}\s{1,8})?password[ \t]{1,8}",
        ),
        r"[^\s\x00]{1,256}",
    )
    .edge(Edge::Word)
    .check(Check::Password)
    .takes(&[
        "machine api.example.org login bob password [[{p:12}]]",
        r"machine github.com\n  login bob\n  password [[{A:16}]]",
        r"machine x.org\nlogin bob\naccount y\npassword [[{A:14}]]",
    ])
    .leaves(&[
        "machine example.org login bob password <password>",
        "machine example.org login bob password $PASSWORD",
    ]),
    led(
        "netrc-password",
        &["login"],
        concat!(
            r"login[ \t]{1,8}[^\s\x00]{1,128}\s{1,8}",
            r"(?:account[ \t]{1,8}[^\s\x00]{1,128}\s{1,8})?password[ \t]{1,8}",
        ),
        r"[^\s\x00]{4,256}",
    )
    .edge(Edge::Word)
    .check(Check::Value)
    .takes(&["default login bob password [[{A:14}]]"])
    .leaves(&["login bob password <password>", "the login form password field"]),
    // host:port:database:user:password
    led(
        "pgpass-password",
        &[":5432:", ":5433:", ":6432:", ":*:", "*:*:"],
        r"(?::(?:5432|5433|6432|\*)|\*:\*):[^:\s]{1,63}:[^:\s/0-9][^:\s/]{0,62}:",
        r#"[^\s\x00:'"]{4,256}"#,
    )
    .check(Check::Value)
    .takes(&["db.example.org:5432:app:bob:[[{A:16}]]", "*:*:*:bob:[[{A:16}]]"])
    .leaves(&["localhost:5432:app:bob:<password>", "uucp:*:10:10:uucp:/usr/sbin"]),
    led(
        "sql-password",
        &["IDENTIFIED ", "identified "],
        concat!(
            r#"(?i)identified (?:with [a-z0-9_'"]{1,40} )?by[ \t]{1,4}(?:password[ \t]{1,4}"#,
            r#")?['"]"#,
        ),
        r#"[^'"\r\n]{3,256}"#,
    )
    .check(Check::Password)
    .takes(&[
        "CREATE USER 'bob'@'%' IDENTIFIED BY '[[{p:12}]]';",
        "IDENTIFIED WITH mysql_native_password BY '[[{p:12}]]'",
    ])
    .leaves(&["IDENTIFIED BY '<password>'", "IDENTIFIED WITH auth_socket"]),
    led("ftp-password", &["PASS "], r"PASS ", r"[^\s\x00/]{4,256}")
        .after(&["> ", "\""])
        .check(Check::Spoken)
        .takes(&["> PASS [[{A:10}{D:2}]]", r#""PASS [[{A:10}{D:2}]]"#])
        .leaves(&["PASS tests/login.test.js", "PASS src/token.test.ts", "> PASS <password>"]),
    led(
        "basic-auth",
        &["uthIdent"],
        r#"uthIdent["']?[ \t]{0,3}[:=][ \t]{0,3}["']?"#,
        r"[A-Za-z0-9+/]{8,}={0,2}",
    )
    .check(Check::BasicAuth)
    .takes(&[r#"npmAuthIdent: "[[Ym9iOm{A:22}]]""#])
    .leaves(&[r#"npmAuthIdent: "<ident>""#, r#"npmAuthIdent: "${NPM_AUTH_IDENT}""#]),
    // The `auth` of a docker configuration: user and password in base64.
    led(
        "docker-auth",
        &["\"auth\"", "\\\"auth\\\""],
        r#"\\?"auth\\?"[ \t]{0,3}:[ \t]{0,3}\\?""#,
        r"[A-Za-z0-9+/]{8,}={0,2}",
    )
    .check(Check::BasicAuth)
    .takes(&[r#""auths": {"https://index.docker.io/v1/": {"auth": "[[Ym9i{A:18}=]]"}}"#])
    .leaves(&[r#""auth": true"#, r#""auth": "0.12.3-beta.20240101""#, r#"{"auth": "none"}"#]),
    led("wifi-key", &["psk="], r#"psk=[ \t]{0,4}["']?"#, r#"[^\s\x00"']{8,}"#)
        .max(CREDENTIAL)
        .check(Check::Value)
        .takes(&[r#"psk="[[{A:16}]]""#])
        .leaves(&[r#"psk="${WIFI_PSK}""#, "psk=<passphrase>"]),
    led(
        "wifi-key",
        &["dKey", "dkey"],
        r#"(?i)dkey[ \t]{0,4}=[ \t]{0,4}["']?"#,
        r#"[^\s\x00"']{8,}"#,
    )
    .after(&["preshare"])
    .max(CREDENTIAL)
    .check(Check::Value)
    .takes(&["PresharedKey = [[{A:24}]]"])
    .leaves(&["PresharedKey = <key>", "PresharedKey = ${PSK}"]),
];
