//! Secrets in sentences, in the settings of single programs, and in the place of a user.
//!

use super::{Edge, Row, led, token};
use crate::check::Check;

pub(super) const ROWS: &[Row] = &[
    // With escaped slashes, as PHP writes them.
    led(
        "url-password",
        &["\\/\\/"],
        r#"\\/\\/[^\s\x00/:@"'`<>?#\[\\]{0,255}:"#,
        r#"[^\s\x00/"'`<>\\]{1,1024}@"#,
    )
    .after(&[":"])
    .trail(1)
    .check(Check::UrlPassword)
    .takes(&[r#""url":"mysql:\\/\\/app:[[{A:16}]]@db\\/main""#])
    .leaves(&[
        r#""url":"https:\\/\\/example.org:8443\\/a\\/b""#,
        r#""url":"https:\\/\\/user:${PASS}@host\\/x""#,
    ]),
    led(
        "key",
        &[" key", " Key", " KEY"],
        concat!(
            r#"(?i) key(?: [0-9]{1,2})?[*`"']{0,3}(?: is| was|[ \t]{0,12}(?::=|=>|[=:])"#,
            r"[*`]{0,2})",
            r#"[ \t]{1,24}[`"']?(?:0x)?"#,
        ),
        r"[A-Za-z0-9_+/=.-]{16,}",
    )
    .after(&["api", "private", "access", "secret", "preshared", "pre-shared", "unseal", "signing"])
    .check(Check::Random)
    .takes(&[
        "Your API key is [[{A:32}]]",
        "API key: [[{w:43}]]",
        "private key: [[{B:43}=]]",
        "Unseal Key 1: [[{B:43}=]]",
    ])
    .leaves(&[
        "Your API key is valid for project-{D:4}",
        "API key: none",
        "public key: {B:43}=",
    ]),
    // Setup programs tell the password that they made up.
    led(
        "password",
        &["password ", "Password ", "PASSWORD "],
        concat!(
            r"(?i)password(?: for [^\s\x00:]{1,64})?(?: (?:is|was|has been|set|reset|",
            r"changed|generated",
            r#"|to)){1,4}(?: for [^\s\x00:]{1,64})?:?[ \t]{1,3}[`"']?"#,
        ),
        r#"[^\s\x00`"']{6,64}"#,
    )
    .check(Check::Spoken)
    .takes(&[
        "A temporary password is generated for root@localhost: [[{A:10}{D:2}]]",
        "Your temporary password is: [[{A:10}{D:2}]]",
    ])
    .leaves(&[
        "password was changed 3 days ago",
        "password is required and must be 8 to 64 characters",
    ]),
    led(
        "query-key",
        &["auth=", "appid=", "key=", "code="],
        r"(?:auth|appid|key|code)=",
        r"[A-Za-z0-9_%/+=~.-]{30,}",
    )
    .after(&["?", "&"])
    .check(Check::Random)
    .takes(&[
        "https://api.example.org/x?q=1&appid=[[{h:32}]]",
        "https://example.org/?key=[[{A:39}]]",
        "/callback?code=[[{A:40}]]&state=x",
    ])
    .leaves(&[
        "/login?auth=required",
        "?appid=com.example.app",
        "/item?key=user-name&code=404",
    ]),
    led(
        "token",
        &[" token ", " token: ", " Token: ", " Token ", " TOKEN: "],
        r#"(?i) token(?: is| was)?:?[ \t]{1,3}[`"']?"#,
        r"[A-Za-z0-9_+/=.-]{20,}",
    )
    .after(&[
        "api", "access", "auth", "your", "using", "with", "bearer", "secret", "root", "refresh",
        "session",
    ])
    .check(Check::Random)
    .takes(&[
        "Your token is [[{A:32}]]",
        "using token [[{A:40}]]",
        "Your new API token is: [[{A:32}]]",
    ])
    .leaves(&[
        "your token is valid until 2026-12-31T00:00:00",
        "using token authentication-method-of-x",
    ]),
    // In other languages.
    led(
        "password",
        &["passe", "ontrase", "enha", "ennwort", "achtwoord"],
        concat!(
            r"(?:passe|ontrase(?:\xc3\xb1|n)a|enha|ennwort|achtwoord)",
            r#"["']?[ \t]{0,3}[:=][ \t]{0,3}["']?"#,
        ),
        r#"[^\s\x00"']{4,128}"#,
    )
    .after(&["mot de ", "c", "s", "k", "w"])
    .check(Check::Spoken)
    .takes(&["Mot de passe : [[{A:13}{D:1}]]", "senha: [[{A:13}{D:1}]]"])
    .leaves(&["Mot de passe : obligatoire", "Kennwort: ********"]),
    led(
        "mnemonic",
        &["nemonic", "NEMONIC", "eed phrase", "eed_phrase", "EED_PHRASE", "ecovery phrase"],
        r#"(?i)(?:nemonic|eed[ _]phrase|ecovery phrase)["']?[ \t]{0,3}[:=][ \t]{0,3}["']?"#,
        r"[a-z]{3,8}(?: [a-z]{3,8}){11,23}",
    )
    .check(Check::Anything)
    .takes(&["seed phrase: [[army gas oak bus cat dog egg fan gym hat ice jar]]"])
    .leaves(&["mnemonic: twelve words", "seed phrase: <your words>"]),
    led(
        "erlang-cookie",
        &["COOKIE", "cookie"],
        r#"(?i)cookie["']?[ \t]{0,3}[:= ][ \t]{0,3}["']?"#,
        r"[A-Za-z0-9_-]{12,}",
    )
    .after(&["erlang_", "erlang.", "-set"])
    .check(Check::Token)
    .takes(&["RABBITMQ_ERLANG_COOKIE=[[{U:20}]]"])
    .leaves(&["ERLANG_COOKIE=${COOKIE}", "-setcookie $COOKIE"]),
    // Personal access tokens and salts, by the names of their variables.
    led(
        "token",
        &["_PAT=", "_PAT:", "_PAT\"", "_SALT=", "_SALT:", "_SALT\"", "_SALT'", "_pat=", "_salt="],
        r#"(?i)_(?:pat|salt)["']?[ \t]{0,3}(?:=>|[=:,])[ \t]{0,3}["']?"#,
        r#"[^\s\x00"'`<>{}]{16,}"#,
    )
    .check(Check::Random)
    .takes(&[
        "GITHUB_PAT=[[{A:40}]]",
        r#"export AZURE_DEVOPS_EXT_PAT="[[{A:52}]]""#,
        r#"  "AUTH_SALT": "[[{A:32}]]","#,
        "SECURE_AUTH_SALT: [[{A:40}]]",
        "define('NONCE_SALT', '[[{p:64}]]');",
    ])
    .leaves(&[
        "GLOB_PAT=/usr/share/doc/*/README",
        "PASSWORD_SALT=",
        "GITHUB_PAT=${{ secrets.PAT }}",
    ]),
    // A URL inside another one.
    led(
        "url-password",
        &["%3A%2F%2F", "%3a%2f%2f"],
        r"(?i)%3a%2f%2f[^\s\x00/:@%&]{0,128}%3a",
        r"[^\s\x00/:@&]{1,256}?%40",
    )
    .trail(3)
    .check(Check::UrlPassword)
    .takes(&[
        "next=https%3A%2F%2Fbob%3A[[{A:16}]]%40example.org%2Fx",
        "?dsn=postgres%3a%2f%2fapp%3a[[{A:16}]]%40db%2fmain",
    ])
    .leaves(&[
        "next=https%3A%2F%2Flocalhost%3A8080%2Fa%40b",
        "next=https%3A%2F%2Fbob%40example.org%2Fx",
    ]),
    led("ldap-password", &["bindpw", "BINDPW"], r"(?i)bindpw[ \t]{1,8}", r"[^\s\x00]{4,256}")
        .check(Check::Password)
        .takes(&["bindpw [[{A:12}{D:2}]]"])
        .leaves(&["bindpw <your password>", "bindpw ${LDAP_PASSWORD}"]),
    led("masked", &["::add-mask::"], r"::add-mask::", r"[^\s\x00*]{4,}")
        .check(Check::Password)
        .takes(&["::add-mask::[[{A:20}]]"])
        .leaves(&["::add-mask::$TOKEN", "::add-mask::***"]),
    led(
        "secret",
        &["ecret set "],
        concat!(
            r"ecret set [A-Za-z0-9_-]{1,64} (?:--?[a-z-]{1,16}[ =]",
            r"[^\s\x00-][^\s\x00]{0,64} ){0,3}",
            r#"(?:--body|-b)[ =]["']?"#,
        ),
        r#"[^\s\x00"']{4,}"#,
    )
    .check(Check::Value)
    .takes(&[r#"gh secret set DB_KEY --body "[[{A:20}]]""#])
    .leaves(&[
        r#"gh secret set DB_KEY --body "$DB_KEY""#,
        r#"gh secret set DB_KEY --body "${VALUE}""#,
    ]),
    led(
        "redis-password",
        &["\"AUTH\" \""],
        r#""AUTH" "(?:[A-Za-z0-9_-]{1,64}" ")?"#,
        r#"[^\s\x00"]{4,256}"#,
    )
    .check(Check::Value)
    .takes(&[r#""AUTH" "[[{A:12}{D:2}]]""#])
    .leaves(&[r#""AUTH" "<password>""#, r#""AUTH" "default" "$PASS""#]),
    led(
        "redis-password",
        &["pass\""],
        r#"pass"\r?\n[ \t]{0,8}[0-9]{1,3}\) ""#,
        r#"[^\s\x00"]{4,256}"#,
    )
    .after(&["require"])
    .check(Check::Value)
    .takes(&[r#"1) "requirepass"\n2) "[[{A:14}]]""#])
    .leaves(&[r#"1) "requirepass"\n2) """#]),
    // Bundler's credentials of a host, as variables and in its settings.
    led(
        "bundler-password",
        &["BUNDLE_"],
        r#"BUNDLE_[A-Z0-9_]{11,64}(?:: ?|=)["']?[^\s\x00:"']{1,64}:"#,
        r#"[^\s\x00"']{6,}"#,
    )
    .edge(Edge::Word)
    .check(Check::Value)
    .takes(&[r#"BUNDLE_GEMS__EXAMPLE__ORG: "ci:[[{A:20}]]""#])
    .leaves(&[r#"BUNDLE_GEMS__EXAMPLE__ORG: "user:${TOKEN}""#, r#"BUNDLE_PATH: "vendor/bundle""#]),
    // A docker configuration in base64, as a cluster keeps it.
    token(
        "docker-auth",
        &["eyJhdXRocyI6", "ewoJImF1dGhzIj", "ewogICJhdXRocyI", "ewogICAgImF1dGhzI"],
        concat!(
            r"(?:eyJhdXRocyI6|ewoJImF1dGhzIj|ewogICJhdXRocyI|ewogICAgImF1dGhzI)",
            r"[A-Za-z0-9+/]{24,}={0,2}",
        ),
    )
    .max(super::JWT)
    .check(Check::Anything)
    .takes(&["  .dockerconfigjson: [[eyJhdXRocyI6{B:160}==]]"])
    .leaves(&["eyJhdXRocyI6e319", ".dockerconfigjson: ${DOCKER_CONFIG}"]),
];
