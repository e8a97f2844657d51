//! Secrets that only their surroundings give away: URLs, headers, files with a fixed line.

use super::super::check::Check;
use super::{CREDENTIAL, Edge, Look, Row, led, listed_bytes};
use ricasso_os::lanes::Halves;

/// Most URLs have a slash before a colon or an `@`, and most others no `@` behind the colon.
/// All rows with this literal share the look, so that each URL gets one.
const URL: &[Look] = &[
    Look { stops: USER_STOPS, wants: b':', or: b'@' },
    Look { stops: PASSWORD_STOPS, wants: b'@', or: b'@' },
];
/// What no user's name in a URL has.
const USER_STOPS: Halves = listed_bytes(b":/@ \t\r\n\"'`<>?#[\\");
/// What no password in a URL has.
const PASSWORD_STOPS: Halves = listed_bytes(b"@ \t\r\n\"'`<>\\");

pub(super) const ROWS: &[Row] = &[
    // The longest match ends at the last `@` before a slash: passwords hold that sign too.
    led("url-password", &["://"], r#"://[^\s/:@"'`<>?#\[\\]{0,255}:"#, r#"[^\s/"'`<>\\]{1,1024}@"#)
        .look(URL)
        .trail(1)
        .check(Check::UrlPassword),
    // A slash in a password, unless a port number stands before it.
    led(
        "url-password",
        &["://"],
        r#"://[^\s/:@"'`<>?#\[\\]{1,255}:"#,
        concat!(
            r#"[0-9]{0,5}[^\s/@"'`<>\\0-9][^\s/@"'`<>\\]{0,128}/"#,
            r#"[^\s@"'`<>\\?=&]{0,128}@"#,
        ),
    )
    .look(URL)
    .trail(1)
    .check(Check::UrlPassword),
    // A token in the place of the user.
    led("url-token", &["://"], r"://", r"[A-Za-z0-9_.~-]{20,}@")
        .look(URL)
        .trail(1)
        .check(Check::Random),
    led("url-token", &["://"], r"://", r"[A-Za-z0-9_.~-]{20,}:x-oauth-basic@")
        .look(URL)
        .trail(15)
        .check(Check::Random),
    led(
        "oracle-password",
        &["oracle:thin:", "oracle:oci:"],
        r"oracle:(?:thin|oci):[^/\s@]{1,64}/",
        r#"[^\s@"']{1,128}@"#,
    )
    .trail(1)
    .check(Check::UrlPassword),
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
    .check(Check::Header),
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
            r#"(?:[A-Za-z0-9_-]{1,32}=(?:\\?"[^"\\\r\n]{0,1024}\\?"|[^\s,"'\\]{1,1024})"#,
            r"[,&; ]{0,3}",
            r#"|[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/=_-]{20,})+"#,
        ),
    )
    .check(Check::Anything),
    // Without a scheme: the whole value.
    led(
        "authorization",
        &["uthorization", "UTHORIZATION"],
        r#"(?i)uthorization(?:\\?["'])?[ \t]{0,3}(?:=>|[:=,])[ \t]{0,3}(?:\\?["'])?"#,
        r"[A-Za-z0-9._~+/=:-]{16,}",
    )
    .check(Check::Random),
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
    .check(Check::Random),
    led(
        "bearer",
        &["earer ", "EARER ", "earer, ", "earer%20", "earer+", "earer=", "earer:", "earer\""],
        r#"(?i)earer(?:[ \t]{1,3}|,[ \t]{1,3}|%20|\+|["']?[=:][ \t]{0,3}["']?)"#,
        r"[A-Za-z0-9._~+/=-]{16,}",
    )
    .check(Check::Random),
    // Composer's own file names the host of each.
    led(
        "bearer",
        &["earer\""],
        r#"earer":[ \t]{0,3}\{\s{0,16}"[^"\s]{1,128}":[ \t]{0,3}""#,
        r#"[^"\s]{12,}"#,
    )
    .check(Check::Token),
    led("basic-auth", &["Basic ", "basic "], r"(?i)basic[ \t]{1,3}", r"[A-Za-z0-9+/]{11,}={0,2}")
        .edge(Edge::Word)
        .check(Check::BasicAuth),
    led(
        "cookie",
        &["Cookie", "cookie", "COOKIE"],
        r#"(?i)cookie(?:\\?["'])?[ \t]{0,3}[:=,][ \t]{0,3}(?:\\?["'])?[A-Za-z0-9_.~%:-]{1,64}="#,
        r#"[^;\s"',\\]{12,}"#,
    )
    .after(&["set-"])
    .check(Check::Random),
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
        r#"[^\s=;"',\\]{1,64}=[^\s;"',\\]{0,1024}(?:; ?[^\s=;"',\\]{1,64}=[^\s;"',\\]{0,1024})*"#,
    )
    .edge(Edge::Word)
    .check(Check::Cookie),
    led(
        "netrc-password",
        &["machine"],
        concat!(
            r"machine[ \t]{1,8}[^\s]{1,253}\s{1,8}login[ \t]{1,8}[^\s]{1,128}\s{1,8}",
            r"(?:account[ \t]{1,8}[^\s]{1,128}\s{1,8})?password[ \t]{1,8}",
        ),
        r"[^\s]{1,256}",
    )
    .edge(Edge::Word)
    .check(Check::Password),
    led(
        "netrc-password",
        &["login"],
        concat!(
            r"login[ \t]{1,8}[^\s]{1,128}\s{1,8}",
            r"(?:account[ \t]{1,8}[^\s]{1,128}\s{1,8})?password[ \t]{1,8}",
        ),
        r"[^\s]{4,256}",
    )
    .edge(Edge::Word)
    .check(Check::Value),
    // host:port:database:user:password
    led(
        "pgpass-password",
        &[":5432:", ":5433:", ":6432:", ":*:", "*:*:"],
        r"(?::(?:5432|5433|6432|\*)|\*:\*):[^:\s]{1,63}:[^:\s/]{1,63}:",
        r#"[^\s:'"]{4,256}"#,
    )
    .check(Check::Value),
    led(
        "sql-password",
        &["IDENTIFIED ", "identified "],
        r#"(?i)identified (?:with [a-z0-9_'"]{1,40} )?by[ \t]{1,4}(?:password[ \t]{1,4})?['"]"#,
        r#"[^'"\r\n]{3,256}"#,
    )
    .check(Check::Password),
    // curl, wget and docker take `user:password` or a password behind a flag.
    led(
        "flag-password",
        &["-u ", "-user "],
        r#"-u(?:ser)?[ \t]{1,3}["']?[A-Za-z0-9._%+@-]{1,128}:"#,
        r#"[^\s"']{4,256}"#,
    )
    .check(Check::Value),
    led("flag-password", &["pass -p"], r#"pass -p[ \t]{0,3}["']?"#, r#"[^\s"']{3,256}"#)
        .after(&["ssh"])
        .check(Check::Password),
    led("flag-password", &["password="], r#"password=["']?"#, r#"[^\s"']{3,256}"#)
        .after(&["wget --", "curl --"])
        .check(Check::Password),
    led(
        "flag-password",
        &["mysql", "mariadb -"],
        concat!(
            r"(?:mysql(?:dump|admin)?|mariadb)",
            r#"(?: -[^\r\n p][^\r\n ]{0,64}| [^\r\n -][^\r\n ]{0,64}){0,6} -p["']?"#,
        ),
        r#"[^\s"']{4,256}"#,
    )
    .check(Check::Value),
    // `docker login`, `az login`, `helm registry login` and their kin.
    led(
        "flag-password",
        &["login", "mongo"],
        concat!(
            r"(?:login|mongo[a-z]{0,8})(?:[ \t]{1,3}(?:-[^\s p-][^\s]{0,63}|--[^\s]{1,63}",
            r#"|[^\s-][^\s]{0,127})){0,8}[ \t]{1,3}-p[ =]?["']?"#,
        ),
        r#"[^\s"']{4,256}"#,
    )
    .edge(Edge::Word)
    .check(Check::Value),
    led(
        "flag-password",
        &["redis-cli -", "ldap"],
        concat!(
            r"(?:redis-cli|ldap[a-z]{2,10})(?:[ \t]{1,3}(?:-[^\s aw-][^\s]{0,63}|--[^\s]{1,63}",
            r#"|[^\s-][^\s]{0,127})){0,8}[ \t]{1,3}-[aw][ =]?["']?"#,
        ),
        r#"[^\s"']{4,256}"#,
    )
    .edge(Edge::Word)
    .check(Check::Value),
    // The server's own password in a Redis configuration.
    led("redis-password", &["pass "], r#"pass[ \t]{1,8}["']?"#, r#"[^\s"']{4,256}"#)
        .after(&["require", "-store", "-key"])
        .check(Check::Value),
    led("ftp-password", &["PASS "], r"PASS ", r"[^\s/]{4,256}")
        .after(&["> ", "\""])
        .check(Check::Spoken),
    led(
        "basic-auth",
        &["uthIdent"],
        r#"uthIdent["']?[ \t]{0,3}[:=][ \t]{0,3}["']?"#,
        r"[A-Za-z0-9+/]{8,}={0,2}",
    )
    .check(Check::BasicAuth),
    // The `auth` of a docker configuration: user and password in base64.
    led(
        "docker-auth",
        &["\"auth\"", "\\\"auth\\\""],
        r#"\\?"auth\\?"[ \t]{0,3}:[ \t]{0,3}\\?""#,
        r"[A-Za-z0-9+/]{8,}={0,2}",
    )
    .check(Check::BasicAuth),
    led("wifi-key", &["psk="], r#"psk=[ \t]{0,4}["']?"#, r#"[^\s"']{8,}"#)
        .max(CREDENTIAL)
        .check(Check::Value),
    led("wifi-key", &["dKey", "dkey"], r#"(?i)dkey[ \t]{0,4}=[ \t]{0,4}["']?"#, r#"[^\s"']{8,}"#)
        .after(&["preshare"])
        .max(CREDENTIAL)
        .check(Check::Value),
];
