//! Secrets in sentences, in the settings of single programs, and in the place of a user.
//!
//! Literals that are looked for everywhere are chosen so that they start like others: each new
//! start makes the search let more places through.

use super::super::check::Check;
use super::{Row, led, token};

pub(super) const ROWS: &[Row] = &[
    // With escaped slashes, as PHP writes them.
    led(
        "url-password",
        &["\\/\\/"],
        r#"\\/\\/[^\s/:@"'`<>?#\[\\]{0,255}:"#,
        r#"[^\s/"'`<>\\]{1,1024}@"#,
    )
    .after(&[":"])
    .trail(1)
    .check(Check::UrlPassword),
    led(
        "key",
        &[" key", " Key", " KEY"],
        concat!(
            r#"(?i) key(?: [0-9]{1,2})?[*`"']{0,3}(?: is| was|[ \t]{0,12}(?::=|=>|[=:])[*`]{0,2})"#,
            r#"[ \t]{1,24}[`"']?(?:0x)?"#,
        ),
        r"[A-Za-z0-9_+/=.-]{16,}",
    )
    .after(&["api", "private", "access", "secret", "preshared", "pre-shared", "unseal", "signing"])
    .check(Check::Random),
    // Setup programs tell the password that they made up.
    led(
        "password",
        &["password ", "Password ", "PASSWORD "],
        concat!(
            r"(?i)password(?: for [^\s:]{1,64})?(?: (?:is|was|has been|set|reset|changed|generated",
            r#"|to)){1,4}(?: for [^\s:]{1,64})?:?[ \t]{1,3}[`"']?"#,
        ),
        r#"[^\s`"']{6,64}"#,
    )
    .check(Check::Spoken),
    led("query-key", &["uth=", "ppid="], r"(?:uth|ppid)=", r"[A-Za-z0-9_%/+=~.-]{30,}")
        .after(&["?a", "&a"])
        .check(Check::Random),
    // Personal access tokens and salts, by the names of their variables.
    led(
        "token",
        &["_PAT=", "_PAT:", "_PAT\"", "_SALT=", "_SALT:", "_SALT\"", "_pat=", "_salt="],
        r#"(?i)_(?:pat|salt)["']?[ \t]{0,3}(?:=>|[=:])[ \t]{0,3}["']?"#,
        r"[A-Za-z0-9_+/=.~$-]{16,}",
    )
    .check(Check::Random),
    // A URL inside another one.
    led(
        "url-password",
        &["%3A%2F%2F", "%3a%2f%2f"],
        r"(?i)%3a%2f%2f[^\s/:@%&]{0,128}%3a",
        r"[^\s/:@&]{1,256}?%40",
    )
    .trail(3)
    .check(Check::UrlPassword),
    led("ldap-password", &["bindpw", "BINDPW"], r"(?i)bindpw[ \t]{1,8}", r"[^\s]{4,256}")
        .check(Check::Password),
    led("masked", &["::add-mask::"], r"::add-mask::", r"[^\s*]{4,}").check(Check::Password),
    led(
        "secret",
        &["ecret set "],
        concat!(
            r"ecret set [A-Za-z0-9_-]{1,64} (?:--?[a-z-]{1,16}[ =][^\s-][^\s]{0,64} ){0,3}",
            r#"(?:--body|-b)[ =]["']?"#,
        ),
        r#"[^\s"']{4,}"#,
    )
    .check(Check::Value),
    led(
        "redis-password",
        &["\"AUTH\" \""],
        r#""AUTH" "(?:[A-Za-z0-9_-]{1,64}" ")?"#,
        r#"[^\s"]{4,256}"#,
    )
    .check(Check::Value),
    led("redis-password", &["pass\""], r#"pass"\r?\n[ \t]{0,8}[0-9]{1,3}\) ""#, r#"[^\s"]{4,256}"#)
        .after(&["require"])
        .check(Check::Value),
    // Bundler's credentials of a host, as variables and in its settings.
    led(
        "bundler-password",
        &["BUNDLE_"],
        r#"BUNDLE_[A-Z0-9_]{11,64}(?:: ?|=)["']?[^\s:"']{1,64}:"#,
        r#"[^\s"']{6,}"#,
    )
    .in_run()
    .check(Check::Value),
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
    .check(Check::Anything),
];
